import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from theact_tui.lab.players import SecretQuestion, name_in_id
from theact_tui.models.ledger import Call
from theact_tui.parsing.speakers import QUOTE, SAYS, model_texts, speaks_for, spoken_words
from theact_tui.story.game import Game
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Turn
from theact_tui.text import unwrapped_paragraphs

_RUN_WORDS = 4
"""Count as repetition when they come again."""
_LOOPING_SHARE = 0.5
"""Repetition that makes a turn an example."""


@dataclass(frozen=True, slots=True)
class Metric:
    label: str
    better: Literal["more", "less", ""]
    about: str
    percent: bool = False

    def text(self, value: float | None) -> str:
        if value is None or value != value:
            return "–"
        return f"{value:.0%}" if self.percent else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


METRICS: dict[str, Metric] = {
    "speaks_for_player": Metric("Speaks for the player", "less", "turns that put speech into the player's mouth", True),
    "finished": Metric("Finished", "more", "games that reached the end of the story within the limit of turns", True),
    "repetition": Metric("Repetition", "less", f"runs of {_RUN_WORDS} words that the game has had before", True),
    "leaked": Metric("Secrets leaked", "less", "secrets told to one that others tell by the time they are asked", True),
    "recalled": Metric("Secrets recalled", "more", "secrets that come out when the one who was told is asked", True),
    "beats": Metric("Beats reached", "more", "share of all beats of the pack", True),
    "longest_stall": Metric("Longest stall", "less", "most turns in a row without a new beat"),
    "words": Metric("Words per turn", "", "of the page and all replies"),
    "slop": Metric("Worn phrases", "less", "per 1,000 words, of the list that the plan names"),
    "cut_off": Metric("Cut off", "less", "replies that ended because they had the most tokens a reply may have", True),
    "prompt_tokens": Metric("Tokens sent per turn", "less", "of all prompts, as reported or estimated"),
}  # fmt: skip


def mean(results: Iterable[Mapping[str, Any]], metric: str) -> float | None:
    values = [v for r in results if (v := r["measures"].get("scores", {}).get(metric)) is not None]
    return sum(values) / len(values) if values else None


def measure(
    game: Game, turns: Sequence[Turn], calls: list[Call], questions: list[SecretQuestion], slop: Sequence[str]
) -> dict[str, Any]:
    """Return all measures of a game: `scores` by `METRICS` (None if there is nothing to count), beats reached, examples."""
    texts = [(turn.number, text) for turn in turns for text in model_texts(turn)]
    words = [word for _, text in texts for word in spoken_words(text)]
    reached, beats = beats_reached(game.pack, turns), beats_of(game.pack)
    marks = [0, *(turn for _, _, turn in reached), game.state.turn]
    shares = repeated(texts)
    spoken = [turn.number for turn in turns if speaks_for(turn, game.info.player.name)]
    asked = [question for question in questions if question.turn <= game.state.turn]
    others = [
        (question, leaks(question, turns, game.pack)) for question in asked if question.asked != question.told
    ]
    leaked = [(question, held) for question, held in others if held is not None]
    own = [question for question in asked if question.asked == question.told]
    recalled = [
        any(question.word in text for number, text in texts if number == question.turn) for question in own
    ]
    ends = [call.finish for call in calls if call.finish]
    sent = sum(count.prompt_tokens for turn in turns for count in turn.calls.values())
    prose = " ".join(text for _, text in texts).casefold()
    scores: dict[str, float | None] = {
        "speaks_for_player": _share(len(spoken), len(turns)),
        "finished": float(game.state.game_complete),
        "repetition": _share(sum(again for _, again, _ in shares), sum(runs for _, _, runs in shares)),
        "leaked": _share(sum(held for _, held in leaked), len(leaked)),
        "recalled": _share(sum(recalled), len(recalled)),
        "beats": _share(len(reached), len(beats)),
        "longest_stall": float(max(after - before for before, after in pairwise(marks))) if beats else None,
        "words": _share(len(words), len(turns)),
        "slop": _share(1000 * sum(map(prose.count, slop)), len(words)) if slop else None,
        "cut_off": _share(ends.count("length") + ends.count("cut"), len(ends)),
        "prompt_tokens": _share(sent, len(turns)),
    }
    examples: dict[str, list[Any]] = {
        "speaks_for_player": spoken,
        "leaked": [
            [question.turn, f"{question.word}, which {question.told} was told"]
            for question, held in leaked
            if held
        ],
        "repetition": sorted(
            {turn for turn, again, runs in shares if runs and again >= _LOOPING_SHARE * runs}
        ),
    }
    return {
        "scores": {name: None if (score := scores[name]) is None else round(score, 4) for name in METRICS},
        "beats": reached,
        "found": {name: where[:20] for name, where in examples.items()},
    }


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def leaks(question: SecretQuestion, turns: Iterable[Turn], pack: Pack) -> bool | None:
    """True if a secret leaks up to the question about it, other than in the listener's words. None if the listener
    gives it away before.
    """
    name = name_in_id(question.told, pack.name_of(question.told))
    for turn in turns:
        if question.since < turn.number <= question.turn and question.word in " ".join(model_texts(turn)):
            others = [e.text for e in turn.entries if e.role == "character" and e.character != question.told]
            others += [part for part in unwrapped_paragraphs(turn.narration) if name not in part]
            held = any(question.word in text for text in others)
            return held if held or turn.number == question.turn else None
    return False


def beats_reached(pack: Pack, turns: Iterable[Turn]) -> list[list[Any]]:
    """Return chapter, number from 1, and turn of each beat reached, in order."""
    return [
        [turn.chapter, pack.chapters[turn.chapter].beats.index(beat) + 1, turn.number]
        for turn in turns
        for beat in turn.new_beats
        if beat in pack.chapters[turn.chapter].beats
    ]


def beats_of(pack: Pack) -> list[tuple[str, int, str]]:
    return [(id, n, beat) for id, chapter in pack.chapters.items() for n, beat in enumerate(chapter.beats, 1)]


def repeated(texts: Iterable[tuple[int, str]]) -> list[tuple[int, int, int]]:
    """For each text: its turn, runs of `_RUN_WORDS` words that came before, and all its runs."""
    seen_runs, counts = set[tuple[str, ...]](), list[tuple[int, int, int]]()
    for turn, text in texts:
        words, again = spoken_words(text), 0
        runs = list(zip(*(words[start:] for start in range(_RUN_WORDS)), strict=False))
        for run in runs:
            again += run in seen_runs
            seen_runs.add(run)
        counts.append((turn, again, len(runs)))
    return counts


def speakers(turn: Turn, pack: Pack) -> set[str]:
    """Return the cast members who reply in a turn, or speak in its narration."""
    ids = {entry.character for entry in turn.entries if entry.character}
    for name, card in pack.characters.items():
        speaker = rf"\b(?:{re.escape(card.name)}|{re.escape(name_in_id(name, card.name))})"
        if re.search(
            rf"{QUOTE},? (?:{speaker} {SAYS}s?|{SAYS}s? {speaker})\b|{speaker} {SAYS}s?[,:] {QUOTE}",
            turn.narration,
        ):
            ids.add(name)
    return ids
