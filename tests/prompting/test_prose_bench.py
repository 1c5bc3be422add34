"""The counters of the bench for prose: each slip is counted, and a good page or reply has none."""

from __future__ import annotations

from functools import cache

import pytest

from tests.benchmarks.prose.moments import Moment, moments
from tests.benchmarks.prose.slips import slips, slop_in
from tests.benchmarks.prose.telling import Row

PAGE = (
    "You get up and look along the beach. Sand runs out of your sleeves, and the reef shines in the low light. Maya Chen "
    "kneels beside a trolley and sorts bottles by their caps. A gull lands near your foot."
)
REPLY = "“Nine litres, and I counted twice,” I say, and tap the pencil on my knee."
GERMAN = (
    "Du gehst hinter Dorothy die Treppe hinauf. Das Holz knarrt unter deinen Schuhen, und im ersten Stock riecht es nach "
    "Wachs. Dorothy bleibt vor einer Tür stehen, und du siehst einen Streifen Licht."
)


@cache
def by_id() -> dict[str, Moment]:
    return {moment.id: moment for moment in moments("qwen-1.5b")}


def counted(moment: str, text: str, finish: str = "stop", prompt: str = "") -> list[str]:
    row = Row("w", moment, "m", 1, text, finish, 0, 0, 0.0)
    return slips(by_id()[moment], row, [{"role": "user", "content": prompt}])


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        ("island opening: page", PAGE),
        ("island question: reply", REPLY),
        ("german move: page", GERMAN),
        (
            "german question: reply",
            "„Ich habe gezählt“, sage ich und klopfe auf den Koffer. „Für drei Tage.“",
        ),
    ],
)
def test_a_good_text_has_no_slip(moment: str, text: str) -> None:
    assert counted(moment, text) == []


@pytest.mark.parametrize(
    ("slip", "text"),
    [
        ("short", "You get up."),
        ("person", PAGE.replace("You get up", "I get up")),
        ("person", PAGE.replace("You get up", "Sam gets up")),
        ("person", PAGE.replace("You ", "They ").replace("your", "their")),
        (
            "tense",
            "You went down and saw the reef, where Maya knelt and had sorted all of the bottles by their caps. "
            * 2,
        ),
        ("player", f"{PAGE} “We must go,” you say."),
        ("others", f"{PAGE} “Drink this at once,” says Maya."),
        ("label", f"Maya Chen: {PAGE}"),
        (
            "language",
            "You stand in the hall of the house and the rain is loud, and the door is shut. " + PAGE,
        ),
    ],
)
def test_a_slip_of_a_page_is_counted(slip: str, text: str) -> None:
    moment = "german move: page" if slip == "language" else "island opening: page"
    assert slip in counted(moment, text)


@pytest.mark.parametrize(
    ("slip", "text"),
    [
        ("person", "Maya Chen taps the pencil and looks at the sea."),
        ("player", f"{REPLY} You nod and take the bottle."),
        ("others", f"{REPLY} “Amen,” says Joaquin."),
        ("others", f"{REPLY} Joaquin shakes his head."),
        ("short", "Yes."),
    ],
)
def test_a_slip_of_a_reply_is_counted(slip: str, text: str) -> None:
    assert slip in counted("island question: reply", text)


def test_a_text_that_did_not_end_by_itself_is_cut() -> None:
    assert counted("island opening: page", PAGE, finish="length") == ["cut"]


def test_ten_words_of_the_prompt_are_an_echo_and_nine_are_none() -> None:
    words = "paper boats drift over the grey harbour while nobody watches them".split()
    for length, is_echo in ((10, True), (9, False)):
        told = " ".join(words[:length])
        found = counted(
            "island opening: page", f"{PAGE} You see {told}.", prompt=f"Write how {' '.join(words)}."
        )
        assert ("echo" in found) is is_echo


def test_hidden_words_that_nothing_else_says_are_the_truth() -> None:
    moment = by_id()["island opening: page"]
    assert "truth" in counted(moment.id, f"{PAGE} You see that {moment.pack.world.truth}")


def test_slop_is_counted_by_phrases() -> None:
    assert slop_in("A sense of dread hangs in the air. She takes it.") == 2


def test_a_beginning_like_the_last_reply_is_counted() -> None:
    assert "same start" in counted("german question: reply", "„Vier Flaschen“, sage ich und gehe zum Wasser.")
