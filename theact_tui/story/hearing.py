"""What can be read off a turn's text about who hears it: asides, whispers, and where somebody comes or goes."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from theact_tui.story.names import is_named, name_pattern
from theact_tui.story.pack import Character

People = Mapping[str, Character]

_ASIDE = re.compile(r"\s*[(（][^()（）]*[)）]")
_OPEN_ASIDE = re.compile(r"\s*(?<!\s[:;=])(?<!\s[:;=]-)[(（].*", re.DOTALL)
_QUOTED = re.compile(r'"[^"\n]*(?:"|$)|“[^”\n]*(?:”|$)|«[^»\n]*(?:»|$)|„[^“”\n]*(?:[“”]|$)', re.MULTILINE)
_BREAK = re.compile(
    r"(?P<paragraph>\s*\n\s*\n\s*|(?<=[.!?…\"”»])[ \t]*\n\s*)"
    r"|(?:(?<=[.!?…])|(?<=[.!?…][\"”’»')]))\s+(?=[\"“«‘'(]?[^\Wa-z_])"
)
_QUIETLY = r"(?:quietly|softly|aside|privately|secretly|in private|in secret|under my breath|in a (?:low|soft) voice)"
_SAY = r"(?:say|ask|tell|thank|speak|talk|answer|reply|explain|admit|confess|warn|promise|add)(?:s|ing)?"
_MEET = r"\b(?:meet|find|join|reach|visit|catch up with|run into|(?:go|run|walk)(?: back| over| up)? to)"
_PHRASES = {
    "pronoun": r"\b(?:he|she|they|him|her|them|his|hers|their)\b",
    "denial": r"\b(?:not|never|nothing|no|without|nobody|cannot)\b|n['’]t\b",
    # who hears the player's line
    "hushed": r"(?<!\bthe )(?<!\ba )(?<!\bmy )(?<!\byour )(?<!\bhis )(?<!\bher )(?<!\btheir )\b"
    r"(?:(?P<whisper>whisper)(?:s|ed|ing)?|(?:murmur|mutter|breathe|hiss)(?:s|d|ed|es|ing)?"
    rf"|{_QUIETLY},?\s+{_SAY}|{_SAY}(?=(?:\s+(?!and\b|then\b)[\w'’]+){{0,5}},?\s+{_QUIETLY}\b))\b",
    "to": r"\s*(?:\w+ly\s+|(?:it|this|something|back|across)\s+)*"
    r"(?:to\b|in(?:to)?\b(?=.{1,40}\b(?:ear|ears)\b))(?P<who>(?s:.*))",
    "everyone": r"\b(?:all|everyone|everybody|both|others|them)\b",
    "topic": r",|\b(?:that|about|of|because|what|how|why|where|when|who|whether|if|so|and (?:i|then))\b",
    "not hearing": r"(?P<who>[^,;]{1,60}?)\s+(?:can|could|will|wo|does|do|must|should|may)(?:not|n?['’]t| not)\s+"
    r"(?:over)?hear|\bout of (?P<whose>.{1,40}?)['’]s?\s+(?:hearing|earshot)",
    "deaf unnamed": r"\b(?:others?|he|she|they)$",
    "only hearing": r"\b(?:only|just|nobody|no[ -]one|none)\b(?: but)?(?P<who>[^,;]{0,60}?)\bhears?\b",
    "say": rf"\b{_SAY}\b",
    "aloud": r"\b(?:aloud|out loud|loudly|louder|to (?:all|both|everybody|everyone))\b",
    "once gone": r"\b(?:when|once|after|as soon as|now that|till|until)\b[^.;:]{0,40}?"
    r"\b(?:out of (?:sight|earshot|hearing)|gone|left|leaves|away|asleep|sleeps|snores|off)\b",
    "call": r"\b(?:call|shout|yell|cry|scream|bellow|hail|greet|beckon|wave|summon)(?:s|ed|ing)?\b",
    "wake": r"\b(?:wake|waken|awaken|rouse|shake|nudge|prod|poke|kick)(?:s|ed|ing)?\b",
    # who hears an answer
    "confided": r"\b(?:whisper|murmur|breathe)s?\b[^.!?]{0,30}\b(?:to|in|into|at)\s+your?\b"
    r"|\b(?:draw|pull|take|lead|steer)s?\s+you\b[^.!?]{0,20}\b(?:aside|apart|out of [^.!?]{1,20}(?:hearing|earshot))\b"
    r"|\bonly\s+you\b[^.!?]{0,15}\bhears?\b",
    # who comes and goes in a narration
    "unnamed": r"\b(?:somebody|someone|(?:an?|the) (?:\w+ )?"
    r"(?:man|woman|boy|girl|lady|gentleman|rider|stranger|figure|voice|shape))\b",
    "coming": r"\b(?:comes?|came|enter(?:s|ed)?|appear(?:s|ed)?|(?:steps|bursts|looks) in)\b",
    "leaving": r"\b(?:walk|run|go|step|hurry|slip|stride|turn|march|stumble|flee|vanish|disappear)(?:s|es)?\b"
    r"[^.!?]{0,40}\b(?:away|off|out|into|from)\b|\b(?:leaves?|flees?|(?:is|am) gone)\b(?! (?:it|the|my|his|her)\b)",
    "going": r"\b(?:walk|run|go|climb|hurry|slip|stride|trot|follow|head|start)(?:s|es)?\b[^.!?]{0,20}"
    r"\b(?:up|down|ahead|back|along|between|round|around|through|behind|towards?|inside|outside)\b",
    "you go": r"\byou\b[^.!?]{0,20}"
    r"\b(?:walk|run|go|climb|scramble|hurry|cross|follow|head|leave|stride|ride|row|swim|crawl)\b",
    # who goes in an answer of its own
    "clause": r"[,;–—]|\b(?:and|then|but)\b",
    "subject": r"\W*(?:the|an?|this|that|my|his|her|its|your|our|their|you|i|he|she|it|we|they|who|(?-i:[A-Z]\w+))\b",
    "goes": r"\W*(?:(?:already|just|now|simply|\w+ly)\s+)*(?:(?P<verb>(?:(?P<walk>walk|run|go|hurry|slip|stride|march|storm"
    r"|stumble|rush|ride)|(?P<leave>leave)|vanish|disappear|flee)(?:e?s)?|(?:am|is)(?=\s+(?:already\s+)?gone\W*$))\b)"
    r"(?:\s+(?:straight|right|alone|too|\w+ly))*"
    r"(?(walk)\s+(?:away\b(?! from (?:nothing|that|this|it)\b)|home\b|back the way\b"
    r"|off(?=\W*$|\s+(?:into|down|up|along|towards?|through|without)\b)"
    r"|out(?=\W*$|\s+(?:the|by|through|into|of (?:sight|earshot|hearing|(?:the|this) (?:room|house|door|hall|gate)))\b)"
    r"|into the (?:dark|darkness|night|mist|fog|rain|snow|crowd|trees|woods|forest)\b))"
    r"(?(leave)(?:\W*$|\s+(?:without|by|through|the (?:room|house|hall))\b))",
    "together": r"\b(?:with|beside|after|behind)\s+(?:you|me|him|her|them|(?-i:[A-Z]))|\btogether\b",
    "stays": r"(?<!look )(?<!looks )\b(?:back|(?:return|stop|halt|pause|turn|wait|sit|stay|stand|come)s?)\b",
    "unsure": r"\b(?:if|unless|until|till|would|could)\b",
    "both": r"\b(?:both|the (?:two|three) (?:men|women|of them)|the others)\b",
}
_SAYS = {name: re.compile(words, re.IGNORECASE) for name, words in _PHRASES.items()}
"""English phrases, for want of a word from the narrator or of a name."""


WHISPER = "→"
"""Before a name and a colon at the beginning of a line: in any language, only that one hears it."""


def spoken(line: str) -> str:
    """The player's line without what stands in (parentheses), which is for the narrator alone."""
    while (shorter := _ASIDE.sub("", line)) != line:
        line = shorter
    return _OPEN_ASIDE.sub("", line).strip()


