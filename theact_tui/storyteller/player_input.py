"""Read the player's line: kind of action, speech, listeners, subject."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from theact_tui.sentences import (
    QUOTATION_MARKS,
    asks,
    ends_sentence,
    outside_quotations,
    paragraph_texts,
    quotation_spans,
    sentences,
)
from theact_tui.story.names import Names, forms
from theact_tui.story.script import ActionKind
from theact_tui.storyteller.language import by_name, called, hits, with_them
from theact_tui.storyteller.stock import stock
from theact_tui.text import capital, clean

_QUOTED_WORDS = 32
_WEIGHT: tuple[ActionKind, ...] = ("fight", "talk", "take", "other", "go", "look", "wait")
"""Kinds by priority: the weightiest sentence of a line is answered."""


@dataclass(frozen=True, slots=True)
class PlayerLine:
    kind: ActionKind
    words: str
    """The tidied line."""
    matter: str = ""
    """`words` without the names addressed, for cues."""
    called: tuple[str, ...] = ()
    spoken: str = ""
    narrated: str = ""
    """`words` without what is spoken."""
    does: frozenset[ActionKind] = frozenset()
    """Kinds of what is narrated."""
    asks: bool = False
    only_asks: bool = False
    unnamed: str = ""
    """`narrated` with "them" for names, for cues such as `to them`."""

    @property
    def only_spoken(self) -> bool:
        return bool(self.spoken) and self.kind == "talk"

    @property
    def confides(self) -> bool:
        return "?" not in self.words and hits(stock().confided, self.words) > 0

    @property
    def worth_keeping(self) -> bool:
        """True for a confession, promise, blow or gift."""
        cues = stock().kept if self.kind == "talk" else stock().kept_deeds
        return self.kind == "fight" or ("?" not in self.words and hits(cues, self.words) > 0)

    @property
    def asks_who_is_here(self) -> bool:
        return self.asks and not self.called and hits(stock().asks_who_is_here, self.words) > 0

    @property
    def walks_off(self) -> bool:
        return self._is_deed and self._goes_away

    @property
    def leaves_somebody(self) -> bool:
        """True also if somebody else is taken along, or spoken to first."""
        if not self.does - {"talk"}:
            return False
        return hits(stock().leaves_somebody, self.unnamed) > 0 or (self.kind == "talk" and self._goes_away)

    @property
    def _goes_away(self) -> bool:
        is_going = hits(stock().walks_off, self.unnamed) > 0
        return is_going and not hits(stock().comes_along, self.unnamed)

    @property
    def walks_back(self) -> bool:
        return self._is_deed and hits(stock().walks_back, self.words) > 0

    @property
    def rejoins(self) -> bool:
        return self._is_deed and hits(stock().rejoins, self.unnamed) > 0

    def takes_from(self, name: str) -> bool:
        return self.kind == "take" and any(f"{form}'s " in self.words for form in forms(name))

    @property
    def sleeps(self) -> bool:
        is_deed = self.kind != "fight" and bool(self.does - {"talk"})
        return is_deed and hits(stock().sleeps, self.unnamed) > 0

    @property
    def _is_deed(self) -> bool:
        return self.kind not in ("talk", "fight", "take")

    def quoted(self, player: str) -> str:
        """The line as remembered: `Sam said: “Are you hurt?”`, or `Sam: “I lift my lamp.”` for a deed."""
        speaker = f"{player} said" if self.only_spoken else player
        return f"{speaker}: “{self.quotation}”"

    @property
    def quotation(self) -> str:
        """The player's words between “ and ”, cut at a sentence."""
        text = self.spoken if self.only_spoken else re.sub(r"[\"“”„]([^\"“”„]*)[\"“”]?", r"‘\1’", self.words)
        text = quoted_words(capital(text))
        return text if ends_sentence(text) else text.rstrip(" ,;:-") + "."


