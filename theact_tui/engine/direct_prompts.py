"""One prompt and its reply (D3, D9): asked, streamed, stored; a call that fails leaves no trace."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from theact_tui.engine.desk import Desk
from theact_tui.engine.direct_calls import ask_actor
from theact_tui.engine.direct_events import (
    ActorToken,
    PromptFailed,
    PromptSaved,
    PromptStarted,
    ReplyFinished,
)
from theact_tui.engine.direct_work import Calling, Work, allow, failure
from theact_tui.errors import CallError, SaveError
from theact_tui.story.direct.game import with_exchange
from theact_tui.story.direct.moves import refuse_prompt
from theact_tui.story.direct.records import Event
from theact_tui.story.direct.transcript import Passage, tidy


@dataclass(frozen=True, slots=True)
class Live:
    """A prompt that is being answered: what was streamed of the reply so far."""

    slot: int
    prompt: str
    reply: str = ""


@dataclass(slots=True)
class Prompts:
    """Asks the actors of a session."""

    work: Work
    desk: Desk
    call: Calling
    live: Live | None = None
    """What is being answered now; None between prompts."""

    @property
    def streaming(self) -> tuple[Passage, ...]:
        """The prompt that is being answered and the reply so far, as the transcript will show them."""
        if self.live is None:
            return ()
        session = self.work.game.session
        name = session.name_of(self.live.slot)
        prompt = Passage("prompt", f"{session.prompt_index + 1}) {tidy(self.live.prompt)}")
        return prompt, Passage("reply", f"{name}: {tidy(self.live.reply)}", self.live.slot)

    async def give(self, slot: int, text: str, take: int = 1) -> Event:
        """Prompt the agent in `slot`; its reply, stored. Raises `TurnError` or `SaveError`; nothing has changed then."""
        self.work.check_free()
        allow(refuse_prompt(self.work.game.session, slot, text))
        bus = self.work.bus
        try:
            async with self.work.during("replying"):
                commit = await self._exchange(slot, text, take)
        except (CallError, SaveError) as error:
            bus.publish(PromptFailed(slot=slot, text=text, reason=error.message))
            raise failure(error) from error
        finally:
            self.live = None
        reply = self.work.game.events[-1]
        focus = self.work.game.focus
        bus.publish(PromptSaved(slot=slot, prompt=reply.prompt_index, focus=focus, commit=commit))
        return reply

    async def _exchange(self, slot: int, text: str, take: int) -> str:
        """Ask the agent and store prompt and reply; the commit."""
        work, session = self.work, self.work.game.session
        name, number = session.name_of(slot), session.prompt_index + 1
        asked = work.stamp()
        self.live = Live(slot, text)
        work.bus.publish(PromptStarted(slot=slot, name=name, prompt=number, text=text))
        asking = ask_actor(work, self.desk, slot, text, partial(self._show, slot, text), take=take)
        reply = await self.call(asking)
        work.bus.publish(ReplyFinished(slot=slot, name=name, prompt=number, text=reply))
        game = allow(with_exchange(work.game, slot, text, reply, asked, work.stamp()))
        return await work.store(game, text, word="Prompt")

    def _show(self, slot: int, text: str, shown: str, reasoning: str, replaced: bool) -> None:
        """Let the faces see what is streamed."""
        self.live = Live(slot, text, ("" if replaced or not self.live else self.live.reply) + shown)
        self.work.bus.publish(ActorToken(slot=slot, text=shown, reasoning=reasoning, replace=replaced))
