"""A model for engine tests: answers by call key, fails where told to, remembers what it was asked."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from tests.support.waiting import until
from theact_tui.engine.bus import Bus
from theact_tui.engine.commands import run_command
from theact_tui.engine.events import Event
from theact_tui.engine.open_sessions import create_session, open_session
from theact_tui.engine.session import StorySession
from theact_tui.errors import CallError
from theact_tui.models.model import Model, Models, Piece, Request, Usage, View
from theact_tui.prompting.sections import Prompt
from theact_tui.prompting.tokens import Tokens
from theact_tui.saves.library import Library
from theact_tui.story.edits import mark_beat
from theact_tui.story.game import Game
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, PlayerInfo, World
from theact_tui.story.perception import cut
from theact_tui.story.views import (
    FinishedView,
    MergeView,
    MomentsView,
    ProgressView,
    ReflectionView,
    StageView,
)

T = TypeVar("T")
E = TypeVar("E", bound=Event)
V = TypeVar("V", bound=View)


class Cut(str):
    """An answer that ends where the allowance does."""


class Page(str):
    """A page, and what the stage is to say of it."""

    form: dict[str, object]


def narration(
    text: str, responding: str = "", mood: str = "", present: str | None = None, **more: object
) -> Page:
    """A narrator's page, and what is said of it: ids as in `ann, bob`."""
    page = Page(text)
    page.form = {"answer": _ids(responding), **({"mood": mood} if mood else {}), **more}
    if present is not None:
        page.form["here"] = _ids(present)
    return page


def _ids(told: str) -> list[str]:
    return [id.strip() for id in told.split(",") if id.strip()]


def stage_form(ask: Request, form: dict[str, object]) -> dict[str, object]:
    """The form as it is asked for: `heard_by` alone hear the line, or the pieces `kept`."""
    assert isinstance(ask.view, StageView)
    if "only" in form:
        return form
    hearers, kept = form.get("heard_by"), form.get("kept")
    labels = cut(ask.view.scene.line, ask.view.page).line_labels if kept is None else str(kept).split()
    only = dict.fromkeys(labels, hearers) if hearers and not ask.view.scene.explicit else {}
    known = {name: value for name, value in form.items() if name not in ("heard_by", "kept", "because")}
    return {"only": only, **known}


def stage_reply(ask: Request, form: dict[str, object]) -> str:
    return json.dumps(stage_form(ask, form))


Answer = str | CallError | Callable[[Request], "str | CallError"]


def beat_form(*beats: int, complete: bool = False) -> Callable[[Request], str]:
    """The check's reply that quotes the page for beats, by their number in the chapter."""

    def answer(ask: Request) -> str:
        assert isinstance(ask.view, ProgressView)
        words = ask.view.turns[-1].narration.split()
        share = len(words) // max(1, len(beats))
        quotes = {
            ask.view.chapter.beats[beat - 1]: " ".join(words[at * share : (at + 1) * share])
            for at, beat in enumerate(beats)
        }
        asked = {label: quotes.get(beat, "no") for label, beat in ask.view.beats.items()}
        return json.dumps({**asked, "end": complete})

    return answer


def learnt(*facts: str) -> str:
    """The reply of a memory that learns these facts."""
    return json.dumps({"new": [{"fact": fact, "kind": "none"} for fact in facts], "changed": {}})


DEFAULTS: dict[str, str] = {
    "narrator": narration("The lamp gutters. Water stands on the stair.", "ann", "tense", "ann, bob"),
    "character": "I have seen this stair before, and it was dry then.",
    "memory": learnt("The stair was dry once."),
    "progress": '{"end": false}',
    "finished": '{"finished": true}',
    "keeper": '{"risk": "", "difficulty": 12}',
    "moments": '{"moments": []}',
    "summary": "They went down the stair, and it was wet.",
    "merge": "I remember a wet stair, and before it a dry one.",
    "reflection": '{"want": "To go on.", "hide": "", "beliefs": ["Alex: Means well."]}',
    "recap": "They reached the stair. What was below stayed unknown.",
    "epilogue": "Years later you still hear the water on the stair.",
}


