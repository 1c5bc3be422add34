"""Playing: what is typed becomes a turn, is told and remembered."""

import asyncio
from functools import partial
from pathlib import Path

import pytest
from textual.selection import Selection
from textual.widgets import OptionList

from tests.support.fake_model import Scripted, beat_form, narration
from tests.support.pilot import Player, opens, playing, still, until
from tests.support.said import plain, text_of
from theact_tui.engine.bus import Bus
from theact_tui.engine.open_sessions import open_session
from theact_tui.story.typed import Typed
from theact_tui.tui.home.screen import HomeScreen
from theact_tui.tui.play.completion import HELP_HINT
from theact_tui.tui.play.presenter import SENT_TO_STORY, WAITS
from theact_tui.tui.play.screen import GOING_ON
from theact_tui.tui.widgets.dialogs import ListDialog


async def test_a_new_story_opens_by_itself_and_can_be_copied(player: Player) -> None:
    assert "One" in player.page and "chapter 1" in player.page
    assert "Water stands on the stair." in player.page
    assert "ANN LEE\nI have seen this stair before" in player.page
    player.screen.selections = {player.transcript: Selection(None, None)}
    await player.press("ctrl+c")
    assert "Water stands on the stair." in player.app.clipboard


async def test_an_empty_enter_lets_the_story_go_on_once_it_was_explained(
    player: Player, model: Scripted
) -> None:
    player.transcript.follow()
    await player.press("enter")
    assert player.status.hint == GOING_ON and player.session.phase == "idle"
    gate = model.gates["narrator"] = asyncio.Event()
    await player.press("enter")
    await until(player.pilot, lambda: player.session.phase == "narrating")
    await player.press("escape")
    await until(player.pilot, lambda: player.status.warning == "Stopped. Nothing was changed.")
    gate.set()
    await player.press("f4")
    await player.turn(2)
    turn = player.session.game.turns[2]
    assert turn.player_text == "" and turn.kind == "play", "and turn 1 was not told again"
    assert not player.session.typed.sent and player.status.hint == ""
    asked = model.prompts("narrator")[-1]
    assert "I wait: the next thing happens by itself." in asked and "first page" not in asked
    player.transcript.follow()
    await player.press("enter")
    await player.turn(3)


async def test_a_command_without_its_slash_is_explained_and_told_with_a_line_below(
    player: Player, model: Scripted
) -> None:
    for text, hint in (("?", HELP_HINT), ("Help ", HELP_HINT), ("quit", HELP_HINT), ("Help me", "")):
        player.prompt.write(text)
        await player.pilot.pause()
        assert player.status.hint == hint
    for number, (text, hint) in enumerate((("quit", SENT_TO_STORY), ("I wait.", "")), 2):
        gate = await player.begin(text, model)
        assert player.status.hint == hint
        gate.set()
        await player.turn(number)
        assert player.session.game.turns[number].player_text == text


async def test_too_much_is_refused_and_ctrl_c_clears_the_box_and_then_says_how_to_quit(
    player: Player,
) -> None:
    text = "word " * 500
    await player.send(text)
    assert "2,500 of 2,000" in str(player.prompt.query_one("#count").render())
    assert "the limit is 2,000" in player.status.warning
    assert player.prompt.text == text
    assert player.session.game.state.turn == 1
    await player.press("ctrl+c")
    assert player.prompt.text == "" and player.status.warning == ""
    await player.press("ctrl+z")
    assert player.prompt.text == text
    player.prompt.write("one\ntwo")
    await player.press("ctrl+c")
    assert player.prompt.text == ""
    await player.press("ctrl+c")
    assert player.status.hint == "^q quits. All is saved."
    assert not player.app.screen.query("Toast")
    await player.press("up")
    assert player.prompt.text == "one\ntwo"


