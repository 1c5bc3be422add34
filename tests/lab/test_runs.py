"""Plans: every cell is a game that the app opens; the same results with any number of workers; stopped runs go on."""

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Never, cast

import pytest

from tests.importing.cards import v2
from tests.support.cli import Run, ran
from theact_tui.cli import main
from theact_tui.errors import UsageError
from theact_tui.importing.plan_card_import import plan_pack, source_file
from theact_tui.lab.plan import Plan, make_plan, read_plan
from theact_tui.lab.run_folder import Run as LabRun
from theact_tui.lab.run_folder import RunProgress
from theact_tui.lab.run_plan import begin, play_all, play_in_processes
from theact_tui.paths import Home

pytestmark = pytest.mark.xdist_group("runs of the lab")  # what its tests share is made once
SMALL = ("lost-island", "--players", "curious,silent", "--seeds", "2", "--turns", "2")
IDS = ["lost-island-curious-1", "lost-island-curious-2", "lost-island-silent-1", "lost-island-silent-2"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of these four games, played by one worker; to be read."""
    folder = tmp_path_factory.mktemp("small")
    assert main(["lab", "run", *SMALL, "--out", str(folder / "out"), "--home", str(folder / "home")]) == 0
    return folder / "out"


def result_lines(run: Path) -> list[bytes]:
    return (run / "results.jsonl").read_bytes().splitlines()


def test_each_cell_is_a_game_that_can_be_opened(
    lab: Run, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = lab("show", str(small), "--json").json["results"]
    assert [each["id"] for each in results] == IDS
    home = ("--home", str(small / "home"))
    saves = ran(capsys, "saves", "--json", *home).json
    assert {save["name"] for save in saves} == {each["id"] for each in results}
    shown = ran(capsys, "show", "lost-island-curious-2", "--json", *home).json
    assert shown["turn"] == 2 == results[1]["turns"]
    assert (
        "in which the people here talk and act"
        in ran(capsys, "prompts", "lost-island-curious-2", "--agent", "narrator", *home).out
    )


def test_two_workers_give_the_same_results_as_one(lab: Run, small: Path, tmp_path: Path) -> None:
    made = lab("run", *SMALL, "--workers", "2", "--out", "out")
    assert made.code == 0 and "[4/4]" in made.err
    assert result_lines(tmp_path / "out") == result_lines(small)


def test_workers_of_this_machine_listen_nowhere(small: Path, tmp_path: Path) -> None:
    _, jobs = begin(LabRun(small).plan, Home.find(tmp_path / "home"), tmp_path / "out")
    games = play_in_processes(jobs, 2)
    next(games)
    children = [child.pid for child in multiprocessing.active_children()]
    inodes = {f"socket:[{line.split()[9]}]" for name in ("tcp", "tcp6") for line in listening(name)}
    held = {file for pid in children for file in open_files(pid)}
    games.close()
    assert len(children) == 2 and not held & inodes and not multiprocessing.active_children()


def open_files(pid: int | None) -> Iterator[str]:
    """What a process, which goes on working, has open."""
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            yield str(link.readlink())


def listening(name: str) -> list[str]:
    """The lines of sockets that listen."""
    return [
        line for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:] if line.split()[3] == "0A"
    ]


def test_a_game_whose_process_dies_is_played_again_and_given_up_after_the_third(
    small: Path, tmp_path: Path
) -> None:
    _, jobs = begin(LabRun(small).plan, Home.find(tmp_path / "home"), tmp_path / "out")
    deadly = replace(jobs[0], turns=cast("int", Deadly()))
    results = {played.result["id"]: played.result for played in play_all([deadly, jobs[1]], workers=2)}
    assert results[jobs[1].cell.id]["ended"] != "failed"
    assert "died" in results[deadly.cell.id]["error"]


class Deadly:
    """Ends the process that reads it."""

    def __reduce__(self) -> tuple[Callable[[int], Never], tuple[int]]:
        return os._exit, (1,)


def test_a_cluster_gives_the_same_results_as_one_worker(lab: Run, small: Path, tmp_path: Path) -> None:
    from distributed import LocalCluster

    made = lab("run", "lost-island", "--cluster", "nothing://here", "--out", "none")
    assert made.code == 2 and "nothing://here" in made.err
    game = ("lost-island", "--seeds", "2", "--turns", "2")
    with LocalCluster(n_workers=1, processes=False, protocol="tcp://", dashboard_address=":0") as cluster:
        assert lab("run", *game, "--out", "out", "--cluster", cluster.scheduler_address).code == 0
    assert result_lines(tmp_path / "out") == result_lines(small)[:2]


def test_games_need_none_of_the_extra_libraries_and_reports_say_so(tmp_path: Path) -> None:
    commands = [
        "run lost-island --seeds 1 --turns 1 --out out".split(),
        "test lost-island --only dice".split(),
        "report out".split(),
    ]
    code = f"""
import sys
sys.modules.update(dict.fromkeys("numpy scipy jinja2 distributed".split()))
from theact_tui.cli import main
for command in {commands}:
    print(main(["lab", *command, "--home", "home"]), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    codes = [line for line in done.stderr.splitlines() if line.isdigit()]
    assert codes == ["0", "0", "2"] and ".[lab]" in done.stderr, done.stderr


def test_a_stopped_run_goes_on_where_it_was(lab: Run, small: Path, tmp_path: Path) -> None:
    run, jobs = begin(LabRun(small).plan, Home.find(tmp_path / "home"), tmp_path / "part")
    run.add(next(play_all(jobs)))
    with (tmp_path / "part" / "results.jsonl").open("ab") as file:
        file.write(b'{"id": "torn", "error": "\xc3')
    again = lab("run", *SMALL, "--out", "part")
    assert again.code == 0 and "[1/4]" not in again.err and "[4/4]" in again.err
    assert result_lines(tmp_path / "part") == result_lines(small)


def test_a_run_is_played_by_one_process_which_others_see_and_can_stop(lab: Run, tmp_path: Path) -> None:
    plan = make_plan("lost-island", players="hasty", profiles="offline", seeds=2, turns=1)
    run, _ = begin(plan, Home.find(tmp_path / "home").create(), tmp_path / "out")
    assert run.progress(0) == RunProgress(0, 2) and lab("report", "out").code == 0
    assert "no games" in (tmp_path / "out" / "report.html").read_text("utf-8")
    hold = f"""
import pathlib, time
from theact_tui.lab.run_folder import Run
with Run(pathlib.Path({str(run.folder)!r})).playing():
    print("playing", flush=True)
    time.sleep(600)
"""
    other = subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE)
    assert other.stdout is not None and other.stdout.readline().strip() == b"playing"
    assert run.progress(0) == RunProgress(0, 2, playing=True)
    assert "about" in run.progress(1).text, "one game is done, so the time left is known"
    refused = lab("run", "out")
    assert refused.code == 2 and "Another program plays" in refused.err
    run.stop()
    assert other.wait(60) != 0
    assert not run.progress(0).playing
    assert lab("run", "out").code == 0 and run.progress(len(run.results())).text == "2 of 2 games"


def test_another_plan_does_not_overwrite_a_run(lab: Run, small: Path) -> None:
    other = lab("run", "salt-road", "--turns", "2", "--out", str(small))
    assert other.code == 2 and "--out" in other.err


def test_a_game_that_fails_is_a_result(lab: Run, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text('[profiles.dead]\nbase_url = "http://127.0.0.1:9/v1"\n')
    made = lab("run", "lost-island", "--profiles", "dead", "--seeds", "1", "--turns", "2", "--out", "out")
    [result] = lab("show", "out", "--json").json["results"]
    assert made.code == 0 and result["ended"] == "failed" and "127.0.0.1" in result["error"]
    assert lab("report", "out").code == 0


def test_a_story_without_beats_is_played_and_reported(lab: Run, tmp_path: Path) -> None:
    packs = Home.find(tmp_path / "home").create().packs
    (tmp_path / "card.json").write_text(json.dumps(v2(personality="dry")))
    plan_pack([source_file(tmp_path / "card.json")], packs).write()
    assert lab("run", "sera", "--seeds", "1", "--turns", "9", "--out", "out").code == 0
    [result] = lab("show", "out", "--json").json["results"]
    scores = result["measures"]["scores"]
    assert (result["ended"], scores["beats"], scores["longest_stall"]) == ("turns", None, None)
    assert lab("report", "out").code == 0
    report = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "Sera" in report and "no beat is reached" not in report and "Stalled" not in report


def test_a_plan_file_names_what_is_wrong_in_it(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("packs: [lost-island]\nplayers:\n  - curious\n  - nobody\n")
    with pytest.raises(UsageError, match=r"plan.yaml, line 4: .*nobody.*curious"):
        read_plan(file)
    (tmp_path / "lines.txt").write_text("I look.\n\nI wait.\n")
    file.write_text("packs: [lost-island]\nplayers: [lines.txt, {name: ann, profile: local}]\nseeds: 3\n")
    plan = read_plan(file)
    assert plan.players[0].lines == ("I look.", "", "I wait.") and plan.seeds == (1, 2, 3)
    assert len(list(plan.cells())) == 6


def test_names_of_cells_are_saves_and_differ() -> None:
    long = "a-profile-with-quite-a-long-name"
    plan = Plan(packs=("lost-island",), seeds=(1, 22), profiles=("offline", long, f"{long}-too"))
    ids = [cell.id for cell in plan.cells()]
    assert len(set(ids)) == 6 and max(map(len, ids)) <= 48


def test_a_model_can_be_the_player(lab: Run, profile: str) -> None:
    made = lab(
        "run", "lost-island", "--players", f"model:{profile}", "--seeds", "1", "--turns", "3", "--out", "o"
    )
    assert made.code == 0, made.err
    [result] = lab("show", "o", "--json").json["results"]
    assert result["turns"] == 3 and result["player"] == f"model-{profile}"


def test_results_hold_no_times(small: Path) -> None:
    result, *_ = result_lines(small)
    assert set(json.loads(result)) == {
        "id", "pack", "player", "seed", "profile", "prompts", "vs", "turns", "finished", "ended", "error", "head", "measures"
    }  # fmt: skip
    timing, *_ = (small / "timings.jsonl").read_text().splitlines()
    assert json.loads(timing)["seconds"] > 0


def test_an_id_that_is_a_path_leads_nowhere(lab: Run, small: Path, tmp_path: Path) -> None:
    shutil.copytree(small, tmp_path / "out", ignore=shutil.ignore_patterns("home"))
    file = tmp_path / "out" / "results.jsonl"
    file.write_text(file.read_text().replace('"id": "lost-island-curious-1"', '"id": "../../home"'))
    made = lab("report", "out")
    assert made.code == 2 and "not the id of a game" in made.err
