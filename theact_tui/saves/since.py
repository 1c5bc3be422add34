"""Since when each person knows an item, from the history of a save's files."""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from theact_tui.saves.codec import LORE, MEMORY, MOMENTS, parse_file, read_turn, turn_path
from theact_tui.saves.git_objects import Link
from theact_tui.saves.history import Timeline, number_in
from theact_tui.saves.trees import Version
from theact_tui.story.character_view import heard_all_words, may_know
from theact_tui.story.forgetting_and_recall import archived_lines
from theact_tui.story.game import Game, State
from theact_tui.story.item import Item, Source, likely_source, line_of_it, remembered_texts
from theact_tui.story.memory import lines_of, replaced_text
from theact_tui.story.value import Value
from theact_tui.text import one_line

How = Literal["learned", "changed", "set aside", "remembered again", "left the summary", "from the start"]
Texts = Callable[[bytes], tuple[Collection[str], Collection[str]]]
"""Reads current and archived texts."""


class TextChange(Value):
    """Change of a text; an `edit` was made after its turn."""

    turn: int
    how: How
    text: str
    was: str = ""
    edit: bool = False

    def __str__(self) -> str:
        when = f"after turn {self.turn}, by an edit" if self.edit else f"turn {self.turn}"
        return f"{when}: {self.how}" + (f"; before that “{self.was}”" if self.was else "")


class Holder(Value):
    """Person who knows the item, in own words; steps are newest first."""

    id: str
    name: str
    since: int
    text: str
    steps: tuple[TextChange, ...] = ()
    most_like: Source | None = None


class Since(Value):
    """Answer; `steps` are those of a beat, moment or lore entry."""

    kind: str
    text: str
    turn: int
    people: tuple[Holder, ...] = ()
    steps: tuple[TextChange, ...] = ()


def describe(answer: Since, first: str = "") -> Iterator[str]:
    """Word an answer, line by line; the character `first` comes first."""
    yield answer.text
    yield from (f"  {step}" for step in answer.steps)
    if not answer.people:
        yield f"Nobody knows it at turn {answer.turn}."
    for person in sorted(answer.people, key=lambda holder: holder.id != first):
        yield f"\n{person.name}, since {f'turn {person.since}' if person.since else 'the start'}"
        if person.text != answer.text:
            yield f"  in the words “{person.text}”"
        yield from (f"  {step}" for step in person.steps)
        if source := person.most_like:
            yield f"  closest match: {source}: {one_line(source.text, 160)}"


def trace(timeline: Timeline, commit: str, game: Game, item: Item) -> Since:
    text, steps, files = item.text, list[TextChange](), timeline.version_of(commit)
    if item.kind == "line":
        people = list(_people_with_line(timeline, commit, game, text))
    elif item.kind == "lore":
        book = next(book for book, entries in game.pack.lore.items() if item.id in [it.id for it in entries])
        steps = list(_lore_steps(timeline, commit, f"pack/lore/{book}.yaml", item.id))
        people = list(_people_with_lore(game, item))
    else:
        if item.kind == "moment":
            steps = list(_steps(timeline, commit, "moments.yaml", text, _moments))
        else:
            steps = _beat_steps(timeline, commit, game, text)
        names = game.pack.names
        turn = read_turn(files, steps[-1].turn) if steps and steps[-1].turn else None
        people = [
            Holder(
                id=id,
                name=names[id],
                since=turn.number,
                text=text,
                most_like=likely_source(turn, id, text, names),
            )
            for id in names
            if turn and heard_all_words(turn, id, text)
        ]
    return Since(kind=item.kind, text=text, turn=game.state.turn, people=tuple(people), steps=tuple(steps))


@dataclass(frozen=True, slots=True)
class _Change:
    """Commit that changed a file."""

    link: Link
    turn: int
    now: bytes | None
    before: bytes | None

    def step(self, how: How, text: str, was: str = "") -> TextChange:
        is_edit = number_in(self.link) is None
        how = "from the start" if how == "learned" and self.turn == 0 and not is_edit else how
        return TextChange(turn=self.turn, how=how, text=text, was=was, edit=is_edit)


def _changes(timeline: Timeline, commit: str, path: str) -> Iterator[_Change]:
    repository, link = timeline.repository, timeline.repository.link(commit)
    id = Version(repository, link.tree).id(path)
    while True:
        parent = repository.link(link.parent) if link.parent else None
        before = Version(repository, parent.tree).id(path) if parent else None
        if id != before:
            contents = (repository.blob(one) if one else None for one in (id, before))
            yield _Change(link, timeline.history.turn(link.id), *contents)
        if parent is None:
            return
        link, id = parent, before


