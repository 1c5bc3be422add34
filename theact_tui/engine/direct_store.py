"""A direct session as the files of a save (D10): one file per prompt, block and draft, so that no file grows."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, get_args

from theact_tui.errors import SaveDamaged, UsageError
from theact_tui.saves import yaml
from theact_tui.saves.disk import replace_file
from theact_tui.saves.files import parse, turn_path
from theact_tui.saves.objects import Clock, now
from theact_tui.saves.succession import take_place, waiting
from theact_tui.story.base import Value
from theact_tui.story.direct.game import DirectGame
from theact_tui.story.direct.limits import CHUNK, TRANSCRIPT_LIMIT
from theact_tui.story.direct.log import Events, exchanges
from theact_tui.story.direct.records import (
    Block,
    Draft,
    Event,
    Folded,
    Prompted,
    Session,
    Setup,
    State,
    Voice,
)
from theact_tui.story.game import SaveInfo

if TYPE_CHECKING:
    from theact_tui.saves.store import Save

Contents = dict[str, bytes | None]
T = TypeVar("T", bound=Value)

NAME_LENGTH = 48
"""Characters of a save's name that count when it is made a folder."""


def contents(game: DirectGame, before: DirectGame | None = None) -> Contents:
    """The files that differ from those of `before`; all of them without it."""
    files: Contents = {}
    if before is None or game.info != before.info:
        files["save.yaml"] = _dump(game.info)
    if before is None or game.session != before.session:
        files["session.yaml"] = _dump(game.session)
    if before is None or game.setup != before.setup:
        files["setup.yaml"] = _dump(game.setup)
    if before is None or game.voice != before.voice:
        files["voice.yaml"] = _dump(Voice(text=game.voice))
    if game.folded != (before.folded if before else None):
        files["folded.yaml"] = _dump(game.folded) if game.folded else None
    known = before.session.prompt_index if before else 0
    for exchange in exchanges(event for event in game.events if event.prompt_index > known):
        files[turn_path(exchange.index)] = _dump(Prompted(events=exchange.events))
    for place, block in list(enumerate(game.blocks))[len(before.blocks) if before else 0 :]:
        files[f"blocks/{place:04d}.yaml"] = _dump(block)
    for place, draft in list(enumerate(game.drafts))[len(before.drafts) if before else 0 :]:
        files[f"drafts/{place:04d}.yaml"] = _dump(draft)
    return files


def load(save: Save, commit: str | None = None) -> DirectGame:
    """The session as of a commit (default: the newest), with its newest events. SaveError if a file is wrong.

    Its id is the save's, so that a copy is a session of its own; what was recorded before keeps the id it had.
    """
    info = save.info
    session = _need(save, "session.yaml", Session, commit).model_copy(update={"session_id": info.id})
    folded = save.read("folded.yaml", commit)
    return DirectGame(
        info=info,
        session=session,
        setup=_need(save, "setup.yaml", Setup, commit),
        voice=_need(save, "voice.yaml", Voice, commit).text,
        events=_newest(save, session, commit),
        blocks=_all(save, "blocks", Block, commit),
        drafts=_all(save, "drafts", Draft, commit),
        folded=parse("folded.yaml", folded, Folded) if folded else None,
    )


def load_events(save: Save, first: int, last: int, commit: str | None = None) -> Events:
    """The events of prompts `first` to `last`, inclusive, in order."""
    return tuple(event for number in range(first, last + 1) for event in _prompt(save, number, commit))


def _newest(save: Save, session: Session, commit: str | None) -> Events:
    """Enough events for the transcript's window, the actors' reminders and the next summaries."""
    needed = min(session.last_summarized_prompt_index, session.prompt_index - CHUNK)
    events: list[Event] = []
    size = 0
    for number in range(session.prompt_index, 0, -1):
        if number <= needed and size > TRANSCRIPT_LIMIT:
            break
        found = _prompt(save, number, commit)
        size += sum(len(event.text) for event in found)
        events[:0] = found
    return tuple(events)


def _prompt(save: Save, number: int, commit: str | None) -> Events:
    return _need(save, turn_path(number), Prompted, commit).events


def _all(save: Save, folder: str, kind: type[T], commit: str | None) -> tuple[T, ...]:
    """All values of a folder, in the order of their names."""
    return tuple(_need(save, f"{folder}/{name}", kind, commit) for name in save.names(folder, commit))


def _need(save: Save, path: str, kind: type[T], commit: str | None) -> T:
    data = save.read(path, commit)
    if data is None:
        raise SaveDamaged(f"{path} is missing in {save.folder.name}.")
    return parse(path, data, kind)


def _dump(value: Value) -> bytes:
    return yaml.dump(value.model_dump(mode="json"))


# --- the state while a call runs ----------------------------------------------------------------------------------


def mark(save: Save, state: State | None) -> None:
    """Note what is going on, outside the versioned files, so that a restart can tell; None forgets it."""
    if state is None:
        _marker(save).unlink(missing_ok=True)
    else:
        replace_file(_marker(save), f"{state} {save.head}".encode())


def marked(save: Save) -> State | None:
    """What was going on when the program stopped, if it had not come to its commit."""
    try:
        found = _marker(save).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
    return next((state for state in get_args(State) if found == f"{state} {save.head}"), None)


def _marker(save: Save) -> Path:
    return save.folder / ".git" / "theact" / "doing"


# --- making and resetting -----------------------------------------------------------------------------------------


def create(folder: Path, title: str, session_id: str, clock: Clock = now) -> Save:
    """A new save with an empty session in DRAFT. UsageError if the folder exists."""
    from theact_tui.saves.store import Save

    game = new_game(title, session_id, clock().isoformat(timespec="milliseconds"))
    return Save.start(folder, contents(game), f"{title} begins", clock=clock, word="Prompt")


def new_game(title: str, session_id: str, at: str) -> DirectGame:
    """An empty session."""
    info = SaveInfo(id=session_id, title=title, pack="", seed=0, created=at, mode="direct")
    return DirectGame(info, Session(session_id=session_id, created_at=at, updated_at=at), Setup())


def archive_name(name: str, short_id: str) -> str:
    """What a save of this name is called once it is archived."""
    name = name.removesuffix(f"-{short_id}")
    return f"{name[: NAME_LENGTH - len(short_id) - 1].rstrip(' -')}-{short_id}"


def restart(save: Save, game: DirectGame, session_id: str, clock: Clock = now) -> tuple[Save, str]:
    """Archive the session in `save` and begin a new one under its name: the new save, and the archived one's name.

    `save` is closed. A crash half-way is finished when saves are listed or found again. UsageError if the archive's
    name is taken.
    """
    from theact_tui.saves.store import Save

    folder, short_id = save.folder, game.session.short_id
    title = game.info.title.removesuffix(f"-{short_id}")
    archived = archive_name(title, short_id)
    kept = folder.with_name(archive_name(folder.name, short_id))
    if kept.exists():
        raise UsageError(f"There is already a save '{kept.name}'. Rename it, then reset again.")
    shutil.rmtree(waiting(folder), ignore_errors=True)
    create(waiting(folder), title, session_id, clock).close()
    save.rename(archived)
    save.close()
    folder.rename(kept)
    take_place(folder)
    return Save.open(folder, clock=clock), archived
