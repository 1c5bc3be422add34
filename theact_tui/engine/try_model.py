"""Audition of a model: it fills the agents' forms about pages with known answers, and writes pages and replies.
Correct answers are compared with chance, slips counted.
"""

import asyncio
import math
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from theact_tui.agents.character import CHARACTER
from theact_tui.agents.memory import FACTS
from theact_tui.agents.narrator import NARRATOR
from theact_tui.agents.record_keepers import PROGRESS
from theact_tui.agents.stage import STAGE
from theact_tui.engine.agent_runner import AgentReply, AgentRunner, PreparedCall
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import CallFinished, Event
from theact_tui.errors import CallError
from theact_tui.models.consent import Targets
from theact_tui.models.habits import Habit, lets_people_speak, sentences_about
from theact_tui.models.model import Models
from theact_tui.models.model_for_agent import Endpoints
from theact_tui.models.server_capabilities import TOO_SMALL
from theact_tui.parsing.forms import ProgressReply
from theact_tui.parsing.loops import goes_round
from theact_tui.parsing.speakers import speaks_for
from theact_tui.story.agent_views import narrator_view, progress_view, stage_view
from theact_tui.story.beats import beat_answer
from theact_tui.story.character_view import memory_view_of, viewpoint_of
from theact_tui.story.game import Game, new_game
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, PlayerInfo, World
from theact_tui.story.perception import cut
from theact_tui.story.scene import scene_of
from theact_tui.story.speech import is_quoting, without_speech
from theact_tui.story.story_bible import story_bible
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.views import NarratorView
from theact_tui.text import counted
from theact_tui.yaml import load

SECONDS = 300.0
"""Time limit; the answers so far decide."""
READ, WRITTEN = 3_800, 700
"""Measured prompt and reply tokens of a turn with one reply."""
LEAST_WORDS = {"narrator": 25, "character": 3}
"""Words; a shorter page or reply is a slip."""
Verdict = Literal["plays well", "plays, expect slips", "too small", "not finished"]


@dataclass(frozen=True, slots=True)
class Audition:
    """Results in counts: the questions are too few for rates."""

    verdict: Verdict
    right: int
    questions: int
    slips: tuple[str, ...]
    pages: int
    reading: float
    """New prompt tokens per second."""
    writing: float
    """Reply tokens per second."""
    problem: str = ""
    habits: tuple[str, ...] = ()

    @property
    def turn_seconds(self) -> int:
        return round(READ / self.reading + WRITTEN / self.writing) if self.reading and self.writing else 0

    @property
    def sentence(self) -> str:
        verdict = {
            "plays well": "Plays well.",
            "plays, expect slips": "Good enough to play; expect slips.",
            "too small": TOO_SMALL,
            "not finished": "The test was not finished.",
        }[self.verdict]
        times = Counter(self.slips).items()
        listed = ", ".join(f"{name} {number} times" if number > 1 else name for name, number in times)
        slips = f"{counted(len(self.slips), 'slip')} ({listed})" if self.slips else "no slip"
        sentences = [
            verdict,
            f"It answered {self.right} of {counted(self.questions, 'question')} correctly.",
            f"It wrote {counted(self.pages, 'page or reply', 'pages and replies')} with {slips}."
            if self.pages
            else "",
            f"Reads {self.reading:,.0f} tokens/s, writes {self.writing:.0f}: about {self.turn_seconds} s per turn."
            if self.turn_seconds
            else "",
            *sentences_about(self.habits),
            self.problem,
        ]
        return " ".join(filter(None, sentences))


@cache
def _script() -> dict[str, Any]:
    script: Any = load(Path(__file__).with_suffix(".yaml").read_bytes())
    return dict(script)


def is_above_chance(right: int, questions: int) -> bool:
    """True if the correct answers beat chance (binomial test, one-sided, 5 %)."""
    ways = sum(math.comb(questions, more) for more in range(right, questions + 1))
    return bool(20 * ways <= 2**questions)


async def try_out(targets: Targets, cache: Path, on_step: Callable[[int, int], None]) -> Audition:
    """Audition the default of `targets`; store in `cache` whether it is too small."""
    endpoints = Endpoints(targets, cache)
    try:
        await endpoints.probe()
        result, knowledge = await audition(endpoints, on_step), endpoints.default.knowledge
        if result.verdict != "not finished":
            too_small, habits = result.verdict == "too small", " ".join(result.habits)
            knowledge.keep(replace(knowledge.abilities, too_small=too_small, habits=habits))
        return result
    finally:
        await endpoints.close()


