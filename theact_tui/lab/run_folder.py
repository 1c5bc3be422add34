"""Folder of a run: plan, games as saves, one row per game. A stopped run continues from it.

plan.yaml  results.jsonl  timings.jsonl  judgements.jsonl  report.html  answer.txt  home/saves/<cell>
"""

import hashlib
import io
import json
import os
import shutil
import signal
import tarfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from filelock import FileLock, Timeout

from theact_tui import yaml
from theact_tui.errors import SaveError, UsageError
from theact_tui.lab.plan import Plan, PlanCell, variant_of
from theact_tui.lab.play_game import Played
from theact_tui.paths import Home, incoming_folder, private_folder, write_private
from theact_tui.story.pack import Pack
from theact_tui.text import is_slug, one_line

PLAN, RESULTS, TIMINGS, JUDGEMENTS = "plan.yaml", "results.jsonl", "timings.jsonl", "judgements.jsonl"
ANSWER, REPORT = "answer.txt", "report.html"
LOCK, PROCESS = ".playing", ".process"
"""Lock of the process that plays, and its id with the games done when it began."""
ENDED = {"complete": "finished", "turns": "stopped at the limit", "lines": "out of lines", "failed": "failed"}

T = TypeVar("T")
K = TypeVar("K")
Pair = tuple[Mapping[str, Any], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class RunProgress:
    done: int = 0
    total: int = 0
    playing: bool = False
    seconds_left: float | None = None
    """Known once the process has played a game."""

    @property
    def text(self) -> str:
        """Such as `12 of 40 games · about 3 min left`."""
        whole = self.done == self.total
        state = ("judging" if whole else "playing") if self.playing else "" if whole else "stopped"
        left = time_left(self.seconds_left) if self.seconds_left else state
        return f"{self.done} of {self.total} games" + (f" · {left}" if left else "")


def time_left(seconds: float) -> str:
    return f"about {seconds / 60:.0f} min left" if seconds >= 90 else f"about {max(1, seconds):.0f} s left"


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    groups: dict[K, list[T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)


def pairs_of(results: Iterable[Mapping[str, Any]], base: str, other: str) -> dict[str, Pair]:
    """Pair the games of two storytellers by id of their judgement. Skips failed games."""
    games = {(variant_of(r), r["pack"], r["player"], r["seed"]): r for r in results if r["ended"] != "failed"}
    pairs = ((r, games.get((other, *game))) for (variant, *game), r in games.items() if variant == base)
    return {f"{first['id']} | {second['id']}": (first, second) for first, second in pairs if second}


class Run:
    def __init__(self, folder: Path) -> None:
        """Raises UsageError if the folder holds no run."""
        self.folder = folder
        try:
            document: Any = yaml.load((folder / PLAN).read_bytes(), str(folder / PLAN))
            self.plan = Plan.model_validate(document["plan"])
            self.packs: dict[str, str] = document["packs"]
            self.again = bool(document.get("again"))
        except (OSError, SaveError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{folder} contains no run of the lab.") from error

    @classmethod
    def begin(cls, folder: Path, plan: Plan, packs: Mapping[str, Pack]) -> Self:
        """Create a run, or open the run of the same plan. Raises UsageError for another plan."""
        documents = {name: pack.model_dump_json().encode() for name, pack in packs.items()}
        digests = {name: hashlib.sha256(document).hexdigest()[:16] for name, document in documents.items()}
        if not (folder / PLAN).exists():
            if folder.exists() and any(folder.iterdir()):
                raise UsageError(f"{folder} contains other files. Choose another folder with --out.")
            _write_plan(folder, plan, digests)
        run = cls(folder)
        if run.plan != plan or run.packs != digests:
            content = "another plan" if run.plan != plan else "games of an older version of a pack"
            raise UsageError(f"{folder} contains {content}. Choose another folder with --out.")
        run.tidy()
        return run

    @property
    def cells(self) -> list[PlanCell]:
        return list(self.plan.cells(again=self.again))

    def look_again(self, sure: bool) -> None:
        """Raises UsageError if the second look may not be taken."""
        refused = {
            "This plan has no second look. Plan one with second_look, before the first.": not self.plan.second_look,
            "The second look is taken already.": self.again,
            "The first look is not finished.": len(self.results()) < len(self.cells),
            "The first look was sure, so a second one is not needed.": sure,
        }
        for why in (why for why, holds in refused.items() if holds):
            raise UsageError(why)
        self.again = True
        _write_plan(self.folder, self.plan, self.packs, again=True)

    @property
    def answer(self) -> str:
        """First sentences of the report; "" before there is one."""
        with suppress(OSError):
            return (self.folder / ANSWER).read_text("utf-8").strip()
        return ""

    @property
    def home(self) -> Home:
        return Home.find(self.folder / "home")

    def save_folder(self, id: str) -> Path:
        """Raises UsageError for a bad id."""
        if not is_slug(id):
            raise UsageError(f"'{one_line(id, 40)}' in {self.folder} is not the id of a game.")
        return self.home.saves / id

    def results(self) -> list[dict[str, Any]]:
        return self._read(RESULTS)

    def timings(self) -> dict[str, dict[str, Any]]:
        return {line["id"]: line for line in self._read(TIMINGS)}

    def stamp(self) -> tuple[int, ...]:
        """Changes whenever a game is added."""
        with suppress(OSError):
            file = (self.folder / RESULTS).stat()
            return file.st_size, file.st_mtime_ns
        return ()

    def judgements(self) -> list[dict[str, Any]]:
        return self._read(JUDGEMENTS)

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Hold the lock while playing. Raises UsageError if another process holds it."""
        lock = FileLock(self.folder / LOCK, timeout=2)
        try:
            lock.acquire()
        except Timeout:
            raise UsageError(
                f"Another program plays the games of {self.folder}. Wait for it, or stop it."
            ) from None
        try:
            began = {"pid": os.getpid(), "done": len(self.results())}
            write_private(self.folder / PROCESS, json.dumps(began))
            yield
        finally:
            lock.release()

    def progress(self, done: int) -> RunProgress:
        total = len(self.cells)
        began = self._process()
        if began is None:
            return RunProgress(done, total)
        took, new = time.time() - (self.folder / PROCESS).stat().st_mtime, done - began["done"]
        return RunProgress(done, total, True, took / new * (total - done) if new > 0 else None)

    def stop(self) -> None:
        if began := self._process():
            with suppress(OSError):  # it has ended; Windows says so by another error
                os.kill(began["pid"], signal.SIGTERM)

    def _process(self) -> dict[str, int] | None:
        with suppress(Timeout), FileLock(self.folder / LOCK, timeout=0):
            return None
        with suppress(OSError, ValueError, KeyError, TypeError):
            began = json.loads((self.folder / PROCESS).read_text("utf-8"))
            return {"pid": int(began["pid"]), "done": int(began["done"])}
        return None  # it is just beginning

    def add(self, played: Played) -> None:
        """Store a game: first its save, then its result, which marks it as done."""
        target = self.save_folder(played.result["id"])
        if played.archive:
            with incoming_folder(private_folder(self.home.create().saves)) as scratch:
                with tarfile.open(fileobj=io.BytesIO(played.archive)) as archive:
                    archive.extractall(scratch, filter="data")
                if target.exists():
                    shutil.rmtree(target)
                (scratch / target.name).rename(target)
        self.append(TIMINGS, played.timing)
        self.append(RESULTS, played.result)

    def append(self, name: str, line: Mapping[str, Any]) -> None:
        with (self.folder / name).open("a", encoding="utf-8", newline="\n") as file:
            file.write(_line(line))

    def tidy(self) -> None:
        """Drop torn and double rows and sort the rest."""
        for name in (RESULTS, TIMINGS, JUDGEMENTS):
            if (self.folder / name).exists():
                write_private(self.folder / name, "".join(map(_line, self._read(name))))

    def _read(self, name: str) -> list[dict[str, Any]]:
        """Read rows sorted by id; the last one of an id counts."""
        rows: dict[str, dict[str, Any]] = {}
        with suppress(OSError):
            for line in (self.folder / name).read_bytes().split(b"\n"):
                with suppress(ValueError):
                    value = json.loads(line)
                    rows |= {value["id"]: value} if isinstance(value, dict) and "id" in value else {}
        return sorted(rows.values(), key=lambda line: str(line["id"]))


def _write_plan(folder: Path, plan: Plan, packs: Mapping[str, str], **more: bool) -> None:
    document: Any = {"plan": plan.model_dump(mode="json"), "packs": dict(packs), **more}
    write_private(folder / PLAN, yaml.dump(document).decode())


def _line(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n"
