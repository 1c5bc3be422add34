"""What the engine tells the world: frozen events, each one JSON line.

`save`, `branch`, `turn`, `seq` and `at` are stamped by the bus when an event is published.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Literal, dataclass_transform


@dataclass_transform(kw_only_default=True, frozen_default=True)
@dataclass(frozen=True, kw_only=True)
class Event:
    """The base of all events. Every class made from it is a frozen dataclass too, with fields by name only."""

    save: str = ""
    branch: str = ""
    turn: int = 0
    seq: int = 0
    """Rises by one with every event of a bus."""
    at: str = ""
    """ISO 8601, UTC."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True, kw_only=True)(cls)

    @property
    def type(self) -> str:
        """The event's name in a file."""
        return self.type_name()

    @classmethod
    def type_name(cls) -> str:
        """The name of these events in a file: `TurnSaved` is `turn_saved`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps({"type": self.type, **vars(self)}, ensure_ascii=False)


# --- a turn -----------------------------------------------------------------------------------------------------


class TurnStarted(Event):
    text: str
    """The player's input; empty for an opening, and for a turn in which the player let the story go on."""
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
    """What failed, as `CallError` names it, such as `unreadable`; empty for what was no call."""


class NarrationToken(Event):
    text: str
    reasoning: str = ""
    replace: bool = False
    """`text` replaces all that was streamed of this narration: the call is tried again."""


class PageTold(Event):
    """`text` is the whole narration; it wins over what was streamed. Who is there and answers is asked next."""

    text: str


class NarrationFinished(Event):
    """The narration, and what it led to: who answers, and who is there."""

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
    """`text` is the whole reply, and wins over what was streamed; empty when the character stayed silent."""

    character: str
    name: str
    text: str


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
    """Memories of turns `first` to `last` are made, of the `left` that nobody remembers yet; 0 to 0: no more now."""

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
    """The call's id in the ledger."""
    agent: str
    model: str
    prompt_tokens: int
    """Estimated."""


class CallRetried(Event):
    call: str
    agent: str
    attempt: int
    reason: str


class CallProgress(Event):
    """More of a reply came, be it text, a thought or a form that is not shown."""

    call: str
    agent: str
    tokens: int
    """All that came so far; estimated."""


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
    """Tokens of the prompt that the server still had, as it reported."""
    first_token: float | None = None
    """Seconds to the first piece of the reply."""


# --- the save ---------------------------------------------------------------------------------------------------


class SaveOpened(Event):
    title: str
    recovered: str = ""


class SaveClosed(Event):
    """The player has left; nothing more comes until the save is opened again."""


class EditsFound(Event):
    """Files of the save were changed outside the program; they wait to be adopted or put back."""

    files: tuple[str, ...]
    broken: tuple[str, ...] = ()
    """Sentences that say which file cannot become part of the story, where and why."""


class PackChanged(Event):
    """The user's pack was changed after the story began with it; the story can take it over."""

    files: tuple[str, ...]


class UnsentFound(Event):
    """A line was sent and not told before the program ended. It was not sent again."""

    text: str
    again: bool = False
    """It was to tell the last turn again."""


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
    """Other models tell the story from now on; `model` is the narrator's."""

    model: str


class Notice(Event):
    text: str
    level: Literal["info", "warning", "error"] = "info"


# --- direct mode ------------------------------------------------------------------------------------------------


class StateChanged(Event):
    """A session went from one state to another."""

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
    """`text` is the whole reply, and wins over what was streamed. It is not saved yet."""

    slot: int
    name: str
    prompt: int
    text: str


class PromptSaved(Event):
    """Prompt and reply are in the log. `focus` is the slot whose turn it is now."""

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
    """A memory block; `kind` is its type, the range is inclusive."""

    block: str
    kind: str
    first: int
    last: int
    commit: str


class LockFailed(Event):
    """The session is in DRAFT again, with everything that was typed."""

    reason: str


class DeltaFailed(Event):
    """A range stays without its block; it is tried again with the next prompt."""

    first: int
    last: int
    reason: str


class MemoryFolded(Event):
    """The oldest blocks are one for prompts from now on; the save keeps them all."""

    blocks: int


class BuildStarted(Event):
    parts: int


class ChapterToken(Event):
    """`replace` takes back all that was streamed of this part."""

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
    """A new session began under the same save name; the old one is the save `archived`."""

    session: str
    archived: str
