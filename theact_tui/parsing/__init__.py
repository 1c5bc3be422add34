"""Read replies of models: `parse` whole ones, `ProseStream` live prose."""

from theact_tui.parsing.live_prose import ProseStream
from theact_tui.parsing.reader import parse
from theact_tui.parsing.types import ParsedReply, PlainReply, ReplyContext

__all__ = ["ParsedReply", "PlainReply", "ProseStream", "ReplyContext", "parse"]
