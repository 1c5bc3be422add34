"""Beats reached in a turn, and when to steer the narrator to the next one.

A model names beats and quotes the pages. A quote proves its beat if the pages contain it and its paragraph or reply
shares a word with the beat, or two frequent ones.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from theact_tui.sentences import paragraph_texts, sentences
from theact_tui.story.game import Game, State
from theact_tui.story.matching import overlap, plain, stems
from theact_tui.story.pack import PLAYER, Chapter, Pack
from theact_tui.story.steering import language_name
from theact_tui.story.turn import Entry, Turn

MOST_NEW_BEATS = 2
"""Beats one turn can reach; a reply with more has not read closely."""
OFFERED = 3
"""Open beats asked about; a later one is most likely a mistake."""
LAST_BEAT_AFTER, LAST_BEAT_TURN = 2, 4
"""The last beat is asked about with at most so many open beats, and not before this turn of the chapter."""
PAGES = 3
"""Turns of the chapter that may be quoted."""
LEAST_QUOTED = 4
"""Letters; shorter fragments of a quote are ignored."""
IN_BEATS, IN_PAGES = 3, 5
"""A word in one of so many beats proves nothing; a word in one of so many earlier paragraphs counts less."""
LEAST_OFTEN = 3
"""Paragraphs that make a word frequent."""
TELLING = 0.75
"""Share of a beat's words that a text must contain to tell it."""
NUDGE_TURNS = 8
"""Turns without a new beat before the narrator is steered, once."""


def mark_beats(
    state: State, chapter: Chapter, beats: Sequence[str], turn: int
) -> tuple[State, tuple[str, ...]]:
    """Mark beats as reached; return the state and the new ones. Ignores unknown and repeated beats."""
    new = tuple(beat for beat in chapter.beats if beat in beats and beat not in state.beats_hit)
    if not new:
        return state, ()
    hit = tuple(beat for beat in chapter.beats if beat in state.beats_hit or beat in new)
    changes = {"beats_hit": hit, "last_beat_turn": turn, "nudged": False}
    if len(hit) == len(chapter.beats):
        changes["all_beats_turn"] = turn
    return state.model_copy(update=changes), new


