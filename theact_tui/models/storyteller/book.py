"""A pack's whole script, ready to be told and to be recognised again in what was told.

The storyteller keeps no state: what was told is read from the turns in the view, by their words.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeVar

from theact_tui.models.storyteller.find import flat, sentences, share
from theact_tui.models.storyteller.names import forms
from theact_tui.models.storyteller.plain import complete
from theact_tui.story.pack import MOODS, Mood, Pack
from theact_tui.story.script import Answer, Passage, Scene, Script, Topic
from theact_tui.story.turn import Turn
from theact_tui.story.views import Stage, Witnessed

T = TypeVar("T")
KNOWN_AGAIN = 0.4
"""The share of a passage that a narration must hold to count as telling it."""


@dataclass(frozen=True)
class Telling:
    """One passage in one wording. `text` may hold `{player}`."""

    kind: Literal["opening", "scene", "topic", "again", "ambient", "after"]
    index: int
    passage: Passage
    text: str

    @property
    def mood(self) -> Mood:
        return next((mood for mood in MOODS if mood == self.passage.mood), "calm")


class Book:
    """The script of `pack`, its gaps filled, and the choices a seed makes in it."""

    def __init__(self, pack: Pack, seed: int) -> None:
        self.pack = pack
        self.seed = seed
        self.script: Script = complete(pack)
        self.pages = {id: tuple(_tellings(self.script, id)) for id in pack.chapters}
        self._known = lru_cache(maxsize=256)(self._find)
        self._needles = lru_cache(maxsize=256)(self._needles_of)

    @property
    def names(self) -> tuple[str, ...]:
        """Every character's full name."""
        return tuple(character.name for character in self.pack.characters.values())

    def answers(self, character: str) -> tuple[Answer, ...]:
        """What a character has to answer to certain words."""
        voice = self.script.voices.get(character)
        return voice.answers if voice else ()

    def short(self, character: str) -> str:
        """The part of a character's name that the script calls it by; the whole name if there is no such part."""
        name, *parts = forms(self.pack.name_of(character))
        if not parts:
            return name
        gists = " ".join(page.passage.gist for pages in self.pages.values() for page in pages)
        return max(parts, key=lambda part: len(re.findall(rf"\b{re.escape(part)}\b", gists)))

    def told(self, narration: str, chapter: str, player: str) -> Telling | None:
        """The passage that `narration` tells, or None."""
        return self._known(narration, chapter, player)

    def told_in(self, turn: Turn | Witnessed, player: str) -> Telling | None:
        """The passage that the narration of a turn tells, or None."""
        text = next((entry.text for entry in turn.entries if entry.role == "narrator"), "")
        return self.told(text, turn.chapter, player) if text else None

    def _find(self, narration: str, chapter: str, player: str) -> Telling | None:
        text = flat(narration)
        best: tuple[float, int, Telling] | None = None
        for telling, needles in self._needles(chapter, player):
            held = share(needles, text)
            if held >= KNOWN_AGAIN and (best is None or (held, len(needles)) > best[:2]):
                best = (held, len(needles), telling)
        return best[2] if best else None

    def _needles_of(self, chapter: str, player: str) -> tuple[tuple[Telling, tuple[str, ...]], ...]:
        return tuple(
            (page, tuple(flat(s) for s in sentences(fill(page.text, player))))
            for page in self.pages.get(chapter, ())
        )

    def weights(self, player: str) -> dict[str, float]:
        """How much each gist matters for the thread of the story, by the gist as `flat` makes it without its stop."""
        made: dict[str, float] = {}
        for page in (page for pages in self.pages.values() for page in pages):
            spark = page.passage.moment if isinstance(page.passage, Scene) else None
            weight = {"scene": 3.0, "topic": 2.0}.get(page.kind, 1.5) + (spark.significance if spark else 0.0)
            if page.passage.gist:
                made[flat(fill(page.passage.gist, player)).rstrip(".")] = weight
        return made

    def taught(self, character: str) -> set[str]:
        """All that the script may teach a character."""
        pages = (page for pages in self.pages.values() for page in pages)
        made = {page.passage.learns[character] for page in pages if character in page.passage.learns}
        return made | {answer.learns for answer in self.answers(character) if answer.learns}

    def dice(self, stage: Stage, key: str, *, retell: bool = True) -> random.Random:
        """The generator for one choice of one turn; another one for each take unless `retell` is off."""
        return random.Random(f"{self.seed}/{key}/{stage.turn}/{stage.take if retell else 1}")

    def in_turn(
        self, variants: Sequence[T], text_of: Callable[[T], str], told: Sequence[str], stage: Stage, key: str
    ) -> T:
        """The variant to tell next: all of them go round in an order of the seed's; another take takes another one.

        Which one was told last is seen in `told` (oldest first); what stands there is passed over while others are left.
        """
        order = list(variants)
        random.Random(f"{self.seed}/{key}").shuffle(order)
        before = [flat(text) for text in told]
        uses = [_last_use(text_of(variant), before) for variant in order]
        latest = max(range(len(order)), key=lambda index: uses[index])
        start = latest + 1 if uses[latest] >= 0 else stage.turn // 2
        round = [(start + step) % len(order) for step in range(len(order))]
        round.sort(key=lambda index: uses[index])
        return order[round[(stage.take - 1) % len(order)]]


