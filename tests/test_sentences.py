"""Prose of many languages in paragraphs, quotations and sentences, the same everywhere."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cpu_time import cpu_seconds
from theact_tui.sentences import (
    broken_off,
    clip,
    curly_quotes,
    finished_sentences,
    paragraph_spans,
    quotation_spans,
    sentence_spans,
    sentences,
)

SENTENCES = {
    "English titles and initials": ["Dr. Vane met J. R. Hale of St. Mary's.", "They left at 5 p.m. by car, e.g. hers."],
    "English single words": ["It was I.", "Hmm.", "Hm.", "Then we went."],
    "English quotations": ['"Go." she says.', '"Go. Now."', "Then she left.", '“What?!” he asks: “Why? Oh!”', "Yes."],
    "English apostrophes": ["'I saw the boys' coats. Yes!' he said.", "It's the dogs' own.", "In the '80s, too."],
    "English brackets": ["He left (she was tired. Very!) at noon.", "(So it is.)", "He came back [twice. Or not]."],
    "English ellipses": ["Well... maybe.", "So… yes…", "“No...”", "What?!", "She (hm...) nods."],
    "English numbers": ["It costs 3.5 coins in 1984.", "1. Take the lamp.", "No. 5 is hers.", "They lit lamp 1.",
                        "It rained."],
    "English in small letters": ["i hide the key.", "joaquin comes in.", "so what?", "ok"],
    "English with one capital": ["I hide the letter.", "joaquin comes in."],
    "English acts": ["*She nods. ", "He goes.*", '"Come in!"', "*She waits.*"],
    "German": ["Am 3. Mai kam Hr. Odo, z. B. mit dem Boot.",
               "„Odo! Die Säcke!“ rief er.", "Das sind ca. fünf usw. und so fort.", "»Ja!«", "‚Nein.‘",
               "„Los“.", "Dann ging sie."],
    "French": ["« Tu viens ? Oui ? » dit-il.", "M. Hale arriva... puis partit.", "Et voilà !", "‹ Non. ›"],
    "Spanish": ["—¡Vete! —dijo Ana—.", "Ahora.", "¿Quién es?", "Es la Sra. Vane.", "«¡No!» gritó."],
    "Russian": ["— Иди! — сказала Анна.", "— Сейчас же.", "Она ушла, т. е. исчезла.", "Это был я.", "Потом он ушёл."],
    "Arabic": ["من هناك؟", "لا أحد هنا."],
    "Hindi": ["वह गई।", "कौन है?"],
    "Korean": ["그는 갔다.", "“가자. 지금.”", "마야가 말했다!"],
}  # fmt: skip
UNSPACED = {
    "Japanese": [
        "行く。",
        "「来い。もう。」と彼。",
        "『はい』と言え！",
        "（笑う。）そう……です!",
        "次は？",
        "はい",
    ],
    "Chinese": ["“走。现在！”她说。", "他走了？！", "《红楼梦。》在这里。"],
}


@pytest.mark.parametrize("language", [*SENTENCES, *UNSPACED])
def test_sentences_of_many_languages(language: str) -> None:
    if language in UNSPACED:
        assert sentences("".join(UNSPACED[language])) == UNSPACED[language]
    else:
        expected = [sentence.strip() for sentence in SENTENCES[language]]
        assert sentences(" ".join(expected)) == expected


def test_a_space_between_phrases_ends_a_thai_sentence_but_parts_a_name_as_well() -> None:
    text = "ฉันซ่อนจดหมายไว้ใต้กระดาน แอนน์ ลี เข้ามาในห้องช้าช้า\nเขาไป"
    assert sentences(text) == ["ฉันซ่อนจดหมายไว้ใต้กระดาน แอนน์ ลี", "เข้ามาในห้องช้าช้า", "เขาไป"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"Go.\nNow."\nI leave.', ['"Go. Now."', "I leave."]),
        ("One line\nAnother line\nand its end", ["One line", "Another line and its end"]),
        (f"{'A long line ' * 5}of\nMaya.", [f"{'A long line ' * 5}of Maya."]),
        ("No stop\n\nand none here", ["No stop", "and none here"]),
        ("She says: “Three. Four!\n\nFive. Six", ["She says: “Three. Four!", "Five.", "Six"]),
        ("…", ["…"]),
        (" ", []),
    ],
)
def test_lines_and_paragraphs(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "quotations"),
    [
        ('"Come," says Ann, "now."', ['"Come,"', '"now."']),
        ("“He said ‘no’ to me,” she says.", ["“He said ‘no’ to me,”"]),
        ("„Ja“, sagt er. »Nein.« «Bon ? » ‹Si›", ["„Ja“", "»Nein.«", "«Bon ? »", "‹Si›"]),
        ("彼は「『はい』と言え」と言う。“好”『行け』《书》", ["「『はい』と言え」", "“好”", "『行け』", "《书》"]),
        ("”Jag vet,” säger hon.", ["”Jag vet,”"]),
        ("'I saw the boys' coats there,' he said. It's the dogs' own.", ["'I saw the boys' coats there,'"]),
        ("In the '80s, the boys' coats", []),
        ('The pole is 6" thick. "Yes', ['"Yes']),
        ('"One.\n"Two."', ['"One.', '"Two."']),
        ("“One.\n\nTwo.” “Three", ["“One.", "“Three"]),
        ("— Привет, — сказал Иван. — Как дела?", ["— Привет, — сказал Иван. — Как дела?"]),
        ("– 5 degrees", []),
        ("She goes on ” and on.", []),
    ],
)  # fmt: skip
def test_quotations_are_found_by_their_marks(text: str, quotations: list[str]) -> None:
    assert [text[start:end] for start, end in quotation_spans(text)] == quotations


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ('"Go," she says. "It\'s Ann\'s."', "“Go,” she says. “It’s Ann’s.”"),
        ("'I saw the boys' coats,' he said.", "‘I saw the boys’ coats,’ he said."),
        ('"He said \'no\' to me," *"Unclosed*', "“He said ‘no’ to me,” *“Unclosed*"),
        ("'Tis the '80s.", "’Tis the ’80s."),
        ('A 6" pole. „Ja“ "', 'A 6" pole. „Ja“ "'),
    ],
)
def test_straight_marks_are_shown_as_curly_ones(stored: str, shown: str) -> None:
    assert curly_quotes(stored) == shown


def test_a_paragraph_ends_at_a_blank_line_or_with_a_line_that_ends_a_sentence() -> None:
    text = 'One.\n\n Two\nis long.\nThree: "Four.\nFive."\n　六。\n\n\n"Unclosed.\n\nSeven.'
    assert [text[start:end] for start, end in paragraph_spans(text)] == [
        "One.", "Two\nis long.", 'Three: "Four.\nFive."', "六。", '"Unclosed.', "Seven.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ('Maya nods. "I saw Dr. Vane go into the', "Maya nods."),
        ('Maya nods. "I saw him. He was', 'Maya nods. "I saw him."'),
        ("She nods. „Ja. Er war", "She nods. „Ja.“"),
        ("“Go now, the", "“Go now, the…”"),
        ("“Go.” He goes. The", "“Go.” He goes."),
        ("Maya nods. She is with Dr.", "Maya nods."),
        ("行く。「来い。もう", "行く。「来い。」"),
        ("ฉันซ่อนจดหมายไว้ใต้กระดาน โจอาควินเข้ามาในห้อง", "ฉันซ่อนจดหมายไว้ใต้กระดาน"),
        ("I saw Dr.", "I saw Dr.…"),
        ("She goes", "She goes…"),
        ("", ""),
    ],
)
def test_a_text_that_ends_before_its_time_ends_with_its_last_finished_sentence(text: str, kept: str) -> None:
    assert broken_off(text) == kept


def test_a_clipped_text_ends_with_a_sentence_of_any_script_that_keeps_half_of_it() -> None:
    assert clip("行く。" * 9, 11) == "行く。" * 3
    assert clip("One. " + "two " * 9, 20) == "One. two two two two"
    assert clip("One.", 4) == "One."
    assert clip("just before it sank with the captain", 22) == "just before it sank"
    assert clip("x" * 30, 20) == "x" * 20
    assert clip("- one line\n- and more\n- too long", 25) == "- one line\n- and more"


@given(st.text(alphabet="abA.!?'\"“”「」—\n (1ก雨", max_size=60))
def test_spans_hold_every_letter_once_and_lie_in_one_another(text: str) -> None:
    paragraphs = paragraph_spans(text)
    for spans in (paragraphs, sentence_spans(text)):
        assert "".join(text[start:end] for start, end in spans).split() == [] or spans
        assert [sign for start, end in spans for sign in text[start:end] if sign.isalnum()] == [
            *filter(str.isalnum, text)
        ]
        assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    for start, end in [*sentence_spans(text), *quotation_spans(text)]:
        assert any(first <= start <= end <= last for first, last in paragraphs)
    assert text.startswith(finished_sentences(text))


SIGNS = (
    *"“”„«»‹「\"'‘‚—(）*.…。 \naก",
    "“ ", "' ", " 'a", "‘a ", "“\n", '"\n', "'\n", 'a"\n', "a.\n", "“a” ", "‘a’ ", "a. ", "Mr. ", "…。",
    "() ", "— a", "\n“a", "ก ",
)  # fmt: skip
LONGEST = 16_000
"""Characters of a reply."""


@pytest.mark.parametrize("after", ["", "a" + "”)" * 200], ids=["", "closed"])
@pytest.mark.parametrize("sign", SIGNS, ids=map(repr, SIGNS))
def test_no_sign_takes_long_however_often_it_comes(sign: str, after: str) -> None:
    text = (sign * LONGEST)[:LONGEST] + after
    for read in (sentence_spans, quotation_spans, finished_sentences, curly_quotes):
        assert cpu_seconds(partial(read, text)) < 0.5
