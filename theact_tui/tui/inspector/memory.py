from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher

from textual.content import Content
from textual.visual import Visual

from theact_tui.story.forgetting_and_recall import ArchivedLine, MemoryLine, archived_lines
from theact_tui.story.game import Game
from theact_tui.story.memory import (
    MAX_FACTS,
    Cell,
    Change,
    Fact,
    FactsMemory,
    Memory,
    lines_of,
    memory_changes,
)
from theact_tui.story.moments import MAX_MOMENTS, Moment
from theact_tui.text import counted, flat
from theact_tui.tui.blocks import INKS, MARKS
from theact_tui.tui.visuals import Indented, Stack, faint, heading, quiet
from theact_tui.tui.widgets.lists import BLANK, Row

PINNED, BACK, IMPORTANT = "◆", "↺", "!"
MEMORY_LEGEND = f"{PINNED} pinned  {IMPORTANT} important  + new  ~ changed  - gone  {BACK} used again"
MAX_SET_ASIDE = 30
WAITING = "No longer sent every time; they return when the story mentions them."
_UNTOLD = "What the narrator knows will be listed here after the first turn."
UNFOLDED = (
    "The narrator still gets the full text. "
    "When the story gets too long for the model, its oldest pages are summarised here."
)
EMPTY_MEMORY = "No memories yet. After each turn a character witnesses, what they remember is added here."


def _row(
    kind: str,
    line: MemoryLine,
    body: Visual,
    mark: str = " ",
    ink: str = ".faint",
    *,
    fresh: bool = False,
    below: Sequence[Visual] = (),
) -> Row:
    head = Content.assemble(
        (mark, ink),
        (PINNED, ".accent") if line.pinned else (IMPORTANT, ".warn") if line.important else " ",
        (f"{line.turn or '':>3} ", ".faint" if mark in " -" else ink),
    )
    visual, key = Stack(Indented(head, body), *below), f"{kind} {line.turn} {line.text}"
    return Row(visual, key, kind, line.turn, line.text, fresh=fresh)


def _summary_row(summary: str, was: str, turn: int) -> Row:
    return Row(
        Stack(_text(summary, was), *_removed_rows(was, summary, "")), "summary", "summary", turn, summary
    )


def _text(text: str, was: str) -> Content:
    return marked(Content(flat(text)), flat(was), INKS["changed"]) if was else Content(flat(text))


def _removed_rows(was: str, now: str, indent: str) -> list[Visual]:
    removed = words_gone(flat(was), flat(now))
    was_ = Content.styled(f"{indent}was ", ".warn")
    return [Indented(was_, faint(removed))] if removed else []


def _stale(turn: int, stale: Collection[int]) -> list[Visual]:
    return [Content.styled("      stale: its turn was edited", ".warn")] if turn in stale else []


# --- a character --------------------------------------------------------------------------------------------------


def memory_rows(
    memory: Memory | None,
    before: Memory | None,
    *,
    limit: int,
    prompts: Iterable[str] = (),
    stale: Collection[int] = (),
) -> list[Row]:
    """Rows of a memory and its changes since `before`. `limit`: most cells; `prompts`: its owner's; `stale`: turns
    edited since.
    """
    changes = memory_changes(before, memory) if memory else ()
    if memory is None or not (memory.summary or lines_of(memory) or changes):
        return [Row(quiet(EMPTY_MEMORY))]
    was = before.summary if before else ""
    lines = _line_rows(lines_of(memory), changes, stale)
    if isinstance(memory, FactsMemory):
        count = tally(memory.key_facts, MAX_FACTS)
        rows = [*_summary_rows("SUMMARY", memory, was), BLANK, Row(heading("FACTS", count)), *lines]
    else:
        count = tally(memory.cells, limit)
        older = _summary_rows("OLDER, CONDENSED", memory, was)
        rows = [Row(heading("ENTRIES", count)), *lines, BLANK, *older]
    return [*rows, *_reflection_rows(memory, before), *older_rows(memory.older, prompts, stale)]


def tally(lines: Sequence[Fact | Cell], limit: int) -> str:
    pinned = sum(line.pinned for line in lines)
    return f"{len(lines)} of {limit}" + (f" · {pinned} pinned" if pinned else "")


def _summary_rows(title: str, memory: Memory, was: str) -> list[Row]:
    if not memory.summary:
        return [Row(heading(title)), Row(quiet("Nothing yet."))]
    fresh = memory.summary != was
    notes = (
        "~ reworded" if fresh and was else "",
        f"to turn {memory.summary_turn}" if memory.summary_turn else "",
        "a turn of it was edited" if isinstance(memory, FactsMemory) and memory.summary_edited else "",
    )
    row = _summary_row(memory.summary, was if fresh else "", memory.summary_turn)
    return [Row(heading(title, " · ".join(filter(None, notes)))), row]


