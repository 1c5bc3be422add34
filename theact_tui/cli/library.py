"""`export` and `import`: stories as files (S12)."""

from __future__ import annotations

from pathlib import Path

import click

from theact_tui.cli.opening import opened
from theact_tui.cli.options import home_option, json_option, print_json
from theact_tui.exports import export_save
from theact_tui.paths import Home


@click.command()
@click.argument("save")
@click.option("--format", "format_", default="md", show_default=True, help="md, html, json or epub.")
@click.option(
    "--to", type=click.Path(path_type=Path), metavar="FILE", help="Where to; default: <home>/exports."
)
@click.option("--branch", default="", help="This branch instead of the current one.")
@home_option
@json_option
def export(save: str, format_: str, to: Path | None, branch: str, home: Home, as_json: bool) -> None:
    """Write SAVE as a book."""
    with opened(home, save) as store:
        file = export_save(store, format_, to, branch or None)
    if as_json:
        print_json({"file": str(file)})
    else:
        click.echo(f"Written to {file}")
