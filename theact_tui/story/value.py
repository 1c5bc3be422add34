"""Base of persisted values."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """Immutable value; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")
