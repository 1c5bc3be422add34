"""Who is who in a record of direct mode: what people are called in prose, and how they are spoken of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from theact_tui.models.storyteller.find import sentences
from theact_tui.models.storyteller.names import TITLES, called, forms
from theact_tui.story.direct.log import Exchange


@dataclass(frozen=True, slots=True)
class Pronouns:
    """How a character is spoken of."""

    subject: str
    object: str
    possessive: str
    own: str
    self: str


SHE = Pronouns("she", "her", "her", "hers", "herself")
HE = Pronouns("he", "him", "his", "his", "himself")
ME = Pronouns("I", "me", "my", "mine", "myself")
THEY = Pronouns("they", "them", "their", "theirs", "themself")
_GENDERED = re.compile(r"\b(she|her|hers|herself|he|him|his|himself)\b", re.I)


@dataclass(frozen=True, slots=True)
class People:
    """The cast by name, and the texts that tell of it."""

    names: tuple[str, ...]
    texts: tuple[str, ...] = ()
    teller: str = ""
    """Who is I in what is made of the record; nobody unless it is told in the first person."""

    @classmethod
    def of(
        cls, names: Iterable[str], exchanges: Sequence[Exchange], lock: object = None, *, teller: str = ""
    ) -> People:
        """The people of a record and of the notes it began with."""
        told = [event.text for exchange in exchanges for event in exchange.events]
        return cls(tuple(names), (*_strings(lock), *told), teller)

    def pronouns(self, name: str) -> Pronouns:
        """How somebody is spoken of: the teller as I, others as the record has it."""
        return ME if name and name == self.teller else self.recorded(name)

    def recorded(self, name: str) -> Pronouns:
        """What the record calls somebody after naming them; `they` where it does not say."""
        found = [word.lower() for text in self.texts for word in self._gendered(name, text)]
        she = sum(word.startswith(("she", "her")) for word in found)
        he = len(found) - she
        return SHE if she > he else HE if he > she else THEY

    def _gendered(self, name: str, text: str) -> Iterable[str]:
        """Words of that kind: all of a sentence that names nobody else, and the first one after each mention."""
        mine = "|".join(re.escape(form) for form in forms(name))
        others = [form for other in self.names if other != name for form in forms(other)]
        stop = re.compile("|".join([r"\bI\b", *(rf"\b{re.escape(form)}\b" for form in others)]))
        lines = sentences(text)
        for place, line in enumerate(lines):
            if not stop.search(line) and re.search(rf"\b(?:{mine})\b", line):
                yield from _GENDERED.findall(line)
            for mention in re.finditer(rf"\b(?:{mine})\b", line):
                rest = line[mention.end() :] + " " + _opening(lines[place + 1 : place + 2])
                found = _GENDERED.search(stop.split(rest)[0])
                if found:
                    yield found[1]


def _opening(lines: Sequence[str]) -> str:
    """The first word of the next sentence, which may be `She`."""
    return lines[0].split()[0] if lines and lines[0].split() else ""


def _strings(value: object) -> Iterable[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _strings(inner)
        case list() | tuple():
            for inner in value:
                yield from _strings(inner)


def short_name(name: str) -> str:
    """What one calls somebody: the first of their names; the whole where that is a title, or no name of a person."""
    first = name.split()[0]
    return name if first.lower() in TITLES or name.startswith("Agent ") else first


def uncalled(text: str, names: Sequence[str]) -> str:
    """A text without the names of those it speaks to: `The rope slips, Kara.` becomes `The rope slips.`"""
    kept = "\n\n".join(
        " ".join(called(line, names)[0].strip() for line in sentences(part)) for part in text.split("\n\n")
    )
    return re.sub(r" +([,.;!?])", r"\1", re.sub(r"[^\S\n]{2,}", " ", kept))


def introduced(text: str, names: Iterable[str], *, known: bool) -> str:
    """A text in which everybody has the whole name once, unless they are `known`, and the short one after that."""
    for name in names:
        short = short_name(name)
        if short == name:
            continue
        text = re.sub(rf"\b{re.escape(name)}\b", short, text)
        if not known:
            text = re.sub(rf"\b{re.escape(short)}\b(?!['’]s \w+['’])", name, text, count=1)
    return text
