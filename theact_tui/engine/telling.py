"""The telling of a turn (S3.2 to S3.4): keeper, narrator, then the characters one after another.

Nothing is changed here: the result is a `Spoken` turn, or an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from theact_tui.agents.character import CHARACTER
from theact_tui.agents.keeper import KEEPER
from theact_tui.agents.narrator import NARRATOR
from theact_tui.engine.bus import Bus
from theact_tui.engine.desk import Answer, Desk, Tally
from theact_tui.engine.dice import is_risky, roll
from theact_tui.engine.events import (
    CharacterFinished,
    CharacterStarted,
    CharacterToken,
    DiceRolled,
    NarrationFinished,
    NarrationToken,
    Notice,
)
from theact_tui.engine.looks import keeper_view, narrator_view
from theact_tui.errors import CallError
from theact_tui.models.replies import NarratorReply
from theact_tui.story.game import Game
from theact_tui.story.moments import moment_of
from theact_tui.story.turn import Entry, Ruling
from theact_tui.story.witness import presence_after, viewpoint_of
from theact_tui.text import clean, one_line


@dataclass(slots=True)
class Telling:
    """A turn while it is being told, and what was decided on the way."""

    game: Game
    """The game before the turn."""
    kind: str
    text: str
    take: int = 1
    ruling: Ruling | None = None
    rolls: int = 0
    narration: str = ""
    mood: str = "calm"
    present: tuple[str, ...] = ()
    replies: list[Entry] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)

    @property
    def number(self) -> int:
        return self.game.state.turn + 1

    @property
    def responders(self) -> tuple[str, ...]:
        return tuple(entry.character for entry in self.replies if entry.character)

    @property
    def so_far(self) -> list[Entry]:
        """What has been told yet, in the order in which it happened."""
        player = [Entry(role="player", text=self.text)] if self.text else []
        return [*player, Entry(role="narrator", text=self.narration), *self.replies]


def _notice(bus: Bus, telling: Telling, text: str) -> None:
    telling.notices.append(text)
    bus.publish(Notice(text=text, level="warning"))


async def consult_keeper(telling: Telling, desk: Desk, bus: Bus) -> None:
    """Roll and let the keeper say what it means, if the pack wants it for this input. Never stops a turn."""
    game = telling.game
    telling.rolls = game.state.rolls
    mode = game.pack.game.keeper
    if not telling.text or mode == "off" or (mode == "risky" and not is_risky(telling.text, game.pack.game)):
        return
    die = roll(game.info.seed, game.state.rolls)
    telling.rolls += 1
    difficulty = game.pack.game.difficulty
    resolution = f"{die} against {difficulty}: {'it works' if die >= difficulty else 'it fails'}"
    moment = None
    view = keeper_view(game, telling.text, die, None, telling.take)
    try:
        reply = (await desk.ask(KEEPER, view, key="keeper", tally=telling.tally)).reply
        resolution = one_line(reply.resolution, 200) or resolution
        moment = moment_of(
            telling.number, reply.moment_type, one_line(reply.moment_summary, 200), reply.moment_significance
        )
    except CallError as error:
        _notice(bus, telling, f"The keeper gave no answer, so the dice alone decide. {error.message}")
    telling.ruling = Ruling(resolution=resolution, roll=die, difficulty=difficulty, moment=moment)
    bus.publish(DiceRolled(roll=die, difficulty=difficulty, resolution=resolution))


async def narrate(telling: Telling, desk: Desk, bus: Bus) -> tuple[str, ...]:
    """Tell the narration; returns the ids of those who answer, in order. Raises `CallError`."""
    view = narrator_view(telling.game, telling.kind, telling.text, telling.ruling, telling.take)

    def on_text(text: str, reasoning: str, replace: bool) -> None:
        bus.publish(NarrationToken(text=clean(text), reasoning=clean(reasoning), replace=replace))

    answer = await desk.ask(NARRATOR, view, key="narrator", tally=telling.tally, on_text=on_text)
    reply: NarratorReply = answer.reply
    telling.narration = clean(reply.narration).strip()
    telling.mood = reply.mood
    active = telling.game.chapter.characters
    telling.present = presence_after(telling.game.state, active, reply.present)
    if answer.repaired:
        telling.repaired.append("narrator")
    responding = _responders(telling, answer, bus)
    telling.present = tuple(name for name in active if name in telling.present or name in responding)
    bus.publish(
        NarrationFinished(
            text=telling.narration, mood=telling.mood, responding=responding, present=telling.present
        )
    )
    return responding


def _responders(telling: Telling, answer: Answer, bus: Bus) -> tuple[str, ...]:
    """Who answers: those the narrator names; else those present whom the player or the narration names; else nobody."""
    state, pack = telling.game.state, telling.game.pack
    active = telling.game.chapter.characters
    for unknown in answer.reading.unknown:
        _notice(bus, telling, f"The narrator asked for '{clean(unknown)[:60]}', who is not in this chapter.")
    named: Sequence[str] | None = answer.reply.responding_characters
    if named is None:
        named = _mentioned(telling)
    ids = list(dict.fromkeys(name for name in named if name in active))
    gone = [name for name in ids if state.held.get(name) is False]
    for name in gone:
        _notice(bus, telling, f"{pack.name_of(name)} was sent away and does not answer.")
    return tuple(name for name in ids if name not in gone)


def _mentioned(telling: Telling) -> list[str]:
    """Ids of those present whose name, or a part of it, stands in the player's text or the narration."""
    words = {
        word.strip(".,;:!?\"'()“”’").casefold() for word in f"{telling.text} {telling.narration}".split()
    }
    pack = telling.game.pack
    return [
        name
        for name in telling.present
        if {part.casefold() for part in (*pack.name_of(name).split(), name) if len(part) > 2} & words
    ]


async def answer(telling: Telling, character: str, desk: Desk, bus: Bus) -> None:
    """Let one character reply. A failure leaves it silent, with a notice."""
    name = telling.game.pack.name_of(character)
    bus.publish(CharacterStarted(character=character, name=name))

    def on_text(text: str, reasoning: str, replace: bool) -> None:
        bus.publish(
            CharacterToken(character=character, text=clean(text), reasoning=clean(reasoning), replace=replace)
        )

    view = viewpoint_of(
        telling.game, character, telling.so_far, telling.present, mood=telling.mood, take=telling.take
    )
    text = ""
    try:
        said = await desk.ask(
            CHARACTER, view, key=f"character:{character}", tally=telling.tally, on_text=on_text
        )
        text = clean(said.reply.text).strip()
        if said.repaired:
            telling.repaired.append(f"character:{character}")
    except CallError as error:
        _notice(bus, telling, f"{name} stays silent this turn. {error.message}")
    if text:
        telling.replies.append(Entry(role="character", text=text, character=character))
    bus.publish(CharacterFinished(character=character, name=name, text=text))
