"""What the player changed after a turn, brought into the state before it: a retry begins there."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from theact_tui.story.game import ChapterChoices, Game
from theact_tui.story.memory import Line, Memory, empty_memory, lines_of, memory_changes, with_lines

_LASTING = ("gates", "steering", "unremembered", "edited")
_OF_A_CHAPTER = ("chapter_set", "beats_hit", "begun", "passed", "last_beat_turn", "woken")


def with_edits_since(base: Game, told: Game, now: Game) -> Game:
    """Return `base`, the game before a turn, with all that changed between `told`, the game right after it, and `now`.

    Choices for a chapter that the turn began wait for its beginning.
    """
    if base.state.chapter not in now.pack.chapters:
        return base
    game = replace(
        base, pack=now.pack, memories=_memories(base, told, now), moments=_moments(base, told, now)
    )
    game = game.with_state(**_merged_fields(_LASTING, base, told, now), pending=_pending(base, told, now))
    if base.state.chapter != now.state.chapter:
        choices = [ChapterChoices.of(state) for state in (told.state, now.state)]
        return game if choices[0] == choices[1] else game.with_state(choices_ahead=choices[1])
    held = _merged(base.state.held, told.state.held, now.state.held)
    return game.with_state(**_merged_fields(_OF_A_CHAPTER, base, told, now)).with_held(held)


def _merged(base: Any, told: Any, now: Any) -> Any:
    """Apply the difference of `told` and `now` to `base`: values, or parts of tuples and mappings."""
    if isinstance(base, tuple):
        new = (part for part in now if part not in told and part not in base)
        return (*(part for part in base if part in now or part not in told), *new)
    if isinstance(base, Mapping):
        changed = {key: now[key] for key in now if key not in told or told[key] != now[key]}
        return {**{key: part for key, part in base.items() if key in now or key not in told}, **changed}
    return base if told == now else now


def _merged_fields(names: Iterable[str], *games: Game) -> dict[str, Any]:
    return {name: _merged(*(getattr(game.state, name) for game in games)) for name in names}


def _pending(base: Game, told: Game, now: Game) -> tuple[Any, ...]:
    works = _merged(base.state.pending, told.state.pending, now.state.pending)
    return tuple(work for work in works if work.turn <= base.state.turn)


def _memories(base: Game, told: Game, now: Game) -> dict[str, Memory]:
    blank = empty_memory(base.pack.game.memory)
    return base.memories | {
        id: _memory(base.memories.get(id, blank), told.memories.get(id, blank), memory, base.state.turn)
        for id, memory in now.memories.items()
    }


def _memory(base: Memory, told: Memory, now: Memory, last_turn: int) -> Memory:
    """Merge lines by their text; those of later turns are not remembered yet."""
    if told == now:
        return base
    by_text = {line.text: line for line in lines_of(now)}
    pins = {line.text: line.pinned for line in lines_of(told)}
    changes = memory_changes(told, now)
    removed = {change.text for change in changes if change.kind == "removed"}
    texts = {change.was: change.text for change in changes if change.kind == "changed"}
    lines: list[Line] = []
    for line in lines_of(base):
        after = by_text.get(texts.get(line.text, line.text))
        if line.text in texts and after:
            line = after
        elif after and line.text in pins and pins[line.text] != after.pinned:
            line = line.model_copy(update={"pinned": after.pinned})
        lines += [line] if line.text not in removed else []
    added = (by_text[change.text] for change in changes if change.kind == "added")
    return with_lines(base, (*lines, *(line for line in added if line.turn <= last_turn)))


def _moments(base: Game, told: Game, now: Game) -> tuple[Any, ...]:
    new = [moment for moment in now.moments if moment not in told.moments]
    return tuple(
        next((other for other in new if (other.turn, other.summary) == (moment.turn, moment.summary)), moment)
        for moment in base.moments
    )
