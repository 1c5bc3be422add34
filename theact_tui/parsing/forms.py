"""Form of each agent's reply: a model, and the JSON schema for the server."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from types import GenericAlias
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import ConfigDict, create_model

from theact_tui.parsing.types import ReplyContext
from theact_tui.story.beats import BEAT_LABELS, SECRET_LABELS
from theact_tui.story.dice import EASIEST, HARDEST
from theact_tui.story.direct.blocks import FORMS
from theact_tui.story.memory import FACT_KINDS, MAX_NEW_FACTS
from theact_tui.story.moments import MOMENT_TYPES
from theact_tui.story.pack import MOODS
from theact_tui.story.turn import StageForm
from theact_tui.story.value import Value

FieldKind = Literal[
    "prose", "line", "flag", "number", "whole", "choice", "ids", "texts", "pairs", "noted", "object", "objects",
    "named", "marks", "hearers",
]  # fmt: skip
_MOST_ITEMS = 12
"""Items of a list without its own bound."""
_MOST_OF_AN_ITEM = 300
"""Characters of a text in a list."""
_MOST_ANSWERS = 2
_MOST_OF_A_PLACE = 60


@dataclass(frozen=True)
class Kind:
    name: FieldKind
    choices: tuple[str, ...] = ()
    least: int = 0
    """Fewest items of a list, or lowest number."""
    most: int = 0
    """Characters of a text, items of a list, labels, or highest number; 0 is any."""
    optional: bool = False
    """A reply without it is complete."""
    omit: bool = False
    """Not required by the schema."""
    must: bool = False
    """A reply without it is unreadable."""


Ids = tuple[str, ...] | None
_Line = Annotated[str, Kind("line", most=300)]
_Note = Annotated[str, Kind("line", most=300, optional=True)]
_Texts = Annotated[tuple[str, ...], Kind("texts")]
_Named = Annotated[tuple[dict[str, str], ...], Kind("named")]
_Named1 = Annotated[tuple[dict[str, str], ...], Kind("named", least=1)]
_Prose = Annotated[str, Kind("prose")]


class Form(Value):
    """Reply with at least one of the `needed` fields; empty: any field."""

    model_config = ConfigDict(allow_inf_nan=False)
    needed: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True)
class FieldSpec:
    name: str
    kind: Kind
    form: type[Form] | None


@cache
def fields_of(model: type[Form]) -> dict[str, FieldSpec]:
    specs: dict[str, FieldSpec] = {}
    for name, field in model.model_fields.items():
        kind = next(item for item in field.metadata if isinstance(item, Kind))
        types = (field.annotation, *get_args(field.annotation))
        inner = next((item for item in types if isinstance(item, type) and issubclass(item, Form)), None)
        specs[name] = FieldSpec(name, kind, inner)
    return specs


class StageReply(Form, StageForm):
    """None: not asked for, or not in the reply."""

    answer: Annotated[Ids, Kind("ids", most=_MOST_ANSWERS)] = None
    only: Annotated[dict[str, tuple[str, ...]] | None, Kind("hearers", must=True)] = None
    mood: Annotated[str | None, Kind("choice", MOODS, optional=True)] = None
    here: Annotated[Ids, Kind("ids", optional=True, omit=True)] = None
    asleep: Annotated[Ids, Kind("ids", optional=True, omit=True)] = None
    gone: Annotated[Ids, Kind("ids", optional=True, omit=True)] = None
    aloud: Annotated[dict[str, str] | None, Kind("marks", optional=True, omit=True)] = None
    moved: Annotated[dict[str, str] | None, Kind("marks", most=1, optional=True, omit=True)] = None
    elsewhere: Annotated[bool | None, Kind("flag", optional=True, omit=True)] = None
    place: Annotated[str | None, Kind("line", most=_MOST_OF_A_PLACE, omit=True)] = None


_MOST_OF_A_QUOTE = 160
"""Characters."""


class ProgressReply(Form):
    """Answers by label: `no`, `begun` or a quote. `end`: the chapter is complete."""

    end: Annotated[bool, Kind("flag")] = False
    answered: Annotated[bool | None, Kind("flag", optional=True)] = None
    """Whether the player's last question was answered; None: not asked about, or not said."""

    @property
    def answers(self) -> dict[str, str]:
        return {name: answer for name, answer in self if name not in ("end", "answered") and answer}