def _line_rows(lines: Sequence[Fact | Cell], changes: Sequence[Change], stale: Collection[int]) -> list[Row]:
    fresh = {change.text: change for change in changes if change.kind != "removed"}
    rows = [] if lines else [Row(quiet("None."))]
    for line in lines:
        change = fresh.get(line.text)
        was = change.was if change else ""
        body = _text(line.text, was) if line.text else faint("(left empty)")
        mark = (MARKS[change.kind], INKS[change.kind]) if change else ()
        below = [*(_removed_rows(was, line.text, " " * 6) if was else ()), *_stale(line.turn, stale)]
        rows.append(_row("line", line, body, *mark, fresh=bool(change), below=below))
    for change in changes:
        if change.kind == "removed":
            old_line, body = (ArchivedLine(change.turn, change.text), faint(flat(change.text)))
            rows.append(_row("gone", old_line, body, "-"))
    return rows


def _reflection_rows(memory: Memory, before: Memory | None) -> list[Row]:
    seen = memory.reflection
    if seen is None:
        return []
    new = ("+", ".good") if before is None or before.reflection != seen else ()
    lines = {"wants": seen.want, "hides": seen.hide}
    lines |= {f"of {name}": text for name, text in seen.beliefs.items()}
    rows = [BLANK, Row(heading("AFTER THE LAST CHAPTER"))]
    for aspect, text in lines.items():
        if text:
            body = Content.assemble((f"{flat(aspect)} ", ".quiet"), flat(text))
            rows.append(_row("reflection", ArchivedLine(seen.turn, text), body, *new))
    return rows


def older_rows(older: str, prompts: Iterable[str], stale: Collection[int] = ()) -> list[Row]:
    """Rows of lines set aside: those of `stale` turns and in `prompts` first, then the newest."""
    sent = {line for prompt in prompts for line in prompt.splitlines()}
    archived = [(line, f"- {line.text}" in sent) for line in archived_lines(older)]
    archived.sort(key=lambda pair: (pair[0].turn not in stale, not pair[1], -pair[0].turn))
    if not archived:
        return []
    back = sum(is_back for _, is_back in archived)
    note = counted(len(archived), "line") + (f" · {back} used again" if back else "")
    rows = [BLANK, Row(heading("SET ASIDE", note)), Row(quiet(WAITING))]
    for line, is_back in archived[:MAX_SET_ASIDE]:
        text = Content.styled(flat(line.text), "" if is_back else ".quiet")
        mark = BACK if is_back else " "
        rows.append(_row("older", line, text, mark, ".good", below=_stale(line.turn, stale)))
    left = len(archived) - MAX_SET_ASIDE
    return [*rows, Row(quiet(f"and {left} more, from turn {archived[-1][0].turn} on"))] if left > 0 else rows


def note_rows(notes: Memory | None, before: Memory | None) -> list[Row]:
    """Rows of a directed chapter's notes and their changes since `before`."""
    if not isinstance(notes, FactsMemory) or not notes.summary:
        return [
            Row(
                quiet(
                    "No notes yet. The first are taken when Setup is locked, then after every seventh prompt."
                )
            )
        ]
    changes = memory_changes(before, notes)
    world = Stack(*(Content(flat(line)) for line in notes.summary.splitlines()))
    rows = [Row(heading("WORLD AND CHAPTER")), Row(world, "summary", "summary"), BLANK]
    return [
        *rows,
        Row(heading("NOTES", counted(len(notes.key_facts), "line"))),
        *_line_rows(notes.key_facts, changes, ()),
    ]


# --- the narrator -------------------------------------------------------------------------------------------------


def narrator_rows(game: Game, before: Game | None, *, prompts: Iterable[str] = ()) -> list[Row]:
    """Rows of the narrator's knowledge and its changes since `before`."""
    old = before or game
    return [
        *_story_rows(game, old),
        BLANK,
        *_beat_rows(game, old),
        *_recap_rows(game, old),
        *(_moment_rows(game.moments, old.moments) if game.pack.game.moments == "on" else ()),
        *older_rows(game.state.chronicle, prompts),
    ]


