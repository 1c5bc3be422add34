"""The offline storyteller's chapter in direct mode (D7): the record retold in the past, plainly."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from theact_tui.models.storyteller.direct_people import (
    ME,
    THEY,
    People,
    Pronouns,
    introduced,
    short_name,
    uncalled,
)
from theact_tui.models.storyteller.direct_voice import OWNS, as_told_by, teller_of
from theact_tui.models.storyteller.find import flat, paragraphs, sentences
from theact_tui.models.storyteller.names import mentions
from theact_tui.models.storyteller.plain import capital, ended
from theact_tui.models.storyteller.verbs import KIND_OF, MORE_VERBS, PAST, base, past, plain_form
from theact_tui.story.direct.log import Exchange
from theact_tui.story.direct.views import ChapterView

_MECHANICS = re.compile(
    r"\b(?:roll(?:s|ed)? (?:a|for|the|\d)|d(?:4|6|8|10|12|20|100)\b|DC ?\d+|hit points?|initiative"
    r"|saving throw|skill check|XP|your turn|prompt|agent (?:red|orange|yellow|green|blue|indigo|violet))\b",
    re.I,
)
_PUSH = re.compile(r"(?:go on|carry on|continue|next|and now|what now|your move)\W*", re.I)
_TOLD = re.compile(r"(?:is|are|was|were|did|have|has|had|who|why)\b", re.I)
"""How a question begins that belongs to the story though it is put to somebody."""
_SAYS = re.compile(
    r"\b((?:says?|asks?|whispers?|shouts?|calls?|answers?|said|asked|replies)[:,])[^\S\n]+(?![\"“])([A-Z][^\"“”\n]*[.!?…])"
)
TOGETHER = 60
"""Words; what is told and what is done about it make one paragraph up to here."""
_QUOTE = re.compile(r"([\"“][^\"”]*[\"”])")
_AUXILIARY = {
    "is": "was", "are": "were", "am": "was", "has": "had", "have": "had", "does": "did", "do": "did", "can": "could",
    "will": "would", "must": "had to", "isn't": "was not", "aren't": "were not", "doesn't": "did not", "don't": "did not",
    "can't": "could not", "cannot": "could not", "won't": "would not", "hasn't": "had not",
}  # fmt: skip
_BARE_AFTER = frozenset("to did not would could must can will may might should cannot can't won't".split())
"""After these a verb has no tense of its own."""
_ASKED_WITH = _BARE_AFTER | {"do", "does"}
_PASTS = frozenset(PAST) | frozenset(PAST.values())
_NOUN_BEFORE = frozenset(
    """a an the two three four five six seven eight nine ten some many few several these those no his her its their my
    our your of with in on at by for from into and or to did not would could""".split()
)
_ADVERBS = frozenset("never just also still always almost even then only".split())


def write(view: ChapterView) -> str:
    """The raw reply of agent 9 for one part: every exchange told in order, nothing added but the first line."""
    names = view.cast.names.values()
    people = People.of(names, view.exchanges, view.memory.lock, teller=teller_of(view.voice, names))
    told: list[str] = [] if view.so_far else [_of_teller(part, people) for part in _opening(view)]
    for exchange in view.exchanges:
        told += _told(exchange, view, people)
    text = "\n\n".join(dict.fromkeys(told)) or "Nothing had happened yet."
    return introduced(text, (name for name in people.names if name != people.teller), known=bool(view.so_far))


def _opening(view: ChapterView) -> list[str]:
    """Where and when, as the lock has it."""
    chapter = view.memory.lock.get("chapter", {})
    place, time, premise = (str(chapter.get(key) or "").strip() for key in ("location", "time", "premise"))
    parts = [capital(ended(in_the_past(premise)))] if premise else []
    if time and flat(time) not in flat(premise):
        parts.append(capital(ended(f"it was {time}" if len(time.split()) < 6 else time)))
    if place and flat(place) not in flat(premise):
        parts.append(capital(ended(f"the place was {place}" if len(place.split()) < 8 else place)))
    parts += _lines(chapter, "environment", 3)
    return [" ".join(each) for each in (parts, _lines(chapter, "chapter_goals", 2)) if each]


def _lines(chapter: Mapping[str, object], key: str, most: int) -> list[str]:
    """The first lines that the lock has under a key, in the past; none that was cut short."""
    lines = chapter.get(key)
    usable = [str(line) for line in lines if not str(line).endswith("…")] if isinstance(lines, list) else []
    return [capital(ended(in_the_past(line))) for line in usable[:most]]


def _told(exchange: Exchange, view: ChapterView, people: People) -> list[str]:
    """One exchange: what was told to whom, then what was done about it."""
    names = view.cast.names
    replies = [reply for reply in exchange.replies if reply.agent_slot in names]
    made: list[str] = []
    if exchange.prompt:
        addressed = names[replies[0].agent_slot or 0] if replies else ""
        made += retold_prompt(exchange.prompt.text, addressed, people)
    for reply in replies:
        done = retold(reply.text, names[reply.agent_slot or 0], people)
        if made and done and len(f"{made[-1]} {done[0]}".split()) <= TOGETHER:
            made[-1] += f" {_goes_on_about(done.pop(0), made[-1], names[reply.agent_slot or 0], people)}"
        made += done
    return made


def _goes_on_about(text: str, before: str, name: str, people: People) -> str:
    """A text that follows one about the same person alone, who needs no name again."""
    short, pronouns = short_name(name), people.pronouns(name)
    alone = mentions(before, name) and not any(
        mentions(before, other) for other in people.names if other != name
    )
    if pronouns is THEY or not alone or not text.startswith(f"{short} "):
        return text
    return pronouns.subject.capitalize() + text.removeprefix(short)


def retold_prompt(text: str, name: str, people: People) -> list[str]:
    """Paragraphs of a game master's text, in which `name` is spoken to, told of `name`."""
    if not name:
        return retold(text, "", people)
    return retold(as_if_own(uncalled(quoted(text), [name])), name, people)


