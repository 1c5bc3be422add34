"""Paragraphs, quotations and sentences of prose in any language, by punctuation and line ends."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

Span = tuple[int, int]
"""Start and end in characters."""

_KEPT = (
    2048  # texts whose spans are kept: the pages of a story are cut anew for every person, form and prompt
)
WRAPPED = 50  # characters; a longer line that ends with a single line feed was wrapped, not ended

_STOPS = ".!?…‼⁇⁈⁉。！？｡．؟۔।॥։።፧။។៕"
_CLOSERS = "\"'”’“‘»«›‹」』﹂﹄》)）]】*_"
_LINE_ENDS = frozenset(_STOPS + _CLOSERS)
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")


@lru_cache(_KEPT)
def paragraph_spans(text: str) -> tuple[Span, ...]:
    """Find the paragraphs of `text`. A blank line ends a paragraph, as does a line feed behind a sentence, outside
    of quotations.
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
    return tuple(spans)


def paragraph_texts(text: str) -> list[str]:
    return [text[start:end] for start, end in paragraph_spans(text)]


def _blocks(text: str) -> list[Span]:
    breaks = [(0, 0), *(blank.span() for blank in _BLANK_LINES.finditer(text)), (len(text), len(text))]
    return [(breaks[n][1], breaks[n + 1][0]) for n in range(len(breaks) - 1)]


def _trimmed(text: str, start: int, end: int) -> list[Span]:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end -= len(piece) - len(piece.rstrip())
    return [(start, end)] if start < end else []


# --- quotations -------------------------------------------------------------------------------------------------------

_CLOSED_BY = {
    "“": "”", "„": "“”", "”": "”", '"': '"', "＂": "＂", "«": "»", "»": "«»", "‹": "›", "›": "‹›",
    "「": "」", "『": "』", "﹁": "﹂", "﹃": "﹄", "《": "》", "〝": "〞〟", "‘": "’", "‚": "‘’", "'": "'",
}  # fmt: skip
QUOTATION_MARKS = "".join([*_CLOSED_BY, *_CLOSED_BY.values()])
_APOSTROPHES = "‘‚'"  # marks that are apostrophes as well: they quote only in pairs, at the edges of words
MAX_NESTING = 3  # quotations in quotations that get curly marks
_CURLY = {'"': "“”", "'": "‘’"}
_DIALOGUE_DASH = re.compile(r"[—–―-][^\S\n]*(?=[^\W\d_]|[¿¡…])")


@dataclass(frozen=True, slots=True)
class _Quotation:
    start: int
    end: int
    is_closed: bool = True


@lru_cache(_KEPT)
def quotation_spans(text: str) -> tuple[Span, ...]:
    """Find the outermost quotations of `text`, with their marks. An unclosed one ends with its paragraph, or before
    a line that opens with its mark. A paragraph that opens with a dash is one quotation.
    """
    spans: list[Span] = []
    for start, end in paragraph_spans(text):
        if _DIALOGUE_DASH.match(text, start, end):
            spans.append((start, end))
        else:
            spans += [(quotation.start, quotation.end) for quotation in _marked_quotations(text, start, end)]
    return tuple(spans)


def outside_quotations(text: str) -> str:
    """Replace each quotation by a space."""
    places = [0, *(place for span in quotation_spans(text) for place in span), len(text)]
    return " ".join(text[start:end] for start, end in zip(places[::2], places[1::2], strict=True))


def curly_quotes(text: str) -> str:
    signs = list(text)
    for start, end in paragraph_spans(text):
        _curl(signs, text, start, end, MAX_NESTING)
    return re.sub(r"(?<=\w)'|'(?=\w)", "’", "".join(signs))


def _curl(signs: list[str], text: str, start: int, end: int, nesting: int) -> None:
    for quotation in _marked_quotations(text, start, end):
        inner_end = quotation.end - 1 if quotation.is_closed else quotation.end
        if (curly := _CURLY.get(text[quotation.start])) is not None:
            signs[quotation.start] = curly[0]
            if quotation.is_closed:
                signs[inner_end] = curly[1]
        if nesting > 1:
            _curl(signs, text, quotation.start + 1, inner_end, nesting - 1)


def _marked_quotations(text: str, start: int, end: int, *, only_closed: bool = False) -> Iterator[_Quotation]:
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
    closing, behind_word = _CLOSED_BY[text[start]], None  # a mark behind a word may be an apostrophe: boys'
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

# painted over a quotation or bracket: one for each character, the other for the last one if a sentence ends inside
_INSIDE, _FULL = "\0", "\1"
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
_ORDINAL = re.compile(r"(?:\A\W*|(?<!\w)[^\W\d_]{1,3}\s)\d{1,2}\Z")
MIN_THAI_PHRASE = 10  # signs on both sides of a space that ends a sentence
MAX_ABBREVIATION = (
    4  # letters; a longer word before a full stop ends its sentence even if a small letter follows
)
MAX_BEFORE_NUMBER = 3  # letters, where a number follows: No. 5
MAX_WORD_READ = 24  # characters before a full stop
_WITH_STOPS = re.compile(r"(?:[^\W\d_]{1,3}\.-?)+[^\W\d_]{1,3}")
_NO_VOWEL = re.compile(r"(?!.*(.)\1)[B-DF-HJ-NP-TV-XZ][b-df-hj-np-tv-xz]{1,3}")
_SOUNDS = frozenset("Hm Mhm Pst Tsk".split())
_ABBREVIATIONS = frozenset(
    "Prof Rev Capt Col Gen Gov Hon Sen Mme Mlle Sra Srta Dra vs cf ca bzw vgl св ул им см".split()
)
_ONE_LETTER_WORDS = frozenset("Iя")


