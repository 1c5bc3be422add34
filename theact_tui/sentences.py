"""Paragraphs, quotations and sentences of prose, found in any language by punctuation and line ends.

Every part of the program that cuts prose calls this module, so that a sentence is the same one everywhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

Span = tuple[int, int]
"""Start and end of a piece of a text, in characters."""

WRAPPED = 50
"""Characters from which on a line that ends with a single line feed was wrapped, not ended."""

_STOPS = ".!?…‼⁇⁈⁉。！？｡．؟۔।॥։።፧။។៕"
_CLOSERS = "\"'”’“‘»«›‹」』﹂﹄》)）]】*_"
_LINE_ENDS = frozenset(_STOPS + _CLOSERS)
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")


def paragraph_spans(text: str) -> list[Span]:
    """Find the paragraphs of `text`, without the space around them.

    A blank line ends a paragraph. So does a line feed behind a sentence, where no quotation goes on across it.
    """
    spans: list[Span] = []
    for block_start, block_end in _blocks(text):
        start = block_start
        quotations = _marked_quotations(text, block_start, block_end)
        quotation = next(quotations, None)
        at = text.find("\n", start, block_end)
        while at >= 0:
            while quotation and quotation.end <= at:
                quotation = next(quotations, None)
            is_quoted = quotation is not None and quotation.start < at
            if not is_quoted and text[start:at].rstrip()[-1:] in _LINE_ENDS:
                spans += _trimmed(text, start, at)
                start = at + 1
            at = text.find("\n", at + 1, block_end)
        spans += _trimmed(text, start, block_end)
    return spans


def _blocks(text: str) -> list[Span]:
    """The parts of `text` between blank lines."""
    breaks = [(0, 0), *(found.span() for found in _BLANK_LINES.finditer(text)), (len(text), len(text))]
    return [(breaks[n][1], breaks[n + 1][0]) for n in range(len(breaks) - 1)]


def _trimmed(text: str, start: int, end: int) -> list[Span]:
    """One span without the space at its ends; none if nothing else is there."""
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end -= len(piece) - len(piece.rstrip())
    return [(start, end)] if start < end else []


# --- quotations -------------------------------------------------------------------------------------------------------

_CLOSED_BY = {
    "“": "”", "„": "“”", "”": "”", '"': '"', "＂": "＂", "«": "»", "»": "«»", "‹": "›", "›": "‹›",
    "「": "」", "『": "』", "﹁": "﹂", "﹃": "﹄", "《": "》", "〝": "〞〟", "‘": "’", "‚": "‘’", "'": "'",
}  # fmt: skip
"""Opening quotation marks, with the marks that close them."""
_APOSTROPHES = "‘‚'"
"""Marks that are apostrophes as well: they quote only in pairs, at the edges of words."""
_DIALOGUE_DASH = re.compile(r"[—–―-][^\S\n]*(?=[^\W\d_]|[¿¡…])")


@dataclass(frozen=True, slots=True)
class _Quotation:
    start: int
    end: int
    is_closed: bool = True


def quotation_spans(text: str) -> list[Span]:
    """Find the outermost quotations of `text`, with their marks, in any style: “ ” „ “ « » ‹ › 「 」 『 』 " '.

    A quotation that is not closed runs to the end of its paragraph, or to a line that opens with the same mark.
    A paragraph that opens with a dash is one quotation, with the words that say who speaks. Apostrophes are no quotations.
    """
    spans: list[Span] = []
    for start, end in paragraph_spans(text):
        if _DIALOGUE_DASH.match(text, start, end):
            spans.append((start, end))
        else:
            spans += [(quotation.start, quotation.end) for quotation in _marked_quotations(text, start, end)]
    return spans


def _marked_quotations(text: str, start: int, end: int, *, only_closed: bool = False) -> Iterator[_Quotation]:
    """The outermost quotations between two places of `text`, by their marks."""
    unpaired: set[str] = set()
    at = start
    while at < end:
        mark = text[at]
        if mark in _CLOSED_BY and mark not in unpaired and _opens(text, at, end):
            quotation = (
                _single_quotation(text, at, end) if mark in _APOSTROPHES else _quotation(text, at, end)
            )
            if quotation and (quotation.is_closed or not only_closed):
                yield quotation
                at = quotation.end
                continue
            unpaired.add(mark)  # a later one has no partner either, and each search would read to the end
        at += 1


def _opens(text: str, at: int, end: int) -> bool:
    """True if the mark at `at` can open a quotation: a word or a space that belongs to it follows."""
    before, after = text[at - 1 : at] if at else "", text[at + 1 : min(at + 2, end)]
    if not after:
        return False
    if text[at] in _APOSTROPHES:
        return not (before.isalnum() or after.isspace() or after.isdigit() or after in ",.;:!?")
    if text[at] == "”":
        return not before.strip() and not after.isspace()
    if text[at] in '"＂»›':
        return not (after.isspace() and before.strip()) and not before.isdigit() and after not in ",.;:!?)"
    return True


def _quotation(text: str, start: int, end: int) -> _Quotation:
    """The quotation that opens at `start`; quotations with the same marks may stand inside."""
    opening, depth = text[start], 1
    closing = _CLOSED_BY[opening]
    for at in range(start + 1, end):
        if text[at] == opening and text[start + 1 : at].endswith("\n"):
            return _Quotation(start, at - 1, is_closed=False)
        if text[at] in closing:
            depth -= 1
            if not depth:
                return _Quotation(start, at + 1)
        elif text[at] == opening:
            depth += 1
    return _Quotation(start, end, is_closed=False)


def _single_quotation(text: str, start: int, end: int) -> _Quotation | None:
    """The quotation in single marks at `start`; its end stands rather behind punctuation than behind a word (`boys'`)."""
    closing, behind_word = _CLOSED_BY[text[start]], None
    for at in range(start + 2, end):
        if text[at] in _APOSTROPHES and behind_word and _opens(text, at, end):
            break
        if (
            text[at] in closing
            and not text[at - 1].isspace()
            and not text[at + 1 : min(at + 2, end)].isalnum()
        ):
            if not text[at - 1].isalnum():
                return _Quotation(start, at + 1)
            behind_word = behind_word or _Quotation(start, at + 1)
    return behind_word


# --- sentences --------------------------------------------------------------------------------------------------------

_INSIDE, _FULL = "\0", "\1"
"""Signs put over a quotation or bracket: one for each character, the other for the last one if a sentence ends inside."""
_CUT = re.compile(
    rf"(?P<stops>[{_FULL}{re.escape(_STOPS)}]+)[{re.escape(_CLOSERS)}]*|\n"
    r"|(?<=[\u0e01-\u0eff])[^\S\n]+(?=(?P<thai>[\u0e01-\u0eff]+))"
)
_NEEDS_NO_SPACE = frozenset("。！？｡．؟۔।॥።፧။។៕")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_WORD = re.compile(rf"[^\W_]|[{_INSIDE}{_FULL}]")
_NEXT = re.compile(r"\s*(\S?)")
_BEHIND_DASH = re.compile(r"\s*[-—–―]\s*([^\W\d_])")
_LAST_WORD = re.compile(rf"[^\s{_INSIDE}{_FULL}—–…]*\Z")
_LONGEST_WORD = 24
"""Characters of a word that is looked at in front of a full stop."""
MIN_THAI_PHRASE = 10
"""Signs on both sides from which on a space between Thai words ends a sentence."""
LONGEST_ABBREVIATION = 4
"""Letters; a longer word in front of a full stop ends its sentence even if a small letter follows."""
LONGEST_BEFORE_NUMBER = 3
"""The same if a number follows: `No. 5`."""
_WITH_STOPS = re.compile(r"(?:[^\W\d_]{1,3}\.-?)+[^\W\d_]{1,3}")
_NO_VOWEL = re.compile(r"(?!.*(.)\1)[B-DF-HJ-NP-TV-XZ][b-df-hj-np-tv-xz]{1,3}")
_SOUNDS = frozenset("Hm Mhm Pst Tsk".split())
_ABBREVIATIONS = frozenset(
    "Prof Rev Capt Col Gen Gov Hon Sen Mme Mlle Sra Srta Dra vs cf ca bzw vgl св ул им см".split()
)
_ONE_LETTER_WORDS = frozenset("Iя")


def sentence_spans(text: str) -> list[Span]:
    """Find the sentences of `text`, in any script, without the space around them.

    - A full stop, question mark, exclamation mark or ellipsis ends a sentence, with the closing marks behind it.
    - A quotation or bracket stays whole. If a sentence ends inside, it ends outside as well, unless a small letter
      follows. A quotation that is not closed stays whole up to the end of its paragraph.
    - A full stop ends no sentence behind an initial (`J.`), a title (`Dr.`), an abbreviation with stops inside (`e.g.`)
      or a number of one or two digits, nor behind a short word if a small letter or a number follows.
    - An ellipsis ends no sentence if a small letter follows; no stop does if a dash and a small letter follow.
    - A paragraph ends a sentence. So does a line feed, unless the line was wrapped or a small letter follows.
    - Thai has no full stop: there a space ends a sentence if a phrase of `MIN_THAI_PHRASE` signs stands on both sides.
    """
    return [span for start, end in paragraph_spans(text) for span in _sentences_within(text, start, end)]


def sentences(text: str) -> list[str]:
    """The sentences of `text`, each on one line."""
    return [" ".join(text[start:end].split()) for start, end in sentence_spans(text)]


def _sentences_within(text: str, start: int, end: int, *, only_closed: bool = False) -> Iterator[Span]:
    """The sentences of one paragraph; with `only_closed`, a quotation that is not closed is cut like other text."""
    masked = _masked(text[start:end], only_closed=only_closed)
    begins_small = next((sign.islower() for sign in text[start:end] if sign.isalpha()), False)
    begin, line, word = 0, 0, _WORD.search(masked)
    for cut in _CUT.finditer(masked):
        at = cut.end()
        if cut["stops"]:
            is_end = _is_end(masked, begin, cut, begins_small=begins_small)
        elif cut["thai"]:
            is_end = min(cut.start() - begin, len(cut["thai"])) >= MIN_THAI_PHRASE
        else:
            is_end = _is_line_end(_next_sign(masked, at), length=cut.start() - line)
            line = at
        if is_end and word and word.start() < at:
            yield from _trimmed(text, start + begin, start + at)
            begin, word = at, _WORD.search(masked, at)
    yield from _trimmed(text, start + begin, end)


def _masked(paragraph: str, *, only_closed: bool) -> str:
    """`paragraph` with its quotations and brackets painted over, so that nothing is cut inside them."""
    signs = list(paragraph)

    def mask(start: int, end: int) -> None:
        is_full = paragraph[start:end].rstrip(_CLOSERS + " \n")[-1:] in _LINE_ENDS
        signs[start:end] = [_INSIDE] * (end - start - 1) + [_FULL if is_full else _INSIDE]

    for quotation in _marked_quotations(paragraph, 0, len(paragraph), only_closed=only_closed):
        mask(quotation.start, quotation.end)
    open_brackets: list[int] = []
    brackets: list[Span] = []
    for at, sign in enumerate(signs):
        if sign in "(（[【":
            open_brackets.append(at)
        elif sign in ")）]】" and open_brackets:
            brackets.append((open_brackets.pop(), at + 1))
    masked_to = 0
    for start, end in sorted(brackets):
        if start >= masked_to:
            mask(start, end)
            masked_to = end
    return "".join(signs)


def _next_sign(masked: str, at: int) -> str:
    """The first sign from `at` on that is no space; empty at the end."""
    found = _NEXT.match(masked, at)
    return found[1] if found else ""


def _is_line_end(following: str, *, length: int) -> bool:
    """True if a line feed ends a sentence. Scripts without capital letters have no wrapped lines."""
    is_caseless = following.isalpha() and following.lower() == following.upper()
    return is_caseless or (length < WRAPPED and not following.islower())


def _is_end(masked: str, begin: int, cut: re.Match[str], *, begins_small: bool) -> bool:
    """True if the stops that `cut` matched end the sentence that begins at `begin`."""
    stops, at = cut["stops"], cut.end()
    following, has_space = _next_sign(masked, at), masked[at : at + 1].isspace()
    if not following or stops[-1] in _NEEDS_NO_SPACE:
        return True
    if (behind_dash := _BEHIND_DASH.match(masked, at)) and behind_dash[1].islower():
        return False
    if stops[-1] == _FULL:
        return following in _INSIDE + _FULL or (has_space and not following.islower())
    if not has_space:
        return stops[-1] in "!?" and _UNSPACED.match(following) is not None
    if stops == ".":
        word = _word_before(masked, begin, cut.start())
        if _is_abbreviation(word):
            return False
        if following.isdigit():
            return len(word) > LONGEST_BEFORE_NUMBER
        return not following.islower() or begins_small or len(word) > LONGEST_ABBREVIATION
    return not following.islower() or stops[-1] not in ".…"


def _word_before(masked: str, begin: int, stop: int) -> str:
    found = _LAST_WORD.search(masked, max(begin, stop - _LONGEST_WORD), stop)
    return found[0].strip("\"'“„‘«([*_") if found else ""


def _is_abbreviation(word: str) -> bool:
    """True if a full stop behind `word` belongs to the word."""
    if word.isdigit():
        return len(word) <= 2
    if len(word) == 1:
        return word.lower() != word.upper() and word not in _ONE_LETTER_WORDS
    if word in _ABBREVIATIONS or _WITH_STOPS.fullmatch(word):
        return True
    return _NO_VOWEL.fullmatch(word) is not None and word not in _SOUNDS


# --- texts that end before their time -----------------------------------------------------------------------------------


def finished_sentences(text: str) -> str:
    """`text` up to the end of its last finished sentence; empty if there is none. It may end inside a quotation."""
    for start, end in reversed(paragraph_spans(text)):
        spans = list(_sentences_within(text, start, end, only_closed=True))
        for number, (begin, stop) in reversed(list(enumerate(spans))):
            is_thai = number < len(spans) - 1 and "\u0e01" <= text[stop - 1] <= "\u0eff"
            if is_thai or _is_finished(text[begin:stop]):
                return text[:stop]
    return ""


def _is_finished(sentence: str) -> bool:
    bare = sentence.rstrip(_CLOSERS)
    if not bare or bare[-1] not in _STOPS:
        return False
    word = _word_before(bare, 0, len(bare) - 1)
    return not bare.endswith(".") or not word[:1].isalpha() or not _is_abbreviation(word)


def whole_sentences(text: str) -> str:
    """`text` up to the end of its last finished sentence; all of it if there is none."""
    return finished_sentences(text) or text


def broken_off(text: str) -> str:
    """`text`, which ends before its time, up to its last finished sentence; with … where there is none."""
    return finished_sentences(text) or (f"{text}…" if text else "")


def clip(text: str, limit: int) -> str:
    """`text`, or its beginning of at most `limit` characters, ending with a sentence or line if that keeps half of them."""
    if len(text) <= limit:
        return text
    cut = text[:limit]
    end = max(len(finished_sentences(cut)), cut.rfind("\n"))
    return (cut[:end] if end >= limit // 2 else cut).rstrip()
