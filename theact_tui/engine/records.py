"""One call as the ledger keeps it (S8.5), while it runs and when it failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from theact_tui.models.port import Piece, Usage
from theact_tui.models.reading.wrapping import without_thoughts
from theact_tui.prompting.sections import Prompt


@dataclass(slots=True)
class CallRecord:
    """One call as the ledger keeps it (S8.5). It grows while the call runs."""

    id: str
    agent: str
    key: str
    provider: str
    model: str
    turn: int
    prompt: Prompt
    messages: list[Any] = field(default_factory=list)
    raw: str = ""
    reasoning: str = ""
    steps: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    finish: str = ""
    first_token: float | None = None
    seconds: float = 0.0
    attempts: int = 0
    outcome: str = "failed"
    error: str = ""

    def note(self, piece: Piece) -> None:
        """Add a piece of the reply."""
        self.raw += piece.text
        self.reasoning += piece.reasoning
        self.finish = piece.finish or self.finish
        if piece.usage != Usage():
            self.usage = piece.usage


def unreadable(record: CallRecord) -> str:
    """Why nothing of a reply could be used, and what may help."""
    said, thought = without_thoughts(record.raw)
    if not said.strip() and (thought + record.reasoning).strip():
        return (
            f"The model spent its whole allowance thinking and gave no answer ({record.agent}). "
            "Raise reasoning_tokens in the profile, or turn its thinking off."
        )
    if not said.strip():
        return f"The model answered nothing ({record.agent}). Try again; if it stays silent, look at the server's log."
    return (
        f"The model's answer could not be used ({record.agent}). "
        "Try again, or choose a model that follows instructions."
    )
