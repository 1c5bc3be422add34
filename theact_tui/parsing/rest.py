"""What a model adds to a text so far. It is read for thoughts, stops, invented turns and loops, never stripped or parsed."""

import re
from dataclasses import dataclass, replace

from theact_tui.parsing.live_prose import MARK_LENGTH
from theact_tui.parsing.loops import without_loop
from theact_tui.parsing.speakers import Speakers, before_label
from theact_tui.parsing.thoughts import without_thoughts
from theact_tui.parsing.types import ReplyContext
from theact_tui.parsing.unwrap import ANY_TOKEN, normalised, without_invented_turns
from theact_tui.sentences import ends_sentence
from theact_tui.story.matching import is_unspaced

_MOST_REPEATED = 400
"""Characters at the end of a text so far that a model may repeat."""
_OPENING = "“‘«„「『(["


@dataclass(frozen=True, slots=True)
class SoFar:
    """Text that a reply goes on from, with the blanks at its end, which no model is sent."""

    text: str
    is_continued: bool
    """True if the server goes on from it; else the model is asked in words, and may repeat some of it."""

    @property
    def sent(self) -> str:
        return self.text.rstrip()


def read_rest(raw: str, so_far: SoFar, context: ReplyContext) -> str:
    """Return what `raw` adds to the text so far, as it stands behind it."""
    rest = without_thoughts(normalised(raw), context.thought)[0]
    rest = ANY_TOKEN.split(rest, maxsplit=1)[0]
    rest = without_loop(_without_turns(rest, so_far, context), prose=True)
    if not so_far.is_continued:
        rest = _without_repeat(rest, so_far.sent)
    return _joined(rest, so_far)


def _without_turns(rest: str, so_far: SoFar, context: ReplyContext) -> str:
    """Cut the rest before the first line of somebody else; its first line may be the end of one that is kept."""
    head = f"0{so_far.text[len(so_far.sent) - 1 :]}"
    cast = dict(context.active_characters or {})
    if not context.speaker and context.player:
        cast["player"] = context.player
    text = without_invented_turns(head + rest, context.player if context.speaker else "")
    text = before_label(Speakers.of(context.speaker, cast, "").others, text)
    return text[len(head) :]


def _without_repeat(rest: str, sent: str) -> str:
    """Take off the words with which the text so far ends, and with which the rest begins again."""
    new, tail = rest.lstrip(), sent[-_MOST_REPEATED:]
    for word in re.finditer(r"(?<!\S)\S|(?<!\w)\w", tail):
        said = tail[word.start() :]
        if said.startswith(new):
            return ""
        if new.startswith(said) and not (said[-1].isalnum() and re.match(r"[\w'’]", new[len(said) :])):
            return new[len(said) :]
    return rest


def _joined(rest: str, so_far: SoFar) -> str:
    """Return the rest with the blanks between it and the text so far."""
    new = rest.lstrip()
    if not new:
        return ""
    kept = so_far.text[len(so_far.sent) :]
    if kept:
        return new if "\n" in kept else rest.lstrip(" \t")
    if new != rest or not so_far.sent:
        return rest
    return f" {rest}" if _needs_blank(so_far, new) else rest


def _needs_blank(so_far: SoFar, new: str) -> bool:
    last, is_in_speech = so_far.sent[-1], so_far.sent.count('"') % 2 == 1
    opens = new[0] in _OPENING or (new[0] == '"' and not is_in_speech)
    if last in _OPENING or (last == '"' and is_in_speech) or is_unspaced(last + new[0]):
        return False
    if so_far.is_continued:  # a word may go on; a sentence that ended does not
        return ends_sentence(so_far.sent) and (opens or new[0].isupper())
    return opens or new[0].isalnum()


class RestStream:
    """Shows the rest as it arrives, word by word; a line that may be somebody else's, once it is long enough."""

    def __init__(self, so_far: SoFar, context: ReplyContext) -> None:
        self._so_far, self._context = so_far, context
        self._buffer = self._text = self.reasoning = ""
        self.retracted = 0
        """Number of times that shown text was taken back."""

    def keep_thoughts_apart(self) -> None:
        self._context = replace(self._context, thought="apart")

    def feed(self, text: str) -> str:
        """Return what `text` adds; after a retraction the whole."""
        self._buffer += text
        line = self._buffer.rfind("\n") + 1
        word = max(self._buffer.rfind(" "), line)
        is_certain = not line or word - line >= MARK_LENGTH
        return self._show(self._buffer[: word if is_certain else line].rstrip())

    def finish(self) -> str:
        return self._show(self._buffer)

    def _show(self, raw: str) -> str:
        rest, before = read_rest(raw, self._so_far, self._context), self._text
        self._text, self.reasoning = rest, without_thoughts(normalised(raw), self._context.thought)[1].strip()
        if rest.startswith(before):
            return rest[len(before) :]
        self.retracted += 1
        return rest