async def audition(
    models: Models, on_step: Callable[[int, int], None] = lambda done, all: None, *, seconds: float = SECONDS
) -> Audition:
    """Audition `models`; `on_step` gets finished and total calls. A failed call ends it."""
    run = _AuditionRun(models, on_step)
    problem = ""
    try:
        async with asyncio.timeout(seconds):
            await run.play(0)
            if run.verdict == "plays, expect slips":
                await run.play(1)
    except CallError as error:
        problem = error.message
    except TimeoutError:
        problem = f"It took more than {seconds / 60:.0f} minutes."
    return run.judged(problem)


class _AuditionRun:
    def __init__(self, models: Models, on_step: Callable[[int, int], None]) -> None:
        bus = Bus()
        bus.listen(self._measure)
        self._agents = AgentRunner(models, bus)
        self._on_step, self._done, self._all = on_step, 0, 0
        self._right: list[bool] = []
        self._slips: list[str] = []
        self._whispers: list[bool] = []
        self._habits: Counter[Habit] = Counter()
        self._pages = self._loops = 0
        self._has_asked = self._finished = False
        self._tokens_read = self._tokens_written = 0
        self._reading_seconds = self._writing_seconds = 0.0

    async def play(self, round: int) -> None:
        script = _script()
        scenes, lines = script["rounds"][round], script["lines"] if round == 0 else ()
        self._finished = False
        self._all += sum(1 + ("beats" in scene) + ("of" in scene) for scene in scenes) + 2 * len(lines)
        for scene in scenes:
            async with aclosing(self._asked(scene)) as answers:
                async for right in answers:
                    self._right += right
                    self._step()
        self._has_asked = True
        for line in lines:
            await self._play_page(line)
        self._finished = True

    def _page_call(self, game: Game, line: str) -> PreparedCall[NarratorView]:
        people_speak = lets_people_speak(self._agents.model(NARRATOR.name))
        view = narrator_view(game, "play", line, None, 1, people_speak=people_speak)
        bible = story_bible(game.pack) if people_speak else ""
        return self._agents.prepare(NARRATOR, replace(view, bible=bible))

    @property
    def verdict(self) -> Verdict:
        right, asked = sum(self._right), len(self._right)
        if not is_above_chance(right, asked) or 2 * self._loops > self._pages:
            return "too small" if self._has_asked else "not finished"
        if right >= asked - 1 and not self._slips:
            return "plays well" if self._finished else "not finished"
        return "plays, expect slips"

    def judged(self, problem: str) -> Audition:
        return Audition(
            verdict="not finished" if problem and self.verdict != "too small" else self.verdict,
            right=sum(self._right),
            questions=len(self._right),
            slips=tuple(self._slips),
            pages=self._pages,
            reading=self._tokens_read / self._reading_seconds if self._reading_seconds else 0.0,
            writing=self._tokens_written / self._writing_seconds if self._writing_seconds else 0.0,
            problem=problem,
            habits=self._frequent_slips,
        )

    @property
    def _frequent_slips(self) -> tuple[Habit, ...]:
        """Frequent slips; telling the truth once is enough."""
        pages = len(_script()["lines"])
        deaf: list[Habit] = ["whispers"] if len(self._whispers) > 1 and not any(self._whispers) else []
        often = (name for name, times in self._habits.items() if name == "truth" or 2 * times >= pages)
        return tuple(sorted([*deaf, *often]))

    async def _asked(self, scene: Mapping[str, Any]) -> AsyncGenerator[list[bool], None]:
        """Yield, for each call about a page, whether each answer is correct."""
        game, page, line = _before(scene), scene["page"], scene["line"]
        page_call = self._page_call(game, line)
        sections = [section for section in page_call.prompt.sections if section.kept != "dropped"]
        view = stage_view(page_call.view, scene_of(game, line), page)
        form = await self._form(self._agents.prepare_behind(STAGE, view, sections, NARRATOR.name))
        right = [
            bool(form) and (id in (form.here or ())) is expected
            for id, expected in scene.get("here", {}).items()
        ]
        if "heard" in scene:
            labels, hearers = cut(line, page).line_labels, set(scene["heard"] or game.state.present)
            only = [ids or () for label, ids in ((form and form.only) or {}).items() if label in labels]
            deaf = {id for id in game.state.present for ids in only if id not in ids}
            right.append(form is not None and deaf == set(game.state.present) - hearers)
            self._whispers += [right[-1]] if scene["heard"] else []
        yield right
        turn = _turn(game, line, page)
        after = game.with_turn(turn).with_state(turn=turn.number)
        if beats := scene.get("beats"):
            call = self._agents.prepare(PROGRESS, progress_view(after, [turn]))
            check: ProgressReply | None = await self._form(call)
            answers = (
                {beat: check.answers.get(label, "") for label, beat in call.view.beats.items()}
                if check
                else {}
            )
            finished = [beat for beat, answer in answers.items() if beat_answer(answer) == "finished"]
            yield [check is not None and (beat in finished) is true for beat, true in beats.items()]
        if owner := scene.get("of"):
            reply = await self._form(
                self._agents.prepare(FACTS, memory_view_of(after, owner, [turn.number]), f"memory:{owner}")
            )
            facts = " ".join(one.fact for one in reply.new).casefold() if reply else ""
            yield [_names(facts, scene["kept"]), reply is not None and not _names(facts, scene["made_up"])]

    async def _form(self, call: PreparedCall[Any]) -> Any:
        try:
            return (await self._agents.call(call)).reply
        except CallError as error:
            if error.kind != "unreadable":
                raise
            return None

    async def _play_page(self, line: str) -> None:
        game = _before({})
        page = await self._prose(self._page_call(game, line), line) or _script()["before"]["page"]
        entries = [Entry(role="player", text=line), Entry(role="narrator", text=page)]
        view = viewpoint_of(game, "ann", entries, game.state.present)
        view = replace(view, is_brief=not lets_people_speak(self._agents.model(NARRATOR.name)))
        await self._prose(self._agents.prepare(CHARACTER, view, "character:ann"), line)

    async def _prose(self, call: PreparedCall[Any], line: str) -> str:
        kind, text = call.agent.name, ""
        try:
            reply: AgentReply = await self._agents.call(call)
        except CallError as error:
            if error.kind != "unreadable":
                raise
            slip = "nothing told"
        else:
            text = reply.reply.text
            entries = (Entry(role="player", text=line), Entry(role="narrator", text=text))
            turn = Turn(number=1, chapter="one", entries=entries)
            loops = reply.cut == "loop" or goes_round(text)
            self._loops += loops
            is_page, quotes = kind == NARRATOR.name, is_quoting(text)
            prose = without_speech(text) if quotes else text
            slips: dict[str, Habit | None] = {
                "went round in circles": "endless" if loops else None,
                "spoke for the player": "player" if speaks_for(turn, _script()["player"]) else None,
                "ran to its limit": "endless" if reply.cut == "length" else None,
                "told what is hidden": "truth" if _names(text.casefold(), _script()["truth_words"]) else None,
                "lost the “you”": "person" if is_page and _is_in_wrong_person(prose) else None,
            }
            names = [name for name, habit in slips.items() if habit]
            self._habits.update({habit for habit in slips.values() if habit})
            is_short = len(text.split()) < LEAST_WORDS[kind]
            slip = next(iter([*names, *(["too short"] if is_short else [])]), "")
        self._pages += 1
        self._slips += [slip] if slip else []
        self._step()
        return text

    def _step(self) -> None:
        self._done += 1
        self._on_step(self._done, self._all)

    def _measure(self, event: Event) -> None:
        if isinstance(event, CallFinished) and event.first_token is not None:
            self._tokens_read += max(0, event.prompt_tokens - event.reused_tokens)
            self._reading_seconds += event.first_token
            self._tokens_written += event.completion_tokens
            self._writing_seconds += event.seconds - event.first_token


