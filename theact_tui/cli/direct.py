"""What the commands of `direct` share: a save opened for one step, and what is printed after it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from theact_tui.cli.context import common_options, home_option, is_terminal, model_options, print_json, say
from theact_tui.engine.bus import Bus
from theact_tui.engine.direct.example import example
from theact_tui.engine.direct.session import DirectSession
from theact_tui.engine.events import ActorToken, ChapterToken, Event, Notice, PromptStarted
from theact_tui.engine.factory import NoModels, create_direct, open_direct
from theact_tui.engine.reports import direct_json
from theact_tui.errors import UsageError
from theact_tui.models.base import Models
from theact_tui.models.environment import ModelOptions
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.story.direct.models import ChapterDraft
from theact_tui.story.direct.models import LogEvent as RecordedEvent
from theact_tui.story.direct.state import (
    RESET_WARNING,
    fill,
    set_chapter,
    set_count,
    set_identity,
    set_name,
    set_world,
)

T = TypeVar("T")
Step = Callable[[DirectSession], Awaitable[T]]


def run(home: Home, name: str, step: Step[T], options: ModelOptions | None = None) -> tuple[DirectSession, T]:
    """Open a save, take one step, close it; the session and what the step gave. Without `options` no model is chosen; a
    step that fails changes nothing."""

    async def work() -> tuple[DirectSession, T]:
        models = _models(home, options) if options else NoModels()
        session = await open_direct(Library(home.data).path(name), models, new_bus())
        try:
            made = await step(session)
        except BaseException:
            await session.close(keep=False)
            raise
        await session.close()
        return session, made

    return asyncio.run(work())


def printer_for(as_json: bool) -> ReplyPrinter:
    """Prints a reply as it comes on a terminal, whole elsewhere, and nothing before JSON."""
    return ReplyPrinter(live=is_terminal(sys.stdout) and not as_json)


def _models(home: Home, options: ModelOptions) -> Models:
    from theact_tui.engine.model_routing import models_chooser

    return models_chooser(home, options, pace=False)(None, 0)


def new_bus() -> Bus:
    """A bus whose warnings are printed."""
    bus = Bus()

    def warn(event: Event) -> None:
        if isinstance(event, Notice) and event.level != "info":
            say(event.text, err=True)

    bus.listen(warn)
    return bus


def text_of(file: str) -> str:
    """The text of a file, or of standard input for `-`, without the line end at its end."""
    try:
        with click.open_file(file, encoding="utf-8", errors="replace") as source:
            text = str(source.read())
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    return text.removesuffix("\n")


def tell(session: DirectSession, as_json: bool, line: str, **more: Any) -> None:
    """Print where the session stands now, and `line` for people or `more` for programs."""
    if as_json:
        document = {
            "save": session.name,
            "branch": session.save.branch,
            "takes": session.takes[1],
            "banner": session.banner,
        }
        print_json({**document, "session": session.session.model_dump(mode="json"), **more})
    else:
        say(f"{session.name} · {session.session.state} · prompt {session.session.prompt_index}. {line}")


class ReplyPrinter:
    """Call it with events, and `finish` with the whole text, which wins. Unless `live`, only `finish` prints."""

    def __init__(self, *, live: bool) -> None:
        self._live = live
        self._lead = ""
        self._shown = ""

    def __call__(self, event: Event) -> None:
        match event:
            case PromptStarted():
                self._lead = f"{event.name}: "
                self._print(self._lead)
            case ActorToken() | ChapterToken():
                if event.replace and self._shown:
                    self._print("\n...\n")
                self._shown = ("" if event.replace else self._shown) + event.text
                self._print(event.text)
            case _:
                pass

    def finish(self, text: str) -> None:
        """End the line that was printed live, or print the whole text when that was not it."""
        if self._live and self._shown.strip() == text.strip():
            say()
        else:
            say(("\n\n" if self._live else "") + self._lead + text)

    def _print(self, text: str) -> None:
        if self._live:
            say(text, nl=False)


@click.group()
def direct() -> None:
    """Direct a chapter: one to seven characters answer your prompts, then a writer turns it into prose.

    In order: new, set, lock, prompt (as often as you like), end, voice, build, download.
    """


@direct.command()
@click.argument("save")
@click.option("--example", "with_example", is_flag=True, help="Start from the built-in example.")
@common_options
def new(save: str, with_example: bool, home: Home, as_json: bool) -> None:
    """Create SAVE, an empty chapter in DRAFT."""

    async def step() -> DirectSession:
        session = await create_direct(Library(home.data), save, NoModels(), new_bus())
        try:
            if with_example:
                session.edit(fill, example().setup)
        finally:
            await session.close()
        return session

    tell(
        asyncio.run(step()),
        as_json,
        "It is in DRAFT. Fill it with 'direct set', start it with 'direct lock'.",
    )


@direct.command(name="set")
@click.argument("save")
@click.option("--world", metavar="FILE", help="World, genre and tone.")
@click.option("--chapter", metavar="FILE", help="Chapter and immediate scene.")
@click.option("--agents", type=int, metavar="N", help="Number of agents, 1 to 7.")
@click.option(
    "--agent", multiple=True, metavar="SLOT:NAME:FILE", help="An agent's name and identity. Can be repeated."
)
@common_options
def set_(
    save: str,
    world: str | None,
    chapter: str | None,
    agents: int | None,
    agent: tuple[str, ...],
    home: Home,
    as_json: bool,
) -> None:
    """Edit the setup of SAVE while it is in DRAFT. If one field is invalid, nothing is changed."""
    people = [_person(text) for text in agent]

    async def step(session: DirectSession) -> None:
        if world is not None:
            session.edit(set_world, text_of(world))
        if chapter is not None:
            session.edit(set_chapter, text_of(chapter))
        if agents is not None:
            session.edit(set_count, agents)
        for slot, name, file in people:
            session.edit(set_name, slot, name)
            if file:
                session.edit(set_identity, slot, text_of(file))
        await session.commit_pending_edits()

    tell(run(home, save, step)[0], as_json, "Setup saved.")


def _person(text: str) -> tuple[int, str, str]:
    """Slot, name and file of `SLOT:NAME:FILE`; the last two may be empty."""
    slot, _, rest = text.partition(":")
    name, _, file = rest.partition(":")
    if not slot.strip().isdecimal():
        raise UsageError(f"'{text}' is not SLOT:NAME:FILE, for example 2:Kara:kara.txt.")
    return int(slot), name, file


@direct.command()
@click.argument("save")
@common_options
@model_options
def lock(save: str, home: Home, as_json: bool, options: ModelOptions) -> None:
    """Lock the setup of SAVE and start the chapter (ACTIVE)."""
    session, _ = run(home, save, DirectSession.lock, options)
    tell(session, as_json, "Setup locked. Prompt an agent with 'direct prompt SAVE SLOT TEXT'.")


@direct.command()
@click.argument("save")
@click.argument("slot", type=int)
@click.argument("text")
@common_options
@model_options
def prompt(save: str, slot: int, text: str, home: Home, as_json: bool, options: ModelOptions) -> None:
    """Prompt the agent in SLOT of SAVE with TEXT and print its reply."""
    _answered(home, save, lambda session: session.prompt(slot, text), as_json, options)


@direct.command()
@click.argument("save")
@click.argument("text", required=False)
@common_options
@model_options
def retry(save: str, text: str | None, home: Home, as_json: bool, options: ModelOptions) -> None:
    """Retry the last prompt of SAVE, optionally reworded. The earlier reply is kept as a take."""
    _answered(home, save, lambda session: session.retry(text), as_json, options)


def _answered(
    home: Home,
    save: str,
    ask: Callable[[DirectSession], Awaitable[RecordedEvent | None]],
    as_json: bool,
    options: ModelOptions,
) -> None:
    """Ask for a reply and print it."""
    printer = printer_for(as_json)

    async def step(session: DirectSession) -> RecordedEvent | None:
        session.bus.listen(printer)
        return await ask(session)

    session, reply = run(home, save, step, options)
    if as_json:
        tell(session, True, "", reply=reply.model_dump(mode="json") if reply else None)
    elif reply:
        printer.finish(reply.text)
    if session.banner:
        say(session.banner, err=True)


@direct.command()
@click.argument("save")
@click.argument("number", type=click.IntRange(min=1))
@common_options
def take(save: str, number: int, home: Home, as_json: bool) -> None:
    """Switch to a take of the last prompt of SAVE, counted from 1."""
    session, _ = run(home, save, lambda session: session.select_take(number))
    tell(session, as_json, f"Take {session.takes[0]} of {session.takes[1]}.")


@direct.command()
@click.argument("save")
@common_options
@model_options
def end(save: str, home: Home, as_json: bool, options: ModelOptions) -> None:
    """End the chapter of SAVE. Remaining prompts are summarised first."""
    session, _ = run(home, save, DirectSession.end, options)
    tell(session, as_json, "The chapter has ended. Write it with 'direct build'.")


@direct.command()
@click.argument("save")
@click.argument("file")
@common_options
def voice(save: str, file: str, home: Home, as_json: bool) -> None:
    """Set the writer's voice and rules for SAVE from FILE."""

    async def step(session: DirectSession) -> None:
        session.set_voice(text_of(file))
        await session.commit_pending_edits()

    tell(run(home, save, step)[0], as_json, "Voice saved.")


