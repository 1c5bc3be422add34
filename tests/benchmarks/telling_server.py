"""A scripted server that answers every agent of play mode at realistic lengths, and plays a game on it over HTTP."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.fake_server import Request, ScriptedServer, say
from tests.support.writing import Writer
from theact_tui.engine.bus import Bus
from theact_tui.engine.choose_models import ModelsChooser
from theact_tui.engine.open_sessions import create_session
from theact_tui.engine.session import StorySession
from theact_tui.models.environment import ModelOptions
from theact_tui.models.model import Models
from theact_tui.models.settings import Settings
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.saves.library import Library
from theact_tui.story.pack import Pack


@dataclass
class Author:
    """Writes the replies. Lengths in words; a beat is reached every `beat_every` turns."""

    narration: int = 200
    reply: int = 80
    beat_every: int = 4
    answers: int = 2
    """Characters that answer a page, at most."""

    def __post_init__(self) -> None:
        self._writer = Writer(1)
        self._checks = 0
        self._page = ""

    def line(self) -> str:
        """What the player types."""
        return f"I look closer. {self._writer.prose(10)}"

    def answer(self, request: Request) -> str:
        """The reply to a request, by its agent."""
        write = self._writer.prose
        match request.agent.partition(":")[0]:
            case "narrator":
                self._page = write(self.narration)
                return self._page
            case "stage":
                fields = request.body["response_format"]["json_schema"]["schema"]["properties"]
                here, answer = (
                    fields.get(name, {}).get("items", {}).get("enum", []) for name in ("here", "answer")
                )
                form = {"answer": answer[: self.answers], "only": {}, "mood": "calm", "here": here}
                return json.dumps(form)
            case "warm-up":
                return "The"
            case "character":
                return write(self.reply)
            case "memory" if "'s life is over." in request.prompt:  # when a chapter has ended
                return json.dumps({"want": f"To {write(9)}", "hide": write(9), "beliefs": []})
            case "memory":
                return json.dumps({"new": [{"fact": write(9), "kind": "none"}], "changed": {}})
            case "progress" if "One question about these words" in request.prompt:
                return '{"finished": true}'
            case "progress":
                return self._progress(request.prompt)
            case "keeper":
                return '{"risk": "", "difficulty": 12}'
            case _:
                return write(60)

    def _progress(self, prompt: str) -> str:
        self._checks += 1
        beats = re.findall(r"^(\d+)\. ", prompt.rpartition("Has this happened")[2], re.MULTILINE)
        answers: dict[str, object] = dict.fromkeys(beats, "no")
        if beats and self._checks % self.beat_every == 0:
            answers[beats[0]] = " ".join(self._page.split()[:6])
        return json.dumps({**answers, "end": len(beats) < 2})


@asynccontextmanager
async def playing(
    folder: Path, author: Author, *, pack: str = "lost-island", window: int = 8192
) -> AsyncIterator[tuple[StorySession, ScriptedServer]]:
    """A new game of a shipped pack below `folder`, told by `author` over HTTP."""
    with ScriptedServer(say(author.answer, size=400)) as server:
        options = ModelOptions(base_url=server.url, model="scripted")
        settings = Settings.model_validate(
            {"profile": "bench", "profiles": {"bench": {"context_limit": window, "max_parallel": 2}}}
        )

        def models(chosen: Pack, seed: int) -> Models:
            return ModelsChooser(settings, options, {}, folder / "cache")(chosen, seed)

        game = load_pack(shipped_folder() / pack)
        session = await create_session(Library(folder), game, "bench", "Sam", 1, models, Bus())
        try:
            yield session, server
        finally:
            await session.close()
