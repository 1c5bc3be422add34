"""What the director made of code decided in a turn, and why: who heard what, secrets, beats, the chapter."""

from __future__ import annotations

from textual.content import Content

from theact_tui.story.game import Game
from theact_tui.story.hearing import sentences
from theact_tui.story.secrets import gate_of
from theact_tui.story.turn import Heard, Turn
from theact_tui.tui.blocks import Cast
from theact_tui.tui.visuals import Indented, flat, heading, hint
from theact_tui.tui.widgets.lists import BLANK, Row

GATES = {
    "free": "may come out at any time",
    "shut": "is held back",
    "open": "may come out now",
    "passed": "may come out: its beat is over",
    "out": "was revealed",
}
NOTHING = "What the director decides will be listed here after the first turn."


def direction_rows(game: Game, turn: Turn | None, cast: Cast) -> list[Row]:
    """The decisions of a turn; a row with a key can be overruled."""
    if turn is None:
        return [Row(hint(NOTHING))]
    return [
        *_stage_rows(game, turn, cast),
        BLANK,
        *_gate_rows(game, turn, cast),
        *_beat_rows(game, turn, cast),
        BLANK,
        Row(heading("CHAPTER", _chapter_state(game, turn))),
        _row("chapter", "chapter", _chapter_text(game, turn)),
    ]


def _row(key: str, kind: str, text: str, name: str = "", ink: str = "", mark: str = "") -> Row:
    label = Content.assemble((f"{mark or ' '} ", ".good"), (f"{flat(name)}  " if name else "", ink))
    return Row(Indented(label, Content(flat(text))), key, kind, text=text)


def _stage_rows(game: Game, turn: Turn, cast: Cast) -> list[Row]:
    rows = [Row(heading("WHO HEARD WHAT"))]
    chapter = game.pack.chapters.get(turn.chapter, game.chapter)
    for name in chapter.characters:
        rows.append(
            _row(
                f"heard {name}",
                "heard",
                heard_text(turn, name),
                cast.name(name),
                f".voice-{cast.voice(name)}",
            )
        )
    return rows


def heard_text(turn: Turn, character: str) -> str:
    """What a character took in of a turn, and why."""
    if character in turn.unaware and character not in turn.witnesses:
        return "nothing: on stage, but the narrator left them out"
    if character not in turn.witnesses:
        return "nothing: not on stage"
    heard = turn.heard.get(character, Heard())
    told = sentences(turn.narration)
    parts = list[str]()
    if heard.start:
        first = told[heard.start].text if heard.start < len(told) else ""
        parts.append(f"arrived at “{_short(first)}”" if first else "arrived after the narration")
    if heard.end is not None:
        last = told[heard.end - 1].text if 0 < heard.end <= len(told) else ""
        gone = "fell asleep" if character in turn.asleep else "left"
        parts.append(f"{gone} after “{_short(last)}”" if last else f"{gone} before the narration")
    if turn.player_text and heard.missed:
        parts.append(f"did not hear {'all of ' if heard.line else ''}your line")
    if any(entry.character in heard.unheard for entry in turn.entries):
        parts.append("did not hear what was answered low")
    heard_of_it = "; ".join(parts) or "all of it"
    why = " (the narrator left them out too many times in a row)" if heard.left_out else ""
    return heard_of_it + why


def _short(text: str) -> str:
    words = text.split()
    return " ".join(words[:7]) + (" …" if len(words) > 7 else "")


def _gate_rows(game: Game, turn: Turn, cast: Cast) -> list[Row]:
    then = turn.decisions.gates if turn.decisions else {}
    owners = [name for name in game.chapter.characters if game.pack.characters[name].secret]
    if not owners:
        return []
    rows = [Row(heading("SECRETS"))]
    for name in owners:
        now = gate_of(game, name)
        text = GATES.get(then.get(name, now), "")
        if then.get(name, now) != now:
            text += f"; from the next turn on it {GATES[now]}"
        text += " (set by you)" if name in game.state.gates else ""
        rows.append(
            _row(f"gate {name}", "gate", text, f"{cast.name(name)}'s secret", f".voice-{cast.voice(name)}")
        )
    return [*rows, BLANK]


def _beat_rows(game: Game, turn: Turn, cast: Cast) -> list[Row]:
    decisions = turn.decisions
    rows = [
        Row(heading("BEATS", f"next: {flat(game.unmet_beats[0])}" if game.unmet_beats else "all reached"))
    ]
    for number, beat in enumerate(game.chapter.beats, 1):
        own = game.chapter.by.get(beat)
        text = beat + (f"  ({cast.name(own)} is told when it comes next)" if own else "")
        rows.append(_row(f"beat {number}", "beat", text, mark="✓" if beat in game.state.beats_hit else "·"))
    if decisions and decisions.reason:
        rows.append(Row(hint(f"The check: {decisions.reason}")))
        rows += [Row(hint(f"Quoted: “{quote}”")) for quote in decisions.quotes]
    refused = [beat for beat in decisions.named if beat not in turn.new_beats] if decisions else []
    rows += [Row(hint(f"Claimed, but without a matching quote, so not marked: {beat}")) for beat in refused]
    return rows


def _chapter_state(game: Game, turn: Turn) -> str:
    if turn.completed_chapter:
        return "ended"
    return "ends with the next turn" if game.state.chapter_set == "end" else "continues"


def _chapter_text(game: Game, turn: Turn) -> str:
    told = turn.decisions.chapter if turn.decisions else ""
    wish = {"end": "You chose to end it with the next turn.", "keep": "You chose to keep it open."}
    return " ".join(filter(None, (told, wish.get(game.state.chapter_set, "")))) or "Nothing was decided."
