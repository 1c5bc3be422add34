"""The filled prompts of every agent of a game of ten turns, of one with cells, and of a directed chapter of eight prompts.

`tests/prompting/filled/` holds the first and the last prompt of each, so that a change of words is read in review.
"""

import asyncio
import json
import tempfile
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.direct_chapters import counted_ids
from tests.support.fake_model import Scripted, Stage, Ticking, learnt, narration, stage, stage_reply, view_of
from theact_tui.engine.bus import Bus
from theact_tui.engine.commands import run_command
from theact_tui.engine.open_sessions import create_direct
from theact_tui.engine.suggestions import suggest_ideas
from theact_tui.models.model import Piece, Request
from theact_tui.saves.library import Library
from theact_tui.story.direct.state import set_chapter_text, set_count, set_identity, set_name, set_world
from theact_tui.story.direct.views import FoldView
from theact_tui.story.lore import LoreEntry
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, PlayerInfo, World
from theact_tui.story.views import (
    FinishedView,
    KeeperView,
    MemoryView,
    MergeView,
    MomentsView,
    ProgressView,
    ReflectionView,
    SummaryView,
)

FOLDER = Path(__file__).parents[1] / "prompting" / "filled"
CAST = ("ann", "bob", "cat")

PACK = Pack(
    game=GameInfo(
        id="tide-stair",
        title="The Tide Stair",
        description="A lighthouse keeps its keeper.",
        characters=CAST,
        chapters=("landing", "door"),
        keeper="risky",
        summary_threshold=200,
        fold_batch=2,
        player=PlayerInfo(name="Alex", description="A surveyor who counts everything."),
    ),
    world=World(
        setting="A lighthouse on a reef that no chart shows.",
        tone="Quiet, exact, a little wry.",
        rules="The sea keeps what it is given.",
        truth="The lighthouse stands on the roof of a drowned town.",
    ),
    characters={
        "ann": Character(
            name="Ann Lee",
            role="keeper of the light",
            personality="Dry and careful with words.",
            want="To keep the ledger shut.",
            secret="She burned a page of the ledger.",
            reveal="landing/3",
            relationships={"bob": "Owes him a boat."},
            examples=('"It is not the tide. Look again."',),
        ),
        "bob": Character(
            name="Bob", role="diver", personality="Loud and kind.", secret="He is afraid of water."
        ),
        "cat": Character(name="Cat", role="ferrywoman", personality="Watches first."),
    },
    chapters={
        "landing": Chapter(
            id="landing",
            title="The Landing",
            summary="They land and look for the stair.",
            completion="They stand before the door.",
            beats=("the stair is found", "Bob takes the lamp down", "Ann counts the steps"),
            by={"Bob takes the lamp down": "bob"},
            characters=CAST,
            present=("ann", "bob"),
            next="door",
        ),
        "door": Chapter(
            id="door",
            title="The Tide Door",
            summary="What is behind the door.",
            completion="It is open.",
            beats=("the door is opened",),
            characters=CAST,
        ),
    },
    lore={
        "tower": (
            LoreEntry(
                id="ledger", keys=("ledger",), text="It names all who drowned here.", known_by=("ann",)
            ),
            LoreEntry(id="tide", keys=("tide", "sea"), text="The tide comes three times a day."),
        )
    },
)
TURNS = (
    ("I look along the reef for a way down.", "You find a stair cut into the rock, white with salt.", "ann"),
    ("I whisper to Ann: where is the ledger?", "Wind takes most of what is said. Ann turns her head.", "ann"),
    ("I try to climb down to the third step.", "The third step holds. The fourth is under water.", "bob"),
    ("(I do not trust Bob.) I ask who swept the stair.", "Nobody answers at once. The sea breathes.", "bob"),
    ("I wait for Cat.", "A boat knocks against the stones, and Cat steps out of it.", "cat, ann"),
    ("I ask Bob to take the lamp.", "Bob lifts the lamp from its hook, and the shadows turn.", "bob"),
    ("I count with Ann.", "Twelve, says the wall, by its echo. The stair ends at a door.", "ann"),
    ("I put my ear to the door.", "It is warm. Something on the other side has stopped.", ""),
    ("I push the door open.", "The door opens on a street with a roof of water.", "cat"),
    ("I step through.", "Your lamp burns blue. Windows are lit, one after the other.", "ann"),
)
"""Of each turn: what the player says, what the narrator tells, and who answers."""
BEATS = {
    0: "the stair is found",
    5: "Bob takes the lamp down",
    6: "Ann counts the steps",
    8: "the door is opened",
}
SAID = {
    "ann": '"Twelve," I say. "There were nine when my mother counted."',
    "bob": '"It breathes." I take my ear off the stone. "All right, it does not."',
    "cat": '"I am paid until the tide," I say, and stay in the boat.',
}
REPLIES = {
    "moment": '{"moments": [{"quote": "The third step holds", "moment_type": "discovery", '
    '"moment_summary": "the third step held", "moment_significance": 0.8}]}',
    "risk": '{"risk": "", "difficulty": 12}',
    "summary": " ".join(
        (
            "Alex came to a lighthouse on a reef that no chart shows, and looked for a way down.",
            "A stair was cut into the rock, white with salt, and it had twelve steps where nine were known.",
            "Ann Lee, who keeps the light, went ahead with the lamp and would not say where the ledger lay.",
            "Bob the diver held the rope, loudly, and stopped at the waterline without a reason.",
            "The third step bore a weight; below it everything was under the tide.",
            "Somebody sweeps there, for no weed grew on any edge, and a broom leaned in a niche.",
            "Cat brought her boat alongside at dusk, was paid until the turn of the water, and kept her oars in hand.",
            "A bell was heard twice from the land side, though there is no land on that side.",
            "The mooring ring had been replaced this year by one of brass, with a maker's name on it.",
            "Ann promised to show a page of what she keeps once all of them stand in front of the door.",
            "In a crack of the wall Alex found a coin from a town called Harrow, which nobody had heard of.",
            "Bob cut his left hand on the rail, and it was bound with a strip of sailcloth.",
            "Whether the lamp may be taken off its hook was argued over, and left open.",
            "Wind came up from the north; spray reached the gallery, and the glass was wiped three times.",
            "Nobody explained the second set of footprints, which were dry.",
            "Before midnight the rope was coiled, the boat made fast with two knots, and a watch agreed on by lot.",
            "Cat drew the first hours, Ann the last, and Alex wrote the number of steps on the doorpost in chalk.",
            "It had changed by the morning, in the same hand.",
        )
    ),
    "condense": "They came to a stair under the lighthouse and counted it.",
    "cell": "I went down with the others and counted. I said little, for the lamp was low.",
    "merge": "I remember a stair, and that I counted it.",
    "past": "The stair is longer than it was, and somebody sweeps it.",
    "reflection": '{"want": "To go on.", "hide": "that I am afraid", "beliefs": ["Alex: Means well."]}',
    "finished": '{"finished": true}',
    "recap": "They found the stair and went down to a door.",
    "epilogue": "Years later you still hear the water on the stair.",
    "ideas": "I go back up.\nI knock.\nI call for Cat.",
    "casting": '{"role": "a postman", "personality": "Late, and sorry."}',
    "lock": '{"world": {"genre": "ghost story"}, "chapter": {"premise": "The bell must come down."}, "canon_locks": []}',
    "actor": "I take the rope, and say nothing.",
    "delta": '{"major_events": [{"event": "The bell moved.", "cause": "", "effect": "", "participants": []}]}',
    "fold": '{"major_events": [{"event": "The bell moved.", "cause": "", "effect": "", "participants": []}]}',
    "chapter": "The bell came down. It rained all that night.",
}


