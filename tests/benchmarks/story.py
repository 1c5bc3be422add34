"""What the prompts of a game are made of: remembered lines told twice, their length, and how much of them is new.

    python -m tests.benchmarks.story [--turns 17] [--window 8192] [--pack lost-island] [--narration WORDS]

A game is played on a scripted server that writes as many words as each prompt asks for, as a small model does
(`--narration` fixes those of a page). Every page and every remembered line carries a mark of its turn, so that the
prompts themselves show which lines stand beside the page that they are from. Only prompts as sent are read. Prints
JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.telling_server import Author, playing
from tests.benchmarks.writing import Writer
from tests.support.fake_server import Request
from theact_tui.prompting.tokens import estimate

THINGS = (
    "lantern kettle compass anchor ladder mirror trumpet barrel candle hammer ribbon saddle whistle basket needle "
    "pillow shovel violin blanket chimney"
).split()
PAGE, LINE = re.compile(r"PAGE(\d+)x"), re.compile(r"LINE(\d+)x")
RECALLED = re.compile(r"(?:What this brings back, from long ago:|FROM LONG AGO[^\n]*)\n((?:- .*\n?)+)")
WORDS = re.compile(r"(?:(\d+) to |at most )(\d+) words")
CLERKS = ("progress", "memory", "keeper", "summary", "recap", "epilogue")


def thing(turn: int) -> str:
    """What turn `turn` is about."""
    return THINGS[turn % len(THINGS)]


@dataclass
class Told(Author):
    """Writes what is asked for, with the mark of the turn in every page and every line to be remembered."""

    turn: int = 0
    fixed: int | None = None

    def __post_init__(self) -> None:
        self._prose = Writer(1).prose
        self._checks = 0
        super().__post_init__()

    def line(self) -> str:
        """What the player types: of what has just happened, and of something long ago."""
        return f"I lift the {thing(self.turn)} and ask about the {thing(self.turn - 9)} and the {thing(self.turn - 1)}."

    def answer(self, request: Request) -> str:
        """The reply to a request, by its agent."""
        mark = f"PAGE{self.turn}x the {thing(self.turn)}"
        match request.agent.partition(":"):
            case "narrator", _, _:
                ids = ", ".join(re.findall(r"\(id ([\w-]+)\)", request.prompt))
                text = f"{mark} {self._prose((self.fixed or asked_words(request.prompt)) - 3)}"
                return f"```yaml\nnarration: |\n  {text}\nresponding_characters: [{ids}]\nmood: tense\npresent: [{ids}]\n```"
            case "character", _, _:
                return self._prose(80)
            case "memory", _, name if "want: (" not in request.prompt:
                facts = [
                    f"  - {name.title()} saw that the {thing(self.turn)} was {word}, LINE{self.turn}x."
                    for word in ("old", "gone")
                ]
                return "\n".join(
                    ["```yaml", f"summary: {self._prose(45)}", "add:", *facts, "update: []", "```"]
                )
            case "progress", _, _:
                return self._checked(request.prompt, mark)
            case _:
                return super().answer(request)

    def _checked(self, prompt: str, mark: str) -> str:
        self._checks += 1
        beats = re.findall(r"^(\d+)\. (?!\[x\])", prompt, re.MULTILINE)
        hit = beats[:1] if self._checks % self.beat_every == 0 else []
        quotes = f"quotes: [{mark}]\n" if hit and "quotes:" in prompt else ""
        return f"```yaml\nreason: so\nnew_beats: [{', '.join(hit)}]\n{quotes}chapter_complete: false\n```"


def asked_words(prompt: str) -> int:
    """The length that a small model writes when a prompt asks for one: a little over the least of it."""
    found = WORDS.findall(prompt)
    least, most = (int(found[-1][0] or 60), int(found[-1][1])) if found else (150, 300)
    return least + (most - least) // 5


@dataclass(frozen=True)
class Sent:
    """A prompt as it arrived."""

    turn: int
    agent: str
    text: str
    fresh: float
    """The tokens after the longest beginning that it shares with any prompt before."""

    @property
    def kind(self) -> str:
        name = self.agent.partition(":")[0]
        return "clerks" if name in CLERKS else {"character": "characters"}.get(name, name)


async def play(folder: Path, author: Told, pack: str, window: int, turns: int) -> list[Sent]:
    """The prompts of a game of so many turns."""
    sent: list[Sent] = []
    async with playing(folder, author, pack=pack, window=window) as (session, server):
        for author.turn in range(1, turns + 1):
            await (session.open_story() if author.turn == 1 else session.play(author.line()))
            await session.settle()
            for request in server.calls:
                text = "".join(f"<|{m['role']}|>\n{m['content']}\n" for m in request.body["messages"])
                same = max((common(text, one.text) for one in sent), default=0)
                sent.append(Sent(author.turn, request.agent, text, estimate(text[same:])))
            server.requests.clear()
    return sent


def common(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def told_twice(sent: Iterable[Sent]) -> dict[str, dict[str, float]]:
    """Remembered lines in the prompts of narrator and characters, and how many stand beside the page they are from."""
    shown: Counter[str] = Counter()
    double: Counter[str] = Counter()
    for one in sent:
        if one.kind not in ("narrator", "characters"):
            continue
        pages = set(PAGE.findall(one.text))
        recalled = "".join(RECALLED.findall(one.text))
        for kind, text in (("recalled", recalled), ("facts", RECALLED.sub("", one.text))):
            lines = LINE.findall(text)
            shown[kind] += len(lines)
            double[kind] += sum(turn in pages for turn in lines)
    return {
        kind: {"shown": shown[kind], "verbatim_share": round(double[kind] / max(1, shown[kind]), 3)}
        for kind in ("facts", "recalled")
    }


def fresh_shares(sent: Sequence[Sent]) -> dict[str, float]:
    """The share of the prompts' text that no earlier prompt of any agent begins with."""
    all_of: defaultdict[str, float] = defaultdict(float)
    new: defaultdict[str, float] = defaultdict(float)
    for one in sent:
        for name in (one.kind, "all"):
            all_of[name] += estimate(one.text)
            new[name] += one.fresh
    return {name: round(new[name] / all_of[name], 3) for name in sorted(all_of)}


def measure(sent: Sequence[Sent], at: int = 11) -> dict[str, object]:
    """All figures of a game."""
    sizes: defaultdict[int, float] = defaultdict(float)
    for one in sent:
        sizes[one.turn] += estimate(one.text)
    around = [sizes[turn] for turn in range(at - 2, at + 3) if turn in sizes]
    return {
        "told_twice": told_twice(sent),
        "tokens": {
            f"turn {at}": round(sizes[at]),
            f"mean of turns {at - 2} to {at + 2}": round(sum(around) / max(1, len(around))),
            "mean of all turns": round(sum(sizes.values()) / len(sizes)),
            "longest turn": round(max(sizes.values())),
            "by agent": {one.agent: round(estimate(one.text)) for one in sent if one.turn == at},
        },
        "fresh_share": fresh_shares(sent),
        "calls": len(sent),
    }


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=17)
    parser.add_argument("--window", type=int, default=8192)
    parser.add_argument("--pack", default="lost-island")
    parser.add_argument("--narration", type=int)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        author = Told(fixed=options.narration)
        sent = asyncio.run(play(Path(home), author, options.pack, options.window, options.turns))
    print(json.dumps(measure(sent), indent=2))


if __name__ == "__main__":
    main()
