"""Play a plan's missing games here, in local processes, or on a dask.distributed cluster."""

import asyncio
import json
import multiprocessing
import os
import signal
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from functools import reduce
from itertools import islice
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from theact_tui.agents.prompts import TEMPLATES
from theact_tui.detached import start_detached
from theact_tui.errors import UsageError
from theact_tui.field_errors import field_message
from theact_tui.lab import without_extra
from theact_tui.lab.plan import OWN, Plan, PlannedTelling, read_prompts
from theact_tui.lab.play_game import Job, Played, failed, play_job
from theact_tui.lab.run_folder import ENDED, Run, time_left
from theact_tui.models.consent import find_targets
from theact_tui.models.environment import ModelOptions, environment, unexpected
from theact_tui.models.profiles import OFFLINE
from theact_tui.models.settings import Settings, SettingsFile
from theact_tui.packs.library import pack_folder
from theact_tui.packs.loader import load_pack
from theact_tui.paths import Home, private_folder
from theact_tui.story.pack import GameInfo, Pack
from theact_tui.text import counted

_RECOMMENDED_PAIRS = 10


def begin(plan: Plan, home: Home, folder: Path, *, again: bool = False) -> tuple[Run, list[Job]]:
    """Open or create the run of a plan; return it with the missing games. `again` takes the second look. Raises
    UsageError.
    """
    settings = SettingsFile(home.config_file).read()
    if plan.judge == OFFLINE:
        raise UsageError("The offline storyteller cannot judge. Name a connected model as the judge.")
    for asked in (plan.judge, *(p.profile for p in plan.players), *(t.profile for t in plan.tellings)):
        check_profile(asked or OFFLINE, settings)
    packs_and_settings = {
        (Path(name).name, of): _pack_and_settings(telling, place, name, home, settings)
        for telling, of in zip(plan.tellings, plan.names, strict=True)
        for place, name in enumerate(plan.packs)
    }
    slop = _phrases(plan.slop)
    run = Run.begin(folder, plan, {" ".join(of): pack for of, (pack, _) in packs_and_settings.items()})
    if again:
        from theact_tui.lab.compare import comparisons

        run.look_again(all(comparison.is_sure for comparison in comparisons(run)))
    done = {result["id"] for result in run.results()}
    players = {player.name: player for player in plan.players}
    jobs = [
        Job(cell, players[cell.player], pack, plan.turns, own, slop)
        for cell in run.cells
        if cell.id not in done
        for pack, own in [packs_and_settings[cell.pack, cell.variant]]
    ]
    return run, jobs


def _pack_and_settings(
    telling: PlannedTelling, place: int, name: str, home: Home, settings: Settings
) -> tuple[Pack, Settings]:
    """Raises UsageError, also for settings the offline storyteller ignores."""
    mine = {key: value for key, value in telling.settings.items() if key in GameInfo.model_fields}
    others = {key: value for key, value in telling.settings.items() if key not in mine}
    if telling.profile == OFFLINE and (telling.teller or telling.prompts != OWN or others):
        raise UsageError(
            "The offline storyteller reads no prompts and no settings of models, so there is nothing to compare. Name a "
            "connected model: --profiles NAME, or `profiles: [NAME]` in the plan."
        )
    pack = load_pack(pack_folder(home.packs, telling.packs[place] if telling.packs else name))
    templates = {} if telling.prompts == OWN else read_prompts(telling.prompts, TEMPLATES)
    document = settings.model_dump()
    for key, value in others.items():
        *tables, last = key.split(".")
        reduce(lambda table, part: table.setdefault(part, {}), tables, document)[last] = value
    try:
        game = GameInfo.model_validate({**pack.game.model_dump(), **mine})
        own = Settings.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = f"{'.'.join(map(str, first['loc']))} of vs"
        raise UsageError(f"{field_message(Settings, first, where)}.") from error
    return pack.model_copy(update={"game": game, "prompts": {**pack.prompts, **templates}}), own


