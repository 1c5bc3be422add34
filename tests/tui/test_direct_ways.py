"""What a chapter has more than one of, at the keyboard: drafts, takes and branches."""

from pathlib import Path

from textual.widgets import Input

from tests.support.direct_pilot import Master, app_for
from tests.support.pilot import at_home, opens, problem, until
from tests.support.said import said
from theact_tui.saves.library import Library
from theact_tui.story.direct.state import BEFORE, NOW
from theact_tui.tui.branches.compare import CompareScreen
from theact_tui.tui.branches.screen import BranchesScreen
from theact_tui.tui.widgets.dialogs import ConfirmDialog, FormDialog, ListDialog


async def the_tree(master: Master) -> BranchesScreen:
    await until(
        master.pilot,
        lambda: isinstance(master.app.screen, BranchesScreen) and master.app.screen.settled,
        "the tree",
    )
    assert isinstance(master.app.screen, BranchesScreen)
    return master.app.screen


async def ended(master: Master, prompts: int = 2) -> None:
    """A chapter of the example that was played and ended."""
    await master.lock_example()
    for n in range(prompts):
        await master.give(f"Scene {n + 1}.")
    await master.end()


async def test_d4_every_build_is_a_new_draft_and_older_ones_can_be_looked_at(master: Master) -> None:
    await ended(master)
    assert not master.can("download") and not master.can("write_on_draft")
    assert "was played" in master.chapter_page[0]
    await master.draft(1)
    voice, panel, pages = master.field("voice"), master.screen.panel, master.screen.chapter.pages
    assert not voice.display and not panel.display and pages.has_focus
    assert "^g v voice" in master.footer and "F10 build" in master.footer and "^s download" in master.footer
    await opens(master.pilot, ListDialog, "ctrl+s")
    await master.press("escape", "ctrl+g", "m")
    assert panel.display and "World and chapter" in master.said("notes")
    await master.press("escape", "ctrl+g", "v")
    assert voice.display and not panel.display and voice.has_focus
    await master.press("escape")
    assert not voice.display and pages.has_focus
    await master.type("Dry.")
    assert voice.display and voice.has_focus and master.session.game.voice == "Dry.", (
        "letters go into the voice"
    )
    await master.draft(2)
    drafts, written = master.session.game.drafts, master.chapter_page
    assert master.bar("drafts") == ["Draft 1", "Draft 2"]
    assert drafts[1].chapter_text == drafts[0].chapter_text, "offline, as is said beside the button"
    await master.press("alt+1")
    assert master.chapter_page == written and master.can("download") and master.screen.chapter.number == 1


async def test_d5_from_the_end_a_branch_and_undo_lead_back_and_both_ways_are_kept(master: Master) -> None:
    await ended(master)
    await master.press("f9")
    assert master.field("prompt").read_only and not master.can("end")
    await opens(master.pilot, FormDialog, "ctrl+g", "n")
    await master.type("again", "enter", "backspace", "²", "enter")
    await until(master.pilot, lambda: "Enter the number of a prompt." in problem(master.pilot))
    await master.press("enter", "backspace", "1", "enter")
    await master.done(lambda: master.session.save.branch == "again", "the branch")
    assert master.state == "ACTIVE" and not master.field("prompt").read_only and "again" in master.head
    await master.press("f3")
    tree = await the_tree(master)
    assert {line.branch for line in tree.branch_layout.lines} == {"main", "again"}
    await master.press("down" if tree.place.row == 0 else "up", "end", "enter")
    await master.done(lambda: master.session.save.branch == "main", "the way back to the end")
    assert master.state == "ENDED" and master.field("prompt").read_only
    await master.press("ctrl+g", "u")
    await master.done(lambda: master.state == "ACTIVE", "the undo")
    assert (master.screen.tab, master.session.session.prompt_index) == (2, 1)
    assert master.screen.status.hint.startswith("Undone: the last prompt, the end.")


