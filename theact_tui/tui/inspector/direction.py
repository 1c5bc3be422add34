"""Decisions about a turn, with reasons: who heard what, secrets, beats, the chapter."""

from collections.abc import Sequence

from textual.content import Content

from theact_tui.story.game import Game
from theact_tui.story.pack import PLAYER
from theact_tui.story.perception import perceived_line
from theact_tui.story.secrets import gate_of
from theact_tui.story.turn import FULLY_HEARD, Decisions, Turn
from theact_tui.text import flat, one_line
from theact_tui.tui.blocks import Cast
from theact_tui.tui.visuals import Indented, heading, quiet
from theact_tui.tui.widgets.lists import BLANK, Row

GATES = {
    "free": "may come out at any time",
    "shut": "is held back",
    "open": "may come out now",
    "passed": "may come out: its beat is over",
    "out": "was revealed",
}
CHOSEN = {"end": "You chose to end {} with the next turn.", "keep": "You chose to keep {} open."}
_NOTHING = "What the director decides will be listed here after the first turn."


def direction_rows(game: Game, turn: Turn | None, cast: Cast) -> list[Row]:
    """Rows of a turn's decisions; one with a key can be overruled."""
    if turn is None:
        return [Row(quiet(_NOTHING))]
    decisions = turn.decisions or Decisions()
    people = game.pack.chapters.get(turn.chapter, game.chapter).characters
    heard = [_row(f"heard {name}", heard_text(turn, name), cast, name, cast.name(name)) for name in people]
    state = "ends with the next turn" if game.state.chapter_set == "end" else "continues"
    is_past = turn.completed_chapter or turn.chapter != game.chapter.id
    chosen = CHOSEN.get(game.state.chapter_set, "").format(f"“{game.chapter.title}”" if is_past else "it")
    chapter = " ".join(filter(None, (decisions.chapter, chosen)))
    return [
        Row(heading("WHO HEARD WHAT")),
        *heard,
        BLANK,
        *_gate_rows(game, decisions, cast),
        *_beat_rows(game, turn, decisions, cast),
        BLANK,
        Row(heading("CHAPTER", "ended" if turn.completed_chapter else state)),
        _row("chapter", chapter or "Nothing was decided."),
    ]


def _row(
    key: str, text: str, cast: Cast | None = None, character: str = "", label: str = "", mark: str = " "
) -> Row:
    """`character` gives the voice of the label; the first word of `key` is the kind."""
    name = (f"{flat(label)}  ", f".voice-{cast.voice(character)}") if cast else ""
    head = Content.assemble((f"{mark} ", ".good"), name)
    return Row(Indented(head, Content(flat(text))), key, key.split()[0], text=text)


def heard_text(turn: Turn, character: str) -> str:
    """Quote the pieces of a turn that a character missed."""
    if character not in turn.witnesses:
        return f"nothing: {_absence(turn, character)}"
    missed = turn.heard.get(character, FULLY_HEARD).missed
    parts = [
        *_line_parts(turn, character, missed),
        *_page_parts(turn, missed),
        *_reply_parts(turn, character),
    ]
    if character in turn.presence.gone:
        parts.insert(0, "left in their last reply")
    return "; ".join(parts) or "all of it"


def _absence(turn: Turn, character: str) -> str:
    if turn.is_pending:
        return "not known yet who heard this turn; /heard all, or /heard and names, decides it"
    if character in turn.asleep:
        return "asleep"
    return "here, but noticed nothing" if character in turn.presence.here else "not here"


def _line_parts(turn: Turn, character: str, missed: Sequence[str]) -> list[str]:
    if not turn.player_text or not (missed_line := [label for label in missed if label.isdigit()]):
        return []
    if not perceived_line(turn, character):
        return ["did not hear your line"]
    texts = turn.cuts.line_pieces(turn.player_text)
    quoted = (_short(texts[label]) for label in missed_line if label in texts)
    return [f"did not hear {', '.join(f'“{text}”' for text in quoted)}"]


def _page_parts(turn: Turn, missed: Sequence[str]) -> list[str]:
    texts = turn.cuts.page_pieces(turn.narration)
    quoted = [_short(texts[label]) for label in missed if label in texts]
    if quoted and len(quoted) == len(texts):
        return ["saw nothing of the page"]
    return [f"did not see {', '.join(f'“{text}”' for text in quoted)}"] if quoted else []


def _reply_parts(turn: Turn, character: str) -> list[str]:
    missed = turn.missed_by(character)
    quoted = [
        _short(text) for pieces in turn.reply_pieces for label, text in pieces.items() if label in missed
    ]
    return [f"did not hear the answer {', '.join(f'“{text}”' for text in quoted)}"] if quoted else []


def _short(text: str) -> str:
    words = one_line(text).split()
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
        text = beat + (f"  (by {cast.name(own)})" if own and own != PLAYER else "")
        text += "  (the story went on without it)" if beat in game.state.passed else ""
        text += "  (has begun)" if beat in game.state.begun else ""
        rows.append(_row(f"beat {number}", text, mark="✓" if beat in game.state.beats_hit else "·"))
    remarks = [f"Check: {decisions.reason}"] if decisions.reason else []
    remarks += [f"Quoted: “{quote}”" for quote in decisions.quotes if decisions.reason]
    proven = (*turn.new_beats, *game.state.beats_hit)
    refused = (beat for beat in decisions.named if beat not in proven)
    remarks += [f"Claimed, but its quote does not show it, so not marked: {beat}" for beat in refused]
    return [*rows, *(Row(quiet(line)) for line in remarks)]
