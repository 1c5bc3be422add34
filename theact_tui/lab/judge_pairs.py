"""Let a model judge pairs of games, whole, in parts. Each part is a vote, asked in both orders; a win in one order
only is none. First the judge is tested with a story and spoilt copies.
"""

import asyncio
import random
import re
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

from theact_tui.agents.agent import entries_text
from theact_tui.lab.play_game import models_of
from theact_tui.lab.players import ask
from theact_tui.lab.run_folder import JUDGEMENTS, Run, pairs_of
from theact_tui.models.model import Model
from theact_tui.models.settings import Settings
from theact_tui.prompting.fitting import shorten_to
from theact_tui.prompting.sections import Section
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save
from theact_tui.text import counted

_REPLY_TOKENS = 200
"""Tokens."""
_THIRDS = ("the beginning", "the middle", "the end")
CONTROL, WRONG = "control", 1
"""Id of the row with the judge's test, and wrong answers allowed in it."""
_SYSTEM = """\
You judge interactive stories. You are shown the same part of two tellings, A and B, of one story, played by the same \
player. Judge which one a reader would rather go on with: prose without repetition, people with voices of their own, a \
story that takes up what the player does, holds together and moves on, and never speaks for the player. Length is no merit."""
_TASK = "That was {part}. Which telling is better? Answer with one word: A, B or TIE."
_VERDICT = re.compile(r"\b(A|B|TIE)\b")
_STORY = (
    "The harbour bell rings twice and stops. Fog lies on the water, and a boat without a light drifts past the mole.",
    "> Kim: I call out to the boat.\n\nYour voice comes back from the fog. Then an oar knocks on wood, three times, slowly.",
    "Old Ines puts down her net.\n\nInes: Nobody rows at this hour who wants to be seen. Give me the lantern, and stay low.",
    "> Kim: I hand her the lantern.\n\nShe covers it with her coat. In the boat somebody lights a match: a boy, soaked.",
)
_SPOILT: dict[str, tuple[str, ...]] = {
    "told over and over": _STORY[:1] * 4,
    "shuffled": tuple(" ".join(random.Random(3).sample(page.split(), len(page.split()))) for page in _STORY),
    "refused": ("I am sorry, but I cannot continue this story.",) * 4,
    "spoken for the player": tuple(
        f"{page}\n\n“I give up, I know everything already,” you say, and you do what you are told."
        for page in _STORY
    ),
}


def too_small(judgements: Sequence[Mapping[str, Any]]) -> str:
    """Say why the judge's verdicts do not count; "" if they do."""
    control = next((line for line in judgements if line["id"] == CONTROL), None)
    if control is None or control["right"] >= control["of"] - WRONG:
        return ""
    return (
        f"{control['judge']} is too small to judge: shown a story beside the same story spoilt, it chose the whole one "
        f"{control['right']} of {control['of']} times."
    )


async def judge_all(run: Run, settings: Settings, say: Callable[[str], None]) -> None:
    (base, *others), done = run.plan.names, {line["id"] for line in run.judgements()}
    pairs = [(other, *pair) for other in others for pair in pairs_of(run.results(), base, other).items()]
    left = [pair for pair in pairs if pair[1] not in done]
    if not left:
        return
    models = models_of(run.plan.judge, settings)(None, 0)
    try:
        await models.probe()
        model = models.for_agent("judge")
        say(f"The judge, {run.plan.judge}, reads {counted(len(left), 'pair')} of games.")
        if CONTROL not in done:
            run.append(JUDGEMENTS, {"id": CONTROL, "judge": run.plan.judge, **await _control(model)})
        if why := too_small(run.judgements()):
            say(why)
            return
        for number, (other, id, pair) in enumerate(left, 1):
            votes = await _votes(model, *(_pages(run, result["id"]) for result in pair))
            ahead = votes.count(["A", "B"]) - votes.count(["B", "A"])
            winner = base if ahead > 0 else other if ahead else "tie"
            line = {"id": id, "first": base, "second": other, "answers": votes, "winner": winner}
            run.append(JUDGEMENTS, line)
            say(f"[{number}/{len(left)}] judged {id}: {winner}")
    finally:
        await models.close()
        run.tidy()


async def _control(model: Model) -> dict[str, int]:
    texts = ["\n\n".join(pages) for pages in (_STORY, *_SPOILT.values())]
    votes = await asyncio.gather(*(_vote(model, texts[0], text, "the whole story") for text in texts[1:]))
    right = sum((forward == "A") + (back == "B") for forward, back in votes)
    return {"right": right, "of": 2 * len(votes)}


def _pages(run: Run, id: str) -> list[str]:
    with Save.open(run.save_folder(id), write=False) as save:
        game = save.of(GAMES).load()
        turns = save.of(GAMES).turns(1, game.state.turn)
    names, player = game.pack.names, game.info.player.name
    return [entries_text(turn.ordered_entries, names, player) for turn in turns]


async def _votes(model: Model, first: Sequence[str], second: Sequence[str]) -> list[list[str]]:
    count, room = model.tokens.count, (model.window - _REPLY_TOKENS) * 2 // 5 - 200
    longest, games = max(len(first), len(second)), (first, second)
    many = min(len(_THIRDS), longest)
    while many < longest and any(count(part) > room for game in games for part in parts(game, many)):
        many += 1
    names = _THIRDS if many == len(_THIRDS) else [f"part {number} of {many}" for number in range(1, many + 1)]
    cut = [
        [part if count(part) <= room else shorten_to(part, room, count) for part in parts(game, many)]
        for game in games
    ]
    return list(await asyncio.gather(*(_vote(model, *part) for part in zip(*cut, names, strict=True))))


def parts(pages: Sequence[str], many: int) -> list[str]:
    size = len(pages) / many
    return ["\n\n".join(pages[ceil(n * size) : ceil((n + 1) * size)]) for n in range(many)]


async def _vote(model: Model, first: str, second: str, part: str) -> list[str]:
    async def verdict(a: str, b: str) -> str:
        system, task = Section("judge", _SYSTEM, part="system"), Section("task", _TASK.format(part=part))
        sections = [system, Section("A", f"TELLING A\n{a}"), Section("B", f"TELLING B\n{b}"), task]
        reply = await ask(model, "judge", sections, reply=_REPLY_TOKENS, temperature=0)
        verdicts = _VERDICT.findall(reply.upper() if len(reply) < 8 else reply)
        return verdicts[-1] if verdicts else "TIE"

    return list(await asyncio.gather(verdict(first, second), verdict(second, first)))
