"""Directed chapters, one step for each command."""

import asyncio
import functools
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from theact_tui.cli.context import (
    Answer,
    answers,
    answers_about,
    common_options,
    home_option,
    is_terminal,
    model_options,
    opened,
    print_json,
    say,
    text_of,
)
from theact_tui.cli.json_documents import direct_json
from theact_tui.engine.bus import Bus
from theact_tui.engine.choose_models import models_chooser
from theact_tui.engine.direct.example import example
from theact_tui.engine.direct.session import DirectSession, new_id
from theact_tui.engine.events import ActorToken, ChapterToken, Event, Notice, PromptStarted
from theact_tui.engine.open_sessions import NoModels, open_direct
from theact_tui.engine.suggestions import is_card_file
from theact_tui.errors import UsageError
from theact_tui.models.environment import ModelOptions
from theact_tui.paths import Home, typed_path
from theact_tui.saves.direct_codec import CHAPTERS, read_events
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.story.direct import state
from theact_tui.story.direct.records import ChapterDraft, LogEvent
from theact_tui.story.matching import plain
from theact_tui.text import counted

T = TypeVar("T")


def new_bus() -> Bus:
    """Make a bus whose warnings are printed."""
    bus = Bus()

    def warn(event: Event) -> None:
        if isinstance(event, Notice) and event.level != "info":
            say(event.text, err=True)

    bus.listen(warn)
    return bus


def standing(session: DirectSession, line: str = "", **more: Any) -> Answer:
    """Describe the session; `line` is for people, `more` for programs."""
    document = {
        "save": session.name,
        "branch": session.save.branch,
        "takes": session.takes[1],
        "banner": session.banner,
        "session": session.session.model_dump(mode="json"),
        **more,
    }
    where = f"{session.name} · {session.session.state} · prompt {session.session.prompt_index}"
    return Answer(document, f"{where}. {line}")


class ReplyPrinter:
    """Prints a reply live, or whole in `finish`."""

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

    def finish(self, text: str) -> None:
        if self._live and self._shown.strip() == text.strip():
            say()
        else:
            say(("\n\n" if self._live else "") + self._lead + text)

    def _print(self, text: str) -> None:
        if self._live:
            say(text, nl=False)


def run(
    home: Home, save: str, step: Callable[[DirectSession], Awaitable[T]], options: ModelOptions | None = None
) -> tuple[DirectSession, T]:
    """Open a save, take one step, close it; return the session and the step's result. A failed step changes nothing."""

    async def work() -> tuple[DirectSession, T]:
        models = models_chooser(home, options, pace=False)(None, 0) if options else NoModels()
        session = await open_direct(Library(home.data).path(save), models, new_bus())
        try:
            result = await step(session)
        except BaseException:
            await session.close(keep=False)
            raise
        await session.close()
        return session, result

    return asyncio.run(work())


def step_of(*, models: bool = False) -> Callable[[Callable[..., Awaitable[str]]], Callable[..., None]]:
    """Wrap a command that is one step in the session of SAVE and returns a line for people."""

    def add(command: Callable[..., Awaitable[str]]) -> Callable[..., None]:
        @functools.wraps(command)
        def take_step(save: str, home: Home, options: ModelOptions | None = None, **arguments: Any) -> Answer:
            session, line = run(home, save, lambda session: command(session, **arguments), options)
            return standing(session, line)

        return answers(model_options(take_step) if models else take_step)

    return add


def streamed(command: Callable[..., Awaitable[LogEvent | ChapterDraft | None]]) -> Callable[..., None]:
    """Wrap a command that returns a reply or draft; print it: live on a terminal, else whole, in JSON as the field
    `reply` or `draft`.
    """

    @common_options
    @model_options
    @functools.wraps(command)
    def take_step(save: str, home: Home, as_json: bool, options: ModelOptions, **arguments: Any) -> None:
        printer = ReplyPrinter(live=is_terminal(sys.stdout) and not as_json)

        async def step(session: DirectSession) -> LogEvent | ChapterDraft | None:
            session.bus.listen(printer)
            return await command(session, **arguments)

        session, result = run(home, save, step, options)
        if as_json:
            name = "draft" if isinstance(result, ChapterDraft) else "reply"
            more: dict[str, Any] = {name: result and result.model_dump(mode="json")}
            print_json(standing(session, **more).document)
        elif result:
            printer.finish(result.chapter_text if isinstance(result, ChapterDraft) else result.text)
        if session.banner:
            say(session.banner, err=True)

    return take_step


