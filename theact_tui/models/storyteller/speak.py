"""A character's reply (S3.4), from its viewpoint and the script alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from theact_tui.models.storyteller.answerers import heard, owed
from theact_tui.models.storyteller.book import Book, Telling, fill, scenes_seen
from theact_tui.models.storyteller.find import content_words, flat, haystack, sentences
from theact_tui.models.storyteller.names import mentions
from theact_tui.models.storyteller.persons import in_own_voice, to_the_player
from theact_tui.models.storyteller.props import lacking
from theact_tui.models.storyteller.stock import (
    GESTURES,
    IN_MANNER,
    MODEST,
    NOTHING_YET,
    OWED,
    RECALL,
    REPEATED,
    UNKNOWING,
)
from theact_tui.models.storyteller.talk import asks, fitting, puzzling
from theact_tui.models.storyteller.words import WHO_ARE_YOU, Action
from theact_tui.story.memory import lines_of
from theact_tui.story.pack import MOODS
from theact_tui.story.script import Answer, Passage
from theact_tui.story.views import Viewpoint

BINDING = ("opening", "scene", "topic")
"""Kinds of passage whose lines come before an answer to the player's words."""
_ASKS_TO_RECALL = re.compile(
    r"\b(?:do you (?:still )?(?:remember|recall)|you remember|what do you know|remember\?)"
)


def speak(book: Book, view: Viewpoint) -> str:
    """What the character says now: the passage's line, an answer, a memory it is asked for, or its own voice."""
    player = view.stage.player.name
    now = view.now
    text = next((e.text for e in now.entries if e.role == "player"), "") if now else ""
    action = book.read(text, player)
    telling = book.told_in(now, player) if now else None
    before = _said(view)
    line = fill(_line(telling.passage, view), player) if telling else ""
    if line and telling and telling.kind in BINDING and flat(line) not in before[-1:]:
        return _prose(line)
    answers = book.answers(view.id, *_point(book, view))
    talk = action.kind == "talk" and heard(book, action, view.present)
    known = fitting(answers, action.matter) if talk else []
    fresh = next((a for a in known if flat(fill(a.line, player)) not in before), None)
    if recalled := _asked_to_recall(book, view, action, fresh):
        return recalled
    if fresh:
        return _prose(fill(fresh.line, player))
    if not answers and WHO_ARE_YOU.search(action.matter):
        return f'"{view.card.name}. {_own_role(view.card.role)}."'
    if late := _owed(book, view, action, telling):
        return _prose(late)
    if line and not talk and flat(line) not in before[-1:]:
        return _prose(line)
    return _prose(
        _own_words(book, view, action, before, repeated=bool(known) and _asked_before(view, action))
    )


def _line(passage: Passage, view: Viewpoint) -> str:
    """What the passage has the character say; in every second take in other words, where it has them."""
    line = passage.lines.get(view.id, "")
    return passage.retold.get(view.id, line) if view.stage.take % 2 == 0 else line


def _asked_before(view: Viewpoint, action: Action) -> bool:
    """True if the player asked much the same in one of the turns that the character knows."""
    mine = content_words(action.words)
    asked = [
        content_words(entry.text) for turn in view.turns for entry in turn.entries if entry.role == "player"
    ]
    return any(len(mine & theirs) * 2 > len(mine | theirs) for theirs in asked)


def _point(book: Book, view: Viewpoint) -> tuple[str, int]:
    """The chapter, and how many of its scenes the character has seen."""
    chapter = view.now.chapter if view.now else ""
    return chapter, scenes_seen(book, view.turns, chapter, view.stage.player.name)


def _owed(book: Book, view: Viewpoint, action: Action, telling: Telling | None) -> str:
    """The answer to what the player asked in the last turn, when a scene came before it; else nothing."""
    last = view.turns[-1] if view.turns else None
    if action.kind == "talk" or (telling and telling.kind == "scene") or not last:
        return ""
    player = view.stage.player.name
    owing = owed(book, last, view.present, lambda id: book.answers(id, *_point(book, view)), player)
    if owing is None or owing[0] != view.id or last.number != view.stage.turn - 1:
        return ""
    line = fill(owing[1].line, player)
    lead = wrapped(book, view.id, book.dice(view.stage, "owed").choice(OWED))
    return "" if flat(line) in _said(view) else f"{lead}\n\n{line}"


def recollection(book: Book, view: Viewpoint, before: Sequence[str] = (), about: str = "") -> str:
    """Something from the character's own memory, in its own words; empty if there is nothing new to bring up.

    With `about` the memory that has most in common with these words, if any has.
    """
    player = view.stage.player.name
    others = [name for id, name in view.names.items() if id != view.id]
    texts = [line.text for line in lines_of(view.memory) if line.text and line.turn < view.stage.turn - 1]
    told = [
        " ".join(
            to_the_player(in_own_voice(sentence, view.card.name, others), player)
            for sentence in sentences(text)[:2]
        )
        for text in texts
    ]
    fresh = [text for text in told if not any(flat(text) in said for said in before)]
    dice = book.dice(view.stage, f"recall/{view.id}")
    dice.shuffle(fresh)
    if wanted := content_words(about):
        fresh = [text for text in fresh if wanted & content_words(text)]
        fresh.sort(key=lambda text: -len(wanted & content_words(text)))
    return wrapped(book, view.id, f"{dice.choice(RECALL)} {fresh[0]}") if fresh else ""


