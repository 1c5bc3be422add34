"""What can be read off a turn's text about who hears it: asides, whispers, and where somebody comes or goes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from theact_tui.story.pack import Character

People = Mapping[str, Character]

_ASIDE = re.compile(r"\s*[(（][^()（）]*[)）]")
_OPEN_ASIDE = re.compile(r"\s*(?<!\s[:;=])(?<!\s[:;=]-)[(（].*", re.DOTALL)
_QUOTED = re.compile(r'"[^"\n]*(?:"|$)|“[^”\n]*(?:”|$)|«[^»\n]*(?:»|$)|„[^“”\n]*(?:[“”]|$)', re.MULTILINE)
_BREAK = re.compile(
    r"(?P<paragraph>\s*\n\s*\n\s*|(?<=[.!?…\"”»])[ \t]*\n\s*)"
    r"|(?:(?<=[.!?…])|(?<=[.!?…][\"”’»')]))\s+(?=[\"“«‘'(]?[^\Wa-z_])"
)
_PRONOUN = re.compile(r"\b(?:he|she|they|him|her|them|his|hers|their)\b", re.IGNORECASE)
_TITLES = frozenset(
    """father mother brother sister doctor professor captain miss lord lady king queen saint the old sir madam dame
    master mister uncle aunt grandmother grandfather sergeant major colonel general reverend mr mrs ms dr little young
    von van der den del""".split()
)

_HUSHED = re.compile(r"\b(?:whisper|murmur|mutter|breathe|hiss)(?:s|d|ed|es|ing)?\b", re.IGNORECASE)
_NOUN = re.compile(r"\b(?:the|a|an|my|your|his|her|their|its|no|any|that|this)\s+(?:\w+\s+)?$", re.IGNORECASE)
_ADVERB = r"(?:quietly|softly|aside|privately|secretly|in private|in secret|under my breath|in a (?:low|soft) voice)"
_SAY = r"(?:say|ask|tell|speak|talk|answer|reply|explain|admit|confess|warn|promise|add)(?:s|ing)?"
_LOW_VOICE = re.compile(
    rf"\b{_ADVERB},?\s+(?P<before>{_SAY})\b|\b(?P<after>{_SAY})(?:\s+(?!and\b|then\b)[\w'’]+){{0,5}},?\s+{_ADVERB}\b",
    re.IGNORECASE,
)
_TO = re.compile(
    r"\s*(?:\w+ly\s+|something\s+|back\s+|across\s+)*"
    r"(?P<to>to\b|in(?:to)?\b(?=.{1,40}\b(?:ear|ears)\b))(?P<who>.*)",
    re.IGNORECASE | re.DOTALL,
)
_EVERYONE = re.compile(r"\b(?:all|everyone|everybody|both|others|them)\b", re.IGNORECASE)
_TOPIC = re.compile(
    r",|\b(?:that|about|of|because|what|how|why|where|when|who|whether|if|so|and (?:i|then))\b", re.IGNORECASE
)
_NOT_HEARING = re.compile(
    r"([^,;]{1,60}?)\s+(?:can(?:no|['’])?t|could(?:n['’]t| not)|won['’]t|will not|does(?:n['’]t| not)|do(?:n['’]t| not)"
    r"|must(?:n['’]t| not)|should(?:n['’]t| not)|may not)\s+(?:over)?hear",
    re.IGNORECASE,
)
_OUT_OF_HEARING = re.compile(
    r"\b(?:out of|behind)\s+(.{1,40}?)['’]s?\s+(?:hearing|earshot|back)", re.IGNORECASE
)
_ONLY_HEARING = re.compile(
    r"\b(?:only|just|nobody but|no one but)\s+([^,;]{1,60}?)\s+(?:(?:can|could|may|will|should)\s+)?hears?\b",
    re.IGNORECASE,
)
_NOBODY_HEARING = re.compile(
    r"\b(?:nobody|no one|no-one|none)\b(?! but)[^,;]{0,30}?\bhears?\b", re.IGNORECASE
)
_OTHERS = re.compile(r"\bothers?\b", re.IGNORECASE)
_CALL = re.compile(
    r"\b(?:call|shout|yell|cry|scream|bellow|hail|greet|beckon|wave|summon)(?:s|ed|ing)?\b", re.IGNORECASE
)
_LEAVING = re.compile(
    r"\b(?:walk|run|go|step|hurry|slip|stride|turn|march|stumble|flee|vanish|disappear)(?:s|es)?\b[^.!?]{0,40}"
    r"\b(?:away|off|out|into|from)\b|\b(?:leaves?|flees?|(?:is|am) gone)\b(?! (?:it|the|my|his|her)\b)",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"\b(?:not|never|nothing|no|without|nobody)\b|n['’]t\b", re.IGNORECASE)


def spoken(line: str) -> str:
    """The player's line without what stands in (parentheses), which is for the narrator alone."""
    while (shorter := _ASIDE.sub("", line)) != line:
        line = shorter
    return _OPEN_ASIDE.sub("", line).strip()


