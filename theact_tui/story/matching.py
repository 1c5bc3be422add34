"""Compare texts: the line of a list that a text means, sentences that say the same, content stems."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from rapidfuzz import fuzz

_CLOSE = 0.85
_MARGIN = 0.05
LONGEST = 600

_NUMBER = re.compile(r"[\W_]*(?:facts?|items?|number|nr|no)?[\s.:#°_-]*(\d{1,3})[\W_]*", re.IGNORECASE)
_LEADING_NUMBER = re.compile(r"\W*(?:facts?\s*)?\d{1,3}\s*[.):\]-]+\s*(?=\S)", re.IGNORECASE)
_NEGATIONS = frozenset(
    (
        "not no never none nobody nothing nowhere neither nor without cannot cant dont doesnt didnt "
        "isnt arent wasnt werent wont wouldnt couldnt shouldnt hasnt havent hadnt aint fails failed "
        "refuses refused unable lacks denies denied non kein keine keinen nicht nie niemals nunca "
        "jamais pas sin ohne sans hardly barely stops stopped unless"
    ).split()
)
_OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in (
        "alive/dead open/closed opened/closed opens/closes lost/found loses/finds loves/hates "
        "love/hate before/after left/right with/without inside/outside safe/dangerous friend/enemy "
        "true/false accepts/rejects accepted/rejected remembers/forgets knows/ignores full/empty "
        "day/night first/last more/less more/fewer arrives/leaves north/south east/west"
    ).split()
)
_REVERSING = ("un", "in", "im", "ir", "dis", "mis", "non")


def match_line(text: str, candidates: Sequence[str]) -> int | None:
    """Return the index of the meant candidate: by number (from 1), by text ignoring case, space and punctuation, or
    by similarity, never across a negation; else None.
    """
    if len(text) > LONGEST:
        return None
    if number := _NUMBER.fullmatch(text):
        return int(number[1]) - 1 if 1 <= int(number[1]) <= len(candidates) else None
    plain_candidates = [plain(candidate) for candidate in candidates]
    wordings = filter(None, map(plain, (text, _LEADING_NUMBER.sub("", text, count=1))))
    return next((at for wording in wordings if (at := _find(wording, plain_candidates)) is not None), None)


# vowel signs of Thai, Devanagari, Arabic, which are parts of words and no letters
_SIGNS = "".join(chr(code) for code in range(0x300, 0x2100) if unicodedata.category(chr(code))[0] == "M")
_WORDS = re.compile(rf"\w[\w{_SIGNS}]*")


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """Return lower-case words separated by spaces, without punctuation and apostrophes."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = re.sub(r"(?<=\w)['’`´](?=\w)", "", folded)
    return " ".join(_WORDS.findall(folded.replace("_", " ")))


_UNSPACED = re.compile(r"[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def is_unspaced(text: str) -> bool:
    return _UNSPACED.search(text) is not None


def words_of(text: str) -> list[str]:
    """Return the words, or the characters of scripts without spaces."""
    return re.findall(r"\w" if is_unspaced(text) else r"[\w'’]+", text)


def is_about(text: str, other: str, names: Iterable[str] = ()) -> bool:
    """True if `other` has a content word of `text`; `names` count only if there are no others."""
    words = stems(text)
    own = words - stems(" ".join(names)) or words
    return not own or bool(own & stems(other))


def nearest_text(line: str, texts: Iterable[tuple[int, str]]) -> int:
    """Return the number of the text with most words of a line; the highest of equals."""
    wanted = set(plain(line).split())
    return max(texts, key=lambda text: (len(wanted & set(plain(text[1]).split())), text[0]))[0]


def same_sense(one: str, other: str) -> bool:
    """True unless one `plain` text denies the other, or their numbers differ."""
    mine, theirs = one.split(), other.split()
    if sum(word in _NEGATIONS for word in mine) % 2 != sum(word in _NEGATIONS for word in theirs) % 2:
        return False
    only_mine, only_theirs = set(mine) - set(theirs), set(theirs) - set(mine)
    if any(word.isdigit() for word in only_mine) and any(word.isdigit() for word in only_theirs):
        return False
    return not any(_opposite(a, b) for a in only_mine for b in only_theirs)


def _opposite(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    reversed_by_prefix = len(short) > 3 and any(long == prefix + short for prefix in _REVERSING)
    return reversed_by_prefix or frozenset((one, other)) in _OPPOSITES


def _find(wanted: str, candidates: Sequence[str]) -> int | None:
    """Return the only close candidate, unless it denies the wanted text."""
    if wanted in candidates:
        return candidates.index(wanted)
    joined = [candidate.replace(" ", "") for candidate in candidates]
    if wanted.replace(" ", "") in joined:
        return joined.index(wanted.replace(" ", ""))
    scores = [fuzz.ratio(wanted, candidate) / 100 for candidate in candidates]
    ranked = sorted(range(len(candidates)), key=lambda index: -scores[index])
    if not ranked or scores[ranked[0]] < _CLOSE:
        return None
    if len(ranked) > 1 and scores[ranked[0]] - scores[ranked[1]] < _MARGIN:
        return None
    return ranked[0] if same_sense(wanted, candidates[ranked[0]]) else None


_NAMES = re.compile(r"[\u30a1-\u30ff]+|[^\W\d_\u3040-\u30ff\u3400-\u9fff][\w'’]*")

_CASELESS_NAME = re.compile(r"[\u30a1-\u30ff\uac00-\ud7af]")


def same_roles(one: str, other: str) -> bool:
    """True unless two texts name the same people in another order. Names: katakana, Hangul, or a capital inside a text."""
    texts = [_NAMES.findall(text) for text in (one, other)]
    names = {word for words in texts for word in words[1:] if word[0].isupper()}
    names |= {word for words in texts for word in words if _CASELESS_NAME.match(word)}
    first, second = (list(dict.fromkeys(word for word in words if word in names)) for words in texts)
    return [name for name in first if name in second] == [name for name in second if name in first]


def says_the_same(text: str, others: Iterable[str]) -> bool:
    """True if one of `others` says the same in nearly the same words, in any order."""
    mine = plain(text)
    return any(
        fuzz.token_sort_ratio(mine, theirs) >= 100 * _CLOSE
        and same_sense(mine, theirs)
        and same_roles(text, other)
        for other, theirs in ((other, plain(other)) for other in others)
    )


# --- what a text is about, by stems -------------------------------------------------------------------------------------

_COMMON = frozenset(
    "the and for was were with that this from his her him she they them their its has had have not but who whom what "
    "when where why how are you your our out into onto over under then than there here about one two all any some been "
    "being will would can could did does said says say tell told ask asked know knows knew again once more very just "
    "only like back see saw look looks turn turns still now old new long way thing things something somebody man men woman "
    "women people past away around behind before after between".split()
)
_ENDING = re.compile(r"(?<=\w{3})(?:(?<![aeiou])ying|ing|ied|ies|ed|es|e|(?<!s)s|(?<![aeiou])y)$")
_DOUBLED = re.compile(r"([bdgmnprt])\1$")
_HIRAGANA = re.compile(r"[\u3040-\u309f]+")
"""Endings and particles of Japanese."""


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """Return content words of three letters without endings; in scripts without spaces, pairs of characters."""
    words = set[str]()
    for word in plain(text).split():
        if is_unspaced(word):
            pairs = {word[i : i + 2] for i in range(len(word) - 1)}
            words |= {pair for pair in pairs if not _HIRAGANA.fullmatch(pair)} or {word}
        elif len(word) > 2 and word not in _COMMON:
            words.add(_stem(word))
    return frozenset(words)


def _stem(word: str) -> str:
    bare = _ENDING.sub("", word)
    return _DOUBLED.sub(r"\1", bare) if word[len(bare) :] in ("ing", "ed") else bare


def overlap(words: frozenset[str], others: frozenset[str]) -> float:
    return len(words & others) / len(words) if words else 0.0
