"""Player's steering of prompts: notes, directions, who answers, length, language. It is stored with the turn."""

import re
from typing import Literal

from theact_tui.story.value import Value

Length = Literal["short", "normal", "long"]
LENGTHS: tuple[Length, ...] = ("short", "normal", "long")
MAX_NOTE = 1_000


class Standing(Value):
    note: str = ""
    hushed: tuple[str, ...] = ()
    length: Length = "normal"
    language: str = ""
    """Name or tag such as `de`; empty: the pack's."""
    all_hear: bool = False
    """Where the model cannot say who heard a turn, everybody here did, but for a line to somebody by an arrow."""


class Steering(Standing):
    direction: str = ""
    asked: tuple[str, ...] = ()
    """Ids to answer, in order; empty: the model chooses."""

    @property
    def plain(self) -> bool:
        return self == Steering()


_LANGUAGES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "nb": "Norwegian", "nl": "Dutch", "pl": "Polish",
    "pt": "Portuguese", "pt-br": "Brazilian Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish",
    "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
LANGUAGES = tuple(sorted(_LANGUAGES.values()))
_TAG = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*", re.IGNORECASE)


def language_name(language: str) -> str:
    """Return the name of a language: `de` is German."""
    return _LANGUAGES.get(language.strip().lower(), language.strip())


def language_tag(language: str) -> str:
    """Return the BCP 47 tag; "" if unknown."""
    wanted = language.strip().lower()
    named = {name.lower(): tag for tag, name in _LANGUAGES.items()}
    return named.get(wanted) or (wanted if _TAG.fullmatch(wanted) and len(wanted.split("-")[0]) < 4 else "")
