"""Draws a frame on the inspector's panes. Reads nothing, changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.content import Content
from textual.visual import Visual

from theact_tui.models.ledger import Call
from theact_tui.story.knowing import told_turns, who_knows
from theact_tui.story.turn import Turn
from theact_tui.text import one_line
from theact_tui.tui.screens.inspector_book import Frame, calls_of
from theact_tui.tui.screens.inspector_said import others, tokens_of, whereabouts
from theact_tui.tui.typeset import note_block, number_of, turn_blocks
from theact_tui.tui.visuals import Spread
from theact_tui.tui.widgets.inspect_calls import call_blocks, calls_rows, no_calls, spark, totals
from theact_tui.tui.widgets.inspect_events import EventLog
from theact_tui.tui.widgets.inspect_knows import LEGEND, knows_rows, short_name
from theact_tui.tui.widgets.inspect_list import RowList
from theact_tui.tui.widgets.inspect_memory import changes_in_short, memory_rows, narrator_rows
from theact_tui.tui.widgets.inspect_people import People, Person
from theact_tui.tui.widgets.inspect_prompt import bar_block, prompt_head, text_blocks, unseen
from theact_tui.tui.widgets.leaf import Leaf
from theact_tui.tui.widgets.masthead import Line, Rule, thousands
from theact_tui.tui.widgets.panelparts import hint
from theact_tui.tui.widgets.paper import Paper
from theact_tui.tui.widgets.transcript import Transcript

if TYPE_CHECKING:
    from theact_tui.tui.screens.inspector import InspectorScreen

NARRATOR = ""
"""The id of the narrator's tab; the ledger files its calls under no character."""
SPARK = 24
"""Turns in the row of small bars."""
TOLD = 120
"""At most so many turns are read for the table of who knows what."""


