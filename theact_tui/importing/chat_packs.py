"""The pack of an imported chat: the user's own with the same people, or a new one of those who speak most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from theact_tui.importing.cards import Card
from theact_tui.importing.chat import Chat
from theact_tui.importing.macros import Expansion
from theact_tui.importing.pack_maker import PackMaker
from theact_tui.packs.listing import PackEntry
from theact_tui.packs.loader import load_pack
from theact_tui.story.cast import MAX_CAST
from theact_tui.story.pack import Pack
from theact_tui.text import slug


def pack_with(names: Sequence[str], own: Iterable[PackEntry]) -> Pack | None:
    """The one of the user's `own` packs that has all these characters; None unless there is exactly one."""
    wanted = {name.casefold() for name in names}
    fitting = [entry for entry in own if wanted and wanted <= {name.casefold() for name, _ in entry.cast}]
    return load_pack(fitting[0].folder) if len(fitting) == 1 else None


def pack_of(
    title: str,
    names: Sequence[str],
    chats: Sequence[Chat],
    before: Pack | None,
    also: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Pack, dict[str, str], PackMaker]:
    """A pack, or `before`, with those who speak most as far as there is room, and with the lore of the chats; the ids of
    its characters by the name they have in the chats; and what is to be said of it. `also` are further names of
    characters of `before`, with their ids."""
    make = PackMaker(before)
    there = {person.name.casefold(): id for id, person in make.everyone.items()}
    there |= {name.casefold(): id for name, id in also.items()}
    ids = {name: there[name.casefold()] for name in names if name.casefold() in there}
    about = {name: card for chat in reversed(chats) for name, card in chat.people.items()}
    for name in [name for name in names if name not in ids][: MAX_CAST - len(make.everyone)]:
        ids[name] = make.add_card(about.get(name) or Card(name=name), is_told=True)
    for name, card in about.items():
        if ids.get(name) in there.values():
            make.lose(
                f"What the file says of {name}, who is in the pack", f"{card.description} {card.personality}"
            )
    for chat in chats:
        if chat.book:
            make.add_lore(slug(title, "lore", 40), chat.book, Expansion(seed=chat.source))
    settings = [*dict.fromkeys(filter(None, (chat.setting for chat in chats)))]
    make.cards += [(Card(scenario=setting), Expansion()) for setting in settings[:1]]
    rest = [each for each in settings if each not in before.world.setting] if before else settings[1:]
    make.lose("What the files say of the world", " ".join(rest))
    if before is None:
        return make.pack(slug(title), title=title, told=True), ids, make
    pack = make.pack(before.id)
    first = pack.first_chapter
    on_stage = tuple(dict.fromkeys((*first.characters, *ids.values())))
    chapters = {**pack.chapters, first.id: first.model_copy(update={"characters": on_stage})}
    return pack.model_copy(update={"chapters": chapters}), ids, make
