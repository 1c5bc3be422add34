"""Words said aloud, set as a novel sets them: `"Are you hurt?" you ask Maya.` And what becomes of a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from theact_tui.models.storyteller.book import Book, Telling
from theact_tui.models.storyteller.find import hits, words_in
from theact_tui.models.storyteller.names import unaddressed
from theact_tui.models.storyteller.phrases import COMMON_WORDS
from theact_tui.models.storyteller.stock import CARRIED, INTERRUPTED, INTERRUPTED_ALL
from theact_tui.models.storyteller.verbs import base
from theact_tui.models.storyteller.words import Action
from theact_tui.story.script import Answer, Scene
from theact_tui.story.views import Stage

LONG_SAID = 14
"""Words from which speech comes after its tag."""
ENOUGH_WORDS = 1500
"""Words of a pack from which its vocabulary is good enough to tell a language by."""
NEARLY = 12
"""How much worse an answer may fit than the best one, if that was given before."""
UNDERSTOOD = 1 / 3
"""Share of known words up to which nobody understands what is said."""
_SPEECH = re.compile(r'you (ask|say|call out): "(.+)"$')
_ASKS = re.compile(r"^(?:please,? )?(?:tell (?:me|us)\b|explain\b)|^(?:i )?ask\b", re.I)
_TO = {"ask": " ", "say": " to ", "call out": " to "}

Seen = Callable[[str], int]
"""How many of the chapter's scenes a character has seen."""


def said(action: Action) -> tuple[str, str] | None:
    """How something is said (`ask`, `say`, `call out`) and the words; None if the line is no speech, or not only."""
    found = _SPEECH.fullmatch(action.speech)
    return (found[1], found[2]) if found else None


def asks(action: Action) -> bool:
    """True if the line is a question, or asks to be told something."""
    if action.kind != "talk":
        return False
    return '?"' in action.act or bool(_ASKS.search(action.matter.strip()))


def aloud(book: Book, stage: Stage, action: Action) -> str:
    """The player's words with their tag, to whom they are said if that is plain; else the deed as a sentence."""
    spoken = said(action)
    if spoken is None:
        return action.sentence
    verb, words = spoken
    to, bare = "", words
    if len(action.called) == 1:
        bare = unaddressed(words, action.called[0])
        to = book.short_of(action.called[0]) if re.search(r"\w{2}", bare) else ""
    words = bare if to else words
    form = book.dice(stage, "tag").choice("abc")
    if len(words.split()) > LONG_SAID:
        return f'You {verb}{_TO[verb] + to if to else ""}: "{words}"'
    if to and form == "a":
        return f'You turn to {to}. "{words}"'
    tag = f"you {verb}{_TO[verb] + to if to else ''}"
    if verb == "say" and re.search(r"(?<!\.)\.$", words):
        words = words[:-1] + ","
    return f'"{words}" {tag}.'


def interrupted(book: Book, stage: Stage, asked: str | None, told: Sequence[str]) -> str:
    """A sentence for a question that something else comes before. `told` are earlier narrations, oldest first."""
    if asked is None:
        return book.in_turn(INTERRUPTED_ALL, str, told, stage, "interrupted")
    variants = [text.format(name=book.short(asked)) for text in INTERRUPTED]
    return book.in_turn(variants, str, told, stage, "interrupted")


def carried(book: Book, stage: Stage, told: Sequence[str]) -> str:
    """A sentence for a question with which a chapter ends."""
    return book.in_turn(CARRIED, str, told, stage, "carried")


def puzzling(book: Book, action: Action) -> bool:
    """True for words that nobody in this world understands: nonsense, or a language that the pack is not in."""
    spoken = said(action)
    if spoken is None or len(book.vocabulary) < ENOUGH_WORDS:
        return False
    names = words_in(book.names)
    words = [word.split("'")[0] for word in re.findall(r"[\w']+", spoken[1].casefold()) if word.strip("'")]
    words = [word for word in words if word not in names]
    known = sum(_known(word, book) for word in words)
    return bool(words) and known <= UNDERSTOOD * len(words)


def _known(word: str, book: Book) -> bool:
    forms = (word, word.removesuffix("s")) if len(word) > 3 else (word,)
    return base(word) is not None or any(form in book.vocabulary or form in COMMON_WORDS for form in forms)


def best_answer(answers: Sequence[Answer], line: str) -> Answer | None:
    """The answer whose cues fit the player's line best; the first of several that fit alike."""
    return next(iter(fitting(answers, line)), None)


def fitting(answers: Sequence[Answer], line: str) -> list[Answer]:
    """The answers whose cues fit the player's line nearly as well as those of the best, that one first."""
    scored = sorted(((hits(answer.cues, line), answer) for answer in answers), key=lambda pair: -pair[0])
    return [answer for score, answer in scored if score and score >= scored[0][0] - NEARLY]


def on_the_point(telling: Telling, action: Action) -> bool:
    """True if a scene is about what the player's line is about, so that it is an answer by itself."""
    passage = telling.passage
    if not isinstance(passage, Scene):
        return False
    cues = [*passage.cues, *(cue for way in passage.ways for cue in way.cues)]
    return bool(hits(cues, action.matter))
