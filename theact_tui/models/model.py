"""Interface of models: endpoint, offline storyteller, a test's script."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Protocol

from theact_tui.prompting.sections import Prompt
from theact_tui.prompting.tokens import Tokens
from theact_tui.story.direct.views import ActorView, ChapterView, DeltaView, FoldView, LockView
from theact_tui.story.folding import FOLD_BATCH
from theact_tui.story.lore import LORE_SHARE
from theact_tui.story.pack import Pack
from theact_tui.story.views import AuthorView, PlayView

DirectView = LockView | ActorView | DeltaView | FoldView | ChapterView
View = PlayView | DirectView | AuthorView

STORYTELLER = "storyteller"
PERSON = "person"
"""Provider of what a person at a seat wrote, in the ledger."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model.

    `agent` is the kind (`memory`), `key` the call's name (`memory:maya`). Only the offline storyteller reads `view`.
    """

    agent: str
    key: str
    prompt: Prompt
    max_tokens: int
    temperature: float
    view: View | None = None
    schema: dict[str, Any] | None = None
    correction: str = ""
    attempt: int = 1
    grammar: str = ""  # GBNF, for prose of small models
    stop: tuple[str, ...] = ()
    """Texts that end the reply, most important first."""
    names: tuple[str, ...] = ()
    """Words of names: a reply may repeat what they are part of."""
    again: Mapping[str, Any] = field(default_factory=dict)
    """`Piece.sent` of an earlier call, to repeat its settings."""


@dataclass(frozen=True, slots=True)
class Usage:
    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """Piece of a streamed reply; the last one carries `finish`."""

    text: str = ""
    reasoning: str = ""
    finish: str | None = None
    """`stop`, `length`, `content_filter`, or `cut` if the server gave no reason."""
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    """Name under which the server answered; set with `finish`, empty if it did not say."""
    restart: str = ""
    """Reason for sending the request again; earlier pieces are void."""
    notice: str = ""
    sent: Mapping[str, Any] = field(default_factory=dict)
    """Request fields beside the messages; set with `finish`."""


class Model(Protocol):
    @property
    def provider(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def local(self) -> bool:
        """True on this computer or in its network."""

    @property
    def window(self) -> int:
        """Tokens for prompt and reply together."""

    @property
    def reply_tokens(self) -> int:
        """Longest reply that the user set; 0: as long as its agent's."""

    @property
    def max_parallel(self) -> int: ...

    @property
    def keeps_prompts(self) -> bool:
        """False where one slot serves all agents, so that each prompt takes the place of the last."""

    @property
    def tokens(self) -> Tokens: ...

    def seconds_for(self, prompt_tokens: int, reply_tokens: int) -> float:
        """0 if unknown."""

    def stream(self, ask: Request) -> AsyncGenerator[Piece, None]:
        """Yield the reply in pieces. Closing the generator stops the server.

        Raises `CallError` after the retries that can help.
        """

    @property
    def habits(self) -> frozenset[str] | None:
        """Frequent slips; None if never tried."""

    @property
    def warms(self) -> bool: ...

    def warm_up(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """Let the server read a prompt ahead, replying one token. Raises `CallError` at the first failure."""

    def stop_warming(self) -> None: ...

    async def continues(self) -> bool:
        """True if a prompt that ends with the assistant's text is gone on from. Raises `CallError` if unreachable."""


async def whole_reply(model: Model, ask: Request) -> str:
    text = ""
    async with aclosing(model.stream(ask)) as pieces:
        async for piece in pieces:
            text = piece.text if piece.restart else text + piece.text
    return text


@dataclass(frozen=True, slots=True)
class PromptLimits:
    lore_share: float = LORE_SHARE
    summary_threshold: int | None = None
    """None: by the window."""
    fold_batch: int = FOLD_BATCH


PROMPT_LIMITS = PromptLimits()


class Models:
    limits: PromptLimits = PROMPT_LIMITS

    def for_agent(self, agent: str) -> Model:
        raise NotImplementedError

    async def probe(self) -> tuple[str, ...]:
        """Reach the servers to learn names and windows. Returns notices; never raises."""
        return ()

    def for_pack(self, pack: Pack) -> Models:
        return self

    async def close(self) -> None: ...
