"""Playing: what is typed becomes a turn, is told and remembered (S3, S10)."""

from __future__ import annotations

import asyncio

from textual.selection import Selection

from tests.engine.scripted import Scripted, narration
from tests.tui.driving import Player, until
from theact_tui.tui.screens.home import HomeScreen
from theact_tui.tui.screens.picking import PickRow


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


async def test_a_letter_typed_elsewhere_goes_into_the_writing_box(player: Player) -> None:
    await player.press("tab")
    await player.type("go")
    assert player.prompt.text == "go"
    await player.press("shift+tab")
    await player.type(" on")
    assert player.prompt.text == "go on"


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


async def test_the_story_is_written_to_a_file(player: Player) -> None:
    await player.press("ctrl+g", "e")
    await until(player.pilot, lambda: isinstance(player.app.screen, PickRow))
    await player.press("down", "enter")
    await until(player.pilot, lambda: "Written to" in player.page and ".html" in player.page)


async def test_the_story_can_be_marked_and_copied(player: Player) -> None:
    player.screen.selections = {player.transcript: Selection(None, None)}
    await player.press("ctrl+c")
    assert "Water stands on the stair." in player.app.clipboard


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
