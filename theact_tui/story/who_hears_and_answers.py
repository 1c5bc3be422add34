"""Presence at the end of a page, addressees of a line, and who answers: the model's form, checked against names and
what was before. No check knows a word of any language.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import get_args

from theact_tui.story.game import Game
from theact_tui.story.names import Names
from theact_tui.story.pacing import lead_of
from theact_tui.story.pack import Mood
from theact_tui.story.speech import addressed_to, paragraphs
from theact_tui.story.steering import Steering
from theact_tui.story.turn import Entry, Stage, StageForm, reply_label

MAX_ANSWERS = 2
MAX_PLACE_CHARACTERS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """State before the page of a turn, and choices of player or author."""

    line: str = ""
    """The player's line as it was typed."""
    names: Names
    """The people of the chapter."""
    here: tuple[str, ...] = ()
    """Ids of those on stage."""
    stayed: tuple[str, ...] = ()
    """Of these, who was there already; a new chapter may bring others."""
    asleep: tuple[str, ...] = ()
    place: str = ""
    mood: Mood | str = ""
    replies: tuple[Entry, ...] = ()
    """The replies of the turn before, in order."""
    muted: tuple[str, ...] = ()
    """Labels of replies that a person present saw without hearing them."""
    held: Mapping[str, bool] = field(default_factory=dict)
    """Who is here or away as the player set it."""
    asked: tuple[str, ...] = ()
    """Who is to answer; empty: it is open."""
    hushed: tuple[str, ...] = ()
    owner: str = ""
    """Id of the character whose act the next beat is; empty: none, or the beat can wait."""

    @property
    def cast(self) -> tuple[str, ...]:
        return tuple(self.names.of)

    @property
    def awake(self) -> tuple[str, ...]:
        return tuple(id for id in self.here if id not in self.asleep)

    @property
    def answered(self) -> tuple[str, ...]:
        """Ids of those who answered in the last turn, in that order."""
        speakers = (entry.character for entry in self.replies)
        return tuple(dict.fromkeys(id for id in speakers if id and id in self.names.of))

    @property
    def explicit(self) -> Whispered | None:
        """Addressees named by the line itself; None if it names none."""
        return whispered(self.line, self.names)

    @property
    def said(self) -> str:
        """The line as it can be heard: without asides, and without the names of those it is for."""
        return addressed_to(self.line)[1]

    def concerned(self, page: str) -> tuple[str, ...]:
        """Ids of those who may have perceived part of the turn: who was here, and whom page or line name."""
        named = {*self.here, *named_on(page, self.names), *self.names.within(self.said)}
        return tuple(id for id in self.cast if id in named and self.held.get(id, True))

    def offered(self, page: str) -> dict[str, tuple[str, ...]]:
        """The fields that the form asks for, in this order, each with the ids it may name. A field is left out when player
        or author fixed it, or it can't be otherwise."""
        may_be_here = tuple(id for id in self.cast if self.held.get(id, True))
        unfixed = tuple(id for id in self.cast if id not in self.held)
        fields: dict[str, tuple[str, ...] | None] = {
            "answer": None
            if self.asked
            else tuple(id for id in may_be_here if id not in self.hushed) or None,
            "missed": self.concerned(page) or None,
            "here": unfixed or None,
            "asleep": may_be_here or None,
            "gone": tuple(id for id in self.answered if id in self.here and id in unfixed) or None,
            "aloud": self.muted or None,
            "elsewhere": () if self.here else None,
            "place": (),
        }
        return {name: ids for name, ids in fields.items() if ids is not None}


def scene_of(game: Game, line: str, steering: Steering | None = None) -> Scene:
    """The scene of the turn that follows `game`, in which the player says `line`."""
    state, last, steering = game.state, game.last_turn, steering or Steering()
    cast = game.chapter.characters
    present_ids = tuple(id for id in cast if id in state.present)
    stayed, slept = present_ids, tuple(last.asleep if last else ())
    if state.transition and last:
        stayed = tuple(id for id in present_ids if id in there_at_the_end_of(game))
    waits = state.game_complete or lead_of(game, line).way == "react"
    beat = "" if waits else next(iter(game.unmet_beats), "")
    replies = tuple(entry for entry in last.entries if entry.role == "character") if last else ()
    heard = last.heard.values() if last else ()
    deeds = {label for part in heard for label in part.deeds}
    labels = (reply_label(number) for number in range(len(replies)))
    return Scene(
        line=line,
        names=Names({id: game.pack.name_of(id) for id in cast}),
        here=present_ids,
        stayed=stayed,
        asleep=tuple(id for id in present_ids if id in slept and id not in state.woken),
        place=last.setting if last else "",
        mood=last.mood if last else "calm",
        replies=replies,
        muted=tuple(label for label in labels if label in deeds),
        held={id: on for id, on in state.held.items() if id in cast},
        asked=tuple(id for id in steering.asked if id in cast),
        hushed=tuple(steering.hushed),
        owner=game.chapter.by.get(beat, ""),
    )


