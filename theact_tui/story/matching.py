"""Finding the line somebody meant in a numbered list: beats, facts (S4.1, S5.2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz import fuzz

CLOSE = 0.85
MARGIN = 0.05

_NUMBER = re.compile(
    r"\W*(?:(?:beat|fact|item|number|nr|no|line)\b[\s.:#°_-]*)?#?\s*(\d{1,3})\s*(?:st|nd|rd|th)?\W*",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"\s*(?:(?:[-*+•◦▪‣–—>·]|\[[ xX✓✔√]?\]|[✓✔✗✘☐☑☒✅❌]\ufe0f?)\s*)*"
    r"(?:(?:(?:beat|fact|item|number|nr|no)\b[\s.#°_-]*)?#?[\[(]?(\d{1,3})\s*[\])]?\s*[.):\-–—]+\s*"
    r"|(?:beat|fact|item)\s*#?(\d{1,3})\s+|\[(\d{1,3})\]\s*|#(\d{1,3})\s+)?"
    r"(?:(?:\[[ xX✓✔√]?\]|[✓✔✗✘☐☑☒✅❌]\ufe0f?)\s*)*",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"\s*(?:\(\s*(?:hit|done|met|complete|completed|new|now hit|x|✓|✔|✅)\s*\)"
    r"|[-–—:]+\s*(?:hit|done|met|complete|completed|yes|true|✓|✔|✅)|\[[xX✓✔ ]?\]|[✓✔✅]\ufe0f?|,)\s*$",
    re.IGNORECASE,
)
_NEGATIONS = frozenset(
    "not no never none nobody nothing nowhere neither nor without cannot cant dont doesnt didnt isnt arent wasnt "
    "werent wont wouldnt couldnt shouldnt hasnt havent hadnt aint fails failed refuses refused unable "
    "non kein keine keinen nicht nie niemals nunca jamais pas sin ohne sans".split()
)
_OPPOSITES = (
    ("alive", "dead"),
    ("open", "closed"),
    ("opened", "closed"),
    ("locked", "unlocked"),
    ("trusts", "distrusts"),
    ("trust", "distrust"),
    ("trusts", "mistrusts"),
    ("likes", "dislikes"),
    ("lost", "found"),
    ("safe", "unsafe"),
    ("agrees", "disagrees"),
    ("before", "after"),
    ("left", "right"),
)


def match_line(text: str, candidates: Sequence[str]) -> int | None:
    """The index of the candidate that `text` means, or None.

    By its number (from 1), by text ignoring case, space and punctuation, or by a close match: at least 0.85, clearly
    ahead of the second best, and never across a negation.
    """
    only_number = _NUMBER.fullmatch(text)
    if only_number:
        return _at(int(only_number[1]), candidates)
    for wording in _wordings(text):
        found = match_text(wording, candidates)
        if found is not None:
            return found
    return None


def match_text(text: str, candidates: Sequence[str]) -> int | None:
    """As `match_line`, but by words alone: a number in front is part of the text."""
    wanted = plain(text)
    if not wanted:
        return None
    known = [plain(candidate) for candidate in candidates]
    if wanted in known:
        return known.index(wanted)
    return _closest(wanted, known)


def plain(text: str) -> str:
    """`text` in lower case, its words separated by one space, without punctuation and apostrophes."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = re.sub(r"(?<=\w)['’`´](?=\w)", "", folded)
    return " ".join(re.findall(r"\w+", folded.replace("_", " ")))


def same_polarity(one: str, other: str) -> bool:
    """True unless one of two texts (as `plain` makes them) denies what the other says."""
    mine, theirs = one.split(), other.split()
    if sum(word in _NEGATIONS for word in mine) % 2 != sum(word in _NEGATIONS for word in theirs) % 2:
        return False
    only_mine, only_theirs = set(mine) - set(theirs), set(theirs) - set(mine)
    return not any(
        (a in only_mine and b in only_theirs) or (b in only_mine and a in only_theirs) for a, b in _OPPOSITES
    )


def _wordings(text: str) -> list[str]:
    """`text` as it stands, then without list marks, number, checkbox and a trailing remark such as "(hit)"."""
    bare = _LEADING.sub("", text, count=1)
    shorter = _TRAILING.sub("", bare)
    return list(dict.fromkeys([text, bare, shorter]))


def _at(number: int, candidates: Sequence[str]) -> int | None:
    return number - 1 if 1 <= number <= len(candidates) else None


def _closest(wanted: str, known: Sequence[str]) -> int | None:
    """The one candidate close enough to `wanted`; those that deny it count as rivals but never win."""
    scores = [_closeness(wanted, candidate) for candidate in known]
    ranked = sorted(range(len(known)), key=lambda index: -scores[index])
    if not ranked or scores[ranked[0]] < CLOSE:
        return None
    if len(ranked) > 1 and scores[ranked[0]] - scores[ranked[1]] < MARGIN:
        return None
    return ranked[0] if same_polarity(wanted, known[ranked[0]]) else None


def _closeness(one: str, other: str) -> float:
    """0 to 1: edit similarity, or word-set similarity where only the order differs."""
    return max(fuzz.ratio(one, other), fuzz.token_sort_ratio(one, other)) / 100
