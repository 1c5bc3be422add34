"""Live prose out of a streamed reply (section 6 of `models.md`): what may be shown already, and never a marker.

The reply is looked at after each white space, so that what is shown depends on its characters alone and not on how
they were cut into chunks. What `read` makes of the whole reply in the end has the last word.
"""

from __future__ import annotations

import re

from theact_tui.models.reading import wrapping
from theact_tui.models.reading.context import Context
from theact_tui.models.reading.ladder import read
from theact_tui.models.reading.visible import visible

_STRIDE = 40
"""Characters after which a loop is looked for."""
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
        self._looked = 0
        self._checked = 0
        self._pondered = 0
        self._thinks = thinks
        self._opened = thinks
        """Within a thought that has not ended: nothing can be shown before one of `_ENDS` comes."""
        self._past = 0
        """Everything before is a thought that has ended."""
        self._thoughts = ""

    def feed(self, text: str) -> str:
        """Take in `text` and return the prose it adds to what is shown; all of it after a retraction."""
        self.buffer += text
        before, retracted = self.text, self.retracted
        while not self.looping and (point := self._next_point()):
            piece, self._looked = self.buffer[self._looked : point], point
            if self._opened and not _ENDS.search(piece):
                self.reasoning += piece
                self._check_thought()
            else:
                self._look(self.buffer[:point], last=False)
        return self._added(before, retracted)

    def finish(self) -> str:
        """Return the prose that was held back; if nothing was shown, what `read` finds in the whole reply."""
        before, retracted = self.text, self.retracted
        if not self.looping:
            self._look(self.buffer, last=True)
        if not self.text:
            fields = read(self.agent, self.buffer, self.context).fields
            self.text = str(fields.get("narration") or fields.get("text") or "")
        return self._added(before, retracted)

    def _next_point(self) -> int:
        """The place after the next white space or character beyond ASCII; 0 if there is none yet."""
        for at in range(self._looked, len(self.buffer)):
            char = self.buffer[at]
            if char.isspace() or char > "\x7f":
                return at + 1
        return 0

    def _look(self, raw: str, *, last: bool) -> None:
        raw = raw[self._past :]
        raw = f"<think>{raw}" if self._thinks and not self._past else raw
        prose, thoughts = visible(self.agent, raw, self.context, last=last)
        self.reasoning = (self._thoughts + thoughts).strip()
        self._forget(raw, thoughts)
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

    def _forget(self, raw: str, thoughts: str) -> None:
        """Once a thought has ended it is not looked at again."""
        end = wrapping.thought_end(raw)
        self._opened = end is None
        if end:
            self._past += end - (len("<think>") if self._thinks and not self._past else 0)
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
