"""Group a turn's calls in the ledger by take and attempt."""

from collections.abc import Iterable, Sequence

from theact_tui.models.ledger import Call
from theact_tui.story.matching import plain
from theact_tui.story.turn import Turn

TELLERS = ("narrator", "actor")
"""Agents that write the first words of a turn."""


def calls_of_take(calls: Iterable[Call], turn: Turn) -> list[Call]:
    groups = attempts(calls)
    texts = (entry.text for entry in turn.ordered_entries if entry.role in ("narrator", "character"))
    begun = plain(next(texts, ""))[:60]
    for group in reversed(groups):
        pages = (plain(call.reply) for call in group if call.agent in TELLERS)
        if begun and any(begun in reply for reply in pages):
            return group
    return groups[-1] if groups else []


def calls_of_other_takes(calls: Iterable[Call], current_calls: Sequence[Call]) -> list[Call]:
    """Return the calls of other takes, without failed attempts and other branches."""
    branch = current_calls[0].branch if current_calls else ""
    others = (group for group in attempts(calls) if group != current_calls and group[0].branch == branch)
    return [call for group in others if not _is_failed(group) for call in group]


def failed_attempt(calls: Iterable[Call]) -> list[Call]:
    """Return the calls of the last attempt, if it failed."""
    last = attempts(calls)[-1:]
    return last[0] if last and _is_failed(last[0]) else []


def _is_failed(attempt: Iterable[Call]) -> bool:
    outcomes = [call.outcome for call in attempt if call.agent in TELLERS]
    return bool(outcomes) and outcomes[-1] in ("failed", "cancelled")


def attempts(calls: Iterable[Call]) -> list[list[Call]]:
    """Group the calls of a turn by attempt: a second call of narrator, actor or keeper begins a new one."""
    branches: dict[str, list[list[Call]]] = {}
    for call in calls:
        groups = branches.setdefault(call.branch, [[]])
        if call.agent in (*TELLERS, "keeper") and any(earlier.agent == call.agent for earlier in groups[-1]):
            groups.append([])
        groups[-1].append(call)
    return [group for groups in branches.values() for group in groups]
