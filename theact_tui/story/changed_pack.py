"""Apply a pack that changed after a story began. Changes made by the story stay."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import TypeVar

from theact_tui.errors import UsageError
from theact_tui.story.cast import with_cast
from theact_tui.story.game import Game
from theact_tui.story.memory import empty_memory
from theact_tui.story.pack import Chapter, Pack
from theact_tui.story.value import Value

T = TypeVar("T")
V = TypeVar("V", bound=Value)


def with_changed_pack(game: Game, began: Pack, now: Pack) -> Game:
    """Apply `now`; `began` is the pack at the beginning.

    Fields unchanged in the pack keep the story's value; so do cast and memory policy. Raises UsageError if `now`
    lacks something in use.
    """
    own = game.pack
    people = _parts(began.characters, own.characters, now.characters, _value)
    chapters = _parts(began.chapters, own.chapters, now.chapters, _value)
    for id, chapter in chapters.items():
        if id in began.chapters and id in own.chapters:
            cast = _ids(began.chapters[id].characters, own.chapters[id].characters, chapter.characters)
            chapters[id] = with_cast(chapter, cast)
    _check_used(game, {**people, **chapters})
    info = _value(began.game, own.game, now.game).model_copy(
        update={"characters": tuple(people), "chapters": tuple(chapters), "memory": own.game.memory}
    )
    pack = Pack(
        game=info,
        world=_value(began.world, own.world, now.world),
        characters=people,
        chapters=chapters,
        script=_either(began.script, own.script, now.script),
        prompts=_parts(began.prompts, own.prompts, now.prompts, _either),
        lore=_parts(began.lore, own.lore, now.lore, _either),
    )
    empty = empty_memory(info.memory)
    changed = replace(game, pack=pack, memories={id: game.memories.get(id, empty) for id in people})
    chapter, state = pack.chapters[game.state.chapter], game.state
    return changed.with_state(
        beats_hit=_reworded(state.beats_hit, game.chapter, chapter),
        begun=_reworded(state.begun, game.chapter, chapter),
        passed=_reworded(state.passed, game.chapter, chapter),
    )


def _value(began: V, own: V, now: V) -> V:
    same = [name for name in type(now).model_fields if getattr(now, name) == getattr(began, name)]
    return now.model_copy(update={name: getattr(own, name) for name in same})


def _parts(
    began: Mapping[str, T], own: Mapping[str, T], now: Mapping[str, T], mend: Callable[[T, T, T], T]
) -> dict[str, T]:
    parts = {
        id: mend(began[id], own[id], part) if id in began and id in own else part for id, part in now.items()
    }
    return parts | {id: part for id, part in own.items() if id not in began and id not in now}


def _either(began: T, own: T, now: T) -> T:
    return own if began == now else now


def _ids(began: tuple[str, ...], own: tuple[str, ...], now: tuple[str, ...]) -> tuple[str, ...]:
    """Return the pack's cast with joined and without departed characters."""
    ids = [id for id in now if id not in began or id in own]
    return (*ids, *(id for id in own if id not in began and id not in ids))


def _check_used(game: Game, available: Mapping[str, object]) -> None:
    state, advice = game.state, "The story is unchanged until they are in the pack again."
    if state.chapter not in available:
        raise UsageError(
            f"The pack has no chapter '{state.chapter}' any more, but the story is in it. {advice}"
        )
    if past := next(
        (
            past_chapter.chapter
            for past_chapter in state.chapter_history
            if past_chapter.chapter not in available
        ),
        "",
    ):
        raise UsageError(f"The pack has no chapter '{past}' any more, but it was played. {advice}")
    people = (*state.present, *state.held, *(work.character for work in state.pending if work.character))
    if missing := next((id for id in people if id not in available), ""):
        raise UsageError(
            f"{game.pack.name_of(missing)} is in the scene, but not in the pack any more. {advice}"
        )


def _reworded(beats: Collection[str], before: Chapter, now: Chapter) -> tuple[str, ...]:
    """Return beats in their new wording, by position if their number is unchanged."""
    if len(before.beats) == len(now.beats):
        pairs = zip(before.beats, now.beats, strict=True)
        return tuple(new for old, new in pairs if old in beats or new in beats)
    return tuple(beat for beat in now.beats if beat in beats)
