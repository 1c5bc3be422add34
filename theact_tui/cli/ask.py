from typing import Any

import click

from theact_tui.cli.context import Answer, answers_about, opened
from theact_tui.saves.save import Save
from theact_tui.saves.since import describe


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
