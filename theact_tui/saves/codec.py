"""What a save has to know of the state it keeps: the `Codec` of each mode, and that of played games.

No disk and no git here: contents by path in, contents by path out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from theact_tui import yaml
from theact_tui.errors import SaveError, UsageError
from theact_tui.saves.old_turns import upgraded
from theact_tui.story.base import Value
from theact_tui.story.game import Game, Recap, SaveInfo, State, needed_turns
from theact_tui.story.lore import LoreEntry
from theact_tui.story.memory import CellsMemory, FactsMemory, Memory
from theact_tui.story.moments import Moment
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, World
from theact_tui.story.perception import refitted
from theact_tui.story.script import Script
from theact_tui.story.turn import Turn
from theact_tui.text import is_slug, one_line
from theact_tui.yaml import line_of

if TYPE_CHECKING:
    from theact_tui.saves.trees import Version

T = TypeVar("T")
Contents: TypeAlias = "dict[str, bytes | None]"
"""New contents by path; None removes the file."""
Mode: TypeAlias = Literal["play", "direct"]

MAX_TURNS = 100_000
"""Turns that may wait for their summary."""
FORMAT = 1
"""The version of the format of saves."""


class TooNew(SaveError):
    """A newer version of the program made this save."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a story or a chapter has come."""

    chapter: str = ""
    """Title of the chapter it is in."""
    line: str = ""
    """The last thing told; empty if the message of its commit says it."""
    finished: bool = False


class Keepable(Protocol):
    """A state that a save can keep."""

    @property
    def info(self) -> SaveInfo: ...


K = TypeVar("K", bound=Keepable)


class Codec(Protocol[K]):
    """Turns the state of one mode into files and back. A turn is what undo and takes count: in direct mode, a prompt."""

    mode: Mode
    word: str
    """Begins the message of the commit that makes a turn."""

    def read(self, files: Version) -> K:
        """The state in `files`. SaveError if a file is missing or wrong."""

    def changed_files(self, state: K, before: K | None = None, turns: Iterable[Turn] = ()) -> Contents:
        """The files that differ from those of `before` (None: all files), and those of edited earlier `turns`."""

    def turn(self, state: K) -> int:
        """The number of the last turn."""

    def line(self, state: K) -> str:
        """What the message of the commit that made the last turn says."""

    def told(self, files: Version, turn: int) -> Any:
        """What a turn holds."""

    def said(self, files: Version, turn: int) -> str:
        """What the player wrote to get a turn, where the message of its commit does not say it."""

    def named(self, state: K, info: SaveInfo) -> K:
        """`state` under the title and id that the save has now."""

    def progress(self, files: Version) -> Progress:
        """How far the state in `files` has come, without reading all of it."""

    def check_edit(self, files: Version, path: str, turn: int) -> None:
        """SaveError, with the line, where `files` would not load at `turn` after an edit of `path` (empty: of several)."""


def turn_path(number: int) -> str:
    """Where turn `number` is kept: 100 to a folder, so that no folder grows."""
    return f"turns/{number // 100:04d}/{number % 100:02d}.yaml"


def turn_of(path: str) -> int | None:
    """The number of the turn that is kept at `path`, if one is."""
    match = re.fullmatch(r"turns/(\d{4})/(\d{2})\.yaml", path)
    return int(match[1] + match[2]) if match else None


# --- game to files ----------------------------------------------------------------------------------------------


