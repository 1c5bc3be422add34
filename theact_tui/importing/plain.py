import re
from html import unescape

from theact_tui.parsing.thoughts import without_thoughts
from theact_tui.text import clean

_PAGE = re.compile(r"```(?:html|xml|css|js|javascript)?\s*<(?:!doctype|html|head|body|div|style|script)\b.*?(?:```|\Z)",
                   re.DOTALL | re.IGNORECASE)  # fmt: skip
_SILENT = re.compile(r"<(script|style)\b.*?(?:</\1>|\Z)|<!--.*?(?:-->|\Z)", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(
    r"[ \t]*<(?:br|hr|/p|/div|/h[1-6]|/tr|/?(?:li|ul|ol|details|summary|blockquote|table))\b[^<>]*>",
    re.IGNORECASE,
)
_CELL_END = re.compile(r"</t[dh]>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|b|i|u|s|p|div|span|font|center|img|q|em|strong|small|big|sub|sup|ul|ol|li|h[1-6]|table|tr|td|th|tbody|thead|"
    r"details|summary|blockquote|code|pre|br|hr|video|audio|source|iframe|button|input|link|meta)\b[^<>]*>",
    re.IGNORECASE,
)
_PICTURE = re.compile(r"!\[[^\[\]]{0,300}\]\([^()\s]{0,2000}\)")
_BLANK_LINES = re.compile(r"\n{3,}")


def without_markup(text: str) -> str:
    if "![" in text:
        text = _PICTURE.sub("", text)
    if "<" in text:
        text = without_tags(_PAGE.sub("", text))
    if "&" in text:
        text = unescape(text)
    return _BLANK_LINES.sub("\n\n", clean(text)).strip()


def without_tags(text: str) -> str:
    """Remove tags, scripts and styles; a block's end becomes a line end."""
    for marks, instead in ((_SILENT, ""), (_CELL_END, " "), (_BREAK, "\n"), (_TAG, "")):
        text = marks.sub(instead, text)
    return text


def plain_text(text: object) -> str:
    """Remove markup and thoughts from a message."""
    return without_markup(without_thoughts(text)[0]) if isinstance(text, str) else ""


def unspoken_parts(text: str) -> tuple[str, str]:
    spoken, thoughts = without_thoughts(text)
    pages = [page[0] for page in _PAGE.finditer(spoken)]
    rest = _PAGE.sub("", spoken) if pages else spoken
    return thoughts, "\n".join([*pages, *(part[0] for part in _SILENT.finditer(rest))])