@dataclass
class Scripted(Models):
    """A model whose answers are scripted by call key (`memory:ann`) or agent (`memory`)."""

    answers: dict[str, Answer] = field(default_factory=dict)
    window: int = 8192
    reply_tokens: int = 0
    max_parallel: int = 4
    keeps_prompts: bool = False
    provider: str = "test"
    name: str = "scripted"
    local: bool = True
    asked: list[Request] = field(default_factory=list)
    form: dict[str, object] = field(default_factory=dict)
    """What the stage says of the last page."""
    gates: dict[str, asyncio.Event] = field(default_factory=dict)
    """A call whose key is here waits for its event before it answers."""
    tokens: Tokens = field(default_factory=Tokens)
    cached: int | None = None
    """Tokens of a prompt that the server says it held."""
    piece: int = 7
    """Characters that arrive at a time."""
    slow: float = 0.0
    """Seconds it says to take for a token it reads."""
    habits: frozenset[str] | None = frozenset()
    """As if it had been tried, without a slip."""
    warms: bool = False
    continuing: bool = True
    """Goes on from the assistant's text."""
    warmed: list[Prompt] = field(default_factory=list)
    """What was sent ahead."""

    def for_agent(self, agent: str) -> Model:
        return self

    def seconds_for(self, prompt_tokens: int, reply_tokens: int) -> float:
        return self.slow * (prompt_tokens + 10 * reply_tokens)

    async def probe(self) -> tuple[str, ...]:
        return ()

    async def close(self) -> None:
        return None

    async def warm_up(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        self.warmed.append(prompt)
        if gate := self.gates.get("warm-up"):
            await gate.wait()
        if isinstance(answer := self.answers.get("warm-up"), CallError):
            raise answer
        yield Piece(text="T", finish="length")

    def stop_warming(self) -> None:
        self.warms = False

    async def continues(self) -> bool:
        return self.continuing

    def called(self) -> list[str]:
        return [ask.key for ask in self.asked]

    def prompts(self, key: str) -> list[str]:
        """Everything sent under a key, one text per call."""
        return [sent(ask) for ask in self.asked if ask.key == key]

    async def stream(self, ask: Request) -> AsyncGenerator[Piece, None]:
        self.asked.append(ask)
        gate = self.gates.get(ask.key)
        if gate is not None:
            await gate.wait()
        kinds = {MergeView: "merge", ReflectionView: "reflection", FinishedView: "finished"}
        kind = kinds.get(type(ask.view), ask.agent)
        named = self.answers.get(ask.key) if kind == ask.agent else None
        answer = named or self.answers.get(kind)
        if answer is None and kind == "stage":
            answer = stage_reply(ask, self.form)
        if answer is None:
            answer = DEFAULTS["moments" if isinstance(ask.view, MomentsView) else kind]
        if callable(answer):
            answer = answer(ask)
        if ask.agent == "narrator":
            self.form = answer.form if isinstance(answer, Page) else {}
        if isinstance(answer, CallError):
            raise answer
        for start in range(0, len(answer), self.piece):
            await asyncio.sleep(0)
            yield Piece(text=answer[start : start + self.piece])
        usage = Usage(cached=self.cached)
        yield Piece(finish="length" if isinstance(answer, Cut) else "stop", usage=usage)


_WORDS = (
    "water stair lamp hand stone rope bell door wind salt window key sleeve lantern board river voice corner winter shoe "
    "table glass smoke boat roof ash wall bread morning ladder"
).split()


def prose(length: int, last: str = "") -> str:
    """About so many characters of sentences, none of which is like the one before: what repeats itself is cut."""
    chance, told = Random(length), ""
    while len(told) + len(last) < length:
        words = chance.sample(_WORDS, 9)
        told += "The {} and the {} stand by the {}; no {}, {} or {} leans on {}, {} or {}. ".format(*words)
    return told + last


def sent(ask: Request) -> str:
    """All that a request sends, as one text."""
    return "\n".join(message["content"] for message in ask.prompt.messages(ask.correction))


def view_of(ask: Request, kind: type[V]) -> V:
    """What the agent was shown, which must be of this kind."""
    assert isinstance(ask.view, kind)
    return ask.view


def chapter(id: str, next: str | None = None, **more: object) -> Chapter:
    return Chapter.model_validate(
        {
            "id": id, "title": id.title(), "summary": f"The {id} chapter.",
            "beats": (f"{id} finds the stair", f"{id} lights the lamp", f"{id} opens the door", f"{id} sees the sea"),
            "completion": "The sea is seen.", "characters": ("ann", "bob"), "next": next, **more,
        }
    )  # fmt: skip


def small_pack(**game: object) -> Pack:
    """Two chapters, two characters, both on stage."""
    return Pack(
        game=GameInfo.model_validate(
            {
                "id": "small", "title": "Small", "description": "A small game.", "characters": ("ann", "bob"),
                "chapters": ("one", "two"), "player": PlayerInfo(name="Alex"), **game,
            }
        ),
        world=World(setting="A tower in the sea.", tone="Quiet.", rules="Nothing is free."),
        characters={
            "ann": Character(name="Ann Lee", role="keeper", personality="Dry.", secret="ANNSECRET burned the log."),
            "bob": Character(name="Bob", role="diver", personality="Loud.", secret="BOBSECRET cannot swim."),
        },
        chapters={"one": chapter("one", "two"), "two": chapter("two")},
    )  # fmt: skip


class Ticking:
    """A clock that goes on by one second at each look."""

    def __init__(self) -> None:
        self._seconds = count()

    def __call__(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=next(self._seconds))


@dataclass
class Stage:
    """A session on a scripted model, with all events it published."""

    session: StorySession
    model: Scripted
    events: list[Event]
    home: Path

    @property
    def game(self) -> Game:
        return self.session.game

    def prompt(self, key: str) -> str:
        """What was last sent under a key."""
        return self.model.prompts(key)[-1]

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def said(self, line: str) -> str:
        """The answer of a command, once what it told is saved."""
        text = (await run_command(self.session, line)).text
        await self.session.settle()
        return text

    async def turn(self, *lines: str, **answers: Answer) -> None:
        """Play a turn for each line to its commit; from the first on the model gives these answers too."""
        self.model.answers |= answers
        for line in lines:
            await self.session.play(line)
            await self.session.settle()

    async def mark(self, *beats: int) -> None:
        for beat in beats:
            await self.session.edit(mark_beat, beat, hit=True)

    async def held(self, key: str, telling: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """`telling` as a task that has come to the call `key`, which waits at its gate."""
        self.model.gates[key] = asyncio.Event()
        asked = len(self.model.asked)
        task = asyncio.create_task(telling)
        await until(lambda: key in self.model.called()[asked:])
        return task

    async def reopened(self) -> Stage:
        """The same save in a new session, as after a new start of the program."""
        return await self._opened(self.session.folder)

    async def killed(self, *tasks: asyncio.Task[Any]) -> Stage:
        """A copy of the save as it stands now, in a new session, as after a kill of the program in the midst of `tasks`."""
        folder = self.home / f"killed-{len(list(self.home.iterdir()))}"
        assert self.session.save.foreign_edits is not None  # waits until no file is half-way to its place
        shutil.copytree(self.session.folder, folder)
        for gate in self.model.gates.values():
            gate.set()
        self.model.gates.clear()
        await self.session.close(keep=False)
        await asyncio.gather(*tasks, return_exceptions=True)
        return await self._opened(folder)

    async def _opened(self, folder: Path) -> Stage:
        bus, events = Bus(Ticking()), list[Event]()
        bus.listen(events.append)
        session = await open_session(folder, lambda pack, seed: self.model, bus)
        return Stage(session, self.model, events, self.home)


async def stage(home: Path, model: Scripted, pack: Pack | None = None, *, seed: int = 1) -> Stage:
    bus, events = Bus(Ticking()), list[Event]()
    bus.listen(events.append)
    session = await create_session(
        Library(home), pack or small_pack(), "Test", "Alex", seed, lambda pack, seed: model, bus, id="test"
    )
    return Stage(session, model, events, home)
