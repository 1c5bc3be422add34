"""Does a page or reply put words into the player's mouth?"""

import re

from theact_tui.story.turn import Turn


def written(turn: Turn) -> list[str]:
    """Texts of models in a turn."""
    return [entry.text for entry in turn.entries if entry.role in ("narrator", "character")]


_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def words_of(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]


SAYS = r"(?:say|ask|reply|answer|shout|whisper|murmur|call|tell|mutter|add|cry|promise|admit|agree)"


QUOTE = r"[\"“][^\"”“\n]{2,}[\"”]"


def speaks_for(turn: Turn, hero: str) -> bool:
    """True if narration or replies let the player's character say what the player did not type: in quotes, or after
    the name and a colon.
    """
    name = re.escape(hero)
    subject = rf"(?:[Yy]ou(?: \w+ly)? {SAYS}|{name}(?: \w+ly)? {SAYS}(?:s|es|ed|d)?)"
    spoken = re.compile(
        rf"(?P<a>{QUOTE}),? {subject}\b|\b{subject}\b(?: \w+){{0,3}}[,:] (?P<b>{QUOTE})|\b{subject}\b[.,] (?P<c>{QUOTE})"
        rf"|^[>*\s]*{name}\**:\**(?P<d>.{{2,}})$",
        re.MULTILINE,
    )
    typed = " ".join(words_of(turn.player_text))
    for text in written(turn):
        for match in spoken.finditer(text):
            quote = next(group for group in match.groups() if group)
            if " ".join(words_of(quote)) not in typed:
                return True
    return False
