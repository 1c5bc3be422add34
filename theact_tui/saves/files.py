"""A game as files, and files as a game (S9). No disk and no git here: contents by path in, contents by path out."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from theact_tui.errors import SaveError, UsageError
from theact_tui.saves import yaml
from theact_tui.saves.migrate import FORMAT, format_of, upgrade
from theact_tui.saves.places import line_of
from theact_tui.story.base import Value
from theact_tui.story.game import Game, Recap, SaveInfo, State, needed_turns
from theact_tui.story.memory import CellsMemory, FactsMemory, Memory
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, World
from theact_tui.story.script import Script
from theact_tui.story.turn import Moment, Turn
from theact_tui.text import is_slug

T = TypeVar("T")
Contents = dict[str, bytes | None]


class Files(Protocol):
    """One version of a save's files, such as `trees.Version`."""

    def read(self, path: str) -> bytes | None: ...
    def need(self, path: str) -> bytes: ...
    def names(self, folder: str) -> tuple[str, ...]: ...
    def folder(self, path: str) -> str | None: ...


def turn_path(number: int) -> str:
    """Where turn `number` is kept: 100 to a folder, so that no folder grows."""
    return f"turns/{number // 100:04d}/{number % 100:02d}.yaml"


# --- game to files ----------------------------------------------------------------------------------------------


def changed_files(game: Game, before: Game | None = None, turns: Iterable[Turn] = ()) -> Contents:
    """The files that differ from those of `before` (None: all files), and those of `turns`."""
    files: Contents = {turn_path(turn.number): yaml.dump(data_of(turn)) for turn in turns}
    if before is None:
        files |= pack_files(game.pack)
    if before is None or game.info != before.info:
        files["save.yaml"] = info_file(game.info)
    if before is None or game.state != before.state:
        files["state.yaml"] = yaml.dump(data_of(game.state, whole=True))
    if before is None or game.moments != before.moments:
        files["moments.yaml"] = yaml.dump([data_of(moment, whole=True) for moment in game.moments])
    if before is None or game.recaps != before.recaps:
        files["summaries.yaml"] = yaml.dump([data_of(recap, whole=True) for recap in game.recaps])
    old = before.memories if before else {}
    for id, memory in game.memories.items():
        if memory != old.get(id):
            files[f"memory/{_name(id)}.yaml"] = yaml.dump(data_of(memory, whole=True))
    for id in old.keys() - game.memories.keys():
        files[f"memory/{_name(id)}.yaml"] = None
    return files


def info_file(info: SaveInfo) -> bytes:
    """The content of `save.yaml`."""
    return yaml.dump(data_of(info, whole=True))


def pack_files(pack: Pack) -> Contents:
    """The pack as files of the plain form that `content/` has too, below `pack/`."""
    files: Contents = {
        "pack/game.yaml": yaml.dump(data_of(pack.game)),
        "pack/world.yaml": yaml.dump(data_of(pack.world)),
    }
    for id, character in pack.characters.items():
        files[f"pack/characters/{_name(id)}.yaml"] = yaml.dump(data_of(character))
    for id, chapter in pack.chapters.items():
        files[f"pack/chapters/{_name(id)}.yaml"] = yaml.dump(data_of(chapter))
    for agent, template in pack.prompts.items():
        files[f"pack/prompts/{_name(agent)}.txt"] = template.encode(errors="replace")
    if pack.script != Script():
        files["pack/storyteller.yaml"] = yaml.dump(data_of(pack.script))
    return files


def data_of(value: Value, *, whole: bool = False) -> dict[str, yaml.Data]:
    """`value` as plain data. Unless `whole`, optional fields that are empty are left out."""
    data: dict[str, yaml.Data] = {}
    for name, field in type(value).model_fields.items():
        content = getattr(value, name)
        if not whole and content in (None, "", (), {}) and content == field.get_default():
            continue
        data[name] = _plain(content, whole)
    return data


def _plain(content: Any, whole: bool) -> yaml.Data:
    match content:
        case Value():
            return data_of(content, whole=whole)
        case tuple():
            return [_plain(part, whole) for part in content]
        case dict():
            return {str(key): _plain(part, whole) for key, part in content.items()}
        case None | bool() | int() | float() | str():
            return content
    raise TypeError(f"{type(content).__name__} has no place in a save")


def _name(id: str) -> str:
    if not is_slug(id):
        raise UsageError(f"'{id}' cannot be the name of a file: use small letters, digits, '-' and '_'.")
    return id