def there_at_the_end_of(game: Game) -> tuple[str, ...]:
    """Ids of those on stage at the end of the last turn."""
    last = game.last_turn
    if last is None:
        return ()
    return (
        last.stage.here
        if last.stage
        else tuple(dict.fromkeys((*last.witnesses, *last.asleep, *last.unaware)))
    )


def named_on(page: str, names: Names) -> set[str]:
    """Ids of those whom a page names outside of speech."""
    return {id for paragraph in paragraphs(page) for id in names.within(paragraph.bare)}


# --- who is there -----------------------------------------------------------------------------------------------------


def written(scene: Scene, answer: Iterable[str] = ()) -> Stage:
    """The stage of a page that the author wrote: all who are on it perceive all of it."""
    present_ids = tuple(id for id in scene.here if scene.held.get(id, True))
    answering = tuple(dict.fromkeys(id for id in answer if id in present_ids))
    mood = scene.mood if scene.mood in get_args(Mood) else ""
    return Stage.model_validate(
        {"here": present_ids, "answer": answering, "mood": mood, "place": scene.place, "by": "written"}
    )


@dataclass(frozen=True)
class Presence:
    """Presence before and after a page, by the form as far as page and line confirm it."""

    scene: Scene
    page: str
    form: StageForm
    is_scripted: bool = False
    """The offline storyteller filled in the form: it is known, and not checked against the page."""

    @cached_property
    def named(self) -> set[str]:
        return set() if self.is_scripted else named_on(self.page, self.scene.names)

    @cached_property
    def called(self) -> tuple[str, ...]:
        return self.scene.names.called(self.scene.said)

    @cached_property
    def gone(self) -> tuple[str, ...]:
        """Ids of those who left in their reply of the turn before."""
        scene = self.scene
        return tuple(id for id in scene.answered if id in (self.form.gone or ()) and id not in scene.held)

    @cached_property
    def before(self) -> set[str]:
        """Ids of those present when the line comes."""
        return set(self.scene.stayed) - set(self.gone)

    @cached_property
    def here(self) -> set[str]:
        """Ids of those present at the end. A newcomer must be called, or be named outside of speech if the page has names."""
        scene, form = self.scene, self.form
        before = set(scene.here) - set(self.gone)
        may_come = set(scene.cast) if not self.named else before | self.named | set(self.called)
        claimed = set(before if form.here is None else form.here) | (set(form.asleep or ()) & before)
        present_ids = (
            claimed | (set(form.answer or ()) & (before | self.named | set(self.called)))
        ) & may_come
        if form.elsewhere and self.named:
            present_ids &= self.named
        return {id for id in scene.cast if scene.held.get(id, id in present_ids)}

    @cached_property
    def asleep(self) -> set[str]:
        claimed = set(self.scene.asleep if self.form.asleep is None else self.form.asleep) & self.here
        return claimed - (set(self.called) & set(self.form.answer or ()))

    @cached_property
    def awake_before(self) -> set[str]:
        return self.before - set(self.scene.asleep)

    @cached_property
    def awake_after(self) -> set[str]:
        return self.here - self.asleep


# --- who answers ------------------------------------------------------------------------------------------------------


def who_answers(
    presence: Presence, deaf: Collection[str], called: Collection[str], *, has_form: bool = True
) -> tuple[str, ...]:
    """Ids of those who answer: whom the player asked; else who is called, the owner of the next beat, whom the form
    names. `deaf` missed the whole line: they answer only if all who could answer missed it."""
    scene, form = presence.scene, presence.form
    if scene.asked:
        return tuple(id for id in scene.asked if id in presence.awake_after) or scene.asked
    able = [id for id in scene.cast if id in presence.awake_after and id not in scene.hushed]
    able = [id for id in able if id not in deaf] or able
    named = tuple(id for id in form.answer or () if id in able)
    if presence.is_scripted:
        return tuple(dict.fromkeys(named))
    called = [id for id in called if id in able]
    if not has_form or form.answer is None:
        last = [id for id in scene.answered if id in able]
        return tuple(called[:1] or last[:1] or (able if has_form and len(able) == 1 else ()))
    owner = [scene.owner] if scene.owner in able and not called else []
    return tuple(dict.fromkeys((*called, *owner, *named)))[:MAX_ANSWERS]


# --- what the line itself says ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Whispered:
    """A line that says for whom it is."""

    hearers: tuple[str, ...] | None
    """Who alone hears it; None: all. Empty: nobody, of what is all aside or for one who is not known."""
    text: str


_TO_ALL = frozenset({"all", "*"})


def whispered(line: str, names: Names) -> Whispered | None:
    """Parse the addressees of a line: `→ Maya: ...`, `→ all: ...`, or all of it stands in parentheses."""
    to, text = addressed_to(line)
    if not (to or text):
        return Whispered((), "") if line.strip() else None
    if not to:
        return None
    if to.casefold() in _TO_ALL:
        return Whispered(None, text)
    meant = {id for _, ids in names.listed(to) for id in ids}
    return Whispered(tuple(id for id in names.of if id in meant), text)
