"""The journal of a spoken turn (S3.5): one small file outside the versioned tree, on the disk before it is announced."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from theact_tui.saves.disk import replace_file
from theact_tui.story.spoken import Spoken


class Journal:
    """`.git/theact/spoken.json`."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "spoken.json"

    def write(self, spoken: Spoken) -> None:
        """Keep `spoken`; it survives a kill and a power cut once this returns."""
        replace_file(
            self.path,
            json.dumps(spoken.model_dump(), ensure_ascii=False).encode(errors="replace"),
            sync="all",
        )

    def read(self) -> Spoken | None:
        """What was kept; None if nothing was, or nothing readable."""
        try:
            return Spoken.model_validate_json(self.path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def drop(self) -> None:
        """Forget it."""
        self.path.unlink(missing_ok=True)
