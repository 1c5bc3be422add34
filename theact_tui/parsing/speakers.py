"""Speakers in a reply: labels such as `Maya:`, and the line where another character begins to speak."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from theact_tui.parsing.types import ReplyContext
from theact_tui.story.matching import plain
from theact_tui.story.names import short_name
from theact_tui.story.turn import Turn

_AGENT = r"agent[ _](?:red|orange|yellow|green|blue|indigo|violet)"
OWN_LABEL = re.compile(r"\A(?:character|assistant|response|npc)[ \t]*:[ \t]*", re.IGNORECASE)
_MARKS = r"(?:(?<=\*\*:)\*\*|\*\*(?=[ \t\n])|[ \t])*"


def one_speaker(text: str, own: str, cast: Mapping[str, str]) -> str:
    """Keep the text of one speaker: `own` if known, else the first one named."""
    text = OWN_LABEL.sub("", text, count=1)
    speakers = Speakers.of(own, cast, text)
    if speakers.mine:
        text = re.sub(rf"^(?:{speakers.mine.pattern})+", "", text, flags=re.IGNORECASE | re.MULTILINE)
        text = speakers.alone.sub("", text, count=1) if speakers.alone else text
    return before_label(speakers.others, text).strip()


def before_answers(text: str, cast: Mapping[str, str]) -> str:
    """Cut `text` before the first line with a label of `cast`, unless nothing precedes it."""
    return before_label(Speakers.of("", cast, "").others, text).strip() or text


def before_label(label: re.Pattern[str] | None, text: str) -> str:
    """Cut `text` before the first line that begins with a label, except in a list, a quote, or after an announcing
    colon.
    """
    if label:
        for begun in re.finditer(rf"^(?!\*[ \t]|[\"'][^\"'\n]*[:：]){label.pattern}", text, re.I | re.M):
            before = text[: begun.start()]
            if not before.rstrip().endswith((":", "：")):
                return before
    return text


@dataclass(frozen=True, slots=True)
class Speakers:
    """Labels of the speaker's lines and of all others'; None if unknown."""

    mine: re.Pattern[str] | None
    alone: re.Pattern[str] | None
    others: re.Pattern[str] | None

    @classmethod
    def of(cls, own: str, cast: Mapping[str, str], head: str) -> Speakers:
        """Make the labels of `cast` if `own` speaks; without `own`, the speaker is the one that `head` names."""
        everybody = _spellings(tuple(cast.items()))
        named = re.match(_label(everybody), head, re.I) or re.match(_alone(everybody), head, re.I)
        speaker = own or (_speaker_of(named[0].rstrip(":： \n"), cast) if named else "")
        others = _spellings(tuple((id, name) for id, name in cast.items() if id != speaker))
        mine = _spellings(((speaker, cast.get(speaker, speaker)),)) if speaker else (_AGENT,) if named else ()
        return cls(
            re.compile(_label(mine) + _MARKS, re.IGNORECASE) if mine else None,
            re.compile(rf"\A{_alone(mine)}", re.IGNORECASE) if mine else None,
            re.compile(_label(others), re.IGNORECASE) if others and (speaker or not named) else None,
        )


def others_of(context: ReplyContext) -> tuple[str, ...]:
    """Return names, first names too, of everybody whose lines are not part of a reply."""
    cast = dict(context.active_characters or {})
    own = cast.pop(context.speaker, "")
    player = context.player if context.speaker else ""
    names = [spelled for name in (player, *cast.values()) for spelled in (name, short_name(name))]
    return tuple(name for name in dict.fromkeys(filter(None, names)) if name not in (own, short_name(own)))


def name_words(context: ReplyContext) -> tuple[str, ...]:
    """Return the words of the names of people and place; words in lower case, and very short ones, are no names."""
    names = (*(context.active_characters or {}).values(), context.player, context.place)
    words = (word for name in names for word in re.findall(r"\w{3,}", name))
    return tuple(dict.fromkeys(word for word in words if not word[0].islower()))


@lru_cache(maxsize=64)
def _label(names: tuple[str, ...]) -> str:
    """Return a pattern for a name, a stage direction and a colon."""
    return (
        rf"[*_\[\"'#]{{0,3}}[ \t]*(?:{'|'.join((*names, _AGENT))})(?:['’]s (?:response|reply|line|"
        rf"answer))?[*_]{{0,3}}[ \t]*"
        r"(?:\([^()\n]{0,60}\)|\[[^\[\]\n]{0,40}\])?[*_\]\"']{0,3}[ \t]*(?:says|replies)?[ \t]*[:：]"
    )


def _alone(names: tuple[str, ...]) -> str:
    return rf"[*_#\[ \t]*(?:{'|'.join((*names, _AGENT))})[*_\] \t]*\n+(?=\S)"


@lru_cache(maxsize=64)
def _spellings(people: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    """Return patterns of ids and names, first names too, longest first."""
    spelled: set[str] = set()
    for id, name in people:
        spelled |= {name, id, id.replace("_", " "), short_name(name)}
    return tuple(sorted(map(re.escape, filter(None, spelled)), key=len, reverse=True))


def _speaker_of(label: str, cast: Mapping[str, str]) -> str:
    """Return the id that a label names, or ""."""
    spelled = plain(re.sub(r"\([^()]*\)|['’]s \w+|\b(?:says|replies)\b", "", label))
    names = ((id, {plain(id), plain(name), plain(short_name(name))}) for id, name in cast.items())
    return next((id for id, spellings in names if spelled and spelled in spellings), "")


def model_texts(turn: Turn) -> list[str]:
    return [entry.text for entry in turn.entries if entry.role in ("narrator", "character")]


_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def spoken_words(text: str) -> list[str]:
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
    typed = " ".join(spoken_words(turn.player_text))
    matches = (match for text in model_texts(turn) for match in spoken.finditer(text))
    quotes = (next(filter(None, match.groups())) for match in matches)
    return any(" ".join(spoken_words(quote)) not in typed for quote in quotes)
