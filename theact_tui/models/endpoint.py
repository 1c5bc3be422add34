"""One model behind an OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import re
import time
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from theact_tui.errors import CallError
from theact_tui.models import discovery, failures
from theact_tui.models.addresses import is_local
from theact_tui.models.concurrency_and_rate import ConcurrencyLimit, Rate
from theact_tui.models.context_window import ContextWindow
from theact_tui.models.continuing import FIELDS, NOT_TAKEN, WAYS, Way, WithoutRepeat, goes_on, probe
from theact_tui.models.failures import Failed, Overflow, Place
from theact_tui.models.habits import needs_grammar
from theact_tui.models.model import Piece, Request, Usage, whole_reply
from theact_tui.models.profiles import Target
from theact_tui.models.retrying import Retrying, allowance
from theact_tui.models.sampling import (
    THINKING_OFF,
    Server,
    against_repetition,
    sent_as,
    server_of,
    with_stops,
)
from theact_tui.models.served_models import ServedModel, for_text, unasked
from theact_tui.models.server_capabilities import Capabilities, ServerState, response_format, without_system
from theact_tui.models.warm_up import may_warm
from theact_tui.prompting.sections import Message, Prompt, Section
from theact_tui.prompting.tokens import Tokens
from theact_tui.text import one_line

if TYPE_CHECKING:
    import openai

_TELLERS = frozenset({"narrator", "character", "actor", "epilogue", "chapter"})
_AT_THE_PAGE = frozenset({"narrator", "stage", "keeper", "warm-up"})
"""Agents whose prompts share their beginning."""
_LEAST_REPLY = 48
_READS_AHEAD = (
    "While you read, {} prepares the next prompt so the next page starts sooner. "
    "You can turn this off in the settings."
)
_NO_SETTINGS = frozenset({"messages", "extra_body", "stream", "stream_options"})
_OUTSIDE_EXTRA = frozenset({"model", "max_tokens", "max_completion_tokens", "temperature", "response_format"})
_SENT_UNASKED = frozenset({"id_slot", *(name for fields in THINKING_OFF.values() for name in fields)})
_WRITES_NO_TEXT = re.compile(
    r"not support (?:chat|completion|generate|generation|text)|embedding|not a (?:chat|text|language) model|native decision",
    re.IGNORECASE,
)
_SECRET = re.compile(r"key|secret|password|auth", re.IGNORECASE)


class Endpoint:
    """One model on one server. Endpoints of a server share `gate` and `rate`, those of a model `knowledge`."""

    def __init__(
        self,
        target: Target,
        *,
        gate: ConcurrencyLimit | None = None,
        rate: Rate | None = None,
        knowledge: ServerState | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        profile = target.profile
        self.target = target
        self.profile = profile
        self.knowledge = knowledge or ServerState(profile.base_url, profile.model)
        self.context = ContextWindow(self.knowledge, profile.context_limit, profile.reasoning_tokens)
        self._gate = gate or ConcurrencyLimit(profile.max_parallel)
        self._rate = rate or Rate(profile.per_minute, pause=pause)
        self._pause = pause
        self._client: openai.AsyncOpenAI | None = None
        self._preparing = asyncio.Lock()
        self._gate.set_slots(self.knowledge.abilities.slots, self.context.whole)
        self._warned_of_lacks = False
        self._served: tuple[ServedModel, ...] = ()

    @property
    def provider(self) -> str:
        return urlsplit(self.profile.base_url).netloc

    @property
    def name(self) -> str:
        return self.knowledge.model or "the first model"

    @property
    def local(self) -> bool:
        return is_local(self.profile.base_url)

    @property
    def reply_tokens(self) -> int:
        return self.target.reply_tokens

    @property
    def max_parallel(self) -> int:
        return self._gate.width

    @property
    def keeps_prompts(self) -> bool:
        return self.knowledge.abilities.slots != 1

    @property
    def tokens(self) -> Tokens:
        return self.knowledge.tokens

    @property
    def window(self) -> int:
        """Context window in tokens, without those reserved for reasoning."""
        return self.context.whole - self.context.thinking

    @property
    def warning(self) -> str:
        limit, window = self.profile.context_limit, self.context.whole
        if window >= limit:
            return ""
        fact = f"{self.name} at {self.provider} has a window of {window:,} tokens, less than the {limit:,} wanted"
        if self.context.is_ollama:
            cure = f"Start Ollama with OLLAMA_CONTEXT_LENGTH={limit}, or give the model a larger num_ctx"
            return f"{fact}, and silently drops the beginning of longer prompts. {cure}."
        if self.knowledge.abilities.cuts:
            return f"{fact}, and silently drops part of longer prompts. Start it with a larger context."
        return f"{fact}. Stories are summarised earlier."

    async def prepare(self) -> None:
        """Load client and tokenizer, and find the model's name if the profile has none. Raises CallError."""
        if not failures.is_sendable(self.target.key):
            refused = failures.failure("key signs", Place(self._base_url, self.name))
            raise CallError(refused.kind, refused.sentence)
        async with self._preparing:
            if not self.knowledge.model:
                await self._find_model()
            if self._client is None:
                try:
                    self._client = await asyncio.to_thread(self._open)
                except OSError as error:
                    self._raise_for(error)

    async def probe(self) -> discovery.Seen | None:
        """Query the window; None while a reply streams. Raises CallError if nothing answers."""
        if self._gate.busy:
            return None
        async with self._gate.alone():
            seen = await discovery.see(self._base_url, self.knowledge.model, self.target.key)
        self._raise_for(seen.error)
        self.context.learn_window(seen)
        self._gate.set_slots(seen.slots, self.context.whole)
        return seen

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def stream(self, ask: Request) -> AsyncGenerator[Piece, None]:
        """Answer `ask`. Raises Overflow if a smaller prompt would help, else CallError."""
        await self.prepare()
        messages = _sendable(ask)
        retrying = Retrying(self.context, messages)
        tokens = self.tokens.count_messages(messages) + ask.max_tokens + self.context.thinking
        async with self._gate.slot(tokens, self._slot(ask).get("id_slot")):
            while True:
                await self._rate.turn()
                body, spoke = self._body(ask, messages, retrying), False
                began, first_word, usage = time.monotonic(), 0.0, Usage()
                try:
                    async with aclosing(self._once(body, ask, messages, retrying)) as reply:
                        async for piece in reply:
                            spoke = True
                            first_word = first_word or time.monotonic() - began
                            usage = piece.usage or usage
                            yield piece
                    self.knowledge.learn_speed(usage, first_word, time.monotonic() - began)
                    if ask.schema is not None:
                        self.knowledge.learn_schema(was_sent="response_format" in body or not retrying.loose)
                    return
                except Failed as failed:
                    failure = failed.failure
                if not spoke and self._take_another(failure):
                    retrying = Retrying(self.context, messages)
                    continue
                before = retrying.manner.refused
                wait = retrying.after(failure, body)
                newly_refused = retrying.manner.refused.removeprefix(before).split()
                if names := [name for name in newly_refused if name not in _SENT_UNASKED]:
                    yield Piece(notice=self._refusal(names))
                is_trial = failure.kind == "request"  # of what the server refuses: nobody needs to know
                if spoke or (wait is not None and not is_trial):
                    soon = f" Trying again in {round(wait)} seconds." if wait and wait >= 2 else ""
                    yield Piece(restart=failure.sentence + soon)
                if wait:
                    await self._pause(wait)

    def seconds_for(self, prompt_tokens: int, reply_tokens: int) -> float:
        read, write = self.knowledge.abilities.read_speed, self.knowledge.abilities.write_speed
        return prompt_tokens / read + reply_tokens / write if read and write else 0.0

    @property
    def habits(self) -> frozenset[str] | None:
        habits = self.knowledge.abilities.habits
        return None if habits is None else frozenset(habits.split())

    @property
    def warms(self) -> bool:
        useless = self.knowledge.abilities.warm_up == "off"
        return may_warm(self.profile, local=self.local, useless=useless)

    async def warm_up(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """Send a prompt ahead in one attempt; the first call tells the user. Raises CallError."""
        await self.prepare()
        ask = Request("warm-up", "warm-up", prompt, max_tokens=1, temperature=0.0)
        try:
            async with aclosing(self._attempt_once(ask, {})) as reply:
                async for piece in reply:
                    if not self.knowledge.abilities.warm_up:
                        self.knowledge.keep(replace(self.knowledge.abilities, warm_up="told"))
                        yield Piece(notice=_READS_AHEAD.format(self.provider))
                    yield piece
        except Failed as failed:
            raise CallError(failed.failure.kind, failed.failure.sentence) from failed

    def stop_warming(self) -> None:
        self.knowledge.keep(replace(self.knowledge.abilities, warm_up="off"))

    async def continues(self) -> bool:
        """Try it once for each server and model. Raises CallError if the server cannot be reached."""
        await self.prepare()
        if not self.knowledge.abilities.continues:
            for way in WAYS[self._server]:
                if await self._goes_on(way):
                    self.knowledge.keep(replace(self.knowledge.abilities, continues=way))
                    break
            else:
                self.knowledge.keep(replace(self.knowledge.abilities, continues="no"))
        return self.knowledge.abilities.continues != "no"

    async def _goes_on(self, way: Way) -> bool:
        """Ask for the second half of a number in one attempt, which teaches nothing else about the server."""
        ask = probe()
        try:
            async with aclosing(self._attempt_once(ask, FIELDS.get(way, {}))) as pieces:
                reply = "".join([piece.text async for piece in pieces])
        except Failed as failed:
            if failed.failure.kind in NOT_TAKEN:
                return False
            raise CallError(failed.failure.kind, failed.failure.sentence) from failed
        return goes_on(reply.removeprefix(ask.prompt.so_far))

    async def _attempt_once(self, ask: Request, fields: Mapping[str, Any]) -> AsyncGenerator[Piece, None]:
        """Send a short request without retries, with `fields` added. Raises Failed."""
        from theact_tui.models.client import Bounds, answer

        assert self._client is not None
        messages, manner = _sendable(ask), self.knowledge.abilities
        body = self._body(ask, messages, Retrying(self.context, messages)) | {manner.limit: ask.max_tokens}
        body["extra_body"] = body.get("extra_body", {}) | fields
        bounds = Bounds(ask.max_tokens, self.profile.timeout)
        async with (
            self._gate.slot(self.tokens.count_messages(messages), self._slot(ask).get("id_slot")),
            aclosing(answer(self._client, body, ask.key, self._place(manner), bounds)) as reply,
        ):
            async for piece in reply:
                yield piece

    def _body(self, ask: Request, messages: list[Message], retrying: Retrying) -> dict[str, Any]:
        manner = retrying.manner
        prompt = self.tokens.count_messages(messages)
        room = self.context.whole - prompt
        if room < min(_LEAST_REPLY, ask.max_tokens):
            raise Overflow(
                f"The prompt has about {prompt:,} tokens; the window of {self.name} is only {self.context.whole:,}. "
                "Give the model a larger context.",
                self.window,
            )
        body: dict[str, Any] = {
            "model": self.knowledge.model,
            "messages": messages if manner.system else without_system(messages),
            "stream": manner.streams,
        }
        wanted = self.target.reply_tokens if ask.attempt == 1 and not ask.prompt.so_far else 0
        body[manner.limit] = min((wanted or ask.max_tokens) + self.context.thinking, room)
        if manner.temperature:
            body["temperature"] = self._temperature(ask)
        if manner.usage and manner.streams:
            body["stream_options"] = {"include_usage": True}
        form = "off" if retrying.loose else manner.form_for(ask, self.profile.structured)
        if shape := response_format(form, ask, manner.unbounded):
            body["response_format"] = shape
        extra = self._slot(ask) | self._thoughts(ask) | self._grammar(ask) | self._sampled(ask)[0]
        extra |= self.profile.extra_body
        if messages[-1]["role"] == "assistant":
            extra |= FIELDS.get(manner.continues, {})
        if ask.again:
            body = {name: value for name, value in body.items() if name not in _OUTSIDE_EXTRA}
            body |= self._sent_before(ask, retrying, room)
            secret = {name: value for name, value in self.profile.extra_body.items() if _SECRET.search(name)}
            extra = secret | {name: v for name, v in ask.again.items() if name not in _OUTSIDE_EXTRA}
        refused = manner.refused.split()
        if extra := {name: value for name, value in extra.items() if name not in refused}:
            body["extra_body"] = extra
        return body

    def _sent_before(self, ask: Request, retrying: Retrying, room: int) -> dict[str, Any]:
        """Return the earlier call's fields outside `extra_body`, as far as the server takes them."""
        manner, sent = retrying.manner, ask.again
        allowed = {"temperature": manner.temperature, "response_format": not retrying.loose}
        fields = {name: sent[name] for name, is_taken in allowed.items() if is_taken and name in sent}
        return {
            "model": self.knowledge.model,
            manner.limit: min(allowance(sent) or ask.max_tokens + self.context.thinking, room),
            **fields,
        }

    def _slot(self, ask: Request) -> dict[str, int]:
        """Choose a llama.cpp slot: the first for prompts that continue a page, to reuse its cache; a fixed one of the
        last for each record keeper.
        """
        slots = self.knowledge.abilities.slots
        if slots < 2:
            return {}
        if ask.agent in _AT_THE_PAGE or (slots == 2 and ask.agent in _TELLERS):
            return {"id_slot": 0}
        if ask.agent in _TELLERS:
            return {"id_slot": 1}
        first = min(2, slots - 1)
        return {"id_slot": first + zlib.crc32(ask.key.encode()) % (slots - first)}

    def _grammar(self, ask: Request) -> dict[str, Any]:
        # a grammar would forbid the thought that comes before prose
        server = self._server
        may_hold = self.profile.structured != "off" and self.profile.thinking == "off"
        is_held = ask.grammar and may_hold and server == "llama.cpp" and needs_grammar(self.name, self.habits)
        return {"grammar": ask.grammar} if is_held else {}

    def _thoughts(self, ask: Request) -> dict[str, Any]:
        needs_none = (ask.schema is not None and self.context.thinking) or ask.prompt.so_far
        if self.profile.thinking != "off" and not needs_none:
            return {}
        return THINKING_OFF.get(self._server, {})

    @property
    def _server(self) -> Server:
        return server_of(self.profile.server, self.profile.base_url, self.knowledge.abilities.kind)

    def _sampled(self, ask: Request) -> tuple[dict[str, Any], tuple[str, ...]]:
        """Return the request's sampling, and the parameters this server lacks."""
        server = self._server
        if ask.agent not in _TELLERS:
            return sent_as(self.target.sampling, server)
        wanted = self.target.sampling.over(self.profile.sampling)
        if ask.schema is None:
            wanted = wanted.over(against_repetition(server, ask.max_tokens, ask.names))
        if not self.context.thinking:  # a thought may well begin a line with a name
            wanted = with_stops(wanted, ask.stop, server)
        return sent_as(wanted, server)

    def _refusal(self, names: Sequence[str]) -> str:
        return f"{self.name} at {self.provider} does not support {', '.join(names)}; no longer sent."

    def _temperature(self, ask: Request) -> float:
        general = self.profile.temperature if ask.agent in _TELLERS else None
        wanted = general if self.target.temperature is None else self.target.temperature
        return ask.temperature if ask.attempt > 1 or wanted is None else wanted

    async def _once(
        self, body: dict[str, Any], ask: Request, messages: list[Message], retrying: Retrying
    ) -> AsyncGenerator[Piece, None]:
        """Make one attempt. Raises Failed, also for a reply without words."""
        from theact_tui.models.client import Bounds, answer

        assert self._client is not None
        place = self._place(retrying.manner)
        bounds = Bounds(allowance(body), self.profile.timeout)
        spoke = thought = False
        unrepeated = WithoutRepeat(ask.prompt.so_far)
        async with aclosing(answer(self._client, body, ask.key, place, bounds)) as reply:
            async for piece in reply:
                text = unrepeated.feed(piece.text) + (unrepeated.rest() if piece.finish else "")
                piece = replace(piece, text=text)
                spoke, thought = spoke or bool(text.strip()), thought or bool(piece.reasoning.strip())
                if piece.finish is None:
                    if text or piece.reasoning:
                        yield piece
                    continue
                ends_here = (
                    ask.prompt.so_far and piece.finish == "stop" and not thought
                )  # nothing added is an answer
                if not (spoke or ends_here):
                    raise Failed(failures.failure(_why_silent(piece.finish, thought=thought), place))
                self.knowledge.learn_accepted(retrying.first, retrying.manner)
                window, notice = self.context.learn_usage(messages, piece.usage), ""
                if window:
                    notice = (
                        f"{self.provider} dropped part of the prompt: its window seems to be {window:,} tokens. "
                        "Prompts are shorter from now on; a larger context on the server avoids that."
                    )
                elif self.knowledge.learn_other_model(piece.model):
                    other = one_line(piece.model, 60)
                    notice = f"{self.provider} answers as {other}, but {self.name} was asked for."
                elif (lacks := self._sampled(ask)[1]) and not self._warned_of_lacks:
                    self._warned_of_lacks, notice = True, self._refusal(lacks)
                yield replace(piece, notice=notice, sent=_settings(body))

    def _place(self, manner: Capabilities) -> Place:
        assert self._client is not None
        self._client.base_url = self.profile.base_url + manner.path
        return Place(str(self._client.base_url).rstrip("/"), self.name, self.target.key)

    @property
    def _base_url(self) -> str:
        return self.profile.base_url + self.knowledge.abilities.path

    def _open(self) -> openai.AsyncOpenAI:
        from theact_tui.models.client import open_client

        self.tokens.prepare()
        return open_client(self._base_url, self.target.key, self.profile.timeout)

    async def _find_model(self) -> None:
        async with self._gate.alone():
            seen = await discovery.see(self._base_url, "", self.target.key, patience=10.0)
        self._raise_for(seen.error)
        self._served = seen.served
        self._take_model("default")

    def _take_model(self, fallback: str = "") -> None:
        """Use one of the server's models. Raises CallError if the user must choose."""
        name = unasked(self._served) or ("" if self._served else fallback)
        if not name:
            names = ", ".join(one_line(model.name, 60) for model in for_text(self._served)[:8])
            place = Place(self._base_url, self.name, self.target.key)
            refused = failures.failure("which model" if names else "no text", place, names)
            raise CallError(refused.kind, refused.sentence)
        self.knowledge.rename(name)

    def _take_another(self, failure: failures.Failure) -> bool:
        """Use the next model if nobody chose this one and it answers that it writes no text."""
        if self.profile.model or not _WRITES_NO_TEXT.search(failure.words):
            return False
        self._served = tuple(
            replace(one, writes=False) if one.name == self.knowledge.model else one for one in self._served
        )
        self._take_model()
        return True

    def _raise_for(self, error: Exception | None) -> None:
        if error is not None:
            place = Place(self._base_url, self.name, self.target.key)
            failure = failures.from_exception(error, place, started=False)
            raise CallError(failure.kind, failure.sentence) from error


def _why_silent(finish: str, *, thought: bool) -> str:
    """Return the cause of a reply without words."""
    if finish == "content_filter":
        return "filtered"
    if not thought:
        return "empty"
    return "thought" if finish in ("length", "cut") else "unspoken"


def _sendable(ask: Request) -> list[Message]:
    """Return messages without lone surrogates, which cannot be sent."""
    messages = ask.prompt.messages(ask.correction)
    return [
        Message(role=m["role"], content=m["content"].encode("utf-8", "replace").decode()) for m in messages
    ]


def _settings(body: Mapping[str, Any]) -> dict[str, Any]:
    plain = {n: v for n, v in body.items() if n not in _NO_SETTINGS}
    extra = {n: v for n, v in body.get("extra_body", {}).items() if not _SECRET.search(n)}
    return {**plain, **extra}


# --- trying a connection ---------------------------------------------------------------------------------------------

_ANSWERED = frozenset({"empty", "thought", "unspoken", "endless"})


@dataclass(frozen=True, slots=True)
class ConnectionTest:
    ok: bool
    sentence: str
    """For the user: what worked, or what to do."""
    model: str
    window: int
    """Tokens; 0 if unknown."""
    seconds: float
    warning: str = ""


async def try_connection(endpoint: Endpoint) -> ConnectionTest:
    """Call the model once and check its window. Never raises for server errors."""
    began = time.monotonic()
    text, problem = "", ""
    prompt = Prompt((Section("task", "Reply with one word: ready."),), tokens=0, limit=0)
    try:
        text = await whole_reply(endpoint, Request("test", "test", prompt, 16, temperature=0.0))
    except CallError as error:
        problem = error.message
        if error.kind not in _ANSWERED:
            seconds = time.monotonic() - began
            return ConnectionTest(False, problem, endpoint.name, endpoint.context.whole, seconds)
    seconds = time.monotonic() - began
    try:
        await endpoint.probe()
    except CallError as error:
        problem = error.message
    sentence = f"{endpoint.name} answered in {seconds:.1f} s"
    sentence += f': "{one_line(text, 40)}"' if text.strip() else ""
    warning = " ".join(part for part in (problem, endpoint.warning) if part)
    return ConnectionTest(True, sentence, endpoint.name, endpoint.context.whole, seconds, warning)


async def ask_refused_again(endpoint: Endpoint) -> tuple[str, ...]:
    """Forget what the server refused and send a form; return what it refuses now. Never raises for server errors."""
    endpoint.knowledge.keep(endpoint.knowledge.abilities.without_refusals())
    ready = {"type": "object", "properties": {"ready": {"type": "boolean"}}, "required": ["ready"]}
    schema = {**ready, "additionalProperties": False}
    prompt = Prompt((Section("task", 'Reply with {"ready": true}.'),), tokens=0, limit=0)
    with suppress(CallError):
        await whole_reply(endpoint, Request("test", "test", prompt, 16, temperature=0.0, schema=schema))
    return endpoint.knowledge.abilities.refusals
