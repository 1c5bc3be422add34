"""Names of people: which words of one its bearer is called by, and where a text holds it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from theact_tui.story.speech import Span

TITLES = frozenset(
    """father mother brother sister doctor professor captain miss lord lady king queen saint the old sir madam dame
    master mister uncle aunt grandmother grandfather sergeant major colonel general reverend mr mrs ms dr prof little
    young""".split()
)
NOT_CALLED = TITLES | frozenset("de del den der la of van von".split())
"""Words of a name by which nobody is called."""

NOBODY = "nobody"
"""In a form, in the place of an id: none of the people."""


def short_name(name: str) -> str:
    """The word of a name that its bearer is called by: no title or sign in front, no family name behind."""
    words = (word for word in name.split() if any(map(str.isalnum, word)))
    return next((word for word in words if word.casefold().strip(".") not in NOT_CALLED), name)


def forms(name: str) -> list[str]:
    """The whole name, then its words that stand for the person: `Maya Chen`, `Maya`, `Chen`."""
    words = [
        word
        for word in name.split()
        if len(word) > 2 and word.lower().strip(".") not in NOT_CALLED and not word[0].islower()
    ]
    return list(dict.fromkeys([name, *words]))


def name_pattern(name: str) -> str:
    """A pattern that finds a name in any of its forms."""
    return rf"(?<!\w)(?:{'|'.join(map(re.escape, forms(name)))})(?!\w)"


def is_named(text: str, name: str) -> bool:
    """True if a text names somebody."""
    return re.search(name_pattern(name), text) is not None


# --- in any language, among people whose names are known ----------------------------------------------------------------

_PARTS = re.compile(r"[\s・･=＝,]+")
_SENTENCE_STARTS = re.compile(r"(?:\A|[.!?…。！？:：\n])[\W_]*\Z")
LEAST_STEM, MOST_ENDING = 3, 3
"""Letters that must stay of a name, and letters that an ending may have."""


@dataclass(frozen=True, slots=True)
class _Form:
    """A word of a name, or the whole of it, as it is looked for."""

    text: str
    id: str
    is_part: bool
    """Whether other words of the name can stand for it."""
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Naming:
    """A name in a text."""

    id: str
    start: int
    end: int


class Names:
    """The names of some people, by id, to be found in texts of any language.

    Where letters have no upper case (Han, kana, Thai, Arabic), a name is found as a part of the text. Elsewhere it is a
    word that begins with it less its last letter and has up to three letters more, so that it may be declined; such a
    word at the beginning of a sentence, where each word has a capital letter, must hold the whole name.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        """`names` by id."""
        self.of = dict(names)
        words = {id: [name, *_PARTS.split(name.strip())] for id, name in names.items()}
        self._forms = [
            _Form(word, id, word != names[id], _pattern(word))
            for id, own in words.items()
            for word in dict.fromkeys(own)
            if word and (word == names[id] or _stands_alone(word, id, words))
        ]

    def found(self, text: str) -> tuple[Naming, ...]:
        """Where people are named, in the order of the text; a whole name counts once."""
        hits: list[tuple[int, int, _Form, bool]] = []
        for form in self._forms:
            # of "The Keeper" the word "The" stands for nobody in a text that has it as a word like others
            if form.is_part and not _is_caseless(form.text) and _is_word_of(form.text.lower(), text):
                continue
            for found in form.pattern.finditer(text):
                exact = form.text in found[0]
                if exact or not _SENTENCE_STARTS.search(text, 0, found.start()):
                    hits.append((found.start(), found.end(), form, exact))
        hits.sort(key=lambda hit: (hit[0], not hit[3], -len(hit[2].text)))
        made: list[Naming] = []
        for start, end, form, _ in hits:
            if not made or start >= made[-1].end:
                made.append(Naming(form.id, start, end))
        return tuple(made)

    def within(self, text: str) -> tuple[str, ...]:
        """The ids of those whom a text names, in the order in which it first does."""
        return tuple(dict.fromkeys(naming.id for naming in self.found(text)))

    def places(self, text: str) -> dict[str, Span]:
        """By id, where the first naming begins and the last one ends."""
        made: dict[str, Span] = {}
        for naming in self.found(text):
            made[naming.id] = made.get(naming.id, (naming.start, 0))[0], naming.end
        return made

    def called(self, text: str) -> tuple[str, ...]:
        """The ids of those whom a text calls: the name stands alone between marks, or ends of the text."""
        made: dict[str, None] = {}
        joined: list[Naming] = []
        for naming in self.found(text):
            last = joined[-1] if joined else None
            if last and last.id == naming.id and not text[last.end : naming.start].strip(" ・･=＝"):
                joined[-1] = Naming(last.id, last.start, naming.end)
            else:
                joined.append(naming)
        for naming in joined:
            before, after = text[: naming.start].rstrip(), text[naming.end :]
            if _is_caseless(self.of[naming.id]):
                after = _HONORED.sub("", after) if _is_inside(before) else after
            if not _GOES_ON.match(after) and not _LEADS_TO.search(before[-2:]):
                made[naming.id] = None
        return tuple(made)


_GOES_ON = re.compile(r"\s*\w|[-'’]\w|\s*·")
_LEADS_TO = re.compile(r"(?:\w|\w['’-]|·)\Z")
_HONORED = re.compile(r"\A\w{2,3}(?=[、，,！!。？?…])")
"""What may follow a name that calls somebody in Japanese or Korean; a particle has one letter."""


def _is_inside(before: str) -> bool:
    """True if a quotation begins, or goes on after a mark, right where a text ends."""
    return bool(before) and not before[-1].isalnum()


def _is_caseless(word: str) -> bool:
    return word.lower() == word.upper()


@lru_cache(maxsize=256)
def _is_word_of(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _stands_alone(word: str, id: str, words: Mapping[str, list[str]]) -> bool:
    """True if a word of a name can stand for the person: long enough, no abbreviation, and nobody else's."""
    shared = any(word in others for other, others in words.items() if other != id)
    if shared or word.endswith("."):
        return False
    return len(word) >= 2 if _is_caseless(word) else len(word) >= LEAST_STEM and not word[0].islower()


def _pattern(word: str) -> re.Pattern[str]:
    if _is_caseless(word):
        return re.compile(re.escape(word))
    if len(word) < LEAST_STEM or not word[-1].isalpha():
        return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    stem = word[: max(LEAST_STEM, len(word) - 1)]
    return re.compile(rf"(?<!\w){re.escape(stem)}[^\W\d_]{{0,{MOST_ENDING}}}(?!\w)")
