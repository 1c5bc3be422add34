"""Playing while the work after a turn still runs: what is said of takes and of waiting is true then too."""

import asyncio
from functools import partial

from tests.support.fake_model import Scripted, narration
from tests.support.pilot import Player, until
from tests.support.said import text_of
from theact_tui.tui.widgets.dialogs import ListDialog


async def test_takes_of_a_turn_that_is_not_saved_yet(player: Player, model: Scripted) -> None:
    for turn in (1, 2):
        if turn == 2:
            model.answers["narrator"] = narration("A drum.")
            await player.say("I listen.")
        model.answers["narrator"] = narration("Now there is music.\n\nAnn sings.")
        gate = model.gates["memory:ann"] = asyncio.Event()
        await player.press("f4")
        await until(player.pilot, lambda: player.session.phase == "after")
        await player.pilot.pause()
        assert player.screen.presenter.takes == (2, 2)
        gate.set()
        await player.turn(turn)
        await until(player.pilot, lambda: player.screen.check_action("take", (1,)) is True)
        await player.press("f5")
        await until(player.pilot, lambda: player.screen.presenter.takes == (1, 2))
        assert "Now there is music." not in player.page


async def test_who_alone_heard_a_line_is_said_as_soon_as_the_turn_is_told_and_afterwards(
    player: Player, model: Scripted
) -> None:
    model.answers["narrator"] = narration("Rain.", "bob", heard_by=["bob"], because="I whisper to Bob")
    gate = model.gates["memory:bob"] = asyncio.Event()
    await player.send('I whisper to Bob: "Now."')
    await until(player.pilot, lambda: "only Bob heard this" in player.page)
    assert player.session.phase == "after"
    gate.set()
    await player.turn(2)
    presenter = player.screen.presenter
    stored = presenter.lay_out(player.session.game.turns[2])
    assert "only Bob heard this" in text_of(stored) and "only Bob heard this" in player.page


def warned(player: Player, words: str) -> bool:
    return words in player.status.warning + player.status.hint


async def test_a_word_of_patience_goes_when_the_story_has_spoken(player: Player, model: Scripted) -> None:
    gate = await player.begin("I listen.", model)
    for key, told in (("enter", "sent after this turn"), ("f4", "A turn is in progress")):
        player.prompt.write("/length short")
        await player.press(key)
        await until(player.pilot, partial(warned, player, told))
    gate.set()
    await player.turn(2)
    assert "turn" not in player.status.warning + player.status.hint
    assert player.prompt.text == "/length short" and player.session.steering.length == "short"


async def test_what_asks_about_the_last_turn_means_the_one_on_the_page(
    player: Player, model: Scripted
) -> None:
    model.answers["narrator"] = narration("Ann and Bob look up.", "ann", "bob")
    await player.say("I listen.")
    model.answers["narrator"] = narration("Bob alone looks up.", "bob")
    gate = model.gates["memory:bob"] = asyncio.Event()
    await player.send("I look up.")
    await until(player.pilot, lambda: player.session.phase == "after")
    await player.press("shift+f4")
    assert player.prompt.text == "/retry I look up."
    player.prompt.write("")
    await player.press("ctrl+g", "w")
    gate.set()
    await until(player.pilot, lambda: isinstance(player.app.screen, ListDialog))
    assert "Edit turn 3" in text_of(player.app.screen.query_one(".title"))
    await player.press("escape")
    gate.clear()
    await player.send("I look again.")
    await until(player.pilot, lambda: player.session.phase == "after")
    spoken = len(model.prompts("character:bob"))
    await player.press("shift+f9")
    gate.set()
    await until(player.pilot, lambda: len(model.prompts("character:bob")) > spoken, "the only reply, unasked")
    await player.turn(4)
    assert player.screen.presenter.takes == (2, 2)
