"""Play a pack by answering its prompts by hand, as a small model would: the best way to judge them.

    python -m tests.tools.answer_by_hand FOLDER [--pack lost-island] [--window 8192] [--player Sam]
    python -m tests.tools.answer_by_hand FOLDER --create "A sentence." [--characters 1] [--chapters 1]

The first plays a pack (its id, or a folder), the second writes one into `FOLDER/packs`.

Every prompt is written to `FOLDER/asked/<number>-<key>.txt`; its reply is taken from `FOLDER/answers/<key>.txt`, or
from `<number>.txt` there, as soon as that file exists. The player's line is taken from `answers/line.txt`; an empty one
lets the story open or go on by itself, and a command with a slash is run. `FOLDER/events.txt` says what happens. Made
to be run in the background: write a few answers, read what is asked next, and go on. The line `/quit` ends it; the same
folder plays on.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from pathlib import Path

from theact_tui.authoring.author import Author
from theact_tui.authoring.draft import Draft
from theact_tui.authoring.questions import next_part
from theact_tui.engine.bus import Bus
from theact_tui.engine.commands import is_command, run_command
from theact_tui.engine.events import Event, Notice, PresenceChanged, TurnSaved, TurnSpoken
from theact_tui.engine.factory import create_session, open_session
from theact_tui.errors import TheActError
from theact_tui.models.base import Model, Models, Piece, Request
from theact_tui.packs.loader import load_pack
from theact_tui.paths import Home
from theact_tui.prompting.sections import Prompt
from theact_tui.prompting.tokens import Tokens
from theact_tui.saves.library import Library
from theact_tui.story.pack import Pack

CONTENT = Path(__file__).parents[2] / "content"
PAUSE = 0.1
"""Seconds between two looks for an answer."""


@dataclass
class ByHand(Models):
    """A model whose replies are files that somebody writes."""

    folder: Path
    window: int = 8192
    provider: str = "by hand"
    name: str = "by hand"
    local: bool = True
    max_parallel: int = 8
    warms: bool = False
    tokens: Tokens = field(default_factory=Tokens)

    def __post_init__(self) -> None:
        for name in ("asked", "answers"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self._asked = len(list((self.folder / "asked").iterdir()))

    def for_agent(self, agent: str) -> Model:
        return self

    async def probe(self) -> tuple[str, ...]:
        return ()

    async def close(self) -> None:
        return None

    async def warm_up(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        yield Piece(finish="length")

    def stop_warming(self) -> None:
        self.warms = False

    async def stream(self, ask: Request) -> AsyncGenerator[Piece, None]:
        self._asked += 1
        number = f"{self._asked:03}"
        parts = [f"<{m['role']}>\n{m['content']}" for m in ask.prompt.messages(ask.correction)]
        (self.folder / "asked" / f"{number}-{ask.key}.txt").write_text("\n\n".join(parts))
        yield Piece(text=await self.answer(number, ask.key))
        yield Piece(finish="stop")

    async def answer(self, *names: str) -> str:
        """The text of the first of these answers that is there; its file is taken away."""
        files = [self.folder / "answers" / f"{name}.txt" for name in names]
        while not (found := [file for file in files if file.exists()]):
            await asyncio.sleep(PAUSE)
        text = found[0].read_text()
        found[0].unlink()
        return text


async def play(folder: Path, pack_name: str, window: int, player: str) -> None:
    """Play until told to quit."""
    model, bus = ByHand(folder, window), Bus()
    log = (folder / "events.txt").open("a", buffering=1)

    def note(event: Event) -> None:
        if isinstance(event, Notice | PresenceChanged | TurnSaved | TurnSpoken):
            log.write(f"{event}\n")

    bus.listen(note)

    def models(pack: Pack, seed: int) -> Models:
        return model

    save = folder / "saves" / "game"
    if save.exists():
        session = await open_session(save, models, bus)
    else:
        own = Path(pack_name)
        pack = load_pack(own if own.is_dir() else CONTENT / pack_name)
        session = await create_session(Library(folder), pack, "game", player, 1, models, bus)
    while (line := (await model.answer("line")).strip()) != "/quit":
        try:
            if is_command(line):
                log.write((await run_command(session, line)).text + "\n")
            else:
                await (session.play(line) if line else session.go_on())
                await session.settle()
        except TheActError as error:
            log.write(f"{error}\n")
        log.write(f"--- turn {session.game.state.turn}, {session.game.state.present}: next line\n")
    await session.close()


async def create(folder: Path, window: int, premise: str, characters: int, chapters: int) -> None:
    """Let the author agents write a pack, and say what became of it."""
    home = Home.find(folder).create()
    drafts = list(home.drafts.iterdir()) if home.drafts.is_dir() else []
    draft = (
        Draft.open(drafts[0])
        if drafts
        else Draft.begin(home, premise, characters=characters, chapters=chapters)
    )
    with (folder / "events.txt").open("a", buffering=1) as log:
        author = Author(draft, ByHand(folder, window), on_step=lambda text: print(text, file=log))
        while part := next_part(author.draft):
            print(await author.write(part), file=log)
        print(f"Wrote {draft.finish(home)}: {draft.findings()}", file=log)


def main() -> None:
    """Read the options and play."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pack", default="lost-island")
    parser.add_argument("--window", type=int, default=8192)
    parser.add_argument("--player", default="")
    parser.add_argument("--create", default="")
    parser.add_argument("--characters", type=int, default=1)
    parser.add_argument("--chapters", type=int, default=1)
    options = parser.parse_args()
    if options.create:
        counts = (options.characters, options.chapters)
        asyncio.run(create(options.folder, options.window, options.create, *counts))
        return
    asyncio.run(play(options.folder, options.pack, options.window, options.player))


if __name__ == "__main__":
    main()
