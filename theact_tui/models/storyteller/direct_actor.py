"""The offline storyteller as an actor of direct mode (D7): it answers from who it is, what is told and what happened."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence

from theact_tui.models.storyteller.direct_past import Happened, common_knowledge, happened
from theact_tui.models.storyteller.direct_people import short_name
from theact_tui.models.storyteller.direct_scene import read
from theact_tui.models.storyteller.direct_self import known
from theact_tui.models.storyteller.find import content_words, flat
from theact_tui.story.direct.views import ActorView

_TAKES: Mapping[str, tuple[str, ...]] = {
    "danger": (
        "I throw myself flat against whatever is solid and try to keep clear of {thing}.",
        "Everything in me says run. I try to get hold of something that will bear me, and keep {thing} in sight.",
        "I do not think. I go low, and try to get past {thing} before it decides about me.",
        "My hands are faster than I am: I try to pull whoever is nearest away from {thing}.",
        "I shout a warning, and make for the far side of {thing} as fast as the footing allows.",
        "I brace both feet and try to be ready for what {thing} does next.",
        "I take hold of the nearest beam and count to three. Then I try to work my way around {thing}.",
        "I let go of everything I do not need, and try to put a wall between myself and {thing}.",
    ),
    "find": (
        "I crouch beside {thing} and try to make out what it has to tell, without laying a finger on it yet.",
        "I turn the light on {thing} and go over it slowly, the way one reads a hand.",
        "I reach for {thing}, and stop just short of it. Then I try, carefully, to see whether it moves.",
        "I walk once around {thing}. Somebody left it like this; I try to work out how long ago.",
        "I bend down until my nose almost touches {thing}, and try to tell what is new about it and what is old.",
        "I hold {thing} against what I know of this place, and try to see what does not fit.",
        "I look over my shoulder, turn to {thing}, and try to see who it was meant for.",
        "I lay one palm on {thing}, lightly, and try to feel what my eyes have missed.",
    ),
    "person": (
        "I keep my hands where they can be seen and take one step, no more.",
        "I look at the face first and at the words second, and try to hear what is being left out.",
        "I stand a little to the side, where I can see the way out as well.",
        "I let the quiet go on a breath longer than is polite, to see what it brings out.",
        "I plant myself in the way, and try to look as if I had every right to be here.",
        "I nod, the way one nods to somebody who has not yet said what they came for.",
        "I try a smile, and watch what it does on the other side.",
    ),
    "quiet": (
        "I listen until the listening itself has a sound, and try to put a place to each small noise.",
        "I count my breaths, up to ten, and keep {thing} at the edge of my eye.",
        "I draw my coat closer and try to find the spot from which one sees the most.",
        "I stay where I am, and try to read from {thing} how much time is left to us.",
        "I wet a finger and hold it up, and try to tell where the change is coming from.",
        "I turn my back to {thing} for a moment, and try to think.",
    ),
    "other": (
        "I take a moment with {thing}, and try to see it as somebody would who did not know me.",
        "I go a step nearer to {thing} and try what happens when I do the plain thing.",
        "I do what is in front of me: I see to {thing}, and try to make no more of it than it is.",
        "I roll my shoulders loose and try to get a better look at {thing}.",
        "I make my way towards {thing}, and try every foothold before I trust it.",
        "I put my weight to {thing}, gently at first, and try what it will bear.",
    ),
    "nothing": (
        "I look from one face to the next, and then do what nobody else is doing: I try to be useful.",
        "I roll up my sleeves and try to finish what was begun.",
        "I go ahead a little, and try to see what is waiting there.",
        "I stay close, keep my eyes open, and try to be ready.",
    ),
}  # fmt: skip
_TAGS = (
    "I say",
    "I say, quietly",
    "I tell them",
    "I say, not loudly",
    "I say over my shoulder",
    "I say at last",
)
_PLAIN = (
    "Give me a moment", "I have seen worse", "One thing at a time", "Somebody should say it", "Not like this",
    "We can still do this properly", "I do not like it", "Slowly, now",
)  # fmt: skip
_AGAIN = (
    "“First {fact}, and now this,” {tag}.",
    "I keep coming back to it: {fact}.",
    "“{Fact}. I have not forgotten that,” {tag}.",
    "{Fact}. It has to do with this, I am almost sure of it.",
)
_RECALLED = (
    "“All I know is that {fact},” {tag}. “The rest is guessing.”",
    "“I can tell you what I saw,” {tag}. “{Fact}.”",
)
_GUARDED = (
    "“I could not say,” {tag}, and find something for my hands to do.",
    "I open my mouth, and shut it again. “Ask me something else,” {tag}.",
    "“Why should I know?” I ask. It comes out a little too fast.",
    "I look at the floor for as long as it takes to breathe in. “No idea,” {tag}.",
)
_UNKNOWN = (
    "“I wish I knew,” {tag}.",
    "“Ask me again when I have had a closer look,” {tag}.",
    "“I have been asking myself the same,” {tag}.",
    "“That is the question,” {tag}. “I have no answer yet, only a feeling.”",
)
_KNOWN = (
    "“{fact},” {tag}. “Everybody here knows that much.”",
    "“{fact},” {tag}. “More than that I do not know.”",
)
_ASKING = ("“What exactly are we looking at?” I ask.", "“How far is it, and who else knows?” I ask.",
           "“Is there another way?” I ask.")  # fmt: skip
_FELT = (
    "{Line} Just now I feel it more than usual.",
    "{Line} There it is again.",
    "{Line} I do not say so aloud.",
)
_ABLE = (
    "{Line} That ought to be good for something.",
    "{Line} I try to make use of it.",
)
_SPOKEN = (
    "“{line},” {tag}.",
    "“{line},” {tag}. “There you have it.”",
    "“{line}.” I say it to nobody in particular.",
    "“{line}.” It is said before I know it.",
)
_NAMED = {
    "danger": ("“{other}, hold on!” I call.", "“{other}!” I shout. “This way!”"),
    "": (
        "I look across at {other}, and wait for a sign.",
        "“{other},” I say, and leave the rest of it in the air.",
        "I move closer to {other}, in case I am needed.",
    ),
}
_TO_LAST = (
    "{other} has a point, and I say so with a nod.",
    "I catch {other}'s eye, to see whether we are thinking the same.",
    "“Stay close, {other},” I add.",
    "I wait half a heartbeat, in case {other} sees something that I do not.",
)
_TO_YOU = re.compile(r"\b(?:you|your|yourself)\b", re.I)
_VAGUE = frozenset(("here", "there", "time", "up", "thing"))
"""Words that say nothing about what is asked."""
_NOT_ASKED = re.compile(r"\bwhat (?:do|will|would|are) you (?:do|say|going|doing|try)\b|\byour move\b", re.I)


class Actor:
    """One answer in the making: it chooses what fits and was not said lately."""

    def __init__(self, view: ActorView) -> None:
        self._view = view
        self._dice = random.Random(
            f"{view.cast.session_id}/{view.index}/{view.slot}/{view.take}/{view.prompt}"
        )
        self._said = [flat(reply.text) for exchange in view.recent for reply in exchange.replies]
        names = list(view.cast.names.values())
        self._others = [name for slot, name in view.cast.names.items() if slot != view.slot]
        self.scene = read(view.prompt, view.name, names)
        self._self = known(view.identity, view.name, self._others)
        self._words = content_words(view.prompt)

    def answer(self) -> str:
        """What it tries, then what it says or thinks; never an outcome."""
        first = self._attempt()
        said = self._reply()
        aside = self._towards() if not said or self._dice.random() < 0.5 else ""
        paragraphs = [f"{first} {aside}".strip(), said or self._plain()]
        return "\n\n".join(paragraphs)

    # --- the parts of an answer ---------------------------------------------------------------------------------

    def _attempt(self) -> str:
        scene = self.scene
        takes = _TAKES["nothing" if not scene.thing and scene.mood == "other" else scene.mood]
        usable = [take for take in takes if scene.thing or "{thing}" not in take] or _TAKES["nothing"]
        return self._fresh(usable).format(thing=scene.thing)

    def _reply(self) -> str:
        """An answer to a question, else something it remembers, else something of its own; empty at times."""
        if questions := [line for line in self.scene.questions if not _NOT_ASKED.search(line)]:
            return self._to_question(" ".join(questions))
        if len(self._view.prompt.split()) < 3:
            return self._fresh(_ASKING)
        own, past = self._own(), self._past()
        parts = [part for part in (own, past) if part]
        if own and past and not self._self.terse and self._dice.random() < 0.3:
            return "\n\n".join((past, own))
        return self._dice.choice(parts) if parts else ""

    def _to_question(self, question: str) -> str:
        """What it knows best about what is asked: of itself, of what happened, of the world; a secret it keeps."""
        asked = content_words(question) - content_words(" ".join(self._view.cast.names.values())) - _VAGUE
        mine = _nearest(((line, content_words(line)) for line in self._self.lines), asked)
        past = [found for found in happened(self._view) if asked & found.words]
        lore = _nearest(((fact, content_words(fact)) for fact in common_knowledge(self._view)), asked)
        if self._is_secret(asked):
            return self._said_as(_GUARDED)
        if mine:
            return self._spoken(self._fresh(mine))
        if past:
            return self._telling(_RECALLED, past[-1])
        if lore:
            return self._fresh(_KNOWN).format(fact=self._fresh(lore), tag=self._tag())
        if _TO_YOU.search(question) and (hearts := self._new(self._self.hearts)):
            return self._spoken(hearts[0])
        return self._said_as(_UNKNOWN)

    def _is_secret(self, asked: frozenset[str]) -> bool:
        """More than a single word of the question, or all of it, touches a secret."""
        touched = asked & self._self.secrets
        return bool(touched) and (len(touched) > 1 or touched == asked)

    def _own(self) -> str:
        """A line of its identity: one that has to do with what was told, or now and then one that is always true."""
        self_ = self._self
        near = [line for line in self_.lines if self._words & content_words(line)]
        lines = self._new(near) or (
            self._new(self_.hearts + self_.limits) if self._view.index % 3 == 1 else []
        )
        lines = lines or (self._new(self_.skills) if self._view.index % 5 == 0 else [])
        if not lines:
            return ""
        line = self._dice.choice(lines)
        if line in self_.limits:
            return self._spoken(line)
        return self._fresh(_ABLE if line in self_.skills else _FELT).format(Line=line)

    def _past(self) -> str:
        """Something that happened before and has to do with this."""
        before = happened(self._view)
        near = [found for found in before if self._words & found.words and not self._was_said(found.text)]
        return self._telling(_AGAIN, self._dice.choice(near)) if near else ""

    def _towards(self) -> str:
        """A look or a word to somebody: who is named, else who spoke last."""
        if self.scene.others:
            lines = _NAMED["danger" if self.scene.mood == "danger" else ""]
            return self._fresh(lines).format(other=short_name(self.scene.others[0]))
        other = self._spoke_last()
        return self._fresh(_TO_LAST).format(other=other) if other else ""

    def _plain(self) -> str:
        return f"“{self._fresh(_PLAIN)},” {self._tag()}."

    # --- choosing -----------------------------------------------------------------------------------------------

    def _spoken(self, line: str) -> str:
        return self._fresh(_SPOKEN).format(line=line.rstrip("."), tag=self._tag())

    def _said_as(self, lines: Sequence[str]) -> str:
        return self._fresh(lines).format(tag=self._tag())

    def _telling(self, lines: Sequence[str], fact: Happened) -> str:
        lower = fact.text if self._begins_with_name(fact.text) else fact.text[:1].lower() + fact.text[1:]
        return self._fresh(lines).format(
            fact=lower, Fact=fact.text[:1].upper() + fact.text[1:], tag=self._tag()
        )

    def _begins_with_name(self, text: str) -> bool:
        first = text.split()[0]
        return first == "I" or any(first in name.split() for name in self._view.cast.names.values())

    def _tag(self) -> str:
        return "I say" if self._self.terse else self._fresh(_TAGS)

    def _fresh(self, lines: Sequence[str]) -> str:
        """One of the lines, one that was not heard lately if there is such a one."""
        return self._dice.choice(self._new(lines) or list(lines))

    def _new(self, lines: Sequence[str]) -> list[str]:
        return [line for line in lines if not self._was_said(line)]

    def _was_said(self, line: str) -> bool:
        """True if the longest piece of a line between its gaps stood in a reply lately."""
        piece = max(re.split(r"\{\w+\}", flat(line)), key=len).strip(' .,"')
        return any(piece in before for before in self._said)

    def _spoke_last(self) -> str:
        replies = [reply for exchange in self._view.recent for reply in exchange.replies]
        last = replies[-1].agent_slot if replies else None
        name = self._view.cast.names.get(last or 0, "")
        return short_name(name) if name and last != self._view.slot else ""


def _nearest(lines: Iterable[tuple[str, frozenset[str]]], asked: frozenset[str]) -> list[str]:
    """The lines that have most words in common with a question; none if no line has any."""
    near = [(len(asked & words), line) for line, words in lines]
    most = max((count for count, _ in near), default=0)
    return [line for count, line in near if count == most and count]


def act(view: ActorView) -> str:
    """The reply of one actor."""
    return Actor(view).answer()
