"""S12: names, JSON fields and exit codes that scripts outside this repository rely on."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import Run
from tests.support.saves import keep_sent
from theact_tui.authoring.draft import Draft
from theact_tui.paths import Home
from theact_tui.saves.save import Save
from theact_tui.story.game import Spoken

SHOWN = {
    "save", "pack", "branch", "turn", "player", "chapter", "beats", "present", "rolling_summary",
    "last_summarized_turn", "recaps", "moments", "characters", "game_complete", "pending", "takes", "entries",
    "lore_known", "heard",
    "usage",
}  # fmt: skip


def test_play_reads_lines_creates_the_save_and_goes_on_with_it(run: Run, home: Path) -> None:
    first = run(
        "play", "lost-island", "--save", "My Story", "--seed", "7", lines="I look around.\n\nI call Maya.\n"
    )
    assert (first.code, first.err) == (0, "") and "> I look around." in first.out and "\x1b" not in first.out
    assert (home / "saves" / "my-story" / ".git").is_dir()
    second = run("play", "lost-island", "--save", "My Story", lines="I wait.\n")
    assert second.code == 0
    assert run("show", "My Story", "--json").json["turn"] == 3


def test_play_prints_events_as_json_lines(run: Run) -> None:
    done = run(
        "play", "lost-island", "--save", "e", "--seed", "7", "--events", lines="I look around.\n/status\n"
    )
    events = [json.loads(line) for line in done.out.splitlines()]
    assert {"turn_started", "narration_token", "narration_finished", "turn_spoken", "turn_saved"} <= {
        event["type"] for event in events
    }
    assert all({"type", "save", "branch", "turn", "seq", "at"} <= set(event) for event in events)
    assert "The Crash" in done.err


def test_the_same_seed_and_inputs_tell_the_same_story(run: Run) -> None:
    lines = "I swim to the wreck.\nWho are you, Father?\n"
    told = [run("play", "lost-island", "--save", name, "--seed", "3", lines=lines).out for name in ("a", "b")]
    other = run("play", "lost-island", "--save", "c", "--seed", "3", lines=lines.replace("swim", "walk")).out
    assert told[0] == told[1] != other


def test_show_has_every_field(played: Run) -> None:
    shown = played("show", "one", "--json").json
    assert set(shown) == SHOWN
    assert (
        shown["player"] == "Alex" and shown["turn"] == 3 and shown["takes"] == 1 and shown["branch"] == "main"
    )
    assert set(shown["chapter"]) == {"id", "title"} and set(shown["beats"][0]) == {"text", "hit"}
    assert [set(c) for c in shown["characters"]] == [{"id", "name", "present", "memory"}] * 2
    assert [entry["role"] for entry in shown["entries"]][:2] == ["narrator", "player"]
    earlier = played("show", "one", "--turn", "1", "--json").json
    assert earlier["turn"] == 1 and earlier["entries"][1]["text"] == "I look."


def test_show_says_what_each_one_perceived_of_a_turn(run: Run) -> None:
    run("play", "lost-island", "--save", "w", "--seed", "7", lines="I look.\n→ Maya: I trust only you.\n")
    shown = run("show", "w", "--turn", "2", "--json").json
    heard, entries = shown["heard"], shown["entries"]
    assert set(heard) == {"maya", "joaquin"}
    assert heard["maya"]["line"].endswith("I trust only you.") and heard["joaquin"]["line"] == ""
    line = next(at for at, entry in enumerate(entries) if entry["role"] == "player")
    assert line in heard["maya"]["entries"] and line not in heard["joaquin"]["entries"]
    told = next(entry["text"] for entry in entries if entry["role"] == "narrator")
    assert "\n\n".join(heard["maya"]["pages"]) == told
    assert run("show", "w", "--turn", "0", "--json").json["heard"] == {}


def test_show_counts_the_takes_of_every_turn(played: Run) -> None:
    played("retry", "one", "I shout.")
    played("play", "lost-island", "--save", "one", "--offline", lines="Go on.\n")
    counts = [played("show", "one", "--turn", str(turn), "--json").json["takes"] for turn in (0, 2, 3, 4)]
    assert counts == [1, 1, 2, 1]


def test_show_tells_people_nothing_of_the_beats_to_come(played: Run) -> None:
    document, text = played("show", "one", "--json").json, played("show", "one").out
    left = [beat["text"] for beat in document["beats"] if not beat["hit"]]
    assert left and not any(beat in text for beat in left)
    assert all(f"✓ {beat['text']}" in text for beat in document["beats"] if beat["hit"])
    assert f"{len(left)} " in text and "to come" in text


def test_undo_redo_retry_branch_switch_compare(played: Run) -> None:
    assert played("undo", "one", "9").code == 2
    assert played("undo", "one", "2", "--json").json["turn"] == 1
    assert played("redo", "one", "--json").json["turn"] == 2
    assert played("retry", "one", "I shout.", "--json").json["takes"] == 2
    assert played("retry", "one", "--reply", "maya", "--json").json["takes"] == 3
    assert played("retry", "one", "I shout.", "--reply", "maya").code == 2
    assert played("branch", "one", "what-if", "--turn", "1").code == 0
    assert played("show", "one", "--json").json["branch"] == "main"
    assert played("switch", "one", "what-if", "--json").json == {
        "save": "one", "branch": "what-if", "turn": 1, "chapter": "01-the-crash",
    }  # fmt: skip
    names = [branch["name"] for branch in played("branches", "one", "--json").json]
    assert names == ["what-if", "main"]
    assert played("branch", "one", "What then?").code == 0
    by_title, by_name = (
        played("show", "one", "--branch", branch, "--json") for branch in ("What then?", "what-then")
    )
    assert by_title.json["branch"] == "what-then" and by_title.json == by_name.json
    assert "branch “What then?”." in played("switch", "one", "what-then").out
    assert "branch What then?" in played("show", "one").out and "1, What then?\n" in played("saves").out
    assert "* What then? (what-then) · turn 1" in played("branches", "one").out
    parted = played("compare", "one", "main", "what-if", "--json").json
    assert parted["fork_turn"] == 1 and parted["a"]["turn"] == 2 and parted["b"]["turn"] == 1
    assert {"turn", "chapter", "beats", "present", "moments", "recaps", "characters"} <= set(parted["a"])


def test_undone_turns_are_listed_and_a_branch_brings_them_back(played: Run) -> None:
    assert "No turns were undone" in played("branches", "one", "--undone").out
    played("undo", "one", "2")
    played("play", "--save", "one", "--offline", lines="I climb.\n")
    (end,) = played("branches", "one", "--undone", "--json").json
    assert set(end) == {"commit", "turn", "line", "at"} and end["turn"] == 3
    assert f"{end['commit']}  turn 3  Go on." in played("branches", "one", "--undone").out
    played("branch", "one", "back", "--of", end["commit"])
    assert played("switch", "one", "back", "--json").json["turn"] == 3
    assert played("branches", "one", "--undone", "--json").json == []


def test_log_saves_and_prompts(played: Run) -> None:
    lines = played("log", "one", "--json").json
    assert len(lines) == 4 and lines[0]["turn"] == 3
    assert [line["name"] for line in played("saves", "--json").json] == ["one"]
    prompts = played("prompts", "one", "--turn", "2", "--json").json
    assert set(prompts[0]) == {"agent", "character", "messages", "sections", "tokens", "limit"}
    assert {"narrator", "memory", "progress"} <= {prompt["agent"] for prompt in prompts}
    one = played("prompts", "one", "--turn", "2", "--agent", "memory", "--character", "maya", "--json").json
    assert [(prompt["agent"], prompt["character"]) for prompt in one] == [("memory", "maya")]
    for command in ("prompts", "calls"):
        assert played(command, "one", "--json").json == played(command, "one", "--turn", "3", "--json").json


def test_a_closed_port_is_told_once(run: Run) -> None:
    done = run(
        "play",
        "lost-island",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--model",
        "m",
        lines="I look.\nI wait.\n",
    )
    assert done.code == 1 and done.err.count("Nothing answers at http://127.0.0.1:9/v1") == 1


def test_a_book_has_the_story_s_title_and_those_who_were_met(run: Run, tmp_path: Path) -> None:
    def book(*options: str) -> str:
        file = tmp_path / "book.md"
        assert run("export", "mine", "--to", str(file), *options).code == 0
        return file.read_text("utf-8")

    assert (
        run(
            "play",
            "guest-in-nine",
            "--save",
            "mine",
            "--offline",
            lines="I look around the hall.\nI go on.\n",
        ).code
        == 0
    )
    text = book()
    assert text.startswith("# The Guest in Nine\n") and "mine" not in text.split("##")[0]
    assert "- **Dorothy" in text and "Frayne" not in text.split("##")[0]
    assert "> You: I look around the hall." in text and "I go on." not in text
    assert "I look around the hall." not in book("--lines", "none")
    assert run("export", "mine", "--lines", "all").code == 2


def test_wrong_use_is_2_and_one_sentence_on_standard_error(run: Run) -> None:
    for arguments in (
        ("play", "no-such-pack"),
        ("show", "nothing"),
        ("nonsense",),
        ("undo", "nothing"),
        ("play", "lost-island", "--inputs", "/no/such/file"),
    ):
        done = run(*arguments)
        assert done.code == 2, arguments
        assert done.out == "" and done.err.strip() and "Traceback" not in done.err


def test_slash_commands_in_play(run: Run) -> None:
    lines = "/help\nI look.\n//not a command\n/leave maya\nI wait.\n/present Maya\n/undo\n/redo\n/history\n/quit\nnever\n"
    done = run("play", "lost-island", "--save", "s", "--seed", "1", lines=lines)
    assert done.code == 0, done.err
    assert "> /not a command" in done.out and "never" not in done.out and "Here: Father Joaquin" in done.out
    assert run("show", "s", "--json").json["turn"] == 3
    assert run("play", "lost-island", "--save", "s", lines="/nonsense\nI look.\n").code == 2


def test_a_second_process_is_told_that_the_save_is_in_use(played: Run, home: Path) -> None:
    holder = subprocess.Popen(
        [
            sys.executable, "-c",
            "import sys; from pathlib import Path; from theact_tui.saves.save import Save\n"
            "save = Save.open(Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()",
            str(home / "saves" / "one"),
        ],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdout and holder.stdout.readline() == "open\n"
    done = played("play", "lost-island", "--save", "one", lines="I wait.\n")
    assert done.code == 4 and "is open in another window" in done.err
    assert played("show", "one", "--json").code == 0
    holder.communicate()


def test_without_a_terminal_the_app_names_play(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theact_tui.tui.app.run_app", lambda *_, **__: 0)
    done = run()
    assert done.code == 2 and "play" in done.err and done.out == ""


def test_packs_and_drafts_go_to_the_trash_and_come_back(run: Run, home: Path) -> None:
    assert run("new-pack", "mine").code == 0
    assert run("trash", "--pack", "lost-island").code == 2
    assert run("trash", "--pack", "mine", "--json").json == {"trash": "pack-mine-1"}
    Draft.begin(Home.find(home), "A lamp.", "lamp").discard(Home.find(home))
    others = run("trash", "--json").json["others"]
    assert [(each["kind"], each["id"]) for each in others] == [("draft", "lamp"), ("pack", "mine")]
    assert run("trash", "--restore", "mine").code == 0 and run("check", "mine").code == 0
    assert run("trash", "--restore", "draft-lamp-1").code == 0 and (home / "drafts" / "lamp").is_dir()
    assert run("trash", "--pack", "mine").code == 0 and run("new-pack", "mine").code == 0
    (home / "trash" / "pack-mine-1").rename(home / "trash" / "pack-Mine-1")
    again = run("trash", "--restore", "mine")
    assert again.code == 2 and "There is already a pack 'mine'" in again.err
    assert run("trash", "--empty", "--json").json == {"deleted": 1}
    assert run("trash").out.strip() == "The trash is empty."


def test_whole_saves_are_copied_renamed_trashed_exported_and_brought_in(played: Run, tmp_path: Path) -> None:
    before = played("show", "one", "--json").json
    assert played("copy", "one", "two").code == 0
    assert played("rename", "two", "three", "--json").json == {"save": "three"}
    file = tmp_path / "whole.theact"
    assert played("export", "three", "--format", "save", "--to", str(file)).code == 0
    gone = played("trash", "three", "--json").json["trash"]
    assert [line["name"] for line in played("trash", "--json").json["trash"]] == [gone]
    assert played("show", "three").code == 2
    assert played("import", str(file), "--name", "four").code == 0
    after = played("show", "four", "--json").json
    own = {"save": "", "usage": []}  # calls stay with the save in which they were made
    assert {**after, **own} == {**before, **own}
    assert played("import", str(tmp_path / "nothing")).code == 2


def test_prose_of_a_story_is_shown_for_people(played: Run) -> None:
    shown = played("show", "one").out
    assert "> Go on." in shown and "The Crash" in shown
    assert "turn 3" in played("saves").out and "Turn 1" not in played("log", "one", "-n", "1").out
    assert "They differ after turn" in played("compare", "one", "1", "3").out


def test_a_spoken_turn_is_reported_as_pending_and_finished_by_play(played: Run, home: Path) -> None:
    with Save.open(home / "saves" / "one") as save:
        game = save.load()
        turn = game.turns[3].model_copy(update={"number": 4, "new_beats": (), "calls": {}})
        save.unfinished.journal(
            Spoken(parent=save.head, branch=save.branch, turn=turn, present=game.state.present)
        )
    shown = played("show", "one", "--json").json
    assert shown["turn"] == 3 and [work["agent"] for work in shown["pending"]] == ["turn"]
    assert played("undo", "one").code == 2
    assert played("play", "lost-island", "--save", "one", lines="").code == 0
    shown = played("show", "one", "--json").json
    assert shown["turn"] == 4 and shown["pending"] == []


def test_a_line_that_was_not_told_is_said_and_not_sent(played: Run, home: Path) -> None:
    with Save.open(home / "saves" / "one") as save:
        keep_sent(save, "I dig.")
    told = played("play", "lost-island", "--save", "one", lines="")
    assert "Your last input was not sent and was dropped: I dig." in told.err
    assert told.out == "" and told.code == 0
    kinds = played("play", "lost-island", "--save", "one", "--events", lines="I dig.\n").out
    assert '"type": "unsent_found"' in kinds and played("show", "one", "--json").json["turn"] == 4
    assert "I dig." not in played("play", "lost-island", "--save", "one", lines="").err


def test_a_refused_save_keeps_its_line_and_says_nothing_of_it(played: Run, home: Path) -> None:
    with Save.open(home / "saves" / "one") as save:
        keep_sent(save, "I dig.")
    refused = played("play", "one", lines="")
    reason = "The save 'one' uses the pack 'lost-island', not 'one'. Choose another name with --save.\n"
    assert (refused.code, refused.out, refused.err) == (2, "", reason)
    assert "I dig." in played("play", "lost-island", "--save", "one", lines="").err


def test_files_changed_by_hand_are_shown_adopted_and_put_back(played: Run, home: Path) -> None:
    folder = home / "saves" / "one"
    file, state = folder / "turns/0000/02.yaml", folder / "state.yaml"
    file.write_text(file.read_text().replace("I wait.", "I wait long."))
    state.write_text("mine: 1\n" + state.read_text())
    assert "Files edited outside: state.yaml, turns/0000/02.yaml." in played("show", "one").err
    reason = "state.yaml is invalid, line 1: unknown field 'mine'."
    shown = played("edits", "one")
    assert "I wait long." in shown.out and reason in shown.err and "--restore --only state.yaml" in shown.err
    told = played("play", "lost-island", "--save", "one", lines="/edits\n")
    assert reason in told.err and "/restore state.yaml" in told.out
    refused = played("edits", "one", "--adopt")
    assert (refused.code, refused.err.strip()) == (4, reason)
    assert played("edits", "one", "--restore", "--only", "state.yaml").code == 0
    assert played("edits", "one", "--adopt", "--json").json["adopted"] is True
    assert played("edits", "one").out == "No files were edited outside the program.\n"
    assert "I wait long." in played("show", "one", "--turn", "2").out


def test_words_are_searched_in_all_stories(played: Run) -> None:
    told = next(
        entry["text"]
        for entry in played("show", "one", "--json").json["entries"]
        if entry["role"] == "narrator"
    )
    words = told.split()[:3]
    matches = played("search", *words, "--json").json
    assert {"save", "title", "turn", "text"} == matches[-1].keys() and matches[-1]["save"] == "one"
    said = played("search", *words)
    assert (
        said.code == 0
        and f"one, turn {matches[-1]['turn']}: " in said.out
        and "match" in said.out.splitlines()[-1]
    )
    nothing = played("search", "zebra crossing", "--json")
    assert (nothing.code, nothing.json) == (0, [])
    assert "No match for “zebra”." in played("search", "zebra").out


def test_the_ending_of_a_file_names_the_format_of_an_export(played: Run, tmp_path: Path) -> None:
    begins = {
        "epub": b"PK",
        "html": b"<!DOCTYPE",
        "htm": b"<!DOCTYPE",
        "json": b"{",
        "jsonl": b"{",
        "md": b"# The Lost Island",
        "theact": b"",
    }
    for ending, begin in begins.items():
        file = tmp_path / f"book.{ending}"
        assert played("export", "one", "--to", str(file)).code == 0, ending
        assert file.read_bytes().startswith(begin)
        if ending in ("md", "html", "json", "epub"):
            for place, name in ((tmp_path, "one"), (tmp_path / "unnamed", "unnamed")):
                assert played("export", "one", "--format", ending, "--to", str(place)).code == 0
                assert (tmp_path / f"{name}.{ending}").read_bytes().startswith(begin)
    saved = played("import", str(tmp_path / "book.theact"), "--name", "Again")
    assert saved.code == 0, saved.err
    again = played("export", "one", "--to", str(tmp_path / "book.md"))
    assert "in place of the one there" in again.out
    assert (
        json.loads(played("export", "one", "--to", str(tmp_path / "book.md"), "--json").out)["replaced"]
        is True
    )
    assert "in place of" not in played("export", "one", "--to", str(tmp_path / "book"), "--format", "md").out
    assert (tmp_path / "book-2.md").exists()
    for ending, format in (("story", ""), ("epub", "md"), ("md", "save"), ("odt", "txt")):
        file = tmp_path / f"bad.{ending}"
        refused = played("export", "one", "--to", str(file), *(["--format", format] if format else []))
        assert refused.code == 2 and f".{ending}" in refused.err and not file.exists()
    for card, character in (("card.png", "maya"), ("card.theact", "maya")):
        asked = ("--format", "card", "--character", character, "--to", str(tmp_path / card))
        assert played("export", "one", *asked).code == 2 and not (tmp_path / card).exists()
