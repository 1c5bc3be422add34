"""What each one perceives of a turn. Presence goes by paragraphs, hearing by quotation marks, within a paragraph by place.

`perceive` decides it once, when the page is told; it is stored in the turn as `Heard`. All that shows somebody a turn
reads it from there. No language matters: see `theact_tui.story.who_hears_and_answers` for the facts it rests on.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from theact_tui.story.matching import content_words, shared_words
from theact_tui.story.speech import (
    Paragraph,
    Piece,
    addressed_to,
    in_pieces,
    paragraphs,
    pieces,
    sentence_spans,
    spoken,
    unsaid,
    without,
)
from theact_tui.story.turn import WHOLE, Entry, Heard, Part, Stage, Turn
from theact_tui.story.who_hears_and_answers import Scene

RETOLD = 0.6
"""The share of a kept line's content words, or of a sentence of it, that a sentence of the page holds when it tells it."""
LEAST_RETOLD = 2
BESIDE = 30
"""Characters between a quotation and the name of the one it is said to."""
SILENT = (0, 0)
"""None of the quotations of a paragraph."""


def perceive(scene: Scene, page: str, stage: Stage) -> dict[str, Heard]:
    """By id, what each of the chapter's people takes in of a turn; who takes in nothing is left out."""
    turn = _Perceived(scene, page, stage)
    made = {id: turn.by(id) for id in scene.cast}
    return {id: heard for id, heard in made.items() if heard is not None}


def unaware(scene: Scene, stage: Stage) -> tuple[str, ...]:
    """Ids of those who were there, awake, before the page and at its end, and did not hear the line."""
    if stage.hearers is None or not scene.said:
        return ()
    there = (
        id
        for id in scene.stayed
        if id in stage.here and id not in (*scene.asleep, *stage.asleep, *stage.gone)
    )
    return tuple(id for id in there if id not in stage.hearers)


