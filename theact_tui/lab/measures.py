"""What can be counted in a game without a judge: each measure is a number of a game, from its turns and calls as kept."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, Literal

from theact_tui.lab.players import called
from theact_tui.models.ledger import Call
from theact_tui.story.archive import archived_lines
from theact_tui.story.game import Game
from theact_tui.story.matching import says_the_same
from theact_tui.story.memory import lines_of
from theact_tui.story.pack import Pack
from theact_tui.story.steering import language_tag
from theact_tui.story.turn import Turn
from theact_tui.story.viewpoints import witnessed

STALL = 8
"""Turns without a beat that count as a stall."""
LONG = 12
"""Words in a row that count as a repetition worth showing."""

TELLING = 40
"""Letters from which on the language of a text can be told."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A measure as reports show it."""

    label: str
    better: Literal["more", "less", ""]
    about: str
    percent: bool = False

    def text(self, value: float | None) -> str:
        """A value for people."""
        if value is None or value != value:
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
    "language": Metric("Language kept", "more", "words in texts that are in the language of the story", True),
    "speaks_for_player": Metric("Speaks for the player", "less", "turns that put speech into the player's mouth", True),
    "absent_speak": Metric("Absent people speak", "less", "pages on which an absent character speaks", True),
    "unknown_names": Metric("Unknown names", "less", "names that neither pack nor player introduced"),
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


def mean(results: Iterable[Mapping[str, Any]], metric: str) -> float | None:
    """The mean of a score over the games that have it."""
    return _mean([v for r in results if (v := r["measures"].get("scores", {}).get(metric)) is not None])


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
    vocabulary = _vocabulary(game.pack)
    reached = beats_reached(game.pack, turns)
    longest, repeated = _repetition(turns)
    kept, other = _language(told)
    found: dict[str, list[Any]] = {
        "language": other,
        "speaks_for_player": [turn.number for turn in turns if speaks_for(turn, game.info.player.name)],
        "absent_speak": [turn.number for turn in turns if speakers(turn, game.pack) - {*turn.witnesses}],
        "unknown_names": _unknown_names(told, vocabulary),
        "longest_repeat": repeated,
    }
    agents = _agents(turns)
    usages = [call.usage for calls in told.calls.values() for call in calls]
    known = [(usage.cached, usage.prompt) for usage in usages if usage.cached is not None and usage.prompt]
    cached, sent = zip(*known, strict=True) if known else ((), ())
    remembered = recall(told.turns, told.calls, vocabulary)
    scores: dict[str, float | None] = {
        **_progress(told, reached),
        **_style(turns),
        **_calls(turns, agents),
        **_memory(game),
        **{name: _share(found[name], turns) for name in ("speaks_for_player", "absent_speak")},
        "unknown_names": float(len(found["unknown_names"])),
        "longest_repeat": float(longest),
        "language": kept,
        "reused_tokens": sum(cached) / sum(sent) if sent else None,
        "recall": remembered.share,
        "leaks": float(len(remembered.leaks)),
    }
    return {
        "scores": {name: None if (score := scores[name]) is None else round(score, 4) for name in METRICS},
        "beats": reached,
        "chapters": [[past.chapter, past.first_turn, past.last_turn] for past in game.state.chapter_history],
        "agents": dict(sorted(agents.items())),
        "recall": remembered.curve,
        "found": {name: numbers[:20] for name, numbers in found.items()},
    }


def _share(part: Sequence[object], whole: Sequence[object]) -> float | None:
    return len(part) / len(whole) if whole else None


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


# --- the story ----------------------------------------------------------------------------------------------------


def beats_reached(pack: Pack, turns: Iterable[Turn]) -> list[list[Any]]:
    """Chapter, number from 1, and turn of every beat reached, in the order of the turns."""
    return [
        [turn.chapter, pack.chapters[turn.chapter].beats.index(beat) + 1, turn.number]
        for turn in turns
        for beat in turn.new_beats
        if beat in pack.chapters[turn.chapter].beats
    ]


