"""The version of the save format, and the way from older ones to it (S9).

A step takes a file's data one version up. Old commits are upgraded whenever they are read; the newest one is also
rewritten when its save is opened, as an edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from theact_tui.errors import SaveError
from theact_tui.saves import yaml
from theact_tui.saves.yaml import Data

FORMAT = 1
Step = Callable[[str, Any], Any]
"""Path and data of a file to its data in the next version."""
STEPS: Mapping[int, Step] = {}
"""By the version they start from."""


class TooNew(SaveError):
    """A newer version of the program made this save."""


def format_of(info: Data) -> int:
    """The version in the data of `save.yaml`. SaveError if this program is too old for it."""
    found = info.get("format") if isinstance(info, dict) else None
    if not isinstance(found, int):
        raise SaveError("save.yaml does not say which format this save has.")
    if found > FORMAT:
        raise TooNew("This save was made by a newer version of theact-tui. Update the program to open it.")
    return found


def upgrade(path: str, data: Data, format: int) -> Data:
    """`data` of the file at `path`, written in `format`, as the present format has it."""
    for version in range(format, FORMAT):
        if version not in STEPS:
            raise SaveError(f"This save has format {format}, which this version cannot read.")
        data = STEPS[version](path, data)
    return data


def rewritten(files: Iterable[tuple[str, bytes]], format: int) -> dict[str, bytes | None]:
    """All YAML files of a save in the present format."""
    found = ((path, raw) for path, raw in files if path.endswith(".yaml"))
    return {path: yaml.dump(upgrade(path, yaml.load(raw, path), format)) for path, raw in found}
