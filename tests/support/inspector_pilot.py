"""A story to look into: six turns on an island, told by a script, so that every memory, prompt and call is known."""

import json
import shutil
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from tests.support.fake_model import Scripted, beat_form, narration, prose, sent
from tests.support.pilot import Player, at_home, still, until
from tests.support.said import plain, text_of
from theact_tui.engine.bus import Bus
from theact_tui.engine.open_sessions import create_session, open_session
from theact_tui.engine.session import StorySession
from theact_tui.models.model import DirectView, Piece, Request, Usage
from theact_tui.prompting.sections import Section
from theact_tui.saves.library import Library
from theact_tui.story.edits import Edit
from theact_tui.story.game import Game
from theact_tui.story.moments import Moment
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, PlayerInfo, World
from theact_tui.story.views import AuthorView
from theact_tui.tui.app import TheActApp
from theact_tui.tui.inspector.events import EventLog
from theact_tui.tui.inspector.screen import InspectorScreen
from theact_tui.tui.inspector.view import BlockView, PersonTabs
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.widgets.footer import Footer
from theact_tui.tui.widgets.header import HeaderLine
from theact_tui.tui.widgets.lists import RowList
from theact_tui.tui.widgets.status_line import StatusLine

LINES = (
    "I hold the lamp over the carvings.",
    "I climb down to the spring with Maya.",
    "I ask Maya what the compass says.",
    "I ask Joaquin who carved the stones.",
    "I look for the lowest line again.",
)
"""What the player says in turns 2 to 6; turn 1 is the opening."""

TOLD: Mapping[int, str] = {
    1: narration(
        "You wake on the reef. Two people stand in the shallows and argue about a box.",
        "maya, joaquin", "calm", "maya, joaquin",
    ),
    2: narration(
        "The stones are cut. The lamp finds nine lines, one below the other, and the lowest is hidden by a shadow.",
        "joaquin, maya", "mysterious", "maya, joaquin",
    ),
    3: narration(
        "The spring is warm as a hand. The compass in Maya's palm turns once, slowly.", "maya", "tense", "maya",
        elsewhere=True, heard_by=["maya"],
    ),
    4: narration("Maya taps the glass. North stays where she is standing.", "maya", "humorous", "maya"),
    5: narration("Joaquin comes back along the beach with wet sleeves.", "joaquin", "calm", "maya, joaquin"),
    6: narration("Where the lowest line was, the stone is scraped bare.", "maya", "dramatic", "maya, joaquin"),
}  # fmt: skip
SAID: Mapping[tuple[int, str], str] = {
    (2, "joaquin"): '"My eyes are old," he says, and stands so that his shadow covers the lowest line.',
    (2, "maya"): '"Your eyes were fine for the boar."',
    (6, "maya"): '"You were here in the night, Father." She does not make it a question.',
}
REMEMBERED: Mapping[tuple[int, str], tuple[str, list[str], dict[str, str]]] = {
    (2, "maya"): (
        "Maya has survived the crash. Joaquin is hiding something.",
        ["Maya's radio is dead.", "Joaquin may know the island."],
        {},
    ),
    (2, "joaquin"): (
        "Joaquin has stood before the carvings again.",
        ["He has landed here before.", "Maya counts what others say."],
        {},
    ),
    (3, "maya"): (
        "Maya has survived the crash. The island moves the compass.",
        ["The spring is warm."],
        {},
    ),
    (6, "maya"): (
        "Maya has survived the crash. Joaquin is hiding something, and he was at the stones in the night.",
        ["Joaquin covered the lowest line by the warm spring, and now it is gone."],
        {"2": "Joaquin knows the island."},
    ),
    (6, "joaquin"): (
        "Joaquin has stood before the carvings once too often.",
        ["The spring is warm.", "Maya knows about the night."],
        {},
    ),
}  # fmt: skip


def island(**game: object) -> Pack:
    """A pack with two people and one long chapter."""
    beats = (
        "finds the cut stones",
        "feels the warm spring",
        "sees the compass turn",
        "misses the lowest line",
        "asks who was at the stones",
    )
    return Pack(
        game=GameInfo.model_validate(
            {
                "id": "island", "title": "The Lost Island", "description": "A reef no chart shows.",
                "characters": ("maya", "joaquin"), "chapters": ("one",), "player": PlayerInfo(name="Alex"), "keeper": "risky",
                **game,
            }
        ),
        world=World(
            setting="A small uncharted island: a reef, a lagoon, a forest, a ridge with a mast.",
            tone="Quiet mystery, dry humour.",
            rules="No magic. Nobody else is here. Secrets come out through evidence.",
        ),
        characters={
            "maya": Character(name="Maya Chen", role="aerospace engineer", personality="Counts everything twice."),
            "joaquin": Character(
                name="Father Joaquin", role="a priest", personality="Kind and evasive.", secret="He was here in 1961."
            ),
        },
        chapters={
            "one": Chapter(
                id="one", title="The Discovery", summary="The stones of the island are cut.", beats=beats,
                completion="The lowest line is read.", characters=("maya", "joaquin"),
            )
        },
    )  # fmt: skip


