"""`theact-tui direct ...` (D11): a chapter from new to download, what is shown of it and how replies are printed."""

from pathlib import Path

import pytest

from tests.importing import cards
from tests.support.cli import Run
from tests.support.direct_cli import filled, locked, write
from tests.support.fake_server import ScriptedServer, say
from theact_tui.cli.direct import ReplyPrinter
from theact_tui.engine.events import ActorToken, PromptStarted


def test_d11_a_chapter_from_new_to_download_and_the_fields_of_its_record(run: Run, tmp_path: Path) -> None:
    locked(run, tmp_path)
    reply = run("prompt", "Tower", "2", "The bell rings.")
    assert (reply.code, reply.out) == (0, "Bo: I try. (actor:2)\n")
    assert run("end", "Tower").code == 0
    assert run("voice", "Tower", write(tmp_path, "v.txt", "Salty.")).code == 0
    told = "The bell came down. It rained."
    assert run("build", "Tower").out == f"{told}\n"
    target = tmp_path / "out.txt"
    assert run("download", "Tower", "--to", str(target)).code == 0
    assert target.read_bytes() == told.encode()
    first, second = (Path(run("download", "Tower").out.strip()) for _ in range(2))
    assert first != second and first.read_text() == second.read_text() == told, "never over a file"
    assert first.parent == tmp_path / "home" / "exports"
    shown = run("show", "Tower", "--json").json
    session = "session_id state prompt_index selected_agent_slots agent_names tab1_locked config".split()
    assert set(shown["session"]) >= {*session, "last_summarized_prompt_index", "created_at", "updated_at"}
    assert shown["session"]["config"] == {
        "chunk_size_prompts": 7,
        "tab1_char_limit": 5000,
        "tab2_char_limit": 60000,
    }
    draft = shown["drafts"][0]
    said = "draft_id session_id narrative_agent_definition_text source_snapshot chapter_text".split()
    assert set(draft) >= {*said}
    assert set(draft["source_snapshot"]) == {"max_prompt_index_used", "memory_block_ids_used"}
    event = "event_id session_id prompt_index role agent_slot text created_at sequence".split()
    assert set(shown["events"][0]) >= {*event}
    block = "block_id session_id type from_prompt_index to_prompt_index json_payload created_at".split()
    assert set(shown["blocks"][0]) == {*block}


def test_d11_an_agent_is_prompted_by_name_too_and_a_colon_can_be_part_of_it(run: Run, tmp_path: Path) -> None:
    filled(run, tmp_path)
    who = write(tmp_path, "una.txt", "Una keeps the bell.")
    assert run("set", "Tower", "--agent", f"1:Una: the One:{who}").code == 0
    assert run("show", "Tower", "--json").json["setup"]["agents"][0] == {
        "name": "Una: the One",
        "identity": "Una keeps the bell.",
    }
    early = run("prompt", "Tower", "1", "Go.")
    assert early.code == 2 and " direct lock'" in early.err
    run("lock", "Tower")
    assert run("prompt", "Tower", "bo", "Go.").out.startswith("Bo: ")
    assert run("prompt", "Tower", "una: the one", "Go.").out.startswith("Una: the One: ")
    nobody = run("prompt", "Tower", "Kara", "Go.")
    assert nobody.code == 2 and nobody.err == "No character is called 'Kara'. Known: 1 Una: the One, 2 Bo.\n"
    assert run("show", "Tower").out.endswith("1 note · 0 drafts\n")


def test_d11_a_card_gives_a_character_its_name_and_text(run: Run, tmp_path: Path) -> None:
    filled(run, tmp_path)
    card = tmp_path / "Sera.png"
    card.write_bytes(cards.png(cards.text_chunk(cards.v2())))
    assert run("set", "Tower", "--agent", f"1::{card}", "--agent", f"2:Vera:{card}").code == 0
    assert run("show", "Tower", "--json").json["setup"]["agents"][:2] == [
        {"name": name, "identity": "Sera guards the glade for a stranger."} for name in ("Sera", "Vera")
    ]
    card.write_bytes(b"no picture")
    refused = run("set", "Tower", "--agent", f"1:Una:{card}")
    assert refused.code != 0 and "Sera.png" in refused.err


def test_d10_a_prompt_is_given_again_and_takes_are_stepped_through(
    run: Run, tmp_path: Path, server: ScriptedServer
) -> None:
    locked(run, tmp_path)
    run("prompt", "Tower", "2", "The bell rings.")
    server.script("actor", say("I cover my ears."))
    assert run("retry", "Tower").out == "Bo: I cover my ears.\n"
    assert run("show", "Tower", "--json").json["takes"] == 2
    back = run("take", "Tower", "1", "--json").json
    assert (back["takes"], back["session"]["prompt_index"]) == (2, 1)
    assert "I try. (actor:2)" in run("show", "Tower").out
    refused = run("take", "Tower", "3")
    assert refused.code == 2 and "2 takes" in refused.err


def test_d11_show_tells_session_events_blocks_drafts_and_the_transcript_as_rendered(
    run: Run, tmp_path: Path
) -> None:
    locked(run, tmp_path)
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
    assert (
        built.code == 0
        and "The bell rings twice" in built.out
        and "You find a key under the rope" in built.out
    )
    assert "What do you do" not in built.out
    shown = run("show", "Bell", "--json").json
    assert [b["to_prompt_index"] for b in shown["blocks"]] == [0, 7, 8]
    assert shown["blocks"][0]["json_payload"]["chapter"]["location"]


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


def test_d8_notes_of_prompts_that_repeat_themselves_are_complete_offline(run: Run, tmp_path: Path) -> None:
    filled(run, tmp_path)
    run("lock", "Tower", offline=True)
    for step in range(1, 8):
        text = f"The water rises to step {step}. A lantern moves on the far bank. What do you say?"
        assert run("prompt", "Tower", "1", text, offline=True).code == 0
    events = run("show", "Tower", "--json").json["blocks"][1]["json_payload"]["major_events"]
    assert [event["event"] for event in events] == [f"The water rises to step {n}." for n in range(1, 8)]
