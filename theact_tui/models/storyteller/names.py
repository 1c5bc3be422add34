"""People's names: the parts they go by, and who is named or called in a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

TITLES = frozenset(
    """father mother brother sister doctor professor captain miss lord lady king queen saint the old sir madam dame
    master mister uncle aunt grandmother grandfather sergeant major colonel general reverend""".split()
)
_TITLE = "(?:(?:" + "|".join(sorted(TITLES)) + ") )?"
_CALLED = (
    r"^(?:hey |hello |hi |dear |please,? |so,? |and you,? )?{title}{name}\s*[,:!]",
    r",\s*{title}{name}(?=\s*[.,!?]|\s*$)",
)
_GOES_ON = (
    r"(?:i|i'm|i'll|you|we|what|where|who|why|how|let|please|look|tell|listen|come|stop|don't|help|give"
    r"|(?:do|did|are|is|can|could|will|would|have) (?:you|we|i|it|this|that|there))"
)
"""What follows a name that is called without a comma."""
_SPOKEN_TO = (
    r"(\b(?:ask|asks|asked|tell|tells|told|say to|talk to|talk with|speak to|speak with|answer|shout at|call|beg|warn"
    r"|persuade|convince|question|thank|greet|reply to|whisper to) )(?:the )?{title}{name}"
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


def called(line: str, names: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """What a line is about without the names of those spoken to, and who they are: `Maya, where are we?`"""
    found: list[str] = []
    for name in names:
        title = name.split()[0]
        alone = title.lower() in TITLES and sum(other.startswith(title) for other in names) == 1
        for form in (*forms(name), *([title] if alone else [])):
            this = re.escape(form) + r"(?!\w)"
            rest = line
            for pattern in _CALLED:
                rest = re.sub(pattern.format(name=this, title=_TITLE), " ", rest, flags=re.I)
            rest = re.sub(rf"^{this}(?= {_GOES_ON}\b)", " ", rest, flags=re.I)
            rest = re.sub(_SPOKEN_TO.format(name=this, title=_TITLE), r"\1", rest, flags=re.I)
            if rest != line:
                line = rest
                found.append(name)
    return line, tuple(dict.fromkeys(found))
