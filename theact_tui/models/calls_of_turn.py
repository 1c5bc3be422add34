"""Calls of a turn by take and attempt."""

from collections.abc import Iterable, Sequence

from theact_tui.models.ledger import Call
from theact_tui.story.matching import plain
from theact_tui.story.turn import Turn

_TELLERS = ("narrator", "actor")
"""Agents that begin a turn."""


def calls_of_take(calls: Iterable[Call], turn: Turn) -> list[Call]:
    """Return the current take's calls; a retried reply's replace earlier ones."""
    groups = attempts(calls)
    texts = (entry.text for entry in turn.ordered_entries if entry.role in ("narrator", "character"))
    begun = plain(next(texts, ""))[:60]

    def tells_page(group: Sequence[Call]) -> bool:
        return bool(begun) and any(begun in plain(call.reply) for call in group if call.agent in _TELLERS)

    take = next(filter(tells_page, reversed(groups)), groups[-1] if groups else [])
    for group in groups:
        if not any(call.agent in _TELLERS for call in group) and any(_wrote(call, turn) for call in group):
            keys = {call.key for call in group}
            take = [*(call for call in take if call.key not in keys), *group]
    return take


def _wrote(call: Call, turn: Turn) -> bool:
    reply = plain(call.reply)
    own = (plain(entry.text)[:60] for entry in turn.replies if entry.character == call.character)
    return call.agent == "character" and any(text and text in reply for text in own)


def calls_of_other_takes(calls: Iterable[Call], current_calls: Sequence[Call]) -> list[Call]:
    """Return calls of other takes, without failed attempts and other branches."""
    branch = current_calls[0].branch if current_calls else ""
    groups = (group for group in attempts(calls) if group[0].branch == branch and not _is_failed(group))
    return [call for group in groups for call in group if call not in current_calls]


def failed_attempt(calls: Iterable[Call]) -> list[Call]:
    last = attempts(calls)[-1:]
    return last[0] if last and _is_failed(last[0]) else []


def _is_failed(attempt: Sequence[Call]) -> bool:
    pages = [call.outcome for call in attempt if call.agent in _TELLERS]
    outcomes = pages or [call.outcome for call in attempt if call.agent == "character"]
    return bool(outcomes) and outcomes[-1] in ("failed", "cancelled")


def attempts(calls: Iterable[Call]) -> list[list[Call]]:
    """Group a turn's calls: a second call of narrator, actor or keeper begins an attempt, also a retried reply."""
    branches: dict[str, list[list[Call]]] = {}
    for call in calls:
        groups = branches.setdefault(call.branch, [[]])
        agents, keys = {earlier.agent for earlier in groups[-1]}, {earlier.key for earlier in groups[-1]}
        is_reply = call.agent == "character" and (
            call.key in keys or (call.agent in agents and agents.isdisjoint(_TELLERS))
        )
        if is_reply or (call.agent in (*_TELLERS, "keeper") and call.agent in agents):
            groups.append([])
        groups[-1].append(call)
    return [group for groups in branches.values() for group in groups]
