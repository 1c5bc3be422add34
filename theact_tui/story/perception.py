"""Presence, answers and perception of a turn by pieces. The form marks missed pieces; code only adds more."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import filterfalse
from typing import Any

from theact_tui.sentences import Span, quotation_spans
from theact_tui.story.matching import is_unspaced, plain
from theact_tui.story.pack import MOODS
from theact_tui.story.scene import MAX_ANSWERS, Scene, named_outside_speech
from theact_tui.story.speech import (
    is_one_sentence,
    join_pieces,
    line_cuts,
    page_cuts,
    paragraphs,
    reply_cuts,
    spoken,
    without_speaker,
    without_spoken_letters,
)
from theact_tui.story.turn import (
    FULLY_HEARD,
    UNCUT,
    Cuts,
    Entry,
    Heard,
    Stage,
    StageForm,
    Turn,
    reply_pieces,
)
from theact_tui.text import one_line

MAX_PLACE_CHARACTERS = 60
RETOLD_WORDS = 5
RETOLD_SIGNS = 10
"""Words or characters in a row by which a paragraph repeats a piece."""


@dataclass(frozen=True, slots=True)
class Perception:
    """Stage of a page, cuts of the turn, and pieces that each witness missed."""

    stage: Stage = field(default_factory=Stage)
    cuts: Cuts = UNCUT
    heard: dict[str, Heard] = field(default_factory=dict)
    """By witness."""
    unaware: tuple[str, ...] = ()
    """Ids of those present who heard nothing of the line."""

    def with_replies(self, replies: Sequence[Entry]) -> "Perception":
        """Add the replies. Whoever missed a private piece that the speaker knew misses the reply."""
        cuts = cut_with_replies(self.cuts, replies)
        missed = {id: tuple(filterfalse(str.islower, part.missed)) for id, part in self.heard.items()}
        for entry, pieces in zip(replies, reply_pieces(cuts, [entry.text for entry in replies]), strict=True):
            unknown = () if entry.unsettled else missed.get(entry.character or "", ())
            secrets = {*self.stage.private}.difference(unknown)
            for id in (id for id in missed if id != entry.character):
                is_away = id not in self.stage.here or id in self.stage.asleep
                missed[id] += (*pieces,) if is_away or not secrets.isdisjoint(missed[id]) else ()
        return replace(self, cuts=cuts, heard={id: Heard(missed=labels) for id, labels in missed.items()})


def cut(line: str, page: str) -> Cuts:
    """Cut a turn before its replies are told."""
    return Cuts(line=line_cuts(line), page=page_cuts(page), sizes=(len(line), len(page)))


def cut_with_replies(cuts: Cuts, replies: Sequence[Entry]) -> Cuts:
    texts = [entry.text for entry in replies]
    sizes = (*cuts.sizes[:2], *map(len, texts))
    return cuts.model_copy(update={"replies": reply_cuts(texts), "sizes": sizes})


def perceive_written(scene: Scene, page: str, answer: Iterable[str] = ()) -> Perception:
    """Let all who are awake perceive the author's page."""
    form = StageForm(answer=tuple(answer), mood=scene.mood)
    told = perceive(replace(scene, stayed=scene.here), page, form, is_scripted=True)
    return replace(told, stage=told.stage.model_copy(update={"by": "written"}))


def perceive(scene: Scene, page: str, form: StageForm | None, *, is_scripted: bool = False) -> Perception:
    """Decide the perception of a page by the form about it.

    Without a form the stage is pending: presence stays, and only whoever is asked, meant or called alone perceives it.
    """
    return _Reading(scene, page, form or StageForm(), form is None, is_scripted).perception