def _is_in_wrong_person(page: str) -> bool:
    words, script = {*re.findall(r"\w+", page.casefold())}, _script()
    wrong = {*script["first_person"], script["player"].casefold()}
    return words.isdisjoint(script["second_person"]) or not words.isdisjoint(wrong)


def _names(text: str, words: Collection[str]) -> bool:
    return any(word in text for word in words)


def _before(scene: Mapping[str, Any]) -> Game:
    """Return the game before a scene: one turn told, the scene's characters present."""
    script, present = _script(), tuple(scene.get("present", _script()["people"]))
    beats = tuple(beat for scenes in script["rounds"] for other in scenes for beat in other.get("beats", ()))
    asked = tuple(scene.get("beats", beats))
    chapter = {**script["chapter"], "id": "one", "characters": tuple(script["people"]), "beats": asked}
    pack = Pack(
        game=GameInfo.model_validate(
            {
                "id": "audition",
                "title": script["chapter"]["title"],
                "description": script["chapter"]["summary"],
                "characters": tuple(script["people"]),
                "chapters": ("one",),
                "player": PlayerInfo(name=script["player"]),
            }
        ),
        world=World(setting=script["setting"], tone=script["tone"], rules="", truth=script["truth"]),
        characters={id: Character.model_validate(card) for id, card in script["people"].items()},
        chapters={"one": Chapter.model_validate(chapter)},
    )
    game = new_game(pack, title=pack.game.title, player=script["player"], seed=1, created="")
    game = game.with_state(present=present)
    turn = _turn(game, script["before"]["line"], script["before"]["page"])
    return game.with_turn(turn).with_state(turn=1)


def _turn(game: Game, line: str, page: str) -> Turn:
    entries = (Entry(role="narrator", text=page), Entry(role="player", text=line))
    return Turn(
        number=game.state.turn + 1, chapter="one", entries=entries, witnesses=game.state.present, mood="calm"
    )
