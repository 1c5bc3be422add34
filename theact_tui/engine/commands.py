"""Slash commands of the app and of `play`."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import get_args

from theact_tui.engine import state_in_words
from theact_tui.engine.memory_backfill import renew_memories, write_missing_memories
from theact_tui.engine.seats import LONGEST_SECONDS, USUAL_SECONDS
from theact_tui.engine.session import StorySession
from theact_tui.engine.suggestions import find_newcomer
from theact_tui.errors import UsageError
from theact_tui.long_works import run_long
from theact_tui.story import edits
from theact_tui.story.cast import add_character, remove_character
from theact_tui.story.game import Game
from theact_tui.story.lore import MAX_KEY, MAX_KEYS, is_entry_about
from theact_tui.story.names import Names, forms
from theact_tui.story.speech import WHISPER_ARROW
from theact_tui.story.steering import LENGTHS, language_name
from theact_tui.story.turn import Turn
from theact_tui.text import clean, one_line


@dataclass(frozen=True, slots=True)
class Done:
    """Answer of a command, and whether to leave."""

    text: str = ""
    quit: bool = False
    file: Path | None = None


@dataclass(frozen=True, slots=True)
class Command:
    usage: str
    help: str
    run: Callable[[StorySession, str], Awaitable[Done | str | None]]
    """Runs the command with the rest of the line and returns its answer, if any."""

    @property
    def name(self) -> str:
        return self.usage.split()[0].removeprefix("/")


def misses_slash(line: str) -> bool:
    """True for a line that is told, but may be meant for the program."""
    return line.strip().lower() in ("help", "?", "quit", "exit")


def is_direction(line: str) -> bool:
    words = line.split(maxsplit=1)
    return len(words) == 2 and words[0].lower() == "/tell"


def only_reads(line: str) -> bool:
    """True for a command that can be answered while a turn runs."""
    words = line.lower().split()
    return bool(words) and words[0] in _READING and words[:2] != ["/lore", "add"]


def moves(line: str) -> bool:
    """True for a command that moves the story or tells a turn."""
    words = line.strip().removeprefix("/").lower().split()
    return bool(words) and f"/{words[0]}" in MOVING


def retry_line(turn: Turn) -> str:
    """Return the command that retries a turn with its line or direction; "" without either."""
    if turn.player_text:
        return f"/retry {turn.player_text}"
    direction = turn.steering.direction if turn.steering else ""
    return f"/retry --note {direction}" if direction else ""


async def run_command(session: StorySession, line: str) -> Done:
    name, _, rest = line[1:].strip().partition(" ")
    command = COMMANDS.get(name.lower())
    if command is None:
        near = get_close_matches(name.lower(), COMMANDS, 1)
        meant = f"Did you mean /{near[0]}?" if near else "/help lists the commands."
        raise UsageError(f"Unknown command /{one_line(name, 30)}. {meant}")
    if command.name in SETTLED:
        await session.settle()
    done = await command.run(session, rest.strip())
    return done if isinstance(done, Done) else Done(done or "")


def character_ids(game: Game, names: str) -> list[str]:
    """Find the chapter's characters by ids, names or parts of names."""
    listed = _people(game).listed(names, abbreviated=1)
    return list(dict.fromkeys(_only(game, name, ids) for name, ids in listed))


def character_and_text(game: Game, words: str) -> tuple[str, str]:
    """Split words into the leading character and the rest."""
    ids, text = _people(game).leading(words, abbreviated=1)
    named = words.removesuffix(text) if ids else words.split()[0]
    return _only(game, named.strip(" ,:"), ids), text


def one_character(game: Game, name: str) -> str:
    return _only(game, name.strip(), _people(game).meant(name, abbreviated=1))


def _people(game: Game) -> Names:
    return Names({id: game.pack.name_of(id) for id in game.chapter.characters})


