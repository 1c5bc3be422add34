"""Run one agent: fit its prompt, stream, parse, retry, record the call."""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import aclosing
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, Protocol, TypeVar
from uuid import uuid4

from theact_tui.agents.agent import Agent, Templates
from theact_tui.agents.narrator import NARRATOR
from theact_tui.agents.prompts import DIRECT_TEMPLATES, FORM_AGAIN, PROSE_AGAIN, TEMPLATES
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import CallFinished, CallProgress, CallRetried, CallStarted
from theact_tui.errors import CallError
from theact_tui.models.ledger import Call, Ledger
from theact_tui.models.model import PERSON, STORYTELLER, Model, Models, Request, View
from theact_tui.models.warm_up import WarmUp
from theact_tui.parsing import ParsedReply, PlainReply, ProseStream, ReplyContext, parse
from theact_tui.parsing.echoes import Echoes, without_echoes
from theact_tui.parsing.forms import json_schema
from theact_tui.parsing.loops import goes_round
from theact_tui.parsing.refusals import is_refusal
from theact_tui.parsing.rest import RestStream, SoFar, read_rest
from theact_tui.parsing.speakers import name_words, others_of
from theact_tui.parsing.thoughts import begins_in_thought, out_of_open_thought, without_thoughts
from theact_tui.prompting.fitting import FRAME_TOKENS, ROOMY, fit
from theact_tui.prompting.sections import Prompt, Section
from theact_tui.story.folding import Folding, verbatim_tokens
from theact_tui.story.lore import LoreRoom
from theact_tui.story.pack import GameInfo, Pack
from theact_tui.story.turn import CallCount
from theact_tui.story.views import MomentsView, RecapView
from theact_tui.text import estimate_tokens, one_line

V = TypeVar("V", bound=View)
W = TypeVar("W", RecapView, MomentsView)
OnText = Callable[[str, str, bool], None]
"""Receives new text, new reasoning, and whether the text replaces everything before."""

MOST_FORGOTTEN = 2
"""Shared prefixes dropped in a row, after which calls are sent alone."""
READABLE_REPLY_ATTEMPTS = 2
"""Replies requested until one is readable; failed calls are retried in `models.retrying`."""
LIVE_SHAPES = frozenset({"narrator", "character", "actor", "chapter", "epilogue"})
_MAX_RAW = 24_000
_PROGRESS = 200
_STRIDE = 40
"""Fewest new characters between two searches for loops."""

CallTally = dict[str, CallCount]


_BIBLE_SHARE = 5
"""One in so many tokens of the narrator's window is at most for the story bible."""
Cut = Literal["", "length", "loop", "cut", "content_filter"]
_WHY_CUT: dict[Cut, str] = {
    "length": "reached its token limit",
    "loop": "began to repeat itself",
    "cut": "was cut off by the model server",
    "content_filter": "was stopped by a content filter",
}


@dataclass(frozen=True, slots=True)
class AgentReply:
    reading: ParsedReply
    repaired: bool
    prompt: Prompt
    """Prompt as answered; the server may have demanded a shorter one."""
    cut: Cut = ""
    declined: bool = False
    """Prose for the player that reads like the model's refusal."""
    by: str = ""
    """Person who wrote it, in place of a model."""

    @property
    def why_cut(self) -> str:
        """Cause, worded to follow the agent's name."""
        return _WHY_CUT[self.cut]

    @property
    def reply(self) -> Any:
        return self.reading.reply


@dataclass(frozen=True, slots=True)
class PreparedCall(Generic[V]):
    agent: Agent[V]
    view: V
    key: str
    """Name for logs and servers, such as `memory:maya`."""
    prompt: Prompt
    reply_tokens: int
    is_behind: bool = False
    """Extends another call's prompt, so the server's prefix cache may apply."""


