"""The folder of a run: its plan, the games as saves, and a line for each game. A run that was stopped continues from it.

plan.yaml  results.jsonl  timings.jsonl  judgements.jsonl  report.html  home/saves/<cell>
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from theact_tui import yaml
from theact_tui.errors import SaveError, UsageError
from theact_tui.lab.game import Played
from theact_tui.lab.plan import Plan
from theact_tui.paths import Home, private_folder, write_private
from theact_tui.story.pack import Pack
from theact_tui.text import is_slug, one_line

PLAN, RESULTS, TIMINGS, JUDGEMENTS = "plan.yaml", "results.jsonl", "timings.jsonl", "judgements.jsonl"


class Run:
    """An open folder of a run."""

    def __init__(self, folder: Path) -> None:
        """A run that exists. Raises `UsageError` for a folder that is none."""
        self.folder = folder
        try:
            document: Any = yaml.load((folder / PLAN).read_bytes(), str(folder / PLAN))
            self.plan = Plan.model_validate(document["plan"])
            self.packs: dict[str, str] = document["packs"]
        except (OSError, SaveError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{folder} contains no run of the lab.") from error

    @classmethod
    def begin(cls, folder: Path, plan: Plan, packs: Mapping[str, Pack]) -> Run:
        """A new run, or the run of the same plan that is in the folder. Raises `UsageError` for another plan."""
        digests = {name: _digest(pack) for name, pack in packs.items()}
        if not (folder / PLAN).exists():
            if folder.exists() and any(folder.iterdir()):
                raise UsageError(f"{folder} contains other files. Choose another folder with --out.")
            document: Any = {"plan": plan.model_dump(mode="json"), "packs": digests}
            write_private(folder / PLAN, yaml.dump(document).decode())
        run = cls(folder)
        if run.plan != plan or run.packs != digests:
            what = "another plan" if run.plan != plan else "games of an older version of a pack"
            raise UsageError(f"{folder} contains {what}. Choose another folder with --out.")
        run._tidy()
        return run

    @property
    def home(self) -> Home:
        """Where the games are, as the app opens them."""
        return Home.find(self.folder / "home")

    def save_folder(self, id: str) -> Path:
        """Where the save of a game is. Raises `UsageError` for what is no id."""
        if not is_slug(id):
            raise UsageError(f"'{one_line(id, 40)}' in {self.folder} is not the id of a game.")
        return self.home.saves / id

    def results(self) -> list[dict[str, Any]]:
        """The games that are done, sorted by their id."""
        return self._read(RESULTS)

    def timings(self) -> dict[str, dict[str, Any]]:
        """How long games took, by id."""
        return {line["id"]: line for line in self._read(TIMINGS)}

    def judgements(self) -> list[dict[str, Any]]:
        """What the judge said, sorted by id."""
        return self._read(JUDGEMENTS)

    def add(self, played: Played) -> None:
        """Keep a game. It counts as done once its result is written, which comes last."""
        self._unpack(played)
        self.append(TIMINGS, played.timing)
        self.append(RESULTS, played.result)

    def append(self, name: str, line: Mapping[str, Any]) -> None:
        """Add a line to a file."""
        with (self.folder / name).open("a", encoding="utf-8", newline="\n") as file:
            file.write(_line(line))

    def finish(self) -> None:
        """Sort the files, so that equal results are equal files."""
        self._tidy()

    def _tidy(self) -> None:
        """Drop lines that a crash tore or doubled, and sort the rest."""
        for name in (RESULTS, TIMINGS, JUDGEMENTS):
            if (self.folder / name).exists():
                write_private(self.folder / name, "".join(map(_line, self._read(name))))

    def _read(self, name: str) -> list[dict[str, Any]]:
        try:
            text = (self.folder / name).read_text("utf-8")
        except OSError:
            return []
        return sorted(_lines(text), key=lambda line: str(line["id"]))

    def _unpack(self, played: Played) -> None:
        """Put the save in its place, whole or not at all."""
        target = self.save_folder(played.result["id"])
        if not played.archive:
            return
        scratch = Path(tempfile.mkdtemp(prefix=".incoming-", dir=private_folder(self.home.create().saves)))
        try:
            with tarfile.open(fileobj=io.BytesIO(played.archive)) as archive:
                archive.extractall(scratch, filter="data")
            if target.exists():
                shutil.rmtree(target)
            (scratch / target.name).rename(target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def _line(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n"


def _lines(text: str) -> Iterable[dict[str, Any]]:
    """The whole lines of a file by id; the last of an id counts."""
    found: dict[str, dict[str, Any]] = {}
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and "id" in value:
            found[value["id"]] = value
    return found.values()


def _digest(pack: Pack) -> str:
    return hashlib.sha256(pack.model_dump_json().encode()).hexdigest()[:16]
