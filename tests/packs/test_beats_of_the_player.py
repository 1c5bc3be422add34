"""Beats that are the player's, and acts that name who does them."""

import shutil
from pathlib import Path

import pytest

from theact_tui.packs.loader import check_pack, load_pack
from theact_tui.story.pack import PLAYER

CONTENT = Path(__file__).parents[2] / "content"
PACKS = sorted(folder.name for folder in CONTENT.iterdir() if folder.is_dir())


@pytest.mark.parametrize("name", PACKS)
def test_every_choice_of_a_shipped_pack_is_brought_up_by_something(name: str) -> None:
    chapters = load_pack(CONTENT / name).chapters.values()
    choices = {beat for chapter in chapters for beat, owner in chapter.by.items() if owner == PLAYER}
    assert choices == {beat for chapter in chapters for beat in chapter.offers}


@pytest.fixture
def pit(tmp_path: Path) -> Path:
    """A copy of a shipped pack."""
    return Path(shutil.copytree(CONTENT / "horsell-pit", tmp_path / "horsell-pit"))


def test_check_warns_of_a_choice_that_nothing_brings_up_and_of_an_act_without_a_name(pit: Path) -> None:
    file = pit / "chapters" / "03-the-count.yaml"
    text = file.read_text("utf-8")
    offer = text[text.index("    offer:") :].splitlines(keepends=True)[0]
    file.write_text(text.replace(offer, ""), "utf-8")
    assert any("say with 'offer' what happens first" in finding.message for finding in check_pack(pit))
    file.write_text(text.replace(offer, "").replace("by: player", "by: dinah"), "utf-8")
    assert sum("start it with that name" in finding.message for finding in check_pack(pit)) == 1
    file.write_text(text.replace("by: player", "by: dinah"), "utf-8")
    assert any("an offer needs a beat of the player" in finding.message for finding in check_pack(pit))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "by: player",
            "by: player\n    same_page: true",
            "a choice of the player is on no page with another beat",
        ),
        ("- text: The end of", "- text: The far end of", ""),
        ("completion:", "same_page: [The lid]\ncompletion:", "there is no beat 'The lid'"),
        ("    same_page: true", "    same_page: perhaps", "must be text, not fields"),
        ("completion:", "by: 5\ncompletion:", "'by' must contain fields, not '5'"),
        ("completion:", "offers: [a]\ncompletion:", "'offers' must contain fields, not a list"),
        ("completion:", "same_page: 5\ncompletion:", "'same_page' must be a list, not '5'"),
    ],
)
def test_what_belongs_to_a_beat_is_checked(old: str, new: str, says: str, pit: Path) -> None:
    for file in (pit / "chapters").iterdir():
        file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
    found = [finding.message for finding in check_pack(pit) if finding.level == "error"]
    assert any(says in message for message in found) if says else not found
