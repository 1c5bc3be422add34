"""Labelled chapters, played turn by turn: what is claimed of their beats, and what the program makes of the claims."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from random import Random
from typing import Any

from tests.support.fake_model import Scripted, view_of
from theact_tui import yaml
from theact_tui.agents.agent import Agent
from theact_tui.engine.after_turn.beats_and_moments import check_beats, with_beats
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.engine.turn_context import TurnContext
from theact_tui.models.model import Models, Request
from theact_tui.story.beats import find_quote, places_of
from theact_tui.story.chapters import judge_chapter
from theact_tui.story.game import Game, new_game
from theact_tui.story.pack import PLAYER, Chapter, Character, GameInfo, Pack, PlayerInfo, World
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.views import FinishedView, ProgressView

CORPUS = Path(__file__).parent / "corpus"
LATE_TURNS = 2
"""Turns after a true claim from which it counts as lost."""


@dataclass(frozen=True)
class Labelled:
    """A chapter with labels. Turns are numbered from 1, beats by their text."""

    name: str
    pack: Pack
    rows: tuple[dict[str, Any], ...]

    @property
    def beats(self) -> tuple[str, ...]:
        return self.pack.first_chapter.beats

    def turn(self, number: int) -> Turn:
        row = self.rows[number - 1]
        entries = [Entry(role="narrator", text=row["page"].strip()), Entry(role="player", text=row["line"])]
        entries += [Entry(role="character", character=id, text=text) for id, text in row["replies"].items()]
        people = tuple(self.pack.characters)
        return Turn(number=number, chapter="one", entries=tuple(entries), witnesses=people)

    def finished(self, beat: str) -> int:
        """Return the turn in which a beat finishes."""
        number = self.beats.index(beat) + 1
        return next(at for at, row in enumerate(self.rows, 1) if number in map(int, row.get("finished", ())))


def load_stories() -> list[Labelled]:
    return [_story(file) for file in sorted(CORPUS.glob("*.yaml"))]


def _story(file: Path) -> Labelled:
    data: Any = yaml.load(file.read_bytes())
    beats = [beat if isinstance(beat, dict) else {"text": beat} for beat in data["beats"]]
    chapter = Chapter.model_validate(
        {
            "id": "one",
            "title": file.stem,
            "summary": "-",
            "beats": tuple(beat["text"] for beat in beats),
            "by": {beat["text"]: beat["by"] for beat in beats if beat.get("by")},
            "completion": data["completion"],
            "characters": tuple(data["cast"]),
        }
    )
    assert set(chapter.by.values()) <= {PLAYER, *data["cast"]}
    people = {id: Character.model_validate({"personality": "-", **card}) for id, card in data["cast"].items()}
    info = {
        "id": file.stem,
        "title": file.stem,
        "description": "-",
        "characters": tuple(people),
        "chapters": ("one",),
        "player": PlayerInfo(name=data["player"]),
        "language": data["language"],
    }
    pack = Pack(
        game=GameInfo.model_validate(info),
        world=World(setting="-", tone="-", rules="-"),
        characters=people,
        chapters={"one": chapter},
    )
    return Labelled(file.stem, pack, tuple(data["turns"]))


@dataclass
class Reader:
    """A reader whose forms stand in the story's file; of its answers about a paragraph a share is `wrong`."""

    kind: str
    wrong: float = 0.0
    chance: Random = field(default_factory=lambda: Random(0))

    def form(self, story: Labelled) -> Callable[[Request], str]:
        def answer(ask: Request) -> str:
            view = view_of(ask, ProgressView)
            row = story.rows[view.turns[-1].number - 1]
            claims = {story.beats[int(number) - 1]: text for number, text in row.get(self.kind, {}).items()}
            answers = {label: claims.get(beat, "no") for label, beat in view.beats.items()}
            return json.dumps({**answers, "end": bool(row.get("end"))}, ensure_ascii=False)

        return answer

    def answer(self, story: Labelled) -> Callable[[Request], str]:
        def answer(ask: Request) -> str:
            view = view_of(ask, FinishedView)
            right = is_finished_in(story, view)
            return json.dumps({"finished": right is not (self.chance.random() < self.wrong)})

        return answer


def is_finished_in(story: Labelled, view: FinishedView) -> bool:
    """True if a beat finishes in the turn of a place."""
    return view.place in places_of([story.turn(story.finished(view.beat))])


