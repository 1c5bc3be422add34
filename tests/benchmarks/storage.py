"""All figures of saves after few and after many turns (S9, S14): what saving, opening, undoing, branching, comparing
and drawing the tree cost, on the store alone and through the whole program, and how much they take on the disk.

    nice python -m tests.benchmarks.storage [SIZE ...]

One save is filled on the store, copied at each size, and then all sizes are measured in turns, so that the noise of
the machine falls on all alike. The git program commits the same files beside it. Milliseconds, medians. Prints JSON,
and a table on standard error. Lines that begin with `program` went through a `Session` with an instant model.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.whole_turn import whole_turn
from tests.support.games import new_game, played
from theact_tui.saves import codec as files
from theact_tui.saves.save import Save
from theact_tui.story.game import Game, Spoken

SIZES = (10, 100, 1_000, 5_000)
ROUNDS = 25
PROSE = (
    "You kneel by the spring. It is warm, and the stones around it are cut; somebody has set them here, long before "
    "the reef had a name. "
)


def main() -> None:
    """Fill, measure, print."""
    sizes = tuple(int(size) for size in sys.argv[1:]) or SIZES
    with tempfile.TemporaryDirectory() as name:
        cases = fill(Path(name), sizes)
        for number in range(ROUNDS):
            for case in random.Random(number).sample(cases, len(cases)):
                measure(case)
        found = report(cases)
    print(json.dumps(found, indent=2))
    print(table(found), file=sys.stderr)


@dataclass(eq=False)
class Case:
    """A save of a certain size, a work tree of the git program beside it, and what was measured."""

    size: int
    folder: Path
    work_tree: Path
    disk: dict[str, float] = field(default_factory=dict)
    wall: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    cpu: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def timed(self, what: str, act: Callable[[], Any]) -> Any:
        """Run and note how long it took."""
        wall, cpu = time.perf_counter(), time.process_time()
        result = act()
        self.wall[what].append((time.perf_counter() - wall) * 1_000)
        self.cpu[what].append((time.process_time() - cpu) * 1_000)
        return result


def next_turn(game: Game) -> Game:
    """About 1 KB of prose and changed memories, as in a real turn."""
    number = game.state.turn + 1
    return played(game, f"I look at stone {number} and wait.", f"Stone {number}. " + PROSE * 7)


def fill(home: Path, sizes: tuple[int, ...]) -> list[Case]:
    """One save for each size; filling does not wait for the disk, measuring will."""
    cases, folder = [], home / "filling"
    sync = os.fsync
    os.fsync = _no_sync
    game = new_game()
    game = replace(game, pack=game.pack.model_copy(update={"prompts": {}}))
    save = Save.create(folder, game)
    for number in range(1, max(sizes) + 1):
        game = next_turn(game)
        save.commit(game)
        if number not in sizes:
            continue
        save.close()
        case = Case(number, home / f"save-{number}", home / f"git-{number}")
        shutil.copytree(folder, case.folder)
        git(home, "clone", "-q", str(folder), str(case.work_tree))
        case.disk = disk(case.folder, number)
        with Save.open(case.folder) as copy:
            copy.create_branch("aside", number // 2)
            copy.switch_branch("aside")
            for _ in range(5):
                copy.commit(next_turn(copy.load()))
            copy.switch_branch("main")
        cases.append(case)
        save = Save.open(folder)
        print(f"{number} turns", file=sys.stderr)
    save.close()
    os.fsync = sync
    return cases


def _no_sync(fd: object) -> None:
    """Leave it to the system when to write."""


def measure(case: Case) -> None:
    """One round."""
    for cache in (files._parse_turn.cache_clear, files._packs.clear):
        cache()
    save = case.timed("open_and_load", lambda: opened(case.folder))
    case.timed("last_20_turns", lambda: save.turns(save.turn - 19, save.turn))
    save._showing.wait()
    game = save.load()
    new = next_turn(game)
    spoken = Spoken(parent=save.head, branch=save.branch, turn=new.turns[new.state.turn], present=())
    case.timed("journal", lambda: save.unfinished.journal(spoken))
    case.timed("turn", lambda: save.commit(new))
    save._showing.wait()
    case.timed("undo", save.undo)
    case.timed("redo", save.redo)
    middle = case.size // 2
    case.timed("game_at_middle", lambda: save.state_at(middle))
    case.timed("branch", lambda: save.create_branch("new", middle))
    save.delete_branch("new")
    case.timed("compare", lambda: save.compare("main", "aside", limit=50))
    case.timed("log_50", lambda: save.log(50))
    case.timed("list_branches", save.branches)
    case.timed("tree", save.tree)
    save._showing.wait()
    case.timed("close", save.close)
    whole_turn(case.folder, case.timed)
    by_git(case, game, new)


def opened(folder: Path) -> Save[Game]:
    """Open for writing and load."""
    save = Save.open(folder)
    save.load()
    return save


def by_git(case: Case, before: Game, game: Game) -> None:
    """The same turn with the git program, in a work tree that holds the same files."""
    contents = files.GAMES.changed_files(game, before)
    for path, data in contents.items():
        file = case.work_tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data or b"")

    def commit() -> None:
        git(case.work_tree, "add", *contents)
        git(
            case.work_tree,
            "-c",
            "user.name=a",
            "-c",
            "user.email=b",
            "commit",
            "-q",
            "-m",
            f"Turn {game.state.turn}",
        )

    case.timed("git_program_turn", commit)


def git(folder: Path, *arguments: str) -> None:
    """Run the git program, with objects and refs on the disk as ours are."""
    safe = ("-c", "core.fsync=committed", "-c", "core.fsyncMethod=fsync", "-c", "gc.auto=0")
    subprocess.run(["git", *safe, *arguments], cwd=folder, check=True, capture_output=True)


def disk(folder: Path, turns: int) -> dict[str, float]:
    """Bytes per turn, of content and as allocated."""
    stats = [path.lstat() for path in (folder / ".git").rglob("*") if path.is_file()]
    return {
        "bytes_per_turn": round(sum(found.st_size for found in stats) / turns),
        "allocated_bytes_per_turn": round(sum(found.st_blocks for found in stats) * 512 / turns),
        "files": len(stats),
    }


def report(cases: list[Case]) -> dict[str, Any]:
    """Medians by operation and size, and how they grew."""
    operations = list(cases[0].wall)
    sizes = {case.size: case for case in cases}

    def ratio(what: str, many: int, few: int, kind: str) -> float | None:
        if many not in sizes or few not in sizes:
            return None
        times = [sizes[size].wall if kind == "wall" else sizes[size].cpu for size in (many, few)]
        return round(median(times[0][what]) / median(times[1][what]), 2)

    return {
        "wall_ms": {
            what: {case.size: round(median(case.wall[what]), 2) for case in cases} for what in operations
        },
        "cpu_ms": {
            what: {case.size: round(median(case.cpu[what]), 2) for case in cases} for what in operations
        },
        "turn_1000_to_10": {kind: ratio("turn", 1_000, 10, kind) for kind in ("wall", "cpu")},
        "program_turn_1000_to_10": {kind: ratio("program_turn", 1_000, 10, kind) for kind in ("wall", "cpu")},
        "open_5000_to_10": {kind: ratio("open_and_load", 5_000, 10, kind) for kind in ("wall", "cpu")},
        "program_open_5000_to_10": {kind: ratio("program_open", 5_000, 10, kind) for kind in ("wall", "cpu")},
        "disk": {case.size: case.disk for case in cases},
        "rounds": ROUNDS,
        "load_average": os.getloadavg()[0],
    }


def table(found: dict[str, Any]) -> str:
    """All of it for people, one line for each operation."""
    sizes = list(found["disk"])
    heads = [f"{size:,} turns" for size in sizes]
    lines = [_row("ms, wall (cpu)", heads)]
    for what, wall in found["wall_ms"].items():
        cpu = found["cpu_ms"][what]
        lines.append(_row(what, [f"{wall[size]:.1f} ({cpu[size]:.1f})" for size in sizes]))
    for what in found["disk"][sizes[0]]:
        lines.append(_row(what, [f"{found['disk'][size][what]:,}" for size in sizes]))
    lines += [f"{name}: {ratios}" for name, ratios in found.items() if "_to_" in name]
    return "\n".join(lines)


def _row(head: str, cells: list[str]) -> str:
    return f"{head:<24}" + "".join(f"{cell:>18}" for cell in cells)


if __name__ == "__main__":
    main()
