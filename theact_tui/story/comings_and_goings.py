"""Who is on stage, and where in a text somebody comes or goes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from theact_tui.story.game import Game, State
from theact_tui.story.names import is_named, name_pattern
from theact_tui.story.sentences import PHRASES, Sentence, sentences
from theact_tui.story.turn import Entry


def presence_after(state: State, active: Sequence[str], named: Sequence[str] | None) -> tuple[str, ...]:
    """Who is on stage when the narrator names `named` (None: no change); the player's toggles hold against it."""
    wanted = state.present if named is None else tuple(named)
    return tuple(name for name in active if state.held.get(name, name in wanted))


def awake_before(game: Game) -> tuple[str, ...]:
    """Who is on stage and awake when the next turn begins."""
    last = game.last_turn
    asleep = set(last.asleep if last else ()) - set(game.state.woken)
    return tuple(name for name in game.state.present if name not in asleep)


def may_answer(game: Game, character: str, named: Sequence[str] | None, narration: str) -> bool:
    """False for one who is not there: the narrator names who is (None: does not say) without it, and if it was on
    stage, tells that it goes; or it was not, and the narration, if that alone says who is, does not tell of it."""
    name = game.pack.name_of(character)
    if character in game.state.present:
        return named is None or character in named or not leaves(narration, name)
    return character in named if named is not None else is_named(narration, name)


def goes_by(game: Game, answer: Entry) -> bool:
    """True if a character's answer tells that it goes."""
    names = {id: card.name for id, card in game.pack.characters.items()}
    name = names.pop(answer.character or "", "")
    return tells_of_leaving(answer.text, name, tuple(names.values()))


def left_by_answer(game: Game, character: str) -> bool:
    """True if a character's own last answer in the turn before tells that it goes."""
    told = game.last_turn.entries if game.last_turn else ()
    own = [entry for entry in told if entry.role == "character" and entry.character == character]
    return bool(own) and goes_by(game, own[-1])


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
            far = place + 1 < strong[0] and any(between.last for between in told[place : strong[0]])
            speaks = one.text != one.bare
            if far or speaks or any(is_named(one.bare, other) for other in others):
                break
            if PHRASES["unnamed"].search(one.bare):
                return place
        return strong[0]
    if weak:
        return weak[-1]
    noun = "".join(re.findall(r"\w+", role.partition(",")[0].lower())[-1:])
    called = re.compile(rf"\b(?:an?|the)\s+(?:\w+\s+){{0,2}}{re.escape(noun)}\b", re.IGNORECASE)
    named = [place for place, one in enumerate(told) if len(noun) > 3 and called.search(one.bare)]
    ends = [place for place, one in enumerate(told[:-1]) if one.last]
    return named[0] if named else ends[-1] + 1 if ends else len(told)


def goes_after(narration: str, name: str, others: Sequence[str]) -> int:
    """How many sentences are told before somebody who leaves is gone: up to the last that names the one who leaves, or
    tells that `both` go, with those of its paragraph that go on about the same person. 0 if that cannot be told.

    Where it is the player who walks off, one who is named again in a later paragraph was left behind."""
    strong, weak = _namings(narration, name)
    if not strong and not weak:
        return 0
    told = sentences(narration)
    last = strong[0] if strong else weak[0]
    for place in range(last + 1, len(told)):
        one = told[place]
        if place in strong or (is_going(one) and PHRASES["both"].search(one.bare)):
            walked = any(PHRASES["you go"].search(before.bare) for before in told[:place])
            if is_going(one) or not walked or not any(before.last for before in told[last:place]):
                last = place
    while not told[last].last:
        following = told[last + 1].bare
        same = not re.search(r"[^\W·_]", following) or PHRASES["pronoun"].search(following)
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
    both = all(PHRASES[phrase].search(told) for phrase in ("coming", "leaving"))
    return (start, end) if whole and both else None


def leaves(narration: str, name: str) -> bool:
    """True if a sentence of a narration that names somebody, or goes on about who was named last, tells that it walks
    away."""
    told = sentences(narration)
    named = [place for place, one in enumerate(told) if is_named(one.bare, name)]
    gone = goes_after(narration, name, ())
    return any(is_going(told[place]) for place in (*named, *range(named[-1] if named else gone, gone)))


def tells_of_leaving(answer: str, name: str, others: Sequence[str] = ()) -> bool:
    """True if the last sentences of an answer tell, outside of quotes, that its speaker goes and does not come back.

    The speaker is `I`, its `name`, or he or she where nobody else is spoken of. When unsure it stays: a wrong departure
    makes it deaf, which is worse than a line too many heard by one who ran."""
    told = sentences(answer, acts=True)
    all_told = " ".join(one.bare for one in told)
    alone = not re.search(r"\bI\b", all_told) and not PHRASES["unnamed"].search(all_told)
    pronoun = "|he|she" if alone and not any(is_named(all_told, other) for other in others) else ""
    speaker = re.compile(rf"\W*(?:(?P<i>I)|{name_pattern(name)}{pronoun})\b(?!['’])", re.IGNORECASE)
    left = third = False
    for one in told[-2:]:
        subject = False
        for clause in PHRASES["clause"].split(one.bare.split(":")[0]):
            if found := speaker.match(clause):
                third = not found["i"]
            subject = found is not None or (subject and not PHRASES["subject"].match(clause))
            goes = PHRASES["goes"].match(clause, found.end() if found else 0) if subject else None
            if goes and goes["verb"].endswith("s") is third and not PHRASES["together"].search(clause):
                left = not PHRASES["unsure"].search(one.bare)
            elif subject and PHRASES["stays"].search(clause) and not PHRASES["denial"].search(clause):
                left = False
            subject = subject and not PHRASES["say"].search(clause)
    return left


def is_going(one: Sentence) -> bool:
    """True if a sentence tells that somebody walks, away or on."""
    return any(PHRASES[phrase].search(one.bare) for phrase in ("leaving", "going"))


def _namings(narration: str, name: str) -> tuple[list[int], list[int]]:
    """The sentences that name somebody, and those in which the name only stands in speech or as `Maya's`."""
    strong, weak = list[int](), list[int]()
    for place, one in enumerate(sentences(narration)):
        if re.search(rf"{name_pattern(name)}(?!['’]s?\b)", one.bare):
            strong.append(place)
        elif is_named(one.text, name):
            weak.append(place)
    return strong, weak
