"""A text of a turn in sentences, and the English phrases that say who hears it, comes or goes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

QUOTED = re.compile(r'"[^"\n]*(?:"|$)|“[^”\n]*(?:”|$)|«[^»\n]*(?:»|$)|„[^“”\n]*(?:[“”]|$)', re.MULTILINE)
_ACTS = re.compile(r"^\s*\*(?=\S)[^*\n]*\s[^*\n]*\*", re.MULTILINE)
"""How chats without quotation marks tell what somebody does, at the beginning of a paragraph."""
_BREAK = re.compile(
    r"(?P<paragraph>\s*\n\s*\n\s*|(?<=[.!?…\"”»])[ \t]*\n\s*)"
    r"|(?:(?<=[.!?…])|(?<=[.!?…][\"”’»')]))\s+(?=[\"“«‘'(]?[^\Wa-z_])"
)
_QUIETLY = (
    r"(?:quietly|softly|aside|privately|secretly|in private|in secret|under (?:my|his|her|their) breath"
    r"|in a (?:low|soft|quiet) voice|in a whisper|lower(?:ing)? my voice(?: and)?)"
)
_SAY = r"(?:say|ask|tell|thank|speak|talk|answer|reply|explain|admit|confess|warn|promise|add)(?:s|ing)?"
_PHRASES = {
    "pronoun": r"\b(?:he|she|they|him|her|them|his|hers|their)\b",
    "denial": r"\b(?:not|never|nothing|no|without|nobody|cannot)\b|n['’]t\b",
    # who hears the player's line
    "hushed": r"(?<!\bthe )(?<!\ba )(?<!\bmy )(?<!\byour )(?<!\bhis )(?<!\bher )(?<!\btheir )\b"
    r"(?:(?P<whisper>whisper)(?:s|ed|ing)?|(?:murmur|mutter|breathe|hiss)(?:s|d|ed|es|ing)?"
    rf"|\A(?=to\s[^:,]{{2,40}},?\s+{_QUIETLY}\W*\Z)|\A{_QUIETLY},?\s+(?=to\s[^:,]{{2,40}}\Z)"
    rf"|{_QUIETLY},?\s+(?:i\s+)?{_SAY}|{_SAY}(?=(?:\s+(?!and\b|then\b)[\w'’]+){{0,5}},?\s+{_QUIETLY}\b))\b",
    "to": r"\s*(?:\w+ly\s+|(?:it|this|something|back|across)\s+)*"
    r"(?:to\b(?! (?:me|us)\b)|in(?:to)?\b(?=.{1,40}\b(?:ear|ears)\b))(?P<who>(?s:.*))",
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
    "leaving": r"\b(?:walk|run|go|step|hurr(?:y|ie)|slip|stride|turn|march|stumble|flee|vanish|disappear)(?:s|es)?\b"
    r"[^.!?]{0,40}\b(?:away|off|out|into|from)\b|\b(?:leaves?|flees?|(?:is|am) gone)\b(?! (?:it|the|my|his|her)\b)",
    "going": r"\b(?:walk|run|go|climb|hurr(?:y|ie)|slip|stride|trot|follow|head|start)(?:s|es)?\b[^.!?]{0,20}"
    r"\b(?:up|down|ahead|back|along|between|round|around|through|behind|towards?|inside|outside)\b",
    "you go": r"(?:\b(?:i|you)\b(?:(?!\b(?:not|never|let|will|would|want|if)\b|n['’]t\b)[^.!?]){0,20}|(?:,|\band|\bthen)\s+)"
    r"\b(?:walk|run|go|climb|scramble|hurr(?:y|ie)|cross|follow|head(?! (?:bowed|low|high|bent))|leave|stride"
    r"|ride|row|swim|crawl)\b(?! (?:my|your)\b)",
    # who goes in an answer of its own
    "clause": r"[,;–—]|\b(?:and|then|but)\b",
    "subject": r"\W*(?:the|an?|this|that|my|his|her|its|your|our|their|you|i|he|she|it|we|they|who|(?-i:[A-Z]\w+))\b",
    "goes": r"\W*(?:(?:already|just|now|simply|\w+ly)\s+)*(?:(?P<verb>(?:(?P<walk>walk|run|go|hurr(?:y|ie)|slip|stride"
    r"|march|storm|stumble|rush|ride)|(?P<leave>leave)|vanish|disappear|flee)(?:e?s)?|(?:am|is)(?=\s+(?:already\s+)?gone\W*$))\b)"
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
PHRASES = {name: re.compile(words, re.IGNORECASE) for name, words in _PHRASES.items()}
"""English phrases, for want of a word from the narrator or of a name."""

_SENTENCE = re.compile(
    r"\S(?:(?<=“)[^”]*”)?(?:“[^”]*”|.)*?(?:[.!?…。！？]+[\"”’')」』]*(?=\s|$)|[。！？]+[」』]*(?=\S)"
    r"|(?<=[.!?…]”)(?=\s+[^\W\d_a-z]|\s+[“\"]|$)|$)"
)
_ABBREVIATED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|Capt|Sgt|No)\.$")


def split_sentences(text: str) -> list[str]:
    """The sentences of a text in any script, on one line, each with its end and closing quotes. What stands in “ ” is
    never cut."""
    made: list[str] = []
    flat = " ".join(text.split())
    closed = flat.rfind("”") + 1  # behind it “ opens nothing, and looking for its end each time takes long
    for found in _SENTENCE.finditer(flat[:closed] + flat[closed:].replace("“", "A")):
        sentence = flat[found.start() : found.end()]
        if made and _ABBREVIATED.search(made[-1]):
            made[-1] += " " + sentence.strip()
        elif sentence.strip():
            made.append(sentence.strip())
    return made


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a narration: its text, the same without what is said, in quotes or outside of *what is done*, and if a
    paragraph ends with it."""

    text: str
    bare: str
    last: bool


def sentences(text: str, *, acts: bool = False) -> list[Sentence]:
    """The sentences of a text as `Heard` counts them: saves hold these numbers, so it may never split otherwise."""
    text = text.strip()
    bare = QUOTED.sub(lambda found: re.sub(r"\w", "·", found[0]), text)
    if acts and bare == text and _ACTS.search(text):
        parts = enumerate(re.split(r"(\*[^*\n]+\*)", text))
        bare = "".join(part if at % 2 else re.sub(r"\w", "·", part) for at, part in parts)
    made, start = list[Sentence](), 0
    for found in _BREAK.finditer(text):
        paragraph = found["paragraph"] is not None
        made.append(Sentence(text[start : found.start()], bare[start : found.start()], paragraph))
        start = found.end()
    return [*made, Sentence(text[start:], bare[start:], True)] if text else []


def portion(text: str, start: int, end: int | None) -> str:
    """The sentences from `start` to before `end` of a text, in their paragraphs."""
    return joined(sentences(text)[start:end])


def joined(told: Iterable[Sentence]) -> str:
    """These sentences as one text, in their paragraphs."""
    return "".join(f"{one.text}\n\n" if one.last else f"{one.text} " for one in told).strip()
