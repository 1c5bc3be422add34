"""Presence, answers and perception of a turn by pieces. The form marks missed pieces; code only adds more."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, get_args

from theact_tui.story.matching import is_unspaced, plain
from theact_tui.story.names import Names
from theact_tui.story.pack import Mood
from theact_tui.story.scene import Scene, named_outside_speech
from theact_tui.story.speech import (
    join_pieces,
    line_cuts,
    page_cuts,
    paragraphs,
    speech_cuts,
    spoken,
    without,
)
from theact_tui.story.turn import FULLY_HEARD, UNCUT, Cuts, Entry, Heard, Stage, StageForm, Turn, reply_label
from theact_tui.text import one_line

MAX_ANSWERS = 2
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
    private: Mapping[str, Collection[str]] = field(default_factory=dict)
    unaware: tuple[str, ...] = ()
    """Ids of those present who heard nothing of the line."""

    def with_replies(self, replies: Sequence[Entry]) -> "Perception":
        """Add the replies. A witness who missed a private piece that the speaker perceived sees deeds without hearing
        words.
        """
        heard = dict(self.heard)
        for number, speaker in enumerate(entry.character or "" for entry in replies):
            label, speaker_missed = reply_label(number), self.heard.get(speaker, FULLY_HEARD).missed
            for id, part in heard.items():
                is_away = id not in self.stage.here or id in self.stage.asleep
                if id != speaker and (is_away or not {*self.private.get(id, ())} <= {*speaker_missed}):
                    deeds = part.deeds if is_away else (*part.deeds, label)
                    heard[id] = Heard(missed=(*part.missed, label), deeds=deeds)
        return replace(self, cuts=_with_speech(self.cuts, replies), heard=heard)


def cut(line: str, page: str) -> Cuts:
    """Cut a turn before its replies are told."""
    return Cuts(line=line_cuts(line), page=page_cuts(page), sizes=(len(line), len(page)))


def _with_speech(cuts: Cuts, replies: Sequence[Entry]) -> Cuts:
    speech, sizes = (tuple(map(of, (entry.text for entry in replies))) for of in (speech_cuts, len))
    return cuts.model_copy(update={"speech": speech, "sizes": (*cuts.sizes[:2], *sizes)})


def perceive_written(scene: Scene, page: str, answer: Iterable[str] = ()) -> Perception:
    """Let all present perceive the author's page."""
    present_ids = tuple(id for id in scene.here if scene.held.get(id, True))
    answering = tuple(dict.fromkeys(id for id in answer if id in present_ids))
    fields = {"here": present_ids, "answer": answering, "mood": _mood(scene.mood), "place": scene.place}
    stage = Stage.model_validate({**fields, "by": "written"})
    return Perception(stage, cut(scene.line, page), dict.fromkeys(present_ids, FULLY_HEARD))


def perceive(scene: Scene, page: str, form: StageForm | None, *, is_scripted: bool = False) -> Perception:
    """Decide the perception of a page by the form about it.

    Without a form the stage is pending: presence stays, and only those who answer perceive the turn.
    """
    return _Reading(scene, page, form or StageForm(), form is None, is_scripted).perception


