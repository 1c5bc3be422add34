"""One sentence of the player, read as something done ("you lift the lamp") or as something said.

A sentence that is not understood counts as said: quoting it is right in every language.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

from theact_tui.models.storyteller.phrases import (
    ASKED_LEAVE,
    ATTEMPT,
    BARE,
    BETWEEN,
    CALLS,
    DOING,
    FILLER,
    GREETING,
    IDLE_ADVERBS,
    INTENT,
    NO_VERBS,
    OWN,
    PRONOUNS,
    QUESTION,
    SAID_TO_YOU,
    SEEN_CLOSER,
    SOMEBODY,
    STATE_OR_DEED,
    STATES,
    SUBJECTS,
    SUBORDINATE,
    THE,
    TO_ME,
    VERB_AND_OBJECT,
    WISH,
)
from theact_tui.models.storyteller.verbs import KIND_OF, base
from theact_tui.story.script import ActionKind


@dataclass(frozen=True, slots=True)
class Clause:
    """`text` is a clause beginning with "you", or the words to be quoted when `said`."""

    text: str
    kind: ActionKind = "talk"
    said: bool = False


def clause(sentence: str, player: str, names: Sequence[str]) -> Clause:
    """What one sentence means. `names` are those of the characters, full and first."""
    bare = FILLER.sub("", sentence.strip()).strip() or sentence.strip()
    done = _done(bare, player, names)
    if done is None:
        return Clause(_asked(bare if _starts_deed(bare) else sentence.strip()), said=True)
    text = named(done.text.rstrip(" .!?…;,:-"), names)
    return Clause(text, "other" if done.kind == "take" and SOMEBODY.match(text) else done.kind)


def second_person(text: str) -> str:
    """`text` with the first person turned to the second: `I hold my lamp` becomes `you hold your lamp`."""
    turned = re.sub(r"\bi\s+am\b", "you are", text, flags=re.I)
    turned = re.sub(r"\bi\s+was\b", "you were", turned, flags=re.I)
    turned = re.sub(
        r"\b(am|was)\s+i\b", lambda m: f"{'are' if m[1].lower() == 'am' else 'were'} you", turned, flags=re.I
    )
    return re.sub(
        r"(?<![\w'])[A-Za-z]+(?:'[a-z]+)?(?![\w'])", lambda m: PRONOUNS.get(m[0].lower(), m[0]), turned
    )


def named(text: str, names: Sequence[str]) -> str:
    """`text` with the characters' names written as they are written in the pack."""
    for name in sorted(names, key=len, reverse=True):
        if len(name) > 2 and name.lower() not in KIND_OF and name.lower() not in BARE:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", name.replace("\\", r"\\"), text, flags=re.I)
    return text


def is_question(sentence: str) -> bool:
    """True if the sentence asks something, with or without its mark."""
    if re.search(r"[?？؟]!*[ \"'”’)]*$", sentence):
        return True
    sentence = GREETING.sub("", sentence)
    first, _, rest = sentence.lower().partition(" ")
    second = rest.split(" ")[0] if rest else ""
    if first.split("'")[0] in ("what", "where", "who", "whose", "why", "how", "which"):
        return not re.match(r"what an?\b", sentence, re.I) and bool(
            rest or first in ("what", "where", "who", "why", "how")
        )
    return first in QUESTION and second in SUBJECTS


