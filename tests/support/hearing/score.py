"""What a reading of a scene gives away and what it withholds, counted in letters, against the labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import astuple, dataclass, fields

from tests.support.hearing.pieces import missed_spans, pieces_of, places
from tests.support.hearing.scenes import NOBODY, MissedSpans, Scene


@dataclass(frozen=True)
class Reading:
    """What a form, or the program, says of a scene."""

    missed: MissedSpans
    here: Collection[str] | None = None
    asleep: Collection[str] | None = None
    answer: tuple[str, ...] | None = None


def reading_of_marks(scene: Scene, marks: Mapping[str, Collection[str]]) -> Reading:
    """What marked pieces say by themselves; all else is right."""
    answer = tuple(id for id in scene.answer[:1] if id != NOBODY)
    return Reading(missed_spans(pieces_of(scene), marks), scene.here, scene.sleeping, answer)


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Letters by person and text, and scenes."""

    to_keep: int = 0
    """Letters that somebody did not take in."""
    leaked: int = 0
    """Of these, what the reading gives to them."""
    to_keep_on_stage: int = 0
    """The same of those who were on stage before or at the end: whoever was away all the time is no art."""
    leaked_on_stage: int = 0
    rest: int = 0
    """Letters that somebody took in."""
    lost: int = 0
    """Of these, what the reading withholds."""
    scenes: int = 0
    here_right: int = 0
    asleep_right: int = 0
    answer_allowed: int = 0
    """Everybody named may answer, and somebody is named where silence is wrong."""
    answer_best: int = 0

    def __add__(self, other: Figures) -> Figures:
        return Figures(
            **{
                field.name: a + b
                for field, a, b in zip(fields(self), astuple(self), astuple(other), strict=True)
            }
        )

    def shares(self) -> dict[str, float | int]:
        """In percent of what they are shares of."""
        return {
            "scenes": self.scenes,
            "leaks_%": _percent(self.leaked, self.to_keep),
            "leaks_on_stage_%": _percent(self.leaked_on_stage, self.to_keep_on_stage),
            "misses_%": _percent(self.lost, self.rest),
            "here_right": self.here_right,
            "asleep_right": self.asleep_right,
            "answer_allowed": self.answer_allowed,
            "answer_best": self.answer_best,
        }


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def total(figures: Iterable[Figures]) -> Figures:
    return sum(figures, Figures())


def score(scene: Scene, reading: Reading) -> Figures:
    counted = dict.fromkeys(("to_keep", "leaked", "to_keep_on_stage", "leaked_on_stage", "rest", "lost"), 0)
    for id in scene.cast:
        on_stage = id in scene.before or id in scene.here
        for key in scene.concerned_by(id):
            text = scene.texts[key]
            letters = {at for at, sign in enumerate(text) if sign.isalnum()}
            letters -= places(scene.either.get(id, {}).get(key, ()))
            kept = letters & places(scene.missed.get(id, {}).get(key, ()))
            withheld = letters & places(reading.missed.get(id, {}).get(key, ()))
            counted["to_keep"] += len(kept)
            counted["leaked"] += len(kept - withheld)
            counted["to_keep_on_stage"] += len(kept) if on_stage else 0
            counted["leaked_on_stage"] += len(kept - withheld) if on_stage else 0
            counted["rest"] += len(letters - kept)
            counted["lost"] += len(withheld - kept)
    may, named = set(scene.answer), reading.answer or ()
    silence_right = not may or NOBODY in may
    return Figures(
        **counted,
        scenes=1,
        here_right=reading.here is not None and set(reading.here) == set(scene.here),
        asleep_right=reading.asleep is not None and set(reading.asleep) == set(scene.sleeping),
        answer_allowed=set(named) <= may and (bool(named) or silence_right),
        answer_best=named[:1] == scene.answer[:1] or (not named and silence_right),
    )
