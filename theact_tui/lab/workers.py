"""Where games are played: here, in processes of this machine, or on a cluster of dask.distributed."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from logging import ERROR
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.lab import without_extra
from theact_tui.lab.game import Job, Played, failed, play_job


def play_all(jobs: Sequence[Job], *, workers: int = 1, cluster: str = "") -> Iterator[Played]:
    """Play games and yield each when it is done, in any order.

    A game whose worker died is played again by another. Raises `UsageError` when a cluster cannot be reached, and when
    more than one worker is wanted without the extra `lab`.
    """
    if not cluster and workers == 1:
        yield from map(play_job, jobs)
        return
    try:
        from distributed import as_completed
    except ImportError as error:
        raise without_extra("More than one worker") from error
    with _client(workers, cluster) as client:
        waiting, running = iter(jobs), dict[Any, Job]()

        def begin(many: int) -> list[Any]:
            begun = {client.submit(play_job, job, pure=False): job for job in islice(waiting, many)}
            running.update(begun)
            return list(begun)

        done = as_completed(begin(2 * max(1, sum(client.ncores().values()))))
        for future in done:
            job, problem = running.pop(future), future.exception()
            yield future.result() if problem is None else failed(job.cell, f"The worker failed: {problem!r}")
            done.update(begin(1))


@contextmanager
def _client(workers: int, cluster: str) -> Iterator[Any]:
    """A client of a cluster, or of as many processes of this machine as there are to be workers."""
    from distributed import Client, LocalCluster

    if not cluster:
        heeded = signal.signal(
            signal.SIGINT, signal.SIG_IGN
        )  # ctrl-c is for this process, which ends the others
        try:
            local = LocalCluster(workers, threads_per_worker=1, dashboard_address=None, silence_logs=ERROR)
        finally:
            signal.signal(signal.SIGINT, heeded)
        with local, Client(local) as client:
            yield client
        return
    try:
        client = Client(cluster, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError(f"No scheduler of dask.distributed answers at {cluster}: {error}.") from error
    with client:
        yield client
