"""The offline storyteller's prose in direct mode: what actors say, and the chapter joined from the log.

Actors say lines written for the shipped example, or plain ones for anybody else; no noun of a prompt is put into a
sentence. A chapter keeps the words in which it was played.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping

from theact_tui.story.direct.log import Exchange
from theact_tui.story.direct.views import ActorView, ChapterView
from theact_tui.story.matching import plain
from theact_tui.story.speech import split_sentences
from theact_tui.storyteller.book import Told
from theact_tui.storyteller.language import capital, content_words, ended, hits, paragraphs
from theact_tui.storyteller.player_input import is_question
from theact_tui.storyteller.stock import direct_stock

_SECRET = re.compile(r"\bsecret(?:ly)?\b", re.I)
_ADDRESSED = re.compile(r"\byou(?:r|rs|'\w+)?\b", re.I)
OWN_WORDS = 30
"""A sentence of an identity that is written in the first person may be said aloud up to this length."""
_MECHANICS = re.compile(
    r"\b(?:roll(?:s|ed)? (?:a|for|the|\d)|d(?:4|6|8|10|12|20|100)\b|DC ?\d+|hit points?|initiative"
    r"|saving throw|skill check|XP|your turn|prompt|agent (?:red|orange|yellow|green|blue|indigo|violet))\b",
    re.I,
)
_PUSH = re.compile(r"(?:go on|carry on|continue|next|and now|what now|your move)\W*", re.I)
_TO_THE_TABLE = re.compile(r"\bwhat (?:do|will|would|are) you (?:do|say|going|doing|try)\b", re.I)
_LATER = re.compile(
    r"(?:later|meanwhile|the next (?:morning|day|night)|next (?:morning|day)|an hour|hours|that (?:night|evening)|at last"
    r"|at (?:dawn|dusk|midnight|noon)|when (?:you|they|it|the)|after)\b",
    re.I,
)
"""How a prompt begins that begins a scene."""
BREAK = "* * *"
SCENE = 4
"""Exchanges after which a scene may end anyhow."""


def act(view: ActorView) -> str:
    """The reply of one actor: what it tries and says, never an outcome. Lines that were not said yet come in the order
    of their fitness; another take gives the next. When all were said, the one said longest ago."""
    recent = (reply.text for exchange in view.recent for reply in exchange.replies)
    told, stock = Told(view.said or recent), direct_stock()
    dice = random.Random(f"{view.cast.session_id}/{view.index}/{view.slot}/{view.take}")
    actor = stock.actors.get(view.name)
    knows = actor and actor.knows in " ".join(view.identity.split())
    asked = any(map(is_question, split_sentences(view.prompt)))
    if actor and knows:
        scored = sorted(actor.parts, key=lambda part: -hits(part.cues, view.prompt))
        fitting = [line for part in scored if hits(part.cues, view.prompt) for line in part.lines]
        addressed = asked and _ADDRESSED.search(view.prompt)
        lines = [*fitting, *(actor.asked if addressed else ()), *actor.any]
    else:
        lines = list(stock.plain["asked" if asked else _mood(view.prompt)])
        dice.shuffle(lines)
        lines += stock.plain["any"]
    fresh = [line for line in lines if line not in told] or sorted(lines, key=told.since)[-1:]
    reply = fresh[(view.take - 1) % len(fresh)]
    own = [] if knows else [line for line in _own_words(view.identity) if line not in told]
    near = [line for line in own if content_words(line) & content_words(view.prompt)]
    own = near or (own if view.index % 4 == 1 else [])
    return f"{reply}\n\n“{dice.choice(own)}”" if own else reply


def _mood(prompt: str) -> str:
    """What the game master's words are mostly about; danger comes first."""
    scores = {mood: hits(cues, prompt) for mood, cues in direct_stock().moods.items()}
    best = max(scores, key=lambda mood: scores[mood] + (1 if mood == "danger" else 0))
    return best if scores[best] else "any"


def _own_words(identity: str) -> Iterable[str]:
    """Sentences that an identity says of itself as I; never those of a paragraph that speaks of a secret."""
    open_parts = (part for part in re.split(r"\n\s*\n", identity) if not _SECRET.search(part))
    for line in (line for part in open_parts for line in split_sentences(part)):
        if re.match(r"I\b|My\b", line) and len(line.split()) <= OWN_WORDS:
            yield line


def write(view: ChapterView) -> str:
    """The raw reply of agent 9 for one part: every exchange in order, what each actor says under the actor's name."""
    told: list[str] = [] if view.so_far else _opening(view)
    length = 0
    for exchange in view.exchanges:
        parts = _told(exchange, view)
        if not parts:
            continue
        begins = exchange.prompt is not None and _LATER.match(exchange.prompt.text.strip())
        if length and (begins or length >= SCENE):
            told.append(BREAK)
            length = 0
        told += parts
        length += 1
    return "\n\n".join(told) or "Nothing has happened yet."


def _opening(view: ChapterView) -> list[str]:
    """Where and when it begins, in the words of Setup."""
    chapter: Mapping[str, object] = view.memory.lock.get("chapter", {})
    place, time, premise = (str(chapter.get(key) or "").strip() for key in ("location", "time", "premise"))
    parts = [part for part in (place, time) if part and plain(part) not in plain(premise)]
    around = chapter.get("environment")
    lines = [str(line) for line in around if not str(line).endswith("…")] if isinstance(around, list) else []
    told = [capital(ended(part)) for part in (*parts, premise, *lines[:3]) if part]
    return [" ".join(told)] if told else []


def _told(exchange: Exchange, view: ChapterView) -> list[str]:
    """One exchange: what was told, then what each actor made of it."""
    made = without_asides(exchange.prompt.text) if exchange.prompt else []
    for reply in exchange.replies:
        name = view.cast.agent_names.get(reply.agent_slot or 0, "")
        parts = without_asides(reply.text)
        if name and parts:
            made += [f"{name}: {parts[0]}", *parts[1:]]
    return made


def without_asides(text: str) -> list[str]:
    """The paragraphs of a text without what belongs to the table: dice, rules, a push to a player."""
    kept = (
        " ".join(line for line in split_sentences(part) if not is_aside(line)) for part in paragraphs(text)
    )
    return [part for part in kept if part]


def is_aside(line: str) -> bool:
    """True for a sentence that belongs to the table."""
    return bool(_MECHANICS.search(line) or _PUSH.fullmatch(line) or _TO_THE_TABLE.search(line))
