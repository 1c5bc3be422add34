"""`create`: write a pack with a model, or by answering questions (S18)."""

import asyncio
from dataclasses import asdict
from functools import partial
from typing import Any

import click

from theact_tui.authoring.author import Author, PartNotWritten, Written
from theact_tui.authoring.draft import Draft, Part
from theact_tui.authoring.questions import QUESTIONS, Question, next_part, put, written_answer
from theact_tui.cli.context import common_options, model_options, opened, piped_line, print_json, program, say
from theact_tui.engine.choose_models import models_chooser
from theact_tui.errors import TurnError, UsageError
from theact_tui.models.environment import ModelOptions
from theact_tui.models.model import Models
from theact_tui.paths import Home
from theact_tui.saves.codec import GAMES
from theact_tui.text import clean, is_slug
from theact_tui.trash import DRAFT


@click.command("create")
@click.argument("premise", required=False, default="")
@click.option(
    "--out", "id", default="", metavar="ID", help="Id of the pack. An unfinished draft of it is continued."
)
@click.option("--characters", default=3, show_default=True, help="How many characters, 1 to 7.")
@click.option("--chapters", default=3, show_default=True, help="How many chapters.")
@click.option(
    "--from",
    "save",
    default="",
    metavar="SAVE",
    help="Start from the current turn of a saved story, with its cast.",
)
@click.option("--yes", is_flag=True, help="Accept every step as the model writes it.")
@model_options
@common_options
def create(
    premise: str,
    id: str,
    characters: int,
    chapters: int,
    save: str,
    yes: bool,
    options: ModelOptions,
    home: Home,
    as_json: bool,
) -> None:
    """Write a story pack from PREMISE, one sentence. With a model it is written for you step by step; without one you
    answer questions. Progress is saved: run the command again with --out ID to continue."""
    if is_slug(id) and (home.drafts / id / DRAFT).exists():
        draft = Draft.open(home.drafts / id)
    elif save:
        with opened(home, save) as store:
            draft = Draft.of_story(home, store.of(GAMES).load(), id)
    elif premise.strip():
        draft = Draft.begin(home, clean(premise), id, characters=characters, chapters=chapters)
    else:
        raise UsageError(f'Say in a sentence what the story is about: {program()} create "A lighthouse ..."')
    chosen = models_chooser(home, options, pace=False)(None, 0)
    notes: list[str] = []
    try:
        if getattr(chosen, "offline", False):
            _ask_everything(draft, quiet=as_json)
        else:
            asyncio.run(_write(draft, chosen, notes, ask=not (yes or as_json), quiet=as_json))
        folder = draft.finish(home)
    except (TurnError, UsageError) as error:
        left = f"Progress is saved in {draft.folder}. Continue with: {program()} create --out {draft.id}"
        if as_json:
            print_json({**_outcome(draft, notes), "ok": False, "error": error.message})
        raise type(error)(f"{error.message.rstrip('.')}. {left}") from error
    if as_json:
        print_json({**_outcome(draft, notes), "ok": True, "error": ""})
        return
    for finding in draft.findings():
        say(f"{finding.level:<8}{finding}")
    say(f"Wrote {folder}\nPlay it: {program()} play {draft.id}")


def _outcome(draft: Draft, notes: list[str]) -> dict[str, Any]:
    summary = {"id": draft.id, "folder": str(draft.folder), "title": draft.title, "notes": notes}
    return summary | {"findings": [asdict(finding) for finding in draft.findings()]}


# --- with a model -----------------------------------------------------------------------------------------------------


async def _write(draft: Draft, models: Models, notes: list[str], *, ask: bool, quiet: bool) -> None:
    def report(text: str) -> None:
        if not quiet:
            say(f"{text} ...", err=True)

    author = Author(draft, models, on_step=report)
    try:
        for sentence in await models.probe():
            say(sentence, err=True)
        while part := next_part(draft):
            written = await author.write(part)
            if ask:
                written = await _accepted(author, written)
            notes += [f"{written.part.file}: {note}" for note in written.notes]
            if not quiet:
                for note in written.notes:
                    say(f"  note: {note}", err=True)
    finally:
        await models.close()


async def _accepted(author: Author, written: Written) -> Written:
    while True:
        say(f"\n{_shown(author.draft, written.part)}")
        for note in written.notes:
            say(f"  note: {note}")
        reply = await asyncio.to_thread(
            _line, "Enter accepts it, 'again' rewrites it, or say in a sentence what to change: "
        )
        if reply is None:
            raise UsageError("The input ended before the story was accepted.")
        if not reply:
            return written
        try:
            written = await author.write(written.part, "" if reply.casefold() == "again" else reply)
        except PartNotWritten as error:
            say(error.message, err=True)


def _shown(draft: Draft, part: Part) -> str:
    lines = [part.title.upper()]
    for question in QUESTIONS[part.kind]:
        text = written_answer(draft, part, question)
        if text and question.form != "choice":
            lines.append(f"{question.label}: {text}" if "\n" not in text else f"{question.label}:\n{text}")
    return "\n".join(lines)


# --- without a model --------------------------------------------------------------------------------------------------


def _ask_everything(draft: Draft, *, quiet: bool) -> None:
    report = partial(say, err=quiet)
    report(
        "No model is connected, so please answer some questions. Enter skips optional ones; ^c keeps the draft."
    )
    while part := next_part(draft):
        report(f"\n{part.title.upper()}")
        for question in QUESTIONS[part.kind]:
            if question.form == "choice" or written_answer(draft, part, question):
                continue
            if question.field in ("reveal", "present"):
                continue
            _ask(draft, part, question, quiet=quiet)


def _ask(draft: Draft, part: Part, question: Question, *, quiet: bool) -> None:
    many = question.form in ("lines", "named", "beats", "cast", "outline")
    say(f"\n{question.ask}\n  Example: {question.example}", err=quiet)
    while True:
        lines: list[str] = []
        while (line := _line("> ", err=quiet)) or (line is None and not lines):
            if line is None:
                raise UsageError("The input ended before the last question.")
            lines.append(line)
            if not many:
                break
        put(draft, part, question, "\n".join(lines))
        if not question.needed or written_answer(draft, part, question):
            return
        say("An answer is required.", err=quiet)


def _line(prompt: str, *, err: bool = False) -> str | None:
    say(prompt, nl=False, err=err)
    line = piped_line()
    return clean(line).strip() if line else None
