"""People's names: the parts they go by, and who is named or called in a text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

TITLES = frozenset(
    """father mother brother sister doctor professor captain miss lord lady king queen saint the old sir madam dame
    master mister uncle aunt grandmother grandfather sergeant major colonel general reverend mr mrs ms dr little
    young""".split()
)
_ALONE = TITLES - frozenset("the old little young saint mr mrs ms".split())
"""Titles by which a person is called without the name: `Father, where are we?`"""
_TITLE = "(?:(?:" + "|".join(sorted(TITLES)) + ")\\.? )?"
_CALLED = (
    r"^(?:hey |hello |hi |dear |please,? |so,? |and you,? )?{title}{name}\s*(?:[,:!]|\?$)",
    r",\s*{title}{name}(?=\s*[.,!?]|\s*$)",
)
_GOES_ON = (
    r"(?:i|i'm|i'll|you|we|what|where|who|why|how|let|please|look|tell|listen|come|stop|don't|help|give"
    r"|(?:do|did|are|is|can|could|will|would|have) (?:you|we|i|it|this|that|there))"
)
"""What follows a name that is called without a comma."""
_GREETING = (
    r"(thank you|thanks|hello|hi|hey|good (?:morning|day|evening|night)|goodbye|bye|farewell|sorry|welcome"
    r"|please)"
)
"""What stands before one."""
_SPOKEN_TO = (
    r"(\b(?:ask|asks|asked|tell|tells|told|say to|talk to|talk with|speak to|speak with|answer|shout at|call|beg|warn"
    r"|persuade|convince|question|thank|greet|reply to|whisper to|say(?: [\w']+){{1,3}} to|nod to|nod at|wave to"
    r"|wave at|smile at|bow to) )(?:the )?{title}{name}"
)


def forms(name: str) -> list[str]:
    """The whole name, then its parts that stand for the person: `Maya Chen`, `Maya`, `Chen`."""
    parts = [
        part for part in name.split() if len(part) > 2 and part.lower() not in TITLES and part[0].isupper()
    ]
    return list(dict.fromkeys([name, *parts]))


def mentions(text: str, name: str) -> bool:
    """True if `text` names the person, ignoring case."""
    return any(re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text, re.I) for form in forms(name))


def as_called(name: str, texts: str) -> str:
    """The name that `texts` use for the person: the part they have most often, with the title where that is usual."""
    whole, *parts = forms(name)
    if not parts:
        return whole
    part = max(parts, key=lambda part: len(re.findall(rf"\b{re.escape(part)}\b", texts)))
    title = name.split()[0]
    with_title = len(re.findall(rf"\b{re.escape(title)} {re.escape(part)}\b", texts))
    often = 2 * with_title > len(re.findall(rf"\b{re.escape(part)}\b", texts))
    return f"{title} {part}" if often and title.lower() in TITLES else part


def unaddressed(words: str, name: str) -> str:
    """Spoken words without the name of the one they are said to, where it stands apart: `Are you hurt?`"""
    title = name.split()[0]
    alone = [title] if title.lower() in _ALONE else []
    for form in (*forms(name), *alone):
        this = re.escape(form) + r"(?!\w)"
        start = rf"^((?:hey|hello|hi|dear|please|so|tell me),? )?{_TITLE}{this}(?:\s*[,:!]\s*|\s+(?={_GOES_ON}\b))"
        words = re.sub(start, lambda m: f"{m[1].rstrip(' ,')}, " if m[1] else "", words, flags=re.I)
        words = re.sub(rf",\s*{_TITLE}{this}(?=\s*[.!?…]|\s*$)", "", words, flags=re.I)
    return words[:1].upper() + words[1:]


def called(line: str, names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """What a line is about without the names of those spoken to, and who they are: `Maya, where are we?`"""
    found: list[str] = []
    for name in names:
        title = name.split()[0]
        alone = title.lower() in _ALONE and sum(other.startswith(title) for other in names) == 1
        for form in (*forms(name), *([title] if alone else [])):
            if form.lower() not in line.lower():
                continue
            this = re.escape(form) + r"(?!\w)"
            rest = line
            for pattern in _CALLED:
                rest = re.sub(pattern.format(name=this, title=_TITLE), " ", rest, flags=re.I)
            rest = re.sub(rf"^{_TITLE}{this}(?= {_GOES_ON}\b)", " ", rest, flags=re.I)
            rest = re.sub(rf"^{_GREETING}\s+{_TITLE}{this}", r"\1", rest, flags=re.I)
            rest = re.sub(_SPOKEN_TO.format(name=this, title=_TITLE), r"\1", rest, flags=re.I)
            if rest != line:
                line = rest
                found.append(name)
    return line, tuple(dict.fromkeys(found))


def callings(roles: Mapping[str, str]) -> dict[str, str]:
    """What people may be called by instead of a name, from their roles: `priest` for Father Joaquin; by lower case word.

    `roles` are full names with roles such as `barefoot priest, fifty`. A word that fits two people stands for nobody.
    """
    words = [(word, name) for name, role in roles.items() for word in _nouns(role)]
    return {word: name for word, name in words if [other for other, _ in words].count(word) == 1}


def _nouns(role: str) -> set[str]:
    """The last word of the first part of a role, and of those that begin with an article."""
    first, *others = (part.strip().lower() for part in role.split(","))
    parts = [first, *(part for part in others if re.match(r"an? |the ", part))]
    heads = (re.split(r" (?:at|of|on|over|to|from|with|in|for|who|that|and|by) ", part)[0] for part in parts)
    return {head.split()[-1] for head in heads if re.search(r"[^\W\d]{3,}$", head)}


def by_name(line: str, callings: Mapping[str, str]) -> str:
    """`line` with names in place of what people are called by: `the priest`, or `Engineer, ...`."""
    for word, name in callings.items():
        this = re.escape(word)
        line = re.sub(
            rf"\bthe (?:[a-z]+ )?{this}(?![\w'-])|^{this}(?=,)|(?<=, ){this}(?=[.?!]|$)",
            name,
            line,
            flags=re.I,
        )
    return line
