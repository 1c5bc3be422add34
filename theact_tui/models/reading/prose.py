"""Live prose out of a streamed reply (section 6 of `models.md`): what may be shown already, and never a marker.

The reply is looked at after each white space, so that what is shown depends on its characters alone and not on how
they were cut into chunks. What `read` makes of the whole reply in the end has the last word.
"""

from __future__ import annotations

from theact_tui.models.reading import wrapping
from theact_tui.models.reading.context import Context
from theact_tui.models.reading.ladder import read
from theact_tui.models.reading.visible import visible


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
        self._thinks = thinks
        self._looked = 0
        self._checked = 0

    def feed(self, text: str) -> str:
        """Take in `text` and return the prose it adds to what is shown; all of it after a retraction."""
        self.buffer += text
        before, retracted = self.text, self.retracted
        while not self.looping and (point := self._next_point()):
            self._looked = point
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
        raw = f"<think>{raw}" if self._thinks else raw
        prose, thoughts = visible(self.agent, raw, self.context, last=last)
        self.reasoning = thoughts.strip()
        if prose.startswith(self.text):
            self.text = prose
        elif not self.text.startswith(prose) or self.text[:40] in self.reasoning:
            self.text = prose
            self.retracted += 1
        if len(self.text) - self._checked >= 40 or last:
            self._checked = len(self.text)
            once = wrapping.without_loop(self.text)
            self.looping = once != self.text
            self.text = once

    def _added(self, before: str, retracted: int) -> str:
        if self.retracted == retracted and self.text.startswith(before):
            return self.text[len(before) :]
        return self.text if self.retracted != retracted else ""