def beats_of(pack: Pack) -> list[tuple[str, int, str]]:
    """Chapter, number from 1, and text of every beat of a pack."""
    return [(id, n, beat) for id, chapter in pack.chapters.items() for n, beat in enumerate(chapter.beats, 1)]


def _progress(told: Told, reached: Sequence[Sequence[Any]]) -> dict[str, float | None]:
    last, beats = told.game.state.turn, beats_of(told.game.pack)
    marks = [0, *(turn for _, _, turn in reached), last]
    rolls = [turn.ruling for turn in told.turns if turn.ruling and turn.ruling.roll is not None]
    won = [ruling for ruling in rolls if (ruling.roll or 0) >= (ruling.difficulty or 0)]
    return {
        "finished": float(told.game.state.game_complete),
        "beats": _share(reached, beats),
        "turns_per_beat": last / len(reached) if reached else None,
        "longest_stall": float(max(after - before for before, after in pairwise(marks))) if beats else None,
        "rolls": float(len(rolls)),
        "roll_success": _share(won, rolls),
    }


# --- the prose ----------------------------------------------------------------------------------------------------

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def _words(*texts: str) -> list[str]:
    """The words of texts, in lower case."""
    return [word.casefold() for text in texts for word in _WORD.findall(text)]


def _names(words: Iterable[str]) -> set[str]:
    """Words, and those that they are the possessive of: `khan's` and `khan`."""
    return {form for word in words for form in (word, re.sub("['’]s$", "", word))}


def _texts(turns: Iterable[Turn], *roles: str) -> list[tuple[str, list[str]]]:
    """Voice and words of every text that models wrote."""
    return [
        (entry.character or entry.role, _words(entry.text))
        for turn in turns
        for entry in turn.entries
        if entry.role in roles
    ]


def _style(turns: Sequence[Turn]) -> dict[str, float | None]:
    texts = _texts(turns, "narrator", "character")
    pairs = [pair for _, words in texts for pair in pairwise(words)]
    openings = {(voice, *words[:4]) for voice, words in texts}
    return {
        "narration_words": _mean([len(words) for _, words in _texts(turns, "narrator")]),
        "reply_words": _mean([len(words) for _, words in _texts(turns, "character")]),
        "distinct_2": len(set(pairs)) / len(pairs) if pairs else None,
        "same_openings": 1 - len(openings) / len(texts) if texts else None,
    }


def longest_repeat(texts: Iterable[Sequence[str]]) -> tuple[int, int, int]:
    """The most words in a row that two of the texts share: how many, which text has them again, and where in it."""
    best, before = (0, 0, 0), list[str | None]()
    for number, words in enumerate(texts):
        match = SequenceMatcher(None, words, before, autojunk=False).find_longest_match()
        if match.size > best[0]:
            best = (match.size, number, match.a)
        before += [*words, None]
    return best


def _repetition(turns: Sequence[Turn]) -> tuple[int, list[Any]]:
    """The words of the longest repetition; and the turn that has them again with their beginning, if they are many."""
    texts = [(turn.number, words) for turn in turns for _, words in _texts([turn], "narrator", "character")]
    size, number, start = longest_repeat([words for _, words in texts])
    if size < LONG:
        return size, []
    turn, words = texts[number]
    return size, [[turn, " ".join(words[start : start + 12]) + " ..."]]


def _language(told: Told) -> tuple[float | None, list[list[Any]]]:
    """The share of words in texts of the story's language, with turn and language of the other texts; None where that
    is not known, and without the extra `lab`. The language is the one that was chosen, or that of the pack's texts."""
    try:
        from py3langid import classify
    except ImportError:
        return None, []
    game = told.game
    wanted = language_tag(game.language) if game.language else classify(game.pack.model_dump_json())[0]
    texts = [
        (turn.number, len(entry.text.split()), classify(entry.text)[0])
        for turn in told.turns
        for entry in turn.entries
        if entry.role in ("narrator", "character") and len(entry.text) >= TELLING
    ]
    whole = sum(words for _, words, _ in texts)
    if not wanted or not whole:
        return None, []
    other = [(turn, words, code) for turn, words, code in texts if code != wanted.partition("-")[0]]
    return 1 - sum(words for _, words, _ in other) / whole, [[turn, code] for turn, _, code in other]


