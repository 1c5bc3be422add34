"""Who heard which message of a group chat, where nobody wrote it down: a guess from who speaks when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from theact_tui.importing.chat import Chat, Message
from theact_tui.story.names import Names

LEAST_BACK = 3
"""Messages back from one to those whose speakers hear it; in a larger group as many as there are people."""
AWAY = 2
"""Times as many messages without a word of somebody after whom they were away: their next word says that they came."""


def with_hearers(chat: Chat) -> Chat:
    """The chat with the names of those who heard each message, where several characters speak and it does not say.

    A message is heard by who spoke in one of the last messages, by who speaks next unless they were away until then, and by
    whom it calls by name. `tests/benchmarks/percept.py` measures it on conversations with marked hearers.
    """
    if len(chat.cast) < 2 or any(message.witnesses is not None for message in chat.messages):
        return chat
    heard = guessed([(_speaker(message), message.text) for message in chat.messages])
    messages = [
        message if message.hidden else _heard_by(message, names)
        for message, names in zip(chat.messages, heard, strict=True)
    ]
    return replace(chat, messages=tuple(messages))


def _speaker(message: Message) -> str:
    return {"character": message.name, "player": "\0"}.get(message.role, "")


def _heard_by(message: Message, names: Sequence[str]) -> Message:
    takes = tuple(tuple(replace(one, hearers=tuple(names)) for one in take) for take in message.takes)
    return replace(message, hearers=tuple(names), takes=takes)


def guessed(messages: Sequence[tuple[str, str]]) -> list[tuple[str, ...]]:
    """Who hears each of some messages, given who says what; a speaker hears what they say. No name: nobody's message."""
    people = list(dict.fromkeys(speaker for speaker, _ in messages if speaker))
    names, back = Names({name: name for name in people}), max(LEAST_BACK, len(people))
    spoken: list[str] = []
    made: list[set[str]] = []
    waiting: list[int] = []
    for place, (speaker, text) in enumerate(messages):
        if speaker:
            if speaker in spoken[-AWAY * back :] or len(spoken) < len(people):
                for before in waiting:
                    made[before].add(speaker)
            waiting.clear()
        made.append({speaker, *spoken[-back:], *names.called(text)} - {""})
        waiting.append(place)
        if speaker:
            spoken.append(speaker)
    return [tuple(name for name in people if name in heard) for heard in made]
