"""Lines that gave way to newer ones, and those of them that this turn brought back, set as rows."""

from __future__ import annotations

from collections.abc import Container, Iterable

from textual.content import Content

from theact_tui.story.older import Older, older_lines
from theact_tui.tui.visuals import Indented
from theact_tui.tui.widgets.inspect_list import BLANK, Row
from theact_tui.tui.widgets.panelparts import flat, heading, hint

BACK, IMPORTANT = "↺", "!"
SHOWN = 30
"""At most so many lines are listed; all of them stand in the save."""
WAITING = "No longer in every prompt. They come back when the story speaks of them."


def older_rows(older: str, prompts: Iterable[str]) -> list[Row]:
    """The lines set aside, those first that stood in one of `prompts`, then the newest; nothing if there are none."""
    sent = {line for prompt in prompts for line in prompt.splitlines()}
    lines = sorted(older_lines(older), key=lambda line: (not _is_in(sent, line), -line.turn))
    if not lines:
        return []
    back = sum(_is_in(sent, line) for line in lines)
    note = f"{len(lines)} line{'s' if len(lines) > 1 else ''}" + (f" · {back} came back" if back else "")
    rows = [BLANK, Row(heading("SET ASIDE", note)), Row(hint(WAITING))]
    rows += [_row(line, is_back=_is_in(sent, line)) for line in lines[:SHOWN]]
    left = len(lines) - SHOWN
    return [*rows, Row(hint(f"and {left} more, from turn {lines[-1].turn} on"))] if left > 0 else rows


def _is_in(sent: Container[str], line: Older) -> bool:
    """True if a prompt told the line, in a row of its own."""
    return f"- {line.text}" in sent


def _row(line: Older, *, is_back: bool) -> Row:
    mark = Content.assemble(
        (BACK if is_back else " ", ".good"),
        (IMPORTANT if line.important else " ", ".warn"),
        (f"{line.turn:>3} ", ".good" if is_back else ".faint"),
    )
    text = Content.styled(flat(line.text), "" if is_back else ".quiet")
    return Row(Indented(mark, text), f"older {line.turn} {line.text}", "older", line.turn, line.text)
