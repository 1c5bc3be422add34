"""Perception of a turn, piece by piece. The form marks the pieces of line and page that each person missed; code only takes
away more. A turn stores the missed pieces of each witness, and every view of a turn is made from them.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cached_property
from typing import Any, get_args

from theact_tui.story.matching import is_unspaced, plain
from theact_tui.story.pack import Mood
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
from theact_tui.story.who_hears_and_answers import MAX_PLACE_CHARACTERS, Presence, Scene, who_answers, written
from theact_tui.text import one_line

RETOLD_WORDS = 5
"""Words in a row by which a paragraph repeats a piece."""
RETOLD_SIGNS = 10
"""Signs in a row, in scripts that don't part words."""


@dataclass(frozen=True, slots=True)
class Perception:
    """Stage of a page, cuts of the turn, and the pieces that each witness missed."""

    stage: Stage = field(default_factory=Stage)
    cuts: Cuts = UNCUT
    heard: dict[str, Heard] = field(default_factory=dict)
    """By witness; who is not here perceives nothing."""
    private: Mapping[str, Collection[str]] = field(default_factory=dict)
    """By witness, the labels of pieces kept from them although they were there."""

    def with_replies(self, replies: Sequence[Entry]) -> "Perception":
        """Add the replies. A witness who missed a private piece that the speaker perceived sees the deeds of the reply
        and does not hear its words."""
        speech = tuple(speech_cuts(entry.text) for entry in replies)
        cuts = self.cuts.model_copy(update={"speech": speech})
        heard = {
            id: self._unheard(id, part, [entry.character or "" for entry in replies])
            for id, part in self.heard.items()
        }
        return replace(self, cuts=cuts, heard=heard)

    def _unheard(self, id: str, part: Heard, speakers: Sequence[str]) -> Heard:
        is_absent = id not in self.stage.here or id in self.stage.asleep
        missed = [label for label in part.missed if not label.islower()]
        deeds: list[str] = []
        for number, speaker in enumerate(speakers):
            speaker_missed = self.heard.get(speaker, FULLY_HEARD).missed
            is_private = not set(self.private.get(id, ())) <= set(speaker_missed)
            if speaker != id and (is_absent or is_private):
                missed.append(reply_label(number))
                deeds += [] if is_absent else [reply_label(number)]
        return Heard(missed=tuple(missed), deeds=tuple(deeds))


def cut(line: str, page: str) -> Cuts:
    """Cut a turn before its replies are told."""
    return Cuts(line=line_cuts(line), page=page_cuts(page), sizes=(len(line), len(page)))


def perceive_written(scene: Scene, page: str, answer: Iterable[str] = ()) -> Perception:
    """The perception of a page that the author wrote: all who are there take in all of it."""
    stage = written(scene, answer)
    return Perception(stage, cut(scene.line, page), dict.fromkeys(stage.here, FULLY_HEARD))


def perceive(scene: Scene, page: str, form: StageForm | None, *, is_scripted: bool = False) -> Perception:
    """Decide the perception of a page from the form about it; any form gives one. Without a form the stage is pending: no
    entrances or exits, one person answers, and only that person perceives the turn."""
    presence = Presence(scene, page, form or StageForm(), is_scripted)
    reading = _Reading(presence, cut(scene.line, page), has_form=form is not None)
    mood, aloud = presence.form.mood, {*re.findall(r"\w", presence.form.aloud or "")}
    stage = Stage.model_validate(
        {
            **{name: reading.ordered(getattr(presence, name)) for name in ("here", "asleep", "gone")},
            "aloud": tuple(label for label in scene.muted if label in aloud and aloud <= {*scene.muted}),
            "answer": reading.answer,
            "mood": mood if mood in get_args(Mood) else "",
            "place": one_line(presence.form.place or "", MAX_PLACE_CHARACTERS)
            or ("" if presence.form.elsewhere else scene.place),
            "by": "form" if form is not None else "pending",
        }
    )
    people = scene.cast if form is not None else reading.answer
    heard = {id: Heard(missed=missed) for id in people if (missed := reading.missed(id)) is not None}
    return Perception(stage, reading.cuts, heard, {id: reading.private(id) for id in heard})


