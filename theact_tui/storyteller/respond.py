"""A character's reply, from its viewpoint and the script alone."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from theact_tui.sentences import QUOTATION_MARKS, sentences
from theact_tui.story.lore import is_asked_for
from theact_tui.story.matching import plain, stems
from theact_tui.story.memory import lines_of
from theact_tui.story.names import forms
from theact_tui.story.views import Viewpoint
from theact_tui.storyteller.book import ScriptBook, Told
from theact_tui.storyteller.language import flat_paragraphs, haystack, mentions
from theact_tui.storyteller.player_input import asks_who, quoted_words
from theact_tui.storyteller.stock import stock
from theact_tui.storyteller.who_answers import heard, matching_answers
from theact_tui.text import capital

_BINDING = ("opening", "scene", "topic")
"""Passages whose lines come before an answer."""
_RECALL = re.compile(
    r"\b(?:do you (?:still )?(?:remember|recall)|you remember|what do you know|what was that about|remember\?)"
)


_ACT_OR_ASIDE = re.compile(r"\*[^*\n]*\*|\[[^\[\]\n]*\]|<[^<>\n]*>")
_COLON = r"(?: *\([^()\n]*\))?\W{0,3}[:：]"
_SPEAKER = re.compile(rf"\s*\W*([\w][\w .'-]{{0,40}}?){_COLON}\s*")
_BEFORE_SPEAKER = re.compile(
    rf"(?<=[.!?…。！？\"”»*])\s+(?=\W{{0,3}}[A-Z][\w'-]*(?: [A-Z][\w'-]*){{0,2}}{_COLON})"
)
_MOST_SENTENCES = 2


def as_spoken(lore: str, people: Mapping[str, bool]) -> str:
    """Speak a lore entry: two sentences, without deeds and others' speech. `people`: names before a colon, and
    whether that is the speaker.
    """
    is_speaker = {name.casefold(): speaks for name, speaks in people.items()}
    rows = [row for line in lore.splitlines() for row in _BEFORE_SPEAKER.split(line)]
    labels = ((_SPEAKER.match(row), row) for row in rows)
    speeches = [(label[1].casefold(), row[label.end() :]) if label else ("", row) for label, row in labels]
    times = Counter(name for name, _ in speeches if name)
    quoted = [name for name, text in speeches if name and text.startswith((*QUOTATION_MARKS,))]
    # who takes turns or is quoted speaks, also if nobody here has that name; `Weakness: silver.` does not
    if not times.keys().isdisjoint(is_speaker) or max(times.values(), default=0) > 1 or len(quoted) > 1:
        rows = [text for name, text in speeches if not name or is_speaker.get(name)]
    bare = _ACT_OR_ASIDE.sub(" ", " ".join(rows)).replace('"', "'")
    return quoted_words(" ".join(sentences(bare)[:_MOST_SENTENCES]))


def speak(book: ScriptBook, view: Viewpoint) -> str:
    """Reply with the passage's line, an answer, a requested memory, or the own voice."""
    return "\n\n".join(flat_paragraphs(_Speaker(book, view).words()))


