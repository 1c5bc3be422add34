"""Directing a chapter with real keys on a real save: from the list of stories to a downloaded chapter, and back."""

from dataclasses import replace
from pathlib import Path

from textual.widgets import TextArea

from tests.support.direct_pilot import Master, app_for, new_chapter, storyteller
from tests.support.pilot import at_home, opens, still, until
from tests.support.said import plain, said
from theact_tui.engine.bus import Bus
from theact_tui.engine.direct.example import example
from theact_tui.engine.open_sessions import open_direct
from theact_tui.saves.listing import SaveEntry
from theact_tui.sentences import curly_quotes
from theact_tui.story.direct.transcript import DASHES
from theact_tui.tui.direct.fields import LimitedField, character_choices, fitted
from theact_tui.tui.direct.presenter import SUMMARISED
from theact_tui.tui.direct.screen import DirectScreen
from theact_tui.tui.home.pages import save_page, save_row
from theact_tui.tui.home.screen import HomeScreen
from theact_tui.tui.widgets.dialogs import FormDialog, ListDialog
from theact_tui.tui.widgets.menus import LeaderMenu


async def test_d1_three_tabs_and_stacked_fields_from_setup_to_the_downloaded_chapter(
    master: Master, tmp_path: Path
) -> None:
    assert master.bar("tabs") == ["Setup", "Direct", "Chapter"] and "not locked yet" in master.head
    fields = [field.id for field in master.screen.query(TextArea)]
    assert fields == ["world", "scene", "name", "identity", "voice", "writing"], "and no system prompt"
    await master.press("f10")
    assert master.session.setup == example().setup and master.field("world").text == example().setup.world
    await master.lock()
    assert master.bar("characters") == ["1 Ilse Marrow", "2 Teodor Quill", "3 Old Wenna"]
    for n in range(8):
        await master.give(f"Scene {n + 1}. The rope slips.")
    assert {"ILSE MARROW", "TEODOR QUILL", "OLD WENNA"} <= set(master.page)
    page = master.page
    assert page.count(SUMMARISED) == 1
    assert page.index(SUMMARISED) + 1 == page.index("8) Scene 8. The rope slips.")
    assert DASHES in master.copied and SUMMARISED not in master.copied
    assert "Prompts 1 to 7" in master.said("notes") and "to prompt 7" in master.said("notes")
    assert [block.type for block in master.session.game.blocks] == ["world_chapter_lock", "turn_delta"]
    await master.end()
    notes = master.said("notes")
    assert notes.index("World and chapter") < notes.index("Prompts 1 to 7") < notes.index("Prompt 8")
    await master.draft(1)
    text = master.session.game.drafts[0].chapter_text
    assert [part.casefold() for part in master.chapter_page] == [
        part.casefold() for part in curly_quotes(text).split("\n\n")
    ]
    blocks = master.screen.chapter.pages.window.turns[0].blocks
    name = next(block.text for block in blocks if block.text.plain == "ILSE MARROW")
    assert "\n\nIlse Marrow\n\n" in text and name.spans[0].style == ".slot-1"
    files = master.app.home.data / "exports"
    for format, row in (("txt", 3), ("md", 2)):
        await opens(master.pilot, ListDialog, "ctrl+g", "d")
        await master.press("home", *["down"] * row, "enter")
        await until(master.pilot, lambda end=format: any(files.glob(f"*.{end}")), "the file")  # type: ignore[misc]
        await master.settle()
    assert next(files.glob("*.txt")).read_text(encoding="utf-8") == text
    book = next(files.glob("*.md")).read_text(encoding="utf-8")
    assert text.split()[0] in book and "As it was played" not in book
    await opens(master.pilot, LeaderMenu, "ctrl+g")
    letters = said(master.app.screen)
    assert "DRAFTS" in letters and "1 draft 1" in letters
    await master.press("escape", "f9")
    await opens(master.pilot, LeaderMenu, "ctrl+g")
    letters = said(master.app.screen)
    assert "CHARACTERS" in letters and "2 Teodor Quill" in letters


async def test_d1_on_the_stage_fields_are_black_typed_text_is_white_and_colour_is_an_edge(
    master: Master,
) -> None:
    await master.lock_example()
    screen = master.screen
    master.app.theme = "stage"
    await master.pilot.pause()
    black, white, orange = (0, 0, 0), (255, 255, 255), (255, 157, 69)
    assert screen.transcript.styles.background.rgb == black
    await master.press("f9", "alt+2")
    assert screen.query_one("#character").styles.border_left[1].rgb == orange
    await master.press("f9")
    for field in screen.query(LimitedField):
        assert field.styles.background.rgb in (black, (38, 38, 38)), "black, or grey under the veil"
    assert master.field("prompt").styles.color.rgb == white
    assert "F10 end" in master.footer and not screen.query("Button"), "actions are keys"


def test_d1_seven_characters_keep_telling_names_in_a_small_terminal() -> None:
    names = ("Ilse Marrow", "Teodor Quill", "Agent Yellow", "Jo", "Old Wenna", "Agent Indigo", "Agent Violet")
    panels = character_choices(dict(enumerate(names, 1)))
    assert fitted(panels, 200) == [f"{n} {name}" for n, name in enumerate(names, 1)]
    assert fitted(panels, 53) == [
        "1 Ilse", "2 Teodor", "3 Yellow", "4 Jo", "5 Old Wenna", "6 Indigo", "7 Violet"
    ]  # fmt: skip
    tight = fitted(panels, 45)
    assert sum(map(len, tight)) <= 45 and tight[0] == "1 Ilse" and tight[3] == "4 Jo"
    assert fitted(character_choices({1: "Brother Anselm", 2: "Brother Paul"}), 25) == ["1 Anselm", "2 Paul"]


async def test_home_begins_a_chapter_and_goes_on_with_it(tmp_path: Path) -> None:
    app = app_for(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        master = Master(pilot)
        await at_home(pilot)
        await opens(pilot, FormDialog, "d")
        await master.press("enter")
        await until(pilot, lambda: master.directing, "the direct screen")
        assert master.session.name == "Chapter"
        await master.type("A city of bells.")
        await opens(pilot, HomeScreen, "ctrl+g", "h")
        home = await at_home(pilot)
        await until(pilot, lambda: bool(home.listing and home.listing.saves) and not home.opening, "the list")
        await master.press("home", "enter")
        await until(pilot, lambda: master.directing, "the chapter again")
        assert master.field("world").text == "A city of bells."
        await master.session.close()


def test_the_list_of_stories_speaks_of_prompts_where_a_chapter_is_directed() -> None:
    save = SaveEntry(name="tower", title="Tower", mode="direct", player="You", turn=3, line="The bell rings.")
    told = "\n".join(plain(page) for page in (save_row(save, still()), save_page(save, None, still())))
    assert "Tower  prompt 3" in told and "prompt 3 · branch main" in told
    assert "played as" not in told and "turn" not in told and "ended" not in told
    done = replace(save, finished=True)
    assert "ended" in plain(save_row(done, still()))


async def test_d5_what_was_recovered_on_opening_is_said(tmp_path: Path) -> None:
    app = app_for(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        session = await new_chapter(app)
        await session.lock()
        await session.run(session.save.unfinished.mark, "SUMMARIZING")
        folder = session.save.folder
        await session.close()
        again = await open_direct(folder, storyteller(), Bus(still))
        await app.push_screen(DirectScreen(again, open_screen=str, cursor_blink=False))
        said = "The program stopped while notes were being taken"
        await until(pilot, lambda: any(said in note.message for note in app._notifications), "the notice")
        assert again.session.state == "ACTIVE"
        await again.close()
