"""The desk: puts an agent's question to a model and hands back a typed reply.

It fits the prompt, streams, reads tolerantly, asks again where that can help, tells the bus and writes the ledger.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar
from uuid import uuid4

from theact_tui.agents.base import Agent, Templates
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import CallFinished, CallRetried, CallStarted, Notice
from theact_tui.engine.records import CallRecord, unreadable
from theact_tui.errors import CallError
from theact_tui.models.port import Ask, Model, Models
from theact_tui.models.reading import ProseStream, Reading, read, reply_of
from theact_tui.models.reading.wrapping import begins_in_thought
from theact_tui.models.replies import json_schema
from theact_tui.prompting.fitting import fit
from theact_tui.prompting.sections import Prompt
from theact_tui.story.turn import CallCount

V = TypeVar("V")
OnText = Callable[[str, str, bool], None]
"""Called with new visible text, new reasoning, and whether the text replaces what came before."""

ATTEMPTS = 2
LIVE_SHAPES = frozenset({"narrator", "character", "actor", "chapter", "epilogue"})
MAX_RAW = 24_000
"""Characters after which a reply is cut, whatever the server says."""


@dataclass(slots=True)
class Tally:
    """Counts the calls of one turn by agent key."""

    counts: dict[str, CallCount] = field(default_factory=dict)

    def add(self, key: str, attempts: int, prompt_tokens: int, completion_tokens: int) -> None:
        """Count one call."""
        before = self.counts.get(key, CallCount())
        self.counts[key] = CallCount(
            calls=before.calls + 1,
            retries=before.retries + max(0, attempts - 1),
            prompt_tokens=before.prompt_tokens + prompt_tokens,
            completion_tokens=before.completion_tokens + completion_tokens,
        )


class Ledger(Protocol):
    """Where calls are written down."""

    def add(self, record: CallRecord, branch: str) -> None:
        """Keep a finished call."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply that could be read. `repaired` when the strict parser alone would not have done."""

    reading: Reading
    repaired: bool

    @property
    def reply(self) -> Any:
        """The typed reply of the agent's shape."""
        return reply_of(self.reading)


