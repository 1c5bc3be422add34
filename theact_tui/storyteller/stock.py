"""Stock data for gaps in a script, and a plain script for packs without one."""

from functools import lru_cache
from importlib.resources import files

from ruamel.yaml import YAML

from theact_tui.story.matching import stems
from theact_tui.story.pack import Chapter, Pack
from theact_tui.story.script import (
    ActionKind,
    ChapterScript,
    Deed,
    Leaving,
    Opening,
    Passage,
    Script,
    ScriptScene,
    Voice,
)
from theact_tui.story.speech import is_quoting
from theact_tui.story.value import Value
from theact_tui.storyteller.language import ended, flat_paragraphs, mentions
from theact_tui.text import capital

Lines = tuple[str, ...]


class Stock(Value):
    """Neutral prose, and words to read a player's line."""

    verbs: dict[ActionKind, frozenset[str]]
    irregular: dict[str, str]
    """Base forms, such as `go` for `went`."""
    risky: frozenset[str]
    states: frozenset[str]
    """Verbs with which "I" speaks rather than acts."""
    commands: dict[str, ActionKind]
    """Abbreviations such as `l` or `ok`."""
    common: frozenset[str]
    """Everyday words that identify English."""
    things: frozenset[str]
    """Things a world may lack."""
    contact: frozenset[str]
    """Verbs of deeds to a person."""
    confided: Lines
    """Cues of a confession."""
    kept: Lines
    kept_deeds: Lines

    reactions: dict[ActionKind, Lines]
    deeds: tuple[Deed, ...]
    leaving: Leaving
    walks_off: Lines
    comes_along: Lines
    """Cues of going with or to somebody, or leaving only a thing."""
    walks_back: Lines
    asks_who_is_here: Lines
    company: Lines
    leaves_somebody: Lines
    alone: Lines
    rejoins: Lines
    sleeps: Lines
    missing: Lines
    """The player reaches for an absent thing."""
    brawl: Lines
    """The player attacks somebody."""
    away: Lines
    """The player means an absent `{name}`."""
    waiting: Lines
    """The next scene needs `{name}`, whom the player sent away."""
    interrupted: Lines
    """A scene comes before `{name}` can answer."""
    interrupted_all: Lines
    carried: Lines
    """A question left at a chapter's end."""
    success: dict[str, Lines]
    price: Lines
    """After a line of `success` or of a scene."""
    instead: dict[str, Lines]
    """Not what was tried, but something else worth having."""
    triumph: str
    disaster: str
    quiet: Lines
    after: Lines
    after_all: Lines

    unknowing: Lines
    modest: Lines
    confided_to: Lines
    recall: Lines
    repeated: Lines
    gestures: Lines
    feelings: dict[str, Lines]
    """Last sentence of a memory's summary, by mood."""
    early: str

    closes: Lines
    """After a beat without scene."""
    epilogue: str


class _Part(Value):
    cues: Lines
    lines: Lines


class Actor(Value):
    knows: str
    """Phrase of the identity these lines belong to."""
    parts: tuple[_Part, ...]
    asked: Lines
    """For a question without part."""
    any: Lines


class DirectStock(Value):
    actors: dict[str, Actor]
    plain: dict[str, Lines]
    """General lines by mood."""
    moods: dict[str, Lines]
    """Cues by mood, most urgent first."""
    genres: Lines
    tones: Lines
    themes: Lines
    bleak: Lines
    sorts: tuple[tuple[str, str, Lines], ...]
    """Part and key of the lock by cue, first match."""
    found: Lines
    changed: Lines


@lru_cache
def stock() -> Stock:
    return Stock.model_validate(_read("stock.yaml"))


@lru_cache
def direct_stock() -> DirectStock:
    return DirectStock.model_validate(_read("direct.yaml"))


def _read(name: str) -> object:
    return YAML(typ="safe").load(files("theact_tui.storyteller").joinpath(name).read_text("utf-8"))


# --- a script for a pack that has none, or not enough of one ---------------------------------------------------------


