"""Texts that repeat themselves because they want to, and loops as small models fall into them; all written for this."""

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_TEXTS = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
REFRAINS: dict[str, str] = _TEXTS["refrains"]
"""Refrains, lists and litanies by name. None of them goes round without end, and none may be cut."""
ROUNDS: dict[str, str] = _TEXTS["rounds"]
"""One round of a loop by name."""
LEADS = (
    "",
    "You come to the end of the pier, where the boards are new. Nobody has told you why. ",
    "The road bends twice before the house. At the second bend there is a shoe, and at the gate there is the other. You "
    "put them side by side on the step and knock. Somebody laughs inside, and then the key turns, and then for a long "
    "while nothing else happens at all. ",
)
"""What may stand before a loop."""
_WORDS = (
    "salt lamp river borrowed sister under never quickly glass hollow Tuesday feather against morning copper whisper "
    "between garden heavy seven orchard letter slowly ashes window corner honest thunder paper velvet"
).split()
_UNIT = re.compile(r"[^\W\d_\u2e80-\U0003ffff]+|[\u3041-\u9fff]")


@dataclass(frozen=True, slots=True)
class LoopText:
    """A text that loops: `text[:start]` is told before the loop, and `text[:second]` up to the end of its first round."""

    name: str
    text: str
    start: int
    second: int
    share: float
    """Of the words of a round that were changed."""


def changed(text: str, share: float, chance: random.Random) -> str:
    """`text` with this share of its words replaced by others."""
    kana = "雪石風声鳥花火山川心手目"

    def other(word: re.Match[str]) -> str:
        if chance.random() >= share:
            return word[0]
        return chance.choice(kana if word[0] > "\u3000" else _WORDS)

    return _UNIT.sub(other, text)


def loops(rounds: int = 12, seed: int = 28) -> Iterator[LoopText]:
    """Loops in which 0, 5, 10 and 20% of the words of each round are changed, in two manners: against the first round,
    and against the one before."""
    chance = random.Random(seed)
    for name, one in ROUNDS.items():
        for lead in LEADS:
            for share in (0.0, 0.05, 0.1, 0.2):
                for drifts in (False, True):
                    base = one if one[-1:].isspace() or name == "japanese" else f"{one} "
                    told = [base]
                    for _ in range(rounds * max(1, 120 // len(base))):
                        told.append(changed(told[-1] if drifts else base, share, chance))
                    manner = "drifts" if drifts else "varies"
                    label = f"{name}, {share:.0%} {manner}, after {len(lead)}"
                    yield LoopText(label, lead + "".join(told), len(lead), len(lead) + len(base), share)
