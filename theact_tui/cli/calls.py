import functools
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import click

from theact_tui.cli.context import Answer, answers, answers_about, opened
from theact_tui.cli.json_documents import lore_json
from theact_tui.engine.state_in_words import lore_at, lore_text
from theact_tui.errors import UsageError
from theact_tui.models.ledger import Call, Ledger
from theact_tui.models.settings import SettingsFile
from theact_tui.paths import Home
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save
from theact_tui.story.lore import STANDARD_WINDOW, LoreRoom
from theact_tui.text import counted


def _calls_of_a_turn(command: Callable[[list[Call]], Answer]) -> Callable[..., None]:
    @click.argument("save")
    @click.option("--turn", type=click.IntRange(min=0), help="A turn or prompt other than the last one.")
    @click.option("--agent", default="", help="Only this agent, e.g. narrator or memory.")
    @click.option("--character", default="", metavar="ID", help="Only calls for this character.")
    @answers_about(opened)
    @functools.wraps(command)
    def with_calls(save: Save[Any], turn: int | None, agent: str, character: str) -> Answer:
        turn = save.turn if turn is None else turn
        calls = [
            call
            for call in Ledger(save.private).turn(turn, save.branch)
            if (not agent or agent in (call.agent, call.key.partition(":")[0], call.key))
            and (not character or call.character == character)
        ]
        if not calls:
            word = "turn" if save.info.mode == "play" else "prompt"
            raise UsageError(
                f"No such calls are recorded for {word} {turn} of {save.info.title}, branch {save.branch}."
            )
        return command(calls)

    return with_calls


@click.command()
@_calls_of_a_turn
def prompts(calls: list[Call]) -> Answer:
    """Show the exact prompts of a turn. With sections and token counts."""
    lines = []
    for call in calls:
        lines.append(f"=== {call.key} · {call.tokens} of {call.limit} tokens")
        for section in call.sections:
            state = "" if section.kept == "whole" else f"{section.kept}: "
            mark = f"  ({state}{section.why})" if section.why else ""
            lines.append(f"  {section.tokens:>6}  {section.name}  from {section.source}{mark}")
        lines += [f"--- {message['role']}\n{message['content']}" for message in call.messages]
        lines.append("")
    return Answer([_prompt(call) for call in calls], "\n".join(lines))


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
@_calls_of_a_turn
def calls(calls: list[Call]) -> Answer:
    """Show the model calls of a turn with raw replies. Tokens, times, attempts and outcome are listed too."""
    lines = []
    for call in calls:
        used = f"{call.usage.prompt or call.tokens} + {call.usage.completion or 0} tokens"
        attempts = counted(call.attempts, "attempt")
        lines.append(f"=== {call.key} · {call.model} · {call.seconds:.1f} s · {used} · {attempts}")
        lines.append(f"{call.outcome} {call.error}\n{call.reply}\n")
    return Answer([asdict(call) for call in calls], "\n".join(lines))


@click.command()
@click.argument("save")
@click.option("--turn", type=click.IntRange(min=1), help="A turn other than the last one.")
@click.option("--character", default="", metavar="ID", help="For this character instead of the narrator.")
@answers
def lore(save: str, turn: int | None, character: str, home: Home) -> Answer:
    """Show which lore a turn of SAVE used, which keys matched, and what was left out and why. No model is called."""
    with opened(home, save) as store:
        played = store.of(GAMES)
        number = turn or played.turn
        last_turn = next(iter(played.turns(number, number)), None) if number else None
        if turn and last_turn is None:
            raise UsageError(f"There is no turn {turn}.")
        before = played.state_at(number - 1) if number else played.state_at()
    share = SettingsFile(home.config_file).read().lore_share
    matches = lore_at(before, last_turn, character, LoreRoom(int(STANDARD_WINDOW * share)))
    return Answer(lore_json(matches), lore_text(matches))