class GameCodec:
    """Played games. What its methods guarantee is said in `Codec`."""

    mode: Mode = "play"
    word = "Turn"

    def read(self, files: Version) -> Game:
        """The game in `files`, with the turns its prompts need. UsageError if they hold a directed chapter."""
        info = read_info(files)
        if info.mode == "direct":
            raise UsageError(f"'{info.title}' is a directed chapter, not a story: use 'direct' for it.")
        state = read_state(files)
        pack = read_pack(files)
        _check_state(state, pack)
        names = [name.removesuffix(".yaml") for name in files.names("memory") if name.endswith(".yaml")]
        memories = {name: read_file(files, f"memory/{name}.yaml", _MEMORY) for name in names}
        return Game(
            info=info,
            pack=pack,
            state=state,
            memories=memories,
            moments=read_file(files, "moments.yaml", _MOMENTS),
            recaps=read_file(files, "summaries.yaml", _RECAPS),
            turns={number: read_turn(files, number) for number in needed_turns(state)},
        )

    def changed_files(self, state: Game, before: Game | None = None, turns: Iterable[Turn] = ()) -> Contents:
        since = before.state.turn if before else 0
        # a turn changes with later ones: who had left in a reply, and who heard it, may be known only then
        old_turns = before.turns if before else {}
        new_turns = [
            turn
            for number, turn in state.turns.items()
            if before is None or number > since or (number in old_turns and turn != old_turns[number])
        ]
        files: Contents = {turn_path(turn.number): yaml.dump(data_of(turn)) for turn in (*new_turns, *turns)}
        if before is None or state.pack != before.pack:
            files |= changed(pack_files(state.pack), pack_files(before.pack) if before else {}, bytes)
        return files | changed(_parts(state), _parts(before) if before else {}, dump)

    def turn(self, state: Game) -> int:
        return state.state.turn

    def line(self, state: Game) -> str:
        """The narration, or what the player wrote, or the first words of a turn that has neither."""
        turn = state.last_turn if state.state.turn else None
        if turn is None:
            return state.info.title
        first = next((entry.text for entry in turn.entries), "")
        return one_line(turn.narration) or turn.player_text or one_line(first)

    def told(self, files: Version, turn: int) -> Turn:
        return read_turn(files, turn)

    def said(self, files: Version, turn: int) -> str:
        return read_turn(files, turn).player_text if turn else ""

    def named(self, state: Game, info: SaveInfo) -> Game:
        return replace(state, info=info)

    def progress(self, files: Version) -> Progress:
        """The chapter, the last thing told, and whether the game is complete."""
        state = read_state(files)
        title = read_file(files, f"pack/chapters/{state.chapter}.yaml", Chapter).title
        entries = read_turn(files, state.turn).told if state.turn else ()
        return Progress(title, one_line(entries[-1].text, 200) if entries else "", state.game_complete)

    def check_edit(self, files: Version, path: str, turn: int) -> None:
        """SaveError where the game would not load, or the edited turn itself would not."""
        if (number := turn_of(path)) is not None:
            read_turn(files, number)
        at = self.read(files).state.turn
        if at != turn:
            raise SaveError(f"The turn in state.yaml must be {turn}. Use undo to go back.")


GAMES = GameCodec()


def changed(after: Mapping[str, T], before: Mapping[str, T], dump: Callable[[T], bytes]) -> Contents:
    """The files whose values differ from those `before`, by path; None for those that are gone."""
    files: Contents = {path: None for path in before if path not in after}
    return files | {
        path: dump(value) for path, value in after.items() if path not in before or value != before[path]
    }


def _parts(game: Game) -> dict[str, Value | tuple[Value, ...]]:
    """What changes from turn to turn, by path."""
    return {
        "save.yaml": game.info,
        "state.yaml": game.state,
        "moments.yaml": game.moments,
        "summaries.yaml": game.recaps,
        **{f"memory/{_name(id)}.yaml": memory for id, memory in game.memories.items()},
    }


def dump(value: Value | tuple[Value, ...]) -> bytes:
    """The content of a file, with all fields of the value."""
    return yaml.dump(_plain(value, whole=True))


def pack_files(pack: Pack, *, check: bool = True) -> dict[str, bytes]:
    """The pack as files of the plain form that `content/` has too, below `pack/`. `check` as in `yaml.dump`, for lore."""
    files = {
        "pack/game.yaml": yaml.dump(data_of(pack.game)),
        "pack/world.yaml": yaml.dump(data_of(pack.world)),
    }
    for id, character in pack.characters.items():
        files[f"pack/characters/{_name(id)}.yaml"] = yaml.dump(data_of(character))
    for id, chapter in pack.chapters.items():
        files[f"pack/chapters/{_name(id)}.yaml"] = yaml.dump(data_of(chapter))
    for book, entries in pack.lore.items():
        files[f"pack/lore/{_name(book)}.yaml"] = yaml.dump([data_of(entry) for entry in entries], check=check)
    for agent, template in pack.prompts.items():
        files[f"pack/prompts/{_name(agent)}.txt"] = template.encode(errors="replace")
    if pack.script != Script():
        files["pack/storyteller.yaml"] = yaml.dump(data_of(pack.script))
    return files


_LATER = frozenset(
    "lore_known steering moments_through gates chapter_set reflection edited unremembered woken stopped known_as "
    "Fact.kind summary_edited told_early came_back completion_said".split()
)
"""Fields that came after the first saves: left out while they are unused, so that those stay as they are."""


def data_of(value: Value, *, whole: bool = False) -> dict[str, yaml.Data]:
    """`value` as plain data. Unless `whole`, optional fields that are empty are left out."""
    data: dict[str, yaml.Data] = {}
    for name, field in type(value).model_fields.items():
        content = getattr(value, name)
        if not _LATER.isdisjoint((name, f"{type(value).__name__}.{name}")) and content == field.get_default():
            continue
        if not whole and content in (None, "", (), {}) and content == field.get_default():
            continue
        data[name] = _plain(content, whole=whole)
    return data


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

