import json
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import click

from theact_tui.cli.context import (
    Answer,
    answers,
    answers_about,
    at_rest,
    common_options,
    opened,
    print_json,
    program,
    say,
)
from theact_tui.cli.json_documents import game_json
from theact_tui.engine.pack_edits import changed_pack
from theact_tui.engine.state_in_words import NO_CHANGE, NO_EDITS, beat_lines, numbered_memory, put_back_text
from theact_tui.errors import NothingRecovered, UsageError
from theact_tui.models.ledger import Ledger
from theact_tui.parsing.reader import AGENTS, parse
from theact_tui.parsing.types import ParsedReply, ReplyContext
from theact_tui.paths import Home
from theact_tui.saves.codec import GAMES
from theact_tui.saves.hand_edits import HandEdits
from theact_tui.saves.library import Library
from theact_tui.saves.listing import SaveEntry
from theact_tui.saves.save import Save
from theact_tui.story.game import Game
from theact_tui.story.turn import Turn
from theact_tui.text import unstressed


@click.command()
@answers
def saves(home: Home) -> Answer:
    """List the saved stories, newest first."""
    entries = Library(home.data).saves()
    text = "\n".join(map(_listed, entries))
    empty = f"No saved stories yet. '{program()} packs' lists the packs you can play."
    return Answer([asdict(line) for line in entries], text or empty)


def _listed(line: SaveEntry) -> str:
    if line.broken:
        return f"! {line.name}  {line.broken}"
    where = f"{line.chapter}, turn" if line.mode == "play" else "directed chapter, prompt"
    end = ", finished" if line.finished else ""
    place = f"{where} {line.turn}, {line.branch_title or line.branch}{end}"
    return f"{line.name}  ·  {line.title}  ·  {place}\n    {unstressed(line.line)}"


@click.command()
@click.argument("save")
@click.option("--turn", type=click.IntRange(min=0), help="The state after this turn.")
@click.option("--branch", default="", help="A branch other than the current one.")
@answers_about(opened)
def show(opened_save: Save[Any], turn: int | None, branch: str) -> Answer:
    """Show the state of SAVE: chapter, beats reached, memories and the last turn. --json lists all beats."""
    store = opened_save.of(GAMES)
    branches = store.branches() if branch else ()
    called = {line.title: line.name for line in branches} | {line.name: line.name for line in branches}
    on = called.get(branch, branch) or store.branch
    if branch and turn is None and branch not in called:
        raise UsageError(f"There is no branch '{branch}'. See '{program()} branches SAVE'.")
    game = store.state_at(turn, on)
    number = game.state.turn
    shown_turn = next(iter(store.turns(number, number, on)), None) if number else None
    is_head = on == store.branch and number == store.turn
    document = game_json(game, on, shown_turn, max(1, len(store.versions(number, on))))
    ledger, newest = Ledger(store.private), max(number, store.turn)
    usage, first_words = ledger.usage(newest), ledger.first_words(newest)
    document["usage"] = [
        {**asdict(one), "fresh": one.fresh, "first_word": words and asdict(words)}
        for one in usage
        for words in [first_words.get(one.key)]
    ]
    if is_head and (spoken := store.unfinished.journalled()):
        document["pending"].append(
            {"agent": "turn", "turn": spoken.turn.number, "character": None, "chapter": None}
        )
    edited = store.hand_edits().files if is_head else ()
    names = ", ".join(edited[:3]) + (" and more" if len(edited) > 3 else "")
    save = click.get_current_context().params["save"]
    note = f"Files edited outside: {names}. See '{program()} edits {save}'." if edited else ""
    return Answer(document, _shown(game, shown_turn, document, store.title_of(on)), note)


