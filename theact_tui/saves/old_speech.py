"""Frozen splitters of earlier versions, used only to convert old turns, whose numbers count their pieces."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from theact_tui.story.speech import without

Span = tuple[int, int]

_CLOSED_BY = {
    "“": "”", "„": "“”", "”": "”", '"': '"', "«": "»", "»": "«»", "‹": "›", "›": "‹›", "「": "」", "『": "』", "﹁": "﹂",
    "‘": "’", "‚": "‘’", "'": "'",
}  # fmt: skip
_AT_EDGES = "‘‚'"
_DASH = re.compile(r"\s*[—–―-]\s*(?=[^\W\d_]|[¿¡…])")
_ACT = re.compile(r"\*(?=\S)[^*\n]+\*")


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str
    speech: tuple[Span, ...] = ()


@lru_cache(maxsize=256)
def paragraphs(text: str) -> tuple[Paragraph, ...]:
    cut: list[Paragraph] = []
    for block in re.split(r"\n[^\S\n]*\n", text):
        part: list[str] = []
        open_mark: _Open | None = None
        lines = [line.strip() for line in block.strip().splitlines()]
        for number, line in enumerate(lines, 1):
            part.append(line)
            open_mark = _open_after(line, open_mark)
            if number == len(lines) or (line[-1:] in _ENDS and open_mark is None):
                cut += [_paragraph(whole)] if (whole := "\n".join(part).strip()) else []
                part, open_mark = [], None
    return tuple(cut)


_ENDS = (*".!?…。！？\"”»«“’'」』*)）",)


def _paragraph(text: str) -> Paragraph:
    if _DASH.match(text):
        return Paragraph(text, ((0, len(text)),))
    return Paragraph(text, tuple(_quotations(text)))


_Open = tuple[str, int]


def _open_after(line: str, before: _Open | None) -> _Open | None:
    at = 0
    if before:
        end, depth = _end(line, 0, *before)
        if end is None:
            return before[0], depth
        at = end
    last = [*_marked(line, at)][-1:]
    if last and last[0][1] is None:
        start = last[0][0]
        return line[start], _end(line, start + 1, line[start])[1]
    return None


def _quotations(text: str) -> Iterator[Span]:
    for start, end in _marked(text):
        yield start, len(text) if end is None else end


def _marked(text: str, at: int = 0) -> Iterator[tuple[int, int | None]]:
    without_end: set[str] = set()
    while at < len(text):
        mark = text[at]
        if mark in _CLOSED_BY and mark not in without_end and _opens(text, at):
            end = _edge_end(text, at) if mark in _AT_EDGES else _end(text, at + 1, mark)[0]
            if end is not None or mark not in _AT_EDGES:
                yield at, end
                if end is None:
                    return
                at = end
                continue
            without_end.add(mark)  # nor has a later one, and looking for it each time takes long
        at += 1


def _opens(text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if not after:
        return False
    if text[at] in _AT_EDGES:
        return not before.isalnum() and not after.isspace() and after not in ",.;:!?"
    if text[at] == "”":
        return not before.strip() and not after.isspace()
    if text[at] in '"»›':
        return not (after.isspace() and before.strip()) and not before.isdigit() and after not in ",.;:!?)"
    return True


def _end(text: str, at: int, opening: str, depth: int = 1) -> tuple[int | None, int]:
    closing = _CLOSED_BY[opening]
    for place in range(at, len(text)):
        if text[place] in closing:
            depth -= 1
            if not depth:
                return place + 1, 0
        elif text[place] == opening:
            depth += 1
    return None, depth


def _edge_end(text: str, at: int) -> int | None:
    closing, behind_word = _CLOSED_BY[text[at]], None
    for place in range(at + 2, len(text)):
        if text[place] in _AT_EDGES and behind_word and _opens(text, place):
            break
        if (
            text[place] in closing
            and not text[place - 1].isspace()
            and not text[place + 1 : place + 2].isalnum()
        ):
            if not text[place - 1].isalnum():
                return place + 1
            behind_word = behind_word or place + 1
    return behind_word


# --- sentences ------------------------------------------------------------------------------------------------------

_SENTENCE = re.compile(
    r"\S(?:(?<=“)[^”]*”)?(?:“[^”]*”|.)*?(?:[.!?…。！？]{1,16}[\"”’')」』»›“]*(?=\s|\Z)|[。！？]+[」』]*(?=\S)"
    r"|(?<=[.!?…]”)(?=\s+[^\W\d_a-z]|\s+[“\"]|\Z)|\Z)",
    re.DOTALL,
)
_SHORTENED = re.compile(r"(?<![^\W\d_])[B-DF-HJ-NP-TV-XZ][b-df-hj-np-tv-xz]{1,3}\.\Z")
_LONGEST = 5


def sentence_spans(text: str) -> list[Span]:
    spans: list[Span] = []
    closed = text.rfind("”") + 1  # behind it “ opens nothing, and looking for its end each time takes long
    for match in _SENTENCE.finditer(text[:closed] + text[closed:].replace("“", '"')):
        end = len(match[0].rstrip()) + match.start()
        if spans and _SHORTENED.search(text, max(spans[-1][0], spans[-1][1] - _LONGEST), spans[-1][1]):
            spans[-1] = spans[-1][0], end
        else:
            spans.append((match.start(), end))
    return spans


def pieces(line: str) -> list[str]:
    """Cut a line at the edges of its sentences and quotations."""
    cut: list[str] = []
    for paragraph in paragraphs(line):
        spans = (*paragraph.speech, *sentence_spans(paragraph.text))
        edges = sorted({0, len(paragraph.text), *(edge for span in spans for edge in span)})
        cut += [text for a, b in pairwise(edges) if (text := paragraph.text[a:b].strip())]
    return cut


MOST_OF_A_TAG = 3


def unsaid(text: str) -> str:
    parts = paragraphs(text)
    if not any(paragraph.speech for paragraph in parts):
        return " ".join(match[0] for match in _ACT.finditer(text))
    left = [without(paragraph.text, paragraph.speech) for paragraph in parts]
    return "\n\n".join(
        rest for rest, paragraph in zip(left, parts, strict=True) if not (paragraph.speech and _is_tag(rest))
    )


def _is_tag(rest: str) -> bool:
    words = re.findall(r"\w", rest) if is_unspaced(rest) else re.findall(r"\w+", rest)
    return len(words) <= MOST_OF_A_TAG


# --- words ---------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = re.sub(r"(?<=\w)['’`´](?=\w)", "", folded)
    return " ".join(re.findall(r"\w+", folded.replace("_", " ")))


_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def is_unspaced(text: str) -> bool:
    return _UNSPACED.search(text) is not None


_HIRAGANA = re.compile(r"[\u3040-\u309f]+")
LEAST_STEM, MOST_ENDING = 4, 3


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    words: set[str] = set()
    for word in plain(text).split():
        if _UNSPACED.search(word):
            pairs = {word[at : at + 2] for at in range(len(word) - 1)}
            words |= {pair for pair in pairs if not _HIRAGANA.fullmatch(pair)}
        elif len(word) >= LEAST_STEM:
            words.add(word)
    return frozenset(words)


def shared_words(words: Iterable[str], others: Iterable[str]) -> set[str]:
    stems: dict[str, list[str]] = {}
    for other in others:
        stems.setdefault(other[:LEAST_STEM], []).append(other)
    return {
        word for word in words if any(_is_form(word, other) for other in stems.get(word[:LEAST_STEM], ()))
    }


def _is_form(word: str, other: str) -> bool:
    same = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), None)
    common = min(len(word), len(other)) if same is None else same
    return word == other or (common >= LEAST_STEM and max(len(word), len(other)) - common <= MOST_ENDING)


# --- sentences of the first versions --------------------------------------------------------------------------------------

_BREAK = re.compile(
    r"(?P<paragraph>\s*\n\s*\n\s*|(?<=[.!?…\"”»])[ \t]*\n\s*)"
    r"|(?:(?<=[.!?…])|(?<=[.!?…][\"”’»')]))\s+(?=[\"“«‘'(]?[^\Wa-z_])"
)


def sentences(text: str) -> list[str]:
    return _BREAK.sub(lambda match: " \0" if match["paragraph"] is None else "\n\n\0", text.strip()).split(
        "\0"
    )


def portion(text: str, start: int, end: int | None) -> str:
    return "".join(sentences(text)[start:end]).strip()