@dataclass(frozen=True)
class _Perceived:
    scene: Scene
    page: str
    stage: Stage

    @cached_property
    def told(self) -> tuple[Paragraph, ...]:
        return paragraphs(self.page)

    @cached_property
    def places(self) -> list[dict[str, tuple[int, int]]]:
        """For each paragraph, by who is named in it outside of speech, where first and where last."""
        return [self.scene.names.places(paragraph.bare) for paragraph in self.told]

    def by(self, id: str) -> Heard | None:
        """What one takes in; None: nothing."""
        stage = self.stage
        if stage.by == "written":
            return Heard() if id in stage.here else None
        if stage.by == "fallback" and id not in stage.answer:
            return None  # it may have been a whisper: nobody learns of it who was not asked about
        there = id in self.scene.stayed and id not in stage.gone
        ends = id in stage.here and id not in stage.asleep
        may = stage.hearers is None or id in stage.hearers
        page = self._page(id, there=there)
        said = self._line(id, there=there, may=may)
        if not may and stage.hearers:
            page = [self._hushed(part) for part in page]
        if not may:
            page = [self._untold(part, said) for part in page]
        page = [part for part in page if _part(self.told, part)]
        whole = [Part(at=at) for at in range(len(self.told))]
        everything = tuple(range(len(pieces(self.scene.said))))
        heard = Heard(
            said=None if said == everything else said,
            page=None if page == whole else tuple(page),
            replies=ends,
            acts_of=() if may or not ends else tuple(stage.hearers or ()),
        )
        return heard if ends or said or page else None

    # --- the player's line ---------------------------------------------------------------------------------------------

    def _line(self, id: str, *, there: bool, may: bool) -> tuple[int, ...]:
        """The numbers of the pieces of the line that somebody hears."""
        stage, told = self.stage, pieces(self.scene.said)
        calls = [at for at, piece in enumerate(told) if piece.sentence in stage.called.get(id, ())]
        slept, stays = id in self.scene.asleep, id in stage.here
        if id in stage.woken or (not there and (stays or id in stage.passed)):
            expected = id in self.scene.here or stage.moved or not self._company
            if stays and id not in stage.woken and id in (stage.hearers or ()):
                return tuple(range(len(told)))  # one who was taken for away
            met = id in stage.woken or (id in stage.arrived and expected)
            if not may or not (met or calls):
                return tuple(calls)
            return self._from_naming(id, calls, met=met)
        if not there or slept or not may or id in stage.asleep:
            if there and not slept and not may and id not in stage.asleep:
                calls += [at for at, piece in enumerate(told) if piece.sentence in stage.public]
            return tuple(sorted({*calls})) if there and not (slept and id in stage.asleep) else ()
        if not stays and stage.moved:
            return tuple(
                at
                for at, piece in enumerate(told)
                if at in calls
                or (
                    at in self._before_going
                    if piece.quotation is not None
                    else piece.sentence <= self._last_of_left
                )
            )
        return tuple(range(len(told)))

    @cached_property
    def _company(self) -> set[str]:
        """Who was there, awake, when the line came."""
        return set(self.scene.stayed) - set(self.scene.asleep) - set(self.stage.gone)

    @cached_property
    def _left(self) -> set[str]:
        """Who was left behind, awake, when the player went elsewhere."""
        return self._company & set(self.stage.left) if self.stage.moved else set()

    @cached_property
    def _last_of_left(self) -> int:
        """The last sentence of the line that names one who was left behind, outside of quotation marks, before one who is met
        is named; -1: none."""
        told, met = pieces(self.scene.said), {*self.stage.arrived, *self.stage.passed}
        end = min((piece.sentence for piece in told if met & self._named_in(piece)), default=len(told))
        named = (piece.sentence for piece in told if self._left & self._named_in(piece))
        return max((sentence for sentence in named if sentence <= end), default=-1)

    @cached_property
    def _before_going(self) -> set[int]:
        """Of a line in which the player went elsewhere, the numbers of the pieces said to those who stayed behind: what is
        quoted beside the name of one of them; and beside no name what opens the line, stands before the last naming of one
        of them, is left in a first sentence that goes on, or where nobody else is met."""
        stage, told, left = self.stage, list(enumerate(pieces(self.scene.said))), self._left
        if not left:
            return set()
        is_alone = not {*stage.here, *stage.passed}
        last = max(
            (
                at
                for at, piece in told
                if left & self._named_in(piece) and piece.sentence <= self._last_of_left
            ),
            default=-1,
        )
        made = set[int]()
        for number in {piece.quotation for _, piece in told} - {None}:
            ats = [at for at, piece in told if piece.quotation == number]
            after = told[ats[-1] + 1][1] if ats[-1] + 1 < len(told) else None
            goes_on = after is not None and after.sentence == told[ats[-1]][1].sentence
            goes_on = goes_on and (is_alone or not told[ats[-1]][1].sentence)
            beside = self._named_beside(ats)
            if beside in left if beside else not ats[0] or ats[-1] < last or goes_on:
                made.update(ats)
        return made

    def _named_in(self, piece: Piece) -> set[str]:
        return set(self.scene.names.within(piece.text)) if piece.quotation is None else set()

    def _named_beside(self, ats: Sequence[int]) -> str:
        """Who is named nearest to a quotation, of these pieces, in what its sentence says right beside it; empty: nobody."""
        told, near = pieces(self.scene.said), list[tuple[int, str]]()
        for at, end in ((ats[0] - 1, ats[0]), (ats[-1] + 1, ats[-1])):
            if 0 <= at < len(told) and told[at].sentence == told[end].sentence:
                text = told[at].text
                for id, (first, last) in self.scene.names.places(text).items():
                    near.append((len(text) - last if at < end else first, id))
        return min((each for each in near if each[0] <= BESIDE), default=(0, ""))[1]

    def _naming(self, id: str) -> list[int]:
        """The sentences of the line that name somebody outside of quotation marks, or call them."""
        named = {
            piece.sentence
            for piece in pieces(self.scene.said)
            if piece.quotation is None and id in self.scene.names.within(piece.text)
        }
        return sorted({*named, *self.stage.called.get(id, ())})

    def _from_naming(self, id: str, calls: Sequence[int], *, met: bool) -> tuple[int, ...]:
        """The line from the first sentence that names somebody on, or another who is met with them. One who answers and was
        told nothing in quotation marks by that heard its last quotation; or, not named and nothing being quoted, its last
        sentence."""
        told = list(enumerate(pieces(self.scene.said)))
        named = self._naming(id) if met else [told[at][1].sentence for at in calls]
        if met and not named and self.stage.moved and id in self.stage.here:
            named = sorted(number for other in self.stage.arrived for number in self._naming(other))
        told = [each for each in told if each[0] in calls or each[0] not in self._before_going]
        heard = [at for at, piece in told if named and piece.sentence >= named[0]]
        quoted = {at for at, piece in told if piece.quotation is not None}
        if id in self.stage.answer and told and quoted.isdisjoint(heard):
            last = max((piece.quotation for _, piece in told if piece.quotation is not None), default=None)
            if last is not None:
                heard += [at for at, piece in told if piece.quotation == last]
            elif not named:
                heard = [at for at, piece in told if piece.sentence == told[-1][1].sentence]
        return tuple(sorted(heard))

    # --- the page --------------------------------------------------------------------------------------------------------

    def _page(self, id: str, *, there: bool) -> list[Part]:
        """What somebody sees of the page, and hears by where they are."""
        stage, told = self.stage, self.told
        named = [at for at, places in enumerate(self.places) if id in places]
        stays, sleeps, slept = id in stage.here, id in stage.asleep, id in self.scene.asleep
        if not there and not stays and (id not in (*stage.passed, *stage.gone) or not named):
            return []
        if there and slept and id not in stage.woken:
            return [Part(at=at, speech=SILENT) for at in named]
        if there and not slept:
            if sleeps:
                return self._until(id, named[:1], first=True)
            if stays:
                return [Part(at=at) for at in range(len(told))]
            return self._until(id, named[-1:]) or (
                [] if stage.moved or self.scene.first else [Part(at=at) for at in range(len(told))]
            )
        if not named:
            return [Part(at=len(told) - 1)] if told else []
        first = named[0]
        came = self._speech(first, after=self.places[first][id][0])
        seen = [came, *(Part(at=at) for at in range(first + 1, len(told)))]
        if first and id not in stage.woken:
            seen.insert(0, Part(at=first - 1, speech=SILENT))
        if not stays:
            # who came and went, or had left in their own answer and is seen once more
            last = self._speech(named[-1], before=self.places[named[-1]][id][1])
            if named[-1] == first:
                start, end = came.speech or (0, len(told[first].speech))
                last = last.model_copy(
                    update={"speech": (start, max(start, min(end, (last.speech or (0, end))[1])))}
                )
            seen = [*(part for part in seen if part.at < last.at), last]
        return seen

    def _until(self, id: str, named: Sequence[int], *, first: bool = False) -> list[Part]:
        """The page up to a paragraph that names somebody, without what is said after the last naming there, or after the
        `first` one."""
        if not named:
            return []
        start, end = self.places[named[0]][id]
        return [
            *(Part(at=at) for at in range(named[0])),
            self._speech(named[0], before=start if first else end),
        ]

    def _speech(self, at: int, *, after: int = 0, before: int | None = None) -> Part:
        """A paragraph with its speech after one place of it, and before another."""
        speech = self.told[at].speech
        start = sum(begins < after for begins, _ in speech)
        end = len(speech) if before is None else sum(begins < before for begins, _ in speech)
        return (
            Part(at=at) if (start, end) == (0, len(speech)) else Part(at=at, speech=(start, max(start, end)))
        )

    # --- what is kept from somebody ----------------------------------------------------------------------------------------

    def _hushed(self, part: Part) -> Part:
        """Without its speech, where the paragraph names nobody but those who hear."""
        named = self.places[part.at].keys()
        is_theirs = self.told[part.at].speech and named <= set(self.stage.hearers or ())
        return part.model_copy(update={"speech": SILENT}) if is_theirs else part

    def _untold(self, part: Part, said: Collection[int]) -> Part:
        """Without the sentences that tell what somebody did not hear of the line."""
        text = self.told[part.at].text
        kept = self._kept(frozenset(said))
        cut = [number for number, (a, b) in enumerate(sentence_spans(text)) if self._tells(text[a:b], kept)]
        return part.model_copy(update={"cut": tuple(cut)}) if cut else part

    def _kept(self, said: frozenset[int]) -> list[frozenset[str]]:
        """The content words of what was not heard of the line: of each sentence, then of all; of what is quoted in it, if
        anything is, for what is done is seen."""
        told = list(enumerate(pieces(self.scene.said)))
        quoted = any(piece.quotation is not None for _, piece in told)
        unheard = [
            piece for at, piece in told if at not in said and (piece.quotation is not None or not quoted)
        ]
        by_sentence: dict[int, str] = {}
        for piece in unheard:
            by_sentence[piece.sentence] = f"{by_sentence.get(piece.sentence, '')} {piece.text}"
        return [self._content(text) for text in (*by_sentence.values(), " ".join(by_sentence.values()))]

    def _content(self, text: str) -> frozenset[str]:
        """The content words of a text, but for names."""
        return content_words(text) - content_words(" ".join(self.scene.names.of.values()))

    def _tells(self, sentence: str, kept: Sequence[frozenset[str]]) -> bool:
        own = self._content(sentence)
        for words in kept:
            told = len(shared_words(words, own))
            if told >= LEAST_RETOLD and told >= RETOLD * len(words):
                return True
        theirs = len(shared_words(own, kept[-1])) if kept else 0
        return theirs >= LEAST_RETOLD and theirs >= RETOLD * len(own)


