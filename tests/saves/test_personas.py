"""Whom the player was is kept for the next story."""

from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, Ticking, small_pack
from theact_tui.engine.bus import Bus
from theact_tui.engine.open_sessions import create_session
from theact_tui.errors import UsageError
from theact_tui.saves.library import Library
from theact_tui.saves.personas import Personas, checked_hero
from theact_tui.story.pack import PlayerInfo


async def test_somebody_described_once_can_be_chosen_by_name_in_another_story(tmp_path: Path) -> None:
    for title, answer in (("One", "Mara: a tired diver"), ("Two", "mara")):
        session = await create_session(
            Library(tmp_path), small_pack(), title, answer, 1, lambda pack, seed: Scripted(), Bus(Ticking())
        )
        assert session.game.info.player == PlayerInfo(name="Mara", description="a tired diver")
        await session.close()
    assert (tmp_path / "personas.yaml").read_text() == '"Mara": "a tired diver"\n'


@pytest.mark.parametrize("answer", ["ann: a tired diver", "Ann Lee", "lee"])
async def test_a_player_may_not_have_the_name_of_a_character(tmp_path: Path, answer: str) -> None:
    with pytest.raises(UsageError, match="Ann Lee is one of the characters"):
        await create_session(
            Library(tmp_path), small_pack(), "One", answer, 1, lambda pack, seed: Scripted(), Bus(Ticking())
        )
    assert not (tmp_path / "personas.yaml").exists() and not Library(tmp_path).has("one")


def test_a_name_that_was_kept_once_can_still_be_chosen(tmp_path: Path) -> None:
    file = tmp_path / "personas.yaml"
    file.write_text('Max "the Axe" Power: a tired boxer\n')
    found = Personas(file).chosen('max "the Axe" Power')
    assert (found.name, found.description) == ('Max "the Axe" Power', "a tired boxer")


def test_a_name_that_is_not_listed_is_only_a_name(tmp_path: Path) -> None:
    kept = Personas(tmp_path / "personas.yaml")
    assert kept.chosen("Ilse") == PlayerInfo(name="Ilse") and kept.chosen("").name == ""
    assert not kept.file.exists()


def test_a_list_that_cannot_be_read_is_empty_and_left_alone_and_an_empty_one_is_written(
    tmp_path: Path,
) -> None:
    kept = Personas(tmp_path / "personas.yaml")
    for content in ("- a\n- b\n", "a: [", "Ada: a diver\nBo: [\n"):
        kept.file.write_text(content)
        assert kept.all() == {}
        assert kept.chosen("Mara: a tired diver") == PlayerInfo(name="Mara", description="a tired diver")
        assert kept.file.read_text() == content
    kept.file.write_text("a: 3\n")
    assert kept.all() == {}
    kept.file.write_text("")
    kept.chosen("Mara: a tired diver")
    assert kept.all() == {"Mara": "a tired diver"}


def test_a_description_has_room_for_some_sentences(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Too long"):
        Personas(tmp_path / "personas.yaml").chosen("Mara: " + "x" * 501)


@pytest.mark.parametrize(
    "text", ['"Do you know me?" I ask', "I walk on to the harbour.", "x" * 41, "you", " ME "]
)
def test_a_sentence_or_a_pronoun_is_no_name(tmp_path: Path, text: str) -> None:
    kept = Personas(tmp_path / "personas.yaml")
    for answer in (text, f"{text}: a tired diver"):
        with pytest.raises(UsageError, match=r"is not a name|Give your character a name"):
            kept.chosen(answer)
    assert not kept.file.exists()


@pytest.mark.parametrize(
    "name", ["Dr. Ada Brook", "Sammy Davis Jr.", "Anne-Marie d'Arc", "Иван", "J. R. R. Tolkien"]
)
def test_names_of_many_kinds_are_taken(name: str) -> None:
    assert checked_hero(name) == (name, "")


def test_one_is_changed_and_dropped_and_what_else_the_file_holds_stays(tmp_path: Path) -> None:
    kept = Personas(tmp_path / "personas.yaml")
    kept.file.write_text("Ada: a diver\nBo: a cook\nlist: [1]\n")
    kept.change("Ada", "Ada Brook: a tired diver")
    assert kept.all() == {"Ada Brook": "a tired diver", "Bo": "a cook"}
    kept.drop("Bo")
    assert kept.all() == {"Ada Brook": "a tired diver"} and "list" in kept.file.read_text()
    for answer in ("Ada", "", ": who", "you: a diver"):
        with pytest.raises(UsageError):
            kept.change("", answer)
    kept.file.write_text("- a\n")
    with pytest.raises(UsageError, match="cannot be read"):
        kept.change("", "Mara: a diver")
    assert kept.file.read_text() == "- a\n"
