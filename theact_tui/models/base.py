"""Interface of every model: an endpoint, the offline storyteller, a test's script."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Protocol

from theact_tui.prompting.sections import Prompt
from theact_tui.prompting.tokens import Tokens
from theact_tui.story.direct.views import ActorView, ChapterView, DeltaView, FoldView, LockView
from theact_tui.story.folding import FOLDING, Folding
from theact_tui.story.lore import LORE_SHARE
from theact_tui.story.pack import Pack
from theact_tui.story.views import AuthorView, PlayView

DirectView = LockView | ActorView | DeltaView | FoldView | ChapterView
"""What an agent of direct mode is shown."""
View = PlayView | DirectView | AuthorView
"""Values from which an agent's prompt is made."""

STORYTELLER = "storyteller"


@dataclass(frozen=True, slots=True)
class Request:
    """One request to a model.

    `agent` is the kind (`memory`), `key` names the call to logs and servers (`memory:maya`, the `X-Agent` header).
    `view` is the typed data the prompt was made from; only the offline storyteller reads it.
    """

    agent: str
    key: str
    prompt: Prompt
    max_tokens: int
    """Allowance for visible text; an endpoint that reasons adds its own."""
    temperature: float
    view: View | None = None
    schema: dict[str, Any] | None = None
    """JSON schema of the reply, for servers that can constrain it."""
    correction: str = ""
    """On a retry: what was missing, added at the end of the last message."""
    attempt: int = 1
    stop: tuple[str, ...] = ()
    """Texts at which the reply ends if the server takes so many, the weightiest first: how a line of somebody else
    would begin."""
    again: Mapping[str, Any] = field(default_factory=dict)
    """`Piece.sent` of an earlier call, to be sent as it was; empty: as agent and profile say."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server reports them; None where it does not."""

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a streamed reply. The last one of a reply carries `finish`."""

    text: str = ""
    reasoning: str = ""
    finish: str | None = None
    """`stop`, `length`, `content_filter`, or `cut` where the server ended it without a reason."""
    usage: Usage = field(default_factory=Usage)
    restart: str = ""
    """Why the request is made again; everything that came before this piece is void."""
    notice: str = ""
    """A sentence for the user, such as that the server cut the prompt."""
    sent: Mapping[str, Any] = field(default_factory=dict)
    """With `finish`: what was asked for beside the messages, such as the temperature."""


class Model(Protocol):
    """Something that answers prompts."""

    @property
    def provider(self) -> str:
        """Where it runs: a host, or `storyteller`."""

    @property
    def name(self) -> str:
        """The model's name, as shown in the status line."""

    @property
    def local(self) -> bool:
        """True if it runs on this computer or in its network."""

    @property
    def window(self) -> int:
        """Context limit in tokens: prompt and reply together."""

    @property
    def max_parallel(self) -> int:
        """How many requests may run at the same time."""

    @property
    def tokens(self) -> Tokens:
        """How its prompts are counted."""

    def stream(self, ask: Request) -> AsyncGenerator[Piece, None]:
        """Answer `ask` piece by piece. Closing the generator stops the server.

        Raises `CallError` for everything that goes wrong on the wire, after the retries that can help.
        """

    @property
    def warms(self) -> bool:
        """True if it is worth sending the known part of the next prompt ahead."""

    def warm_up(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """Let the server read a prompt ahead; one token of an answer comes. Raises `CallError` at the first failure."""

    def stop_warming(self) -> None:
        """Remember that sending prompts ahead did not help."""


async def whole_reply(model: Model, ask: Request) -> str:
    """All text of a reply. Raises `CallError`."""
    text = ""
    async with aclosing(model.stream(ask)) as pieces:
        async for piece in pieces:
            text = piece.text if piece.restart else text + piece.text
    return text


@dataclass(frozen=True, slots=True)
class PromptLimits:
    """What the user's settings say about prompts."""

    lore_share: float = LORE_SHARE
    """The share of the context window that lore may take."""
    folding: Folding = FOLDING


PROMPT_LIMITS = PromptLimits()


class Models:
    """The models of a game: one, or several by agent."""

    limits: PromptLimits = PROMPT_LIMITS

    def for_agent(self, agent: str) -> Model:
        """The model that answers `agent`."""
        raise NotImplementedError

    async def probe(self) -> tuple[str, ...]:
        """Reach the servers before play: learn names and windows. Returns what the user should know; never raises."""
        return ()

    def for_pack(self, pack: Pack) -> Models:
        """The models of the same game once it is told by `pack`; a server tells any pack."""
        return self

    async def close(self) -> None:
        """Close all connections."""
