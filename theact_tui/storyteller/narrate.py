"""The narrator: answer the player's deed, tell the next passage."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from theact_tui.story.dice import Outcome, outcome_of
from theact_tui.story.perception import cut
from theact_tui.story.script import CuedAnswer, Passage, ScriptScene
from theact_tui.story.views import NarratorView, StageView
from theact_tui.storyteller.book import ScriptBook, Telling, Told, in_time
from theact_tui.storyteller.choose_scene import Situation, choose_scene
from theact_tui.storyteller.language import flat_paragraphs, hits, mentions
from theact_tui.storyteller.player_input import whispered_pieces, whispered_to
from theact_tui.storyteller.stock import stock
from theact_tui.storyteller.who_answers import MOST_TO_ANSWER, best_answer, heard, responders, whom

_TAKES = 2
"""Takes with their own wordings; later ones begin differently."""


@dataclass(frozen=True, slots=True)
class Page:
    text: str
    answer: tuple[str, ...]
    mood: str
    present: tuple[str, ...] | None = None
    """Characters at its end; None: unchanged."""
    moved: bool = False


def narrate(book: ScriptBook, view: NarratorView) -> str:
    return _page_of(book, view).text


def set_stage(book: ScriptBook, view: StageView) -> str:
    """Raw reply of the stage: the script's data, and who misses which whispered pieces."""
    page, scene = _page_of(book, view.narrator), view.scene
    form: dict[str, object] = {"here": scene.here if page.present is None else page.present}
    form |= {"elsewhere": page.moved, "answer": page.answer, "mood": page.mood}
    ears = whispered_to(scene.audible_line, {id: scene.names.of[id] for id in scene.awake})
    pieces = cut(scene.line, view.page).line_pieces(scene.line)
    private = whispered_pieces([*pieces.values()])
    labels = [label for number, label in enumerate(pieces) if number in private and ears]
    form["only"] = {label: [*ears] for label in labels}
    return json.dumps(form, ensure_ascii=False)


def _page_of(book: ScriptBook, view: NarratorView) -> Page:
    if book.last_page is None or book.last_page[0] is not view:
        book.last_page = view, _compose(book, view)
    page: Page = book.last_page[1]
    return page


def _compose(book: ScriptBook, view: NarratorView) -> Page:
    narrator = _Narrator(book, view)
    first_page = not view.turns and not view.summary and not view.beats_hit and not view.recaps
    return narrator.opening() if view.kind != "play" or first_page else narrator.page()


