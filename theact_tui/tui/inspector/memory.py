"""Memories of characters and narrator as rows, and a row's words changed in its memory. Pure functions."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence
from difflib import SequenceMatcher

from textual.content import Content
from textual.visual import Visual

from theact_tui.errors import UsageError
from theact_tui.story.archive import ArchivedLine, archived_lines
from theact_tui.story.chapters import MAX_MOMENTS
from theact_tui.story.game import Game
from theact_tui.story.memory import (
    MAX_FACTS,
    Cell,
    CellsMemory,
    Change,
    Fact,
    FactsMemory,
    Memory,
    lines_of,
    memory_changes,
)
from theact_tui.story.turn import Moment
from theact_tui.text import counted
from theact_tui.tui.blocks import INKS, MARKS
from theact_tui.tui.visuals import Indented, Stack, flat, heading, hint, inked
from theact_tui.tui.widgets.lists import BLANK, Row

PINNED = "◆"
UNTOLD = "What the narrator knows will be listed here after the first turn."
UNFOLDED = (
    "The narrator still gets the full text. "
    "When the story gets too long for the model, its oldest pages are summarised here."
)
EMPTY_MEMORY = "No memories yet. After each turn a character witnesses, what they remember is added here."


# --- a character --------------------------------------------------------------------------------------------------


def memory_rows(
    memory: Memory | None,
    before: Memory | None,
    *,
    limit: int,
    prompts: Iterable[str] = (),
    glow: bool = False,
    stale: Collection[int] = (),
) -> list[Row]:
    """All of a memory and how it differs from the one before; `limit` is how many cells there may be, `prompts` what
    its owner was sent in this turn, `stale` the turns whose words were edited since."""
    changes = memory_changes(before, memory) if memory else ()
    if memory is None or not (memory.summary or lines_of(memory) or changes):
        return [Row(hint(EMPTY_MEMORY))]
    was = before.summary if before else ""
    match memory:
        case FactsMemory():
            rows = [*_summary_rows("SUMMARY", memory, was, glow), BLANK]
            rows.append(Row(heading("FACTS", tally(memory.key_facts, MAX_FACTS))))
        case CellsMemory():
            rows = [Row(heading("ENTRIES", tally(memory.cells, limit)))]
    rows += _line_rows(lines_of(memory), changes, glow, stale)
    if isinstance(memory, CellsMemory):
        rows += [BLANK, *_summary_rows("OLDER, CONDENSED", memory, was, glow)]
    return [*rows, *_reflection_rows(memory, before), *older_rows(memory.older, prompts, stale)]


def _reflection_rows(memory: Memory, before: Memory | None) -> list[Row]:
    """What its owner made of the last chapter, in the place of what the card says."""
    seen = memory.reflection
    if seen is None:
        return []
    fresh = before is None or before.reflection != seen
    lines = [
        ("wants", seen.want),
        ("hides", seen.hide),
        *((f"of {name}", s) for name, s in seen.beliefs.items()),
    ]
    mark = _mark("+" if fresh else " ", ".good" if fresh else ".faint", seen.turn, pinned=False)
    return [
        BLANK,
        Row(heading("AFTER THE LAST CHAPTER")),
        *(
            Row(
                Indented(mark, Content.assemble((f"{flat(what)} ", ".quiet"), flat(text))),
                f"reflection {what}",
                "reflection",
                seen.turn,
                text,
            )
            for what, text in lines
            if text
        ),
    ]


def tally(lines: Sequence[Fact | Cell], limit: int) -> str:
    """How many lines there are, of how many, and how many of them are pinned."""
    pinned = sum(line.pinned for line in lines)
    return f"{len(lines)} of {limit}" + (f" · {pinned} pinned" if pinned else "")


def changes_in_short(memory: Memory | None, before: Memory | None) -> str:
    """The changes by kind, such as `+2 ~1`."""
    changes = memory_changes(before, memory) if memory else ()
    counts = {kind: sum(change.kind == kind for change in changes) for kind in MARKS}
    return " ".join(f"{MARKS[kind]}{count}" for kind, count in counts.items() if count)


def _summary_rows(title: str, memory: Memory, was: str, glow: bool) -> list[Row]:
    if not memory.summary:
        return [Row(heading(title)), Row(hint("Nothing yet."))]
    fresh = memory.summary != was
    note = f"from turn {memory.summary_turn}" if memory.summary_turn else ""
    if fresh and was:
        note = f"~ reworded · {note}" if note else "~ reworded"
    row = _summary_row(memory.summary, was if fresh else "", memory.summary_turn, glow and fresh)
    return [Row(heading(title, note)), row]


def _summary_row(summary: str, was: str, turn: int, glow: bool) -> Row:
    body = [_text(summary, was, glow), *_was(was, summary, "")]
    return Row(Stack(*body), "summary", "summary", turn, summary)


def _was(was: str, now: str, indent: str) -> list[Visual]:
    """The words that went."""
    gone = words_gone(flat(was), flat(now))
    return (
        [Indented(Content.styled(f"{indent}was ", ".warn"), Content.styled(gone, ".faint"))] if gone else []
    )


def _line_rows(
    lines: Sequence[Fact | Cell], changes: Sequence[Change], glow: bool, stale: Collection[int]
) -> list[Row]:
    fresh = {change.text: change for change in changes if change.kind != "removed"}
    rows = [_line_row(line, fresh.get(line.text), glow, stale=line.turn in stale) for line in lines]
    if not lines:
        rows = [Row(hint("None."))]
    for change in changes:
        if change.kind == "removed":
            mark = _mark("-", INKS["removed"], change.turn, pinned=False)
            visual = Indented(mark, Content.styled(flat(change.text), ".faint"))
            rows.append(Row(visual, f"gone {change.text}", "gone", change.turn, change.text))
    return rows


def _line_row(line: Fact | Cell, change: Change | None, glow: bool, *, stale: bool) -> Row:
    mark = MARKS[change.kind] if change else " "
    ink = INKS[change.kind] if change else ".faint"
    was = change.was if change else ""
    body: Visual = Indented(
        _mark(mark, ink, line.turn, pinned=line.pinned, important=line.important),
        _text(line.text or "(left empty)", was, glow and bool(change), "" if line.text else ".faint"),
    )
    body = Stack(body, *_was(was, line.text, " " * 6)) if was else body
    body = _marked(body, stale=stale)
    return Row(body, f"{line.turn} {line.text}", "line", line.turn, line.text, fresh=bool(change))


def _marked(body: Visual, *, stale: bool) -> Visual:
    return Stack(body, Content.styled("      stale: its turn was edited", ".warn")) if stale else body


def _mark(mark: str, ink: str, turn: int, *, pinned: bool, important: bool = False) -> Content:
    return Content.assemble(
        (mark, ink),
        (PINNED, ".accent") if pinned else (IMPORTANT, ".warn") if important else " ",
        (f"{turn or '':>3} ", ".faint" if mark in " -" else ink),
    )


def _text(text: str, was: str, glow: bool, ink: str = "") -> Content:
    """`text`, with the words that `was` did not have marked."""
    content = inked(flat(text), ".glow" if glow else ink)
    return marked(content, flat(was), INKS["changed"]) if was else content


# --- the narrator -------------------------------------------------------------------------------------------------


def narrator_rows(
    game: Game, before: Game | None, *, prompts: Iterable[str] = (), glow: bool = False
) -> list[Row]:
    """The story so far as the narrator has it: rolling summary, beats, recaps, moments and what these left out, against
    the turn before. `prompts` is what the narrator was sent in this turn."""
    old = before or game
    return [
        *_story_rows(game, old, glow),
        BLANK,
        *_beat_rows(game, old),
        *_recap_rows(game, old),
        *_moment_rows(game.moments, old.moments, enabled=game.pack.game.moments == "on"),
        *older_rows(game.state.chronicle, prompts),
    ]


def _story_rows(game: Game, old: Game, glow: bool) -> list[Row]:
    state, was = game.state, old.state.rolling_summary
    since = state.last_summarized_turn
    if not state.rolling_summary:
        return [Row(heading("STORY SO FAR")), Row(hint(UNFOLDED if state.turn else UNTOLD))]
    fresh = state.rolling_summary != was
    note = f"{'~ reworded · ' if fresh else ''}turns 1 to {since}"
    return [
        Row(heading("STORY SO FAR", note)),
        _summary_row(state.rolling_summary, was if fresh else "", since, glow and fresh),
        Row(hint(f"The narrator gets the full text of turns {since + 1} to {state.turn}."))
        if since < state.turn
        else BLANK,
    ]


def _beat_rows(game: Game, old: Game) -> list[Row]:
    beats, hit = game.chapter.beats, game.state.beats_hit
    known: Collection[str] = old.state.beats_hit if old.state.chapter == game.state.chapter else ()
    count = f"{len(set(hit) & set(beats))} of {len(beats)}" if beats else "an open chapter"
    rows = [Row(heading("BEATS", count))]
    for beat in beats:
        fresh = beat in hit and beat not in known
        mark = "+✓ " if fresh else " ✓ " if beat in hit else " · "
        ink = ".good" if beat in hit else ".faint"
        rows.append(
            Row(
                Indented(
                    Content.styled(mark, ink), Content.styled(flat(beat), "" if beat in hit else ".faint")
                )
            )
        )
    return rows


def _recap_rows(game: Game, old: Game) -> list[Row]:
    if not game.recaps:
        return []
    last = {past.chapter: past.last_turn for past in game.state.chapter_history}
    known = {recap.chapter for recap in old.recaps}
    rows = [BLANK, Row(heading("EARLIER CHAPTERS"))]
    for recap in game.recaps:
        fresh = recap.chapter not in known
        turn = last.get(recap.chapter, 0)
        text = Content.assemble((flat(recap.title), ".strong"), "  ", flat(recap.text))
        visual = Indented(
            _mark("+" if fresh else " ", ".good" if fresh else ".faint", turn, pinned=False), text
        )
        rows.append(Row(visual, f"recap {recap.chapter}", "recap", turn, recap.text))
    return rows


def _moment_rows(moments: Sequence[Moment], old: Sequence[Moment], *, enabled: bool) -> list[Row]:
    if not enabled:
        return []
    rows = [BLANK, Row(heading("MOMENTS", f"{len(moments)} of {MAX_MOMENTS}" if moments else ""))]
    if not moments:
        rows.append(Row(hint("Moments worth remembering will be listed here.")))
    known = {(moment.turn, moment.summary) for moment in old}
    for moment in sorted(moments, key=lambda moment: moment.turn):
        fresh = (moment.turn, moment.summary) not in known
        rows.append(_moment_row(moment, "+" if fresh else " ", ".good" if fresh else ".faint", "moment"))
    kept = {(moment.turn, moment.summary) for moment in moments}
    gone = [moment for moment in old if (moment.turn, moment.summary) not in kept]
    return [*rows, *(_moment_row(moment, "-", ".faint", "gone") for moment in gone)]


def _moment_row(moment: Moment, mark: str, ink: str, kind: str) -> Row:
    text = Content.assemble(
        (f"{flat(moment.type).replace('_', ' ')} ", ".quiet"),
        (flat(moment.summary), ".faint" if kind == "gone" else ""),
        (f"  {moment.significance:.1f}", ".faint"),
    )
    visual = Indented(_mark(mark, ink, moment.turn, pinned=moment.pinned), text)
    key = f"{kind} {moment.turn} {moment.summary}"
    return Row(visual, key, kind, moment.turn, moment.summary, fresh=mark == "+")


BACK, IMPORTANT = "↺", "!"
SHOWN = 30
"""At most so many lines are listed; all of them stand in the save."""
WAITING = "No longer in every prompt. Used again when the story mentions them."


def older_rows(older: str, prompts: Iterable[str], stale: Collection[int] = ()) -> list[Row]:
    """The lines set aside: those of `stale` turns and those that stood in one of `prompts` first, then the newest."""
    sent = {line for prompt in prompts for line in prompt.splitlines()}
    lines = sorted(
        archived_lines(older), key=lambda line: (line.turn not in stale, not _is_in(sent, line), -line.turn)
    )
    if not lines:
        return []
    back = sum(_is_in(sent, line) for line in lines)
    note = counted(len(lines), "line") + (f" · {back} used again" if back else "")
    rows = [BLANK, Row(heading("NOT IN THE PROMPT NOW", note)), Row(hint(WAITING))]
    rows += [_row(line, is_back=_is_in(sent, line), stale=line.turn in stale) for line in lines[:SHOWN]]
    left = len(lines) - SHOWN
    return [*rows, Row(hint(f"and {left} more, from turn {lines[-1].turn} on"))] if left > 0 else rows


def _is_in(sent: Container[str], line: ArchivedLine) -> bool:
    """True if a prompt told the line, in a row of its own."""
    return f"- {line.text}" in sent


def _row(line: ArchivedLine, *, is_back: bool, stale: bool) -> Row:
    mark = Content.assemble(
        (BACK if is_back else " ", ".good"),
        (IMPORTANT if line.important else " ", ".warn"),
        (f"{line.turn:>3} ", ".good" if is_back else ".faint"),
    )
    text = Content.styled(flat(line.text), "" if is_back else ".quiet")
    return Row(
        _marked(Indented(mark, text), stale=stale),
        f"older {line.turn} {line.text}",
        "older",
        line.turn,
        line.text,
    )


MOSTLY = 0.4
"""Likeness from which two texts count as one that was reworded; below it all of it is new."""
AROUND = 2
"""Words of context shown before words that went."""
SHORT = 16
"""Words up to which a text is shown whole."""
CUT = "…"


def _matcher(was: list[str], now: list[str]) -> SequenceMatcher[str]:
    return SequenceMatcher(None, was, now, autojunk=False)


def marked(content: Content, was: str, ink: str) -> Content:
    """`content`, whose words are one space apart, with those in `ink` that are new against `was`; a wholly new text is
    left as it is."""
    words = content.plain.split(" ")
    matcher = _matcher(was.split(), words)
    if matcher.ratio() < MOSTLY:
        return content
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    for what, _, _, first, last in matcher.get_opcodes():
        if what in ("replace", "insert"):
            content = content.stylize(ink, starts[first], starts[last] - 1)
    return content


def words_gone(was: str, now: str) -> str:
    """The words of `was` that are not in `now`, each run with a little before it; all of it if short or mostly new."""
    words = was.split()
    matcher = _matcher(words, now.split())
    gone = [code for code in matcher.get_opcodes() if code[0] in ("replace", "delete")]
    if gone and (matcher.ratio() < MOSTLY or len(words) <= SHORT):
        return " ".join(words)
    kept: set[int] = set()
    for _, first, last, _, _ in gone:
        kept.update(range(max(0, first - AROUND), last))
    made: list[str] = []
    for place, word in enumerate(words):
        if place in kept:
            made.append(word)
        elif not made or made[-1] != CUT:
            made.append(CUT)
    return " ".join(made) if kept else ""


# --- by hand ------------------------------------------------------------------------------------------------------

MEANWHILE = "The story changed this memory meanwhile. Your edit was not saved."


def require_fact_room(memory: Memory) -> FactsMemory:
    """The memory, if a fact can be added to it. Raises `UsageError`."""
    if isinstance(memory, CellsMemory):
        raise UsageError("Diary entries come one per turn. You can rewrite them (e), not add any.")
    if len(memory.key_facts) >= MAX_FACTS:
        raise UsageError(f"The limit is {MAX_FACTS} facts. Delete one first: press e and clear it.")
    return memory


def rewritten(memory: Memory, row: Row, text: str) -> Memory:
    """The memory with the words a row stands for replaced. Raises `UsageError` if they are not in it any more."""
    if row.kind == "summary":
        if memory.summary != row.text:
            raise UsageError(MEANWHILE)
        return memory.model_copy(update={"summary": text})
    lines = list(lines_of(memory))
    place = line_index([(line.turn, line.text) for line in lines], row)
    lines[place : place + 1] = [lines[place].model_copy(update={"text": text})] if text else []
    field = "key_facts" if isinstance(memory, FactsMemory) else "cells"
    return memory.model_copy(update={field: tuple(lines)})


def line_index(lines: Sequence[tuple[int, str]], row: Row) -> int:
    """The place of a row's turn and text among `lines`. Raises `UsageError` if it is not there any more."""
    if (row.turn, row.text) not in lines:
        raise UsageError(MEANWHILE)
    return lines.index((row.turn, row.text))
