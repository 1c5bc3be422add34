"""A direct session as a save (D5, D10): commits, undo, branches, kills, reset."""

import subprocess
from pathlib import Path

import pytest

from tests.direct.conftest import Table
from tests.support.saves import refuse_as_windows
from theact_tui.errors import SaveError, SaveInUse, UsageError
from theact_tui.saves.library import Library, restart
from theact_tui.saves.search import search_stories
from theact_tui.story.direct.state import set_voice, set_world


def log(folder: Path) -> list[str]:
    """Subjects of all commits as the git program sees them, oldest first."""
    made = subprocess.run(
        ["git", "log", "--reverse", "--format=%s"], cwd=folder, capture_output=True, text=True, check=True
    )
    return made.stdout.splitlines()


def fsck(folder: Path) -> None:
    subprocess.run(["git", "fsck", "--strict", "--full"], cwd=folder, capture_output=True, check=True)


async def test_d10_there_is_one_commit_for_every_prompt_block_and_draft_and_all_is_there_when_reopened(
    table: Table,
) -> None:
    session = await table.ended(8)
    session.edit(set_voice, "Salty.")
    await session.build()
    before = session.game
    await session.close()
    assert log(session.save.folder) == [
        "Prompt 0: Tower begins",
        "Edit: Setup",
        "Edit: Notes of world and chapter",
        *(f"Prompt {k}: Scene {k}." for k in range(1, 8)),
        "Edit: Notes of prompts 1 to 7",
        "Prompt 8: Scene 8.",
        "Edit: Notes of prompt 8",
        "Edit: Voice",
        "Edit: Draft 1",
    ]
    fsck(session.save.folder)
    again = await table.reopen()
    assert again.game == before and again.game.focus == session.game.focus


async def test_d10_undo_restores_the_older_indexes_blocks_and_dashes(table: Table) -> None:
    session = await table.played(6)
    at_six = session.game
    await table.play(session, 2)
    await session.undo(2)
    assert session.game == at_six and session.session.last_summarized_prompt_index == 0
    assert len(session.game.blocks) == 1 and session.game.focus == 1
    await session.redo(2)
    assert session.session.prompt_index == 8 and session.session.last_summarized_prompt_index == 7


async def test_d10_undo_before_the_first_prompt_unlocks_setup_and_then_nothing_is_left_to_undo(
    table: Table,
) -> None:
    session = await table.locked()
    setup = session.setup
    session.edit(set_voice, "Salty.")
    await session.undo()
    await session.close()
    again = await table.reopen()
    assert again.session.state == "DRAFT" and again.tabs == ("setup",)
    assert (again.setup, again.game.voice, again.game.blocks) == (setup, "Salty.", ())
    with pytest.raises(UsageError, match="nothing to undo"):
        await again.undo()
    again.edit(set_world, "A dry city.")
    await again.lock()
    await table.play(again, 1)
    assert again.session.prompt_index == 1 and len(again.game.blocks) == 1
    await again.undo()
    assert str(again.session.state) == "ACTIVE", "a prompt first"
    await again.end()
    await again.undo()
    assert str(again.session.state) == "DRAFT" and again.setup.world == "A dry city."
    fsck(again.save.folder)


async def test_d2_a_reset_begins_a_new_session_and_archives_the_old_one(table: Table) -> None:
    session = await table.played(2)
    old = session.session.session_id
    archived = await session.reset()
    assert archived == f"Tower-{old[:8]}"
    assert session.session.session_id != old and session.session.state == "DRAFT"
    assert (session.setup.world, session.game.events, session.game.blocks, session.transcript.text) == (
        "",
        (),
        (),
        "",
    )
    assert session.name == "Tower" and session.save.folder.name == "tower"
    assert ("ACTIVE", "RESETTING") in states(table) and ("RESETTING", "DRAFT") in states(table)
    await session.close()
    kept = await table.reopen(archived)
    assert kept.session.session_id == old and kept.session.prompt_index == 2 and kept.name == archived
    assert {line.title for line in Library(table.home).saves()} == {"Tower", archived}
    fsck(kept.save.folder)


async def test_words_of_a_prompt_and_of_its_reply_are_found_in_the_search_over_all_stories(
    table: Table,
) -> None:
    await (await table.played(2)).close()
    (prompt,) = search_stories(table.library, "scene 2")
    assert (prompt.save.name, prompt.place, prompt.text) == ("tower", "prompt 2", "Scene 2.")
    assert [match.turn for match in search_stories(table.library, "I try")] == [1, 2]