class _Speaker:
    def __init__(self, book: ScriptBook, view: Viewpoint) -> None:
        self.book, self.view = book, view
        now = view.now
        self.texts = {entry.role: entry.text for entry in reversed(now.entries)} if now else {}
        """First text of each role in this turn."""
        self.line = book.read(self.texts.get("player", ""))
        self.telling = book.passage_of(now) if now else None
        own_replies = [
            entry.text for turn in view.turns for entry in turn.entries if entry.character == view.id
        ]
        self.before = Told(view.said or own_replies)
        turns = (*view.turns, now) if now else view.turns
        heard = [entry for turn in turns for entry in turn.entries if entry.role == "character"]
        self.others = Told(entry.text for entry in heard if entry.character != view.id)
        self.chapter = now.chapter if now else ""
        self.seen = book.scenes_seen(view.turns, self.chapter)
        self.answers = book.answers(view.id, self.chapter, self.seen)
        self.voice = book.voice(view.id)

    def words(self) -> str:
        line, talk = self._passage_line(), self._is_spoken_to()
        is_new = bool(line) and line not in self.before
        fitting_answers = matching_answers(self.answers, self._asked()) if talk else []
        fresh = [answer.line for answer in fitting_answers if answer.line not in self.before]
        if is_new and self.telling and self.telling.kind in _BINDING:
            asked = self.telling.kind == "opening" and (self.line.asks or self.line.called)
            answer = fresh[:1] if asked else []
            return "\n\n".join([*answer, line] if self.view.turns else [line, *answer])
        if talk and not fresh and (lore := self._lore()):
            return lore
        recalls = talk and _RECALL.search(haystack(self.line.words))
        if recalls and (recalled := self._recollection(bool(fresh))):
            return recalled
        if fresh:
            return fresh[(self.view.story.take - 1) % len(fresh)]
        if talk and not self.answers and asks_who(self.line.matter):
            own, name = self.view.card.role.strip().rstrip("."), self.view.card.name
            mine = re.sub(r"\b(?:his|her)(?= [a-z])", "my", own)
            return f'"{name}. {capital(mine)}."' if own else f'"{name}." {self._modest(stock().gestures)}'
        if reply := self._deed_line():
            return reply
        if is_new and not talk:
            return line
        return self._occasion(asked_again=bool(fitting_answers) and self.line.asks) or self._voice_line()

    def _passage_line(self) -> str:
        if self.telling is None:
            return ""
        passage, id = self.telling.passage, self.view.id
        line = passage.lines.get(id, "")
        return passage.retold.get(id, line) if self.view.story.take % 2 == 0 else line

    def _is_spoken_to(self) -> bool:
        """True if the player speaks audibly, or does something to it."""
        if self.line.kind == "talk":
            return heard(self.book, self.line, self.view.present)
        return mentions(self.line.words, self.view.card.name)

    def _asked(self) -> str:
        """Subject for an answer; a confession is no question about secrets."""
        if not self.line.confides:
            return self.line.matter
        subject = haystack(self.line.matter)
        for cue in stock().confided:
            subject = subject.replace(cue.rstrip("."), " ")
        return subject

    def _recollection(self, has_answer: bool) -> str:
        """Return an unused memory nearest to the question; beside an answer only a near one."""
        recalled: list[str] = []
        for line in (fact for fact in lines_of(self.view.memory) if fact.turn < self.view.story.turn - 1):
            if quoted := re.match(rf"{re.escape(self.book.player)}(?: said)?: “(.+)”$", line.text):
                recalled.append(f"You said it yourself: ‘{quoted[1]}’")
            elif not any(mentions(line.text, name) for name in (self.view.card.name, self.book.player)):
                recalled.append(line.text)
        fresh = [text for text in recalled if text and text not in self.before]
        wanted = stems(_RECALL.sub(" ", haystack(self.line.words)))
        near = max(fresh, key=lambda text: len(wanted & stems(text)), default="")
        is_near = bool(wanted & stems(near))
        if not is_near and (has_answer or not fresh):
            return ""
        dice = self.book.dice(self.view.story, f"recall/{self.view.id}")
        lead = dice.choice(stock().recall)
        return self._in_quotes(f"{lead} {near if is_near else dice.choice(fresh)}")

    def _lore(self) -> str:
        entries = [match.entry for match in self.view.lore if match.fired] if self.line.asks else []
        asked = [
            as_spoken(entry.text, self._people()) for entry in entries if is_asked_for(entry, self.line.words)
        ]
        fresh = [text for text in asked if text and text not in self.before]
        return self._in_quotes(fresh[0]) if fresh else ""

    def _people(self) -> Mapping[str, bool]:
        """Names before a colon, and whether each is this character."""
        people = {form: False for name in (*self.book.names, self.book.player) for form in forms(name)}
        return {**people, "User": False, "You": False, **dict.fromkeys(forms(self.view.card.name), True)}

    def _deed_line(self) -> str:
        deed = self.book.deed(self.line, self.chapter)
        line = deed.lines.get(self.view.id, "") if deed else ""
        page = plain(self.texts.get("narrator", ""))
        contains_beat = deed is not None and any(plain(text) in page for text in deed.told)
        return line if contains_beat and line not in self.before else ""

    def _occasion(self, *, asked_again: bool) -> str:
        if asked_again:
            return self._one_of("repeated", stock().repeated)
        if self.book.puzzling(self.line) and (line := self._one_of("puzzled")):
            return line
        if self.line.confides:
            return self._one_of("confided", stock().confided_to)
        if self.line.asks and self.line.kind == "talk":
            return self._one_of("unanswered", stock().unknowing)
        names = (name for id, name in self.view.story.names.items() if id not in self.view.present)
        in_vain = any(mentions(self.line.words, name) for name in names)
        return "" if in_vain else self._one_of(self.line.kind)

    def _one_of(self, occasion: str, plain: Sequence[str] = ()) -> str:
        """A line for an occasion, its own before plain ones."""
        own = self.voice.lines.get(occasion, ())
        quoted = self._unused_by_others([self._in_quotes(line) for line in plain])
        return self._free(f"{occasion}/{self.view.id}", own, quoted)

    def _free(self, key: str, *lists: Sequence[str]) -> str:
        """Return the next line, or "" if all were used lately or in other takes."""
        line = self.book.in_turn(self.before, self.view.story, key, *lists)
        is_left = self.view.story.take <= len({line for lines in lists for line in lines})
        return line if is_left and self.before.is_unused(line) else ""

    def _unused_by_others(self, lines: Sequence[str]) -> Sequence[str]:
        return [line for line in lines if line not in self.others] or lines

    def _voice_line(self) -> str:
        """A line of its voice, else a general one, with a gesture."""
        moods = [self.voice.lines.get(mood, ()) for mood in (self.view.mood, "any")]
        if line := self._free(f"voice/{self.view.id}", *moods):
            return line
        return f"{self._in_quotes(self._modest(stock().modest))} {self._modest(stock().gestures)}"

    def _modest(self, texts: Sequence[str]) -> str:
        named = self._unused_by_others([text.format(name=self.book.short(self.view.id)) for text in texts])
        return self.book.in_turn(self.before, self.view.story, "modest", named)

    def _in_quotes(self, speech: str) -> str:
        """Quote `speech` as its authored lines do."""
        sample = next((line for lines in self.voice.lines.values() for line in lines), '"')
        if "“" in sample:
            return f"“{speech}”"
        return f'"{speech}"' if '"' in sample else speech
