"""Slash commands (S12): the same ones in the app's input box and in `play`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from theact_tui.engine.edited import NO_EDITS, edits_text, put_back_text
from theact_tui.engine.remembered import memory_text, moments_text
from theact_tui.engine.reports import history_lines, status_text
from theact_tui.engine.session import Session
from theact_tui.errors import UsageError
from theact_tui.story.game import Game
from theact_tui.text import one_line


@dataclass(frozen=True, slots=True)
class Done:
    """What a command has to say, and whether to leave."""

    text: str = ""
    quit: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """One slash command."""

    name: str
    usage: str
    help: str
    run: Callable[[Session, str], Awaitable[Done]]


def is_command(line: str) -> bool:
    """True for a line that is a command; a line that starts with `//` is text."""
    return line.startswith("/") and not line.startswith("//")


def as_text(line: str) -> str:
    """The player's text in a line that is no command: of two leading slashes one is dropped."""
    return line[1:] if line.startswith("//") else line


def as_line(text: str, *, again: bool = False) -> str:
    """The line that gives the player's text; `again`: that tells the last turn again with it."""
    return f"/retry {text}" if again else f"/{text}" if text.startswith("/") else text


async def run_command(session: Session, line: str) -> Done:
    """Run a slash command. Raises `UsageError` for one that is not known or cannot be done now."""
    name, _, rest = line[1:].strip().partition(" ")
    command = COMMANDS.get(name.lower())
    if command is None:
        raise UsageError(f"There is no command /{one_line(name, 30)}. Type /help to see them all.")
    return await command.run(session, rest.strip())


def character_ids(game: Game, names: Sequence[str]) -> list[str]:
    """Ids of the chapter's characters from ids, names or parts of names, in any case."""
    found: list[str] = []
    for name in names:
        wanted = name.strip(",").casefold()
        ids = [
            known
            for known in game.chapter.characters
            if wanted in {known.casefold(), game.pack.name_of(known).casefold()}
            or wanted in game.pack.name_of(known).casefold().split()
        ] or [known for known in game.chapter.characters if wanted and known.casefold().startswith(wanted)]
        if len(ids) != 1:
            active = ", ".join(game.chapter.characters)
            raise UsageError(f"Nobody in this chapter is called '{one_line(name, 40)}'. Known: {active}.")
        found.append(ids[0])
    return list(dict.fromkeys(found))


def _number(text: str, usage: str, default: int | None = None) -> int:
    if not text and default is not None:
        return default
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise UsageError(f"A number is missing. Usage: {usage}")
    return int(text)


def _word(text: str, usage: str) -> str:
    if not text:
        raise UsageError(f"A name is missing. Usage: {usage}")
    return text


async def _help(session: Session, rest: str) -> Done:
    width = max(len(command.usage) for command in COMMANDS.values())
    lines = [f"{command.usage:<{width}}  {command.help}" for command in COMMANDS.values()]
    return Done("\n".join([*lines, f"{'//text':<{width}}  a line of the story that begins with a slash"]))


async def _status(session: Session, rest: str) -> Done:
    await session.settle()
    return Done(status_text(session))


async def _undo(session: Session, rest: str) -> Done:
    count = _number(rest, "/undo [n]", 1)
    await session.undo(count)
    return Done(f"Back at turn {session.game.state.turn}. /redo goes forward again.")


async def _redo(session: Session, rest: str) -> Done:
    await session.redo(_number(rest, "/redo [n]", 1))
    return Done(f"Forward again at turn {session.game.state.turn}.")


async def _retry(session: Session, rest: str) -> Done:
    await session.retry(rest or None)
    return Done()


async def _take(session: Session, rest: str) -> Done:
    await session.take(_number(rest, "/take k"))
    current, count = await session.takes()
    return Done(f"Take {current} of {count}.")


async def _branch(session: Session, rest: str) -> Done:
    await session.settle()
    name = _word(rest, "/branch name")
    await session.branch_at(name)
    return Done(f"A branch '{one_line(name)}' begins here. /switch {one_line(name)} goes on with it.")


async def _switch(session: Session, rest: str) -> Done:
    await session.switch(_word(rest, "/switch name"))
    return Done(f"On branch {session.branch_title}, turn {session.game.state.turn}.")


