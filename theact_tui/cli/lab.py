from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from theact_tui.cli.context import (
    Answer,
    answers,
    home_option,
    opened,
    printed,
    program,
    say,
)
from theact_tui.errors import UsageError
from theact_tui.lab import without_extra
from theact_tui.models.settings import SettingsFile
from theact_tui.packs.library import pack_folder
from theact_tui.packs.loader import load_pack
from theact_tui.paths import Home, quoted_argument
from theact_tui.text import counted

if TYPE_CHECKING:
    from theact_tui.lab.run_folder import Run


@click.group("lab")
def lab() -> None:
    """Measure packs, models and prompts. Plays many games by itself and compares them."""


@lab.command("run")
@click.argument("what", metavar="PLAN.yaml|PACK|DIR")
@click.option(
    "--players", default="curious", metavar="P,...", help="Kinds, files of lines, or model:PROFILE."
)
@click.option("--seeds", type=click.IntRange(1, 1000), default=4, help="Games of each combination.")
@click.option("--turns", type=click.IntRange(1, 1000), default=30, help="The most turns of a game.")
@click.option("--profiles", default="offline", metavar="A,B", help="Connected models that tell the story.")
@click.option(
    "--prompts", default="own", metavar="DIR,...", help="Folders of templates; 'own' are the pack's."
)
@click.option(
    "--vs",
    multiple=True,
    metavar="WHAT",
    help="Compare with plain-chat, profile:NAME, prompts:DIR, pack:DIR or SETTING=VALUE.",
)
@click.option("--judge", default="", metavar="PROFILE", help="A model that compares the games.")
@click.option("--primary", metavar="MEASURE", help="What the question is about.")
@click.option(
    "--no-worse", type=float, metavar="SHARE", help="How much worse is still no worse, such as 0.1."
)
@click.option("--second-look", type=click.IntRange(0, 1000), default=0, help="Seeds that may be added once.")
@click.option("--again", is_flag=True, help="Take the second look of the run in DIR.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Where results go.")
@click.option("--workers", type=click.IntRange(1, 256), default=1, help="Processes on this machine.")
@click.option("--cluster", default="", metavar="tcp://HOST:PORT", help="A scheduler of dask.distributed.")
@home_option
def run_plan_command(
    what: str, out: Path | None, workers: int, cluster: str, again: bool, home: Home, **options: Any
) -> None:
    """Play the games of a plan. To continue a stopped run, repeat the command or name its folder."""
    from theact_tui.lab.plan import make_plan, read_plan
    from theact_tui.lab.run_folder import PLAN, REPORT
    from theact_tui.lab.run_plan import begin, play_plan

    if (Path(what) / PLAN).is_file():
        plan, out = _run(Path(what)).plan, Path(what)
    else:
        is_file = Path(what).suffix in (".yaml", ".yml")
        plan = read_plan(Path(what)) if is_file else make_plan(what, **options)
        out = out or home.lab / (Path(what).stem if is_file else Path(what).name)
    run, jobs = begin(plan, home, out, again=again)
    try:
        play_plan(run, jobs, home, workers, cluster, say=lambda text: say(text, err=True))
    except KeyboardInterrupt:
        done, total = len(run.results()), len(run.cells)
        say(f"Stopped: {done} of {total} games are done. Repeat the command to continue.", err=True)
        click.get_current_context().exit(130)
    if run.answer:
        say(run.answer)
    say(f"{counted(len(run.results()), 'game')} in {run.folder}")
    folder, games = quoted_argument(run.folder), quoted_argument(run.folder / "home")
    report = run.folder / REPORT
    written = f"Report: {report}" if report.is_file() else f"Report: `{program()} lab report {folder}`"
    say(f"{written}. Games: `theact-tui --home {games}`.")


def _run(folder: Path, home: Home | None = None) -> Run:
    from theact_tui.lab.run_folder import PLAN, Run

    named = home.lab / folder.name if home and not (folder / PLAN).is_file() else folder
    return Run(named if (named / PLAN).is_file() else folder)


@lab.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@home_option
def report_command(folder: Path, home: Home) -> None:
    """Write the report of a run as one HTML page. Needs the extra 'lab'."""
    run = _run(folder, home)
    try:
        from theact_tui.lab.report import write_report
    except ImportError as error:
        raise without_extra("A report") from error
    say(f"Wrote {write_report(run)}")


