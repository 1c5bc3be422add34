from collections.abc import Sequence
from typing import Any, TypeVar

from theact_tui.saves.codec import Codec, read_state, read_turn, turn_of
from theact_tui.saves.history import Timeline
from theact_tui.saves.trees import differences
from theact_tui.story.game import Game, Recap
from theact_tui.story.memory import Memory, line_changes, lines_of
from theact_tui.story.moments import Moment
from theact_tui.story.turn import Turn
from theact_tui.story.value import Value

T = TypeVar("T")


class LearnedLine(Value):
    text: str
    turn: int


class RewordedLine(Value):
    turn: int
    here: str
    there: str


class MemoryDifference(Value):
    """Lines of one side's memory of a character that the other lacks."""

    summary: str = ""
    learned: tuple[LearnedLine, ...] = ()
    changed: tuple[RewordedLine, ...] = ()


class ChapterName(Value):
    id: str
    title: str


class ComparedState(Value):
    """One side; lists hold only items the other side lacks."""

    name: str
    commit: str
    turn: int
    chapter: ChapterName
    beats: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    moments: tuple[Moment, ...] = ()
    recaps: tuple[Recap, ...] = ()
    characters: dict[str, MemoryDifference] = {}
    """By id; equal memories are left out."""


class TurnPair(Value):
    number: int
    a: Turn | None = None
    b: Turn | None = None


class Comparison(Value):
    fork_turn: int
    """Last shared turn; -1 if none."""
    a: ComparedState
    b: ComparedState
    turns: tuple[TurnPair, ...] = ()
    """Turns after the fork, and earlier ones edited on one side."""


def compare_states(
    timeline: Timeline, codec: Codec[Any], a: tuple[str, str], b: tuple[str, str], limit: int | None = None
) -> Comparison:
    """Compare two commits, each a name to show and an id, and at most `limit` of their turns."""
    fork = timeline.history.fork(a[1], b[1])
    games = [codec.story(codec.read(timeline.version_of(commit))) for _, commit in (a, b)]
    hit = [_beats(timeline, side[1], game, fork) for side, game in zip((a, b), games, strict=True)]
    return Comparison(
        fork_turn=fork,
        a=_side(a, games[0], games[1], hit[0] - hit[1]),
        b=_side(b, games[1], games[0], hit[1] - hit[0]),
        turns=pairs(timeline, codec, a[1], b[1], _parted(timeline, a[1], b[1])[:limit]),
    )


def _parted(timeline: Timeline, a: str, b: str) -> list[int]:
    """Return the numbers of turns after the fork, and of earlier ones edited on one side."""
    fork = timeline.history.fork(a, b)
    one, two = (timeline.version_of(commit).folder("turns") for commit in (a, b))
    changed = (turn_of(f"turns/{path}") for path, _, _ in differences(timeline.repository, one, two))
    edited = {number for number in changed if number is not None and number <= fork}
    last = max(timeline.history.turn(commit) for commit in (a, b))
    return sorted({*edited, *range(max(fork, 0) + 1, last + 1)})


def pairs(
    timeline: Timeline, codec: Codec[Any], a: str, b: str, numbers: Sequence[int]
) -> tuple[TurnPair, ...]:
    def turns_since_fork(commit: str) -> dict[int, Turn]:
        files, last = timeline.version_of(commit), timeline.history.turn(commit)
        return {number: codec.turn_content(files, number) for number in numbers if 0 < number <= last}

    one, two = turns_since_fork(a), turns_since_fork(b)
    return tuple(TurnPair(number=n, a=one.get(n), b=two.get(n)) for n in numbers if n in one or n in two)


def _beats(timeline: Timeline, commit: str, game: Game, fork: int) -> set[str]:
    beats = set(game.state.beats_hit)
    for past in game.state.chapter_history:
        if past.last_turn > fork:
            version = timeline.version_of(timeline.history.at(commit, past.last_turn - 1))
            beats.update(read_state(version).beats_hit)
            beats.update(read_turn(timeline.version_of(commit), past.last_turn).new_beats)
    return beats


def _side(name_and_commit: tuple[str, str], here: Game, there: Game, beats: set[str]) -> ComparedState:
    order = [beat for chapter in here.pack.chapters.values() for beat in chapter.beats]
    changes = {
        id: memory_difference(memory, there.memories.get(id))
        for id, memory in here.memories.items()
        if memory != there.memories.get(id)
    }
    return ComparedState(
        name=name_and_commit[0],
        commit=name_and_commit[1],
        turn=here.state.turn,
        chapter=ChapterName(id=here.state.chapter, title=here.chapter.title),
        beats=tuple(sorted(beats, key=lambda beat: order.index(beat) if beat in order else len(order))),
        present=_only(here.state.present, there.state.present),
        moments=_only(here.moments, there.moments),
        recaps=_only(here.recaps, there.recaps),
        characters=changes,
    )


def only_in(here: Game, there: Game) -> ComparedState:
    """Return what only `here` has; beats of its current chapter."""
    beats = set(here.state.beats_hit) - set(there.state.beats_hit)
    return _side(("", ""), here, there, beats)


def memory_difference(here: Memory, there: Memory | None) -> MemoryDifference:
    """Return what `here` remembers that `there` does not, or remembers differently."""
    changes = line_changes(lines_of(there) if there else (), lines_of(here), same_turn=True)
    return MemoryDifference(
        summary=here.summary if there is None or here.summary != there.summary else "",
        learned=tuple(LearnedLine(text=it.text, turn=it.turn) for it in changes if it.kind == "added"),
        changed=tuple(
            RewordedLine(turn=it.turn, here=it.text, there=it.was) for it in changes if it.kind == "changed"
        ),
    )


def same_turns(comparison: Comparison, control: Comparison) -> set[int]:
    """Return the turns whose texts are the same in both comparisons."""

    def texts(pair: TurnPair) -> list[list[str]]:
        return [[it.text for it in turn.ordered_entries] if turn else [] for turn in (pair.a, pair.b)]

    controls = {pair.number: texts(pair) for pair in control.turns}
    return {pair.number for pair in comparison.turns if controls.get(pair.number) == texts(pair)}


def _only(here: Sequence[T], there: Sequence[T]) -> tuple[T, ...]:
    return tuple(item for item in here if item not in there)
