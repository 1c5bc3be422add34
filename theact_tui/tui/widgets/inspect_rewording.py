"""How a text was reworded: the words that are new in it, and the words that went. Pure."""

from __future__ import annotations

from difflib import SequenceMatcher

from textual.content import Content

MOSTLY = 0.4
"""Likeness from which two texts count as one that was reworded; below it all of it is new."""
AROUND = 2
"""Words of context shown before words that went."""
CUT = "…"


def _matcher(was: list[str], now: list[str]) -> SequenceMatcher[str]:
    return SequenceMatcher(None, was, now, autojunk=False)


def marked(content: Content, was: str, ink: str) -> Content:
    """`content`, whose words are one space apart, with those in `ink` that are new against `was`; a wholly new text is
    left as it is."""
    words = content.plain.split(" ")
    matcher = _matcher(was.split(), words)
    if matcher.ratio() < MOSTLY:
        return content
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word) + 1)
    for what, _, _, first, last in matcher.get_opcodes():
        if what in ("replace", "insert"):
            content = content.stylize(ink, starts[first], starts[last] - 1)
    return content


def words_gone(was: str, now: str) -> str:
    """The words of `was` that are not in `now`, each run with a little before it; all of it when little stayed."""
    words = was.split()
    matcher = _matcher(words, now.split())
    if matcher.ratio() < MOSTLY:
        return " ".join(words)
    kept: set[int] = set()
    for what, first, last, _, _ in matcher.get_opcodes():
        if what in ("replace", "delete"):
            kept.update(range(max(0, first - AROUND), last))
    made: list[str] = []
    for place, word in enumerate(words):
        if place in kept:
            made.append(word)
        elif not made or made[-1] != CUT:
            made.append(CUT)
    return " ".join(made) if kept else ""