@lab.command("show")
@click.argument("folder", type=click.Path(path_type=Path))
@printed
@home_option
def show_command(folder: Path, home: Home) -> Answer:
    """Show the games of a run and why they ended."""
    run = _run(folder, home)
    results, total = run.results(), len(run.cells)
    lines = [*run.answer.splitlines(), f"{len(results)} of {total} games"]
    for result in results:
        share = result["measures"].get("scores", {}).get("beats")
        beats = "-" if share is None else f"{share:.0%}"
        why = f"  {result['error']}" if result["error"] else ""
        lines.append(
            f"{result['id']:<44}  {result['ended']:<9} {result['turns']:>4} turns  beats {beats:>4}{why}"
        )
    document = {"answer": run.answer, "results": results, "judgements": run.judgements()}
    return Answer({"games": total, **document}, "\n".join(lines))


@lab.command("test")
@click.argument("packs", nargs=-1, required=True, metavar="PACK...")
@click.option("--only", default="", metavar="NAME", help="Only the scenario of this name.")
@click.option("--profile", default="offline", metavar="NAME", help="Let a model tell the stories.")
@click.option(
    "--junit", "junit_file", type=click.Path(path_type=Path), metavar="FILE", help="Write JUnit XML."
)
@home_option
def test_command(
    packs: tuple[str, ...], only: str, profile: str, junit_file: Path | None, home: Home
) -> None:
    """Play the scenarios of packs. Exits with 1 if one of them does not go as expected."""
    from theact_tui.lab.run_plan import check_profile
    from theact_tui.lab.scenarios import junit, read_scenarios, run_scenario

    settings = SettingsFile(home.config_file).read()
    check_profile(profile, settings)
    suites = {}
    for name in packs:
        folder = pack_folder(home.packs, name)
        pack = load_pack(folder)
        suites[pack.id] = [
            run_scenario(scenario_name, scenario, pack, settings, profile)
            for scenario_name, scenario in read_scenarios(folder, pack).items()
            if only in ("", scenario_name)
        ]
        say(pack.id)
        for outcome in suites[pack.id]:
            say(f"{'FAILED' if outcome.problems else 'ok    '}  {outcome.name}: {outcome.title}")
            say("".join(f"        {problem}\n" for problem in outcome.problems), nl=False)
    if junit_file:
        junit_file.write_text(junit(suites), "utf-8")
    outcomes = [outcome for suite in suites.values() for outcome in suite]
    if not outcomes:
        raise UsageError(f"There is no scenario '{only}'.")
    if any(outcome.problems for outcome in outcomes):
        click.get_current_context().exit(1)


@lab.command("replay")
@click.argument("save")
@click.option(
    "--turn", type=click.IntRange(min=1), required=True, help="The turn whose prompt is sent again."
)
@click.option("--agent", default="narrator", help="narrator, character, memory, ...")
@click.option("--character", default="", metavar="ID", help="The character that was asked.")
@click.option("--profile", default="offline", metavar="NAME", help="Who answers now.")
@click.option("--prompts", default="", metavar="DIR", help="Rebuild the prompt from these templates.")
@click.option("--times", type=click.IntRange(1, 100), default=1, help="How many answers.")
@answers
def replay_command(
    save: str, turn: int, agent: str, character: str, profile: str, prompts: str, times: int, home: Home
) -> Answer:
    """Send a prompt of a past turn again. The first answer shown is the original."""
    from theact_tui.lab.replay import replay
    from theact_tui.lab.run_plan import check_profile

    settings = SettingsFile(home.config_file).read()
    check_profile(profile, settings)
    key = f"{agent}:{character}" if character else agent
    with opened(home, save) as store:
        again = replay(store, turn, key, settings, profile=profile, prompts=prompts, times=times)
    lines = [f"=== turn {turn} · {again.call.key} · {again.call.model}\n{again.call.reply.strip()}"]
    for number, answer in enumerate(again.answers, 1):
        lines.append(f"\n=== now, {number} of {times} · {again.model}\n{answer.strip()}")
    document = {"messages": again.messages, "then": again.call.reply, "now": again.answers}
    return Answer(document, "\n".join(lines))
