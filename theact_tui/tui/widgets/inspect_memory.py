"""What a character remembers, and what the narrator does, set as rows. Values in, rows out; nothing is kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from textual.content import Content
from textual.visual import Visual

from theact_tui.story.differences import Change, memory_changes
from theact_tui.story.game import Game
from theact_tui.story.memory import MAX_FACTS, Cell, CellsMemory, Fact, FactsMemory, Memory, lines_of
from theact_tui.story.moments import MAX_MOMENTS
from theact_tui.story.turn import Moment
from theact_tui.tui.changes import INKS, MARKS
from theact_tui.tui.visuals import Indented, Stack
from theact_tui.tui.widgets.inspect_list import BLANK, Row
from theact_tui.tui.widgets.inspect_older import IMPORTANT, older_rows
from theact_tui.tui.widgets.inspect_rewording import marked, words_gone
from theact_tui.tui.widgets.panelparts import flat, heading, hint, inked

PINNED = "◆"
UNTOLD = "What the narrator knows of the story gathers here, from the first turn on."
UNFOLDED = "Every word is still before the narrator. Once the pages outgrow the model, the oldest are folded in here."
EMPTY_MEMORY = (
    "Remembers nothing yet. After every turn somebody has witnessed, what it meant to them is written down "
    "here, with the turn it came from."
)


# --- a character --------------------------------------------------------------------------------------------------


def memory_rows(
    memory: Memory | None,
    before: Memory | None,
    *,
    limit: int,
    prompts: Iterable[str] = (),
    glow: bool = False,
) -> list[Row]:
    """All of a memory and how it differs from the one before; `limit` is how many cells there may be, `prompts` what
    its owner was sent in this turn."""
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
    rows += _line_rows(lines_of(memory), changes, glow)
    if isinstance(memory, CellsMemory):
        rows += [BLANK, *_summary_rows("EVERYTHING OLDER", memory, was, glow)]
    return [*rows, *older_rows(memory.older, prompts)]


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
        note = f"~ new words · {note}" if note else "~ new words"
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


def _line_rows(lines: Sequence[Fact | Cell], changes: Sequence[Change], glow: bool) -> list[Row]:
    fresh = {change.text: change for change in changes if change.kind != "removed"}
    rows = [_line_row(line, fresh.get(line.text), glow) for line in lines]
    if not lines:
        rows = [Row(hint("None."))]
    for change in changes:
        if change.kind == "removed":
            mark = _mark("-", INKS["removed"], change.turn, pinned=False)
            visual = Indented(mark, Content.styled(flat(change.text), ".faint"))
            rows.append(Row(visual, f"gone {change.text}", "gone", change.turn, change.text))
    return rows


def _line_row(line: Fact | Cell, change: Change | None, glow: bool) -> Row:
    mark = MARKS[change.kind] if change else " "
    ink = INKS[change.kind] if change else ".faint"
    was = change.was if change else ""
    body: Visual = Indented(
        _mark(mark, ink, line.turn, pinned=line.pinned, important=line.important),
        _text(line.text or "(left empty)", was, glow and bool(change), "" if line.text else ".faint"),
    )
    body = Stack(body, *_was(was, line.text, " " * 6)) if was else body
    return Row(body, f"{line.turn} {line.text}", "line", line.turn, line.text, fresh=bool(change))


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
    note = f"{'~ new words · ' if fresh else ''}turns 1 to {since}"
    return [
        Row(heading("STORY SO FAR", note)),
        _summary_row(state.rolling_summary, was if fresh else "", since, glow and fresh),
        Row(hint(f"Turns {since + 1} to {state.turn} are before the narrator word for word."))
        if since < state.turn
        else BLANK,
    ]


def _beat_rows(game: Game, old: Game) -> list[Row]:
    beats, hit = game.chapter.beats, game.state.beats_hit
    known: Collection[str] = old.state.beats_hit if old.state.chapter == game.state.chapter else ()
    rows = [Row(heading("BEATS", f"{len(set(hit) & set(beats))} of {len(beats)}"))]
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
    rows = [BLANK, Row(heading("CHAPTERS BEFORE"))]
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
        rows.append(Row(hint("What the whole story should remember gathers here.")))
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
