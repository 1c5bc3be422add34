"""How well and how fast malformed replies are read, and what live prose costs. Run by hand; prints JSON.

    python -m tests.benchmarks.reading [FILE]

FILE is a simulation of Neph0s/CoSER, such as `exp/simulation/id_set_llama3p1-8b-instruct.json`: which of its replies lose a
word, but for the speaker's name in front.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.parsing.cases import ISLAND, ReplyCase, cases, held_out, is_right
from theact_tui.parsing import ProseStream, ReplyContext, parse

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
    figures: dict[str, Any] = {
        "right": {"cases": _rate(cases()), "held out": _rate(held_out())},
        "ms a reply": _times([*cases(), *held_out()]),
        "ms for a loop of 64 KB": {
            name: max(_milliseconds("narrator", raw) for raw in _looped(unit)) for name, unit in LOOPS.items()
        },
        "us of live prose a chunk of 4 characters": {name: _live([raw]) for name, raw in LIVE.items()},
    }
    if sys.argv[1:]:
        figures["replies of a real model"] = _spoken(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    print(json.dumps(figures, indent=2))


def _spoken(scenes: list[dict[str, Any]]) -> dict[str, Any]:
    """How many replies there are, and those that lose words, whole or while they stream."""
    count, losing = 0, list[str]()
    for scene in scenes:
        said = [
            (one["role"], one["content"])
            for one in scene["simulation"]
            if one["role"] not in ("NSP", "Environment")
        ]
        cast = {name.casefold().replace(" ", "_"): name for name, _ in said}
        for name, text in said:
            count += 1
            own = name.casefold().replace(" ", "_")
            context = ReplyContext(cast, speaker=own)
            stream = ProseStream(f"character:{own}", context)
            stream.feed(text)
            stream.finish()
            whole = re.findall(r"\w+", text.removeprefix(f"{name}:"))
            read = parse(f"character:{own}", text, context).fields.get("text", "")
            if any(re.findall(r"\w+", told) != whole for told in (read, stream.text)):
                losing.append(text)
    return {"replies": count, "losing a word": losing}


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