def _shown(game: Game, turn: Turn | None, document: dict[str, Any], branch: str) -> str:
    state = game.state
    lines = [
        f"{game.info.title} · {game.chapter.title} · turn {state.turn} · branch {branch}",
        *beat_lines(game),
    ]
    if state.rolling_summary:
        lines += ["", state.rolling_summary]
    for entry in turn.ordered_entries if turn else ():
        name = game.pack.name_of(entry.character).upper() + "\n" if entry.character else ""
        mark = "> " if entry.role == "player" else ""
        lines += ["", f"{name}{mark}{entry.text}"]
    for character in game.chapter.characters:
        lines += ["", numbered_memory(game, character)]
    if document["pending"]:
        lines += ["", f"Model calls left for the next turn: {len(document['pending'])}."]
    if usage := document["usage"]:
        lines += ["", "Model use of this save, tokens in (reused), out:"]
        lines += [
            f"  {one['key']:<20} {one['calls']:>4} calls  {one['prompt']:>9,} ({one['reused']:,})  "
            f"{one['completion']:>8,}  {one['seconds']:>7.1f} s"
            for one in usage
        ]
    return "\n".join(lines)


@click.command()
@click.argument("save")
@click.option("--branch", default="", help="A branch other than the current one.")
@click.option("-n", "limit", type=click.IntRange(min=1), help="Only the newest N lines.")
@answers_about(opened)
def log(store: Save[Any], branch: str, limit: int | None) -> Answer:
    """Show the history of SAVE, newest first."""
    entries = store.log(limit, branch or None)
    lines = [
        f"{line.commit[:7]}  {line.turn:>4}  {_local(line.at)}  {unstressed(line.line)}" for line in entries
    ]
    return Answer([asdict(line) for line in entries], "\n".join(lines))


def _local(at: str) -> str:
    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}"


@click.command()
@click.argument("save")
@click.option("--adopt", is_flag=True, help="Apply the changes to the story.")
@click.option("--restore", is_flag=True, help="Restore the files; your versions are kept beside them.")
@click.option(
    "--only", metavar="FILE", multiple=True, help="With --restore: only this file. Can be repeated."
)
@click.option("--pack", is_flag=True, help="Changes of your pack since SAVE began; --adopt applies them.")
@common_options
def edits(
    save: str, adopt: bool, restore: bool, only: tuple[str, ...], pack: bool, home: Home, as_json: bool
) -> None:
    """Show edits made to the files of SAVE outside the program, or with --pack to the pack it began with."""
    if adopt and restore:
        raise UsageError("Use either --adopt or --restore, not both.")
    if pack and restore:
        raise UsageError("--pack only goes with --adopt.")
    if only and not restore and not pack:
        raise UsageError("--only needs --restore.")
    with at_rest(home, save) if adopt or restore else opened(home, save) as store:
        if pack:
            hand_edits = _pack_edits(store.of(GAMES), home.packs, adopt=adopt)
        elif adopt and store.info.mode == "direct":
            raise UsageError("A directed chapter cannot adopt edits. Undo them with --restore.")
        else:
            hand_edits = store.hand_edits()
        chosen = tuple(file for file in hand_edits.files if not only or file in only or pack)
        if adopt and chosen and not pack:
            store.adopt_edits()
        elif restore and chosen:
            store.discard_edits(chosen)
    if as_json:
        document = {"files": chosen, "broken": hand_edits.broken, "difference": hand_edits.difference}
        print_json({**document, "adopted": adopt and bool(chosen), "restored": restore and bool(chosen)})
    elif not chosen:
        say(NO_CHANGE if pack else NO_EDITS)
    elif adopt:
        say(f"Applied: {', '.join(chosen)}.")
    elif restore:
        say(put_back_text(chosen))
    elif pack:
        say(hand_edits.difference or "\n".join(hand_edits.broken.values()))
        if not hand_edits.broken:
            say(f"Apply it with '{program()} edits {save} --pack --adopt'.", err=True)
    else:
        say(hand_edits.difference)
        say(_advice(save, hand_edits), err=True)


def _pack_edits(save: Save[Game], packs: Path, *, adopt: bool) -> HandEdits:
    changed = changed_pack(save, save.load(), packs)
    if changed and adopt:
        changed_game = changed.taken_over(save.load())
        save.commit_edit(changed_game.game, changed_game.what)
    return changed.edits if changed else HandEdits()


