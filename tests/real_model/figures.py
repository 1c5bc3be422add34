"""What a run came to: figures for each agent, and whether the rules held that hold for the worst model."""

import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from tests.real_model.recorder import Exchange

TOLD_TWICE = 12
"""Words in a row which, said again at once, are a fault of a page."""


def told_in_rounds(text: str) -> str:
    """The first words that are told at least twice in a row without anything between, at least `TOLD_TWICE` of them in
    all that is said again; empty when there are none. Word for word, so it is no part of what the program cuts by."""
    words = re.findall(r"\w+", text.casefold())
    for distance in range(1, len(words) // 2 + 1):
        run = 0
        for place in range(len(words) - distance):
            run = run + 1 if words[place] == words[place + distance] else 0
            if run >= max(TOLD_TWICE, distance):
                return " ".join(words[place + 1 : place + 1 + distance])
    return ""


def is_asked_again(exchange: Exchange, before: Exchange | None) -> bool:
    """True for a second request of the same call: its last message is that of the one `before` with something added, or
    the very same one."""
    return before is not None and exchange.last_message.startswith(before.last_message)


def by_agent(exchanges: Iterable[Exchange]) -> dict[str, dict[str, Any]]:
    """Figures for each agent over the wire; an agent is the part before the colon, `author:cast` is one of its own."""
    groups: dict[str, list[Exchange]] = defaultdict(list)
    last: dict[str, Exchange] = {}
    again: dict[int, bool] = {}
    for exchange in exchanges:
        kind, _, own = exchange.agent.partition(":")
        groups[exchange.agent if kind == "author" and own.isalpha() else kind].append(exchange)
        again[id(exchange)] = is_asked_again(exchange, last.get(exchange.agent))
        last[exchange.agent] = exchange
    return {agent: _figures(made, again) for agent, made in sorted(groups.items())}


def _figures(made: list[Exchange], again: Mapping[int, bool]) -> dict[str, Any]:
    asked_again = sum(again[id(exchange)] for exchange in made)
    calls = len(made) - asked_again
    tokens_in, reused = sum(e.tokens_in for e in made), sum(e.reused for e in made)
    return {
        "calls": calls,
        "read_at_first_try": calls - len(again_after_first(made, again)),
        "asked_again": asked_again,
        "ended_by_program": sum(not e.finish and e.status == 0 for e in made),
        "to_the_limit": sum(e.finish == "length" for e in made),
        "to_the_limit_in_a_loop": sum(e.finish == "length" and bool(told_in_rounds(e.text)) for e in made),
        "tokens_in": tokens_in,
        "evaluated": tokens_in - reused,
        "reused": reused,
        "tokens_out": sum(e.tokens_out for e in made),
        "median_out": statistics.median(e.tokens_out for e in made),
        "seconds": round(sum(e.seconds for e in made), 1),
        "median_seconds": round(statistics.median(e.seconds for e in made), 1),
    }


def again_after_first(made: list[Exchange], again: Mapping[int, bool]) -> list[Exchange]:
    """The second requests: one for each call that was not read at the first try."""
    seconds: list[Exchange] = []
    for before, exchange in zip([None, *made], made, strict=False):
        if again[id(exchange)] and not (before is not None and again[id(before)]):
            seconds.append(exchange)
    return seconds


def total(agents: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The sums of all agents."""
    names = [name for name in next(iter(agents.values()), {}) if not name.startswith("median")]
    return {name: round(sum(figures[name] for figures in agents.values()), 1) for name in names}