def complete(pack: Pack) -> Script:
    """Fill a script: a scene per beat, opening and recap per chapter, a voice from sample lines with speech."""
    script = pack.script
    chapters = {id: _chapter(pack, chapter, script.chapters.get(id)) for id, chapter in pack.chapters.items()}
    return script.model_copy(
        update={
            "chapters": chapters,
            "reactions": {
                **stock().reactions,
                **{kind: own for kind, own in script.reactions.items() if own},
            },
            "voices": {**_voices(pack), **script.voices},
            "epilogue": script.epilogue or _epilogue(pack),
            "afterwards": script.afterwards or tuple(Passage(narration=text) for text in stock().after),
        }
    )


def _chapter(pack: Pack, chapter: Chapter, script: ChapterScript | None) -> ChapterScript:
    gist = f"{{player}} came into “{chapter.title}”: {ended(chapter.summary.split('. ')[0])}"
    script = script or ChapterScript(opened=Opening(gist=gist))
    scenes = script.scenes[: len(chapter.beats)]
    missing = range(len(scenes), len(chapter.beats))
    return script.model_copy(
        update={
            "opening": script.opening or next(iter(chapter.openings), "") or _opening(pack, chapter),
            "scenes": (*scenes, *(_scene(pack, chapter, index) for index in missing)),
            "recap": script.recap or _recap(chapter),
        }
    )


def _opening(pack: Pack, chapter: Chapter) -> str:
    first = pack.first_chapter.id == chapter.id
    where = flat_paragraphs(pack.world.setting) if first else ["Time has passed, and the story has moved on."]
    lead = pack.game.title if first else chapter.title
    sentences = (ended(capital(text)) for text in flat_paragraphs(chapter.summary))
    return "\n\n".join([f"{ended(lead)} {' '.join(where)}", *sentences, _cast(pack, chapter)])


def _cast(pack: Pack, chapter: Chapter) -> str:
    roles = ((pack.name_of(id), pack.characters[id].role.rstrip(".")) for id in chapter.opening_cast)
    people = [f"{name}, {role}" if role else name for name, role in roles]
    if not people:
        return "You are alone, and the first move is yours."
    return f"You are not alone. With you: {'; '.join(people)}. The first move is yours."


def _scene(pack: Pack, chapter: Chapter, index: int) -> ScriptScene:
    beat, closes = chapter.beats[index], stock().closes
    turn = index + len(chapter.beats) * list(pack.chapters).index(chapter.id)
    gist = ended(capital(beat))
    casts = [_cast_by(pack, chapter, count) for count in (index, index + 1)]
    return ScriptScene(
        narration=f"{gist}\n\n{closes[turn % len(closes)]}",
        cues=tuple(sorted(stems(beat) - stems(" ".join(pack.names.values())))),
        gist=gist,
        present=casts[1] if casts[0] != casts[1] else None,
    )


def _cast_by(pack: Pack, chapter: Chapter, beats: int) -> tuple[str, ...]:
    beats_so_far = chapter.beats[:beats]

    def comes(id: str) -> bool:
        return any(chapter.by.get(beat) == id or mentions(beat, pack.name_of(id)) for beat in beats_so_far)

    return tuple(id for id in chapter.characters if id in chapter.opening_cast or comes(id))


def _recap(chapter: Chapter) -> str:
    if not chapter.beats:
        return f"“{chapter.title}” is told."
    beats = [beat.rstrip(".") for beat in chapter.beats]
    middle = "; ".join(beats[1:-1][:4])
    text = f"“{chapter.title}” began like this: {ended(beats[0])}"
    if middle:
        text += f" What followed: {ended(middle)}"
    return f"{text} And last: {ended(beats[-1])}" if len(beats) > 1 else text


def _epilogue(pack: Pack) -> str:
    names = [pack.name_of(id) for id in pack.game.characters]
    called = "the name" if len(names) == 1 else "the names"
    others = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    values = {"title": pack.game.title, "called": called, "others": others, "moments": "{moments}"}
    return stock().epilogue.format(**values)


def _voices(pack: Pack) -> dict[str, Voice]:
    spoken_examples = {
        id: tuple(filter(is_quoting, person.examples)) for id, person in pack.characters.items()
    }
    return {id: Voice(lines={"any": lines}) for id, lines in spoken_examples.items() if lines}