def wrapped(book: Book, character: str, speech: str) -> str:
    """`speech` in the quotes that this character's authored lines have, if they have any."""
    voice = book.script.voices.get(character)
    lines = [line for many in voice.lines.values() for line in many] if voice else []
    sample = lines[0] if lines else '"'
    if "“" in sample:
        return f"“{speech}”"
    return f'"{speech}"' if '"' in sample else speech


def _asked_to_recall(book: Book, view: Viewpoint, action: Action, answer: Answer | None) -> str:
    """What the character remembers, if it is asked to and there is no better answer; else nothing."""
    asked = _ASKS_TO_RECALL.search(haystack(action.words))
    if not asked:
        return ""
    recalled = recollection(book, view, about=action.words[asked.end() :])
    if recalled or answer:
        return recalled
    return recollection(book, view) or wrapped(book, view.id, NOTHING_YET)


def _said(view: Viewpoint) -> list[str]:
    """What the character said in the turns it knows, oldest first, as `flat` makes it."""
    return [
        flat(entry.text)
        for turn in view.turns
        for entry in turn.entries
        if entry.role == "character" and entry.character == view.id
    ]


def _unanswered(view: Viewpoint, action: Action) -> bool:
    """True if the player asked something and nobody has replied yet."""
    replied = view.now is not None and any(entry.role == "character" for entry in view.now.entries)
    to_another = bool(action.called) and view.card.name not in action.called
    return asks(action) and not replied and not to_another


def _own_words(book: Book, view: Viewpoint, action: Action, before: list[str], *, repeated: bool) -> str:
    """A line of the character's own voice that fits the occasion: what was done or said, else the mood."""
    if repeated:
        return _occasion(book, view, "repeated", before) or wrapped(
            book, view.id, book.in_turn(REPEATED, str, before, view.stage, "repeated")
        )
    if puzzling(book, action) and (line := _occasion(book, view, "puzzled", before)):
        return line
    if _unanswered(view, action):
        return _occasion(book, view, "unanswered", before) or _unknowing(book, view, before)
    done = "" if _in_vain(book, view, action) else _occasion(book, view, action.kind, before, fresh=True)
    return done or _voice_line(book, view, before)


def _in_vain(book: Book, view: Viewpoint, action: Action) -> bool:
    """True for a deed that comes to nothing, because somebody or something it needs is not there."""
    chapter = view.now.chapter if view.now else ""
    away = (name for id, name in view.names.items() if id not in view.present)
    return any(mentions(action.act, name) for name in away) or bool(lacking(book, action, chapter))


def _occasion(
    book: Book, view: Viewpoint, occasion: str, before: Sequence[str], *, fresh: bool = False
) -> str:
    """The line for an occasion that was said longest ago; with `fresh` one that was not said in the turns known."""
    lines = [fill(line, view.stage.player.name) for line in book.spoken_lines(view.id, occasion)]
    if fresh:
        lines = [line for line in lines if flat(line) not in before]
    return book.in_turn(lines, str, before, view.stage, f"{occasion}/{view.id}") if lines else ""


def _voice_line(book: Book, view: Viewpoint, before: Sequence[str]) -> str:
    """The line of the character's voice that it said longest ago, among those of the mood and those for any."""
    voice = book.script.voices.get(view.id)
    moods = {mood: lines for mood, lines in voice.lines.items() if mood in (*MOODS, "any")} if voice else {}
    pool = [*moods.get(view.mood, ()), *moods.get("any", ())] or [
        line for many in moods.values() for line in many
    ]
    if not pool:
        return _modest(book, view, before)
    filled = [fill(line, view.stage.player.name) for line in dict.fromkeys(pool)]
    return book.in_turn(filled, str, before, view.stage, f"voice/{view.id}")


def _modest(book: Book, view: Viewpoint, before: Sequence[str]) -> str:
    """Something anybody might say, with a gesture; now and then with the manner of this character's card."""
    line = book.in_turn(MODEST, str, before, view.stage, f"modest/{view.id}")
    name = book.short(view.id)
    manner = _manner(view)
    if manner and not any(flat(manner) in said for said in before):
        return f'"{line}" {IN_MANNER.format(name=name, manner=manner)}'
    return f'"{line}" {_gesture(book, view, before)}'


def _unknowing(book: Book, view: Viewpoint, before: Sequence[str]) -> str:
    """What anybody may say who has no answer, with a gesture if the character has no voice of its own."""
    line = book.in_turn(UNKNOWING, str, before, view.stage, f"lead/{view.id}")
    if view.id in book.script.voices:
        return wrapped(book, view.id, line)
    return f'"{line}" {_gesture(book, view, before)}'


def _gesture(book: Book, view: Viewpoint, before: Sequence[str]) -> str:
    gestures = [text.format(name=book.short(view.id)) for text in GESTURES]
    return book.in_turn(gestures, str, before, view.stage, "gesture")


def _manner(view: Viewpoint) -> str:
    """The adjectives at the beginning of a personality, such as "dry, exact, kind by stealth"; else nothing."""
    first = (sentences(view.card.personality) or [""])[0].rstrip(".!?")
    found = re.match(
        rf"(?:{re.escape(view.card.name)} is )?(?!(?:He|She|They|It|A|An|The) )([\w' ,-]+)$", first
    )
    if not found or len(found[1].split()) > 8:
        return ""
    return found[1][:1].lower() + found[1][1:]


def _own_role(role: str) -> str:
    """The role on a card as its owner would put it: "nurse on my way home"."""
    own = re.sub(r"\b(?:his|her)(?= [a-z])", "my", role.strip().rstrip("."))
    return own[:1].upper() + own[1:]


def _prose(text: str) -> str:
    """Paragraphs on one line each."""
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))
