"""Who hears what of a turn: asides, whispers, words to those who are called, what is told while somebody is away."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from theact_tui.story.comings_and_goings import (
    awake_before,
    comes_in,
    goes_after,
    leaves,
    left_by_answer,
    looks_in,
)
from theact_tui.story.game import Game
from theact_tui.story.names import is_named, name_pattern
from theact_tui.story.pack import Character
from theact_tui.story.sentences import PHRASES, QUOTED, Sentence, portion, sentences
from theact_tui.story.turn import WHOLE, Heard

BELIEVED = 3
"""Turns in a row of which the narrator may leave out somebody who is there; from then on they hear it all the same,
unless the line is whispered: a model that always names only who answers must not make the others deaf for ever."""

People = Mapping[str, Character]

_ASIDE = re.compile(r"\s*[(（][^()（）]*[)）]")
_OPEN_ASIDE = re.compile(r"\s*(?<!\s[:;=])(?<!\s[:;=]-)[(（].*", re.DOTALL)
_SPEAKS = re.compile(rf"[:·]|{PHRASES['say'].pattern}", re.IGNORECASE)
_THEN = re.compile(r"\b(?:and|then)\b", re.IGNORECASE)
_MEET = r"\b(?:meet|find|join|reach|visit|catch up with|run into|(?:go|run|walk)(?: back| over| up)? to)"
WHISPER = "→"
"""Before a name and a colon at the beginning of a line: in any language, only that one hears it."""


def hearing(
    game: Game,
    line: str,
    narration: str,
    present: Iterable[str],
    responders: Iterable[str] = (),
    asleep: Iterable[str] = (),
    heard_by: Iterable[str] = (),
) -> dict[str, Heard]:
    """What each witness hears of the turn after `game`, given the player's line, who is on stage at its end, and by whom
    alone the narrator says that it is heard (empty: by all)."""
    before, responders = _there_before(game, line), tuple(responders)
    after = (*(name for name in present if name not in asleep), *responders)
    cast = game.pack.characters
    people = {name: cast[name] for name in dict.fromkeys((*after, *before)) if name in cast}
    meant = meant_for(line, people, responders)
    ears = _ears(heard_by, responders, line, people, meant)
    doubted = {name for name in after if name not in ears and meant is None and _left_out_lately(game, name)}
    ears |= doubted
    kept_from_some = not ears.issuperset(after)
    moved = bool(after) and set(before).isdisjoint(after)  # the player went from some to others
    parting, rest = parted_at(line, people, set(before).difference(after))
    heard: dict[str, Heard] = {}
    for character, card in people.items():
        if kept_from_some and character not in ears:
            continue
        others = [other.name for name, other in cast.items() if name != character]
        hushed = meant is not None and character not in meant
        part: tuple[int, int | None] | None = aloud(line, people) if hushed else (0, None)
        start, end = 0, None
        if character not in before:
            called = called_at(line, card.name, asleep=character in game.state.present)
            if called is None and rest is not None:
                there = sentences(spoken(line))[rest:]
                called = rest if moved or any(character in _addressed(one, people) for one in there) else None
            elif called is None and moved:
                called = said_at(line, character, people, before)
            if hushed or meant is None:
                part = None if hushed or called is None else (called, None)
            start = comes_in(narration, card.name, card.role, others)
        elif character not in after:
            end = goes_after(narration, card.name, others)
            walked = parting is not None and (moved or not leaves(narration, card.name))
            gone = parting if walked else once_gone(line)
            told = (portion(spoken(line), 0, parting), portion(narration, 0, 1))
            if moved and not any(names(text, character, people) for text in told):
                gone, end = parting or 0, 0
            elif end == 0 and left_by_answer(game, character):
                gone = 0
            part = _until(part, gone)
        heard[character] = Heard(
            line=part is not None,
            line_start=part[0] if part else 0,
            line_end=part[1] if part else None,
            start=start,
            end=end,
            unheard=tuple(name for name in responders if name in meant) if hushed and meant else (),
            whispered=hushed,
            left_out=character in doubted,
        )
    if kept_from_some:
        return heard
    for character in (name for name in game.chapter.characters if name not in (*people, *game.state.present)):
        others = [other.name for name, other in cast.items() if name != character]
        if span := looks_in(narration, cast[character].name, others):
            heard[character] = Heard(line=False, start=span[0], end=span[1])
    return heard


def _until(part: tuple[int, int | None] | None, gone: int | None) -> tuple[int, int | None] | None:
    """The sentences of `part` that are said before the one `gone`; None: none are."""
    if part is None or gone is None:
        return part
    start, end = part[0], gone if part[1] is None else min(part[1], gone)
    return (start, end) if start < end else None


def _there_before(game: Game, line: str) -> tuple[str, ...]:
    """Who is on stage and awake when the player's line comes. Of those whom a new chapter brings, only who is named in
    it: the others come in with the page."""
    awake, last = awake_before(game), game.last_turn
    if not (game.state.transition and line and last):
        return awake
    stayed = [name for name in last.witnesses if last.heard.get(name, WHOLE).end is None]
    return tuple(name for name in awake if name in stayed or names(line, name, game.pack.characters))


def _ears(
    heard_by: Iterable[str],
    responders: Iterable[str],
    line: str,
    people: People,
    meant: Collection[str] | None,
) -> set[str]:
    """Who hears a turn of which the narrator names those who do: they, who answers, whom the line speaks to, also in
    what is aloud of a whisper, and some at least for whom it is meant. All of `people`, if it names none of them."""
    ears = set(heard_by) & people.keys()
    if not ears:
        return set(people)
    ears |= {*responders, *(name for name, card in people.items() if speaks_to(line, card.name))}
    if meant is not None and (part := aloud(line, people)):
        said = portion(spoken(line), *part)
        ears |= {name for name in people if said_at(said, name, people, ()) is not None}
    return ears if meant is None or ears & set(meant) else ears | set(meant)


def _left_out_lately(game: Game, character: str) -> bool:
    """True if the narrator has left somebody who was there out of as many turns in a row as it is believed."""
    last = (game.turns.get(game.state.turn - back) for back in range(BELIEVED))
    return all(t and (character in t.unaware or t.heard.get(character, WHOLE).left_out) for t in last)


def spoken(line: str) -> str:
    """The player's line without what stands in (parentheses), which is for the narrator alone."""
    while (shorter := _ASIDE.sub("", line)) != line:
        line = shorter
    return _OPEN_ASIDE.sub("", line).strip()


