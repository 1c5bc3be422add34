"""What a pack's script leaves out: the storyteller's own data (`stock.yaml`; `direct.yaml` for direct mode), and a script
for a pack that has none, plain and honest, made of what the pack does say."""

from functools import lru_cache
from importlib.resources import files

from ruamel.yaml import YAML

from theact_tui.story.base import Value
from theact_tui.story.matching import stems
from theact_tui.story.pack import Chapter, Pack
from theact_tui.story.script import (
    ActionKind,
    ChapterScript,
    Deed,
    Leaving,
    Opening,
    Passage,
    Scene,
    Script,
    Voice,
)
from theact_tui.story.speech import is_quoting
from theact_tui.storyteller.language import capital, ended, flat_paragraphs, mentions

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
    """Cues of one who goes with somebody, or to somebody, or leaves only a thing as it is."""
    walks_back: Lines
    """Cues of one who had walked off and goes back to the others."""
    sleeps: Lines
    """Cues of one who goes to sleep."""
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
    leads: Lines
    """Sentences of a chapter before what `{name}` said."""


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


# --- a script for a pack that has none, or not enough of one ---------------------------------------------------------


def complete(pack: Pack) -> Script:
    """The pack's script with every gap filled: each beat has a scene, each chapter an opening and a recap,
    each character its own sample lines with speech as a voice."""
    told = pack.script
    chapters = {id: _chapter(pack, chapter, told.chapters.get(id)) for id, chapter in pack.chapters.items()}
    return told.model_copy(
        update={
            "chapters": chapters,
            "reactions": {**stock().reactions, **{kind: own for kind, own in told.reactions.items() if own}},
            "voices": {**_voices(pack), **told.voices},
            "epilogue": told.epilogue or _epilogue(pack),
            "afterwards": told.afterwards or tuple(Passage(narration=text) for text in stock().after),
        }
    )


def _chapter(pack: Pack, chapter: Chapter, told: ChapterScript | None) -> ChapterScript:
    gist = f"{{player}} came into “{chapter.title}”: {ended(chapter.summary.split('. ')[0])}"
    told = told or ChapterScript(opened=Opening(gist=gist))
    scenes = told.scenes[: len(chapter.beats)]
    missing = range(len(scenes), len(chapter.beats))
    return told.model_copy(
        update={
            "opening": told.opening or next(iter(chapter.openings), "") or _opening(pack, chapter),
            "scenes": (*scenes, *(_scene(pack, chapter, index) for index in missing)),
            "recap": told.recap or _recap(chapter),
        }
    )


def _opening(pack: Pack, chapter: Chapter) -> str:
    first = pack.first_chapter.id == chapter.id
    where = flat_paragraphs(pack.world.setting) if first else ["Time has passed, and the story has moved on."]
    lead = pack.game.title if first else chapter.title
    told = (ended(capital(text)) for text in flat_paragraphs(chapter.summary))
    return "\n\n".join([f"{ended(lead)} {' '.join(where)}", *told, _cast(pack, chapter)])


def _cast(pack: Pack, chapter: Chapter) -> str:
    roles = ((pack.name_of(id), pack.characters[id].role.rstrip(".")) for id in chapter.opening_cast)
    people = [f"{name}, {role}" if role else name for name, role in roles]
    if not people:
        return "You are alone, and the first move is yours."
    return f"You are not alone. With you: {'; '.join(people)}. The first move is yours."


def _scene(pack: Pack, chapter: Chapter, index: int) -> Scene:
    """A beat by itself; whoever acts in it or is named there comes in with it."""
    beat, closes = chapter.beats[index], stock().closes
    turn = index + len(chapter.beats) * list(pack.chapters).index(chapter.id)
    gist = ended(capital(beat))
    came = [_cast_by(pack, chapter, count) for count in (index, index + 1)]
    return Scene(
        narration=f"{gist}\n\n{closes[turn % len(closes)]}",
        cues=tuple(sorted(stems(beat) - stems(" ".join(pack.names.values())))),
        gist=gist,
        present=came[1] if came[0] != came[1] else None,
    )


def _cast_by(pack: Pack, chapter: Chapter, beats: int) -> tuple[str, ...]:
    """Who is there or has come in when so many beats are told."""
    told = chapter.beats[:beats]

    def comes(id: str) -> bool:
        return any(chapter.by.get(beat) == id or mentions(beat, pack.name_of(id)) for beat in told)

    return tuple(id for id in chapter.characters if id in chapter.opening_cast or comes(id))


def _recap(chapter: Chapter) -> str:
    if not chapter.beats:
        return f"“{chapter.title}” is told."
    beats = [beat.rstrip(".") for beat in chapter.beats]
    middle = "; ".join(beats[1:-1][:4])
    told = f"“{chapter.title}” began like this: {ended(beats[0])}"
    if middle:
        told += f" What followed: {ended(middle)}"
    return f"{told} And last: {ended(beats[-1])}" if len(beats) > 1 else told


def _epilogue(pack: Pack) -> str:
    names = [pack.name_of(id) for id in pack.game.characters]
    called = "the name" if len(names) == 1 else "the names"
    others = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    known = {"title": pack.game.title, "called": called, "others": others, "moments": "{moments}"}
    return stock().epilogue.format(**known)


def _voices(pack: Pack) -> dict[str, Voice]:
    said = {id: tuple(filter(is_quoting, person.examples)) for id, person in pack.characters.items()}
    return {id: Voice(lines={"any": lines}) for id, lines in said.items() if lines}