# --- what is shown of a turn ------------------------------------------------------------------------------------------


def heard_parts(entries: Sequence[Entry], character: str, heard: Heard) -> tuple[Entry, ...]:
    """The entries as far as a character took them in, in the order given."""
    texts = zip(entries, _texts(entries, character, heard), strict=True)
    return tuple(
        entry if text == entry.text else entry.model_copy(update={"text": text})
        for entry, text in texts
        if text
    )


def heard_of_turn(turn: Turn, cast: Iterable[str]) -> dict[str, dict[str, Any]]:
    """By id, what each of these people perceived of a turn: `line`, the part of the player's line; `pages`, the paragraphs
    of the narration; `entries`, the places in the turn's entries of all that they perceived in whole or in part."""
    made: dict[str, dict[str, Any]] = {}
    for id in cast:
        heard = turn.heard.get(id, WHOLE)
        texts = _texts(turn.entries, id, heard) if id in turn.witnesses else [""] * len(turn.entries)
        told = list(zip((entry.role for entry in turn.entries), texts, strict=True))
        made[id] = {
            "line": next((text for role, text in told if role == "player"), ""),
            "pages": [page.text for role, text in told if role == "narrator" for page in paragraphs(text)],
            "entries": [at for at, text in enumerate(texts) if text],
        }
    return made


