"""Files changed by hand are looked at one by one: what can become part of the story, and what not and why."""

from pathlib import Path

import pytest

from tests.saves.conftest import Git, play
from tests.support.games import new_chapter, prompted
from theact_tui.errors import SaveError
from theact_tui.saves.save import Save
from theact_tui.yaml import line_of

TURN = "turns/0000/02.yaml"


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("path", "old", "new", "reason"),
    [
        (
            "memory/maya.yaml",
            "turn: 3",
            "turn: soon",
            "line 17: 'facts.key_facts.2.turn' must be a whole number",
        ),
        ("state.yaml", "chapter: one", "chaptre: one", "the field 'chapter' is missing"),
        ("state.yaml", "turn: 5", "turn: 4", "The turn in state.yaml must be 5. Use undo to go back."),
        ("moments.yaml", "- turn: 5", "- turn: [5", "cannot be read as YAML: line"),
        (TURN, "number: 2", "number: 3", "contains turn 3 instead of 2"),
        (TURN, "role: player", "role: nobody", "entries.1.role"),
    ],
)
def test_what_cannot_be_part_of_the_story_is_named_with_its_place(
    path: str, old: str, new: str, reason: str, closed: Path
) -> None:
    change(closed / path, old, new)
    change(closed / "memory/joaquin.yaml", "I saw stone 5", "I saw the stone")
    with Save.open(closed) as save:
        found, head = save.hand_edits(), save.head
        assert list(found.broken) == [path]
        assert found.broken[path].startswith((path, f"The turn in {path} "))
        assert reason in found.broken[path]
        with pytest.raises(SaveError, match=path):
            save.adopt_edits()
        assert save.head == head
        save.discard_edits(found.broken)
        assert save.hand_edits().files == ("memory/joaquin.yaml",)
        save.adopt_edits()
        play(save, 1)
    name = Path(path)
    assert new in (closed / name.with_name(f"{name.stem}.edited.yaml")).read_text()
    with Save.open(closed) as save:
        assert not save.foreign_edits
        save.turns(1, 6)


def test_a_prompt_cannot_be_emptied(folder: Path) -> None:
    with Save.create(folder, new_chapter()) as chapter:
        chapter.commit(prompted(new_chapter(), "hi"))
    prompt = "turns/0000/01.yaml"
    (folder / prompt).write_text("events: []\n")
    with Save.open(folder) as save:
        assert "'events' needs at least 1" in save.hand_edits().broken[prompt]


def test_reading_shows_the_difference_line_by_line_and_writes_nothing(closed: Path) -> None:
    change(closed / TURN, "stone 2", "stone two")
    (closed / "state.yaml").unlink()
    before = {path: path.stat().st_mtime_ns for path in closed.rglob("*")}
    with Save.open(closed, write=False) as save:
        found = save.hand_edits()
    assert {path: path.stat().st_mtime_ns for path in closed.rglob("*")} == before
    assert (found.files, found.broken) == ((TURN,), {})
    lines = found.difference.splitlines()
    assert lines[0] == TURN
    assert [line for line in lines if line.startswith("  -")] == ["  -      You come to stone 2."]
    assert [line for line in lines if line.startswith("  +")] == ["  +      You come to stone two."]


def test_files_that_were_not_refreshed_yet_are_nobodys_edit(closed: Path, git: Git) -> None:
    git("update-ref", "refs/heads/main", "HEAD~1")  # the visible files still show turn 5
    with Save.open(closed, write=False) as save:
        assert (save.turn, save.hand_edits().files) == (4, ())


def test_lines_are_found_in_any_shape_of_file() -> None:
    raw = (
        b"policy: facts\nfacts:\n  - text: a\n    turn: 1\n  - {text: b,\n     turn: no}\nlast:\n  deep: 1\n"
    )
    assert line_of(raw, ("facts", 0, "turn")) == 4
    assert line_of(raw, ("facts", 1, "turn")) == 6
    assert line_of(raw, ("kind", "last", "deep")) == 8
    assert line_of(raw, ("facts", 1, "missing")) == 5
    assert line_of(raw, ("nowhere",)) == 1
