"""Choose one of four leads for a page from the last turns."""

from dataclasses import dataclass
from typing import Literal

from theact_tui.sentences import asks, sentences
from theact_tui.story.beats import nudge_due, turns_without_a_beat
from theact_tui.story.forgetting_and_recall import archived_lines, unmentioned
from theact_tui.story.game import Game
from theact_tui.story.matching import says_the_same
from theact_tui.story.memory import Cell, Fact, lines_of
from theact_tui.story.names import begins_with_name
from theact_tui.story.turn import FULLY_HEARD
from theact_tui.text import is_pronoun

Way = Literal["", "react", "complicate", "come back", "advance"]

COMPLICATED = (3, 6)
_KINDS_OWED = ("promise", "debt", "lie", "gift")
OWED = frozenset(_KINDS_OWED)
"""Kinds of facts that may come back, most pressing first."""
OLD, APART = 5, 4
"""Turns before a fact may come back, and between two that do."""
PATIENT = 3
"""Turns since a beat after which a question no longer delays the next."""


@dataclass(frozen=True, slots=True)
class Lead:
    """Lead of a page; `about` is the fact of `come back`, the beat of `advance`."""

    way: Way = ""
    about: str = ""


def lead_of(game: Game, line: str) -> Lead:
    """Return the first lead that fits; none at the start of a story or chapter, without open beats, and after the end."""
    state, beat = game.state, next(iter(game.unmet_beats), "")
    if not state.turn or state.transition or state.game_complete or not beat:
        return Lead()
    since = turns_without_a_beat(state, state.turn)
    last = game.last_turn
    if last and last.new_beats and not (last.decisions and last.decisions.lead == "react"):
        return Lead("react")
    if since in COMPLICATED:
        return Lead("complicate")
    if nudge_due(state, state.turn + 1):
        return Lead("advance", beat)  # the nudge asks for it, too
    if owed := _owed(game):
        return Lead("come back", owed)
    if since < PATIENT and asks(line):
        return Lead("react")
    return Lead("advance", beat)


def _owed(game: Game) -> str:
    """Return the fact to bring back: old enough, known to all on stage, held by one of them; "" if none."""
    state, turn = game.state, game.state.turn + 1
    if turn - max(state.came_back.values(), default=-APART) < APART:
        return ""
    player = game.info.player.name
    names = [*([] if is_pronoun(player) else [player]), *game.pack.names.values()]
    facts = [
        fact
        for name in state.present
        for fact in lines_of(game.memory_of(name))
        if getattr(fact, "kind", "") in OWED
        and turn - fact.turn >= OLD
        and not says_the_same(fact.text, state.came_back)
        and begins_with_name(fact.text, names)
    ]
    due = sorted(facts, key=lambda fact: (_KINDS_OWED.index(getattr(fact, "kind", "")), fact.turn))
    return next((fact.text for fact in due if _all_know(game, fact)), "")


def _all_know(game: Game, fact: Fact | Cell) -> bool:
    turn = game.turns.get(fact.turn)
    for name in game.state.present:
        memory = game.memory_of(name)
        lines = (*lines_of(memory), *archived_lines(memory.older))
        remembered = [*sentences(memory.summary), *(line.text for line in lines)]
        was_there = (
            turn is not None and name in turn.witnesses and turn.heard.get(name, FULLY_HEARD) == FULLY_HEARD
        )
        if not was_there and unmentioned([fact], remembered):
            return False
    return True


def record_return(game: Game, fact: str) -> Game:
    """Record that a fact came back; drop those that no memory has."""
    remembered = {line.text for memory in game.memories.values() for line in lines_of(memory)}
    returned = {text: turn for text, turn in game.state.came_back.items() if text in remembered}
    return game.with_state(came_back={**returned, fact: game.state.turn})