@dataclass(frozen=True)
class _Reading:
    """Presence and perception by the form's marks and the places of names."""

    scene: Scene
    page: str
    form: StageForm
    is_pending: bool
    is_scripted: bool
    """True for the offline storyteller's form, not checked against the page."""

    @property
    def perception(self) -> Perception:
        scene, form, people = self.scene, self.form, self.answer if self.is_pending else self.scene.cast
        private = set[str]().union(*(self.missed(id) or () for id in self.stayed))
        new = [self.marks[id] for id in self.awake_after - self.stayed]
        private.update(*(marks - new[0].intersection(*new) for marks in new))
        stage = {
            **{name: self.ordered(getattr(self, name)) for name in ("here", "asleep", "gone")},
            "aloud": _chosen(scene.muted, form.aloud or {}),
            "unheard": _chosen(dict.fromkeys(scene.listeners, scene.overheard), self.marks),
            "private": tuple(label for label in (*self.line, *self.passages) if label in private),
            "answer": self.answer,
            "mood": form.mood if form.mood in MOODS else "",
            "place": one_line(form.place or "", MAX_PLACE_CHARACTERS)
            or ("" if form.elsewhere else scene.place),
            "by": "pending" if self.is_pending else "form",
        }
        heard = {id: Heard(missed=labels) for id in people if (labels := self.missed(id)) is not None}
        unaware = () if self.is_pending else self.ordered(self.deaf)
        return Perception(Stage.model_validate(stage), self.cuts, heard, unaware)

    def ordered(self, ids: Collection[str]) -> tuple[str, ...]:
        return tuple(id for id in self.scene.cast if id in ids)

    @cached_property
    def cuts(self) -> Cuts:
        return cut(self.scene.line, self.page)

    @cached_property
    def line(self) -> dict[str, str]:
        return self.cuts.line_pieces(self.scene.spelled_line or self.scene.line)

    @cached_property
    def passages(self) -> dict[str, str]:
        return self.cuts.page_pieces(self.page)

    @cached_property
    def namings(self) -> list[set[str]]:
        bare = without_spoken_letters(self.page)
        return [{*self.scene.names.within(bare[start:end])} for start, end in self.cuts.page]

    # --- who is there ----------------------------------------------------------------------------------------------

    @cached_property
    def gone(self) -> set[str]:
        return {*self.scene.answered} & {*(self.form.gone or ())} - {*self.scene.held}

    @cached_property
    def before(self) -> set[str]:
        return {*self.scene.stayed} - self.gone

    @cached_property
    def here(self) -> set[str]:
        """Ids present at the end. On a page with names a newcomer must be named, also in speech, or called by the line."""
        scene, form, before = self.scene, self.form, {*self.scene.here} - self.gone
        named = set().union(*self.namings) if not self.is_scripted else set[str]()
        may_come = before | named | {*scene.names.within(self.page), *scene.spoken_to}
        left = {*(form.moved or ())} & self.awake_before - {*(form.asleep or ())}
        claimed = before - left if form.here is None else {*form.here}
        claimed |= {*(form.answer or ())} & may_come
        present = claimed & may_come if named else claimed
        if form.elsewhere and named:
            present &= named | {*(form.here or ()), *(form.answer or ())}
        return {id for id in scene.cast if scene.held.get(id, id in present)}

    @cached_property
    def asleep(self) -> set[str]:
        asleep = self.scene.asleep if self.form.asleep is None else self.form.asleep
        return ({*asleep} & self.here) - ({*self.scene.spoken_to} & {*(self.form.answer or ())})

    @cached_property
    def awake_before(self) -> set[str]:
        return self.before - {*self.scene.asleep}

    @cached_property
    def awake_after(self) -> set[str]:
        return self.here - self.asleep

    @cached_property
    def stayed(self) -> set[str]:
        return self.awake_before & self.awake_after

    # --- who answers -----------------------------------------------------------------------------------------------

    @cached_property
    def answer(self) -> tuple[str, ...]:
        """Ids that answer: those asked; else those who answer for the line alone, then those in the form. Who missed the
        whole line answers only if there is no other.
        """
        scene, form = self.scene, self.form
        if scene.asked:
            return tuple(id for id in scene.asked if id in self.awake_after) or scene.asked
        able = [id for id in scene.cast if id in self.awake_after and id not in scene.hushed]
        able = [id for id in able if id not in self.deaf] or able
        named = [id for id in form.answer or () if id in able]
        if self.is_scripted:
            return tuple(dict.fromkeys(named))
        sure = [id for id in scene.answering if id in able and self._is_free_to_answer(id)]
        if self.is_pending:
            is_sole = scene.meant is not None or len(scene.names.within(scene.audible_line)) == 1
            return tuple(id for id in sure if is_sole and id in scene.spoken_to)
        if form.answer is None:
            last = [id for id in scene.answered if id in able]
            return tuple(sure[:1] or last[:1] or (able if len(able) == 1 else []))
        return tuple(dict.fromkeys((*sure, *named)))[:MAX_ANSWERS]

    def _is_free_to_answer(self, id: str) -> bool:
        """False for whoever is called and does not hear it."""
        if id not in self.scene.spoken_to or any(id in ids for ids in self.scene.arrows.values()):
            return True
        return any(id in ids for label, ids in self.called.items() if label not in self.marks[id])

    # --- who perceives what ----------------------------------------------------------------------------------------

    @cached_property
    def called(self) -> dict[str, tuple[str, ...]]:
        """Ids that each piece of the line calls. Pieces of a single sentence call together."""
        if is_one_sentence(self.scene.line):
            return dict.fromkeys(self.line, self.scene.spoken_to)
        return {label: self.scene.names.called(text) for label, text in self.line.items()}

    @cached_property
    def deaf(self) -> set[str]:
        """Ids of those who stayed and heard nothing of the line. Who came after it may speak as they enter."""
        return {id for id in self.stayed if self.line and self.line.keys() <= self.marks[id]}

    @cached_property
    def marks(self) -> dict[str, set[str]]:
        """Labels that form or line hide, by person. While pending all but the line that means somebody, what calls them,
        and what is told to those who are asked.
        """
        scene = self.scene
        labels = {*self.passages, *(() if scene.explicit else self.line), *scene.overheard}
        only = {label: {*ids} for label, ids in (self.form.only or {}).items() if label in labels}
        if self.is_pending:
            only = {label: {*scene.asked} for label in (*self.line, *self.passages)}
            for label, called in self.called.items():
                only[label].update(called, scene.arrows.get(label, ()))
        for label, ids in scene.arrows.items():
            only[label] = ids & only.get(label, ids)
        for label in only.keys() & scene.overheard.keys():
            only[label].add(scene.overheard[label].character or "")
        people = (*scene.cast, *scene.listeners)
        return {id: {label for label, ids in only.items() if id not in ids} for id in people}

    def missed(self, id: str) -> tuple[str, ...] | None:
        """Return labels of missed pieces; None if nothing is perceived."""
        texts = {**self.line, **self.passages}
        missed = self.absent_for(id) | self.marks[id]
        said = {label: piece.text for label, piece in self.scene.overheard.items()}
        runs = set[str]().union(*(_runs_of_words({**texts, **said}[label]) for label in missed))
        missed |= {
            label for label, text in self.passages.items() if not runs.isdisjoint(_runs_of_words(text))
        }
        if missed >= {*texts} and id not in self.awake_after:
            return None
        return tuple(label for label in texts if label in missed)

    def absent_for(self, id: str) -> set[str]:
        """Return labels of pieces told while a person was away or asleep, by the form's label, else by places of names."""
        page, names = [*self.passages], self.scene.names
        named = [label for label, ids in zip(page, self.namings, strict=True) if id in ids]
        edge, before, after = (self.form.moved or {}).get(id), id in self.awake_before, id in self.awake_after
        if before and after:
            return set()
        if before:  # fell asleep, or left
            last = edge or (min if id in self.here else max)(named, default="9")
            return {label for label in (*self.line, *page) if label > last}
        if not after:  # came and went, if the form says that they alone, or with others, took in a paragraph
            visit = page if named and id not in self.before | self.here else []
            seen = {label for label in visit if id in (self.form.only or {}).get(label, ())}
            return {*page} - seen | (self._line_before(id) if seen else {*self.line})
        spoken_of = [label for label, text in self.passages.items() if id in names.within(text)]
        unnamed = page[-1] if page and not any(self.namings) else "~"
        first = edge or min(named, default="") or max(spoken_of, default=unnamed)
        told = (*self.line, *page) if edge in self.line else page
        return self._line_before(id) | {label for label in told if label < first}

    def _line_before(self, id: str) -> set[str]:
        """Return labels of the line's pieces before the one that names or calls a newcomer, without quotations."""
        names, quotations = self.scene.names, quotation_spans(self.scene.line)
        before: set[str] = set()
        for (label, text), (start, _) in zip(self.line.items(), self.cuts.line, strict=True):
            if id in named_outside_speech(text, names) or id in self.called[label]:
                break
            is_quoted = any(a <= start < b for a, b in quotations)
            if not is_quoted and id not in self.scene.arrows.get(label, ()):
                before.add(label)
        return before


