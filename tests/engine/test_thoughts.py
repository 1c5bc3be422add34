"""Replies that a model puts into a thought which it never closes."""

from tests.support.fake_model import Stage

PAGE = "The fog lifts from the stair, and a gull looks at you."


async def test_a_page_in_an_open_thought_is_taken_where_the_model_ends_it_so_twice(play: Stage) -> None:
    await play.turn("I wait.", narrator=f"<think>{PAGE}")
    assert play.game.turns[1].narration == PAGE
    assert [ask.attempt for ask in play.model.asked if ask.agent == "narrator"] == [1, 2]


async def test_a_page_after_an_open_thought_is_asked_for_again_first(play: Stage) -> None:
    replies = iter(["<think>I should tell of the fog.", PAGE])
    await play.turn("I wait.", narrator=lambda ask: next(replies))
    assert play.game.turns[1].narration == PAGE