_REPEATED = re.compile(r"(?<!\w)(\w.{0,79}?)(?:[\s,.!?;]+\1(?!\w)){2,}", re.I)
"""Words typed three times or more."""
_COLON = re.compile(
    r"^(?:(?:\w+ly|under my breath),?\s+)?(?:i\s+)?"
    r"(?:(?:say|ask|shout|whisper|reply|answer|yell|call)(?:\s+to\s+[\w' ]{2,30}?)?"
    r"|(?:tell|ask|to)\s+[\w' ]{2,30}?)(?:,\s+[\w' ]{2,30}?)?\s*:\s*(.+)",
    re.I,
)
_FILLER = re.compile(
    r"^(?:(?:and|then|so|now|next|first|finally|ok|okay|well|just|again|also|quickly|slowly|\w+ly)\b[,:]?\s+)+",
    re.I,
)
_SUBJECT = re.compile(r"^(?:i'm|im|i'll|i'd|i've|i|we|my character)\b\s*", re.I)
_MODAL = re.compile(
    r"^(?:(?:am|was|will|shall|'ll|would|do|did|must|should|have to|need to|want to|wanna|gonna|going to|about to|like to"
    r"|try to|try|tries to|attempt to|decide to|start to|start|begin to|begin|intend to|plan to|get ready to|let me|let"
    r"|\w+ly|just|then|now|also|again|trying to|starting to)\s+)+",
    re.I,
)
_QUESTION = frozenset(
    "what where who whom whose why how which am is are was were does did has do can could will shall would".split()
)
_SUBJECTS = frozenset(
    "i you we they he she it that this there the these those anyone anybody somebody someone not".split()
)
_TELL_ME = re.compile(
    r"(?:^|[.!?,]\s*)(?:please,? )?(?:tell (?:me|us)\b|explain\b|show me\b)|^(?:i )?ask\b", re.I
)
_TO_ME = re.compile(r"^(?:please\b|\w+(?: to| at| for)? (?:me|us)\b|(?!i\b)\w.* for me\b)", re.I)
"""Beginnings of requests."""
_SUGGESTS = re.compile(
    r"^(?:let's|lets|let us|come (?:back|here|with|along|on|over|closer)|be \w+|hurry up|stop (?:it|that|or)"
    r"|calm down|take (?:care|heart)|look out|watch out|well|stay (?:here|close|calm|together|with)"
    r"|we(?:'\w+| (?:should|could|must|can|need|have|are|might|ought))|(?:you|he|she|they|it)(?:'\w+)?)\b",
    re.I,
)
"""Beginnings of sentences that are spoken, not done."""
_FALLS_ASLEEP = re.compile(r"nod\w* off\b")
_MOVES_A_THING = re.compile(r"(?:push|throw|threw|hurl)\w* it\b")
_SAYS_NOTHING = re.compile(
    r"\b(?:say|ask|tell|speak to|talk to|answer|reply) (?:nobody|no one|none|nothing)\b", re.I
)
_WHO_ARE_YOU = re.compile(
    r"\b(?:who (?:are|were) you|about you\b|your name|what do you do(?! (?:now|with|about|when|if))"
    r"|what are you(?=\W*$))",
    re.I,
)

_WHISPERS = re.compile(
    r"\b(?:whisper|murmur|mutter)s?\b|\bunder my breath\b|\bin a low voice\b|\bin(?:to)? [\w' ]{1,30} ear\b",
    re.I,
)


def whispered_to(line: str, names: Mapping[str, str]) -> list[str]:
    """Ids among `names` that a line whispers to, outside of speech: named after the word for it, else before."""
    people = Names(names)
    for paragraph in paragraph_texts(line):
        unquoted = outside_quotations(paragraph)
        if verb := _WHISPERS.search(unquoted):
            behind = re.split(r":|\b(?:about|that)\b", unquoted[verb.start() :])[0]
            for part in (behind, unquoted[: verb.end()]):
                typed = (id for _, ids in people.listed(part) for id in ids)
                if ids := people.within(part) or tuple(typed):
                    return [id for id in names if id in ids]
    return []


def whispered_pieces(pieces: Sequence[str]) -> set[int]:
    """Numbers of a line's whispered pieces: the words that say so and the quotations beside them; without quotations
    all from these words on.
    """
    unquoted = [outside_quotations(piece) for piece in pieces]
    is_quotation = [not re.search(r"\w", text) for text in unquoted]
    whispers = [number for number, text in enumerate(unquoted) if _WHISPERS.search(text)]
    if not whispers or not any(is_quotation):
        return set(range(min(whispers, default=0), len(pieces)))
    private = set(whispers)
    for number in whispers:
        is_behind_quotation = number > 0 and is_quotation[number - 1]
        is_end = ends_sentence(pieces[number])
        is_other = is_behind_quotation and ends_sentence(pieces[number - 1])
        # “Good day.” I whisper to Maya: “Run.”
        if is_behind_quotation and (is_end or not is_other):
            private.add(number - 1)
        # “Run,” I whisper to Maya. “Good day.”
        if not is_behind_quotation or is_other or not is_end:
            private.update(takewhile(is_quotation.__getitem__, range(number + 1, len(pieces))))
    return private


_ASKS = (
    r"(?:(?:ask|beg|tell|order|urge|persuade|convince|warn|invite|command|implore|instruct|advise|encourage|dare|allow"
    r"|force)(?:s|ed|ing)?|begged|told)(?: [\w']+){1,5}?"
)
_SIGNALS = r"(?:shout|call|yell|whisper|signal|motion|gesture|wave|nod|send|get|want|need)(?:s|ed|ing)?(?: [\w']+){0,2}?"
_SAYS = r"(?:say|said|tell|told|ask|suggest|propose|shout|explain|warn)(?:s|ed|ing)?(?: [\w']+){0,5}?"


