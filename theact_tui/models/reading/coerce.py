"""From raw values to typed fields: each is read by its kind and reconciled with what exists. Nothing is made up."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

from theact_tui.models.reading import reconcile
from theact_tui.models.reading.context import Context
from theact_tui.models.reading.items import bare_item, items_of, text_of
from theact_tui.models.reading.judge import is_refusal
from theact_tui.models.reading.literals import Cut
from theact_tui.models.reading.nested import object_of, objects_of
from theact_tui.models.reading.scalars import with_line_feeds
from theact_tui.models.reading.shapes import Field, Shape, key_of
from theact_tui.models.reading.values import flag_of, is_instruction, is_nothing, is_placeholder, number_of

_FORMS = {
    "tense": "tens angespannt gespannt tendu suspense 紧张",
    "calm": "calm tranquil ruhig peaceful 平静",
    "urgent": "urgen dringend pressant 紧急",
    "mysterious": "myster mister geheimnis 神秘",
    "humorous": "humor humour lustig comic 幽默",
    "dramatic": "drama 戏剧",
    "melancholic": "melanchol melancol 忧郁",
    "combat_victory": "victoria_en_combate sieg_im_kampf victoire_au_combat",
    "combat_defeat": "derrota_en_combate niederlage_im_kampf defaite_au_combat",
    "critical_success": "exito_critico kritischer_erfolg succes_critique reussite_critique",
    "critical_failure": "fallo_critico fracaso_critico kritischer_fehlschlag echec_critique",
    "discovery": "discover descubrimiento entdeckung decouverte 发现",
    "achievement": "achieve logro errungenschaft accomplissement 成就",
    "turning_point": "punto_de_inflexion punto_de_giro wendepunkt tournant point_tournant 转折点",
}


@dataclass
class Settled:
    """The typed fields of one answer, and what had to be left out of them."""

    fields: dict[str, Any] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    """Names given for ids that are nobody's."""
    missed: list[tuple[str, str]] = field(default_factory=list)
    """Updates of facts that do not exist, old and new."""
    beyond: dict[str, float] = field(default_factory=dict)
    """Numbers as written, where they were outside of their range."""


def settle(shape: Shape, values: dict[str, Any], context: Context) -> Settled:
    """The fields of `values` that can be read as what `shape` says they are."""
    made = Settled()
    for part in shape.fields:
        if part.name in values:
            _settle_one(made, part, values[part.name], context)
    return made


def _settle_one(made: Settled, part: Field, value: Any, context: Context) -> None:
    if isinstance(value, str) and is_placeholder(value):
        return
    match part.kind:
        case "ids":
            ids, unknown = reconcile.ids_in(value, context.active_characters)
            if part.name not in made.fields:
                made.fields[part.name] = ids
                made.unknown += unknown
        case "beats":
            made.fields[part.name] = reconcile.beats_in(value, context.beats)
        case "facts":
            made.fields[part.name] = reconcile.facts_in(value, context.facts)
        case "pairs":
            made.fields[part.name], made.missed = reconcile.updates_in(value, context.facts)
        case "texts":
            made.fields[part.name] = texts_in(value)
        case "number":
            _settle_number(made, part, value)
        case "object":
            made.fields[part.name] = object_of(value, part.parts)
        case "objects":
            made.fields[part.name] = objects_of(value, part.parts)
        case _:
            found, one = _single(part, value)
            if found:
                made.fields[part.name] = one


def _single(part: Field, value: Any) -> tuple[bool, Any]:
    """Whether a field of one value can be read, and the value."""
    match part.kind:
        case "flag":
            flag = _flag(value)
            return flag is not None, flag
        case "choice":
            return _choice(part, value)
        case "prose":
            return _prose(part, value)
        case _:
            return _line(part, value)


