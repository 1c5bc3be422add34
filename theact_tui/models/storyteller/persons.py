"""Whose sentence it is: a remembered line told by the one who remembers it, a deed told of the player."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from theact_tui.models.storyteller.names import forms, mentions
from theact_tui.models.storyteller.verbs import KIND_OF, base, past, plain_form
from theact_tui.models.storyteller.words import Action

DEED_WORDS = 16
_NOT_VERBS = frozenset("always this perhaps sometimes yes as its his hers is was us thus".split())
_WORTH_KEEPING = re.compile(
    r"\b(?:my name is|i am a|i'm a|i promise|i swear|i will never|i'll never|my (?:brother|sister|mother|father|wife"
    r"|husband|son|daughter|friend|children|fault|home)|i trust|i don't trust|i love|i lied|i was wrong|i'm sorry"
    r"|i am sorry|thank you|i know the truth|secret|forgive)\b"
)
_CLAUSE = (
    r"(?:^|[.!?;:,]\s[\"“]?|\b(?:and|but|that|because|while|when|if|how|what|where|why|which|as|so|before|after|since"
    r"|until|than|whether|once|says|said|knows|thinks) )"
)
_HELPERS = frozenset(
    "is was has had does did will would can could should must might may knows knew kept".split()
)
_SELF = {
    "he": "I", "she": "I", "him": "me", "his": "my", "himself": "myself", "herself": "myself", "hers": "mine",
}  # fmt: skip


def in_own_voice(sentence: str, name: str, others: Iterable[str] = ()) -> str:
    """`sentence`, which speaks of `name` in the third person, as `name` would put it to itself: "I saw it".

    What stands in “ ” stays as it was said. "He" and "she" are turned when nobody else of the cast is named: no script
    knows which of them a player would be.
    """
    alone = not any(mentions(sentence, other) for other in others)
    return _outside_quotes(sentence, lambda text: _first_person(text, name, alone))


def to_the_player(sentence: str, player: str) -> str:
    """`sentence` with the player spoken to: "Sam promised" becomes "you promised". Quoted words stay."""
    if player.lower() == "you":
        return sentence
    return _outside_quotes(
        sentence, lambda text: _object(_subject(text, player, "you"), player, "you", "your")
    )


def _outside_quotes(text: str, turn: Callable[[str], str]) -> str:
    parts = re.split(r"(“[^”]*”)", text)
    turned = "".join(part if part.startswith("“") else turn(part) for part in parts)
    return turned[:1].upper() + turned[1:]


def _first_person(sentence: str, name: str, alone: bool) -> str:
    for form in forms(name):
        sentence = re.sub(rf"(?<!\w)({re.escape(form)}),? the [a-z]+,?(?= [a-z])", r"\1", sentence)
    text = _subject(_listed_last(sentence, name), name, "I")
    text = _object(text, name, "me", "my")
    text = re.sub(r"(^|[.;] )(I [^.;,]*? and) is\b", r"\1\2 am", text)
    if text != sentence and alone:
        text = re.sub(
            r"(?<![\w'])(he|she|him|his|himself|herself|hers)(?![\w'])", lambda m: _SELF[m[0]], text
        )
        text = re.sub(r"\b(I) (\w+)", _agree, text)
        text = re.sub(r"\bher(?= [a-z])(?! (?:to|and|or|in|on|at|with|for|as|that)\b)", "my", text)
    return text


def _listed_last(sentence: str, name: str) -> str:
    """`Sam, Maya and Joaquin ran` with oneself at the end: `Sam, Joaquin and I ran`."""
    people = re.match(
        r"((?:[A-ZÀ-Þ][\w'-]*(?: [A-ZÀ-Þ][\w'-]*)?(?:, | and )){1,6}[A-ZÀ-Þ][\w'-]*)(?= [a-z])", sentence
    )
    if not people:
        return sentence
    listed = re.split(r", | and ", people[1])
    rest = [one for one in listed if one not in forms(name)]
    if len(rest) == len(listed):
        return sentence
    return f"{', '.join(rest)} and I{sentence[people.end() :]}"


def deed(action: Action, player: str, told: str = "") -> str:
    """What the player did, in the third person past: `Sam held the lamp over the carvings.`

    What is only tried in the narration `told` was only tried.
    """
    said = re.match(r'you (ask|say|call out): "(.+)"$', action.act)
    if said:
        verb = {"ask": "asked", "say": "said", "call out": "called out"}[said[1]]
        return f"{player} {verb}: “{_short(said[2])}”"
    if not action.act.startswith("you "):
        return f"{player} did this: {action.act}."
    clause = re.sub(r'(?: and (?:ask|say|call out))?: ".*', "", action.act.removeprefix("you "))
    tried = clause.removeprefix("make as if to ")
    clause = f"try to {tried}" if f"You try to {tried}" in told else clause
    return f"{player} {_retold(clause, player)}."


def notable(action: Action) -> bool:
    """True for what one remembers of another person: a confession, a promise, a blow, a gift."""
    if action.kind == "fight":
        return True
    if re.match(
        r"you (?:\w+ly )?(?:give|hug|kiss|comfort|forgive|thank|bandage|embrace|save|hit)\b", action.act
    ):
        return True
    return bool(_WORTH_KEEPING.search(action.words.casefold())) and "?" not in action.words


def _retold(clause: str, player: str) -> str:
    """A clause after "you", its verbs in the past and its pronouns in the third person."""
    lead = re.match(r"(?:and \w+ |\w+ly |just |now |also |then )?", clause)
    start = lead.end() if lead else 0
    verb = clause[start:].split(" ")[0]
    rest = clause[start + len(verb) :]
    rest = re.sub(r"(,? (?:and|then|but)(?: then)?)(?: you)? (\w+)", _later_verb, rest)
    if player.lower() != "you":
        for mine, theirs in (
            ("your", "their"),
            ("yours", "theirs"),
            ("yourself", "themself"),
            ("you", "them"),
        ):
            rest = re.sub(rf"\b{mine}\b(?!')", theirs, rest)
        rest = rest.replace("you're", "they're").replace("you've", "they've").replace("you'll", "they'll")
    return _short(clause[:start] + past(verb) + rest).rstrip(".…") if verb else clause


def _later_verb(match: re.Match[str]) -> str:
    verb = match[2]
    return f"{match[1]} {past(verb) if verb in KIND_OF else verb}"


def _short(text: str) -> str:
    words = text.split()
    if len(words) <= DEED_WORDS:
        return text
    cut = " ".join(words[:DEED_WORDS])
    ends = [m.start() for m in re.finditer(r"[,;:.!?]\s|\s(?:and|but|then|so|because|which)\s", cut)]
    usable = [end for end in ends if len(cut[:end].split()) >= 5]
    return cut[: usable[-1]].rstrip(" ,;:") if usable else cut.rstrip(" ,;:") + "…"


def _subject(text: str, name: str, pronoun: str) -> str:
    """The name where it is a subject, with its verb: `Maya knows` becomes `I know`."""
    for form in forms(name):
        starts = rf"({_CLAUSE}){re.escape(form)} (\w+)"
        text = re.sub(starts, lambda m: m[1] + _agree_as(pronoun, m[2]), text)
        anywhere = rf"(?<!\w){re.escape(form)} ([a-z]+)\b"
        text = re.sub(anywhere, lambda m: _agree_as(pronoun, m[1]) if _acts(m[1]) else m[0], text)
    return text


def _object(text: str, name: str, pronoun: str, possessive: str) -> str:
    for form in forms(name):
        text = re.sub(rf"(?<!\w){re.escape(form)}['’]s?(?!\w)", possessive, text)
        text = re.sub(rf"(?<!\w){re.escape(form)}(?!\w)", pronoun, text)
    return text


def _acts(word: str) -> bool:
    """True for a verb in a form that needs a subject before it: `was`, `told`, `walks`."""
    known = base(word)
    return word in _HELPERS or (known is not None and known != word)


def _agree(match: re.Match[str]) -> str:
    return _agree_as(match[1], match[2])


def _agree_as(pronoun: str, verb: str) -> str:
    special = {"is": "am", "was": "was"} if pronoun == "I" else {"is": "are", "was": "were"}
    if verb in special:
        return f"{pronoun} {special[verb]}"
    if verb in _NOT_VERBS or not verb.endswith("s") or verb.endswith("ss"):
        return f"{pronoun} {verb}"
    return f"{pronoun} {plain_form(verb)}"