def meant_for(line: str, people: People) -> Collection[str] | None:
    """The ids of those of `people`, who are there, by whom the player's line is meant to be heard; None: by all."""
    head = _without_quotes(spoken(line)).split(":")[0]
    only = [found[1] for found in _ONLY_HEARING.finditer(head)]
    if only:
        return _named_in(" ".join(only), people)
    shut_out = [found[1] for found in (*_NOT_HEARING.finditer(head), *_OUT_OF_HEARING.finditer(head))]
    addressed = _whispered_to(head, people)
    if addressed is None and (_NOBODY_HEARING.search(head) or any(map(_OTHERS.search, shut_out))):
        addressed = _named_in(_TOPIC.split(head)[0], people)
    if addressed is None and not shut_out:
        return None
    excluded = {name for words in shut_out for name in _named_in(_last_words(words), people)}
    return set(people if addressed is None else addressed) - excluded


def calls(line: str, name: str) -> bool:
    """True if the player's line begins by calling somebody who is not there yet."""
    for first in sentences(spoken(line))[:1]:
        called = _CALL.search(first.bare)
        if called and not _DENIAL.search(first.bare):
            return is_named(first.text[called.start() :], name)
        return bool(re.match(rf"[\"“]?(?:{_forms(name)})!", first.text, re.IGNORECASE))
    return False


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a narration: its text, the same without what is said in quotes, and if a paragraph ends with it."""

    text: str
    bare: str
    last: bool


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text."""
    text = text.strip()
    bare = _QUOTED.sub(lambda found: re.sub(r"\w", "·", found[0]), text)
    made, start = list[Sentence](), 0
    for found in _BREAK.finditer(text):
        paragraph = found["paragraph"] is not None
        made.append(Sentence(text[start : found.start()], bare[start : found.start()], paragraph))
        start = found.end()
    return [*made, Sentence(text[start:], bare[start:], True)] if text else []


def portion(text: str, start: int, end: int | None) -> str:
    """The sentences from `start` to before `end` of a text, in their paragraphs."""
    told = sentences(text)[start:end]
    return "".join(f"{one.text}\n\n" if one.last else f"{one.text} " for one in told).strip()


def comes_in(narration: str, name: str, role: str = "") -> int:
    """The sentence in which somebody who arrives is first named, or called by its role (`the priest`). If it is not,
    the first of the last paragraph, at whose end it is there; of a page of one paragraph that cannot be told, and this
    is how many sentences there are.

    A name in what others say is no arrival, unless it is the only one there is.
    """
    strong, weak = _namings(narration, name)
    if strong or weak:
        return strong[0] if strong else weak[-1]
    told = sentences(narration)
    noun = next(iter(_words(role.partition(",")[0])[-1:]), "")
    called = re.compile(rf"\b(?:an?|the)\s+(?:\w+\s+){{0,2}}{re.escape(noun)}\b", re.IGNORECASE)
    for place, one in enumerate(told):
        if len(noun) > 3 and called.search(one.bare):
            return place
    ends = [place for place, one in enumerate(told[:-1]) if one.last]
    return ends[-1] + 1 if ends else len(told)


