"""Count how often `why` names a planted cause, and one where there is none: `python -m tests.benchmarks.why`.

The target is 27 of 30 planted causes, and at most 2 causes of 30 replies without one.
"""

import asyncio
import json

from tests.support.planted_causes import PLANTS, answer_of


async def measure() -> dict[str, object]:
    causes = [list(PLANTS)[number % len(PLANTS)] for number in range(30)]
    found = [(cause, await answer_of(cause, number)) for number, cause in enumerate(causes)]
    shares = (0.95, 0.75, 0.5)
    without = [await answer_of("", 100 + number, shares[number % 3]) for number in range(30)]
    return {
        "planted causes named first": sum(why.cause == cause for cause, why in found),
        "of": len(found),
        "missed": [(cause, why.cause) for cause, why in found if why.cause != cause],
        "causes named where there is none": sum(bool(why.cause) for why in without),
        "most calls": max(why.calls for why in (*without, *(why for _, why in found))),
        "lines named": sum(
            any(part.is_seen for part in why.parts) for cause, why in found if cause == "facts"
        ),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure()), indent=2))
