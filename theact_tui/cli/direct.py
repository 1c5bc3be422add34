"""`direct`: direct mode without a screen (D11). Same rules and refusals as on screen; the core has them all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import click

from theact_tui.cli.direct_step import new_bus, printer_for, run, tell, text_of
from theact_tui.cli.options import home_option, json_option, model_options, print_json
from theact_tui.cli.saying import say
from theact_tui.engine.direct import DirectSession
from theact_tui.engine.direct_example import example
from theact_tui.engine.direct_opening import NoModels, check_direct, create_direct
from theact_tui.engine.direct_report import direct_json
from theact_tui.errors import UsageError
from theact_tui.models.profiles import ModelOptions
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.story.direct.moves import RESET_WARNING
from theact_tui.story.direct.records import Event as RecordedEvent
from theact_tui.story.direct.setup import fill, set_chapter, set_count, set_identity, set_name, set_world


@click.group()
def direct() -> None:
    """Lead a chapter yourself: one to seven characters answer you, and in the end it is written down.

    In order: new, set, lock, prompt (as often as you like), end, voice, build, download.
    """


@direct.command()
@click.argument("save")
@click.option(
    "--example", "with_example", is_flag=True, help="Begin with the example that comes with the program."
)
@home_option
@json_option
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
        asyncio.run(step()), as_json, "It is in DRAFT: 'direct set' fills it, 'direct lock' begins the play."
    )


@direct.command(name="set")
@click.argument("save")
@click.option("--world", metavar="FILE", help="World, type and tone.")
@click.option("--chapter", metavar="FILE", help="Chapter and immediate scene.")
@click.option("--agents", type=int, metavar="N", help="How many agents play, 1 to 7.")
@click.option(
    "--agent", multiple=True, metavar="SLOT:NAME:FILE", help="An agent's name and identity; may be repeated."
)
@home_option
@json_option
def set_(
    save: str,
    world: str | None,
    chapter: str | None,
    agents: int | None,
    agent: tuple[str, ...],
    home: Home,
    as_json: bool,
) -> None:
    """Fill in SAVE while it is in DRAFT. When one part is refused nothing is changed."""
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
        await session.keep()

    tell(run(home, save, step), as_json, "Setup is saved.")


def _person(text: str) -> tuple[int, str, str]:
    """Slot, name and file of `SLOT:NAME:FILE`; the last two may be empty."""
    slot, _, rest = text.partition(":")
    name, _, file = rest.partition(":")
    if not slot.strip().isdecimal():
        raise UsageError(f"'{text}' is not SLOT:NAME:FILE, such as 2:Kara:kara.txt.")
    return int(slot), name, file


@direct.command()
@click.argument("save")
@home_option
@json_option
@model_options
def lock(save: str, home: Home, as_json: bool, options: ModelOptions) -> None:
    """Lock Setup of SAVE and begin the play: it is ACTIVE then."""
    session = run(home, save, DirectSession.lock, options)
    tell(session, as_json, "Setup is locked. 'direct prompt SAVE SLOT TEXT' leads the chapter.")


@direct.command()
@click.argument("save")
@click.argument("slot", type=int)
@click.argument("text")
@home_option
@json_option
@model_options
def prompt(save: str, slot: int, text: str, home: Home, as_json: bool, options: ModelOptions) -> None:
    """Prompt the agent in SLOT of SAVE with TEXT and print its reply."""
    _answered(home, save, lambda session: session.prompt(slot, text), as_json, options)


@direct.command()
@click.argument("save")
@click.argument("text", required=False)
@home_option
@json_option
@model_options
def retry(save: str, text: str | None, home: Home, as_json: bool, options: ModelOptions) -> None:
    """Give the last prompt of SAVE again, with other words if you like. The earlier reply stays as a take."""
    _answered(home, save, lambda session: session.retry(text), as_json, options)


def _answered(
    home: Home,
    save: str,
    ask: Callable[[DirectSession], Awaitable[RecordedEvent | None]],
    as_json: bool,
    options: ModelOptions,
) -> None:
    """Ask for a reply and print it."""
    replies: list[RecordedEvent] = []
    printer = printer_for(as_json)

    async def step(session: DirectSession) -> None:
        session.bus.listen(printer)
        reply = await ask(session)
        replies.extend([reply] if reply else [])

    session = run(home, save, step, options)
    if as_json:
        tell(session, True, "", reply=replies[0].model_dump(mode="json") if replies else None)
    elif replies:
        printer.finish(replies[0].text)
    if session.banner:
        say(session.banner, err=True)


@direct.command()
@click.argument("save")
@click.argument("number", type=click.IntRange(min=1))
@home_option
@json_option
def take(save: str, number: int, home: Home, as_json: bool) -> None:
    """Make a take of the last prompt of SAVE the current one, counted from 1."""
    session = run(home, save, lambda session: session.take(number))
    tell(session, as_json, f"Take {session.takes[0]} of {session.takes[1]}.")


@direct.command()
@click.argument("save")
@home_option
@json_option
@model_options
def end(save: str, home: Home, as_json: bool, options: ModelOptions) -> None:
    """End the chapter of SAVE, after summing up what is left."""
    session = run(home, save, DirectSession.end, options)
    tell(session, as_json, "The chapter has ended. 'direct build' writes it.")


@direct.command()
@click.argument("save")
@click.argument("file")
@home_option
@json_option
def voice(save: str, file: str, home: Home, as_json: bool) -> None:
    """Give the writer of SAVE its voice and rules, from FILE."""

    async def step(session: DirectSession) -> None:
        session.set_voice(text_of(file))
        await session.keep()

    tell(run(home, save, step), as_json, "The voice is saved.")


@direct.command()
@click.argument("save")
@home_option
@json_option
@model_options
def build(save: str, home: Home, as_json: bool, options: ModelOptions) -> None:
    """Write the chapter of SAVE, which has ended, as a new draft, and print it."""
    printer = printer_for(as_json)

    async def step(session: DirectSession) -> None:
        session.bus.listen(printer)
        await session.build()

    session = run(home, save, step, options)
    draft = session.game.drafts[-1]
    if as_json:
        tell(session, True, "", draft=draft.model_dump(mode="json"))
    else:
        printer.finish(draft.chapter_text)


@direct.command()
@click.argument("save")
@click.option("--to", "target", metavar="FILE", help="Write to this file instead of the download folder.")
@click.option("--draft", type=click.IntRange(min=1), help="An older draft, counted from 1.")
@home_option
def download(save: str, target: str | None, draft: int | None, home: Home) -> None:
    """Write the newest draft of SAVE to a text file."""
    made: list[Path] = []

    async def step(session: DirectSession) -> None:
        made.append(await session.download(Path(target).expanduser() if target else None, draft))

    run(home, save, step)
    say(str(made[0]))


@direct.command()
@click.argument("save")
@click.option("--yes", is_flag=True, help="Do it.")
@home_option
@json_option
def reset(save: str, yes: bool, home: Home, as_json: bool) -> None:
    """Empty all three tabs of SAVE for a new session; the old one stays as an archived save."""
    if not yes:
        Library(home.data).path(save)
        raise UsageError(f"{RESET_WARNING} Say --yes to go on.")
    kept: list[str] = []

    async def step(session: DirectSession) -> None:
        kept.append(await session.reset())

    session = run(home, save, step)
    tell(session, as_json, f"A new session has begun. The old one is the save '{kept[0]}'.")


@direct.command()
@click.argument("save")
@home_option
@json_option
def show(save: str, home: Home, as_json: bool) -> None:
    """Show SAVE: session, log, blocks, drafts and the transcript."""
    from theact_tui.engine.direct_store import load, load_events
    from theact_tui.saves.store import Save

    with Save.open(Library(home.data).path(save), write=False) as store:
        check_direct(store)
        game = load(store)
        events = load_events(store, 1, game.session.prompt_index)
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
