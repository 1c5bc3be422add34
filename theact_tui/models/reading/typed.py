"""From the fields of a reading to the typed replies of `theact_tui.models.replies`."""

from __future__ import annotations

from typing import Any, cast

from theact_tui.models import replies
from theact_tui.models.reading.result import Reading
from theact_tui.story.pack import MOODS, Mood


def reply_of(reading: Reading) -> replies.Reply:
    """The typed reply of a reading; raises ValueError if it is not usable."""
    if not reading.ok:
        raise ValueError(f"this reply has no {reading.missing}")
    told = {name: value for name, value in reading.fields.items() if value is not None}
    match reading.agent:
        case "narrator":
            return _narrator(told, reading)
        case "progress":
            return replies.ProgressReply.model_validate(told)
        case "memory":
            missed = [{"old": old, "new": new} for old, new in reading.missed]
            return replies.FactsReply.model_validate({**told, "update": [*told.get("update", []), *missed]})
        case "keeper" | "moment":
            return replies.KeeperReply.model_validate({**told, **reading.beyond})
        case "lock":
            return replies.LockReply.model_validate(told)
        case "delta":
            return replies.DeltaReply.model_validate(told)
        case _:
            return replies.PlainReply.model_validate(told)


def _narrator(told: dict[str, Any], reading: Reading) -> replies.NarratorReply:
    """A list of which nothing is known is no list; an unknown mood is calm (S3)."""
    responding = told.get("responding_characters")
    if responding == [] and reading.unknown:
        responding = None
    mood = cast("Mood", told["mood"]) if told.get("mood") in MOODS else "calm"
    return replies.NarratorReply(
        narration=told["narration"],
        responding_characters=None if responding is None else tuple(responding),
        mood=mood,
        present=None if told.get("present") is None else tuple(told["present"]),
    )