def _mood(mood: str | None) -> str:
    return mood if mood and mood in get_args(Mood) else ""


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
        aloud = {*re.findall(r"\w", form.aloud or "")}
        stage = {
            **{name: self.ordered(getattr(self, name)) for name in ("here", "asleep", "gone")},
            "aloud": tuple(label for label in scene.muted if label in aloud and aloud <= {*scene.muted}),
            "answer": self.answer,
            "mood": _mood(form.mood),
            "place": one_line(form.place or "", MAX_PLACE_CHARACTERS)
            or ("" if form.elsewhere else scene.place),
            "by": "pending" if self.is_pending else "form",
        }
        missed = {id: labels for id in people if (labels := self.missed(id)) is not None}
        line, stayed = {*self.cuts.line_labels}, self.awake_before & self.awake_after
        deaf = {id for id in stayed if line and not self.is_pending and line <= {*missed.get(id, line)}}
        return Perception(
            Stage.model_validate(stage),
            self.cuts,
            {id: Heard(missed=labels) for id, labels in missed.items()},
            {id: {*labels} - self.absent_for(id) for id, labels in missed.items()},
            self.ordered(deaf),
        )

    def ordered(self, ids: Collection[str]) -> tuple[str, ...]:
        return tuple(id for id in self.scene.cast if id in ids)

    @cached_property
    def cuts(self) -> Cuts:
        return cut(self.scene.line, self.page)

    @cached_property
    def line(self) -> dict[str, str]:
        return self.cuts.line_pieces(self.scene.line)

    @cached_property
    def paragraphs(self) -> dict[str, str]:
        return self.cuts.page_pieces(self.page)

    @cached_property
    def namings(self) -> list[set[str]]:
        return [named_outside_speech(text, self.scene.names) for text in self.paragraphs.values()]

    # --- who is there ----------------------------------------------------------------------------------------------

    @cached_property
    def called(self) -> tuple[str, ...]:
        return self.scene.names.called(self.scene.audible_line)

    @cached_property
    def gone(self) -> set[str]:
        return {*self.scene.answered} & {*(self.form.gone or ())} - {*self.scene.held}

    @cached_property
    def before(self) -> set[str]:
        return {*self.scene.stayed} - self.gone

    @cached_property
    def here(self) -> set[str]:
        """Ids present at the end. On a page with names a newcomer must be named, or called by the line."""
        scene, form, before = self.scene, self.form, {*self.scene.here} - self.gone
        named = set().union(*self.namings) if not self.is_scripted else set[str]()
        may_come = before | named | {*self.called}
        claimed = (before if form.here is None else {*form.here}) | ({*(form.answer or ())} & may_come)
        present = claimed & may_come if named else claimed
        if form.elsewhere and named:
            present &= named
        return {id for id in scene.cast if scene.held.get(id, id in present)}

    @cached_property
    def asleep(self) -> set[str]:
        asleep = self.scene.asleep if self.form.asleep is None else self.form.asleep
        return ({*asleep} & self.here) - ({*self.called} & {*(self.form.answer or ())})

    @cached_property
    def awake_before(self) -> set[str]:
        return self.before - {*self.scene.asleep}

    @cached_property
    def awake_after(self) -> set[str]:
        return self.here - self.asleep

    # --- who answers -----------------------------------------------------------------------------------------------

    @cached_property
    def answer(self) -> tuple[str, ...]:
        """Ids that answer: those asked; else those called, the owner of the next beat, those in the form. Who missed
        the whole line answers only if there is no other.
        """
        scene, form, line = self.scene, self.form, {*self.line}
        if scene.asked:
            return tuple(id for id in scene.asked if id in self.awake_after) or scene.asked
        able = [id for id in scene.cast if id in self.awake_after and id not in scene.hushed]
        # nothing was kept from who only came after the line: they may speak as they enter
        deaf = {id for id in self.awake_before if line and line <= self.marks.get(id, set())}
        able = [id for id in able if id not in deaf] or able
        named = [id for id in form.answer or () if id in able]
        if self.is_scripted:
            return tuple(dict.fromkeys(named))
        called = [id for id in self.called if id in able and self._hears_call(id)]
        if (explicit := scene.explicit) and explicit.hearers and self.is_pending:
            called = [id for id in explicit.hearers if id in able]
        if form.answer is None:
            last = [id for id in scene.answered if id in able]
            alone = able if len(able) == 1 and not self.is_pending else []
            return tuple(called[:1] or last[:1] or alone)
        owner = [scene.owner] if scene.owner in able and not called else []
        return tuple(dict.fromkeys((*called, *owner, *named)))[:MAX_ANSWERS]

    def _hears_call(self, id: str) -> bool:
        heard = (text for label, text in self.line.items() if label not in self.marks.get(id, ()))
        return any(id in self.scene.names.called(text) for text in heard)

    # --- who perceives what ----------------------------------------------------------------------------------------

    @cached_property
    def marks(self) -> dict[str, set[str]]:
        """Labels that form or line hide, by person."""
        scene, explicit = self.scene, self.scene.explicit
        labels = {*self.paragraphs, *(() if explicit else self.line)}
        form_marks = {id: labels_in(text, labels) for id, text in (self.form.missed or {}).items()}
        hearers = dict(zip(self.line, scene.hearers_of(self.cuts.line), strict=True))
        by_arrow = {
            id: {label for label, ids in hearers.items() if ids is not None and id not in ids}
            for id in scene.cast
        }
        return {id: form_marks.get(id, set()) | by_arrow[id] for id in scene.cast}

    def missed(self, id: str) -> tuple[str, ...] | None:
        """Return labels of missed pieces; None if nothing is perceived."""
        texts = {**self.line, **self.paragraphs}
        missed = self.absent_for(id) | self.marks[id]
        missed_runs = set[str]().union(*(_runs_of_words(texts[label]) for label in missed))
        missed |= {
            label
            for label, text in self.paragraphs.items()
            if not missed_runs.isdisjoint(_runs_of_words(text))
        }
        if missed >= {*texts} and id not in self.awake_after:
            return None
        return tuple(label for label in texts if label in missed)

    def absent_for(self, id: str) -> set[str]:
        """Return labels of pieces told while a person was away or asleep."""
        page, named = list(self.paragraphs), [at for at, ids in enumerate(self.namings) if id in ids]
        before, after = id in self.awake_before, id in self.awake_after
        if before and after:
            return set()
        if before:  # fell asleep, or left
            last = named[:1] if id in self.here else named[-1:]
            return {*page[(last or [-1])[0] + 1 :]}
        if not after:  # came and went, if the form says so
            is_visit = named and id in (self.form.missed or {}) and id not in self.before | self.here
            return {*self.line, *page} - {*(page[named[0] : named[-1] + 1] if is_visit else ())}
        names, explicit = self.scene.names, self.scene.explicit
        is_meant = explicit is not None and id in (explicit.hearers or ())
        naming = [at for at, text in enumerate(self.line.values()) if id in _named_or_called(text, names)]
        first_piece = 0 if is_meant else [*naming, len(self.line)][0]
        unnamed = len(page) if any(self.namings) else max(len(page) - 1, 0)
        return {*[*self.line][:first_piece], *page[: [*named, unnamed][0]]}