def texts_in(value: Any) -> list[str]:
    """A list of texts in any shape, without marks, placeholders and repetitions."""
    if isinstance(value, list) and value and isinstance(value[-1], Cut):
        value = value[:-1]
    texts = (bare_item(item) for item in items_of(value))
    return list(
        dict.fromkeys(
            text for text in texts if re.search(r"\w", text) and not is_nothing(text) and not _is_sample(text)
        )
    )


def _is_sample(text: str) -> bool:
    return (
        is_placeholder(text)
        or re.fullmatch(r"(?:new )?(?:fact|item|theme)s? ?\d?", text, re.IGNORECASE) is not None
    )


def _prose(part: Field, value: Any) -> tuple[bool, str | None]:
    if value is None:
        return part.name != "narration", None
    text = "\n\n".join(map(text_of, value)) if isinstance(value, list) else text_of(value)
    text = with_line_feeds(text.strip())
    if is_placeholder(text) or is_refusal(text) or (len(text) < 400 and is_instruction(text)):
        return False, None
    if part.name == "narration":
        return bool(re.search(r"\w", re.sub(r"</?\w+>", "", text))) and not is_nothing(text), text
    if text and not re.search(r"\w", text):
        return False, None
    return True, "" if is_nothing(text) else text


def _line(part: Field, value: Any) -> tuple[bool, str | None]:
    if value is None:
        return part.name != "resolution", None
    text = text_of(value)
    if is_placeholder(text) or (is_instruction(text) and len(text) < 200):
        return False, None
    if part.name == "resolution":
        return bool(re.search(r"\w", text)) and not is_nothing(text) and not is_refusal(text), text
    if part.name == "moment_summary" and text and is_nothing(text):
        return True, None
    return not text or re.search(r"\w", text) is not None, text


def _flag(value: Any) -> bool | None:
    match value:
        case bool():
            return value
        case int() | float():
            return bool(value) if value in (0, 1) else None
        case str():
            return flag_of(value)
        case dict():
            return next((flag for part in value.values() if (flag := _flag(part)) is not None), None)
        case list():
            return _flag(value[0]) if len(value) == 1 else None
        case _:
            return None


def _choice(part: Field, value: Any) -> tuple[bool, str | None]:
    if isinstance(value, list):
        value = value[0] if value else None
    if value is None or value is False:
        return part.name == "moment_type", None
    if isinstance(value, dict):
        true = [str(key) for key, on in value.items() if on is True]
        value = true[0] if len(true) == 1 else text_of(value)
    text = text_of(value)
    if is_placeholder(text):
        return False, None
    name = key_of(re.sub(r"[^\w\s/|,&-]", "", text))
    held = [
        choice
        for choice in part.choices
        if choice in name or choice.replace("_", "") == name.replace("_", "")
    ]
    if len(held) > 2:
        return False, None
    if held:
        return True, min(held, key=lambda choice: name.find(choice))
    if part.name == "moment_type" and (
        is_nothing(text) or re.match(r"\W*(?:none|no|null|n/a)\b", text, re.I)
    ):
        return True, None
    return _other_choice(part, text, name)


def _other_choice(part: Field, text: str, name: str) -> tuple[bool, str | None]:
    """Another form of one of the choices; else the word as it is, for the rules of the game to judge."""
    for choice, forms in _FORMS.items():
        if choice in part.choices and any(name.startswith(form) for form in forms.split()):
            return True, choice
    word = re.sub(r"[^\w\s-]", "", text).strip().casefold()
    if not word or is_nothing(text) or is_placeholder(word) or len(word.split()) > 4:
        return False, None
    return True, name if part.name == "moment_type" else word


def _settle_number(made: Settled, part: Field, value: Any) -> None:
    if value is None or (isinstance(value, str) and is_nothing(value)):
        made.fields[part.name] = None
        return
    if isinstance(value, bool):
        return
    number = value if isinstance(value, int | float) else number_of(text_of(value))
    if number is None or not math.isfinite(number):
        return
    clamped = min(max(number, 0), 1)
    if clamped != number:
        made.beyond[part.name] = number
    made.fields[part.name] = number if clamped == number else float(clamped)