@lru_cache(_KEPT)
def sentence_spans(text: str) -> tuple[Span, ...]:
    """Find the sentences of `text`; quotations and brackets stay whole. A stop ends a sentence, except in an
    abbreviation or before a small letter. So does the end of a line that was not wrapped, and a space between Thai
    phrases.
    """
    return tuple(span for start, end in paragraph_spans(text) for span in _sentences_within(text, start, end))


def sentences(text: str) -> list[str]:
    """Return the sentences of `text`, each on one line."""
    return [" ".join(text[start:end].split()) for start, end in sentence_spans(text)]


def _sentences_within(text: str, start: int, end: int, *, only_closed: bool = False) -> Iterator[Span]:
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
    match = _NEXT.match(masked, at)
    return match[1] if match else ""


def _is_line_end(following: str, *, length: int) -> bool:
    # scripts without capital letters are seldom wrapped, and nothing else tells where a line goes on
    is_caseless = following.isalpha() and following.lower() == following.upper()
    return is_caseless or (length < WRAPPED and not following.islower())


def _is_end(masked: str, begin: int, cut: re.Match[str], *, begins_small: bool) -> bool:
    stops, at = cut["stops"], cut.end()
    following, has_space = _next_sign(masked, at), masked[at : at + 1].isspace()
    if not following or stops[-1] in _NEEDS_NO_SPACE:
        return True
    # «Иди!» — сказала Анна.
    if (behind_dash := _BEHIND_DASH.match(masked, at)) and behind_dash[1].islower():
        return False
    # "Go." she says. 「来い。」と彼。
    if stops[-1] == _FULL:
        return following in _INSIDE + _FULL or (has_space and not following.islower())
    if not has_space:
        return stops[-1] in "!?" and _UNSPACED.match(following) is not None
    if stops == ".":
        word = _word_before(masked, begin, cut.start())
        # 1. Take the lamp. Am 3. Mai.
        if _is_abbreviation(word) or _ORDINAL.search(masked[max(begin, cut.start() - 12) : cut.start()]):
            return False
        if following.isdigit():
            return len(word) > MAX_BEFORE_NUMBER
        # some players write without capitals: abbreviations are known by their length there
        return not following.islower() or begins_small or len(word) > MAX_ABBREVIATION
    return not following.islower() or stops[-1] not in ".…"


def _word_before(masked: str, begin: int, stop: int) -> str:
    match = _LAST_WORD.search(masked, max(begin, stop - MAX_WORD_READ), stop)
    return match[0].strip("\"'“„‘«([*_") if match else ""


def _is_abbreviation(word: str) -> bool:
    if len(word) == 1:
        return word.lower() != word.upper() and word not in _ONE_LETTER_WORDS
    if word in _ABBREVIATIONS or _WITH_STOPS.fullmatch(word):
        return True
    return _NO_VOWEL.fullmatch(word) is not None and word not in _SOUNDS


# --- texts that end before their time -----------------------------------------------------------------------------------


def finished_sentences(text: str) -> str:
    """Return `text` up to its last finished sentence, or ""."""
    for start, end in reversed(paragraph_spans(text)):
        spans = list(_sentences_within(text, start, end, only_closed=True))
        for number, (begin, stop) in reversed(list(enumerate(spans))):
            is_thai = number < len(spans) - 1 and "\u0e01" <= text[stop - 1] <= "\u0eff"
            if is_thai or ends_sentence(text[begin:stop]):
                return text[:stop]
    return ""


def asks(text: str) -> bool:
    """True if `text` ends with a question mark of any script."""
    return text.rstrip(_CLOSERS + " \n!！")[-1:] in tuple("?？؟⁇⁈⁉")


def ends_sentence(text: str) -> bool:
    """True if `text` ends with a stop that is no part of a title or initial."""
    bare = text.rstrip(_CLOSERS)
    if not bare or bare[-1] not in _STOPS:
        return False
    word = _word_before(bare, 0, len(bare) - 1)
    return not bare.endswith(".") or not word[:1].isalpha() or not _is_abbreviation(word)


def whole_sentences(text: str) -> str:
    """Return `text` up to its last finished sentence, or all of `text`."""
    return finished_sentences(text) or text


def broken_off(text: str, least: int = 0) -> str:
    """Return an unfinished `text` up to its last finished sentence behind the first `least` characters, or with …
    behind it; its last quotation is closed.
    """
    finished = finished_sentences(text)
    text = finished if len(finished) > least else f"{text}…" if text else ""
    return text + closing_mark(text)


def closing_mark(text: str) -> str:
    """Return the mark that closes the last quotation of `text`, or ""."""
    for start, end in paragraph_spans(text)[-1:]:
        for quotation in _marked_quotations(text, start, end):
            if not quotation.is_closed:
                return _CLOSED_BY[text[quotation.start]][0]
    return ""


def clip(text: str, limit: int) -> str:
    """Return the first `limit` characters, up to a sentence or line, else up to a word, if that keeps half."""
    if len(text) <= limit:
        return text
    cut = text[:limit]
    end = max(len(finished_sentences(cut)), cut.rfind("\n"))
    if end < limit // 2:
        end = limit if text[limit].isspace() else cut.rfind(" ")
    return (cut[:end] if end >= limit // 2 else cut).rstrip()
