"""A script for a pack that has none, or not enough of one: plain and honest, made of what the pack does say."""

from __future__ import annotations

from theact_tui.story.pack import Chapter, Pack
from theact_tui.story.script import ChapterScript, Opening, Passage, Scene, Script, Voice
from theact_tui.story.speech import is_quoting
from theact_tui.storyteller.language import capital, content_words, ended, mentions, paragraphs
from theact_tui.storyteller.stock import stock


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
    told = told or ChapterScript(opened=Opening(gist=_gist(chapter)))
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
    """A beat by itself; whoever acts in it or is named there comes in with it."""
    beat, closes = chapter.beats[index], stock().closes
    turn = index + len(chapter.beats) * list(pack.chapters).index(chapter.id)
    gist = ended(capital(beat))
    came = [_cast_by(pack, chapter, count) for count in (index, index + 1)]
    return Scene(
        narration=f"{gist}\n\n{closes[turn % len(closes)]}",
        cues=tuple(sorted(content_words(beat) - content_words(" ".join(pack.names.values())))),
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


def _gist(chapter: Chapter) -> str:
    return f"{{player}} came into “{chapter.title}”: {ended(chapter.summary.split('. ')[0])}"


def _voices(pack: Pack) -> dict[str, Voice]:
    said = {id: tuple(filter(is_quoting, person.examples)) for id, person in pack.characters.items()}
    return {id: Voice(lines={"any": lines}) for id, lines in said.items() if lines}