@dataclass(slots=True)
class Streamed:
    """Passes a text on as it arrives, behind the text so far."""

    on_text: OnText
    so_far: str = ""
    came: str = ""
    """What is behind the text so far."""

    def __post_init__(self) -> None:
        if self.so_far:
            self.on_text(self.so_far, "", False)

    def __call__(self, text: str, reasoning: str, replace: bool) -> None:
        self.came = text if replace else self.came + text
        self.on_text(self.so_far + text if replace else text, reasoning, replace)

    @property
    def has_grown(self) -> bool:
        return bool(self.so_far and self.came.strip())


class Person(Protocol):
    """Answers in place of a model, from the same view."""

    @property
    def name(self) -> str:
        """Empty while nobody is there."""

    async def answer(self, view: Any) -> str | None:
        """Return the person's words; None if the model is to answer."""


class AgentRunner:
    """Calls models for agents; one per open save."""

    def __init__(
        self,
        models: Models,
        bus: Bus,
        *,
        pack: Pack | None = None,
        templates: Templates | None = None,
        ledger: Ledger | None = None,
    ) -> None:
        """`templates` (default: the pack's) replace built-in ones."""
        self.models, self._pack, self.profile = models, pack, ""
        self._templates = templates or (pack.prompts if pack else {})
        self._bus, self._ledger = bus, ledger
        self._thinkers: set[tuple[str, str]] = set()
        """Models whose replies begin inside a thought."""
        self._thought: set[tuple[str, str]] = set()
        """Models known to reason before answering."""
        self._forgot: Counter[tuple[str, str]] = Counter()
        """Prompts in a row that a model's server had dropped from its cache."""
        self.slow_stages_in_a_row: Counter[str] = Counter()
        self.running: dict[str, Call] = {}
        self.people: dict[str, Person] = {}
        """By the key of the calls that they answer, such as `character:maya`."""
        self.warm_up = WarmUp(self._keep, bus.inform, bus.warn)

    def with_models(self, models: Models, *, profile: str = "") -> AgentRunner:
        """Return a runner for other models; knowledge of servers is shared."""
        self.warm_up.cancel()
        other = copy(self)
        other.models, other.profile = models, profile
        return other

    def for_pack(self, pack: Pack) -> AgentRunner:
        if pack is self._pack or pack == self._pack:
            return self
        other = self.with_models(self.models.for_pack(pack), profile=self.profile)
        other._pack, other._templates = pack, pack.prompts
        return other

    @property
    def label(self) -> str:
        """Narrator's model and profile, as stored with takes."""
        name = self.model().name
        return name if self.profile in ("", name) else f"{name} ({self.profile})"

    def model(self, agent: str = "narrator") -> Model:
        return self.models.for_agent(agent)

    def is_scripted(self, agent: str = "narrator") -> bool:
        """True if the offline storyteller answers."""
        return self.model(agent).provider == STORYTELLER

    def room(self, agent: Agent[V]) -> int:
        """Prompt tokens beside the longest reply."""
        model = self.models.for_agent(agent.name)
        return model.window - _reserve(model) - agent.reply_tokens

    def lore_room(self, key: str) -> LoreRoom:
        model = self.models.for_agent(key)
        return LoreRoom(int(model.window * self.models.limits.lore_share), model.tokens.count)

    def has_room_for_bible(self, text: str) -> bool:
        """True if a story bible leaves the pages of a story room in the narrator's window."""
        model = self.model(NARRATOR.name)
        return model.tokens.count(text) <= model.window // _BIBLE_SHARE

    def folding(self, game: GameInfo) -> Folding:
        """Folding limits: the pack's, else the settings', else by the narrator's window and server."""
        narrator, by_user = self.model(), self.models.limits
        is_cached = narrator.keeps_prompts and self._forgot[narrator.provider, narrator.name] < MOST_FORGOTTEN
        room = self.room(NARRATOR) - NARRATOR.behind_tokens
        by_window = verbatim_tokens(room, is_cached=is_cached)
        return Folding(
            threshold=game.summary_threshold or by_user.summary_threshold or by_window,
            batch=game.fold_batch or by_user.fold_batch,
        )

    def prepare(self, agent: Agent[V], view: V, key: str = "") -> PreparedCall[V]:
        """Build a call. `key` (default: the agent's name) selects the model of a character or slot.

        Raises `CallError("overflow")` if it cannot fit.
        """
        key = key or agent.name
        model = self.models.for_agent(key)
        prompt, reply_tokens = fit(
            agent.sections(view, self._templates),
            window=model.window,
            reply=agent.reply_tokens,
            count=model.tokens.count,
            reserve=_reserve(model),
            spare=agent.behind_tokens,
            least_turns=1,
        )
        return PreparedCall(agent, view, key, prompt, reply_tokens)

    def prepare_behind(
        self, agent: Agent[V], view: V, sections: Sequence[Section], before: str
    ) -> PreparedCall[V]:
        """Build a call that extends `sections` sent to the agent `before`, for the server's prefix cache. Falls back
        to `prepare`.
        """
        model, other = self.models.for_agent(agent.name), self.models.for_agent(before)
        server_model = (model.provider, model.name)
        helps = (
            model.local
            and server_model == (other.provider, other.name)
            and self._forgot[server_model] < MOST_FORGOTTEN
        )
        if agent.behind and helps and model.window >= ROOMY:
            count = model.tokens.count
            added = [replace(one, tokens=count(one.text) + 1) for one in agent.behind(view, self._templates)]
            all_sections = (*sections, *(one for one in added if one.text))
            tokens = sum(one.tokens for one in all_sections) + FRAME_TOKENS
            if tokens + agent.reply_tokens + _reserve(model) <= model.window:
                prompt = Prompt(sections=all_sections, tokens=tokens, limit=model.window)
                return PreparedCall(agent, view, agent.name, prompt, agent.reply_tokens, is_behind=True)
        return self.prepare(agent, view)

    def rest_tokens(self, agent: Agent[V], key: str, so_far: str) -> int:
        """Tokens that a reply may have behind a text so far."""
        model = self.models.for_agent(key)
        return (model.reply_tokens or agent.reply_tokens) - model.tokens.count(so_far.rstrip())

    async def write_on(self, call: PreparedCall[V], so_far: str, tokens: int = 0) -> PreparedCall[V]:
        """Let a call go on from a text, by at most `tokens` (default: those left of its reply). Raises `CallError` if it
        cannot fit, or its server cannot be reached.
        """
        is_continued = await self.models.for_agent(call.key).continues()
        left = tokens or self.rest_tokens(call.agent, call.key, so_far)
        agent = call.agent.going_on(SoFar(so_far, is_continued))
        return self.prepare(replace(agent, reply_tokens=left), call.view, call.key)

    def prepare_newest(self, agent: Agent[W], view: W) -> PreparedCall[W]:
        """Build a call without the oldest turns that do not fit, keeping one."""
        call = self.prepare(agent, view)
        while not call.prompt.whole and len(view.turns) > 1:
            view = replace(view, turns=view.turns[1:])
            call = self.prepare(agent, view)
        return call

    async def ask(
        self, agent: Agent[V], view: V, *, key: str = "", on_text: OnText | None = None
    ) -> AgentReply:
        return await self.call(self.prepare(agent, view, key), on_text=on_text)

    def person(self, key: str) -> Person | None:
        """Return who answers in place of a model now."""
        person = self.people.get(key)
        return person if person and person.name else None

    async def call(
        self, prepared: PreparedCall[V], tally: CallTally | None = None, on_text: OnText | None = None
    ) -> AgentReply:
        """Return the agent's reply, counted in `tally`. Raises `CallError` after every useful retry."""
        person = None if prepared.agent.so_far else self.person(prepared.key)
        if person and (reply := await self._ask_person(person, prepared)):
            return reply
        prompt, model = prepared.prompt, self.models.for_agent(prepared.key)
        record = self._begin(prepared, model.provider, model.name)
        started, warmed = time.monotonic(), 0
        try:
            warmed = await self.warm_up.before(model, prompt)
            return await self._attempts(prepared, model, record, started, on_text)
        except CallError as error:
            record.error = f"{error.kind}: {error.message}"
            raise
        except BaseException as error:
            record.outcome = "cancelled"
            record.error = type(error).__name__
            raise
        finally:
            record.seconds = time.monotonic() - started
            self.warm_up.judge(model, warmed, record.usage)
            if prepared.is_behind and record.usage.cached is not None:
                forgot = not record.usage.cached
                self._forgot[model.provider, model.name] *= forgot
                self._forgot[model.provider, model.name] += forgot
            self._finish(record, tally, model)

    def _begin(self, call: PreparedCall[V], provider: str, model: str) -> Call:
        agent, key, person = call.agent, call.key, model if provider == PERSON else ""
        record = Call(
            id=uuid4().hex[:12],
            turn=self._bus.turn,
            agent=agent.name,
            character=key.partition(":")[2],
            provider=provider,
            model=model,
        )
        record.asks(call.prompt)
        self.running[record.id] = record
        tokens = call.prompt.tokens
        self._bus.publish(
            CallStarted(call=record.id, agent=key, model=model, prompt_tokens=tokens, person=person)
        )
        return record

    async def _ask_person(self, person: Person, call: PreparedCall[V]) -> AgentReply | None:
        """Return a person's words as they are: they are not read like a model's."""
        record, started = self._begin(call, PERSON, person.name), time.monotonic()
        record.outcome, record.error = "cancelled", "No answer came."
        try:
            text = await person.answer(call.view)
            if text is None:
                return None
            record.reply, record.outcome, record.error = text, "ok", ""
            return AgentReply(
                ParsedReply(call.agent.shape, PlainReply(text=text), ()), False, call.prompt, by=record.model
            )
        finally:
            record.seconds = time.monotonic() - started
            self._finish(record, None, self.models.for_agent(call.key))

    async def _attempts(
        self, call: PreparedCall[V], model: Model, record: Call, began: float, on_text: OnText | None
    ) -> AgentReply:
        agent, view, so_far = call.agent, call.view, call.agent.so_far
        context = replace(
            agent.context(view),
            is_scripted=model.provider == STORYTELLER,
            thought="opened" if (model.provider, model.name) in self._thinkers else "marked",
        )
        ask = Request(
            agent=agent.name,
            key=record.key,
            prompt=call.prompt,
            max_tokens=call.reply_tokens,
            temperature=agent.temperature,
            view=view,
            grammar=agent.grammar(view, call.prompt.so_far),
            stop=self._stops(model, agent.shape, context),
            names=name_words(context),
            schema=json_schema(agent.shape, context),
        )
        refitted = False
        while True:
            record.attempts += 1
            last = ask.attempt == READABLE_REPLY_ATTEMPTS
            try:
                prose, is_apart = await self._stream(model, ask, agent, context, record, began, on_text)
            except CallError as error:
                if error.kind != "overflow" or refitted or last:
                    raise
                refitted, reason = True, error.message
                fitted = self.prepare(agent, view, record.key)
                record.asks(fitted.prompt)
                ask = replace(ask, prompt=fitted.prompt, max_tokens=fitted.reply_tokens)
            else:
                record.messages = tuple(ask.prompt.messages(ask.correction))
                context = replace(context, thought="apart") if is_apart else context
                reading = _read(agent, prose, context)
                if last and not reading.ok and record.finish == "stop":  # the answer was put in the thought
                    reading = parse(agent.shape, out_of_open_thought(prose), context)
                if reading.ok and not (context.is_scripted or so_far):
                    trimmed = without_echoes(reading, self._echoes(agent, view))
                    if trimmed.ok or not last:
                        reading = trimmed
                    else:
                        self._bus.warn(f"The model repeated its instructions ({agent.name}); try again.")
                record.steps = reading.steps
                cut = _why_cut(record)
                if reading.ok:
                    repaired = ask.attempt > 1 or bool(cut) or reading.repaired
                    record.outcome = "cut" if cut == "loop" else "repaired" if repaired else "ok"
                    told = agent.shape in LIVE_SHAPES and not context.is_scripted
                    return AgentReply(
                        reading, repaired, ask.prompt, cut, told and is_refusal(reading.reply.text)
                    )
                if last:
                    raise CallError("unreadable", _unreadable(record, reading.missing))
                reason = reading.missing or "the reply could not be read"
                calmer = 0.2 if prose.strip() and cut != "loop" else agent.temperature
                tokens = ask.max_tokens
                if cut == "length":
                    tokens = min(2 * tokens, max(tokens, model.window - ask.prompt.tokens - 64))
                correction = FORM_AGAIN if ask.schema else PROSE_AGAIN
                ask = replace(ask, correction=correction, temperature=calmer, max_tokens=tokens)
            self._retry(record, ask.attempt, reason, on_text)
            ask = replace(ask, attempt=ask.attempt + 1)

    async def _stream(
        self,
        model: Model,
        ask: Request,
        agent: Agent[V],
        context: ReplyContext,
        record: Call,
        began: float,
        on_text: OnText | None,
    ) -> tuple[str, bool]:
        """Return the reply, and whether its thoughts came in a field of their own."""
        record.reply, record.reasoning, record.finish = "", "", ""
        server_model = (model.provider, model.name)

        def begin() -> ProseStream | RestStream | None:
            if agent.so_far:
                return RestStream(agent.so_far, context)
            return ProseStream(agent.shape, context) if agent.shape in LIVE_SHAPES else None

        live, retracted, searched, reported, tokens = begin(), 0, 0, 0, 0.0
        async with aclosing(model.stream(ask)) as pieces:
            async for piece in pieces:
                if piece.notice:
                    self._bus.warn(piece.notice)
                if piece.restart:
                    record.attempts += 1
                    record.reply, record.reasoning = "", ""
                    live, retracted, searched, reported, tokens = begin(), 0, 0, 0, 0.0
                    self._retry(record, record.attempts - 1, piece.restart, on_text)
                if record.first_token is None and (piece.text or piece.reasoning):
                    record.first_token = time.monotonic() - began
                record.note(piece)
                if live:
                    if piece.reasoning:
                        live.keep_thoughts_apart()
                    retracted = _show(live, retracted, live.feed(piece.text), piece.reasoning, on_text)
                tokens += estimate_tokens(piece.text) + estimate_tokens(piece.reasoning)
                received = len(record.reply) + len(record.reasoning)
                if received - reported >= _PROGRESS:
                    reported = received
                    self._bus.publish(CallProgress(call=record.id, agent=record.key, tokens=round(tokens)))
                if not context.is_scripted and received - searched >= max(_STRIDE, received // 16):
                    searched = received
                    if goes_round(record.reply) or goes_round(record.reasoning):
                        record.finish = "loop"
                        break
                if len(record.reply) > _MAX_RAW:
                    record.finish = "length"
                    break
        is_apart = bool(record.reasoning.strip())
        if live:
            _show(live, retracted, live.finish(), "", on_text)
            record.reasoning = record.reasoning or live.reasoning
        if record.reasoning.strip():
            self._thought.add(server_model)
        is_opened = not is_apart and begins_in_thought(record.reply)
        (self._thinkers.add if is_opened else self._thinkers.discard)(server_model)
        return record.reply, is_apart

    def _echoes(self, agent: Agent[V], view: V) -> Echoes:
        if agent.echoes:
            return agent.echoes(view, self._templates)
        shipped = TEMPLATES.get(agent.name) or DIRECT_TEMPLATES.get(agent.name, "")
        return Echoes(instructions=(self._templates.get(agent.name, shipped),))

    def _stops(self, model: Model, shape: str, context: ReplyContext) -> tuple[str, ...]:
        """Return labels of other speakers as stop texts; none for a model that reasons, since thoughts contain them."""
        thinks = {*self._thinkers, *self._thought}
        if shape not in LIVE_SHAPES or (model.provider, model.name) in thinks:
            return ()
        return tuple(f"\n{name}:" for name in others_of(context))

    def _retry(self, record: Call, attempt: int, reason: str, on_text: OnText | None) -> None:
        if on_text:
            on_text("", "", True)
        self._bus.publish(CallRetried(call=record.id, agent=record.key, attempt=attempt + 1, reason=reason))

    def _finish(self, record: Call, tally: CallTally | None, model: Model) -> None:
        del self.running[record.id]
        prompt_tokens = record.usage.prompt or record.tokens
        completion = record.usage.completion or model.tokens.count(record.reply)
        if tally is not None:
            before = tally.get(record.key, CallCount())
            sent = {name: value for name, value in record.sent.items() if name != "response_format"}
            tally[record.key] = CallCount(
                calls=before.calls + 1,
                retries=before.retries + max(0, record.attempts - 1),
                prompt_tokens=before.prompt_tokens + prompt_tokens,
                completion_tokens=before.completion_tokens + completion,
                sent={n: v if isinstance(v, str | int | float) else json.dumps(v) for n, v in sent.items()},
            )
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
                reused_tokens=record.usage.cached or 0,
                first_token=record.first_token,
            )
        )
        self._keep(record)

    def _keep(self, record: Call) -> None:
        if self._ledger:
            self._ledger.add(record, self._bus.branch)


