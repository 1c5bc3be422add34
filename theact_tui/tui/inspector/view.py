"""The panes of the inspector: a widget that draws a `Frame` as a `Selection` looks at it, and reads nothing itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.visual import Visual
from textual.widgets import OptionList

from theact_tui.models.ledger import Call
from theact_tui.story.knowledge import told_turns, who_knows
from theact_tui.story.memory import memory_changes
from theact_tui.story.names import short_name
from theact_tui.story.turn import Turn
from theact_tui.text import one_line
from theact_tui.tui.blocks import Cast, changes_in_short, note_block, number_of, turn_blocks
from theact_tui.tui.inspector.calls import call_blocks, calls_rows, no_calls, spark, totals, usage_rows
from theact_tui.tui.inspector.data import Frame, calls_of
from theact_tui.tui.inspector.direction import direction_rows
from theact_tui.tui.inspector.events import EventLog
from theact_tui.tui.inspector.knowledge import LEGEND, knows_rows
from theact_tui.tui.inspector.memory import memory_rows, narrator_rows
from theact_tui.tui.inspector.prompt import bar_block, prompt_head, text_blocks, unseen
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.visuals import SplitLine, hint
from theact_tui.tui.widgets.choice_line import ChoiceLine
from theact_tui.tui.widgets.containers import BlockView
from theact_tui.tui.widgets.header import HeaderLine, Rule, thousands
from theact_tui.tui.widgets.lists import Row, RowList
from theact_tui.tui.widgets.portrait import Portrait

NARRATOR = ""
"""The id of the narrator's tab; the ledger files its calls under no character."""
VIEWS = {
    "memory": "#memory",
    "knows": "#knows",
    "direction": "#direction",
    "prompt": "#prompt-page",
    "calls": "#calls",
    "events": "#events",
    "words": "#words",
}
"""The views, and which widget has the keys in each."""
SHORT = frozenset({"knows-pane", "prompt-pane"})
"""What shares the desk: the table, and the prompt in short."""
NARROW, VAST = 100, 160
"""Cells of width below which one pane is shown at a time, and from which there is room for all three; known before the
screen's classes of the same names are set."""
SPARK = 24
"""Turns in the row of small bars."""
TABLE_TURNS = 120
"""At most so many turns are read for the table of who knows what."""


def visible_panes(view: str, *, narrow: bool, vast: bool) -> frozenset[str]:
    """Ids of the panes that a view shows."""
    own = f"{view}-pane"
    if narrow:
        return frozenset({own} if view in ("memory", "words") else {"desk", own})
    if view == "words" and not vast:
        return frozenset({"memory-pane", own})
    desk = {own} if view in ("prompt", "calls", "events", "direction") else SHORT
    return frozenset({"memory-pane", "desk", *desk} | ({"words-pane"} if vast else set()))


@dataclass(frozen=True, slots=True)
class Selection:
    """What the reader looks at."""

    number: int
    """The turn."""
    newest: int
    """The newest turn there is, be it saved or still being told."""
    person: str
    """A character's id, or `NARRATOR`."""
    view: str = "memory"
    """One of `VIEWS`."""
    source: Row | None = None
    """The line whose turn is shown among the words, if it is another turn's."""
    prompt: int = 0
    """Which of the person's prompts is shown; beyond the last the first comes again."""
    running: str = ""
    """What is done with this turn now, such as `being told`."""


@dataclass(frozen=True, slots=True)
class PersonTab:
    """A tab. The narrator has no voice and is always present."""

    id: str
    name: str
    voice: int = 0
    present: bool = True
    note: str = ""
    """Such as `+1 ~2`."""


class PersonTabs(ChoiceLine):
    """One line of tabs; names give way to short ones where there is little room."""

    DEFAULT_CSS = "PersonTabs { padding: 0 1; }"
    people: reactive[tuple[PersonTab, ...]] = reactive(())
    active: reactive[str] = reactive("")
    """The id of the tab that is open."""
    joint = "   "

    def entries(self) -> Sequence[tuple[str, Content]]:
        tabs = [self._tab(person, person.name) for person in self.people]
        needed = sum(tab.cell_length + len(self.joint) for tab in tabs) + len(self.note)
        if self.size.width and needed > self.size.width:
            tabs = [self._tab(person, short_name(person.name)) for person in self.people]
        return [(person.id, tab) for person, tab in zip(self.people, tabs, strict=True)]

    def _tab(self, person: PersonTab, name: str) -> Content:
        here = person.id == self.active
        ink = f".voice-{person.voice}" if person.voice else ".strong"
        label = Content.styled(name, ink if here or person.present else ".quiet")
        if here:
            label = label.stylize("underline on $glow")
        dot = ("" if not person.voice else "● " if person.present else "○ ", ".quiet")
        return Content.assemble(dot, label, (f" {person.note}" if person.note else "", ".good"))