async def test_lines_typed_while_the_story_speaks_wait_for_their_turn(
    player: Player, model: Scripted
) -> None:
    gate = await player.begin("I wait.", model)
    await player.type("next I run", "enter")
    assert "esc stops the turn" in player.status.warning
    await player.type("and then", "enter")
    assert "One line is already queued" in player.status.warning
    player.status.unsay(player.status.warning)  # as after a few seconds: what runs is not hidden
    assert player.status.left.plain == player.status.doing and "1 line queued" in player.status.facts
    putting_away = model.gates["progress"] = asyncio.Event()
    gate.set()
    await until(player.pilot, lambda: player.session.phase == "after", "the end of the telling")
    await player.pilot.pause()
    assert player.prompt.text == "and then" and "1 line queued" in player.status.facts
    gate.clear()
    putting_away.set()
    await until(player.pilot, lambda: player.session.phase == "narrating", "the queued line to be told")
    await player.pilot.pause()
    assert "next I run" in player.page and "1 line queued" not in player.status.facts
    putting_away.clear()
    gate.set()
    await until(player.pilot, lambda: player.session.phase == "after", "the end of the telling")
    await player.press("enter")
    await until(player.pilot, lambda: player.status.warning == WAITS, "that it waits")
    putting_away.set()
    await player.turn(4)
    assert player.status.warning == "" and "and then" in player.page


async def test_enter_that_bounces_sends_a_line_once(player: Player, model: Scripted) -> None:
    gate = model.gates["narrator"] = asyncio.Event()
    player.prompt.write("I wait.")
    player.prompt.writing.action_say()
    player.prompt.writing.action_say()
    await until(player.pilot, lambda: player.session.phase == "narrating" and not player.prompt.text)
    assert player.screen.presenter.entered == ""
    await player.type("I wait.", "enter")
    assert player.screen.presenter.entered == "I wait.", "the same line again is another one"
    gate.set()
    await player.turn(3)


