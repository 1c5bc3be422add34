"""Codecs: states to files and back, by mode."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from theact_tui import yaml
from theact_tui.errors import SaveError, UsageError
from theact_tui.field_errors import field_message, quoted
from theact_tui.saves.trees import Version
from theact_tui.story.game import Game, Recap, SaveInfo, State, needed_turns
from theact_tui.story.lore import LoreEntry
from theact_tui.story.memory import CellsMemory, FactsMemory, Memory
from theact_tui.story.moments import Moment
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, World
from theact_tui.story.recut import recut_from_file
from theact_tui.story.script import Script
from theact_tui.story.turn import Turn
from theact_tui.story.value import Value
from theact_tui.text import flat, is_slug, one_line
from theact_tui.yaml import line_of

T = TypeVar("T")
Contents: TypeAlias = "dict[str, bytes | None]"
"""New contents by path; None removes the file."""
Mode: TypeAlias = Literal["play", "direct"]

_MAX_TURNS = 100_000
_FORMAT = 1


class TooNew(SaveError):
    pass


@dataclass(frozen=True, slots=True)
class StoryProgress:
    chapter: str = ""
    line: str = ""
    """Last line; empty if its commit's message has it."""
    finished: bool = False


class Keepable(Protocol):
    @property
    def info(self) -> SaveInfo: ...


K = TypeVar("K", bound=Keepable)


class Codec(Protocol[K]):
    """Converts one mode's state. A turn is the unit of undo; in direct mode it is a prompt."""

    mode: Mode
    word: str
    """First word of a turn's commit message."""

    def read(self, files: Version) -> K:
        """Raises SaveError."""

    def changed_files(self, state: K, before: K | None = None, turns: Iterable[Turn] = ()) -> Contents:
        """Files that differ from `before` (None: all), and those of edited `turns`."""

    def turn(self, state: K) -> int: ...

    def line(self, state: K) -> str: ...

    def story(self, state: K) -> Game:
        """Return `state` as a story, for reading."""

    def turn_content(self, files: Version, turn: int) -> Turn: ...

    def player_text(self, files: Version, turn: int) -> str:
        """The player's text of a turn, if its commit's message lacks it."""

    def named(self, state: K, info: SaveInfo) -> K: ...

    def progress(self, files: Version) -> StoryProgress:
        """Read how far the state has come, without reading all of it."""

    def check_edit(self, files: Version, path: str, turn: int) -> None:
        """Raise SaveError with the line if `files` would not load at `turn` after an edit of `path` (empty: of several)."""


def turn_path(number: int) -> str:
    return f"turns/{number // 100:04d}/{number % 100:02d}.yaml"


def turn_of(path: str) -> int | None:
    match = re.fullmatch(r"turns/(\d{4})/(\d{2})\.yaml", path)
    return int(match[1] + match[2]) if match else None


# --- game to files ----------------------------------------------------------------------------------------------