def meant_for(line: str, people: People, answering: Collection[str] = ()) -> Collection[str] | None:
    """The ids of those of `people`, who are there, by whom the player's line is meant to be heard; None: by all. Who is
    `answering` it, if that is known, tells whom `her` means."""
    head = head_of(line)
    if head.startswith(WHISPER):
        return named_in(head, people)
    if only := PHRASES["only hearing"].search(head):
        return named_in(only["who"], people) or _the_one_named(head, people, answering)
    deaf = [found["who"] or found["whose"] for found in PHRASES["not hearing"].finditer(head)]
    last = (" ".join(PHRASES["topic"].split(words)[-1].split()[-5:]) for words in deaf)
    shut_out = {name for words in last for name in named_in(words, people)}
    there = {id: people[id] for id in people if id not in shut_out}
    addressed = _whispered_to(head, there, answering)
    if addressed is None and any(map(PHRASES["deaf unnamed"].search, deaf)):
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
        patterns = (PHRASES["call"], met, *([PHRASES["wake"]] if asleep else []))
        called = next(filter(None, (pattern.search(one.bare) for pattern in patterns)), None)
        to = one.text[called.start() :] if called and not PHRASES["denial"].search(one.bare) else ""
        if is_named(to, name) or shouted.search(to):
            return place
    return None


def head_of(line: str) -> str:
    """The player's line without quotes and what follows a colon."""
    return QUOTED.sub(" ", spoken(line)).split(":")[0]


def names(line: str, character: str, people: People) -> bool:
    """True if a line or sentence names somebody, or `them all`, outside of what it says, or calls it by name."""
    head = head_of(line)
    named = character in named_in(head, people) or PHRASES["everyone"].search(head)
    return bool(named) or speaks_to(line, people[character].name)


def said_at(line: str, character: str, people: People, before: Collection[str]) -> int | None:
    """The sentence of the player's line that says something to somebody and to none of those `before`; or None."""
    for place, one in enumerate(sentences(spoken(line))):
        says = one.text != one.bare or PHRASES["say"].search(one.bare)
        to = _addressed(one, people)
        if says and character in to and to.isdisjoint(before):
            return place
    return None


