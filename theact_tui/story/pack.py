"""Story pack: game, world, characters, chapters. `theact_tui.packs` reads and checks it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from pydantic import Field, model_validator

from theact_tui.story.lore import LoreEntry
from theact_tui.story.script import Script
from theact_tui.story.value import Value
from theact_tui.text import is_pronoun

V = TypeVar("V", bound=Value)
PLAYER = "player"

Voice = Literal["third", "first"]
Mood = Literal["tense", "calm", "urgent", "mysterious", "humorous", "dramatic", "melancholic"]
MOODS: tuple[Mood, ...] = ("tense", "calm", "urgent", "mysterious", "humorous", "dramatic", "melancholic")


class PlayerInfo(Value):
    name: str = "You"
    description: str = ""
    """Hidden from characters until they find out."""
    known_as: str = ""
    """Phrase for what anyone can see or has heard: `the third survivor of the crash`."""

    @property
    def as_others_know(self) -> PlayerInfo:
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
    """Words with which the keeper is always asked."""
    summary_threshold: int | None = Field(default=None, ge=200, le=1_000_000)
    fold_batch: int | None = Field(default=None, ge=1, le=50)
    difficulty: int = Field(default=12, ge=1, le=30)
    player: PlayerInfo = PlayerInfo()
    voice: Voice = "third"
    credits: str = ""
    """Authors of the pack's sources; in no prompt."""
    language: str = ""
    """Such as `de`; empty for that of the texts."""


class World(Value):
    """`world.yaml`."""

    setting: str
    tone: str
    rules: str
    truth: str = ""
    """For the narrator only."""


class Character(Value):
    """`characters/<id>.yaml`. No other agent sees `secret`."""

    name: str
    role: str
    personality: str
    secret: str = ""
    known: str = ""
    """What may be said when the secret is asked about, before it may come out."""
    reveal: str = ""
    """Beat from which the secret may come out, such as `02-the-school/4`; empty: any time."""
    want: str = ""
    examples: tuple[str, ...] = Field(default=(), max_length=4)
    """Sample lines for the voice; never part of the story."""
    relationships: dict[str, str] = {}


def yes_or_no(value: object) -> bool | None:
    """Return what a word of a pack's file says, which is read as text; None if neither."""
    return {"true": True, "yes": True, "false": False, "no": False}.get(str(value).casefold())


class Chapter(Value):
    """`chapters/<id>.yaml`."""

    id: str
    title: str
    summary: str
    beats: tuple[str, ...]
    by: dict[str, str] = {}
    """Owner by beat: a character or `player`. In a file: `{text: ..., by: id}`."""
    offers: dict[str, str] = {}
    """By beat of the player: what happens first, so that the player can do it. In a file: `{..., offer: ...}`."""
    same_page: tuple[str, ...] = ()
    """Small beats that are told on the page of the beat before. In a file: `{..., same_page: true}`."""
    clues: tuple[str, ...] = Field(default=(), max_length=5)
    """Objects that may be found; for narrators who do not read the hidden truth."""
    completion: str = ""
    characters: tuple[str, ...]
    next: str | None = None
    present: tuple[str, ...] | None = None
    asleep: tuple[str, ...] = ()
    """Of those who are on stage when it opens."""
    openings: tuple[str, ...] = Field(default=(), max_length=100)
    """First page and its takes. `{player}` is the player's name."""

    @model_validator(mode="before")
    @classmethod
    def _split_beats(cls, value: Any) -> Any:
        """Split beats of the form `{text, by, offer, same_page}`."""
        if not isinstance(value, dict) or not isinstance(value.get("beats"), (list, tuple)):
            return value
        entries = [beat if isinstance(beat, dict) else {"text": beat} for beat in value["beats"]]
        if any(not {"text"} <= set(beat) <= {"text", "by", "offer", "same_page"} for beat in entries):
            return value
        if any(yes_or_no(beat.get("same_page", False)) is None for beat in entries):
            return value
        named = [beat for beat in entries if isinstance(beat["text"], str)]
        parts: dict[str, Any] = {"beats": [beat["text"] for beat in entries]}
        for field, key in (("by", "by"), ("offers", "offer")):
            listed = value.get(field, {})
            if isinstance(listed, dict) and (own := {b["text"]: b[key] for b in named if b.get(key)}):
                parts[field] = {**listed, **own}
        joined = [beat["text"] for beat in named if yes_or_no(beat.get("same_page", False))]
        if joined and isinstance(listed := value.get("same_page", []), list | tuple):
            parts["same_page"] = [*listed, *joined]
        return {**value, **parts}

    def beat_in_file(self, beat: str) -> str | dict[str, str | bool]:
        """Return a beat as a chapter's file has it."""
        parts = {"by": self.by.get(beat, ""), "offer": self.offers.get(beat, "")}
        named: dict[str, str | bool] = {key: text for key, text in parts.items() if text}
        if beat in self.same_page:
            named["same_page"] = True
        return {"text": beat, **named} if named else beat

    @property
    def opening_cast(self) -> tuple[str, ...]:
        return self.characters if self.present is None else self.present


class Pack(Value):
    """Loaded and checked pack, in the order of `game.yaml`."""

    game: GameInfo
    world: World
    characters: dict[str, Character]
    chapters: dict[str, Chapter]
    script: Script = Script()
    prompts: dict[str, str] = {}
    """Templates of `prompts/<agent>.txt`."""
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
        return {id: card.name for id, card in self.characters.items()}

    def reveal_of(self, character: str) -> tuple[str, str]:
        """Return chapter and beat of a secret; empty if left open."""
        chapter, _, number = self.characters[character].reveal.partition("/")
        beats = self.chapters[chapter].beats if chapter in self.game.chapters else ()
        place = int(number) if number.isdecimal() else 0
        return (chapter, beats[place - 1]) if 1 <= place <= len(beats) else ("", "")

    def name_of(self, character: str) -> str:
        """Return a character's name; an unknown id unchanged."""
        card = self.characters.get(character)
        return card.name if card else character


def addressed(pack: Pack, player: PlayerInfo) -> Pack:
    """Replace `{player}` by the player's name in cards, chapters, world and lore."""
    name = "you" if is_pronoun(player.name) else player.name
    return _with_texts(pack, lambda text: text.replace("{player}", name))


def unaddressed(pack: Pack, player: PlayerInfo) -> Pack:
    """Replace the player's name by `{player}`, for another hero."""
    if is_pronoun(player.name):
        return pack
    name = re.compile(rf"(?<!\w){re.escape(player.name)}(?!\w)")
    return _with_texts(pack, lambda text: name.sub("{player}", text))


def _with_texts(pack: Pack, change: Callable[[str], str]) -> Pack:
    """Change the texts that may contain the player's name."""

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
                id: changed(card, "role", "personality", "secret", "known", "want", "examples")
                for id, card in cards.items()
            },
            "chapters": {
                id: changed(chapter, "summary", "openings", "clues") for id, chapter in chapters.items()
            },
            "lore": {
                book: tuple(
                    changed(entry, "title", "text", "keys", "all_of", "any_of", "none_of")
                    for entry in entries
                )
                for book, entries in lore.items()
            },
        }
    )
