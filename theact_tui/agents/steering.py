"""What the player steers, as prompts say it. Notes and directions are for the narrator alone."""

from __future__ import annotations

from collections.abc import Sequence

from theact_tui.agents.prompts import TEMPLATES
from theact_tui.prompting.sections import Section
from theact_tui.story.steering import Length, Steering, language_name
from theact_tui.story.views import NarratorView

_WORDS: dict[str, dict[Length, str]] = {
    "narrator": {"short": "40 to 80 words", "normal": "90 to 180 words", "long": "200 to 320 words"},
    "character": {
        "short": "1 or 2 sentences, at most 40 words",
        "normal": "1 to 3 short paragraphs, at most 120 words",
        "long": "2 to 5 paragraphs, at most 240 words",
    },
}
LONGER = 1.8
"""Times the usual allowance that a long reply is given."""


def word_range(agent: str, length: Length) -> str:
    """How much an agent is to write."""
    return _WORDS[agent][length]


def length_line(agent: str, length: Length, template: str | None) -> list[str]:
    """The length again, for a pack's own template that does not ask for it."""
    asks = "{words}" in (TEMPLATES[agent] if template is None else template)
    return [] if asks or length == "normal" else [f"Length: {word_range(agent, length)}."]


def language_rule(language: str) -> str:
    """The sentence of system messages that says which language to write in; empty when none was chosen."""
    if not language:
        return ""
    return (
        f"LANGUAGE\nWrite everything in {language_name(language)}: narration, speech, notes and summaries. Only keys, ids "
        "and words from a given list stay as they are."
    )


def language_line(language: str) -> list[str]:
    """The language again, next to the task."""
    return [f"Write in {language_name(language)}."] if language else []


def notes_to_narrator(steering: Steering) -> list[Section]:
    """The author's note and the direction for this page."""
    made: list[Section] = []
    if steering.note:
        made.append(Section("author's note", f"THE AUTHOR'S NOTE\n{steering.note}", "state.yaml"))
    if steering.direction:
        text = f"THE AUTHOR'S DIRECTION FOR THIS PAGE\n{steering.direction}"
        made.append(Section("direction", text, "the player"))
    return made


def steering_hints(view: NarratorView) -> list[str]:
    """What the narrator's task says of who answers and what to follow, each on one line."""
    steering, names = view.steering, {id: card.name for id, card in view.cast.items()}
    hints: list[str] = []
    if steering.direction:
        hints.append("Follow the author's direction above, and do not mention it.")
    if steering.asked:
        hints.append(f"{_names(steering.asked, names)} will answer now: lead up to that.")
    silent = [name for name in steering.hushed if name in names and name not in steering.asked]
    if silent:
        hints.append(f"{_names(silent, names)} will not answer.")
    return hints


def _names(ids: Sequence[str], names: dict[str, str]) -> str:
    return " and ".join(names.get(name, name) for name in ids)
