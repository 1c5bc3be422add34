"""`theact-tui direct ...` (D11): the same rules and refusals as on screen, and the exit codes of S12."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import Ran, Run, ran
from tests.direct.conftest import delta
from tests.servers.scripted import ScriptedServer, say, status
from theact_tui.cli.direct_live import ReplyPrinter
from theact_tui.engine.direct_events import ActorToken, PromptStarted
from theact_tui.saves.library import Library


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], server: ScriptedServer) -> Run:
    """Runs a command with a home of its own; those that call a model call the server."""
    calling = {"lock", "prompt", "retry", "end", "build"}

    def command(name: str, *arguments: str, offline: bool = False) -> Ran:
        options = ["--base-url", server.url, "--model", "tiny"] if name in calling else []
        options = ["--offline"] if offline and name in calling else options
        return ran(capsys, "direct", name, *arguments, *options, "--home", str(tmp_path / "home"))

    return command


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def filled(run: Run, folder: Path) -> None:
    """The save `Tower` in DRAFT, filled in."""
    assert run("new", "Tower").code == 0
    person = f"2:Bo:{write(folder, 'bo.txt', 'Bo makes ropes.')}"
    world, chapter = write(folder, "w.txt", "A drowned city."), write(folder, "c.txt", "In the tower.")
    set_ = run(
        "set",
        "Tower",
        "--world",
        world,
        "--chapter",
        chapter,
        "--agents",
        "2",
        "--agent",
        "1:Kara:",
        "--agent",
        person,
    )
    assert set_.code == 0, set_.err


def test_d11_a_chapter_from_new_to_download(run: Run, tmp_path: Path) -> None:
    filled(run, tmp_path)
    assert run("lock", "Tower").code == 0
    reply = run("prompt", "Tower", "2", "The bell rings.")
    assert (reply.code, reply.out) == (0, "Bo: I try. (actor:2)\n")
    assert run("end", "Tower").code == 0
    assert run("voice", "Tower", write(tmp_path, "v.txt", "Salty.")).code == 0
    assert run("build", "Tower").out == "The bell came down. It rained.\n"
    target = tmp_path / "out.txt"
    assert run("download", "Tower", "--to", str(target)).code == 0
    assert target.read_bytes() == b"The bell came down. It rained."


def test_d10_a_prompt_is_given_again_and_takes_are_stepped_through(
    run: Run, tmp_path: Path, server: ScriptedServer
) -> None:
    filled(run, tmp_path)
    run("lock", "Tower")
    run("prompt", "Tower", "2", "The bell rings.")
    server.script("actor", say("I cover my ears."))
    assert run("retry", "Tower").out == "Bo: I cover my ears.\n"
    assert run("show", "Tower", "--json").json["takes"] == 2
    back = run("take", "Tower", "1", "--json").json
    assert (back["takes"], back["session"]["prompt_index"]) == (2, 1)
    assert "I try. (actor:2)" in run("show", "Tower").out
    refused = run("take", "Tower", "3")
    assert refused.code == 2 and "2 takes" in refused.err


def test_d10_two_ways_of_a_chapter_are_compared_in_text_and_as_data(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], server: ScriptedServer
) -> None:
    filled(run, tmp_path)
    run("lock", "Tower")
    run("prompt", "Tower", "2", "The bell rings.")
    server.script("actor", say("I cover my ears."))
    run("retry", "Tower")
    home = str(tmp_path / "home")
    told = ran(capsys, "compare", "Tower", "1#1", "1#2", "--home", home)
    assert told.code == 0 and told.out.startswith("They part after prompt 0.")
    assert "1#2, prompt 1:\n  > The bell rings.\n  Bo: I cover my ears." in told.out
    found = ran(capsys, "compare", "Tower", "1#1", "1#2", "--json", "--home", home).json
    assert found["mode"] == "direct" and found["turns"][0]["a"][1]["text"] == "I try. (actor:2)"


def test_d10_nothing_goes_to_a_distant_server_before_it_was_agreed_to(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled(run, tmp_path)
    distant = ("--base-url", "https://models.example/v1", "--model", "big", "--home", str(tmp_path / "home"))
    refused = ran(capsys, "direct", "lock", "Tower", *distant)
    assert refused.code == 2 and "models.example" in refused.err and "--allow-remote" in refused.err
    assert run("show", "Tower", "--json").json["session"]["state"] == "DRAFT"


def test_d11_show_tells_session_events_blocks_drafts_and_the_transcript_as_rendered(
    run: Run, tmp_path: Path
) -> None:
    filled(run, tmp_path)
    run("lock", "Tower")
    for number in range(1, 9):
        run("prompt", "Tower", str(1 + number % 2), f"Scene {number}.")
    shown = run("show", "Tower", "--json").json
    assert shown["session"]["state"] == "ACTIVE" and shown["session"]["prompt_index"] == 8
    assert shown["session"]["last_summarized_prompt_index"] == 7
    assert shown["session"]["agent_names"] == {"1": "Kara", "2": "Bo"}
    assert len(shown["events"]) == 16 and [b["type"] for b in shown["blocks"]] == [
        "world_chapter_lock",
        "turn_delta",
    ]
    assert shown["drafts"] == [] and shown["transcript"].startswith("1) Scene 1.\n\nBo: I try.")
    assert "-" * 13 in shown["transcript"].splitlines()
    assert shown["counter"] == f"{len(shown['transcript']):,}/60,000"
    assert "Tower · ACTIVE · prompt 8" in run("show", "Tower").out


def test_d10_the_record_of_a_session_has_its_fields(run: Run, tmp_path: Path) -> None:
    filled(run, tmp_path)
    run("lock", "Tower")
    run("prompt", "Tower", "1", "Go.")
    run("end", "Tower")
    run("build", "Tower")
    shown = run("show", "Tower", "--json").json
    assert set(shown["session"]) >= {
        "session_id",
        "state",
        "prompt_index",
        "selected_agent_slots",
        "agent_names",
        "tab1_locked",
        "last_summarized_prompt_index",
        "created_at",
        "updated_at",
        "config",
    }
    assert shown["session"]["config"] == {
        "chunk_size_prompts": 7,
        "tab1_char_limit": 5000,
        "tab2_char_limit": 60000,
    }
    draft = shown["drafts"][0]
    assert set(draft) >= {
        "draft_id",
        "session_id",
        "narrative_agent_definition_text",
        "source_snapshot",
        "chapter_text",
    }
    assert set(draft["source_snapshot"]) == {"max_prompt_index_used", "memory_block_ids_used"}
    assert set(shown["events"][0]) >= {
        "event_id",
        "session_id",
        "prompt_index",
        "role",
        "agent_slot",
        "text",
        "created_at",
        "sequence",
    }
    assert set(shown["blocks"][0]) == {
        "block_id",
        "session_id",
        "type",
        "from_prompt_index",
        "to_prompt_index",
        "json_payload",
        "created_at",
    }


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (("prompt", "Tower", "1", "Go."), "not locked"),
        (("end", "Tower"), "not locked"),
        (("build", "Tower"), "not locked"),
        (("voice", "Tower", "{file}"), "not locked"),
        (("download", "Tower"), "build it first"),
        (("lock", "Nowhere"), "no save"),
        (("set", "Tower", "--agents", "8"), "1 to 7"),
        (("set", "Tower", "--agent", "8:Ghost:"), "1 to 7"),
        (("set", "Tower", "--agent", "ghost"), "SLOT:NAME:FILE"),
        (("set", "Tower", "--world", "nothing.txt"), "cannot be read"),
        (("new", "Tower"), "already"),
        (("reset", "Tower"), "--yes"),
    ],
)
def test_d11_what_is_refused_exits_with_2_and_a_reason(
    run: Run, tmp_path: Path, command: tuple[str, ...], why: str
) -> None:
    filled(run, tmp_path)
    before = run("show", "Tower", "--json").json
    result = run(*(part.format(file=tmp_path / "w.txt") for part in command))
    assert result.code == 2 and why in result.err, result
    assert run("show", "Tower", "--json").json == before


def test_d2_set_is_all_or_nothing(run: Run, tmp_path: Path) -> None:
    filled(run, tmp_path)
    world, long = write(tmp_path, "w2.txt", "Another world."), write(tmp_path, "long.txt", "x" * 5_001)
    result = run("set", "Tower", "--world", world, "--chapter", long)
    assert result.code == 2 and "5,001" in result.err
    assert run("show", "Tower", "--json").json["setup"]["world"] == "A drowned city."


def test_d2_after_the_lock_set_is_refused(run: Run, tmp_path: Path) -> None:
    filled(run, tmp_path)
    run("lock", "Tower")
    result = run("set", "Tower", "--agents", "3")
    assert result.code == 2 and "locked" in result.err
    assert run("lock", "Tower").code == 2


def test_d3_a_slot_outside_the_roster_is_refused_and_blank_input_ignored(run: Run, tmp_path: Path) -> None:
    filled(run, tmp_path)
    run("lock", "Tower")
    assert run("prompt", "Tower", "3", "Go.").code == 2
    blank = run("prompt", "Tower", "1", "  ")
    assert (blank.code, blank.out) == (0, "")
    assert run("show", "Tower", "--json").json["session"]["prompt_index"] == 0


def test_s12_a_failed_call_exits_with_1(run: Run, tmp_path: Path, server: ScriptedServer) -> None:
    filled(run, tmp_path)
    run("lock", "Tower")
    server.script("actor", status(401, {"error": {"message": "bad key"}}))
    result = run("prompt", "Tower", "1", "Go.")
    assert result.code == 1 and result.err and "Traceback" not in result.err


def test_d9_a_failed_summary_is_told_and_is_not_a_failure(
    run: Run, tmp_path: Path, server: ScriptedServer
) -> None:
    filled(run, tmp_path)
    run("lock", "Tower")
    server.script("delta", say("Nothing to say."))
    results = [run("prompt", "Tower", "1", f"Scene {number}.") for number in range(1, 8)]
    assert results[-1].code == 0 and "1 to 7 are not summed up" in results[-1].err
    assert run("end", "Tower").code == 1
    server.script("delta", say(delta()))
    assert run("end", "Tower").code == 0


def test_s12_a_save_in_use_exits_with_4_and_can_still_be_shown(run: Run, tmp_path: Path) -> None:
    from theact_tui.saves.store import Save

    filled(run, tmp_path)
    with Save.open(Library(tmp_path / "home").path("Tower")):
        assert run("lock", "Tower").code == 4
        assert run("show", "Tower").code == 0


def test_d2_reset_needs_yes_warns_and_archives(run: Run, tmp_path: Path) -> None:
    filled(run, tmp_path)
    old = run("show", "Tower", "--json").json["session"]["session_id"]
    warned = run("reset", "Tower")
    assert warned.code == 2 and "every cell of all three tabs" in warned.err
    assert run("show", "Tower", "--json").json["session"]["session_id"] == old
    assert run("reset", "Tower", "--yes").code == 0
    fresh = run("show", "Tower", "--json").json
    assert fresh["session"]["session_id"] != old and fresh["setup"]["world"] == "" and fresh["events"] == []
    archived = f"Tower-{old.replace('-', '')[:8]}"
    assert run("show", archived, "--json").json["setup"]["world"] == "A drowned city."


def test_d4_download_writes_to_the_download_folder_and_never_over_a_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(tmp_path / "downloads"))
    filled(run, tmp_path)
    run("lock", "Tower")
    run("prompt", "Tower", "1", "Go.")
    run("end", "Tower")
    run("build", "Tower")
    first, second = run("download", "Tower").out.strip(), run("download", "Tower").out.strip()
    assert (
        first != second
        and Path(first).read_text() == Path(second).read_text() == "The bell came down. It rained."
    )
    assert Path(first).parent == tmp_path / "downloads"


def test_s8_6_the_example_plays_to_its_end_without_a_model(run: Run, tmp_path: Path) -> None:
    assert run("new", "Bell", "--example").code == 0
    assert run("lock", "Bell", offline=True).code == 0
    lines = [
        "The bell rings twice, though nobody has touched it. The water in the stairwell answers.",
        "You find a key under the rope, Teodor Quill. What do you do?",
        'A stranger steps out of the dark and says: "That is my bell."',
        "The floor cracks under the frame.",
        "Quiet. Rain on the roof.",
        "The stranger lowers a rope to Ilse Marrow. He is smiling.",
        "The tide turns.",
        "The bell hangs free.",
    ]
    replies = [run("prompt", "Bell", str(n % 3 + 1), line, offline=True).out for n, line in enumerate(lines)]
    assert len(set(replies)) == len(lines) and all(" I " in reply or "\nI " in reply for reply in replies)
    secrets = ("Agathe", "sister", "seal in", "oiled the hinges")
    assert not any(secret in reply for reply in replies for secret in secrets)
    assert run("end", "Bell", offline=True).code == 0
    built = run("build", "Bell", offline=True)
    assert built.code == 0 and "The bell rang twice" in built.out and "Teodor found a key" in built.out
    assert "What do you do" not in built.out
    shown = run("show", "Bell", "--json").json
    assert [b["to_prompt_index"] for b in shown["blocks"]] == [0, 7, 8]
    assert shown["blocks"][0]["json_payload"]["chapter"]["location"]


def test_s12_undo_redo_branch_and_switch_work_on_a_chapter_too(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled(run, tmp_path)
    run("lock", "Tower")
    for number in range(1, 9):
        run("prompt", "Tower", "1", f"Scene {number}.")

    def top(*arguments: str) -> Ran:
        return ran(capsys, *arguments, "--home", str(tmp_path / "home"))

    def indexes() -> tuple[int, int]:
        session = run("show", "Tower", "--json").json["session"]
        return session["prompt_index"], session["last_summarized_prompt_index"]

    assert top("undo", "Tower", "2", "--json").json == {
        "save": "Tower",
        "branch": "main",
        "turn": 6,
        "state": "ACTIVE",
    }
    assert indexes() == (6, 0)
    assert top("redo", "Tower", "2").out == "Prompt 8 of Tower, ACTIVE, branch main.\n"
    assert "* main (main) · prompt 8\n" in top("branches", "Tower").out
    assert indexes() == (8, 7)
    assert top("branch", "Tower", "other", "--turn", "3").code == 0
    assert top("switch", "Tower", "other").code == 0 and indexes() == (3, 0)
    assert top("log", "Tower", "-n", "1", "--json").json[0]["line"] == "Scene 3."
    assert "directed chapter, prompt 3, other" in top("saves").out


def test_s12_commands_of_play_mode_say_what_a_chapter_is(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled(run, tmp_path)
    for command in (("show", "Tower"), ("play", "lost-island", "--save", "Tower", "--offline")):
        refused = ran(capsys, *command, "--home", str(tmp_path / "home"))
        assert refused.code == 2 and "directed chapter" in refused.err


@pytest.mark.parametrize("format", ["md", "html", "json", "epub"])
def test_s12_a_chapter_is_exported_with_its_draft_and_its_play(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], format: str
) -> None:
    filled(run, tmp_path)
    run("lock", "Tower")
    run("prompt", "Tower", "2", "The bell rings.")
    run("end", "Tower")
    run("build", "Tower")
    target = tmp_path / f"tower.{format}"
    home = str(tmp_path / "home")
    done = ran(capsys, "export", "Tower", "--format", format, "--to", str(target), "--home", home)
    assert done.code == 0
    capsys.readouterr()
    if format != "epub":
        text = target.read_text(encoding="utf-8")
        places = [text.index(part) for part in ("Tower", "It rained.", "The bell rings.", "I try.")]
        assert places == sorted(places) and "Bo" in text and "orange" in text


def test_s12_on_a_terminal_a_reply_is_printed_as_it_comes(capsys: pytest.CaptureFixture[str]) -> None:
    printer = ReplyPrinter(live=True)
    printer(PromptStarted(slot=2, name="Bo", prompt=1, text="Go."))
    for piece in ("I look ", "down."):
        printer(ActorToken(slot=2, text=piece))
    assert capsys.readouterr().out == "Bo: I look down."
    printer.finish("I look down.")
    assert capsys.readouterr().out == "\n"


def test_s12_a_reply_that_was_taken_back_is_printed_whole_in_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    printer = ReplyPrinter(live=True)
    printer(PromptStarted(slot=2, name="Bo", prompt=1, text="Go."))
    printer(ActorToken(slot=2, text="I lo"))
    printer(ActorToken(slot=2, text="", replace=True))
    printer(ActorToken(slot=2, text="I wait."))
    printer.finish("I wait. Then I go.")
    assert capsys.readouterr().out == "Bo: I lo\n...\nI wait.\n\nBo: I wait. Then I go.\n"
