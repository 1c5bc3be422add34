"""Sections that the agents of direct mode share: their own rules, the lock, the notes so far."""

from __future__ import annotations

from theact_tui.agents.direct.notes import notes_text
from theact_tui.agents.direct.prompts import TEMPLATES
from theact_tui.prompting.sections import Section
from theact_tui.story.direct.views import Memory


def rules(agent: str, **values: str) -> Section:
    """The system message of an agent; the same for every call of its kind."""
    text = TEMPLATES[agent].format_map(values) if values else TEMPLATES[agent]
    return Section("rules", text, source="prompts", part="system")


def memory_sections(memory: Memory) -> list[Section]:
    """Structured memory: the lock is never cut, what happened is cut from the oldest on."""
    made = [Section("lock", f"WHAT IS ESTABLISHED\n{notes_text(memory.lock)}", source="blocks/000.yaml")]
    for number, payload in enumerate(memory.told, 1):
        heading = "WHAT HAPPENED SINCE\n" if number == 1 else ""
        folded = memory.folded is not None and number == 1
        source = "folded.yaml" if folded else f"blocks, prompts {_range(payload)}"
        made.append(
            Section(
                f"notes {_range(payload)}", heading + notes_text(payload), source=source, priority="summary"
            )
        )
    return made


def _range(payload: dict[str, object]) -> str:
    match payload.get("range"):
        case {"from_marker": first, "to_marker": last}:
            return f"{first}-{last}"
        case _:
            return ""