def _chosen(
    pieces: Mapping[str, Iterable[str]], labels: Mapping[str, Collection[str]]
) -> dict[str, tuple[str, ...]]:
    """Return, by person, those of the pieces that are among the labels; without whoever has none."""
    chosen = {id: tuple(label for label in own if label in labels.get(id, ())) for id, own in pieces.items()}
    return {id: own for id, own in chosen.items() if own}


def _runs_of_words(text: str) -> set[str]:
    is_solid = is_unspaced(text)
    words = plain(text).replace(" ", "") if is_solid else plain(text).split()
    size, joint = (RETOLD_SIGNS, "") if is_solid else (RETOLD_WORDS, " ")
    return {joint.join(words[at : at + size]) for at in range(len(words) - size + 1)}


# --- showing a turn to somebody ---------------------------------------------------------------------------------------


def perceived(entries: Sequence[Entry], cuts: Cuts, character: str, heard: Heard) -> tuple[Entry, ...]:
    """Return the entries as a character perceived them: the line without asides, its own replies whole."""
    pairs = zip(entries, _heard_texts(entries, cuts, character, heard), strict=True)
    return tuple(entry.model_copy(update={"text": text}) for entry, text in pairs if text)


def perceived_line(turn: Turn, character: str) -> str:
    return _heard_line(turn.player_text, turn.cuts, turn.missed_by(character))


