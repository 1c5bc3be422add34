"""A character's reply (S3.4), from its viewpoint and the script alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from theact_tui.models.storyteller.book import Book, Telling, fill
from theact_tui.models.storyteller.find import flat, haystack, hits, sentences
from theact_tui.models.storyteller.persons import in_own_voice, to_the_player
from theact_tui.models.storyteller.stock import MODEST, NOTHING_YET, RECALL, REPEATED, UNKNOWING
from theact_tui.models.storyteller.words import Action, read_line
from theact_tui.story.memory import lines_of
from theact_tui.story.script import Answer
from theact_tui.story.views import Viewpoint

RECALL_CHANCE = 0.3
_ASKS_TO_RECALL = re.compile(
    r"\b(?:do you (?:still )?(?:remember|recall)|you remember|what do you know|remember\?)"
)


def speak(book: Book, view: Viewpoint) -> str:
    """What the character says now: the passage's line, an answer, a memory it is asked for, or its own voice."""
    player = view.stage.player.name
    now = view.now
    text = next((e.text for e in now.entries if e.role == "player"), "") if now else ""
    action = read_line(text, player, tuple(view.names.values()))
    telling = book.told_in(now, player) if now else None
    before = _said(view)
    line = telling.passage.lines.get(view.id, "") if telling else ""
    if line and flat(fill(line, player)) not in before[-1:]:
        return _prose(fill(line, player))
    if _ASKS_TO_RECALL.search(haystack(action.words)):
        return _recollection(book, view) or _wrapped(book, view, NOTHING_YET)
    answer = _answer(book, view, action)
    if answer and flat(fill(answer.line, player)) not in before:
        return _prose(fill(answer.line, player))
    return _own_words(book, view, action, telling, before, repeated=answer is not None)


def best_answer(answers: Sequence[Answer], line: str) -> Answer | None:
    """The answer whose cues fit the player's line best."""
    scores = [hits(answer.cues, line) for answer in answers]
    best = max(range(len(scores)), key=lambda index: scores[index], default=None)
    return answers[best] if best is not None and scores[best] else None


def _answer(book: Book, view: Viewpoint, action: Action) -> Answer | None:
    voice = book.script.voices.get(view.id)
    return best_answer(voice.answers, action.words) if voice else None


def _said(view: Viewpoint) -> list[str]:
    """What the character said in the turns it knows, oldest first, as `flat` makes it."""
    return [
        flat(entry.text)
        for turn in view.turns
        for entry in turn.entries
        if entry.role == "character" and entry.character == view.id
    ]


def _own_words(
    book: Book, view: Viewpoint, action: Action, telling: Telling | None, before: list[str], *, repeated: bool
) -> str:
    """A line of the character's own voice, by mood; now and then with something it remembers."""
    dice = book.dice(view.stage, f"voice/{view.id}")
    line = _voice_line(book, view, before)
    if repeated:
        line = f"{_wrapped(book, view, dice.choice(REPEATED))} {line}"
    elif action.act.startswith("you ask: ") and (
        telling is None or telling.kind not in ("scene", "topic", "again")
    ):
        line = f"{_wrapped(book, view, dice.choice(UNKNOWING))} {line}"
    elif dice.random() < RECALL_CHANCE and (memory := _recollection(book, view, before)):
        line = f"{line}\n\n{memory}"
    return _prose(line)


def _voice_line(book: Book, view: Viewpoint, before: Sequence[str]) -> str:
    """The line of the character's voice that it said longest ago, those of the mood first."""
    voice = book.script.voices.get(view.id)
    lines = voice.lines if voice else {}
    pool = [*lines.get(view.mood, ()), *lines.get("any", ())] or [
        line for many in lines.values() for line in many
    ]
    if not pool:
        return _modest(book, view, before)
    filled = [fill(line, view.stage.player.name) for line in dict.fromkeys(pool)]
    return book.in_turn(filled, str, before, view.stage, f"voice/{view.id}")


def _modest(book: Book, view: Viewpoint, before: Sequence[str]) -> str:
    """Something anybody might say, with the manner of this character's card."""
    line = book.in_turn(MODEST, str, before, view.stage, f"modest/{view.id}")
    name = view.card.name
    first = (sentences(view.card.personality) or [""])[0].rstrip(".!?")
    manner = re.match(rf"(?:(?:{re.escape(name)}|He|She|They) (?:is|are) )?([\w' ,-]+)$", first)
    if not manner or len(manner[1].split()) > 8:
        return f'"{line}" {name} looks at you a moment longer before turning away.'
    traits = manner[1][:1].lower() + manner[1][1:]
    return f'"{line}" That is {name}: {traits}.'


def _recollection(book: Book, view: Viewpoint, before: Sequence[str] = ()) -> str:
    """Something from the character's own memory, in its own words; empty if there is nothing new to bring up."""
    player = view.stage.player.name
    others = [name for id, name in view.names.items() if id != view.id]
    texts = [line.text for line in lines_of(view.memory) if line.text and line.turn < view.stage.turn - 1]
    told = [
        " ".join(
            to_the_player(in_own_voice(sentence, view.card.name, player, others), player)
            for sentence in sentences(text)[:2]
        )
        for text in texts
    ]
    fresh = [text for text in told if not any(flat(text) in said for said in before)]
    if not fresh:
        return ""
    dice = book.dice(view.stage, f"recall/{view.id}")
    return _wrapped(book, view, f"{dice.choice(RECALL)} {dice.choice(fresh)}")


def _wrapped(book: Book, view: Viewpoint, speech: str) -> str:
    """`speech` in the quotes that this character's authored lines have, if they have any."""
    voice = book.script.voices.get(view.id)
    lines = [line for many in voice.lines.values() for line in many] if voice else []
    sample = lines[0] if lines else '"'
    if "“" in sample:
        return f"“{speech}”"
    return f'"{speech}"' if '"' in sample else speech


def _prose(text: str) -> str:
    """Paragraphs on one line each."""
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))
