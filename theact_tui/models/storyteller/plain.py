"""A script for a pack that has none, or not enough of one: plain and honest, made of what the pack does say."""

from __future__ import annotations

import re

from theact_tui.models.storyteller.find import paragraphs, sentences
from theact_tui.models.storyteller.stock import AFTER, CLOSES, ECHOES, LEADS
from theact_tui.story.pack import Chapter, Pack
from theact_tui.story.script import ChapterScript, Passage, Scene, Script

SETTING_WORDS = 32


def complete(pack: Pack) -> Script:
    """The pack's script with every gap filled: each beat has a scene, each chapter an opening and a recap."""
    told = pack.script
    chapters = {id: _chapter(pack, chapter, told.chapters.get(id)) for id, chapter in pack.chapters.items()}
    return told.model_copy(
        update={
            "chapters": chapters,
            "echoes": {**ECHOES, **{kind: echoes for kind, echoes in told.echoes.items() if echoes}},
            "epilogue": told.epilogue or _epilogue(pack),
            "afterwards": told.afterwards or tuple(Passage(narration=text) for text in AFTER),
        }
    )


def _chapter(pack: Pack, chapter: Chapter, told: ChapterScript | None) -> ChapterScript:
    told = told or ChapterScript()
    scenes = told.scenes[: len(chapter.beats)]
    missing = range(len(scenes), len(chapter.beats))
    return told.model_copy(
        update={
            "opening": told.opening or _opening(pack, chapter),
            "scenes": (*scenes, *(_scene(pack, chapter, index) for index in missing)),
            "recap": told.recap or _recap(chapter),
        }
    )


def _opening(pack: Pack, chapter: Chapter) -> str:
    first = pack.first_chapter.id == chapter.id
    where = paragraphs(pack.world.setting) if first else ["Time has passed, and the story has moved on."]
    lead = pack.game.title if first else chapter.title
    return "\n\n".join(
        [f"{ended(lead)} {' '.join(where)}", *paragraphs(chapter.summary), _cast(pack, chapter)]
    )


def _cast(pack: Pack, chapter: Chapter) -> str:
    people = [f"{pack.name_of(id)}, {pack.characters[id].role.rstrip('.')}" for id in chapter.opening_cast]
    if not people:
        return "You are alone, and the first move is yours."
    return f"You are not alone. With you: {'; '.join(people)}. The first move is yours."


def _scene(pack: Pack, chapter: Chapter, index: int) -> Scene:
    beat = chapter.beats[index]
    turn = index + len(chapter.beats) * list(pack.chapters).index(chapter.id)
    around = [s for s in sentences(pack.world.setting) if _stands_alone(s)]
    setting = around[turn % len(around)] if around else ""
    told = f"{setting} {LEADS[turn % len(LEADS)]} {ended(capital(beat))}".strip()
    gist = ended(capital(beat))
    return Scene(narration=f"{told}\n\n{CLOSES[turn % len(CLOSES)]}", cues=_cues(beat), gist=gist)


def _stands_alone(sentence: str) -> bool:
    """True if a sentence of the setting can be told by itself."""
    words = sentence.split()
    return len(words) <= SETTING_WORDS and words[0] not in (
        "It",
        "They",
        "He",
        "She",
        "This",
        "These",
        "There",
        "But",
    )


def _cues(beat: str) -> tuple[str, ...]:
    """The longer words of a beat, so that a player who goes for it gets there."""
    found = [word.strip(".,;:!?'\"").casefold() for word in beat.split()]
    return tuple(word[:7] for word in found if len(word) > 5 and word.isalpha())


def _recap(chapter: Chapter) -> str:
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
    return (
        f"This is where the story called “{pack.game.title}” ends, though nothing in it ever quite stops. "
        "You go on, as people do, and at first you think about it every day. {moments}\n\n"
        "Later you think about it less, and then, without warning, all of it is back: a certain light, a voice in "
        f"another room, the sound of steps on an uneven floor. {others}: you still say {called} aloud sometimes, "
        "to nobody, to make sure that it was so. What was said in those days and what was left unsaid have grown "
        "together by now, and you could not always tell which was which.\n\n"
        "You keep one thing from that time where you can see it. It is worth nothing, and visitors overlook it. In "
        "the evening, when the sun comes in low, it throws a shadow much longer than itself across the table, as "
        "far as the door, and you leave the lamp unlit a little longer."
    )


def ended(text: str) -> str:
    """`text` with a full stop, if it has no end of its own."""
    bare = text.strip()
    return bare if re.search(r"[.!?…。！？][\"”’')]*$", bare) else bare.rstrip(",;:") + "."


def capital(text: str) -> str:
    """`text` with a capital at its beginning."""
    return text[:1].upper() + text[1:]