def _phrases(file: str) -> tuple[str, ...]:
    try:
        lines = json.loads(Path(file).read_text("utf-8")) if file else []
        return tuple(str(phrase if isinstance(phrase, str) else phrase[0]).casefold() for phrase in lines)
    except (OSError, ValueError, TypeError, KeyError, IndexError) as error:
        raise UsageError(f"{file} is no JSON list of phrases.") from error


def check_profile(profile: str, settings: Settings) -> None:
    """Raises UsageError for an unknown profile and ConsentNeeded without consent."""
    if profile != OFFLINE:
        options = ModelOptions(profile=profile)
        find_targets(settings, options, environment()).check_consent(settings, options)


def start_run(run: Run, home: Home) -> None:
    """Play the missing games in a process that outlives this one."""
    workers = min(4, max(1, (os.cpu_count() or 2) - 1))
    at = ["--home", str(home.data)] if home.data == home.config else []
    command = ["-m", "theact_tui", *at, "lab", "run", str(run.folder), "--workers", str(workers)]
    with (private_folder(home.logs) / "lab.log").open("ab") as log:
        start_detached([sys.executable, *command], log)


def play_all(jobs: Sequence[Job], *, workers: int = 1, cluster: str = "") -> Iterator[Played]:
    """Play games and yield each when it is done. Raises UsageError when a cluster cannot be used."""
    if not cluster:
        yield from map(play_job, jobs) if workers == 1 else play_in_processes(jobs, workers)
        return
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise without_extra("A cluster") from error
    try:
        connection = Client(cluster, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError(f"No scheduler of dask.distributed answers at {cluster}: {error}.") from error
    with connection as client:
        waiting, running = iter(jobs), dict[Any, Job]()

        def begin(many: int) -> list[Any]:
            begun = {client.submit(play_job, job, pure=False): job for job in islice(waiting, many)}
            running.update(begun)
            return list(begun)

        done = as_completed(begin(2 * max(1, sum(client.ncores().values()))))
        for future in done:
            job, problem = running.pop(future), future.exception()
            why = f"The worker failed: {unexpected(problem)}" if problem else ""
            yield failed(job.cell, why) if problem else future.result()
            done.update(begin(1))


def play_plan(
    run: Run, jobs: Sequence[Job], home: Home, workers: int, cluster: str, say: Callable[[str], None]
) -> None:
    """Play the missing games, let the judge compare, and write the report. `say` gets a line per game."""
    total, began = len(run.cells), time.monotonic()
    pairs = total // len(run.plan.tellings)
    if pairs < _RECOMMENDED_PAIRS and pairs < total:
        say(f"{counted(pairs, 'pair')} for each comparison; {_RECOMMENDED_PAIRS} or more are recommended.")
    with run.playing():
        for done, played in enumerate(play_all(jobs, workers=workers, cluster=cluster), 1):
            run.add(played)
            result, left = played.result, (time.monotonic() - began) / done * (len(jobs) - done)
            why = f": {result['error']}" if result["error"] else ""
            outcome = (
                f"{result['id']}  {ENDED[result['ended']]} after {counted(result['turns'], 'turn')}{why}"
            )
            say(
                f"[{total - len(jobs) + done}/{total}] {outcome}" + (f"  ({time_left(left)})" if left else "")
            )
        run.tidy()
        if run.plan.judge:
            from theact_tui.lab.judge_pairs import judge_all

            asyncio.run(judge_all(run, SettingsFile(home.config_file).read(), say))
        with suppress(ImportError):
            from theact_tui.lab.report import write_report

            write_report(run)


_MAX_DEATHS = 3
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
            for pipe in cast(list[Connection], wait(list(busy))):
                worker, job = busy.pop(pipe)
                try:
                    played: Played | None = pipe.recv()
                except (EOFError, OSError):
                    worker.kill()
                    worker, played = Worker(), None
                    deaths[job.cell.id] += 1
                    if deaths[job.cell.id] < _MAX_DEATHS:
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
