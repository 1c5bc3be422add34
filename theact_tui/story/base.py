"""The base of every persisted value of a story."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """An immutable value; unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")
