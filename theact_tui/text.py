"""Clean text from outside; names and estimates from text (S13)."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

from theact_tui.sentences import WRAPPED

_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC, with its terminator if there is one
    r"|\x1b[P^_X][^\x1b\x9c]*(?:\x1b\\|\x9c)?"  # DCS, PM, APC, SOS
    r"|\x1b\[[0-?]*[ -/]*[@-~]?"  # CSI
    r"|\x1b[ -/]*[0-~]?"
    r"|\x9b[0-?]*[ -/]*[@-~]?"
)
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufff9-\ufffb\ufffe\uffff"  # controls of terminal and page
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # and of the direction of letters
    "\ud800-\udfff]"  # halves of characters, which no file can hold
)
_RESERVED = {*"con prn aux nul".split(), *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}


def clean(text: str) -> str:
    """Strip escape sequences, controls, bidirectional overrides and lone surrogates. Line feeds and tabs stay; other
    line endings become line feeds.
    """
    if not _ACTING.search(text):
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n\n")
    return without_controls(_ESCAPES.sub("", text))


def without_controls(text: str) -> str:
    """Remove the characters that act, but not the rest of escape sequences."""
    return _ACTING.sub(lambda match: "\ufffd" if "\ud800" <= match[0] <= "\udfff" else "", text)


def escaped(json: str) -> str:
    """Write the acting characters of a JSON text as escapes."""
    return _ACTING.sub(lambda match: f"\\u{ord(match[0]):04x}", json)


def flat(text: str) -> str:
    """Clean `text` onto one line."""
    return " ".join(clean(text).split())


def one_line(text: str, limit: int = 60) -> str:
    """Clean `text` onto one line of `limit` characters; an ellipsis marks a cut."""
    flat = " ".join(clean(text).split())
    if len(flat) <= limit:
        return flat
    end = flat.rfind(" ", limit * 2 // 3, limit)  # a long word is cut, and a script without spaces
    return flat[: end if end > 0 else limit - 1].rstrip() + "…"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def described_as(text: str) -> tuple[str, str, str]:
    """Partition `text` at its first colon of any script."""
    return text.replace("：", ":", 1).partition(":")


def to_come(beats: Collection[str], reached: Collection[str]) -> str:
    """Count the beats left, without naming them; "" if none."""
    left = len(set(beats) - set(reached))
    return f"{left} {'more ' if left < len(set(beats)) else ''}to come" if left else ""


_CYRILLIC = dict(
    zip(
        "абвгґдеєёжзиіїйклмнопрстуфхцчшщъыьэюя",
        "a b v g g d e ye yo zh z i i yi y k l m n o p r s t u f kh ts ch sh shch  y  e yu ya".split(" "),
        strict=True,
    )
)


def _latin(letter: str) -> str:
    if letter < "\u0370":
        return letter
    if (plain := _CYRILLIC.get(letter.lower())) is not None:
        return plain
    words = unicodedata.name(letter, "-").split()  # such as KATAKANA LETTER TE
    return words[-1].lower() if words[0] in ("KATAKANA", "HIRAGANA", "HANGUL") else letter


def slug(text: str, fallback: str = "story", limit: int = 48) -> str:
    """Name of a folder, file or branch: `[a-z0-9-]`, never empty, never a reserved name."""
    plain = (
        unicodedata.normalize("NFKD", "".join(map(_latin, text))).encode("ascii", "ignore").decode().lower()
    )
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:limit].strip("-") or fallback
    return f"{name}-1" if name in _RESERVED else name


def unique_slug(text: str, taken: Collection[str], fallback: str = "story") -> str:
    name, number = slug(text, fallback, 40), 2
    while name in taken:
        name, number = f"{slug(text, fallback, 40)}-{number}", number + 1
    return name


def is_slug(text: str) -> bool:
    """True if `text` may be used as an id: its own slug, with underscores allowed inside."""
    return bool(re.fullmatch(r"[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?", text)) and text not in _RESERVED


_PRONOUNS = frozenset(
    "i me my you your he him his she her it its we us our they them their myself yourself".split()
)


def is_pronoun(name: str) -> bool:
    return name.strip().casefold() in _PRONOUNS


def file_size(count: int) -> str:
    """Say a number of bytes, such as `4.9 GB`."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"


def words(text: str) -> int:
    return len(text.split())


def unwrapped_paragraphs(text: str) -> list[str]:
    """Cleaned paragraphs of prose. A line feed behind a short line stays, as in a poem; others become a space."""
    paragraphs: list[str] = []
    for part in clean(text).replace("\t", "    ").split("\n\n"):
        paragraph = ""
        for line in part.strip("\n").split("\n"):
            joint = " " if len(paragraph.rsplit("\n", 1)[-1]) >= WRAPPED else "\n"
            paragraph = paragraph + joint + line.strip() if paragraph else line.strip()
        if paragraph:
            paragraphs.append(paragraph)
    return paragraphs


_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]{1,2000}[^\s*]|[^\s*])\1(?![\w*])")


def emphasized(text: str) -> list[tuple[str, bool]]:
    """Split `text` at `*stressed*` words into pieces without marks, and whether each is stressed."""
    pieces = _EMPHASIS.split(text)
    plain, stressed = pieces[::3], pieces[2::3]
    parts = [(plain[0], False)]
    for inside, after in zip(stressed, plain[1:], strict=True):
        parts += [(inside, True), (after, False)]
    return [(piece, is_stressed) for piece, is_stressed in parts if piece]


def unstressed(text: str) -> str:
    return "".join(piece for piece, _ in emphasized(text))


def dotted(table: Mapping[str, Any]) -> dict[str, Any]:
    """Flatten nested tables to dotted names."""
    values: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            values |= {f"{name}.{inner}": deep for inner, deep in dotted(value).items()}
        else:
            values[name] = value
    return values


def counted(number: int, one: str, many: str = "") -> str:
    """`1 turn`, `2 turns`; `many` is an odd plural."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


@lru_cache(maxsize=4096)
def estimate_tokens(text: str) -> float:
    if text.isascii():
        return 0.27 * len(text)
    return sum(_token_weight(character) * times for character, times in Counter(text).items())


@lru_cache(maxsize=4096)
def _token_weight(character: str) -> float:
    code = ord(character)
    if code < 0x80:
        return 0.27
    for end, weight in _BLOCKS:
        if code < end:
            return weight
    return 1.3


_BLOCKS = (
    (0x370, 0.6),  # Latin with accents
    (0x600, 0.42),  # Greek, Cyrillic, Armenian, Hebrew
    (0x1100, 0.8),  # Arabic and the scripts of India and South-East Asia
    (0x1200, 1.05),  # Hangul letters
    (0x2000, 0.8),
    (0x2070, 0.6),  # punctuation
    (0x2E80, 1.3),  # symbols
    (0x3040, 1.2),  # CJK signs
    (0x3200, 1.05),  # kana
    (0xAC00, 1.2),  # CJK
    (0xD7B0, 1.05),  # Hangul
    (0x10000, 1.2),
)
"""Code point behind a block, tokens per character."""


@lru_cache(8)
def search_pattern(term: str) -> re.Pattern[str]:
    # scripts without capitals may have no spaces
    begins = r"(?<!\w)" if term[:1].lower() != term[:1].upper() else ""
    typed = re.sub(r"['‘’]", "['‘’]", re.sub(r"[\"“”]", '["“”]', re.escape(term)))  # the page has curly ones
    return re.compile(begins + typed, re.IGNORECASE)
