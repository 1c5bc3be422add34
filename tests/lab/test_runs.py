"""Plans: every cell is a game that the app opens; the same results with any number of workers; stopped runs go on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.importing.cards import v2
from tests.support.cli import Run, ran
from theact_tui.errors import UsageError
from theact_tui.importing.card_packs import plan_pack, source_file
from theact_tui.lab.plan import Plan, make_plan, read_plan
from theact_tui.lab.results import Progress
from theact_tui.lab.results import Run as LabRun
from theact_tui.lab.run import begin, play_all
from theact_tui.paths import Home

SMALL = ("lost-island", "--players", "curious,silent", "--seeds", "2", "--turns", "2")


def test_each_cell_is_a_game_that_can_be_opened(
    lab: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = lab("run", *SMALL, "--out", "out")
    assert made.code == 0 and "[4/4]" in made.err
    results = lab("show", "out", "--json").json["results"]
    assert [each["id"] for each in results] == [
        "lost-island-curious-1", "lost-island-curious-2", "lost-island-silent-1", "lost-island-silent-2"
    ]  # fmt: skip
    home = ("--home", str(tmp_path / "out" / "home"))
    saves = ran(capsys, "saves", "--json", *home).json
    assert {save["name"] for save in saves} == {each["id"] for each in results}
    shown = ran(capsys, "show", "lost-island-curious-2", "--json", *home).json
    assert shown["turn"] == 2 == results[1]["turns"]
    assert "NARRATOR" in ran(capsys, "prompts", "lost-island-curious-2", "--agent", "narrator", *home).out


def test_two_workers_give_the_same_results_as_one(lab: Run, tmp_path: Path) -> None:
    for workers in ("1", "2"):
        assert lab("run", *SMALL, "--workers", workers, "--out", workers).code == 0
    one, two = ((tmp_path / each / "results.jsonl").read_bytes() for each in "12")
    assert one == two and one.count(b"\n") == 4


def test_a_cluster_gives_the_same_results_as_one_worker(lab: Run, tmp_path: Path) -> None:
    from distributed import LocalCluster

    game = ("lost-island", "--seeds", "2", "--turns", "2")
    assert lab("run", *game, "--out", "here").code == 0
    with LocalCluster(n_workers=1, processes=False, protocol="tcp://", dashboard_address=":0") as cluster:
        assert lab("run", *game, "--out", "there", "--cluster", cluster.scheduler_address).code == 0
    here, there = ((tmp_path / each / "results.jsonl").read_bytes() for each in ("here", "there"))
    assert here == there


def test_a_cluster_that_is_not_there_is_said(lab: Run) -> None:
    made = lab("run", "lost-island", "--cluster", "nothing://here", "--out", "out")
    assert made.code == 2 and "nothing://here" in made.err


def test_games_need_none_of_the_extra_libraries_and_reports_say_so(tmp_path: Path) -> None:
    without = "import sys; sys.modules.update(dict.fromkeys('numpy scipy jinja2 distributed'.split()))\n"
    main = f"{without}from theact_tui.cli import main; sys.exit(main(sys.argv[1:]))"
    home = ("--home", str(tmp_path / "home"))

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", main, "lab", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert run("run", "lost-island", "--seeds", "1", "--turns", "1", "--out", "out", *home).returncode == 0
    assert run("test", "lost-island", "--only", "dice", *home).returncode == 0
    refused = run("report", "out")
    assert refused.returncode == 2 and ".[lab]" in refused.stderr


def test_a_stopped_run_goes_on_where_it_was(lab: Run, tmp_path: Path) -> None:
    whole = lab("run", *SMALL, "--out", "whole")
    plan = LabRun(tmp_path / "whole").plan
    run, jobs = begin(plan, Home.find(tmp_path / "home"), tmp_path / "part")
    games = play_all(jobs)
    run.add(next(games))
    with (tmp_path / "part" / "results.jsonl").open("a") as file:
        file.write('{"id": "torn", "error": "é')
    whole_bytes = (tmp_path / "part" / "results.jsonl").read_bytes()
    (tmp_path / "part" / "results.jsonl").write_bytes(whole_bytes[:-1])
    again = lab("run", *SMALL, "--out", "part")
    assert "[1/4]" not in again.err and "[4/4]" in again.err and whole.code == again.code == 0
    files = [(tmp_path / each / "results.jsonl").read_bytes() for each in ("whole", "part")]
    assert files[0] == files[1]


def test_a_run_is_played_by_one_process_which_others_see_and_can_stop(lab: Run, tmp_path: Path) -> None:
    plan = make_plan("lost-island", players="hasty", profiles="offline", seeds=2, turns=1)
    run, _ = begin(plan, Home.find(tmp_path / "home").create(), tmp_path / "out")
    assert run.progress(0) == Progress(0, 2)
    hold = f"""
import pathlib, time
from theact_tui.lab.results import Run
with Run(pathlib.Path({str(run.folder)!r})).playing():
    print("playing", flush=True)
    time.sleep(600)
"""
    other = subprocess.Popen([sys.executable, "-c", hold], stdout=subprocess.PIPE)
    assert other.stdout is not None and other.stdout.readline() == b"playing\n"
    assert run.progress(0) == Progress(0, 2, playing=True)
    assert "about" in run.progress(1).text, "one game is done, so the time left is known"
    refused = lab("run", "out")
    assert refused.code == 2 and "Another program plays" in refused.err
    run.stop()
    assert other.wait(60) != 0
    assert not run.progress(0).playing
    assert lab("run", "out").code == 0 and run.progress(len(run.results())).text == "2 of 2 games"


def test_another_plan_does_not_overwrite_a_run(lab: Run) -> None:
    assert lab("run", "lost-island", "--turns", "1", "--seeds", "1", "--out", "out").code == 0
    other = lab("run", "salt-road", "--turns", "2", "--out", "out")
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


def test_a_run_is_reported_before_a_game_of_it_is_done(lab: Run, tmp_path: Path) -> None:
    plan = make_plan("lost-island", players="hasty", profiles="offline", seeds=2, turns=1)
    begin(plan, Home.find(tmp_path / "home").create(), tmp_path / "out")
    assert lab("report", "out").code == 0
    assert "no games" in (tmp_path / "out" / "report.html").read_text("utf-8")


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


def test_results_hold_no_times(lab: Run, tmp_path: Path) -> None:
    lab("run", "lost-island", "--seeds", "1", "--turns", "2", "--out", "out")
    result = json.loads((tmp_path / "out" / "results.jsonl").read_text())
    assert set(result) == {
        "id", "pack", "player", "seed", "profile", "prompts", "vs", "turns", "finished", "ended", "error", "head", "measures"
    }  # fmt: skip
    assert json.loads((tmp_path / "out" / "timings.jsonl").read_text())["seconds"] > 0


def test_an_id_that_is_a_path_leads_nowhere(lab: Run, tmp_path: Path) -> None:
    lab("run", "lost-island", "--seeds", "1", "--turns", "1", "--out", "out")
    file = tmp_path / "out" / "results.jsonl"
    file.write_text(file.read_text().replace('"id": "lost-island-curious-1"', '"id": "../../home"'))
    made = lab("report", "out")
    assert made.code == 2 and "not the id of a game" in made.err
