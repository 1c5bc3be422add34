"""Text that would do something if it were let, and a look at the screen that finds out whether it did."""

import unicodedata

from textual.app import App

LINK = "\x1b]8;;http://evil.example\x07"
NASTY = (
    f"[@click=app.quit]x[/] [bold red]y[/] [link=http://evil.example]w[/link] {LINK}z\x1b]8;;\x07 \x1b[2J "
    "\u202eabc\u202c \u2066d\u2069 [/] \x9b31m \ud800 \u200f\u2028e\x00\ufeff"
)
TURNING = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def nasty(text: str) -> str:
    """`text`, and then everything that must stay text."""
    return f"{text} {NASTY}"


def drawn(app: App[None]) -> str:
    """Everything on the screen; no sign in it acts, and no segment carries a link or an action."""
    text = ""
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            text += segment.text
            assert not {"\n", "\t"} & set(segment.text)
            assert segment.control is None
            if segment.style:
                assert segment.style.link is None
                assert not [key for key in segment.style.meta if key.startswith("@click")]
        text += "\n"
    acting = {sign for sign in set(text) - {"\n"} if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")}
    assert not acting and not TURNING & set(text)
    return text
