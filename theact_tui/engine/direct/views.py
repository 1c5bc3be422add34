"""Views for lock, characters and chapter writer."""

from collections.abc import Sequence
from dataclasses import replace

from theact_tui.story.direct.log import Exchange, in_order, recent, visible_to
from theact_tui.story.direct.state import DirectGame
from theact_tui.story.direct.views import ActorView, ChapterView, LockView, Payload

CORRECTIONS = 12
"""Lines of later notes in the prompt of an earlier part."""


def lock_view(game: DirectGame) -> LockView:
    return LockView(cast=game.session, world=game.setup.world, chapter=game.setup.chapter)


def actor_view(game: DirectGame, slot: int, text: str, take: int = 1) -> ActorView:
    """Make a character's view; it holds no other identity."""
    return ActorView(
        cast=game.session,
        slot=slot,
        identity=game.setup.agents[slot - 1].identity,
        memory=game.memory,
        recent=visible_to(slot, recent(game.events), game.session.agent_names),
        said=tuple(event.text for event in in_order(game.events) if event.role == "agent"),
        prompt=text,
        index=game.session.prompt_index + 1,
        take=take,
    )


def chapter_view(
    game: DirectGame,
    exchanges: tuple[Exchange, ...] = (),
    notes: tuple[Payload, ...] = (),
    *,
    earlier: Payload | None = None,
    later: Sequence[Payload] = (),
) -> ChapterView:
    """Make the view of one part: its log and notes, `earlier` notes folded, and canon locks of `later` notes."""
    settled = (line for payload in later for line in payload["canon_locks"])
    return ChapterView(
        cast=game.session,
        voice=game.voice,
        memory=replace(game.memory, folded=earlier, deltas=notes),
        corrections=tuple(dict.fromkeys(settled))[-CORRECTIONS:],
        exchanges=exchanges,
    )
