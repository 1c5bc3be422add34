"""Setup at the keyboard: what it takes and refuses, the lock that asks first, and the reset."""

import pytest
from textual.widgets import Static

from tests.support.direct_pilot import Master
from tests.support.pilot import until
from theact_tui.engine.direct.example import example
from theact_tui.saves.library import Library
from theact_tui.story.direct.records import Setup
from theact_tui.story.direct.state import RESET_WARNING, fill_setup, set_count
from theact_tui.tui.direct import screen
from theact_tui.tui.direct.fields import CharacterCount
from theact_tui.tui.direct.presenter import NOTHING
from theact_tui.tui.widgets.dialogs import ConfirmDialog
from theact_tui.tui.widgets.footer import DialogFooter


async def confirm(master: Master) -> ConfirmDialog:
    await until(master.pilot, lambda: isinstance(master.app.screen, ConfirmDialog), "a question")
    assert isinstance(master.app.screen, ConfirmDialog)
    return master.app.screen


async def test_d2_the_5001st_character_is_refused_and_a_length_is_said_where_one_types_or_room_is_scarce(
    master: Master,
) -> None:
    world, scene = master.field("world"), master.field("scene")

    def lengths() -> list[str]:
        return [str(field.border_subtitle or "") for field in (world, scene)]

    world.focus()
    await master.settle()
    assert lengths() == ["0 of 5,000 characters", ""]
    world.text = "x" * 4_998
    await master.pilot.pause()
    world.move_cursor(world.document.end)
    await master.type("abc")
    assert len(world.text) == 5_000 and world.text.endswith("ab")
    assert "5,000 characters" in master.screen.status.warning
    await master.press("backspace")
    assert len(master.session.setup.world) == 4_999
    scene.text = "x" * 4_001
    await master.settle()
    assert lengths() == ["4,999 of 5,000 characters", "4,001 of 5,000 characters"]
    world.insert("pasted at once")
    assert len(world.text) == 5_000
    world.text = ""
    scene.focus()
    await master.settle()
    assert lengths() == ["", "4,001 of 5,000 characters"]


async def test_d2_exactly_one_to_seven_agents_are_selected_and_named(master: Master) -> None:
    count = master.screen.query_one(CharacterCount)
    count.focus()
    await master.press("left")
    assert master.session.setup.count == 1
    count.action_step(1)
    count.action_step(1)
    await master.settle()
    assert master.session.setup.count == 3, "keys that come quickly count, each of them"
    await master.press("7", "right", "8")
    assert master.session.setup.count == 7 and len(master.bar("setup-characters")) == 7
    await master.press("alt+7")
    assert master.field("name").placeholder == "Agent Violet"
    master.field("name").focus()
    await master.type("Kara")
    assert master.session.setup.name_of(7) == "Kara" and master.bar("setup-characters")[6] == "7 Kara"
    assert master.screen.query_one("#character").has_class("-slot-7")
    count.focus()
    await master.press("2", "7", "alt+7")
    assert master.field("name").text == "Kara"
    master.field("world").focus()
    await master.press("alt+2")
    await master.type("Bo")
    assert master.session.setup.name_of(2) == "Bo" and master.field("world").text == ""


async def test_d2_the_first_move_to_direct_asks_names_what_is_empty_and_cancel_changes_nothing(
    master: Master,
) -> None:
    async def asked() -> str:
        return "".join(str(line.visual) for line in (await confirm(master)).query(Static))

    await master.type("A frozen monastery.")
    master.screen.query_one(CharacterCount).focus()
    await master.press("2", "f9")
    assert "Nothing is written for: the scene, Agent Red, Agent Orange." in await asked()
    await master.press("n")
    master.session.edit(fill_setup, example().setup)
    master.screen.refill()
    await master.press("ctrl+pagedown")
    assert "Nothing is written" not in await asked()
    await master.press("n")
    assert master.state == "DRAFT" and master.screen.tab == 1
    await master.press("f2")
    assert master.directing and master.screen.tab == 1, "Chapter cannot be entered yet"
    await master.press("f9")
    await confirm(master)
    await master.press("escape")
    assert master.state == "DRAFT" and not master.session.session.tab1_locked
    assert not master.field("world").read_only


async def test_d2_locked_text_can_be_copied_and_only_a_reset_that_warns_changes_it(master: Master) -> None:
    assert not master.can("reset")
    await master.lock_example()
    await master.give("Scene 1.")
    await master.press("f9")
    assert master.screen.query_one("#setup").has_class("-locked")
    await master.press("x")
    assert "Setup is locked" in master.screen.status.warning
    await master.press("delete")
    master.screen.query_one(CharacterCount).focus()
    await master.press("7")
    assert master.session.setup == example().setup and master.field("world").text == example().setup.world
    master.field("world").focus()
    await master.press("shift+right", "shift+right")
    assert master.field("world").selected_text == example().setup.world[:2]
    assert master.can("reset") and "F12 reset" in master.footer
    old = master.session.session.session_id
    await master.press("f12")
    question = await confirm(master)
    assert RESET_WARNING in [str(line.visual) for line in question.query(Static)]
    assert str(question.query_one(DialogFooter).visual) == "y confirm   n cancel"
    await master.press("enter", "n")
    assert master.session.session.session_id == old and master.session.session.prompt_index == 1
    await master.press("f12")
    await confirm(master)
    await master.press("y")
    await master.done(lambda: master.state == "DRAFT" and master.screen.tab == 1, "the reset")
    assert master.session.session.session_id != old and master.session.setup == Setup()
    assert master.screen.tab == 1 and not master.can("reset")
    assert [master.field(id).text for id in ("world", "scene", "name", "identity", "prompt", "voice")] == [
        ""
    ] * 6
    assert master.page == [NOTHING] and not master.screen.chapter.text and not master.session.game.blocks
    assert any(name.startswith("tower-") for name in Library(master.app.home.data).names())


async def test_d10_what_is_typed_into_setup_is_in_the_save_when_its_panel_is_left_and_soon_after_the_last_key(
    master: Master, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = master.session.folder / "setup.yaml"
    monkeypatch.setattr(screen, "KEEP_SECONDS", 600)
    master.session.edit(set_count, 2)
    master.screen.refill()
    master.field("name").focus()
    await until(master.pilot, lambda: "count: 2" in saved.read_text(), "what was there before")
    await master.type("Kara", "f8")
    await until(master.pilot, lambda: "Kara" in saved.read_text(), "the name that was left")
    monkeypatch.setattr(screen, "KEEP_SECONDS", 0.01)
    await master.type("Bo")
    await until(master.pilot, lambda: "Bo" in saved.read_text(), "the name in the open panel")
