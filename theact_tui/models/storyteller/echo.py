"""The first paragraph of a turn: the player's own deed, taken up (S8.6), and how the dice let it come out (S5.4)."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from theact_tui.models.storyteller.book import Book, fill
from theact_tui.models.storyteller.names import forms
from theact_tui.models.storyteller.stock import (
    AWAY,
    BRAWL,
    DISASTER,
    ECHOES,
    FAILURE,
    NOT_HERE,
    SUCCESS,
    TRIUMPH,
)
from theact_tui.models.storyteller.talk import aloud
from theact_tui.models.storyteller.words import Action
from theact_tui.story.turn import Ruling
from theact_tui.story.views import Stage

LONG_ACT = 16
"""Words from which a deed stands as a sentence of its own."""


def echo(book: Book, stage: Stage, action: Action, told: Sequence[str]) -> str:
    """One or two sentences that take up what the player does. `told` are earlier narrations, oldest first."""
    if _at_cast(book, action):
        return f"{action.sentence} {book.in_turn(BRAWL, str, told, stage, 'brawl')}"
    variants = [text for text in book.script.echoes.get(action.kind, ()) if _fits(text, action)]
    if not variants:
        variants = [text for text in ECHOES[action.kind] if _fits(text, action)] or ["{Act}"]
    chosen = (
        _by_turn(book, stage, variants)
        if action.speech
        else book.in_turn(variants, str, told, stage, f"echo/{action.kind}")
    )
    act = aloud(book, stage, action) if action.speech else action.sentence
    alone = re.search(r"\{Act\}(?:[.]?\s+[A-Z]|[.]?\s*$)", chosen)
    capital = act if alone or '"' in act else act.rstrip(".")
    return mended(fill(chosen, stage.player.name, act=action.act, Act=capital))


def _by_turn(book: Book, stage: Stage, variants: Sequence[str]) -> str:
    """The variant of this turn, so that the same words said again long after do not sound the same."""
    order = list(variants)
    random.Random(f"{book.seed}/echo").shuffle(order)
    return order[(stage.turn + stage.take - 1) % len(order)]


def outcome(
    book: Book,
    stage: Stage,
    action: Action,
    ruling: Ruling,
    rolled: tuple[str, str] | None,
    told: Sequence[str],
) -> str:
    """The attempt and what the dice made of it: the scene's own sentence where it has one."""
    success = won(ruling)
    deed = aloud(book, stage, action) if action.speech else attempt(action)
    if rolled:
        return f"{deed} {fill(rolled[1 if success else 0], stage.player.name)}"
    group = action.kind if action.kind in SUCCESS else "other"
    text = book.in_turn((SUCCESS if success else FAILURE)[group], str, told, stage, f"dice/{group}/{success}")
    extreme = {20: TRIUMPH, 1: DISASTER}.get(ruling.roll or 0)
    return " ".join([deed, text, *(extreme or ())])


def won(ruling: Ruling) -> bool:
    """True if the roll reached the difficulty."""
    return ruling.roll is not None and ruling.roll >= (ruling.difficulty or 0)


def attempt(action: Action) -> str:
    """The deed as something that is only tried: `You try to climb the mast.`"""
    if '"' in action.act or not action.act.startswith("you ") or action.kind == "talk":
        return action.sentence
    if action.act.startswith("you make as if to "):
        return action.sentence.replace("You make as if to", "You try to", 1)
    if re.match(r"you (?:try|attempt|start|begin|go for)\b", action.act):
        return action.sentence
    return re.sub(r"^You (?!and )", "You try to ", action.sentence)


def unanswered(book: Book, stage: Stage, action: Action, name: str) -> str:
    """What the player says to somebody who is not there."""
    missing = book.dice(stage, "absent").choice(AWAY)
    return f"{aloud(book, stage, action)} {fill(missing, stage.player.name, name=name)}"


def without(book: Book, stage: Stage, action: Action, name: str) -> str:
    """A deed that is meant for somebody who is not there: `You would hug Ann, if Ann were here.`"""
    missing = fill(book.dice(stage, "absent").choice(NOT_HERE), stage.player.name, name=name)
    return mended(f"You would {action.act.removeprefix('you ').rstrip(' .!?…')}, {missing}")


def _at_cast(book: Book, action: Action) -> bool:
    """True for a blow at one of the cast, which is told as `you go for Ann`; not for going for a walk."""
    known = (form for id in book.pack.characters for form in forms(book.pack.name_of(id)))
    return any(action.act.startswith(f"you go for {form}") for form in known)


def _fits(template: str, action: Action) -> bool:
    """Quoted speech and long deeds need a sentence of their own; short deeds fit in anywhere."""
    own = re.search(r"(?:^|[.!?]\s)\{Act\}(?:[.!?]|\s*$|\s+[A-Z])", template) is not None
    if '"' in action.act:
        return own
    return own or len(action.act.split()) <= LONG_ACT


def mended(text: str) -> str:
    """`text` with doubled ends put right: `you ask: "Who?".` loses its last stop."""
    text = re.sub(r"([.!?…。！？][\"”])[.,]", r"\1", text)
    text = re.sub(r"([!?…])\.(?=\s|$)", r"\1", text)
    text = re.sub(r"(?<!\.)\.\.(?=\s|$)", ".", text)
    return re.sub(r"\s+", " ", text).strip()
