"""How long what the player told stays in prompts, and whether it gets into those of people who did not hear it.

Traced are the words that the player was the first to use. The prompts are those that were sent.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from theact_tui.models.ledger import Call
from theact_tui.story.turn import Turn
from theact_tui.story.witness import witnessed

DISTANCES = (1, 5, 10, 20, 40, 80)
"""Turns after which is looked; each counts up to the next."""
LEAST = 5
"""Turns from which on a word counts for the share of a game."""
_WORD = re.compile(r"[^\W\d_]{5,}")


@dataclass(frozen=True, slots=True)
class Recall:
    """What became of the player's words."""

    curve: dict[str, dict[str, list[int]]]
    """For `narrator` and `character`, by distance in turns: prompts that hold the word, and how many were looked at."""
    leaks: tuple[str, ...]
    """A word, the turn in which it was said, and whose prompt held it."""

    @property
    def share(self) -> float | None:
        """Prompts of all witnesses that hold a word said `LEAST` turns before or earlier; None without any."""
        seen = [
            counts
            for curve in self.curve.values()
            for distance, counts in curve.items()
            if int(distance) >= LEAST
        ]
        looked = sum(total for _, total in seen)
        return sum(held for held, _ in seen) / looked if looked else None


def recall(turns: Sequence[Turn], calls: Mapping[int, Sequence[Call]], known: Collection[str]) -> Recall:
    """Follow the player's own words through the prompts of narrator and characters. `known` words are not traced."""
    told = _planted(turns, known)
    counts: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
    leaks: list[str] = []
    heard = {(turn.number, name): _text(turn, name) for turn in turns for name in turn.witnesses}
    for turn in turns:
        for call in calls.get(turn.number, ()):
            if call.agent not in ("narrator", "character"):
                continue
            prompt = "\n".join(message["content"] for message in call.messages).casefold()
            for word, since in told.items():
                if since >= turn.number:
                    continue
                held = word in prompt
                if call.agent == "character" and not _heard(word, heard, call.character, turn.number):
                    leaks += [f"{word} of turn {since}, in a prompt of {call.character}"] if held else []
                    continue
                distance = max(d for d in DISTANCES if d <= turn.number - since)
                counts[call.agent, distance][0] += held
                counts[call.agent, distance][1] += 1
    curve: dict[str, dict[str, list[int]]] = {}
    for (agent, distance), seen in sorted(counts.items()):
        curve.setdefault(agent, {})[str(distance)] = seen
    return Recall(curve, tuple(dict.fromkeys(leaks)))


def _planted(turns: Sequence[Turn], known: Collection[str]) -> dict[str, int]:
    """The words that the player was the first to use, and when."""
    seen, found = set(known), dict[str, int]()
    for turn in turns:
        typed = {word.casefold() for word in _WORD.findall(turn.player_text)}
        found |= {word: turn.number for word in sorted(typed - seen) if word.capitalize() in turn.player_text}
        seen |= typed | {word.casefold() for entry in turn.entries for word in _WORD.findall(entry.text)}
    return found


def _text(turn: Turn, character: str) -> str:
    return " ".join(entry.text for entry in witnessed(turn, character).entries).casefold()


def _heard(word: str, heard: Mapping[tuple[int, str], str], character: str, before: int) -> bool:
    """Whether a character heard a word by the end of a turn."""
    return any(
        who == character and number <= before and word in text for (number, who), text in heard.items()
    )
