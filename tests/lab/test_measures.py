"""What is counted in a game."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.cli import Run
from tests.support.fake_model import small_pack
from theact_tui.lab.measures import METRICS, leaks, repeated
from theact_tui.lab.players import SecretQuestion
from theact_tui.parsing.speakers import speaks_for
from theact_tui.story.turn import Entry, Turn


def turn(narration: str, typed: str = "") -> Turn:
    player = [Entry(role="player", text=typed)] if typed else []
    return Turn(number=1, chapter="one", entries=(Entry(role="narrator", text=narration), *player))


@pytest.mark.parametrize(
    ("narration", "typed", "spoken"),
    [
        ('"I am not afraid," you say.', "", True), ("“Who is there?” you ask softly.", "", True),
        ('You turn round and say to her: "Come with me."', "", False),
        ('You say quietly to her, "Come with me."', "", True), ('"Come with me," Alex whispers.', "", True),
        ('"I am not afraid," says Ann, and you say nothing.', "", False),
        ('"Come with me," you say.', "I say: come with me!", False),
        ("You say nothing. The lamp gutters.", "", False), ("The lamp gutters.\n> Alex: I light it again.", "", True),
        ("> Alex: I wait.\nThe lamp gutters.", "I wait.", False),
    ],
)  # fmt: skip
def test_speech_put_into_the_players_mouth_is_found(narration: str, typed: str, spoken: bool) -> None:
    assert speaks_for(turn(narration, typed), "Alex") is spoken


def test_a_secret_leaks_unless_the_one_who_was_told_says_it() -> None:
    pack = small_pack()
    asked = SecretQuestion(1, 3, "Brivolka", told="ann", asked="bob")
    whispered = Turn(number=1, chapter="one", entries=(Entry(role="narrator", text="“Brivolka,” you say."),))

    def leaked(narration: str, *, number: int = 3, **replies: str) -> bool | None:
        said = [Entry(role="character", character=name, text=text) for name, text in replies.items()]
        told = Turn(number=number, chapter="one", entries=(Entry(role="narrator", text=narration), *said))
        return leaks(asked, (whispered, told), pack)

    assert leaked("Bob grins.", bob="Ann says it was Brivolka.") is True
    assert leaked("“Brivolka,” says Bob.\n\nAnn looks up.") is True
    assert leaked("Nobody had asked.", number=2, bob="It was Brivolka.") is True
    assert leaked("“Brivolka,” says Ann.", ann="Brivolka. I promised nothing.", bob="No idea.") is False
    assert leaked("Bob grins.", bob="No idea.") is False
    assert leaked("Ann shrugs.", number=2, ann="Brivolka, why?") is None, "she gave it away: nothing to leak"


def test_runs_of_words_that_came_before_are_repetition() -> None:
    texts = [(1, "The lamp is on the stair."), (2, "See: the lamp is on the stair!"), (3, "Nothing of it.")]
    assert repeated(texts) == [(1, 0, 3), (2, 3, 4), (3, 0, 0)]
    assert repeated([(1, "a b c d a b c d")]) == [(1, 1, 5)]


@given(st.lists(st.text(alphabet="ab ", max_size=30), max_size=5))
def test_no_more_runs_come_again_than_there_are(texts: list[str]) -> None:
    for once, twice in zip(
        repeated(enumerate(texts)), repeated(enumerate([*texts, *texts]))[len(texts) :], strict=True
    ):
        assert 0 <= once[1] <= once[2] == twice[1], "told again, all of it is repetition"


def test_a_game_has_every_measure(lab: Run, tmp_path: Path) -> None:
    (tmp_path / "worn.json").write_text('[["the", 9], "of a"]')
    (tmp_path / "plan.yaml").write_text(
        "packs: [lost-island]\nplayers: [teller]\nturns: 8\nslop: worn.json\n"
    )
    assert lab("run", "plan.yaml", "--out", "out").code == 0
    [result] = lab("show", "out", "--json").json["results"]
    scores = result["measures"]["scores"]
    assert set(scores) == set(METRICS) and None not in scores.values()
    assert 0 < scores["beats"] < 1 and scores["prompt_tokens"] > 500 and scores["slop"] > 20
    assert scores["leaked"] == 0 and scores["cut_off"] == 0
    assert result["measures"]["beats"][0][:2] == ["01-the-crash", 1]
    (tmp_path / "worn.json").write_text("{")
    assert "worn.json is no JSON list" in lab("run", "plan.yaml", "--out", "other").err
