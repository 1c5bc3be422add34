"""Prose of any language in paragraphs, speech, sentences, and pieces of line and page."""

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cpu_time import cpu_seconds
from theact_tui.sentences import sentence_spans
from theact_tui.story.speech import (
    MAX_LINE_PIECES,
    MAX_PAGE_PIECES,
    addressed_parts,
    join_pieces,
    line_cuts,
    page_cuts,
    paragraphs,
    spoken,
    without_speech,
)
from theact_tui.story.turn import Cuts


@pytest.mark.parametrize(
    ("text", "speech"),
    [
        ('"Come," says Ann, "now."', ['"Come,"', '"now."']),
        ("“He said ‘no’ to me,” she says.", ["“He said ‘no’ to me,”"]),
        ("„Ja“, sagt er. »Nein.« «Bon ? »", ["„Ja“", "»Nein.«", "«Bon ? »"]),

        ("彼は「『はい』と言え」と言う。“好”", ["「『はい』と言え」", "“好”"]),
        ("”Jag vet,” säger hon.", ["”Jag vet,”"]),
        ("'I saw the boys' coats there,' he said. It's the dogs' own.", ["'I saw the boys' coats there,'"]),
        ('The pole is 6" thick. "Yes', ['"Yes']),
        ("— Привет, — сказал Иван. — Как дела?", ["— Привет, — сказал Иван. — Как дела?"]),
        ("– 5 degrees", []),
        ("She goes on ” and on.", []),
    ],
)  # fmt: skip
def test_speech_is_found_by_its_marks(text: str, speech: list[str]) -> None:
    (only,) = paragraphs(text)
    assert [text[start:end] for start, end in only.speech] == speech


def test_what_is_said_is_dots_but_for_who_speaks_behind_a_dash() -> None:
    assert [paragraph.bare for paragraph in paragraphs('Ann says: "Bob, go."\n\n— Bob, — says Ann. — Go!')] == [
        'Ann says: "···, ··."', "— ···, — says Ann. — ··!",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ('Ann nods. "Yes," she says, "go." She waits.', "Ann nods. … she says, … She waits."), ('"Yes."', ""),
        ('"Then spell them right," says Ann Lee.', ""), ("「はい」とアン。", ""), ("I would rather not say.", ""),
        ("*nods slowly* I would *waits*", "*nods slowly* … *waits*"), ("「はい」アンは頷く。", "… アンは頷く。"),
    ],
)  # fmt: skip
def test_an_answer_without_what_is_said_in_it(answer: str, left: str) -> None:
    assert without_speech(answer) == left


@pytest.mark.parametrize(
    ("line", "pieces"),
    [
        ('I bow. I ask, "Who? You?" and wait.', ["I bow.", "I ask,", '"Who? You?"', "and wait."]),
        ('"Go.\nNow."\nI leave.', ['"Go.\nNow."', "I leave."]),
        ("„Odo! Die Säcke!“ rufe ich. Er nickt.", ["„Odo! Die Säcke!“", "rufe ich.", "Er nickt."]),
        ("私はそっと言う。「床を磨いた。黙っていて」", ["私はそっと言う。", "「床を磨いた。黙っていて」"]),
        ("→ Ines: Trust him? (low) Really?", ["Trust him?", "Really?"]),
        ("I nod (not meaning it) to Maya.", ["I nod", "to Maya."]),
        ("(I do not trust her.)", []),
        ("i look for the old key, then tell ann where it is", ["i look for the old key,", "then tell ann where it is"]),
        ("that is old Odo there. while he is off i count", ["that is old Odo there.", "while he is off i count"]),
        ("she lives at number 12 b. Österreich is far from here", ["she lives at number 12 b. Österreich is far from here"]),
        ("ann, is it late or shall we wait for the tide", ["ann, is it late or shall we wait for the tide"]),
        ("I ask \"Who, my good old friend, and where?\"", ["I ask", '"Who, my good old friend, and where?"']),
        ("I go. " * 12, ["I go."] * 8 + ["I go. I go. I go. I go."]),
        ("I go. " * 9 + "I smile (but the KEY). I go.", ["I go."] * 8 + ["I go. I smile. I go."]),
    ],
)  # fmt: skip
def test_a_line_is_cut_at_sentences_and_quotations(line: str, pieces: list[str]) -> None:
    assert [*Cuts(line=line_cuts(line)).line_pieces(line).values()] == pieces


