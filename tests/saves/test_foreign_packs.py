"""The pack inside a save is checked like any other when the save is opened: it may have been changed by somebody."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.games import new_game, played
from theact_tui.errors import SaveError
from theact_tui.saves.codec import GAMES
from theact_tui.saves.git_objects import now
from theact_tui.saves.library import Library
from theact_tui.saves.open_and_repair import create_save
from theact_tui.saves.save import Save
from theact_tui.saves.transfer import write_bundle

CHANGES: dict[str, tuple[str, Callable[[str], str], str]] = {
    "a character taken out": (
        "pack/game.yaml",
        lambda text: text.replace("  - maya\n", ""),
        "no character 'maya'",
    ),
    "a chapter of strangers": (
        "pack/chapters/one.yaml",
        lambda text: text.replace("- maya", "- eve"),
        "'eve'",
    ),
    "a chapter taken out": ("pack/game.yaml", lambda text: text.replace("  - one\n", ""), "'one'"),
    "chapters in a circle": ("pack/chapters/two.yaml", lambda text: f"{text}next: one\n", "'next'"),
    "another id": (
        "pack/chapters/one.yaml",
        lambda text: text.replace("id: one", "id: other"),
        "the id must be",
    ),
    "a template that looks inside": (
        "pack/prompts/narrator.txt",
        lambda _: "{beats.__class__}",
        "placeholder",
    ),
    "a template without an end": ("pack/prompts/narrator.txt", lambda _: "{beats:>999999999}", "placeholder"),
    "a chapter nobody wrote": (
        "state.yaml",
        lambda text: text.replace("chapter: one", "chapter: three"),
        "'three'",
    ),
    "a stranger present": ("state.yaml", lambda text: text.replace("- maya", "- eve"), "'eve'"),
}


def changed(change: str) -> dict[str, bytes | None]:
    """The files of a new game, one of them changed."""
    path, edit, _ = CHANGES[change]
    contents = GAMES.changed_files(new_game())
    before = (contents[path] or b"").decode()
    assert edit(before) != before
    return contents | {path: edit(before).encode()}


@pytest.mark.parametrize("change", CHANGES)
def test_a_pack_that_was_changed_is_refused_with_its_reason(tmp_path: Path, change: str) -> None:
    library = Library(tmp_path)
    library.folder.mkdir()
    timeline, lock = create_save(library.folder / "one", changed(change), "begins", now, "Turn")
    write_bundle(timeline.repository, tmp_path / "one.bundle")
    timeline.repository.close()
    lock.release()
    with pytest.raises(SaveError) as refused:
        Save.open(library.folder / "one", write=False)
    assert CHANGES[change][2] in refused.value.message
    with pytest.raises(SaveError):
        library.import_file(tmp_path / "one.bundle", "Two")
    assert library.names() == ["one"]


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_in_a_later_commit_is_stepped_back_from(tmp_path: Path, change: str) -> None:
    path = CHANGES[change][0]
    with Save.create(tmp_path / "one", new_game()) as save:
        save.commit(played(save.load()))
        save._timeline.add_edit({path: changed(change)[path]}, "Edit: by hand\n")
    with Save.open(tmp_path / "one") as save:
        assert "could not be read" in save.recovered
        save.commit(played(save.load()))
        assert save.turn == 2
