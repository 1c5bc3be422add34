"""Live prose out of a streamed reply: what may be shown already, and never a marker.

A reply is taken in word by word, so that what is shown depends on its characters alone and not on how they were cut
into chunks, and no word is looked at twice: `ProseStream` keeps thoughts apart, an opening finds where the prose
begins, and a teller passes it on until something ends it. What `parse` makes of the whole reply has the last word.
"""

from __future__ import annotations

import re

from theact_tui.parsing.lines import FENCE, key_line
from theact_tui.parsing.prose import SPEAKING, prose_of
from theact_tui.parsing.reader import parse
from theact_tui.parsing.refusals import is_off_task, is_refusal
from theact_tui.parsing.shapes import NARRATOR, PROSE_KEYS
from theact_tui.parsing.speakers import OWN_LABEL, Speakers, spellings
from theact_tui.parsing.tellers import MARK_LENGTH, LineTeller, StringTeller, may_become_mark
from theact_tui.parsing.types import ReplyContext
from theact_tui.parsing.unwrap import (
    ANY_TOKEN,
    HEADER,
    THOUGHT_CLOSE,
    TURN_NUMBER,
    normalised,
    player_label,
    thought_edge,
    without_loop,
)
from theact_tui.parsing.values import (
    block_mark,
    is_meta,
    is_placeholder,
    is_preamble,
    without_remarks,
)
from theact_tui.story.matching import plain

PATIENCE = 200
"""Characters without any wrapper after which a narrator's text is taken for prose."""
_STRIDE = 40
"""Characters after which a loop is looked for, in so many characters at the end."""
_RECENT = 4_000

_FIRST = 12
"""Characters that tell prose from an answer within the answer."""
_NESTED = re.compile(r"\s*(?:[<{\[]|[\W_]*narration\b)", re.IGNORECASE)
_UNIT = re.compile(r"\r\n|\r(?=[^\n])|[^\S\r]|[^\x00-\x7f◁▷｜]")
_SIGN = re.compile(r"[<>\[\]◁▷`]")
_END_OF_NARRATION = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*[ \t]?:(?:[ \t]|$)|#{1,6}[ \t]+\S")
_PREAMBLE_START = re.compile(
    r"[\s*_#>`-]*(?:sure|certainly|of course|okay|ok|alright|absolutely|great|understood|got it|here|below|"
    r"this is|the following|claro|aquí|hier ist|voici)\b",
    re.IGNORECASE,
)
_THINKING_ALOUD = re.compile(
    r"\W*(?:okay|ok|let me|let's|hmm|so|alright|first|we need|i need|i should|the player)\b", re.IGNORECASE
)


Teller = StringTeller | LineTeller


