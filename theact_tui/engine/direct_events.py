"""What a direct session tells the world (S7, S11). `turn` is the number of the newest prompt."""

from __future__ import annotations

from dataclasses import dataclass

from theact_tui.engine.events import Event


@dataclass(frozen=True, kw_only=True)
class StateChanged(Event):
    """A session went from one state of D5 to another."""

    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class PromptStarted(Event):
    slot: int
    name: str
    prompt: int
    text: str


@dataclass(frozen=True, kw_only=True)
class ActorToken(Event):
    slot: int
    text: str
    reasoning: str = ""
    replace: bool = False
    """As in `NarrationToken`."""


@dataclass(frozen=True, kw_only=True)
class ReplyFinished(Event):
    """`text` is the whole reply, and wins over what was streamed. It is not saved yet."""

    slot: int
    name: str
    prompt: int
    text: str


@dataclass(frozen=True, kw_only=True)
class PromptSaved(Event):
    """Prompt and reply are in the log. `focus` is the slot whose turn it is now."""

    slot: int
    prompt: int
    focus: int
    commit: str


@dataclass(frozen=True, kw_only=True)
class PromptFailed(Event):
    """Nothing was changed; `text` is the prompt, to be offered again."""

    slot: int
    text: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class BlockStored(Event):
    """A memory block; `kind` as in D8, the range inclusive."""

    block: str
    kind: str
    first: int
    last: int
    commit: str


@dataclass(frozen=True, kw_only=True)
class LockFailed(Event):
    """The session is in DRAFT again, with everything that was typed."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class DeltaFailed(Event):
    """A range stays without its block; it is tried again with the next prompt."""

    first: int
    last: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class MemoryFolded(Event):
    """The oldest blocks are one for prompts from now on; the save keeps them all."""

    blocks: int


@dataclass(frozen=True, kw_only=True)
class BuildStarted(Event):
    parts: int


@dataclass(frozen=True, kw_only=True)
class ChapterToken(Event):
    """`replace` takes back all that was streamed of this part."""

    text: str
    part: int
    parts: int
    reasoning: str = ""
    replace: bool = False


@dataclass(frozen=True, kw_only=True)
class DraftBuilt(Event):
    draft: str
    words: int
    commit: str


@dataclass(frozen=True, kw_only=True)
class BuildFailed(Event):
    """Older drafts stay."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class SessionReset(Event):
    """A new session began under the same save name; the old one is the save `archived`."""

    session: str
    archived: str