_ANSWERS: dict[str, Any] = dict.fromkeys(
    (*BEAT_LABELS, *SECRET_LABELS),
    (Annotated[str | None, Kind("line", most=_MOST_OF_A_QUOTE, optional=True)], None),
)


class FinishedReply(Form):
    needed = ("finished",)
    finished: Annotated[bool, Kind("flag")] = False


class FactUpdate(Form):
    """Changed fact; `old` is the known fact, or the model's words if none matches."""

    old: _Line = ""
    new: _Line = ""


class NewFact(Form):
    fact: _Line = ""
    kind: Annotated[str, Kind("choice", (*FACT_KINDS, "none"))] = ""


class FactsReply(Form):
    new: Annotated[tuple[NewFact, ...], Kind("noted", most=MAX_NEW_FACTS)] = ()
    changed: Annotated[tuple[FactUpdate, ...], Kind("pairs")] = ()


class ReflectionReply(Form):
    """`beliefs` are lines that begin with a name and a colon."""

    want: _Line = ""
    hide: _Note = ""
    beliefs: Annotated[tuple[str, ...], Kind("texts", optional=True)] = ()


class RiskReply(Form):
    needed = ("risk",)
    risk: Annotated[str, Kind("line", most=200)] = ""
    difficulty: Annotated[int | None, Kind("whole", least=EASIEST, most=HARDEST)] = None


class FoundMoment(Form):
    """Moment as the model wrote it; `quote` proves it."""

    quote: Annotated[str, Kind("line", most=200)] = ""
    moment_type: Annotated[str | None, Kind("choice", MOMENT_TYPES)] = None
    moment_summary: Annotated[str, Kind("line", most=200)] = ""
    moment_significance: Annotated[float, Kind("number")] = 0.5


class MomentsReply(Form):
    needed = ("moments",)
    moments: Annotated[tuple[FoundMoment, ...], Kind("objects", most=3)] = ()


class ConceptReply(Form):
    needed = ("title", "characters", "chapters")
    title: _Line = ""
    description: _Prose = ""
    tone: _Line = ""
    player_name: _Line = ""
    player_description: _Line = ""
    characters: _Named1 = ()
    chapters: _Named1 = ()


class SettingReply(Form):
    needed = ("setting",)
    setting: _Prose = ""
    rules: _Prose = ""
    truth: _Prose = ""


class CharacterReply(Form):
    needed = ("personality",)
    personality: _Prose = ""
    want: _Line = ""
    secret: _Prose = ""
    known: _Prose = ""
    examples: _Texts = ()
    relationships: _Named = ()


class ChapterReply(Form):
    needed = ("beats",)
    summary: _Prose = ""
    beats: Annotated[tuple[str, ...], Kind("texts", least=1)] = ()
    clues: _Texts = ()
    completion: _Line = ""
    characters: _Texts = ()
    secret_of: _Note = ""
    at_first: Annotated[tuple[str, ...], Kind("texts", optional=True)] = ()
    opening: _Prose = ""


class LoreReply(Form):
    needed = ("keys",)
    title: _Line = ""
    keys: Annotated[tuple[str, ...], Kind("texts", least=1)] = ()


def _of_direct_mode(name: str, form: dict[str, Any]) -> type[Form]:
    """Make the model of a form of direct mode from its empty form."""
    fields: dict[str, Any] = {}
    for key, empty in form.items():
        match empty:
            case dict():
                annotated: Any = Annotated[_of_direct_mode(key, empty), Kind("object")]
            case [dict() as item]:
                annotated = Annotated[GenericAlias(tuple, (_of_direct_mode(key, item), ...)), Kind("objects")]
            case list():
                annotated = _Texts
            case int():
                annotated = Annotated[int, Kind("whole")]
            case _:
                annotated = _Line
        fields[key] = (annotated, None)
    return create_model(name, __base__=Form, **fields)