def _done(text: str, player: str, names: Sequence[str]) -> Clause | None:
    """The sentence as a deed, or None if it is something said."""
    if attempt := ATTEMPT.match(text):
        kind = KIND_OF.get(attempt["verb"].lower(), "talk")
        asked = kind == "talk" or ASKED_LEAVE.match(attempt["rest"])
        return None if asked else Clause("you try to " + second_person(attempt["rest"]), kind)
    if is_question(text):
        return None
    first, _, rest = text.partition(" ")
    lower = first.lower().rstrip(",")
    if lower in ("i", "i'm", "i'll", "i'd", "im", "i've"):
        return _mine(text)
    if lower == "we" and (verb := base(rest.split(" ")[0].lower())):
        return Clause(f"you {verb}{second_person(rest[len(rest.split(' ')[0]) :])}", KIND_OF[verb])
    if lower in ("lets", "let's"):
        return None
    if lower == "let" and re.match(r"let me \w", text, re.I):
        return _order(text[7:])
    if lower == "you" and rest and rest.split(" ")[0].lower() in KIND_OF and not SAID_TO_YOU.match(rest):
        return Clause("you " + second_person(rest), KIND_OF[rest.split(" ")[0].lower()])
    if lower == player.lower() and rest and (verb := base(rest.split(" ")[0].lower())):
        return Clause(f"you {verb}{second_person(rest[len(rest.split(' ')[0]) :])}", KIND_OF[verb])
    return _together(text, names) or _subordinate(text) or _order(text, names)


def _mine(text: str) -> Clause | None:
    """A sentence that begins with "I"."""
    to_somebody = re.search(r"\byou(?:r|rs|rself|'\w+)?\b", text.lower().replace("say thank you", ""))
    if to_somebody or WISH.match(text):
        return None
    if (going := DOING.match(text)) and (verb := base(going["verb"].lower())):
        return _deed(verb, going["adverb"], text[going.end() :])
    intent = INTENT.match(text)
    if intent and (verb := intent["verb"].lower()) in KIND_OF:
        return _deed(verb, intent["adverb"], text[intent.end() :])
    start = re.match(
        r"i\s+(?P<adverb>\w+ly\s+|just\s+|then\s+|now\s+|also\s+|again\s+)?(?P<verb>[\w'-]+)", text, re.I
    )
    if not start:
        return None
    verb = start["verb"].lower()
    if verb in STATES and not STATE_OR_DEED.match(text[start.start("verb") :]):
        return None
    return _deed(base(verb) or verb, start["adverb"], text[start.end() :])


def _deed(verb: str, adverb: str | None, rest: str) -> Clause:
    rest = re.sub(r"^\s+and\b", " to", rest) if verb == "try" else rest
    if adverb and adverb.strip().lower() in IDLE_ADVERBS:
        adverb = ""
    return Clause(f"you {(adverb or '').lower()}{verb}{second_person(_present(rest))}", _kind(verb, rest))


def _kind(verb: str, tail: str) -> ActionKind:
    """The kind of a deed, seen through `try to`, `start` and `turn on`."""
    if verb in ("try", "start", "begin", "help"):
        inner = re.match(r"\s+(?:to\s+|and\s+)?(\w+)", tail)
        return KIND_OF.get(base(inner[1].lower()) or "", "other") if inner else "other"
    seen = next((kind for pattern, kind in SEEN_CLOSER if re.match(pattern, verb + tail, re.I)), None)
    return seen or KIND_OF.get(verb, "other")


def _present(rest: str) -> str:
    """What follows the verb, with later verbs of a story told in the past put into the present."""

    def turned(match: re.Match[str]) -> str:
        verb = base(match[2].lower())
        return match[1] + (
            verb if verb and match[2].lower() not in KIND_OF and not match[2].endswith("ing") else match[2]
        )

    return re.sub(r"(\b(?:and|then|but)\s+(?:i\s+)?(?:\w+ly\s+)?)([a-z]+)", turned, rest, flags=re.I)


def _together(text: str, names: Sequence[str]) -> Clause | None:
    """`Maya and I walk on`, `me and Maya walk on`."""
    for name in names:
        found = re.match(
            rf"(?:{re.escape(name)} and (?:i|me)|(?:i|me) and {re.escape(name)}) (\w+)", text, re.I
        )
        if found and (verb := base(found[1].lower())):
            return Clause(f"you and {name} {verb}{second_person(text[found.end() :])}", KIND_OF[verb])
    return None