def states(table: Table) -> list[tuple[str, str]]:
    return [(e.before, e.after) for e in table.heard if e.type == "state_changed"]  # type: ignore[attr-defined]


async def test_d2_a_reset_cut_off_half_way_is_finished_when_saves_are_listed(table: Table) -> None:
    session = await table.locked()
    folder = session.save.folder
    old = session.session.session_id
    save, _ = await session.run(restart, session.save, "f" * 8)
    await session.run(save.close)
    folder.rename(folder.with_name(".tower.new"))
    assert "tower" in {line.name for line in table.library.saves()}
    again = await table.reopen()
    assert again.session.session_id != old and again.session.state == "DRAFT"


async def test_d2_a_copied_chapter_is_a_session_of_its_own_with_everything_in_it(table: Table) -> None:
    session = await table.played(2)
    await session.close()
    table.library.copy("Tower", "Second Tower")
    copy = await table.reopen("Second Tower")
    assert copy.session.session_id != session.session.session_id
    assert copy.transcript == session.transcript and copy.game.blocks == session.game.blocks
    await copy.prompt(3, "Only here.")
    await copy.undo()
    assert copy.game.events == session.game.events
    await copy.prompt(3, "Only here.")
    await copy.close()
    again = await table.reopen("Second Tower")
    assert again.session == copy.session and again.session.prompt_index == 3
    assert again.game.events[-1].session_id == copy.session.session_id


async def test_d2_a_reset_that_is_refused_leaves_the_chapter_as_it_was(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await table.locked()
    with monkeypatch.context() as windows:
        refuse_as_windows(windows)
        with pytest.raises(SaveInUse):
            await session.reset()
    taken = session.save.folder.with_name(f"tower-{session.session.short_id}")
    taken.mkdir()
    with pytest.raises(UsageError, match="already a save"):
        await session.reset()
    taken.rmdir()
    assert (session.session.state, session.name) == ("ACTIVE", "Tower")
    await session.prompt(1, "Go on.")
    assert [line.title for line in table.library.saves()] == ["Tower"]
    assert await session.reset() and str(session.session.state) == "DRAFT"


async def test_s9_a_renamed_chapter_is_archived_under_its_new_name(table: Table) -> None:
    session = await table.locked()
    await session.close()
    table.library.rename("Tower", "Old Bell")
    again = await table.reopen("Old Bell")
    assert again.name == "Old Bell"
    old = again.session.short_id
    assert await again.reset() == f"Old Bell-{old}" and again.name == "Old Bell"
    assert {line.title for line in table.library.saves()} == {"Old Bell", f"Old Bell-{old}"}


async def test_s9_a_story_to_be_played_is_not_opened_as_a_chapter(table: Table, tmp_path: Path) -> None:
    from tests.support.games import new_game

    Library(table.home).create(new_game()).close()
    with pytest.raises(UsageError, match="play"):
        await table.reopen(Library(table.home).names()[0])


async def test_s9_a_file_changed_by_hand_becomes_part_of_the_chapter_or_is_put_back(table: Table) -> None:
    session = await table.played(1)
    folder = session.save.folder
    await session.close()
    voice, turn = folder / "voice.yaml", folder / "turns" / "0000" / "01.yaml"
    voice.write_text('text: "First person."\n', encoding="utf-8")
    again = await table.reopen()
    found = await again.hand_edits()
    assert found is not None and found.files == ("voice.yaml",)
    assert await again.adopt_edits() == ("voice.yaml",) and again.game.voice == "First person."
    assert await again.hand_edits() is None and "edited" in table.types()
    await again.close()
    turn.write_text("events: 7\n", encoding="utf-8")
    third = await table.reopen()
    with pytest.raises(SaveError, match="turns"):
        await third.adopt_edits()
    assert await third.discard_edits() == ("turns/0000/01.yaml",)
    await third.prompt(2, "On.")
    assert third.session.prompt_index == 2
    await third.close()
    session_file = folder / "session.yaml"
    session_file.write_text(
        session_file.read_text(encoding="utf-8").replace("prompt_index: 2", "prompt_index: 1", 1),
        encoding="utf-8",
    )
    with pytest.raises(SaveError, match=r"The prompt in session\.yaml must be 2\."):
        await (await table.reopen()).adopt_edits()
