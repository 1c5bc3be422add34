"""A file of the pack inside a save that somebody changed, broke or deleted: what becomes of the story."""

from pathlib import Path

import pytest

from tests.saves.conftest import Git
from tests.saves.test_hand_edits import change
from tests.support.games import ticking
from theact_tui.errors import SaveDamaged, SaveError
from theact_tui.packs.library import create_pack
from theact_tui.packs.loader import load_pack
from theact_tui.saves import codec as files
from theact_tui.saves.save import Save
from theact_tui.story.game import new_game

FIRST, SECOND = "pack/chapters/01-the-platform.yaml", "pack/chapters/02-the-up-train.yaml"
GAME, WORLD, TELLER = "pack/game.yaml", "pack/world.yaml", "pack/storyteller.yaml"
LORE = "pack/lore/mill.yaml"
RENAMED = '"01-the-platform":', '"01-the-train":'


@pytest.fixture
def closed(folder: Path, tmp_path: Path) -> Path:
    """A save of a small sound pack, closed; its folder."""
    pack = load_pack(create_pack(tmp_path / "packs", "mill"))
    game = new_game(pack, title="Mill", player="", seed=1, created="")
    Save.create(folder, game, clock=ticking()).close()
    return folder


def test_a_story_goes_on_with_its_pack_as_it_began_until_a_change_is_adopted(closed: Path) -> None:
    change(closed / FIRST, "The Platform", "Platform Two")
    with Save.open(closed) as save:
        assert save.foreign_edits == (FIRST,) and save.load().chapter.title == "The Platform"
        save.adopt_edits()
        assert save.load().chapter.title == "Platform Two"
    with Save.open(closed) as save:
        assert not save.foreign_edits and save.load().chapter.title == "Platform Two"


@pytest.mark.parametrize(
    ("path", "old", "new", "reason"),
    [
        (WORLD, "tone:", "tone: [", "cannot be read as YAML"),
        (WORLD, "rules:", "roles:", "the field 'rules' is missing"),
        (FIRST, 'next: "02-the-up-train"', "next: nowhere", "there is no chapter 'nowhere'"),
        (FIRST, "- odile", "- odelia", "there is no character 'odelia'"),
        (FIRST, '- "the traveller finds', '- ""\n  - "the traveller finds', "a beat must not be empty"),
        (GAME, "id: mill", "id: till", "the id must stay 'mill'"),
        (GAME, '- "02-the-up-train"', "", "the story still uses the chapter '02-the-up-train'"),
        (GAME, "- bram", "", "the story still uses the character 'bram'"),
        (TELLER, *RENAMED, "has no material here"),
    ],
)
def test_what_does_not_fit_is_named_and_put_back(
    path: str, old: str, new: str, reason: str, closed: Path
) -> None:
    change(closed / path, old, new)
    with Save.open(closed) as save:
        game, found = save.load(), save.hand_edits()
        assert list(found.broken) == [path] and reason in found.broken[path]
        assert found.broken[path].startswith(path)
        with pytest.raises(SaveError, match=path):
            save.adopt_edits()
        save.discard_edits(found.broken)
        assert not save.hand_edits().files and save.load() == game


def test_lore_is_checked_as_well(folder: Path, tmp_path: Path) -> None:
    pack = create_pack(tmp_path / "packs", "mill")
    (pack / "lore").mkdir()
    (pack / "lore/mill.yaml").write_text("- id: wheel\n  text: It creaks.\n  keys: [wheel]\n", "utf-8")
    Save.create(folder, new_game(load_pack(pack), title="Mill", player="", seed=1, created="")).close()
    line = len((folder / LORE).read_text("utf-8").splitlines()) + 1
    with (folder / LORE).open("a", encoding="utf-8") as file:
        file.write("- id: wheel\n  text: It turns.\n  keys: [wheel]\n")
    with Save.open(folder) as save:
        said = save.hand_edits().broken[LORE]
        assert said.startswith(f"{LORE}, line {line}: 'wheel' is in lore/mill.yaml too")
        with pytest.raises(SaveError, match=LORE):
            save.adopt_edits()


def test_what_fits_only_together_is_adopted_together(closed: Path) -> None:
    first, second = '- "01-the-platform"', '- "02-the-up-train"'
    change(closed / GAME, f"{first}\n  {second}", f"{second}\n  {first}")
    change(closed / FIRST, 'next: "02-the-up-train"', "next: null")
    with Save.open(closed) as save:
        assert set(save.hand_edits().broken) == {GAME, FIRST}, "the second chapter leads nowhere yet"
    change(closed / SECOND, "characters:", 'next: "01-the-platform"\ncharacters:')
    with Save.open(closed) as save:
        assert save.hand_edits().broken == {}
        save.adopt_edits()
        assert save.load().pack.game.chapters == ("02-the-up-train", "01-the-platform")


def test_a_fault_that_was_there_before_stands_in_nobodys_way(closed: Path) -> None:
    change(closed / TELLER, *RENAMED)
    with Save.open(closed) as save:
        save._timeline.add_edit(
            {TELLER: (closed / TELLER).read_bytes()}, "Edit: as an older program took it\n"
        )
    change(closed / FIRST, "The Platform", "Platform Two")
    with Save.open(closed) as save:
        save.adopt_edits()
        assert save.load().chapter.title == "Platform Two"


@pytest.mark.parametrize("content", [None, b"", b"rubbish"])
def test_an_object_of_it_that_is_lost_comes_back_from_the_visible_file(
    content: bytes | None, closed: Path, git: Git
) -> None:
    id = git("rev-parse", f"HEAD:{WORLD}").strip()
    lost = closed / ".git/objects" / id[:2] / id[2:]
    lost.unlink()
    if content is not None:
        lost.write_bytes(content)
    before = (closed / WORLD).read_bytes()
    (closed / WORLD).write_bytes(b"something else")
    files._packs.clear()  # as in a new process
    with pytest.raises(SaveDamaged):
        Save.open(closed)
    (closed / WORLD).write_bytes(before)
    with Save.open(closed) as save:
        assert WORLD in save.recovered and save.load().pack.world.tone
    git("fsck", "--strict")
    with Save.open(closed) as save:
        assert save.recovered == ""


def test_a_file_that_is_missing_is_put_back(closed: Path) -> None:
    before = (closed / WORLD).read_bytes()
    (closed / WORLD).unlink()
    with Save.open(closed) as save:
        assert save.foreign_edits == () and save.load().pack.world.tone
    assert (closed / WORLD).read_bytes() == before
