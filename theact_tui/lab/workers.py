"""Where games are played: here, in processes of this machine, or on a cluster of dask.distributed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from theact_tui.errors import TheActError, UsageError
from theact_tui.lab.game import Job, Played, failed, play_job

BREAKS = 3
"""How often in a row processes may die without a game being finished."""


def play_all(jobs: Sequence[Job], *, workers: int = 1, cluster: str = "") -> Iterator[Played]:
    """Play games and yield each when it is done, in any order.

    A game whose worker died is played again. Raises `UsageError` when a cluster cannot be reached.
    """
    if not cluster and workers == 1:
        yield from map(play_job, jobs)
        return
    left, breaks = {job.cell.id: job for job in jobs}, 0
    while left:
        try:
            with _executor(workers, cluster) as (pool, width):
                for played in _played(list(left.values()), pool, width):
                    del left[played.result["id"]]
                    breaks = 0
                    yield played
        except BrokenProcessPool as error:
            breaks += 1
            if breaks == BREAKS:
                raise TheActError("The worker processes keep crashing. Is there enough memory?") from error


def _played(jobs: Sequence[Job], pool: Executor, width: int) -> Iterator[Played]:
    """Keep twice as many games under way as there are workers, so that none waits and few are lost."""
    waiting, running = iter(jobs), dict[Future[Played], Job]()
    while True:
        for job in waiting:
            running[pool.submit(play_job, job)] = job
            if len(running) >= 2 * width:
                break
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            job = running.pop(future)
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                raise error
            yield future.result() if error is None else failed(job.cell, f"The worker failed: {error!r}")


@contextmanager
def _executor(workers: int, cluster: str) -> Iterator[tuple[Executor, int]]:
    if not cluster:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, mp_context=context, initializer=_begin) as pool:
            yield pool, workers
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError(
            "A cluster needs the extra 'lab': install it with '.venv/bin/pip install \".[lab]\"'."
        ) from error
    try:
        client = Client(cluster, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError(f"No scheduler of dask.distributed answers at {cluster}: {error}.") from error
    with client:
        yield client.get_executor(pure=False), max(1, sum(client.ncores().values()))


def _begin() -> None:
    """A worker process ends with the one that began it, and by ctrl-c without a word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)