class ProseStream:
    """Feed it a reply as it arrives; `text` is the prose that may be shown so far, `buffer` the whole reply."""

    def __init__(self, agent: str, context: ReplyContext | None = None, *, thinks: bool = False) -> None:
        """`thinks`: this model's template opens a thought, so nothing is shown before it is closed."""
        self.agent = agent
        self.context = context or ReplyContext()
        self.buffer = ""
        self.text = ""
        self.reasoning = ""
        """What the model thought aloud in its reply."""
        self.looping = False
        """The model repeats itself: stop it. `text` ends with the first round."""
        self.retracted = 0
        """How often shown text had to be taken back; `text` then began anew."""
        self._taken = self._sought = 0
        """Characters of the buffer that were taken in, and that were searched for the end of a word."""
        self._thought_close = THOUGHT_CLOSE if thinks else None
        self._checked = self._pondered = 0
        self._begin()

    def _begin(self) -> None:
        """What follows is a reply from its first character on."""
        self._outside = ""
        self._teller: Teller | None = None
        self._opening = _Opening(self.agent, self.context)
        self._held = ""
        self._over = False
        self._certain = False

    def feed(self, text: str) -> str:
        """Take in `text` and return the prose it adds to what is shown; all of it after a retraction."""
        self.buffer += text
        before, retracted = len(self.text), self.retracted
        while not self.looping and (found := _UNIT.search(self.buffer, max(self._taken, self._sought))):
            unit, self._taken = self.buffer[self._taken : found.end()], found.end()
            self._take(unit)
        self._sought = max(self._taken, len(self.buffer) - 1)
        return self.text if self.retracted != retracted else self.text[before:]

    def finish(self) -> str:
        """Return the prose that was held back: what `parse` finds in the whole reply, if it goes on in that way."""
        before, retracted = len(self.text), self.retracted
        if not self.looping:
            self._take(self.buffer[self._taken :])
            fields = parse(self.agent, self.buffer, self.context).fields
            whole = str(fields.get("narration") or fields.get("text") or "")
            if whole.startswith(self.text):
                self.text = whole
            self._check_loop()
            self.reasoning = self.reasoning.rstrip()
        return self.text if self.retracted != retracted else self.text[before:]

    def _take(self, unit: str) -> None:
        """Take in the next word; thoughts are kept apart."""
        while unit:
            if self._thought_close:
                closed = self._thought_close.search(unit) if _SIGN.search(unit) else None
                self.reasoning += (unit[: closed.start()] if closed else unit).lstrip(
                    None if not self.reasoning else ""
                )
                if closed is None:
                    self._check_thought()
                    return
                self.reasoning = self.reasoning.rstrip()
                self._thought_close, unit = None, unit[closed.end() :]
                continue
            edge = thought_edge(unit) if _SIGN.search(unit) else None
            if edge is None:
                self._tell(unit)
                return
            at, after, close = edge
            if close:
                self._tell(unit[:at])
                self._thought_close = close
            else:
                self.reasoning = (self._outside + unit[:at]).strip()
                self.retracted += bool(self.text)
                self.text = ""
                self._checked = 0
                self._begin()
            unit = unit[after:]

    def _tell(self, unit: str) -> None:
        """Show what may be shown with `unit`, which is no thought."""
        bare = normalised(unit)
        if not bare.isascii() or "<" in bare or "[" in bare:
            bare = self._without_tokens(bare)
        self._outside += unit
        if self._over or not bare:
            return
        if self._teller is None:
            self._teller, told = self._opening.feed(bare)
        else:
            told = self._teller.feed(bare)
        if told:
            self._show(told)

    def _without_tokens(self, piece: str) -> str:
        """`piece` without the tokens of a template; one that follows text ends the reply."""
        if re.search(r"\w", self._outside):
            token = ANY_TOKEN.search(piece)
            if token and not self._over:
                before, piece = piece[: token.start()], ""
                if self._teller and before:
                    self._show(self._teller.feed(before))
                self._over = True
            return piece
        return ANY_TOKEN.sub("", HEADER.sub("", piece))

    def _show(self, told: str) -> None:
        """Add prose to what is shown, unless it is so far the example of the prompt or a placeholder."""
        if not self._certain:
            self._held += told
            told = self._held
            if len(told) < _FIRST or is_placeholder(told) or _NESTED.match(told):
                return
            if self.context.prompt_example and plain(told) in plain(self.context.prompt_example):
                return
            self._certain = True
        self.text += told
        if len(self.text) - self._checked >= _STRIDE:
            self._check_loop()

    def _check_loop(self) -> None:
        self._checked = len(self.text)
        recent = self.text[-_RECENT:]
        if without_loop(recent) != recent:
            once = without_loop(self.text)
            self.looping = once != self.text
            self.text = once

    def _check_thought(self) -> None:
        """A thought may go round in circles, too."""
        if len(self.reasoning) - self._pondered < 10 * _STRIDE:
            return
        self._pondered = len(self.reasoning)
        recent = self.reasoning[-_RECENT:]
        self.looping = without_loop(recent) != recent