def perceived_by(turn: Turn, cast: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return for `show --json`, by id: heard part of the line, paragraphs, indexes of perceived entries, labels."""
    shown: dict[str, dict[str, Any]] = {}
    for id in cast:
        is_witness, heard = id in turn.witnesses, turn.heard.get(id, FULLY_HEARD)
        texts = _heard_texts(turn.entries, turn.cuts, id, heard) if is_witness else []
        pages = (text for entry, text in zip(turn.entries, texts, strict=False) if entry.role == "narrator")
        shown[id] = {
            "line": perceived_line(turn, id),
            "pages": [paragraph.text for page in pages for paragraph in paragraphs(page)],
            "entries": [number for number, text in enumerate(texts) if text],
            "missed": list(heard.missed) if is_witness else ["all"],
        }
    return shown


def _heard_texts(entries: Sequence[Entry], cuts: Cuts, character: str, heard: Heard) -> list[str]:
    texts: list[str] = []
    replies = iter(reply_pieces(cuts, [entry.text for entry in entries if entry.role == "character"]))
    for entry in entries:
        text = entry.text if entry.role != "system" else ""
        if entry.role == "player":
            text = _heard_line(text, cuts, heard.missed)
        elif entry.role == "narrator" and not {*(cuts.page_labels or ("A",))}.isdisjoint(heard.missed):
            text = _without_missed(text, dict(zip(cuts.page_labels, cuts.page, strict=True)), heard.missed)
        elif entry.role == "character":
            spans = next(replies)
            if entry.character != character and not spans.keys().isdisjoint(heard.missed):
                text = _without_missed(text, spans, heard.missed)
        texts.append(text)
    return texts


def _heard_line(line: str, cuts: Cuts, missed: Collection[str]) -> str:
    """Leave out asides and missed pieces. A quotation whose speaker may be named in one of these is somebody's."""
    if not cuts.line:
        return "" if "1" in missed else spoken(line)
    heard = [number for number, label in enumerate(cuts.line_labels) if label not in missed]
    pieces = [*cuts.line_pieces(line).values()]
    for at in without_speaker(line, cuts.line, heard):
        pieces[at] = f"somebody: {pieces[at]}"
    return join_pieces(line, cuts.line, heard, pieces)


def _without_missed(text: str, spans: Mapping[str, Span], missed: Collection[str]) -> str:
    heard = [number for number, label in enumerate(spans) if label not in missed]
    return join_pieces(text, [*spans.values()], heard, [text[start:end] for start, end in spans.values()])
