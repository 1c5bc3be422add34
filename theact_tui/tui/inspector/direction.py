"""What the director made of code decided in a turn, and why: who heard what, secrets, beats, the chapter."""

from __future__ import annotations

from textual.content import Content

from theact_tui.story.game import Game
from theact_tui.story.secrets import gate_of
from theact_tui.story.sentences import sentences
from theact_tui.story.turn import Decisions, Heard, Turn
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
CHOSEN = {"end": "You chose to end it with the next turn.", "keep": "You chose to keep it open."}
NOTHING = "What the director decides will be listed here after the first turn."


def direction_rows(game: Game, turn: Turn | None, cast: Cast) -> list[Row]:
    """The decisions of a turn; a row with a key can be overruled."""
    if turn is None:
        return [Row(hint(NOTHING))]
    decisions = turn.decisions or Decisions()
    people = game.pack.chapters.get(turn.chapter, game.chapter).characters
    heard = [_row(f"heard {name}", heard_text(turn, name), cast, name, cast.name(name)) for name in people]
    state = "ends with the next turn" if game.state.chapter_set == "end" else "continues"
    said = " ".join(filter(None, (decisions.chapter, CHOSEN.get(game.state.chapter_set))))
    return [
        Row(heading("WHO HEARD WHAT")),
        *heard,
        BLANK,
        *_gate_rows(game, decisions, cast),
        *_beat_rows(game, turn, decisions, cast),
        BLANK,
        Row(heading("CHAPTER", "ended" if turn.completed_chapter else state)),
        _row("chapter", said or "Nothing was decided."),
    ]


def _row(
    key: str, text: str, cast: Cast | None = None, who: str = "", label: str = "", mark: str = " "
) -> Row:
    """A decision, after its `label` in the voice of `who`; its kind is the first word of `key`."""
    name = (f"{flat(label)}  ", f".voice-{cast.voice(who)}") if cast else ""
    head = Content.assemble((f"{mark} ", ".good"), name)
    return Row(Indented(head, Content(flat(text))), key, key.split()[0], text=text)


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


def _gate_rows(game: Game, decisions: Decisions, cast: Cast) -> list[Row]:
    rows: list[Row] = []
    for name in game.chapter.characters:
        if not game.pack.characters[name].secret:
            continue
        now = gate_of(game, name)
        then = decisions.gates.get(name, now)
        text = GATES.get(then, "")
        text += f"; from the next turn on it {GATES[now]}" if then != now else ""
        text += " (set by you)" if name in game.state.gates else ""
        rows.append(_row(f"gate {name}", text, cast, name, f"{cast.name(name)}'s secret"))
    return [Row(heading("SECRETS")), *rows, BLANK] if rows else []


def _beat_rows(game: Game, turn: Turn, decisions: Decisions, cast: Cast) -> list[Row]:
    note = f"next: {flat(game.unmet_beats[0])}" if game.unmet_beats else "all reached"
    rows = [Row(heading("BEATS", note))]
    for number, beat in enumerate(game.chapter.beats, 1):
        own = game.chapter.by.get(beat)
        text = beat + (f"  ({cast.name(own)} is told when it comes next)" if own else "")
        rows.append(_row(f"beat {number}", text, mark="✓" if beat in game.state.beats_hit else "·"))
    said = [f"The check: {decisions.reason}"] if decisions.reason else []
    said += [f"Quoted: “{quote}”" for quote in decisions.quotes if decisions.reason]
    refused = (beat for beat in decisions.named if beat not in turn.new_beats)
    said += [f"Claimed, but without a matching quote, so not marked: {beat}" for beat in refused]
    return [*rows, *(Row(hint(line)) for line in said)]
