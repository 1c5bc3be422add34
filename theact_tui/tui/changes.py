"""How a change of a memory is shown, and changes between memories as events carry them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from theact_tui.story.differences import Change, Kind, Line, line_changes
from theact_tui.story.memory import Cell, Fact

__all__ = ["INKS", "MARKS", "Change", "Kind", "memory_changes"]

MARKS: dict[Kind, str] = {"added": "+", "changed": "~", "removed": "-"}
INKS: dict[Kind, str] = {"added": ".good", "changed": ".warn", "removed": ".faint"}


def memory_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """The lines that differ between two memories as in the save's files. Summaries are not compared."""
    return line_changes(_lines(before), _lines(after))


def _lines(memory: Mapping[str, Any]) -> list[Line]:
    kind = Fact if "key_facts" in memory else Cell
    rows: Sequence[Mapping[str, Any]] = memory.get("key_facts") or memory.get("cells") or ()
    return [kind(text=str(row.get("text", "")).strip(), turn=int(row.get("turn", 0))) for row in rows]