def meant_for(line: str, people: People, answering: Collection[str] = ()) -> Collection[str] | None:
    """The ids of those of `people`, who are there, by whom the player's line is meant to be heard; None: by all. Who is
    `answering` it, if that is known, tells whom `her` means."""
    head = _head(line)
    if head.startswith(WHISPER):
        return named_in(head, people)
    if only := _SAYS["only hearing"].search(head):
        return named_in(only["who"], people) or _the_one_named(head, people, answering)
    deaf = [found["who"] or found["whose"] for found in _SAYS["not hearing"].finditer(head)]
    last = (" ".join(_SAYS["topic"].split(words)[-1].split()[-5:]) for words in deaf)
    shut_out = {name for words in last for name in named_in(words, people)}
    there = {id: people[id] for id in people if id not in shut_out}
    addressed = _whispered_to(head, there, answering)
    if addressed is None and any(map(_SAYS["deaf unnamed"].search, deaf)):
        addressed = _the_one_named(head, there, answering)
    if addressed is not None:
        return addressed
    return set(there) if shut_out else None


def called_at(line: str, name: str, *, asleep: bool = False) -> int | None:
    """The sentence of the player's line that calls or meets somebody who is not there yet, or wakes a sleeper; or None."""
    shouted = re.compile(f"{name_pattern(name)}!", re.IGNORECASE)
    met = re.compile(rf"{_MEET}\s+{name_pattern(name)}(?!['’]s)", re.IGNORECASE)
    for place, one in enumerate(sentences(spoken(line))):
        if shouted.match(one.text.lstrip('"“')):
            return place
        patterns = (_SAYS["call"], met, *([_SAYS["wake"]] if asleep else []))
        called = next(filter(None, (pattern.search(one.bare) for pattern in patterns)), None)
        to = one.text[called.start() :] if called and not _SAYS["denial"].search(one.bare) else ""
        if is_named(to, name) or shouted.search(to):
            return place
    return None