def _only(game: Game, name: str, ids: Sequence[str]) -> str:
    if len(ids) > 1:
        raise UsageError(f"'{one_line(name, 40)}' can be several characters. Choose one: {', '.join(ids)}.")
    if not ids:
        spellings = {
            form.casefold(): id for id, whole in _people(game).of.items() for form in (id, *forms(whole))
        }
        near = get_close_matches(name.casefold(), spellings, 1)
        meant = (
            f"Did you mean {spellings[near[0]]}?" if near else f"Characters: {', '.join(_people(game).of)}."
        )
        raise UsageError(f"There is no “{one_line(name, 40)}” in this chapter. {meant}")
    return ids[0]


def _number(text: str, usage: str) -> int:
    if not text:
        raise UsageError(f"A number is missing. Usage: {usage}")
    if not re.fullmatch(r"0*[1-9][0-9]{0,8}", text):
        raise UsageError(f"'{one_line(text, 20)}' is not a number from 1 to 999,999,999. Usage: {usage}")
    return int(text)


def _word(text: str, usage: str) -> str:
    if not text:
        raise UsageError(f"A name is missing. Usage: {usage}")
    return text


async def _help(session: StorySession, rest: str) -> str:
    width = max(len(command.usage) for command in COMMANDS.values())
    lines = [f"{command.usage:<{width}}  {command.help}" for command in COMMANDS.values()]
    return "\n".join([*lines, f"{'//text':<{width}}  story text that starts with a slash"])


async def _status(session: StorySession, rest: str) -> str:
    return state_in_words.status_text(session)


async def _undo(session: StorySession, rest: str) -> str:
    turns = await session.undo(_number(rest, "/undo [n]") if rest else None)
    return undone_text(session.game.state.turn, turns, "/redo")


def undone_text(turn: int, turns: int, redo: str) -> str:
    """Describe an undo of `turns` (0: a text edit) to `turn`; `redo` reverses it."""
    event = f"back to turn {turn}" if turns else "the last edit of a text"
    return f"Undone: {event}. {redo} redoes it."


async def _redo(session: StorySession, rest: str) -> str:
    await session.redo(_number(rest, "/redo [n]") if rest else None)
    return f"Redone: turn {session.game.state.turn}."


async def _retry(session: StorySession, rest: str) -> str | None:
    option, _, text = rest.partition(" ")
    if option == "--note":
        await session.retry(direction=text.strip())
        return _unheeded(session)
    if option == "--profile":
        await session.retry_by(_word(text.strip(), "/retry --profile name"))
    elif option == "--stage":
        return await _ask_stage(session)
    elif option == "--reply":
        await session.retry_reply(one_character(session.game, text) if text.strip() else "")
    else:
        await session.retry(rest or None)
    return None


async def _write_on(session: StorySession, rest: str) -> None:
    option, _, text = rest.partition(" ")
    if option != "--reply":
        await session.write_on(rest or None)
        return
    name, text = character_and_text(session.game, _word(text.strip(), WRITE_ON_USAGE))
    await session.write_on(text or None, name)


WRITE_ON_USAGE = "/write-on [--reply name] [text]"


async def _ask_stage(session: StorySession) -> str:
    if await session.ask_stage():
        return "Asked again who heard this turn. The inspector (F2) shows it."
    return "The model could not say who heard this turn. /heard all, or /heard and names, decides it."


async def _note(session: StorySession, rest: str) -> str:
    await session.edit(edits.steer, note=clean(rest).strip())
    if not rest:
        return "The note is cleared."
    return _unless_offline(session, "The narrator sees this note in every turn.")


async def _direct(session: StorySession, rest: str) -> str:
    await session.direct(rest)
    return _unheeded(session)


def _unheeded(session: StorySession) -> str:
    return "The offline storyteller follows its script, whatever you tell it." if session.offline else ""


def _unless_offline(session: StorySession, answer: str) -> str:
    waits = "Saved. It takes effect with a model; the offline storyteller follows its script."
    return waits if session.offline else answer


