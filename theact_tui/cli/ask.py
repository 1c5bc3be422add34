"""Commands that ask a story: since, whatif, why; and retell."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any

import click

from theact_tui.cli.context import Answer, answers, answers_about, at_rest, model_options, opened, say
from theact_tui.cli.history import comparison_text
from theact_tui.engine.choose_models import models_chooser
from theact_tui.lab.replay import recorded_call
from theact_tui.lab.retell import Retelling, describe_change, retell_turns, what_if
from theact_tui.lab.why import Why, ask_until_stopped, describe_why
from theact_tui.models.environment import ModelOptions
from theact_tui.models.ledger import Call
from theact_tui.models.model import Models
from theact_tui.paths import Home
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save
from theact_tui.saves.since import describe
from theact_tui.text import one_line

_turn = click.option(
    "--turn", type=click.IntRange(0), required=True, help="Tell again what follows this turn."
)
_turns = click.option("--turns", type=click.IntRange(1, 100), default=3, help="How many turns; default 3.")
_progress = partial(say, err=True)


@click.command()
@click.argument("save")
@click.argument("words")
@click.option("--turn", type=click.IntRange(min=0), help="As of a turn other than the last one.")
@click.option("--character", default="", metavar="ID", help="Only lines that this character remembers.")
@answers_about(opened)
def since(store: Save[Any], words: str, turn: int | None, character: str) -> Answer:
    """Show since when each person in SAVE knows WORDS, a line or beat."""
    answer = store.since(words, turn, character)
    return Answer(answer.model_dump(mode="json"), "\n".join(describe(answer)))


@click.command()
@click.argument("save")
@_turn
@_turns
@click.option("--without", default="", metavar="FACT", help="Take a line, lore entry or piece (12:B) away.")
@click.option("--give", default="", metavar="FACT", help="Give a fact, lore entry or piece instead.")
@click.option("--character", default="", metavar="ID", help="Only this character.")
@model_options
@answers
def whatif(save: str, without: str, give: str, options: ModelOptions, home: Home, **more: Any) -> Answer:
    """Tell turns of SAVE again on two branches, with a change of memory and without."""
    if bool(without) == bool(give):
        raise click.UsageError("Name what changes: --without FACT or --give FACT.")
    with at_rest(home, save) as store:
        models = replace(models_chooser(home, options, pace=False), seed=store.info.seed)
        game = store.of(GAMES)
        change = partial(what_if, words=without or give, give=bool(give), say=_progress)
        retelling = asyncio.run(change(game, models, **more))
        return _answer(retelling, *describe_change(retelling, game.state_at().pack.names, give=bool(give)))


@click.command()
@click.argument("save")
@_turn
@_turns
@model_options
@answers
def retell(save: str, options: ModelOptions, home: Home, turn: int, turns: int) -> Answer:
    """Tell turns of SAVE again with another model."""
    default = "the offline storyteller" if options.offline else "the model in use"
    title = one_line(f"from turn {turn + 1} by {options.profile or options.model or default}", 50)
    with at_rest(home, save) as store:
        models = replace(models_chooser(home, options, pace=False), seed=store.info.seed)
        work = retell_turns(store.of(GAMES), models, {title: None}, turn, turns, _progress)
        return _answer(asyncio.run(work))


@click.command()
@click.argument("save")
@click.option("--turn", type=click.IntRange(min=1), help="A turn other than the last one.")
@click.option("--character", default="", metavar="ID", help="The reply of this character; default: the page.")
@model_options
@answers
def why(save: str, turn: int | None, character: str, options: ModelOptions, home: Home) -> Answer:
    """Ask for a reply of SAVE again without parts of its prompt."""
    with opened(home, save) as store:
        game = store.of(GAMES)
        number = game.turn if turn is None else turn
        call = recorded_call(game, number, f"character:{character}" if character else "narrator")
        models = models_chooser(home, options, pace=False)(game.state_at().pack, store.info.seed)
        answer = asyncio.run(_why(call, game.turns(number, number)[0].player_text, models))
    return Answer({**answer.model_dump(mode="json"), "cause": answer.cause}, "\n".join(describe_why(answer)))


async def _why(call: Call, line: str, models: Models) -> Why:
    try:
        await models.probe()
        return await ask_until_stopped(call, line, models.for_agent(call.key), _progress, "ctrl+c")
    finally:
        await models.close()


def _answer(retelling: Retelling, *change: str) -> Answer:
    is_same = retelling.control is not None and retelling.difference is None
    compared = [] if is_same else ["", comparison_text(retelling.comparison, control=retelling.control)]
    lines = [*change, *compared, "", f"Branches: {', '.join(retelling.branches)}"]
    return Answer(retelling.model_dump(mode="json"), "\n".join(lines))