async def _present(session: Session, rest: str) -> Done:
    await session.bring(*character_ids(session.game, _word(rest, "/present id...").split()))
    return Done(_on_stage(session))


async def _leave(session: Session, rest: str) -> Done:
    await session.send_away(*character_ids(session.game, _word(rest, "/leave id...").split()))
    return Done(_on_stage(session))


def _on_stage(session: Session) -> str:
    names = [session.game.pack.name_of(name) for name in session.game.state.present]
    return f"On stage: {', '.join(names) or 'nobody but you'}."


async def _memory(session: Session, rest: str) -> Done:
    await session.settle()
    ids = character_ids(session.game, rest.split()) if rest else list(session.game.chapter.characters)
    return Done("\n\n".join(memory_text(session.game, name) for name in ids))


async def _moments(session: Session, rest: str) -> Done:
    await session.settle()
    return Done(moments_text(session.game))


async def _pin(session: Session, rest: str) -> Done:
    return await _pinned(session, rest, "/pin id n", pinned=True)


async def _unpin(session: Session, rest: str) -> Done:
    return await _pinned(session, rest, "/unpin id n", pinned=False)


async def _pinned(session: Session, rest: str, usage: str, *, pinned: bool) -> Done:
    await session.settle()
    who, _, number = rest.rpartition(" ")
    line = _number(number if who else "", f"{usage}, with a number that /memory or /moments shows") - 1
    if who.strip().casefold() in ("moment", "moments"):
        await session.pin_moment(line, pinned=pinned)
        return Done(moments_text(session.game))
    (name,) = character_ids(session.game, [who])
    await session.pin(name, line, pinned=pinned)
    return Done(memory_text(session.game, name))


async def _history(session: Session, rest: str) -> Done:
    await session.settle()
    lines = await session.run(history_lines, session.save)
    return Done("\n".join(lines))


async def _export(session: Session, rest: str) -> Done:
    from theact_tui.exports import export_save

    await session.settle()
    file = await session.run(export_save, session.save, _word(rest, "/export md|html|json|epub|save"))
    return Done(f"Written to {file}")


async def _edits(session: Session, rest: str) -> Done:
    await session.settle()
    found = await session.hand_edits()
    return Done(edits_text(found) if found else NO_EDITS)


async def _adopt(session: Session, rest: str) -> Done:
    edited = await session.adopt_edits()
    return Done(f"Now part of the story: {', '.join(edited)}." if edited else NO_EDITS)


async def _restore(session: Session, rest: str) -> Done:
    edited = await session.discard_edits(*rest.split())
    return Done(put_back_text(edited) if edited else NO_EDITS)


async def _quit(session: Session, rest: str) -> Done:
    return Done(quit=True)


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("help", "/help", "show these commands", _help),
        Command("status", "/status", "chapter, beats, who is here, what is pending", _status),
        Command("undo", "/undo [n]", "go back n turns", _undo),
        Command("redo", "/redo [n]", "go forward again", _redo),
        Command("retry", "/retry [text]", "tell the last turn again, with other words if you like", _retry),
        Command("take", "/take k", "go to take k of the last turn", _take),
        Command("branch", "/branch name", "begin a branch here", _branch),
        Command("switch", "/switch name", "go on with another branch", _switch),
        Command("present", "/present id...", "bring characters in", _present),
        Command("leave", "/leave id...", "send characters away", _leave),
        Command("memory", "/memory [id]", "what a character remembers", _memory),
        Command("moments", "/moments", "what will be remembered for the whole story", _moments),
        Command("pin", "/pin id n", "keep line n of a memory for good; /pin moment n keeps a moment", _pin),
        Command("unpin", "/unpin id n", "let go of it again", _unpin),
        Command("history", "/history", "the turns so far", _history),
        Command(
            "export", "/export format", "write the story to a file: md, html, json, epub or save", _export
        ),
        Command("edits", "/edits", "what was changed by hand in the files of the save", _edits),
        Command("adopt", "/adopt", "make what was changed by hand part of the story", _adopt),
        Command("restore", "/restore [file...]", "put files changed by hand back as they were", _restore),
        Command("quit", "/quit", "save and leave", _quit),
    )
}
