"""How a text was reworded: the words that are new in it, and the words that went. Pure."""

from __future__ import annotations

from difflib import SequenceMatcher

from textual.content import Content

MOSTLY = 0.4
"""Likeness from which two texts count as one that was reworded; below it all of it is new."""
AROUND = 2
"""Words of context shown before words that went."""
SHORT = 16
"""Words up to which a text is shown whole."""
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
    """The words of `was` that are not in `now`, each run with a little before it; all of it if short or mostly new."""
    words = was.split()
    matcher = _matcher(words, now.split())
    gone = [code for code in matcher.get_opcodes() if code[0] in ("replace", "delete")]
    if gone and (matcher.ratio() < MOSTLY or len(words) <= SHORT):
        return " ".join(words)
    kept: set[int] = set()
    for _, first, last, _, _ in gone:
        kept.update(range(max(0, first - AROUND), last))
    made: list[str] = []
    for place, word in enumerate(words):
        if place in kept:
            made.append(word)
        elif not made or made[-1] != CUT:
            made.append(CUT)
    return " ".join(made) if kept else ""