HIT = {2: (1,), 3: (2, 3), 6: (4,)}
"""Beats that a turn tells."""
SPENT = {"narrator": 640, "character": 520, "memory": 310, "progress": 260, "keeper": 270}
"""Prompt tokens the model reports, so that pictures do not change with the words of a template."""


class Counting(Scripted):
    """A scripted model that reports what it used."""

    async def stream(self, ask: Request) -> AsyncGenerator[Piece, None]:
        length = 0
        async with aclosing(super().stream(ask)) as pieces:
            async for piece in pieces:
                length += len(piece.text)
                yield piece
        yield Piece(usage=Usage(prompt=SPENT.get(ask.agent, 200) + 30 * _turn(ask), completion=length // 4))


def scripted() -> Scripted:
    return Counting(
        answers={
            "narrator": lambda ask: TOLD.get(_turn(ask), TOLD[4]),
            "character": lambda ask: SAID.get((_turn(ask), _who(ask)), '"If you say so."'),
            "memory": lambda ask: _memory(_turn(ask), _who(ask)),
            "progress": lambda ask: beat_form(*HIT.get(_turn(ask), ()))(ask),
            "keeper": lambda ask: _keeper(_turn(ask), asks_moments='"moments"' in sent(ask)),
        },
        max_parallel=1,
    )


def long_winded() -> Scripted:
    """The same model with a small window and a narrator who fills it."""
    model = scripted()
    model.window = 1_150
    model.answers["narrator"] = narration(prose(760), "maya", "calm", "maya, joaquin")
    return model


def _turn(ask: Request) -> int:
    assert ask.view is not None and not isinstance(ask.view, DirectView | AuthorView)
    return ask.view.story.turn


def _who(ask: Request) -> str:
    return ask.key.partition(":")[2]


def _memory(turn: int, who: str) -> str:
    summary, new, changed = REMEMBERED.get((turn, who), ("", [], {}))
    facts = [{"fact": text, "kind": "none"} for text in new]
    return json.dumps({"summary": summary, "new": facts, "changed": changed})


def _keeper(turn: int, *, asks_moments: bool) -> str:
    if asks_moments:
        return '{"moments": []}'
    return json.dumps({"risk": "climb down" if turn == 3 else "", "difficulty": 12})


def pin_times(session: StorySession) -> None:
    """Calls took as long as their place says: pictures do not change with the machine."""
    for file in (session.save.private.root / "calls").glob("*/*.jsonl"):
        if file.name == "texts.jsonl":
            continue
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        for place, line in enumerate(lines, 1):
            line |= {"first_token": 0.1 * place, "seconds": 0.7 * place}
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))


NAMES = {
    "world": "You are one of several writers of an interactive story. A small uncharted island: a reef, a lagoon.",
    "turn 1": "You wake on the reef. Two people stand in the shallows and argue about a box.",
    "turn 2": "> Alex: I hold the lamp over the carvings.\n\nThe stones are cut. The lamp finds nine lines.",
    "turn 3": "> Alex: I climb down to the spring with Maya.\n\nThe spring is warm as a hand.",
    "turn 4": "> Alex: I ask Maya what the compass says.\n\nNorth stays where she is standing.",
    "turn 5": "> Alex: I ask Joaquin who carved the stones.\n\nJoaquin comes back with wet sleeves.",
    "player": "> Alex: I look for the lowest line again.",
    "this turn": "Where the lowest line was, the stone is scraped bare.",
    "memory": "Maya has survived the crash.\n- Maya's radio is dead.\n- Joaquin may know the island.",
    "Maya Chen": "You are Maya Chen, aerospace engineer. Counts everything twice. Answer as Maya, in her own words.",
}
WHY = "did not fit; it will go into the summary"
SENT = (
    Section("world", NAMES["world"], "world.yaml", "fixed", "system", 282),
    *(
        Section(f"turn {n}", NAMES[f"turn {n}"], f"turn {n}", "turn", "user", 380 + n, "dropped", WHY)
        for n in (1, 2)
    ),
    *(Section(f"turn {n}", NAMES[f"turn {n}"], f"turn {n}", "turn", "user", 410 + n) for n in (3, 4, 5)),
    Section("player", NAMES["player"], "turn 6", "fixed", "user", 11),
    Section("this turn", NAMES["this turn"], "turn 6", "pages", "user", 64),
    Section(
        "memory",
        NAMES["memory"],
        "memory/maya.yaml",
        "memory",
        "user",
        96,
        "trimmed",
        "did not fit completely",
    ),
    Section("Maya Chen", NAMES["Maya Chen"], "characters/maya.yaml", "fixed", "user", 187),
)
"""A prompt in which everything happens that can happen to a section."""


