"""Playing: what is typed, told, remembered, taken back (S3, S10)."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest
from textual.screen import Screen
from textual.selection import Selection
from textual.widgets import Input, Static, TextArea

from tests.engine.scripted import Scripted, narration
from tests.tui.driving import Player, at_home, make_app, new_session, problem, until
from theact_tui.errors import CallError
from theact_tui.tui.screens.home import HomeScreen
from theact_tui.tui.screens.picking import PickRow
from theact_tui.tui.screens.sheets import Ask, Write

MINE = tuple(f"This is line {number} of mine." for number in range(2, 20))
"""Lines of the turns before a test; its `player` finds them told."""
LONG = narration(" ".join(f"Step {n} is wet." for n in range(75)), "ann")


async def test_a_new_story_opens_by_itself(player: Player) -> None:
    assert "One" in player.page and "chapter 1" in player.page
    assert "Water stands on the stair." in player.page
    assert "ANN LEE\nI have seen this stair before" in player.page


async def test_a_line_becomes_a_turn(player: Player) -> None:
    await player.type("I go down.")
    await player.press("enter")
    await player.turn(2)
    assert player.page.rindex("I go down.") < player.page.rindex("Water stands on the stair.")
    assert player.prompt.text == ""
    assert player.session.game.state.turn == 2


async def test_blank_input_is_ignored(player: Player) -> None:
    await player.type("  ")
    await player.press("enter")
    assert player.session.phase == "idle"
    assert player.session.game.state.turn == 1


async def test_two_slashes_are_text(player: Player) -> None:
    await player.say("//undo is what I whisper")
    assert "/undo is what I whisper" in player.page
    assert "//undo" not in player.page


async def test_too_much_is_refused_and_nothing_is_lost(player: Player) -> None:
    text = "word " * 500
    player.prompt.write(text)
    await player.press("enter")
    assert "2,500 of 2,000" in str(player.prompt.query_one("#count").render())
    assert "at most 2,000" in player.status.warning
    assert player.prompt.text == text
    assert player.session.game.state.turn == 1


async def test_the_player_types_on_while_the_story_speaks(player: Player, model: Scripted) -> None:
    gate = model.gates["narrator"] = asyncio.Event()
    player.prompt.write("I wait.")
    await player.press("enter")
    await until(player.pilot, lambda: player.session.phase == "narrating")
    await until(player.pilot, lambda: player.prompt.text == "")
    await player.type("next I run")
    await player.press("enter")
    assert "esc stops it" in player.status.warning
    gate.set()
    await player.turn(2)
    assert player.prompt.text == "next I run"
    assert player.session.game.state.turn == 2


async def test_escape_during_the_narration_takes_it_back(player: Player, model: Scripted) -> None:
    model.gates["narrator"] = asyncio.Event()
    player.prompt.write("I jump.")
    await player.press("enter")
    await until(player.pilot, lambda: player.session.phase == "narrating")
    await player.press("escape")
    await until(player.pilot, lambda: player.session.phase == "idle")
    await until(player.pilot, lambda: player.prompt.text == "I jump.")
    assert "I jump." not in player.page
    assert "Nothing was changed" in player.status.warning
    assert player.session.game.state.turn == 1


async def test_escape_during_the_replies_keeps_what_was_told(player: Player, model: Scripted) -> None:
    model.answers["narrator"] = narration("The door is open.", "ann, bob")
    gate = model.gates["character:bob"] = asyncio.Event()
    player.prompt.write("I knock.")
    await player.press("enter")
    await until(player.pilot, lambda: "BOB" in player.page)
    await player.press("escape")
    gate.set()
    await player.turn(2)
    assert "The door is open." in player.page
    assert "BOB" not in player.page.split("I knock.")[1]


async def test_a_failed_turn_is_a_card_and_enter_tries_again(player: Player, model: Scripted) -> None:
    model.answers["narrator"] = CallError(
        "refused", "Nobody answers at 127.0.0.1:8080. Is the server running?"
    )
    player.app.notify("Nobody answers.")
    player.prompt.write("I call.")
    await player.press("enter")
    await until(player.pilot, lambda: "The turn did not happen" in player.page)
    assert "Nobody answers at 127.0.0.1:8080." in player.page
    assert "Nothing was changed. enter tries again" in player.page
    assert player.prompt.text == "I call." and not player.app._notifications
    del model.answers["narrator"]
    await player.press("enter")
    await player.turn(2)
    assert "did not happen" not in player.page


async def test_a_character_that_fails_stays_silent_with_a_note(player: Player, model: Scripted) -> None:
    model.answers["character"] = CallError("timeout", "The server said nothing for a minute.")
    await player.say("I ask Ann.")
    told = player.page.split("I ask Ann.")[1]
    assert "ANN LEE" not in told
    assert "Ann Lee stays silent this turn. The server said nothing for a minute." in told


async def test_a_broken_part_becomes_a_card_and_not_a_crash(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(count: int) -> None:
        raise ZeroDivisionError(f"{count} by none")

    monkeypatch.setattr(player.session, "undo", broken)
    await player.press("ctrl+g", "u")
    await until(player.pilot, lambda: "Something broke" in player.page)
    assert "1 by none" in player.page
    assert list(player.app.home.logs.glob("crash-*.log"))


async def test_retry_makes_a_take_and_takes_can_be_stepped_through(player: Player, model: Scripted) -> None:
    await player.say("I listen.")
    model.answers["narrator"] = narration("Now there is music.")
    await player.press("f4")
    await until(player.pilot, lambda: player.screen.desk.takes == (2, 2))
    assert "Now there is music." in player.page
    assert player.page.count("I listen.") == 1
    assert "take 2 of 2" in player.status.facts
    await player.press("f5")
    await until(player.pilot, lambda: player.screen.desk.takes == (1, 2))
    assert "Now there is music." not in player.page


async def test_a_stopped_retry_leaves_the_turn_as_it_was(player: Player, model: Scripted) -> None:
    await player.say("I listen.")
    model.gates["narrator"] = asyncio.Event()
    await player.press("f4")
    await until(player.pilot, lambda: player.session.phase == "narrating")
    await player.press("escape")
    await until(player.pilot, lambda: "Water stands" in player.page.split("I listen.")[-1])
    await until(player.pilot, lambda: player.screen.desk.takes == (1, 1))
    assert player.status.warning == "Stopped. The turn stays as it was."
    assert player.prompt.text == ""


async def test_a_failed_retry_keeps_the_turn_and_the_other_words(player: Player, model: Scripted) -> None:
    await player.say("I listen.")
    model.answers["narrator"] = CallError("refused", "Nobody answers.")
    player.prompt.write("/retry I shout.")
    await player.press("enter")
    await until(player.pilot, lambda: "The turn did not happen" in player.page)
    assert "I listen." in player.page and "Nothing was changed. enter tries again." in player.page
    assert player.prompt.text == "/retry I shout."


async def test_a_stopped_opening_says_how_to_begin(tmp_path: Path, model: Scripted) -> None:
    model.gates["narrator"] = asyncio.Event()
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await at_home(pilot)
        player = Player(pilot)
        await player.open(await new_session(app, model), opening=False)
        await until(pilot, lambda: player.session.phase == "narrating")
        await player.press("escape")
        await until(pilot, lambda: "F4 tells its first scene" in player.page)
        assert player.status.warning == ""
        model.gates["narrator"].set()
        await player.press("f4")
        await player.turn(1)
        assert "F4 tells" not in player.page
        await player.session.close()


async def test_undo_and_redo(player: Player) -> None:
    await player.say("I climb.")
    await player.press("ctrl+g", "u")
    await until(player.pilot, lambda: "I climb." not in player.page)
    assert player.session.game.state.turn == 1 and "Back at turn 1" in player.status.hint
    await player.press("ctrl+g", "r")
    await until(player.pilot, lambda: "I climb." in player.page)
    assert player.session.game.state.turn == 2


async def test_commands_answer_under_the_story(player: Player) -> None:
    player.prompt.write("/status")
    await player.press("enter")
    await until(player.pilot, lambda: "/status" in player.page)
    assert player.prompt.text == ""
    player.prompt.write("/nonsense")
    await player.press("enter")
    await until(player.pilot, lambda: bool(player.status.warning))
    assert "/nonsense" in player.status.warning and player.prompt.text == "/nonsense"
    await player.say("I go on.")
    assert "/status" not in player.page


async def test_sending_somebody_away_holds(player: Player, model: Scripted) -> None:
    model.answers["narrator"] = narration("A draught.", "ann")
    await player.press("tab", "space")
    await until(player.pilot, lambda: "ann" not in player.session.game.state.present)
    assert "○ Ann Lee" in player.panel.text
    await player.press("escape")
    await player.say("I speak to Ann.")
    assert "Ann Lee was sent away and does not answer." in player.page


async def test_what_changed_is_marked_until_the_next_turn(player: Player, model: Scripted) -> None:
    model.answers["progress"] = (
        '```yaml\nchapter_complete: false\nreason: r\nnew_beats: ["one finds the stair"]\n```'
    )
    model.answers["memory"] = "```yaml\nsummary: Wet.\nadd: [The lamp is out.]\nremove: []\nupdate: []\n```"
    await player.say("I look.")
    assert "1 new · 1 of 4" in player.panel.text
    assert "✓ one finds the stair" in player.panel.text
    assert "+ The lamp is out." in player.panel.text
    assert "one finds the stair" in player.page
    model.answers["progress"] = "```yaml\nchapter_complete: false\nreason: r\nnew_beats: []\n```"
    model.answers["memory"] = "```yaml\nsummary: Wet.\nadd: []\nremove: []\nupdate: []\n```"
    await player.say("I go on.")
    assert "1 of 4" in player.panel.text and "new ·" not in player.panel.text
    assert "+ The lamp is out." not in player.panel.text


async def test_waiting_is_told(player: Player, model: Scripted) -> None:
    gate = model.gates["memory:ann"] = asyncio.Event()
    player.prompt.write("I wait.")
    await player.press("enter")
    await until(player.pilot, lambda: "is remembering" in player.status.doing)
    assert player.status.doing == "Ann Lee is remembering (1 of 2)"
    assert player.prompt.waiting is False
    gate.set()
    await player.turn(2)
    assert player.status.doing == ""


async def test_who_learns_nothing_is_not_left_remembering(player: Player, model: Scripted) -> None:
    model.answers["memory"] = "```yaml\nsummary: ''\nadd: []\nremove: []\nupdate: []\n```"
    await player.say("I hum.")
    assert "remembering" not in player.panel.text


async def test_enter_on_an_empty_line_turns_the_page(player: Player, model: Scripted) -> None:
    model.answers["narrator"] = narration("\n\n".join(f"Paragraph {n} of many." for n in range(40)), "")
    await player.say("I read.")
    assert player.status.more
    assert player.transcript.place == (2, 1)
    await player.press("enter")
    assert player.transcript.place is not None and player.transcript.place[1] > 20
    for _ in range(3):
        await player.press("enter")
    assert not player.status.more
    assert player.session.game.state.turn == 2


async def test_a_letter_typed_elsewhere_goes_into_the_writing_box(player: Player) -> None:
    await player.press("tab")
    await player.type("go")
    assert player.prompt.text == "go"
    await player.press("shift+tab")
    await player.type(" on")
    assert player.prompt.text == "go on"


@pytest.mark.parametrize("before", [MINE[:8]], ids=["turn 9"])
async def test_jump_and_find_and_back(player: Player) -> None:
    await player.press("ctrl+g", "j")
    player.app.screen.query_one(Input).value = "2"
    await player.press("enter")
    await until(player.pilot, lambda: player.transcript.place == (2, 0))
    assert player.status.more
    await player.press("ctrl+f")
    await player.type("line 4")
    await player.press("enter")
    await until(player.pilot, lambda: "1 of 1" in str(player.screen.query_one("#find-count").render()))
    assert player.transcript.place is not None and player.transcript.place[0] in (3, 4)
    await player.press("escape", "escape")
    assert player.transcript.following and not player.status.more


@pytest.mark.parametrize("before", [MINE[:14]], ids=["turn 15"])
async def test_jumping_away_while_the_story_speaks_loses_nothing(player: Player, model: Scripted) -> None:
    gate = model.gates["character:ann"] = asyncio.Event()
    player.prompt.write("Now the long one.")
    await player.press("enter")
    await until(player.pilot, lambda: player.session.phase == "replying")
    await player.screen.desk.pages.jump(1)
    player.transcript.window.leaves[4:] = []
    await player.screen.desk.pages.jump(1)
    await until(player.pilot, lambda: player.status.more)
    gate.set()
    await player.turn(16)
    assert "Now the long one." not in player.page
    await player.press("tab", "escape")
    await until(player.pilot, lambda: "Now the long one." in player.page and player.transcript.following)
    assert "I have seen this stair before" in player.page.split("Now the long one.")[1]


@pytest.mark.parametrize("before", [MINE[:18]], ids=["turn 19"])
async def test_older_turns_are_read_as_the_reader_goes_up(player: Player) -> None:
    await player.screen.desk.pages.newest()
    assert player.transcript.window.first == 8
    for _ in range(6):
        await player.press("pageup")
    await until(player.pilot, lambda: player.transcript.window.first == 1, "the first turn")
    assert "chapter 1" in player.page


async def test_words_of_a_turn_are_changed_by_hand(player: Player) -> None:
    await player.say("I climb.")
    await player.press("ctrl+g", "w")
    for old, new in (("I climb.", "I fly."), ("The lamp gutters.", "The lamp sings.")):
        await until(player.pilot, lambda: isinstance(player.app.screen, Write))
        box = player.app.screen.query_one(TextArea)
        assert old in box.text
        box.text = box.text.replace(old, new)
        await player.press("ctrl+s")
        await until(player.pilot, partial(shows, player, new))
    await player.press("escape")
    assert player.session.game.turns[2].player_text == "I fly."


def shows(player: Player, text: str) -> bool:
    return text in player.page


def said(screen: Screen[object]) -> str:
    return "\n".join(str(part.render()) for part in screen.query(Static))


async def test_a_branch_is_named_and_gone_on_with(player: Player) -> None:
    await player.say("I climb.")
    await player.press("ctrl+g", "n")
    await until(player.pilot, lambda: isinstance(player.app.screen, Ask))
    await player.type("What if?")
    await player.press("enter")
    await until(player.pilot, lambda: player.session.branch == "what-if")
    assert "What if?" in player.masthead
    await player.press("ctrl+g", "e")
    await until(player.pilot, lambda: isinstance(player.app.screen, PickRow))
    assert "Branch What if?, as it is told" in said(player.app.screen)
    await player.press("escape")
    await player.say("I fall.")
    player.prompt.write("/switch main")
    await player.press("enter")
    await until(player.pilot, lambda: "I fall." not in player.page)
    assert "I climb." in player.page


async def test_a_name_that_is_taken_is_asked_for_again(player: Player) -> None:
    await player.press("ctrl+g", "n")
    await until(player.pilot, lambda: isinstance(player.app.screen, Ask))
    player.app.screen.query_one(Input).value = "main"
    await player.press("enter")
    await until(player.pilot, lambda: "already a branch" in problem(player.pilot))
    assert player.app.screen.query_one(Input).value == "main"
    player.app.screen.query_one(Input).value = "other"
    await player.press("enter")
    await until(player.pilot, lambda: player.session.branch == "other")


async def test_the_story_is_written_to_a_file(player: Player) -> None:
    await player.press("ctrl+g", "e")
    await until(player.pilot, lambda: isinstance(player.app.screen, PickRow))
    await player.press("down", "enter")
    await until(player.pilot, lambda: "Written to" in player.page and ".html" in player.page)


async def test_retry_with_other_words(player: Player) -> None:
    await player.say("I climb.")
    await player.press("shift+f4")
    assert player.prompt.text == "/retry I climb."
    player.prompt.write("/retry I fly.")
    await player.press("enter")
    await until(player.pilot, lambda: player.screen.desk.takes == (2, 2))
    assert "I fly." in player.page and "I climb." not in player.page


async def test_the_story_can_be_marked_and_copied(player: Player) -> None:
    player.screen.selections = {player.transcript: Selection(None, None)}
    await player.press("ctrl+c")
    assert "Water stands on the stair." in player.app.clipboard


@pytest.mark.parametrize("before", [MINE[:14]], ids=["turn 15"])
@pytest.mark.parametrize("model", [Scripted(answers={"narrator": LONG}, window=4096)], ids=["long"])
async def test_where_verbatim_context_begins_is_marked(player: Player) -> None:
    folded = player.session.game.state.last_summarized_turn
    assert folded > 0
    await player.screen.desk.pages.jump(folded + 1)
    await player.pilot.pause()
    assert "word for word from here" in player.transcript.render_line(0).text
    assert f"to turn {folded}" in player.panel.text


async def test_leaving_saves_and_goes_home(player: Player) -> None:
    await player.say("I leave.")
    session = player.session
    await player.press("ctrl+g", "h")
    await until(player.pilot, lambda: isinstance(player.app.screen, HomeScreen))
    assert session.game.state.turn == 2
    await until(player.pilot, lambda: "turn 2" in _rows(player))


def _rows(player: Player) -> str:
    screen = player.app.screen
    assert isinstance(screen, HomeScreen)
    return "\n".join(str(getattr(option.prompt, "plain", option.prompt)) for option in screen.options)
