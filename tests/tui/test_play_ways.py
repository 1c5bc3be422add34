"""Playing another way: takes, undo, words changed by hand, branches."""

from functools import partial

from textual.widgets import TextArea

from tests.support.fake_model import Scripted, narration
from tests.support.pilot import Player, opens, until
from tests.support.said import said
from theact_tui.errors import CallError
from theact_tui.tui.widgets.dialogs import FormDialog, GrowingTextDialog, ListDialog, TextDialog


async def test_retry_makes_a_take_and_arrows_on_an_empty_line_step_through_them(
    player: Player, model: Scripted
) -> None:
    def at(take: int) -> bool:
        return player.screen.presenter.takes == (take, 3) and told[take - 1] in player.page

    told = ("You turn 2.", "It rains.", "It snows.")
    model.answers["narrator"] = narration(told[0])
    await player.say("I wait.")
    for words in told[1:]:
        model.answers["narrator"] = narration(words)
        await player.press("f4")
        await until(player.pilot, partial(lambda words: words in player.page, words))
        await player.turn(2)
    await until(player.pilot, partial(at, 3))
    assert player.page.count("I wait.") == 1 and "◂ take 3 of 3 · scripted ▸" in player.status.facts
    keys = "left left left right right shift+f5 f5 f5 f5".split()
    for key, take in zip(keys, (2, 1, 3, 1, 2, 1, 2, 3, 1), strict=True):
        await player.press(key)
        await until(player.pilot, partial(at, take))
        assert not any(words in player.page for words in {*told} - {told[take - 1]})
    await player.type("ab", "left")
    await player.type("c")
    assert player.prompt.text == "acb" and at(1)
    player.prompt.write("")
    await player.press("shift+f4")
    assert player.prompt.text == "/retry I wait."
    await player.send("/retry I fly.")
    await until(player.pilot, lambda: player.screen.presenter.takes == (4, 4))
    assert "I fly." in player.page and "I wait." not in player.page


async def test_words_of_a_turn_are_changed_by_hand(player: Player) -> None:
    await player.say("I climb.")
    for keys, old, new in ((("home",), "I climb.", "I fly."), ((), "The lamp gutters.", "The lamp sings.")):
        await opens(player.pilot, ListDialog, "ctrl+g", "w")
        await opens(player.pilot, TextDialog, *keys, "enter")
        assert isinstance(player.app.screen, GrowingTextDialog) != bool(keys), "a page can be gone on from"
        box = player.app.screen.query_one(TextArea)
        assert old in box.text
        box.text = box.text.replace(old, new)
        await player.press("ctrl+s")
        await until(player.pilot, partial(shows, player, new))
    assert player.session.game.turns[2].player_text == "I fly."


async def test_a_reply_is_gone_on_from_and_the_others_stay_in_sight(player: Player, model: Scripted) -> None:
    model.answers |= {"narrator": narration("You turn.", "ann, bob"), "character:bob": "Bob stays."}
    await player.say("I climb.")
    await opens(player.pilot, ListDialog, "ctrl+g", "w")
    await opens(player.pilot, GrowingTextDialog, "down", "enter")
    player.app.screen.query_one(TextArea).text = "Only once"
    model.answers["character:ann"] = " did I see it."
    await player.press("f4")
    await until(player.pilot, lambda: player.screen.presenter.takes == (2, 2))
    assert "Only once did I see it." in player.page and "Bob stays." in player.page


async def test_a_page_is_cut_and_gone_on_from_and_a_text_that_failed_comes_back_with_the_reason(
    player: Player, model: Scripted
) -> None:
    await player.say("I climb.")
    await opens(player.pilot, ListDialog, "ctrl+g", "w")
    await opens(player.pilot, GrowingTextDialog, "enter")
    player.app.screen.query_one(TextArea).text = " "
    await player.press("f4")
    await until(player.pilot, lambda: "Nothing is left" in said(player.app.screen))
    player.app.screen.query_one(TextArea).text = "The lamp burns"
    model.answers["narrator"] = CallError("refused", "Nobody answers.")
    await player.press("f4")
    await until(player.pilot, lambda: "Nobody answers." in said(player.app.screen))
    assert player.app.screen.query_one(TextArea).text == "The lamp burns"
    assert player.session.takes == (1, 1) and "gutters" in player.page
    model.answers["narrator"] = narration(" blue, and hums.")
    await player.press("f4")
    await until(player.pilot, lambda: player.screen.presenter.takes == (2, 2))
    assert "The lamp burns blue, and hums." in player.page and player.page.count("gutters") == 1


def shows(player: Player, text: str) -> bool:
    return text in player.page


async def test_a_branch_is_named_exported_and_gone_on_with(player: Player) -> None:
    await player.say("I climb.")
    await opens(player.pilot, FormDialog, "ctrl+g", "n")
    await player.type("What if?", "enter")
    await until(player.pilot, lambda: player.session.branch == "what-if")
    assert "What if?" in player.masthead
    await opens(player.pilot, ListDialog, "ctrl+g", "e")
    assert "Branch “What if?” up to the current turn." in said(player.app.screen)
    await player.press("down", "enter")
    await until(player.pilot, lambda: "Exported to" in player.page and ".html" in player.page)
    await player.say("I fall.")
    await player.send("/switch main")
    await until(player.pilot, lambda: "I fall." not in player.page)
    assert "I climb." in player.page


async def test_undo_gives_my_line_back_and_redo_takes_it_again(player: Player) -> None:
    await player.say("I climb.")
    for undo in ("ctrl+g u", "/undo"):
        if undo.startswith("/"):
            await player.send(undo)
        else:
            await player.press(*undo.split())
        await until(player.pilot, lambda: player.prompt.text == "I climb.", "my line")
        assert player.session.game.state.turn == 1 and "I climb." not in player.page
        await player.press("ctrl+g", "r")
        await player.turn(2)
        await until(player.pilot, lambda: not player.prompt.text, "an empty box")
        assert "I climb." in player.page
    player.prompt.write("I wait.")
    await player.press("ctrl+g", "u")
    await player.turn(1)
    assert player.prompt.text == "I wait."
    assert "Undone: back to turn 1. ^g r redoes it." in player.status.hint


async def test_typing_replaces_the_line_that_an_undo_gave_back(player: Player) -> None:
    for box in (player.prompt.writing, player.transcript):
        await player.say("I climb.")
        await player.press("ctrl+g", "u")
        await until(player.pilot, lambda: player.prompt.text == "I climb.", "my line")
        box.focus()
        await player.type("/status")
        assert player.prompt.text == "/status"
        await player.press("ctrl+c", "up", "up")
        assert player.prompt.text == "I climb.", "it can be called back"