# --- who says what ------------------------------------------------------------------------------------------------

_SAYS = r"(?:say|ask|reply|answer|shout|whisper|murmur|call|tell|mutter|add|cry|promise|admit|agree)"
_QUOTE = r"[\"“][^\"”“\n]{2,}[\"”]"


def speaks_for(turn: Turn, hero: str) -> bool:
    """True if narration or replies let the player's character say, in quotes, what the player did not type."""
    who = rf"(?:[Yy]ou(?: \w+ly)? {_SAYS}|{re.escape(hero)}(?: \w+ly)? {_SAYS}(?:s|es|ed|d)?)"
    spoken = re.compile(
        rf"(?P<a>{_QUOTE}),? {who}\b|\b{who}\b(?: \w+){{0,3}}[,:] (?P<b>{_QUOTE})|\b{who}\b[.,] (?P<c>{_QUOTE})"
    )
    typed = " ".join(_words(turn.player_text))
    for entry in turn.entries:
        if entry.role in ("narrator", "character"):
            for match in spoken.finditer(entry.text):
                quote = next(group for group in match.groups() if group)
                if " ".join(_words(quote)) not in typed:
                    return True
    return False


def speakers(turn: Turn, pack: Pack) -> set[str]:
    """Who of the cast replies in a turn, or speaks in quotes in its narration."""
    found = {entry.character for entry in turn.entries if entry.character}
    for name, card in pack.characters.items():
        who = rf"\b(?:{re.escape(card.name)}|{re.escape(called(name, card.name))})"
        if re.search(
            rf"{_QUOTE},? (?:{who} {_SAYS}s?|{_SAYS}s? {who})\b|{who} {_SAYS}s?[,:] {_QUOTE}", turn.narration
        ):
            found.add(name)
    return found


_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b")
_NO_NAMES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december god english french german spanish latin mister".split()
)


def _vocabulary(pack: Pack) -> frozenset[str]:
    return frozenset(_names(_words(pack.model_dump_json()))) | _NO_NAMES


def _unknown_names(told: Told, vocabulary: frozenset[str]) -> list[list[Any]]:
    """Turn and name, for names that models made up, each once."""
    known = {*vocabulary, *_words(told.game.info.player.name)}
    found: list[list[Any]] = []
    for turn in told.turns:
        known.update(_words(turn.player_text))
        for entry in turn.entries:
            for name in _NAME.findall(entry.text):
                if name.casefold() not in known and name.casefold().removesuffix("s") not in known:
                    found.append([turn.number, name])
                    known.add(name.casefold())
    return found


# --- the machine --------------------------------------------------------------------------------------------------


def _agents(turns: Iterable[Turn]) -> dict[str, list[int]]:
    """Calls, retries, tokens sent and tokens written of each agent."""
    total: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for key, made in (item for turn in turns for item in turn.calls.items()):
        numbers = (made.calls, made.retries, made.prompt_tokens, made.completion_tokens)
        agent = key.partition(":")[0]
        total[agent] = [old + new for old, new in zip(total[agent], numbers, strict=True)]
    return total


def _calls(turns: Sequence[Turn], agents: Mapping[str, Sequence[int]]) -> dict[str, float | None]:
    calls, retries, sent, written = (sum(counts[i] for counts in agents.values()) for i in range(4))
    per_turn = {"calls": calls, "prompt_tokens": sent, "completion_tokens": written}
    per_turn["notices"] = 10 * sum(len(turn.notices) for turn in turns)
    return {
        **{name: number / len(turns) if turns else None for name, number in per_turn.items()},
        "retries": 100 * retries / calls if calls else None,
        "repaired": _share([turn for turn in turns if turn.repaired], turns),
    }


def _memory(game: Game) -> dict[str, float | None]:
    held = [[*lines_of(memory), *archived_lines(memory.older)] for memory in game.memories.values()]
    lines = [[line.text for line in each if line.text] for each in held]
    same = sum(says_the_same(text, each[:place]) for each in lines for place, text in enumerate(each))
    total = sum(map(len, lines))
    return {"facts": float(total), "duplicate_facts": same / total if total else None}


