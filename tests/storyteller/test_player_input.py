"""How a player's line is read: its kind, what is said in it and to whom, and how it is quoted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theact_tui.story.speech import line_cuts
from theact_tui.storyteller.language import callings, hits
from theact_tui.storyteller.player_input import PlayerLine, read_line, whispered_pieces, whispered_to

NAMES = ("Maya Chen", "Father Joaquin")


def read(text: str) -> PlayerLine:
    return read_line(text, "Sam", NAMES, callings({"Father Joaquin": "barefoot priest, fifty"}))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I lift my lamp", "take"), ("look around", "look"), ("climbs the mast", "go"), ("I'm running away", "go"),
        ("I want to open the door", "other"), ("hit him", "fight"), ("I sit down and wait", "wait"), ("l", "look"),
        ("ok", "wait"), ("n", "go"), ("Who is there?", "talk"), ("where are we", "talk"), ("I love you", "talk"),
        ("We should go back.", "talk"), ("let's go", "talk"),
        ("we climb the ridge", "go"), ("I ask Maya about the box", "talk"), ("help", "talk"),
        ("I frobnicate the box", "other"), ("Sam picks up the box", "take"), ("*dances*", "other"), ("...", "wait"),
        ("Ich verstehe kein Wort.", "talk"), ("你好，你是谁？", "talk"), ("I look up. Then I hit Maya.", "fight"),
        ("I sit down and cry. I tell them that I lied.", "talk"), ("then slowly walk to the wing", "go"),
        ("I write a note and push it under the door.", "other"), ("I push it away", "other"), ("I push Maya", "fight"),
    ],
)  # fmt: skip
def test_the_kind_of_a_line_is_that_of_its_weightiest_sentence(text: str, kind: str) -> None:
    assert read(text).kind == kind


@pytest.mark.parametrize(
    ("text", "called", "matter"),
    [
        ("Maya, where are we?", ("Maya Chen",), "where are we?"),
        ("Are you all right, Maya? Joaquin?", ("Maya Chen", "Father Joaquin"), "Are you all right"),
        ("I ask Maya and Joaquin how they slept.", ("Maya Chen", "Father Joaquin"), "how they slept."),
        ("Maya, Joaquin, come here!", ("Maya Chen", "Father Joaquin"), "come here!"),
        ("I tell Maya, Joaquin is late.", ("Maya Chen",), "Joaquin is late."),
        ("I give Maya and Joaquin water.", (), "I give Maya and Joaquin water."),
        ("I ask the priest about water", ("Father Joaquin",), "about water"),
        ("Father, are you hurt?", ("Father Joaquin",), "are you hurt?"),
        ("I kick Maya's bucket", (), "I kick Maya's bucket"), ("To Maya, under my breath: Run!", ("Maya Chen",), "Run!"),
        ("I say to Maya, under my breath: Run!", ("Maya Chen",), "Run!"),
        ("Quietly, to Maya Chen: Run!", ("Maya Chen",), "Run!"),
    ],
)  # fmt: skip
def test_who_is_spoken_to_is_no_part_of_what_is_spoken_about(
    text: str, called: tuple[str, ...], matter: str
) -> None:
    line = read(text)
    assert line.called == called and matter in " ".join(line.matter.split())
    assert "Run!" not in text or (line.only_spoken and line.spoken == "Run!")


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("I lift my lamp", "Sam: “I lift my lamp.”"),
        ("Who is there?", "Sam said: “Who is there?”"),
        (
            '"Mr Hale," I say, "we should fetch the constable."',
            "Sam said: “Mr Hale, we should fetch the constable.”",
        ),
        ('I whisper "run" and push Maya', "Sam: “I whisper ‘run’ and push Maya.”"),
        ("i promise", "Sam said: “I promise.”"),
        ("whisper to Old Maya: the oil is gone", "Sam said: “The oil is gone.”"),
    ],
)
def test_a_line_is_remembered_as_a_quotation_of_it(text: str, quoted: str) -> None:
    assert read(text).quoted("Sam") == quoted


def test_a_long_line_is_quoted_up_to_a_sentence() -> None:
    quoted = read("I am a nurse. " * 3 + "I go on and on " * 30).quotation
    assert len(quoted.split()) <= 33 and quoted.startswith("I am a nurse.")


@pytest.mark.parametrize(
    ("text", "confides"),
    [
        ("I have a secret", True), ("Maya, I lied to you", True), ("I never told anyone: I stole it", True),
        ("Do you have a secret?", False), ("I look for the hidden door", False), ("hello", False),
    ],
)  # fmt: skip
def test_a_confession_is_known(text: str, confides: bool) -> None:
    line = read(text)
    assert line.confides is confides and (line.worth_keeping or not confides)


def test_a_cue_fits_words_that_begin_with_it_and_with_a_full_stop_the_whole_word() -> None:
    assert hits(("oil",), "the oils") and not hits(("oil",), "the foil is oily")
    assert hits(("lamp",), "lamplight") and not hits(("lamp.",), "lamplight")
    assert hits(("where am i",), "where the hell am I")
    assert not hits(("door",), "I will not open the door")


@given(st.text(max_size=200))
def test_anything_can_be_read(text: str) -> None:
    line = read(text)
    assert "{" not in line.words and "\n" not in line.quotation


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("I whisper to Maya about Kai: he lies.", ["maya"]), ('I take Maya aside and whisper: "Kai lies."', ["maya"]),
        ("I whisper in Kai's ear.", ["kai"]), ('"Kai whispers too much," I tell Maya.', []),
        ("I tell Maya that Kai lies.", []),
    ],
)  # fmt: skip
def test_to_whom_a_line_says_that_it_is_whispered(line: str, ids: list[str]) -> None:
    assert whispered_to(line, {"maya": "Maya Chen", "kai": "Kai Brandt"}) == ids


@pytest.mark.parametrize(
    ("line", "private"),
    [
        ('I greet all: "Good day." I whisper to Maya: "Kai lies." Then I bow.', [2, 3]),
        ('"Kai lies," I whisper to Maya. "Good day, all!" I call.', [0, 1]),
        ('"Maya," I whisper, "Kai lies. Go." I bow.', [0, 1, 2]),
        ("I nod to Kai. I whisper to Maya that he lies. He must not know.", [1, 2]),
        ("I whisper to Maya about Kai: he lies.", [0]),
    ],
)
def test_only_the_whispered_pieces_of_a_line_are_private(line: str, private: list[int]) -> None:
    assert sorted(whispered_pieces([line[start:end] for start, end in line_cuts(line)])) == private
