"""How well and how fast malformed replies are read (S14). Run by hand; prints its figures as JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable

from tests.reading.cases import ISLAND, Case, right_fields
from tests.reading.corpus_fifth import FIFTH
from tests.reading.corpus_fourth import FOURTH
from tests.reading.corpus_narrator import NARRATOR_CASES
from tests.reading.corpus_others import OTHER_CASES
from tests.reading.corpus_second import SECOND
from tests.reading.corpus_sixth_others import SIXTH
from tests.reading.corpus_third import THIRD
from tests.reading.corpus_unseen import UNSEEN
from tests.reading.mangle import mangled
from theact_tui.models.reading import ProseStream, read

STRUCTURED = ("narrator", "progress", "memory", "keeper")
LOOPS = {
    "prose": "You walk on and on. ",
    "lines": "The rain goes on and on.\n",
    "list": "- The rain goes on and on.\n",
    "brackets": "[{",
    "items": '"The rain goes on", ',
}


def main() -> None:
    """Print rates of full replies and of fields, and times in milliseconds of this process."""
    seen = (*NARRATOR_CASES, *OTHER_CASES, *SECOND, *THIRD, *FOURTH, *FIFTH, *SIXTH)
    made = {agent: tuple(mangled(agent, 500, seed=1)) for agent in STRUCTURED}
    figures = {
        "recoverable": {
            "unseen": _rates(case for case in UNSEEN if case.fields is not None),
            "seen": _rates(case for case in seen if case.fields is not None),
            **{f"mangled {agent}": _rates(cases) for agent, cases in made.items()},
        },
        "nothing to recover": {
            "unseen": _rates(case for case in UNSEEN if case.fields is None),
            "seen": _rates(case for case in seen if case.fields is None),
        },
        "ms a reply": _times([case for cases in made.values() for case in cases]),
        "ms for a loop of 64 KB": {
            name: max(_milliseconds("narrator", raw) for raw in _looped(unit)) for name, unit in LOOPS.items()
        },
        "us of live prose a chunk of 4 characters": _live([case.raw for case in made["narrator"][:100]]),
    }
    print(json.dumps(figures, indent=2))


def _rates(cases: Iterable[Case]) -> dict[str, float]:
    counts = []
    for case in cases:
        reading = read(case.agent, case.raw, case.context)
        counts.append(right_fields(case, reading.ok, reading.fields))
    full = sum(right == of for right, of in counts) / len(counts)
    fields = sum(right for right, _ in counts) / sum(of for _, of in counts)
    return {"replies": len(counts), "full": round(full, 4), "fields": round(fields, 4)}


def _times(cases: list[Case]) -> dict[str, float]:
    for case in cases[:100]:
        read(case.agent, case.raw, case.context)
    taken = sorted(_milliseconds(case.agent, case.raw) for case in cases)
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
    read(agent, raw, ISLAND)
    return round((time.process_time() - started) * 1e3, 3)


if __name__ == "__main__":
    main()
