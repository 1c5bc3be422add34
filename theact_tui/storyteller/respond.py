"""Who answers the narrator's passage, and what each character says: from its viewpoint and the script alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from theact_tui.story.lore import is_asked_for
from theact_tui.story.memory import lines_of
from theact_tui.story.script import Answer, Passage, Scene
from theact_tui.story.turn import Turn
from theact_tui.story.views import NarratorView, Viewpoint, Witnessed
from theact_tui.storyteller.book import ScriptBook, Telling, Told, fill, scenes_seen
from theact_tui.storyteller.language import content_words, flat, haystack, hits, mentions, sentences
from theact_tui.storyteller.player_input import PlayerLine, asks_who
from theact_tui.storyteller.stock import stock

MOST_ANSWERS = 3
UNASKED = 0.6
"""How often a character speaks up when neither the passage nor the player calls for it."""
NEARLY = 12
"""How much worse an answer may fit than the best one, if that was given before."""
BINDING = ("opening", "scene", "topic")
"""Kinds of passage whose lines come before an answer to the player's words."""
_YOU = re.compile(r"\byou(?:r|rs|'\w+)?\b", re.I)
_RECALL = re.compile(
    r"\b(?:do you (?:still )?(?:remember|recall)|you remember|what do you know|what was that about|remember\?)"
)

Answers = Callable[[str], tuple[Answer, ...]]
"""What a character has to answer at this point, by id."""


# --- who answers ----------------------------------------------------------------------------------------------------


def responders(
    book: ScriptBook,
    view: NarratorView,
    telling: Telling,
    line: PlayerLine,
    present: Sequence[str],
    answers: Answers,
) -> list[str]:
    """The ids of those who answer: in a scene those it gives a line, else first of all those the player turns to, and
    of a whisper only who hears it."""
    if view.whispered_to and telling.kind != "scene":
        present = [id for id in present if id in view.whispered_to]
    last = view.turns[-1] if view.turns else None
    named = [id for id in telling.passage.lines if id in present]
    asked = whom(book, line, present, answers, last)
    if telling.kind == "scene":
        made = [*named, *(id for id in asked if line.called and best_answer(answers(id), line.matter))]
    elif not heard(book, line, present):
        return named[:MOST_ANSWERS]
    elif line.kind == "talk":
        made = [*asked, *(named if telling.kind == "topic" else [])]
    else:
        owing = owed(book, last, present, answers, view.stage.player.name)
        deed = None if view.game_complete else book.deed(line, view.chapter.id)
        replying = [id for id in deed.lines if id in present] if deed else []
        made = [*asked, *([owing[0]] if owing else []), *(named or replying)]
    if made or not present:
        return list(dict.fromkeys(made))[:MOST_ANSWERS]
    dice = book.dice(view.stage, "answers")
    if line.kind == "talk" or telling.kind == "again" or dice.random() < UNASKED:
        return [dice.choice(_others(book, line, present) or list(present))]
    return []


def heard(book: ScriptBook, line: PlayerLine, present: Sequence[str]) -> bool:
    """False if the player speaks to people none of whom is there."""
    return not line.called or any(book.pack.name_of(id) in line.called for id in present)


def whom(
    book: ScriptBook,
    line: PlayerLine,
    present: Sequence[str],
    answers: Answers,
    last: Turn | Witnessed | None,
) -> list[str]:
    """Those on stage whom the player calls by name or does something to; else who can answer, or spoke last."""
    called = [id for id in present if book.pack.name_of(id) in line.called]
    meant = book.meant(line, present)
    if called or line.kind != "talk" or line.called:
        return called or meant
    if not line.spoken:
        return meant
    partner = _partner(last, present) if _YOU.search(line.matter) or line.confides else ""
    if partner and (line.confides or best_answer(answers(partner), line.matter)):
        return [partner]
    return _best_answering(book, line, present, answers) or ([partner] if partner else [])