class GameCodec:
    mode: Mode = "play"
    word = "Turn"

    def read(self, files: Version) -> Game:
        """Read a game with the turns its prompts need. Raises UsageError for a directed chapter."""
        info = read_info(files)
        if info.mode == "direct":
            raise UsageError(f"'{info.title}' is a directed chapter, not a story: use 'direct' for it.")
        state = read_state(files)
        pack = read_pack(files)
        _check_state(state, pack)
        names = [name.removesuffix(".yaml") for name in files.names("memory") if name.endswith(".yaml")]
        memories = {name: read_file(files, f"memory/{name}.yaml", MEMORY) for name in names}
        return Game(
            info=info,
            pack=pack,
            state=state,
            memories=memories,
            moments=read_file(files, "moments.yaml", MOMENTS),
            recaps=read_file(files, "summaries.yaml", _RECAPS),
            turns={number: read_turn(files, number) for number in needed_turns(state)},
        )

    def changed_files(
        self, state: Game, before: Game | None = None, turns: Iterable[Turn] = (), *, check: bool = True
    ) -> Contents:
        """`check` as in `yaml.dump`."""
        since = before.state.turn if before else 0
        # a turn changes with later ones: who had left in a reply, and who heard it, may be known only then
        old_turns = before.turns if before else {}
        new_turns = [
            turn
            for number, turn in state.turns.items()
            if before is None or number > since or (number in old_turns and turn != old_turns[number])
        ]
        new_turns += [turn for turn in turns if turn != old_turns.get(turn.number)]
        files: Contents = {
            turn_path(turn.number): yaml.dump(data_of(turn), check=check) for turn in new_turns
        }
        if before is None or state.pack != before.pack:
            files |= changed(pack_files(state.pack), pack_files(before.pack) if before else {}, bytes)
        parts = _parts(state), _parts(before) if before else {}
        return files | changed(*parts, partial(dump_value, check=check))

    def turn(self, state: Game) -> int:
        return state.state.turn

    def line(self, state: Game) -> str:
        turn = state.last_turn if state.state.turn else None
        if turn is None:
            return state.info.title
        first = next((entry.text for entry in turn.entries), "")
        return one_line(turn.narration) or turn.player_text or one_line(first)

    def story(self, state: Game) -> Game:
        return state

    def turn_content(self, files: Version, turn: int) -> Turn:
        return read_turn(files, turn)

    def player_text(self, files: Version, turn: int) -> str:
        return read_turn(files, turn).player_text if turn else ""

    def named(self, state: Game, info: SaveInfo) -> Game:
        return replace(state, info=info)

    def progress(self, files: Version) -> StoryProgress:
        state = read_state(files)
        title = read_file(files, f"pack/chapters/{state.chapter}.yaml", Chapter).title
        entries = read_turn(files, state.turn).ordered_entries if state.turn else ()
        line = flat(entries[-1].text) if entries else ""
        # cut in mid-word, as `branches --json` always has
        return StoryProgress(
            title, line if len(line) <= 200 else f"{line[:199].rstrip()}…", state.game_complete
        )

    def check_edit(self, files: Version, path: str, turn: int) -> None:
        if (number := turn_of(path)) is not None:
            read_turn(files, number)
        at = self.read(files).state.turn
        if at != turn:
            raise SaveError(f"The turn in state.yaml must be {turn}. Use undo to go back.")


GAMES = GameCodec()


def changed(after: Mapping[str, T], before: Mapping[str, T], dump: Callable[[T], bytes]) -> Contents:
    """Changed files by path; None for removed ones."""
    files: Contents = {path: None for path in before if path not in after}
    return files | {
        path: dump(value) for path, value in after.items() if path not in before or value != before[path]
    }


def _parts(game: Game) -> dict[str, Value | tuple[Value, ...]]:
    return {
        "save.yaml": game.info,
        "state.yaml": game.state,
        "moments.yaml": game.moments,
        "summaries.yaml": game.recaps,
        **{f"memory/{_name(id)}.yaml": memory for id, memory in game.memories.items()},
    }


def dump_value(value: Value | tuple[Value, ...], *, check: bool = True) -> bytes:
    return yaml.dump(_plain(value, whole=True), check=check)


def pack_files(pack: Pack, *, check: bool = True) -> dict[str, bytes]:
    """Pack as files like those of `content/`, below `pack/`. `check` as in `yaml.dump`."""
    parts: dict[str, Value] = {"game": pack.game, "world": pack.world}
    parts |= {f"characters/{_name(id)}": character for id, character in pack.characters.items()}
    parts |= {f"chapters/{_name(id)}": chapter for id, chapter in pack.chapters.items()}
    parts |= {"storyteller": pack.script} if pack.script != Script() else {}
    files = {f"pack/{name}.yaml": yaml.dump(data_of(part)) for name, part in parts.items()}
    for book, entries in pack.lore.items():
        files[f"pack/lore/{_name(book)}.yaml"] = yaml.dump([data_of(entry) for entry in entries], check=check)
    for agent, template in pack.prompts.items():
        files[f"pack/prompts/{_name(agent)}.txt"] = template.encode(errors="replace")
    return files


def data_of(value: Value, *, whole: bool = False) -> dict[str, yaml.Data]:
    """Plain data; without empty optional fields unless `whole`."""
    return {
        name: _plain(content, whole=whole)
        for name, field in type(value).model_fields.items()
        if (content := getattr(value, name)) or whole or content != field.get_default()
    }


def _plain(content: Any, *, whole: bool) -> yaml.Data:
    match content:
        case Value():
            return data_of(content, whole=whole)
        case tuple() | list():
            return [_plain(part, whole=whole) for part in content]
        case dict():
            return {str(key): _plain(part, whole=whole) for key, part in content.items()}
        case None | bool() | int() | float() | str():
            return content
    raise TypeError(f"{type(content).__name__} cannot be stored in a save")


def _name(id: str) -> str:
    if not is_slug(id):
        raise UsageError(f"'{id}' is not a valid file name. Use lower-case letters, digits, '-' and '_'.")
    return id


