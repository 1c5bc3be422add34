"""Which beats a turn told, and when the narrator is nudged to the next one.

A model names the beats and quotes the pages for each. A quote proves its beat when the pages hold it, and the paragraph
or reply that it stands in has a word in common with the beat, or two if these are often said.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from theact_tui.sentences import paragraphs, sentences
from theact_tui.story.game import Game, State
from theact_tui.story.matching import content_words, plain, shared_words
from theact_tui.story.pack import PLAYER, Chapter, Pack
from theact_tui.story.steering import language_name
from theact_tui.story.turn import Entry, Turn

MOST_NEW_BEATS = 2
"""Beats that one turn can hit; a reply that names more has not looked closely."""
OFFERED = 3
"""Open beats that are asked about: a turn that told a later one is most likely misread."""
LAST_BEAT_AFTER, LAST_BEAT_TURN = 2, 4
"""A chapter's last beat is asked about when so many are open at most, and not before this turn of it."""
PAGES = 3
"""Last turns of the chapter that a beat may be quoted from."""
LEAST_QUOTED = 4
"""Letters of a part of a quote that counts."""
IN_BEATS, IN_PAGES = 3, 5
"""A word in one of so many of a pack's beats proves nothing, in one of so many of the paragraphs before it weighs less ..."""
LEAST_OFTEN = 3
"""... where it stands in so many of them."""
TELLING = 0.75
"""Share of a beat's words that a text holds which tells it."""
NUDGE_TURNS = 8
"""Turns without a new beat after which the narrator is nudged, once."""


def mark_beats(
    state: State, chapter: Chapter, beats: Sequence[str], turn: int
) -> tuple[State, tuple[str, ...]]:
    """The state with `beats` hit, and those that are new. Beats of other chapters and repeats are ignored."""
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
    """The open beats that the chapter's turn of this number may have told: the next ones, and those that tell a secret
    which is out; the last one only when nearly all others are behind it, and never in the first turns."""
    left = [beat for beat in chapter.beats if beat not in hit]
    early = len(left) > LAST_BEAT_AFTER or turns < min(LAST_BEAT_TURN, len(chapter.beats))
    due = [beat for beat in left[:OFFERED] if not (early and beat == chapter.beats[-1])]
    return tuple(beat for beat in left if beat in due or beat in confessed)


def acts_ahead(chapter: Chapter | None, told_early: Sequence[str] = ()) -> tuple[str, ...]:
    """The acts of characters among the beats of the next chapter, which may come before their time; never its last beat."""
    beats = chapter.beats[:-1] if chapter else ()
    owners = chapter.by if chapter else {}
    return tuple(b for b in beats if owners.get(b, PLAYER) != PLAYER and b not in told_early)


def next_chapter(game: Game) -> Chapter | None:
    """The chapter after the one that is played; None after the last."""
    return game.pack.chapters[game.chapter.next] if game.chapter.next else None


