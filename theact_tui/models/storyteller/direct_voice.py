"""Who tells the offline storyteller's chapter (D4): nobody, in the third person, or somebody of the cast as I."""

from __future__ import annotations

import re
from collections.abc import Iterable

from theact_tui.models.storyteller.direct_people import ME, THEY, Pronouns
from theact_tui.models.storyteller.names import forms
from theact_tui.models.storyteller.verbs import PAST

_FIRST = re.compile(r"\bfirst[\s-]+person\b", re.I)
_NOT_FIRST = re.compile(r"\b(?:no|not|never|avoid)\b[^.;,\n]*\bfirst[\s-]+person\b", re.I)
OWNS = re.compile(
    r" (?!(?:to|and|or|in|on|at|with|for|as|that|from|out|away|back|by|into|over|under|up|down|a|an|the)\b)[a-z]"
)
"""What follows `her` where it stands for whose something is."""
_BEGINS = frozenset("and but or then that when while as because if until before after where so".split())
"""A clause begins after these."""
_AUXILIARY = frozenset("was were had did could would should might must never still only just also".split())
_PASTS = frozenset(PAST.values())


def teller_of(voice: str, names: Iterable[str]) -> str:
    """Who is I in the chapter: the one the writer's voice names, else the first of the cast; nobody unless it asks for
    the first person."""
    if not _FIRST.search(voice) or _NOT_FIRST.search(voice):
        return ""
    cast = list(names)
    places = {name: match.start() for name in cast if (match := _called(name).search(voice))}
    return min(places, key=lambda name: places[name], default=cast[0] if cast else "")


def as_told_by(text: str, name: str, others: Iterable[str], pronouns: Pronouns) -> str:
    """A text in the past about `name`, whose pronouns these are (`THEY`: not known here), in the first person."""
    about, strangers = _called(name), [_called(other) for other in others]
    made, mine = [], False
    for line in re.split(r"((?<=[.!?…])\s+)", text):
        named, shared = bool(about.search(line)), any(other.search(line) for other in strangers)
        told = re.sub(rf"({about.pattern} (?:with|in|on|at|by)) {pronouns.possessive}\b", r"\1 my", line)
        told = re.sub(rf"{about.pattern}['’]s\b", ME.possessive, told)
        told = about.sub(lambda match: _case(match.string, match), told)
        if pronouns is not THEY and (mine or named):
            told = _own_pronouns(told, pronouns, most=1 if shared else 0) if mine or not shared else told
        made.append(told)
        mine = (mine or named) and not shared
    return "".join(made)


def _called(name: str) -> re.Pattern[str]:
    longest = sorted(forms(name), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b")


def _case(text: str, match: re.Match[str]) -> str:
    """`I` where somebody does something at the beginning of a clause, else `me`."""
    before = re.findall(r"[\w']+|[^\w\s]", text[: match.start()])
    following = re.match(r"\s+([\w']+)", text[match.end() :])
    word = following[1].lower() if following else ""
    begins = not before or before[-1].lower() in _BEGINS or not before[-1][-1].isalnum()
    acts = word in _AUXILIARY or word in _PASTS or word.endswith(("ed", "ly"))
    return ME.subject if begins and acts else ME.object


def _own_pronouns(text: str, pronouns: Pronouns, *, most: int) -> str:
    """A text whose pronouns are those of the one who tells it; at `most` so many of them, 0 for all."""

    def turned(match: re.Match[str]) -> str:
        word = match[0].lower()
        if word == pronouns.subject:
            return ME.subject
        if word == pronouns.self:
            return ME.self
        owns = word == pronouns.possessive and (
            pronouns.possessive != pronouns.object or OWNS.match(match.string, match.end())
        )
        return ME.possessive if owns else ME.object if word == pronouns.object else ME.own

    words = "|".join({pronouns.subject, pronouns.object, pronouns.possessive, pronouns.own, pronouns.self})
    return re.sub(rf"\b(?:{words})\b", turned, text, count=most, flags=re.I)