async def _go(session: StorySession, rest: str) -> None:
    await session.go_on()


async def _ask(session: StorySession, rest: str) -> None:
    try:
        asked = character_ids(session.game, _word(rest, "/ask name..."))
    except UsageError as error:
        raise UsageError(f"{error} /ask takes only names; write a question as your own line.") from None
    await session.go_on(asked=asked)


async def _hush(session: StorySession, rest: str) -> str:
    ids = character_ids(session.game, rest)
    await session.edit(edits.steer, hushed=tuple(ids))
    names = ", ".join(session.game.pack.name_of(name) for name in ids)
    if not names:
        return "Everyone may answer."
    return f"{names} {'stays' if len(ids) == 1 else 'stay'} silent until you use /hush again."


async def _length(session: StorySession, rest: str) -> str:
    if rest not in LENGTHS:
        now = session.steering.length
        raise UsageError(f"Now: {now}. Usage: /length {'|'.join(LENGTHS)}")
    await session.edit(edits.steer, length=rest)
    return _unless_offline(session, f"Replies are {rest} from now on.")


async def _language(session: StorySession, rest: str) -> str:
    await session.edit(edits.steer, language=one_line(rest, 40))
    name = language_name(session.game.language)
    if not name:
        return "The story is written in the language of its pack."
    return _unless_offline(session, f"The story is written in {name}.")


async def _take(session: StorySession, rest: str) -> str:
    await session.select_take(_number(rest, "/take k"))
    current, count = session.takes
    return f"Take {current} of {count}."


async def _branch(session: StorySession, rest: str) -> str:
    name = _word(rest, "/branch title")
    await session.branch_at(name)
    return f"Created branch '{one_line(name)}'. Switch to it with /switch {one_line(name)}."


async def _switch(session: StorySession, rest: str) -> str:
    await session.switch(_word(rest, "/switch branch"))
    return f"Switched to branch {session.branch_title}, turn {session.game.state.turn}."


async def _present(session: StorySession, rest: str, *, here: bool = True) -> str:
    usage = f"/{'present' if here else 'leave'} name..."
    ids = character_ids(session.game, _word(rest, usage))
    await session.edit(edits.hold, ids, here=here)
    return _on_stage(session)


WHISPER_USAGE = "A name or the text is missing. Usage: /whisper name text"


async def _whisper(session: StorySession, rest: str) -> None:
    if len(rest.split()) < 2:
        raise UsageError(WHISPER_USAGE)
    name, text = character_and_text(session.game, rest)
    if not text:
        raise UsageError(WHISPER_USAGE)
    called = session.game.pack.name_of(name)
    if name not in session.game.state.present:
        raise UsageError(f"{called} is not here.")
    is_unique = _people(session.game).listed(called) == [(called, (name,))]  # two people may have one name
    await session.play(f"{WHISPER_ARROW} {called if is_unique else name}: {text}")


async def _beat(session: StorySession, rest: str) -> str:
    number = _number(rest, "/beat n (n counts the chapter's beats from 1)")
    beats = session.game.chapter.beats
    hit = not (number <= len(beats) and beats[number - 1] in session.game.state.beats_hit)
    await session.edit(edits.mark_beat, number, hit=hit)
    return f"Beat {number} is {'marked' if hit else 'no longer marked'}."


async def _gate(session: StorySession, rest: str) -> str:
    character, _, setting = rest.rpartition(" ")
    states = {"open": True, "shut": False, "auto": None}
    if setting not in states or not character:
        raise UsageError("Usage: /secret name open|shut|auto")
    name = one_character(session.game, character)
    await session.edit(edits.set_gate, name, states[setting])
    whose = f"{session.game.pack.name_of(name)}'s secret"
    sentences = {"open": f"{whose} may come out now.", "shut": f"{whose} is held back."}
    return sentences.get(setting, f"The story decides about {whose}.")


