from __future__ import annotations

import multiprocessing
import signal
from collections import Counter, deque
from collections.abc import Generator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait

from theact_tui.lab.play_game import Job, Played, failed, play_job
from theact_tui.models.environment import unexpected

MAX_DEATHS = 3
"""Processes that one game may cost."""


class Worker:
    """A process that plays one game at a time."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_play_jobs, args=(theirs,), daemon=True)
        on_interrupt = signal.signal(
            signal.SIGINT, signal.SIG_IGN
        )  # inherited: ctrl-c is for this process only
        try:
            self._process.start()
        finally:
            signal.signal(signal.SIGINT, on_interrupt)
        theirs.close()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        self.pipe.close()


def play_in_processes(jobs: Sequence[Job], workers: int) -> Generator[Played, None, None]:
    """Play games and yield each when it is done. A game whose process died is played again."""
    waiting, deaths, busy = deque(jobs), Counter[str](), dict[Connection, tuple[Worker, Job]]()
    idle = [Worker() for _ in range(min(workers, len(jobs)))]
    try:
        while waiting or busy:
            while waiting and idle:
                worker, job = idle.pop(), waiting.popleft()
                with suppress(OSError):  # it died: `recv` says so
                    worker.pipe.send(job)
                busy[worker.pipe] = worker, job
            for pipe in wait(list(busy)):
                assert isinstance(pipe, Connection)
                worker, job = busy.pop(pipe)
                try:
                    played: Played | None = pipe.recv()
                except (EOFError, OSError):
                    worker.kill()
                    worker, played = Worker(), None
                    deaths[job.cell.id] += 1
                    if deaths[job.cell.id] < MAX_DEATHS:
                        waiting.append(job)
                    else:
                        played = failed(job.cell, "The process that played it died.")
                idle.append(worker)
                if played:
                    yield played
    finally:
        for worker in (*idle, *(worker for worker, _ in busy.values())):
            worker.kill()


def _play_jobs(pipe: Connection) -> None:
    with suppress(EOFError, OSError):
        while True:
            job: Job = pipe.recv()
            try:
                played = play_job(job)
            except Exception as error:
                played = failed(job.cell, f"The worker failed: {unexpected(error)}")
            pipe.send(played)
