"""Put moments to a server as the program would, and keep the answers in a file, one a line, so that a run can go on later."""

import asyncio
import hashlib
import json
import time
from collections.abc import Iterable, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.prose.moments import Moment
from theact_tui.engine.choose_models import ModelsChooser
from theact_tui.models.environment import ModelOptions
from theact_tui.models.model import Request
from theact_tui.models.sampling import from_line
from theact_tui.models.settings import Settings
from theact_tui.parsing.loops import goes_round
from theact_tui.parsing.speakers import name_words, others_of
from theact_tui.prompting.sections import Message, Prompt, Section


@dataclass(frozen=True)
class Rendering:
    """What is asked at each moment, by its id."""

    messages: dict[str, list[Message]]
    grammars: dict[str, str]
    """Of prose, for small models on llama.cpp."""

    @property
    def wording(self) -> str:
        """A hash of all of it."""
        parts = [self.messages, *([self.grammars] if self.grammars else [])]
        text = "".join(json.dumps(part, sort_keys=True) for part in parts)
        return hashlib.sha256(text.encode()).hexdigest()[:10]


@dataclass(frozen=True)
class Row:
    """One page or reply of a model."""

    wording: str
    """A hash of the messages of all moments."""
    moment: str
    model: str
    draw: int
    text: str
    finish: str
    prompt_tokens: int
    tokens: int
    seconds: float


def rendered(moments: Iterable[Moment]) -> Rendering:
    """What this version of the program asks."""
    told = list(moments)
    return Rendering(
        {one.id: one.call().prompt.messages() for one in told}, {one.id: one.grammar for one in told}
    )


def read_rows(file: Path) -> list[Row]:
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return [Row(**json.loads(line)) for line in lines]


def tell(
    moments: Sequence[Moment],
    asked: Rendering,
    *,
    base_url: str,
    model: str,
    draws: int,
    file: Path,
    sampling: str = "",
) -> None:
    """Ask for what `file` lacks of these moments and add it there. Raises `CallError`."""
    settings = from_line(sampling)
    wording = asked.wording
    rows = {(row.wording, row.moment, row.model, row.draw) for row in read_rows(file)}
    for draw in range(1, draws + 1):
        for moment in moments:
            if (wording, moment.id, model, draw) not in rows:
                text, finish, sent, written, seconds = asyncio.run(
                    _answer(moment, asked, base_url, model, {"seed": draw, **settings})
                )
                row = Row(wording, moment.id, model, draw, text, finish, sent, written, seconds)
                with file.open("a", encoding="utf-8") as added:
                    added.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")


async def _answer(
    moment: Moment, asked: Rendering, base_url: str, model: str, sampling: dict[str, Any]
) -> tuple[str, str, int, int, float]:
    """The text, how it ended, tokens of prompt and text, and seconds."""
    profile = {
        "base_url": base_url,
        "model": model,
        "server": "llama.cpp",
        "sampling": sampling,
        "timeout": 900,
    }
    settings = Settings.model_validate({"profile": "bench", "profiles": {"bench": profile}})
    models = ModelsChooser(settings, ModelOptions(), {}, None)(moment.pack, 1)
    call = moment.call()
    messages = asked.messages[moment.id]
    prompt = Prompt(tuple(Section("", m["content"], part=m["role"]) for m in messages), 0, 0)
    stop = tuple(f"\n{name}:" for name in others_of(moment.context))
    ask = Request(
        moment.agent,
        moment.key,
        prompt,
        call.reply_tokens,
        call.agent.temperature,
        grammar=asked.grammars.get(moment.id, ""),
        stop=stop,
        names=name_words(moment.context),
    )
    text, finish, usage, began = "", "", None, time.monotonic()
    try:
        async with aclosing(models.default.stream(ask)) as pieces:
            async for piece in pieces:
                text = piece.text if piece.restart else text + piece.text
                finish, usage = piece.finish or finish, piece.usage if piece.finish else usage
                if goes_round(text):
                    finish = "loop"
                    break
    finally:
        await models.close()
    sent, written = (usage.prompt or 0, usage.completion or 0) if usage else (0, 0)
    return text, finish, sent, written, round(time.monotonic() - began, 1)
