"""S15: lore is read, changed and added in the app, of a story that is played and of a pack that is written."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.support.fake_model import small_pack
from tests.support.pictures import SMALL, USUAL, Picture
from tests.support.pilot import at_home, make_app, opens, playing, problem, running, until
from tests.tui.test_write import at_desk
from theact_tui.authoring.draft import Draft
from theact_tui.packs.library import create_pack
from theact_tui.packs.loader import check_pack
from theact_tui.paths import Home
from theact_tui.saves.codec import GAMES
from theact_tui.story.lore import LoreEntry
from theact_tui.story.pack import Pack
from theact_tui.tui.inspector.screen import InspectorScreen
from theact_tui.tui.widgets.dialogs import ConfirmDialog, ListDialog
from theact_tui.tui.widgets.inputs import ChoiceField, LineField, TextField
from theact_tui.tui.widgets.lore_dialog import LoreDialog

SPRING = LoreEntry(
    id="spring",
    title="The spring",
    text="It takes names.",
    keys=("spring",),
    all_of=("oak",),
    known_by=("ann", "narrator"),
)


async def fill(pilot: Pilot[None], text: str = "", **lines: str) -> None:
    for name, value in lines.items():
        place = ("title", "keys", "known_by").index(name)
        pilot.app.screen.query_one(f"#field-{place}", LineField).value = value
    if text:
        pilot.app.screen.query_one(TextField).text = text
    await pilot.press("ctrl+s")


def with_spring() -> Pack:
    return small_pack().model_copy(update={"lore": {"valley": (SPRING,)}})


async def test_in_a_story_an_entry_is_changed_and_another_added(tmp_path: Path) -> None:
    async with playing(tmp_path, (80, 24), pack=with_spring()) as player:
        pilot = player.pilot
        await opens(pilot, InspectorScreen, "f2")
        await opens(pilot, ListDialog, "l")
        await opens(pilot, LoreDialog, "enter")
        await fill(pilot, "It gives names.", known_by="Bob, zoe")
        assert problem(pilot) == "Nobody is called 'zoe'. Known: everyone, narrator, Ann Lee, Bob."
        await fill(pilot, known_by="Bob, ann lee")
        await opens(pilot, ListDialog)
        changed = SPRING.model_copy(
            update={"text": "It gives names.", "known_by": ("bob", "ann", "narrator")}
        )
        assert player.session.game.pack.lore["valley"] == (changed,), "what the form does not ask stays"
        await opens(pilot, LoreDialog, "down", "enter")
        await fill(pilot, "A bell without a clapper.")
        assert "Keys are missing" in problem(pilot)
        await fill(pilot, title="The bell", keys="bell, ring*, bell")
        await opens(pilot, ListDialog)
        (bell,) = player.session.game.pack.lore["added"]
        assert (bell.id, bell.keys, bell.known_by, bell.enabled) == (
            "the-bell",
            ("bell", "ring*"),
            ("everyone",),
            True,
        )
        await opens(pilot, LoreDialog, "enter")
        player.app.screen.query_one(ChoiceField).at = 2
        await fill(pilot)
        await opens(pilot, ListDialog)
        await opens(pilot, InspectorScreen, "escape")
        saved = await player.session.run(lambda: GAMES.read(player.session.save.files()))
        assert [entry.enabled for entry in saved.pack.lore["added"]] == [False]


async def test_in_a_draft_it_is_changed_in_its_file_and_remarks_stay(tmp_path: Path) -> None:
    home = Home.find(tmp_path).create()
    folder = create_pack(home.packs, "mine")
    book = folder / "lore" / "valley.yaml"
    book.parent.mkdir(exist_ok=True)
    book.write_text(
        "# what the valley hides\n- id: oak\n  text: Old.  # older than the inn\n  keys: [oak]\n", "utf-8"
    )
    draft = Draft.of_pack(home, folder, "mine")
    async with at_desk(tmp_path, lambda home: draft, size=(80, 24)) as writer:
        pilot = writer.pilot
        await opens(pilot, ListDialog, "l")
        ids = [entry.id for entry in draft.lore()]
        await opens(pilot, LoreDialog, "home", *["down"] * ids.index("oak"), "enter")
        await fill(pilot, keys="oak, tree")
        await opens(pilot, ListDialog)
        await opens(pilot, LoreDialog, "end", "enter")
        await opens(
            pilot, ListDialog, "enter", *"bell", "enter", "enter", "enter", "N", "o", "enter", "n", "ctrl+s"
        )
        await pilot.press("escape")
        text = (draft.folder / "lore" / "valley.yaml").read_text("utf-8")
        assert "# what the valley hides" in text
        lore = {entry.id: entry for entry in draft.lore()}
        assert lore["oak"].keys == ("oak", "tree") and lore["bell"].text == "No\nn"
        assert not [finding for finding in check_pack(draft.folder) if finding.level == "error"]


async def test_in_a_draft_an_entry_is_deleted_and_what_was_typed_is_not_lost_unasked(tmp_path: Path) -> None:
    draft = Draft.begin(Home.find(tmp_path).create(), "A lamp.", "lamp")
    draft.put_lore(LoreEntry(id="oak", title="The oak", text="Old.", keys=("oak",)))
    draft.put_lore(LoreEntry(id="bell", title="The bell", text="Loud.", keys=("bell",), known_by=("tim",)))
    (told,) = [each for each in draft.findings() if each.field.endswith("known_by")]
    assert "'tim'" in told.message and "(in 'The bell')" in told.message
    async with at_desk(tmp_path, lambda home: draft, size=(80, 24)) as writer:
        pilot = writer.pilot
        await writer.screen._show("elsewhere")
        await opens(pilot, ListDialog, "l")
        await opens(pilot, LoreDialog, "enter")
        await pilot.press("!")
        for way_out in ("escape", "ctrl+q"):
            await opens(pilot, ConfirmDialog, way_out)
            await opens(pilot, LoreDialog, "n")
        await opens(pilot, ConfirmDialog, "escape")
        await opens(pilot, ListDialog, "y")
        await opens(pilot, ConfirmDialog, "down", "x")
        await opens(pilot, ListDialog, "y")
        await pilot.press("escape")
        await until(pilot, lambda: writer.screen.part is not None, "a part")
        assert [entry.id for entry in draft.lore()] == ["oak"]


async def test_the_form_fits_a_small_window_and_a_name_with_a_comma_is_that_of_one_person(
    tmp_path: Path,
) -> None:
    app = make_app(tmp_path)
    async with running(app, (60, 16)) as pilot:
        answers: list[LoreEntry | None] = []
        app.push_screen(LoreDialog(SPRING, {"ann": "Lee, Ann"}, ["spring"]), answers.append)
        await opens(pilot, LoreDialog)
        box = app.screen.query_one("LoreDialog > Vertical")
        assert box.region.bottom <= 16 and box.region.right <= 60
        form = app.screen.query_one(TextField)
        form.focus()
        await pilot.pause()
        assert form.region.height >= 3
        await fill(pilot, "It gives names.")
        await pilot.pause()
        assert answers == [SPRING.model_copy(update={"text": "It gives names."})]


@pytest.mark.parametrize(
    ("theme", "size"), [("terminal", SMALL), ("", USUAL)], ids=["terminal-80x24", "-120x40"]
)
def test_the_form_looks_so(picture: Picture) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await at_home(pilot)
        pilot.app.push_screen(LoreDialog(SPRING, {"ann": "Ann Lee"}, ["spring"]))
        await opens(pilot, LoreDialog)

    picture(before)
