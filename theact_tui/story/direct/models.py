"""The records of a direct session as they are stored, and when notes of a chapter are due."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from theact_tui.story.base import Value

CHUNK = 7
"""Prompts that are summarised together; also how many past exchanges an actor is given."""
TEXT_LIMIT = 5_000
"""Characters of a world, a chapter, an identity, a voice or a prompt."""
TRANSCRIPT_LIMIT = 60_000
"""Characters of the transcript as rendered."""
NAME_LIMIT = 120
COLORS = ("red", "orange", "yellow", "green", "blue", "indigo", "violet")
AGENTS_MAX = len(COLORS)


def default_name(slot: int) -> str:
    """The name an unnamed agent has in a slot."""
    return f"Agent {COLORS[slot - 1].capitalize()}"


def roster(count: int) -> tuple[int, ...]:
    """The slot numbers in use with so many agents: always the first ones, in order."""
    return tuple(range(1, min(max(count, 1), AGENTS_MAX) + 1))


def following(slots: tuple[int, ...], current: int) -> int:
    """The slot whose turn comes after `current`; after the last comes the first."""
    later = [number for number in slots if number > current]
    return later[0] if later else slots[0]


BlockType = Literal["world_chapter_lock", "turn_delta"]
State = Literal["DRAFT", "LOCKING", "ACTIVE", "SUMMARIZING", "ENDED", "NARRATING", "RESETTING"]


class Config(Value):
    """The numbers a session was made with."""

    chunk_size_prompts: int = CHUNK
    tab1_char_limit: int = TEXT_LIMIT
    tab2_char_limit: int = TRANSCRIPT_LIMIT


class SessionRecord(Value):
    """Where a session stands. Both indexes only rise along a branch."""

    session_id: str
    state: State = "DRAFT"
    prompt_index: int = Field(default=0, ge=0)
    """How many prompts were answered; the newest one's number."""
    selected_agent_slots: tuple[int, ...] = (1,)
    agent_names: dict[int, str] = {1: default_name(1)}
    tab1_locked: bool = False
    last_summarized_prompt_index: int = Field(default=0, ge=0)
    """The boundary: everything up to this prompt is in a memory block."""
    created_at: str = ""
    updated_at: str = ""
    config: Config = Config()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.last_summarized_prompt_index > self.prompt_index:
            raise ValueError("last_summarized_prompt_index is beyond prompt_index")
        if self.state in {"ENDED", "NARRATING"} and self.pending:
            raise ValueError(f"{self.state} with prompts that are not summarised")
        return self

    @property
    def pending(self) -> int:
        """How many prompts follow the boundary."""
        return self.prompt_index - self.last_summarized_prompt_index

    @property
    def short_id(self) -> str:
        """What an archived save is named with."""
        return self.session_id.replace("-", "")[:8]

    def name_of(self, slot: int) -> str:
        """The name of the agent in `slot`."""
        return self.agent_names.get(slot) or default_name(slot)


class AgentSetup(Value):
    """One agent's panel in Setup. A blank name stands for the slot's own."""

    name: str = Field(default="", max_length=NAME_LIMIT)
    identity: str = Field(default="", max_length=TEXT_LIMIT)


class Setup(Value):
    """What the first tab holds. All seven panels are kept; the first `count` are in use."""

    world: str = Field(default="", max_length=TEXT_LIMIT)
    chapter: str = Field(default="", max_length=TEXT_LIMIT)
    count: int = Field(default=1, ge=1, le=AGENTS_MAX)
    agents: tuple[AgentSetup, ...] = Field(
        default=(AgentSetup(),) * AGENTS_MAX, min_length=AGENTS_MAX, max_length=AGENTS_MAX
    )

    def name_of(self, slot: int) -> str:
        """The name of the agent in `slot`, or the slot's default."""
        return self.agents[slot - 1].name or default_name(slot)


class LogEvent(Value):
    """One line of the log; append-only."""

    event_id: str
    session_id: str
    prompt_index: int
    role: Literal["user", "agent", "system"]
    agent_slot: int | None = None
    text: str
    created_at: str
    sequence: int


class MemoryBlock(Value):
    """A piece of structured memory; append-only. The range is inclusive; the lock's is 0 to 0."""

    block_id: str
    session_id: str
    type: BlockType
    from_prompt_index: int
    to_prompt_index: int
    json_payload: dict[str, Any]
    created_at: str


class Snapshot(Value):
    """What a draft was made from."""

    max_prompt_index_used: int
    memory_block_ids_used: tuple[str, ...]


class ChapterDraft(Value):
    draft_id: str
    session_id: str
    narrative_agent_definition_text: str
    """The writer's voice and rules as of the build."""
    source_snapshot: Snapshot
    chapter_text: str
    started_at: str
    created_at: str


class Folded(Value):
    """Older deltas as one payload, for prompts only: it stands for the first `blocks` blocks after the lock."""

    blocks: int
    payload: dict[str, Any]


class ChapterVoice(Value):
    """The writer's voice and rules, as a file."""

    text: str = Field(default="", max_length=TEXT_LIMIT)


class Words(Value):
    """What is typed for the agents and not given, by slot; no part of the session."""

    texts: dict[int, str] = {}
    given: int = 0
    """The slot whose text is being answered; 0 for none."""
    prompts: int = 0
    """The prompts there were then."""


class Prompted(Value):
    """The file of one prompt: what was asked and answered."""

    events: tuple[LogEvent, ...]


def next_chunk(prompts: int, pending: int, *, ending: bool = False) -> tuple[int, int] | None:
    """The range to summarise next, inclusive, when the last `pending` of so many prompts are not summarised: a full chunk,
    or when the chapter ends what is left of one.

    None when nothing is due. A backlog is done chunk by chunk: ask again after each.
    """
    if pending == 0 or (pending < CHUNK and not ending):
        return None
    first = prompts - pending + 1
    return first, min(first + CHUNK - 1, prompts)
