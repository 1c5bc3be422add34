"""How a memory of policy `facts` changes (S4.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from theact_tui.story.matching import match_line, plain
from theact_tui.story.memory import MAX_FACTS, MAX_PINNED_FACTS, Fact, FactsMemory
from theact_tui.story.older import crowded_out, weighed, with_older

IMPORTANT_SHARE = 3
"""One place in so many is kept for facts that the model called important. More would leave too few for new ones."""


def change_facts(
    memory: FactsMemory,
    *,
    turn_of: Callable[[str], int],
    summary: str = "",
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    update: Sequence[tuple[str, str]] = (),
) -> FactsMemory:
    """The memory after one reply of the memory agent. `turn_of` says which turn a new line came from.

    Remove and update name a fact by number, text or a close match, always of the list the agent was shown. A remove
    that misses is ignored, an update that misses adds its new text. Pinned facts are neither removed nor replaced. What
    is crowded out is kept among the `older`.
    """
    known = memory.key_facts
    texts = [fact.text for fact in known]
    gone = {index for line in remove if (index := match_line(line, texts)) is not None}
    changed: dict[int, str] = {}
    added = list(add)
    for old, new in update:
        index = match_line(old, texts)
        if index is None or known[index].pinned:
            added.append(new)
        elif new.strip():
            changed[index] = new.strip()
    kept = [
        _fact(changed[i], turn_of, important=fact.important) if i in changed else fact
        for i, fact in enumerate(known)
        if fact.pinned or i not in gone or i in changed
    ]
    facts = _without_repeats([*kept, *(_fact(text, turn_of) for text in added)])
    crowded = crowded_out(facts, MAX_FACTS, share=IMPORTANT_SHARE)
    stay = [fact for fact in facts if all(fact is not other for other in crowded)]
    new_summary = summary.strip()
    return FactsMemory(
        summary=new_summary or memory.summary,
        summary_turn=turn_of(new_summary)
        if new_summary and new_summary != memory.summary
        else memory.summary_turn,
        key_facts=tuple(stay),
        older=with_older(memory.older, crowded, known=(fact.text for fact in stay)),
    )


def _fact(line: str, turn_of: Callable[[str], int], *, important: bool = False) -> Fact:
    """A fact as the model wrote it. One that was important stays so in new words."""
    text, marked = weighed(line)
    return Fact(text=text, turn=turn_of(text), important=marked or important)


def _without_repeats(facts: Iterable[Fact]) -> list[Fact]:
    """Facts with a text, each once; of two alike the pinned or else the earlier one stays."""
    unique: dict[str, Fact] = {}
    for fact in facts:
        key = plain(fact.text)
        if key and (key not in unique or (fact.pinned and not unique[key].pinned)):
            unique[key] = fact
    return list(unique.values())


def can_pin_fact(memory: FactsMemory) -> bool:
    """True while another fact may be pinned; two places always stay free for new ones."""
    return sum(fact.pinned for fact in memory.key_facts) < MAX_PINNED_FACTS
