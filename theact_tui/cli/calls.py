"""`prompts` and `calls`: what was asked of the models in a turn, and what came back (S8.5, S12)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from theact_tui.cli.opening import opened
from theact_tui.cli.options import home_option, json_option, print_json
from theact_tui.cli.saying import say
from theact_tui.errors import UsageError
from theact_tui.models.ledger import Call, Ledger
from theact_tui.paths import Home
from theact_tui.saves.store import Save


def _calls(save: Save, turn: int | None, agent: str, character: str) -> list[Call]:
    turn = save.load().state.turn if turn is None else turn
    found = Ledger(save.ledger_folder).turn(turn, save.branch)
    chosen = [
        call
        for call in found
        if (not agent or agent in (call.agent, call.key.partition(":")[0], call.key))
        and (not character or call.character == character)
    ]
    if not chosen:
        raise UsageError(
            f"No such calls are kept for turn {turn} of {save.info.title}, branch {save.branch}."
        )
    return chosen


@click.command()
@click.argument("save")
@click.option("--turn", type=click.IntRange(min=0), help="This turn instead of the last one.")
@click.option("--agent", default="", help="Only this agent, such as narrator or memory.")
@click.option("--character", default="", metavar="ID", help="Only calls for this character.")
@home_option
@json_option
def prompts(save: str, turn: int | None, agent: str, character: str, home: Home, as_json: bool) -> None:
    """Show the messages sent in a turn, exactly as sent, with their sections and tokens."""
    with opened(home, save) as store:
        calls = _calls(store, turn, agent, character)
    if as_json:
        print_json([_prompt(call) for call in calls])
        return
    for call in calls:
        say(f"=== {call.key} · {call.tokens} of {call.limit} tokens")
        for section in call.sections:
            mark = "" if section.kept == "whole" else f"  ({section.kept}: {section.why})"
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
@click.argument("save")
@click.option("--turn", type=click.IntRange(min=0), help="This turn instead of the last one.")
@click.option("--agent", default="", help="Only this agent, such as narrator or memory.")
@click.option("--character", default="", metavar="ID", help="Only calls for this character.")
@home_option
@json_option
def calls(save: str, turn: int | None, agent: str, character: str, home: Home, as_json: bool) -> None:
    """Show the calls of a turn: tokens, times, attempts, outcome, and the raw replies."""
    with opened(home, save) as store:
        found = _calls(store, turn, agent, character)
    if as_json:
        print_json([asdict(call) for call in found])
        return
    for call in found:
        used = f"{call.usage.prompt or call.tokens} + {call.usage.completion or 0} tokens"
        say(f"=== {call.key} · {call.model} · {call.seconds:.1f} s · {used} · {call.attempts} attempt(s)")
        say(f"{call.outcome} {call.error}\n{call.reply}\n")