def owed(
    book: ScriptBook, last: Turn | Witnessed | None, present: Sequence[str], answers: Answers, player: str
) -> tuple[str, Answer] | None:
    """Who still has an answer to give because a scene came before it in the last turn, and which."""
    telling = book.told_in(last, player) if last else None
    if last is None or telling is None or telling.kind not in ("scene", "opening"):
        return None
    text = next((entry.text for entry in last.entries if entry.role == "player"), "")
    line = book.read(text, player)
    if not line.asks or line.kind != "talk" or on_the_point(telling, line):
        return None
    for id in whom(book, line, present, answers, None)[:1]:
        answer = best_answer(answers(id), line.matter)
        replies = [flat(entry.text) for entry in last.entries if entry.role == "character"]
        if answer and not any(flat(fill(answer.line, player)) in reply for reply in replies):
            return id, answer
    return None


def best_answer(answers: Sequence[Answer], text: str) -> Answer | None:
    """The answer whose cues fit the player's line best; the first of several that fit alike."""
    return next(iter(fitting(answers, text)), None)


def fitting(answers: Sequence[Answer], text: str) -> list[Answer]:
    """The answers whose cues fit the player's line nearly as well as those of the best, that one first."""
    scored = sorted(((hits(answer.cues, text), answer) for answer in answers), key=lambda pair: -pair[0])
    return [answer for score, answer in scored if score and score >= scored[0][0] - NEARLY]


def on_the_point(telling: Telling, line: PlayerLine) -> bool:
    """True if a scene is about what the player's line is about, so that it is an answer by itself."""
    passage = telling.passage
    if not isinstance(passage, Scene):
        return False
    cues = [*passage.cues, *(cue for way in passage.ways for cue in way.cues)]
    return bool(hits(cues, line.matter))


def _partner(last: Turn | Witnessed | None, present: Sequence[str]) -> str:
    """Who the player was talking with in the last turn: the one who spoke first in it."""
    spoke = [entry.character for entry in last.entries if entry.role == "character"] if last else []
    first = spoke[0] if spoke else None
    return first if first and first in present else ""


def _best_answering(
    book: ScriptBook, line: PlayerLine, present: Sequence[str], answers: Answers
) -> list[str]:
    """The one who has most to answer to the player's words, rather somebody else than who is being talked about."""
    scores = {id: max((hits(a.cues, line.matter) for a in answers(id)), default=0) for id in present}
    able = [id for id in present if scores[id]]
    pool = [id for id in able if id in _others(book, line, present)] or able
    return [max(pool, key=lambda id: scores[id])] if pool else []


def _others(book: ScriptBook, line: PlayerLine, present: Sequence[str]) -> list[str]:
    """Those on stage who are not themselves the subject of what is said."""
    return [id for id in present if not mentions(line.matter, book.pack.name_of(id))]


# --- what is said ---------------------------------------------------------------------------------------------------


def speak(book: ScriptBook, view: Viewpoint) -> str:
    """What the character says now: the passage's line, an answer, a memory it is asked for, or its own voice."""
    return _prose(_Speaker(book, view).words())


