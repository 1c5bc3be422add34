"""What a model adds to a text so far: read, never stripped; and the seam."""

from random import Random

import pytest

from theact_tui.errors import UsageError
from theact_tui.parsing.rest import RestStream, SoFar, read_rest
from theact_tui.parsing.types import ReplyContext
from theact_tui.story.text_so_far import text_so_far, with_rest

PAGE = ReplyContext({"ann": "Ann Lee", "bob": "Bob"}, player="Alex")
REPLY = ReplyContext({"ann": "Ann Lee", "bob": "Bob"}, player="Alex", speaker="ann")


@pytest.mark.parametrize(
    ("kept", "raw", "whole"),
    [
        ("The lamp", " gutters. It is late.", "The lamp gutters. It is late."),
        ("The lamp", "s gutter.", "The lamps gutter."),
        ("The lamp ", " gutters.", "The lamp gutters."),
        ("The lamp gutters.\n\n", "\n\nIt is late.", "The lamp gutters.\n\nIt is late."),
        ("The lamp gutters. ", "\n\nIt is late.", "The lamp gutters. \n\nIt is late."),
        ("The lamp gutters.", "It is late.", "The lamp gutters. It is late."),
        ("The lamp gutters.", '"Go," she says.', 'The lamp gutters. "Go," she says.'),
        ('"Go now. ', 'Now!" she says.', '"Go now. Now!" she says.'),
        ('"Go now.', '" She turns.', '"Go now." She turns.'),
        ("“Go", " now,” she says.", "“Go now,” she says."),
        ("The lamp", " # is # a * lamp.", "The lamp # is # a * lamp."),
        ("“A lamp", "” is what it says on the box.", "“A lamp” is what it says on the box."),
    ],
)
def test_what_is_continued_stands_behind_the_text_so_far(kept: str, raw: str, whole: str) -> None:
    assert kept + read_rest(raw, SoFar(kept, is_continued=True), PAGE) == whole


@pytest.mark.parametrize(
    ("kept", "raw", "whole"),
    [
        ("The lamp", "gutters.", "The lamp gutters."),
        ("The lamp", ", alas, gutters.", "The lamp, alas, gutters."),
        ("The lamp gutters. It", "It is late.", "The lamp gutters. It is late."),
        ("The lamp gutters. It", "The lamp gutters. It is late.", "The lamp gutters. It is late."),
        ("The lamp gutters. It is", "lamp gutters. It is late.", "The lamp gutters. It is late."),
        ("He said that", "that's all.", "He said that that's all."),
        ("She says, “", "Go now.”", "She says, “Go now.”"),
        ("She says,", "“Go now.”", "She says, “Go now.”"),
        ('"Go', '" she says.', '"Go" she says.'),
        ("灯が", "消える。", "灯が消える。"),
        ("The lamp gutters.", "The lamp gutters.", "The lamp gutters."),
    ],
)
def test_no_word_is_doubled_where_the_model_was_asked_in_words(kept: str, raw: str, whole: str) -> None:
    assert kept + read_rest(raw, SoFar(kept, is_continued=False), PAGE) == whole


ROUND = " The boat rocks on the black water and the rope groans at the ring in the wall."


@pytest.mark.parametrize(
    ("raw", "context", "rest"),
    [
        (" gutters.\n\nAlex: I run.\n\nIt is dark.", PAGE, " gutters."),
        (" gutters.\n\nBob: Hello.", PAGE, " gutters."),
        (" gutters.\n\nBob: Hello.", REPLY, " gutters."),
        (" gutters.\nUser: go on", REPLY, " gutters."),
        (" gutters.<|im_end|>\n<|im_start|>user", PAGE, " gutters."),
        ("<think>What now?</think> gutters.", PAGE, " gutters."),
        (f" gutters.{ROUND * 4}", PAGE, f" gutters.{ROUND}"),
        ("Bob: says the note.", PAGE, "Bob: says the note."),
    ],
)
def test_thoughts_stops_turns_and_loops_are_no_part_of_the_rest(
    raw: str, context: ReplyContext, rest: str
) -> None:
    assert read_rest(raw, SoFar("The lamp", is_continued=True), context).rstrip() == rest


def test_at_the_beginning_of_a_line_a_label_is_a_turn() -> None:
    kept = SoFar("The lamp gutters.\n\n", is_continued=True)
    assert read_rest("Bob: Hello.", kept, PAGE) == ""
    announced = SoFar("On the wall is written:\n", is_continued=True)
    assert read_rest("Bob: was here.", announced, PAGE) == "Bob: was here."


RAWS = (
    " gutters. It is late.\n\nA door falls to. Somebody calls your name from below, and then nobody.",
    "<think>What now? Nothing.</think> gutters.\n\n“Who is there?” you ask.",
    "It is late. Nobody comes.\n\nBob: Hello.\n\nThe end.",
    " gutters.\nUser: and now?",
)


@pytest.mark.parametrize("raw", RAWS)
@pytest.mark.parametrize("kept", ["The lamp", "The lamp gutters. It is", "It is dark.\n\n"])
@pytest.mark.parametrize("is_continued", [True, False])
def test_what_is_shown_as_it_arrives_is_what_is_read_in_the_end(
    raw: str, kept: str, is_continued: bool
) -> None:
    so_far, chance = SoFar(kept, is_continued), Random(raw)
    live, shown, at = RestStream(so_far, PAGE), "", 0
    while at < len(raw):
        size = chance.randint(1, 9)
        retracted, piece = live.retracted, live.feed(raw[at : at + size])
        shown, at = piece if live.retracted != retracted else shown + piece, at + size
        assert "Bob:" not in shown and "User" not in shown and "<" not in shown
    retracted, piece = live.retracted, live.finish()
    assert (piece if live.retracted != retracted else shown + piece) == read_rest(raw, so_far, PAGE)
    assert not live.retracted


@pytest.mark.parametrize(
    ("text", "before", "kept"),
    [
        ("The lamp gut", "The lamp gutters.", "The lamp "),
        ("The lamp", "The lamp gutters.", "The lamp"),
        ("A white lamp gut", "The white lamp gutters.", "A white lamp "),
        ("It is in the door", "From the doorway it is in the door.", "It is in the door"),
        ("The lamp.\n\n", "The lamp.\n\nIt is late.", "The lamp.\n\n"),
        ("The lamp swing", "The lamp gutters.", "The lamp swing"),
        ("灯が", "灯が消える。", "灯が"),
    ],
)
def test_a_text_is_cut_at_a_word(text: str, before: str, kept: str) -> None:
    assert text_so_far(text, before) == kept


@pytest.mark.parametrize("text", ["", " \n", "The"])
def test_nothing_is_no_text_to_go_on_from(text: str) -> None:
    with pytest.raises(UsageError, match="Nothing is left"):
        text_so_far(text, "There it is.")


@pytest.mark.parametrize(
    ("kept", "rest", "whole"),
    [
        ("It is late. The lamp", " gutters. And then", "It is late. The lamp gutters."),
        ("It is late. The lamp", " gutters and", "It is late. The lamp gutters and…"),
        ("It is late. “The", " lamp is", "It is late. “The lamp is…”"),
        ("It is late. The lamp", "", "It is late. The lamp"),
    ],
)
def test_a_rest_that_is_cut_takes_nothing_of_the_text_so_far(kept: str, rest: str, whole: str) -> None:
    assert with_rest(kept, rest, is_cut=True) == whole