def _advice(save: str, hand_edits: HandEdits) -> str:
    command = f"{program()} edits {save}"
    if not hand_edits.broken:
        return f"Keep it with '{command} --adopt', undo it with --restore."
    only = " ".join(f"--only {file}" for file in hand_edits.broken)
    advice = f"This cannot be adopted. Fix it, or undo it with '{command} --restore {only}'."
    return "\n".join([*dict.fromkeys(hand_edits.broken.values()), advice])


# --- recover ---------------------------------------------------------------------------------------------------------


@click.command("recover")
@click.argument("agent", required=False)
@click.option("--context", type=click.File("rb"), help="JSON with active_characters, beats, facts.")
@click.option("--json", is_flag=True, expose_value=False, help="Ignored: the output is always JSON.")
@click.option("--jsonl", type=click.File("rb"), help="One reply per line; - for standard input.")
def recover(agent: str | None, context: BinaryIO | None, jsonl: BinaryIO | None) -> None:
    """Recover the fields of a raw reply of AGENT from standard input, and print them as JSON.

    With --jsonl every line is {"id", "agent", "raw", "context"} and is answered by {"id", "ok", "fields", "steps"}.
    """
    if jsonl is not None:
        if agent or context:
            raise UsageError("Give either an agent or --jsonl, not both.")
        for number, line in enumerate(jsonl, 1):
            if line.strip():
                print_json(_answered(line.decode("utf-8", "replace"), f"Line {number}"), indent=None)
        return
    if agent is None:
        raise UsageError("Give the agent, for example `narrator`, or use --jsonl.")
    reply_context = (
        _context(_loaded(context.read().decode("utf-8", "replace"), "The context")) if context else None
    )
    reading = _read(agent, sys.stdin.buffer.read().decode("utf-8", "replace"), reply_context)
    if not reading.ok:
        raise NothingRecovered(f"Nothing usable in this reply of {agent}: {reading.missing} is missing.")
    print_json(reading.fields)


def _answered(line: str, source: str) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    try:
        asked = _loaded(line, source)
        reading = _read(
            str(asked.get("agent")), str(asked.get("raw") or ""), _context(asked.get("context") or {})
        )
    except UsageError as error:
        say(error.message, err=True)
        return {"id": asked.get("id"), "ok": False, "fields": {}, "steps": []}
    return {"id": asked.get("id"), "ok": reading.ok, "fields": reading.fields, "steps": list(reading.steps)}


def _read(agent: str, raw: str, context: ReplyContext | None) -> ParsedReply:
    if agent.partition(":")[0] not in AGENTS:
        raise UsageError(f"Unknown agent {agent!r}. Agents: {', '.join(AGENTS)}.")
    return parse(agent, raw, context)


def _context(document: Any) -> ReplyContext:
    cast = document.get("active_characters") if isinstance(document, dict) else document
    if isinstance(cast, list):
        cast = {str(id): str(id) for id in cast}
    if not isinstance(document, dict) or not isinstance(cast, dict | None):
        raise UsageError("In a context `active_characters` must map ids to names.")
    return ReplyContext(
        active_characters=None if cast is None else {str(id): str(name) for id, name in cast.items()},
        facts=_lines(document, "facts"),
        prompt_example=str(document.get("prompt_example") or ""),
    )


def _lines(document: dict[str, Any], key: str) -> tuple[str, ...] | None:
    lines = document.get(key)
    if not isinstance(lines, list | None):
        raise UsageError(f"In a context `{key}` must be a list of strings.")
    if lines is None:
        return None
    return tuple(str(line["text"] if isinstance(line, dict) and "text" in line else line) for line in lines)


def _loaded(text: str, source: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{source} is not valid JSON: {error}.") from error
    if not isinstance(document, dict):
        raise UsageError(f"{source} is not a JSON object.")
    return document
