"""Replies that repeat their prompt."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from theact_tui.parsing.types import ParsedReply, PlainReply
from theact_tui.sentences import sentence_spans
from theact_tui.story.matching import is_unspaced, plain

_MIN_WORDS = 12  # in a row
_MIN_SIGNS = 24  # in scripts without spaces between words
# of instructions six words are enough: no sentence of 8,357 in the shipped packs shares five with them
_INSTRUCTION_SHARE = 0.5
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SIGN = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Echoes:
    texts: tuple[str, ...] = ()
    instructions: tuple[str, ...] = ()
    line: str = ""  # of the player, with which a reply must not begin

    def cut(self, reply: str) -> str:
        """Cut the player's line at the beginning, sentences that repeat a text, and everything from the first sentence
        that repeats an instruction.
        """
        reply = self._without_line(reply)
        at = _first_shared(reply, self.instructions, _INSTRUCTION_SHARE)
        if at is not None:
            reply = reply[: _sentence_at(reply, at)[0]].rstrip()
        while (at := _first_shared(reply, self.texts)) is not None:
            start, end = _sentence_at(reply, at)
            rest = f"{reply[:start].rstrip()} {reply[end:].lstrip()}".strip()
            reply = "" if any(plain(rest) in plain(text) for text in self.texts) else rest
        return reply

    def _without_line(self, reply: str) -> str:
        spelled = _SIGN if is_unspaced(self.line) else _WORD
        line, words = _units(self.line, spelled), list(spelled.finditer(reply))
        begins = [word[0].casefold() for word in words[: len(line)]]
        if len(line) < _least(self.line) or begins != line:
            return reply
        end = words[len(line) - 1].end()
        return re.sub(r"\A[^\w\s]*\s*", "", reply[end:])


def _sentence_at(text: str, place: int) -> tuple[int, int]:
    spans = sentence_spans(text)
    return next(((start, end) for start, end in spans if start <= place < end), (place, len(text)))


def _least(text: str) -> int:
    return _MIN_SIGNS if is_unspaced(text) else _MIN_WORDS


def _units(text: str, spelled: re.Pattern[str]) -> list[str]:
    return [word.casefold() for word in spelled.findall(text)]


def _first_shared(reply: str, texts: Iterable[str], share: float = 1.0) -> int | None:
    spelled = _SIGN if is_unspaced(reply) else _WORD
    least = int(_least(reply) * share)
    runs = {run for text in texts for run in _runs(_units(text, spelled), least)}
    words = list(spelled.finditer(reply))
    own = _runs([word[0].casefold() for word in words], least)
    middle = least // 2  # the first word may belong to the sentence before
    return next((words[place + middle].start() for place, run in enumerate(own) if run in runs), None)


def _runs(words: list[str], length: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + length]) for at in range(len(words) - length + 1)]


def without_echoes(reading: ParsedReply, echoes: Echoes) -> ParsedReply:
    if not isinstance(reading.reply, PlainReply):
        return reading
    rest = echoes.cut(reading.reply.text)
    if rest == reading.reply.text:
        return reading
    if not re.search(r"\w", rest):
        return replace(reading, reply=None, missing="text (an echo of the prompt)")
    return replace(reading, reply=PlainReply(text=rest), steps=(*reading.steps, "echo"))
