"""Who is there at the end of a page, who heard the player's line, and who answers: what a model says of it, checked.

No check knows a word of any language: it is names, quotation marks and what was before that count.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import get_args

from theact_tui.story.game import Game
from theact_tui.story.matching import plain
from theact_tui.story.names import NOBODY, Names
from theact_tui.story.pacing import lead_of
from theact_tui.story.pack import Mood
from theact_tui.story.speech import addressed_to, is_quoting, paragraphs, pieces
from theact_tui.story.steering import Steering
from theact_tui.story.turn import WHOLE, Stage, StageForm
from theact_tui.text import one_line

MOST_ANSWERS = 2
LONGEST_PLACE = 60
"""Characters of what is said of place and hour."""
MOST_OF_LINE = 0.6
"""The share of the line that the words which say why may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """All that is known before the page of a turn, and what player or author fixed."""

    line: str = ""
    """The player's line as it was typed."""
    names: Names
    """The people of the chapter."""
    here: tuple[str, ...] = ()
    """Ids of those on stage."""
    stayed: tuple[str, ...] = ()
    """Of these, who was there already; a new chapter may bring others."""
    first: bool = False
    """The page is a story's first: it says who is there at all."""
    asleep: tuple[str, ...] = ()
    place: str = ""
    mood: Mood = "calm"
    answered: tuple[str, ...] = ()
    """Ids of those who answered in the last turn, in that order."""
    held: Mapping[str, bool] = field(default_factory=dict)
    """Who is here or away as the player set it."""
    asked: tuple[str, ...] = ()
    """Who is to answer; empty: it is open."""
    hushed: tuple[str, ...] = ()
    owner: str = ""
    """Whose act the next beat is; empty: nobody's, or it can wait."""

    @property
    def cast(self) -> tuple[str, ...]:
        return tuple(self.names.of)

    @property
    def awake(self) -> tuple[str, ...]:
        return tuple(id for id in self.here if id not in self.asleep)

    @property
    def explicit(self) -> Whispered | None:
        """Whom the line itself says to be for; None: it does not."""
        return whispered(self.line, self.names)

    @property
    def said(self) -> str:
        """The line as it can be heard: without asides, and without the names of those it is for."""
        return addressed_to(self.line)[1]

    @property
    def offered(self) -> dict[str, tuple[str, ...]]:
        """The fields that the form is to ask for, in this order, each with the ids it may name. What is fixed, or cannot
        be otherwise, is not asked for."""
        open_ = tuple(id for id in self.cast if id not in self.held)
        may = tuple(id for id in self.cast if self.held.get(id, True))
        alone = len(self.cast) < 2
        answered = tuple(id for id in self.answered if id in self.here and id in open_)
        asked: dict[str, tuple[str, ...] | None] = {
            "moved": None if alone else (),
            "here": open_ or None,
            "asleep": may or None,
            "passed": None if alone else tuple(id for id in open_ if id not in self.here) or None,
            "gone": None if alone else answered or None,
            "because": None,
            "heard_by": None,
            "answer": None if self.asked else tuple(id for id in may if id not in self.hushed) or None,
            "mood": (),
            "place": (),
        }
        if self.said and not self.explicit and self.awake and not alone:
            asked |= {"because": (), "heard_by": (*may, NOBODY)}
        return {name: ids for name, ids in asked.items() if ids is not None}


def scene_of(game: Game, line: str, steering: Steering | None = None) -> Scene:
    """The scene of the turn that follows `game`, in which the player says `line`."""
    state, last, steering = game.state, game.last_turn, steering or Steering()
    cast = game.chapter.characters
    here = tuple(id for id in cast if id in state.present)
    stayed, slept = here, tuple(last.asleep if last else ())
    if state.transition and last:
        stayed = tuple(id for id in here if id in there_at_the_end_of(game))
    waits = state.game_complete or lead_of(game, line).way == "react"
    beat = "" if waits else next(iter(game.unmet_beats), "")
    answered = [entry.character for entry in last.entries if entry.role == "character"] if last else []
    return Scene(
        line=line,
        names=Names({id: game.pack.name_of(id) for id in cast}),
        here=here,
        stayed=stayed,
        first=last is None,
        asleep=tuple(id for id in here if id in slept and id not in state.woken),
        place=last.setting if last else "",
        mood=last.mood if last else "calm",
        answered=tuple(dict.fromkeys(filter(None, answered))),
        held={id: on for id, on in state.held.items() if id in cast},
        asked=tuple(id for id in steering.asked if id in cast),
        hushed=tuple(steering.hushed),
        owner=game.chapter.by.get(beat, ""),
    )


