"""What only this program knows of a turn, as it goes out with a chat and comes in again: who perceived what of it."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from theact_tui.importing.read_untrusted import items, table
from theact_tui.story.base import Value
from theact_tui.story.turn import Heard, Stage, Turn
from theact_tui.text import one_line

V = TypeVar("V", bound=Value)


def facts_of(turn: Turn, names: Mapping[str, str]) -> dict[str, Any]:
    """The facts of a turn, with names in place of ids, which are others in another pack."""

    def named(ids: tuple[str, ...]) -> list[str]:
        return [names.get(id, id) for id in ids]

    heard = {names.get(id, id): _renamed(part, names) for id, part in turn.heard.items()}
    facts: dict[str, Any] = {
        "heard": {name: part.model_dump(mode="json", exclude_defaults=True) for name, part in heard.items()},
        "stage": _renamed(turn.stage, names).model_dump(mode="json", exclude_defaults=True)
        if turn.stage
        else None,
        "asleep": named(turn.asleep),
        "unaware": named(turn.unaware),
        "setting": turn.setting,
        "mood": turn.mood,
    }
    return {
        "witnesses": named(turn.witnesses),
        **{key: fact for key, fact in facts.items() if fact or fact == {}},
    }


def with_facts(turn: Turn, facts: Mapping[str, Any], ids: Mapping[str, str]) -> Turn:
    """The turn with its facts again, as far as they can be read; `ids` by name. Who is not known is left out."""

    def known(names: Any) -> tuple[str, ...]:
        return tuple(ids[name] for name in items(names) if isinstance(name, str) and name in ids)

    heard = {
        ids[name]: _read(Heard, part, ids) for name, part in table(facts.get("heard")).items() if name in ids
    }
    stage = _read(Stage, facts.get("stage"), ids) if facts.get("stage") else None
    told: dict[str, Any] = {
        "witnesses": known(facts.get("witnesses")),
        "heard": {id: part for id, part in heard.items() if part},
        "stage": stage,
        "asleep": known(facts.get("asleep")),
        "unaware": known(facts.get("unaware")),
        "setting": one_line(str(facts.get("setting", "")), 80),
        "mood": facts.get("mood", turn.mood),
    }
    try:
        return Turn.model_validate({**dict(turn), **told})
    except ValidationError:
        return turn


def _read(kind: type[V], value: Any, ids: Mapping[str, str]) -> V | None:
    try:
        return _renamed(kind.model_validate(value), ids, strict=True)
    except ValidationError:
        return None


def _renamed(value: V, names: Mapping[str, str], *, strict: bool = False) -> V:
    """A value in which ids have other names; with `strict` those that have none are left out. Its tuples of words and the
    keys of its tables are ids."""

    def name(id: str) -> list[str]:
        return [names[id]] if id in names else [] if strict else [id]

    changed: dict[str, Any] = {}
    for field in type(value).model_fields:
        held = getattr(value, field)
        if isinstance(held, tuple) and all(isinstance(each, str) for each in held):
            changed[field] = tuple(other for id in held for other in name(id))
        elif isinstance(held, dict):
            changed[field] = {other: each for id, each in held.items() for other in name(id)}
    return value.model_copy(update=changed)
