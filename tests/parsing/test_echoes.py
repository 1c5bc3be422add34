"""What a page or reply repeats of its own prompt is cut."""

import pytest

from theact_tui.agents.character import _GATES
from theact_tui.agents.prompts import TEMPLATES
from theact_tui.packs.listing import shipped_folder
from theact_tui.parsing import parse
from theact_tui.parsing.echoes import Echoes, without_echoes
from theact_tui.parsing.types import ReplyContext

TASK = "Nobody speaks yet; the others may look and move, and answer after the page. Say by name who comes."
LINE = "I walk along the wet beach to the wreck with Joaquin and look inside it."


@pytest.mark.parametrize(
    ("reply", "rest"),
    [
        ("The tide is out. Nobody speaks yet; the others may look and move, and answer after the page.", "The tide is out."),
        ("The others may look and move, and answer after the page.", None),
        (f"{TASK} The tide is out.", "Say by name who comes. The tide is out."),
        (f"{LINE} The tide is out.", "The tide is out."),
        (f"The tide is out. {LINE}", None),
        ("Nobody speaks yet. The tide is out.", None),
    ],
)  # fmt: skip
def test_twelve_words_in_a_row_are_an_echo_and_a_line_only_at_the_beginning(
    reply: str, rest: str | None
) -> None:
    assert Echoes((TASK,), line=LINE).cut(reply) == (reply if rest is None else rest)


def test_each_sentence_that_repeats_a_text_goes_and_the_others_stay() -> None:
    other = "The register shows a guest who has been staying in Room Nine since the war ended."
    reply = f"Rain. {LINE} The bell rings. {other} The lamp is lit."
    assert Echoes((LINE, other)).cut(reply) == "Rain. The bell rings. The lamp is lit."


def test_without_spaces_signs_are_counted() -> None:
    task = "ページを書く。見えるものと聞こえるものを現在形で書き、だれも話さない。"
    echoes = Echoes((task,))
    assert echoes.cut("潮が引く。見えるものと聞こえるものを現在形で書き、だれも話さない。") == "潮が引く。"
    assert echoes.cut("潮が引く。だれも話さない。") == "潮が引く。だれも話さない。"


def test_a_reply_that_is_an_echo_alone_is_asked_for_again() -> None:
    echoes = Echoes((TASK,))
    assert not without_echoes(parse("character", TASK, ReplyContext()), echoes).ok
    page = without_echoes(parse("narrator", f"The tide is out. {TASK}", ReplyContext()), echoes)
    assert page.reply.text == "The tide is out. Say by name who comes.", "only the sentence goes"
    echoes = Echoes(instructions=(TASK,))
    page = without_echoes(parse("narrator", f"The tide is out. {TASK}", ReplyContext()), echoes)
    assert page.fields == {"narration": "The tide is out."} and page.reply.text == "The tide is out."


GATE = "If it is touched, you keep it to yourself and talk of something else."


@pytest.mark.parametrize(
    ("reply", "rest"),
    [
        ("I nod. You keep it to yourself and go.", "I nod."),
        ("I nod. You keep it to yourself.", "I nod. You keep it to yourself."),
        ("You keep it to yourself and talk.", ""),
    ],
)
def test_six_words_of_an_instruction_are_an_echo_and_five_are_none(reply: str, rest: str) -> None:
    assert Echoes(instructions=(GATE,)).cut(reply) == rest


def test_no_text_of_the_shipped_packs_is_taken_for_an_instruction() -> None:
    echoes = Echoes(instructions=(TEMPLATES["narrator"], TEMPLATES["character"], *_GATES.values()))
    texts = [
        text for file in shipped_folder().rglob("*.yaml") for text in file.read_text("utf-8").split("\n\n")
    ]
    assert len(texts) > 400 and [text for text in texts if echoes.cut(text) != text] == []