def _head(line: str) -> str:
    """The player's line without quotes and what follows a colon."""
    return _QUOTED.sub(" ", spoken(line)).split(":")[0]


def names(line: str, character: str, people: People) -> bool:
    """True if a line or sentence names somebody, or `them all`, outside of what it says, or calls it by name."""
    head = _head(line)
    named = character in named_in(head, people) or _SAYS["everyone"].search(head)
    return bool(named) or speaks_to(line, people[character].name)


def said_at(line: str, character: str, people: People, before: Collection[str]) -> int | None:
    """The sentence of the player's line that says something to somebody and names none of those `before`; or None."""
    for place, one in enumerate(sentences(spoken(line))):
        named = named_in(_head(one.text), people)
        says = one.text != one.bare or _SAYS["say"].search(one.bare)
        if says and character in named and named.isdisjoint(before):
            return place
    return None


def sets_off(line: str, people: People, before: Collection[str]) -> bool:
    """True if the player's line begins with going off, in a sentence that says nothing and names nobody who was not
    there `before`: who stays behind sees that."""
    one = next(iter(sentences(spoken(line))), None)
    if one is None or one.text != one.bare or ":" in one.bare or _SAYS["say"].search(one.bare):
        return False
    return _is_going(one) and named_in(one.bare, people) <= set(before)


def speaks_to(line: str, name: str) -> bool:
    """True if the player's line calls somebody by name in speaking to it: `Maya, come!`, `"Is it so, Maya?"`."""
    called = name_pattern(name)
    return re.search(rf'(?:^|["“„«¿¡])\s*{called}[,!?]|,\s*{called}[.!?…]', spoken(line)) is not None


def aloud(line: str, people: People) -> tuple[int, int | None] | None:
    """The sentences of a line which is not for all that are said aloud: those before the one that whispers, if that
    one holds what it whispers, or from one on that says so; None: none are."""
    told = sentences(said := spoken(line))
    hushed = (at for at in range(len(told)) if meant_for(portion(said, 0, at + 1), people) is not None)
    first = next(hushed, 0)
    if first and (":" in told[first].bare or told[first].text != told[first].bare):
        return 0, first
    later = range(first + 1, len(told))
    return next(((at, None) for at in later if _SAYS["aloud"].search(told[at].bare)), None)


def once_gone(line: str) -> int | None:
    """The sentence from which the player speaks only when somebody has gone or sleeps; None: there is none."""
    for place, one in enumerate(sentences(spoken(line))):
        if found := _SAYS["once gone"].search(one.bare):
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
            far, speaks = one.last and place + 1 < strong[0], one.text != one.bare
            if far or speaks or any(is_named(one.bare, other) for other in others):
                break
            if _SAYS["unnamed"].search(one.bare):
                return place
        return strong[0]
    if weak:
        return weak[-1]
    noun = "".join(_words(role.partition(",")[0])[-1:])
    called = re.compile(rf"\b(?:an?|the)\s+(?:\w+\s+){{0,2}}{re.escape(noun)}\b", re.IGNORECASE)
    named = [place for place, one in enumerate(told) if len(noun) > 3 and called.search(one.bare)]
    ends = [place for place, one in enumerate(told[:-1]) if one.last]
    return named[0] if named else ends[-1] + 1 if ends else len(told)


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
        if place in strong or (_is_going(one) and _SAYS["both"].search(one.bare)):
            walked = any(_SAYS["you go"].search(before.bare) for before in told[:place])
            if _is_going(one) or not walked or sum(before.last for before in told[last:place]) < 2:
                last = place
    while not told[last].last:
        following = told[last + 1].bare
        same = not re.search(r"[^\W·_]", following) or _SAYS["pronoun"].search(following)
        if not same or any(is_named(following, other) for other in others):
            break
        last += 1
    return last + 1


def looks_in(narration: str, name: str, others: Sequence[str]) -> tuple[int, int] | None:
    """The sentences in which somebody comes and goes again, if they are of one paragraph; None: nobody does."""
    start, end = comes_in(narration, name, "", others), goes_after(narration, name, others)
    seen = sentences(narration)[start:end]
    told = " ".join(one.bare for one in seen)
    whole = end and not any(one.last for one in seen[:-1])
    return (start, end) if whole and _SAYS["coming"].search(told) and _SAYS["leaving"].search(told) else None


