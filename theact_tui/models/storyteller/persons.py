"""Whose sentence it is: a remembered line told by the one who remembers it, a deed told of the player."""

from __future__ import annotations

import re
from collections.abc import Iterable

from theact_tui.models.storyteller.names import forms, mentions
from theact_tui.models.storyteller.verbs import KIND_OF, past, plain_form
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
_HELPERS = "is|was|has|had|does|did|will|would|can|could|should|must|might|may|knows|knew|kept|said|says"
_SELF = {
    "he": "I", "she": "I", "him": "me", "his": "my", "himself": "myself", "herself": "myself", "hers": "mine",
}  # fmt: skip


def in_own_voice(sentence: str, name: str, player: str, others: Iterable[str] = ()) -> str:
    """`sentence`, which speaks of `name` in the third person, as `name` would put it to itself: "I saw it"."""
    text = _subject(sentence, name, "I")
    text = _object(text, name, "me", "my")
    if text != sentence and not any(mentions(sentence, other) for other in (*others, player)):
        text = re.sub(
            r"(?<![\w'])(he|she|him|his|himself|herself|hers)(?![\w'])", lambda m: _SELF[m[0]], text
        )
        text = re.sub(r"\b(I) (\w+)", _agree, text)
        text = re.sub(r"\bher(?= [a-z])(?! (?:to|and|or|in|on|at|with|for|as|that)\b)", "my", text)
    return text


def to_the_player(sentence: str, player: str) -> str:
    """`sentence` with the player spoken to: "Sam promised" becomes "you promised"."""
    if player.lower() == "you":
        return sentence
    text = _object(_subject(sentence, player, "you"), player, "you", "your")
    return text[:1].upper() + text[1:]


def deed(action: Action, player: str) -> str:
    """What the player did, in the third person past: `Sam held the lamp over the carvings.`"""
    said = re.match(r'you (ask|say|call out): "(.+)"$', action.act)
    if said:
        verb = {"ask": "asked", "say": "said", "call out": "called out"}[said[1]]
        return f"{player} {verb}: “{_short(said[2])}”"
    if not action.act.startswith("you "):
        return f"{player} did this: {action.act}."
    clause = re.sub(r'(?: and (?:ask|say|call out))?: ".*', "", action.act.removeprefix("you "))
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
        anywhere = rf"(?<!\w){re.escape(form)} ({_HELPERS})\b"
        text = re.sub(anywhere, lambda m: _agree_as(pronoun, m[1]), text)
    return text


def _object(text: str, name: str, pronoun: str, possessive: str) -> str:
    for form in forms(name):
        text = re.sub(rf"(?<!\w){re.escape(form)}['’]s?(?!\w)", possessive, text)
        text = re.sub(rf"(?<!\w){re.escape(form)}(?!\w)", pronoun, text)
    return text[:1].upper() + text[1:] if text[:1].islower() else text


def _agree(match: re.Match[str]) -> str:
    return _agree_as(match[1], match[2])


def _agree_as(pronoun: str, verb: str) -> str:
    special = {"is": "am", "was": "was"} if pronoun == "I" else {"is": "are", "was": "were"}
    if verb in special:
        return f"{pronoun} {special[verb]}"
    if verb in _NOT_VERBS or not verb.endswith("s") or verb.endswith("ss"):
        return f"{pronoun} {verb}"
    return f"{pronoun} {plain_form(verb)}"
