"""Settle names and macros of chats, once the player and the cards are known."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from theact_tui.importing.card_to_character import with_settled_names
from theact_tui.importing.chat import Chat, ChatMessage, name_of
from theact_tui.importing.macros import MACRO, Expansion
from theact_tui.importing.report import LeftOut

_PLAYER_MACRO = re.compile(r"\{\{\s*(?:user|u)\s*\}\}|<user>", re.IGNORECASE)


def settled(chat: Chat, player: str) -> Chat:
    """Expand the macros of a chat; `{{char}}` is the last speaker. Messages of our own export stay as they are."""
    lost: dict[str, None] = {}
    about = [with_settled_names(card, player) for card in chat.people.values()]
    speaker = next((card.called for card in about), "")
    expand_name = Expansion(speaker, player=player, left_out=lost)
    names = {name: name_of(expand_name(name), name) for name in chat.cast}
    speaker = next(iter(names.values()), speaker)

    def settle(text: str) -> str:
        if not MACRO.search(text):
            return text
        return Expansion(speaker, seed=text, player=player, left_out=lost)(text).strip()

    def settle_message(message: ChatMessage) -> ChatMessage:
        takes = tuple(tuple(map(settle_message, take)) for take in message.takes)
        return replace(message, text=settle(message.text), summary=settle(message.summary), takes=takes)

    messages: list[ChatMessage] = []
    for message in chat.messages:
        if message.role == "character":
            speaker = names[message.name]
        messages.append(message if message.turn is not None else settle_message(message))
    told = replace(
        chat,
        messages=tuple(message for message in messages if message.text),
        people={card.name: card for card in about},
        setting=settle(chat.setting),
        note=settle(chat.note),
        left_out=(*chat.left_out, *map(LeftOut, lost)),
    )
    return renamed(told, lambda message: names.get(message.name, message.name))


def renamed(chat: Chat, name_in: Callable[[ChatMessage], str]) -> Chat:
    def rename(message: ChatMessage) -> ChatMessage:
        if message.role != "character":
            return message
        takes = tuple(tuple(map(rename, take)) for take in message.takes)
        return replace(message, name=name_in(message), takes=takes)

    return replace(chat, messages=tuple(map(rename, chat.messages)))


def names_player(chats: Iterable[Chat]) -> bool:
    """Return whether a macro for the player is left in the chats."""
    return any(
        _PLAYER_MACRO.search(text) for chat in chats for text in (*chat.texts(), chat.setting, chat.note)
    )


def named_by_card(chats: Sequence[Chat], cards: Mapping[str, str]) -> list[Chat]:
    """Give all lines of a card one name: that in `cards`, names by file; else the file's, if it was used; else the last."""
    used: dict[str, list[str]] = {}
    for message in (message for chat in reversed(chats) for message in chat.messages if message.avatar):
        used.setdefault(message.avatar, []).append(message.name)
    names: dict[str, str] = {}
    for avatar, own in used.items():
        stem = PurePath(avatar).stem
        name = cards.get(avatar) or (stem if stem in own else own[-1])
        is_taken = avatar not in cards and name in names.values()
        names[avatar] = f"{name} {len(names) + 1}" if is_taken else name
    return [_named_by_card(chat, names) for chat in chats]


def _named_by_card(chat: Chat, names: Mapping[str, str]) -> Chat:
    cast = ((message.name, names.get(message.avatar, message.name)) for message in chat.messages)
    others = {old: new for old, new in cast if old != new}
    if not others:
        return chat
    told = ", ".join(f"{old} is {new}" for old, new in others.items())
    left_out = LeftOut(f"By the card that their lines name: {told} here.", told)
    away = tuple(dict.fromkeys(others.get(name, name) for name in chat.away))
    changed = replace(chat, left_out=(*chat.left_out, left_out), away=away)
    return renamed(changed, lambda message: names.get(message.avatar, message.name))