def retold(text: str, name: str, people: People) -> list[str]:
    """Paragraphs of a text in which `name` is I, told of `name`; questions to the table and mechanics are left out."""
    pronouns = people.pronouns(name) if name else THEY
    made = []
    for paragraph in paragraphs(quoted(text)):
        kept = [line for line in sentences(paragraph) if not is_aside(line)]
        if kept:
            told = _outside_quotes(" ".join(kept), lambda part: _third(in_the_past(part), pronouns))
            told = _of_teller(told, people, name)
            made.append(_capitals(_ended(_first_by_name(told, short_name(name) if name else "", pronouns))))
    return made


def _of_teller(text: str, people: People, of: str = "") -> str:
    """A text in the past, the one who tells the chapter being I. `of`: who else may be she or he in it."""
    if not people.teller:
        return text
    others = [name for name in people.names if name != people.teller]
    pronouns = people.recorded(people.teller)
    if of in others and people.recorded(of).subject == pronouns.subject:
        pronouns = THEY
    return _outside_quotes(text, lambda part: as_told_by(part, people.teller, others, pronouns))


def is_aside(line: str) -> bool:
    """True for what belongs to the table and not to the story: dice, rules, a question to a player."""
    bare = _QUOTE.sub("", line)
    return bool(_MECHANICS.search(line) or _PUSH.fullmatch(line)) or (
        "?" in bare and bool(re.search(r"\b(?:you|I|me|my)\b", bare)) and not _TOLD.match(line)
    )


def quoted(text: str) -> str:
    """A text with quotes around what somebody says after a colon: `She says: I have waited.`"""
    return _SAYS.sub(r"\1 “\2”", text)


def as_if_own(text: str) -> str:
    """Narration spoken to a character, as that character would tell it: `you see` becomes `I see`."""

    def turned(match: re.Match[str]) -> str:
        following = (match[2] or "").strip().lower()
        if following in _AUXILIARY or following.endswith("ly") or base(following) or following in _PASTS:
            return f"I {'am' if following == 'are' else following}" if following else "I"
        return f"me{' ' + match[2].strip() if match[2] else ''}"

    def outside(part: str) -> str:
        part = re.sub(r"\byou're\b", "I am", part, flags=re.I)
        part = re.sub(r"\byour\b", "my", part, flags=re.I)
        part = re.sub(r"\byourself\b", "myself", part, flags=re.I)
        part = re.sub(r"\byours\b", "mine", part, flags=re.I)
        return re.sub(r"\b(you)\b(\s+[\w']+)?", turned, part, flags=re.I)

    return _outside_quotes(text, outside)


def _outside_quotes(text: str, change: Callable[[str], str]) -> str:
    """`text` with everything changed that nobody says aloud."""
    return "".join(part if index % 2 else change(part) for index, part in enumerate(_QUOTE.split(text)))


