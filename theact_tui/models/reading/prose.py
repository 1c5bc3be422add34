"""Live prose out of a streamed reply (section 6 of `models.md`): what may be shown already, and never a marker.

The reply is looked at after each white space, so that what is shown depends on its characters alone and not on how
they were cut into chunks. What `read` makes of the whole reply in the end has the last word.
"""

from __future__ import annotations

import re

from theact_tui.models.reading import wrapping
from theact_tui.models.reading.context import Context
from theact_tui.models.reading.ladder import read
from theact_tui.models.reading.running import Running

_STRIDE = 40
"""Characters after which a loop is looked for."""
_LOOK_AFTER = re.compile(r"\s|[^\x00-\x7f]")
_ENDS = re.compile(r"[<>\[\]◁▷]")


class ProseStream:
    """Feed it a reply as it arrives; `text` is the prose that may be shown so far, `buffer` the whole reply."""

    def __init__(self, agent: str, context: Context | None = None, *, thinks: bool = False) -> None:
        """`thinks`: this model's template opens a thought, so nothing is shown before it is closed."""
        self.agent = agent
        self.context = context or Context()
        self.buffer = ""
        self.text = ""
        self.reasoning = ""
        """What the model thought aloud in its reply."""
        self.looping = False
        """The model repeats itself: stop it. `text` ends with the first round."""
        self.retracted = 0
        """How often shown text had to be taken back; `text` then began anew."""
        self._looked = self._sought = 0
        """Up to here it was looked at, and up to here for the next place to do so."""
        self._checked = 0
        self._pondered = 0
        self._running = Running(agent, self.context, "<think>" if thinks else "")
        """What follows the last thought that has ended; `_thoughts` holds all of those."""
        self._opened = thinks
        """Within a thought that has not ended: nothing can be shown before one of `_ENDS` comes."""
        self._thoughts = ""

    def feed(self, text: str) -> str:
        """Take in `text` and return the prose it adds to what is shown; all of it after a retraction."""
        self.buffer += text
        before, retracted = self.text, self.retracted
        while not self.looping and (point := self._next_point()):
            piece, self._looked = self.buffer[self._looked : point], point
            self._running.add(piece)
            if self._opened and not _ENDS.search(piece):
                self.reasoning += piece
                self._check_thought()
            else:
                self._look(last=False)
        return self._added(before, retracted)

    def finish(self) -> str:
        """Return the prose that was held back; if nothing was shown, what `read` finds in the whole reply."""
        before, retracted = self.text, self.retracted
        if not self.looping:
            self._running.add(self.buffer[self._looked :])
            self._look(last=True)
        if not self.text:
            fields = read(self.agent, self.buffer, self.context).fields
            self.text = str(fields.get("narration") or fields.get("text") or "")
        return self._added(before, retracted)

    def _next_point(self) -> int:
        """The place after the next white space or character beyond ASCII; 0 if there is none yet."""
        found = _LOOK_AFTER.search(self.buffer, max(self._looked, self._sought))
        self._sought = found.end() if found else len(self.buffer)
        return found.end() if found else 0

    def _look(self, *, last: bool) -> None:
        prose, thoughts = self._running.read_last() if last else self._running.read()
        self.reasoning = (self._thoughts + thoughts).strip()
        self._forget(thoughts)
        if prose.startswith(self.text):
            self.text = prose
        elif not self.text.startswith(prose) or self.text[:40] in self.reasoning:
            self.text = prose
            self.retracted += 1
        if len(self.text) - self._checked >= _STRIDE or last:
            self._checked = len(self.text)
            once = wrapping.without_loop(self.text)
            self.looping = once != self.text
            self.text = once

    def _forget(self, thoughts: str) -> None:
        """Once a thought has ended it is not looked at again."""
        end = self._running.thought_end()
        self._opened = end is None
        if end:
            self._running = Running(self.agent, self.context, self._running.whole[end:])
            self._thoughts += thoughts

    def _check_thought(self) -> None:
        """A thought may go round in circles, too."""
        if len(self.reasoning) - self._pondered < 10 * _STRIDE:
            return
        self._pondered = len(self.reasoning)
        recent = self.reasoning[-4_000:]
        self.looping = wrapping.without_loop(recent) != recent

    def _added(self, before: str, retracted: int) -> str:
        if self.retracted == retracted and self.text.startswith(before):
            return self.text[len(before) :]
        return self.text if self.retracted != retracted else ""
