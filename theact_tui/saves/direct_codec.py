"""Codec of directed chapters: a file per prompt, block and draft."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from theact_tui import yaml
from theact_tui.errors import SaveError, UsageError
from theact_tui.saves.codec import (
    GAMES,
    Codec,
    Contents,
    Mode,
    StoryProgress,
    changed,
    dump_value,
    parse_file,
    read_file,
    read_info,
    turn_of,
    turn_path,
)
from theact_tui.saves.trees import Version
from theact_tui.story.direct.as_story import as_game, as_turn
from theact_tui.story.direct.log import Events, exchanges
from theact_tui.story.direct.notes_due import CHUNK
from theact_tui.story.direct.records import (
    TRANSCRIPT_LIMIT,
    ChapterDraft,
    ChapterVoice,
    Folded,
    LogEvent,
    MemoryBlock,
    Prompted,
    SessionRecord,
    Setup,
)
from theact_tui.story.direct.state import DirectGame
from theact_tui.story.game import Game, SaveInfo
from theact_tui.story.turn import Turn
from theact_tui.story.value import Value

V = TypeVar("V", bound=Value)


class DirectCodec:
    mode: Mode = "direct"
    word = "Prompt"

    def read(self, files: Version) -> DirectGame:
        """Raises UsageError for a played game."""
        info = read_info(files)
        if info.mode != "direct":
            raise UsageError(f"'{info.title}' is a story, not a directed chapter: use 'play' for it.")
        session = read_file(files, "session.yaml", SessionRecord)
        folded = files.read("folded.yaml")
        return DirectGame(
            info=info,
            session=session,
            setup=read_file(files, "setup.yaml", Setup),
            voice=read_file(files, "voice.yaml", ChapterVoice).text,
            events=_newest(files, session),
            blocks=_all(files, "blocks", MemoryBlock),
            drafts=_all(files, "drafts", ChapterDraft),
            folded=parse_file("folded.yaml", folded, Folded) if folded else None,
        )

    def changed_files(
        self, state: DirectGame, before: DirectGame | None = None, turns: Iterable[Turn] = ()
    ) -> Contents:
        last_index = before.session.prompt_index if before else 0
        new = exchanges(event for event in state.events if event.prompt_index > last_index)
        files: Contents = {
            turn_path(exchange.index): dump_value(Prompted(events=exchange.events)) for exchange in new
        }
        old = {**_parts(before), "session.yaml": _record(before, state.info)} if before else {}
        return files | changed(_parts(state), old, dump_value)

    def turn(self, state: DirectGame) -> int:
        return state.session.prompt_index

    def line(self, state: DirectGame) -> str:
        last = state.last_prompt
        return last[1] if last else f"{state.info.title} begins"

    def story(self, state: DirectGame) -> Game:
        return as_game(state)

    def turn_content(self, files: Version, turn: int) -> Turn:
        return as_turn(exchanges(read_events(files, turn, turn))[0])

    def player_text(self, files: Version, turn: int) -> str:
        return ""

    def named(self, state: DirectGame, info: SaveInfo) -> DirectGame:
        """Give a copy its own id; recorded events keep theirs."""
        return replace(state, info=info, session=_record(state, info))

    def progress(self, files: Version) -> StoryProgress:
        session = files.read("session.yaml")
        ended = session is not None and parse_file("session.yaml", session, SessionRecord).state == "ENDED"
        return StoryProgress(finished=ended)

    def check_edit(self, files: Version, path: str, turn: int) -> None:
        if path:
            yaml.load(files.need(path), path)
        if (number := turn_of(path)) is not None:
            read_events(files, number, number)
        if self.read(files).session.prompt_index != turn:
            raise SaveError(f"The prompt in session.yaml must be {turn}. Use undo to go back.")


CHAPTERS = DirectCodec()


def codec_of(info: SaveInfo) -> Codec[Any]:
    return GAMES if info.mode == "play" else CHAPTERS


def read_events(files: Version, first: int, last: int) -> Events:
    """Events of prompts `first` to `last`, inclusive."""
    prompts = (read_file(files, turn_path(number), Prompted) for number in range(first, last + 1))
    return tuple(event for prompted in prompts for event in prompted.events)


def _newest(files: Version, session: SessionRecord) -> Events:
    needed = min(session.last_summarized_prompt_index, session.prompt_index - CHUNK)
    events: list[LogEvent] = []
    size = 0
    for number in range(session.prompt_index, 0, -1):
        if number <= needed and size > TRANSCRIPT_LIMIT:
            break
        newest = read_events(files, number, number)
        size += sum(len(event.text) for event in newest)
        events[:0] = newest
    return tuple(events)


def _all(files: Version, folder: str, kind: type[V]) -> tuple[V, ...]:
    return tuple(read_file(files, f"{folder}/{name}", kind) for name in files.names(folder))


def _parts(state: DirectGame) -> dict[str, Value]:
    folded = {"folded.yaml": state.folded} if state.folded else {}
    return {
        "save.yaml": state.info,
        "session.yaml": state.session,
        "setup.yaml": state.setup,
        "voice.yaml": ChapterVoice(text=state.voice),
        **folded,
        **{f"blocks/{place:04d}.yaml": block for place, block in enumerate(state.blocks)},
        **{f"drafts/{place:04d}.yaml": draft for place, draft in enumerate(state.drafts)},
    }


def _record(state: DirectGame, info: SaveInfo) -> SessionRecord:
    return state.session.model_copy(update={"session_id": info.id})
