"""The tolerant reader of what small models answer: `parse` reads whole replies, `ProseStream` live prose."""

from theact_tui.parsing.live_prose import ProseStream
from theact_tui.parsing.reader import parse
from theact_tui.parsing.replies import reply_of
from theact_tui.parsing.types import ParsedReply, ReplyContext

__all__ = ["ParsedReply", "ProseStream", "ReplyContext", "parse", "reply_of"]