@lru_cache
def _asked_of_others(names: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    people = "|".join(
        [*(re.escape(form) for name in names for form in forms(name)), "them|him|her|everybody|everyone"]
    )
    asked = rf"(?:{_ASKS}|{_SIGNALS} (?:{people}))(?: not)? to|{_SAYS} (?:that|if|whether)"
    up_to_own = r"(?:(?! (?:and|but|then|while) i\b)[^,.;!?])*"
    patterns = rf"\b({asked})\b{up_to_own}", rf"\b((?:let|make|have) (?:{people})) \w+"
    return tuple(re.compile(pattern, re.I) for pattern in patterns)


def own_deeds(text: str, names: tuple[str, ...]) -> str:
    """Leave out what the text asks others to do, or tells."""
    for pattern in _asked_of_others(names):
        text = pattern.sub(r"\1", text)
    return text


def risked(line: PlayerLine, names: tuple[str, ...]) -> str:
    if line.asks or line.kind == "talk":
        return ""
    words = re.findall(r"[a-z'-]+", own_deeds(line.narrated, names).lower())
    return next((word for word in words if base(word) in stock().risky), "")


def asks_who(text: str) -> bool:
    return _WHO_ARE_YOU.search(text) is not None


def read_line(text: str, player: str, names: Sequence[str], callings: Mapping[str, str]) -> PlayerLine:
    """Read any line. `names`: full names of the cast; `callings`: names by other words for them."""
    line = _tidy(text)
    if not re.search(r"\w", line):
        return PlayerLine("look" if "?" in line else "wait", line)
    if short := stock().commands.get(line.lower().strip(" .!")):
        spoken, narrated = (line, "") if short == "talk" else ("", line)
        return PlayerLine(short, line, line, spoken=spoken, narrated=narrated)
    matter, to = called(by_name(line, callings), names)
    if asks_who(matter):
        matter = f"{matter} yourself"
    quotes = [line[start:end].strip(f"{QUOTATION_MARKS} ") for start, end in quotation_spans(line)]
    rest = outside_quotations(line)
    if not quotes and (colon := _COLON.match(line)):
        quotes, rest = [colon[1].strip()], ""
    name_forms = [form for name in names for form in forms(name)]
    read = [(part, _kinds_of(part, player, name_forms)) for part in sentences(rest) if re.search(r"\w", part)]
    aloud = [sentence for sentence, done in read if not done]
    does = frozenset(kind for _, done in read for kind in done)
    narrated = " ".join(part for part, done in read if done)
    if quotes and does <= {"talk"}:
        aloud, narrated = [], rest
    asks = any(map(is_question, (*quotes, *(part for part, _ in read), matter.strip()))) or _TELL_ME.search(
        matter.strip()
    )
    kinds = does | {"talk"} if quotes or aloud else does
    return PlayerLine(
        kind=next((kind for kind in _WEIGHT if kind in kinds), "talk"),
        words=line,
        matter=matter,
        called=to,
        spoken=" ".join([*quotes, *aloud]).replace('"', "'"),
        narrated=narrated,
        does=does,
        asks=bool(asks),
        only_asks=bool(asks) and kinds <= {"talk"},
        unnamed=with_them(by_name(narrated, callings), names),
    )


def is_question(sentence: str) -> bool:
    """True with or without a question mark."""
    if asks(sentence):
        return True
    first, _, rest = _FILLER.sub("", sentence).lower().partition(" ")
    if first.split("'")[0] in ("what", "where", "who", "whose", "why", "how", "which"):
        alone = first in ("what", "where", "who", "why", "how")
        return bool(rest or alone) and not re.match(r"what an?\b", sentence, re.I)
    return first in _QUESTION and rest.split(" ")[0] in _SUBJECTS


_BEFORE_AN_ORDER = re.compile(
    r"^(?:(?:and|but|so|then|now|next|just|please|always|never|quickly|slowly)\b,?\s*)+", re.I
)
_NO_VERBS = frozenset("this us as his its always perhaps across towards afterwards hers yours theirs".split())


def is_order(sentence: str, names: Sequence[str]) -> bool:
    """True if a sentence begins with a base-form verb, perhaps after a name."""
    rest = _BEFORE_AN_ORDER.sub("", called(sentence.strip(), names)[0].strip()).lower().replace("’", "'")
    first, second = [*re.findall(r"[\w'-]+", rest), "", ""][:2]
    acts = second.endswith("s") and second not in _NO_VERBS  # `Light falls on the bell.`
    return first in ("be", "don't") or (base(first) == first and not acts)


def _kinds_of(sentence: str, player: str, names: Sequence[str]) -> list[ActionKind]:
    text = _FILLER.sub("", sentence.strip())
    if is_question(text) or _TO_ME.match(text) or _SUGGESTS.match(text) or _is_call(text, names):
        return []
    own = _SUBJECT.pattern, rf"{re.escape(player)}\s+", rf"(?:{'|'.join(map(re.escape, names))}),? and i\b\s*"
    mine = next(filter(None, (re.match(pattern, text, re.I) for pattern in own)), None)
    first, *others = re.split(
        r",? (?:and then|and|then) |, ", _MODAL.sub("", text[mine.end() :] if mine else text)
    )
    word_match = re.match(r"[A-Za-z'-]+", first)
    if not word_match:
        return []
    word = word_match[0].lower()
    verb = base(word)
    if mine:
        to_somebody = re.search(r"\byou(?:r|rs|rself|'\w+)?\b", text, re.I)
        is_state = word in stock().states and not re.match(
            rf"{word} (?:about|of|around|for|to|an? (?:\w+ )?(?:nap|sleep|rest|look|walk|drink|bite))\b",
            first,
            re.I,
        )
        describes = verb is None and re.match(r"(?:i'?m|(?:i|we) (?:am|was|are|were))\b", text, re.I)
        if to_somebody or is_state or describes:
            return []
    elif verb is None or any(text.lower().startswith(name.lower()) for name in names):
        return []
    done = [(verb or "", first.lower())]
    for clause in (_MODAL.sub("", part).lower() for part in others if part.strip()):
        if form := base(clause.split(" ")[0].strip(".,!")):
            done.append((form, clause))
    kinds = [_kind_of(form, clause) for form, clause in done]
    return ["wait" if kind == "talk" and _SAYS_NOTHING.search(text) else kind for kind in kinds]


def _is_call(sentence: str, names: Sequence[str]) -> bool:
    """True for `Run, Maya!`"""
    people = "|".join(map(re.escape, names))
    call = re.search(rf",\s*(?:\w+\.? )?(?:{people})\W*$", sentence, re.I) if people else None
    return call is not None and not re.match(r"i\b|we\b", sentence, re.I)


def _kind_of(verb: str, clause: str) -> ActionKind:
    if _FALLS_ASLEEP.match(clause):
        return "wait"
    return "other" if _MOVES_A_THING.match(clause) else _kinds().get(verb, "other")


_ENDINGS = {"y": ("ies", "ied"), "": ("es", "s", "ed", "d", "ing"), "e": ("ing",)}
"""Verb endings by the ending of the base form."""


def base(word: str) -> str | None:
    """Base form of a known verb: `walked` is `walk`."""
    stems = [word, stock().irregular.get(word, "")]
    for instead, ending in ((to, ending) for to, endings in _ENDINGS.items() for ending in endings):
        if word.endswith(ending) and len(word) - len(ending) > 1:
            stem = word.removesuffix(ending) + instead
            stems += [stem, stem[:-1]] if re.search(r"([^aeiou])\1$", stem) else [stem]
    return next((stem for stem in stems if stem in _kinds()), None)


@lru_cache
def _kinds() -> Mapping[str, ActionKind]:
    return {verb: kind for kind, verbs in stock().verbs.items() for verb in verbs}


def _tidy(text: str) -> str:
    """One line without control characters, tags and chat formatting."""
    flat = re.sub(r"</?[a-zA-Z][^<>]*>|`+|[*_~]{1,3}(?=\S)|(?<=\S)[*_~]{1,3}(?=\W|$)", " ", clean(text))
    flat = " ".join(flat.replace("’", "'").replace("{", "(").replace("}", ")").split())
    flat = re.sub(r"\s+([,.;:!?])", r"\1", flat).lstrip(">/ ")
    flat = re.sub(r"^x (?=\w)", "examine ", flat, flags=re.I)
    inside = re.fullmatch(r"\(([^()]+)\)", flat)
    return _REPEATED.sub(r"\1", inside[1] if inside else flat).strip()


def quoted_words(text: str) -> str:
    """At most `_QUOTED_WORDS` words, whole sentences if possible."""
    if len(text.split()) <= _QUOTED_WORDS and len(text) <= 240:
        return text
    shorter = ""
    for sentence in sentences(text):
        longer = f"{shorter} {sentence}".strip()
        if len(longer.split()) > _QUOTED_WORDS or len(longer) > 240:
            break
        shorter = longer
    return shorter or " ".join(text.split()[:_QUOTED_WORDS])[:240].rstrip(" ,;:-") + "…"