_MEMORY: TypeAdapter[FactsMemory | CellsMemory] = TypeAdapter(Memory)
_MOMENTS = TypeAdapter(tuple[Moment, ...])
_LORE = TypeAdapter(tuple[LoreEntry, ...])
_RECAPS = TypeAdapter(tuple[Recap, ...])


def read_info(files: Version) -> SaveInfo:
    """`save.yaml`. SaveError if a newer version of the program wrote it."""
    raw = files.need("save.yaml")
    data = yaml.load(raw, "save.yaml")
    version = data.get("format") if isinstance(data, dict) else None
    if not isinstance(version, int):
        raise SaveError("save.yaml has no format number.")
    if version > FORMAT:
        raise TooNew("This save was made by a newer version of theact-tui. Update the program to open it.")
    if version < FORMAT:
        raise SaveError(f"This save has format {version}, which this version cannot read.")
    return parse("save.yaml", raw, SaveInfo)


def read_state(files: Version) -> State:
    """`state.yaml`."""
    return read_file(files, "state.yaml", State)


def read_turn(files: Version, number: int) -> Turn:
    path = turn_path(number)
    turn = _parse_turn(path, files.need(path))
    if turn.number != number:
        raise SaveError(f"{path} contains turn {turn.number} instead of {number}.")
    return turn


@lru_cache(maxsize=512)
def _parse_turn(path: str, raw: bytes) -> Turn:
    """The turn in a file's content; recent ones are kept, for prompts ask for the same ones again and again."""
    return refitted(_validated(path, raw, upgraded(yaml.load(raw, path)), TypeAdapter(Turn)))


def read_pack(files: Version) -> Pack:
    """The pack as it was when the game began, checked like any other: a save may have been made by somebody else. One
    that is just being edited is checked where it is taken over."""
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
"""By the id of the folder they were read from: the same id is the same pack."""


def _check_state(state: State, pack: Pack) -> None:
    """SaveError where the state names what the pack does not have, or needs more turns than a story keeps at hand."""
    chapters = (state.chapter, *(past.chapter for past in state.chapter_history))
    people = (*state.present, *state.held, *(work.character for work in state.pending))
    lost = [id for id in chapters if id not in pack.chapters]
    lost += [id for id in people if id is not None and id not in pack.characters]
    if lost:
        raise SaveError(f"state.yaml: there is no '{lost[0]}' in the pack of this save.")
    if state.turn - state.last_summarized_turn > MAX_TURNS:
        raise SaveError("state.yaml refers to more turns than the save has.")


def _read_pack(files: Version) -> Pack:
    def each(folder: str, ids: tuple[str, ...], kind: type[T]) -> dict[str, T]:
        return {id: read_file(files, f"pack/{folder}/{_name(id)}.yaml", kind) for id in ids}

    game = read_file(files, "pack/game.yaml", GameInfo)
    has_script = files.read("pack/storyteller.yaml") is not None
    prompts = {name.removesuffix(".txt"): f"pack/prompts/{name}" for name in files.names("pack/prompts")}
    return Pack(
        game=game,
        world=read_file(files, "pack/world.yaml", World),
        characters=each("characters", game.characters, Character),
        chapters=each("chapters", game.chapters, Chapter),
        script=read_file(files, "pack/storyteller.yaml", Script) if has_script else Script(),
        lore={
            name.removesuffix(".yaml"): read_file(files, f"pack/lore/{name}", _LORE)
            for name in files.names("pack/lore")
            if name.endswith(".yaml")
        },
        prompts={agent: files.need(path).decode(errors="replace") for agent, path in prompts.items()},
    )


def read_file(files: Version, path: str, kind: type[T] | TypeAdapter[T]) -> T:
    """The value in a file. SaveError if there is none."""
    return parse(path, files.need(path), kind)


def parse(path: str, raw: bytes, kind: type[T] | TypeAdapter[T]) -> T:
    """The value in a file's content. SaveError naming file, line and field if it is not one."""
    adapter: TypeAdapter[T] = kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)
    return _validated(path, raw, yaml.load(raw, path), adapter)


def _validated(path: str, raw: bytes, data: Any, adapter: TypeAdapter[T]) -> T:
    try:
        return adapter.validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "it"
        line = line_of(raw, first["loc"])
        reason = (
            f"unknown field '{where}'" if first["type"] == "extra_forbidden" else f"{where}: {first['msg']}"
        )
        raise SaveError(f"{path} is invalid, line {line}: {reason}.") from error