async def test_d10_takes_and_branches_are_drawn_and_compared(master: Master) -> None:
    await master.lock_example()
    await master.give("Ilse, look under the bell.")
    await master.press("shift+f4")
    assert master.field("prompt").text == "Ilse, look under the bell."
    master.fill("prompt", "Ilse, look at the hinges.")
    await master.press("enter")
    await master.done(lambda: master.session.takes == (2, 2), "the other take")
    await master.press("f3")
    tree = await the_tree(master)
    told = said(tree, "#told")
    await master.press("c")
    await until(master.pilot, lambda: tree.status.hint.startswith("This is the prompt to compare with."))
    assert "PROMPT 1 · take 2 of 2" in told and "hinges" in told and "YOU ARE HERE" in said(tree, "#glance")
    await master.press("down" if tree.place.row == 0 else "up")
    await until(
        master.pilot, lambda: tree.settled and "under the bell" in said(tree, "#told"), "the other take"
    )
    await master.press("c")
    compared = master.app.screen
    assert isinstance(compared, CompareScreen)
    await until(master.pilot, lambda: compared.settled, "the comparison")
    assert "The same up to prompt 0" in said(compared, "#meaning")
    both = said(compared, "#turn-1 Static")
    assert "hinges" in both and "under the bell" in both and "ILSE MARROW" in both
    await master.press("escape", "enter")
    await master.done(lambda: master.directing, "the chapter")
    assert master.session.takes == (1, 2) and "under the bell" in " ".join(master.page)


async def test_the_next_chapter_begins_with_world_cast_and_memory(tmp_path: Path) -> None:
    app = app_for(tmp_path)
    async with app.run_test(size=(100, 30)) as pilot:
        master = Master(pilot)
        await at_home(pilot)
        await pilot.press("e")
        await until(pilot, lambda: master.directing, "the example")
        await master.lock()
        await master.give("The bell rings under the water.")
        before = master.session
        await master.press("f10", "n")
        assert master.state == "ACTIVE", "the end is asked for"
        await master.end()
        await master.type("Briny.", "ctrl+g", "c")
        await until(pilot, lambda: isinstance(app.screen, FormDialog), "the question for its name")
        assert app.screen.query_one(Input).value == f"{before.name} 2"
        await master.press("enter")
        await until(pilot, lambda: master.directing and master.session is not before, "the next chapter")
        setup = master.session.setup
        assert master.state == "DRAFT" and (setup.world, setup.agents) == (
            before.setup.world,
            before.setup.agents,
        )
        assert setup.chapter.startswith(f"{BEFORE}\n- ") and setup.chapter.endswith(f"{NOW}\n")
        assert master.session.game.voice == "Briny." and master.session.name == f"{before.name} 2"
        await master.type("At the quay.")
        assert master.session.setup.chapter.endswith(f"{NOW}\nAt the quay."), "what is left to write"
        await master.press("ctrl+g", "h")
        await until(pilot, lambda: not master.directing, "the list")
        assert len(Library(app.home.data).saves()) == 2
        await opens(pilot, ConfirmDialog, "x")
        assert said(app.screen, ".about").startswith(f"{before.name} 2, not started, will be moved")


async def test_retry_edited_is_left_by_escape_and_by_an_undo(gm: Master) -> None:
    await gm.give("The bell rings.")
    await gm.press("alt+1")
    await gm.type("Later.", "shift+f4")
    assert gm.field("prompt").text == "The bell rings." and "esc keep the old one" in gm.footer
    await gm.type("Again", "escape")
    assert gm.field("prompt").text == "Later." and gm.session.takes == (1, 1)
    assert gm.session.session.prompt_index == 1 and "The bell rings." in gm.page[0]
    await gm.press("escape")
    assert "returns to your stories" in gm.screen.status.hint
    await gm.give("It falls silent.")
    await gm.press("shift+f4", "ctrl+g", "u")
    await gm.done(lambda: gm.session.session.prompt_index == 1, "the undo")
    assert "keep the old one" not in gm.footer
    await gm.send()
    assert gm.session.session.prompt_index == 2 and "2) It falls silent." in gm.page


async def test_undo_gives_the_prompts_back_and_redo_takes_them_again(gm: Master) -> None:
    await gm.give("The bell rings.")
    await gm.give("It falls silent.")
    await gm.press("ctrl+g", "u")
    await gm.done(lambda: gm.field("prompt").text == "It falls silent.", "the prompt")
    await gm.press("ctrl+g", "u")
    await gm.done(lambda: gm.field("prompt").text == "The bell rings.", "the prompt before")
    assert gm.screen.status.hint == "Undone: the last prompt. ^g r brings it back."
    await gm.press("ctrl+g", "r")
    await gm.done(lambda: gm.session.session.prompt_index == 1, "the redo")
    await gm.press("alt+1")
    assert not gm.field("prompt").text
