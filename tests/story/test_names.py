"""Names of people found in texts of any language."""

import pytest

from theact_tui.story.names import Names

PEOPLE = Names(
    {
        "maya": "Maya", "dorothy": "Dorothy Vane", "keeper": "The Keeper", "ann": "Ann", "anna": "Anna Lusk",
        "jo": "Jo",
    }
)  # fmt: skip
JAPANESE = Names({"dorothy": "ドロシー・ヴェイン", "mei": "美"})


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Anna sees Ann.", "anna ann"), ("Maybe. Mayor of the town.", ""), ("Vidím Mayu a Dorothyn.", "maya dorothy"),
        ("Dorothys Hut und Mayas Hund", "dorothy maya"), ("The lamp and the keeper.", ""),
        ("The Keeper turns. Keeper!", "keeper"), ("John, Joan and maya", ""), ("Jo's hat", "jo"),
        ("Miss Vane", "dorothy"), ("Over the door stands DOROTHY VANE. “MAYA!” somebody shouts.", "dorothy maya"),
        ("MAYBE the MAYOR", ""),
    ],
)  # fmt: skip
def test_a_name_may_be_declined_and_is_no_other_word(text: str, ids: str) -> None:
    assert " ".join(PEOPLE.within(text)) == ids


def test_where_no_letter_is_a_capital_a_name_is_a_part_of_the_text() -> None:
    assert JAPANESE.within("ドロシーの手と美の目") == ("dorothy", "mei")
    assert Names({"anna": "Анна"}).within("Я вижу Анну.") == ("anna",)
    assert Names({"maya": "מאיה"}).within("ולמאיה יש כלב") == ("maya",)


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ('"Wake up, Maya. It is day."', "maya"), ("Maya, come!", "maya"), ("'Dorothy Vane?'", "dorothy"),
        ("Don't tell Maya.", ""), ("Maya's pencil", ""), ("I tell Maya", ""), ("Well — Maya — go.", "maya"),
    ],
)  # fmt: skip
def test_who_is_called_stands_alone(line: str, ids: str) -> None:
    assert " ".join(PEOPLE.called(line)) == ids


def test_a_japanese_name_is_called_with_its_honorific_and_not_with_a_particle() -> None:
    assert JAPANESE.called("「ドロシーさん、起きて」") == ("dorothy",)
    assert JAPANESE.called("「ドロシー！」") == ("dorothy",)
    assert JAPANESE.called("「ドロシーは、嘘をつく」") == ()
    assert JAPANESE.called("ドロシーに、言う。") == ()


@pytest.mark.parametrize(
    ("line", "called"),
    [
        ("Mr Ashe, come out!", True), ('I shout, "Mr. Ashe, come out!"', True), ("I look. Old Ashe, come out!", True),
        ("I tell Mr Ashe, come what may.", False),
    ],
)  # fmt: skip
def test_a_title_at_the_beginning_of_a_sentence_or_quotation_belongs_to_a_call(
    line: str, called: bool
) -> None:
    assert (Names({"ashe": "Tobias Ashe"}).called(line) == ("ashe",)) is called


def test_of_a_player_who_writes_no_capitals_names_are_found_unless_they_are_words_of_the_story() -> None:
    names = Names({"maya": "Maya Chen", "rose": "Rose"})
    assert names.capitalized("maya, give rose the rose", "A rose stands there.") == "Maya, give rose the rose"
    assert names.capitalized("maya, give rose the key", "Rain.") == "Maya, give Rose the key"
    assert names.capitalized("I tell maya", "Rain.") == "I tell maya"
