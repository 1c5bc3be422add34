"""Somebody at the keyboard of the direct screen: a real save, a model whose answers are known or the storyteller."""

import asyncio
import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from textual.widgets import TextArea

from tests.support.direct_chapters import counted_ids
from tests.support.fake_model import Answer, Scripted
from tests.support.pilot import Hands, at_home, make_app, still, until
from tests.support.said import said
from theact_tui.engine.bus import Bus
from theact_tui.engine.direct.example import example
from theact_tui.engine.direct.session import DirectSession
from theact_tui.engine.open_sessions import create_direct, open_direct
from theact_tui.models.model import Models
from theact_tui.models.model_for_agent import Offline
from theact_tui.saves.library import Library
from theact_tui.story.direct.state import fill_setup
from theact_tui.storyteller import Storyteller
from theact_tui.tui.app import TheActApp
from theact_tui.tui.direct.fields import DirectTabs, NumberedChoices
from theact_tui.tui.direct.screen import DirectScreen
from theact_tui.tui.widgets.footer import Footer


def storyteller() -> Models:
    return Offline(Storyteller(None, 0))


def app_for(root: Path, theme: str = "") -> TheActApp:
    return make_app(root, models=lambda pack, seed: storyteller(), theme=theme)


async def new_chapter(app: TheActApp, models: Models | None = None) -> DirectSession:
    return await _new(Library(app.home.data), models or storyteller())


async def _new(library: Library, models: Models) -> DirectSession:
    return await create_direct(library, "Tower", models, Bus(still), ids=counted_ids())


def scripted() -> Scripted:
    return Scripted(
        answers={
            "lock": json.dumps(
                {"world": {"genre": "gothic"}, "chapter": {"premise": "The bell must come down."}}
            ),
            **{f"actor:{n}": f"I try. (actor:{n})" for n in range(1, 8)},
            "delta": json.dumps(
                {
                    "major_events": [
                        {"event": "The bell moved.", "cause": "", "effect": "", "participants": []}
                    ]
                }
            ),
            "chapter": "The bell came down. It rained.",
        },
        max_parallel=1,
    )


REPLY = (
    '"Not yet," I say, and put my palm flat on the bronze to feel whether it is humming.\n\n'
    "I try to reach the lamp without stepping on the wet boards."
)
"""What every agent answered in the begun chapter."""
PLAYED = 6
"""Its prompts: with one more its first summary is due."""


def prompt_at(number: int) -> str:
    return f"The bell speaks for the {number}. time, and the water answers it."


async def begin_chapter(root: Path) -> Path:
    """The folder of a closed chapter: the example, locked, and directed through `PLAYED` prompts."""
    model = scripted()
    all_actors(model, REPLY)
    session = await _new(Library(root), model)
    session.edit(fill_setup, example().setup)
    await session.lock()
    for number in range(1, PLAYED + 1):
        await session.prompt(session.game.focus, prompt_at(number))
    await session.close()
    return session.save.folder


async def open_begun(app: TheActApp, begun: Path, model: Scripted) -> DirectSession:
    """A copy of a begun chapter, open in the app's own home."""
    folder = app.home.saves / begun.name
    shutil.copytree(begun, folder)
    return await open_direct(folder, model, Bus(still))


def all_actors(model: Scripted, answer: Answer) -> None:
    for n in range(1, 8):
        model.answers[f"actor:{n}"] = answer


