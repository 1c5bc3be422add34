"""The pack of an imported chat: the user's own with the same people, or a new one of those who speak most."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from theact_tui.importing.chat import Chat
from theact_tui.packs.library import find_packs
from theact_tui.packs.loader import load_pack
from theact_tui.story.cast import MAX_CAST
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, World
from theact_tui.text import slug, unique_slug

STAND_IN = "Stranger"
"""The character of a story that names none; a pack needs one."""


def pack_with(names: Sequence[str], packs: Path | None) -> Pack | None:
    """The user's own pack that has all these characters; None unless there is exactly one."""
    wanted = {name.casefold() for name in names}
    own = [entry for entry in find_packs(packs) if not entry.shipped and not entry.broken] if packs else []
    fitting = [entry for entry in own if wanted and wanted <= {name.casefold() for name, _ in entry.cast}]
    return load_pack(fitting[0].folder) if len(fitting) == 1 else None


def _ids(names: Sequence[str], taken: Sequence[str] = ()) -> dict[str, str]:
    made: dict[str, str] = {}
    for name in names:
        made[name] = unique_slug(name, {*taken, *made.values()}, "character")
    return made


def new_pack(title: str, names: Sequence[str], chats: Sequence[Chat]) -> tuple[Pack, dict[str, str]]:
    """A pack of those who speak most, with one open chapter."""
    ids = _ids(names[:MAX_CAST] or [STAND_IN])
    about = {name: text for chat in reversed(chats) for name, text in chat.people.items() if text}
    setting = next((chat.setting for chat in chats if chat.setting), "")
    cast = tuple(ids.values())
    game = GameInfo(
        id=slug(title),
        title=title,
        description="A chat from another program.",
        characters=cast,
        chapters=("chat",),
    )
    chapter = Chapter(
        id="chat", title="Chapter one", summary="", beats=(), characters=cast, present=None if names else ()
    )
    people = {id: Character(name=name, role="", personality=about.get(name, "")) for name, id in ids.items()}
    world = World(
        setting=setting or "As the story so far shows it.",
        tone="As in the story so far.",
        rules="What was told stays true.",
    )
    return Pack(game=game, world=world, characters=people, chapters={"chat": chapter}), ids


def pack_with_new_cast(pack: Pack, names: Sequence[str]) -> tuple[Pack, dict[str, str]]:
    """A pack with those who speak, in its first chapter, as far as there is room."""
    known = {card.name.casefold(): id for id, card in pack.characters.items()}
    ids = {name: known[name.casefold()] for name in names if name.casefold() in known}
    new = [name for name in names if name not in ids][: MAX_CAST - len(pack.characters)]
    ids |= _ids(new, tuple(pack.characters))
    first = pack.first_chapter
    there = tuple(dict.fromkeys((*first.characters, *ids.values())))
    cards = {ids[name]: Character(name=name, role="", personality="") for name in new}
    changes = {
        "game": pack.game.model_copy(update={"characters": tuple(dict.fromkeys((*pack.characters, *cards)))}),
        "characters": {**pack.characters, **cards},
        "chapters": {**pack.chapters, first.id: first.model_copy(update={"characters": there})},
    }
    return pack.model_copy(update=changes), ids
