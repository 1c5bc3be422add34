"""The Write screen (S18): a story made by hand, by a model, changed, tried and made a pack, with the checks beside it."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import cast

import pytest
from textual.widgets import Static

from tests.authoring.telling import CONCEPT, STYLES, told_for
from tests.support.fake_model import Scripted, sent
from tests.support.fake_server import Request as Sent
from tests.support.pilot import Hands, at_home, make_app, opens, problem, running, until
from tests.support.said import plain
from theact_tui.authoring.draft import Draft, drafts_of
from theact_tui.engine.session import ModelsFor
from theact_tui.errors import CallError
from theact_tui.models.model import Request
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.paths import Home
from theact_tui.tui.play.screen import PlayScreen
from theact_tui.tui.widgets.inputs import ChoiceField
from theact_tui.tui.write.dialogs import PromptsDialog, TalkDialog
from theact_tui.tui.write.form import FieldBox
from theact_tui.tui.write.screen import WriteScreen


class Writer(Hands[WriteScreen]):
    """Somebody at the keyboard of the Write screen."""

    kind = WriteScreen

    async def open(self, draft: Draft) -> None:
        screen = WriteScreen(draft, self.app.services, self.app.play)
        self.app.push_screen(screen)
        await until(
            self.pilot,
            lambda: bool(screen.is_mounted and screen.form.boxes and screen.status.hint),
            "the form",
        )

    def box(self, field: str) -> FieldBox:
        return next(box for box in self.screen.form.boxes if box.question.field == field)

    def about(self, field: str) -> str:
        return str(self.box(field).query_one(".about", Static).render())

    def is_told(self, field: str, words: str) -> bool:
        """They stand beside a field."""
        return words in self.about(field)

    def is_fine(self, field: str, words: str) -> bool:
        """They do not stand beside it any more, and nothing is warned of."""
        return not self.is_told(field, words) and not self.screen.status.warning

    async def go(self, key: str) -> None:
        self.screen.parts.highlighted = [option.id for option in self.screen.parts.options].index(key)
        await until(self.pilot, lambda: self.screen._key == key and self.fresh(key), key)

    def fresh(self, key: str) -> bool:
        part = self.screen.part
        return part is not None and part.key == key and len(self.screen.form.boxes) > 3

    async def fill(self, field: str, text: str) -> None:
        """Replace an answer and let it be kept."""
        box = self.box(field).box
        box.focus()
        await self.press("end", "ctrl+u")
        await self.type(text)
        await self.pilot.pause()

    async def done(self, key: str) -> None:
        """Wait until a part holds what it needs, and no model is at work."""
        screen = self.screen
        await until(
            self.pilot, lambda: bool(screen.state and key in screen.state.done and not screen.is_writing), key
        )

    async def said(self, words: str) -> None:
        await until(
            self.pilot, lambda: words in f"{self.screen.status.warning} {self.screen.status.hint}", words
        )


@asynccontextmanager
async def at_desk(
    root: Path,
    draft: Callable[[Home], Draft],
    model: Scripted | None = None,
    size: tuple[int, int] = (120, 40),
) -> AsyncIterator[Writer]:
    """Somebody who has opened a draft in a home of its own; `model` writes for them."""
    choose: ModelsFor | None = (lambda pack, seed: model) if model else None
    app = make_app(root, models=choose)
    async with running(app, size) as pilot:
        writer = Writer(pilot)
        await writer.open(draft(app.home))
        yield writer


def changing(pack: Path) -> Callable[[Home], Draft]:
    return lambda home: Draft.of_pack(home, pack, pack.name)


def lamp(home: Home) -> Draft:
    """The draft of a story of which there is only its premise."""
    return Draft.begin(home, "A lamp is lit.", "lamp", characters=2, chapters=2)


@pytest.fixture(scope="module")
def island(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pack to be changed, without the storyteller's material, which other files must fit."""
    folder = tmp_path_factory.mktemp("island") / "lost-island"
    shutil.copytree(shipped_folder() / "lost-island", folder)
    (folder / "storyteller.yaml").unlink()
    return folder