def there_at_the_end_of(game: Game) -> tuple[str, ...]:
    """Who was on stage at the end of the last turn."""
    last = game.last_turn
    if last is None:
        return ()
    if last.stage:
        return last.stage.here
    stayed = (id for id in last.witnesses if last.heard.get(id, WHOLE).end is None)
    return tuple(dict.fromkeys((*stayed, *last.asleep, *last.unaware)))


def written(scene: Scene, answer: Iterable[str] = ()) -> Stage:
    """The stage of a page that the author wrote: all who are on it hear it all."""
    here = tuple(id for id in scene.here if scene.held.get(id, True))
    answering = tuple(dict.fromkeys(id for id in answer if id in here))
    return Stage(here=here, answer=answering, mood=scene.mood, place=scene.place, by="written")


def decide(scene: Scene, page: str, form: StageForm | None, *, scripted: bool = False) -> Stage:
    """The facts of a page, given what the form says of it; without one, what was before goes on, nobody comes, and only the
    one who answers takes in the turn. What a `scripted` form says is known, not guessed: it is not checked against the
    page. Any form gives a stage."""
    if form is None:
        return _without_form(scene)
    known = form
    gone = tuple(
        id for id in scene.answered if id in (known.gone or ()) and id in scene.here and id not in scene.held
    )
    before = tuple(id for id in scene.here if id not in gone)
    hearers = _hearers(scene, known, [id for id in before if id not in scene.asleep], scripted=scripted)
    calls = _calls(scene, hearers, known.because or "")
    seen = set() if scripted else seen_on(page, scene.names)
    here = _here(scene, before, known, seen, calls)
    moved = bool(known.moved)
    if moved and seen:
        here &= seen
    here = {id for id in scene.cast if scene.held.get(id, id in here)}
    asleep = set(scene.asleep if known.asleep is None else known.asleep) & here
    asleep -= set(calls) & set(known.answer or ())
    answer = _answer(scene, page, known.answer, here - asleep, hearers, calls)
    if not scripted and not scene.asked:
        answer = _owner_first(scene, answer, here - asleep, hearers, calls)
    stayed = [id for id in before if id in scene.stayed]

    def ordered(ids: Collection[str]) -> tuple[str, ...]:
        return tuple(id for id in scene.cast if id in ids)

    return Stage(
        here=ordered(here),
        asleep=ordered(asleep),
        arrived=ordered(here - set(stayed)),
        left=ordered(set(stayed) - here),
        woken=ordered(set(stayed) & set(scene.asleep) & (here - asleep)),
        passed=ordered(
            {
                id
                for id in known.passed or ()
                if id not in here and id not in before and scene.held.get(id, True)
                if not seen or id in seen or id in calls
            }
        ),
        gone=ordered(gone),
        moved=moved,
        hearers=hearers,
        public=() if hearers is None or scene.explicit else _public_sentences(scene, known.because or ""),
        claimed=_claimed(scene, known),
        called=calls,
        answer=answer,
        mood=known.mood if known.mood in get_args(Mood) else scene.mood,
        place=one_line(known.place or "", LONGEST_PLACE) or ("" if moved else scene.place),
    )