# --- files to game ----------------------------------------------------------------------------------------------

_MEMORY: TypeAdapter[FactsMemory | CellsMemory] = TypeAdapter(Memory)
_MOMENTS = TypeAdapter(tuple[Moment, ...])
_RECAPS = TypeAdapter(tuple[Recap, ...])


def read_game(files: Files) -> Game:
    """The game in `files`, with the turns its prompts need. SaveError if a file is missing or wrong, UsageError if they
    hold a directed chapter."""
    format = read_format(files)
    info = read_info(files, format)
    if info.mode == "direct":
        raise UsageError(
            f"'{info.title}' is a directed chapter, not a story to be played: use 'direct' for it."
        )
    state = read_state(files, format)
    memories = {
        name.removesuffix(".yaml"): _read(files, f"memory/{name}", _MEMORY, format)
        for name in files.names("memory")
        if name.endswith(".yaml")
    }
    return Game(
        info=info,
        pack=read_pack(files, format),
        state=state,
        memories=memories,
        moments=_read(files, "moments.yaml", _MOMENTS, format),
        recaps=_read(files, "summaries.yaml", _RECAPS, format),
        turns={number: read_turn(files, number, format) for number in needed_turns(state)},
    )


def read_format(files: Files) -> int:
    """The version of the format that `files` are in. SaveError if a newer version of the program wrote them."""
    return format_of(yaml.load(files.need("save.yaml"), "save.yaml"))


def read_info(files: Files, format: int = FORMAT) -> SaveInfo:
    """`save.yaml`."""
    return parse("save.yaml", files.need("save.yaml"), SaveInfo, format)


def read_state(files: Files, format: int = FORMAT) -> State:
    """`state.yaml`."""
    return parse("state.yaml", files.need("state.yaml"), State, format)


def read_turn(files: Files, number: int, format: int = FORMAT) -> Turn:
    """Turn `number`."""
    path = turn_path(number)
    turn = parse_turn(path, files.need(path), format)
    if turn.number != number:
        raise SaveError(f"{path} holds turn {turn.number} instead of {number}.")
    return turn


@lru_cache(maxsize=512)
def parse_turn(path: str, raw: bytes, format: int) -> Turn:
    """The turn in a file's content; recent ones are kept, for prompts ask for the same ones again and again."""
    return parse(path, raw, Turn, format)


def read_pack(files: Files, format: int = FORMAT) -> Pack:
    """The pack as it was when the game began."""
    id = files.folder("pack")
    if id is None or (pack := _packs.get(id)) is None:
        pack = _read_pack(files, format)
    if id is not None:
        if len(_packs) > 8:
            _packs.clear()
        _packs[id] = pack
    return pack


_packs: dict[str, Pack] = {}
"""By the id of the folder they were read from: the same id is the same pack."""


def _read_pack(files: Files, format: int) -> Pack:
    def each(folder: str, ids: tuple[str, ...], kind: type[T]) -> dict[str, T]:
        return {id: _read(files, f"pack/{folder}/{_name(id)}.yaml", kind, format) for id in ids}

    game = _read(files, "pack/game.yaml", GameInfo, format)
    has_script = files.read("pack/storyteller.yaml") is not None
    prompts = {name.removesuffix(".txt"): f"pack/prompts/{name}" for name in files.names("pack/prompts")}
    return Pack(
        game=game,
        world=_read(files, "pack/world.yaml", World, format),
        characters=each("characters", game.characters, Character),
        chapters=each("chapters", game.chapters, Chapter),
        script=_read(files, "pack/storyteller.yaml", Script, format) if has_script else Script(),
        prompts={agent: files.need(path).decode(errors="replace") for agent, path in prompts.items()},
    )


def _read(files: Files, path: str, kind: type[T] | TypeAdapter[T], format: int) -> T:
    return parse(path, files.need(path), kind, format)


def parse(path: str, raw: bytes, kind: type[T] | TypeAdapter[T], format: int = FORMAT) -> T:
    """The value in a file's content. SaveError naming file, line and field if it is not one."""
    data = upgrade(path, yaml.load(raw, path), format)
    adapter: TypeAdapter[T] = kind if isinstance(kind, TypeAdapter) else TypeAdapter(kind)
    try:
        return adapter.validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "it"
        line = line_of(raw, first["loc"])
        reason = (
            f"'{where}' is not known here"
            if first["type"] == "extra_forbidden"
            else f"{where}: {first['msg']}"
        )
        raise SaveError(f"{path} is not as it should be, line {line}: {reason}.") from error
