"""What the list of stories shows of the packs that come with the program, made from them: `content/listing.json`.
`python -m tests.support.shipped_listing` writes it anew.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

from theact_tui.packs.library import find_packs
from theact_tui.packs.listing import shipped_folder
from theact_tui.tui.listing_cache import content_seal

DOCUMENT = shipped_folder() / "listing.json"


def document() -> str:
    """The whole file."""
    with tempfile.TemporaryDirectory() as none:
        packs = [{**asdict(pack), "folder": ""} for pack in find_packs(Path(none))]
    return json.dumps({"seal": content_seal(), "packs": packs}, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
