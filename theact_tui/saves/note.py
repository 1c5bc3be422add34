"""Values that are kept beside the commits, each in a file of its own."""

import json
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Generic, TypeVar

from theact_tui.saves.atomic import MAX_FILE_BYTES, Folder
from theact_tui.story.value import Value

V = TypeVar("V", bound=Value)


@dataclass(frozen=True, slots=True)
class Note(Generic[V]):
    """File in `folder` that holds one value as JSON."""

    folder: Path
    name: str
    kind: type[V]
    durable: bool = False
    limit: int = MAX_FILE_BYTES

    def write(self, value: V) -> None:
        data = json.dumps(value.model_dump(), ensure_ascii=False).encode(errors="replace")
        Folder(self.folder).replace(self.name, data, sync="all" if self.durable else "no")

    def read(self) -> V | None:
        """Return the value; None if there is no readable one."""
        try:
            return self.kind.model_validate(json.loads(Folder(self.folder).read(self.name, self.limit)))
        except (FileNotFoundError, ValueError):
            return None

    def drop(self) -> None:
        Folder(self.folder).remove(self.name)

    def put_aside(self) -> str | None:
        """Rename the file so that it is not read; return the new name."""
        files, (stem, dot, suffix) = Folder(self.folder), self.name.rpartition(".")
        if not files.is_file(self.name):
            return None
        names = (f"{stem}-{number}{dot}{suffix}" for number in count(1))
        name = next(name for name in names if not files.is_file(name))
        files.move(self.name, name)
        return name
