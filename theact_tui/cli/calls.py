"""`prompts` and `calls`: what was asked of the models in a turn, and what came back (S8.5, S12)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import click

from theact_tui.cli.context import common_options, opened, print_json, print_result, say
from theact_tui.engine.reports import lore_at, lore_json, lore_text
from theact_tui.errors import UsageError
from theact_tui.models.ledger import Call, Ledger
from theact_tui.models.settings import SettingsFile
from theact_tui.paths import Home
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save
from theact_tui.story.lore import STANDARD_WINDOW, LoreRoom
from theact_tui.text import counted


def _calls(save: Save[Any], turn: int | None, agent: str, character: str) -> list[Call]:
    turn = save.of(GAMES).turn if turn is None else turn
    found = Ledger(save.private).turn(turn, save.branch)
    chosen = [
        call
        for call in found
        if (not agent or agent in (call.agent, call.key.partition(":")[0], call.key))
        and (not character or call.character == character)
    ]
    if not chosen:
        raise UsageError(
            f"No such calls are recorded for turn {turn} of {save.info.title}, branch {save.branch}."
        )
    return chosen


def _of_a_turn(command: Callable[..., None]) -> Callable[..., None]:
    """Add SAVE and the options that choose calls of a turn; the command gets `save`, `calls` and `as_json`."""

    @click.argument("save")
    @click.option("--turn", type=click.IntRange(min=0), help="A turn other than the last one.")
    @click.option("--agent", default="", help="Only this agent, e.g. narrator or memory.")
    @click.option("--character", default="", metavar="ID", help="Only calls for this character.")
    @common_options
    @functools.wraps(command)
    def with_calls(
        save: str, turn: int | None, agent: str, character: str, home: Home, as_json: bool
    ) -> None:
        with opened(home, save) as store:
            calls = _calls(store, turn, agent, character)
        command(calls, as_json)

    return with_calls


@click.command()
@_of_a_turn
def prompts(calls: list[Call], as_json: bool) -> None:
    """Show the exact prompts of a turn. With sections and token counts."""
    if as_json:
        print_json([_prompt(call) for call in calls])
        return
    for call in calls:
        say(f"=== {call.key} · {call.tokens} of {call.limit} tokens")
        for section in call.sections:
            kept = "" if section.kept == "whole" else f"{section.kept}: "
            mark = f"  ({kept}{section.why})" if section.why else ""
            say(f"  {section.tokens:>6}  {section.name}  from {section.source}{mark}")
        for message in call.messages:
            say(f"--- {message['role']}\n{message['content']}")
        say("")


def _prompt(call: Call) -> dict[str, Any]:
    return {
        "agent": call.key.partition(":")[0],
        "character": call.character or None,
        "messages": call.messages,
        "sections": [
            {"name": s.name, "source": s.source, "tokens": s.tokens, "kept": s.kept, "why": s.why}
            for s in call.sections
        ],
        "tokens": call.tokens,
        "limit": call.limit,
    }


@click.command()
@_of_a_turn
def calls(calls: list[Call], as_json: bool) -> None:
    """Show the model calls of a turn with raw replies. Tokens, times, attempts and outcome are listed too."""
    if as_json:
        print_json([asdict(call) for call in calls])
        return
    for call in calls:
        used = f"{call.usage.prompt or call.tokens} + {call.usage.completion or 0} tokens"
        attempts = counted(call.attempts, "attempt")
        say(f"=== {call.key} · {call.model} · {call.seconds:.1f} s · {used} · {attempts}")
        say(f"{call.outcome} {call.error}\n{call.reply}\n")


@click.command()
@click.argument("save")
@click.option("--turn", type=click.IntRange(min=1), help="A turn other than the last one.")
@click.option("--character", default="", metavar="ID", help="For this character instead of the narrator.")
@common_options
def lore(save: str, turn: int | None, character: str, home: Home, as_json: bool) -> None:
    """Show which lore a turn of SAVE used, which keys matched, and what was left out and why. No model is called."""
    with opened(home, save) as store:
        played = store.of(GAMES)
        number = turn or played.state_at().state.turn
        told = next(iter(played.turns(number, number)), None) if number else None
        if turn and told is None:
            raise UsageError(f"There is no turn {turn}.")
        before = played.state_at(number - 1) if number else played.state_at()
    share = SettingsFile(home.config_file).read().lore_share
    found = lore_at(before, told, character, LoreRoom(int(STANDARD_WINDOW * share)))
    print_result(as_json, lore_json(found), lore_text(found))
