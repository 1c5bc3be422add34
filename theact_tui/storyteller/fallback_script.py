"""A script for a pack that has none, or not enough of one: plain and honest, made of what the pack does say."""

from __future__ import annotations

import re

from theact_tui import yaml
from theact_tui.story.pack import Chapter, Pack
from theact_tui.story.script import ChapterScript, Opening, Passage, Scene, Script, Voice
from theact_tui.story.speech import is_quoting, split_sentences
from theact_tui.storyteller.language import capital, ended, paragraphs
from theact_tui.storyteller.stock import stock

SETTING_WORDS = 32
MADE = "# Made by theact-tui from the pack's other files"
"""How a `storyteller.yaml` begins that the program may make again."""
_HEAD = f"""\
{MADE}, and updated when you change them in the Write screen.
# Remove the line above before you edit this file: then the program leaves it alone.
"""
QUIET = 4
"""Passages of each chapter for turns in which nothing happens; an author replaces them."""


def complete(pack: Pack) -> Script:
    """The pack's script with every gap filled: each beat has a scene, each chapter an opening and a recap."""
    told = pack.script
    chapters = {id: _chapter(pack, chapter, told.chapters.get(id)) for id, chapter in pack.chapters.items()}
    return told.model_copy(
        update={
            "chapters": chapters,
            "reactions": {**stock().reactions, **{kind: own for kind, own in told.reactions.items() if own}},
            "epilogue": told.epilogue or _epilogue(pack),
            "afterwards": told.afterwards or tuple(Passage(narration=text) for text in stock().after),
        }
    )


def _chapter(pack: Pack, chapter: Chapter, told: ChapterScript | None) -> ChapterScript:
    told = told or ChapterScript()
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
    where = paragraphs(pack.world.setting) if first else ["Time has passed, and the story has moved on."]
    lead = pack.game.title if first else chapter.title
    return "\n\n".join(
        [
            f"{ended(lead)} {' '.join(where)}",
            *(ended(capital(text)) for text in paragraphs(chapter.summary)),
            _cast(pack, chapter),
        ]
    )


def _cast(pack: Pack, chapter: Chapter) -> str:
    roles = ((pack.name_of(id), pack.characters[id].role.rstrip(".")) for id in chapter.opening_cast)
    people = [f"{name}, {role}" if role else name for name, role in roles]
    if not people:
        return "You are alone, and the first move is yours."
    return f"You are not alone. With you: {'; '.join(people)}. The first move is yours."


def _scene(pack: Pack, chapter: Chapter, index: int) -> Scene:
    beat = chapter.beats[index]
    turn = index + len(chapter.beats) * list(pack.chapters).index(chapter.id)
    around = [s for s in split_sentences(pack.world.setting) if _stands_alone(s)]
    setting = around[turn % len(around)] if around else ""
    leads, closes = stock().leads, stock().closes
    told = f"{setting} {leads[turn % len(leads)]} {ended(capital(beat))}".strip()
    gist = ended(capital(beat))
    come = chapter.characters if index == 0 and chapter.present is not None else None
    return Scene(
        narration=f"{told}\n\n{closes[turn % len(closes)]}", cues=_cues(beat), gist=gist, present=come
    )


def _stands_alone(sentence: str) -> bool:
    """True if a sentence of the setting can be told by itself."""
    goes_on = re.match(r"(?:It|They|He|She|This|These|There|But)\b", sentence)
    return not goes_on and len(sentence.split()) <= SETTING_WORDS


def _cues(beat: str) -> tuple[str, ...]:
    """The longer words of a beat, so that a player who goes for it gets there."""
    found = [word.strip(".,;:!?'\"").casefold() for word in beat.split()]
    return tuple(word[:7] for word in found if len(word) > 5 and word.isalpha())


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


def script_text(pack: Pack) -> str:
    """`storyteller.yaml` for a pack without one. First pages stay in the chapters."""
    script = complete(with_script(pack))
    chapters = {id: told.model_copy(update={"opening": ""}) for id, told in script.chapters.items()}
    told = script.model_copy(update={"chapters": chapters}).model_dump(mode="json", exclude_defaults=True)
    return _HEAD + yaml.dump(told).decode()


def with_script(pack: Pack) -> Pack:
    """A pack with a first script: what each first page leaves behind, quiet passages, spoken sample lines as voices."""
    quiet = tuple(Passage(narration=text) for text in stock().quiet[:QUIET])
    chapters = {}
    for id, chapter in pack.chapters.items():
        gist = f"{{player}} came into “{chapter.title}”: {ended(chapter.summary.split('. ')[0])}"
        opened = Opening(gist="{player}".join(map(_unbraced, gist.split("{player}"))))
        chapters[id] = ChapterScript(opened=opened, ambient=quiet)
    voices = {}
    for id, person in pack.characters.items():
        lines = tuple(_unbraced(line) for line in person.examples if is_quoting(line))
        voices[id] = Voice(lines={"any": lines} if lines else {})
    return pack.model_copy(update={"script": Script(chapters=chapters, voices=voices)})


def _unbraced(text: str) -> str:
    """Braces mean something in a script; those of an author are brackets."""
    return text.replace("{", "(").replace("}", ")")