def _read(agent: Agent[V], prose: str, context: ReplyContext) -> ParsedReply:
    if agent.so_far is None:
        return parse(agent.shape, prose, context)
    rest = read_rest(prose, agent.so_far, context)
    return ParsedReply(agent.shape, PlainReply(text=rest), ("prose",))


def _why_cut(record: Call) -> Cut:
    match record.finish:
        case "length" | "loop" | "cut" | "content_filter" as cause:
            return cause
        case _:
            return ""


def _unreadable(record: Call, missing: str) -> str:
    spoken, thought = without_thoughts(record.reply)
    if not spoken.strip() and (thought + record.reasoning).strip():
        if record.finish == "stop":
            return (
                f"The model only reasoned and gave no answer ({record.agent}). Turn its thinking off in the settings, "
                "or choose another model."
            )
        return (
            f"The model used all its tokens for reasoning and gave no answer ({record.agent}). Raise "
            "its reasoning tokens in the settings, or turn its thinking off."
        )
    if not spoken.strip():
        return f"The model gave an empty answer ({record.agent}). Try again, or check the server's log."
    begins = f' It begins: "{one_line(spoken, 60)}".'
    if _why_cut(record):
        return f"The model's answer was cut off or repeated itself ({record.agent}).{begins} Try again."
    if is_refusal(spoken):
        return f"The model refused to answer ({record.agent}).{begins} Try again, or choose another model."
    lacks = f"no {missing}" if missing.isalpha() else "nothing that can be used"
    return (
        f"The model's answer has {lacks} ({record.agent}).{begins} Try again, or choose a model that follows "
        "instructions."
    )


def _show(
    live: ProseStream | RestStream, retracted: int, text: str, reasoning: str, on_text: OnText | None
) -> int:
    """Pass on new text, or everything if the stream retracted since `retracted` times. Returns the new count."""
    replaced = live.retracted != retracted
    if on_text and (text or reasoning or replaced):
        on_text(text, reasoning, replaced)
    return live.retracted


def _reserve(model: Model) -> int:
    """Tokens of the window reserved for counting errors."""
    return math.ceil(model.window * model.tokens.reserve)
