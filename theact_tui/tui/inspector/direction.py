"""What the director made of code decided in a turn, and why: who heard what, secrets, beats, the chapter."""

from textual.content import Content

from theact_tui.story.game import Game
from theact_tui.story.pack import PLAYER
from theact_tui.story.perception import line_heard, page_heard
from theact_tui.story.secrets import gate_of
from theact_tui.story.speech import paragraphs
from theact_tui.story.turn import WHOLE, Decisions, Heard, Stage, Turn
from theact_tui.text import counted
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
    """What a character perceived of a turn, and why."""
    heard = turn.heard.get(character, WHOLE)
    if character not in turn.witnesses:
        return f"nothing: {_absent(turn, character)}"
    if heard.is_of_sentences:
        return _heard_of_sentences(turn, character, heard)
    parts = [*_comings(turn, character), *_line_parts(turn, heard), *_page_parts(turn, heard)]
    return "; ".join([*parts, *_answer_parts(turn, character, heard)]) or "all of it"


def _absent(turn: Turn, character: str) -> str:
    stage = turn.stage
    if stage and character in stage.here:
        return "asleep" if character in stage.asleep else "set by you"
    return "on stage, but left out" if character in turn.unaware else "not on stage"


def _comings(turn: Turn, character: str) -> list[str]:
    """How somebody came, went, slept or stood by."""
    stage = turn.stage or Stage()
    told = {
        "arrived": stage.arrived,
        "woke up": stage.woken,
        "came and went": stage.passed,
        "left in their last answer": stage.gone,
        "left": stage.left if character not in stage.gone else (),
        "asleep": stage.asleep,
        "stood by unaware": turn.unaware,
    }
    return [what for what, ids in told.items() if character in ids]


def _line_parts(turn: Turn, heard: Heard) -> list[str]:
    if not (turn.player_text and heard.missed):
        return []
    known = line_heard(turn.player_text, heard)
    return [f"heard only “{_short(known)}” of your line" if known else "did not hear your line"]


def _page_parts(turn: Turn, heard: Heard) -> list[str]:
    if heard.page is None:
        return []
    seen, told = page_heard(turn.narration, heard), paragraphs(turn.narration)
    if len(seen) < len(told):
        return [f"saw {len(seen)} of {counted(len(told), 'paragraph')}"]
    return ["did not hear all that was said on the page"]


def _answer_parts(turn: Turn, character: str, heard: Heard) -> list[str]:
    speakers = [entry.character or "" for entry in turn.entries if entry.role == "character"]
    if not heard.replies:
        return ["was not there for the answers"] if set(speakers) - {character} else []
    unheard = {*heard.acts_of, *(speakers[at] for at in heard.deaf if at < len(speakers))}
    return ["did not hear what was answered"] if (unheard & set(speakers)) - {character} else []


def _heard_of_sentences(turn: Turn, character: str, heard: Heard) -> str:
    """The same of a turn that an earlier version told."""
    left = "fell asleep" if character in turn.asleep else "left"
    told = {
        "arrived during the page": heard.start > 0,
        f"{left} during the page": heard.end is not None,
        "did not hear all of your line": heard.missed and bool(turn.player_text),
        "did not hear what was answered low": any(e.character in heard.unheard for e in turn.entries),
    }
    return "; ".join(what for what, is_so in told.items() if is_so) or "all of it"


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
        text = beat + (f"  ({cast.name(own)} is told when it comes next)" if own and own != PLAYER else "")
        rows.append(_row(f"beat {number}", text, mark="✓" if beat in game.state.beats_hit else "·"))
    said = [f"The check: {decisions.reason}"] if decisions.reason else []
    said += [f"Quoted: “{quote}”" for quote in decisions.quotes if decisions.reason]
    refused = (beat for beat in decisions.named if beat not in turn.new_beats)
    said += [f"Claimed, but without a matching quote, so not marked: {beat}" for beat in refused]
    return [*rows, *(Row(hint(line)) for line in said)]
