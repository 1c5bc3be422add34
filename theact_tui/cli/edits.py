"""`edits`: what somebody changed by hand in the files of a save, and what becomes of it (S9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from theact_tui.cli.opening import at_rest, opened
from theact_tui.cli.options import home_option, json_option, print_json
from theact_tui.cli.saying import say
from theact_tui.engine.edited import NO_EDITS, put_back_text
from theact_tui.errors import UsageError
from theact_tui.paths import Home

if TYPE_CHECKING:
    from theact_tui.saves.edits import HandEdits


@click.command()
@click.argument("save")
@click.option("--adopt", is_flag=True, help="Make what was changed part of the story, as an edit.")
@click.option("--restore", is_flag=True, help="Put the files back; what you changed is kept beside them.")
@click.option(
    "--only", metavar="FILE", multiple=True, help="With --restore: only this file. May be repeated."
)
@home_option
@json_option
def edits(save: str, adopt: bool, restore: bool, only: tuple[str, ...], home: Home, as_json: bool) -> None:
    """Show what was changed by hand in the files of SAVE."""
    if adopt and restore:
        raise UsageError("Either --adopt or --restore, not both.")
    if only and not restore:
        raise UsageError("--only goes with --restore.")
    with at_rest(home, save) if adopt or restore else opened(home, save) as store:
        if adopt and store.info.mode == "direct":
            raise UsageError(
                "Changes by hand become no part of a directed chapter; --restore puts them back."
            )
        found = store.hand_edits()
        chosen = tuple(file for file in found.files if not only or file in only)
        if adopt and chosen:
            store.adopt_edits()
        elif restore and chosen:
            store.discard_edits(chosen)
    if as_json:
        document = {"files": chosen, "broken": found.broken, "difference": found.difference}
        print_json({**document, "adopted": adopt and bool(chosen), "restored": restore and bool(chosen)})
    elif not chosen:
        say(NO_EDITS)
    elif adopt:
        say(f"Now part of the story: {', '.join(chosen)}.")
    elif restore:
        say(put_back_text(chosen))
    else:
        say(found.difference)
        say(_advice(save, found), err=True)


def _advice(save: str, found: HandEdits) -> str:
    """What can be done about changed files."""
    command = f"theact-tui edits {save}"
    if not found.broken:
        return f"'{command} --adopt' makes it part of the story, --restore puts it back."
    only = " ".join(f"--only {file}" for file in found.broken)
    advice = f"That cannot become part of the story. Mend it, or '{command} --restore {only}' puts it back."
    return "\n".join([*dict.fromkeys(found.broken.values()), advice])