def unaware(scene: Scene, perception: Perception) -> tuple[str, ...]:
    """Ids of those who were there, awake, before the page and at its end, and missed the whole line."""
    line, stage = set(perception.cuts.line_labels), perception.stage
    stayed = (
        id
        for id in scene.stayed
        if id in stage.here and id not in (*scene.asleep, *stage.asleep, *stage.gone)
    )
    if not line or stage.by == "pending":
        return ()
    return tuple(id for id in stayed if id not in perception.heard or line <= {*perception.heard[id].missed})


@dataclass(frozen=True)
class _Reading:
    """Perception by the form's marks and the places of names."""

    presence: Presence
    cuts: Cuts
    has_form: bool

    def ordered(self, ids: Collection[str]) -> tuple[str, ...]:
        return tuple(id for id in self.presence.scene.cast if id in ids)

    @cached_property
    def line(self) -> list[str]:
        return [self.presence.scene.line[start:end] for start, end in self.cuts.line]

    @cached_property
    def page(self) -> list[str]:
        return [self.presence.page[start:end] for start, end in self.cuts.page]

    @cached_property
    def namings(self) -> list[set[str]]:
        """For each paragraph, who is named in it outside of speech."""
        names = self.presence.scene.names
        return [{id for part in paragraphs(text) for id in names.within(part.bare)} for text in self.page]

    @cached_property
    def calls(self) -> dict[str, set[str]]:
        """By person, the labels of the pieces of the line that call them by name."""
        called = [set(self.presence.scene.names.called(piece)) for piece in self.line]
        labels = self.cuts.line_labels
        return {
            id: {label for label, ids in zip(labels, called, strict=True) if id in ids}
            for id in self.presence.scene.cast
        }

    # --- what the form marks ---------------------------------------------------------------------------------------------

    @cached_property
    def marks(self) -> dict[str, set[str]]:
        """By person, the labels that the form or the line itself keeps from them. A call by name overrules the form in
        a piece that all others heard, or where the called person alone could answer."""
        scene, explicit = self.presence.scene, self.presence.scene.explicit
        labels = {*self.cuts.page_labels, *(() if explicit else self.cuts.line_labels)}
        marked = {
            id: labels_in(text, labels)
            for id, text in (self.presence.form.missed or {}).items()
            if id in scene.cast
        }
        if explicit and explicit.hearers is not None:
            for id in scene.cast:
                if id not in explicit.hearers:
                    marked.setdefault(id, set()).update(self.cuts.line_labels)
            return marked
        awake = self.presence.awake_after
        for id, pieces in self.calls.items():
            others = (marks for other, marks in marked.items() if other != id and other in awake)
            private = set().union(*others) if awake != {id} else set()
            if id in marked:
                marked[id] -= pieces - private
        return marked

    @cached_property
    def answer(self) -> tuple[str, ...]:
        line, stayed = set(self.cuts.line_labels), self.presence.awake_before
        # nothing was kept from who only came after the line: they may speak as they enter
        deaf = {id for id, marks in self.marks.items() if line and line <= marks and id in stayed}
        called = [id for id in self.presence.called if self.calls[id] - self.marks.get(id, set())]
        if (explicit := self.presence.scene.explicit) and explicit.hearers and not self.has_form:
            called = list(explicit.hearers)
        return who_answers(self.presence, deaf, called, has_form=self.has_form)

    # --- what each one takes in ------------------------------------------------------------------------------------------

    def missed(self, id: str) -> tuple[str, ...] | None:
        """The labels of the pieces that one person missed; None where they perceive nothing."""
        missed = self._absent_for(id) | self._kept_from(id)
        missed |= self._retelling(missed)
        labels = (*self.cuts.line_labels, *self.cuts.page_labels)
        if missed >= set(labels) and id not in self.presence.awake_after:
            return None
        return tuple(label for label in labels if label in missed)

    def private(self, id: str) -> set[str]:
        """Labels of the pieces kept from a person who was there."""
        return set(self.missed(id) or ()) - self._absent_for(id)

    def _kept_from(self, id: str) -> set[str]:
        marks = self.marks.get(id, set())
        return marks - set(self.cuts.line_labels) if self._is_disbelieved(id, marks) else marks

    def _is_disbelieved(self, id: str, marks: Collection[str]) -> bool:
        """True if the form lets a person answer a line of which the person, there and awake all the time, heard no piece."""
        stayed = self.presence.awake_before & self.presence.awake_after
        line = set(self.cuts.line_labels)
        is_fixed = self.presence.scene.explicit is not None or not line
        return not is_fixed and id in stayed and id in self.answer and line <= set(marks)

    def _absent_for(self, id: str) -> set[str]:
        """Labels of the pieces during which a person was away or asleep."""
        presence, line, page = self.presence, set(self.cuts.line_labels), list(self.cuts.page_labels)
        before, after = id in presence.awake_before, id in presence.awake_after
        named = [number for number, ids in enumerate(self.namings) if id in ids]
        if before and after:
            return set()
        if before:  # left, or fell asleep: up to the paragraph that says so
            last = (named[:1] if id in presence.here else named[-1:]) or [-1]
            return set(page[last[0] + 1 :])
        if after:  # came, or woke up: from the naming on
            is_any_named = any(self.namings)
            first = named[0] if named else len(page) - (0 if is_any_named else 1)
            explicit = presence.scene.explicit
            is_meant = explicit is not None and id in (explicit.hearers or ())
            return set(page[: max(first, 0)]) | (set() if is_meant else self._line_before_naming(id))
        marks = presence.form.missed or {}
        if id in presence.before or id in presence.here or id not in marks or not named:
            return line | set(page)
        return line | {*page[: named[0]], *page[named[-1] + 1 :]}  # came and went

    def _line_before_naming(self, id: str) -> set[str]:
        """Labels of the pieces before the first one that names a person outside of speech, or calls them."""
        labels = self.cuts.line_labels
        for label, piece in zip(labels, self.line, strict=True):
            outside = {
                name for part in paragraphs(piece) for name in self.presence.scene.names.within(part.bare)
            }
            if id in outside or label in self.calls[id]:
                return set(labels[: int(label) - 1])
        return set(labels)

    def _retelling(self, missed: Collection[str]) -> set[str]:
        """The labels of paragraphs that hold five words in a row of a missed piece."""
        texts = dict(zip(self.cuts.line_labels, self.line, strict=True))
        texts |= dict(zip(self.cuts.page_labels, self.page, strict=True))
        missed_runs = set[str]().union(*(_runs(texts[label]) for label in missed))
        return {label for label in self.cuts.page_labels if not missed_runs.isdisjoint(_runs(texts[label]))}


