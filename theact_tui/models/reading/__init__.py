"""The tolerant reader of what small models answer (S8.2, S8.4): `read` whole replies, `ProseStream` live prose."""

from theact_tui.models.reading.context import Context
from theact_tui.models.reading.ladder import read
from theact_tui.models.reading.prose import ProseStream
from theact_tui.models.reading.result import Reading
from theact_tui.models.reading.typed import reply_of

__all__ = ["Context", "ProseStream", "Reading", "read", "reply_of"]
