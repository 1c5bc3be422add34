"""Lists that an author types (S18): people, chapters and relationships are kept as they were typed, or refused."""

from pathlib import Path

import pytest

from tests.packs.conftest import pack
from theact_tui.authoring.draft import Draft, Part
from theact_tui.authoring.questions import QUESTIONS, answers_of, findings_of, put, written_answer
from theact_tui.packs.files import GAME
from theact_tui.paths import Home

__all__ = ["pack"]

STORY = "concept:"


@pytest.fixture
def draft(pack: Path, tmp_path: Path) -> Draft:
    """Two people who know each other, and two chapters."""
    return Draft.of_pack(Home.find(tmp_path).create(), pack, "halfway")


def part_of(draft: Draft, key: str) -> Part:
    return next(part for part in draft.parts() if part.key == key)


def type_in(draft: Draft, key: str, field: str, text: str) -> None:
    part = part_of(draft, key)
    put(draft, part, next(each for each in QUESTIONS[part.kind] if each.field == field), text)


def shown(draft: Draft, key: str, field: str) -> str:
    part = part_of(draft, key)
    return written_answer(draft, part, next(each for each in QUESTIONS[part.kind] if each.field == field))


@pytest.mark.parametrize("more", ["", "\nZed: a stranger"])
def test_a_renamed_character_keeps_all_that_was_written_of_it(draft: Draft, more: str) -> None:
    (first, name), *_ = draft.cast.items()
    before = answers_of(draft, part_of(draft, f"character:{first}"))
    chapter = f"chapter:{draft.chapters[0]}"
    type_in(draft, chapter, "beats", f"The bell rings ({name})")
    lines = shown(draft, STORY, "characters")
    type_in(draft, STORY, "characters", lines.replace(f"{name}:", "Tomas:", 1) + more)
    assert draft.cast[first] == "Tomas" and shown(draft, chapter, "beats") == "The bell rings (Tomas)"
    assert answers_of(draft, part_of(draft, f"character:{first}")) == {**before, "name": "Tomas"}
    assert not (draft.folder / "removed").exists()


def test_a_renamed_chapter_keeps_all_that_was_written_of_it(draft: Draft) -> None:
    first = draft.chapters[0]
    before = answers_of(draft, part_of(draft, f"chapter:{first}"))
    lines = shown(draft, STORY, "chapters")
    type_in(draft, STORY, "chapters", lines.replace(f"{before['title']}:", "The Other Platform:", 1))
    assert answers_of(draft, part_of(draft, f"chapter:{first}")) == {**before, "title": "The Other Platform"}
    assert draft.read(GAME)["chapters"][0] == first


def test_who_comes_in_the_place_of_nobody_is_somebody_new(draft: Draft) -> None:
    known = set(draft.cast)
    lines = shown(draft, STORY, "characters").splitlines()
    type_in(draft, STORY, "characters", "\n".join([*lines[1:], "Zed: a stranger"]))
    assert set(draft.cast) - known and len(known - set(draft.cast)) == 1


LONG = "The one whom everybody in the valley calls the keeper of the upper and the lower bridge"


@pytest.mark.parametrize("line", ["Nobody: hates", "None: knows **him**", f"{LONG}: afraid", "Zed - n/a"])
def test_a_typed_relationship_is_kept_to_the_letter(draft: Draft, line: str) -> None:
    key = f"character:{next(iter(draft.cast))}"
    type_in(draft, key, "relationships", line)
    assert shown(draft, key, "relationships") == line.replace(" - ", ": ")


def test_typed_names_and_titles_are_kept_to_the_letter(draft: Draft) -> None:
    people, chapters = f"{LONG}: {'old ' * 80}man\n**Zed**", "Part 1: The Light: it burns\nN/A"
    type_in(draft, STORY, "characters", people)
    type_in(draft, STORY, "chapters", chapters.replace("Part 1:", "Part 1"))
    type_in(draft, f"chapter:{draft.chapters[0]}", "title", "Part 1: The Light")
    lines = shown(draft, STORY, "chapters").splitlines()
    type_in(draft, STORY, "chapters", "\n".join([lines[0], "Zed"]))
    assert shown(draft, STORY, "chapters").splitlines()[0].startswith("Part 1: The Light: ")
    assert draft.read("chapters/" + draft.chapters[0] + ".yaml")["title"] == "Part 1: The Light"
    assert list(draft.cast.values()) == [LONG, "**Zed**"]
    assert shown(draft, STORY, "characters").startswith(people.partition("\n")[0])


def test_lines_that_nobody_touched_stay_when_another_one_is_added(draft: Draft) -> None:
    for chapters in ("The Crash: Smoke.\nThe Crash Site: Ash.", "Landfall: Sand.\nZed: Gone."):
        type_in(draft, STORY, "chapters", chapters)
        for chapter, title in zip(draft.chapters, ("1. The Crash", "1. The Crash: Aftermath"), strict=True):
            type_in(draft, f"chapter:{chapter}", "title", title)
        before = shown(draft, STORY, "chapters")
        type_in(draft, STORY, "chapters", f"{before}\nNew: x")
        assert shown(draft, STORY, "chapters") == f"{before}\nNew: x"


def test_of_two_lines_about_one_name_both_are_kept(draft: Draft) -> None:
    type_in(draft, "character:bram", "relationships", "Odile Marsh: wary\nodile: half a name\n: nobody")
    kept = shown(draft, "character:bram", "relationships")
    assert kept == "Odile Marsh: wary; half a name\n: nobody"
    people = "\n".join(["Ann: a", "Ann: b", "..: c", *(f"N{n}: x" for n in range(8))])
    type_in(draft, STORY, "characters", people)
    assert shown(draft, STORY, "characters") == people
    told = [each.message for each in findings_of(draft) if each.field == "name"]
    assert told.count("'Ann' is also the name of another character") == 2


def test_a_small_beat_stays_on_the_page_of_the_beat_before(draft: Draft) -> None:
    name, chapter = next(iter(draft.cast.values())), f"chapter:{draft.chapters[0]}"
    type_in(draft, chapter, "beats", f"The bell rings\n& The lamp goes out\n& {name} counts ({name})")
    assert shown(draft, chapter, "beats") == f"The bell rings\n& The lamp goes out\n& {name} counts ({name})"
    assert draft.read(part_of(draft, chapter).file)["beats"][1] == {
        "text": "The lamp goes out",
        "same_page": "true",
    }
    others = [line for line in shown(draft, STORY, "characters").splitlines() if not line.startswith(name)]
    type_in(draft, STORY, "characters", "\n".join(others))
    assert shown(draft, chapter, "beats") == f"The bell rings\n& The lamp goes out\n& {name} counts"