def labels_in(text: str, known: Collection[str]) -> set[str]:
    """The labels of pieces that a form names: "2", "12A", "1, A", or "all"."""
    word = text.strip().casefold()
    if word in ("all", "none"):
        return set(known) if word == "all" else set()
    return {label for label in re.findall(r"\d|[A-Z]|[a-z]", text) if label in known}


def _runs(text: str) -> set[str]:
    """All runs of five words, or ten signs where no spaces part words, in a text."""
    is_solid = is_unspaced(text)
    words = plain(text).replace(" ", "") if is_solid else plain(text).split()
    size, joint = (RETOLD_SIGNS, "") if is_solid else (RETOLD_WORDS, " ")
    return {joint.join(words[at : at + size]) for at in range(len(words) - size + 1)}


# --- showing a turn to somebody ---------------------------------------------------------------------------------------


def perceived(entries: Sequence[Entry], cuts: Cuts, character: str, heard: Heard) -> tuple[Entry, ...]:
    """The entries as far as a character perceived them, in the order given; its own replies it always knows."""
    texts = _texts(entries, cuts, character, heard)
    pairs = zip(entries, texts, strict=True)
    return tuple(
        entry if text == entry.text else entry.model_copy(update={"text": text})
        for entry, text in pairs
        if text
    )


def perceived_line(turn: Turn, character: str) -> str:
    """The part of the player's line that a character heard."""
    if character not in turn.witnesses:
        return ""
    return _line(turn.player_text, turn.cuts, turn.heard.get(character, FULLY_HEARD))


def perceived_by(turn: Turn, cast: Iterable[str]) -> dict[str, dict[str, Any]]:
    """By id, what each of these people perceived of a turn: `line`, the part of the player's line; `pages`, the paragraphs
    of the narration; `entries`, the places in the turn's entries of all that was perceived in whole or in part; `missed`
    and `deeds`, the labels of the pieces."""
    shown: dict[str, dict[str, Any]] = {}
    for id in cast:
        heard = turn.heard.get(id, FULLY_HEARD)
        is_witness = id in turn.witnesses
        texts = _texts(turn.entries, turn.cuts, id, heard) if is_witness else [""] * len(turn.entries)
        by_role = list(zip((entry.role for entry in turn.entries), texts, strict=True))
        shown[id] = {
            "line": next((text for role, text in by_role if role == "player"), ""),
            "pages": [page.text for role, text in by_role if role == "narrator" for page in paragraphs(text)],
            "entries": [number for number, text in enumerate(texts) if text],
            "missed": list(heard.missed) if is_witness else ["all"],
            "deeds": list(heard.deeds),
        }
    return shown


