"""Scenarios of a pack: lines to type and expectations after them."""

import asyncio
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self
from xml.etree import ElementTree

from pydantic import Field, model_validator

from theact_tui.agents.character import CHARACTER
from theact_tui.engine.session import StorySession
from theact_tui.errors import TheActError, UsageError
from theact_tui.lab.measures import beats_of, beats_reached, speakers
from theact_tui.lab.plan import PLAYERS
from theact_tui.lab.play_game import TurnClock, models_of, open_game, play_line
from theact_tui.lab.players import OfflinePlayer, seen
from theact_tui.models.ledger import Ledger
from theact_tui.models.profiles import OFFLINE
from theact_tui.models.settings import Settings
from theact_tui.packs.diagnostics import Finding, PackError
from theact_tui.packs.reader import read_part
from theact_tui.story.character_view import viewpoint_of
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.value import Value
from theact_tui.text import one_line

Words = dict[str, tuple[str, ...]]
_FOLDER = "scenarios"


class Expectation(Value):
    """Expectations after a step; missing fields are not checked. Words match in any case."""

    chapter: str | None = None
    beats: tuple[Annotated[int, Field(ge=1)], ...] = ()
    """Numbers from 1."""
    beats_missed: int | None = None
    """Most beats of the whole story still open."""
    turns_at_most: int | None = None
    """Number of the current turn."""
    finished: bool | None = None
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    speaks: tuple[str, ...] = ()
    """In this step's replies or narration."""
    silent: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    """Words in this step's text."""
    never_says: tuple[str, ...] = ()
    knows: Words = Field(default_factory=dict)
    """By character: words of its next prompt."""
    does_not_know: Words = Field(default_factory=dict)
    prompt: Words = Field(default_factory=dict)
    """By call, such as `narrator` or `character:maya`: words of its prompt in this turn."""
    not_in_prompt: Words = Field(default_factory=dict)
    rolls: int | None = None
    roll: int | None = None


class Step(Value):
    """Line to type, or a player for some turns; then expectations."""

    say: str | None = None
    player: str = ""
    turns: int = Field(default=1, ge=1, le=1000)
    expect: Expectation = Expectation()

    @model_validator(mode="after")
    def _either(self) -> Self:
        if (self.say is None) == (not self.player):
            raise ValueError("a step has either 'say' or 'player'")
        if self.player and self.player not in PLAYERS:
            raise ValueError(f"there is no player {self.player!r}; players are {', '.join(PLAYERS)}")
        return self