@direct.command()
@click.argument("save")
@common_options
@model_options
def build(save: str, home: Home, as_json: bool, options: ModelOptions) -> None:
    """Write the ended chapter of SAVE as a new draft and print it."""
    printer = printer_for(as_json)

    async def step(session: DirectSession) -> ChapterDraft:
        session.bus.listen(printer)
        return await session.build()

    session, draft = run(home, save, step, options)
    if as_json:
        tell(session, True, "", draft=draft.model_dump(mode="json"))
    else:
        printer.finish(draft.chapter_text)


@direct.command()
@click.argument("save")
@click.option("--to", "target", metavar="FILE", help="Write to this file instead of the usual folder.")
@click.option("--draft", type=click.IntRange(min=1), help="The number of an older draft, from 1.")
@home_option
def download(save: str, target: str | None, draft: int | None, home: Home) -> None:
    """Write the newest draft of SAVE to a text file."""
    to = Path(target).expanduser() if target else None
    _, file = run(home, save, lambda session: session.download(to, draft))
    say(str(file))


@direct.command()
@click.argument("save")
@click.option("--yes", is_flag=True, help="Confirm the reset.")
@common_options
def reset(save: str, yes: bool, home: Home, as_json: bool) -> None:
    """Reset SAVE to an empty session. The old one is kept as an archived save."""
    if not yes:
        Library(home.data).path(save)
        raise UsageError(f"{RESET_WARNING} Add --yes to continue.")
    session, archived = run(home, save, DirectSession.reset)
    tell(session, as_json, f"Started a new session. The old one is kept as '{archived}'.")


@direct.command()
@click.argument("save")
@common_options
def show(save: str, home: Home, as_json: bool) -> None:
    """Show SAVE: session, log, blocks, drafts and the transcript."""
    from theact_tui.saves.direct_codec import CHAPTERS, read_events
    from theact_tui.saves.save import Save

    with Save.open(Library(home.data).path(save), write=False) as store:
        chapter = store.of(CHAPTERS)
        game = chapter.load()
        events = read_events(chapter.files(), 1, game.session.prompt_index)
        document = direct_json(game, events, store.branch, store.takes()[1])
    if as_json:
        print_json(document)
        return
    session = game.session
    names = ", ".join(f"{slot} {name}" for slot, name in session.agent_names.items())
    say(
        f"{game.info.title} · {session.state} · prompt {session.prompt_index} · {document['branch']} · {names}"
    )
    if document["transcript"]:
        say(f"\n{document['transcript']}")
    say(f"\n{document['counter']} · {len(game.blocks)} memory blocks · {len(game.drafts)} drafts")
