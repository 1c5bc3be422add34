"""A save of a newer version of the program is left alone, and one that says no version is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.saves.conftest import Git, play
from tests.support.games import new_game
from theact_tui.errors import SaveError
from theact_tui.saves.codec import read_info
from theact_tui.saves.save import Save


def test_a_save_of_a_newer_version_is_left_alone(folder: Path, git: Git) -> None:
    with Save.create(folder, new_game()) as save:
        play(save, 1)
        newer = save.files().need("save.yaml").replace(b"format: 1", b"format: 9")
        save._timeline.add_edit({"save.yaml": newer}, "Edit: from the future\n")
    head = git("rev-parse", "HEAD")
    for write in (True, False):
        with pytest.raises(SaveError, match="newer version of theact-tui"):
            Save.open(folder, write=write)
    assert git("rev-parse", "HEAD") == head


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("format: 0", "format 0"),
        ("", "no format number"),
        ("format: one", "no format number"),
        ("- 1", "no format number"),
    ],
)
def test_a_format_that_was_never_there_is_refused(said: str, complaint: str, folder: Path) -> None:
    with Save.create(folder, new_game()) as save, pytest.raises(SaveError, match=complaint):
        read_info(replace(save.files(), contents={"save.yaml": said.encode()}))