def kind_of(ask: Request) -> str:
    """What a request asks for: the name of its template."""
    match ask.view:
        case MergeView():
            return "past" if ask.view.turns else "merge"
        case ReflectionView():
            return "reflection"
        case FoldView():
            return "fold"
        case MemoryView() if ask.schema is None:
            return "cell"
        case MomentsView():
            return "moment"
        case FinishedView():
            return "finished"
        case KeeperView():
            return "risk"
        case SummaryView() if not ask.view.turns:
            return "condense"
    return ask.agent


@dataclass
class Telling(Scripted):
    """Tells the ten turns. Its first answers to `narrator` and `memory` cannot be used, so both are asked again."""

    page: int = 0
    failed: set[str] = field(default_factory=set)

    async def stream(self, ask: Request) -> AsyncGenerator[Piece, None]:
        self.asked.append(ask)
        answer = self._answer(ask, kind_of(ask))
        if ask.agent in ("narrator", "memory") and ask.agent not in self.failed:
            self.failed.add(ask.agent)
            answer = "..."
        yield Piece(text=answer)
        yield Piece(finish="stop")

    def _answer(self, ask: Request, kind: str) -> str:
        _, page, who = TURNS[self.page]
        match kind:
            case "narrator":
                here = CAST if self.page > 3 else CAST[:2]
                told = narration(page, who, "tense", ", ".join(here))
                self.form = told.form
                return told
            case "stage":
                return stage_reply(ask, self.form)
            case "character":
                return SAID[ask.key.partition(":")[2]]
            case "memory":
                return learnt(f"On page {self.page + 1} {ask.key.partition(':')[2]} saw the stair.")
            case "progress":
                beats = view_of(ask, ProgressView).beats
                answers = {
                    label: page if beat == BEATS.get(self.page) else "no" for label, beat in beats.items()
                }
                return json.dumps({**answers, "end": self.page in (6, 8)})
        return REPLIES[kind]


