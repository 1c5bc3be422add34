"""Text of a wanted length for benchmarks: plain sentences, the same for the same seed. No two are alike."""

import random

_SUBJECTS = (
    "the tide", "a gull", "the rope", "the older woman", "smoke", "the wheel", "rain", "the lamp", "a crate",
    "the path", "his left hand", "the radio", "a line of ants", "the reef", "dry grass", "the captain's coat",
)  # fmt: skip
_VERBS = (
    "turns over", "falls silent near", "leans against", "drifts past", "catches on", "slides under", "answers",
    "holds still beside", "darkens", "rattles above", "rests on", "gives way to", "circles", "points towards",
)  # fmt: skip
_OBJECTS = (
    "the broken door", "a row of stones", "the wet canvas", "the third post", "a bent spoon", "the shallow water",
    "somebody's boot", "the mast", "an empty tin", "the white fence", "the long shadow", "a folded map", "the well",
)  # fmt: skip
_ENDS = (
    "and nobody moves", "before the light goes", "as it did in the morning", "without a sound", "for the second time",
    "while the wind drops", "a hand's width from the edge", "as if it had been waiting", "and smells of salt",
)  # fmt: skip


class Writer:
    """Writes sentences that follow from `seed` alone."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._written = 0

    def sentence(self) -> str:
        """About 12 words, with a number that makes it unlike all others."""
        pick = self._random.choice
        self._written += 1
        words = f"{pick(_SUBJECTS)} {pick(_VERBS)} {pick(_OBJECTS)} {pick(_ENDS)}, {self._written} paces on."
        return words[0].upper() + words[1:]

    def prose(self, words: int) -> str:
        """At least so many words, in whole sentences."""
        sentences: list[str] = []
        while sum(len(sentence.split()) for sentence in sentences) < words:
            sentences.append(self.sentence())
        return " ".join(sentences)
