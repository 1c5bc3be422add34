"""What users, scripts and other programs rely on, as text. Written to `tests/contracts`.

One file for each kind of contract. Nothing in them depends on a path, a version, a terminal or the time.
"""

import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import MISSING, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import click
from pydantic import TypeAdapter

from theact_tui import errors
from theact_tui.agents.prompts import PLACEHOLDERS, REQUIRED
from theact_tui.authoring.draft import DraftInfo
from theact_tui.cli import main, theact
from theact_tui.engine.commands import COMMANDS
from theact_tui.engine.events import Event
from theact_tui.lab.plan import Plan
from theact_tui.lab.scenarios import Scenario
from theact_tui.models.settings import Settings
from theact_tui.parsing.forms import MODELS, json_schema
from theact_tui.parsing.types import ReplyContext
from theact_tui.story.direct.records import (
    ChapterDraft,
    ChapterVoice,
    Folded,
    MemoryBlock,
    Prompted,
    SessionRecord,
    Setup,
)
from theact_tui.story.game import Recap, SaveInfo, Spoken, State
from theact_tui.story.lore import LoreEntry
from theact_tui.story.memory import Memory
from theact_tui.story.moments import Moment
from theact_tui.story.pack import Chapter, Character, GameInfo, World
from theact_tui.story.script import Script
from theact_tui.story.turn import Turn
from theact_tui.story.typed import Typed
from theact_tui.tui.keymap import every_act

FOLDER = Path(__file__).parents[1] / "contracts"
LIMITS = ("minLength", "maxLength", "pattern", "minimum", "maximum", "minItems", "maxItems", "uniqueItems")
SAVE_FILES: Mapping[str, Any] = {
    "save.yaml": SaveInfo,
    "state.yaml": State,
    "turns/*/*.yaml": Turn,
    "memory/*.yaml": Memory,
    "moments.yaml": tuple[Moment, ...],
    "summaries.yaml": tuple[Recap, ...],
    ".git/theact/spoken.json": Spoken,
    ".git/theact/typed.json": Typed,
    "directed chapter: session.yaml": SessionRecord,
    "directed chapter: setup.yaml": Setup,
    "directed chapter: voice.yaml": ChapterVoice,
    "directed chapter: folded.yaml": Folded,
    "directed chapter: turns/*/*.yaml": Prompted,
    "directed chapter: blocks/*.yaml": MemoryBlock,
    "directed chapter: drafts/*.yaml": ChapterDraft,
}
PACK_FILES: Mapping[str, Any] = {
    "game.yaml": GameInfo,
    "world.yaml": World,
    "characters/*.yaml": Character,
    "chapters/*.yaml": Chapter,
    "lore/*.yaml": tuple[LoreEntry, ...],
    "storyteller.yaml": Script,
    "draft.yaml": DraftInfo,
}
CONTEXT = ReplyContext(active_characters={"ann": "Ann", "bob": "Bob"}, facts=("Bob has the key.",))
"""What forms are narrowed to."""


def fields_of(schema: Mapping[str, Any], defs: Mapping[str, Any], path: str) -> Iterator[str]:
    """Yield a line for each field below a schema: its path, type, limits and default."""
    schema = resolved(schema, defs)
    for choice in schema.get("anyOf", schema.get("oneOf", ())):
        yield from fields_of(choice, defs, path)
    for name, node in schema.get("properties", {}).items():
        below = f"{path}.{name}" if path else name
        limits = [f"{limit} {value}" for limit, value in limits_of(node, defs)]
        default = f" = {json.dumps(node['default'], ensure_ascii=False)}" if "default" in node else ""
        required = " required" if name in schema.get("required", ()) else ""
        yield f"{below}: {' '.join([type_of(node, defs), *limits])}{default}{required}"
        yield from fields_of(node, defs, below)
    if isinstance(schema.get("items"), Mapping):
        yield from fields_of(schema["items"], defs, f"{path}[]")
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield from fields_of(schema["additionalProperties"], defs, f"{path}.*")


