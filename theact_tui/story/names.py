"""Names of people: find them in a text of any language, and resolve typed ones."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import dropwhile

from theact_tui.sentences import QUOTATION_MARKS

TITLES = frozenset(
    """father mother brother sister doctor professor captain miss lord lady king queen saint the old sir madam dame
    master mister uncle aunt grandmother grandfather sergeant major colonel general reverend mr mrs ms dr prof little
    young""".split()
)
NOT_CALLED = TITLES | frozenset("de del den der la of van von".split())
CALLED_ALONE = TITLES - frozenset("the old little young saint mr mrs ms prof".split())
"""Titles that call somebody without a name: `Father, where are we?`"""


def short_name(name: str) -> str:
    """First name without title or sign."""
    words = (word.strip(",;:") for word in name.split() if any(map(str.isalnum, word)))
    return next((word for word in words if word.casefold().strip(".") not in NOT_CALLED), name)


def forms(name: str) -> list[str]:
    """Return the whole name, then words for the person: `Maya Chen`, `Maya`, `Chen`."""
    words = (word for word in _PARTS.split(name) if _is_long_enough(word))
    return list(dict.fromkeys([name, *(word for word in words if word.lower().strip(".") not in NOT_CALLED)]))


def name_pattern(name: str) -> str:
    return "|".join(map(_form_pattern, forms(name)))


def _form_pattern(form: str) -> str:
    return re.escape(form) if _is_caseless(form) else rf"(?<!\w){re.escape(form)}(?!\w)"


def name_key(text: str) -> str:
    """Normalise: lower case, no accents or possessive, single spaces."""
    text = re.sub(r"['’]s$", "", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text.strip(_AROUND_NAMES)))
    plain = unicodedata.normalize("NFKD", text).casefold()
    signs = (sign if sign.isalnum() or unicodedata.category(sign)[0] == "M" else " " for sign in plain)
    return " ".join("".join(sign for sign in signs if not "\u0300" <= sign <= "\u036f").split())


def is_named(text: str, name: str) -> bool:
    return re.search(name_pattern(name), text) is not None


def begins_with_name(text: str, names: Iterable[str]) -> bool:
    return any(re.match(f"{name_pattern(name)}|{_form_pattern(short_name(name))}", text) for name in names)


# --- in any language, among people whose names are known ----------------------------------------------------------------

_PARTS = re.compile(r"[\s・･=＝,]+")
_AROUND_NAMES = " \t\n,;:，、；：&+"
_SENTENCE_STARTS = re.compile(r"(?:\A|[.!?…。！？:：\n])[\W_]*\Z")
_NEAR = 60
"""Characters before a name that are looked at for a title and the beginning of its sentence."""
LEAST_STEM, MOST_ENDING = 3, 3
"""Letters of a name before an ending, and of the ending."""


@dataclass(frozen=True, slots=True)
class _Form:
    text: str
    id: str
    is_part: bool  # other words of the name can stand for it
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Naming:
    id: str
    start: int
    end: int


class Names:
    """Names by id, found in texts of any language.

    Without capital letters (Han, kana, Thai, Arabic) a name is found inside other words. Elsewhere it may be
    declined, but not at the start of a sentence: its last letter may differ, up to three may follow.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self.of = dict(names)
        self._words = {id: {*name_key(id).split(), *name_key(name).split()} for id, name in names.items()}
        words = {id: [name, *_PARTS.split(name.strip())] for id, name in names.items()}
        self._forms = [
            _Form(word, id, word != names[id], _pattern(word))
            for id, own in words.items()
            for word in dict.fromkeys(own)
            if word and (word == names[id] or _stands_alone(word, id, words))
        ]

    def namings(self, text: str) -> tuple[Naming, ...]:
        """Return each naming in the order of `text`; a whole name counts once."""
        hits: list[tuple[int, int, _Form, bool]] = []
        for form in self._forms:
            # of "The Keeper" the word "The" stands for nobody in a text that has it as a word like others
            if form.is_part and not _is_caseless(form.text) and _is_word_of(form.text.lower(), text):
                continue
            for match in form.pattern.finditer(text):
                exact = form.text in match[0] or match[0] == form.text.upper()
                if exact or not _SENTENCE_STARTS.search(text, 0, match.start()):
                    hits.append((match.start(), match.end(), form, exact))
        hits.sort(key=lambda hit: (hit[0], not hit[3], -len(hit[2].text)))
        namings: list[Naming] = []
        for start, end, form, _ in hits:
            if not namings or start >= namings[-1].end:
                namings.append(Naming(form.id, start, end))
        return tuple(namings)

    def meant(self, text: str, *, abbreviated: int = 0) -> tuple[str, ...]:
        """Return the ids that `text` means: an id, a name, or words of a name, perhaps with a title.

        The beginning of an id or name is enough from `abbreviated` letters on; 0: never.
        """
        key = name_key(text)
        equal = [id for id, name in self.of.items() if key and key in {name_key(id), name_key(name)}]
        if equal:
            return tuple(equal)
        words = key.split()
        asked = list(dropwhile(NOT_CALLED.__contains__, words)) or [w for w in words if w in CALLED_ALONE]
        holding = [id for id, own in self._words.items() if asked and {*asked} <= own]
        if holding and (len(asked) == 1 or (len({*asked}) == len(asked) and asked[-1] not in NOT_CALLED)):
            return tuple(holding)
        if not 0 < abbreviated <= len(key):
            return ()
        return tuple(
            id
            for id, name in self.of.items()
            if name_key(id).startswith(key) or name_key(name).startswith(key)
        )

    def leading(self, text: str, *, abbreviated: int = 0) -> tuple[tuple[str, ...], str]:
        """Return the ids of the longest name at the beginning of `text`, and the rest of `text`."""
        text = text.lstrip(_AROUND_NAMES)
        words = [*re.finditer(r"\S+", text)]
        longest = 1 + max((len(name.split()) for name in self.of.values()), default=0)
        for count in range(min(longest, len(words)), 0, -1):
            end = words[count - 1].end()
            if ids := self.meant(text[:end], abbreviated=abbreviated if count == 1 else 0):
                return ids, text[end:].lstrip(_AROUND_NAMES)
        # scripts without spaces
        for form in sorted(self._forms, key=lambda form: -len(form.text)):
            if _is_caseless(form.text) and text.startswith(form.text):
                return (form.id,), text[len(form.text) :].lstrip(_AROUND_NAMES)
        return (), text

    def listed(self, text: str, *, abbreviated: int = 0) -> list[tuple[str, tuple[str, ...]]]:
        """Split a list such as `Ann Lee, Bob` into names with their ids; other words have no ids."""
        names: list[tuple[str, tuple[str, ...]]] = []
        text = text.strip(_AROUND_NAMES)
        while text:
            ids, rest = self.leading(text, abbreviated=abbreviated)
            if not ids:
                _, _, rest = text.partition(" ")
            names.append((text[: len(text) - len(rest)].strip(_AROUND_NAMES), ids))
            text = rest.lstrip(_AROUND_NAMES)
        return names

    def within(self, text: str) -> tuple[str, ...]:
        """Return ids in the order in which `text` first names them."""
        return tuple(dict.fromkeys(naming.id for naming in self.namings(text)))

    def called(self, text: str) -> tuple[str, ...]:
        """Return ids that a text addresses: no word directly before or after the name (`Maya, come!`, not `tell Maya`)."""
        ids: dict[str, None] = {}
        joined: list[Naming] = []
        for naming in self.namings(text):
            last = joined[-1] if joined else None
            if last and last.id == naming.id and not text[last.end : naming.start].strip(" ・･=＝"):
                joined[-1] = Naming(last.id, last.start, naming.end)
            else:
                joined.append(naming)
        for naming in joined:
            before, after = (
                _without_title(text[max(0, naming.start - _NEAR) : naming.start]),
                text[naming.end :],
            )
            if _is_caseless(self.of[naming.id]):
                after = _HONORED.sub("", after) if _follows_a_sign(before) else after
            if not _WORD_AFTER.match(after) and not _WORD_BEFORE.search(before[-2:]):
                ids[naming.id] = None
        return tuple(ids)

    def capitalized(self, line: str, shown: str) -> str:
        """Return a line that has no capital letters with those of names, except names that are words of the text `shown`."""
        if not line.islower():
            return line
        for form in self._forms:
            small = form.text.lower()
            if small != form.text and not _is_word_of(small, shown):
                line = form.text.join(re.split(rf"(?<!\w){re.escape(small)}(?!\w)", line))
        return line