class Drawing:
    """Fills the panes of one inspector."""

    def __init__(self, screen: InspectorScreen) -> None:
        self._screen = screen
        self._page = Leaf(-1)
        """The turn whose words are shown."""
        self._drawn = "?"
        """Whose memory is shown; at first nobody's."""
        self._made: dict[str, object] = {}
        """What each pane was drawn from."""

    def _is_new(self, pane: str, *what: object) -> bool:
        """Whether a pane is to be drawn anew: it is made of something else than last time."""
        known = self._made.get(pane)
        self._made[pane] = what
        return known != what

    def wanted(self, frame: Frame) -> set[int]:
        """The numbers of the turns that a frame's table and bars are made of."""
        return {*told_turns(frame.game)[-TOLD:], *self._span(frame.number)}

    def _span(self, number: int) -> range:
        """The turns of the row of bars: `number` stays in sight."""
        last = max(number, min(self._screen.newest, number + SPARK // 3))
        return range(max(1, last - SPARK + 1), last + 1)

    # --- all of it --------------------------------------------------------------------------------------------------

    def all(self, frame: Frame) -> None:
        """Draw everything that is in sight."""
        self.turn(frame)
        self.history(frame)

    def turn(self, frame: Frame) -> None:
        """Draw what is made of one turn."""
        self.head()
        self.memory(frame)
        for pane, draw in (("#prompt-page", self.prompt), ("#calls", self.calls), ("#words", self.words)):
            if self._is_seen(pane):
                draw(frame)
        self.events()
        self._screen.query_one("#rule", Rule).mood = frame.turn.mood if frame.turn else ""
        self._screen.status.facts = tuple(filter(None, (totals(frame.calls), others(frame.others))))

    def history(self, frame: Frame) -> None:
        """Draw what is made of many turns."""
        self.head()
        if self._is_seen("#knows"):
            self.knows(frame)

    def _is_seen(self, pane: str) -> bool:
        """Whether a pane has room in this view of the screen."""
        return all(node.display for node in self._screen.query_one(pane).ancestors_with_self)

    def head(self) -> None:
        """Where one looks, at once, even while it is still being read."""
        screen = self._screen
        number, newest, live = screen.number, screen.newest, screen.live.turn
        game = screen.session.game
        where = f"turn {number} of {newest}" if newest else "before the first turn"
        if live and number == live:
            where = (
                f"turn {number}, {'being told' if screen.session.phase != 'after' else 'being remembered'}"
            )
        left = Content.assemble(
            ("Memory  ", ".strong"),
            ("◂ " if number > 1 else "  ", ".quiet"), (where, ".accent"), (" ▸" if number < newest else "  ", ".quiet"),
        )  # fmt: skip
        middle = Content.styled(one_line(game.pack.game.title, 40), ".quiet")
        screen.query_one("#head", Line).parts = Spread(left, self._spark(), middle)
        self._tabs()

    def _spark(self) -> Content:
        """Tokens of the turns around this one."""
        screen = self._screen
        turns, number = screen.reading.book.turns, screen.number
        values = [tokens_of(turns[n]) if n in turns else None for n in self._span(number)]
        if not any(values):
            return Content("")
        at = number - self._span(number).start
        tokens = (
            f" {thousands(values[at] or 0)} tokens" if 0 <= at < len(values) and values[at] else " tokens"
        )
        return Content.assemble(spark(values, at), (tokens, ".quiet"))

    def _tabs(self) -> None:
        screen, frame = self._screen, self._screen.frame
        people = screen.query_one(People)
        people.people = tuple(self._person(id, frame) for id in screen.people)
        people.chosen = screen.person
        people.note = self._note(frame) if frame else ""

    def _note(self, frame: Frame) -> str:
        screen, game = self._screen, frame.game
        if screen.person == NARRATOR:
            return one_line(f"chapter {number_of(game.pack, game.state.chapter)}, {game.chapter.title}", 40)
        if frame.turn is None:
            return ""
        name = short_name(screen.cast.name(screen.person))
        return f"{name} {whereabouts(frame, screen.person, busy=screen.person in screen.live.busy)}"

    def _person(self, id: str, frame: Frame | None) -> Person:
        screen = self._screen
        if id == NARRATOR:
            return Person(id, "Narrator")
        game = frame.game if frame else screen.session.game
        before = frame.before if frame else None
        present = id in game.state.present
        changes = changes_in_short(game.memories.get(id), before.memories.get(id) if before else None)
        busy = bool(frame and frame.live and id in screen.live.busy)
        return Person(id, screen.cast.name(id), screen.cast.voice(id), present, changes, busy)

    # --- pane by pane -------------------------------------------------------------------------------------------------

    def memory(self, frame: Frame) -> None:
        """What the chosen person remembers, and what changed in this turn."""
        screen = self._screen
        person, game, before = screen.person, frame.game, frame.before
        now, old = game.memories.get(person), before.memories.get(person) if before else None
        calls = self.prompts(frame)
        known = (game, before) if person == NARRATOR else (person, now, old)
        if not self._is_new("memory", *known, [call.id for call in calls]):
            return
        sent = [message["content"] for call in calls for message in call.messages]
        if person == NARRATOR:
            rows = narrator_rows(game, before, prompts=sent)
        else:
            rows = memory_rows(now, old, limit=game.pack.game.memory_cells, prompts=sent)
        screen.memory.show(rows, begin=person != self._drawn)
        self._drawn = person

    def knows(self, frame: Frame) -> None:
        """The table of who knows what."""
        screen = self._screen
        table = who_knows(
            frame.game, {n: turn for n, turn in self._known(frame).items() if n <= frame.number}
        )
        if not self._is_new("knows", table, frame.number):
            return
        rows = knows_rows(table, screen.people[:-1], screen.cast, frame.number)
        screen.query_one("#knows", RowList).show(rows)
        screen.query_one("#knows-head", Line).parts = Spread(
            Content.styled("WHO KNOWS", ".strong"), Content.styled(LEGEND if table else "", ".faint")
        )

    def _known(self, frame: Frame) -> dict[int, Turn]:
        turns = self._screen.reading.book.turns
        return {**turns, frame.number: frame.turn} if frame.turn else turns

    def prompts(self, frame: Frame) -> list[Call]:
        """The prompts of the chosen person, those that tell first."""
        return calls_of((*frame.calls, *frame.untold), self._screen.person)

    def prompt(self, frame: Frame) -> None:
        """The prompt in short, or word for word when it is what one looks at."""
        screen = self._screen
        found = self.prompts(frame)
        if not found:
            self._prompt(Spread(Content.styled("PROMPT", ".strong")), hint(self._no_prompt(frame)))
            self._made.pop("prompt", None)
            return
        screen.prompt_at %= len(found)
        call, whole, shaded = found[screen.prompt_at], screen.view == "prompt", screen.app.current_theme.ansi
        notes = unseen(call, self._known(frame), screen.cast.name(call.character))
        if self._is_new("prompt", call.id, screen.prompt_at, len(found), notes, whole, shaded):
            words = text_blocks(call, shaded=shaded) if whole else []
            head = prompt_head(call, screen.prompt_at, len(found))
            self._prompt(head, bar_block(call, notes, shaded=shaded), *words)

    def _prompt(self, head: Spread, *blocks: Visual) -> None:
        self._screen.query_one("#prompt-head", Line).parts = head
        self._screen.query_one("#prompt-page", Paper).show(blocks)

    def _no_prompt(self, frame: Frame) -> str:
        screen = self._screen
        name = "The narrator" if screen.person == NARRATOR else screen.cast.name(screen.person)
        if frame.live:
            return f"{name} has not answered in this turn yet. The prompt is shown as soon as the answer is complete."
        if frame.calls:
            return f"{name} was not asked anything in this turn."
        return no_calls(frame.number)

    def events(self) -> None:
        """How much the bus has told."""
        log = self._screen.query_one(EventLog)
        self._screen.query_one("#events-head", Line).parts = Spread(
            Content.styled("EVENTS", ".strong"),
            Content.styled(f"{log.heard:,} since the story was opened", ".faint"),
        )

    def calls(self, frame: Frame) -> None:
        """The calls of the turn, and the one under the cursor in full."""
        screen = self._screen
        running = screen.live.running if frame.live else {}
        voices = {id: screen.cast.voice(id) for id in screen.people[:-1]}
        ids = [call.id for call in (*frame.calls, *frame.untold)]
        if self._is_new("calls", frame.number, ids, tuple(running)):
            screen.query_one("#calls", RowList).show(
                calls_rows(frame.calls, running, voices, frame.untold, frame.number)
            )
            self.call()

    def call(self) -> None:
        """The call under the cursor."""
        found = self._chosen_call()
        self._screen.query_one("#call-page", Paper).show(call_blocks(found) if found else ())

    def _chosen_call(self) -> Call | None:
        row = self._screen.query_one("#calls", RowList).row
        frame = self._screen.frame
        known = (*frame.calls, *frame.untold) if frame else ()
        return next((call for call in known if row and call.id == row.key), None)

    def turn_to_call(self) -> None:
        """Make the prompt of the call under the cursor the one to be shown."""
        call, frame = self._chosen_call(), self._screen.frame
        if call and frame:
            known = call.character in self._screen.people
            self._screen.person = call.character if known else NARRATOR
            self._screen.prompt_at = self.prompts(frame).index(call) if known else 0

    def words(self, frame: Frame) -> None:
        """The words of the turn, or of the turn a line came from."""
        screen, source = self._screen, self._screen.source
        turn = frame.turn if source is None else screen.reading.book.turns.get(source.turn)
        number = frame.number if source is None else source.turn
        note = f"turn {number}" if source is None else f"turn {number}, where this came from"
        title = "WORDS" if source is None else one_line(source.text, 50)
        screen.query_one("#words-head", Line).parts = Spread(
            Content.styled(title, ".strong" if source is None else ".accent"), Content.styled(note, ".quiet")
        )
        if not self._is_new("words", frame.turn, source, number, frame.live, frame.game.moments):
            return
        page = screen.query_one("#words", Transcript)
        blocks = turn_blocks(frame.game.pack, screen.cast, turn, frame.game.moments) if turn else []
        blocks = blocks or [note_block("Nothing has been told yet.", ".faint")]
        blocks[0] = replace(blocks[0], space=0)
        if self._page.number == number and self._page.live == frame.live and page.window.leaves:
            self._page.blocks = blocks
            page.changed(self._page)
            return
        self._page = Leaf(number, blocks, live=frame.live, aside=True)
        page.show([self._page], 0)
        if not frame.live:
            page.following = False
            page.scroll_home(animate=False, immediate=True)
