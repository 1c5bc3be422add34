"""Steering from the play screen: one always sees whether the next line is said in the story or to the narrator."""

import asyncio
from pathlib import Path

import pytest
from textual.widgets import Input, Static, TextArea

from tests.importing.cards import png, text_chunk, v2
from tests.support.fake_model import Scripted
from tests.support.pilot import Player, opens, playing, problem, until
from tests.support.said import plain, text_of
from theact_tui.story.edits import set_entry_text
from theact_tui.tui.play.screen import DIRECTING, SAYING, UNDIRECTED
from theact_tui.tui.play.writing_box import COMMAND, DIRECT, SAY
from theact_tui.tui.widgets.dialogs import FormDialog, TextDialog
from theact_tui.tui.widgets.footer import Footer


def mark(player: Player) -> str:
    return str(player.prompt.query_one("#mark", Static).content)


async def test_one_key_turns_the_box_from_saying_to_directing_and_back(
    player: Player, model: Scripted
) -> None:
    assert mark(player) == SAY
    await player.press("f9")
    assert mark(player) == DIRECT and "narrator" in str(player.prompt.writing.placeholder)
    assert next(hint.does for hint in player.screen.query_one(Footer).shown) == "tell"
    await player.type("The lamp goes out.", "enter")
    await player.turn(2)
    assert player.prompt.text == "" and mark(player) == DIRECT
    assert "The lamp goes out." in model.prompts("narrator")[-1]
    assert "The lamp goes out." not in player.page
    assert player.session.game.turns[2].player_text == ""
    await player.press("f9", "shift+f4")
    assert player.prompt.text == "/retry --note The lamp goes out."
    await player.type(" And rain.", "enter")
    await until(player.pilot, lambda: player.session.takes == (2, 2))
    assert "The lamp goes out. And rain." in model.prompts("narrator")[-1]
    await player.say("I wait.")
    assert mark(player) == SAY and player.session.game.turns[3].player_text == "I wait."


async def test_the_mark_says_what_becomes_of_the_line_as_it_is_typed(player: Player) -> None:
    for key, text, shown in (
        ("", "/tell ", DIRECT), ("", "/whisper ann I", COMMAND), ("", "//tell me", SAY), ("", "/", COMMAND),
        ("f9", "The lamp", DIRECT), ("", "/note It", COMMAND), ("", "/tell it", DIRECT), ("f9", "The lamp", SAY),
    ):  # fmt: skip
        await player.press(*filter(None, [key]))
        player.prompt.write(text)
        await player.pilot.pause()
        assert mark(player) == shown, text
        assert player.prompt.has_class("-directing") == (shown == DIRECT)
    await player.press("f9")
    player.prompt.write("")
    await player.type("/note Keep it dark.", "enter")
    await until(player.pilot, lambda: player.session.steering.note == "Keep it dark.", "a command")
    await until(player.pilot, lambda: "Note: Keep it dark." in text_of(player.panel))


async def test_a_direction_that_was_stopped_is_back_in_the_box_and_becomes_a_line_by_the_key(
    player: Player, model: Scripted
) -> None:
    model.gates["narrator"] = asyncio.Event()
    await player.press("f9")
    await player.type("The lamp goes out.", "enter")
    await until(player.pilot, lambda: player.session.phase == "narrating" and player.prompt.text == "")
    await player.press("escape")
    await until(player.pilot, lambda: player.prompt.text == "/tell The lamp goes out.")
    model.gates.clear()
    await player.press("enter")
    await player.turn(2)
    assert player.prompt.text == "" and not player.session.typed.sent
    for mode in (False, True):
        player.prompt.directing = mode
        player.prompt.write("/tell The lamp goes out.")
        await player.press("f9")
        assert player.prompt.text == "The lamp goes out."
        assert mark(player) == SAY and player.status.hint == SAYING
    await player.press("f9")
    assert mark(player) == DIRECT and player.status.hint == DIRECTING


async def test_offline_the_key_says_before_the_turn_that_directions_are_not_followed(tmp_path: Path) -> None:
    async with playing(tmp_path, (80, 24)) as player:
        await player.press("f9")
        assert player.status.hint == UNDIRECTED


async def test_keys_that_go_on_make_memories_anew_or_open_an_editor_leave_the_box_alone(
    player: Player, model: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    await player.type("I was about to", "ctrl+g", "g")
    await player.turn(2)
    assert player.session.game.turns[2].player_text == "" and player.prompt.text == "I was about to"
    await player.session.edit_turn(1, set_entry_text, 0, "The lamp burns.")
    asked = model.called().count("memory:ann")
    await player.press("ctrl+g", "v")
    await until(player.pilot, lambda: player.session.game.state.edited == (), "its memories made anew")
    assert model.called().count("memory:ann") == asked + 1
    for name, told in (("", "No editor is set."), ("vi", "An editor can only be opened in a terminal.")):
        monkeypatch.setenv("EDITOR", name)
        monkeypatch.delenv("VISUAL", raising=False)
        await player.press("ctrl+g", "x")
        assert player.status.warning.startswith(told) and player.prompt.text == "I was about to"


async def test_who_is_to_join_is_shown_before_as_the_model_proposes_it_or_a_card_has_it(
    player: Player, model: Scripted, tmp_path: Path
) -> None:
    model.answers["casting"] = "The smuggler. Dry and quick."
    await opens(player.pilot, FormDialog, "ctrl+g", "q")
    await player.type("Ann Lee", "enter", "enter")
    await until(player.pilot, lambda: "already in the story" in problem(player.pilot))
    player.app.screen.query_one("#field-0", Input).value = "Mara Quist"
    await opens(player.pilot, TextDialog, "enter", "enter")
    text = player.app.screen.query_one(TextArea)
    assert (
        text.text == "The smuggler. Dry and quick."
        and "mara-quist" not in player.session.game.pack.characters
    )
    text.text = "The ferrywoman. Slow and kind."
    await player.press("ctrl+s")
    await until(player.pilot, lambda: "Mara Quist" in text_of(player.panel))
    card = player.session.game.pack.characters["mara-quist"]
    assert (card.role, card.personality) == ("The ferrywoman", "Slow and kind.")
    (tmp_path / "sera.png").write_bytes(png(text_chunk(v2(personality="Tall."))))
    await player.type(f"/cast add {tmp_path}/sera.png")
    await opens(player.pilot, TextDialog, "enter")
    about = plain(player.pilot.app.screen.query_one(".about", Static).visual)
    assert "1 greeting of Sera, for there is a first page already (2 words)" in " ".join(about.split())
    await player.press("ctrl+s")
    await until(player.pilot, lambda: "Sera" in text_of(player.panel))
    card = player.session.game.pack.characters["sera"]
    assert card.personality == "Sera guards the glade for Alex.\n\nTall."
