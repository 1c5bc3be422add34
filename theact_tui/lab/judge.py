"""A model as judge: it reads two games of the same pack, player and seed, told in different ways, and says which is better.

Each two are shown in both orders; who wins only in one of them has not won.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

from theact_tui.agents.base import told
from theact_tui.lab.game import models_of
from theact_tui.lab.plan import variant_of
from theact_tui.lab.players import ask
from theact_tui.lab.results import JUDGEMENTS, Run, grouped
from theact_tui.models.base import Model
from theact_tui.models.settings import Settings
from theact_tui.prompting.fitting import shorten
from theact_tui.prompting.sections import Section
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save

REPLY = 200
"""Tokens for the judge's answer."""
_SYSTEM = """\
You judge interactive stories. You are shown two tellings, A and B, of the same story, played by the same player. Judge \
which one a reader would rather go on with: prose without repetition, people with voices of their own, a story that \
takes up what the player does, holds together and moves on, and never speaks for the player. Length is no merit."""
_TASK = "Which telling is better? Answer with one word: A, B or TIE."
_VERDICT = re.compile(r"\b(A|B|TIE)\b")

Pair = tuple[Mapping[str, Any], Mapping[str, Any]]


def judge_all(run: Run, settings: Settings, say: Callable[[str], None]) -> None:
    """Let the plan's judge compare all games that can be compared and were not yet. Raises `CallError`."""
    played = grouped((result for result in run.results() if result["turns"]), _cell)
    pairs = [pair for cell in sorted(played) for pair in combinations(played[cell], 2)]
    done = {line["id"] for line in run.judgements()}
    if left := [pair for pair in pairs if _id(pair) not in done]:
        asyncio.run(_judge(run, settings, left, say))
        run.tidy()


def _id(pair: Pair) -> str:
    return f"{pair[0]['id']} | {pair[1]['id']}"


def _cell(result: Mapping[str, Any]) -> tuple[str, str, int]:
    return result["pack"], result["player"], result["seed"]


async def _judge(run: Run, settings: Settings, pairs: Sequence[Pair], say: Callable[[str], None]) -> None:
    models = models_of(run.plan.judge, settings)(None, 0)
    try:
        await models.probe()
        model = models.for_agent("judge")
        for number, pair in enumerate(pairs, 1):
            first, second = (_story(run, result["id"], model) for result in pair)
            there, back = await asyncio.gather(_verdict(model, first, second), _verdict(model, second, first))
            line = {
                "id": _id(pair),
                "first": variant_of(pair[0]),
                "second": variant_of(pair[1]),
                "answers": [there, back],
            }
            winner = {("A", "B"): line["first"], ("B", "A"): line["second"]}.get((there, back), "tie")
            run.append(JUDGEMENTS, {**line, "winner": winner})
            say(f"[{number}/{len(pairs)}] judged {_id(pair)}: {winner}")
    finally:
        await models.close()


def _story(run: Run, id: str, model: Model) -> str:
    """As much of a game, from its beginning, as leaves room for another one."""
    with Save.open(run.save_folder(id), write=False) as save:
        game = save.of(GAMES).load()
        turns = save.of(GAMES).turns(1, game.state.turn)
    names = {name: card.name for name, card in game.pack.characters.items()}
    text = "\n\n".join(told(turn.told, names, game.info.player.name) for turn in turns)
    return shorten(text, (model.window - REPLY) * 2 // 5 - 200, model.tokens.count)


async def _verdict(model: Model, first: str, second: str) -> str:
    sections = [
        Section("judge", _SYSTEM, part="system"),
        Section("A", f"TELLING A\n{first}"),
        Section("B", f"TELLING B\n{second}"),
        Section("task", _TASK),
    ]
    said = await ask(model, "judge", sections, reply=REPLY, temperature=0)
    found = _VERDICT.findall(said.upper() if len(said) < 8 else said)
    return found[-1] if found else "TIE"
