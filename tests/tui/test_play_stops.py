"""Playing when it is stopped or fails: what was told is kept, what was typed is given back."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, narration
from tests.support.pilot import Player, make_app, new_session, running, until
from theact_tui.engine import session as engine_session
from theact_tui.errors import CallError
from theact_tui.models.model import Request
from theact_tui.story.edits import Edit, set_entry_text
from theact_tui.story.game import Game
from theact_tui.story.turn import Entry, Turn
from theact_tui.tui.play.completion import CompletionMenu
from theact_tui.tui.widgets.dialogs import ListDialog


async def test_a_stopped_line_is_one_key_away_where_the_box_is_not_empty(
    player: Player, model: Scripted
) -> None:
    gate = model.gates["narrator"] = asyncio.Event()
    for stopped in (True, False):
        await player.send("I jump.")
        await until(player.pilot, lambda: player.session.phase == "narrating" and not player.prompt.text)
        await player.type("half")
        if stopped:
            await player.press("escape")
            await until(player.pilot, lambda: bool(player.status.warning), "what became of it")
            assert player.status.warning == "Stopped. Nothing was changed. ↑ brings your text back."
        else:
            model.answers["narrator"] = CallError("refused", "Nobody answers.")
            gate.set()
            await until(player.pilot, lambda: "The turn failed" in player.page)
            assert "Nothing was changed. ↑ brings your text back." in player.page
        assert player.prompt.text == "half"
        await player.press("up")
        assert player.prompt.text == "I jump."


async def _retry_reply_of_ann(player: Player) -> None:
    await player.press("shift+f9")
    await until(player.pilot, lambda: isinstance(player.app.screen, ListDialog))
    await player.press("up", "enter")


async def test_one_reply_is_retried_and_the_rest_of_the_turn_stays_on_the_page(
    player: Player, model: Scripted
) -> None:
    model.answers |= {"character:ann": "“First,” I say.", "character:bob": "“Stays,” I say."}
    model.answers["narrator"] = narration("It rains on the stair, and on the lamp.", "ann, bob")
    await player.send("I wait.")
    await until(player.pilot, lambda: "“Stays,”" in player.page and player.session.phase == "idle")
    gate = model.gates["character:ann"] = asyncio.Event()
    await _retry_reply_of_ann(player)
    await until(player.pilot, lambda: "“First,”" not in player.page)
    assert "It rains on the stair" in player.page and "“Stays,”" in player.page
    await player.press("escape")
    await until(player.pilot, lambda: player.status.warning == "Stopped. The turn was not changed.")
    assert "“First,”" in player.page
    model.gates.clear()
    gate.set()
    model.answers["character:ann"] = CallError("refused", "Nobody answers.")
    await _retry_reply_of_ann(player)
    await until(player.pilot, lambda: "shift-F9 tries again" in player.page)
    assert "“First,”" in player.page
    model.answers["character:ann"] = "“Second,” I say."
    gate = model.gates["character:ann"] = asyncio.Event()
    await player.send("/retry --reply ann")
    await until(player.pilot, lambda: "“First,”" not in player.page)
    assert "It rains on the stair" in player.page and "“Stays,”" in player.page
    gate.set()
    await until(player.pilot, lambda: "“Second,”" in player.page and player.session.phase == "idle")
    assert "“Stays,”" in player.page and player.page.index("“Second,”") < player.page.index("“Stays,”")
    await until(player.pilot, lambda: "◂ take 2 of 2" in str(player.status.facts))


async def test_escape_ends_one_thing_at_a_time_and_keeps_what_was_told(
    player: Player, model: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_session, "LEAVING_SECONDS", 0.05)
    await player.begin("I jump.", model)
    await player.type("/me")
    menu = player.screen.query_one(CompletionMenu)
    assert menu.display
    await player.press("escape")
    assert not menu.display and player.prompt.text == "/me" and player.session.phase == "narrating"
    await player.press("escape")
    await until(player.pilot, lambda: player.session.phase == "idle")
    model.gates.clear()
    model.answers["narrator"] = narration("The door is open.", "ann, bob")
    gate = model.gates["character:bob"] = asyncio.Event()
    await player.send("I knock.")
    await until(player.pilot, lambda: "BOB" in player.page)
    await player.press("escape")
    gate.set()
    await player.turn(2)
    assert "The door is open." in player.page and "BOB" not in player.page.split("I knock.")[1]
    model.gates["memory:ann"] = asyncio.Event()
    await player.send("I enter.")
    await until(player.pilot, lambda: player.session.phase == "after")
    await player.press("escape")
    await until(player.pilot, lambda: player.session.phase == "idle", "the turn is saved")
    state = player.session.game.state
    assert state.turn == 3 and "memory" in {work.agent for work in state.pending}


async def test_a_reply_that_was_stopped_is_marked_until_its_text_is_changed(player: Player) -> None:
    def stopped(game: Game, turn: Turn) -> Edit:
        entries = (*turn.entries, Entry(role="character", text="I see.", character="ann", stopped=True))
        return Edit(game.with_turn(turn.model_copy(update={"entries": entries})), "")

    await player.session.edit_turn(1, stopped)
    await player.screen.presenter.loader.reload_turn(1)
    assert "stopped here" in player.page
    (told,) = await player.session.turns(1, 1)
    await player.session.edit_turn(1, set_entry_text, len(told.entries) - 1, "I see it.")
    await player.screen.presenter.loader.reload_turn(1)
    assert "I see it." in player.page and "stopped here" not in player.page


def _has_failed(player: Player, reason: str) -> bool:
    return reason in player.page


async def test_a_failed_turn_is_a_card_and_enter_tries_again(player: Player, model: Scripted) -> None:
    def broken(ask: Request) -> str:
        raise ZeroDivisionError("of ours")

    why = "Nobody answers at 127.0.0.1:8080. Is the server running?"
    for fault, reason in (
        (CallError("refused", why), why),
        (broken, "fault of this program: ZeroDivisionError: of ours"),
    ):
        model.answers["narrator"] = fault
        player.app.notify("Nobody answers.")
        await player.send("I call.")
        await until(player.pilot, partial(_has_failed, player, reason), reason)
        assert "The turn failed" in player.page and player.session.phase == "idle"
        assert "Nothing was changed. enter tries again" in player.page
        assert player.prompt.text == "I call." and not player.app._notifications
        player.prompt.write("")
    assert list(player.app.home.logs.glob("crash-*.log")), "the trace of the program's own fault"
    del model.answers["narrator"]
    model.answers["character"] = CallError("timeout", "The server said nothing for a minute.")
    await player.send("I call.")
    await player.turn(2)
    assert "The turn failed" not in player.page
    told = player.page.split("I call.")[1]
    assert "ANN LEE" not in told
    assert "No reply from Ann Lee this turn. The server said nothing for a minute." in told
    model.answers["narrator"] = CallError("refused", "Nobody answers.")
    await player.send("/retry I shout.")
    await until(player.pilot, lambda: "The turn failed" in player.page)
    assert "I call." in player.page and "Nothing was changed. enter tries again." in player.page
    assert player.prompt.text == "/retry I shout."


async def test_a_broken_part_becomes_a_card_without_the_key_it_holds_and_not_a_crash(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(turns: int | None) -> None:
        raise ValueError("Illegal header value b'Bearer sk-hush-0123' for sk-typed-4567")

    monkeypatch.setenv("THEACT_KEY_NINE", "sk-typed-4567")
    monkeypatch.setattr(player.session, "undo", broken)
    await player.press("ctrl+g", "u")
    await until(player.pilot, lambda: "Internal error" in player.page)
    assert "Illegal header value b'Bearer [key]' for [key]" in " ".join(player.page.split())
    assert "sk-" not in player.page and list(player.app.home.logs.glob("crash-*.log"))


async def test_a_stopped_opening_says_how_to_begin(tmp_path: Path, model: Scripted) -> None:
    model.gates["narrator"] = asyncio.Event()
    app = make_app(tmp_path)
    async with running(app, (80, 24)) as pilot:
        player = Player(pilot)
        await player.open(await new_session(app, model), opening=False)
        await until(pilot, lambda: player.session.phase == "narrating")
        await player.press("ctrl+o")
        await until(pilot, lambda: "in progress" in player.status.warning + player.status.hint)
        await player.press("escape")
        await until(pilot, lambda: "F4 starts with its first scene" in player.page)
        assert player.status.warning == player.status.hint == ""
        model.gates["narrator"].set()
        await player.press("f4")
        await player.turn(1)
        assert "F4 starts" not in player.page
        await player.session.close()
