"""What each character makes of a chapter at its end: one call each, sharing nothing."""

from __future__ import annotations

from collections.abc import Mapping

from theact_tui.agents.memory import REFLECTION
from theact_tui.engine.agent_runner import TurnContext
from theact_tui.errors import CallError
from theact_tui.parsing.replies import ReflectionReply
from theact_tui.parsing.values import is_nothing
from theact_tui.story.game import Game, Pending
from theact_tui.story.matching import plain
from theact_tui.story.memory import Reflection
from theact_tui.story.transitions import with_memory, with_pending
from theact_tui.story.views import ReflectionView
from theact_tui.story.witness import viewpoint_of
from theact_tui.text import clean, clip, one_line

MOST_OF_A_LINE = 240
"""Characters of each line of a reflection."""


async def reflect(context: TurnContext, game: Game, chapter: str) -> Game:
    """The game with what each character that lived through the chapter now wants, hides and believes. Who could not be
    asked is left for the next turn."""
    for name in game.pack.chapters[chapter].characters:
        if game.state.views.get(name):
            game = await reflect_one(context, game, name)
    return game


async def reflect_one(context: TurnContext, game: Game, character: str) -> Game:
    """The game with one character's reflection made again."""
    wanted = Pending(agent="reflection", turn=game.state.turn, character=character)
    if context.deferred.is_set():
        return with_pending(game, (*game.state.pending, wanted))
    point = viewpoint_of(game, character, (), game.state.present, take=context.take)
    try:
        asked = context.agents.ask(
            REFLECTION,
            ReflectionView(stage=point.stage, point=point),
            key=f"memory:{character}",
            tally=context.tally,
        )
        reply: ReflectionReply = (await asked).reply
    except CallError as error:
        if error.kind == "unreadable":
            return game
        context.warn(f"Will be done next turn: {point.card.name}'s view of the chapter. {error.message}")
        return with_pending(game, (*game.state.pending, wanted))
    names = {plain(name): name for name in (point.stage.hero, *point.stage.names.values())}
    beliefs = beliefs_of(reply.beliefs, names)
    if not (reply.want.strip() or beliefs):
        return game
    made = Reflection(turn=game.state.turn, want=_line(reply.want), hide=_line(reply.hide), beliefs=beliefs)
    memory = game.memory_of(character)
    return with_memory(game, character, memory.model_copy(update={"reflection": made}))


def beliefs_of(lines: tuple[str, ...], names: Mapping[str, str]) -> dict[str, str]:
    """The lines `name: text` about people who exist, by their full name; `names` are those by their plain form."""
    found = dict[str, str]()
    for line in lines:
        who, _, text = line.partition(":")
        key = plain(who)
        known = [name for form, name in names.items() if key and (key == form or key in form.split())]
        if len(known) == 1 and _line(text):
            found[known[0]] = _line(text)
    return found


def _line(text: str) -> str:
    told = one_line(clean(text), 1_000).strip()
    return "" if is_nothing(told) else clip(told, MOST_OF_A_LINE)
