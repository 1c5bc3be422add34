from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.reactive import reactive
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import OptionList, Static

from theact_tui.models.ledger import Call
from theact_tui.story.direct.as_story import NOTES
from theact_tui.story.knowledge import turns_needed, who_knows
from theact_tui.story.memory import memory_changes
from theact_tui.story.names import short_name
from theact_tui.story.turn import Turn
from theact_tui.text import one_line
from theact_tui.tui.blocks import Cast, changes_in_short, note_block, number_of, turn_blocks
from theact_tui.tui.inspector.calls import call_blocks, call_name, calls_rows, no_calls, spark, usage_rows
from theact_tui.tui.inspector.direction import direction_rows
from theact_tui.tui.inspector.events import EventLog
from theact_tui.tui.inspector.knowledge import KNOWLEDGE_LEGEND, knows_rows
from theact_tui.tui.inspector.memory import memory_rows, narrator_rows, note_rows
from theact_tui.tui.inspector.prompt import bar_block, prompt_head, text_blocks, unseen
from theact_tui.tui.inspector.turn_cache import Frame, calls_of
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.visuals import SplitLine, accent, heading, quiet, strong
from theact_tui.tui.widgets.header import HeaderLine, Rule, thousands
from theact_tui.tui.widgets.inputs import ChoiceLine
from theact_tui.tui.widgets.lists import Row, RowList

NARRATOR_ID = ""
"""The ledger files the narrator's calls under no character."""
_SHORT = frozenset({"knows-pane", "prompt-pane"})
NARROW_CELLS, VAST_CELLS = 100, 160
"""For one pane at a time, and for all three."""
SPARK_TURNS = 24
TABLE_TURNS = 120
"""Most turns read for the table of knowledge."""
BLOCKS_PER_FRAME = 5


def visible_panes(view: str, *, narrow: bool, vast: bool, directed: bool = False) -> frozenset[str]:
    own = f"{view}-pane"
    if narrow:
        return frozenset({own} if view in ("memory", "words") else {"desk", own})
    if view == "words" and not vast:
        return frozenset({"memory-pane", own})
    short = _SHORT - {"knows-pane"} if directed else _SHORT
    desk = {own} if view in ("prompt", "calls", "events", "direction") else short
    return frozenset({"memory-pane", "desk", *desk} | ({"words-pane"} if vast else set()))


@dataclass(frozen=True, slots=True)
class Selection:
    number: int
    newest: int
    """Saved or running."""
    person: str
    view: str = "memory"
    source: Row | None = None
    """Line whose turn is shown, if it is another turn's."""
    prompt: int = 0
    """Index of the person's prompt, modulo their number."""
    running: str = ""
    """Such as `being told`."""
    people: tuple[str, ...] = (NARRATOR_ID,)
    """Ids of the characters who have appeared, then `NARRATOR_ID`."""
    word: str = "turn"
    """`turn`, or `prompt` in a directed chapter: there the narrator's tab shows the notes."""

    @property
    def is_directed(self) -> bool:
        return self.word == "prompt"


class BlockView(VerticalScroll):
    DEFAULT_CSS = "BlockView { scrollbar-size-vertical: 1; scrollbar-gutter: stable; }"

    def __init__(self, *, id: str | None = None, can_focus: bool = True) -> None:
        super().__init__(id=id, can_focus=can_focus)
        self.blocks: tuple[Visual, ...] = ()
        self._set = 0

    def show(self, blocks: Sequence[Visual]) -> None:
        self.blocks, self._set = tuple(blocks), 0
        for sheet in self._sheets[len(self.blocks) :]:
            sheet.display = False
        self._go_on()

    @property
    def _sheets(self) -> list[Static]:
        return list(self.query_children(Static))

    def _go_on(self) -> None:
        first, sheets = self._set, self._sheets
        chosen = self.blocks[first : first + BLOCKS_PER_FRAME]
        self._set = first + len(chosen)
        for sheet, block in zip(sheets[first:], chosen, strict=False):
            sheet.update(block)
            sheet.display = True
        self.mount(*(Static(block) for block in chosen[max(0, len(sheets) - first) :]))
        if self._set < len(self.blocks):
            self.call_after_refresh(self._go_on)