def _capitals(text: str) -> str:
    """Capitals at the beginning of sentences."""
    return re.sub(r"(?:^|(?<=[.!?…] )|(?<=[.!?…][\"”] ))[a-z]", lambda match: match[0].upper(), text)


def _ended(text: str) -> str:
    return text if re.search(r"[.!?…][\"”')]*$", text) else ended(text)


# --- tense ------------------------------------------------------------------------------------------------------


def in_the_past(text: str) -> str:
    """Present told as past, where the verb can be known; what cannot be known stays."""
    for short, long in (("I'm", "I am"), ("I've", "I have"), ("I'll", "I will")):
        text = re.sub(rf"\b{short}\b", long, text)
    text = re.sub(r"\b(do|does) not ([a-z]+)", r"did not \2", text)
    text = re.sub(r"\b(?:don't|doesn't) ([a-z]+)", r"did not \1", text)
    pieces = re.split(r"([A-Za-z][A-Za-z'-]*)", text)
    mine = False
    before = ""
    for place in range(1, len(pieces), 2):
        word, gap = pieces[place], pieces[place - 1]
        if re.search(r"[.!?;:]", gap):
            mine, before = False, ""
        mine = (word == "I" and before not in _ASKED_WITH) or (
            mine and not (before in ("and", "but", "as", "that", "who", "which") and word == "the")
        )
        pieces[place] = _past_of(word, before, after_comma="," in gap, mine=mine)
        before = before if word.endswith("ly") or word in _ADVERBS else word.lower()
    return "".join(pieces)


def _past_of(word: str, before: str, *, after_comma: bool, mine: bool) -> str:
    """A word in the past, if it is a verb in the present here. `mine`: the clause is about the one who tells."""
    if word in _AUXILIARY and before not in _BARE_AFTER:
        return _AUXILIARY[word]
    if (
        mine
        and (word in KIND_OF or word in PAST or word in MORE_VERBS)
        and (before == "i" or _goes_on(before, after_comma))
    ):
        return past(word) if before == "i" or word not in PAST.values() else word
    stem = plain_form(word)
    known = stem in KIND_OF or stem in PAST or stem in MORE_VERBS
    is_verb = word != stem and known and before and before not in _NOUN_BEFORE
    return past(stem) if is_verb or (word != stem and known and _goes_on(before, after_comma)) else word


def _goes_on(before: str, after_comma: bool) -> bool:
    """A verb may follow here though its subject stands further back: `and`, `then`, or a comma."""
    return before in ("and", "but", "or") or after_comma


def _third(text: str, pronouns: Pronouns) -> str:
    """The first person as the third, or as that of the one who tells it."""
    if pronouns is ME:
        return text
    if pronouns is THEY:
        text = re.sub(r"\bI was\b", "they were", text)
    for mine, theirs in (
        ("I", pronouns.subject),
        ("me", pronouns.object),
        ("my", pronouns.possessive),
        ("mine", pronouns.own),
        ("myself", pronouns.self),
        ("we", "they"),
        ("us", "them"),
        ("our", "their"),
    ):
        text = re.sub(rf"\b{mine}\b(?!')", theirs, text)
        text = re.sub(rf"\b{mine.capitalize()}\b(?!')", theirs.capitalize(), text) if mine != "I" else text
    return text


def _first_by_name(text: str, name: str, pronouns: Pronouns) -> str:
    """The first mention of a character in a paragraph, by name."""
    if not name or pronouns is ME or re.search(rf"\b{re.escape(name)}\b", _QUOTE.sub("", text)):
        return text
    words = dict.fromkeys((pronouns.subject, pronouns.possessive, pronouns.object))
    pattern = re.compile(rf"\b({'|'.join(words)})\b( were\b)?", re.I)

    def named(match: re.Match[str]) -> str:
        is_owner = match[1].lower() == pronouns.possessive and (
            pronouns.possessive != pronouns.object or bool(OWNS.match(match.string, match.end()))
        )
        return name + ("'s" if is_owner else "") + (" was" if match[2] else "")

    parts = _QUOTE.split(text)
    for index in range(0, len(parts), 2):
        changed = pattern.sub(named, parts[index], count=1)
        if changed != parts[index]:
            return "".join([*parts[:index], changed, *parts[index + 1 :]])
    return text
