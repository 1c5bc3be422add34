"""Replies in which a model declines, or repeats the prompt's example."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from theact_tui.parsing.no_answer import is_nothing, is_placeholder, is_unfilled
from theact_tui.parsing.types import ReplyContext
from theact_tui.story.matching import plain

_CANNOT = r"(?:can['’]?t|cannot|can not|won['’]t|will not|(?:not|un)[ ]?able to|(?:must|have to) decline)"
_TASK = (
    r"(?:(?:this|that|your|such) (?:\w+ )?(?:request|prompt|task|content|story|scene|text|conversation|scenario|"
    r"role-?play)|(?:create|generate|write|provide|produce)[^.!?\n]{0,40}\bcontent|(?:do|help (?:you )?with) (?:this|that)"
    r"\s*(?=[.,!]|\Z)|assist (?:you )?with|role-?play|a recap|a summary|comply)"
)
_REFUSAL = re.compile(
    rf"\bI\b[^.!?\n]{{0,60}}\b{_CANNOT}\b[^.!?\n]{{0,60}}\b{_TASK}|\b(?:AI|language model)\b[^.!?\n]{{0,60}}\bI {_CANNOT}\b"
    r"|\b(?:lo siento|es tut mir leid|je suis désolé|mi dispiace)\b[^.!?\n]{0,40}\b(?:ayudar|solicitud|helfen|Anfrage|"
    r"aider|demande|aiutar|richiesta)|(?:抱歉|对不起)[^。\n]{0,12}(?:无法|不能)",
    re.IGNORECASE,
)
_HEAD = 300
"""Characters: a model that declines does so at once."""


def is_refusal(text: str) -> bool:
    """True if `text` reads as if the model, not somebody in the story, declines."""
    return _REFUSAL.search(text[:_HEAD]) is not None


def repeats_example(values: Mapping[str, Any], context: ReplyContext) -> bool:
    """True if every text of more than two words stands in the prompt's example."""
    if not (example := plain(context.prompt_example)):
        return False
    free = (value for name, value in values.items() if name not in {"mood", "moment_type"})
    texts = [plain(text) for value in free for text in _texts_in(value)]
    long = [text for text in texts if len(text.split()) > 2]
    return plain(str(values)) == example or (bool(long) and all(text in example for text in long))


def _texts_in(value: Any) -> Iterator[str]:
    """Yield the texts of a raw value, at any depth, without keys."""
    match value:
        case dict():
            for part in value.values():
                yield from _texts_in(part)
        case list():
            for part in value:
                yield from _texts_in(part)
        case _:
            yield str(value)


def has_placeholder(value: Any) -> bool:
    """True if a template was left unfilled anywhere in raw values."""
    match value:
        case str():
            unfilled = bool(value) and not is_nothing(value) and is_unfilled(value)
            return unfilled or any(map(is_placeholder, value.split("\n"))) or "<" in value
        case dict():
            return any(map(has_placeholder, value.values()))
        case list():
            return any(map(has_placeholder, value))
        case _:
            return False
