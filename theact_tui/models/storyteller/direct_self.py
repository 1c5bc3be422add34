"""What a character of direct mode knows of itself: lines of its identity in the first person, by what they are for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from theact_tui.models.storyteller.direct_words import LABEL, parts_of
from theact_tui.models.storyteller.find import content_words, sentences
from theact_tui.models.storyteller.persons import in_own_voice
from theact_tui.models.storyteller.plain import capital, ended
from theact_tui.models.storyteller.verbs import base, plain_form

_HIDDEN = re.compile(
    r"\b(?:secret|secretly|hides?|hidden|nobody knows|no one knows|conceals?|pretends?|lies about)\b", re.I
)
_LIMIT = re.compile(r"\b(?:never|cannot|can't|can not|will not|won't|refuses?|must not|unable|taboo)\b", re.I)
_HEART = re.compile(
    r"\b(?:wants?|hopes?|seeks?|looking for|searching|needs?|loves?|fears?|afraid|dreads?|hates?|misses|remembers?|lost"
    r"|believes?|trusts?|distrusts?|agreed)\b",
    re.I,
)
_SKILL = re.compile(r"\b(?:good (?:with|at)|knows?|skilled|trained|expert|best at|can (?!not))\b", re.I)
_MANNER = re.compile(r"\b(?:speaks?|talks?|voice|sentences|accent|laughs?|smiles?|words)\b", re.I)
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_SHORT = re.compile(r"\b(?:short sentences|few words|terse|curt|laconic|says little|taciturn|gruff)\b", re.I)


@dataclass(frozen=True, slots=True)
class Self:
    """The open lines of an identity, and the words of what is kept secret."""

    hearts: tuple[str, ...]
    """What it wants, fears, remembers."""
    limits: tuple[str, ...]
    """What it never does, or cannot."""
    skills: tuple[str, ...]
    others: tuple[str, ...]
    secrets: frozenset[str]
    """Stems of the words of its secrets."""
    terse: bool
    """It says little at a time."""

    @property
    def lines(self) -> tuple[str, ...]:
        return self.hearts + self.limits + self.skills + self.others


def known(identity: str, name: str, others: Sequence[str]) -> Self:
    """An identity, whoever it was written to, as its character knows it."""
    sorted_: dict[str, list[str]] = {"hearts": [], "limits": [], "skills": [], "others": []}
    hidden: list[str] = []
    secret = False
    for part in parts_of(identity):
        secret = part.lower().startswith("secret")
        for line in sentences(LABEL.sub(r"\2", part)):
            if secret or _HIDDEN.search(line):
                hidden.append(line)
            elif 3 <= len(line.split()) <= 24 and not _MANNER.search(line):
                sorted_[_kind(line)].append(capital(ended(_mine(line, name, others))))
    names = content_words(" ".join([name, *others]))
    return Self(
        **{kind: tuple(lines) for kind, lines in sorted_.items()},
        secrets=content_words(" ".join(hidden)) - names,
        terse=bool(_SHORT.search(identity)),
    )


def _kind(line: str) -> str:
    if _LIMIT.search(line):
        return "limits"
    if _HEART.search(line):
        return "hearts"
    return "skills" if _SKILL.search(line) else "others"


def _mine(line: str, name: str, others: Sequence[str]) -> str:
    """A line of an identity in the first person."""
    if re.match(r"(?:you|your)\b", line, re.I):
        line = re.sub(r"\byou are\b|\byou're\b", "I am", line, flags=re.I)
        line = re.sub(r"\byourself\b", "myself", line, flags=re.I)
        line = re.sub(r"\byour\b", "my", line, flags=re.I)
        return re.sub(r"\byou\b", "I", line, flags=re.I)
    line = re.sub(r"^(?:She|He|They)\b", name, line)
    line = re.sub(rf"^({re.escape(name)}), [^,]*, (?=was |is |has )", r"\1 ", line)
    line = re.sub(rf"^({re.escape(name)}), (?=(?:\d|{_TENS})[\w-]*, an? )", r"\1 is ", line)
    line = in_own_voice(line, name, others)
    line = re.sub(r"\bmy (?=(?:where|what|how|when|who|why|that|to)\b)", "me ", line)
    return re.sub(r"\b((?:I (?:never|always|often|only|also|still)|and|but) )(\w+s)\b", _agreeing, line)


def _agreeing(match: re.Match[str]) -> str:
    """A verb that stands further from its I: `I sing and has` becomes `I sing and have`."""
    verb = match[2]
    if verb in ("has", "is", "does"):
        return match[1] + {"has": "have", "is": "am", "does": "do"}[verb]
    is_verb = base(verb) is not None or _HEART.fullmatch(verb) or not match[1].startswith(("and", "but"))
    return match[1] + (base(verb) or plain_form(verb)) if is_verb else match[0]
