"""Commands that ask a story: since, whatif, why; and retell."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import click

from theact_tui.cli.context import Answer, answers, answers_about, at_rest, model_options, opened, say
from theact_tui.cli.history import comparison_text
from theact_tui.engine.choose_models import models_chooser
from theact_tui.lab.replay import recorded_call
from theact_tui.lab.retell import Retelling, describe_change, retell_turns, what_if
from theact_tui.lab.why import MOST_CALLS, Why, ask_why, describe_why
from theact_tui.models.base import Models
from theact_tui.models.environment import ModelOptions
from theact_tui.models.ledger import Call
from theact_tui.paths import Home
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save
from theact_tui.saves.since import describe

TURNS = 3


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


def turn_options(command: Callable[..., Any]) -> Callable[..., Any]:
    turns = click.option(
        "--turns", type=click.IntRange(1, 100), default=TURNS, help="How many turns; default 3."
    )
    turn = click.option(
        "--turn", type=click.IntRange(min=0), required=True, help="Tell again what follows this turn."
    )
    return turn(turns(command))


@click.command()
@click.argument("save")
@turn_options
@click.option("--without", default="", metavar="FACT", help="Take a line, lore entry or piece (12:B) away.")
@click.option("--give", default="", metavar="FACT", help="Give a fact, lore entry or piece instead.")
@click.option("--character", default="", metavar="ID", help="Only this character.")
@model_options
@answers
def whatif(
    save: str,
    turn: int,
    turns: int,
    without: str,
    give: str,
    character: str,
    options: ModelOptions,
    home: Home,
) -> Answer:
    """Tell turns of SAVE again on two branches, with a change of memory and without."""
    if bool(without) == bool(give):
        raise click.UsageError("Name what changes: --without FACT or --give FACT.")
    with at_rest(home, save) as store:
        game = store.of(GAMES)
        models = replace(models_chooser(home, options, pace=False), seed=store.info.seed)
        words = without or give
        work = what_if(game, models, turn, turns, words, character, give=bool(give), say=_progress)
        return _answer(asyncio.run(work))


@click.command()
@click.argument("save")
@turn_options
@model_options
@answers
def retell(save: str, turn: int, turns: int, options: ModelOptions, home: Home) -> Answer:
    """Tell turns of SAVE again with another model."""
    with at_rest(home, save) as store:
        models = replace(models_chooser(home, options, pace=False), seed=store.info.seed)
        name = (
            options.profile
            or options.model
            or ("the offline storyteller" if options.offline else "the model in use")
        )
        return _answer(asyncio.run(retell_turns(store.of(GAMES), models, name, turn, turns, _progress)))


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
    """Return the answer, or after ctrl+c the answer so far."""
    answer = Why(sentence="")
    try:
        await models.probe()
        async for answer in ask_why(call, line, models.for_agent(call.key)):
            _progress(f"{answer.calls} of at most {MOST_CALLS} calls")
    except asyncio.CancelledError:
        answer = answer.model_copy(update={"ended": "by ctrl+c"})
    finally:
        await models.close()
    return answer


def _progress(text: str) -> None:
    say(text, err=True)


def _answer(retelling: Retelling) -> Answer:
    return Answer(retelling.model_dump(mode="json"), "\n".join(_retelling_lines(retelling)))


def _retelling_lines(retelling: Retelling) -> Iterator[str]:
    if retelling.text:
        yield from describe_change(retelling)
    yield ""
    yield comparison_text(retelling.comparison, control=retelling.control)
    yield f"\nBranches: {', '.join(retelling.branches)}"
