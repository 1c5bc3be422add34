"""What a pack is: a game, its world, characters and chapters. Reading and checking packs is in `theact_tui.packs`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from pydantic import Field, model_validator

from theact_tui.story.base import Value
from theact_tui.story.lore import LoreEntry
from theact_tui.story.script import Script
from theact_tui.text import is_pronoun

V = TypeVar("V", bound=Value)
PLAYER = "player"
"""Whose act a beat is that is the player's to do or refuse, beside the ids of characters."""

Voice = Literal["third", "first"]
"""The person in which characters tell of themselves."""
Mood = Literal["tense", "calm", "urgent", "mysterious", "humorous", "dramatic", "melancholic"]
MOODS: tuple[Mood, ...] = ("tense", "calm", "urgent", "mysterious", "humorous", "dramatic", "melancholic")


class PlayerInfo(Value):
    """Who the player is in the story."""

    name: str = "You"
    description: str = ""
    """Who that is; characters are not told, and find it out in the story."""
    known_as: str = ""
    """What anybody can see of them or has heard, one phrase: `the third survivor of the crash`."""

    @property
    def as_others_know(self) -> PlayerInfo:
        """The same without what only the narrator knows."""
        return self.model_copy(update={"description": ""})


class GameInfo(Value):
    """`game.yaml`."""

    id: str
    title: str
    description: str
    characters: tuple[str, ...] = Field(min_length=1, max_length=7)
    chapters: tuple[str, ...] = Field(min_length=1)
    memory: Literal["facts", "cells"] = "facts"
    memory_cells: int = Field(default=5, ge=1, le=10)
    moments: Literal["on", "off"] = "on"
    keeper: Literal["off", "risky", "always"] = "off"
    risky_words: tuple[str, ...] = ()
    """Words that throw the dice wherever they stand in a line, without asking the keeper."""
    summary_threshold: int = Field(default=1_500, ge=200, le=1_000_000)
    """Tokens of turns told word for word above which the older ones are folded into the summary."""
    fold_batch: int = Field(default=6, ge=1, le=50)
    """Turns that must have gathered before they are folded."""
    difficulty: int = Field(default=12, ge=1, le=30)
    player: PlayerInfo = PlayerInfo()
    voice: Voice = "third"
    """The person in which characters tell what they do and say; speech stands in double quotes in both."""
    credits: str = ""
    """Who made what the pack is made of; in no prompt."""
    language: str = ""
    """The language the story is told in, such as `de`; empty: that of the pack's texts."""


class World(Value):
    """`world.yaml`."""

    setting: str
    """What anybody in the story could see or know."""
    tone: str
    rules: str
    truth: str = ""
    """What lies behind it: only the narrator is told."""


class Character(Value):
    """`characters/<id>.yaml`. `secret` is never shown to any other agent."""

    name: str
    role: str
    personality: str
    secret: str = ""
    reveal: str = ""
    """The beat at which the secret may come out, as `chapter/number`, such as `02-the-school/4`; before it the
    character is told to dodge. Empty: whenever the character sees fit."""
    want: str = ""
    """What the character is after, one sentence."""
    examples: tuple[str, ...] = Field(default=(), max_length=4)
    """Lines the character could say: they show its voice and are never part of the story."""
    relationships: dict[str, str] = {}


class Chapter(Value):
    """`chapters/<id>.yaml`."""

    id: str
    title: str
    summary: str
    beats: tuple[str, ...]
    """Empty, with no `completion`: an open chapter, which leads nowhere and does not end."""
    by: dict[str, str] = {}
    """The character whose act a beat is, or `player`, by the beat's text. In a file it stands with the beat:
    `{text: ..., by: id}`."""
    completion: str = ""
    characters: tuple[str, ...]
    next: str | None = None
    present: tuple[str, ...] | None = None
    openings: tuple[str, ...] = Field(default=(), max_length=100)
    """The first page, told as it is written; the others are its takes. `{player}` is the player's name."""

    @model_validator(mode="before")
    @classmethod
    def _whose_beats(cls, value: Any) -> Any:
        """Takes beats of the form `{text, by}` apart."""
        if not isinstance(value, dict) or not isinstance(value.get("beats"), (list, tuple)):
            return value
        given = [beat if isinstance(beat, dict) else {"text": beat} for beat in value["beats"]]
        if any(not {"text"} <= set(beat) <= {"text", "by"} for beat in given):
            return value
        owned = (beat for beat in given if beat.get("by") and isinstance(beat["text"], str))
        owners = {beat["text"]: beat["by"] for beat in owned}
        by = {"by": {**value.get("by", {}), **owners}} if owners else {}
        return {**value, "beats": [beat["text"] for beat in given], **by}

    @property
    def opening_cast(self) -> tuple[str, ...]:
        """Ids on stage when the chapter opens."""
        return self.characters if self.present is None else self.present


class Pack(Value):
    """A whole pack, loaded and checked. Characters and chapters are in the order of `game.yaml`."""

    game: GameInfo
    world: World
    characters: dict[str, Character]
    chapters: dict[str, Chapter]
    script: Script = Script()
    """`storyteller.yaml`: what the offline storyteller has to tell; empty when the pack has none."""
    prompts: dict[str, str] = {}
    """Prompt templates of `prompts/<agent>.txt` by agent."""
    lore: dict[str, tuple[LoreEntry, ...]] = {}
    """`lore/<book>.yaml` by book."""

    @property
    def id(self) -> str:
        return self.game.id

    @property
    def first_chapter(self) -> Chapter:
        return self.chapters[self.game.chapters[0]]

    @property
    def lore_entries(self) -> tuple[LoreEntry, ...]:
        return tuple(entry for entries in self.lore.values() for entry in entries)

    @property
    def names(self) -> dict[str, str]:
        """Names of all characters by id."""
        return {id: card.name for id, card in self.characters.items()}

    def name_of(self, character: str) -> str:
        """The name of a character id; the id itself when the pack does not know it."""
        known = self.characters.get(character)
        return known.name if known else character


def addressed(pack: Pack, player: PlayerInfo) -> Pack:
    """The pack with the player's name where cards, chapters, world and lore say `{player}`."""
    name = "you" if is_pronoun(player.name) else player.name
    return _with_texts(pack, lambda text: text.replace("{player}", name))


def unaddressed(pack: Pack, player: PlayerInfo) -> Pack:
    """The pack of a story with `{player}` in place of the player's name, for another hero; a pronoun stays."""
    if is_pronoun(player.name):
        return pack
    name = re.compile(rf"(?<!\w){re.escape(player.name)}(?!\w)")
    return _with_texts(pack, lambda text: name.sub("{player}", text))


def _with_texts(pack: Pack, change: Callable[[str], str]) -> Pack:
    """The pack with those texts changed in which the player's name may stand."""

    def changed(value: V, *fields: str) -> V:
        texts = {field: getattr(value, field) for field in fields}
        update: dict[str, Any] = {
            field: change(text) if isinstance(text, str) else tuple(map(change, text))
            for field, text in texts.items()
        }
        return value.model_copy(update=update)

    cards, chapters, lore = pack.characters, pack.chapters, pack.lore
    return pack.model_copy(
        update={
            "world": changed(pack.world, "setting", "tone", "rules", "truth"),
            "characters": {
                id: changed(card, "role", "personality", "secret", "want", "examples")
                for id, card in cards.items()
            },
            "chapters": {id: changed(chapter, "summary", "openings") for id, chapter in chapters.items()},
            "lore": {
                book: tuple(changed(entry, "text") for entry in entries) for book, entries in lore.items()
            },
        }
    )