async def _chapter(session: StorySession, rest: str) -> str:
    answers = {
        "end": "The chapter ends with the next turn.",
        "keep": "The chapter stays open until you type /chapter auto.",
        "auto": "The story decides again when the chapter ends.",
    }
    if rest not in answers:
        raise UsageError("Usage: /chapter end|keep|auto")
    await session.edit(edits.set_chapter, "end" if rest == "end" else "keep" if rest == "keep" else "")
    return answers[rest]


ALL_HEAR = (
    "Where the model cannot say who heard a turn, everybody here did, but for → Name: and /whisper. "
    "/heard ask takes that back."
)


async def _heard(session: StorySession, rest: str) -> str:
    usage = (
        "Usage: /heard [turn] all, /heard [turn] name..., /heard turn name all|page|none or /heard always|ask"
    )
    words = rest.split()
    part = next((extent for extent in get_args(edits.Hearing) if words[-1:] == [extent]), None)
    if len(words) < 3 or part is None or not words[0].isdigit():
        return await _heard_by(session, words, usage)
    name = one_character(session.game, " ".join(words[1:-1]))
    number = _number(words[0], usage)
    await session.edit_turn(number, edits.set_heard, name, part)
    heard = {"all": "all of turn", "page": "turn", "none": "nothing of turn"}[part]
    but = ", but not your line" if part == "page" else ""
    return f"{session.game.pack.name_of(name)} heard {heard} {number}{but}."


async def _heard_by(session: StorySession, words: Sequence[str], usage: str) -> str:
    last = session.last_turn.number if session.last_turn else 0
    number = _number(words[0], usage) if words[:1] and words[0].isdigit() else last
    names = list(words[1:]) if words[:1] and words[0].isdigit() else list(words)
    if not names:
        raise UsageError(usage)
    if names in (["always"], ["ask"]):
        await session.edit(edits.steer, all_hear=names == ["always"])
        return (
            ALL_HEAR
            if session.steering.all_hear
            else "The model is asked who hears what; if it fails, you are."
        )
    to_all, to_none = names == ["all"], names == ["nobody"]
    ids = None if to_all else [] if to_none else character_ids(session.game, " ".join(names))
    await session.decide_hearers(number, ids)
    hearers = " and ".join(session.game.pack.name_of(id) for id in ids or ())
    return f"{'Everybody here' if to_all else hearers or 'Nobody'} heard turn {number}."


async def _cast(session: StorySession, rest: str) -> str:
    act, _, description = rest.partition(" ")
    if act == "add" and description.strip():
        person = await find_newcomer(session, description)
        if person.origin == "model":
            return f"Send this line, changed as you like:\n/cast add {person.card.name}: {person.about}"
        await session.edit(add_character, person)
        return "\n".join([_on_stage(session), *(f"Left out: {line}" for line in person.left_out)])
    if act == "remove" and description.strip():
        id = one_character(session.game, description)
        await session.edit(remove_character, id)
    elif rest:
        raise UsageError("Usage: /cast add Name: description, /cast add FILE or /cast remove name")
    return _on_stage(session)


def _on_stage(session: StorySession) -> str:
    names = [session.game.pack.name_of(name) for name in session.game.state.present]
    return f"Here: {', '.join(names) or 'only you'}."


async def _memory(session: StorySession, rest: str) -> str:
    ids = character_ids(session.game, rest) if rest else list(session.game.chapter.characters)
    return "\n\n".join(state_in_words.numbered_memory(session.game, name) for name in ids)


async def _lore(session: StorySession, rest: str) -> str:
    word, _, more = rest.partition(" ")
    if word == "add":
        named, _, text = more.partition(":")
        keys = [key for part in named.split(",") if (key := one_line(part, MAX_KEY))][:MAX_KEYS]
        await session.edit(edits.add_lore, keys, text)
        return f"Added to the lore: {keys[0]}."
    game = session.game
    if not rest:
        last = game.last_turn
        before = await session.story_at(last.number - 1) if last else game
        told = state_in_words.lore_at(before, last, "")
        return state_in_words.lore_text((*told, *state_in_words.lore_since(game, told)))
    matches = [match for match in state_in_words.lore_at(game, None, "") if is_entry_about(match.entry, rest)]
    if not matches:
        raise UsageError(f"No lore is about '{one_line(rest, 40)}'. /lore lists all of it.")
    return "\n\n".join(f"{match.entry.name}\n{match.entry.text}" for match in matches)