def _steps(
    timeline: Timeline,
    commit: str,
    path: str,
    text: str,
    texts: Texts,
    origin: Callable[[_Change, str], tuple[How, str]] = lambda change, text: ("learned", ""),
) -> Iterator[TextChange]:
    """Follow `text`, and the texts it replaced, back to its origin."""
    for change in _changes(timeline, commit, path):
        if (rows := _rows(change.now, text)) and rows == _rows(change.before, text):
            continue  # parsing each version of a long story takes seconds
        now, before = (_place(raw, text, texts) for raw in (change.now, change.before))
        if now == before:
            continue
        if before:
            yield change.step("set aside" if now == "set aside" else "remembered again", text)
            continue
        how, was = origin(change, text)
        yield change.step(how, text, was)
        if not was:
            return
        text = was


def _rows(raw: bytes | None, text: str) -> list[bytes]:
    # the longest part that YAML never escapes
    part = max(re.split(r'["\'\\\n]', text), key=len).encode()
    return re.findall(rb"^.*" + re.escape(part) + rb".*$", raw or b"", re.MULTILINE)


def _place(raw: bytes | None, text: str, texts: Texts) -> Literal["current", "set aside", ""]:
    current, archived = texts(raw) if raw else ((), ())
    return "current" if text in current else "set aside" if text in archived else ""


# --- remembered lines -------------------------------------------------------------------------------------------------


def _remembered(raw: bytes) -> tuple[Collection[str], Collection[str]]:
    memory = parse_file("memory", raw, MEMORY)
    return {line.text for line in lines_of(memory)}, {line.text for line in archived_lines(memory.older)}


def _people_with_line(timeline: Timeline, commit: str, game: Game, text: str) -> Iterator[Holder]:
    files, names = timeline.version_of(commit), game.pack.names
    for id, memory in game.memories.items():
        if own := line_of_it(text, remembered_texts(memory)):
            steps = tuple(_steps(timeline, commit, f"memory/{id}.yaml", own, _remembered, _origin_of_line))
            moves = ("set aside", "remembered again")
            origin = next(step for step in steps if step.how not in moves or step is steps[-1])
            every = (*lines_of(memory), *archived_lines(memory.older))
            turn = next(line.turn for line in every if line.text == own)
            has_turn = turn and not origin.edit and files.id(turn_path(turn))
            source = likely_source(read_turn(files, turn), id, own, names) if has_turn else None
            yield Holder(id=id, name=names[id], since=origin.turn, text=own, steps=steps, most_like=source)


def _origin_of_line(change: _Change, text: str) -> tuple[How, str]:
    """Return how a line got into a memory, and which line it replaced."""
    if not change.now or not change.before:
        return "learned", ""
    now, before = (parse_file("memory", raw, MEMORY) for raw in (change.now, change.before))
    is_current = text in (line.text for line in lines_of(now))
    archive = {line.text for line in archived_lines(now.older)}
    for line in lines_of(before):
        if is_current and " ".join(replaced_text(line.text, text).split()) in archive:
            return "changed", line.text
        if not is_current and text.startswith(replaced_text(line.text, "")):
            return "set aside", line.text
    old, new = lines_of(before), lines_of(now)
    pairs = [(one, two) for one, two in zip(old, new, strict=False) if one.text != two.text]
    if len(old) == len(new) and len(pairs) == 1 and pairs[0][0].turn == pairs[0][1].turn:
        return "changed", pairs[0][0].text
    return ("learned" if is_current or text not in before.summary else "left the summary"), ""


# --- beats, moments, lore ---------------------------------------------------------------------------------------------


def _moments(raw: bytes) -> tuple[Collection[str], Collection[str]]:
    return [moment.summary for moment in parse_file("moments.yaml", raw, MOMENTS)], ()


def _beats(raw: bytes) -> tuple[Collection[str], Collection[str]]:
    return parse_file("state.yaml", raw, State).beats_hit, ()


def _beat_steps(timeline: Timeline, commit: str, game: Game, beat: str) -> list[TextChange]:
    if beat not in game.state.beats_hit:  # then it belongs to a chapter that has ended
        past = [it for it in game.state.chapter_history if beat in game.pack.chapters[it.chapter].beats]
        if not past:
            return []
        last = past[-1].last_turn
        if beat in read_turn(timeline.version_of(commit), last).new_beats:
            return [TextChange(turn=last, how="learned", text=beat)]
        commit = timeline.history.at(commit, last - 1)
    return list(_steps(timeline, commit, "state.yaml", beat, _beats))


def _lore_steps(timeline: Timeline, commit: str, path: str, id: str) -> Iterator[TextChange]:
    for change in _changes(timeline, commit, path):
        now, before = (
            next((entry.text for entry in parse_file("lore", raw, LORE) if entry.id == id), "") if raw else ""
            for raw in (change.now, change.before)
        )
        if now != before:
            yield change.step("changed" if before else "learned", now, before)


def _people_with_lore(game: Game, item: Item) -> Iterator[Holder]:
    entry = next(entry for entry in game.pack.lore_entries if entry.id == item.id)
    turns = game.state.lore_known.get(item.id, {})
    for id, name in game.pack.names.items():
        if may_know(game, entry, id):
            how: How = "learned" if id in turns else "from the start"
            step = TextChange(turn=turns.get(id, 0), how=how, text=entry.text)
            yield Holder(id=id, name=name, since=step.turn, text=entry.text, steps=(step,))
