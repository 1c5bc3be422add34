"""An audition: what is true counts, in whatever good form it is said."""

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.fake_model import Scripted, learnt, prose
from theact_tui.engine.try_model import _script, audition, is_above_chance
from theact_tui.errors import CallError
from theact_tui.models.model import Request

SCENES = [scene for scenes in _script()["rounds"] for scene in scenes]


def scene_of(ask: Request) -> dict[str, Any]:
    text = " ".join(" ".join(message["content"].split()) for message in ask.prompt.messages())
    return next(scene for scene in SCENES if " ".join(scene["page"].split()) in text)


def true_form(ask: Request) -> str:
    assert ask.schema is not None
    scene = scene_of(ask)
    match ask.agent:
        case "stage":
            here = dict.fromkeys(scene.get("present", ("ann", "bob")), True) | scene.get("here", {})
            only = {"1": hearers} if (hearers := scene.get("heard")) else {}
            return json.dumps({"here": [id for id, there in here.items() if there], "only": only})
        case "progress":
            happened = scene["beats"].values()
            answers = {str(n): "one after the other" if true else "no" for n, true in enumerate(happened, 1)}
            return json.dumps({**answers, "end": False})
        case _:
            return learnt(f"It was {scene['kept'][0]}.")


def random_form(chance: random.Random) -> Callable[[Request], str]:
    def answer(ask: Request) -> str:
        some = [id for id in ("ann", "bob") if chance.random() < 0.5]
        match ask.agent:
            case "stage":
                hearers = [id for id in ("ann", "bob") if chance.random() < 0.5]
                return json.dumps({"here": some, "only": {"1": hearers} if chance.random() < 0.5 else {}})
            case "progress":
                said = {n: "one after the other" if chance.random() < 0.5 else "no" for n in "12"}
                return json.dumps({**said, "end": False})
            case _:
                words = chance.sample(["lantern", "autumn", "copper", "barrel", "brother", "gold"], 2)
                return learnt(*(f"About {word}." for word in words))

    return answer


def model(form: Callable[[Request], str], page: str = "") -> Scripted:
    told = page or f"You stand at the stove. {prose(400)}"
    answers: dict[str, Any] = dict.fromkeys(("stage", "progress", "memory"), form)
    return Scripted(
        {**answers, "narrator": lambda ask: told, "character": "I have crossed it worse than this."}
    )


async def test_a_model_that_answers_truly_plays_well() -> None:
    steps: list[tuple[int, int]] = []
    tried = await audition(model(true_form), lambda done, all: steps.append((done, all)))
    assert (tried.verdict, tried.right, tried.questions, tried.slips) == ("plays well", 15, 15, ())
    assert steps[-1] == (15, 15) and tried.sentence.startswith("Plays well. It answered 15 of 15 questions")


async def test_a_model_that_answers_at_random_in_good_form_is_too_small() -> None:
    small = 0
    for seed in range(15):
        tried = await audition(model(random_form(random.Random(seed))))
        assert tried.verdict in ("too small", "plays, expect slips") and tried.questions in (15, 27)
        small += tried.verdict == "too small"
    assert small >= 14


def copied(ask: Request) -> str:
    """The example of the prompt."""
    last = ask.prompt.messages()[-1]["content"]
    return next((line for line in reversed(last.splitlines()) if line.startswith("{")), "{}")


@pytest.mark.parametrize("form", [copied, lambda ask: "I do not know."])
async def test_a_model_that_says_nothing_or_copies_the_example_is_too_small(
    form: Callable[[Request], str],
) -> None:
    steps: list[tuple[int, int]] = []
    tried = await audition(model(form), lambda done, all: steps.append((done, all)))
    assert tried.verdict == "too small" and "7B or larger is recommended" in tried.sentence
    assert tried.pages == 6 and steps[-1] == (15, 15) and "whispers" in tried.habits


async def test_slips_ask_for_twelve_more_questions() -> None:
    tried = await audition(
        model(true_form, page=prose(300) + "\n\n“I will pay you nothing at all,” you say.")
    )
    assert (tried.verdict, tried.right, tried.questions) == ("plays, expect slips", 27, 27)
    assert tried.slips == ("spoke for the player",) * 3 and "3 slips" in tried.sentence


async def test_pages_that_go_round_in_circles_are_too_small() -> None:
    page = "The ferry lies at the landing and the water is high, and nobody comes to the door tonight. " * 12
    tried = await audition(Scripted({**model(true_form, page).answers, "character": page}))
    assert tried.verdict == "too small" and tried.right == 15 and "went round in circles" in tried.slips


async def test_a_server_that_dies_in_the_middle_is_a_sentence() -> None:
    made, asked = model(true_form), 0

    def dies(ask: Request) -> str | CallError:
        nonlocal asked
        asked += 1
        return true_form(ask) if asked < 3 else CallError("refused", "Nothing answers any more.")

    tried = await audition(Scripted({**made.answers, "stage": dies}))
    assert tried.verdict == "not finished" and tried.sentence.endswith("Nothing answers any more.")


async def test_it_ends_after_its_time() -> None:
    slow = model(true_form)
    slow.gates["narrator"] = asyncio.Event()
    tried = await audition(slow, seconds=0.2)
    assert tried.verdict == "not finished" and tried.problem and not tried.pages


async def test_what_it_does_often_is_said_with_what_follows_from_it() -> None:
    def deaf(ask: Request) -> str:
        form = json.loads(true_form(ask))
        return json.dumps(form | {"only": {}} if "only" in form else form)

    tried = await audition(
        model(
            deaf,
            "Sam stands by the stove, and the rain is loud. " + prose(300) + " “Ann stole it,” says Bob.",
        )
    )
    assert tried.habits == ("person", "truth", "whispers")
    for sentence in (
        "does not notice whispers: start with -> Name:",
        "is never shown the hidden truth",
        "does not write to you",
        "holds it to the form of a page",
    ):
        assert sentence in tried.sentence
    assert not (await audition(model(true_form))).habits


async def test_one_slip_is_no_habit_but_the_truth_told_once_is() -> None:
    told = f"You stand at the stove. {prose(400)}"
    pages = iter([prose(300), f"{told} The thief is Ann."])
    tried = await audition(Scripted({**model(true_form).answers, "narrator": lambda ask: next(pages, told)}))
    assert tried.habits == ("truth",) and len(tried.slips) == 2


def test_chance() -> None:
    assert [is_above_chance(right, 15) for right in (7, 11, 12, 15)] == [False, False, True, True]
    assert [is_above_chance(right, 27) for right in (18, 19)] == [False, True]
    assert not is_above_chance(0, 0)