# --- files to game ----------------------------------------------------------------------------------------------

MEMORY: TypeAdapter[FactsMemory | CellsMemory] = TypeAdapter(Memory)
MOMENTS = TypeAdapter(tuple[Moment, ...])
LORE = TypeAdapter(tuple[LoreEntry, ...])
_RECAPS = TypeAdapter(tuple[Recap, ...])


def read_info(files: Version) -> SaveInfo:
    """Raises SaveError for a newer version."""
    raw = files.need("save.yaml")
    data = yaml.load(raw, "save.yaml")
    version = data.get("format") if isinstance(data, dict) else None
    if not isinstance(version, int):
        raise SaveError("save.yaml has no format number.")
    if version > _FORMAT:
        raise TooNew("This save was made by a newer version of theact-tui. Update the program to open it.")
    if version < _FORMAT:
        raise SaveError(f"This save has format {version}, which this version cannot read.")
    return parse_file("save.yaml", raw, SaveInfo)


def read_state(files: Version) -> State:
    return read_file(files, "state.yaml", State)


def read_turn(files: Version, number: int) -> Turn:
    path = turn_path(number)
    turn = _parse_turn(path, files.need(path))
    if turn.number != number:
        raise SaveError(f"{path} contains turn {turn.number} instead of {number}.")
    return turn


@lru_cache(maxsize=512)
def _parse_turn(path: str, raw: bytes) -> Turn:
    return recut_from_file(parse_file(path, raw, Turn))


def read_pack(files: Version) -> Pack:
    """Read and validate the game's pack; one being edited is validated when applied."""
    id = files.folder("pack")
    if id is None:
        return _read_pack(files)
    if id not in _packs:
        from theact_tui.packs.loader import errors_of

        pack = _read_pack(files)
        if errors := errors_of(pack):
            raise SaveError(f"The pack of this save cannot be played. pack/{errors[0]}.")
        if len(_packs) > 8:
            _packs.clear()
        _packs[id] = pack
    return _packs[id]


_packs: dict[str, Pack] = {}
"""By id of the folder."""


def _check_state(state: State, pack: Pack) -> None:
    """Raise SaveError for ids the pack lacks, or too many open turns."""
    chapters = (state.chapter, *(past.chapter for past in state.chapter_history))
    people = (*state.present, *state.held, *(work.character for work in state.pending))
    lost = [id for id in chapters if id not in pack.chapters]
    lost += [id for id in people if id is not None and id not in pack.characters]
    if lost:
        raise SaveError(f"state.yaml: there is no '{lost[0]}' in the pack of this save.")
    if state.turn - state.last_summarized_turn > _MAX_TURNS:
        raise SaveError("state.yaml refers to more turns than the save has.")


def _read_pack(files: Version) -> Pack:
    def each(folder: str, ids: tuple[str, ...], kind: type[T]) -> dict[str, T]:
        return {id: read_file(files, f"pack/{folder}/{_name(id)}.yaml", kind) for id in ids}

    game = read_file(files, "pack/game.yaml", GameInfo)
    path = "pack/storyteller.yaml"
    prompts = {name.removesuffix(".txt"): f"pack/prompts/{name}" for name in files.names("pack/prompts")}
    return Pack(
        game=game,
        world=read_file(files, "pack/world.yaml", World),
        characters=each("characters", game.characters, Character),
        chapters=each("chapters", game.chapters, Chapter),
        script=read_file(files, path, Script) if files.read(path) is not None else Script(),
        lore={
            name.removesuffix(".yaml"): read_file(files, f"pack/lore/{name}", LORE)
            for name in files.names("pack/lore")
            if name.endswith(".yaml")
        },
        prompts={agent: files.need(path).decode(errors="replace") for agent, path in prompts.items()},
    )


def read_file(files: Version, path: str, kind: type[T] | TypeAdapter[T]) -> T:
    return parse_file(path, files.need(path), kind)


def parse_file(path: str, raw: bytes, kind: type[T] | TypeAdapter[T]) -> T:
    """Raises SaveError naming file, line and field."""
    data = yaml.load(raw, path)
    adapter: TypeAdapter[T] = kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)
    try:
        return adapter.validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        line = line_of(raw, first["loc"])
        reason = field_message(kind, first, quoted(where) if where else "it")
        raise SaveError(f"{path} is invalid, line {line}: {reason}.") from error
