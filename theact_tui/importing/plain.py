"""Plain text of cards and messages: no pages or tags of HTML, no pictures, no thoughts of a model, nothing that acts."""

import re
from html import unescape

from theact_tui.parsing.unwrap import without_thoughts
from theact_tui.text import clean

_PAGE = re.compile(r"```(?:html|xml|css|js|javascript)?\s*<(?:!doctype|html|head|body|div|style|script)\b.*?(?:```|\Z)",
                   re.DOTALL | re.IGNORECASE)  # fmt: skip
_SILENT = re.compile(r"<(script|style)\b.*?(?:</\1>|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(r"<(?:br|/p|/div|/li|/h[1-6]|hr)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|b|i|u|s|p|div|span|font|center|img|q|em|strong|small|big|sub|sup|ul|ol|li|h[1-6]|table|tr|td|th|tbody|thead|"
    r"details|summary|blockquote|code|pre|br|hr|video|audio|source|iframe|button|input|link|meta)\b[^<>]*>",
    re.IGNORECASE,
)
_PICTURE = re.compile(r"!\[[^\[\]]{0,300}\]\([^()\s]{0,2000}\)")
_BLANK_LINES = re.compile(r"\n{3,}")


def without_markup(text: str) -> str:
    """A text without pages, tags and entities of HTML, and without the marks of pictures."""
    if "![" in text:
        text = _PICTURE.sub("", text)
    if "<" in text:
        text = without_tags(_PAGE.sub("", text))
    if "&" in text:
        text = unescape(text)
    return _BLANK_LINES.sub("\n\n", clean(text)).strip()


def without_tags(text: str) -> str:
    """A text without tags, scripts and styles of HTML; the end of a block is the end of a line."""
    for marks, instead in ((_SILENT, ""), (_BREAK, "\n"), (_TAG, "")):
        text = marks.sub(instead, text)
    return text


def plain_text(text: object) -> str:
    """The words of a message, without markup and without what a model thought before it."""
    return without_markup(without_thoughts(text)[0]) if isinstance(text, str) else ""


def unspoken_parts(text: str) -> tuple[str, str]:
    """What `plain_text` takes out of a message: the thoughts of a model, and pages of HTML."""
    spoken, thoughts = without_thoughts(text)
    return thoughts, "\n".join(found[0] for found in _PAGE.finditer(spoken))
