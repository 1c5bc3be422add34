"""How the player steers the telling, beside the story: notes and directions to the narrator, who answers, length, language.

What stands here shapes prompts and is kept with the turn; it is never told in the story.
"""

import re
from typing import Literal

from theact_tui.story.base import Value

Length = Literal["short", "normal", "long"]
LENGTHS: tuple[Length, ...] = ("short", "normal", "long")
MAX_NOTE = 1_000
"""Characters of a standing note."""


class Standing(Value):
    """What holds for every turn until the player changes it."""

    note: str = ""
    """The author's note, told to the narrator in every turn."""
    hushed: tuple[str, ...] = ()
    """Ids of those who do not answer."""
    length: Length = "normal"
    """How much narrator and characters say."""
    language: str = ""
    """The language of the story, as a name or a tag such as `de`; empty: that of the pack."""


class Steering(Standing):
    """What held for one turn."""

    direction: str = ""
    """Told to the narrator of this turn alone."""
    asked: tuple[str, ...] = ()
    """Ids of those who were to answer, in this order; empty: the narrator chose."""

    @property
    def plain(self) -> bool:
        """True if nothing was steered."""
        return self == Steering()


_LANGUAGES = {
    "ar": "Arabic", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "nb": "Norwegian", "nl": "Dutch", "pl": "Polish",
    "pt": "Portuguese", "pt-br": "Brazilian Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish",
    "th": "Thai", "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
LANGUAGES = tuple(sorted(_LANGUAGES.values()))
"""Names of common languages; others can be named as well."""
_TAG = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})*", re.IGNORECASE)


def language_name(language: str) -> str:
    """What a prompt calls a language that is given as a name or a tag: `de` is German."""
    return _LANGUAGES.get(language.strip().lower(), language.strip())


def language_tag(language: str) -> str:
    """The BCP 47 tag of a language for files; empty when it is not known."""
    wanted = language.strip().lower()
    named = {name.lower(): tag for tag, name in _LANGUAGES.items()}
    return named.get(wanted) or (wanted if _TAG.fullmatch(wanted) and len(wanted.split("-")[0]) < 4 else "")
