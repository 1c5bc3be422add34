"""The calls of agents 0 to 7 (D7): what they are given and what is taken from their replies."""

from __future__ import annotations

from theact_tui.agents.direct.actor import ACTOR
from theact_tui.agents.direct.lock import LOCK
from theact_tui.engine.desk import Desk, OnText, Tally
from theact_tui.engine.direct_memory import fold_if_crowded
from theact_tui.engine.direct_work import Work
from theact_tui.story.direct.game import DirectGame
from theact_tui.story.direct.log import recent
from theact_tui.story.direct.payloads import lock_payload
from theact_tui.story.direct.views import ActorView, LockView, Payload
from theact_tui.text import clean


async def ask_lock(game: DirectGame, desk: Desk) -> Payload:
    """The payload of block 1. Raises `CallError`."""
    view = LockView(cast=game.cast, world=game.setup.world, chapter=game.setup.chapter)
    answer = await desk.ask(LOCK, view, key="lock", tally=Tally())
    return lock_payload(game.session, answer.reply.model_dump(mode="json"))


def actor_view(game: DirectGame, slot: int, text: str, take: int = 1) -> ActorView:
    """What the agent in `slot` is given with a new prompt: of all identities only its own."""
    return ActorView(
        cast=game.cast,
        slot=slot,
        identity=game.setup.agents[slot - 1].identity,
        memory=game.memory,
        recent=recent(game.events),
        prompt=text,
        index=game.session.prompt_index + 1,
        take=take,
    )


async def ask_actor(work: Work, desk: Desk, slot: int, text: str, on_text: OnText, *, take: int = 1) -> str:
    """The reply of the agent in `slot`; notes that crowd its prompt are folded before. Raises `CallError`."""
    key, tally = f"actor:{slot}", Tally()
    prompt, _ = desk.prompt(ACTOR, actor_view(work.game, slot, text, take), key)
    work.become(await fold_if_crowded(work.game, prompt, desk, work.bus, tally))
    view = actor_view(work.game, slot, text, take)
    answer = await desk.ask(ACTOR, view, key=key, tally=tally, on_text=on_text)
    return clean(answer.reply.text).strip()