# --- recall ----------------------------------------------------------------------------------------------------------


DISTANCES = (1, 5, 10, 20, 40, 80)
"""Turns after which is looked; each counts up to the next."""
LONG_AGO = 5
"""Turns from which on a word counts for the share of a game."""
_TRACED = re.compile(r"[^\W\d_]{5,}")


@dataclass
class Trace:
    """Follows words through prompts. Give it every turn with `hear`, and prompts with `look`."""

    told: dict[str, int] = field(default_factory=dict)
    """The words in lower case, and the turns in which they were told."""
    heard: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By word, the characters that heard it."""
    leaks: dict[str, None] = field(default_factory=dict)
    """A word, the turn in which it was told, and whose prompt held it; in the order in which they were found."""

    def hear(self, turn: Turn) -> None:
        """Note who heard which words in a turn."""
        for name in turn.witnesses:
            text = " ".join(entry.text for entry in witnessed(turn, name).entries).casefold()
            for word in self.told:
                if word in text:
                    self.heard[word].add(name)

    def look(self, reader: str, prompt: str, turn: int) -> list[tuple[str, int, bool]]:
        """Each word that was told before a turn and that a reader heard: how many turns ago it was told, and whether the
        prompt holds it. The narrator, who knows everything, is `narrator`. Others that hold a word are noted as leaks."""
        text, found = prompt.casefold(), list[tuple[str, int, bool]]()
        for word, since in self.told.items():
            if since >= turn:
                continue
            if reader == "narrator" or reader in self.heard[word]:
                found.append((word, turn - since, word in text))
            elif word in text:
                self.leaks[f"{word} of turn {since}, in a prompt of {reader}"] = None
        return found


@dataclass(frozen=True, slots=True)
class Recall:
    """How long what the player told stays in prompts, and whether it gets into those of people who did not hear it."""

    curve: dict[str, dict[str, list[int]]]
    """For `narrator` and `character`, by distance in turns: prompts that hold the word, and how many were looked at."""
    share: float | None
    """Prompts that hold a word told `LONG_AGO` turns before or earlier; None without any."""
    leaks: tuple[str, ...]


def recall(turns: Sequence[Turn], calls: Mapping[int, Sequence[Call]], known: Collection[str]) -> Recall:
    """Follow the words that the player was the first to use through the prompts of narrator and characters. `known`
    words, and those of the prompts of the opening, are not traced."""
    first = (message["content"] for call in calls.get(1, ()) for message in call.messages)
    asked = {word for text in first for word in _TRACED.findall(text.casefold())}
    trace = Trace(_first_used(turns, {*known, *asked}))
    counts: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
    for turn in turns:
        trace.hear(turn)
        for call in calls.get(turn.number, ()):
            if call.agent not in ("narrator", "character"):
                continue
            prompt = "\n".join(message["content"] for message in call.messages)
            for _, ago, held in trace.look(call.character or call.agent, prompt, turn.number):
                count = counts[call.agent, max(d for d in DISTANCES if d <= ago)]
                count[0], count[1] = count[0] + held, count[1] + 1
    curve: dict[str, dict[str, list[int]]] = {}
    for (agent, distance), count in sorted(counts.items()):
        curve.setdefault(agent, {})[str(distance)] = count
    old = [count for (_, distance), count in counts.items() if distance >= LONG_AGO]
    looked = sum(total for _, total in old)
    return Recall(curve, sum(held for held, _ in old) / looked if looked else None, tuple(trace.leaks))


def _first_used(turns: Sequence[Turn], known: Collection[str]) -> dict[str, int]:
    """The words that the player was the first to use, and when."""
    seen, found = set(known), dict[str, int]()
    for turn in turns:
        typed = {word.casefold() for word in _TRACED.findall(turn.player_text)}
        found |= {word: turn.number for word in sorted(typed - seen) if word.capitalize() in turn.player_text}
        seen |= typed | {word.casefold() for entry in turn.entries for word in _TRACED.findall(entry.text)}
    return found