def _without_title(before: str) -> str:
    """Remove spaces, and a title that begins a sentence or quotation."""
    before = before.rstrip()
    head, word = _LAST_WORD.sub("", before), (_LAST_WORD.search(before) or [""])[0]
    is_title = word.casefold().strip(".") in TITLES
    begins = _SENTENCE_STARTS.search(head) is not None or head[-1:] in QUOTATION_MARKS
    return head if is_title and begins else before


_LAST_WORD = re.compile(r"\w+\.?\Z")
_WORD_AFTER = re.compile(r"\s*\w|[-'’]\w|\s*·")
_WORD_BEFORE = re.compile(r"(?:\w|\w['’-]|·)\Z")
_HONORED = re.compile(r"\A\w{2,3}(?=[、，,！!。？?…])")
"""Honorific after a called name in Japanese or Korean; a particle has one letter."""


def _follows_a_sign(before: str) -> bool:
    return bool(before) and not before[-1].isalnum()


def _is_caseless(word: str) -> bool:
    return word.lower() == word.upper()


@lru_cache(maxsize=256)
def _is_word_of(word: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _stands_alone(word: str, id: str, words: Mapping[str, list[str]]) -> bool:
    shared = any(word in others for other, others in words.items() if other != id)
    return not shared and not word.endswith(".") and _is_long_enough(word)


def _is_long_enough(word: str) -> bool:
    if not word or _is_caseless(word):
        return len(word) >= 2
    return len(word) >= LEAST_STEM and not word[0].islower()


def _pattern(word: str) -> re.Pattern[str]:
    if _is_caseless(word):
        return re.compile(re.escape(word))
    if len(word) < LEAST_STEM or not word[-1].isalpha():
        return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    stem = word[: max(LEAST_STEM, len(word) - 1)]
    found = rf"{re.escape(stem)}[^\W\d_]{{0,{MOST_ENDING}}}"
    if word.casefold() not in NOT_CALLED:
        found = rf"{found}|{re.escape(word.upper())}"  # shouted, or on a signboard
    return re.compile(rf"(?<!\w)(?:{found})(?!\w)")
