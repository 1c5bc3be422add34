"""Work per streamed token with 20,000 words on screen against an empty one: at most 1.3 times. And how long a
letter typed meanwhile takes from the key to the frame that shows it.

    python -m tests.benchmarks.streaming

Prints one line of JSON. CPU seconds of the process, headless, 120x40, 200 tokens a second, four letters a second.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.app import App, ComposeResult
from textual.screen import Screen

from tests.benchmarks.terminal import Terminal
from tests.support.fake_model import small_pack
from theact_tui.engine.events import NarrationToken, TurnStarted
from theact_tui.story.turn import Entry, Turn
from theact_tui.tui.blocks import Cast, turn_blocks
from theact_tui.tui.play.live_turn import LiveTurn
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.play.writing_box import PromptInput, PromptTextArea
from theact_tui.tui.running_turn import RunningTurn
from theact_tui.tui.widgets.base_screen import BaseScreen

if TYPE_CHECKING:
    from rich.console import RenderableType

WORDS_PER_TURN = 350
TOKENS = 800
RATE = 200
"""Tokens a second."""
SENTENCE = (
    "The stones here are cut, and the trees lean away from the warm water that comes out between them. "
)


class Stage(BaseScreen[None]):
    """A transcript and a writing box."""

    def compose(self) -> ComposeResult:
        yield Transcript()
        yield PromptInput()


class Bench(App[None]):
    """The stage alone."""

    def on_mount(self) -> None:
        self.push_screen(Stage())

    def __init__(self) -> None:
        super().__init__()
        self.typed = 0
        self.pressed = 0.0
        self.waits: list[float] = []
        """Seconds from each key to its frame."""

    def press(self) -> None:
        """A letter, as the terminal sends it."""
        self.typed, self.pressed = self.typed + 1, time.perf_counter()
        self.post_message(events.Key("x", "x"))

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        prompt = self.screen.query(PromptTextArea)
        if self.pressed and prompt and len(prompt.first().text) == self.typed:
            self.waits.append(time.perf_counter() - self.pressed)
            self.pressed = 0.0

    def get_theme_variable_defaults(self) -> dict[str, str]:
        from theact_tui.tui.themes import fallback_variables

        return fallback_variables()


def history(words: int) -> list[TurnLayout]:
    """Turns that hold about so many words."""
    pack = small_pack()
    cast = Cast.of(pack)
    text = "\n\n".join([SENTENCE * 4] * (WORDS_PER_TURN // (4 * len(SENTENCE.split()))))
    turns = [
        Turn(number=number, chapter="one", entries=(Entry(role="narrator", text=text),))
        for number in range(1, words // len(text.split()) + 1)
    ]
    return [TurnLayout(turn.number, turn_blocks(pack, cast, turn)) for turn in turns]


@dataclass(frozen=True)
class Measured:
    """Milliseconds: CPU per token, the longest wait of the loop beyond its rate, and from keys to their frames."""

    token: float
    slowest: float
    keys: list[float]


async def measure(words: int) -> Measured:
    """Stream with `words` behind the stream, and type."""
    app = Bench()
    app.driver_class = Terminal
    async with app.run_test(headless=False, size=(120, 40)) as pilot:
        await pilot.pause()
        transcript = app.screen.query_one(Transcript)
        pack = small_pack()
        leaves = history(words)
        transcript.show(leaves, len(leaves))
        running = RunningTurn()
        telling = LiveTurn(
            transcript, running, lambda turn, moments: turn_blocks(pack, Cast.of(pack), turn, moments)
        )
        running.apply(TurnStarted(turn=len(leaves) + 1, text="I listen."))
        telling.begin("one")
        app.screen.query_one(PromptTextArea).focus()
        await pilot.pause()
        tokens = (SENTENCE * 400).split(" ")[:TOKENS]
        slowest = 0.0
        began = time.process_time()
        for number, token in enumerate(tokens):
            running.apply(NarrationToken(text=f"{token} " + ("\n\n" if number % 80 == 79 else "")))
            telling.draw_soon()
            if number % (RATE // 4) == 10:
                app.press()
            asked = time.perf_counter()
            await asyncio.sleep(1 / RATE)
            slowest = max(slowest, time.perf_counter() - asked - 1 / RATE)
        spent = time.process_time() - began
    return Measured(1000 * spent / TOKENS, 1000 * slowest, [1000 * wait for wait in app.waits])


async def main() -> None:
    rounds = [(await measure(0), await measure(20_000)) for _ in range(3)]
    empty = statistics.median(bare.token for bare, _ in rounds)
    full = statistics.median(long.token for _, long in rounds)
    keys = sorted(wait for _, long in rounds for wait in long.keys)
    print(
        json.dumps(
            {
                "ms_per_token_empty": round(empty, 3),
                "ms_per_token_20000_words": round(full, 3),
                "ratio": round(full / empty, 2),
                "target": 1.3,
                "slowest_frame_ms": round(max(long.slowest for _, long in rounds), 1),
                "key_to_paint_ms": {
                    "keys": len(keys),
                    "median": round(statistics.median(keys), 1),
                    "p95": round(keys[int(0.95 * (len(keys) - 1))], 1),
                    "max": round(keys[-1], 1),
                },
            }
        )
    )


if __name__ == "__main__":
    asyncio.run(main())