def _story_rows(game: Game, old: Game) -> list[Row]:
    state, was = game.state, old.state.rolling_summary
    since = state.last_summarized_turn
    if not state.rolling_summary:
        return [Row(heading("STORY SO FAR")), Row(quiet(UNFOLDED if state.turn else _UNTOLD))]
    fresh = state.rolling_summary != was
    full = f"The narrator gets the full text of turns {since + 1} to {state.turn}."
    return [
        Row(heading("STORY SO FAR", f"{'~ reworded · ' if fresh else ''}turns 1 to {since}")),
        _summary_row(state.rolling_summary, was if fresh else "", since),
        Row(quiet(full)) if since < state.turn else BLANK,
    ]


def _beat_rows(game: Game, old: Game) -> list[Row]:
    beats, hit = game.chapter.beats, game.state.beats_hit
    hit_before: Collection[str] = old.state.beats_hit if old.state.chapter == game.state.chapter else ()
    count = f"{len(set(hit) & set(beats))} of {len(beats)}" if beats else "an open chapter"
    rows = [Row(heading("BEATS", count))]
    for beat in beats:
        mark = " · " if beat not in hit else " ✓ " if beat in hit_before else "+✓ "
        inks = (".good", "") if beat in hit else (".faint", ".faint")
        rows.append(Row(Indented(Content.styled(mark, inks[0]), Content.styled(flat(beat), inks[1]))))
    return rows


def _recap_rows(game: Game, old: Game) -> list[Row]:
    if not game.recaps:
        return []
    last = {past.chapter: past.last_turn for past in game.state.chapter_history}
    old_chapters = {recap.chapter for recap in old.recaps}
    rows = [BLANK, Row(heading("EARLIER CHAPTERS"))]
    for recap in game.recaps:
        text = Content.assemble((flat(recap.title), ".strong"), "  ", flat(recap.text))
        new = () if recap.chapter in old_chapters else ("+", ".good")
        rows.append(_row("recap", ArchivedLine(last.get(recap.chapter, 0), recap.text), text, *new))
    return rows


def _moment_rows(moments: Sequence[Moment], old: Sequence[Moment]) -> list[Row]:
    now, before = ({(moment.turn, moment.summary) for moment in group} for group in (moments, old))
    rows = [BLANK, Row(heading("MOMENTS", f"{len(moments)} of {MAX_MOMENTS}" if moments else ""))]
    if not moments:
        rows.append(Row(quiet("Moments worth remembering will be listed here.")))
    removed = [moment for moment in old if (moment.turn, moment.summary) not in now]
    for moment in [*sorted(moments, key=lambda moment: moment.turn), *removed]:
        remains = (moment.turn, moment.summary) in now
        fresh = (moment.turn, moment.summary) not in before
        text = Content.assemble(
            (f"{flat(moment.type).replace('_', ' ')} ", ".quiet"),
            (flat(moment.summary), "" if remains else ".faint"),
            (f"  {moment.significance:.1f}", ".faint"),
        )
        mark = ("+", ".good") if fresh else (" " if remains else "-", ".faint")
        line = ArchivedLine(moment.turn, moment.summary, pinned=moment.pinned)
        rows.append(_row("moment" if remains else "gone", line, text, *mark, fresh=fresh))
    return rows


# --- words that changed -------------------------------------------------------------------------------------------

MIN_REWORDED_SHARE = 0.4
"""Similarity below which a text counts as new."""
CONTEXT_WORDS = 2
"""Before removed words."""
SHORT_TEXT_WORDS = 16
"""A short text is shown whole."""
CUT = "…"


def marked(content: Content, was: str, ink: str) -> Content:
    """Mark words that `was` lacks, unless the whole text is new."""
    words = content.plain.split(" ")
    matcher = SequenceMatcher(None, was.split(), words, autojunk=False)
    if matcher.ratio() < MIN_REWORDED_SHARE:
        return content
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    for operation, _, _, first, last in matcher.get_opcodes():
        if operation in ("replace", "insert"):
            content = content.stylize(ink, starts[first], starts[last] - 1)
    return content


def words_gone(was: str, now: str) -> str:
    """Return the removed words with some context; all words if the text is short or mostly new."""
    words = was.split()
    matcher = SequenceMatcher(None, words, now.split(), autojunk=False)
    removals = [code for code in matcher.get_opcodes() if code[0] in ("replace", "delete")]
    if removals and (matcher.ratio() < MIN_REWORDED_SHARE or len(words) <= SHORT_TEXT_WORDS):
        return " ".join(words)
    shown_words: set[int] = set()
    for _, first, last, _, _ in removals:
        shown_words.update(range(max(0, first - CONTEXT_WORDS), last))
    phrases: list[str] = []
    for place, word in enumerate(words):
        if place in shown_words:
            phrases.append(word)
        elif not phrases or phrases[-1] != CUT:
            phrases.append(CUT)
    return " ".join(phrases) if shown_words else ""
