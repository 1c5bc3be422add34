"""Directing a chapter with real keys on a real save: from an empty Setup to a downloaded chapter, and a reset."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from textual.screen import Screen
from textual.widgets import Button, Static, TextArea

from tests.tui.directing import Master, app_for, new_chapter, storyteller
from tests.tui.driving import at_home, still, until
from theact_tui.engine.bus import Bus
from theact_tui.engine.direct_example import example
from theact_tui.engine.direct_opening import open_direct
from theact_tui.engine.direct_store import mark
from theact_tui.saves.library import Library, SaveLine
from theact_tui.story.direct.moves import RESET_WARNING
from theact_tui.story.direct.records import Setup
from theact_tui.story.direct.transcript import DASHES
from theact_tui.tui.doors import directing
from theact_tui.tui.screens.direct import DirectScreen
from theact_tui.tui.screens.direct_asks import Consent
from theact_tui.tui.screens.direct_compare import DirectCompare
from theact_tui.tui.screens.direct_tree import DirectTree
from theact_tui.tui.screens.edits import EditsSheet
from theact_tui.tui.screens.home import HomeScreen
from theact_tui.tui.screens.sheets import Ask
from theact_tui.tui.screens.shelf import save_page, save_row
from theact_tui.tui.widgets.direct_bars import Count, fitted, panel
from theact_tui.tui.widgets.direct_cell import Cell
from theact_tui.tui.widgets.direct_scene import NOTHING


@pytest.fixture
async def master(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Master]:
    """Somebody before an empty Setup; the storyteller answers at once."""
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(tmp_path / "downloads"))
    app = app_for(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        master = Master(pilot)
        session = await new_chapter(app)
        await master.open(session)
        yield master
        await session.close()


def plain(screen: Screen[None], selector: str) -> str:
    """What a text of a screen says."""
    return str(getattr(screen.query_one(selector, Static).visual, "plain", ""))


async def confirm(master: Master) -> Consent:
    """The question that lies over the screen."""
    await until(master.pilot, lambda: isinstance(master.app.screen, Consent), "a question")
    assert isinstance(master.app.screen, Consent)
    return master.app.screen


async def the_tree(master: Master) -> DirectTree:
    """The tree of branches that lies over the screen."""
    await until(
        master.pilot,
        lambda: isinstance(master.app.screen, DirectTree) and master.app.screen.settled,
        "the tree",
    )
    assert isinstance(master.app.screen, DirectTree)
    return master.app.screen


async def ended(master: Master, prompts: int = 2) -> None:
    """A chapter of the example that was played and ended."""
    await master.press("f5")
    await master.lock()
    for n in range(prompts):
        await master.give(f"Scene {n + 1}.")
    await master.press("f8")
    await until(master.pilot, lambda: master.state == "ENDED", "the end")
    await master.settle()


# --- the whole way --------------------------------------------------------------------------------------------------


async def test_d1_three_tabs_stacked_cells_and_panels_from_setup_to_the_downloaded_chapter(
    master: Master, tmp_path: Path
) -> None:
    assert master.bar("tabs") == ["Setup", "Direct", "Chapter"] and "DRAFT" in master.head
    await master.press("f5")
    assert master.session.setup == example().setup and master.cell("world").text == example().setup.world
    await master.lock()
    assert master.bar("scene-panels") == ["1 Ilse Marrow", "2 Teodor Quill", "3 Old Wenna"]
    for n in range(8):
        await master.give(f"Scene {n + 1}. The rope slips.")
    page = master.said("told")
    assert page.count(DASHES) == 1 and page.index(DASHES) < page.index("8) Scene 8.")
    assert [block.type for block in master.session.game.blocks] == ["world_chapter_lock", "turn_delta"]
    await master.press("f8")
    await until(master.pilot, lambda: master.state == "ENDED" and master.screen.tab == 3, "the end")
    await master.settle()
    assert master.said("blocks").index("Block 1") < master.said("blocks").index("Block 3 · prompt 8")
    await master.press("f8")
    await until(master.pilot, lambda: len(master.session.game.drafts) == 1, "a draft")
    await master.settle()
    text = master.session.game.drafts[0].chapter_text
    assert master.said("prose") == text
    await master.press("f9")
    files = tmp_path / "downloads"
    await until(master.pilot, lambda: files.exists() and any(files.iterdir()), "the file")
    await master.settle()
    assert next(files.iterdir()).read_text(encoding="utf-8") == text


async def test_d1_cells_are_black_typed_text_is_white_buttons_are_blue_and_colour_is_an_outline(
    master: Master,
) -> None:
    await master.press("f5")
    await master.lock()
    screen = master.screen
    black, white, orange = (0, 0, 0), (255, 255, 255), (255, 157, 69)
    await master.press("alt+2")
    desk = screen.query_one("#desk")
    assert desk.styles.background.rgb == black and desk.styles.border_top[1].rgb == orange
    for cell in screen.query(Cell):
        assert cell.styles.background.rgb in (black, (38, 38, 38)), "black, or grey under the veil"
    assert master.cell("prompt").styles.color.rgb == white
    for id in ("end", "build", "download", "reset"):
        ground = master.button(id).styles.background
        assert ground.b > 2 * ground.r or master.button(id).disabled
    assert not master.button("end").disabled and not master.button("reset").disabled


async def test_d3_the_transcript_has_most_of_the_page_with_its_counter_on_the_right(master: Master) -> None:
    await master.press("f5")
    await master.lock()
    screen = master.screen
    heights = {id: screen.query_one(f"#{id}").size.height for id in ("transcript", "desk", "panes")}
    assert heights["transcript"] > heights["panes"] / 2 > heights["desk"]
    assert screen.query_one("#length").styles.text_align == "right"


async def test_d4_what_can_be_typed_into_is_setup_the_prompt_and_the_voice_and_no_system_prompt(
    master: Master,
) -> None:
    cells = [cell.id for cell in master.screen.query(TextArea)]
    assert cells == ["world", "scene", "name", "identity", "prompt", "voice"]


async def test_home_begins_a_chapter_and_goes_on_with_it(tmp_path: Path) -> None:
    app = app_for(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        master = Master(pilot)
        await at_home(pilot)
        await master.press("d")
        await until(pilot, lambda: isinstance(app.screen, Ask), "the question for a name")
        await master.press("enter")
        await until(pilot, lambda: master.directing, "the direct screen")
        assert master.session.name == "Chapter"
        await master.type("A city of bells.")
        await master.press("ctrl+g", "h")
        await until(pilot, lambda: isinstance(app.screen, HomeScreen), "home")
        home = await at_home(pilot)
        await until(pilot, lambda: bool(home.shelf and home.shelf.saves) and not home._busy, "the list")
        await master.press("home", "enter")
        await until(pilot, lambda: master.directing, "the chapter again")
        assert master.cell("world").text == "A city of bells."
        await master.session.close()


def test_the_list_of_stories_speaks_of_prompts_where_a_chapter_is_directed() -> None:
    save = SaveLine(name="tower", title="Tower", mode="direct", player="You", turn=3, line="The bell rings.")
    told = "\n".join(
        str(getattr(page, "plain", "")) for page in (save_row(save, still()), save_page(save, None, still()))
    )
    assert "Tower  prompt 3" in told and "prompt 3 · branch main" in told
    assert "played as" not in told and "turn" not in told and "ended" not in told
    done = replace(save, finished=True)
    assert "ended" in str(getattr(save_row(done, still()), "plain", ""))


# --- D2 Setup ---------------------------------------------------------------------------------------------------------


async def test_d2_the_5001st_character_is_refused_as_it_is_typed_and_the_counters_live(
    master: Master,
) -> None:
    world = master.cell("world")
    world.fill("x" * 4_998)
    await master.pilot.pause()
    world.move_cursor(world.document.end)
    await master.type("abc")
    assert len(world.text) == 5_000 and world.text.endswith("ab")
    assert "5,000 characters" in master.screen.show.status.warning
    assert world.border_subtitle == "5,000/5,000"
    await master.press("backspace")
    assert world.border_subtitle == "4,999/5,000" and len(master.session.setup.world) == 4_999
    world.insert("pasted at once")
    assert len(world.text) == 5_000


async def test_d2_typed_text_is_cleaned_and_never_markup(master: Master) -> None:
    master.cell("world").insert("a\x1b[31m[b]bold[/b]\x07")
    await master.pilot.pause()
    assert master.cell("world").text == master.session.setup.world == "a[b]bold[/b]"


async def test_d2_exactly_one_to_seven_agents_are_selected_and_panels_are_named(master: Master) -> None:
    count = master.screen.query_one(Count)
    count.focus()
    await master.press("left")
    assert master.session.setup.count == 1
    await master.press("7", "right", "8")
    assert master.session.setup.count == 7 and len(master.bar("setup-panels")) == 7
    await master.press("alt+7")
    assert master.cell("name").placeholder == "Agent Violet"
    master.cell("name").focus()
    await master.type("Kara")
    assert master.session.setup.name_of(7) == "Kara" and master.bar("setup-panels")[6] == "7 Kara"
    assert master.screen.query_one("#agent").has_class("-slot-7")
    count.focus()
    await master.press("2", "7", "alt+7")
    assert master.cell("name").text == "Kara"


async def test_d2_the_first_move_to_direct_asks_and_cancel_changes_nothing(master: Master) -> None:
    await master.press("f5", "ctrl+pagedown")
    await confirm(master)
    await master.press("right", "enter")
    assert master.state == "DRAFT" and master.screen.tab == 1
    await master.press("f4")
    assert master.directing and master.screen.tab == 1, "Chapter cannot be entered yet"
    await master.press("f3")
    await confirm(master)
    await master.press("escape")
    assert master.state == "DRAFT" and not master.session.session.tab1_locked
    assert not master.cell("world").read_only


async def test_d2_the_key_that_locks_is_in_the_footer_at_80_columns_too(tmp_path: Path) -> None:
    app = app_for(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        master = Master(pilot)
        await master.open(await new_chapter(app))
        assert "F3 lock and direct" in master.footer
        await master.press("f5")
        assert "F3 lock and direct" in master.footer and "F4" not in master.footer
        await master.lock()
        await master.press("f2")
        assert "lock" not in master.footer and "F3 direct" in master.footer
        await master.session.close()


async def test_d2_locked_there_is_a_veil_the_text_can_be_copied_and_nothing_changed(master: Master) -> None:
    assert not master.screen.query_one("#reset-row").display
    await master.press("f5")
    await master.lock()
    await master.press("f2")
    assert master.screen.query_one("#setup").has_class("-locked")
    await master.press("x")
    assert "Setup is locked" in master.screen.show.status.warning
    await master.press("delete")
    master.screen.query_one(Count).focus()
    await master.press("7")
    assert master.session.setup == example().setup and master.cell("world").text == example().setup.world
    master.cell("world").focus()
    await master.press("shift+right", "shift+right")
    assert master.cell("world").selected_text == example().setup.world[:2]
    assert master.screen.query_one("#reset-row").display


async def test_d2_reset_warns_in_a_sentence_with_exactly_confirm_and_cancel(master: Master) -> None:
    await master.press("f5")
    await master.lock()
    await master.give("Scene 1.")
    old = master.session.session.session_id
    await master.press("f2", "f12")
    question = await confirm(master)
    assert RESET_WARNING in [str(line.visual) for line in question.query(Static)]
    assert [str(button.label) for button in question.query(Button)] == ["Confirm", "Cancel"]
    await master.press("enter")
    assert master.session.session.session_id == old and master.session.session.prompt_index == 1
    await master.press("f12")
    await confirm(master)
    await master.press("left", "enter")
    await until(master.pilot, lambda: master.state == "DRAFT", "the reset")
    await master.settle()
    assert master.session.session.session_id != old and master.session.setup == Setup()
    assert master.screen.tab == 1 and not master.screen.query_one("#reset-row").display
    assert [master.cell(id).text for id in ("world", "scene", "name", "identity", "prompt", "voice")] == [
        ""
    ] * 6
    assert master.said("told") == NOTHING and master.said("blocks") == master.said("prose") == ""
    assert any(name.startswith("tower-") for name in Library(master.app.home.data).names())


# --- D4 Chapter ---------------------------------------------------------------------------------------------------------


async def test_d4_every_build_is_a_new_draft_and_older_ones_can_be_looked_at(master: Master) -> None:
    await ended(master)
    assert master.button("download").disabled and "no voice is heeded" in master.said("hint")
    await master.press("f8")
    await until(master.pilot, lambda: len(master.session.game.drafts) == 1, "a draft")
    await master.settle()
    assert master.app.focused is master.screen.query_one("#pages")
    await master.type("Write it in the first person.")
    assert master.app.focused is master.cell("voice")
    assert master.session.game.voice == "Write it in the first person."
    await master.press("f8")
    await until(master.pilot, lambda: len(master.session.game.drafts) == 2, "another draft")
    await master.settle()
    drafts = master.session.game.drafts
    assert master.bar("drafts") == ["Draft 1", "Draft 2"] and master.said("prose") == drafts[1].chapter_text
    await master.press("alt+1")
    assert master.said("prose") == drafts[0].chapter_text and not master.button("download").disabled


async def test_d4_the_voice_takes_5000_characters_and_build_waits_for_the_end(master: Master) -> None:
    await master.press("f5")
    await master.lock()
    await master.press("f4")
    assert master.button("build").disabled and "ended" in master.said("hint")
    voice = master.cell("voice")
    voice.insert("v" * 5_001)
    await master.pilot.pause()
    assert len(master.session.game.voice) == 5_000 and voice.border_subtitle == "5,000/5,000"


# --- D5, D10 ---------------------------------------------------------------------------------------------------------


async def test_d5_from_the_end_only_a_branch_leads_back_and_both_ways_are_kept(master: Master) -> None:
    await ended(master)
    await master.press("f3")
    assert master.cell("prompt").read_only and master.button("end").disabled
    await master.press("ctrl+g", "n")
    await until(master.pilot, lambda: isinstance(master.app.screen, Ask), "the question")
    await master.type("again")
    await master.press("enter", "backspace", "1", "enter")
    await until(master.pilot, lambda: master.session.save.branch == "again", "the branch")
    await master.settle()
    assert master.state == "ACTIVE" and not master.cell("prompt").read_only and "again" in master.head
    await master.press("ctrl+g", "g")
    tree = await the_tree(master)
    assert {line.branch for line in tree.forest.lines} == {"main", "again"}
    await master.press("down" if tree.place.row == 0 else "up", "end", "enter")
    await until(master.pilot, lambda: master.session.save.branch == "main", "the way back to the end")
    await master.settle()
    assert master.state == "ENDED" and master.cell("prompt").read_only


async def test_d10_takes_and_branches_are_drawn_and_compared(master: Master) -> None:
    await master.press("f5")
    await master.lock()
    await master.give("Ilse, look under the bell.")
    await master.press("shift+f5")
    await until(master.pilot, lambda: master.session.session.prompt_index == 0, "the way back")
    await master.settle()
    await master.give("Ilse, look at the hinges.")
    assert master.session.takes == (2, 2)
    await master.press("ctrl+g", "g")
    tree = await the_tree(master)
    told = plain(tree, "#told")
    assert "PROMPT 1 · take 2 of 2" in told and "hinges" in told and "YOU ARE HERE" in plain(tree, "#glance")
    await master.press("down" if tree.place.row == 0 else "up")
    await until(
        master.pilot, lambda: tree.settled and "under the bell" in plain(tree, "#told"), "the other take"
    )
    await master.press("c")
    compared = master.app.screen
    assert isinstance(compared, DirectCompare)
    await until(master.pilot, lambda: compared.settled, "the comparison")
    assert "They part after prompt 0" in plain(compared, "#meaning")
    both = plain(compared, "#turn-1")
    assert "hinges" in both and "under the bell" in both and "Ilse Marrow" in both
    await master.press("escape", "enter")
    await until(master.pilot, lambda: master.directing, "the chapter")
    await master.settle()
    assert master.session.takes == (1, 2) and "under the bell" in master.said("told")


async def test_d10_undo_takes_the_last_prompt_back(master: Master) -> None:
    await master.press("f5")
    await master.lock()
    await master.give("Scene 1.")
    await master.press("ctrl+g", "u")
    await until(master.pilot, lambda: master.session.session.prompt_index == 0, "the way back")
    await master.settle()
    assert master.said("told") == NOTHING and master.slot == 1 and master.said("length") == "0/60,000"
    assert isinstance(master.app.screen, DirectScreen)


async def test_d2_the_example_is_one_key_away_from_the_list_of_stories(tmp_path: Path) -> None:
    app = app_for(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await at_home(pilot)
        master = Master(pilot)
        await pilot.press("e")
        await until(pilot, lambda: master.directing, "the example")
        assert master.session.setup == example().setup and master.session.name == example().title
        assert master.state == "DRAFT"


def test_d1_seven_panels_keep_telling_names_in_a_small_terminal() -> None:
    names = ("Ilse Marrow", "Teodor Quill", "Agent Yellow", "Jo", "Old Wenna", "Agent Indigo", "Agent Violet")
    panels = [panel(n, name) for n, name in enumerate(names, 1)]
    assert fitted(panels, 200) == [f"{n} {name}" for n, name in enumerate(names, 1)]
    assert fitted(panels, 53) == [
        "1 Ilse", "2 Teodor", "3 Yellow", "4 Jo", "5 Old Wenna", "6 Indigo", "7 Violet"
    ]  # fmt: skip
    tight = fitted(panels, 45)
    assert sum(map(len, tight)) <= 45 and tight[0] == "1 Ilse" and tight[3] == "4 Jo"


async def test_s9_files_changed_by_hand_are_offered_when_the_chapter_is_opened(tmp_path: Path) -> None:
    app = app_for(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        master = Master(pilot)
        session = await new_chapter(app)
        await session.lock()
        (session.save.folder / "voice.yaml").write_text("text: First person.\n", encoding="utf-8")
        folder = session.save.folder
        await session.close()
        again = await open_direct(folder, storyteller(), Bus(still))
        await app.push_screen(directing(again, app))
        await until(pilot, lambda: isinstance(app.screen, EditsSheet), "the question")
        await pilot.pause()
        await until(pilot, lambda: app.screen.check_action("adopt", ()) is True, "what was changed")
        await pilot.press("a")
        await until(
            pilot, lambda: master.directing and master.cell("voice").text == "First person.", "the voice"
        )
        await again.close()


async def test_d5_what_was_recovered_on_opening_is_said(tmp_path: Path) -> None:
    app = app_for(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        session = await new_chapter(app)
        await session.lock()
        await session.run(mark, session.save, "SUMMARIZING")
        folder = session.save.folder
        await session.close()
        again = await open_direct(folder, storyteller(), Bus(still))
        await app.push_screen(directing(again, app))
        said = "The program stopped while a summary was being written"
        await until(pilot, lambda: any(said in note.message for note in app._notifications), "the notice")
        assert again.session.state == "ACTIVE"
        await again.close()