def test_what_is_left_out_within_a_paragraph_is_an_ellipsis() -> None:
    pieces = ["One.", "Two.", "Three."]
    line, page = " ".join(pieces), "\n\n".join(pieces)
    assert join_pieces(line, line_cuts(line), (0, 2), pieces) == "One. … Three."
    assert join_pieces(line, line_cuts(line), (1, 2), pieces) == "Two. Three."
    assert join_pieces(page, page_cuts(page), (0, 2), pieces) == "One.\n\nThree."


def letters(text: Iterable[str]) -> str:
    return "".join(filter(str.isalnum, text))


@given(st.text(alphabet='ab.!?"“”「」—\n (雨', max_size=60))
def test_no_letter_is_lost(text: str) -> None:
    told = paragraphs(text)
    assert letters("".join(paragraph.text for paragraph in told)) == letters(text)
    assert letters("".join(text[a:b] for a, b in page_cuts(text))) == letters(text)
    for paragraph in told:
        assert len(paragraph.bare) == len(paragraph.text)
        assert all(
            text[start:end].strip() for text in [paragraph.text] for start, end in sentence_spans(text)
        )
    assert spoken(spoken(text)) == spoken(text)


LONG_LINES = st.lists(
    st.sampled_from(
        ["I sit. ", "I turn ", '"Yes," ', "“No!” ", "(but the KEY) ", "(a (b) KEY) ", "（KEY）", "私は座る。",
         "\n", "I frown :( ", "→ Ines: "]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(LONG_LINES)
def test_a_line_of_any_length_is_cut_into_what_is_said_and_no_more(line: str) -> None:
    cuts = Cuts(line=line_cuts(line))
    pieces = cuts.line_pieces(line)
    assert len(pieces) <= MAX_LINE_PIECES
    said = "".join(letters(line[at] for at in places) for _, places in addressed_parts(line))
    assert letters("".join(pieces.values())) == said
    assert letters(join_pieces(line, cuts.line, range(len(pieces)), [*pieces.values()])) == said


@given(st.lists(st.sampled_from(["Rain.", "(The KEY)", "\n\n", "\n"]), max_size=120).map("".join))
def test_a_page_of_any_length_is_cut_without_a_letter_lost(page: str) -> None:
    pieces = Cuts(page=page_cuts(page)).page_pieces(page)
    assert len(pieces) <= MAX_PAGE_PIECES
    assert letters("".join(pieces.values())) == letters(page)


SIGNS = (
    *"“”„«»‹「\"'‘‚—(（)*.…。 \na",
    "“ ", "' ", " 'a", "‘a ", "“\n", '"\n', "'\n", 'a"\n', "a.\n", "“a” ",
    "‘a’ ", "a. ", "Mr. ", "…。", "() ", "— a",
)  # fmt: skip


@pytest.mark.parametrize("after", ["", "a" + "”)" * 200], ids=["", "closed"])
@pytest.mark.parametrize("sign", SIGNS, ids=map(repr, SIGNS))
def test_the_work_grows_as_the_text_does_whatever_sign_comes_again_and_again(sign: str, after: str) -> None:
    def seconds(read: Callable[[str], object], length: int) -> float:
        text = (sign * length)[:length] + after
        paragraphs.cache_clear()
        return cpu_seconds(lambda: read(text))

    for read in (line_cuts, spoken, without_speech):
        assert any(seconds(read, 8_000) < 8 * seconds(read, 2_000) + 0.1 for _ in range(2))


def test_brackets_within_brackets_take_no_turn_for_each_pair() -> None:
    assert spoken("Go. (a (b) c) Now. " + "(" * 20_000 + ")" * 20_000 + "Yes.") == "Go. Now.Yes."
