"""What can be counted in a game without a judge: each measure is a number of a game, from its turns and calls as kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

from theact_tui.lab.players import called
from theact_tui.lab.recall import recall
from theact_tui.models.base import Usage
from theact_tui.models.ledger import Call
from theact_tui.story.archive import archived_lines
from theact_tui.story.game import Game
from theact_tui.story.matching import says_the_same
from theact_tui.story.memory import lines_of
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Turn
from theact_tui.story.witness import witnessed

STALL = 8
"""Turns without a beat that count as a stall."""
LONG = 12
"""Words in a row that count as a repetition worth showing."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A measure as reports show it."""

    label: str
    better: Literal["more", "less", ""]
    about: str
    percent: bool = False

    def text(self, value: float | None) -> str:
        """A value for people."""
        if value is None:
            return "–"
        return f"{value:.0%}" if self.percent else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


METRICS: dict[str, Metric] = {
    "finished": Metric("Finished", "more", "games that reached the end of the story", True),
    "beats": Metric("Beats reached", "more", "share of all beats of the pack", True),
    "turns_per_beat": Metric("Turns per beat", "less", "turns played for each beat reached"),
    "longest_stall": Metric("Longest stall", "less", "most turns in a row without a new beat"),
    "narration_words": Metric("Words per page", "", "mean length of the narration"),
    "reply_words": Metric("Words per reply", "", "mean length of a character's reply"),
    "distinct_2": Metric("Distinct word pairs", "more", "different pairs of words among all pairs", True),
    "longest_repeat": Metric("Longest repetition", "less", "words in a row that two texts of the game share"),
    "same_openings": Metric("Same openings", "less", "texts that begin like an earlier one of the same voice", True),
    "speaks_for_player": Metric("Speaks for the player", "less", "turns that put speech into the player's mouth", True),
    "absent_speak": Metric("Absent people speak", "less", "pages on which an absent character speaks", True),
    "unknown_names": Metric("Unknown names", "less", "names that neither pack nor player introduced"),
    "unwitnessed_names": Metric("Unwitnessed names", "less", "names in replies of people who never heard them"),
    "retries": Metric("Retries per 100 calls", "less", "calls that were repeated"),
    "repaired": Metric("Repaired replies", "less", "turns with a reply that needed repair", True),
    "notices": Metric("Problems per 10 turns", "less", "fallbacks and warnings shown to the player"),
    "facts": Metric("Lines remembered", "", "lines in all memories at the end"),
    "duplicate_facts": Metric("Duplicate lines", "less", "remembered lines that say the same as another one", True),
    "rolls": Metric("Rolls", "", "how often dice were rolled"),
    "roll_success": Metric("Rolls won", "", "rolls that met their difficulty", True),
    "calls": Metric("Calls per turn", "", "model calls"),
    "prompt_tokens": Metric("Tokens sent per turn", "less", "of all prompts, as reported or estimated"),
    "reused_tokens": Metric("Tokens reused", "more", "share of tokens sent that the server had in its cache", True),
    "completion_tokens": Metric("Tokens written per turn", "", "of all replies, as reported or estimated"),
    "recall": Metric("Recall", "more", "prompts that still contain what the player said 5 or more turns ago", True),
    "leaks": Metric("Leaks", "less", "the player's words in prompts of characters who did not hear them"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Told:
    """A game that was played: its last state, all turns, and the calls of each."""

    game: Game
    turns: Sequence[Turn]
    calls: Mapping[int, Sequence[Call]]


def measure(told: Told) -> dict[str, Any]:
    """All measures of a game: `scores` by the names of `METRICS`, beats and chapters, calls by agent, and where to look
    for examples. A score that has nothing to count is None."""
    turns, game = told.turns, told.game
    reached = _beats(told)
    longest, repeated = _repetition(turns)
    found: dict[str, list[Any]] = {
        "speaks_for_player": [turn.number for turn in turns if speaks_for(turn, game.info.player.name)],
        "absent_speak": [turn.number for turn in turns if _absent_speak(turn, game.pack)],
        "unknown_names": _unknown_names(told),
        "unwitnessed_names": _unwitnessed(told),
        "longest_repeat": repeated,
    }
    agents = _agents(turns)
    remembered = recall(told.turns, told.calls, vocabulary(game.pack))
    scores: dict[str, float | None] = {
        **_progress(told, reached),
        **_style(turns),
        **_calls(turns, agents),
        **_memory(game),
        "speaks_for_player": _share(found["speaks_for_player"], turns),
        "absent_speak": _share(found["absent_speak"], turns),
        "unknown_names": float(len(found["unknown_names"])),
        "unwitnessed_names": float(len(found["unwitnessed_names"])),
        "longest_repeat": float(longest),
        "reused_tokens": _reused(call.usage for calls in told.calls.values() for call in calls),
        "recall": remembered.share,
        "leaks": float(len(remembered.leaks)),
    }
    return {
        "scores": {name: None if (score := scores[name]) is None else round(score, 4) for name in METRICS},
        "beats": reached,
        "chapters": [[past.chapter, past.first_turn, past.last_turn] for past in game.state.chapter_history],
        "agents": {name: list(counts) for name, counts in sorted(agents.items())},
        "recall": remembered.curve,
        "found": {name: numbers[:20] for name, numbers in found.items()},
    }


def _share(part: Sequence[object], whole: Sequence[object]) -> float | None:
    return len(part) / len(whole) if whole else None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


# --- the story ----------------------------------------------------------------------------------------------------


def _beats(told: Told) -> list[list[Any]]:
    """Chapter, number from 1, and turn of every beat reached, in the order of the turns."""
    chapters = told.game.pack.chapters
    return [
        [turn.chapter, chapters[turn.chapter].beats.index(beat) + 1, turn.number]
        for turn in told.turns
        for beat in turn.new_beats
        if beat in chapters[turn.chapter].beats
    ]


def _progress(told: Told, reached: Sequence[Sequence[Any]]) -> dict[str, float | None]:
    last = told.game.state.turn
    every = sum(len(chapter.beats) for chapter in told.game.pack.chapters.values())
    marks = [0, *(turn for _, _, turn in reached), last]
    rolls = [turn.ruling for turn in told.turns if turn.ruling and turn.ruling.roll is not None]
    won = [ruling for ruling in rolls if (ruling.roll or 0) >= (ruling.difficulty or 0)]
    return {
        "finished": float(told.game.state.game_complete),
        "beats": len(reached) / every,
        "turns_per_beat": last / len(reached) if reached else None,
        "longest_stall": float(max(after - before for before, after in pairwise(marks))),
        "rolls": float(len(rolls)),
        "roll_success": _share(won, rolls),
    }


# --- the prose ----------------------------------------------------------------------------------------------------

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def _texts(turns: Iterable[Turn], *roles: str) -> list[tuple[str, list[str]]]:
    """Voice and words of every text that models wrote."""
    return [
        (entry.character or entry.role, [word.casefold() for word in _WORD.findall(entry.text)])
        for turn in turns
        for entry in turn.entries
        if entry.role in roles
    ]


def _style(turns: Sequence[Turn]) -> dict[str, float | None]:
    texts = _texts(turns, "narrator", "character")
    pairs = [pair for _, words in texts for pair in pairwise(words)]
    return {
        "narration_words": _mean([len(words) for _, words in _texts(turns, "narrator")]),
        "reply_words": _mean([len(words) for _, words in _texts(turns, "character")]),
        "distinct_2": len(set(pairs)) / len(pairs) if pairs else None,
        "same_openings": _same_openings(texts),
    }


def _same_openings(texts: Sequence[tuple[str, list[str]]]) -> float | None:
    seen: set[tuple[str, ...]] = set()
    same = 0
    for voice, words in texts:
        opening = (voice, *words[:4])
        same += opening in seen
        seen.add(opening)
    return same / len(texts) if texts else None


def longest_repeat(texts: Sequence[Sequence[str]]) -> tuple[int, int, int]:
    """The most words in a row that two of the texts share: how many, which text has them again, and where in it."""
    best, high = (0, 0, 0), max((len(words) for words in texts), default=0)
    while best[0] < high:
        size = (best[0] + high + 1) // 2
        found = _repeated(texts, size)
        if found:
            best = (size, *found)
        else:
            high = size - 1
    return best


def _repeated(texts: Sequence[Sequence[str]], size: int) -> tuple[int, int] | None:
    """The first text, and the place in it, of a span of `size` words that an earlier text has."""
    seen: set[tuple[str, ...]] = set()
    for number, words in enumerate(texts):
        spans = [tuple(words[start : start + size]) for start in range(len(words) - size + 1)]
        for start, span in enumerate(spans):
            if span in seen:
                return number, start
        seen.update(spans)
    return None


def _repetition(turns: Sequence[Turn]) -> tuple[int, list[Any]]:
    """The words of the longest repetition; and the turn that has them again with their beginning, if they are many."""
    texts = [(turn.number, words) for turn in turns for _, words in _texts([turn], "narrator", "character")]
    size, number, start = longest_repeat([words for _, words in texts])
    if size < LONG:
        return size, []
    turn, words = texts[number]
    return size, [[turn, " ".join(words[start : start + 12]) + " ..."]]


# --- who says what ------------------------------------------------------------------------------------------------

_SAYS = r"(?:say|ask|reply|answer|shout|whisper|murmur|call|tell|mutter|add|cry|promise|admit|agree)"
_QUOTE = r"[\"“][^\"”“\n]{2,}[\"”]"


def speaks_for(turn: Turn, hero: str) -> bool:
    """True if narration or replies let the player's character say, in quotes, what the player did not type."""
    who = rf"(?:[Yy]ou(?: \w+ly)? {_SAYS}|{re.escape(hero)}(?: \w+ly)? {_SAYS}(?:s|es|ed|d)?)"
    spoken = re.compile(
        rf"(?P<a>{_QUOTE}),? {who}\b|\b{who}\b(?: \w+){{0,3}}[,:] (?P<b>{_QUOTE})|\b{who}\b[.,] (?P<c>{_QUOTE})"
    )
    typed = " ".join(_WORD.findall(turn.player_text.casefold()))
    for entry in turn.entries:
        if entry.role in ("narrator", "character"):
            for match in spoken.finditer(entry.text):
                quote = next(group for group in match.groups() if group)
                if " ".join(_WORD.findall(quote.casefold())) not in typed:
                    return True
    return False


def _absent_speak(turn: Turn, pack: Pack) -> bool:
    """True if the narration lets somebody of the cast speak, in quotes, who did not witness the turn."""
    for name, card in pack.characters.items():
        who = rf"\b(?:{re.escape(card.name)}|{re.escape(called(name, card.name))})"
        said = rf"{_QUOTE},? {who} {_SAYS}s?\b|{who} {_SAYS}s?[,:] {_QUOTE}"
        if name not in turn.witnesses and re.search(said, turn.narration):
            return True
    return False


_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b")
_NO_NAMES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december god english french german spanish latin mister".split()
)


@lru_cache(maxsize=8)
def _vocabulary(document: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(document)) | _NO_NAMES


def vocabulary(pack: Pack) -> frozenset[str]:
    """All words of a pack, in lower case."""
    return _vocabulary(pack.model_dump_json())


def names_in(text: str) -> list[str]:
    """Words that are names by their capital letter inside a sentence."""
    return list(dict.fromkeys(_NAME.findall(text)))


def _unknown_names(told: Told) -> list[list[Any]]:
    """Turn and name, for names that models made up, each once."""
    known = set(vocabulary(told.game.pack))
    known |= {word.casefold() for word in _WORD.findall(told.game.info.player.name)}
    found: list[list[Any]] = []
    for turn in told.turns:
        known |= {word.casefold() for word in _WORD.findall(turn.player_text)}
        for entry in turn.entries:
            for name in names_in(entry.text):
                if name.casefold() not in known and name.casefold().removesuffix("s") not in known:
                    found.append([turn.number, name])
                    known.add(name.casefold())
    return found


def _unwitnessed(told: Told) -> list[list[Any]]:
    """Turn, character and name, for names of the story that somebody says without ever having heard them."""
    pack, found = told.game.pack, list[list[Any]]()
    common = _words(
        (pack.world.setting, told.game.info.player.name, *(card.name for card in pack.characters.values()))
    )
    common |= _words(chapter.title for chapter in pack.chapters.values())
    known = {name: common | _words([card.model_dump_json()]) for name, card in pack.characters.items()}
    public: set[str] = set()
    for turn in told.turns:
        for name in known:
            known[name] |= _words(e.text for e in witnessed(turn, name).entries if e.character != name)
        for entry in turn.entries:
            if entry.character in known:
                said = [name for name in names_in(entry.text) if name.casefold() in public]
                new = [name for name in said if name.casefold() not in known[entry.character]]
                found += [[turn.number, entry.character, name] for name in new]
                known[entry.character] |= _words([entry.text])
        public |= {name.casefold() for entry in turn.entries for name in names_in(entry.text)}
    return found


def _words(texts: Iterable[str]) -> set[str]:
    return {word.casefold() for text in texts for word in _WORD.findall(text)}


# --- the machine --------------------------------------------------------------------------------------------------


def _agents(turns: Iterable[Turn]) -> dict[str, list[int]]:
    """Calls, retries, tokens sent and tokens written of each agent."""
    total: dict[str, Counter[int]] = {}
    for turn in turns:
        for key, count in turn.calls.items():
            numbers = (count.calls, count.retries, count.prompt_tokens, count.completion_tokens)
            total.setdefault(key.partition(":")[0], Counter()).update(dict(enumerate(numbers)))
    return {name: [counts[i] for i in range(4)] for name, counts in total.items()}


def _calls(turns: Sequence[Turn], agents: Mapping[str, Sequence[int]]) -> dict[str, float | None]:
    calls, retries, sent, written = (sum(counts[i] for counts in agents.values()) for i in range(4))
    many = len(turns)
    return {
        "calls": calls / many if many else None,
        "retries": 100 * retries / calls if calls else None,
        "prompt_tokens": sent / many if many else None,
        "completion_tokens": written / many if many else None,
        "repaired": _share([turn for turn in turns if turn.repaired], turns),
        "notices": 10 * sum(len(turn.notices) for turn in turns) / many if many else None,
    }


def _reused(usages: Iterable[Usage]) -> float | None:
    """The share of tokens sent that the server took from its cache; None where it does not say."""
    told = [(usage.cached, usage.prompt) for usage in usages if usage.cached is not None and usage.prompt]
    return sum(cached for cached, _ in told) / sum(sent for _, sent in told) if told else None


def _memory(game: Game) -> dict[str, float | None]:
    held = {
        name: [*lines_of(memory), *archived_lines(memory.older)] for name, memory in game.memories.items()
    }
    lines = [[line.text for line in each if line.text] for each in held.values()]
    same = sum(says_the_same(text, each[:place]) for each in lines for place, text in enumerate(each))
    total = sum(map(len, lines))
    return {"facts": float(total), "duplicate_facts": same / total if total else None}
