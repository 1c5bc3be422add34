"""A save is one git repository with one commit per turn, holding all of its state."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.saves.conftest import Git, play
from tests.support.games import new_chapter, new_game, next_chapter, pack, played, prompted, ticking
from theact_tui.errors import SaveError, SaveInUse, UsageError
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save
from theact_tui.story.game import Game, Spoken, needed_turns
from theact_tui.story.pack import Pack


def test_a_loaded_game_is_the_game_that_was_saved(folder: Path) -> None:
    game = new_game()
    with Save.create(folder, game) as save:
        for number in range(1, 26):
            game = played(next_chapter(game) if number == 12 else game)
            save.commit(game)
    with Save.open(folder) as save:
        assert save.load() == game
        assert save.load().pack == pack()
        assert tuple(save.load().turns) == needed_turns(game.state)
        assert (save.branch, save.turn, save.read_only, save.recovered) == ("main", 25, False, "")


def test_every_turn_can_be_seen_as_it_was(folder: Path) -> None:
    games = [new_game()]
    with Save.create(folder, games[0]) as save:
        for _ in range(30):
            games.append(played(games[-1]))
            save.commit(games[-1])
        for number in (0, 1, 2, 7, 16, 29, 30):
            assert save.state_at(number) == games[number]
        assert [turn.number for turn in save.turns(4, 6)] == [4, 5, 6]
        assert [turn.number for turn in save.turns(-3, 99)] == list(range(1, 31))
        assert save.turns(31, 40) == ()
        with pytest.raises(UsageError, match="no turn 31"):
            save.state_at(31)
        with pytest.raises(UsageError):
            save.state_at(-1)


def test_git_reads_it(save: Save[Game], folder: Path, git: Git, tmp_path: Path) -> None:
    for narration in ("", "You stop.\x1b[31m\x00 Now.\r\nNext " + "word " * 30, "静かな\u202e夜", "\n"):
        save.commit(played(save.load(), narration=narration))
        assert "dangling" not in git("fsck", "--strict")
    assert git("log", "--format=%s").splitlines() == [
        "Turn 4: I go on.",
        "Turn 3: 静かな夜",
        "Turn 2: You stop. Now. Next word word word word word word word word…",
        'Turn 1: You come to stone 1. It is warm, and it says: "I go on.".',
        "Turn 0: Alex at the reef",
    ]
    subprocess.run(["git", "clone", "-q", folder, tmp_path / "clone"], check=True)
    assert (tmp_path / "clone" / "turns" / "0000" / "03.yaml").exists()


def test_the_same_game_and_clock_make_the_same_commits(tmp_path: Path) -> None:
    heads = []
    for name in ("a", "b"):
        with Save.create(tmp_path / name, new_game(), clock=ticking()) as save:
            play(save, 5)
            heads.append([line.commit for line in save.log()])
    assert heads[0] == heads[1]


def test_a_clock_that_goes_backwards_makes_no_commit_older_than_its_parent(save: Save[Game]) -> None:
    back = ticking()
    save._timeline.clock = lambda: back().replace(year=1999)
    play(save, 2)
    times = [line.at for line in save.log()]
    assert times == sorted(times, reverse=True)
    assert times[0].startswith("2026")


def test_a_turn_must_follow_the_last_one(save: Save[Game]) -> None:
    with pytest.raises(ValueError, match="cannot follow"):
        save.commit(played(played(save.load())))


def test_text_that_is_not_a_file_name_never_becomes_one(folder: Path) -> None:
    game = new_game()
    hostile = replace(game, memories={**game.memories, "../../x": game.memories["maya"]})
    with pytest.raises(UsageError, match="not a valid file name"):
        Save.create(folder, hostile)
    assert not folder.exists()


def test_a_pack_of_the_plainest_form_comes_back_equal(folder: Path) -> None:
    full = pack()
    plain = Pack(game=full.game, world=full.world, characters=full.characters, chapters=full.chapters)
    with Save.create(folder, replace(new_game(), pack=plain)):
        pass
    with Save.open(folder) as save:
        assert save.load().pack == plain


def test_one_process_too_cannot_open_it_twice(save: Save[Game], folder: Path) -> None:
    with pytest.raises(SaveInUse):
        Save.open(folder)


def test_reading_only_changes_nothing(save: Save[Game], folder: Path) -> None:
    play(save, 2)
    save.close()
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    with Save.open(folder, write=False) as reader, pytest.raises(SaveError, match="This save is read-only"):
        reader.commit(played(reader.load()))
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_a_spoken_turn_survives_until_it_is_committed(folder: Path) -> None:
    with Save.create(folder, new_game()) as save:
        game = played(save.load())
        spoken = Spoken(parent=save.head, branch="main", turn=game.turns[1], present=("maya",), rolls=2)
        save.unfinished.journal(spoken)
    with Save.open(folder) as save:
        assert save.unfinished.journalled() == spoken
        save.commit(game)
        assert save.unfinished.journalled() is None
        save.unfinished.journal(spoken)
    with Save.open(folder) as save:
        assert save.unfinished.journalled() is None


def test_a_spoken_turn_in_any_characters_is_kept(save: Save[Game]) -> None:
    turn = played(save.load(), "\ud800 静か \x00").turns[1]
    save.unfinished.journal(Spoken(parent=save.head, branch="main", turn=turn, present=()))
    found = save.unfinished.journalled()
    assert found and found.turn.player_text == "? 静か \x00"


@pytest.mark.posix("file modes")
def test_the_folders_are_private_to_the_user(save: Save[Game], folder: Path) -> None:
    assert folder.stat().st_mode & 0o077 == 0


def test_an_edit_is_a_commit_of_its_own_and_of_no_turn(save: Save[Game]) -> None:
    play(save, 3)
    game = save.load()
    turn = game.turns[2]
    changed = turn.model_copy(update={"notices": ("changed",)})
    edited = replace(
        game, turns=game.turns | {2: changed}, state=game.state.model_copy(update={"present": ("maya",)})
    )
    save.commit_edit(edited, "Maya\nstays", [changed])
    assert next((line.turn, line.kind, line.line) for line in save.log(2)) == (3, "edit", "Maya stays")
    assert save.turns(2, 2) == (changed,)
    assert save.load().state.present == ("maya",)
    head = save.head
    assert save.commit_edit(edited, "nothing") == head


def test_a_chapter_is_kept_as_prompts_and_edits(folder: Path, git: Git) -> None:
    game = prompted(new_chapter(), "hi")
    with Save.create(folder, new_chapter()) as save:
        save.commit(game)
        save.commit_edit(replace(game, voice="I"), "Voice")
        assert (save.turn, save.load().voice) == (1, "I")
    with Save.open(folder) as save:
        assert [(line.turn, line.kind, line.line) for line in save.log()] == [
            (1, "edit", "Voice"), (1, "turn", "hi"), (0, "turn", "City begins"),
        ]  # fmt: skip
        assert save.info.mode == "direct"
        assert save.undo() == new_chapter()
        assert save.redo() == replace(game, voice="I")
        with pytest.raises(UsageError, match="directed chapter"):
            save.of(GAMES)
    git("fsck", "--strict")