@pytest.fixture
async def writer(tmp_path: Path, island: Path) -> AsyncIterator[Writer]:
    """Somebody who has opened the island to change it."""
    async with at_desk(tmp_path, changing(island), size=(140, 40)) as writer:
        yield writer


async def test_keys_in_fields_and_a_trial_that_begins_at_the_chapter_under_the_cursor(
    writer: Writer, tmp_path: Path
) -> None:
    box = writer.screen.form.query(ChoiceField).first()
    box.focus()
    was = box.value
    await writer.press("t", "w", "space")
    assert box.value != was
    assert writer.app.screen is writer.screen and writer.app.focused is box, (
        "a letter is no key of the screen"
    )
    writer.box("keeper").box.focus()
    await writer.press("enter")
    assert writer.app.focused is writer.box("memory").box, "enter goes on"
    await writer.press("escape")
    await writer.go("chapter:03-the-beacon")
    await opens(writer.pilot, PlayScreen, "t")
    assert cast(PlayScreen, writer.app.screen).session.game.state.chapter == "03-the-beacon"
    await writer.press("ctrl+q")
    await until(writer.pilot, lambda: not writer.app.is_running, "the end")
    assert not list((tmp_path / "saves").iterdir()) and list((tmp_path / "trash").iterdir())


def author(style: str = "as asked") -> Scripted:
    """A model that writes the story of the lamp."""

    def answer(ask: Request) -> str:
        request = Sent("POST", "/", {"x-agent": ask.key}, {"messages": [{"content": sent(ask)}]})
        return STYLES[style](told_for(request))

    kinds = ("concept", "setting", "character", "chapter", "repair")
    return Scripted(answers={f"author:{kind}": answer for kind in kinds})


