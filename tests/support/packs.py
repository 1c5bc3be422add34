"""The packs that come with the program, and packs that differ in a part."""

from functools import cache

from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.story.pack import Pack


@cache
def shipped_pack(name: str) -> Pack:
    return load_pack(shipped_folder() / name)


def with_card(pack: Pack, id: str, **fields: object) -> Pack:
    card = pack.characters[id].model_copy(update=fields)
    return pack.model_copy(update={"characters": {**pack.characters, id: card}})


def with_chapter(pack: Pack, id: str, **fields: object) -> Pack:
    chapter = pack.chapters[id].model_copy(update=fields)
    return pack.model_copy(update={"chapters": {**pack.chapters, id: chapter}})
