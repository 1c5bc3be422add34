"""The picture that came with a card, where pictures are shown: see `find_pictures` in `theact_tui.tui.startup`."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.containers import Vertical

from theact_tui.tui.startup import picture_widget

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_BYTES, MOST_PIXELS = 16_000_000, 16_000_000
"""Of a picture that is decoded."""
LONGEST_SIDE = 480
"""Pixels to which it is made smaller."""
ROWS, LOW_ROWS, TALL = 12, 7, 30
"""Rows of a picture in a terminal that is tall, and in one that is not."""


class Portrait(Vertical):
    """A picture of a few rows; takes no room where there is none, it is broken, or none are shown."""

    DEFAULT_CSS = """
    Portrait { height: auto; width: auto; display: none; margin: 0 0 1 0; }
    Portrait.-shown { display: block; }
    """

    @work(group="portrait", exclusive=True)
    async def show(self, source: Path | bytes | None, character: str = "*") -> None:
        """Show a picture, or that of a character (default: of anyone) in the folder of a pack."""
        picture = await asyncio.to_thread(opened, source, character) if source else None
        widget = await asyncio.to_thread(picture_widget) if picture else None
        await self.remove_children()
        if picture is not None and widget is not None:
            rows = ROWS if self.app.size.height >= TALL else LOW_ROWS
            image = widget(picture)
            image.styles.height = rows
            image.styles.width = min(2 * rows, max(2, round(2 * rows * picture.width / picture.height)))
            await self.mount(image)
        self.set_class(widget is not None, "-shown")


def opened(source: Path | bytes, character: str = "*") -> Image | None:
    """A picture made small; None if there is none, it is too large, or it cannot be read."""
    try:
        if isinstance(source, Path):
            endings = ("png", "jpg", "webp")
            found = (file for end in endings for file in sorted(source.glob(f"imported/{character}.{end}")))
            small = (file for file in found if file.is_file() and file.stat().st_size <= MOST_BYTES)
            source = next((file.read_bytes() for file in small), b"")
        if not source:
            return None
        from PIL import Image

        with Image.open(io.BytesIO(source[: MOST_BYTES + 1]), formats=("PNG", "JPEG", "WEBP")) as picture:
            if picture.width * picture.height > MOST_PIXELS:
                return None
            picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
            return picture.convert("RGB")
    except Exception:  # what strangers made fails in many ways, and so does a missing decoder
        return None
