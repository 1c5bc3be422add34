import asyncio
from dataclasses import asdict
from functools import partial

import click

from theact_tui.cli.context import Answer, answers, model_options, program, say
from theact_tui.errors import UsageError
from theact_tui.importing.report import ImportReport
from theact_tui.models.environment import ModelOptions
from theact_tui.packs import library
from theact_tui.packs.diagnostics import Finding
from theact_tui.packs.library import find_packs, pack_folder
from theact_tui.packs.listing import PackEntry, shipped_folder
from theact_tui.packs.loader import check_pack
from theact_tui.paths import Home
from theact_tui.text import counted


@click.command()
@answers
def packs(home: Home) -> Answer:
    """List all packs; invalid ones are shown with the reason."""
    entries = find_packs(home.packs)
    fields = ("id", "title", "description", "broken")
    document = [{field: getattr(entry, field) for field in fields} for entry in entries]
    return Answer(document, "\n".join(map(_shown, entries)))


@click.command()
@click.argument("pack")
@answers
def check(pack: str, home: Home) -> Answer:
    """Check PACK (an id or a folder) for errors. Exits with 2 if it cannot be played."""
    folder = pack_folder(home.packs, pack)
    findings = check_pack(folder)
    errors = sum(finding.level == "error" for finding in findings)
    document = {"pack": pack, "ok": not errors, "findings": [asdict(finding) for finding in findings]}
    lines = [f"{finding.level:<8}{finding}" for finding in findings]
    text = "\n".join([*lines, _verdict(findings, errors)])
    return Answer(document, text, exit_code=UsageError.exit_code if errors else 0)


@click.command()
@click.argument("id")
@answers
def new_pack(id: str, home: Home) -> Answer:
    """Create a starter pack called ID. It is small, complete and commented."""
    folder = library.create_pack(home.packs, id)
    lines = [f"Created a starter pack in {folder}"]
    if (shipped_folder() / id).exists():
        lines.append(
            f"It replaces the shipped story '{id}'. To get that one back: `{program()} trash --pack {id}`."
        )
    lines.append(f"Play it: `{program()} play {id}`. Check your changes: `{program()} check {id}`.")
    return Answer({"id": id, "folder": str(folder)}, "\n".join(lines))


@click.command()
@click.argument("pack")
@click.option("--character", default="", metavar="ID", help="Only this character.")
@model_options
@answers
def shorten(pack: str, character: str, options: ModelOptions, home: Home) -> Answer:
    """Shorten long characters of PACK with a model. Their full text becomes lore that they know."""
    report = shortened(home, options, pack, character)
    return Answer(report.as_json(), "\n".join(report.changed))


def shortened(home: Home, options: ModelOptions, pack: str, character: str = "") -> ImportReport:
    from theact_tui.authoring.shorten import shorten_characters
    from theact_tui.engine.choose_models import models_chooser

    models = models_chooser(home, options, pace=False)(None, 0)
    steps = partial(say, err=True)
    return asyncio.run(shorten_characters(home.packs, pack, models, character=character, on_step=steps))


def _shown(entry: PackEntry) -> str:
    if entry.broken:
        return f"{entry.id}\n    broken: {entry.broken}"
    offline = "plays offline" if entry.plays_offline else "only an outline without a model"
    facts = f"{counted(len(entry.chapters), 'chapter')}, {entry.memory} memory, {offline}"
    cast = ", ".join(name for name, _ in entry.cast)
    facts += "; replaces the shipped story of this id" if entry.replaces_shipped else ""
    return f"{entry.id}\n    {entry.title}: {' '.join(entry.description.split())}\n    With {cast}; {facts}."


def _verdict(findings: list[Finding], errors: int) -> str:
    if not findings:
        return "No problems found."
    warnings = len(findings) - errors
    return f"{counted(errors, 'error')}, {counted(warnings, 'warning')}. " + (
        "The pack cannot be played." if errors else "The pack can be played."
    )