def pin_prompts(session: StorySession) -> None:
    """Every prompt of a character is the one above: pictures do not change with the words of a template."""
    for file in (session.save.private.root / "calls").glob("*/*.jsonl"):
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        if file.name == "texts.jsonl":
            lines += [{"hash": section.name, "text": section.text} for section in SENT]
        else:
            lines = [_pinned(line) for line in lines]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def _pinned(line: dict[str, Any]) -> dict[str, Any]:
    sent = SENT if line["agent"] == "character" else SENT[:1]
    sections = [{**asdict(section), "text": section.name} for section in sent]
    tokens = sum(section.tokens for section in sent if section.kept != "dropped")
    return {**line, "sections": sections, "messages": [], "tokens": tokens, "limit": 2048}


class Inspector(Player):
    @property
    def glass(self) -> InspectorScreen:
        return next(screen for screen in self.app.screen_stack if isinstance(screen, InspectorScreen))

    @property
    def looking(self) -> bool:
        return isinstance(self.app.screen, InspectorScreen)

    @property
    def lines(self) -> str:
        return text_of(self.glass.panes.memory)

    @property
    def footer(self) -> list[str]:
        return [hint.does for hint in self.app.screen.query_one(Footer).hints]

    @property
    def warning(self) -> str:
        return self.glass.query_one(StatusLine).warning

    @property
    def tabs(self) -> str:
        """The people, as the line of tabs names them."""
        return text_of(self.glass.query_one(PersonTabs))

    @property
    def words(self) -> str:
        turns = self.glass.query_one("#words", Transcript).window.turns
        return "\n\n".join(text_of(turn) for turn in turns)

    @property
    def events(self) -> str:
        return text_of(self.glass.query_one(EventLog))

    def heading(self, id: str) -> str:
        return plain(self.glass.query_one(f"#{id}", HeaderLine).parts)

    def listed(self, id: str) -> str:
        return text_of(self.glass.query_one(f"#{id}", RowList))

    def said(self, id: str) -> str:
        return text_of(self.glass.query_one(f"#{id}", BlockView))

    async def look(self, *keys: str) -> None:
        """Press keys in the inspector, and wait until everything is read and drawn."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def settle(self) -> None:
        """Wait until the inspector shows what it was asked for."""
        await until(self.pilot, lambda: not self.looking or self.glass.settled, "the inspector")

    async def into(self) -> None:
        await self.press("f2")
        await until(self.pilot, lambda: self.looking, "the inspector")
        await self.settle()


async def tell(root: Path, model: Scripted, lines: tuple[str, ...] = LINES) -> Path:
    """Play the island through `lines` without a screen; returns the save's folder."""
    session = await create_session(
        Library(root),
        island(),
        island().game.title,
        "Alex",
        7,
        lambda pack, seed: model,
        Bus(still),
        id="test",
    )
    await play(session, lines[:2])
    await session.edit(remembering, FOUND)
    await play(session, lines[2:])
    await session.close()
    return session.folder


FOUND = Moment(turn=3, type="discovery", summary="the spring is warm as a hand", significance=0.7)


def remembering(game: Game, moment: Moment) -> Edit:
    """The game with a moment, as if pages had been looked through for one."""
    return Edit(replace(game, moments=(*game.moments, moment)), "moment found")


async def play(session: StorySession, lines: tuple[str, ...]) -> None:
    """Let a story begin, if it has not, and go on through `lines`."""
    if session.game.state.turn == 0:
        await session.open_story()
        await session.settle()
    for line in lines:
        await session.play(line)
        await session.settle()
    pin_times(session)


async def open_told(app: TheActApp, told: Path, model: Scripted) -> StorySession:
    """A copy of a told story, open in the app's own home."""
    folder = app.home.saves / told.name
    shutil.copytree(told, folder)
    return await open_session(folder, lambda pack, seed: model, Bus(still))


async def begin(pilot: Pilot[None], session: StorySession, lines: tuple[str, ...] = ()) -> Inspector:
    """A story, played on through `lines`, open on the play screen."""
    if lines:
        await play(session, lines)
    await at_home(pilot)
    reader = Inspector(pilot)
    await reader.open(session, opening=bool(session.game.state.turn))
    return reader