def goes_after(narration: str, name: str, others: Sequence[str]) -> int:
    """How many sentences are told before somebody who leaves is gone: up to the last that names the one who leaves,
    with those of its paragraph that go on about the same person. 0 if that cannot be told."""
    strong, weak = _namings(narration, name)
    if not strong and not weak:
        return 0
    told = sentences(narration)
    last = strong[-1] if strong else weak[0]
    while not told[last].last:
        following = told[last + 1].bare
        if not _PRONOUN.search(following) or any(is_named(following, other) for other in others):
            break
        last += 1
    return last + 1


def tells_of_leaving(answer: str) -> bool:
    """True if the last sentences of somebody's answer tell, outside of quotes, that it walks away."""
    return any(_LEAVING.search(one.bare) for one in sentences(answer)[-2:])


def is_named(text: str, name: str) -> bool:
    """True if a text names somebody."""
    return bool(_pattern(name, "").search(text))


def _namings(narration: str, name: str) -> tuple[list[int], list[int]]:
    """The sentences of a narration that name somebody, and those in which the name only stands in speech or as
    `Maya's`."""
    strong, weak = list[int](), list[int]()
    for place, one in enumerate(sentences(narration)):
        if _pattern(name, r"(?!['’]s?\b)").search(one.bare):
            strong.append(place)
        elif is_named(one.text, name):
            weak.append(place)
    return strong, weak


def _forms(name: str) -> str:
    parts = [part for part in name.split() if len(part) > 2 and part.lower().strip(".") not in _TITLES]
    return "|".join(re.escape(form) for form in dict.fromkeys([name, *parts]))


def _pattern(name: str, after: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_forms(name)})(?!\w){after}")


def _without_quotes(text: str) -> str:
    return _QUOTED.sub(" ", text)


def _last_words(words: str, count: int = 5) -> str:
    return " ".join(words.split()[-count:])


def _whispered_to(head: str, people: People) -> set[str] | None:
    """Those to whom the player's line says it is said in a low voice; None if it does not say so."""
    for found in _HUSHED.finditer(head):
        if _NOUN.search(head[: found.start()]):
            continue
        to = _TO.match(head[found.end() :])
        who = _TOPIC.split(to["who"] if to else " ".join(head[found.end() :].split()[:2]))[0]
        named = _named_in(who, people)
        if named:
            return named
        if to and found[0].lower().startswith("whisper") and not _EVERYONE.search(who):
            return set()
    low = _LOW_VOICE.search(head)
    if low:
        said = max(low.end("before"), low.end("after"))
        return _named_in(_TOPIC.split(head[said:])[0], people) or None
    return None


def _named_in(words: str, people: People) -> set[str]:
    """Ids of those whom `words` name, by name, id, or a word that only their name or role has (`the priest`)."""
    named = {
        id
        for id, card in people.items()
        if re.search(rf"(?<!\w)(?:{_forms(card.name)}|{re.escape(id)})(?!\w)", words, re.IGNORECASE)
    }
    for noun in re.findall(r"\bthe\s+(\w+)", words, re.IGNORECASE):
        called = [id for id, card in people.items() if noun.lower() in _words(f"{card.name} {card.role}")]
        named |= set(called) if len(called) == 1 else set()
    if not named and len(people) == 1 and re.search(r"\b(?:him|her|them)\b", words, re.IGNORECASE):
        return set(people)
    return named


def _words(text: str) -> Sequence[str]:
    return re.findall(r"\w+", text.lower())
