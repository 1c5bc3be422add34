"""Who heard that? Asked below a told turn whose form failed, with three keys."""

from tests.support.fake_model import Scripted
from tests.support.pilot import Player, until
from theact_tui.errors import CallError
from theact_tui.tui.play.hearer_question import HearerQuestion

WHISPER = 'I take Ann by the sleeve, low: "The QUINCE is in the cellar."'


async def told(player: Player, model: Scripted) -> HearerQuestion:
    """Play a turn of which nobody knows who heard it."""
    model.answers["stage"] = CallError("connection", "No answer from the server.")
    number = player.session.game.state.turn + 1
    await player.send(WHISPER)
    question, session = player.screen.query_one(HearerQuestion), player.session
    await until(player.pilot, lambda: session.phase == "idle" and session.game.state.turn == number)
    await until(player.pilot, lambda: question.has_focus)
    return question


async def test_its_keys_decide_it_and_the_answers_join_the_turn(player: Player, model: Scripted) -> None:
    for number, key in ((2, "n"), (3, "a")):
        question = await told(player, model)
        assert not player.session.game.turns[number].replies
        await player.press(key)
        await until(player.pilot, lambda: not any(t.is_pending for t in player.session.game.turns.values()))
        assert not question.display and player.prompt.writing.has_focus
    assert not player.session.game.turns[2].witnesses
    await until(player.pilot, lambda: bool(player.session.game.turns[3].replies))
    reply = player.session.game.turns[3].replies[0].text
    await until(player.pilot, lambda: reply[:20] in player.page)


async def test_t_writes_the_command_and_a_letter_goes_to_the_box_and_puts_it_off(
    player: Player, model: Scripted
) -> None:
    question = await told(player, model)
    await player.press("t")
    await until(player.pilot, lambda: player.prompt.text == "/heard ")
    assert not question.display and player.session.game.turns[2].is_pending
    await told(player, model)
    await player.press("w")
    await until(player.pilot, lambda: player.prompt.text == "w")
    assert not question.display and player.prompt.writing.has_focus


async def test_it_never_takes_the_cursor_from_a_line_that_is_being_written(
    player: Player, model: Scripted
) -> None:
    model.answers["stage"] = CallError("connection", "No answer from the server.")
    gate = await player.begin(WHISPER, model)
    player.prompt.write("I am wri")
    gate.set()
    await until(player.pilot, lambda: player.session.phase == "idle" and player.session.game.state.turn == 2)
    assert not player.screen.query_one(HearerQuestion).display and player.prompt.writing.has_focus