def _texts(entries: Sequence[Entry], cuts: Cuts, character: str, heard: Heard) -> list[str]:
    texts: list[str] = []
    replies = 0
    for entry in entries:
        text = entry.text
        match entry.role:
            case "player":
                text = _line(text, cuts, heard)
            case "narrator":
                missed = [number for number, label in enumerate(cuts.page_labels) if label in heard.missed]
                perceived_numbers = [number for number in range(len(cuts.page)) if number not in missed]
                text = (
                    join_pieces(text, cuts.page, perceived_numbers)
                    if missed
                    else ""
                    if "A" in heard.missed
                    else text
                )
            case "character":
                label = reply_label(replies)
                if entry.character != character and label in heard.missed:
                    speech = cuts.speech[replies] if replies < len(cuts.speech) else ((0, len(text)),)
                    text = without(text, speech) if label in heard.deeds else ""
                replies += 1
            case "system":
                text = ""
        texts.append(text)
    return texts


def _line(line: str, cuts: Cuts, heard: Heard) -> str:
    if not cuts.line:
        return "" if "1" in heard.missed else spoken(line)
    labels = enumerate(cuts.line_labels)
    return join_pieces(line, cuts.line, [number for number, label in labels if label not in heard.missed])


# --- edited texts -----------------------------------------------------------------------------------------------------


def recut(before: Turn, after: Turn) -> Turn:
    """A turn whose texts were edited, cut anew: unchanged pieces keep their witnesses, and who had missed a changed piece
    misses all new ones."""
    if before.cuts == UNCUT:
        return after
    replies = [entry.text for entry in after.entries if entry.role == "character"]
    fresh = cut(after.player_text, after.narration)
    fresh = fresh.model_copy(update={"speech": tuple(map(speech_cuts, replies))})
    line = _carried_over(
        _pieces(before.player_text, before.cuts.line), _pieces(after.player_text, fresh.line)
    )
    page = _carried_over(_pieces(before.narration, before.cuts.page), _pieces(after.narration, fresh.page))
    heard: dict[str, Heard] = {}
    for id, part in before.heard.items():
        missed = set(part.missed)
        labels = _missed_after(line, before.cuts.line_labels, fresh.line_labels, missed)
        labels += _missed_after(page, before.cuts.page_labels, fresh.page_labels, missed)
        labels += [label for label in part.missed if label.islower()]
        heard[id] = part.model_copy(update={"missed": tuple(labels)})
    return after.model_copy(update={"cuts": fresh, "heard": heard})


def refitted(turn: Turn) -> Turn:
    """A turn whose stored cuts fit its texts; a text that was edited in its file is cut anew, and who had missed any piece
    of it misses all of it."""
    if turn.cuts == UNCUT or turn.cuts.sizes == (len(turn.player_text), len(turn.narration)):
        return turn
    fresh = cut(turn.player_text, turn.narration).model_copy(update={"speech": turn.cuts.speech})
    heard: dict[str, Heard] = {}
    for id, part in turn.heard.items():
        line = fresh.line_labels if any(label.isdigit() for label in part.missed) else ()
        page = fresh.page_labels if any(label.isupper() for label in part.missed) else ()
        replies = (label for label in part.missed if label.islower())
        heard[id] = part.model_copy(update={"missed": (*line, *page, *replies)})
    return turn.model_copy(update={"cuts": fresh, "heard": heard})


def _pieces(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in spans]


def _carried_over(before: Sequence[str], after: Sequence[str]) -> list[Collection[int]]:
    """For each piece of an edited text, the numbers of the pieces that it was before: itself, or all that changed."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    sources: list[Collection[int]] = [()] * len(after)
    for kind, first, last, start, end in matcher.get_opcodes():
        for number in range(start, end):
            changed = range(first, last) or range(max(0, first - 1), min(len(before), first + 1))
            sources[number] = [first + number - start] if kind == "equal" else changed
    return sources


def _missed_after(
    sources: Sequence[Collection[int]], old: Sequence[str], new: Sequence[str], missed: Collection[str]
) -> list[str]:
    pairs = zip(new, sources, strict=True)
    return [label for label, numbers in pairs if any(old[number] in missed for number in numbers)]
