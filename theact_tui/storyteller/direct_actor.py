"""The offline storyteller as an actor of direct mode: lines written for the shipped example, plain ones for anybody else.

Nothing is made of the game master's words but a choice of what fits them: no noun of a prompt is put into a sentence.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence

from theact_tui.story.direct.views import ActorView
from theact_tui.storyteller.book import Told
from theact_tui.storyteller.language import content_words, hits, sentences
from theact_tui.storyteller.player_input import is_question
from theact_tui.storyteller.stock import Actor, direct_stock

_SECRET = re.compile(r"\bsecret(?:ly)?\b", re.I)
_ADDRESSED = re.compile(r"\byou(?:r|rs|'\w+)?\b", re.I)
OWN_WORDS = 30
"""A sentence of an identity that is written in the first person may be said aloud up to this length."""


def act(view: ActorView) -> str:
    """The reply of one actor: what it tries and says, never an outcome."""
    recent = (reply.text for exchange in view.recent for reply in exchange.replies)
    told = Told(view.said or recent)
    dice = random.Random(f"{view.cast.session_id}/{view.index}/{view.slot}/{view.take}")
    actor = direct_stock().actors.get(view.name)
    if actor and actor.knows in " ".join(view.identity.split()):
        return _one_of(_written(actor, view.prompt), told, view.take)
    return _plain(view, told, dice)


def _written(actor: Actor, prompt: str) -> tuple[str, ...]:
    """The lines of an actor of the example that fit the prompt best; those for anything stand behind them."""
    scored = sorted(actor.parts, key=lambda part: -hits(part.cues, prompt))
    fitting = [line for part in scored if hits(part.cues, prompt) for line in part.lines]
    asked = any(map(is_question, sentences(prompt))) and _ADDRESSED.search(prompt)
    return (*fitting, *(actor.asked if asked else ()), *actor.any)


def _plain(view: ActorView, told: Told, dice: random.Random) -> str:
    """What anybody may try and say who was told something of this kind, and a word of the identity's own if it has one
    in the first person."""
    stock = direct_stock()
    mood = "asked" if any(map(is_question, sentences(view.prompt))) else _mood(view.prompt)
    lines = list(stock.plain[mood])
    dice.shuffle(lines)
    first = _one_of((*lines, *stock.plain["any"]), told, view.take)
    own = [line for line in _own_words(view.identity) if line not in told]
    near = [line for line in own if content_words(line) & content_words(view.prompt)]
    own = near or (own if view.index % 4 == 1 else [])
    return f"{first}\n\n“{dice.choice(own)}”" if own else first


def _mood(prompt: str) -> str:
    """What the game master's words are mostly about; danger comes first."""
    scores = {mood: hits(cues, prompt) for mood, cues in direct_stock().moods.items()}
    best = max(scores, key=lambda mood: scores[mood] + (1 if mood == "danger" else 0))
    return best if scores[best] else "any"


def _own_words(identity: str) -> Iterable[str]:
    """Sentences that an identity says of itself as I; never those of a paragraph that speaks of a secret."""
    for paragraph in re.split(r"\n\s*\n", identity):
        if not _SECRET.search(paragraph):
            lines = sentences(paragraph)
            yield from (
                line for line in lines if re.match(r"I\b|My\b", line) and len(line.split()) <= OWN_WORDS
            )


def _one_of(lines: Sequence[str], told: Told, take: int) -> str:
    """The first line that was not said yet, so that the order is one of fitness; another take gives the next. When all
    were said, the one said longest ago."""
    fresh = [line for line in lines if line not in told] or sorted(lines, key=told.since)[-1:]
    return fresh[(take - 1) % len(fresh)]