def asked_about(
    chapter: Chapter, hit: Sequence[str], turns: int, confessed: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the open beats this turn may have reached: the next ones, and those of secrets that are out. The last one only
    near the end, never in the first turns."""
    left = [beat for beat in chapter.beats if beat not in hit]
    early = len(left) > LAST_BEAT_AFTER or turns < min(LAST_BEAT_TURN, len(chapter.beats))
    due = [beat for beat in left[:OFFERED] if not (early and beat == chapter.beats[-1])]
    return tuple(beat for beat in left if beat in due or beat in confessed)


def acts_ahead(chapter: Chapter | None, told_early: Sequence[str] = ()) -> tuple[str, ...]:
    """Return acts of characters in the next chapter that may come early; never its last beat."""
    beats = chapter.beats[:-1] if chapter else ()
    owners = chapter.by if chapter else {}
    return tuple(b for b in beats if owners.get(b, PLAYER) != PLAYER and b not in told_early)


def next_chapter(game: Game) -> Chapter | None:
    """Return the next chapter; None after the last."""
    return game.pack.chapters[game.chapter.next] if game.chapter.next else None


def quotable(game: Game, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the chapter's turns before `turns` that may be quoted, oldest first."""
    first = turns[0].number if turns else game.state.turn + 1
    before = (game.turns.get(number) for number in range(first - PAGES + 1, first))
    return tuple(turn for turn in before if turn and turn.chapter == game.state.chapter)


@dataclass(frozen=True, slots=True)
class Claim:
    """Beat that a reply names, with its quotes."""

    beat: str
    quote: str


def proven(claims: Iterable[Claim], turns: Sequence[Turn], game: Game, *, most: int) -> tuple[str, ...]:
    """Return the beats that quotes from `turns` prove, best first, at most `most`.

    A player's beat may also be proved by the player's line; a character's own reply needs a word less; a beat of the next
    chapter needs most of its words. If the story's language differs from the pack's, a correct quote is enough.
    """
    claims = tuple(claims)
    places = _places(turns)
    words = _telling_words([claim.beat for claim in claims], turns, game)
    weights: dict[Claim, int] = {}
    for claim in claims:
        owner = game.chapter.by.get(claim.beat, "")
        weights[claim] = _best(claim.quote, words[claim.beat], places, owner)

    def is_enough(claim: Claim) -> bool:
        telling_words = words[claim.beat]
        early = 0.0 if claim.beat in game.chapter.beats else TELLING * telling_words.most
        return weights[claim] >= max(early, PROVES if telling_words.any else 0)

    order = [beat for chapter in game.pack.chapters.values() for beat in chapter.beats]
    accepted = sorted(filter(is_enough, claims), key=lambda claim: (-weights[claim], order.index(claim.beat)))
    return tuple(dict.fromkeys(claim.beat for claim in accepted))[:most]


def telling_parts(
    before: Sequence[Turn], turns: Sequence[Turn], texts: Sequence[str], game: Game
) -> tuple[Turn, ...]:
    """Return the parts of earlier turns in which a quote could prove one of `texts`."""
    words = _telling_words(texts, turns, game).values()
    if not all(beat_words.any for beat_words in words):
        return tuple(before)
    proving_turns: list[Turn] = []
    for turn in before:
        left: list[Entry] = []
        for entry in turn.told:
            least = PROVES - 1 if entry.role == "character" else PROVES
            parts = [
                part
                for part in _parts_of(entry)
                if any(beat_words.weight(part) >= least for beat_words in words)
            ]
            left += [entry.model_copy(update={"text": "\n\n".join(parts)})] if parts else []
        proving_turns += [turn.model_copy(update={"entries": tuple(left)})] if left else []
    return tuple(proving_turns)


PROVES = 2
"""Weight that proves a beat: one distinctive word, or two frequent ones."""


@dataclass(frozen=True, slots=True)
class TellingWords:
    """Words that identify a beat; without any, a correct quote is enough."""

    any: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    """Distinctive words; they count twice."""

    @property
    def most(self) -> int:
        return len(self.any) + len(self.own)

    def weight(self, text: str) -> int:
        text_words = stems(text)
        return len(self.any & text_words) + len(self.own & text_words)


def _telling_words(texts: Sequence[str], turns: Sequence[Turn], game: Game) -> dict[str, TellingWords]:
    """Return the identifying words of each text. A word is frequent if earlier turns of the chapter use it; a word of the
    last turn alone is not."""
    if language_name(game.language or "en") != language_name(game.pack.game.language or "en"):
        return dict.fromkeys(texts, TellingWords())
    newest = max((turn.number for turn in turns), default=0)
    before = [
        game.turns[number] for number in sorted(game.turns) if game.state.chapter_since < number < newest
    ]
    often = _usual(tuple(place.text for place in _places(before)), IN_PAGES)
    words = {text: words_of_beat(text, game.pack, game.info.player.name) for text in texts}
    return {text: TellingWords(any, any - often or any) for text, any in words.items()}


@dataclass(frozen=True, slots=True)
class Quotable:
    """Place for a quote, its speaker, and the player's line of its turn."""

    text: str
    line: str = ""
    speaker: str = ""

    def weight(self, words: TellingWords, owner: str) -> int:
        """Weigh the words of a beat, the act of `owner`, in this place."""
        if owner == PLAYER:
            return words.weight(self.line if self.speaker else f"{self.text} {self.line}")
        weight_here = words.weight(self.text)
        return weight_here + 1 if weight_here and self.speaker == owner else weight_here


def _places(turns: Sequence[Turn]) -> list[Quotable]:
    return [
        Quotable(plain(part), plain(turn.player_text), entry.character or "")
        for turn in turns
        for entry in turn.told
        for part in _parts_of(entry)
    ]


def _parts_of(entry: Entry) -> list[str]:
    """Split a narration into paragraphs; keep a line or reply whole."""
    if entry.role == "narrator":
        return paragraph_texts(entry.text)
    return [] if entry.role == "system" else [entry.text]


def _best(quote: str, words: TellingWords, places: Sequence[Quotable], owner: str) -> int:
    """Return the best weight of a place with the quote; -1 if there is none.

    Parts around an ellipsis may be in different places; a quote may continue in the next place.
    """
    holding = [_holding(part, places) for part in _parts(quote)]
    if not holding or not all(holding):
        return -1
    return max(place.weight(words, owner) for group in holding for place in group)


def _holding(part: str, places: Sequence[Quotable]) -> list[Quotable]:
    """Return the places with a part of a quote, else adjacent ones that share it."""
    pairs = (
        replace(one, text=f"{one.text} {other.text}", speaker=one.speaker or other.speaker)
        for one, other in pairwise(places)
    )
    return [place for place in places if part in place.text] or [pair for pair in pairs if part in pair.text]


def words_of_beat(beat: str, pack: Pack, player: str = "") -> frozenset[str]:
    """Return the words that identify a beat: no names, no words of many beats, unless nothing else is left."""
    own = stems(beat)
    names = stems(" ".join((player, *pack.names.values())))
    beats = tuple(beat_text for chapter in pack.chapters.values() for beat_text in chapter.beats)
    plainer = own - names
    return plainer - _usual(beats, IN_BEATS) or plainer or own


def tells(text: str, beat: str, pack: Pack) -> bool:
    """True if a sentence contains most words of a beat."""
    words = words_of_beat(beat, pack)
    return len(words) > 1 and any(overlap(words, stems(sentence)) >= TELLING for sentence in sentences(text))


@lru_cache(maxsize=64)
def _usual(texts: tuple[str, ...], share: int) -> frozenset[str]:
    """Return the words in one of `share` texts."""
    spread = Counter(word for text in texts for word in stems(text))
    return frozenset(word for word, n in spread.items() if n >= LEAST_OFTEN and n * share >= len(texts))


def is_quoted(quote: str, told: str) -> bool:
    """True if a `plain` text contains a quote word for word; parts around an ellipsis count separately."""
    parts = _parts(quote)
    return bool(parts) and all(part in told for part in parts)


def _parts(quote: str) -> list[str]:
    parts = map(plain, re.split(r"\.\.\.|…", quote))
    return [part for part in parts if len(part) >= LEAST_QUOTED]


def turns_without_a_beat(state: State) -> int:
    """Count the chapter's turns since its last beat, or since it began."""
    return state.turn - max(state.last_beat_turn, state.chapter_since)


def nudge_due(state: State, turn: int) -> bool:
    """True if the narrator of `turn` should be steered to the next beat."""
    if state.game_complete or state.nudged or state.all_beats_turn is not None:
        return False
    return turn - max(state.last_beat_turn, state.chapter_since) > NUDGE_TURNS