async def _renew(session: StorySession, rest: str) -> str:
    turns = await renew_memories(session, _number(rest, "/renew [n]") if rest else None)
    numbers = ", ".join(map(str, turns))
    return f"Updated the memories of turn {numbers}." if numbers else "No memories are stale."


async def _remember(session: StorySession, rest: str) -> str:
    left = await write_missing_memories(session)
    if left:
        return f"Stopped. {state_in_words.missing_text(left)} /remember continues."
    return "All memories are up to date."


async def _moments(session: StorySession, rest: str) -> str:
    return state_in_words.moments_text(session.game)


async def _pin(session: StorySession, rest: str, *, pinned: bool = True) -> str:
    usage = f"/{'pin' if pinned else 'unpin'} name n (n is the number in /memory or /moments)"
    character, _, number = rest.rpartition(" ")
    if not character and number.isdecimal():
        people = ", ".join(session.game.chapter.characters)
        raise UsageError(f"Whose line {one_line(number, 9)}? Name {people} or moment. Usage: {usage}")
    line = _number(number if character else "", usage) - 1
    if character.strip().casefold() in ("moment", "moments"):
        await session.edit(edits.pin_moment, line, pinned=pinned)
        return state_in_words.moments_text(session.game)
    name = one_character(session.game, character)
    await session.edit(edits.pin_line, name, line, pinned=pinned)
    return state_in_words.numbered_memory(session.game, name)


async def _history(session: StorySession, rest: str) -> str:
    lines = await session.run(state_in_words.history_lines, session.save, ids=rest == "--ids")
    return "\n".join(lines)


async def _export(session: StorySession, rest: str) -> Done:
    from theact_tui.exports.write_file import FORMATS, export_save

    match rest.split():
        case [format] | [format, "you"]:
            book = partial(export_save, lines="you")
        case [format, "none"]:
            book = partial(export_save, lines="none")
        case _:
            raise UsageError(f"Name a format: {', '.join(FORMATS)}. Usage: /export format [you|none]")
    await session.settle()
    file = await run_long(session.run(book, session.save, format))
    return Done(f"Exported to {file}", file=file)


async def _edits(session: StorySession, rest: str) -> str:
    if rest.strip() == "pack":
        changed = await session.pack_edits.hand_edits() if session.pack_edits else None
        return state_in_words.edits_text(changed, pack=True) if changed else state_in_words.NO_CHANGE
    edits = await session.hand_edits()
    return state_in_words.edits_text(edits) if edits else state_in_words.NO_EDITS


async def _adopt(session: StorySession, rest: str) -> str:
    source = session.pack_edits if rest.strip() == "pack" else session
    edited = await source.adopt_edits() if source else ()
    nothing = state_in_words.NO_EDITS if source is session else state_in_words.NO_CHANGE
    return state_in_words.applied_text(edited) if edited else nothing


async def _restore(session: StorySession, rest: str) -> str:
    edited = await session.discard_edits(*rest.split())
    return state_in_words.put_back_text(edited) if edited else state_in_words.NO_EDITS