async def ten_turns(home: Path, pack: Pack) -> Telling:
    """The model that told a game of ten turns with suggestions, directions and a newcomer."""
    model = Telling(window=4096)
    played: Stage = await stage(home, model, pack)
    try:
        for model.page, (line, _, _) in enumerate(TURNS):
            await played.turn(line)
            if model.page == 2:
                await run_command(played.session, "/note Keep it cold.")
                await run_command(played.session, "/pin ann 1")
            if model.page == 6:
                await run_command(played.session, "/length short")
                await run_command(played.session, "/language German")
            if model.page == 7:
                await suggest_ideas(played.session)
                await run_command(played.session, "/cast add Piet")
    finally:
        await played.session.close()
    return model


async def directed(home: Path) -> Telling:
    """The model that told a directed chapter of eight prompts."""
    model = Telling()
    session = await create_direct(Library(home), "Tower", model, Bus(Ticking()), ids=counted_ids())
    try:
        session.edit(set_world, "A drowned city. Bells are forbidden.")
        session.edit(set_chapter_text, "In the tower of Saint Aldous, before midnight.")
        session.edit(set_count, 2)
        for slot, name in enumerate(("Kara", "Bo"), 1):
            session.edit(set_name, slot, name)
            session.edit(set_identity, slot, f"{name} rings the bells.")
        await session.lock()
        for number in range(8):
            await session.prompt(1 + number % 2, f"Scene {number + 1}. The bell is heard.")
        await session.end()
        await session.build()
    finally:
        await session.close()
    return model


def as_text(ask: Request) -> str:
    """A request as it is sent, apart from the words of its schema."""
    schema = json.dumps(ask.schema, ensure_ascii=False) if ask.schema else "none"
    head = f"max_tokens: {ask.max_tokens}, temperature: {ask.temperature:g}\nschema: {schema}"
    parts = (f"== {each['role']}\n{each['content']}" for each in ask.prompt.messages(ask.correction))
    return "\n\n".join([f"= {ask.key}\n{head}", *parts]) + "\n"


def generated() -> dict[Path, str]:

    async def asked(home: Path) -> list[Request]:
        facts = await ten_turns(home / "facts", PACK)
        cells = PACK.game.model_copy(update={"memory": "cells", "memory_cells": 2})
        diary = await ten_turns(home / "cells", PACK.model_copy(update={"game": cells}))
        chapter = await directed(home / "directed")
        return [
            *facts.asked,
            *(ask for ask in diary.asked if kind_of(ask) in ("cell", "merge")),
            *chapter.asked,
        ]

    with tempfile.TemporaryDirectory() as home:
        requests = asyncio.run(asked(Path(home)))
    kinds: dict[str, list[Request]] = {}
    for ask in requests:
        kinds.setdefault(f"{kind_of(ask)}{'-again' if ask.correction else ''}", []).append(ask)
    return {
        FOLDER / f"{kind}.txt": "\n\n".join(dict.fromkeys((as_text(asks[0]), as_text(asks[-1]))))
        for kind, asks in kinds.items()
    }
