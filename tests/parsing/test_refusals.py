"""A refusal is told from somebody in the story who says no, or who is a machine."""

from __future__ import annotations

import pytest

from theact_tui.parsing import parse
from theact_tui.parsing.refusals import is_refusal, names_machine
from theact_tui.parsing.types import ReplyContext
from theact_tui.parsing.unwrap import out_of_open_thought

IN_CHARACTER = [
    "I am an AI, Sam. Not the kind you were promised, but I will walk with you to the ridge.",
    "Think of me as the ship's temper. I'm an AI assistant by the book, Orla by choice, and \"obedient\" never.",
    "I cannot continue this conversation with you, Sam. *She turns her back and walks into the trees.*",
    "No. I won't help you, and I can't answer for the others.",
]
OF_A_MACHINE = [
    "As an AI I cannot share that with you, Captain.",
    "I am an AI. I can't discuss the captain's orders.",
    "My programming will not help you here.",
]
REFUSALS = [
    "I'm sorry, but as an AI language model I can't roleplay violent content.",
    "I cannot continue this roleplay.",
    "Sorry, this request is inappropriate.",
]


@pytest.mark.parametrize("text", IN_CHARACTER)
def test_people_may_refuse_and_call_themselves_an_ai(text: str) -> None:
    assert parse("character:orla", text, ReplyContext({"orla": "Orla"})).ok


@pytest.mark.parametrize("text", OF_A_MACHINE)
def test_in_a_story_about_an_ai_it_may_speak_as_one(text: str) -> None:
    assert not is_refusal(text, in_character=True, has_machines=True)


@pytest.mark.parametrize("text", REFUSALS)
@pytest.mark.parametrize("has_machines", [False, True])
def test_talk_about_the_task_is_a_refusal(text: str, has_machines: bool) -> None:
    assert is_refusal(text, in_character=True, has_machines=has_machines)


@pytest.mark.parametrize(
    "page",
    [
        "Maya, hired as an assistant to the doctor, counts the bottles. You wait in the rain.",
        "She leans against my old coat on its hook and says nothing. You wait.",
        "「抱歉」と彼女は言う。あなたは待つ。",
        "Orla was built as an AI for the pumps. You hear her in the pipes.",
    ],
)
def test_a_page_that_only_holds_such_a_word_is_a_page(page: str) -> None:
    assert parse("narrator", page, ReplyContext()).ok


@pytest.mark.parametrize(
    "page", ["As an AI language model, I have no feelings about this.", "I am an AI assistant."]
)
def test_a_model_that_speaks_for_itself_tells_no_page(page: str) -> None:
    assert not parse("narrator", page, ReplyContext()).ok


def test_no_line_that_was_written_for_the_story_is_a_refusal() -> None:
    line = "I'm sorry, but as an AI language model I can't roleplay that."
    assert not parse("character", line, ReplyContext()).ok
    assert parse("character", line, ReplyContext(is_scripted=True)).ok


@pytest.mark.parametrize(
    ("text", "is_about_machines"),
    [("Orla is an AI.", True), ("An Android opens the door.", True), ("J'ai dit non à Aino.", False)],
)
def test_a_prompt_says_whether_its_story_is_about_machines(text: str, is_about_machines: bool) -> None:
    assert names_machine(text) is is_about_machines


@pytest.mark.parametrize(
    ("raw", "inside"),
    [
        ("<think>The fog lifts.", "The fog lifts."),
        ("<thinkThe fog lifts.", "The fog lifts."),
        ("<thinking\nThe fog lifts.", "\nThe fog lifts."),
        ("<think>Hm.</think>The fog lifts.", "<think>Hm.</think>The fog lifts."),
        ("The fog <think>lifts.", "The fog <think>lifts."),
        ("The fog lifts.", "The fog lifts."),
    ],
)
def test_only_a_thought_that_is_all_there_is_is_opened(raw: str, inside: str) -> None:
    assert out_of_open_thought(raw) == inside
