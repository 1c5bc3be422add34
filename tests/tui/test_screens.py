"""Approved pictures of home and play: sizes, an ansi theme, and the empty, broken and long states."""

import asyncio
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.importing.chats import EVENING, jsonl, user, write
from tests.support.fake_model import Scripted, beat_form, narration, view_of
from tests.support.pictures import SMALL, USUAL, WIDE, Before, Picture, sizes
from tests.support.pilot import Player, at_home, make_app, new_session, opens, until
from tests.support.salt_story import PACK, next_line, salt_model
from theact_tui.errors import CallError
from theact_tui.packs.listing import PackEntry
from theact_tui.saves.listing import SaveEntry
from theact_tui.story.edits import mark_beat
from theact_tui.story.views import ProgressView
from theact_tui.tui.app import TheActApp
from theact_tui.tui.home.import_dialog import FileTree, ImportDialog
from theact_tui.tui.open_stories import LibraryListing
from theact_tui.tui.widgets.menus import HelpDialog

# --- home -----------------------------------------------------------------------------------------------------------

SAVES = (
    SaveEntry(
        name="the-salt-stair", title="The Salt Stair", pack="salt-stair", player="Alex", chapter="The Tide Door", turn=31,
        line='"Count with me," says Ann, and does not say what comes after nine.', at="2026-05-01T10:00:00+00:00",
    ),
    SaveEntry(
        name="what-if-i-had-run", title="What if I had run", pack="salt-stair", player="Alex", chapter="The Landing",
        turn=12, branch="what-if", branch_title="What if?", finished=True, line="You leave the lamp with Bob.",
        at="2026-04-30T09:00:00+00:00",
    ),
    SaveEntry(name="torn", title="torn", broken="No commit of this save can be read. It was not changed."),
)  # fmt: skip
PACKS = (
    PackEntry(
        id="salt-stair", folder=Path("salt"), title="The Salt Stair", shipped=True, memory="facts", keeper="risky",
        description="A lighthouse keeps its keeper. The sea is lower every night, and tonight it has uncovered a stair.",
        cast=(("Ann Lee", "keeper of the light, who counts"), ("Bob", "diver, loud, honest")),
        player=("Alex", "who came about the light"),
        chapters=("The Landing", "The Tide Door"), plays_offline=True,
    ),
    PackEntry(
        id="mine", folder=Path("mine"), title="[red]mine[/red]",
        broken="chapters/02.yaml, line 7: 'beat' is not a field here; the nearest is 'beats'",
    ),
)  # fmt: skip


def listing_app(root: Path, listing: LibraryListing, theme: str = "") -> TheActApp:
    """The app with a listing of our making."""
    app = make_app(root, theme=theme)

    async def made() -> LibraryListing:
        return listing

    object.__setattr__(app.services, "listing", made)
    return app


def shelved(*keys: str) -> Before:
    async def before(pilot: Pilot[None]) -> None:
        await at_home(pilot)
        await pilot.press(*keys)

    return before


FULL = LibraryListing(SAVES, PACKS, "offline storyteller")


@sizes(SMALL, WIDE)
def test_home(picture: Picture, tmp_path: Path) -> None:
    picture(shelved(), listing_app(tmp_path, FULL))


@sizes(SMALL)
def test_home_at_the_first_start(picture: Picture, tmp_path: Path) -> None:
    empty = LibraryListing((), PACKS, "offline storyteller")
    picture(shelved(), listing_app(tmp_path, empty, "paper"))


@sizes(USUAL)
def test_home_with_a_broken_pack(picture: Picture, tmp_path: Path) -> None:
    picture(shelved("end"), listing_app(tmp_path, FULL))


@sizes(SMALL)
def test_home_with_long_names(picture: Picture, tmp_path: Path) -> None:
    long = tuple(
        SaveEntry(
            name=f"long-{n}", title="The unabridged chronicle of everything that ever happened 燈台の物語",
            pack="salt-stair", player="Maximiliana the Elder", chapter="A chapter with a title of some length",
            turn=1234 + n, branch="the-road-not-taken", line="word " * 60, at="2025-01-02T10:00:00+00:00",
        )
        for n in range(12)
    )  # fmt: skip
    app = listing_app(
        tmp_path, LibraryListing(long, PACKS, "a-model-with-a-name-of-unreasonable-length-q4_k_m.gguf")
    )
    picture(shelved(), app)


@sizes(SMALL)
def test_home_looks_for_files(picture: Picture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "files", {"notes.txt": "", "rain.jsonl": ""})
    write(tmp_path / "files" / "chats", {})
    monkeypatch.setenv("HOME", str(tmp_path / "files"))

    async def before(pilot: Pilot[None]) -> None:
        await at_home(pilot)
        await opens(pilot, ImportDialog, "i")
        await pilot.press("tab")
        tree = pilot.app.screen.query_one(FileTree)
        await until(pilot, lambda: len(tree.root.children) == 3)
        await pilot.press("down")

    picture(before, listing_app(tmp_path, FULL))


