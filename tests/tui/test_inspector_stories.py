"""The inspector on other stories: the offline storyteller's, hostile ones, prompts that do not fit, none at all."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from textual.content import Content

from tests.support.fake_model import Scripted, narration, view_of
from tests.support.inspector_pilot import LINES, Inspector, begin, island, long_winded, scripted
from tests.support.pilot import Player, make_app, new_session, opens, until
from theact_tui.errors import CallError
from theact_tui.packs.loader import load_pack
from theact_tui.story.cast import remove_character
from theact_tui.story.edits import Edit
from theact_tui.story.game import Game
from theact_tui.story.pack import Pack
from theact_tui.story.views import MemoryView
from theact_tui.tui.inspector.screen import InspectorScreen
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.widgets.lists import Row, RowList

ISLAND = Path(__file__).parents[2] / "content" / "lost-island"
VIEWS = ("x", "x", "k", "c", "v", "w", "m")
EVIL = "[bold red]loud[/] [@click=app.quit]press[/] \x1b]0;owned\x07\x1b[2J \u202egnorw [not closed"
TAMED = "[bold red]loud[/] [@click=app.quit]press[/]  gnorw [not closed"


@asynccontextmanager
async def story(
    root: Path, model: Scripted | None, pack: Pack, lines: tuple[str, ...], size: tuple[int, int] = (120, 40)
) -> AsyncIterator[Inspector]:
    """A played story in the inspector."""
    app = make_app(root)
    async with app.run_test(size=size) as pilot:
        session = await new_session(app, model, pack)
        reader = await begin(pilot, session, lines)
        await reader.into()
        yield reader
        await session.close()


async def test_every_view_turn_and_person_of_a_shipped_story(tmp_path: Path) -> None:
    lines = ("I ask Maya how she is.", "I search the wreck for the radio.")
    async with story(tmp_path, None, load_pack(ISLAND), lines, (44, 12)) as reader:
        for _ in range(3):
            await reader.look(*VIEWS, "tab")
            assert reader.warning == ""
            await reader.look("left")
        assert reader.glass.number == 1
        await reader.look("c")
        assert "offline storyteller" in reader.said("call-page")


async def test_hostile_text_is_shown_as_text_and_does_nothing(tmp_path: Path) -> None:
    model = scripted()
    model.answers |= {
        "narrator": narration(EVIL, "maya", "calm", "maya, joaquin"),
        "character": f"I say {EVIL}",
        "memory": json.dumps({"new": [{"fact": f"F {TAMED}", "kind": "none"}]}),
    }  # fmt: skip
    async with story(tmp_path, model, island(), (f"I write {EVIL}",)) as reader:
        for _ in range(3):
            await reader.look(*VIEWS, "enter", "m", "tab")
        assert reader.looking
        await reader.look("home", "c")
        seen = reader.lines + reader.listed("knows") + reader.words + reader.events
        seen += reader.said("prompt-page") + reader.said("call-page")
        assert "[@click=app.quit]press[/]" in seen and "[not closed" in seen
        assert not set("\x1b\x07\u202e") & set(seen) and "owned" not in seen


async def test_what_did_not_fit_is_named_with_its_reason(tmp_path: Path) -> None:
    model = long_winded()
    model.answers["summary"] = CallError("timeout", "The summary does not come.")
    lines = ("I walk on.", "I walk further.", "I stop.")
    async with story(tmp_path, model, island(keeper="off"), lines) as reader:
        await reader.look("tab", "tab", "x", "x")
        text = " ".join(reader.said("prompt-page").split())
        assert "left out" in text and "did not fit" in text
        assert ", left out: did not fit" in text
        frame = reader.glass.frame
        assert frame and any(section.kept == "dropped" for call in frame.calls for section in call.sections)


async def test_a_story_that_could_not_begin_teaches_and_shows_the_failed_call(tmp_path: Path) -> None:
    model = scripted()
    model.answers["narrator"] = CallError("refused", "Nobody listens there.")
    async with story(tmp_path, model, island(), ()) as reader:
        assert "before the first turn" in reader.heading("head")
        assert "after the first turn" in reader.lines
        assert "Each remembered line will be listed" in reader.listed("knows")
        await reader.look("tab")
        assert "No memories yet" in reader.lines
        await reader.look("c", "left", "right", "home", "end")
        assert "THE NEXT TURN FAILED" in reader.listed("calls")
        assert "refused: Nobody listens there." in reader.said("call-page")


async def test_it_opens_though_the_last_one_to_speak_is_in_the_pack_no_more(player: Player) -> None:
    await player.say("I ask Ann.")
    spoke = [entry.character for entry in player.session.game.turns[2].entries]
    assert "ann" in spoke

    def without_ann(game: Game) -> Edit:
        people = {id: person for id, person in game.pack.characters.items() if id != "ann"}
        pack = game.pack.model_copy(update={"characters": people})
        return Edit(replace(game, pack=pack), "a changed pack")

    await player.session.edit(remove_character, "ann")
    await player.session.edit(without_ann)
    await opens(player.pilot, InspectorScreen, "f2")
    await player.press("tab")
    assert isinstance(player.app.screen, InspectorScreen) and player.app.screen.person == "bob"


async def test_memories_in_cells(tmp_path: Path) -> None:
    model = scripted()
    model.answers["memory"] = lambda ask: (
        f"I was there when {view_of(ask, MemoryView).turns[-1].entries[0].text}"
    )
    model.answers["merge"] = "It was all long ago."
    pack = island(memory="cells", memory_cells=2)
    async with story(tmp_path, model, pack, LINES[:3]) as reader:
        rows = reader.lines.splitlines()
        assert rows[0] == "ENTRIES  2 of 2"
        assert rows[1] == "+   4 I was there when I ask Maya what the compass says."
        assert "OLDER, CONDENSED" in reader.lines and "It was all long ago." in reader.lines
        assert any(row.startswith("-   2 ") for row in rows)
        await reader.look("a")
        assert "open a character's facts" in reader.glass.status.hint
        chosen = reader.glass.panes.memory.row
        assert chosen and chosen.kind == "line"
        await reader.look("p")
        pinned = [row for row in reader.lines.splitlines() if "◆" in row[:3]]
        assert len(pinned) == 1 and chosen.text in pinned[0]


async def test_a_small_terminal_shows_one_thing_at_a_time_and_a_wide_one_four(tmp_path: Path) -> None:
    async with story(tmp_path, scripted(), island(), LINES[:1], (80, 24)) as reader:
        panes = {"x": "prompt", "k": "knows", "c": "calls", "v": "events", "w": "words", "m": "memory"}
        for key, name in panes.items():
            await reader.look(key)
            shown = {pane.id for pane in reader.glass.query(".pane") if pane.region.area}
            assert shown == {f"{name}-pane"}
        await reader.look("x", "escape")
        assert reader.glass.view == "memory"
        await reader.look("w", "m", "left", "w")
        words = reader.glass.query_one("#words", Transcript)

        def is_wide() -> bool:
            return any(len(row.text) > 40 for turn in words.window.turns for row in turn.rows)

        await until(reader.pilot, is_wide, "words set in the full width")
        await reader.look("m", "end")
        await reader.pilot.resize_terminal(200, 50)
        await reader.settle()
        shown = {pane.id for pane in reader.glass.query(".pane") if pane.region.area}
        assert shown == {"memory-pane", "knows-pane", "prompt-pane", "words-pane"}
        reader.glass.query_one("#knows", RowList).show([Row(Content(f"line {n}")) for n in range(80)])
        await reader.pilot.pause()
        prompt = reader.glass.query_one("#prompt-pane")
        assert prompt.region.height >= 10 and prompt.region.bottom <= 50, "beside a long table"