class Master(Hands[DirectScreen]):
    kind = DirectScreen

    @property
    def directing(self) -> bool:
        return isinstance(self.app.screen, DirectScreen)

    @property
    def session(self) -> DirectSession:
        return self.screen.session

    @property
    def state(self) -> str:
        return self.session.session.state

    def field(self, id: str) -> TextArea:
        return self.screen.prompt.writing if id == "prompt" else self.screen.query_one(f"#{id}", TextArea)

    def fill(self, id: str, text: str) -> None:
        self.field(id).text = text

    @property
    def page(self) -> list[str]:
        """The paragraphs of the transcript."""
        turns = self.screen.transcript.window.turns
        texts = (block.text.plain for turn in turns for block in turn.blocks)
        return [text for text in texts if text.strip()]

    @property
    def copied(self) -> str:
        self.screen.transcript.text_select_all()
        return self.screen.get_selected_text() or ""

    def said(self, id: str) -> str:
        """What a text pane says, plain."""
        return said(self.screen, f"#{id}")

    @property
    def chapter_page(self) -> list[str]:
        """The paragraphs of the Chapter tab, below its title."""
        blocks = self.screen.chapter.pages.window.turns[0].blocks
        return [block.text.plain for block in blocks[3:]]

    def can(self, action: str) -> bool:
        return not self.screen.why_not(action, ())

    def bar(self, id: str) -> list[str]:
        return [choice.label for choice in self.screen.query_one(f"#{id}", NumberedChoices).choices]

    @property
    def head(self) -> str:
        return self.screen.query_one(DirectTabs).note

    @property
    def footer(self) -> str:
        return "  ".join(f"{hint.key} {hint.does}" for hint in self.screen.query_one(Footer).shown)

    @property
    def slot(self) -> int:
        """Who is asked next."""
        return self.screen.asking.number

    async def settle(self) -> None:
        await until(
            self.pilot,
            lambda: (
                not (
                    self.session.busy
                    or self.screen.performing
                    or self.screen.status.doing
                    or self.screen.is_stale
                )
                and self.screen.transcript.window.newest == self.session.session.prompt_index
            ),
            "the session to be idle",
        )

    async def done(self, state: Callable[[], bool], what: str) -> None:
        """Wait until `state` holds, and until nothing is being done."""
        await until(self.pilot, state, what)
        await self.settle()

    async def open(self, session: DirectSession) -> None:
        await at_home(self.pilot)
        over = partial(self.app.open_over, session)
        self.app.push_screen(DirectScreen(session, open_screen=over, cursor_blink=False))
        await self.done(lambda: self.directing, "the direct screen")

    async def begin_lock(self) -> None:
        """Go to Direct for the first time, and wait until Setup is being locked."""
        await self.press("f9", "y")
        await until(self.pilot, lambda: self.session.session.state == "LOCKING", "the call")

    async def build(self) -> None:
        """Give one prompt, end the chapter, and have a first draft written."""
        await self.give("Scene 1.")
        await self.end()
        await self.draft(1)

    async def end(self) -> None:
        """End the chapter."""
        await self.press("f10", "y")
        await self.done(lambda: self.state == "ENDED" and self.screen.tab == 3, "the end")

    async def draft(self, number: int) -> None:
        """Have this draft written."""
        await self.press("f10")
        await self.done(lambda: len(self.session.game.drafts) == number, "a draft")

    async def lock_example(self) -> None:
        """Fill Setup with the example, and go to Direct for the first time."""
        await self.press("f10")
        await self.lock()

    async def lock(self) -> None:
        await self.press("f9")
        await self.press("y")
        await self.done(lambda: self.state == "ACTIVE" and self.screen.tab == 2, "the lock")

    async def give(self, text: str) -> None:
        """Give one prompt to the character whose turn it is, and wait for all that follows."""
        self.fill("prompt", text)
        await self.send()

    async def send(self) -> None:
        """Give what is typed, and wait for all that follows."""
        before = self.session.session.prompt_index
        await self.press("enter")
        await self.done(lambda: self.session.session.prompt_index == before + 1, "an answer")

    async def trouble(self, words: str) -> None:
        def is_said() -> bool:
            return words in self.screen.status.warning or words in " ".join(self.page)

        await self.done(is_said, "the reason")

    async def kept_waiting(self, model: Scripted) -> None:
        """Give the first agent a prompt whose answer does not come yet."""
        model.gates["actor:1"] = asyncio.Event()
        await self.type("Wait.", "enter")
        await until(self.pilot, lambda: self.session.busy, "the call")

    async def answered(self, model: Scripted) -> None:
        model.gates["actor:1"].set()
        await self.done(lambda: self.session.session.prompt_index == 1, "the answer")

    async def stop(self) -> None:
        await self.press("escape")
        await self.done(lambda: not self.session.busy, "the stop")
