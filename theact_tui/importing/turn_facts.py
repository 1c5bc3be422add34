"""Fields of a turn that only this program has, in exported chats."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from theact_tui.importing.read_untrusted import items, table
from theact_tui.story.recut import recut_from_file
from theact_tui.story.turn import Stage, Turn
from theact_tui.story.value import Value
from theact_tui.text import one_line

V = TypeVar("V", bound=Value)


def facts_of(turn: Turn, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the facts of a turn, with names in place of ids, which differ between packs."""

    def named(ids: tuple[str, ...]) -> list[str]:
        return [names.get(id, id) for id in ids]

    heard = {
        names.get(id, id): part.model_dump(mode="json", exclude_defaults=True)
        for id, part in turn.heard.items()
    }
    facts: dict[str, Any] = {
        "cuts": turn.cuts.model_dump(mode="json", exclude_defaults=True),
        "heard": heard,
        "stage": _renamed(turn.stage, names).model_dump(mode="json", exclude_defaults=True)
        if turn.stage
        else None,
        "asleep": named(turn.asleep),
        "unaware": named(turn.unaware),
        "setting": turn.setting,
    }
    return {
        "witnesses": named(turn.witnesses),
        "mood": turn.mood,
        **{key: fact for key, fact in facts.items() if fact or fact == {}},
    }


def with_facts(turn: Turn, facts: Mapping[str, Any], ids: Mapping[str, str]) -> Turn:
    """Return the turn with its readable facts; `ids` by name. Unknown names are left out."""

    def ids_of(names: Any) -> tuple[str, ...]:
        return tuple(ids[name] for name in items(names) if isinstance(name, str) and name in ids)

    heard = table(facts.get("heard"))
    fields: dict[str, Any] = {
        "witnesses": ids_of(facts.get("witnesses")),
        "cuts": facts.get("cuts") or turn.cuts,
        "heard": {ids[name]: part for name, part in heard.items() if name in ids},
        "stage": _read(Stage, facts["stage"], ids) if facts.get("stage") else None,
        "asleep": ids_of(facts.get("asleep")),
        "unaware": ids_of(facts.get("unaware")),
        "setting": one_line(str(facts.get("setting", "")), 80),
        "mood": facts.get("mood", turn.mood),
    }
    try:
        return recut_from_file(Turn.model_validate({**dict(turn), **fields}))
    except ValidationError:
        return turn


def _read(kind: type[V], value: Any, ids: Mapping[str, str]) -> V | None:
    try:
        return _renamed(kind.model_validate(value), ids, strict=True)
    except ValidationError:
        return None


def _renamed(value: V, names: Mapping[str, str], *, strict: bool = False) -> V:
    def name(id: str) -> list[str]:
        return [names[id]] if id in names else [] if strict else [id]

    changed: dict[str, Any] = {}
    for field in type(value).model_fields.keys() - {"private"}:  # which holds labels
        held = getattr(value, field)
        if isinstance(held, tuple) and all(isinstance(id_text, str) for id_text in held):
            changed[field] = tuple(other for id in held for other in name(id))
        elif isinstance(held, dict):
            changed[field] = {other: id_text for id, id_text in held.items() for other in name(id)}
    return value.model_copy(update=changed)
