"""Conversion of states and turns of earlier versions. Old turns numbered pieces of text; today's hold where texts
are cut.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from theact_tui.saves import old_speech as old
from theact_tui.sentences import Span
from theact_tui.story.base import Value
from theact_tui.story.speech import addressed_to, spoken
from theact_tui.story.turn import TURN_FORMAT, Cuts, letters, reply_label

RETOLD_SHARE = 0.6


class _Part(Value):
    """Perceived part of a paragraph: quotations `speech[0]` to before `speech[1]`, without the sentences in `cut`."""

    at: int
    speech: tuple[int, int] | None = None
    cut: tuple[int, ...] = ()


class _Heard(Value):
    """Perception of one witness; by default everything."""

    said: tuple[int, ...] | None = None
    page: tuple[_Part, ...] | None = None
    replies: bool = True
    acts_of: tuple[str, ...] = ()
    deaf: tuple[int, ...] = ()
    # the first versions counted sentences
    line: bool = True
    line_start: int = 0
    line_end: int | None = None
    unheard: tuple[str, ...] = ()
    whispered: bool = False
    start: int = 0
    end: int | None = None
    left_out: bool = False

    @property
    def counts_sentences(self) -> bool:
        return self != _Heard(
            said=self.said, page=self.page, replies=self.replies, acts_of=self.acts_of, deaf=self.deaf
        )


def upgraded_state(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    return {name: value for name, value in data.items() if name not in ("all_beats_turn", "told_early")}


def upgraded(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    if isinstance(data.get("ruling"), Mapping):
        data = {**data, "ruling": {name: value for name, value in data["ruling"].items() if name != "moment"}}
    if data.get("format", 1) != 1:
        return data
    try:
        parts = {id: _Heard.model_validate(part) for id, part in (data.get("heard") or {}).items()}
        stored = data.get("entries") or ()
        entries = [(str(entry["role"]), str(entry["text"]), entry.get("character")) for entry in stored]
    except (ValidationError, KeyError, TypeError, AttributeError):
        return data
    fields = {name: value for name, value in data.items() if name not in ("heard", "stage")}
    if isinstance(data.get("stage"), Mapping):
        stage_fields = ("here", "asleep", "gone", "answer", "mood", "place", "by")
        stage = {name: value for name, value in data["stage"].items() if name in stage_fields}
        # a failed form counted as an answer then
        fields["stage"] = stage | ({"by": "form"} if stage.get("by") == "fallback" else {})
    if parts:
        fields |= _heard_fields(entries, parts)
    return {**fields, "format": TURN_FORMAT}


def _heard_fields(
    entries: Sequence[tuple[str, str, str | None]], parts: Mapping[str, _Heard]
) -> dict[str, Any]:
    line = next((text for role, text, _ in entries if role == "player"), "")
    page = next((text for role, text, _ in entries if role == "narrator"), "")
    replies = [(text, character or "") for role, text, character in entries if role == "character"]
    lines = {id: _line_spans(line, part) for id, part in parts.items()}
    pages = {id: _page_spans(page, line, part) for id, part in parts.items()}
    line_cuts = _cuts(line, old_line_spans(line), lines.values())
    page_cuts = _cuts(page, _spans_of(page, [part.text for part in old.paragraphs(page)]), pages.values())
    speech = tuple(_speech_spans(text) for text, _ in replies)
    heard: dict[str, Any] = {}
    for id, part in parts.items():
        missed = [str(n) for n, cut in enumerate(line_cuts, 1) if not _is_within(cut, lines[id])]
        if not line_cuts and (
            part.said is not None or (part.line, part.line_start, part.line_end) != (True, 0, None)
        ):
            missed.append("1")
        missed += [letters(n) for n, cut in enumerate(page_cuts) if not _is_within(cut, pages[id])]
        deeds = []
        for number, (_, speaker) in enumerate(replies):
            if speaker == id or not _misses_reply(part, number, speaker):
                continue
            missed.append(reply_label(number))
            if _sees_deeds(part, number, speaker):
                deeds.append(reply_label(number))
        heard[id] = {"missed": missed, "deeds": deeds}
    sizes = (len(line), len(page), *(len(text) for text, _ in replies))
    cuts = Cuts(line=line_cuts, page=page_cuts, speech=speech, sizes=sizes)
    return {"cuts": cuts.model_dump(), "heard": heard}


def _misses_reply(part: _Heard, number: int, speaker: str) -> bool:
    if part.counts_sentences:
        return part.end is not None or speaker in part.unheard
    return not part.replies or number in part.deaf or speaker in part.acts_of


def _sees_deeds(part: _Heard, number: int, speaker: str) -> bool:
    return not part.counts_sentences and part.replies and number not in part.deaf and speaker in part.acts_of


# --- places in the stored texts -----------------------------------------------------------------------------------------


def old_line_spans(line: str) -> list[Span]:
    heard_line = addressed_to(line)[1]
    return _spans_of(line, old.pieces(heard_line), skipping=True)


def _line_spans(line: str, part: _Heard) -> list[Span]:
    if not part.counts_sentences:
        spans = old_line_spans(line)
        return spans if part.said is None else [spans[n] for n in part.said if 0 <= n < len(spans)]
    if not part.line:
        return []
    sentences = _spans_of(line, old.sentences(spoken(line)), skipping=True)
    return sentences[part.line_start : part.line_end]


def _page_spans(page: str, line: str, part: _Heard) -> list[Span]:
    if part.counts_sentences:
        sentences = old.sentences(page)
        spans = _spans_of(page, sentences)
        numbers = range(len(spans))[part.start : part.end]
        if part.whispered:
            heard = old.portion(spoken(line), part.line_start, part.line_end) if part.line else ""
            secret = old.content_words(spoken(line)) - old.content_words(heard)
            return [spans[n] for n in numbers if not _repeats(sentences[n], secret)]
        return [spans[n] for n in numbers]
    paragraphs = old.paragraphs(page)
    places = _spans_of(page, [paragraph.text for paragraph in paragraphs])
    if part.page is None:
        return places
    perceived: list[Span] = []
    for one in (one for one in part.page if 0 <= one.at < len(paragraphs)):
        paragraph, (start, end) = paragraphs[one.at], places[one.at]
        first, last = one.speech or (0, len(paragraph.speech))
        sentences_of = old.sentence_spans(paragraph.text)
        hidden = [*paragraph.speech[:first], *paragraph.speech[last:]]
        hidden += [sentences_of[n] for n in one.cut if n < len(sentences_of)]
        if not hidden:
            perceived.append((start, end))
            continue
        spans = _places_in(page[start:end], paragraph.text, hidden)
        perceived += [(start + a, start + b) for a, b in spans]
    return perceived


def _repeats(sentence: str, secret: Iterable[str]) -> bool:
    own = old.content_words(sentence)
    return bool(own) and len(old.shared_words(own, secret)) >= RETOLD_SHARE * len(own)


def _gaps_between(hidden: Iterable[Span], size: int) -> list[Span]:
    gaps, at = list[Span](), 0
    for start, end in sorted(hidden):
        if start > at:
            gaps.append((at, start))
        at = max(at, end)
    return [*gaps, (at, size)] if at < size else gaps


def _places_in(raw: str, text: str, hidden: Sequence[Span]) -> list[Span]:
    solid = [at for at, sign in enumerate(raw) if not sign.isspace()]
    spans: list[Span] = []
    for start, end in _gaps_between(hidden, len(text)):
        first = sum(not sign.isspace() for sign in text[:start])
        last = sum(not sign.isspace() for sign in text[:end])
        if last > first and last <= len(solid):
            spans.append((solid[first], solid[last - 1] + 1))
    return spans


def _speech_spans(reply: str) -> tuple[Span, ...]:
    deeds = old.unsaid(reply).replace("…", " ")
    deed_spans = _spans_of(reply, deeds.split(), skipping=True)
    return tuple((a, b) for a, b in _gaps_between(deed_spans, len(reply)) if re.search(r"\w", reply[a:b]))


def _spans_of(text: str, parts: Iterable[str], *, skipping: bool = False) -> list[Span]:
    """Return the spans of consecutive parts in a text, which may differ in white space, and with `skipping` have gaps."""
    solid = [at for at, sign in enumerate(text) if not sign.isspace()]
    dense = "".join(text[at] for at in solid)
    spans, at = list[Span](), 0
    for part in parts:
        wanted = "".join(part.split())
        start = dense.find(wanted, at) if skipping else at
        if start < 0 or not wanted or start + len(wanted) > len(solid):
            spans.append((0, 0))
            continue
        at = start + len(wanted)
        spans.append((solid[start], solid[at - 1] + 1))
    return spans


def _cuts(text: str, pieces: Iterable[Span], perceived: Iterable[Iterable[Span]]) -> tuple[Span, ...]:
    edges = sorted({edge for spans in perceived for span in spans for edge in span})
    cuts: list[Span] = []
    for start, end in pieces:
        inner = [edge for edge in edges if start < edge < end]
        spans = zip([start, *inner], [*inner, end], strict=True)
        cuts += [(a, b) for a, b in spans if text[a:b].strip()]
    return tuple(cuts)


def _is_within(cut: Span, perceived: Iterable[Span]) -> bool:
    return any(start <= cut[0] and cut[1] <= end for start, end in perceived)
