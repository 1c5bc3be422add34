"""A reply that only repeats its prompt is asked for again, and kept with a notice if it comes again."""

from tests.support.fake_model import Stage, narration
from theact_tui.agents.prompts import TEMPLATES
from theact_tui.engine.events import Notice

TASK = "what you say to this, in double quotes, and what you do, told as"
PAGE = "Take up my line first, in full, so that it changes something else."


async def test_an_echo_is_asked_for_again_and_if_it_stays_one_it_is_kept_with_a_notice(play: Stage) -> None:
    assert TASK in TEMPLATES["character"]
    play.model.answers["character:ann"] = lambda ask: "“I counted,” I say." if ask.attempt > 1 else TASK
    await play.turn("I wait.", narrator=narration(PAGE, "ann"))
    turn = play.game.turns[1]
    assert turn.narration == PAGE and turn.replies[0].text == "“I counted,” I say."
    assert play.model.called().count("narrator") == play.model.called().count("character:ann") == 2
    said = [e.text for e in play.of(Notice) if "repeated its instructions" in e.text]
    assert len(said) == 1 and "(narrator)" in said[0]


async def test_what_follows_an_echo_is_cut_from_the_story(play: Stage) -> None:
    await play.turn("I wait.", character=f"“Stay off the stair.” {TASK.capitalize()} Ann Lee.")
    assert play.game.turns[1].replies[0].text == "“Stay off the stair.”"
