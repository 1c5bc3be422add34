"""What a reading says, as the reply of its agent."""

from typing import Any

from theact_tui.parsing.forms import MODELS, MOST_ANSWERS, MOST_OF_A_PLACE
from theact_tui.parsing.types import ParsedReply
from theact_tui.parsing.values import number_of
from theact_tui.story.base import Value
from theact_tui.story.direct.blocks import FORMS
from theact_tui.story.pack import MOODS


class PlainReply(Value):
    """Prose: the page, a character's or actor's answer, summary, recap, epilogue, merge, cell, chapter."""

    text: str


class FieldsReply(Value):
    """By field, what an author agent wrote: texts, lists of texts, and lists of `name` and `text`; and what was filled into
    a form of direct mode."""

    fields: dict[str, Any]


def reply_of(parsed: ParsedReply) -> Any:
    """The typed reply; raises ValueError if it is not usable."""
    if not parsed.ok:
        raise ValueError(f"this reply has no {parsed.missing}")
    told = {name: value for name, value in parsed.fields.items() if value is not None}
    if parsed.agent not in MODELS:
        return PlainReply(text=told.get("text") or told["narration"])
    if parsed.agent in FORMS or parsed.agent.startswith("author_"):
        return FieldsReply(fields=told)
    known = {name: value for name, value in told.items() if name not in parsed.strange}
    if known.get("mood") not in MOODS:
        known.pop("mood", None)
    match parsed.agent:
        case "stage":
            known |= {"answer": known["answer"][:MOST_ANSWERS]} if "answer" in known else {}
            if len(place := known.get("place") or "") > MOST_OF_A_PLACE:
                known["place"] = place[:MOST_OF_A_PLACE].rpartition(" ")[0] or place[:MOST_OF_A_PLACE]
        case "memory":
            others = ({"old": old, "new": new} for old, new in parsed.unmatched)
            known["changed"] = [*known.get("changed", ()), *others]
        case "moment":
            known = {"moments": _moments(known["moments"])}
    return MODELS[parsed.agent].model_validate(known)


def _moments(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A significance that is no number is the middle one."""
    weights = [number_of(one["moment_significance"]) for one in told]
    return [
        {**one, "moment_significance": 0.5 if weight is None else weight}
        for one, weight in zip(told, weights, strict=True)
    ]
