"""Events of the engine: frozen, each one JSON line. The bus stamps `save`, `branch`, `turn`, `seq` and `at`."""

import json
import re
from dataclasses import dataclass
from typing import Any, Literal, dataclass_transform


@dataclass_transform(kw_only_default=True, frozen_default=True)
@dataclass(frozen=True, kw_only=True)
class Event:
    """Base of all events. Subclasses become frozen dataclasses."""

    save: str = ""
    branch: str = ""
    turn: int = 0
    seq: int = 0
    """Rises by one with every event of a bus."""
    at: str = ""
    """ISO 8601, UTC."""

    type = ""  # in JSON: `turn_saved` for `TurnSaved`

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.type = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        dataclass(frozen=True, kw_only=True)(cls)

    def to_json(self) -> str:
        return json.dumps({"type": self.type, **vars(self)}, ensure_ascii=False)


# --- a turn -----------------------------------------------------------------------------------------------------


class TurnStarted(Event):
    text: str
    """The player's input; empty for an opening or a turn without a line."""
    kind: str = "play"
    take: int = 1


class TurnSpoken(Event):
    """The prose is complete and journalled; the player may type. After-turn work continues."""


class TurnSaved(Event):
    commit: str
    chapter: str
    new_beats: tuple[str, ...] = ()
    pending: int = 0


class TurnCancelled(Event):
    text: str


class TurnFailed(Event):
    """Nothing was changed; `text` is the input, to be offered again."""

    text: str
    reason: str
    kind: str = ""
    """Kind of `CallError`, such as `unreadable`; empty if no call failed."""


class NarrationToken(Event):
    text: str
    reasoning: str = ""
    replace: bool = False
    """True if `text` replaces everything streamed so far: the call is retried."""


class PageTold(Event):
    """The whole narration, replacing the streamed text. Presence is decided next."""

    text: str


class NarrationFinished(Event):
    """Presence is decided: who answers, and who is there."""

    text: str
    mood: str
    responding: tuple[str, ...]
    present: tuple[str, ...]


class CharacterStarted(Event):
    character: str
    name: str


class CharacterToken(Event):
    character: str
    text: str
    reasoning: str = ""
    replace: bool = False
    """As in `NarrationToken`."""


class CharacterFinished(Event):
    """The whole reply, replacing the streamed text; empty if the character stayed silent."""

    character: str
    name: str
    text: str
    by: str = ""
    """Person at a seat who wrote it."""


class DiceRolled(Event):
    roll: int
    difficulty: int
    resolution: str


# --- after the turn ---------------------------------------------------------------------------------------------


class AfterStarted(Event):
    """After-turn work begins; `agents` are the keys of the calls to come (`progress`, `memory:maya`)."""

    agents: tuple[str, ...]


class MomentRecorded(Event):
    kind: str
    summary: str
    significance: float


class MemoryStarted(Event):
    character: str


class MemoryUpdated(Event):
    """`before` and `after` are memories as in the save's files."""

    character: str
    before: dict[str, Any]
    after: dict[str, Any]


class MemoryFailed(Event):
    character: str
    kind: str
    reason: str


class CatchingUp(Event):
    """Memories of turns `first` to `last` are written, of `left` without memories; 0 to 0 at the end."""

    first: int
    last: int
    left: int


class BeatsMarked(Event):
    beats: tuple[str, ...]
    hit: int
    total: int


class ChapterAdvanced(Event):
    previous: str
    chapter: str
    title: str
    recap: str


class SummaryRolled(Event):
    before: str
    after: str
    through_turn: int


class GameCompleted(Event):
    pass


class EpilogueTold(Event):
    text: str


# --- calls ------------------------------------------------------------------------------------------------------


class CallStarted(Event):
    call: str
    """Id in the ledger."""
    agent: str
    model: str
    prompt_tokens: int
    """Estimated."""
    person: str = ""
    """Who is asked at a seat, in place of a model."""


class CallRetried(Event):
    call: str
    agent: str
    attempt: int
    reason: str


class CallProgress(Event):
    """More of a reply arrived: text, a thought or a form."""

    call: str
    agent: str
    tokens: int
    """Tokens so far, estimated."""


class CallFinished(Event):
    call: str
    agent: str
    model: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    attempts: int
    outcome: str
    """`ok`, `repaired`, `cut` (ended in a loop), `failed` or `cancelled`."""
    reused_tokens: int = 0
    """Prompt tokens from the server's cache, as reported."""
    first_token: float | None = None
    """Seconds to the first piece of the reply."""


# --- the save ---------------------------------------------------------------------------------------------------


class SaveOpened(Event):
    title: str
    recovered: str = ""


class SaveClosed(Event):
    """The player has left; nothing follows until the save is opened again."""


class EditsFound(Event):
    """Files of the save were changed outside the program."""

    files: tuple[str, ...]
    broken: tuple[str, ...] = ()
    """Sentences: which file cannot be applied, where and why."""


class PackChanged(Event):
    """The user's pack was changed after the story began; the change can be applied."""

    files: tuple[str, ...]


class UnsentFound(Event):
    """A line was sent before the program ended, and has no turn. It was not sent again."""

    text: str
    """As it was typed, such as `/retry I wait.`"""


class BranchSwitched(Event):
    previous: str


class Undone(Event):
    turns: int


class Redone(Event):
    turns: int


class Edited(Event):
    what: str


class PresenceChanged(Event):
    present: tuple[str, ...]


class ModelsChanged(Event):
    """Other models play from now on; `model` is the narrator's."""

    model: str


class Notice(Event):
    text: str
    level: Literal["info", "warning", "error"] = "info"


# --- direct mode ------------------------------------------------------------------------------------------------


class StateChanged(Event):
    """The session entered another state."""

    before: str
    after: str


class PromptStarted(Event):
    slot: int
    name: str
    prompt: int
    text: str


class ActorToken(Event):
    slot: int
    text: str
    reasoning: str = ""
    replace: bool = False
    """As in `NarrationToken`."""


class ReplyFinished(Event):
    """The whole reply, replacing the streamed text. It is not saved yet."""

    slot: int
    name: str
    prompt: int
    text: str


class PromptSaved(Event):
    """Prompt and reply are saved. `focus` is the next slot."""

    slot: int
    prompt: int
    focus: int
    commit: str


class PromptFailed(Event):
    """Nothing was changed; `text` is the prompt, to be offered again."""

    slot: int
    text: str
    reason: str


class BlockStored(Event):
    """A memory block was saved; `kind` is its type, the range is inclusive."""

    block: str
    kind: str
    first: int
    last: int
    commit: str


class LockFailed(Event):
    """The session is in DRAFT again; everything typed stays."""

    reason: str


class DeltaFailed(Event):
    """A range has no block; it is retried with the next prompt."""

    first: int
    last: int
    reason: str


class MemoryFolded(Event):
    """Prompts show the oldest blocks as one; the save keeps them all."""

    blocks: int


class BuildStarted(Event):
    parts: int


class ChapterToken(Event):
    """`replace`: `text` replaces everything streamed of this part."""

    text: str
    part: int
    parts: int
    reasoning: str = ""
    replace: bool = False


class DraftBuilt(Event):
    draft: str
    words: int
    commit: str


class BuildFailed(Event):
    """Older drafts stay."""

    reason: str


class SessionReset(Event):
    """A new session began under the same name; the old one is the save `archived`."""

    session: str
    archived: str