def _subordinate(text: str) -> Clause | None:
    """`With the lamp in my hand I go in`."""
    found = SUBORDINATE.match(text)
    if not found or found["verb"].lower() in STATES:
        return None
    return Clause(
        second_person(text[0].lower() + text[1:]), KIND_OF.get(base(found["verb"].lower()) or "", "other")
    )


def _order(text: str, names: Sequence[str] = ()) -> Clause | None:
    """A bare verb, as players type it: `look around`, `opens the door`, `walking on`."""
    adverb = re.match(r"(?:\w+ly|try to)\s+(?=\w)", text, re.I)
    lead, rest = (text[: adverb.end()].lower(), text[adverb.end() :]) if adverb else ("", text)
    first = re.match(r"[A-Za-z']+", rest)
    verb = base(first[0].lower()) or _unheard_of(rest) if first else None
    if not first or not verb or _speaks_to_someone(rest, verb, names):
        return None
    tail = rest[first.end() :]
    if first[0].lower() != verb and re.match(r"\s+(?:is|are|was|were|of|will|must)\b", tail):
        return None
    if verb == "try" and not lead:
        tail = re.sub(r"^\s+and\b", " to", tail)
    kind = _kind(verb, tail)
    return Clause(f"you {lead}{verb}{second_person(_present(_with_article(verb, tail, names)))}", kind)


def _unheard_of(text: str) -> str | None:
    """The first word of `defenestrate the clerk`: what stands before an object is a verb, known or not."""
    found = VERB_AND_OBJECT.match(text)
    return found[1].lower() if found and found[1].lower() not in NO_VERBS else None


def _speaks_to_someone(text: str, verb: str, names: Sequence[str]) -> bool:
    """True if an order is meant for another person: `give me the knife`, `stop!`, `come with us, Maya`."""
    bare = text.rstrip(" .!?")
    if CALLS.match(bare) or TO_ME.match(text):
        return True
    if any(bare.lower().endswith(f", {name.lower()}") for name in names):
        return True
    if text.rstrip().endswith("!") and len(text.split()) <= 4:
        return True
    return bool(re.search(r"\byou(?:r|rs|rself|'\w+)?\b", text, re.I)) and verb not in ("tell", "ask", "say")


def _with_article(verb: str, tail: str, names: Sequence[str] = ()) -> str:
    """`take lamp` with the article a hurried player leaves out."""
    particle = re.match(r" (?:on|off|up|down|over|in)(?= \w+$)", tail)
    if particle and verb in ("turn", "pick", "put", "light", "switch", "set", "throw", "take"):
        return particle[0] + _with_article("take", tail[particle.end() :])
    known = {name.lower() for name in names}
    words = tail.strip(" .!").split(" ")
    if verb not in THE or len(words) not in (1, 3) or (len(words) == 3 and words[1] not in BETWEEN):
        return tail
    return " " + " ".join(
        _determined(word, known) if place != 1 else word for place, word in enumerate(words)
    )


def _determined(word: str, names: Container[str]) -> str:
    """`lamp` as `the lamp`; what needs no article stays as it is."""
    if word in OWN:
        return f"your {word}"
    bare = not re.fullmatch(r"[a-z]{3,}", word) or word in BARE or word in names
    return word if bare or re.search(r"(?:ly|ing)$", word) or base(word) else f"the {word}"


def _starts_deed(text: str) -> bool:
    """True if dropping the filler in front left a sentence that can stand by itself."""
    return bool(re.match(r"(?:i|we|let|you)\b", text, re.I))


def _asked(text: str) -> str:
    """Words to be quoted, with capitals and an end."""
    text = ended(re.sub(r"(?<![\w'.])i(?=[\s',!?]|$)(?!\.)", "I", text.strip()))
    return text[:1].upper() + text[1:]


def ended(text: str) -> str:
    """`text` with a full stop or question mark if it has no end yet."""
    if re.search(r"[.!?…。！？؟।]['’”)]*$", text):
        return text
    bare = text.rstrip(" ,;:-")
    if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]$", bare):
        return bare + "。"
    return bare + ("?" if is_question(bare) else ".")