def _texts(entries: Sequence[Entry], character: str, heard: Heard) -> list[str]:
    """What a character took in of each of the entries."""
    if heard.is_of_sentences:
        return _by_sentences(entries, character, heard)
    made: list[str] = []
    replies = 0
    for entry in entries:
        text = entry.text
        match entry.role:
            case "player":
                text = line_heard(text, heard)
            case "narrator" if heard.page is not None:
                text = "\n\n".join(page_heard(text, heard))
            case "character":
                if entry.character != character:
                    is_deaf = not heard.replies or replies in heard.deaf
                    text = "" if is_deaf else unsaid(text) if entry.character in heard.acts_of else text
                replies += 1
            case "system":
                text = ""
        made.append(text)
    return made


def line_heard(line: str, heard: Heard) -> str:
    """What of the player's line was heard; asides never are."""
    return spoken(line) if heard.said is None else in_pieces(addressed_to(line)[1], heard.said)


def page_heard(page: str, heard: Heard) -> tuple[str, ...]:
    """The paragraphs of a page that somebody perceived, as far as they did."""
    told = paragraphs(page)
    parts = [Part(at=at) for at in range(len(told))] if heard.page is None else heard.page
    return tuple(text for part in parts if (text := _part(told, part)))


def _part(told: Sequence[Paragraph], part: Part) -> str:
    """What somebody perceived of a paragraph; nothing of one that is not there any more."""
    if part.at >= len(told):
        return ""
    paragraph = told[part.at]
    spans = sentence_spans(paragraph.text)
    cut = [spans[number] for number in part.cut if number < len(spans)]
    first, end = part.speech or (0, len(paragraph.speech))
    unheard = [*paragraph.speech[:first], *paragraph.speech[end:]]
    return without(paragraph.text, unheard, cut) if unheard or cut else paragraph.text


# --- turns of earlier versions -----------------------------------------------------------------------------------------


def _by_sentences(entries: Sequence[Entry], character: str, heard: Heard) -> list[str]:
    """The same of a turn that an earlier version told: what was heard is counted in sentences."""
    made: list[str] = []
    line = spoken(next((entry.text for entry in entries if entry.role == "player"), ""))
    for entry in entries:
        text = entry.text
        match entry.role:
            case "player":
                text = spoken(text) if heard.line else ""
                if heard.missed:
                    text = portion(text, heard.line_start, heard.line_end)
            case "narrator" if heard.start or heard.end is not None or heard.whispered:
                text = portion(text, heard.start, heard.end)
                text = _unrepeated(text, line, heard) if heard.whispered else text
            case "character" if entry.character != character:
                text = "" if heard.end is not None or entry.character in heard.unheard else text
            case "system":
                text = ""
        made.append(text)
    return made


def _unrepeated(text: str, line: str, heard: Heard) -> str:
    """A narration without the sentences that repeat what was kept of the player's line."""
    known = portion(line, heard.line_start, heard.line_end) if heard.line else ""
    kept = content_words(line) - content_words(known)
    told = ((one, content_words(one)) for one in sentences(text))
    others = (one for one, own in told if not own or len(shared_words(own, kept)) < RETOLD * len(own))
    return "".join(others).strip()


# --- what was heard of turns of earlier versions, in sentences -----------------------------------------------------------

_BREAK = re.compile(
    r"(?P<paragraph>\s*\n\s*\n\s*|(?<=[.!?…\"”»])[ \t]*\n\s*)"
    r"|(?:(?<=[.!?…])|(?<=[.!?…][\"”’»')]))\s+(?=[\"“«‘'(]?[^\Wa-z_])"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text as `Heard` counts them, each with what parts it from the next: saves hold these numbers, so
    it may never split otherwise."""
    return _BREAK.sub(lambda found: " \0" if found["paragraph"] is None else "\n\n\0", text.strip()).split(
        "\0"
    )


def portion(text: str, start: int, end: int | None) -> str:
    """The sentences from `start` to before `end` of a text, in their paragraphs."""
    return "".join(sentences(text)[start:end]).strip()