class PersonTabs(ChoiceLine):
    """Line of tabs; names get shorter in a narrow window."""

    DEFAULT_CSS = "PersonTabs { padding: 0 1; }"
    people: reactive[tuple[tuple[str, Content, Content], ...]] = reactive((), always_update=True)
    """Id, tab and short tab of each person."""
    joint = "   "

    def entries(self) -> Sequence[tuple[str, Content]]:
        room = (self.size.width or 1000) - len(self.joint) * len(self.people)
        if sum(tab.cell_length for _, tab, _ in self.people) + len(self.note) <= room:
            return [(id, tab) for id, tab, _ in self.people]
        is_tight = sum(short.cell_length for *_, short in self.people) > room
        most = max(1, room // len(self.people)) if is_tight else room
        return [(id, short.truncate(most, ellipsis=True)) for id, _, short in self.people]


class InspectorView(Vertical):
    def __init__(self, title: str, cast: Cast, selection: Selection, *, id: str) -> None:
        super().__init__(id=id)
        self._title = title
        self._cast = cast
        self._selection = selection
        self.memory, self._knowledge, self._direction, self._calls = (
            RowList(id=id) for id in ("memory", "knows", "direction", "calls")
        )
        self._prompt = BlockView(id="prompt-page")
        self._call = BlockView(id="call-page", can_focus=False)
        self.events = EventLog(id="events")
        self._words = Transcript(id="words")
        self.views = {
            "memory": self.memory,
            "knows": self._knowledge,
            "direction": self._direction,
            "prompt": self._prompt,
            "calls": self._calls,
            "events": self.events,
            "words": self._words,
        }
        """Views, and the widget with focus in each."""
        self._heads = {id: HeaderLine(id=f"{id}-head") for id in self.views}
        self._frame: Frame | None = None
        self._page = TurnLayout(-1)
        """Turn whose words are shown."""
        self._listed: str | None = None
        self._drawn: dict[str, object] = {}

    def compose(self) -> ComposeResult:
        yield HeaderLine(id="head")
        yield Rule(id="rule")
        yield PersonTabs(id="people")
        with Horizontal(id="body"):
            yield self._pane("memory", self.memory)
            with Vertical(id="desk"):
                for view in ("knows", "direction", "prompt"):
                    yield self._pane(view, self._heads[view], self.views[view])
                yield self._pane("calls", self._calls, self._call)
                yield self._pane("events", self._heads["events"], self.events)
            yield self._pane("words", self._heads["words"], self._words)

    def _pane(self, view: str, *parts: Widget) -> Vertical:
        return Vertical(*parts, id=f"{view}-pane", classes="pane")

    # --- what it is asked for ---------------------------------------------------------------------------------------

    @property
    def row(self) -> Row | None:
        """Row under the cursor of memory or table; None in other views."""
        chosen = self.views[self._selection.view]
        return chosen.row if chosen in (self.memory, self._knowledge, self._direction) else None

    def select(self, selection: Selection) -> None:
        """Show the panes and head of a selection before its frame is read."""
        self._selection = selection
        width = self.app.size.width
        directed = selection.is_directed
        shown = visible_panes(
            selection.view, narrow=width < NARROW_CELLS, vast=width >= VAST_CELLS, directed=directed
        )
        for pane in self.query(Vertical):
            if pane.display != (pane.id in shown):
                pane.display = pane.id in shown
        self.query_one("#prompt-pane").set_class(selection.view == "prompt", "-whole")
        self.memory.set_class(selection.view == "words", "-behind")
        self._draw_head()

    def needed(self, frame: Frame) -> set[int]:
        return {*turns_needed(frame.game)[-TABLE_TURNS:], *self._spark_turns()}

    def draw(self, frame: Frame) -> None:
        self.draw_first(frame)
        for view, draw in (
            ("prompt", self._draw_prompt),
            ("direction", self._draw_direction),
            ("calls", self._draw_calls),
            ("words", self._draw_words),
        ):
            if self._is_seen(view):
                draw(frame)
        self._title_pane("events", "EVENTS", f"{self.events.heard:,} since the story was opened")
        self.query_one("#rule", Rule).mood = frame.turn.mood if frame.turn else ""

    def draw_first(self, frame: Frame) -> None:
        self._frame = frame
        self._draw_head()
        self._draw_memory(frame)

    def draw_history(self, frame: Frame) -> None:
        """Draw the parts that need many turns."""
        self._frame = frame
        self._draw_head()
        if self._is_seen("knows"):
            self._draw_table(frame)

    def _is_new(self, pane: str, *values: object) -> bool:
        drawn = self._drawn.get(pane)
        self._drawn[pane] = values
        return drawn != values

    def _is_seen(self, view: str) -> bool:
        return all(node.display for node in self.views[view].ancestors_with_self)

    def _title_pane(self, view: str, title: str, note: str) -> None:
        self._heads[view].parts = heading(title, note)

    # --- head and tabs ----------------------------------------------------------------------------------------------

    def _draw_head(self) -> None:
        chosen = self._selection
        number, newest = chosen.number, chosen.newest
        word = chosen.word
        where = f"{word} {number} of {newest}" if number else f"before the first {word}"
        if chosen.running:
            where = f"{word} {number}, {chosen.running}"
        left = Content.assemble(
            (f"{'Notes' if chosen.is_directed else 'Memory'}  ", ".strong"),
            ("◂ " if number > (0 if chosen.is_directed else 1) else "  ", ".quiet"),
            (where, ".accent"),
            (" ▸" if number < newest else "  ", ".quiet"),
        )
        middle = quiet(one_line(self._title, 40))
        self.query_one("#head", HeaderLine).parts = SplitLine(left, self._spark(), middle)
        tabs = self.query_one(PersonTabs)
        other = "Notes" if chosen.is_directed else "Narrator"
        names = {id: self._cast.names.get(id, other) for id in chosen.people}
        tabs.people = tuple(
            (id, self._tab(id, name), self._tab(id, short_name(name))) for id, name in names.items()
        )
        tabs.note = self._tab_note(self._frame) if self._frame else ""

    def _spark_turns(self) -> range:
        number = self._selection.number
        last = max(number, min(self._selection.newest, number + SPARK_TURNS // 3))
        return range(max(1, last - SPARK_TURNS + 1), last + 1)

    def _spark(self) -> Content:
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
        spent_now = spent.get(number)
        tokens = f" {thousands(spent_now)} tokens" if spent_now else " tokens"
        bars = spark([spent.get(n) for n in shown], number - shown.start)
        return Content.assemble(bars, (tokens, ".quiet"))

    def _tab(self, id: str, name: str) -> Content:
        frame, note = self._frame, ""
        is_here = id == NARRATOR_ID or frame is None or id in frame.game.state.present
        if frame and id != NARRATOR_ID:
            now, old = frame.game.memories.get(id), frame.before.memories.get(id) if frame.before else None
            note = changes_in_short(memory_changes(old, now)) if now else ""
            note = "…" if id in frame.busy else note
        ink = self._cast.ink(id) if id != NARRATOR_ID else ".strong"
        label = Content.styled(name, ink if is_here or id == self._selection.person else ".quiet")
        if id == self._selection.person:
            label = label.stylize("underline on $glow")
        dot = "" if id == NARRATOR_ID else "● " if is_here else "○ "
        return Content.assemble((dot, ".quiet"), label, (f" {note}" if note else "", ".good"))

    def _tab_note(self, frame: Frame) -> str:
        person, game, turn = self._selection.person, frame.game, frame.turn
        if person == NARRATOR_ID and self._selection.is_directed:
            return game.chapter.title
        if person == NARRATOR_ID:
            return one_line(f"chapter {number_of(game.pack, game.state.chapter)}, {game.chapter.title}", 40)
        if turn is None:
            return ""
        spoke = any(entry.character == person for entry in turn.entries)
        is_present = person in turn.witnesses or person in game.state.present
        if self._selection.is_directed and not spoke:
            return ""
        is_ = "is" if frame.live else "was"
        did = "answered" if spoke else f"{is_} here" if is_present else f"{is_} away"
        waiting = sorted(
            work.turn for work in game.state.pending if work.agent == "memory" and work.character == person
        )
        lag = f" · turn {', '.join(map(str, waiting))} not in memory yet" if waiting else ""
        lag = " · updating memories…" if person in frame.busy else lag
        return f"{short_name(self._cast.name(person))} {did}{lag}"

    # --- pane by pane -----------------------------------------------------------------------------------------------

    def _draw_memory(self, frame: Frame) -> None:
        person, game, before = self._selection.person, frame.game, frame.before
        directed = self._selection.is_directed
        owner = NOTES if directed else person
        now, old = game.memories.get(owner), before.memories.get(owner) if before else None
        calls = calls_of(frame.prompted_calls, person)
        is_narrator = person == NARRATOR_ID and not directed
        values = (game, before) if is_narrator else (person, now, old, game.state.edited)
        if not self._is_new("memory", *values, [call.id for call in calls]):
            return
        sent = [message["content"] for call in calls for message in call.messages]
        rows = (
            narrator_rows(game, before, prompts=sent)
            if is_narrator
            else note_rows(now, old)
            if directed
            else memory_rows(
                now, old, limit=game.pack.game.memory_cells, prompts=sent, stale=game.state.edited
            )
        )
        self.memory.show(rows, begin=person != self._listed)
        self._listed = person

    def _draw_table(self, frame: Frame) -> None:
        table = who_knows(frame.game, {n: turn for n, turn in frame.turns.items() if n <= frame.number})
        if self._is_new("knows", table, frame.number):
            rows = knows_rows(table, tuple(self._cast.names), self._cast, frame.number)
            self._knowledge.show(rows)
            self._title_pane("knows", "WHO KNOWS", KNOWLEDGE_LEGEND if table else "")

    def _draw_direction(self, frame: Frame) -> None:
        if self._is_new("direction", frame.game, frame.turn):
            self._direction.show(direction_rows(frame.game, frame.turn, self._cast))
            self._title_pane("direction", "DIRECTION", "o: change this decision")

    def _draw_prompt(self, frame: Frame) -> None:
        chosen = self._selection
        title = "SENT" if chosen.is_directed else "PROMPT"
        if not (prompts := calls_of(frame.prompted_calls, chosen.person)):
            self._show_prompt(heading(title), quiet(self._no_prompt(frame)))
            self._drawn.pop("prompt", None)
            return
        place = chosen.prompt % len(prompts)
        call, whole, shaded = prompts[place], chosen.view == "prompt", self.app.current_theme.ansi
        notes = unseen(call, frame.turns, self._cast.name(call.character))
        if self._is_new("prompt", call.id, place, len(prompts), notes, whole, shaded):
            words = text_blocks(call, shaded=shaded) if whole else []
            name = call_name(call.key, self._cast)
            head = prompt_head(call, place, len(prompts), Content.assemble((title, ".strong"), f"  {name}"))
            self._show_prompt(head, bar_block(call, notes, shaded=shaded), *words)

    def _show_prompt(self, head: SplitLine, *blocks: Visual) -> None:
        self._heads["prompt"].parts = head
        self._prompt.show(blocks)

    def _no_prompt(self, frame: Frame) -> str:
        person = self._selection.person
        other = "Notes" if self._selection.is_directed else "The narrator"
        name = other if person == NARRATOR_ID else self._cast.name(person)
        word = self._selection.word
        if word == "prompt":
            return f"{name} {'were not taken' if person == NARRATOR_ID else 'was not asked'} here."
        if frame.live:
            return f"{name} has not been asked yet in this turn."
        return f"No prompt for {name} in this turn." if frame.calls else no_calls(frame.number)

    def _draw_calls(self, frame: Frame) -> None:
        cast, word = self._cast, self._selection.word
        outcomes = [(call.id, call.outcome) for call in frame.prompted_calls]
        if self._is_new("calls", frame.number, outcomes, frame.usage):
            rows = calls_rows(frame.calls, frame.asked, cast, frame.untold, frame.number, word)
            rows += usage_rows(frame.usage, frame.first_words, cast, word)
            self._calls.show(rows)
            self._draw_call()

    @on(OptionList.OptionHighlighted, "#calls")
    def _draw_call(self) -> None:
        call = self._chosen_call
        self._call.show(call_blocks(call) if call else ())

    @property
    def _chosen_call(self) -> Call | None:
        row, calls = self._calls.row, self._frame.prompted_calls if self._frame else ()
        return next((call for call in calls if row and call.id == row.key), None)

    @property
    def chosen_prompt(self) -> tuple[str, int] | None:
        """Return owner and index of the prompt of the call under the cursor."""
        call, frame = self._chosen_call, self._frame
        if call is None or frame is None:
            return None
        if call.character not in (*self._cast.names, NARRATOR_ID):
            return NARRATOR_ID, 0
        return call.character, calls_of(frame.prompted_calls, call.character).index(call)

    def _draw_words(self, frame: Frame) -> None:
        source, word = self._selection.source, self._selection.word
        if source:
            turn, number, note = (
                frame.turns.get(source.turn),
                source.turn,
                f"{word} {source.turn}, the source",
            )
            title = accent(one_line(source.text, 50))
        else:
            turn, number, note = frame.turn, frame.number, f"{word} {frame.number}"
            title = strong("WORDS")
        self._heads["words"].parts = SplitLine(title, quiet(note))
        if not self._is_new("words", turn, source, number, frame.live, frame.game.moments):
            return
        page = self._words
        blocks = turn_blocks(frame.game.pack, self._cast, turn, frame.game.moments) if turn else []
        blocks = blocks or [note_block("Nothing was played yet.", ".faint")]
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
