"""Suggestions outside the story: what to do next, and new characters."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

from theact_tui.agents.suggestions import CASTING, IDEAS, ideas_in
from theact_tui.engine.session import StorySession
from theact_tui.engine.turn import SCRIPT_TURNS
from theact_tui.errors import UsageError
from theact_tui.paths import split_paths
from theact_tui.story.agent_views import suggestion_view
from theact_tui.story.cast import Newcomer, newcomer
from theact_tui.text import described_as, one_line

_CARD = re.compile(r"\.(?:png|json|charx|webp|jpe?g|ya?ml|byaf)", re.IGNORECASE)
MOST_OF_A_PROPOSAL = 600


async def suggest_ideas(session: StorySession) -> tuple[str, ...]:
    """Return three lines to send. Raises `CallError`, or `UsageError` while a turn runs."""
    if session.busy:
        raise UsageError(session.BUSY)
    await session.probed()
    view = suggestion_view(session.game, "ideas")
    if session.agents.is_scripted(IDEAS.name):
        last = session.game.state.turn
        view = replace(view, earlier=await session.turns(max(1, last - SCRIPT_TURNS), last))
    try:
        answer = await session.agents.ask(IDEAS, view)
    finally:
        session.warm_up()
    return ideas_in(answer.reply.text)


async def find_newcomer(session: StorySession, typed: str) -> Newcomer:
    """Return a character from `Name: description`, a card's path, or a name; nobody joins yet.

    A name that left the story is that person; any other gets a description by a model. Raises `CallError`, and
    `UsageError` while a turn runs.
    """
    session.check_free()
    await session.probed()
    game, agents = session.game, session.agents
    if path := _card_file(typed):
        from theact_tui.importing.plan_card_import import card_newcomer

        session.check_file(path)
        taken = {entry.id for entries in game.pack.lore.values() for entry in entries}
        person = await asyncio.to_thread(card_newcomer, path, taken)
        newcomer(game, person.card.name)
        text = person.card.personality.replace("{player}", game.info.player.name)
        return replace(person, card=person.card.model_copy(update={"personality": text}))
    name, described, about = described_as(typed)
    person = newcomer(game, name := one_line(name, 60))
    if described or person.card in game.pack.characters.values():
        return person.described(about) if about.strip() else person
    if agents.is_scripted(CASTING.name):
        raise UsageError(
            f"The offline storyteller cannot describe anyone. Say who it is, as in “{name}: a tired diver”."
        )
    view = suggestion_view(game, "casting", newcomer=name)
    try:
        answer = await agents.ask(CASTING, view)
    finally:
        session.warm_up()
    return replace(person.described(one_line(answer.reply.text, MOST_OF_A_PROPOSAL)), origin="model")


def is_card_file(path: Path) -> bool:
    """Return whether a file's name ends as cards do."""
    return bool(_CARD.fullmatch(path.suffix))


def _card_file(typed: str) -> Path | None:
    try:
        (text,) = split_paths(typed)
        path = Path(text).expanduser()
    except (ValueError, RuntimeError):
        path = Path(typed.strip())
    return path if is_card_file(path) else None
