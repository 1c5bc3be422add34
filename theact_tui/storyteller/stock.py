"""The storyteller's own data: `stock.yaml` for what a pack's script leaves out, `direct.yaml` for direct mode."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from ruamel.yaml import YAML

from theact_tui.story.base import Value
from theact_tui.story.script import ActionKind, Deed, Leaving

Lines = tuple[str, ...]


class Stock(Value):
    """Neutral prose that fits any world, and the words by which a player's line is read."""

    verbs: dict[ActionKind, frozenset[str]]
    """Base forms, by the kind of action."""
    irregular: dict[str, str]
    """Other forms of verbs by base form, such as `went` for `go`."""
    risky: frozenset[str]
    """Verbs of deeds that may fail."""
    states: frozenset[str]
    """Verbs with which "I" says something rather than does it."""
    commands: dict[str, ActionKind]
    """Whole lines that are short for something, such as `l` or `ok`."""
    common: frozenset[str]
    """Everyday words, by which English is told from other languages and from nonsense."""
    things: frozenset[str]
    """Things players reach for that a world may not have."""
    contact: frozenset[str]
    """Verbs of what is done to somebody."""
    confided: Lines
    """Cues of a secret or a confession."""
    kept: Lines
    """Cues of words that one remembers of another person: promises, confessions."""
    kept_deeds: Lines
    """The same for deeds: gifts, embraces."""

    reactions: dict[ActionKind, Lines]
    deeds: tuple[Deed, ...]
    leaving: Leaving
    walks_off: Lines
    """Cues of a player who walks off alone."""
    comes_along: Lines
    """Cues of one who goes with somebody, or to somebody."""
    missing: Lines
    """The player reaches for a thing that is not here."""
    brawl: Lines
    """The player goes for somebody."""
    away: Lines
    """The player means somebody who is not here, `{name}`."""
    waiting: Lines
    """The next scene cannot be told without `{name}`, whom the player sent away."""
    interrupted: Lines
    """A scene comes before `{name}` can answer."""
    interrupted_all: Lines
    carried: Lines
    """A question with which a chapter ends."""
    success: dict[str, Lines]
    failure: dict[str, Lines]
    triumph: str
    disaster: str
    quiet: Lines
    after: Lines
    after_all: Lines
    """Told after the end once everything else has been told; the deeds of the player are answered beside it."""

    unknowing: Lines
    modest: Lines
    confided_to: Lines
    owed: Lines
    """In front of an answer that comes a turn late."""
    recall: Lines
    repeated: Lines
    gestures: Lines
    feelings: dict[str, Lines]
    """The last sentence of a memory's summary, by mood."""
    early: str
    """Fills the summary of a memory that has little in it yet."""

    closes: Lines
    """After a beat that has no scene."""
    epilogue: str


class Part(Value):
    """What an actor of the shipped example has to say to certain words of the game master."""

    cues: Lines
    lines: Lines


class Actor(Value):
    """The lines written for one actor."""

    knows: str
    """A phrase of the identity that these lines belong to."""
    parts: tuple[Part, ...]
    asked: Lines
    """To a question that no part answers."""
    any: Lines


class DirectStock(Value):
    """What actors of direct mode say, and the words by which Setup and log are read."""

    actors: dict[str, Actor]
    plain: dict[str, Lines]
    """Lines of anybody, by what the game master's words are about."""
    moods: dict[str, Lines]
    """Cues of what these words are about; earlier ones come first."""
    genres: Lines
    tones: Lines
    themes: Lines
    bleak: Lines
    sorts: tuple[tuple[str, str, Lines], ...]
    """Part and key of the lock under which a sentence with such a cue belongs, the first that fits."""
    found: Lines
    changed: Lines


@lru_cache
def stock() -> Stock:
    """What the package ships for play."""
    return Stock.model_validate(_read("stock.yaml"))


@lru_cache
def direct_stock() -> DirectStock:
    """What the package ships for direct mode."""
    return DirectStock.model_validate(_read("direct.yaml"))


def _read(name: str) -> object:
    return YAML(typ="safe").load(files("theact_tui.storyteller").joinpath(name).read_text("utf-8"))
