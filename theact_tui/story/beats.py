"""Words that prove a beat."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal

from theact_tui.story.game import Game, State
from theact_tui.story.matching import is_unspaced, overlap, plain, stems
from theact_tui.story.pack import Chapter, Pack
from theact_tui.story.turn import Turn

CHOICES = 3
"""Open beats of which a page may tell one, and which are asked about behind it."""
BEAT_LABELS, SECRET_LABELS = tuple("123456789"), ("s1", "s2", "s3", "s4")
"""What beats and secrets are called in the form `progress`."""
MIN_QUOTE_LETTERS = 4
"""Shorter fragments of a quote are ignored."""
USUAL_ONE_IN = 3
"""A word in one of so many beats of a pack is a usual one."""
LEAST_BEATS = 3
"""A usual word stands in at least so many beats."""
_MIN_TOLD_SHARE = 0.75
"""Share of a beat's words in a text that tells it."""


def mark_beats(
    state: State, chapter: Chapter, beats: Sequence[str], turn: int
) -> tuple[State, tuple[str, ...]]:
    """Mark beats as reached; return the state and the new ones."""
    new = tuple(beat for beat in chapter.beats if beat in beats and beat not in state.beats_hit)
    if not new:
        return state, ()
    hit = tuple(beat for beat in chapter.beats if beat in state.beats_hit or beat in new)
    open_state = {
        name: tuple(beat for beat in getattr(state, name) if beat not in new) for name in ("begun", "passed")
    }
    changes = {"beats_hit": hit, "last_beat_turn": turn, **open_state}
    return state.model_copy(update=changes), new


def beats_to_ask_about(
    chapter: Chapter, settled: Sequence[str], confessed: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return open beats: the next ones with those told on their page, `confessed` ones, the last one."""
    left = [beat for beat in chapter.beats if beat not in settled]
    offered = chain.from_iterable(beats_by_page(chapter, left)[:CHOICES])
    due = (*offered, *confessed, *chapter.beats[-1:])
    return tuple(beat for beat in left if beat in due)


def beats_by_page(chapter: Chapter, beats: Iterable[str]) -> list[tuple[str, ...]]:
    """Part beats by page: each with those that its author joins to it."""
    pages: list[tuple[str, ...]] = []
    for beat in beats:
        if pages and beat in chapter.same_page:
            pages[-1] = (*pages[-1], beat)
        else:
            pages.append((beat,))
    return pages


def page_before(game: Game, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the chapter's turn before `turns`, if any."""
    turn = game.turns.get(turns[0].number - 1) if turns else None
    return (turn,) if turn and turn.chapter == game.state.chapter else ()


def beat_answer(text: str) -> Literal["no", "begun", "finished"]:
    """Classify an answer about a beat or secret; a quote has at least two words."""
    words = plain(text)
    if words.split()[:1] == ["begun"]:
        return "begun"
    return "finished" if " " in words or is_unspaced(words) else "no"


@dataclass(frozen=True, slots=True)
class Claim:
    beat: str
    quote: str


@dataclass(frozen=True, slots=True)
class Quotable:
    text: str
    speaker: str = ""
    is_line: bool = False


def places_of(turns: Sequence[Turn]) -> list[Quotable]:
    """Return the places of turns: each page and reply, and the player's lines last, each with the page after it."""
    places, lines = list[Quotable](), list[Quotable]()
    for turn in turns:
        if turn.player_text:
            lines.append(
                Quotable("\n\n".join(filter(None, (turn.player_text, turn.narration))), is_line=True)
            )
        places += [Quotable(turn.narration)] if turn.narration else []
        places += (Quotable(entry.text, entry.character) for entry in turn.entries if entry.character)
    return [*places, *lines]


def find_quote(quote: str, places: Sequence[Quotable]) -> Quotable | None:
    """Return the place of a quote's longest part, if every part has a place."""
    parts = sorted(_parts(quote), key=len, reverse=True)
    holding = [next((place for place in places if part in plain(place.text)), None) for part in parts]
    return holding[0] if holding and all(holding) else None


def is_used(quote: str, quotes: Iterable[str]) -> bool:
    mine = plain(quote)
    return any(mine in theirs or theirs in mine for theirs in map(plain, quotes))


def words_of_beat(beat: str, pack: Pack) -> frozenset[str]:
    """Return content stems of a beat, without names and stems of at least a third of all beats; with them if nothing
    else is left.
    """
    own = stems(beat)
    names = stems(" ".join(pack.names.values()))
    beats = tuple(beat_text for chapter in pack.chapters.values() for beat_text in chapter.beats)
    plainer = own - names
    return plainer - _stems_in_one_of(beats, USUAL_ONE_IN) or plainer or own


def tells(texts: Iterable[str], beat: str, pack: Pack) -> bool:
    """True if one of the texts contains most words of a beat."""
    words = words_of_beat(beat, pack)
    return len(words) > 1 and any(overlap(words, stems(text)) >= _MIN_TOLD_SHARE for text in texts)


@lru_cache(maxsize=64)
def _stems_in_one_of(texts: tuple[str, ...], share: int) -> frozenset[str]:
    spread = Counter(word for text in texts for word in stems(text))
    return frozenset(word for word, n in spread.items() if n >= LEAST_BEATS and n * share >= len(texts))


def is_quoted(quote: str, text: str) -> bool:
    """True if a `plain` text contains a quote word for word; parts around an ellipsis count separately."""
    parts = _parts(quote)
    return bool(parts) and all(part in text for part in parts)


def _parts(quote: str) -> list[str]:
    parts = map(plain, re.split(r"\.\.\.|…", quote))
    return [part for part in parts if len(part) >= MIN_QUOTE_LETTERS]


def turns_without_a_beat(state: State, turn: int) -> int:
    """Count turns since the last beat, or since the chapter began."""
    return turn - max(state.last_beat_turn, state.chapter_since)