class Desk:
    """Asks models on behalf of agents. One for each open save."""

    def __init__(
        self,
        models: Models,
        bus: Bus,
        *,
        templates: Templates | None = None,
        ledger: Ledger | None = None,
        ids: Callable[[], str] = lambda: uuid4().hex[:12],
    ) -> None:
        self._models = models
        self._bus = bus
        self._templates = templates or {}
        self._ledger = ledger
        self._ids = ids
        self._thinkers: set[tuple[str, str]] = set()
        """Models whose replies begin in the middle of a thought; nothing is shown before it ends."""

    def use(self, models: Models, templates: Templates) -> None:
        """Ask other models from now on, by these templates."""
        self._models, self._templates = models, templates

    def model(self, agent: str = "narrator") -> Model:
        """The model that answers `agent`."""
        return self._models.for_agent(agent)

    def prompt(self, agent: Agent[V], view: V, key: str = "") -> tuple[Prompt, int]:
        """The prompt of an agent for a view, fitted to its model's window, and its reply allowance in tokens.

        `key` is that of the call, where a single character or slot may have a model of its own.
        """
        model = self._models.for_agent(key or agent.name)
        return fit(
            agent.sections(view, self._templates),
            window=model.window,
            reply=agent.reply_tokens,
            count=model.tokens.count,
            reserve=math.ceil(model.window * model.tokens.reserve),
            least_turns=1,
        )

    async def ask(
        self, agent: Agent[V], view: V, *, key: str, tally: Tally, on_text: OnText | None = None
    ) -> Answer:
        """The agent's reply. Raises `CallError` when there is none that can be used, after every retry that may help."""
        model = self._models.for_agent(key)
        prompt, reply_tokens = self.prompt(agent, view, key)
        record = CallRecord(
            id=self._ids(),
            agent=agent.name,
            key=key,
            provider=model.provider,
            model=model.name,
            turn=self._bus.turn,
            prompt=prompt,
        )
        self._bus.publish(
            CallStarted(call=record.id, agent=key, model=model.name, prompt_tokens=prompt.tokens)
        )
        started = time.monotonic()
        try:
            return await self._attempts(agent, view, model, record, reply_tokens, on_text)
        except CallError as error:
            record.error = f"{error.kind}: {error.message}"
            raise
        except BaseException as error:
            record.outcome = "cancelled"
            record.error = type(error).__name__
            raise
        finally:
            record.seconds = time.monotonic() - started
            self._finish(record, tally, model)

    async def _attempts(
        self,
        agent: Agent[V],
        view: V,
        model: Model,
        record: CallRecord,
        reply_tokens: int,
        on_text: OnText | None,
    ) -> Answer:
        context = agent.context(view)
        schema = json_schema(agent.shape, context)
        correction, temperature, refitted = "", agent.temperature, False
        for attempt in range(1, ATTEMPTS + 1):
            record.attempts += 1
            ask = Ask(
                agent=agent.name,
                key=record.key,
                prompt=record.prompt,
                max_tokens=reply_tokens,
                temperature=temperature,
                view=view,
                schema=schema if agent.shape != "narrator" else None,
                correction=correction,
                attempt=attempt,
            )
            try:
                prose = await self._stream(model, ask, agent.shape, context, record, on_text)
            except CallError as error:
                if error.kind != "overflow" or refitted or attempt == ATTEMPTS:
                    raise
                refitted = True
                record.prompt, reply_tokens = self.prompt(agent, view, record.key)
                self._retry(record, attempt, error.message, on_text)
                continue
            record.messages = list(record.prompt.messages(correction))
            reading = read(agent.shape, prose, context)
            record.steps = reading.steps
            if reading.ok:
                repaired = attempt > 1 or record.finish == "length" or reading.repaired
                record.outcome = "repaired" if repaired else "ok"
                return Answer(reading, repaired)
            if attempt < ATTEMPTS:
                correction, temperature = agent.ask_again, 0.2 if prose.strip() else agent.temperature
                if record.finish == "length":
                    reply_tokens = min(
                        2 * reply_tokens, max(reply_tokens, model.window - record.prompt.tokens - 64)
                    )
                self._retry(record, attempt, reading.missing or "the reply could not be read", on_text)
        raise CallError("unreadable", unreadable(record))

    async def _stream(
        self, model: Model, ask: Ask, shape: str, context: Any, record: CallRecord, on_text: OnText | None
    ) -> str:
        """The raw reply; visible prose goes to `on_text` on the way."""
        record.raw, record.reasoning, record.finish = "", "", ""
        who = (model.provider, model.name)
        thinks = who in self._thinkers
        live = _Shown(shape, context, thinks=thinks) if shape in LIVE_SHAPES else None
        began = time.monotonic()
        async with aclosing(model.stream(ask)) as pieces:
            async for piece in pieces:
                if piece.notice:
                    self._bus.publish(Notice(text=piece.notice, level="warning"))
                if piece.restart:
                    record.attempts += 1
                    record.raw, record.reasoning = "", ""
                    live = _Shown(shape, context, thinks=thinks) if live else None
                    self._retry(record, record.attempts - 1, piece.restart, on_text)
                if record.first_token is None and (piece.text or piece.reasoning):
                    record.first_token = time.monotonic() - began
                record.note(piece)
                if live:
                    _show(live, live.feed(piece.text), piece.reasoning, on_text)
                if len(record.raw) > MAX_RAW or (live and live.looping):
                    record.finish = "length"
                    break
        if live:
            _show(live, live.finish(), "", on_text)
            record.reasoning = record.reasoning or live.reasoning
        (self._thinkers.add if begins_in_thought(record.raw) else self._thinkers.discard)(who)
        return record.raw

    def _retry(self, record: CallRecord, attempt: int, reason: str, on_text: OnText | None) -> None:
        if on_text:
            on_text("", "", True)
        self._bus.publish(CallRetried(call=record.id, agent=record.key, attempt=attempt + 1, reason=reason))

    def _finish(self, record: CallRecord, tally: Tally, model: Model) -> None:
        prompt_tokens = record.usage.prompt or record.prompt.tokens
        completion = record.usage.completion or model.tokens.count(record.raw)
        tally.add(record.key, record.attempts, prompt_tokens, completion)
        self._bus.publish(
            CallFinished(
                call=record.id,
                agent=record.key,
                model=record.model,
                prompt_tokens=prompt_tokens,
                completion_tokens=completion,
                seconds=round(record.seconds, 3),
                attempts=record.attempts,
                outcome=record.outcome,
            )
        )
        if self._ledger:
            self._ledger.add(record, self._bus.branch)


class _Shown(ProseStream):
    """Prose shown live, and how often it had to be taken back."""

    told = 0


def _show(live: _Shown, text: str, reasoning: str, on_text: OnText | None) -> None:
    """Pass on what a stream adds; when the stream takes back what it showed, all of it anew."""
    replaced = live.retracted != live.told
    live.told = live.retracted
    if on_text and (text or reasoning or replaced):
        on_text(text, reasoning, replaced)
