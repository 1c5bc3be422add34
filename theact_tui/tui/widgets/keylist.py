"""A list whose enter key belongs to the screen, and whose cursor is seen without colours too."""

from __future__ import annotations

from textual.binding import Binding
from textual.style import Style
from textual.widgets import OptionList


class KeyList(OptionList, inherit_bindings=False):
    """Moves with the arrows; what enter does there the screen says."""

    BINDINGS = [
        Binding("up", "cursor_up", "up", show=False),
        Binding("down", "cursor_down", "down", show=False),
        Binding("home", "first", "first", show=False),
        Binding("end", "last", "last", show=False),
        Binding("pageup", "page_up", "page up", show=False),
        Binding("pagedown", "page_down", "page down", show=False),
    ]

    def action_cursor_up(self) -> None:
        """Go up, and stay at the top; what stands above the first row comes into sight."""
        if any(not option.disabled for option in self.options[: self.highlighted or 0]):
            super().action_cursor_up()
        else:
            self.scroll_home(animate=False)

    def action_cursor_down(self) -> None:
        """Go down, and stay at the end."""
        after = 0 if self.highlighted is None else self.highlighted + 1
        if any(not option.disabled for option in self.options[after:]):
            super().action_cursor_down()

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        """As Textual's, which forgets that a style is reversed: all that shows a cursor where there are no colours."""
        style = super().get_visual_style(*component_classes, partial=partial)
        reverse = any(self.get_component_styles(name).text_style.reverse for name in component_classes)
        return style + Style(reverse=True) if reverse else style


class EnterList(KeyList):
    """Enter chooses the row under the cursor."""

    BINDINGS = [Binding("enter", "select", "choose", show=False)]