class _Narrator:
    def __init__(self, book: ScriptBook, view: NarratorView) -> None:
        self.book, self.now, self.on_stage = book, Situation.of(book, view), view.present
        self.view = view = self.now.view
        self.line, self.last = self.now.line, self.now.last
        self.past_turns = view.earlier or view.turns
        self.narrations = Told(turn.narration for turn in self.past_turns)
        people = dict.fromkeys((*book.pack.characters, *view.chapter.characters))
        self.answers = {id: self._answers_of(id) for id in people}

    def _answers_of(self, id: str) -> tuple[CuedAnswer, ...]:
        chapter = self.view.chapter.id
        witnessed = [turn for turn in self.view.turns if id in turn.witnesses]
        return self.book.answers(id, chapter, self.book.scenes_seen(witnessed, chapter))

    def opening(self) -> Page:
        """Tell a chapter's opening, with the player's deed behind it on the first page, later before it."""
        view, typed = self.view, self.view.player_text.strip()
        pages = [page for page in self.book.pages[view.chapter.id] if page.kind == "opening"]
        opening = pages[(view.story.take - 1) % len(pages)]
        parts, present = (
            flat_paragraphs(opening.text),
            [id for id in view.present if id not in view.sent_away],
        )
        asked = [id for id in whom(self.book, self.line, present, self.answers, self.last) if typed]
        if not (self.line.asks or self.line.called or self.now.to):
            asked = []
        if typed and not view.turns:
            parts.append(self._reaction())
        elif typed and not self.now.onward and not asked:
            carried = self.line.asks and self.line.kind == "talk"
            parts.insert(0, self._in_turn("carried", stock().carried) if carried else self._reaction())
        if view.story.take > len(pages):  # every wording was told
            parts.append(self._quiet().text)
        named = [id for id in opening.passage.lines if id in present]
        answer = tuple(dict.fromkeys([*asked[:1], *named]))[:MOST_TO_ANSWER]
        return Page("\n\n".join(filter(None, parts)), answer, opening.mood)

    def page(self) -> Page:
        if self.now.leaves:
            return self._leaving()
        if self.line.asks_who_is_here:
            return self._company()
        telling, missed = self._telling()
        change = telling.passage.present if isinstance(telling.passage, ScriptScene) else None
        wanted = self.view.present if change is None else change
        present = tuple(id for id in wanted if id not in self.view.sent_away)
        waiting = self._in_turn("waiting", stock().waiting, name=missed) if missed else ""
        lead = self._lead(telling, {*self.view.present, *present}, bool(waiting))
        if telling.kind == "scene" and not lead and self.view.story.take > _TAKES:
            lead = self._in_turn("take", stock().quiet)
        parts = [lead, *flat_paragraphs(telling.text), waiting]
        return Page(
            "\n\n".join(part for part in parts if part),
            tuple(responders(self.book, self.view, self.line, telling, present, self.answers)),
            telling.mood,
            None if present == self.on_stage else present,
        )

    def _leaving(self) -> Page:
        away = self._in_turn("leaving", self.book.script.leaving.away, stock().leaving.away)
        asleep = f"\n\n{self._reaction()}" if self.line.sleeps else ""
        return Page(away + asleep, (), self._nothing_but_talk().mood, (), moved=True)

    def _company(self) -> Page:
        names = ", ".join(map(self.book.pack.name_of, self.on_stage))
        listed = [text.format(names=names) for text in stock().company] if names else stock().alone
        return Page(self._in_turn("company", listed), (), self._nothing_but_talk().mood)

    def _in_turn(self, key: str, *lists: Sequence[str], name: str = "") -> str:
        """Return the next line; first those where `name` appears for the first time."""
        if name:
            cast = [self.book.short(id) for id in self.book.pack.characters]
            texts = list(chain(*lists))
            new = (
                text
                for text in texts
                if not any(text.format(name=other) in self.narrations for other in cast)
            )
            lists = tuple(
                [text.format(name=self.book.short(name)) for text in wordings] for wordings in (new, texts)
            )
        return self.book.in_turn(self.narrations, self.view.story, key, *lists)

    # --- what is told -----------------------------------------------------------------------------------------------

    def _telling(self) -> tuple[Telling, str]:
        if self.view.game_complete:
            return self._afterwards(), ""
        chosen = choose_scene(self.book, self.now, has_answer=self._has_untold_answer())
        if chosen.scene is not None:
            return chosen.scene, ""
        if self._missing_person(set(self.view.present)):
            return self._nothing_but_talk(), chosen.waits_for
        if chosen.topic is not None and (topic := self._topic(chosen.topic)):
            return topic, ""
        talks = self.line.kind == "talk" and heard(self.book, self.line, self.view.present)
        if talks and (self._has_answer() or self._had_quiet_page()):
            return self._nothing_but_talk(), chosen.waits_for
        return self._quiet(), chosen.waits_for

    def _topic(self, index: int) -> Telling | None:
        """Return the requested topic, shorter if told before; None if told twice."""
        id = self.view.chapter.id
        forms = {page.kind: page for page in self.book.pages[id] if page.index == index}
        passages = [self.book.passage_of(turn) for turn in self.past_turns if turn.chapter == id]
        kinds = {
            page.kind for page in passages if page and page.kind in ("topic", "again") and page.index == index
        }
        short = None if "again" in kinds else forms.get("again")
        return short if kinds or (self.view.story.take % 2 == 0 and short) else forms["topic"]

    def _has_answer(self) -> bool:
        """True if an answer makes a passage unnecessary; only in odd takes."""
        confides = self.line.confides and bool(self.view.present)
        can_answer = bool(self.now.to) or confides or bool(self._own_answers())
        return can_answer and self.view.story.take % 2 == 1

    def _own_answers(self) -> list[CuedAnswer]:
        """Best answers to the line of those who are asked."""
        asked = whom(self.book, self.line, self.view.present, self.answers, self.last)
        best = (best_answer(self.answers[id], self.line.matter) for id in asked)
        return [answer for answer in best if answer]

    def _has_untold_answer(self) -> bool:
        if not self.line.asks or self.line.kind != "talk" or self.now.onward:
            return False
        replies = Told(entry.text for turn in self.past_turns for entry in turn.entries if entry.character)
        return any(answer.line not in replies for answer in self._own_answers())

    def _had_quiet_page(self) -> bool:
        """True if an ambient passage followed the last scene, within the view."""
        for turn in reversed(self.view.turns):
            telling = self.book.passage_of(turn)
            kind = telling.kind if telling else ""
            if turn.chapter != self.view.chapter.id or kind in ("scene", "opening"):
                return False
            if kind == "ambient":
                return True
        return False

    def _quiet(self) -> Telling:
        """Return an unused ambient passage, those that expire first; else the deed alone, or stock prose."""
        view, beats = self.view, len(self.view.beats_hit)
        pages = [page for page in self.book.pages[view.chapter.id] if page.kind == "ambient"]
        random.Random(f"{self.book.seed}/quiet/{view.chapter.id}").shuffle(pages)
        pages.sort(key=lambda page: page.passage.before or len(view.chapter.beats) + 1)
        away = [id for id in self.book.pack.characters if id not in view.present]
        fresh = [page for page in pages if in_time(page.passage, beats) and self._is_usable(page, away)]
        if fresh:
            return fresh[(view.story.take - 1) % len(fresh)]
        if self.view.player_text.strip():
            return self._nothing_but_talk()
        text = self._in_turn("quiet", stock().quiet)
        return Telling("ambient", -1, Passage(narration=text), text)

    def _afterwards(self) -> Telling:
        """Return a passage after the end: the script's once, then stock ones, then only reactions."""
        pages = [page for page in self.book.pages[self.view.chapter.id] if page.kind == "after"]
        texts = {page.text for page in pages}
        more = (text for text in stock().after if text not in texts)
        pages += [Telling("after", -1, Passage(narration=text), text) for text in more]
        left = [page for page in pages if self._is_usable(page, self.view.sent_away)]
        return left[(self.view.story.take - 1) % len(left)] if left else self._nothing_but_talk()

    def _is_usable(self, page: Telling, away: Sequence[str]) -> bool:
        """True if the passage is unused, by its first paragraph, and names nobody `away`."""
        names = map(self.book.pack.name_of, away)
        return flat_paragraphs(page.text)[0] not in self.narrations and not any(
            mentions(page.text, name) for name in names
        )

    def _nothing_but_talk(self) -> Telling:
        mood = self.view.turns[-1].mood if self.view.turns else "calm"
        return Telling("talk", -1, Passage(narration="", mood=mood), "")

    # --- what the player's line comes to ----------------------------------------------------------------------------

    def _lead(self, telling: Telling, present: set[str], waiting: bool) -> str:
        """Result of the player's line; "" if the passage answers it."""
        view, line = self.view, self.line
        if self.now.returns:
            back = self._in_turn("returning", self.book.script.leaving.back, stock().leaving.back)
            if absent_person := self._missing_person(set(self.on_stage)):
                done = self._in_turn("away", stock().away, name=absent_person)
            else:
                done = "" if line.walks_off or line.kind in ("wait", "talk", "go") else self._reaction()
            return f"{done}\n\n{back}".strip()
        if not view.player_text.strip():
            return ""
        asks = line.asks and line.kind == "talk"
        if missing := self._missing_person(present):
            return self._in_turn("away", stock().away, name=missing)
        if view.ruling and view.ruling.roll is not None and not asks:
            return self._outcome(telling, outcome_of(view.ruling.roll, view.ruling.difficulty or 0))
        if line.kind == "fight" and self.book.meant(line, present):
            return self._in_turn("brawl", stock().brawl)
        if self.book.lacks(line, view.chapter.id):
            return self._in_turn("missing", stock().missing)
        if telling.kind == "scene" and asks and not self.now.onward and not self.book.puzzling(line):
            return self._held_up()
        if telling.kind == "scene" and self._is_way_of(telling):
            return ""
        if telling.kind in ("topic", "again") or (
            line.kind == "talk" and telling.kind in ("ambient", "after")
        ):
            return ""
        return "" if waiting and line.only_spoken else self._reaction()

    def _reaction(self) -> str:
        over, done = self.view.game_complete, "wait" if self.line.sleeps else self.line.kind
        deed = self.book.deed(self.line, "" if over else self.view.chapter.id)
        kind, plain = self.book.script.reactions[done], stock().reactions[done]
        if over:
            kind = plain = stock().reactions["talk"] if done == "talk" else stock().after_all
        return self._in_turn(f"reaction/{done}", deed.told if deed else (), kind, plain)

    def _outcome(self, telling: Telling, outcome: Outcome) -> str:
        scene, works = telling.passage, outcome in ("triumph", "success", "price")
        if isinstance(scene, ScriptScene) and scene.roll and telling.is_about(self.line):
            told = scene.roll[1 if works else 0]
        elif extreme := {"triumph": stock().triumph, "disaster": stock().disaster}.get(outcome):
            return extreme
        else:
            lines = stock().success if works else stock().instead
            told = self._in_turn(f"dice/{works}", lines.get(self.line.kind, lines["other"]), lines["other"])
        return f"{told} {self._in_turn('dice/price', stock().price)}" if outcome == "price" else told

    def _is_way_of(self, telling: Telling) -> bool:
        ways = telling.passage.ways if isinstance(telling.passage, ScriptScene) else ()
        return any(way.narration == telling.text and hits(way.cues, self.line.matter) for way in ways)

    def _held_up(self) -> str:
        asked = next(iter(whom(self.book, self.line, self.view.present, self.answers, self.last)), None)
        if asked is None:
            return self._in_turn("interrupted", stock().interrupted_all)
        return self._in_turn("interrupted", stock().interrupted, name=asked)

    def _missing_person(self, present: set[str]) -> str:
        """Id of an absent character who is addressed, hit or given something; else ""."""
        book, line = self.book, self.line
        away = [id for id in book.pack.characters if id not in present]
        spoken_to = [id for id in away if book.pack.name_of(id) in line.called]
        if spoken_to and not any(book.pack.name_of(id) in line.called for id in present):
            return spoken_to[0]
        is_owner = [id for id in book.meant(line, away) if line.takes_from(book.pack.name_of(id))]
        is_sought = book.meant(line, away) if line.rejoins and not self.now.returns else []
        return next(iter((*is_owner, *is_sought, *book.touched(line, away))), "")
