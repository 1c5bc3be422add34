"""Keeps a spoken reply to one speaker: no name in front of it, nobody else's lines after it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from theact_tui.models.reading.reconcile import TITLES
from theact_tui.models.reading.scalars import scalar
from theact_tui.story.matching import plain

_AGENT = r"agent[ _](?:red|orange|yellow|green|blue|indigo|violet)"
_SELF = re.compile(r"\A(?:character|assistant|response|npc)[ \t]*:[ \t]*", re.IGNORECASE)
_BLOCK_MARK = re.compile(r"[ \t]*\|[+-]?[ \t]*\n")


def one_speaker(text: str, own: str, cast: Mapping[str, str]) -> str:
    """`text` as spoken by one of `cast`: by `own` if that is known, else by whoever it names first."""
    text = _SELF.sub("", text, count=1)
    everybody = _spellings(tuple(cast.items()))
    named = re.match(_label(everybody), text, re.IGNORECASE)
    alone = re.match(_alone(everybody), text, re.IGNORECASE)
    label = named[0] if named else alone[1] if alone else ""
    speaker = own or _who(label, cast)
    others = _spellings(tuple((id, name) for id, name in cast.items() if id != speaker))
    if speaker or named:
        mine = _spellings(((speaker, cast.get(speaker, speaker)),)) if speaker else (_AGENT,)
        text = _without_own_name(text, mine)
    if others and (speaker or not named):
        begun = re.search(f"^{_label(others)}", text, re.IGNORECASE | re.MULTILINE)
        text = text[: begun.start()] if begun else text
    return text.strip()


def _without_own_name(text: str, mine: tuple[str, ...]) -> str:
    """`text` without the speaker's name in front of it or of its paragraphs, or on a line of its own above it."""
    marks = r"(?:(?<=\*\*:)\*\*|\*\*(?=[ \t\n])|[ \t])*"
    text = re.sub(f"^(?:{_label(mine)}{marks})+", "", text, flags=re.IGNORECASE | re.MULTILINE)
    text = re.sub(rf"\A{_alone(mine)}", "", text, flags=re.IGNORECASE)
    return scalar("|", text.split("\n")[1:]) if _BLOCK_MARK.match(text) else text


@lru_cache(maxsize=64)
def _label(names: tuple[str, ...]) -> str:
    """A pattern for a name, a stage direction and a colon."""
    return (
        rf"[*_\[\"'#]{{0,3}}[ \t]*(?:{'|'.join((*names, _AGENT))})(?:['’]s (?:response|reply|line|"
        rf"answer))?[*_]{{0,3}}[ \t]*"
        r"(?:\([^()\n]{0,60}\)|\[[^\[\]\n]{0,40}\])?[*_\]\"']{0,3}[ \t]*(?:says|replies)?[ \t]*[:：]"
    )


def _alone(names: tuple[str, ...]) -> str:
    """A pattern for a name on a line of its own."""
    return rf"[*_#\[ \t]*({'|'.join((*names, _AGENT))})[*_\] \t]*\n+(?=\S)"


@lru_cache(maxsize=64)
def _spellings(people: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Patterns of ids and names, first names too, longest first."""
    spelled: set[str] = set()
    for id, name in people:
        words = [word for word in name.split() if word.casefold().strip(".") not in TITLES]
        spelled |= {name, id, id.replace("_", " "), *words[:1]}
    return tuple(sorted(map(re.escape, filter(None, spelled)), key=len, reverse=True))


def _who(label: str, cast: Mapping[str, str]) -> str:
    """The id of the one a label names; empty for anybody else."""
    said = plain(re.sub(r"\([^()]*\)|['’]s \w+", "", label))
    for id, name in cast.items():
        words = [word for word in name.split() if word.casefold().strip(".") not in TITLES]
        if said and said in {plain(id), plain(name), *map(plain, words[:1])}:
            return id
    return ""
