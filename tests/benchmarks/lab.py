"""Does a plan give the same results whoever plays it? Here, in processes, and on a cluster that loses a worker.

    python -m tests.benchmarks.lab [--seeds 4] [--turns 30] [--workers 1,2,4] [--no-cluster]

The three shipped packs and five players without a model. The cluster is a scheduler and three workers on loopback;
one of them is killed when a third of the games is done.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from theact_tui.lab.plan import Plan, PlayerSpec
from theact_tui.lab.run import begin, play_all
from theact_tui.paths import Home

PACKS = ("lost-island", "horsell-pit", "salt-road", "guest-in-nine")
PLAYERS = ("curious", "hasty", "silent", "contrary", "lost")


def run(plan: Plan, folder: Path, *, workers: int = 1, cluster: str = "", victim: int = 0) -> dict[str, Any]:
    """Play a plan; wall time, processor time of a turn and a digest of the results. `victim` is killed on the way."""
    run, jobs = begin(plan, Home.find(folder / "home").create(), folder / "out")
    began = time.monotonic()
    for done, played in enumerate(play_all(jobs, workers=workers, cluster=cluster), 1):
        run.add(played)
        if victim and done == len(jobs) // 3:
            os.kill(victim, signal.SIGKILL)
    run.tidy()
    seconds = time.monotonic() - began
    results = run.results()
    turns = sum(result["turns"] for result in results)
    used = sum(timing["cpu_seconds"] for timing in run.timings().values())
    return {
        "games": len(results),
        "turns": turns,
        "finished": sum(result["finished"] for result in results),
        "failed": sum(result["ended"] == "failed" for result in results),
        "seconds": round(seconds, 1),
        "cpu_ms_per_turn": round(1000 * used / turns, 1),
        "digest": hashlib.sha256((folder / "out" / "results.jsonl").read_bytes()).hexdigest()[:16],
    }


def on_a_cluster(plan: Plan, folder: Path) -> dict[str, Any]:
    """Play a plan with a scheduler and three workers, one of which is killed."""
    file = folder / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    processes = [
        subprocess.Popen(
            [*command, "--no-dashboard", "--scheduler-file", str(file)], stderr=subprocess.DEVNULL
        )
    ]
    try:
        while not file.exists():
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        worker = [
            sys.executable,
            "-m",
            "distributed.cli.dask_worker",
            address,
            "--nthreads",
            "1",
            "--no-nanny",
            "--no-dashboard",
        ]
        processes += [subprocess.Popen(worker, stderr=subprocess.DEVNULL, cwd=folder) for _ in range(3)]
        return run(plan, folder, cluster=address, victim=processes[1].pid)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--no-cluster", action="store_true")
    options = parser.parse_args()
    seeds = tuple(range(1, options.seeds + 1))
    players = tuple(PlayerSpec(name=name) for name in PLAYERS)
    plan = Plan(packs=PACKS, players=players, seeds=seeds, turns=options.turns)
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for workers in map(int, options.workers.split(",")):
            found[f"workers {workers}"] = run(plan, Path(folder) / str(workers), workers=workers)
        if not options.no_cluster:
            (Path(folder) / "cluster").mkdir()
            found["cluster of 3, one killed"] = on_a_cluster(plan, Path(folder) / "cluster")
    found["same results"] = len({each["digest"] for each in found.values()}) == 1
    found["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