class _Opening:
    """Finds where the prose begins: behind a key, in a string or tag, or with the first word of no wrapper."""

    def __init__(self, agent: str, context: ReplyContext) -> None:
        self._kind, _, own = agent.partition(":")
        self._context = context
        self._own = own or context.speaker
        self._head = ""
        """What no teller has."""
        self._line = ""
        self._wrapped = False
        """There was a fence or a key: what follows is no loose prose."""
        self._others: re.Pattern[str] | None = None
        """What begins a line of somebody else."""
        speaks = self._kind in SPEAKING
        names = (*spellings(dict(context.active_characters or {})), *_PROSE_NAMES) if speaks else ()
        self._names = tuple(filter(None, (*names, context.player)))
        self._turn = player_label(context.player)

    def feed(self, piece: str) -> tuple[Teller | None, str]:
        """The teller once the prose has begun, and the prose it told already."""
        self._head += piece
        self._line += piece
        if self._kind != "narrator":
            found = None if self._in_json() else self._plain()
        elif key := _JSON_KEY.search(self._head, max(0, len(self._head) - len(piece) - 80)):
            found = StringTeller(key[1]), self._head[key.end() :]
        elif self._in_json():
            self._wrapped, found = True, None
        else:
            found = self._narration()
        if self._line.endswith("\n"):
            self._line = ""
        if found is None:
            return None, ""
        teller: Teller = found[0]
        return teller, teller.feed(found[1])

    def _in_json(self) -> bool:
        return self._head.lstrip().startswith(("{", "[{", "[\n")) or self._line.lstrip().startswith("{")

    def _narration(self) -> tuple[Teller, str] | None:
        line, whole = self._line, self._line.endswith("\n")
        if tag := _NARRATION_TAG.search(line):
            return self._lines(keyed=True), line[tag.end() :]
        text = line.rstrip("\n")
        if whole and FENCE.fullmatch(text):
            self._wrapped, self._head = True, ""
        key_found = key_line(text, NARRATOR) if whole or re.search(r"[:=|]\s", line) else None
        if key_found is not None:
            rest = key_found.rest
            if (
                key_found.field.name == "narration"
                and "\\n" not in rest[:5]
                and (whole or rest[:1] not in _YAML_SIGNS)
            ):
                if block_mark(rest):
                    return self._lines(keyed=True, mark=rest), ""
                ending = line[len(line.rstrip()) :]
                return self._lines(keyed=True), re.sub(
                    r"\A\|[+-]?\s*(?=\S)", "", rest
                ) + ending if rest else ""
            self._wrapped = self._wrapped or whole
        if whole and self._turn.match(text):
            self._head = ""
        prose = self._head.strip()
        if self._wrapped or len(prose) < PATIENCE or not (whole or len(line) > MARK_LENGTH):
            return None
        if _THINKING_ALOUD.match(prose) or is_off_task(prose[:PATIENCE]) or is_refusal(prose[:PATIENCE]):
            self._wrapped = True
            return None
        return self._lines(), without_remarks(self._head) + self._head[len(self._head.rstrip()) :]

    def _plain(self) -> tuple[Teller, str] | None:
        line, whole, head = self._line, self._line.endswith("\n"), self._head
        text = line.strip()
        announces = not text or FENCE.fullmatch(line.rstrip("\n")) or is_preamble(text)
        if whole and (announces or self._turn.match(text)):
            self._head = ""
            return None
        if not whole and _PREAMBLE_START.match(text):
            return None
        head = head.lstrip()
        if self._kind not in SPEAKING:
            prose = prose_of(self._kind, head, self._own, self._context)
            if len(head) < MARK_LENGTH or not prose or is_refusal(prose) or is_off_task(prose):
                return None
            return self._lines(), prose + head[len(head.rstrip()) :]
        speakers = Speakers.of(self._own, dict(self._context.active_characters or {}), head)
        own = speakers.mine.match(head) if speakers.mine else None
        if own and not head[own.end() :].strip():
            return None
        if not own and not whole and len(line) < MARK_LENGTH and may_become_mark(text, self._names):
            return None
        self._others = speakers.others
        head = OWN_LABEL.sub("", head)
        return self._lines(), head[own.end() :] if own else head

    def _lines(self, *, keyed: bool = False, mark: str = "") -> LineTeller:
        return LineTeller(self._ends, self._names, keyed=keyed, mark=mark)

    def _ends(self, line: str, blank: bool) -> bool:
        """True if `line` does not belong to the prose any more."""
        outside = not line.startswith((" ", "\t"))
        if FENCE.fullmatch(line) or (outside and (self._turn.match(line) or (blank and is_meta(line)))):
            return True
        if self._kind != "narrator":
            return bool(self._others and self._others.match(line))
        key = key_line(line, NARRATOR, in_prose=not blank)
        if key is not None and (key.exact or key.field.name != "narration"):
            return True
        return bool(TURN_NUMBER.match(line) or _END_OF_NARRATION.match(line))


_YAML_SIGNS = ("", "&", "!", "|", ">")
_NAMES_OF_NARRATION = "|".join(
    re.escape(name).replace("_", "[ _-]?") for name in sorted(NARRATOR.fields[0].names, key=len, reverse=True)
)
_JSON_KEY = re.compile(
    rf"(?:\A|[{{,\s\[])(?:[\"'“”](?:{_NAMES_OF_NARRATION})[\"'“”]|(?<=[{{,])\s*(?:{_NAMES_OF_NARRATION}))"
    r"\s*[:=]\s*([\"'“`])",
    re.IGNORECASE,
)
_NARRATION_TAG = re.compile(rf"<(?:{_NAMES_OF_NARRATION})>", re.IGNORECASE)
_PROSE_NAMES = tuple(key.replace("_", " ") for key in PROSE_KEYS)
