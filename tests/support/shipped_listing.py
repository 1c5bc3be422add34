"""What the list of stories shows of the packs that come with the program, made from them: `content/listing.json`."""

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

from theact_tui.packs.library import find_packs
from theact_tui.packs.listing import shipped_folder
from theact_tui.tui.listing_cache import content_seal

DOCUMENT = shipped_folder() / "listing.json"


def generated() -> dict[Path, str]:
    with tempfile.TemporaryDirectory() as none:
        packs = [{**asdict(pack), "folder": ""} for pack in find_packs(Path(none))]
    listing = {"seal": content_seal(), "packs": packs}
    return {DOCUMENT: json.dumps(listing, indent=1, ensure_ascii=False) + "\n"}