@dataclass
class Figures:
    """Counts over chapters."""

    true_claims: int = 0
    lost: int = 0
    """True claims whose beat is not marked `LATE_TURNS` later."""
    false_claims: int = 0
    passed: int = 0
    asked: int = 0
    """Questions about one paragraph."""
    wrong_answers: int = 0
    turns: int = 0
    chapter_turns: tuple[int, ...] = ()
    """Turns to each chapter's end; 0: it did not end."""
    least_beats: float = 1.0
    """The least share of beats at a chapter's end."""

    def __add__(self, other: Figures) -> Figures:
        summed = {
            one.name: getattr(self, one.name) + getattr(other, one.name)
            for one in fields(self)
            if one.name != "least_beats"
        }
        return Figures(**summed, least_beats=min(self.least_beats, other.least_beats))

    def shares(self) -> dict[str, float]:
        return {
            "lost_%": round(100 * self.lost / max(1, self.true_claims), 1),
            "passed_%": round(100 * self.passed / max(1, self.false_claims), 1),
        }


@dataclass(frozen=True, slots=True)
class Recording(TurnContext):
    """A context that keeps the answers."""

    answers: list[tuple[Any, Any]] = field(default_factory=list)

    async def ask(self, agent: Agent[Any], view: Any, key: str = "") -> Any:
        reply = (await self.call(self.agents.prepare(agent, view, key))).reply
        self.answers.append((view, reply))
        return reply


async def play_chapter(story: Labelled, models: Models, out: Path | None = None) -> Figures:
    """Check every turn of a chapter, also after it would have ended."""
    game, figures = new_game(story.pack, title="-", player="", seed=1, created=""), Figures()
    claimed_in: dict[str, int] = {}
    marked_in: dict[str, int] = {}
    for number in range(1, len(story.rows) + 1):
        turn, bus = story.turn(number), Bus()
        game = game.with_turn(turn).with_state(turn=number)
        context = Recording(AgentRunner(models, bus), bus)
        check = await check_beats(context, game, [game.turns[number]])
        for claim in check.claims:
            if story.finished(claim.beat) <= number:
                claimed_in.setdefault(claim.beat, number)
            else:
                figures.false_claims += 1
                figures.passed += claim.beat in check.finished
        questions = [(v, reply) for v, reply in context.answers if isinstance(v, FinishedView)]
        figures.asked += len(questions)
        figures.wrong_answers += sum(r.finished is not is_finished_in(story, v) for v, r in questions)
        game = with_beats(game, check, bus)
        marked_in |= dict.fromkeys(game.turns[number].new_beats, number)
        _note_end(game, figures, complete=check.is_complete, turn=number)
        game = game.with_state(completion_said=game.state.completion_said + check.is_complete)
        _keep(out, story, number, context)
    figures.turns = len(story.rows)
    figures.true_claims = len(claimed_in)
    latest = len(story.rows) + LATE_TURNS + 1
    figures.lost = sum(marked_in.get(beat, latest) > turn + LATE_TURNS for beat, turn in claimed_in.items())
    figures.chapter_turns = figures.chapter_turns or (0,)
    return figures


def _note_end(game: Game, figures: Figures, *, complete: bool, turn: int) -> None:
    if (
        not figures.chapter_turns
        and judge_chapter(game.state, game.pack, is_called_complete=complete, turn=turn)[0]
    ):
        figures.chapter_turns = (turn,)
        figures.least_beats = len(game.state.beats_hit) / len(game.chapter.beats)


def _keep(out: Path | None, story: Labelled, number: int, context: Recording) -> None:
    if not out:
        return
    with out.open("a", encoding="utf-8") as added:
        for view, reply in context.answers:
            row: dict[str, Any] = {"story": story.name, "turn": number}
            if isinstance(view, FinishedView):
                row |= {"beat": view.beat, "finished": reply.finished, "right": is_finished_in(story, view)}
            else:
                quoted = {label: text for label, text in reply.answers.items() if text != "no"}
                places = places_of((*view.before, *view.turns))
                row |= {"end": reply.end, "beats": dict(view.beats), "answers": quoted}
                row |= {"found": [label for label, text in quoted.items() if find_quote(text, places)]}
            added.write(json.dumps(row, ensure_ascii=False) + "\n")


def scripted(story: Labelled, reader: Reader) -> Scripted:
    return Scripted({"progress": reader.form(story), "finished": reader.answer(story)})
