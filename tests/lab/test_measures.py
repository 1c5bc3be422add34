"""What is counted in a game."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cli import Run
from theact_tui.lab.measures import METRICS, Told, Trace, longest_repeat, measure, speaks_for
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.story.game import new_game
from theact_tui.story.turn import Entry, Turn


def turn(narration: str, typed: str = "") -> Turn:
    player = [Entry(role="player", text=typed)] if typed else []
    return Turn(number=1, chapter="one", entries=(Entry(role="narrator", text=narration), *player))


@pytest.mark.parametrize(
    ("narration", "typed", "spoken"),
    [
        ('"I am not afraid," you say.', "", True),
        ("“Who is there?” you ask softly.", "", True),
        ('You turn round and say to her: "Come with me."', "", False),
        ('You say quietly to her, "Come with me."', "", True),
        ('"Come with me," Alex whispers.', "", True),
        ('"I am not afraid," says Ann, and you say nothing.', "", False),
        ('"Come with me," you say.', "I say: come with me!", False),
        ("You say nothing. The lamp gutters.", "", False),
    ],
)
def test_speech_put_into_the_players_mouth_is_found(narration: str, typed: str, spoken: bool) -> None:
    assert speaks_for(turn(narration, typed), "Alex") is spoken


def test_a_word_is_followed_through_the_prompts_of_those_who_heard_it_and_leaks_to_others_are_found() -> None:
    told = Turn(
        number=1, chapter="one", witnesses=("ann",), entries=(Entry(role="player", text="My dog Brivolka."),)
    )
    trace = Trace({"brivolka": 1})
    trace.hear(told)
    assert trace.look("ann", "A dog called Brivolka.", 6) == [("brivolka", 5, True)]
    assert trace.look("narrator", "Nothing of dogs.", 2) == [("brivolka", 1, False)]
    assert trace.look("bob", "Nothing of dogs.", 6) == [] and not trace.leaks
    assert trace.look("bob", "A DOG CALLED BRIVOLKA.", 6) == [] and "prompt of bob" in next(iter(trace.leaks))


ENGLISH, GERMAN = (
    "The tide rises at the wrong hour, and nobody on the beach says a word about it.",
    "Die Flut steigt zur falschen Stunde, und niemand am Strand sagt etwas dazu.",
)


@pytest.mark.parametrize(
    ("language", "texts", "kept"),
    [
        ("", [ENGLISH, ENGLISH], 1.0),
        ("", [ENGLISH, GERMAN], 17 / 30),
        ("de", [GERMAN], 1.0),
        ("German", [ENGLISH], 0.0),
    ],
)
def test_the_share_of_words_in_the_language_of_the_story_is_counted(
    language: str, texts: list[str], kept: float
) -> None:
    pack = load_pack(shipped_folder() / "lost-island")
    pack = pack.model_copy(update={"game": pack.game.model_copy(update={"language": language})})
    game = new_game(pack, title="x", player="Alex", seed=1, created="")
    measured = measure(Told(game, [turn(text) for text in texts], {}))
    assert measured["scores"]["language"] == pytest.approx(kept, abs=0.01)
    assert len(measured["found"]["language"]) == (kept < 1)


words = st.lists(st.sampled_from("abcd"), max_size=12)


@given(st.lists(words, max_size=5))
def test_the_longest_repetition_is_in_two_texts_and_no_longer_one_is(texts: list[list[str]]) -> None:
    def shared(size: int) -> bool:
        spans = [{tuple(t[i : i + size]) for i in range(len(t) - size + 1)} for t in texts]
        return any(a & b for place, a in enumerate(spans) for b in spans[:place])

    size, text, start = longest_repeat(texts)
    assert size == 0 or shared(size)
    assert len(texts[text][start : start + size] if size else []) == size
    assert not shared(size + 1)


def test_a_game_has_every_measure_and_words_the_player_told_are_traced(lab: Run) -> None:
    lab("run", "lost-island", "--players", "teller", "--seeds", "1", "--turns", "12", "--out", "out")
    [result] = lab("show", "out", "--json").json["results"]
    scores = result["measures"]["scores"]
    assert set(scores) == set(METRICS)
    assert 0 < scores["beats"] < 1 and scores["calls"] > 2 and scores["prompt_tokens"] > 500
    assert result["measures"]["beats"][0][:2] == ["01-the-crash", 1]
    held, looked = result["measures"]["recall"]["character"]["1"]
    assert held == looked > 0 and scores["leaks"] == 0