def _last_use(text: str, before: Sequence[str]) -> int:
    """The index of the last of `before` that holds `text` (placeholders aside), -1 if none does."""
    parts = [flat(part).strip(" .,;:") for part in re.split(r"\{\w+\}", text)]
    needle = max(parts, key=len)
    if len(needle) < 6:
        return -1
    return max((index for index, told in enumerate(before) if needle in told), default=-1)


def _tellings(script: Script, chapter: str) -> Iterable[Telling]:
    """Every wording that may be told in a chapter."""
    told = script.chapters[chapter]
    yield Telling("opening", 0, Passage(narration=told.opening, lines=told.opening_lines), told.opening)
    for index, scene in enumerate(told.scenes):
        yield from (Telling("scene", index, scene, text) for text in wordings(scene))
    for index, topic in enumerate(told.topics):
        yield Telling("topic", index, topic, topic.narration)
        if topic.again:
            yield Telling("again", index, again(topic), topic.again)
    for index, passage in enumerate(told.ambient):
        yield Telling("ambient", index, passage, passage.narration)
    for index, passage in enumerate(script.afterwards):
        yield Telling("after", index, passage, passage.narration)


def wordings(scene: Scene) -> tuple[str, ...]:
    """The narration of a scene and its ways."""
    return (scene.narration, *(way.narration for way in scene.ways))


def again(topic: Topic) -> Passage:
    """A topic told a second time: nothing new is said or learned."""
    return Passage(narration=topic.again, mood=topic.mood)


def fill(template: str, player: str, **values: str) -> str:
    """`template` with `{player}` and `values` put in, in one pass: braces in a value stay what they are."""
    known: Mapping[str, str] = {**values, "player": player}

    def put(match: re.Match[str]) -> str:
        name = match[1]
        if name == "player" and player.lower() == "you":
            return _you(template, match)
        return known.get(name, match[0])

    return re.sub(r"\{(\w+)\}('s\b)?", lambda match: _possessive(match, put(match)), template)


def _you(template: str, match: re.Match[str]) -> str:
    """ "You" for a player without a name, in lower case in mid-sentence."""
    before = template[: match.start()].rstrip(" \"“‘'(")
    return "You" if not before or before[-1] in ".!?…\n" else "you"


def _possessive(match: re.Match[str], value: str) -> str:
    if not match[2]:
        return value
    return value + "r" if value in ("you", "You") else value + match[2]