@click.group()
def direct() -> None:
    """Direct a chapter: one to seven characters answer your prompts, then a writer turns it into prose.

    In order: new, set, lock, prompt (as often as you like), end, voice, build, download.
    """


@direct.command()
@click.argument("save")
@click.option("--example", "with_example", is_flag=True, help="Start from the built-in example.")
@answers
def new(save: str, with_example: bool, home: Home) -> Answer:
    """Create SAVE, an empty chapter in DRAFT."""

    async def begin(session: DirectSession) -> None:
        if with_example:
            session.edit(state.fill_setup, example().setup)

    Library(home.data).create_chapter(save, new_id()).close()
    session, _ = run(home, save, begin)
    return standing(session, "It is in DRAFT. Fill it with 'direct set', start it with 'direct lock'.")


@direct.command(name="set")
@click.argument("save")
@click.option("--world", metavar="FILE", help="World, genre and tone.")
@click.option("--chapter", metavar="FILE", help="Chapter and immediate scene.")
@click.option("--agents", type=int, metavar="N", help="How many characters, 1 to 7.")
@click.option(
    "--agent",
    multiple=True,
    metavar="SLOT:NAME:FILE",
    help="A character's name and identity, or as FILE its card. Can be repeated.",
)
@step_of()
async def set_(
    session: DirectSession, world: str | None, chapter: str | None, agents: int | None, agent: tuple[str, ...]
) -> str:
    """Edit the setup of SAVE while it is in DRAFT. If one field is invalid, nothing is changed."""
    people = [_person(text) for text in agent]
    if world is not None:
        session.edit(state.set_world, text_of(world))
    if chapter is not None:
        session.edit(state.set_chapter_text, text_of(chapter))
    if agents is not None:
        session.edit(state.set_count, agents)
    for slot, name, file in people:
        named, identity = _identity(file) if file else ("", None)
        session.edit(state.set_name, slot, name or named)
        if identity is not None:
            session.edit(state.set_identity, slot, identity)
    await session.commit_waiting_changes()
    return "Setup saved."


def _person(text: str) -> tuple[int, str, str]:
    """Return slot, name and file of `SLOT:NAME:FILE`; the last two may be empty. A colon may be part of the name."""
    slot, *parts = text.split(":")
    if not slot.strip().isdecimal():
        raise UsageError(f"'{text}' is not SLOT:NAME:FILE, for example 2:Kara:kara.txt.")
    ways = [(":".join(parts[:n]), ":".join(parts[n:])) for n in range(1, len(parts))]
    readable = (way for way in ways if way[1] in ("", "-") or _is_file(way[1]))
    return int(slot), *next(readable, ways[-1] if ways else (":".join(parts), ""))


def _identity(file: str) -> tuple[str, str]:
    """Return name and text of a card, or no name and the text of any other file."""
    if not is_card_file(path := Path(file)):
        return "", text_of(file)
    from theact_tui.importing.plan_card_import import card_newcomer

    try:
        card = card_newcomer(path).card
    except UsageError:
        if path.suffix.lower() in (".json", ".yaml", ".yml"):  # which need not be cards
            return "", text_of(file)
        raise
    return card.name, card.personality.replace("{player}", "a stranger")


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except OSError:  # such as a name that is too long
        return False


def _slot_of(session: DirectSession, agent: str) -> int:
    if agent.isdecimal():
        return int(agent)
    names = {slot: plain(name) for slot, name in session.session.agent_names.items()}
    slots = [slot for slot, name in names.items() if name == plain(agent)]
    slots = slots or [slot for slot, name in names.items() if name.startswith(f"{plain(agent)} ")]
    if len(slots) != 1:
        names_listed = ", ".join(f"{slot} {name}" for slot, name in session.session.agent_names.items())
        raise UsageError(f"No character is called '{agent}'. Known: {names_listed}.")
    return slots[0]


@direct.command()
@click.argument("save")
@step_of(models=True)
async def lock(session: DirectSession) -> str:
    """Lock the setup of SAVE and start the chapter (ACTIVE)."""
    await session.lock()
    return "Setup locked. Ask a character with 'direct prompt SAVE SLOT TEXT'."


