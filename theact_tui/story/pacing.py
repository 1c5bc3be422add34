"""Choose the one thing that a page is to bring."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from theact_tui.sentences import sentences
from theact_tui.story.beats import CHOICES, beats_by_page, turns_without_a_beat
from theact_tui.story.forgetting_and_recall import archived_lines, unmentioned
from theact_tui.story.game import Game
from theact_tui.story.matching import says_the_same
from theact_tui.story.memory import Cell, Fact, lines_of
from theact_tui.story.names import Names, begins_with_name
from theact_tui.story.pack import PLAYER, Chapter
from theact_tui.story.turn import FULLY_HEARD, Decisions, Turn
from theact_tui.text import is_pronoun

Way = Literal[
    "",
    "direction",
    "price",
    "end",
    "beat",
    "another way",
    "meanwhile",
    "offer",
    "worse",
    "course",
    "complicate",
    "come back",
]

COMPLICATED = (3, 6)
"""Turns without a beat after which something gets in the way."""
ANOTHER_WAY, MEANWHILE = 7, 10
"""Turns without a beat after which it comes about otherwise, and out of sight."""
_OFFERS: tuple[Way, ...] = ("offer", "worse", "course")
_KINDS_OWED = ("promise", "debt", "lie", "gift")
OWED = frozenset(_KINDS_OWED)
"""Kinds of facts that may come back, most pressing first."""
OLD, APART = 5, 4
"""Turns before a fact may come back, and between two that do."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The way a page moves the story, and the next beat. `about`: the fact that comes back. `actor`: the character who
    does the beat in an answer instead of on the page; `then`: the player's choice after it, offered where the page ends.
    In a confession somebody owns up to a secret. `choices`: of which the page tells one, `beat` first, each with those
    joined to it. It `ends_chapter` if nothing but choices of the player comes after it.
    """

    way: Way = ""
    beat: str = ""
    about: str = ""
    actor: str = ""
    then: str = ""
    is_confession: bool = False
    choices: tuple[tuple[str, ...], ...] = ()
    ends_chapter: bool = False


def lead_of(
    game: Game, line: str, *, is_directed: bool = False, is_missed: bool = False, people_speak: bool = True
) -> Lead:
    """Return the lead of the next page. `is_directed`: the author said what happens; `is_missed`: a failed throw is
    paid for; without `people_speak` characters do their beats in answers.
    """
    state, beat = game.state, next(iter(game.unmet_beats), "")
    if not state.turn or state.game_complete or not game.chapter.beats:
        return Lead(beat="" if state.game_complete else beat)
    if is_directed or is_missed:
        return Lead("direction" if is_directed else "price", beat)
    if not beat:
        return Lead("end")
    owner, since = game.chapter.by.get(beat, ""), turns_without_a_beat(state, state.turn)
    is_last = beat == game.chapter.beats[-1]
    offered = owner == PLAYER and any(_is_offer(turn, beat) for turn in game.turns.values())
    if owner != PLAYER and since >= MEANWHILE and not is_last:
        return Lead("meanwhile", beat)
    if line and not offered and not Names(game.pack.names).called(line):
        if since in COMPLICATED:
            return Lead("complicate", beat)
        if since > 1 and (owed := _owed(game)):  # one page may have waited for the line
            return Lead("come back", beat, owed)
    if owner == PLAYER and (is_last or not offered):
        return Lead("worse" if offered else "offer", beat)
    # in the middle a story does not stand still for a choice
    way: Way = "course" if owner == PLAYER else "another way" if since >= ANOTHER_WAY else "beat"
    if owner and owner != PLAYER and not people_speak:
        return Lead(way, beat, actor=owner)
    reveals = map(game.pack.reveal_of, game.pack.characters)
    confessions = {told for chapter, told in reveals if chapter == game.chapter.id}
    pages = beats_by_page(game.chapter, game.unmet_beats)
    then = "".join(page[0] for page in pages[1:2] if game.chapter.by.get(page[0]) == PLAYER)
    is_free = people_speak and way == "beat"
    return Lead(
        way,
        beat,
        then=then if people_speak and way != "another way" else "",
        is_confession=beat in confessions,
        choices=_choices(game.chapter, pages, confessions) if is_free else (),
        ends_chapter=is_free and all(game.chapter.by.get(page[0]) == PLAYER for page in pages[1:]),
    )


def _choices(
    chapter: Chapter, pages: Sequence[tuple[str, ...]], confessions: Collection[str]
) -> tuple[tuple[str, ...], ...]:
    """Return the next page of beats and up to two that may come before it: no confession, none behind a choice of the
    player, and not the last beat, which ends the chapter.
    """
    others: list[tuple[str, ...]] = []
    for page in pages[1:CHOICES]:
        if chapter.by.get(page[0]) == PLAYER:
            break
        if page[0] not in confessions and page[-1] != chapter.beats[-1]:
            others.append(page)
    return (pages[0], *others)


def _is_offer(turn: Turn, beat: str) -> bool:
    """True if a page offered a choice, or came as far as its end, where the choice was to be offered."""
    made = turn.decisions or Decisions()
    came_to_the_end = made.lead == "course" or made.next_beat in turn.new_beats
    return (made.then == beat and came_to_the_end) or (made.next_beat == beat and made.lead in _OFFERS)


def passed_by(turn: Turn) -> str:
    """Return the beat that a told page was to go on without, or ""."""
    made = turn.decisions
    return made.next_beat if made and made.lead in ("course", "meanwhile") else ""


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
