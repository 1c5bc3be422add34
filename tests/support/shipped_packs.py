"""The packs that come with the program."""

from functools import cache

from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.story.pack import Pack


@cache
def shipped_pack(name: str) -> Pack:
    return load_pack(shipped_folder() / name)
