"""`lab`: games played and measured without hands, scenarios, and prompts asked again (S19)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from theact_tui.cli.context import home_option, say
from theact_tui.errors import UsageError
from theact_tui.paths import Home

if TYPE_CHECKING:
    from theact_tui.lab.plan import Plan
    from theact_tui.lab.results import Run


@click.group("lab")
def lab() -> None:
    """Measure packs, models and prompts. Plays many games by itself and compares them."""


@lab.command("run")
@click.argument("what", metavar="PLAN.yaml|PACK")
@click.option(
    "--players", default="curious", metavar="P,...", help="Kinds, files of lines, or model:PROFILE."
)
@click.option("--seeds", type=click.IntRange(1, 1000), default=4, help="Games of each combination.")
@click.option("--turns", type=click.IntRange(1, 1000), default=30, help="The most turns of a game.")
@click.option("--profiles", default="offline", metavar="A,B", help="Who tells the story.")
@click.option(
    "--prompts", default="own", metavar="DIR,...", help="Folders of templates; 'own' are the pack's."
)
@click.option("--judge", default="", metavar="PROFILE", help="A model that compares the games.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Where results go.")
@click.option("--workers", type=click.IntRange(1, 256), default=1, help="Processes on this machine.")
@click.option("--cluster", default="", metavar="tcp://HOST:PORT", help="A scheduler of dask.distributed.")
@home_option
def run_command(
    what: str,
    players: str,
    seeds: int,
    turns: int,
    profiles: str,
    prompts: str,
    judge: str,
    out: Path | None,
    workers: int,
    cluster: str,
    home: Home,
) -> None:
    """Play the games of a plan. A run that was stopped goes on when the same command is given again."""
    from theact_tui.lab.run import begin, play_plan

    if what.endswith((".yaml", ".yml")):
        from theact_tui.lab.plan import read_plan

        plan, name = read_plan(Path(what)), Path(what).stem
    else:
        plan = _plan(what, players, seeds, turns, profiles, prompts, judge)
        name = Path(what).name
    run, jobs = begin(plan, home, out or home.data / "lab" / name)
    try:
        play_plan(run, jobs, home, workers, cluster, say=lambda text: say(text, err=True))
    except KeyboardInterrupt:
        say(f"Stopped with {len(run.results())} games done. The same command goes on from here.", err=True)
        click.get_current_context().exit(130)
    say(f"{len(run.results())} games in {run.folder}")
    say(f"Report: `theact-tui lab report {run.folder}`. Games: `theact-tui --home {run.folder / 'home'}`.")


def _plan(pack: str, players: str, seeds: int, turns: int, profiles: str, prompts: str, judge: str) -> Plan:
    from pydantic import ValidationError

    from theact_tui.lab.plan import Plan, with_files

    try:
        plan = Plan.model_validate(
            {
                "packs": [pack],
                "players": players.split(","),
                "seeds": seeds,
                "turns": turns,
                "profiles": profiles.split(","),
                "prompts": prompts.split(","),
                "judge": judge,
            }
        )
    except ValidationError as error:
        raise UsageError(f"{error.errors()[0]['msg'].removeprefix('Value error, ').capitalize()}.") from None
    return with_files(plan, Path.cwd())


def _run(folder: Path) -> Run:
    from theact_tui.lab.results import Run

    return Run(folder)


@lab.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
def report_command(folder: Path) -> None:
    """Write the report of a run as one HTML page. Needs the extra 'lab'."""
    run = _run(folder)
    try:
        from theact_tui.lab.report import write_report
    except ImportError as error:
        raise UsageError(
            f"Reports need the extra 'lab': pip install 'theact_tui[lab]' ({error.name} is missing)."
        ) from error
    say(f"Wrote {write_report(run)}")
