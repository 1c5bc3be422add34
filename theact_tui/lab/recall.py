"""How long what was told stays in prompts, and whether it gets into those of people who did not hear it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from theact_tui.models.ledger import Call
from theact_tui.story.turn import Turn
from theact_tui.story.witness import witnessed

DISTANCES = (1, 5, 10, 20, 40, 80)
"""Turns after which is looked; each counts up to the next."""
LEAST = 5
"""Turns from which on a word counts for the share of a game."""
_WORD = re.compile(r"[^\W\d_]{5,}")


@dataclass
class Trace:
    """Follows words through prompts. Give it every turn with `hear`, and prompts with `look`."""

    told: dict[str, int] = field(default_factory=dict)
    """The words in lower case, and the turns in which they were told."""
    heard: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By word, the characters that heard it."""
    leaks: dict[str, None] = field(default_factory=dict)
    """A word, the turn in which it was told, and whose prompt held it; in the order in which they were found."""

    def hear(self, turn: Turn) -> None:
        """Note who heard which words in a turn."""
        for name in turn.witnesses:
            text = " ".join(entry.text for entry in witnessed(turn, name).entries).casefold()
            for word in self.told:
                if word in text:
                    self.heard[word].add(name)

    def look(self, reader: str, prompt: str, turn: int) -> list[tuple[str, int, bool]]:
        """Each word that was told before a turn and that a reader heard: how many turns ago it was told, and whether the
        prompt holds it. The narrator, who knows everything, is `narrator`. Others that hold a word are noted as leaks."""
        text, found = prompt.casefold(), list[tuple[str, int, bool]]()
        for word, since in self.told.items():
            if since >= turn:
                continue
            if reader == "narrator" or reader in self.heard[word]:
                found.append((word, turn - since, word in text))
            elif word in text:
                self.leaks[f"{word} of turn {since}, in a prompt of {reader}"] = None
        return found


@dataclass(frozen=True, slots=True)
class Recall:
    """What became of the player's words in the prompts that were sent."""

    curve: dict[str, dict[str, list[int]]]
    """For `narrator` and `character`, by distance in turns: prompts that hold the word, and how many were looked at."""
    share: float | None
    """Prompts that hold a word told `LEAST` turns before or earlier; None without any."""
    leaks: tuple[str, ...]


def recall(turns: Sequence[Turn], calls: Mapping[int, Sequence[Call]], known: Collection[str]) -> Recall:
    """Follow the words that the player was the first to use through the prompts of narrator and characters. `known`
    words, and those of the prompts of the opening, are not traced."""
    first = (message["content"] for call in calls.get(1, ()) for message in call.messages)
    asked = {word for text in first for word in _WORD.findall(text.casefold())}
    trace = Trace(_planted(turns, {*known, *asked}))
    counts: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
    for turn in turns:
        trace.hear(turn)
        for call in calls.get(turn.number, ()):
            if call.agent not in ("narrator", "character"):
                continue
            prompt = "\n".join(message["content"] for message in call.messages)
            for _, ago, held in trace.look(call.character or call.agent, prompt, turn.number):
                count = counts[call.agent, max(d for d in DISTANCES if d <= ago)]
                count[0], count[1] = count[0] + held, count[1] + 1
    curve: dict[str, dict[str, list[int]]] = {}
    for (agent, distance), count in sorted(counts.items()):
        curve.setdefault(agent, {})[str(distance)] = count
    old = [count for (_, distance), count in counts.items() if distance >= LEAST]
    looked = sum(total for _, total in old)
    return Recall(curve, sum(held for held, _ in old) / looked if looked else None, tuple(trace.leaks))


def _planted(turns: Sequence[Turn], known: Collection[str]) -> dict[str, int]:
    """The words that the player was the first to use, and when."""
    seen, found = set(known), dict[str, int]()
    for turn in turns:
        typed = {word.casefold() for word in _WORD.findall(turn.player_text)}
        found |= {word: turn.number for word in sorted(typed - seen) if word.capitalize() in turn.player_text}
        seen |= typed | {word.casefold() for entry in turn.entries for word in _WORD.findall(entry.text)}
    return found