def _named_or_called(text: str, names: Names) -> set[str]:
    return named_outside_speech(text, names) | {*names.called(text)}


def labels_in(text: str, labels: Collection[str]) -> set[str]:
    """Parse the labels of pieces in a form: "2", "12A", "1, A", or "all"."""
    word = text.strip().casefold()
    if word in ("all", "none"):
        return set(labels) if word == "all" else set()
    return {label for label in re.findall(r"\d|[A-Z]|[a-z]", text) if label in labels}


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
    if character not in turn.witnesses:
        return ""
    return _heard_line(turn.player_text, turn.cuts, turn.heard.get(character, FULLY_HEARD).missed)


def perceived_by(turn: Turn, cast: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return for `show --json`, by id: heard part of the line, paragraphs, indexes of perceived entries, labels."""
    shown: dict[str, dict[str, Any]] = {}
    for id in cast:
        is_witness, heard = id in turn.witnesses, turn.heard.get(id, FULLY_HEARD)
        texts = _heard_texts(turn.entries, turn.cuts, id, heard) if is_witness else [""] * len(turn.entries)
        page = "".join(
            text for entry, text in zip(turn.entries, texts, strict=True) if entry.role == "narrator"
        )
        shown[id] = {
            "line": perceived_line(turn, id),
            "pages": [paragraph.text for paragraph in paragraphs(page)],
            "entries": [number for number, text in enumerate(texts) if text],
            "missed": list(heard.missed) if is_witness else ["all"],
            "deeds": list(heard.deeds),
        }
    return shown


def _heard_texts(entries: Sequence[Entry], cuts: Cuts, character: str, heard: Heard) -> list[str]:
    texts: list[str] = []
    speech, labels = iter(cuts.speech), map(reply_label, range(len(entries)))
    for entry in entries:
        text = entry.text if entry.role != "system" else ""
        if entry.role == "player":
            text = _heard_line(text, cuts, heard.missed)
        elif entry.role == "narrator":
            text = _heard_page(text, cuts, heard.missed)
        elif entry.role == "character":
            spans, label = next(speech, ((0, len(text)),)), next(labels)
            if entry.character != character and label in heard.missed:
                text = without(text, spans) if label in heard.deeds else ""
        texts.append(text)
    return texts


def _heard_line(line: str, cuts: Cuts, missed: Collection[str]) -> str:
    """Leave out asides and missed pieces."""
    if not cuts.line:
        return "" if "1" in missed else spoken(line)
    pieces = cuts.line_pieces(line)
    return join_pieces(
        line, cuts.line, [n for n, label in enumerate(pieces) if label not in missed], [*pieces.values()]
    )


def _heard_page(page: str, cuts: Cuts, missed: Collection[str]) -> str:
    if missed_labels := {*(cuts.page_labels or ("A",))} & {*missed}:
        pieces = cuts.page_pieces(page)
        numbers = [n for n, label in enumerate(pieces) if label not in missed_labels]
        return join_pieces(page, cuts.page, numbers, [*pieces.values()])
    return page


# --- edited texts -----------------------------------------------------------------------------------------------------


def recut(before: Turn, after: Turn) -> Turn:
    """Cut a turn anew after its texts were edited. Unchanged pieces keep their witnesses; whoever missed a lost piece
    (any, if none is lost) misses all new ones.
    """
    return after if before.cuts == UNCUT else _recut(after, before.player_text, before.narration)


def recut_from_file(turn: Turn) -> Turn:
    """Cut texts anew that were edited in their file. Whoever missed any piece of a text misses all of it."""
    stored, texts = turn.cuts.sizes, (turn.player_text, turn.narration)
    sizes = (*map(len, texts), *(len(reply.text) for reply in turn.replies))
    if turn.cuts == UNCUT or (len(stored) > 1 and sizes[: len(stored)] == stored):
        return turn
    unchanged = (text if stored[at : at + 1] == (len(text),) else "" for at, text in enumerate(texts))
    return _recut(turn, *unchanged)


def _recut(turn: Turn, former_line: str, former_page: str) -> Turn:
    old, new = turn.cuts, _with_speech(cut(turn.player_text, turn.narration), turn.replies)
    origins = {label: {label} for part in turn.heard.values() for label in part.missed if label.islower()}
    for whole, old_pieces, new_pieces in (
        ("1", old.line_pieces(former_line), new.line_pieces(turn.player_text)),
        ("A", old.page_pieces(former_page), new.page_pieces(turn.narration)),
    ):
        lost = {label for label, text in old_pieces.items() if text not in new_pieces.values()}
        for label, text in new_pieces.items():
            same = {at for at, piece in old_pieces.items() if piece == text}
            origins[label] = same or lost or {whole, *old_pieces}
    heard: dict[str, Heard] = {}
    for id, part in turn.heard.items():
        missed = sorted(label for label, labels in origins.items() if not labels.isdisjoint(part.missed))
        heard[id] = part.model_copy(update={"missed": tuple(missed)})
    return turn.model_copy(update={"cuts": new, "heard": heard})
