"""How well and how fast malformed replies are read, and what live prose costs. Run by hand; prints JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable

from tests.parsing.cases import ISLAND, ReplyCase, cases, is_right
from tests.parsing.mangle import mangled
from theact_tui.parsing import ProseStream, parse

STRUCTURED = ("narrator", "progress", "memory", "risk")
LOOPS = {
    "prose": "You walk on and on. ",
    "lines": "The rain goes on and on.\n",
    "list": "- The rain goes on and on.\n",
    "brackets": "[{",
    "items": '"The rain goes on", ',
}
LONG = [f'You pass door {n}, then another. "Not this one," Maya says, and she walks on.' for n in range(30)]
LIVE = {
    "yaml": "```yaml\nnarration: |\n  "
    + "\n\n  ".join(LONG)
    + "\nresponding_characters: [maya]\nmood: calm\n```",
    "json": json.dumps({"narration": "\n\n".join(LONG), "mood": "calm"}),
    "prose": "\n\n".join(LONG) + "\n\n```yaml\nresponding_characters: [maya]\nmood: calm\n```",
}


def main() -> None:
    """Print rates of full replies, and times in milliseconds of this process."""
    made = {agent: tuple(mangled(agent, 500, seed=1)) for agent in STRUCTURED}
    figures = {
        "right": {
            "cases": _rate(cases()),
            **{f"mangled {agent}": _rate(replies) for agent, replies in made.items()},
        },
        "ms a reply": _times([case for replies in made.values() for case in replies]),
        "ms for a loop of 64 KB": {
            name: max(_milliseconds("narrator", raw) for raw in _looped(unit)) for name, unit in LOOPS.items()
        },
        "us of live prose a chunk of 4 characters": {
            "mangled": _live([case.raw for case in made["narrator"][:100]]),
            **{name: _live([raw]) for name, raw in LIVE.items()},
        },
    }
    print(json.dumps(figures, indent=2))


def _rate(replies: Iterable[ReplyCase]) -> float:
    right = []
    for case in replies:
        reply = parse(case.agent, case.raw, case.context)
        right.append(is_right(case, reply.ok, reply.fields))
    return round(sum(right) / len(right), 4)


def _times(replies: list[ReplyCase]) -> dict[str, float]:
    for case in replies[:100]:
        parse(case.agent, case.raw, case.context)
    taken = sorted(_milliseconds(case.agent, case.raw) for case in replies)
    return {
        "median": taken[len(taken) // 2],
        "p95": taken[int(0.95 * len(taken))],
        "p99": taken[int(0.99 * len(taken))],
        "max": taken[-1],
    }


def _looped(unit: str) -> Iterable[str]:
    for before in ("", "narration: |\n  You wake.\n  ", '{"narration": "You wake. '):
        yield (before + unit * (65_536 // len(unit)))[:65_536]


def _live(raws: list[str]) -> float:
    chunks = 0
    started = time.process_time()
    for raw in raws:
        stream = ProseStream("narrator", ISLAND)
        for at in range(0, len(raw), 4):
            stream.feed(raw[at : at + 4])
            chunks += 1
        stream.finish()
    return round((time.process_time() - started) / chunks * 1e6, 1)


def _milliseconds(agent: str, raw: str) -> float:
    started = time.process_time()
    parse(agent, raw, ISLAND)
    return round((time.process_time() - started) * 1e3, 3)


if __name__ == "__main__":
    main()