def quotable(game: Game, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns of the chapter before `turns` that a beat may be quoted from, oldest first."""
    first = turns[0].number if turns else game.state.turn + 1
    before = (game.turns.get(number) for number in range(first - PAGES + 1, first))
    return tuple(turn for turn in before if turn and turn.chapter == game.state.chapter)


@dataclass(frozen=True, slots=True)
class Claim:
    """A beat that a reply names, and the words by which it shows it."""

    beat: str
    quote: str


def proven(claims: Iterable[Claim], turns: Sequence[Turn], game: Game, *, most: int) -> tuple[str, ...]:
    """The beats of the claims that their quotes from `turns` prove, best proven first, at most `most`. For a beat of the
    player's their line counts with the page, and of a reply the line alone; for one of a character's, a word less is enough
    in their own reply; one of the next chapter takes most of its words. Where the story is told in another language than the
    pack is written in, a true quote is enough."""
    claims = tuple(claims)
    places = _places(turns)
    words = _telling_words([claim.beat for claim in claims], turns, game)
    weights: dict[Claim, int] = {}
    for claim in claims:
        owner = game.chapter.by.get(claim.beat, "")
        weights[claim] = _best(claim.quote, words[claim.beat], places, owner)

    def is_enough(claim: Claim) -> bool:
        told = words[claim.beat]
        early = 0.0 if claim.beat in game.chapter.beats else TELLING * told.most
        return weights[claim] >= max(early, PROVES if told.any else 0)

    order = [beat for chapter in game.pack.chapters.values() for beat in chapter.beats]
    found = sorted(filter(is_enough, claims), key=lambda claim: (-weights[claim], order.index(claim.beat)))
    return tuple(dict.fromkeys(claim.beat for claim in found))[:most]


def telling_parts(
    before: Sequence[Turn], turns: Sequence[Turn], texts: Sequence[str], game: Game
) -> tuple[Turn, ...]:
    """Of the turns `before` others those parts in which a quote could prove one of `texts`."""
    words = _telling_words(texts, turns, game).values()
    if not all(each.any for each in words):
        return tuple(before)
    made: list[Turn] = []
    for turn in before:
        left: list[Entry] = []
        for entry in turn.told:
            least = PROVES - 1 if entry.role == "character" else PROVES
            parts = [part for part in _parts_of(entry) if any(each.weight(part) >= least for each in words)]
            left += [entry.model_copy(update={"text": "\n\n".join(parts)})] if parts else []
        made += [turn.model_copy(update={"entries": tuple(left)})] if left else []
    return tuple(made)


PROVES = 2
"""What the words of a place must weigh to prove a beat: one word of its own, or two that are often said."""


@dataclass(frozen=True, slots=True)
class TellingWords:
    """The words of a beat by which a place can be known to tell it; of none a true quote is enough."""

    any: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    """Those of them that are not often said otherwise; they weigh twice."""

    @property
    def most(self) -> int:
        return len(self.any) + len(self.own)

    def weight(self, text: str) -> int:
        told = content_words(text)
        return len(shared_words(self.any, told)) + len(shared_words(self.own, told))


def _telling_words(texts: Sequence[str], turns: Sequence[Turn], game: Game) -> dict[str, TellingWords]:
    """The telling words of each text. Often said is what was in the chapter before: a word that fills the last turn alone is
    what that turn is about."""
    if language_name(game.language or "en") != language_name(game.pack.game.language or "en"):
        return dict.fromkeys(texts, TellingWords())
    newest = max((turn.number for turn in turns), default=0)
    before = [
        game.turns[number] for number in sorted(game.turns) if game.state.chapter_since < number < newest
    ]
    often = _usual(tuple(place.text for place in _places(before)), IN_PAGES)
    words = {text: words_of_beat(text, game.pack, game.info.player.name) for text in texts}
    return {text: TellingWords(any, any - shared_words(any, often) or any) for text, any in words.items()}


@dataclass(frozen=True, slots=True)
class Quotable:
    """What a quote is looked for in, who says it, and the player's line of its turn."""

    text: str
    line: str = ""
    speaker: str = ""

    def weight(self, words: TellingWords, owner: str) -> int:
        """What the words of a beat weigh here, which is the act of `owner`."""
        if owner == PLAYER:
            return words.weight(self.line if self.speaker else f"{self.text} {self.line}")
        found = words.weight(self.text)
        return found + 1 if found and self.speaker == owner else found


def _places(turns: Sequence[Turn]) -> list[Quotable]:
    return [
        Quotable(plain(part), plain(turn.player_text), entry.character or "")
        for turn in turns
        for entry in turn.told
        for part in _parts_of(entry)
    ]


def _parts_of(entry: Entry) -> list[str]:
    """Each paragraph of a narration; a line and a reply as a whole."""
    if entry.role == "narrator":
        return paragraphs(entry.text)
    return [] if entry.role == "system" else [entry.text]


def _best(quote: str, words: TellingWords, places: Sequence[Quotable], owner: str) -> int:
    """What the words weigh in the best place in which a quote stands; -1 if it stands nowhere. Parts around an ellipsis
    stand each in a place of their own, and a quote may go over from one into the next."""
    found = [_holding(part, places) for part in _parts(quote)]
    if not found or not all(found):
        return -1
    return max(place.weight(words, owner) for each in found for place in each)


def _holding(part: str, places: Sequence[Quotable]) -> list[Quotable]:
    """The places that hold a part of a quote, else those next to each other that do."""
    pairs = (
        replace(one, text=f"{one.text} {other.text}", speaker=one.speaker or other.speaker)
        for one, other in pairwise(places)
    )
    return [place for place in places if part in place.text] or [pair for pair in pairs if part in pair.text]


def words_of_beat(beat: str, pack: Pack, player: str = "") -> frozenset[str]:
    """The words of a beat by which a text can be known to tell it: not the names of the cast, nor what stands in many of
    the pack's beats, unless nothing else is left."""
    own = content_words(beat)
    names = content_words(" ".join((player, *pack.names.values())))
    beats = tuple(each for chapter in pack.chapters.values() for each in chapter.beats)
    plainer = own - shared_words(own, names)
    return plainer - shared_words(plainer, _usual(beats, IN_BEATS)) or plainer or own


def tells(text: str, beat: str, pack: Pack) -> bool:
    """True if a text says that a beat happened: a sentence of it holds most of its words."""
    words = words_of_beat(beat, pack)
    return len(words) > 1 and any(
        len(shared_words(words, content_words(sentence))) >= TELLING * len(words)
        for sentence in sentences(text)
    )


@lru_cache(maxsize=64)
def _usual(texts: tuple[str, ...], share: int) -> frozenset[str]:
    """The words that stand in one of `share` texts."""
    spread = Counter(word for text in texts for word in content_words(text))
    return frozenset(word for word, n in spread.items() if n >= LEAST_OFTEN and n * share >= len(texts))


def is_quoted(quote: str, told: str) -> bool:
    """True if a text (as `plain` makes it) holds a quote word for word; parts around an ellipsis count each."""
    parts = _parts(quote)
    return bool(parts) and all(part in told for part in parts)


def _parts(quote: str) -> list[str]:
    parts = map(plain, re.split(r"\.\.\.|…", quote))
    return [part for part in parts if len(part) >= LEAST_QUOTED]


def turns_without_a_beat(state: State) -> int:
    """Turns of the chapter since its last beat, or since it began."""
    return state.turn - max(state.last_beat_turn, state.chapter_since)


def nudge_due(state: State, turn: int) -> bool:
    """True if the narrator of `turn` should be steered to the next unmet beat."""
    if state.game_complete or state.nudged or state.all_beats_turn is not None:
        return False
    return turn - max(state.last_beat_turn, state.chapter_since) > NUDGE_TURNS