class _Speaker:
    """One reply in the making."""

    def __init__(self, book: ScriptBook, view: Viewpoint) -> None:
        self.book, self.view = book, view
        self.player = view.stage.player.name
        now = view.now
        typed = next((entry.text for entry in now.entries if entry.role == "player"), "") if now else ""
        self.line = book.read(typed, self.player)
        self.telling = book.told_in(now, self.player) if now else None
        said = [entry.text for turn in view.turns for entry in turn.entries if entry.character == view.id]
        self.before = Told(view.said or said)
        """What it said itself."""
        self.chapter = now.chapter if now else ""
        self.seen = scenes_seen(book, view.turns, self.chapter, self.player)
        self.answers = book.answers(view.id, self.chapter, self.seen)

    def words(self) -> str:
        """The reply."""
        line, talk = self._passage_line(), self._is_spoken_to()
        if line and self.telling and self.telling.kind in BINDING and line not in self.before:
            return line
        known = fitting(self.answers, self._asked()) if talk else []
        fresh = [told for answer in known if (told := fill(answer.line, self.player)) not in self.before]
        if talk and not fresh and (lore := self._lore()):
            return lore
        if (
            talk
            and _RECALL.search(haystack(self.line.words))
            and (recalled := self._recollection(bool(fresh)))
        ):
            return recalled
        if fresh:
            return fresh[(self.view.stage.take - 1) % len(fresh)]
        if talk and not self.answers and asks_who(self.line.matter):
            return f'"{self.view.card.name}. {_own_role(self.view.card.role)}."'.replace(" .", "")
        if late := self._owed():
            return late
        if reply := self._deed_line():
            return reply
        if line and not talk and line not in self.before:
            return line
        return self._occasion(asked_again=bool(known) and self.line.asks) or self._voice_line()

    def _passage_line(self) -> str:
        """What the passage has it say; in every second take in other words, where it has them."""
        passage = self.telling.passage if self.telling else Passage(narration="")
        line = passage.lines.get(self.view.id, "")
        return fill(
            passage.retold.get(self.view.id, line) if self.view.stage.take % 2 == 0 else line, self.player
        )

    def _is_spoken_to(self) -> bool:
        """True if the player speaks and is heard, or does something to this character."""
        if self.line.kind == "talk":
            return heard(self.book, self.line, self.view.present)
        return mentions(self.line.words, self.view.card.name)

    def _asked(self) -> str:
        """What it may have an answer to: a confession is no question about secrets."""
        if not self.line.confides:
            return self.line.matter
        told = haystack(self.line.matter)
        for cue in stock().confided:
            told = told.replace(cue.rstrip("."), " ")
        return told

    def _recollection(self, has_answer: bool) -> str:
        """Something from its own memory in the words it was kept in, nearest to what is asked; empty if there is
        nothing new, or an answer and nothing near."""
        told: list[str] = []
        for line in (each for each in lines_of(self.view.memory) if each.turn < self.view.stage.turn - 1):
            quoted = re.match(rf"{re.escape(self.player)}(?: said)?: “(.+)”$", line.text)
            if quoted:
                told.append(f"You said it yourself: ‘{quoted[1]}’")
            elif line.text and not any(
                mentions(line.text, name) for name in (self.view.card.name, self.player)
            ):
                told.append(line.text)
        fresh = [text for text in told if text not in self.before]
        wanted = content_words(_RECALL.sub(" ", haystack(self.line.words)))
        near = sorted(
            (t for t in fresh if wanted & content_words(t)), key=lambda t: -len(wanted & content_words(t))
        )
        if not near and (has_answer or not fresh):
            return ""
        dice = self.book.dice(self.view.stage, f"recall/{self.view.id}")
        return self._in_quotes(f"{dice.choice(stock().recall)} {near[0] if near else dice.choice(fresh)}")

    def _owed(self) -> str:
        """The answer to what the player asked in the last turn, when a scene came before it; else nothing."""
        last = self.view.turns[-1] if self.view.turns else None
        if self.line.kind == "talk" or (self.telling and self.telling.kind == "scene") or not last:
            return ""

        def answers(id: str) -> tuple[Answer, ...]:
            return self.book.answers(id, self.chapter, self.seen)

        owing = owed(self.book, last, self.view.present, answers, self.player)
        if owing is None or owing[0] != self.view.id or last.number != self.view.stage.turn - 1:
            return ""
        line = fill(owing[1].line, self.player)
        lead = self._in_quotes(self.book.dice(self.view.stage, "owed").choice(stock().owed))
        return "" if line in self.before else f"{lead}\n\n{line}"

    def _lore(self) -> str:
        """What it knows of the thing that the player asks about, which it has not said yet; else nothing."""
        if not self.line.asks:
            return ""
        known = [match.entry for match in self.view.lore if match.fired]
        asked = [entry.text for entry in known if is_asked_for(entry, self.line.words)]
        fresh = [text for text in asked if text not in self.before]
        return self._in_quotes(fresh[0].strip()) if fresh else ""

    def _deed_line(self) -> str:
        """What was written for the deed of which this turn tells."""
        deed = self.book.deed(self.line, self.chapter)
        line = fill(deed.lines.get(self.view.id, ""), self.player) if deed else ""
        told = flat(
            next((e.text for e in self.view.now.entries if e.role == "narrator"), "") if self.view.now else ""
        )
        is_told = deed is not None and any(flat(fill(text, self.player)) in told for text in deed.told)
        return line if is_told and line not in self.before else ""

    def _occasion(self, *, asked_again: bool) -> str:
        """What it has left to say to a line of this kind."""
        if asked_again:
            return self._one_of("repeated", stock().repeated)
        if self.book.puzzling(self.line) and (line := self._one_of("puzzled")):
            return line
        if self.line.confides:
            return self._one_of("confided", stock().confided_to)
        if self.line.asks and self.line.kind == "talk":
            return self._one_of("unanswered", stock().unknowing)
        names = (name for id, name in self.view.stage.names.items() if id not in self.view.present)
        in_vain = any(mentions(self.line.words, name) for name in names)
        return "" if in_vain else self._one_of(self.line.kind)

    def _one_of(self, occasion: str, plain: Sequence[str] = ()) -> str:
        """A line for an occasion that it may say, its own before plain ones; else nothing."""
        own = self.book.spoken_lines(self.view.id, occasion)
        return self._free(f"{occasion}/{self.view.id}", own, [self._in_quotes(line) for line in plain])

    def _free(self, key: str, *lists: Sequence[str]) -> str:
        """The line to say next; empty if all were said too lately."""
        filled = [[fill(line, self.player) for line in lines] for lines in lists]
        line = self.book.in_turn(self.before, self.view.stage, key, *filled)
        return line if self.before.may_tell(line) else ""

    def _voice_line(self) -> str:
        """A line of its voice: of the mood, else for any; else something anybody might say."""
        moods = [self.book.spoken_lines(self.view.id, mood) for mood in (self.view.mood, "any")]
        return self._free(f"voice/{self.view.id}", *moods) or self._modest()

    def _modest(self) -> str:
        """Something anybody might say, with a gesture; now and then with the manner of this character's card."""
        named = {"name": self.book.short(self.view.id), "manner": self._manner()}
        line, gesture = (
            self.book.in_turn(
                self.before, self.view.stage, "modest", [text.format(**named) for text in texts]
            )
            for texts in (stock().modest, stock().gestures)
        )
        manner = stock().in_manner.format(**named)
        own = named["manner"] and manner not in self.before
        return f"{self._in_quotes(line)} {manner if own else gesture}"

    def _manner(self) -> str:
        """The adjectives at the beginning of a personality, such as "dry, exact, kind by stealth"; else nothing."""
        first = (sentences(self.view.card.personality) or [""])[0].rstrip(".!?")
        name = re.escape(self.view.card.name)
        found = re.match(rf"(?:{name} is )?(?!(?:He|She|They|It|A|An|The) )([\w' ,-]+)$", first)
        told = found[1] if found and not mentions(found[1], self.view.card.name) else ""
        return told[:1].lower() + told[1:] if len(told.split()) <= 8 else ""

    def _in_quotes(self, speech: str) -> str:
        """`speech` in the quotes that its authored lines have, if they have any."""
        voice = self.book.script.voices.get(self.view.id)
        sample = next((line for lines in voice.lines.values() for line in lines), '"') if voice else '"'
        if "“" in sample:
            return f"“{speech}”"
        return f'"{speech}"' if '"' in sample else speech


def _own_role(role: str) -> str:
    """The role on a card as its owner would put it: "nurse on my way home"."""
    own = re.sub(r"\b(?:his|her)(?= [a-z])", "my", role.strip().rstrip("."))
    return own[:1].upper() + own[1:]


def _prose(text: str) -> str:
    """Paragraphs on one line each."""
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))
