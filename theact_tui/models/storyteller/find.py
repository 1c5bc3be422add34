"""Finding things by words: cues in the player's line, and which authored passage a narration tells."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_SENTENCE = re.compile(
    r"\S(?:(?<=“)[^”]*”)?(?:“[^”]*”|.)*?"
    r"(?:[.!?…。！？]+[\"”’')]*(?=\s|$)|(?<=[.!?…]”)(?=\s+[^\W\d_a-z]|\s+[“\"]|$)|$)"
)
_ABBREVIATED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|Capt|Sgt|No)\.$")
_SHORT_IS = re.compile(r"\b(who|what|where|when|why|how|that|it|he|she|there|here)'s\b")
_REFUSAL = re.compile(r"\b(?:do not|don't|dont|will not|won't|wont|refuse to|avoid)\b[^,.;!?]*")


@lru_cache(maxsize=64)
def haystack(line: str) -> str:
    """The player's line as cues are looked for in it: lower case, without what the player refuses to do."""
    text = _whole(line)
    return text if "?" in text else _REFUSAL.sub(" ", text)


def _whole(text: str) -> str:
    """`text` in lower case with `who's` and the like written out."""
    return _SHORT_IS.sub(r"\1 is", text.casefold().replace("’", "'"))


def hits(cues: Iterable[str], line: str) -> int:
    """How well `line` fits the cues: 0 if none occurs, more for more and longer ones.

    A cue fits words that begin with it; one of up to three letters, or one that ends with a full stop, has to be the
    whole word (or its plural).
    """
    text = haystack(line)
    return sum(10 + len(cue) for cue in cues if _bare(cue) in text and _cue(cue).search(text))


@lru_cache(maxsize=4096)
def _bare(cue: str) -> str:
    return _whole(cue).rstrip(".")


@lru_cache(maxsize=4096)
def _cue(cue: str) -> re.Pattern[str]:
    word, bare = _whole(cue), _bare(cue)
    whole = len(word) <= 3 or bare != word
    ending = "" if not whole else r"(?!\w)" if len(bare) < 3 else r"s?(?!\w)"
    return re.compile(rf"(?<!\w){re.escape(bare)}{ending}")


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with its end and closing quotes. What stands in “ ” is never cut."""
    made: list[str] = []
    for sentence in _SENTENCE.findall(" ".join(text.split())):
        if made and _ABBREVIATED.search(made[-1]):
            made[-1] += " " + sentence.strip()
        elif sentence.strip():
            made.append(sentence.strip())
    return made


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, each on one line."""
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()) if part.strip()]


def flat(text: str) -> str:
    """A text as it is compared: one line, lower case, plain quotes."""
    return " ".join(text.casefold().translate(_PLAIN).split())


_PLAIN = str.maketrans("’‘“”", "''\"\"")


def share(passage: Iterable[str], narration: str) -> float:
    """The share (0 to 1, by length) of the passage's sentences, as `flat` makes them, that `narration` holds."""
    lengths = [(len(sentence), sentence in narration) for sentence in passage]
    whole = sum(length for length, _ in lengths)
    return sum(length for length, held in lengths if held) / whole if whole else 0.0


def words_in(*values: object) -> frozenset[str]:
    """Every word in the values, however they are nested, in lower case."""
    return frozenset(re.findall(r"[^\W\d_]+", str(values).casefold()))


def content_words(text: str) -> frozenset[str]:
    """The words of a text that carry its meaning, cut to a stem of five letters."""
    return frozenset(word[:5] for word in re.findall(r"\w{4,}", text.casefold()) if word not in _COMMON)


_COMMON = frozenset(
    """that this with from they them their there then than have been were what when where which while will would
    could should about after before into onto over under your yours only just more most some such very says said
    does done because himself herself itself""".split()
)