async def _seat(session: StorySession, rest: str) -> str:
    session.check_writable()
    seats, name_of = session.seats, session.game.pack.name_of
    if not rest:
        given = (
            f"{name_of(seat.character)}: {seat.name or 'nobody yet'}, {seat.seconds} s"
            for seat in seats.given
        )
        return "\n".join(given) or "No seat is given. Usage: /seat name [seconds|off]"
    character, _, last = rest.rpartition(" ")
    if not (character and (last == "off" or last.isdecimal())):
        character, last = rest, ""
    id = one_character(session.game, character)
    if last == "off":
        is_back = seats.take_back(id)
        return f"{name_of(id)} is played by the model{' again' if is_back else ''}."
    seconds = min(_number(last, SEAT_USAGE), LONGEST_SECONDS) if last else USUAL_SECONDS
    command = await seats.give(id, seconds)
    return (
        f"A person can play {name_of(id)}. In another terminal of this computer:\n{command}\n"
        f"After {seconds} seconds without an answer, or at esc, the model answers."
    )


SEAT_USAGE = "/seat [name [seconds|off]]"


async def _quit(session: StorySession, rest: str) -> Done:
    return Done(quit=True)


SETTLED = frozenset(
    "status branch beat secret chapter heard memory lore remember moments pin unpin history export edits".split()
)
"""Commands that wait until the last turn is saved."""
_READING = frozenset(("/help", "/status", "/memory", "/lore", "/moments", "/history"))
"""Commands that change nothing, except `/lore add`."""
MOVING = frozenset("/undo /redo /retry /write-on /take /switch /go /ask /tell /whisper".split())
COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("/help", "list the commands", _help),
        Command("/status", "chapter, beats, cast, decisions, pending work", _status),
        Command("/undo [n]", "undo the last turn or text edit, or n turns", _undo),
        Command("/redo [n]", "redo what was undone last, or n turns", _redo),
        Command("/retry [text]", "retry; --reply name, --note text, --profile name", _retry),
        Command("/write-on [text]", "go on from this text, or the end; --reply name", _write_on),
        Command("/note [text]", "a note for the narrator; empty clears it", _note),
        Command("/tell text", "tell the narrator what happens in a turn", _direct),
        Command("/go", "continue without writing a line", _go),
        Command("/ask name...", "continue, and these characters answer", _ask),
        Command("/hush [name...]", "who stays silent; empty lets everyone answer", _hush),
        Command("/length short|normal|long", "how much is written in a turn", _length),
        Command("/language [language]", "language of the story; empty is the pack's", _language),
        Command("/take k", "show take k of the last turn", _take),
        Command("/branch title", "create a branch here", _branch),
        Command("/switch branch", "switch to another branch", _switch),
        Command("/present name...", "mark characters as here", _present),
        Command("/leave name...", "mark characters as away", partial(_present, here=False)),
        Command("/cast add|remove name", "add a character, or remove one for good", _cast),
        Command("/whisper name text", "say something only one character hears", _whisper),
        Command(SEAT_USAGE, "a person plays a character at another terminal", _seat),
        Command("/beat n", "mark beat n as reached, or unmark it", _beat),
        Command("/secret name open|shut|auto", "let a secret come out, or keep it", _gate),
        Command("/chapter end|keep|auto", "end the chapter next turn, or keep it open", _chapter),
        Command("/heard turn name all|page|none", "who heard a turn; also /heard all, names, always", _heard),
        Command("/memory [name...]", "what a character remembers", _memory),
        Command("/lore [word]", "this turn's lore; /lore add key, key: text", _lore),
        Command("/renew [n]", "rewrite the memories of edited turns", _renew),
        Command("/remember", "write memories of an imported chat", _remember),
        Command("/moments", "the moments worth remembering", _moments),
        Command("/pin name n", "pin memory line n; /pin moment n pins a moment", _pin),
        Command("/unpin name n", "unpin it", partial(_pin, pinned=False)),
        Command("/history [--ids]", "list the turns so far; --ids with commit ids", _history),
        Command("/export format [you|none]", "export the story; none leaves your lines out", _export),
        Command("/edits [pack]", "files of the save or pack that were edited", _edits),
        Command("/adopt [pack]", "apply those edits to the story", _adopt),
        Command("/restore [file...]", "undo those edits and restore the files", _restore),
        Command("/quit", "save and leave", _quit),
    )
}