@direct.command()
@click.argument("save")
@click.argument("slot")
@click.argument("text")
@streamed
async def prompt(session: DirectSession, slot: str, text: str) -> LogEvent | None:
    """Ask character SLOT of SAVE with TEXT and print its reply. SLOT is a number or a name."""
    reply = await session.prompt(_slot_of(session, slot), text)
    if not text.strip():
        say("The prompt is empty. Nothing was sent.", err=True)
    return reply


@direct.command("retry")
@click.argument("save")
@click.argument("text", required=False)
@streamed
async def retry_prompt(session: DirectSession, text: str | None) -> LogEvent | None:
    """Retry the last prompt of SAVE, optionally reworded. The earlier reply is kept as a take."""
    return await session.retry(text)


@direct.command("write-on")
@click.argument("save")
@click.option("--text", "file", metavar="FILE", help="The text so far; - reads standard input.")
@streamed
async def write_on_chapter(session: DirectSession, file: str | None) -> LogEvent | ChapterDraft:
    """Let the model go on from where the last reply of SAVE was cut, or once it has ended the newest draft. FILE holds
    what is left of it; without FILE it continues at the end. The earlier reply is kept as a take."""
    text, has_ended = text_of(file) if file else None, session.session.state == "ENDED"
    return await (session.write_on_draft(text) if has_ended else session.write_on_reply(text))


@direct.command()
@click.argument("save")
@click.argument("number", type=click.IntRange(min=1))
@step_of()
async def take(session: DirectSession, number: int) -> str:
    """Switch to a take of the last prompt of SAVE, counted from 1."""
    await session.select_take(number)
    return f"Take {session.takes[0]} of {session.takes[1]}."


@direct.command()
@click.argument("save")
@step_of(models=True)
async def end(session: DirectSession) -> str:
    """End the chapter of SAVE. Remaining prompts are summarised first."""
    await session.end()
    return "The chapter has ended. Write it with 'direct build'."


@direct.command()
@click.argument("save")
@click.argument("file")
@step_of()
async def voice(session: DirectSession, file: str) -> str:
    """Set the writer's voice and rules for SAVE from FILE."""
    session.edit(state.set_voice, text_of(file))
    await session.commit_waiting_changes()
    return "Voice saved."


@direct.command()
@click.argument("save")
@streamed
async def build(session: DirectSession) -> ChapterDraft:
    """Write the ended chapter of SAVE as a new draft and print it."""
    return await session.build()


@direct.command()
@click.argument("save")
@click.option("--to", "target", metavar="FILE", help="Write to this file instead of the usual folder.")
@click.option("--draft", type=click.IntRange(min=1), help="The number of an older draft, from 1.")
@home_option
def download(save: str, target: str | None, draft: int | None, home: Home) -> None:
    """Write the newest draft of SAVE to a text file."""
    to = typed_path(target) if target else None
    _, file = run(home, save, lambda session: session.download(to, draft))
    say(str(file))


@direct.command()
@click.argument("save")
@click.option("--yes", is_flag=True, help="Confirm the reset.")
@answers
def reset(save: str, yes: bool, home: Home) -> Answer:
    """Reset SAVE to an empty session. The old one is kept as an archived save."""
    if not yes:
        Library(home.data).path(save)
        raise UsageError(f"{state.RESET_WARNING} Add --yes to continue.")
    session, archived = run(home, save, DirectSession.reset)
    return standing(session, f"Started a new session. The old one is kept as '{archived}'.")


@direct.command("show")
@click.argument("save")
@answers_about(opened)
def show_chapter(store: Save[Any]) -> Answer:
    """Show SAVE: session, log, notes, drafts and the transcript."""
    chapter = store.of(CHAPTERS)
    game = chapter.load()
    session = game.session
    events = read_events(chapter.files(), 1, session.prompt_index)
    document = direct_json(game, events, store.branch, store.takes()[1])
    names = ", ".join(f"{slot} {name}" for slot, name in session.agent_names.items())
    lines = [
        f"{game.info.title} · {session.state} · prompt {session.prompt_index} · {store.branch} · {names}",
        *([document["transcript"]] if document["transcript"] else []),
        f"{document['counter']} characters · {counted(len(game.blocks), 'note')} · {counted(len(game.drafts), 'draft')}",
    ]
    return Answer(document, "\n\n".join(lines))
