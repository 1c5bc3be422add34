"""A first `storyteller.yaml`, made of what a pack says, so that it can be played without a model."""

from __future__ import annotations

from theact_tui import yaml
from theact_tui.story.pack import Chapter, Pack
from theact_tui.story.script import ChapterScript, Opening, Passage, Script, Voice
from theact_tui.storyteller.fallback_script import complete
from theact_tui.storyteller.language import ended
from theact_tui.storyteller.stock import stock

MARK = "# Made by theact-tui from the pack's other files"
_NOTE = f"{MARK}, and updated when you change them in the Write screen.\n"
_KEEP = "# Remove the line above before you edit this file: then the program leaves it alone.\n"

QUIET = 4
"""Passages of each chapter for turns in which nothing happens; an author replaces them."""


def is_made(text: str) -> bool:
    """Whether a `storyteller.yaml` is one that the program may make again."""
    return text.startswith(MARK)


def script_text(pack: Pack) -> str:
    """`storyteller.yaml` for a pack without one. First pages stay in the chapters."""
    script = complete(with_script(pack))
    chapters = {id: told.model_copy(update={"opening": ""}) for id, told in script.chapters.items()}
    told = script.model_copy(update={"chapters": chapters}).model_dump(mode="json", exclude_defaults=True)
    return _NOTE + _KEEP + yaml.dump(told).decode()


def with_script(pack: Pack) -> Pack:
    """A pack with what its author wrote for the offline storyteller."""
    chapters = {id: _chapter(chapter) for id, chapter in pack.chapters.items()}
    voices = {id: _voice(pack, id) for id in pack.characters}
    return pack.model_copy(update={"script": Script(chapters=chapters, voices=voices)})


def _chapter(chapter: Chapter) -> ChapterScript:
    """What the first page leaves behind, and quiet passages."""
    gist = f"{{player}} came into “{chapter.title}”: {ended(chapter.summary.split('. ')[0])}"
    quiet = tuple(Passage(narration=text) for text in stock().quiet[:QUIET])
    opened = Opening(gist=_unbraced(gist, keep=True))
    return ChapterScript(opened=opened, ambient=quiet)


def _voice(pack: Pack, id: str) -> Voice:
    """The character's sample lines."""
    lines = tuple(map(_unbraced, pack.characters[id].examples))
    return Voice(lines={"any": lines} if lines else {})


def _unbraced(text: str, *, keep: bool = False) -> str:
    """Braces mean something in a script; those of an author are brackets."""
    if keep:
        return text.replace("{player}", "\0").replace("{", "(").replace("}", ")").replace("\0", "{player}")
    return text.replace("{", "(").replace("}", ")")
