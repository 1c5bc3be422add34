"""A reply that only repeats its prompt is asked for again, and kept with a notice if it comes again."""

from pathlib import Path

from tests.support.fake_model import Scripted, Stage, stage
from theact_tui.agents.prompts import TEMPLATES
from theact_tui.engine.events import Notice

TASK = "what you say to this, in double quotes, and what you do, told as"
ECHO = f"{TASK} Ann Lee.".capitalize()


def reply(play: Stage) -> str:
    return " ".join(entry.text for entry in play.session.game.turns[play.session.game.state.turn].replies)


def repeated(play: Stage) -> list[str]:
    texts = [event.text for event in play.events if isinstance(event, Notice)]
    return [text for text in texts if "repeated its instructions" in text]


async def test_an_echo_is_asked_for_again_and_a_reply_of_its_own_stands(tmp_path: Path) -> None:
    assert TASK in TEMPLATES["character"]
    play = await stage(tmp_path, Scripted())
    replies = iter([ECHO, "“Stay off the stair.”"])
    await play.turn("I wait.", character=lambda ask: next(replies))
    assert reply(play) == "“Stay off the stair.”"
    assert not repeated(play)
    await play.session.close()


async def test_an_echo_that_comes_again_is_kept_with_a_notice(tmp_path: Path) -> None:
    play = await stage(tmp_path, Scripted())
    await play.turn("I wait.", character=ECHO)
    assert play.model.called().count("character:ann") > 1
    assert repeated(play)
    assert ECHO in reply(play)
    await play.session.close()


async def test_what_follows_an_echo_is_cut_from_the_story(tmp_path: Path) -> None:
    play = await stage(tmp_path, Scripted())
    await play.turn("I wait.", character=f"“Stay off the stair.” {ECHO}")
    assert reply(play) == "“Stay off the stair.”"
    await play.session.close()