async def test_by_the_keyboard_alone_a_story_is_made_and_played(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with running(app, (80, 24)) as pilot:
        writer = Writer(pilot)
        await writer.press("w", "enter")
        await writer.type("A lamp", "enter")
        await until(
            pilot, lambda: isinstance(app.screen, WriteScreen) and bool(app.screen.form.boxes), "the form"
        )
        assert writer.box("title").text == writer.box(
            "description"
        ).text == "A lamp" and "required" not in writer.about("characters")
        await writer.press("enter")
        assert app.focused is writer.box("characters").box
        await writer.press("shift+tab", "shift+tab")
        for answer, tabs in (("Wren", 2), ("Ada Brook: ferrywoman", 1), ("The Light: it burns", 0)):
            await writer.type(answer)
            await writer.press(*["tab"] * tabs)
        focused = app.focused
        await writer.press(*["tab"] * len(writer.screen.form.boxes))
        assert app.focused is focused, "tab never leaves the fields"
        await writer.press("escape")
        await until(pilot, lambda: len(writer.screen.parts.options) == 4, "the parts")
        filled = {
            "setting:": {"setting": "A rock with a lamp on it."},
            "character:ada": {"personality": "Talks of the weather."},
            "chapter:01-the-light": {"beats": "The lamp is lit", "completion": "It is lit."},
        }
        for key, answers in filled.items():
            await writer.go(key)
            for field, text in answers.items():
                await writer.fill(field, text)
            await writer.press("escape")
            await writer.done(key)
        await opens(pilot, PlayScreen, "t")
        story = cast(PlayScreen, app.screen).session
        await until(pilot, lambda: story.game.state.turn == 1 and story.phase == "idle", "its first page")
        assert cast(PlayScreen, app.screen).status.facts == ("trial: ^g h goes back to writing",)
        await writer.type("/quit", "enter")
        await writer.said("in the trash")
        assert not list((tmp_path / "saves").iterdir()), "a trial does not stay among the stories"
        await writer.press("w")
        await until(pilot, lambda: (tmp_path / "packs" / "a-lamp").is_dir(), "the pack")
    assert load_pack(tmp_path / "packs" / "a-lamp").characters["ada"].personality == "Talks of the weather."


FAULTS = (
    ("concept:", "title", "", "! This is required."),
    ("concept:", "player.name", "You", "prompts would misread"),
    ("character:maya", "reveal", "two", "there is no chapter 'two'. Chapters: 1 The Crash, 2 "),
    ("chapter:01-the-crash", "beats", "One\nOne\nTwo", "is listed twice"),
    ("chapter:01-the-crash", "present", "Zed", "is not one of this chapter's characters"),
)
ADVICE = "prompts would misread"
"""It is no error."""


async def test_a_mistake_is_shown_beside_its_field_and_an_error_keeps_it_from_being_a_pack(
    writer: Writer, tmp_path: Path
) -> None:
    for key, field, text, message in FAULTS:
        await writer.go(key)
        box = writer.box(field).box
        box.focus()
        answer = "value" if hasattr(box, "value") else "text"
        before = getattr(box, answer)
        setattr(box, answer, text)
        await until(writer.pilot, partial(writer.is_told, field, message), message)
        if message != ADVICE:
            await writer.press("escape", "w")
            await until(writer.pilot, lambda: bool(writer.screen.status.warning), f"no pack: {message}")
            await writer.press("enter")
            assert writer.app.focused is writer.box(field).box, "enter goes to what is to be fixed"
            await writer.press("escape")
            assert not (tmp_path / "packs" / "lost-island").exists(), message
        setattr(writer.box(field).box, answer, before)
        await until(writer.pilot, partial(writer.is_fine, field, message), "the mistake to go")


async def test_prompts_are_shown_without_a_part_that_has_errors_and_a_complaint_goes_with_its_cause(
    writer: Writer,
) -> None:
    await writer.go("character:joaquin")
    await writer.fill("relationships", "Zed: a friend")
    await writer.press("escape")
    row = writer.screen.parts.options[3]
    await until(writer.pilot, lambda: "! Father Joaquin" in plain(row.prompt), "the mark")
    await writer.press("p")
    await writer.said("Fix this first, in Father Joaquin")
    await writer.go("character:maya")
    await opens(writer.pilot, PromptsDialog, "p")
    head = writer.app.screen.query("Static").first().render()
    assert "Left out because of errors: Father Joaquin." in str(head)
    await writer.press("escape")
    await writer.go("character:joaquin")
    await writer.press("w")
    await writer.said("Fix this first, in Father Joaquin")
    await writer.fill("relationships", "Maya Chen: a friend")
    await until(writer.pilot, lambda: not writer.screen.status.warning, "no warning")


async def test_a_pack_that_was_only_looked_at_leaves_no_draft(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with running(app, (120, 40)) as pilot:
        writer = Writer(pilot)
        for change in ("", "Another name"):
            await opens(pilot, WriteScreen, "w", "down", "enter")
            await until(pilot, lambda: bool(writer.screen.form.boxes), "the form")
            assert drafts_of(app.home)
            if change:
                await writer.fill("title", change)
                await writer.press("escape")
            await writer.press("escape")
            await at_home(pilot)
            left = [change] if change else []
            await until(pilot, partial(_are_left, app.home, left), "what is left")


def _are_left(home: Home, titles: list[str]) -> bool:
    return [draft.title for draft in drafts_of(home)] == titles


async def test_a_model_writes_changes_and_goes_on(tmp_path: Path) -> None:
    model = author()
    async with at_desk(tmp_path, lamp, model) as writer:
        pilot, app, draft = writer.pilot, writer.app, writer.screen.draft
        await writer.press("g")
        await writer.said("a accepts it")
        assert writer.box("title").text == CONCEPT["title"]
        model.answers["author:concept"] = json.dumps({**CONCEPT, "title": "The Late Lamp"})
        await writer.press("f")
        await writer.type("call it late", "enter")
        await until(
            pilot, lambda: "The Late Lamp" in [box.text for box in writer.screen.form.boxes], "the change"
        )
        assert "call it late" in model.prompts("author:concept")[-1]
        for part in draft.parts()[1:]:
            await writer.press("a")
            await writer.done(part.key)
        await writer.press("a")
        await writer.said("Every part is written")
        await writer.go("chapter:02-the-crossing")
        await opens(pilot, PromptsDialog, "p")
        assert "The Crossing" in str(app.screen.query_one("VerticalScroll > Static", Static).render())
        await pilot.press("escape")
        await writer.press("w")
        await until(pilot, lambda: (tmp_path / "packs" / "lamp").is_dir(), "the pack")
    assert list(load_pack(tmp_path / "packs" / "lamp").chapters) == ["01-the-light", "02-the-crossing"]


async def test_a_model_that_fails_is_said_and_one_at_work_can_be_stopped(tmp_path: Path) -> None:
    model = author()
    model.answers["author:concept"] = "I'm sorry, I can't do that."
    async with at_desk(tmp_path, lamp, model) as writer:
        pilot = writer.pilot
        await writer.press("g")
        await writer.said("could not write the story")
        model.gates["author:concept"] = asyncio.Event()
        await writer.press("g")
        await until(pilot, lambda: bool(writer.screen.status.doing), "work")
        await writer.press("escape")
        await writer.said("Stopped")
        await writer.fill("title", "By hand")
        await until(
            pilot,
            lambda: Draft.open(tmp_path / "drafts" / "lamp").game.get("title") == "By hand",
            "the title",
        )


async def test_a_talk_about_the_idea_becomes_the_premise_and_outlives_a_failure(tmp_path: Path) -> None:
    model = author()
    model.answers["author:talk"] = CallError("busy", "The server is busy.")
    async with at_desk(tmp_path, lamp, model, size=(80, 24)) as writer:
        pilot, app, draft = writer.pilot, writer.app, writer.screen.draft
        await opens(pilot, TalkDialog, "b")
        await writer.type("What if she lit it?", "enter")
        await until(pilot, lambda: "The server is busy" in problem(pilot), "why there is no answer")
        assert Draft.open(draft.folder).info.talk == ("What if she lit it?",)
        model.answers["author:talk"] = "Then she waits for a boat. Whose?"
        await writer.press("enter")
        await until(pilot, lambda: "Whose?" in str(app.screen.query("Static")[1].render()), "the answer")
        await writer.type("Her brother's", "enter")
        await until(pilot, lambda: len(draft.info.talk) == 4, "another answer")
        assert "Whose?\nThey: Her brother's" in model.prompts("author:talk")[-1]
        model.answers["author:premise"] = "Wren finds that the lamp is lit\nfor a drowned brother."
        await writer.press("ctrl+s")
        await writer.said("This is the premise now")
        assert (
            Draft.open(draft.folder).info.premise == "Wren finds that the lamp is lit for a drowned brother."
        )
        await writer.press("g")
        await writer.done("concept:")
        assert "lit for a drowned brother" in model.prompts("author:concept")[-1]
        assert not writer.screen.check_action("act", ("talk",))


async def test_a_changed_pack_keeps_its_remarks_and_the_old_one_goes_to_the_trash(tmp_path: Path) -> None:
    home = Home.find(tmp_path).create()
    own = home.packs / "mine"
    shutil.copytree(shipped_folder() / "salt-road", own)
    text = (own / "game.yaml").read_text().replace("id: salt-road", "id: mine  # my own")
    (own / "game.yaml").write_text(text)
    async with at_desk(tmp_path, changing(own)) as writer:
        await writer.go("concept:")
        await writer.fill("title", "Mine Now")
        await writer.press("escape", "w")
        await until(
            writer.pilot, lambda: (home.trash / "pack-mine-1").is_dir() and own.is_dir(), "the changed pack"
        )
    assert load_pack(own).game.title == "Mine Now" and "# my own" in (own / "game.yaml").read_text()
    assert (own / "storyteller.yaml").read_text() == (
        shipped_folder() / "salt-road" / "storyteller.yaml"
    ).read_text()
