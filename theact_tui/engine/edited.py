"""Files of a save that were changed by hand, put into words for commands and screens (S9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from theact_tui.saves.view import edited_name

if TYPE_CHECKING:
    from theact_tui.saves.edits import HandEdits

NO_EDITS = "No file was changed by hand outside."


def edits_text(found: HandEdits) -> str:
    """What was changed by hand in a save's files, and what can be done about it."""
    if found.broken:
        files = " ".join(found.broken)
        advice = f"That cannot become part of the story. Mend it, or /restore {files} puts it back."
        told = [*dict.fromkeys(found.broken.values()), advice]
    else:
        told = ["/adopt makes this part of the story, /restore puts the files back as they were."]
    return "\n".join([found.difference, "", *told])


def put_back_text(files: Sequence[str]) -> str:
    """That files were put back, and where what they held is now."""
    kept = ", ".join(edited_name(file) for file in files)
    return f"As they were: {', '.join(files)}. What you changed is kept in {kept}."