class Scenario(Value):
    title: str
    seed: int = 1
    hero: str = ""
    """Name of the player's character; empty is the pack's."""
    steps: tuple[Step, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`misses` are sentences; `error` says why it stopped early."""

    name: str
    title: str
    seconds: float
    misses: tuple[str, ...] = ()
    error: str = ""

    @property
    def problems(self) -> tuple[str, ...]:
        return (*self.misses, self.error) if self.error else self.misses


def read_scenarios(folder: Path, pack: Pack) -> dict[str, Scenario]:
    """Read the scenarios of a pack by file name. Raises UsageError with file and line."""
    scenarios: dict[str, Scenario] = {}
    for file in sorted((folder / _FOLDER).glob("*.yaml")):
        name = f"{_FOLDER}/{file.name}"
        scenario = read_part(Scenario, folder, name)
        wanted = [step.expect for step in scenario.steps]
        fields = (*_PEOPLE, "knows", "does_not_know")
        named = {person for want in wanted for field in fields for person in getattr(want, field)}
        for unknown in sorted(named - pack.characters.keys()):
            raise PackError(Finding("error", name, None, "", f"there is no character '{unknown}'"))
        scenarios[file.stem] = scenario
    if not scenarios:
        raise UsageError(f"The pack has no scenarios. They go into {folder / _FOLDER}, one YAML file each.")
    return scenarios


def run_scenario(
    name: str, scenario: Scenario, pack: Pack, settings: Settings, profile: str = OFFLINE
) -> Outcome:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="theact-lab-", ignore_cleanup_errors=True) as folder:
        misses, error = list[str](), ""
        try:
            asyncio.run(_play(scenario, pack, settings, profile, Path(folder), misses))
        except TheActError as problem:
            error = problem.message
    return Outcome(name, scenario.title, time.monotonic() - began, tuple(misses), error)


async def _play(
    scenario: Scenario, pack: Pack, settings: Settings, profile: str, folder: Path, misses: list[str]
) -> None:
    models, clock = models_of(profile, settings), TurnClock()
    async with open_game(folder, pack, "scenario", scenario.seed, models, clock, scenario.hero) as session:
        await play_line(session, "")
        for number, step in enumerate(scenario.steps, 1):
            before = session.game.state.turn
            await _step(session, step, scenario.seed)
            where = f"step {number} ({one_line(step.say, 40) if step.say is not None else step.player})"
            every = await session.turns(1, session.game.state.turn)
            turns = [turn for turn in every if turn.number > before] or every[-1:]
            missed = len(beats_of(pack)) - len(beats_reached(pack, every))
            misses += [f"{where}: {miss}" for miss in _misses(session, turns, missed, step.expect)]


async def _step(session: StorySession, step: Step, seed: int) -> None:
    if step.say is not None:
        await play_line(session, step.say)
        return
    player = OfflinePlayer(step.player, seed)
    for _ in range(step.turns):
        if session.game.state.game_complete:
            return
        await play_line(session, await player.line(seen(session.game)) or "")


_PEOPLE = {"present": "is not there", "absent": "is there", "speaks": "does not speak", "silent": "speaks"}
"""Expectations about characters, and the message if not met."""


def _misses(session: StorySession, turns: Sequence[Turn], missed: int, want: Expectation) -> Iterator[str]:
    """Yield a sentence for each expectation not met. A command belongs to the turn before it."""
    game, state, rulings = session.game, session.game.state, [turn.ruling for turn in turns if turn.ruling]
    exact = {
        "chapter": (state.chapter, "the chapter is {}, not {}"),
        "finished": (state.game_complete, "finished is {}, not {}"),
        "rolls": (state.rolls, "dice were rolled {} times, not {}"),
        "roll": (rulings[-1].roll if rulings else None, "the die showed {}, not {}"),
    }
    at_most = {
        "turns_at_most": (state.turn, "it took {} turns, more than {}"),
        "beats_missed": (missed, "{} beats are not reached, more than {}"),
    }
    for name, (value, sentence) in {**exact, **at_most}.items():
        wanted = getattr(want, name)
        if wanted is not None and (value > wanted if name in at_most else value != wanted):
            yield sentence.format("nothing" if value is None else value, wanted)
    for number in want.beats:
        beat = game.chapter.beats[number - 1] if number <= len(game.chapter.beats) else f"number {number}"
        if beat not in state.beats_hit:
            yield f"the beat '{beat}' is not reached"
    present, spoke = {*state.present}, {name for turn in turns for name in speakers(turn, game.pack)}
    for field, those in (("present", present), ("absent", present), ("speaks", spoke), ("silent", spoke)):
        met = field in ("present", "speaks")
        yield from (f"{name} {_PEOPLE[field]}" for name in getattr(want, field) if (name in those) != met)
    story_text = " ".join(entry.text for turn in turns for entry in turn.entries if entry.role != "player")
    calls = Ledger(session.save.private).turn(state.turn)
    sent = {call.key: "\n".join(message["content"] for message in call.messages) for call in calls}
    of_words: list[tuple[Words, str, Callable[[str], str], bool]] = [
        ({"the story": want.says}, "does not say", lambda _: story_text, True),
        ({"the story": want.never_says}, "says", lambda _: story_text, False),
        (want.knows, "does not know", lambda name: _prompt_now(session, name), True),
        (want.does_not_know, "knows", lambda name: _prompt_now(session, name), False),
        (want.prompt, "is not told of", lambda key: sent.get(key, ""), True),
        (want.not_in_prompt, "is told of", lambda key: sent.get(key, ""), False),
    ]
    for by, verb, text, wanted in of_words:
        for subject, word in ((subject, word) for subject, words in by.items() for word in words):
            if (re.search(rf"\b{re.escape(word)}\b", text(subject), re.IGNORECASE) is not None) != wanted:
                yield f"{subject} {verb} '{word}'"


def _prompt_now(session: StorySession, character: str) -> str:
    game = session.game
    now = (Entry(role="player", text="I wait."),)
    view = viewpoint_of(game, character, now, game.state.present)
    prompt = session.agents.prepare(CHARACTER, view, f"character:{character}").prompt
    return "\n".join(message["content"] for message in prompt.messages())


def junit(suites: Mapping[str, Sequence[Outcome]]) -> str:
    root = ElementTree.Element("testsuites")
    for pack, outcomes in suites.items():
        kinds = ["failure" if outcome.misses else "error" if outcome.error else "" for outcome in outcomes]
        numbers = {"tests": len(outcomes), "failures": kinds.count("failure"), "errors": kinds.count("error")}
        seconds = f"{sum(outcome.seconds for outcome in outcomes):.3f}"
        facts = {"name": pack, "time": seconds, **{key: str(value) for key, value in numbers.items()}}
        suite = ElementTree.SubElement(root, "testsuite", facts)
        for outcome, kind in zip(outcomes, kinds, strict=True):
            named = {
                "classname": pack,
                "name": f"{outcome.name}: {outcome.title}",
                "time": f"{outcome.seconds:.3f}",
            }
            case = ElementTree.SubElement(suite, "testcase", named)
            if kind:
                problem = ElementTree.SubElement(case, kind, message=outcome.problems[0])
                problem.text = "\n".join(outcome.problems)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
