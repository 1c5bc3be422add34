"""What `theact-tui direct` refuses or what fails, with the exit codes of S12 and nothing changed."""

from pathlib import Path

import pytest

from tests.direct.conftest import delta
from tests.support.cli import Run, ran
from tests.support.direct_cli import filled, locked, write
from tests.support.fake_server import ScriptedServer, say, status
from theact_tui.saves.library import Library


def test_d10_nothing_goes_to_a_distant_server_before_it_was_agreed_to(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled(run, tmp_path)
    distant = ("--base-url", "https://models.example/v1", "--model", "big", "--home", str(tmp_path / "home"))
    refused = ran(capsys, "direct", "lock", "Tower", *distant)
    assert refused.code == 2 and "models.example" in refused.err and "--allow-remote" in refused.err
    assert run("show", "Tower", "--json").json["session"]["state"] == "DRAFT"


REFUSED: tuple[tuple[tuple[str, ...], str], ...] = (
    (("prompt", "Tower", "1", "Go."), "not locked"),
    (("end", "Tower"), "not locked"),
    (("build", "Tower"), "not locked"),
    (("voice", "Tower", "{file}"), "not locked"),
    (("download", "Tower"), "Build one first"),
    (("lock", "Nowhere"), "no save"),
    (("set", "Tower", "--agents", "8"), "1 to 7"),
    (("set", "Tower", "--agent", "8:Ghost:"), "1 to 7"),
    (("set", "Tower", "--agent", "ghost"), "SLOT:NAME:FILE"),
    (("set", "Tower", "--world", "nothing.txt"), "cannot be read"),
    (("new", "Tower"), "already"),
    (("reset", "Tower"), "--yes"),
)


def test_d11_what_is_refused_exits_with_2_and_a_reason(run: Run, tmp_path: Path) -> None:
    filled(run, tmp_path)
    before = run("show", "Tower", "--json").json
    for command, why in REFUSED:
        result = run(*(part.format(file=tmp_path / "w.txt") for part in command))
        assert result.code == 2 and why in result.err, result
    assert run("show", "Tower", "--json").json == before


def test_d2_set_is_all_or_nothing(run: Run, tmp_path: Path) -> None:
    filled(run, tmp_path)
    world, long = write(tmp_path, "w2.txt", "Another world."), write(tmp_path, "long.txt", "x" * 5_001)
    result = run("set", "Tower", "--world", world, "--chapter", long)
    assert result.code == 2 and "5,001" in result.err
    assert run("show", "Tower", "--json").json["setup"]["world"] == "A drowned city."


def test_d3_a_slot_outside_the_roster_is_refused_and_blank_input_ignored(
    run: Run, tmp_path: Path, server: ScriptedServer
) -> None:
    """So is `set` after the lock, and another lock; a call that fails exits with 1."""
    locked(run, tmp_path)
    for command in (("set", "Tower", "--agents", "3"), ("lock", "Tower")):
        refused = run(*command)
        assert refused.code == 2 and "locked" in refused.err
    assert run("prompt", "Tower", "3", "Go.").code == 2
    blank = run("prompt", "Tower", "1", "  ")
    assert (blank.code, blank.out, blank.err) == (0, "", "The prompt is empty. Nothing was sent.\n")
    server.script("actor", status(401, {"error": {"message": "bad key"}}))
    failed = run("prompt", "Tower", "1", "Go.")
    assert failed.code == 1 and failed.err and "Traceback" not in failed.err
    assert run("show", "Tower", "--json").json["session"]["prompt_index"] == 0


def test_d9_a_failed_summary_is_told_and_is_not_a_failure(
    run: Run, tmp_path: Path, server: ScriptedServer
) -> None:
    locked(run, tmp_path)
    server.script("delta", say("Nothing to say."))
    results = [run("prompt", "Tower", "1", f"Scene {number}.") for number in range(1, 8)]
    assert results[-1].code == 0 and "1 to 7 are not summarised yet" in results[-1].err
    assert run("end", "Tower").code == 1
    server.script("delta", say(delta()))
    assert run("end", "Tower").code == 0


def test_s12_a_save_in_use_exits_with_4_and_can_still_be_shown(run: Run, tmp_path: Path) -> None:
    from theact_tui.saves.save import Save

    filled(run, tmp_path)
    with Save.open(Library(tmp_path / "home").path("Tower")):
        assert run("lock", "Tower").code == 4
        assert run("show", "Tower").code == 0


def test_d2_reset_needs_yes_warns_and_archives(run: Run, tmp_path: Path) -> None:
    filled(run, tmp_path)
    old = run("show", "Tower", "--json").json["session"]["session_id"]
    warned = run("reset", "Tower")
    assert warned.code == 2 and "empties every field" in warned.err
    assert run("show", "Tower", "--json").json["session"]["session_id"] == old
    assert run("reset", "Tower", "--yes").code == 0
    fresh = run("show", "Tower", "--json").json
    assert fresh["session"]["session_id"] != old and fresh["setup"]["world"] == "" and fresh["events"] == []
    archived = f"Tower-{old.replace('-', '')[:8]}"
    assert run("show", archived, "--json").json["setup"]["world"] == "A drowned city."