def parted_at(line: str, people: People, before: Collection[str]) -> tuple[int | None, int | None]:
    """How many sentences of the player's line are told before the player has walked off from those `before`, and the
    sentence from which it speaks to whoever is found; None where it does not say so."""
    told = sentences(spoken(line))
    to_them = [not _addressed(one, people).isdisjoint(before) for one in told]
    last = max((at for at, to in enumerate(to_them) if to), default=0)
    for place in range(last, len(told)):
        head = told[place].bare
        if walks := PHRASES["you go"].search(head):
            said = _SPEAKS.search(head, walks.end())
            if said and to_them[place]:
                continue
            more = _THEN.search(head, walks.end()) and named_in(head, people).isdisjoint(before)
            parting, rest = place if said or more else place + 1, place if said else place + 1
            speaks = any(_SPEAKS.search(one.bare) for one in told[rest + (said is not None) :])
            return parting, rest if said or speaks else None
    return None, None


def _addressed(one: Sentence, people: People) -> set[str]:
    """Those to whom a sentence of the player's line is said: whom it calls by name, and of whom it names, not those it
    only asks or tells about."""
    head = head_of(one.text)
    to = {name for name, card in people.items() if speaks_to(one.text, card.name)}
    if not (says := PHRASES["say"].search(head)):
        return to | named_in(head, people)
    whom = PHRASES["topic"].split(head[says.end() :])[0]
    return to | (named_in(whom, people) or named_in(head[: says.start()], people))


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
    return next(((at, None) for at in later if PHRASES["aloud"].search(told[at].bare)), None)


def once_gone(line: str) -> int | None:
    """The sentence from which the player speaks only when somebody has gone or sleeps; None: there is none."""
    for place, one in enumerate(sentences(spoken(line))):
        if found := PHRASES["once gone"].search(one.bare):
            return place + found[0].lower().startswith(("till", "until"))
    return None


def is_confided(answer: str, hero: str) -> bool:
    """True if an answer tells, outside of quotes, that it is whispered to the player's character, or said aside."""
    told = " ".join(one.bare for one in sentences(answer, acts=True))
    return PHRASES["confided"].search(re.sub(name_pattern(hero), "you", told)) is not None


def _whispered_to(head: str, people: People, answering: Collection[str]) -> set[str] | None:
    """Those to whom the player's line says it is said in a low voice; None if it does not say so."""
    for found in PHRASES["hushed"].finditer(head):
        after = head[found.end() :]
        to = PHRASES["to"].match(after)
        near = " ".join(after.split()[: 2 if found["whisper"] else 5])
        who = PHRASES["topic"].split(to["who"] if to else near)[0]
        named = named_in(who, people)
        if not named and PHRASES["pronoun"].search(who):
            before = head[: found.start()]
            named = _the_one_named(before, people, answering)
            if not named and not PHRASES["everyone"].search(who):
                told = before.split()
                ends = (named_in(" ".join(told[at:]), people) for at in reversed(range(len(told))))
                named = next(filter(None, ends), set())  # whom the last words that name anybody name
        if named or (to and found["whisper"] and not PHRASES["everyone"].search(who)):
            return named
    return None


def _the_one_named(words: str, people: People, answering: Collection[str]) -> set[str]:
    """The only one whom `words` name, else the only one `answering` of those they name, or of all; else nobody."""
    named = named_in(words, people)
    answers = (named or people.keys()) & set(answering)
    return next((one for one in (named, answers) if len(one) == 1), set())


def named_in(words: str, people: People) -> set[str]:
    """Ids of those whom `words` name, by name, id, or a word that only their name or role has (`the priest`, `Father`)."""
    patterns = {id: rf"{name_pattern(card.name)}|\b{re.escape(id)}\b" for id, card in people.items()}
    named = {id for id, pattern in patterns.items() if re.search(pattern, words, re.IGNORECASE)}
    for noun in re.findall(
        r"\b(?:[Tt]he\s+|(?=(?:Father|Mother|Doctor|Captain|Miss|Sir)\b(?! [A-Z])))(\w+)", words
    ):
        word = re.compile(rf"\b{noun}\b", re.IGNORECASE)
        called = [id for id, card in people.items() if word.search(f"{card.name} {card.role}")]
        named |= set(called) if len(called) == 1 else set()
    if not named and len(people) == 1 and re.search(r"\b(?:him|her|them)\b", words, re.IGNORECASE):
        return set(people)
    return named
