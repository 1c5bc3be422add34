"""Habits of a model, and their consequences."""

from collections.abc import Collection
from typing import Literal

from theact_tui.models.discovery import is_small
from theact_tui.models.model import Model

Habit = Literal["truth", "whispers", "player", "person", "endless"]
_SENTENCES: dict[str, str] = {
    "truth": "It tells what is hidden, so it is never shown the hidden truth.",
    "whispers": "It does not notice whispers: start with -> Name: to whisper.",
    "player": "It speaks for you.",
    "person": "It does not write to you as “you”.",
    "endless": "It does not end by itself.",
}
_OF_FORM = frozenset({"player", "person", "endless"})
"""Prevented by a grammar."""
_ADVICE = (
    "llama.cpp now holds it to the form of a page; elsewhere retry such pages (F4) or choose another model."
)


def sentences_about(habits: Collection[str]) -> list[str]:
    advice = [_ADVICE] if _OF_FORM.intersection(habits) else []
    return [sentence for habit, sentence in _SENTENCES.items() if habit in habits] + advice


def tells_secrets(model: Model) -> bool:
    # without a trial the size in its name decides
    return is_small(model.name) if model.habits is None else "truth" in model.habits


def may_read_truth(model: Model, *, is_last_chapter: bool) -> bool:
    """Let an untried model read it in the last chapter only."""
    return not tells_secrets(model) and (model.habits is not None or is_last_chapter)


def lets_people_speak(model: Model) -> bool:
    """True if people may speak on the pages of a model; one that a grammar holds tells of them without speech."""
    return not needs_grammar(model.name, model.habits)


def needs_grammar(name: str, habits: Collection[str] | None) -> bool:
    return is_small(name) or not _OF_FORM.isdisjoint(habits or ())