def resolved(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Mapping[str, Any]:
    return defs[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def limits_of(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    schema = resolved(schema, defs)
    yield from ((limit, schema[limit]) for limit in LIMITS if limit in schema)
    for choice in schema.get("anyOf", ()):
        yield from limits_of(choice, defs)


def type_of(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    schema = resolved(schema, defs)
    if choices := schema.get("anyOf", schema.get("oneOf")):
        return " | ".join(type_of(choice, defs) for choice in choices)
    if "enum" in schema or "const" in schema:
        return " | ".join(map(json.dumps, schema.get("enum", [schema.get("const")])))
    if schema.get("type") == "array":
        items = schema.get("items") or {}
        return " ".join(
            ["array of", type_of(items, defs), *(f"{limit} {most}" for limit, most in limits_of(items, defs))]
        )
    return str(schema.get("type", "any"))


def files(models: Mapping[str, Any]) -> Iterator[str]:
    for file, model in models.items():
        schema = TypeAdapter(model).json_schema()
        yield f"# {file}"
        yield from dict.fromkeys(fields_of(schema, schema.get("$defs", {}), ""))
        yield ""


def commands(
    command: click.Command = theact, name: str = "theact-tui", parent: click.Context | None = None
) -> Iterator[str]:
    """Yield how a command and all below it are called: arguments, options, choices and defaults, without sentences."""
    context = click.Context(command, parent, name, **command.context_settings)
    yield f"# {context.command_path}"
    yield from (usage_of(parameter, context) for parameter in command.get_params(context))
    yield ""
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            if subcommand := command.get_command(context, below):
                yield from commands(subcommand, below, context)


def usage_of(parameter: click.Parameter, context: click.Context) -> str:
    names = ", ".join((*parameter.opts, *parameter.secondary_opts))
    if isinstance(parameter, click.Option):
        value = "" if parameter.is_flag or parameter.count else f" {parameter.make_metavar(context)}"
        usage = f"{names}{value}"
    else:
        usage = parameter.make_metavar(context)
    default = parameter.to_info_dict()["default"]
    shown = "" if default in (None, False, "") else f" = {default}"
    return f"{usage}{shown}{' required' if parameter.required else ''}{' ...' if parameter.multiple else ''}"


def exit_codes() -> Iterator[str]:
    for name, error in vars(errors).items():
        if isinstance(error, type) and issubclass(error, errors.TheActError):
            yield f"{name}: {error.exit_code}"


def forms() -> Iterator[str]:
    for agent in MODELS:
        yield f"# {agent}"
        yield from fields_of(json_schema(agent, CONTEXT) or {}, {}, "")
        yield ""


def events() -> Iterator[str]:
    shared = {field.name for field in fields(Event)}
    yield f"# every event: type {' '.join(field.name for field in fields(Event))}"
    for event in sorted(Event.__subclasses__(), key=lambda event: event.type):
        yield f"\n# {event.type}"
        for field in fields(event):
            if field.name not in shared:
                default = "" if field.default is MISSING else f" = {field.default!r}"
                kind = field.type if isinstance(field.type, str) else getattr(field.type, "__name__", "")
                kind = kind if kind and "[" not in str(field.type) else str(field.type)
                yield f"{field.name}: {kind.rpartition('typing.')[2]}{default}"


def keys() -> Iterator[str]:
    for keyed in every_act():
        act = keyed.act
        yield f"{act.id}: {act.key or f'leader {act.letter}'}"


def slash_commands() -> Iterator[str]:
    yield from (command.usage for command in COMMANDS.values())


def templates() -> Iterator[str]:
    for name, allowed in PLACEHOLDERS.items():
        needed = REQUIRED.get(name, frozenset())
        yield f"{name}: must have {listed(needed)}; may have {listed(allowed - needed)}"


def listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def shape_of(document: Any) -> Iterator[str]:
    """Yield the path and the types of each value in a JSON document; ids of characters and calls are `*`."""
    types: dict[str, set[str]] = {}
    for path, name in values_of(document):
        types.setdefault(path, set()).add(name)
    for path, names in types.items():
        is_filled = any(other.startswith((f"{path}.", f"{path}[")) for other in types)
        if shown := sorted(names - EMPTY if is_filled else names):
            yield f"{path}: {' | '.join(shown)}"


def values_of(document: Any, path: str = "") -> Iterator[tuple[str, str]]:
    match document:
        case dict() if document:
            for name, value in document.items():
                key = "*" if name in CHARACTERS or ":" in name else name
                yield from values_of(value, f"{path}.{key}".lstrip("."))
        case list() if document:
            for value in document:
                yield from values_of(value, f"{path}[]")
        case _:
            yield path, TYPES[type(document)]


TYPES = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    dict: "{}",
    list: "[]",
}
EMPTY = {"{}", "[]"}
CHARACTERS = ("maya", "joaquin")
STORY = "I look around.\nI call Maya.\n→ Maya: I trust only you.\n"
JSON_COMMANDS = """
packs
check lost-island
new-pack own
saves
show one
show one --turn 1
log one
prompts one --turn 2
calls one --turn 2
lore one --turn 2
branches one
undo one
redo one
retry one
branch one other --turn 1
compare one main other
switch one other
edits one
copy one two
rename two three
export one
trash three
trash
direct new chapter --example
direct lock chapter
direct prompt chapter 1 Go
direct end chapter
direct voice chapter -
direct build chapter
direct show chapter
"""
"""In this order, in a home with a story of three turns."""


def json_outputs() -> Iterator[str]:
    """Yield the shape of what commands print with `--json`, one path a line."""
    with TemporaryDirectory() as home:
        in_home = ["--home", home]
        story = ["play", "lost-island", "--save", "one", "--seed", "7", "--player", "Alex", "--offline"]
        printed([*story, *in_home], STORY)
        for command in JSON_COMMANDS.split("\n")[1:-1]:
            yield f"# {command} --json"
            yield from shape_of(json.loads(printed([*command.split(), "--json", *in_home], "Go on.")))
            yield ""


def printed(arguments: list[str], typed: str) -> str:
    """Return what a command prints. Raises AssertionError unless it succeeds."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "stdin", io.StringIO(typed)):
        code = main(arguments)
    assert code == 0, f"{arguments}: {err.getvalue()}"
    out.seek(0)
    return out.read()


CONTRACTS: Mapping[str, Callable[[], Iterable[str]]] = {
    "commands": commands,
    "events": events,
    "exit_codes": exit_codes,
    "forms": forms,
    "json_outputs": json_outputs,
    "keys": keys,
    "lab": lambda: files({"PLAN.yaml": Plan, "scenarios/*.yaml": Scenario}),
    "packs": lambda: files(PACK_FILES),
    "saves": lambda: files(SAVE_FILES),
    "settings": lambda: files({"config.toml": Settings}),
    "slash_commands": slash_commands,
    "templates": templates,
}


def generated() -> dict[Path, str]:
    return {
        FOLDER / f"{name}.txt": "\n".join(lines()).rstrip("\n") + "\n" for name, lines in CONTRACTS.items()
    }
