"""What the recall benchmark plants in a story: sentences with a word found nowhere else, and noise of the same form."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Literal

from theact_tui.story.turn import Turn
from theact_tui.story.viewpoints import witnessed

Kind = Literal["ordinary", "important", "pinned"]
Source = Literal["narration", "reply", "player"]

_ADJECTIVES = (
    "copper", "narrow", "painted", "drowned", "crooked", "silver", "hollow", "burnt", "woollen", "striped", "rusted",
    "gilded", "broken", "velvet", "wooden", "leaden", "cracked", "quilted", "marble", "salted", "braided", "carved",
    "blue", "scarlet", "ochre", "smoky", "folded", "frozen", "knotted", "tarred",
)  # fmt: skip
_NOUNS = (
    "kettle", "ladder", "saddle", "mirror", "barrel", "lantern", "anchor", "whistle", "basket", "chimney", "hammer",
    "violin", "compass", "blanket", "padlock", "pulley", "bucket", "cradle", "helmet", "goblet", "hinge", "bellows",
    "trumpet", "tapestry", "buckle", "thimble", "rudder", "satchel", "sundial", "wardrobe",
)  # fmt: skip
WEIGHTY = re.compile(r"\b(?:oath|swears|swore)\b")
"""What makes a sentence weigh more than others, to anybody who reads it."""
NOTEWORTHY = re.compile(r"\b(?:is marked|swears an oath)\b")


@dataclass(frozen=True, slots=True)
class Plant:
    """A sentence told in `turn`, and the word by which it can be traced."""

    turn: int
    kind: Kind
    source: Source
    word: str
    subject: str
    sentence: str

    @property
    def question(self) -> str:
        """What the player asks about it; the word is not in it."""
        return f"What was it about the {self.subject}?"


@dataclass
class Plan:
    """What is told in which turn, from `seed` alone.

    Every sixth turn holds an ordinary plant, every fifteenth one that weighs more; four early ones are pinned. Every
    second turn tells noise: sentences of the same form that nobody asks for, and that a memory is crowded with.
    """

    turns: int
    seed: int = 1
    plants: dict[int, Plant] = field(default_factory=dict)
    noise: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        dice = random.Random(self.seed)
        subjects = [f"{adjective} {noun}" for adjective in _ADJECTIVES for noun in _NOUNS]
        dice.shuffle(subjects)
        pinned = {4: 0, 10: 0, 16: 0, 22: 0}
        for turn in range(1, self.turns + 1):
            kind: Kind | None = (
                "pinned"
                if turn in pinned
                else "important"
                if turn % 15 == 8
                else "ordinary"
                if turn % 6 == 1
                else None
            )
            if kind:
                self.plants[turn] = _plant(turn, kind, subjects.pop(), dice)
            elif turn % 2 == 0:
                self.noise[turn] = _sentence("ordinary", subjects.pop(), _word(dice).lower())

    def stage(self, turn: int) -> tuple[str, ...]:
        """Who is on stage: mostly Ann and Bob, at times one of them alone, now and then Cid."""
        match turn % 10:
            case 3:
                return ("ann",)
            case 6:
                return ("bob",)
            case 8:
                return ("ann", "bob", "cid")
            case _:
                return ("ann", "bob")


def _plant(turn: int, kind: Kind, subject: str, dice: random.Random) -> Plant:
    word = _word(dice)
    sources: tuple[Source, ...] = ("narration", "reply", "player")
    sentence = _sentence("important" if kind == "important" else "ordinary", subject, word)
    return Plant(turn, kind, dice.choice(sources), word, subject, sentence)


def _sentence(kind: Kind, subject: str, word: str) -> str:
    if kind == "important":
        return f"Somebody swears an oath to bring the {subject} back to {word}."
    return f"The {subject} is marked with the name {word}."


def _word(dice: random.Random) -> str:
    """A word that no text holds by chance."""
    return "".join(dice.choice("BDKLMNRSTVZ") + dice.choice("AEIOU") for _ in range(4)) + "X"


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+", text) if part.strip()]


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
