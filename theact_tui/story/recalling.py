"""Which of many lines bear on a scene: those that share words with it that few other lines have."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from theact_tui.story.matching import plain
from theact_tui.story.older import L

RECALLED = 4
"""Lines that may come to mind at a time."""
ENOUGH = 1.0
"""A word that only one line has counts almost 1; one that all lines have, 0."""
SPOKEN = 2.5
"""What a word counts for that the player said, against one of the narration."""
_COMMON = frozenset(
    "the and for was were with that this from his her him she they them their its has had have not but who whom what "
    "when where why how are you your our out into onto over under then than there here about one two all any some been "
    "being will would can could did does said says say tell told ask asked know knows knew again once more very just "
    "only like back see saw look looks turn turns still now old new long way thing things something somebody".split()
)
_SCRIPT = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def recalled(lines: Sequence[L], said: str, told: str = "", most: int = RECALLED) -> tuple[L, ...]:
    """The lines that have most to do with what was `said` and `told`, in turn order; none if none has enough."""
    words = [words_of(line.text) for line in lines]
    spread = Counter(word for each in words for word in each)
    loud, quiet = words_of(said), words_of(told)

    def weight(word: str) -> float:
        rarity = 1 - math.log(spread[word]) / math.log(len(lines) + 1)
        return rarity * (SPOKEN if word in loud else 1)

    scores = [sum(weight(word) for word in each & (loud | quiet)) for each in words]
    ranked = sorted(range(len(lines)), key=lambda i: (-scores[i], -lines[i].turn))
    best = [i for i in ranked if scores[i] > ENOUGH][:most]
    return tuple(lines[i] for i in sorted(best, key=lambda i: lines[i].turn))


@lru_cache(maxsize=4096)
def words_of(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, without common endings; pairs of signs where words have no
    spaces between them."""
    found = set()
    for word in plain(text).split():
        if _SCRIPT.search(word):
            found |= {word[i : i + 2] for i in range(len(word) - 1)} or {word}
        elif len(word) > 2 and word not in _COMMON:
            found.add(_stem(word))
    return frozenset(found)


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "ed", "es", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word.removesuffix(ending)
    return word
