"""Turn simple regular expressions in lore keys into words."""

import re
from itertools import product

MAX_WORDS = 50
SIGNS = re.compile(r"[\\\[\](){}|^$+?]|\.\*")


def words_of(pattern: str) -> list[str]:
    """List all texts that a pattern matches: `salt( |)gate` gives `salt gate` and `saltgate`. None for patterns that
    are not simple, or more than `MAX_WORDS` texts.
    """
    try:
        texts, end = _alternatives(pattern, 0)
    except (_NotSimple, IndexError):
        return []
    plain = dict.fromkeys(" ".join(text.split()) for text in texts)
    return [text for text in plain if text] if end == len(pattern) else []


class _NotSimple(Exception):
    pass


def _alternatives(pattern: str, at: int) -> tuple[list[str], int]:
    texts, current = list[str](), [""]
    while at < len(pattern) and pattern[at] != ")":
        if pattern[at] == "|":
            texts, current, at = [*texts, *current], [""], at + 1
            continue
        part, at = _part(pattern, at)
        if pattern[at : at + 1] == "?":
            part, at = [*part, ""], at + 1
        current = ["".join(both) for both in product(current, part)]
        if len(current) + len(texts) > MAX_WORDS:
            raise _NotSimple
    return [*texts, *current], at


def _part(pattern: str, at: int) -> tuple[list[str], int]:
    sign = pattern[at]
    if sign == "(":
        begin = at + (3 if pattern.startswith("(?:", at) else 1)
        texts, end = _alternatives(pattern, begin)
        if pattern[end] != ")" or pattern[begin] == "?":
            raise _NotSimple
        return texts, end + 1
    if sign == "[":
        letters = pattern[at + 1 : pattern.index("]", at)] if "]" in pattern[at:] else ""
        if not letters.isalnum():
            raise _NotSimple
        return list(letters), at + len(letters) + 2
    if sign == "\\":
        meaning = {"b": "", "s": " "}.get(pattern[at + 1], pattern[at + 1])
        if len(meaning) == 1 and meaning.isalnum():
            raise _NotSimple
        return [meaning], at + 2
    if sign in "^$":
        return [""], at + 1
    if sign in "*+?{.]}":
        raise _NotSimple
    return [sign], at + 1