async def test_opening_a_story_does_not_read_its_tree(
    tmp_path: Path, model: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes long in a long story, and the first line would wait behind it."""
    read: list[str] = []
    monkeypatch.setattr("theact_tui.saves.save.Save.tree", lambda save: read.append("tree"))
    async with playing(tmp_path, model=model) as player:
        await player.say("I wait.")
    assert read == []


async def test_texts_come_back_in_the_order_in_which_they_were_written(
    player: Player, model: Scripted
) -> None:
    said = "your text is back in the box"
    for keys, back, told in (
        ([""], "I wait.", said),
        (["I run", "enter"], "I wait.\nI run", said),
        (["I run", "enter", *"I hide"], "I run\nI hide", "↑"),
        (["/note It rains.", "enter"], "I wait.", f"{said}; ↑ brings back what was queued."),
    ):
        await player.begin("I wait.", model)
        await player.type(*keys, "escape")
        await until(player.pilot, lambda: player.session.phase == "idle" and bool(player.prompt.text))
        assert player.prompt.text == back
        assert "I wait." not in player.page and player.session.game.state.turn == 1
        assert "Nothing was changed" in player.status.warning and told in player.status.warning
    await player.press("up")
    assert player.prompt.text == "/note It rains.", "a command is not joined to other text"


async def test_what_only_reads_is_answered_while_the_story_speaks(player: Player, model: Scripted) -> None:
    answers = {
        "/status": "· turn 1 ·", "/memory ann": "The stair was dry once.", "/help": "/undo [n]", "/history": "turn 1 ",
    }  # fmt: skip
    gate = await player.begin("I wait.", model)
    for asked, answer in answers.items():
        assert answer not in player.page
        await player.send(asked)
        await until(player.pilot, partial(_answered, player, asked, answer), asked)
        assert player.session.phase == "narrating" and player.prompt.text == ""
    gate.set()
    await player.turn(2)
    assert "I wait." in player.page


def _answered(player: Player, asked: str, answer: str) -> bool:
    return asked in player.page and answer in player.page


async def test_what_is_written_while_the_story_speaks_outlives_leaving(
    player: Player, model: Scripted
) -> None:
    await player.begin("I wait.", model)
    await player.type("I run", "ctrl+g", "h")
    await until(player.pilot, lambda: not player.playing)
    line = player.app.home.saves / "small" / ".git/theact/typed.json"
    kept = Typed.model_validate_json(line.read_text())
    assert (kept.sent, kept.box) == ("I wait.", "I run")
    model.gates.clear()
    again = await open_session(player.app.home.saves / "small", lambda pack, seed: model, Bus(still))
    await player.open(again)
    assert player.prompt.text == "I wait."
    await player.press("enter")
    await player.turn(2)
    assert player.prompt.text == "I run"
    await opens(player.pilot, HomeScreen, "ctrl+g", "h")
    await until(player.pilot, lambda: "turn 2" in _rows(player))


async def test_commands_answer_under_the_story(player: Player) -> None:
    await player.press("tab")
    await player.type("/st")
    await player.press("shift+tab")
    await player.type("atus", "enter")
    await until(player.pilot, lambda: "/status" in player.page, "what a letter typed elsewhere begins, too")
    assert player.prompt.text == ""
    await player.send("/nonsense")
    await until(player.pilot, lambda: bool(player.status.warning))
    assert "/nonsense" in player.status.warning and player.prompt.text == "/nonsense"
    await player.say("I go on.")
    assert "/status" not in player.page


async def test_sending_somebody_away_holds(player: Player, model: Scripted) -> None:
    model.answers["narrator"] = narration("A draught.", "ann")
    await player.press("tab", "space")
    await until(player.pilot, lambda: "ann" not in player.session.game.state.present)
    assert "○ Ann Lee" in text_of(player.panel)
    await player.press("escape")
    await player.say("I speak to Ann.")
    assert player.page.endswith("I speak to Ann.\nA draught.")


async def test_what_changed_is_marked_until_the_next_turn_and_beats_to_come_are_named_on_request(
    player: Player, model: Scripted
) -> None:
    panel = player.panel
    assert "· 4 to come" in text_of(panel) and "finds the stair" not in text_of(panel)
    model.answers["progress"] = beat_form(1)
    model.answers["memory"] = '{"new": [{"fact": "The lamp is out.", "kind": "none"}], "changed": {}}'
    await player.say("I look.")
    for words in ("1 new · 1 of 4", "✓ one finds the stair", "+ The lamp is out.", "· 3 more to come"):
        assert words in text_of(panel)
    assert "one finds the stair" in player.page
    model.answers["progress"] = beat_form()
    model.answers["memory"] = '{"new": [], "changed": {}}'
    await player.say("I go on.")
    assert "1 of 4" in text_of(panel) and "new ·" not in text_of(panel)
    assert "+ The lamp is out." not in text_of(panel)
    await player.type("/status", "enter")
    await until(player.pilot, lambda: "3 more to come" in player.page)
    assert "✓ one finds the stair" in player.page and "opens the door" not in player.page
    await player.press("ctrl+g", "c")
    assert "· one opens the door" in text_of(panel) and "to come" not in text_of(panel)
    assert player.status.hint == "Beats still to come are shown until you leave."
    await player.press("ctrl+g", "c")
    assert "opens the door" not in text_of(panel) and "hidden" in player.status.hint


def _rows(player: Player) -> str:
    screen = player.app.screen
    assert isinstance(screen, HomeScreen)
    return "\n".join(plain(option.prompt) for option in screen.query_one(OptionList).options)


async def test_a_key_offers_three_things_to_do_and_escape_ends_the_wait_for_them(
    player: Player, model: Scripted
) -> None:
    gate = model.gates["ideas"] = asyncio.Event()
    await player.press("ctrl+o")
    await until(player.pilot, lambda: "ideas" in model.called())
    await player.press("escape")
    await until(player.pilot, lambda: not player.status.doing)
    assert player.app.screen is player.screen and player.session.phase == "idle"
    gate.set()
    model.answers["ideas"] = "1. I lift the lamp.\n- I ask Bob who came.\nI wait.\nI sing."
    await player.type("So")
    before = player.session.game
    await opens(player.pilot, ListDialog, "ctrl+o")
    assert not player.screen.check_action("stop", ()), "nothing is waited for any more"
    await player.press("down", "enter")
    await until(player.pilot, lambda: player.prompt.text == "So I ask Bob who came.")
    assert player.session.game == before