def _without_form(scene: Scene) -> Stage:
    """The stage of a page about which no form could be had: one person answers, and nobody else takes in the turn."""
    here = tuple(id for id in scene.cast if scene.held.get(id, id in scene.here))
    asleep = tuple(id for id in scene.asleep if id in here)
    explicit = scene.explicit.hearers if scene.explicit else None
    able = [id for id in here if id not in (*asleep, *scene.hushed) and (explicit is None or id in explicit)]
    called = [*scene.names.called(scene.said), *(explicit or ()), *scene.answered]
    answer = tuple(id for id in called if id in able)[:1]
    if scene.asked:
        answer = tuple(id for id in scene.asked if id in here) or scene.asked
    return Stage(
        here=here,
        asleep=asleep,
        hearers=answer if scene.said else None,
        answer=answer,
        mood=scene.mood,
        place=scene.place,
        by="fallback",
    )


def seen_on(page: str, names: Names) -> set[str]:
    """Ids of those whom a page names outside of what is said on it."""
    return {id for paragraph in paragraphs(page) for id in names.within(paragraph.bare)}


def _here(
    scene: Scene, before: Collection[str], form: StageForm, seen: Collection[str], calls: Collection[str]
) -> set[str]:
    """Who is there at the end. To be new it takes to be named, outside of speech, or to be called, if the page names
    anybody at all."""
    sleepers = [id for id in form.asleep or () if id in before]
    wanted = {*(before if form.here is None else form.here), *sleepers}
    # who answers is there: one who was, or is seen to come
    wanted |= {id for id in form.answer or () if id in before or id in seen or id in calls}
    return {
        id for id in scene.cast if id in wanted and (id in before or not seen or id in seen or id in calls)
    }


def _calls(scene: Scene, hearers: Collection[str] | None, because: str) -> dict[str, tuple[int, ...]]:
    """By who is called by name in the line, the numbers of the sentences that do. In what is kept from somebody it does
    not count: `"Dorothy, the old hag, lies."`"""
    made: dict[str, tuple[int, ...]] = {}
    kept = _kept_sentences(scene, because) if hearers is not None else frozenset[int]()
    for number, text in enumerate(sentences_of(scene.said)):
        for id in scene.names.called(text):
            if hearers is None or id in hearers or (number not in kept and not scene.explicit):
                made[id] = (*made.get(id, ()), number)
    return made


def _kept_sentences(scene: Scene, because: str) -> frozenset[int]:
    """The sentences of a line that are kept from some: those which say so, and the quotation after them, or before."""
    told = pieces(scene.said)
    says = [at for at, piece in enumerate(told) if piece.quotation is None and _tells(piece.text, because)]
    says = says or [at for at, piece in enumerate(told) if _tells(because, piece.text)]
    last = max(says, default=-1)
    after = (piece.quotation for piece in told[last + 1 :] if piece.quotation is not None)
    earlier = (piece.quotation for piece in reversed(told[: last + 1]) if piece.quotation is not None)
    quotation = next(after, next(earlier, None))
    within = (piece.sentence for piece in told if quotation is not None and piece.quotation == quotation)
    return frozenset({*(told[at].sentence for at in says), *within})


def _public_sentences(scene: Scene, because: str) -> tuple[int, ...]:
    """The sentences before those that are kept from some, where these go on with what is said low: whoever is there hears
    them. What nothing is quoted behind may itself be what was said low."""
    told = pieces(scene.said)
    at = next(
        (at for at, piece in enumerate(told) if piece.quotation is None and _tells(piece.text, because)), 0
    )
    sentence = told[at].sentence if told else 0
    if not at or not any(
        piece.quotation is not None and piece.sentence == sentence for piece in told[at + 1 :]
    ):
        return ()
    kept = {piece.quotation for piece in told if piece.sentence == sentence} - {None}
    return tuple(
        range(min(piece.sentence for piece in told if piece.sentence == sentence or piece.quotation in kept))
    )


def _tells(text: str, words: str) -> bool:
    return bool(plain(words)) and plain(words) in plain(text)


def sentences_of(line: str) -> list[str]:
    """The sentences of a line, as `Stage.called` counts them."""
    made: dict[int, str] = {}
    for piece in pieces(line):
        made[piece.sentence] = f"{made.get(piece.sentence, '')} {piece.text}".strip()
    return list(made.values())


