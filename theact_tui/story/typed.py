"""What the player types: a line of the story or a command, and what of it is in no turn yet."""

from theact_tui.story.value import Value

LINE_LIMIT = 2_000
"""Characters of a player's line, and of a person's words at a seat."""


class Typed(Value):
    """What was typed and is in no turn."""

    sent: str = ""
    """Line without a turn, as it was typed."""
    branch: str = ""
    after: int = 0
    """Turn or prompt after which it was sent."""
    box: str = ""
    """Text of the writing box, behind what is queued."""
    slots: tuple[int, int] = (0, 0)
    """In a directed chapter: whom `sent` and `box` are for."""


def is_command(line: str) -> bool:
    """True for a command; a line that starts with `//` is text."""
    return line.startswith("/") and not line.startswith("//")


def as_text(line: str) -> str:
    """Return a line as story text, dropping one of two leading slashes."""
    return line[1:] if line.startswith("//") else line


def as_line(text: str, *, again: bool = False) -> str:
    """Return the line that plays `text`; with `again`, that retries the last turn with it."""
    return f"/retry {text}" if again else f"/{text}" if text.startswith("/") else text
