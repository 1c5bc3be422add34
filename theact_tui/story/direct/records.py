"""Stored records of a directed chapter."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from theact_tui.story.direct.notes_due import CHUNK
from theact_tui.story.value import Value

TEXT_LIMIT = 5_000
"""Characters of a field or a prompt."""
TRANSCRIPT_LIMIT = 60_000
"""Characters of the transcript as rendered."""
NAME_LIMIT = 120
COLORS = ("red", "orange", "yellow", "green", "blue", "indigo", "violet")
AGENTS_MAX = len(COLORS)


def default_name(slot: int) -> str:
    return f"Agent {COLORS[slot - 1].capitalize()}"


def roster(count: int) -> tuple[int, ...]:
    return tuple(range(1, min(max(count, 1), AGENTS_MAX) + 1))


def following(slots: tuple[int, ...], current: int) -> int:
    """Return the slot after `current`; after the last the first."""
    later = [number for number in slots if number > current]
    return later[0] if later else slots[0]


BlockType = Literal["world_chapter_lock", "turn_delta"]
State = Literal["DRAFT", "LOCKING", "ACTIVE", "SUMMARIZING", "ENDED", "NARRATING", "RESETTING"]


class Config(Value):
    chunk_size_prompts: int = CHUNK
    tab1_char_limit: int = TEXT_LIMIT
    tab2_char_limit: int = TRANSCRIPT_LIMIT


class SessionRecord(Value):
    """State of a session. Both indexes only rise along a branch."""

    session_id: str
    state: State = "DRAFT"
    prompt_index: int = Field(default=0, ge=0)
    selected_agent_slots: tuple[int, ...] = (1,)
    agent_names: dict[int, str] = {1: default_name(1)}
    tab1_locked: bool = False
    last_summarized_prompt_index: int = Field(default=0, ge=0)
    """Boundary: notes reach up to this prompt."""
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
        return self.prompt_index - self.last_summarized_prompt_index

    @property
    def short_id(self) -> str:
        """Suffix of an archived save's name."""
        return self.session_id.replace("-", "")[:8]

    def name_of(self, slot: int) -> str:
        return self.agent_names.get(slot) or default_name(slot)


class AgentSetup(Value):
    """Character in Setup. A blank name means the slot's default."""

    name: str = Field(default="", max_length=NAME_LIMIT)
    identity: str = Field(default="", max_length=TEXT_LIMIT)


class Setup(Value):
    """Content of the Setup tab. All seven characters are stored; the first `count` are in use."""

    world: str = Field(default="", max_length=TEXT_LIMIT)
    chapter: str = Field(default="", max_length=TEXT_LIMIT)
    count: int = Field(default=1, ge=1, le=AGENTS_MAX)
    agents: tuple[AgentSetup, ...] = Field(
        default=(AgentSetup(),) * AGENTS_MAX, min_length=AGENTS_MAX, max_length=AGENTS_MAX
    )

    def name_of(self, slot: int) -> str:
        return self.agents[slot - 1].name or default_name(slot)


class LogEvent(Value):
    event_id: str
    session_id: str
    prompt_index: int
    role: Literal["user", "agent", "system"]
    agent_slot: int | None = None
    text: str
    created_at: str
    sequence: int


class MemoryBlock(Value):
    """Append-only notes. The range is inclusive; the lock's is 0 to 0."""

    block_id: str
    session_id: str
    type: BlockType
    from_prompt_index: int
    to_prompt_index: int
    json_payload: dict[str, Any]
    created_at: str


class Snapshot(Value):
    max_prompt_index_used: int
    memory_block_ids_used: tuple[str, ...]


class ChapterDraft(Value):
    draft_id: str
    session_id: str
    narrative_agent_definition_text: str
    source_snapshot: Snapshot
    chapter_text: str
    started_at: str
    created_at: str


class Folded(Value):
    """First `blocks` notes after the lock as one payload, for prompts only."""

    blocks: int
    payload: dict[str, Any]


class ChapterVoice(Value):
    text: str = Field(default="", max_length=TEXT_LIMIT)


class Prompted(Value):
    events: tuple[LogEvent, ...] = Field(min_length=1)
