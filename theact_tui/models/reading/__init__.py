"""The tolerant reader of what small models answer (S8.2, S8.4): `read` for whole replies, `ProseStream` for live prose."""

from theact_tui.models.reading.context import Context
from theact_tui.models.reading.ladder import Reading, read
from theact_tui.models.reading.prose import ProseStream

__all__ = ["Context", "ProseStream", "Reading", "read"]
