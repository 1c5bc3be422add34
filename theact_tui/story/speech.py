"""Speech in prose of any language, and the pieces into which a turn is cut, by marks alone."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from theact_tui.sentences import Span, paragraph_spans, quotation_spans, sentence_spans
from theact_tui.story.matching import is_unspaced

_DASH = re.compile(r"\s*[—–―-]\s*(?=[^\W\d_]|[¿¡…])")
_TAG = re.compile(r"[—–―]")
_ACT = re.compile(r"\*(?=\S)[^*\n]+\*")


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str
    speech: tuple[Span, ...] = ()
    bare: str = ""
    """Text with a dot for each spoken letter."""
    start: int = 0


@lru_cache(maxsize=256)
def paragraphs(text: str) -> tuple[Paragraph, ...]:
    quotations = quotation_spans(text)
    parsed: list[Paragraph] = []
    for start, end in paragraph_spans(text):
        speech = tuple((a - start, b - start) for a, b in quotations if start <= a and b <= end)
        paragraph = text[start:end]
        hidden: Iterable[Span] = speech
        if dash := _DASH.match(paragraph):
            # what stands between a later pair of dashes says who speaks, and may name somebody
            tags = (tag.start() for tag in _TAG.finditer(paragraph, dash.end()))
            marks = [dash.end(), *tags, len(paragraph)]
            hidden = [(marks[at], marks[at + 1]) for at in range(0, len(marks) - 1, 2)]
        parsed.append(Paragraph(paragraph, speech, _blanked(paragraph, hidden), start))
    return tuple(parsed)


def without_spoken_letters(text: str) -> str:
    """Return the text with a dot for each spoken letter."""
    bare = list(text)
    for paragraph in paragraphs(text):
        bare[paragraph.start : paragraph.start + len(paragraph.text)] = paragraph.bare
    return "".join(bare)


def _blanked(text: str, spans: Iterable[Span]) -> str:
    bare = list(text)
    for start, end in spans:
        bare[start:end] = re.sub(r"\w", "·", text[start:end])
    return "".join(bare)


# --- pieces -----------------------------------------------------------------------------------------------------------

MAX_LINE_PIECES = 9
MAX_PAGE_PIECES = 26
LONG_PIECE = 120
MAX_REPLY_PIECES = 26
"""Of all replies of a turn."""
WHISPER_ARROW = "→"
"""Before a name and a colon at the start of a row: only that person hears what follows, up to the next arrow."""
LEAST_CLAUSE = 20
"""Characters: most names that are called before a comma stay with what is said."""
_CLAUSE_END = re.compile(r"(?<=[,;:—–])\s+|(?<=[、，；：])|(?<=[.!?…])(?P<stop>\s+)")
_OPEN_ASIDE = re.compile(r"(?<!\s[:;=])(?<!\s[:;=]-)[(（].*", re.DOTALL)
_TO = re.compile(rf"(?m:^)[^\S\n]*(?:{WHISPER_ARROW}|[-=]>)[^\S\n]*([^:：\n]{{1,200}}?)[^\S\n]*[:：]\s*")


def _indexes_outside_asides(line: str) -> list[int]:
    outside: list[int] = []
    opened: list[int] = []
    for at, sign in enumerate(line):
        if sign in ")）" and opened:
            del outside[opened.pop() :]
            while outside and line[outside[-1]].isspace():
                outside.pop()
        else:
            if sign in "(（":
                opened.append(len(outside))
            outside.append(at)
    unclosed = _OPEN_ASIDE.search("".join(line[at] for at in outside))
    return outside[: unclosed.start()] if unclosed else outside


def spoken(line: str) -> str:
    """Remove asides in (parentheses), which only the narrator reads."""
    if "(" not in line and "（" not in line:
        return line.strip()
    return "".join(line[at] for at in _indexes_outside_asides(line)).strip()


def addressed_to(line: str) -> tuple[str, str]:
    """Return the names after a leading arrow, or "", and the rest of the line without asides."""
    heard_line = spoken(line)
    arrow = _TO.match(heard_line)
    return (arrow[1], heard_line[arrow.end() :].strip()) if arrow else ("", heard_line)


def addressed_parts(line: str) -> list[tuple[str, list[int]]]:
    """Return the indexes outside asides and arrows: up to the first arrow, for "", then behind each, for its names."""
    places = _indexes_outside_asides(line)
    arrows = [*_TO.finditer("".join(line[at] for at in places))]
    starts = [0, *(arrow.end() for arrow in arrows)]
    ends = [*(arrow.start() for arrow in arrows), len(places)]
    names = ["", *(arrow[1] for arrow in arrows)]
    return [(name, places[start:end]) for name, start, end in zip(names, starts, ends, strict=True)]


def line_cuts(line: str) -> tuple[Span, ...]:
    """Cut the player's line into at most `MAX_LINE_PIECES`: at ends of sentences and lines, and around quotations.
    Asides and arrows are left out. A sentence that is alone in a line is cut into clauses.
    """
    cuts = [cut for _, places in addressed_parts(line) for cut in _cuts_of(line, places)]
    if len(cuts) == 1 and not quotation_spans(line):
        cuts = _clauses(line, *cuts[0])
    return _joined_after(cuts, MAX_LINE_PIECES)


def is_one_sentence(line: str) -> bool:
    """True for a line without arrow and quotation that is a single sentence, perhaps parted by asides."""
    is_plain = len(addressed_parts(line)) == 1 and not quotation_spans(line)
    return is_plain and len(sentence_spans(spoken(line))) == 1


def _clauses(text: str, start: int, end: int) -> list[Span]:
    clauses: list[Span] = []
    for mark in _CLAUSE_END.finditer(text, start, end):
        is_long = min(mark.start() - start, end - mark.end()) >= LEAST_CLAUSE
        if is_long and (not mark["stop"] or text[mark.end()].islower()):
            clauses.append((start, mark.start()))
            start = mark.end()
    return [*clauses, (start, end)]


def _cuts_of(line: str, places: Sequence[int]) -> list[Span]:
    heard_line = "".join(line[at] for at in places)
    cuts: list[Span] = []
    for start, end in _sentences_and_quotations(heard_line):
        edges = (at for at in range(start + 1, end) if places[at] != places[at - 1] + 1)
        runs = [start, *edges, end]  # an aside parts a piece in two
        for a, b in pairwise(runs):
            solid = [at for at in places[a:b] if not line[at].isspace()]
            cuts += [(solid[0], solid[-1] + 1)] if solid else []
    return cuts


def pieces_without_asides(line: str, cuts: Iterable[Span]) -> list[str]:
    """Return the text of each piece. One of many joined sentences may have asides and arrows in it."""
    outside = [at for _, places in addressed_parts(line) for at in places]
    return ["".join(line[at] for at in outside if start <= at < end) for start, end in cuts]


def page_cuts(page: str) -> tuple[Span, ...]:
    """Cut a page into its paragraphs, and long ones at ends of sentences into pieces of some `LONG_PIECE` characters."""
    spans: list[Span] = []
    is_quoted = _within(quotation_spans(page))
    for start, end in paragraph_spans(page):
        begin = start
        for (_, stop), (again, after) in pairwise(sentence_spans(page[start:end])):
            if start + after - begin > LONG_PIECE and not is_quoted(start + again):
                spans.append((begin, start + stop))
                begin = start + again
        spans.append((begin, end))
    return _joined_after(spans, MAX_PAGE_PIECES)


def _within(spans: Sequence[Span]) -> Callable[[int], bool]:
    """Return whether a place lies behind the start of one of the sorted spans and before its end."""
    starts = [start for start, _ in spans]
    return lambda at: (before := bisect_left(starts, at)) > 0 and at < spans[before - 1][1]


def reply_cuts(replies: Sequence[str]) -> tuple[tuple[Span, ...], ...]:
    """Cut replies at the ends of sentences and around quotations."""
    most = max(1, min(MAX_LINE_PIECES, MAX_REPLY_PIECES // max(1, len(replies))))
    return tuple(_joined_after(_sentences_and_quotations(reply), most) for reply in replies)


def speech_cuts(reply: str) -> tuple[Span, ...]:
    """Return the spoken passages of a reply: quotations, with the paragraph if it only says who speaks; without any
    quotation mark all but *deeds*.
    """
    reply_paragraphs = paragraphs(reply)
    if not any(paragraph.speech for paragraph in reply_paragraphs):
        acts = [act.span() for act in _ACT.finditer(reply)]
        edges = [0, *(edge for act in acts for edge in act), len(reply)]
        return tuple((a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if reply[a:b].strip())
    cuts: list[Span] = []
    for paragraph in reply_paragraphs:
        speech, start = paragraph.speech, paragraph.start
        if speech and _is_tag(without(paragraph.text, speech)):
            speech = ((0, len(paragraph.text)),)
        cuts += [(start + a, start + b) for a, b in speech]
    return tuple(cuts)


def _sentences_and_quotations(text: str) -> list[Span]:
    quotations = quotation_spans(text)
    ends = {edge for span in sentence_spans(text) for edge in span}
    is_quoted = _within(quotations)
    ends = {edge for edge in ends if not is_quoted(edge)}
    edges = sorted({0, len(text), *ends, *(edge for span in quotations for edge in span)})
    spans: list[Span] = []
    for start, end in pairwise(edges):
        piece = text[start:end]
        if re.search(r"\w", piece):
            spans.append((start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())))
        elif piece.strip() and spans:
            spans[-1] = spans[-1][0], start + len(piece.rstrip())
    if not spans and text.strip():
        return [(len(text) - len(text.lstrip()), len(text.rstrip()))]
    return spans


def _joined_after(spans: list[Span], most: int) -> tuple[Span, ...]:
    """Join all spans from the last allowed one on."""
    return (*spans[: most - 1], (spans[most - 1][0], spans[-1][1])) if len(spans) > most else tuple(spans)


def join_pieces(text: str, cuts: Sequence[Span], indexes: Collection[int], pieces: Sequence[str]) -> str:
    """Join the `pieces` with these indexes; an ellipsis stands for pieces left out within a paragraph of `text`."""
    joined, last = "", None
    for number in sorted(number for number in indexes if 0 <= number < len(cuts)):
        if last is not None:
            between = text[cuts[last][1] : cuts[number][0]]
            if "\n" in between:
                joined += "\n\n"
            elif number > last + 1:
                joined += " … "
            else:
                joined += between if not between.strip() else " "
        joined += pieces[number]
        last = number
    return joined.strip()


def without_speaker(text: str, cuts: Sequence[Span], heard: Collection[int]) -> set[int]:
    """Return the index of the first heard piece of each quotation beside which nothing is heard of its own sentence: it
    may say who speaks.
    """
    sentences = [0, *(start for start, _ in sentence_spans(text)), len(text)]
    quotations = [(0, 0), *quotation_spans(text), (len(text), len(text))]
    nameless: set[int] = set()
    for number, (start, end) in enumerate(quotations[1:-1], 1):
        at = bisect_right(sentences, start, 1, len(sentences) - 1)
        before = max(sentences[at - 1], quotations[number - 1][1]), start
        after = end, min(sentences[at], quotations[number + 1][0])
        telling = {
            index
            for index, (a, b) in enumerate(cuts)
            if any(re.search(r"\w", text[max(a, c) : min(b, d)]) for c, d in (before, after))
        }
        first = min((index for index in heard if start <= cuts[index][0] < end), default=None)
        if first is not None and telling and telling.isdisjoint(heard):
            nameless.add(first)
    return nameless


def is_quoting(text: str) -> bool:
    return any(paragraph.speech for paragraph in paragraphs(text))


MOST_OF_A_TAG = 3
"""Words, or characters of scripts without spaces, of a paragraph that only says who speaks."""


def without_speech(text: str) -> str:
    """Remove the speech of a reply; "" if nothing is done in it."""
    cuts = speech_cuts(text)
    return re.sub(r"[^\S\n]+(?=\n)", "", without(text, cuts)) if cuts else text


def _is_tag(rest: str) -> bool:
    words = re.findall(r"\w", rest) if is_unspaced(rest) else re.findall(r"\w+", rest)
    return len(words) <= MOST_OF_A_TAG


def without(text: str, speech: Iterable[Span]) -> str:
    """Replace spoken passages by an ellipsis; "" if no word is left."""
    text_left, at = "", 0
    for start, end in sorted(speech):
        if end > at:
            text_left += text[at : max(at, start)] + " … "
            at = end
    text_left = re.sub(r"(?:\s*…\s*){2,}", " … ", text_left + text[at:])
    text_left = re.sub(r"[^\S\n]+", " ", text_left).strip()
    return text_left if re.search(r"\w", text_left) else ""
