"""What `play` prints while a turn happens: prose for people, or events as JSON lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from theact_tui.cli.saying import say
from theact_tui.engine.commands import as_line
from theact_tui.engine.events import (
    ChapterAdvanced,
    CharacterFinished,
    CharacterStarted,
    CharacterToken,
    DiceRolled,
    EditsFound,
    EpilogueTold,
    Event,
    GameCompleted,
    MomentRecorded,
    NarrationFinished,
    NarrationToken,
    Notice,
    TurnFailed,
    UnsentFound,
)
from theact_tui.text import escaped


def found_text(files: Sequence[str], broken: Sequence[str]) -> str:
    """That files were changed by hand, and what can be typed about it."""
    names = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    if broken:
        lines = (f"Changed by hand outside: {names}.", *broken, "/edits shows it, /restore puts it back.")
        return "\n".join(lines)
    return (
        f"Changed by hand outside: {names}. /edits shows how, /adopt makes it part of the story, "
        "/restore puts it back."
    )


def dice_text(event: DiceRolled) -> str:
    """A roll and what it means; the keeper mostly says the numbers itself."""
    if re.search(rf"(?<!\d){event.roll}(?!\d)", event.resolution):
        return event.resolution
    return f"{event.roll} against {event.difficulty}: {event.resolution}"


def unsent_text(line: str) -> str:
    """That a line was not told before the program ended."""
    return f"Not told before the program ended, and not sent again: {line}"


class EventPrinter:
    """Prints every event as one JSON line."""

    def __call__(self, event: Event) -> None:
        say(escaped(event.to_json()))


class ProsePrinter:
    """Prints prose: token by token when `live`, else whole paragraphs as they are finished."""

    def __init__(self, *, live: bool) -> None:
        self._live = live
        self._shown = ""
        self._noticed = ""
        """The notice printed last; a turn that fails for the same reason does not say it again."""

    def __call__(self, event: Event) -> None:
        match event:
            case NarrationToken() | CharacterToken() if self._live:
                self._stream(event.text, replace=event.replace)
            case NarrationFinished():
                self._finish(event.text)
            case CharacterStarted():
                say(f"{event.name.upper()}")
            case CharacterFinished():
                self._finish(event.text or "(says nothing)")
            case DiceRolled():
                say(f"[{dice_text(event)}]\n")
            case MomentRecorded():
                say(f"[to be remembered: {event.summary}]\n")
            case ChapterAdvanced():
                say(f"--- {event.title} ---\n")
                if event.recap:
                    say(f"[so far: {event.recap}]\n")
            case GameCompleted():
                say("--- The End ---\n")
            case EpilogueTold():
                say(f"{event.text}\n")
            case _:
                self._say(event)

    def _say(self, event: Event) -> None:
        """What is no part of the story goes to standard error."""
        match event:
            case Notice() if event.level != "info":
                say(event.text, err=True)
                self._noticed = event.text
            case EditsFound(files=files, broken=broken):
                say(found_text(files, broken), err=True)
            case UnsentFound(text=text, again=again):
                say(unsent_text(as_line(text, again=again)), err=True)
            case TurnFailed():
                self._shown = ""
                if event.reason != self._noticed:
                    say(event.reason, err=True)
                self._noticed = ""
            case _:
                pass

    def _stream(self, text: str, *, replace: bool) -> None:
        if replace and self._shown:
            say("\n...\n")
            self._shown = ""
        self._shown += text
        say(text, nl=False)

    def _finish(self, text: str) -> None:
        """End a streamed text, or print it whole when something else, or nothing, was streamed."""
        if self._shown.strip() == text.strip():
            say("\n")
        else:
            say(f"\n\n{text}\n" if self._shown else f"{text}\n")
        self._shown = ""