def tells_of_leaving(answer: str, name: str, others: Sequence[str] = ()) -> bool:
    """True if the last sentences of an answer tell, outside of quotes, that its speaker goes and does not come back.

    The speaker is `I`, its `name`, or he or she where nobody else is spoken of. When unsure it stays: a wrong departure
    makes it deaf, which is worse than a line too many heard by one who ran."""
    told = sentences(answer)
    all_told = " ".join(one.bare for one in told)
    alone = not re.search(r"\bI\b", all_told) and not _SAYS["unnamed"].search(all_told)
    pronoun = "|he|she" if alone and not any(is_named(all_told, other) for other in others) else ""
    speaker = re.compile(rf"\W*(?:(?P<i>I)|{name_pattern(name)}{pronoun})\b(?!['’])", re.IGNORECASE)
    left = third = False
    for one in told[-2:]:
        subject = False
        for clause in _SAYS["clause"].split(one.bare.split(":")[0]):
            if found := speaker.match(clause):
                third = not found["i"]
            subject = found is not None or (subject and not _SAYS["subject"].match(clause))
            goes = _SAYS["goes"].match(clause, found.end() if found else 0) if subject else None
            if goes and goes["verb"].endswith("s") is third and not _SAYS["together"].search(clause):
                left = not _SAYS["unsure"].search(one.bare)
            elif subject and _SAYS["stays"].search(clause) and not _SAYS["denial"].search(clause):
                left = False
            subject = subject and not _SAYS["say"].search(clause)
    return left


def is_confided(answer: str, hero: str) -> bool:
    """True if an answer tells, outside of quotes, that it is whispered to the player's character, or said aside."""
    told = " ".join(one.bare for one in sentences(answer))
    return _SAYS["confided"].search(re.sub(name_pattern(hero), "you", told)) is not None


def leaves(narration: str, name: str) -> bool:
    """True if a sentence of a narration that names somebody tells that it walks away."""
    return any(_is_going(one) for one in sentences(narration) if is_named(one.bare, name))


def _is_going(one: Sentence) -> bool:
    return any(_SAYS[phrase].search(one.bare) for phrase in ("leaving", "going"))


def _namings(narration: str, name: str) -> tuple[list[int], list[int]]:
    """The sentences that name somebody, and those in which the name only stands in speech or as `Maya's`."""
    strong, weak = list[int](), list[int]()
    for place, one in enumerate(sentences(narration)):
        if re.search(rf"{name_pattern(name)}(?!['’]s?\b)", one.bare):
            strong.append(place)
        elif is_named(one.text, name):
            weak.append(place)
    return strong, weak


def _whispered_to(head: str, people: People, answering: Collection[str]) -> set[str] | None:
    """Those to whom the player's line says it is said in a low voice; None if it does not say so."""
    for found in _SAYS["hushed"].finditer(head):
        after = head[found.end() :]
        to = _SAYS["to"].match(after)
        near = " ".join(after.split()[: 2 if found["whisper"] else 5])
        who = _SAYS["topic"].split(to["who"] if to else near)[0]
        named = named_in(who, people)
        if not named and _SAYS["pronoun"].search(who):
            before = head[: found.start()]
            named = _the_one_named(before, people, answering)
            if not named and not _SAYS["everyone"].search(who):
                told = before.split()
                ends = (named_in(" ".join(told[at:]), people) for at in reversed(range(len(told))))
                named = next(filter(None, ends), set())  # whom the last words that name anybody name
        if named or (to and found["whisper"] and not _SAYS["everyone"].search(who)):
            return named
    return None


def _the_one_named(words: str, people: People, answering: Collection[str]) -> set[str]:
    """The only one whom `words` name, else the only one `answering` of those they name, or of all; else nobody."""
    named = named_in(words, people)
    answers = (named or people.keys()) & set(answering)
    return next((one for one in (named, answers) if len(one) == 1), set())


def named_in(words: str, people: People) -> set[str]:
    """Ids of those whom `words` name, by name, id, or a word that only their name or role has (`the priest`)."""
    patterns = {id: rf"{name_pattern(card.name)}|\b{re.escape(id)}\b" for id, card in people.items()}
    named = {id for id, pattern in patterns.items() if re.search(pattern, words, re.IGNORECASE)}
    for noun in re.findall(r"\bthe\s+(\w+)", words, re.IGNORECASE):
        called = [id for id, card in people.items() if noun.lower() in _words(f"{card.name} {card.role}")]
        named |= set(called) if len(called) == 1 else set()
    if not named and len(people) == 1 and re.search(r"\b(?:him|her|them)\b", words, re.IGNORECASE):
        return set(people)
    return named


def _words(text: str) -> Sequence[str]:
    return re.findall(r"\w+", text.lower())
