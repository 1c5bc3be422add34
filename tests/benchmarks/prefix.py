"""How much of its prompt a server with a prefix cache must evaluate anew, and how prompts grow (S14). Prints JSON.

    python -m tests.benchmarks.prefix [--turns 40] [--long 500] [--narration 200] [--reply 80] [--server URL]
    python -m tests.benchmarks.prefix --turn 6 [--answers 1] [--pack lost-island]

Prompts are taken as they arrive at a scripted server. Tokens are counted by the program's own estimate. With `--server`
the same prompts, of all agents in their order, are sent to a real llama.cpp server as well, which says what it evaluated.
With `--turn` the calls of one turn are listed alone: what each sends, and what of it is fresh to a server.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import urllib.request
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.telling_server import Author, playing
from theact_tui.text import estimate_tokens


@dataclass(frozen=True)
class Sent:
    """A prompt as it arrived, and how much of it was the same as the last one of that agent."""

    turn: int
    agent: str
    tokens: float
    fresh: float
    """Tokens after the part that is byte-identical to the beginning of the prompt before."""
    messages: list[dict[str, str]]


def text_of(messages: Sequence[dict[str, str]]) -> str:
    """All messages as a chat template would put them together."""
    return "".join(f"<|{m['role']}|>\n{m['content']}\n" for m in messages)


def common(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one.startswith(other[:middle]) else (low, middle - 1)
    return low


def fresh_in(text: str, kept: Sequence[str]) -> float:
    """The tokens of a prompt behind the longest beginning that a kept one has in common with it."""
    return estimate_tokens(text[max((common(text, before) for before in kept), default=0) :])


async def play(
    folder: Path, author: Author, turns: int, window: int, pack: str = "lost-island", *, ahead: bool = False
) -> list[Sent]:
    """The prompts of a game of so many turns; with `ahead` the player reads until the next prompt was sent ahead."""
    sent: list[Sent] = []
    last: dict[str, str] = {}
    async with playing(folder, author, pack=pack, window=window) as (session, server):
        if ahead:
            session.read_ahead()
        for turn in range(1, turns + 1):
            await session.play(author.line())
            await session.settle()
            while ahead and not (server.calls[-1].agent == "warm-up" and server.calls[-1].gone.is_set()):
                await asyncio.sleep(0.01)
            for request in server.calls:
                text, before = text_of(request.body["messages"]), last.get(request.agent, "")
                fresh = fresh_in(text, [before])
                sent.append(Sent(turn, request.agent, estimate_tokens(text), fresh, request.body["messages"]))
                last[request.agent] = text
            server.requests.clear()
    return sent


def evaluated(sent: Sequence[Sent], url: str) -> list[Sent]:
    """The same prompts, with the tokens that the llama.cpp server at `url` had and those it evaluated."""
    told: list[Sent] = []
    for one in sent:
        body = json.dumps({"messages": one.messages, "max_tokens": 1, "cache_prompt": True}).encode()
        headers = {"Content-Type": "application/json"}
        with urllib.request.urlopen(
            urllib.request.Request(f"{url}/chat/completions", body, headers)
        ) as answer:
            times: dict[str, Any] = json.loads(answer.read())["timings"]
        new = times["prompt_n"]
        told.append(Sent(one.turn, one.agent, times["cache_n"] + new, new, one.messages))
    return told


def first_words(sent: Sequence[Sent]) -> dict[str, dict[str, int]]:
    """Tokens a turn that a server evaluates for the narrator and for all calls but warm-ups, when it keeps the last
    prompt alone, and when it keeps all. Of the first three turns nothing is counted."""
    kept: list[str] = []
    fresh = {"one slot": Counter[str](), "all prompts": Counter[str]()}
    turns = sent[-1].turn - 3
    for one in sent:
        text = text_of(one.messages)
        for cache, held in (("one slot", kept[-1:]), ("all prompts", kept)):
            new = fresh_in(text, held)
            if one.turn > 3:
                fresh[cache][one.agent] += round(new)
        kept.append(text)
    return {
        cache: {
            "narrator": agents["narrator"] // turns,
            "keeper": agents["keeper"] // turns,
            "all": (agents.total() - agents["warm-up"]) // turns,
            "warm-up": agents["warm-up"] // turns,
        }
        for cache, agents in fresh.items()
    }


def calls_of(sent: Sequence[Sent], turn: int) -> list[dict[str, object]]:
    """The calls of a turn in their order, and their sum: tokens sent, and those behind the beginning that is the same in
    the prompt just before, and in any earlier one."""
    kept: list[str] = []
    calls: list[dict[str, object]] = []
    sums = Counter[str]()
    for one in sent:
        if one.turn <= turn and one.agent != "warm-up":
            text = text_of(one.messages)
            figures = {
                "sent": round(one.tokens),
                "fresh, last prompt kept": round(fresh_in(text, kept[-1:])),
                "fresh, all prompts kept": round(fresh_in(text, kept)),
            }
            kept.append(text)
            if one.turn == turn:
                calls.append({"agent": one.agent, **figures})
                sums.update(figures)
    return [*calls, {"agent": "all", **sums}]


def share(sent: Sequence[Sent]) -> float:
    """The share of all tokens that is fresh. An agent's first prompt counts, and is fresh as a whole."""
    return round(sum(one.fresh for one in sent) / sum(one.tokens for one in sent), 3)