class InspectorView(Vertical):
    """Head, tabs and panes: memory; a desk for the table, prompts, calls and events; the words of a turn."""

    def __init__(self, title: str, cast: Cast, selection: Selection, *, id: str) -> None:
        super().__init__(id=id)
        self._title = title
        self._cast = cast
        self._selection = selection
        self._frame: Frame | None = None
        self._page = TurnLayout(-1)
        """The turn whose words are shown."""
        self._listed: str | None = None
        """The person whose memory is shown."""
        self._drawn: dict[str, object] = {}
        """The values each pane was drawn from."""

    def compose(self) -> ComposeResult:
        yield HeaderLine(id="head")
        yield Rule(id="rule")
        yield PersonTabs(id="people")
        with Horizontal(id="body"):
            with Vertical(id="memory-pane", classes="pane"):
                yield RowList(id="memory")
                yield Portrait()
            with Vertical(id="desk"):
                with Vertical(id="knows-pane", classes="pane"):
                    yield HeaderLine(id="knows-head", classes="pane-head")
                    yield RowList(id="knows")
                with Vertical(id="direction-pane", classes="pane"):
                    yield HeaderLine(id="direction-head", classes="pane-head")
                    yield RowList(id="direction")
                with Vertical(id="prompt-pane", classes="pane"):
                    yield HeaderLine(id="prompt-head")
                    yield BlockView(id="prompt-page")
                with Vertical(id="calls-pane", classes="pane"):
                    yield RowList(id="calls")
                    yield BlockView(id="call-page", can_focus=False)
                with Vertical(id="events-pane", classes="pane"):
                    yield HeaderLine(id="events-head", classes="pane-head")
                    yield EventLog(id="events")
            with Vertical(id="words-pane", classes="pane"):
                yield HeaderLine(id="words-head")
                yield Transcript(id="words")

    # --- what it is asked for ---------------------------------------------------------------------------------------

    @property
    def memory(self) -> RowList:
        """The remembered lines."""
        return self.query_one("#memory", RowList)

    @property
    def row(self) -> Row | None:
        """The line under the cursor of memory or table; None in the other views."""
        lists = {"memory": "#memory", "knows": "#knows", "direction": "#direction"}
        view = self._selection.view
        return self.query_one(lists[view], RowList).row if view in lists else None

    def select(self, selection: Selection) -> None:
        """Show the panes of a selection, and say in the head what it is, while its frame is still being read."""
        self._selection = selection
        width = self.app.size.width
        shown = visible_panes(selection.view, narrow=width < NARROW, vast=width >= VAST)
        for pane in self.query(Vertical):
            if pane.display != (pane.id in shown):
                pane.display = pane.id in shown
        self.query_one("#prompt-pane").set_class(selection.view == "prompt", "-whole")
        self.query_one("#memory").set_class(selection.view == "words", "-behind")
        self._draw_head()

    def needed(self, frame: Frame) -> set[int]:
        """The numbers of the turns that a frame's table and bars are made of."""
        return {*told_turns(frame.game)[-TABLE_TURNS:], *self._spark_turns()}

    def draw(self, frame: Frame) -> None:
        """Draw what is made of one turn, as far as it is in sight."""
        self.draw_first(frame)
        for pane, draw in (
            ("#prompt-page", self._draw_prompt),
            ("#direction", self._draw_direction),
            ("#calls", self._draw_calls),
            ("#words", self._draw_words),
        ):
            if self._is_seen(pane):
                draw(frame)
        self._title_pane("events", "EVENTS", f"{self.query_one(EventLog).heard:,} since the story was opened")
        self.query_one("#rule", Rule).mood = frame.turn.mood if frame.turn else ""

    def draw_first(self, frame: Frame) -> None:
        """Draw the head and the memory, which the first frame on screen is made of."""
        self._frame = frame
        self._draw_head()
        self._draw_memory(frame)

    def draw_history(self, frame: Frame) -> None:
        """Draw what is made of many turns."""
        self._frame = frame
        self._draw_head()
        if self._is_seen("#knows"):
            self._draw_table(frame)

    def _is_new(self, pane: str, *values: object) -> bool:
        """Whether a pane has to be drawn: its values are others than last time."""
        known = self._drawn.get(pane)
        self._drawn[pane] = values
        return known != values

    def _is_seen(self, pane: str) -> bool:
        return all(node.display for node in self.query_one(pane).ancestors_with_self)

    def _title_pane(self, pane: str, title: str, note: str, ink: str = ".faint") -> None:
        line = SplitLine(Content.styled(title, ".strong"), Content.styled(note, ink))
        self.query_one(f"#{pane}-head", HeaderLine).parts = line

    # --- head and tabs ----------------------------------------------------------------------------------------------

    def _draw_head(self) -> None:
        chosen = self._selection
        number, newest = chosen.number, chosen.newest
        where = f"turn {number} of {newest}" if newest else "before the first turn"
        if chosen.running:
            where = f"turn {number}, {chosen.running}"
        left = Content.assemble(
            ("Memory  ", ".strong"),
            ("◂ " if number > 1 else "  ", ".quiet"),
            (where, ".accent"),
            (" ▸" if number < newest else "  ", ".quiet"),
        )
        middle = Content.styled(one_line(self._title, 40), ".quiet")
        self.query_one("#head", HeaderLine).parts = SplitLine(left, self._spark(), middle)
        tabs = self.query_one(PersonTabs)
        tabs.people = tuple(self._tab(id) for id in (*self._cast.names, NARRATOR))
        tabs.active = chosen.person
        tabs.note = self._tab_note(self._frame) if self._frame else ""

    def _spark_turns(self) -> range:
        """The turns of the row of bars: the one looked at stays in sight."""
        number = self._selection.number
        last = max(number, min(self._selection.newest, number + SPARK // 3))
        return range(max(1, last - SPARK + 1), last + 1)

    def _spark(self) -> Content:
        """Tokens of the turns around this one."""
        turns: Mapping[int, Turn] = self._frame.turns if self._frame else {}
        shown = self._spark_turns()
        spent = {
            n: sum(count.prompt_tokens + count.completion_tokens for count in turns[n].calls.values())
            for n in shown
            if n in turns
        }
        if not any(spent.values()):
            return Content("")
        number = self._selection.number
        here = spent.get(number)
        tokens = f" {thousands(here)} tokens" if here else " tokens"
        bars = spark([spent.get(n) for n in shown], number - shown.start)
        return Content.assemble(bars, (tokens, ".quiet"))

    def _tab(self, id: str) -> PersonTab:
        if id == NARRATOR:
            return PersonTab(id, "Narrator")
        frame, name, voice = self._frame, self._cast.name(id), self._cast.voice(id)
        if frame is None:
            return PersonTab(id, name, voice)
        now, old = frame.game.memories.get(id), frame.before.memories.get(id) if frame.before else None
        changes = changes_in_short(memory_changes(old, now)) if now else ""
        return PersonTab(
            id, name, voice, id in frame.game.state.present, "…" if id in frame.busy else changes
        )

    def _tab_note(self, frame: Frame) -> str:
        """What the chosen character did in the turn, and whether its memory still lags behind."""
        person, game, turn = self._selection.person, frame.game, frame.turn
        if person == NARRATOR:
            return one_line(f"chapter {number_of(game.pack, game.state.chapter)}, {game.chapter.title}", 40)
        if turn is None:
            return ""
        spoke = any(entry.character == person for entry in turn.entries)
        here = person in turn.witnesses or person in game.state.present
        is_ = "is" if frame.live else "was"
        did = "answered" if spoke else f"{is_} here" if here else f"{is_} away"
        waiting = sorted(
            work.turn for work in game.state.pending if work.agent == "memory" and work.character == person
        )
        lag = f" · turn {', '.join(map(str, waiting))} not in memory yet" if waiting else ""
        lag = " · updating memories…" if person in frame.busy else lag
        return f"{short_name(self._cast.name(person))} {did}{lag}"

    # --- pane by pane -----------------------------------------------------------------------------------------------

    def _draw_memory(self, frame: Frame) -> None:
        """What the chosen person remembers, and what changed in this turn."""
        person, game, before = self._selection.person, frame.game, frame.before
        now, old = game.memories.get(person), before.memories.get(person) if before else None
        calls = calls_of(frame.known, person)
        known = (game, before) if person == NARRATOR else (person, now, old, game.state.edited)
        if not self._is_new("memory", *known, [call.id for call in calls]):
            return
        sent = [message["content"] for call in calls for message in call.messages]
        rows = (
            narrator_rows(game, before, prompts=sent)
            if person == NARRATOR
            else memory_rows(
                now, old, limit=game.pack.game.memory_cells, prompts=sent, stale=game.state.edited
            )
        )
        self.memory.show(rows, begin=person != self._listed)
        self._listed = person

    def _draw_table(self, frame: Frame) -> None:
        """The table of who knows what."""
        table = who_knows(frame.game, {n: turn for n, turn in frame.turns.items() if n <= frame.number})
        if self._is_new("knows", table, frame.number):
            rows = knows_rows(table, tuple(self._cast.names), self._cast, frame.number)
            self.query_one("#knows", RowList).show(rows)
            self._title_pane("knows", "WHO KNOWS", LEGEND if table else "")

    def _draw_direction(self, frame: Frame) -> None:
        """The decisions of the turn."""
        if self._is_new("direction", frame.game, frame.turn):
            rows = direction_rows(frame.game, frame.turn, self._cast)
            self.query_one("#direction", RowList).show(rows)
            self._title_pane("direction", "DIRECTION", "o overrules the line under the cursor")

    def _draw_prompt(self, frame: Frame) -> None:
        """The prompt in short; word for word in the prompt view."""
        chosen = self._selection
        if not (found := calls_of(frame.known, chosen.person)):
            self._show_prompt(SplitLine(Content.styled("PROMPT", ".strong")), hint(self._no_prompt(frame)))
            self._drawn.pop("prompt", None)
            return
        place = chosen.prompt % len(found)
        call, whole, shaded = found[place], chosen.view == "prompt", self.app.current_theme.ansi
        notes = unseen(call, frame.turns, self._cast.name(call.character))
        if self._is_new("prompt", call.id, place, len(found), notes, whole, shaded):
            words = text_blocks(call, shaded=shaded) if whole else []
            head = prompt_head(call, place, len(found))
            self._show_prompt(head, bar_block(call, notes, shaded=shaded), *words)

    def _show_prompt(self, head: SplitLine, *blocks: Visual) -> None:
        self.query_one("#prompt-head", HeaderLine).parts = head
        self.query_one("#prompt-page", BlockView).show(blocks)

    def _no_prompt(self, frame: Frame) -> str:
        person = self._selection.person
        name = "The narrator" if person == NARRATOR else self._cast.name(person)
        if frame.live:
            return f"{name} has not been asked yet in this turn."
        return f"No prompt for {name} in this turn." if frame.calls else no_calls(frame.number)

    def _draw_calls(self, frame: Frame) -> None:
        """The calls of the turn, and the one under the cursor in full."""
        voices = {id: self._cast.voice(id) for id in self._cast.names}
        ids = [call.id for call in frame.known]
        if self._is_new("calls", frame.number, ids, tuple(frame.running), frame.usage):
            rows = calls_rows(frame.calls, frame.running, voices, frame.untold, frame.number)
            rows += usage_rows(frame.usage, voices)
            self.query_one("#calls", RowList).show(rows)
            self._draw_call()

    @on(OptionList.OptionHighlighted, "#calls")
    def _draw_call(self) -> None:
        """The call under the cursor."""
        found = self._chosen_call
        self.query_one("#call-page", BlockView).show(call_blocks(found) if found else ())

    @property
    def _chosen_call(self) -> Call | None:
        row, known = self.query_one("#calls", RowList).row, self._frame.known if self._frame else ()
        return next((call for call in known if row and call.id == row.key), None)

    @property
    def chosen_prompt(self) -> tuple[str, int] | None:
        """Whose prompt, and which of them, belongs to the call under the cursor."""
        call, frame = self._chosen_call, self._frame
        if call is None or frame is None:
            return None
        if call.character not in (*self._cast.names, NARRATOR):
            return NARRATOR, 0
        return call.character, calls_of(frame.known, call.character).index(call)

    def _draw_words(self, frame: Frame) -> None:
        """The words of the turn, or of the turn a line came from."""
        source = self._selection.source
        if source:
            turn, number, note = frame.turns.get(source.turn), source.turn, f"turn {source.turn}, the source"
            title = Content.styled(one_line(source.text, 50), ".accent")
        else:
            turn, number, note = frame.turn, frame.number, f"turn {frame.number}"
            title = Content.styled("WORDS", ".strong")
        self.query_one("#words-head", HeaderLine).parts = SplitLine(title, Content.styled(note, ".quiet"))
        if not self._is_new("words", turn, source, number, frame.live, frame.game.moments):
            return
        page = self.query_one("#words", Transcript)
        blocks = turn_blocks(frame.game.pack, self._cast, turn, frame.game.moments) if turn else []
        blocks = blocks or [note_block("The story has not started yet.", ".faint")]
        blocks[0] = replace(blocks[0], space=0)
        if self._page.number == number and self._page.live == frame.live and page.window.turns:
            self._page.blocks = blocks
            page.changed(self._page)
            return
        self._page = TurnLayout(number, blocks, live=frame.live, aside=True)
        page.show([self._page], 0)
        if not frame.live:
            page.following = False
            page.scroll_home(animate=False, immediate=True)


def call_facts(frame: Frame) -> tuple[str, ...]:
    """The calls of a turn in short, and how many went into takes that are not in the story."""
    others = f"{frame.others} more in other takes" if frame.others else ""
    return tuple(filter(None, (totals(frame.calls), others)))
