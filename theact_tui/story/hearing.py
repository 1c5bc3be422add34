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
    r"\s*(?:\w+ly\s+|(?:it|this|something|back|across)\s+)*"
    r"(?P<to>to\b|in(?:to)?\b(?=.{1,40}\b(?:ear|ears)\b))(?P<who>.*)",
    re.IGNORECASE | re.DOTALL,
)
_EVERYONE = re.compile(r"\b(?:all|everyone|everybody|both|others|them)\b", re.IGNORECASE)
_TOPIC = re.compile(
    r",|\b(?:that|about|of|because|what|how|why|where|when|who|whether|if|so|and (?:i|then))\b", re.IGNORECASE
)
_NOT_HEARING = re.compile(
    r"([^,;]{1,60}?)\s+(?:can(?:no|['’])?t|could(?:n['’]t| not)|won['’]t|will not|does(?:n['’]t| not)|do(?:n['’]t| not)"
    r"|must(?:n['’]t| not)|should(?:n['’]t| not)|may not)\s+(?:over)?hear"
    r"|\b(?:when|while|where|so that)\s+([^,;]{1,40}?)\s*(?:(?:is|are)(?:n['’]t| not)\s+(?:looking|watching|listening)"
    r"|(?:can(?:no|['’])?t|does(?:n['’]t| not)|do(?:n['’]t| not)|won['’]t)\s+(?:see|notice))",
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
_DRAWN_ASIDE = re.compile(
    r"\b(?:take|pull|draw|lead|steer)(?:s|ing)?\b[^.!?]{1,40}?\b(?:aside|apart|to one side)\b", re.IGNORECASE
)
_NOBODY_SEEING = re.compile(
    r"\b(?:when|while|where)\s+(?:nobody|no one|no-one)\b[^,;]{0,15}?\b(?:look|watch|listen|see|notic)(?:s|es|ing)?\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\bothers?\b", re.IGNORECASE)
_CALL = re.compile(
    r"\b(?:call|shout|yell|cry|scream|bellow|hail|greet|beckon|wave|summon)(?:s|ed|ing)?\b", re.IGNORECASE
)
_MEET = r"\b(?:meet|find|join|reach|visit|catch up with|run into|(?:go|run|walk)(?: back| over| up)? to)"
_WAKE = re.compile(r"\b(?:wake|waken|awaken|rouse|shake|nudge|prod|poke|kick)(?:s|ed|ing)?\b", re.IGNORECASE)
_ALOUD = re.compile(r"\b(?:aloud|out loud|loudly|louder|to (?:all|both|everybody|everyone))\b", re.IGNORECASE)
_ONCE_GONE = re.compile(
    r"\b(?:when|once|after|as soon as|now that|till|until)\b[^.;:]{0,40}?"
    r"\b(?:out of (?:sight|earshot|hearing)|gone|left|leaves|away|asleep|sleeps|snores|off)\b",
    re.IGNORECASE,
)
_UNNAMED = re.compile(
    r"\b(?:somebody|someone|(?:an?|the) (?:\w+ )?(?:man|woman|boy|girl|lady|gentleman|rider|stranger|figure|voice|shape))\b",
    re.IGNORECASE,
)
_LEAVING = re.compile(
    r"\b(?:walk|run|go|step|hurry|slip|stride|turn|march|stumble|flee|vanish|disappear)(?:s|es)?\b[^.!?]{0,40}"
    r"\b(?:away|off|out|into|from)\b|\b(?:leaves?|flees?|(?:is|am) gone)\b(?! (?:it|the|my|his|her)\b)",
    re.IGNORECASE,
)
_COMING = re.compile(
    r"\b(?:comes?|came|enter(?:s|ed)?|appear(?:s|ed)?|(?:steps|bursts|looks) in)\b", re.IGNORECASE
)
_GOING = re.compile(
    r"\b(?:walk|run|go|climb|hurry|slip|stride|trot|follow|head|start)(?:s|es)?\b[^.!?]{0,20}"
    r"\b(?:up|down|ahead|back|along|between|round|around|through|behind|towards?|inside|outside)\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"\b(?:not|never|nothing|no|without|nobody|cannot)\b|n['’]t\b", re.IGNORECASE)
_YOU_GO = re.compile(
    r"\byou\b[^.!?]{0,20}\b(?:walk|run|go|climb|scramble|hurry|cross|follow|head|leave|stride|ride|row|swim|crawl)\b",
    re.IGNORECASE,
)
_BOTH = re.compile(r"\b(?:both|the (?:two|three) (?:men|women|of them)|the others)\b", re.IGNORECASE)


WHISPER = "→"
"""Before a name and a colon at the beginning of a line: in any language, only that one hears it."""


def spoken(line: str) -> str:
    """The player's line without what stands in (parentheses), which is for the narrator alone."""
    while (shorter := _ASIDE.sub("", line)) != line:
        line = shorter
    return _OPEN_ASIDE.sub("", line).strip()


def meant_for(line: str, people: People) -> Collection[str] | None:
    """The ids of those of `people`, who are there, by whom the player's line is meant to be heard; None: by all."""
    head = _without_quotes(spoken(line)).split(":")[0]
    if head.startswith(WHISPER):
        return _named_in(head, people)
    only = [found[1] for found in _ONLY_HEARING.finditer(head)]
    if only:
        return _named_in(" ".join(only), people)
    shut_out = [
        found[found.lastindex or 1]
        for found in (*_NOT_HEARING.finditer(head), *_OUT_OF_HEARING.finditer(head))
    ]
    addressed = _whispered_to(head, people)
    if addressed is None and (_NOBODY_HEARING.search(head) or any(map(_OTHERS.search, shut_out))):
        addressed = _named_in(_TOPIC.split(head)[0], people)
    if addressed is None and _NOBODY_SEEING.search(head):
        addressed = set()
    if addressed is None and (drawn := _DRAWN_ASIDE.search(head)):
        addressed = _named_in(head[: drawn.end()], people) or None
    if addressed is None and not shut_out:
        return None
    excluded = {name for words in shut_out for name in _named_in(_last_words(words), people)}
    if (
        addressed is None
        and not excluded
        and any(_PRONOUN.search(_last_words(words, 1)) for words in shut_out)
    ):
        addressed = named if len(named := _named_in(head, people)) == 1 else set()
    return set(people if addressed is None else addressed) - excluded


def called_at(line: str, name: str, *, asleep: bool = False) -> int | None:
    """The sentence of the player's line that calls somebody who is not there yet, or tells of meeting it, or wakes a
    sleeper; None: none."""
    shouted = re.compile(rf"(?<!\w)(?:{_forms(name)})!", re.IGNORECASE)
    met = re.compile(rf"{_MEET}\s+(?:{_forms(name)})(?!['’]s|\w)", re.IGNORECASE)
    for place, one in enumerate(sentences(spoken(line))):
        if shouted.match(one.text.lstrip('"“')):
            return place
        called = (
            _CALL.search(one.bare) or met.search(one.bare) or (_WAKE.search(one.bare) if asleep else None)
        )
        to = one.text[called.start() :] if called and not _DENIAL.search(one.bare) else ""
        if is_named(to, name) or shouted.search(to):
            return place
    return None


def aloud(line: str, people: People) -> tuple[int, int | None] | None:
    """The sentences of a line which is not for all that are said aloud: those before the one that whispers, if that
    one holds what it whispers, or from one on that says so; None: none are."""
    told = sentences(said := spoken(line))
    hushed = (at for at in range(len(told)) if meant_for(portion(said, 0, at + 1), people) is not None)
    first = next(hushed, 0)
    if first and (":" in told[first].bare or told[first].text != told[first].bare):
        return 0, first
    later = range(first + 1, len(told))
    return next(((at, None) for at in later if _ALOUD.search(told[at].bare)), None)


def once_gone(line: str) -> int | None:
    """The sentence from which the player speaks only when somebody has gone or sleeps; None: there is none."""
    for place, one in enumerate(sentences(spoken(line))):
        if found := _ONCE_GONE.search(one.bare):
            return place + found[0].lower().startswith(("till", "until"))
    return None


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


def comes_in(narration: str, name: str, role: str = "", others: Sequence[str] = ()) -> int:
    """The sentence in which somebody who arrives is first named, or called by its role (`the priest`), or before that
    one the `somebody` of the same paragraph, if it names none of the `others`. If it is not, the first of the last
    paragraph, at whose end it is there; of a page of one paragraph that cannot be told, and this is how many sentences
    there are.

    A name in what others say is no arrival, unless it is the only one there is.
    """
    strong, weak = _namings(narration, name)
    told = sentences(narration)
    if strong:
        for place in range(strong[0] - 1, -1, -1):
            one = told[place]
            if (
                (one.last and place + 1 < strong[0])
                or one.text != one.bare
                or any(is_named(one.bare, other) for other in others)
            ):
                break
            if _UNNAMED.search(one.bare):
                return place
        return strong[0]
    if weak:
        return weak[-1]
    noun = next(iter(_words(role.partition(",")[0])[-1:]), "")
    called = re.compile(rf"\b(?:an?|the)\s+(?:\w+\s+){{0,2}}{re.escape(noun)}\b", re.IGNORECASE)
    for place, one in enumerate(told):
        if len(noun) > 3 and called.search(one.bare):
            return place
    ends = [place for place, one in enumerate(told[:-1]) if one.last]
    return ends[-1] + 1 if ends else len(told)


def goes_after(narration: str, name: str, others: Sequence[str]) -> int:
    """How many sentences are told before somebody who leaves is gone: up to the last that names the one who leaves, or
    tells that `both` go, with those of its paragraph that go on about the same person. 0 if that cannot be told.

    Where it is the player who walks off, one who is named again some paragraphs later was left behind."""
    strong, weak = _namings(narration, name)
    if not strong and not weak:
        return 0
    told = sentences(narration)
    last = strong[0] if strong else weak[0]
    for place in range(last + 1, len(told)):
        one = told[place]
        going = _LEAVING.search(one.bare) or _GOING.search(one.bare)
        if place in strong or (going and _BOTH.search(one.bare)):
            walked = any(_YOU_GO.search(before.bare) for before in told[:place])
            if going or not walked or sum(before.last for before in told[last:place]) < 2:
                last = place
    while not told[last].last:
        following = told[last + 1].bare
        speech = not re.search(r"[^\W·_]", following)
        if any(is_named(following, other) for other in others) or not (speech or _PRONOUN.search(following)):
            break
        last += 1
    return last + 1


def looks_in(narration: str, name: str, others: Sequence[str]) -> tuple[int, int] | None:
    """The sentences in which somebody comes and goes again, if they are of one paragraph; None: nobody does."""
    start, end = comes_in(narration, name, "", others), goes_after(narration, name, others)
    seen = sentences(narration)[start:end]
    told = " ".join(one.bare for one in seen)
    whole = end and not any(one.last for one in seen[:-1])
    return (start, end) if whole and _COMING.search(told) and _LEAVING.search(told) else None


def tells_of_leaving(answer: str) -> bool:
    """True if the last sentences of somebody's answer tell, outside of quotes, that it walks away."""
    return any(_LEAVING.search(one.bare) for one in sentences(answer)[-2:])


def is_confided(answer: str, hero: str) -> bool:
    """True if somebody's answer tells, outside of quotes, that it is whispered to the player's character, or that this
    one is taken aside."""
    you = rf"(?:you|{_forms(hero)})\b"
    low = rf"\b(?:whisper|murmur|breathe)s?\b[^.!?]{{0,30}}\b(?:to|in|into|at)\s+(?:your\b|{you})"
    away = r"(?:aside|apart|out of [^.!?]{1,20}(?:hearing|earshot))\b"
    aside = rf"\b(?:draw|pull|take|lead|steer)s?\s+{you}[^.!?]{{0,20}}\b{away}"
    only = rf"\bonly\s+{you}[^.!?]{{0,15}}\bhears?\b"
    told = " ".join(one.bare for one in sentences(answer))
    return bool(re.search(f"{low}|{aside}|{only}", told, re.IGNORECASE))


def leaves(narration: str, name: str) -> bool:
    """True if a sentence of a narration that names somebody tells that it walks away."""
    going = (one.bare for one in sentences(narration) if is_named(one.bare, name))
    return any(_LEAVING.search(bare) or _GOING.search(bare) for bare in going)


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
        named = _named_in(who, people) or _meant_before(who, head[: found.start()], people)
        if named:
            return named
        if to and found[0].lower().startswith("whisper") and not _EVERYONE.search(who):
            return set()
    low = _LOW_VOICE.search(head)
    if low:
        said = max(low.end("before"), low.end("after"))
        who = _TOPIC.split(head[said:])[0]
        return _named_in(who, people) or _meant_before(who, head[: low.start()], people) or None
    return None


def _meant_before(who: str, before: str, people: People) -> set[str]:
    """The only one whom the words `before` a pronoun name (`I sit down by Maya and whisper in her ear`)."""
    named = _named_in(before, people) if _PRONOUN.search(who) else set[str]()
    return named if len(named) == 1 else set()


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
