from dataclasses import replace
from typing import ClassVar

from theact_tui.tui.actions import bindings
from theact_tui.tui.inspector.keys import INSPECTOR_ACTIONS, TIME
from theact_tui.tui.inspector.screen import InspectorScreen
from theact_tui.tui.widgets.base_screen import COPY

HELP = """\
The notes at any prompt of this chapter, and exactly what each character was sent.

← and → change the prompt; tab changes the person, with the notes last. The small bars above show how many tokens each \
prompt took; the marked one is the prompt you look at. At the left are the notes after this prompt; + marks the new lines. \
The number is the prompt up to which they were taken: enter shows its text, g opens it in Direct.

To see why a character said something, press x: everything it was sent, with the tokens of each section and what was \
cut or left out. Press x again for what it was sent next.

c lists all calls with their times and raw replies, w shows the text of this prompt. While a character answers, this page \
is updated live."""

_WORDS = {
    "inspector.older": ("prompt", "Previous prompt ←, next prompt →"),
    "inspector.newer": ("next prompt", "The next prompt"),
    "inspector.back10": ("ten back", "Ten prompts back"),
    "inspector.on10": ("ten ahead", "Ten prompts forward"),
    "inspector.first": ("first prompt", "The first prompt; ← from there: the lock"),
    "inspector.newest": ("newest prompt", "The newest prompt; follows new prompts"),
    "inspector.person": ("person", "The next character; the notes come last"),
    "inspector.person_back": ("person back", "The previous character"),
    "inspector.prompt": ("sent", "Exactly what this character was sent; again: what it was sent next"),
    "inspector.where": ("source", "The text of the prompt this came from"),
    "inspector.there": ("in Direct", "Go to this prompt in Direct"),
    "inspector.go": ("go there", "Go to that prompt in Direct"),
    "inspector.calls": ("calls", "Calls, times and raw replies"),
    "inspector.events": ("live", "Live event log"),
    "inspector.words": ("text", "The text of this prompt"),
    "inspector.memory": ("notes", "Back to the notes"),
    "inspector.back": ("back", "Back to the notes, then to the chapter"),
    "inspector.leave": ("chapter", "Back to the chapter"),
}
"""Label and help, by id."""
CHAPTER_ACTIONS = tuple(
    replace(
        action,
        label=_WORDS[action.id][0],
        help=_WORDS[action.id][1],
        group="prompt" if action.group == TIME else action.group,
    )
    for action in INSPECTOR_ACTIONS
    if action.id in _WORDS
)


class ChapterInspector(InspectorScreen, inherit_bindings=False):
    BINDINGS = [*bindings(CHAPTER_ACTIONS), COPY]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Notes"
    LEGEND: ClassVar[str] = "+ new at this prompt"
    FIRST: ClassVar[int] = 0
    """The lock."""