def _claimed(scene: Scene, form: StageForm) -> tuple[str, ...]:
    named = set(form.heard_by or ())
    return tuple(id for id in scene.cast if id in named) or ((NOBODY,) if NOBODY in named else ())


def _hearers(
    scene: Scene, form: StageForm, awake: Collection[str], *, scripted: bool
) -> tuple[str, ...] | None:
    """Who alone hears the line, of those `awake` and there when it comes; None: all of them."""
    if explicit := scene.explicit:
        return explicit.hearers
    claimed = _claimed(scene, form)
    if not claimed or (awake and set(awake) <= set(claimed)):
        return None
    if not (scripted or _is_believed(scene, form.because or "")):
        return None
    if NOBODY in claimed and (
        is_quoting(scene.said) or set(scene.names.within(form.because or "")) & set(awake)
    ):
        return None  # somebody is spoken to
    return claimed if NOBODY not in claimed else ()


def _is_believed(scene: Scene, because: str) -> bool:
    """True if the words that say why stand in the line, outside of speech, and leave something to be heard."""
    line = paragraphs(scene.said)
    words = plain(" ".join(paragraph.bare for paragraph in paragraphs(because)))
    told = plain(" | ".join(paragraph.bare for paragraph in line))
    if len(words) < 2 or words not in told:
        return False
    is_said = any(re.search(r"\w", p.text[a:b]) for p in line for a, b in p.speech)
    return is_said or len(words) <= MOST_OF_LINE * len(plain(scene.said))


def _answer(
    scene: Scene,
    page: str,
    named: tuple[str, ...] | None,
    able: Collection[str],
    hearers: tuple[str, ...] | None,
    calls: Collection[str],
) -> tuple[str, ...]:
    """Who answers, of those `able` to; of a line that is kept from some, who hears it."""
    if scene.asked:
        return tuple(id for id in scene.asked if id in able) or scene.asked
    willing = [id for id in scene.cast if id in able and id not in scene.hushed]
    if hearers:
        willing = [id for id in willing if id in hearers]
    if named is None:
        return _unasked(scene, page, willing, calls)
    answer = tuple(dict.fromkeys(id for id in named if id in willing))
    return answer or (tuple(willing[:1]) if named and hearers else ())


def _unasked(scene: Scene, page: str, willing: Collection[str], calls: Collection[str]) -> tuple[str, ...]:
    """Who answers where that was not said: who is called, or else named in the line or on the page, or else spoke last."""
    line, told = scene.names.within(scene.said), scene.names.within(page)
    for ids in (calls, line, told, scene.answered, willing):
        if found := [id for id in ids if id in willing]:
            return tuple(found[: MOST_ANSWERS if ids is calls or ids is line else 1])
    return ()


def _owner_first(
    scene: Scene,
    answer: tuple[str, ...],
    able: Collection[str],
    hearers: tuple[str, ...] | None,
    calls: Collection[str],
) -> tuple[str, ...]:
    """The answer begins with whose act the next beat is, unless somebody else is called."""
    owner = scene.owner
    others = {id for id in calls if id in able} - {owner}
    if owner not in able or owner in scene.hushed or others or (hearers and owner not in hearers):
        return answer
    return (owner, *(id for id in answer if id != owner))[: max(MOST_ANSWERS, len(answer))]


# --- what the line itself says ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Whispered:
    """A line that says for whom it is."""

    hearers: tuple[str, ...] | None
    """Who alone hears it; None: all. Empty: nobody, of what is all aside or for one who is not known."""
    text: str


_TO_ALL = frozenset({"all", "*"})


def whispered(line: str, names: Names) -> Whispered | None:
    """Whom a line is for, if it says so: `→ Maya: ...`, `→ all: ...`, or all of it stands in parentheses."""
    to, text = addressed_to(line)
    if not (to or text):
        return Whispered((), "") if line.strip() else None
    if not to:
        return None
    if to.casefold() in _TO_ALL:
        return Whispered(None, text)
    meant = {id for _, ids in names.listed(to) for id in ids}
    return Whispered(tuple(id for id in names.of if id in meant), text)
