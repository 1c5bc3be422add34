"""Since when each person knows an item, from the history of a save's files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from theact_tui.saves.codec import LORE, MEMORY, MOMENTS, parse, parse_state, read_turn, turn_path
from theact_tui.saves.git_objects import Link
from theact_tui.saves.history import Timeline, number_of
from theact_tui.saves.trees import Version
from theact_tui.story.base import Value
from theact_tui.story.forgetting_and_recall import archived_lines
from theact_tui.story.game import Game
from theact_tui.story.item import Item, Source, likely_source, remembered_texts
from theact_tui.story.matching import says_the_same
from theact_tui.story.memory import Memory, lines_of, replaced_text
from theact_tui.story.viewpoints import heard_all_words, may_know
from theact_tui.text import one_line

How = Literal["learned", "changed", "set aside", "remembered again", "left the summary", "from the start"]
Place = Literal["current", "set aside", ""]


class Step(Value):
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
    steps: tuple[Step, ...] = ()
    most_like: Source | None = None


class Since(Value):
    """Answer; `steps` are those of a beat, moment or lore entry."""

    kind: str
    text: str
    turn: int
    people: tuple[Holder, ...] = ()
    steps: tuple[Step, ...] = ()


def describe(answer: Since) -> Iterator[str]:
    """Word an answer, line by line."""
    yield answer.text
    yield from (f"  {step}" for step in answer.steps)
    if not answer.people:
        yield f"Nobody knows it at turn {answer.turn}."
    for person in answer.people:
        yield f"\n{person.name}, since {f'turn {person.since}' if person.since else 'the start'}"
        if person.text != answer.text:
            yield f"  in the words “{person.text}”"
        yield from (f"  {step}" for step in person.steps)
        if source := person.most_like:
            yield f"  most like {source}: {one_line(source.text, 160)}"


@dataclass(frozen=True, slots=True)
class _Change:
    """Commit that changed a file."""

    timeline: Timeline
    link: Link
    now_id: str | None
    before_id: str | None

    @property
    def now(self) -> bytes | None:
        return self.timeline.repository.blob(self.now_id) if self.now_id else None

    @property
    def before(self) -> bytes | None:
        return self.timeline.repository.blob(self.before_id) if self.before_id else None

    def step(self, how: How, text: str, was: str = "") -> Step:
        turn, is_edit = self.timeline.history.turn(self.link.id), number_of(self.link) is None
        how = "from the start" if how == "learned" and turn == 0 and not is_edit else how
        return Step(turn=turn, how=how, text=text, was=was, edit=is_edit)


def trace(timeline: Timeline, commit: str, game: Game, item: Item) -> Since:
    """Trace an item back from `commit`, whose state is `game`."""
    changes = partial(_changes, timeline, commit)
    names = {id: game.pack.name_of(id) for id in game.pack.characters}
    answer = Since(kind=item.kind, text=item.text, turn=game.state.turn)
    if item.kind == "line":
        people = [
            _holder(timeline.version_of(commit), id, names, memory, text, changes(f"memory/{id}.yaml"))
            for id, memory in game.memories.items()
            if (text := _own_words(memory, item.text))
        ]
        return answer.model_copy(update={"people": tuple(people)})
    if item.kind == "lore":
        book = next(book for book, entries in game.pack.lore.items() if item.id in [it.id for it in entries])
        steps = list(_lore_steps(changes(f"pack/lore/{book}.yaml"), item))
        return answer.model_copy(
            update={"people": tuple(_lore_holders(game, item, names)), "steps": tuple(steps)}
        )
    if item.kind == "moment":
        steps = list(_steps(changes("moments.yaml"), item.text, _moment_place))
    else:
        steps = _beat_steps(timeline, commit, game, item.text)
    turn = read_turn(timeline.version_of(commit), steps[-1].turn) if steps and steps[-1].turn else None
    people = [
        Holder(
            id=id,
            name=names[id],
            since=turn.number,
            text=item.text,
            most_like=likely_source(turn, id, item.text, names),
        )
        for id in names
        if turn and heard_all_words(turn, id, item.text)
    ]
    return answer.model_copy(update={"people": tuple(people), "steps": tuple(steps)})


def _changes(timeline: Timeline, commit: str, path: str) -> Iterator[_Change]:
    repository, link = timeline.repository, timeline.repository.link(commit)
    id = Version(repository, link.tree).id(path)
    while True:
        parent = repository.link(link.parent) if link.parent else None
        before = Version(repository, parent.tree).id(path) if parent else None
        if id != before:
            yield _Change(timeline, link, id, before)
        if parent is None:
            return
        link, id = parent, before


# --- remembered lines -------------------------------------------------------------------------------------------------


def _own_words(memory: Memory, text: str) -> str:
    texts = remembered_texts(memory)
    return text if text in texts else next((own for own in texts if says_the_same(text, [own])), "")


def _holder(
    files: Version, id: str, names: dict[str, str], memory: Memory, text: str, changes: Iterable[_Change]
) -> Holder:
    steps = tuple(_steps(changes, text, _memory_place, _replaced_line))
    origin = next(
        step for step in steps if step.how not in ("set aside", "remembered again") or step is steps[-1]
    )
    line = next(line for line in (*lines_of(memory), *archived_lines(memory.older)) if line.text == text)
    has_turn = line.turn and not origin.edit and files.id(turn_path(line.turn))
    source = likely_source(read_turn(files, line.turn), id, text, names) if has_turn else None
    return Holder(id=id, name=names[id], since=origin.turn, text=text, steps=steps, most_like=source)


def _steps(
    changes: Iterable[_Change],
    text: str,
    place_of: Callable[[bytes | None, str], Place],
    replaced_by: Callable[[_Change, str], tuple[How, str]] = lambda change, text: ("learned", ""),
) -> Iterator[Step]:
    """Follow `text`, and the texts it replaced, back to its origin."""
    now: Place | None = None
    for change in changes:
        now = place_of(change.now, text) if now is None else now
        before = place_of(change.before, text)
        if before == now:
            continue
        if before:
            yield change.step("set aside" if now == "set aside" else "remembered again", text)
        else:
            how, was = replaced_by(change, text)
            yield change.step(how, text, was)
            if not was:
                return
            text, before = was, place_of(change.before, was)
        now = before


def _memory_place(raw: bytes | None, text: str) -> Place:
    """Search the raw file; parse it only if the line is missing."""
    if raw is None:
        return ""
    if _written(b"text: ", text).search(raw):
        return "current"
    if re.search(rb"^ +\d+!? " + re.escape(text.encode()) + rb"$", raw, re.MULTILINE):
        return "set aside"
    memory = parse("memory", raw, MEMORY)
    if text in (line.text for line in lines_of(memory)):
        return "current"
    return "set aside" if text in (line.text for line in archived_lines(memory.older)) else ""


def _written(before: bytes, text: str) -> re.Pattern[bytes]:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    either = b"|".join(re.escape(form.encode()) for form in (text, quoted))
    return re.compile(rb"^[ -]*" + before + rb'(?:\|-\n +)?"?(?:' + either + rb')"?$', re.MULTILINE)


def _replaced_line(change: _Change, text: str) -> tuple[How, str]:
    """Return how a line got into a memory, and which line it replaced."""
    now, before = (parse("memory", raw, MEMORY) if raw else None for raw in (change.now, change.before))
    if now is None or before is None:
        return "learned", ""
    is_current = text in (line.text for line in lines_of(now))
    archive = {line.text for line in archived_lines(now.older)}
    for line in lines_of(before):
        replaced = " ".join(replaced_text(line.text, text).split())
        if is_current and replaced in archive:
            return "changed", line.text
        if not is_current and text.startswith(replaced_text(line.text, "")):
            return "set aside", line.text
    old, new = list(lines_of(before)), list(lines_of(now))
    pairs = [(one, two) for one, two in zip(old, new, strict=False) if one.text != two.text]
    if len(old) == len(new) and len(pairs) == 1 and pairs[0][0].turn == pairs[0][1].turn:
        return "changed", pairs[0][0].text
    return ("learned" if is_current or text not in before.summary else "left the summary"), ""


# --- beats, moments, lore ---------------------------------------------------------------------------------------------


def _beat_steps(timeline: Timeline, commit: str, game: Game, beat: str) -> list[Step]:
    if beat not in game.state.beats_hit:
        chapters = [
            past for past in game.state.chapter_history if beat in game.pack.chapters[past.chapter].beats
        ]
        if not chapters:
            return []
        last = chapters[-1].last_turn
        if beat in read_turn(timeline.version_of(commit), last).new_beats:
            return [Step(turn=last, how="learned", text=beat)]
        commit = timeline.history.at(commit, last - 1)
    return list(_steps(_changes(timeline, commit, "state.yaml"), beat, _beat_place))


_BEATS = re.compile(rb"^beats_hit:\n((?:[ -].*\n)*)", re.MULTILINE)


def _beat_place(raw: bytes | None, text: str) -> Place:
    beats = _BEATS.search(raw) if raw else None
    if beats and _written(b"", text).search(beats[1]):
        return "current"
    return "current" if raw and text in parse_state(raw).beats_hit else ""


def _moment_place(raw: bytes | None, text: str) -> Place:
    if raw and _written(b"summary: ", text).search(raw):
        return "current"
    return "current" if raw and text in (it.summary for it in parse("moments.yaml", raw, MOMENTS)) else ""


def _lore_steps(changes: Iterable[_Change], item: Item) -> Iterator[Step]:
    for change in changes:
        now, before = (
            next((entry.text for entry in parse("lore", raw, LORE) if entry.id == item.id), "") if raw else ""
            for raw in (change.now, change.before)
        )
        if now != before:
            yield change.step("changed" if before else "learned", now, before)


def _lore_holders(game: Game, item: Item, names: dict[str, str]) -> Iterator[Holder]:
    entry = next(entry for entry in game.pack.lore_entries if entry.id == item.id)
    turns = game.state.lore_known.get(item.id, {})
    for id, name in names.items():
        if id in turns or may_know(game, entry, id):
            how: How = "learned" if id in turns else "from the start"
            step = Step(turn=turns.get(id, 0), how=how, text=entry.text)
            yield Holder(id=id, name=name, since=step.turn, text=entry.text, steps=(step,))
