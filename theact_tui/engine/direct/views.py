"""What each agent of a directed chapter is shown of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from theact_tui.story.direct.log import Exchange, in_order, recent
from theact_tui.story.direct.state import DirectGame
from theact_tui.story.direct.views import ActorView, ChapterView, DeltaView, FoldView, LockView, Payload

CORRECTIONS = 12
"""Lines of later notes that the writer of an earlier part is told."""


def lock_view(game: DirectGame) -> LockView:
    """The texts of Setup that are to be locked; no identities."""
    return LockView(cast=game.cast, world=game.setup.world, chapter=game.setup.chapter)


def actor_view(game: DirectGame, slot: int, text: str, take: int = 1) -> ActorView:
    """What the agent in `slot` is given with a new prompt: of all identities only its own."""
    return ActorView(
        cast=game.cast,
        slot=slot,
        identity=game.setup.agents[slot - 1].identity,
        memory=game.memory,
        recent=recent(game.events),
        said=tuple(event.text for event in in_order(game.events) if event.role == "agent"),
        prompt=text,
        index=game.session.prompt_index + 1,
        take=take,
    )


def delta_view(
    game: DirectGame, first: int, last: int, piece: tuple[Exchange, ...], found: Sequence[Payload]
) -> DeltaView:
    """A piece of prompts `first` to `last`, and what was found in the pieces before it."""
    cast, memory = game.cast, game.memory
    return DeltaView(cast=cast, memory=memory, first=first, last=last, exchanges=piece, found=tuple(found))


def fold_view(game: DirectGame, payloads: Sequence[Payload]) -> FoldView:
    """Notes, oldest first, that are to become one."""
    return FoldView(cast=game.cast, deltas=tuple(payloads))


def chapter_view(
    game: DirectGame,
    exchanges: tuple[Exchange, ...] = (),
    notes: Sequence[Payload] = (),
    *,
    earlier: Payload | None = None,
    later: Sequence[Payload] = (),
) -> ChapterView:
    """A stretch of the log that is to be told, with the notes up to its end, the `earlier` ones folded; of `later` notes
    only what they settle."""
    settled = (line for payload in later for line in payload["canon_locks"])
    return ChapterView(
        cast=game.cast,
        voice=game.voice,
        memory=replace(game.memory, folded=earlier, deltas=tuple(notes)),
        corrections=tuple(dict.fromkeys(settled))[-CORRECTIONS:],
        exchanges=exchanges,
    )
