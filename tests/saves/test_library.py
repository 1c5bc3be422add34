"""The list of saves names every one, broken ones with the reason."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.saves.conftest import play
from tests.support.games import new_game, played, ticking
from theact_tui.errors import SaveError, UsageError
from theact_tui.saves import save as save_module
from theact_tui.saves.branches import give_names
from theact_tui.saves.history import Timeline
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save


def test_saves_are_listed_with_what_one_needs_to_choose(tmp_path: Path) -> None:
    library = Library(tmp_path)
    assert library.saves() == []
    with library.create(new_game("Über die Brücke"), clock=ticking()) as save:
        play(save, 3)
    with library.create(new_game("Later"), clock=ticking(ticking()().replace(year=2027))):
        pass
    first, second = library.saves()
    assert (first.name, first.turn, first.line) == ("later", 0, "Later")
    assert (second.name, second.title, second.turn, second.branch) == (
        "uber-die-brucke",
        "Über die Brücke",
        3,
        "main",
    )
    assert (second.chapter, second.player, second.pack) == ("Ashore", "Alex", "reef")
    assert second.line == "That is stone 3, I go on."
    assert library.path("Über die Brücke") == library.path("uber-die-brucke")


def test_a_story_that_has_come_to_its_end_is_listed_as_such(tmp_path: Path) -> None:
    library = Library(tmp_path)
    with library.create(new_game("Reef")) as save:
        game = played(save.load())
        save.commit(game)
        assert not library.saves()[0].finished
        save.commit_edit(replace(game, state=game.state.model_copy(update={"game_complete": True})), "end")
    assert library.saves()[0].finished


def test_a_name_is_refused_if_taken_blank_or_endless(library: Library) -> None:
    for title in ("REEF!", " \n", "x" * 121):
        with pytest.raises(UsageError):
            library.create(new_game(title))
    with pytest.raises(UsageError, match="Saves: reef"):
        library.path("../../etc")


def test_a_broken_save_is_listed_with_its_reason(library: Library) -> None:
    (library.folder / "dead" / ".git").mkdir(parents=True)
    assert [(line.name, bool(line.broken)) for line in library.saves()] == [("reef", False), ("dead", True)]


def test_importing_the_library_loads_neither_git_nor_yaml() -> None:
    code = "import theact_tui.saves.library, sys; print([m for m in ('dulwich', 'ruamel.yaml') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_title_that_several_saves_have_is_refused_with_their_names(tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.create(new_game("The Reef")).close()
    copy = library.copy("the-reef", "Another")
    with Save.open(copy) as save:
        save.rename("The Reef")
    with pytest.raises(UsageError, match=r"Several saves are called 'The Reef': .*another"):
        library.path("The Reef")
    assert library.path("the-reef").name == "the-reef" and library.path("another") == copy


@pytest.mark.parametrize("fails", ["the old name", "the commit", "the new name"])
def test_a_name_that_cannot_be_written_is_not_half_changed(
    library: Library, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    done: list[str] = []

    def until_full(step: Callable[..., object], *names: str) -> Callable[..., object]:
        def stepped(*arguments: object) -> None:
            done.append(next(name for name in names if name not in done))
            if fails in done:  # and from then on
                raise SaveError("No space left on device")
            step(*arguments)

        return stepped

    with monkeypatch.context() as full:
        full.setattr(Timeline, "add_edit", until_full(Timeline.add_edit, "the commit"))
        full.setattr(
            save_module, "give_names", until_full(give_names, "the old name", "the new name", "another")
        )
        with pytest.raises(SaveError):
            library.rename("reef", "Cliff")
    assert [(line.name, line.title) for line in library.saves()] == [("reef", "Reef")]
    with Save.open(library.path("reef")) as save:
        assert save.info.title == "Reef"
    assert library.rename("reef", "Cliff").name == "cliff"