MODELS: dict[str, type[Form]] = {
    "stage": StageReply,
    "progress": create_model("ProgressReply", __base__=ProgressReply, **_ANSWERS),
    "finished": FinishedReply,
    "memory": FactsReply,
    "reflection": ReflectionReply,
    "risk": RiskReply,
    "moment": MomentsReply,
    **{name: _of_direct_mode(name, form) for name, form in FORMS.items()},
    "author_concept": ConceptReply,
    "author_setting": SettingReply,
    "author_character": CharacterReply,
    "author_chapter": ChapterReply,
    "author_lore": LoreReply,
}


def json_schema(agent: str, context: ReplyContext) -> dict[str, Any] | None:
    """Return the schema of `agent`'s form for this call: ids as enums, bounds for lists and texts. Fields that are
    not asked for, and lists that can hold nothing, are left out. None for prose.
    """
    if agent not in MODELS:
        return None
    specs = fields_of(MODELS[agent])
    asked = specs if context.offered is None else [name for name in context.offered if name in specs]
    return _object([specs[name] for name in asked], context)


def _object(specs: Iterable[FieldSpec], context: ReplyContext) -> dict[str, Any]:
    nodes = [(spec, node) for spec in specs if (node := _node(spec, context))]
    return _closed({spec.name: node for spec, node in nodes}, [s.name for s, _ in nodes if not s.kind.omit])


def _closed(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_TEXT = {"type": "string", "maxLength": _MOST_OF_AN_ITEM}


def _node(spec: FieldSpec, context: ReplyContext) -> dict[str, Any] | None:
    """Return a field's schema for this call; None if nothing may be answered."""
    kind, inner = spec.kind, _object(fields_of(spec.form).values(), context) if spec.form else {}
    match kind.name:
        case "object":
            return inner
        case "marks":
            return _pieces_by_person(spec, context)
        case "hearers":
            people, pieces = (
                _ids(kind, [*(context.offered or {}).get("only", ())]),
                context.labels.get("only", ()),
            )
            return _closed(dict.fromkeys(pieces, people), []) if people and pieces else None
        case "pairs":
            numbers = map(str, range(1, len(context.facts or ()) + 1))
            return _closed(dict.fromkeys(numbers, inner["properties"]["new"]), []) if context.facts else None
        case "choice" if spec.name == "moment_type":  # what is no moment has no type
            return {"type": ["string", "null"], "enum": [*kind.choices, None]}
        case "choice":
            return {"type": "string", "enum": list(kind.choices)}
        case "prose" | "line":
            return {"type": "string", **({"maxLength": kind.most} if kind.most else {})}
        case "whole":
            return {"type": "integer", **({"minimum": kind.least, "maximum": kind.most} if kind.most else {})}
        case "flag" | "number":
            return {"type": "boolean" if kind.name == "flag" else "number"}
        case "ids":
            may = context.active_characters if context.offered is None else context.offered[spec.name]
            return _ids(kind, None if may is None else list(may))
        case _:
            items = {"type": "array", "items": inner or _TEXT}
            least = {"minItems": kind.least} if kind.least else {}
            return {**items, **least, "maxItems": min(kind.most or _MOST_ITEMS, _MOST_ITEMS)}


def _ids(kind: Kind, choices: list[str] | None) -> dict[str, Any] | None:
    most = kind.most or _MOST_ITEMS
    if choices is None:
        return {"type": "array", "items": {"type": "string"}, "maxItems": most}
    items = {"type": "string", "enum": choices}
    node = {"type": "array", "items": items, "uniqueItems": True, "maxItems": min(most, len(choices))}
    return node if choices else None


def _pieces_by_person(spec: FieldSpec, context: ReplyContext) -> dict[str, Any] | None:
    """Return the schema of an object with labels of pieces for each person."""
    people, labels = (context.offered or {}).get(spec.name, ()), context.labels.get(spec.name, ())
    is_one = spec.kind.most == 1
    choice = {"enum": ["", *labels]} if is_one else {"pattern": f"^[{''.join(labels)}]{{0,{len(labels)}}}$"}
    pieces = {"type": "string", **choice}
    return _closed(dict.fromkeys(people, pieces), []) if people and labels else None