def shares(sent: Sequence[Sent]) -> dict[str, float]:
    """Shares of narrator, of each character and of all characters."""
    narrator = [one for one in sent if one.agent == "narrator"]
    characters = [one for one in sent if one.agent.startswith("character:")]
    names = sorted({one.agent for one in characters})
    each = {name: share([one for one in characters if one.agent == name]) for name in names}
    return {"narrator": share(narrator), "characters": share(characters), **each}


def growth(sent: Sequence[Sent], early: int, late: int, around: int = 6) -> dict[str, float]:
    """The narrator's prompt at a late turn against an early one: at those turns, and the longest and mean around them.

    Prompts rise and fall with every fold, so single turns say little.
    """
    sizes = {one.turn: one.tokens for one in sent if one.agent == "narrator"}

    def window(turn: int) -> list[float]:
        return [sizes[t] for t in range(turn - around + 1, turn + around + 1) if t in sizes]

    first, second = window(early), window(late)
    return {
        "at": round(sizes[late] / sizes[early], 3),
        "longest": round(max(second) / max(first), 3),
        "mean": round((sum(second) / len(second)) / (sum(first) / len(first)), 3),
        "tokens": round(sizes[late]),
    }


async def measure(options: argparse.Namespace) -> dict[str, object]:
    """All figures."""
    author = Author(options.narration, options.reply, answers=options.answers)
    if options.turn:
        with tempfile.TemporaryDirectory() as folder:
            sent = await play(Path(folder), author, options.turn, options.window, options.pack)
        return {"turn": options.turn, "pack": options.pack, "calls": calls_of(sent, options.turn)}
    result: dict[str, Any] = {"turns": options.turns, "window": options.window}
    with tempfile.TemporaryDirectory() as folder:
        sent = await play(Path(folder), author, options.turns, options.window)
    result["fresh_share"] = {**shares(sent), "target": 0.35}
    result["fresh_tokens_a_turn"] = {}
    for pack in ("lost-island", "salt-road"):
        for ahead in (False, True):
            author = Author(options.narration, options.reply)
            with tempfile.TemporaryDirectory() as folder:
                played = await play(Path(folder), author, options.turns, options.window, pack, ahead=ahead)
            name = f"{pack}, {'sent ahead' if ahead else 'not sent ahead'}"
            result["fresh_tokens_a_turn"][name] = first_words(played)
    if options.server:
        told = evaluated(sent, options.server)
        result["evaluated_by_the_server"] = {**shares(told), "of all calls": share(told)}
    if options.long:
        with tempfile.TemporaryDirectory() as folder:
            long = await play(
                Path(folder),
                Author(options.narration, options.reply, beat_every=12),
                options.long,
                options.window,
            )
        result["narrator_prompt_against_turn_30"] = {
            str(late): growth(long, 30, late) for late in (300, 500) if late <= options.long
        }
        result["turns_per_summary_call"] = round(
            options.long / sum(one.agent == "summary" for one in long), 2
        )
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--long", type=int, default=500, help="turns of the second game; 0 leaves it out")
    parser.add_argument("--turn", type=int, default=0, help="list the calls of this turn alone")
    parser.add_argument("--answers", type=int, default=2, help="characters that answer a page")
    parser.add_argument("--pack", default="lost-island", help="of the listed turn")
    parser.add_argument("--narration", type=int, default=200, help="words")
    parser.add_argument("--reply", type=int, default=80, help="words")
    parser.add_argument("--window", type=int, default=8192, help="tokens")
    parser.add_argument(
        "--server", default="", help="base URL of a llama.cpp server with a window for all of it"
    )
    print(json.dumps(asyncio.run(measure(parser.parse_args())), indent=2))


if __name__ == "__main__":
    main()
