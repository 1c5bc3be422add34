"""How `direct prompt` and `direct build` print: on a terminal as it is written, elsewhere whole."""

from __future__ import annotations

from theact_tui.cli.saying import say
from theact_tui.engine.direct_events import ActorToken, ChapterToken, PromptStarted
from theact_tui.engine.events import Event


class ReplyPrinter:
    """Call it with events, and `finish` with the whole text, which wins. Unless `live`, only `finish` prints."""

    def __init__(self, *, live: bool) -> None:
        self._live = live
        self._lead = ""
        self._shown = ""

    def __call__(self, event: Event) -> None:
        match event:
            case PromptStarted():
                self._lead = f"{event.name}: "
                self._print(self._lead)
            case ActorToken() | ChapterToken():
                if event.replace and self._shown:
                    self._print("\n...\n")
                self._shown = ("" if event.replace else self._shown) + event.text
                self._print(event.text)
            case _:
                pass

    def finish(self, text: str) -> None:
        """End the line that was printed live, or print the whole text when that was not it."""
        if self._live and self._shown.strip() == text.strip():
            say()
        else:
            say(("\n\n" if self._live else "") + self._lead + text)

    def _print(self, text: str) -> None:
        if self._live:
            say(text, nl=False)