@sizes(SMALL)
def test_home_shows_what_an_import_would_do(
    picture: Picture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {f"{n}.jsonl": jsonl(*EVENING[: n + 2], user(f"Way {n}.")) for n in range(3)}
    write(tmp_path / "files", {**texts, "notes.txt": "My notes."})
    monkeypatch.setenv("HOME", str(tmp_path))

    async def before(pilot: Pilot[None]) -> None:
        await at_home(pilot)
        await opens(pilot, ImportDialog, "i")
        await pilot.press(*"~/files", "enter")
        await until(pilot, lambda: pilot.app.screen.has_class("-found"))

    picture(before, listing_app(tmp_path, FULL))


# --- play -----------------------------------------------------------------------------------------------------------


def played(lines: int = 3, *keys: str, model: Scripted | None = None) -> Before:
    """Play some lines of the salt stair, then press keys."""

    async def before(pilot: Pilot[None]) -> None:
        await at_home(pilot)
        player = Player(pilot)
        told = model or salt_model()
        await player.open(await new_session(player.app, told, PACK))
        for page in range(lines):
            await player.say(next_line(told, page))
        await player.press(*keys)
        await pilot.pause()

    return before


@sizes(USUAL)
def test_play(picture: Picture) -> None:
    picture(played())


@sizes(SMALL)
def test_play_in_the_terminal_s_colours(picture: Picture, tmp_path: Path) -> None:
    picture(played(), make_app(tmp_path, theme="terminal"))


@sizes(SMALL)
def test_play_when_the_story_begins(picture: Picture) -> None:
    picture(played(0))


@sizes(USUAL)
def test_play_to_the_end(picture: Picture) -> None:
    model = salt_model()

    async def ended(pilot: Pilot[None]) -> None:
        await played(1, model=model)(pilot)
        player = Player(pilot)
        for beat in (2, 3):
            await player.session.edit(mark_beat, beat, hit=True)
        model.answers["progress"] = lambda ask: beat_form(
            len(view_of(ask, ProgressView).chapter.beats), complete=True
        )(ask)
        model.answers["recap"] = "They went down."
        model.answers["epilogue"] = (
            "The light was never lit again.\n\nOn still nights the stair can be counted."
        )
        for line in ("I count them.", "I go through.", "I put out the light."):
            await player.say(line)
        player.transcript.follow()
        await pilot.pause()

    picture(ended)


@sizes(SMALL)
def test_play_when_nobody_answers(picture: Picture) -> None:
    model = salt_model()
    reason = "Nobody answers at 127.0.0.1:8080. Start the server, or choose another one in the settings."

    async def failing(pilot: Pilot[None]) -> None:
        await played(1, model=model)(pilot)
        model.answers["narrator"] = CallError("refused", reason)
        player = Player(pilot)
        await player.send("I open the door under the water.")
        await until(pilot, lambda: "Nobody answers" in player.page)

    picture(failing)


@sizes(SMALL)
def test_play_while_somebody_answers(picture: Picture) -> None:
    model = salt_model()

    async def answering(pilot: Pilot[None]) -> None:
        await played(2, model=model)(pilot)
        player = Player(pilot)
        model.answers["narrator"] = narration("The bell rings under the floor.", "bob", "urgent")
        model.gates["character:bob"] = asyncio.Event()
        await player.send("I listen at the boards.")
        await until(pilot, lambda: "Bob is answering" in player.status.doing)
        await player.type("and meanwhile I type")

    picture(answering)


@sizes(SMALL)
def test_play_with_long_and_wide_words(picture: Picture) -> None:
    model = salt_model()
    text = (
        "燈台の下に階段がある。" * 12 + "\n\n" + "unbreakable" * 12 + "\n\nRoses\nare red,\nthe tide\nis out."
    )

    async def long(pilot: Pilot[None]) -> None:
        await played(0, model=model)(pilot)
        model.answers["narrator"] = narration(text, "")
        player = Player(pilot)
        await player.say("I read the wall.")
        player.prompt.write("I write so much that the box grows, and goes on growing, " * 35)
        await pilot.pause()

    picture(long)


@sizes(SMALL)
def test_play_help(picture: Picture) -> None:
    async def helped(pilot: Pilot[None]) -> None:
        await played(1, "f1")(pilot)
        await until(pilot, lambda: isinstance(pilot.app.screen, HelpDialog))

    picture(helped)


@sizes(SMALL)
def test_play_leader(picture: Picture) -> None:
    picture(played(1, "ctrl+g"))


@sizes(USUAL)
def test_play_search_above(picture: Picture) -> None:
    async def found(pilot: Pilot[None]) -> None:
        await played(3, "ctrl+f")(pilot)
        await Player(pilot).type("stair")
        await Player(pilot).press("enter", "enter", "enter")
        await until(pilot, lambda: "1 of 3" in str(Player(pilot).screen.query_one("#find-count").render()))

    picture(found)


@sizes((40, 12))
def test_play_in_a_tiny_terminal(picture: Picture) -> None:
    picture(played(1))


def test_every_picture_has_a_test() -> None:
    here = Path(__file__)
    pictures = here.parents[2] / "snapshots" / "tui" / here.stem
    source = here.read_text("utf-8")
    for picture in pictures.iterdir():
        assert f"def {picture.stem.partition('[')[0]}(" in source, f"{picture.name} has no test"
