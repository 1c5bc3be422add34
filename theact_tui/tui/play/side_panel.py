"""Side panel. A changed line glows for some seconds and keeps a mark until the next turn."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import Static

from theact_tui.engine.state_in_words import steering_lines
from theact_tui.story.game import Game
from theact_tui.story.memory import Change, FactsMemory, Memory, lines_of
from theact_tui.text import counted, flat, is_pronoun, one_line, to_come
from theact_tui.tui.actions import bindings
from theact_tui.tui.blocks import INKS, MARKS, Cast, changes_in_short
from theact_tui.tui.play.keys import CAST_ACTIONS, SUMMARY_ACTIONS
from theact_tui.tui.running_turn import MemoryMark, RunningTurn
from theact_tui.tui.visuals import SplitLine, Stack, TruncatedText, faint, heading, inked, line, quiet, strong
from theact_tui.tui.widgets.panel import GlowingPanel

_ROOMY_CELLS = 46
SUMMARY_ROWS, SHOWN_MOMENTS, SHOWN_CHANGES = 8, 5, 3
"""Limits in a narrower panel."""
CHANGE_LENGTH = 110
_PINNED = "◆"


class SummarySection(Static, can_focus=True):
    """The summary; if cut, it can be focused and unfolded."""

    DEFAULT_CSS = "SummarySection:focus { background: $surface; }"
    BINDINGS = bindings(SUMMARY_ACTIONS)
    cut: Visual = Content("")
    whole: Visual = Content("")
    unfolded: reactive[bool] = reactive(False)

    def show(self, cut: Visual, whole: Visual) -> None:
        self.cut, self.whole = cut, whole
        self.watch_unfolded()

    def watch_unfolded(self) -> None:
        self.update(self.whole if self.unfolded else self.cut)

    def allow_focus(self) -> bool:
        width = self.size.width
        is_cut = width > 0 and self.whole.get_height({}, width) > self.cut.get_height({}, width)
        return is_cut or self.unfolded

    def action_unfold_summary(self) -> None:
        self.unfolded = not self.unfolded

    def on_click(self) -> None:
        if self.allow_focus():
            self.action_unfold_summary()


class SidePanel(GlowingPanel):
    """State of the story. Sections that glow: `summary`, `beats`, `moments`, character ids."""

    show_beats: reactive[bool] = reactive(False, init=False)

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._game: Game | None = None
        self.running = RunningTurn()

    def compose(self) -> ComposeResult:
        yield Static(id="steering")
        yield SummarySection(id="summary")
        yield Static(id="beats")
        yield CastList(id="cast")
        yield Static(id="moments")

    def on_mount(self) -> None:
        self.watch(self.cast, "has_focus", lambda: self._follow_cursor(1), init=False)
        for name in ("at", "unfolded"):
            self.watch(self.cast, name, lambda: self._follow_cursor(self.size.height), init=False)

    def on_resize(self) -> None:
        if self.is_mounted:
            self._follow_cursor(1)  # also where the cursor moved before the panel, just opened, had rows

    def _follow_cursor(self, most: int) -> None:
        """Keep the cast's cursor in view, with at most `most` rows below it."""

        def show() -> None:
            rows = self.cast.rows_of(self.cast.at)
            self.scroll_to_region(rows.crop_size((rows.width, most)), animate=False)

        if self.cast.has_focus:
            self.call_after_refresh(show)

    @property
    def cast(self) -> "CastList":
        return self.query_one(CastList)

    def show(self, game: Game) -> None:
        self._game = game
        self.draw()

    def new_turn(self) -> None:
        self.stop_glowing()
        self.draw()

    def watch_show_beats(self) -> None:
        self.draw()

    def draw(self) -> None:
        game = self._game
        if game is None or not self.is_mounted:
            return
        turn, glow = self.running, self._glowing
        lines = steering_lines(game)
        steering = self.query_one("#steering", Static)
        steering.display = bool(lines)
        steering.update(Stack(heading("STEERING"), *(quiet(flat(text)) for text in lines)))
        cut, whole = (summary_part(game, turn, "summary" in glow, whole=text) for text in (False, True))
        self.query_one(SummarySection).show(cut, whole)
        beats = beats_part(game, turn.beats, "beats" in glow, reveal=self.show_beats)
        self.query_one("#beats", Static).update(beats)
        self.query_one("#moments", Static).update(moments_part(game, "moments" in glow))
        self.cast.show(game, turn, glow)


def summary_part(game: Game, running: RunningTurn, glow: bool, *, whole: bool) -> Visual:
    """Only its newest rows unless `whole`; before the first summary, the last chapter's recap or an explanation."""
    state = game.state
    text = flat(state.rolling_summary or (game.recaps[-1].text if game.recaps else ""))
    if not text:
        whole_note = "The model still sees every turn in full. " if state.turn > 1 else ""
        hint_text = "When the story gets too long for the model, its oldest turns are summarised here."
        return Stack(heading("STORY SO FAR"), quiet(f"{whole_note}{hint_text}"))
    new = "new · " if running.is_summarized else ""
    note = inked(f"{new}to turn {state.last_summarized_turn}", ".glow" if glow else ".faint")
    note = note if state.rolling_summary else faint("last chapter")
    shown = quiet(text) if whole else TruncatedText(quiet(text), SUMMARY_ROWS, _ROOMY_CELLS)
    return Stack(SplitLine(strong("STORY SO FAR"), note), shown)


def beats_part(game: Game, fresh: Sequence[str], glow: bool, *, reveal: bool) -> Visual:
    """Beats to come are named only with `reveal`."""
    beats, hit, complete = game.chapter.beats, game.state.beats_hit, game.state.game_complete
    if not beats:
        return Stack(heading("BEATS"), quiet("An open chapter: the story goes where you take it."))
    count = f"{len({*hit, *fresh} & set(beats))} of {len(beats)}"
    fresh_count = len({*fresh} & set(beats))
    new = f"{fresh_count} new · " if fresh_count else "new chapter · " if fresh else ""
    rows: list[Visual] = [heading("BEATS", "the end" if complete else f"{new}{count}")]
    for beat in beats:
        if beat in fresh:
            rows.append(line("✓", ".good", beat, ".glow" if glow else ".strong"))
        elif beat in hit:
            rows.append(line("✓", ".good", beat, ".quiet"))
        elif reveal:
            rows.append(line("·", ".faint", beat, ".faint"))
    if not (reveal or complete) and (more := to_come(beats, {*hit, *fresh})):
        rows.append(line("·", ".faint", more, ".faint"))
    return Stack(*rows)


def moments_part(game: Game, glow: bool) -> Visual:
    """The most important moments in story order."""
    moments = game.moments
    if game.pack.game.moments != "on":
        return Content("")
    if not moments:
        return Stack(heading("MOMENTS"), quiet("Moments worth remembering will be listed here."))
    shown = sorted(sorted(moments, key=lambda m: -m.significance)[:SHOWN_MOMENTS], key=lambda m: m.turn)
    note = "" if len(moments) <= SHOWN_MOMENTS else f"{len(moments)} in all"
    rows: list[Visual] = [heading("MOMENTS", note)]
    for moment in shown:
        ink = ".glow" if glow and moment.turn == game.state.turn else ".quiet"
        text = f"{moment.type.replace('_', ' ')}: {moment.summary}"
        rows.append(line(f"{moment.turn:>2}", ".faint", text, ink))
    return Stack(*rows)


class CastList(Widget, can_focus=True):
    """Space sends a character away or back."""

    FOCUS_ON_CLICK = False
    DEFAULT_CSS = "CastList { height: auto; width: 1fr; margin: 0 1 1 0; }"
    BINDINGS = [
        Binding("up", "move(-1)", "up", show=False),
        Binding("down", "move(1)", "down", show=False),
        *bindings(CAST_ACTIONS),
    ]
    at: reactive[int] = reactive(0)
    unfolded: reactive[frozenset[str]] = reactive(frozenset(), layout=True)

    @dataclass
    class Toggled(Message):
        character: str
        present: bool

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._game: Game | None = None
        self._turn = RunningTurn()
        self._glowing: Collection[str] = ()
        self._ids: list[str] = []

    def show(self, game: Game, running: RunningTurn, glowing: Collection[str]) -> None:
        self._game, self._turn, self._glowing = game, running, glowing
        ids = {*game.chapter.characters, *game.state.present}
        self._ids = [id for id in game.pack.characters if id in ids]
        self.at = max(0, min(self.at, len(self._ids) - 1))
        self.refresh(layout=True)

    def action_move(self, step: int) -> None:
        if self._ids:
            self.at = (self.at + step) % len(self._ids)

    def action_presence(self) -> None:
        if self._ids and self._game:
            id = self._ids[self.at]
            self.post_message(self.Toggled(id, id not in self._game.state.present))

    def action_unfold(self) -> None:
        if self._ids:
            self.unfolded ^= {self._ids[self.at]}

    def on_click(self, event: events.Click) -> None:
        y = event.y + self.virtual_region.y
        place = next((n for n, _ in enumerate(self._ids) if y in self.rows_of(n).line_range), -1)
        if place >= 0:
            self.at = place
            self.focus(scroll_visible=False)
            self.action_unfold()

    def watch_has_focus(self, _had_focus: bool) -> None:
        self.refresh()

    def rows_of(self, place: int) -> Region:
        area = self.virtual_region
        above = Stack(*self._head(), *(row for before in range(place) for row in self._rows(before)))
        top, height = (part.get_height({}, area.width) for part in (above, Stack(*self._rows(place))))
        return Region(area.x, area.y + top, area.width, height)

    def render(self) -> Visual:
        return Stack(*self._head(), *(row for place in range(len(self._ids)) for row in self._rows(place)))

    def _head(self) -> list[Visual]:
        rows: list[Visual] = [heading("CAST", "● here  ○ away")]
        player = self._game.info.player.name if self._game else ""
        if player:
            you = "You" if is_pronoun(player) else player
            name = Content.assemble(("› ", ".accent"), (one_line(you, 60), ".strong"))
            rows.append(SplitLine(name, faint("" if you == "You" else "you")))
        return rows if self._ids else [*rows, quiet("Nobody yet.")]

    def _rows(self, place: int) -> list[Visual]:
        if (game := self._game) is None:
            return []
        id, cast = self._ids[place], Cast.of(game.pack)
        selected, present = self.has_focus and place == self.at, id in game.state.present
        dot = ("●" if present else "○", ".accent" if selected else ".quiet")
        name = Content.styled(cast.name(id), f".voice-{cast.voice(id)}" if present else ".quiet")
        name = name.stylize("underline on $glow") if selected else name
        memory, mark, glow = game.memories.get(id), self._turn.mark(id), id in self._glowing
        state = faint(state_of(memory, present, mark))
        row = SplitLine(Content.assemble(dot, " ", name), state)
        # where there is room everything is unfolded until the player folds it
        if (id in self.unfolded) == (self.size.width >= _ROOMY_CELLS):
            return [row, *change_rows(mark, glow)]
        gap = [Content("")] if id != self._ids[-1] else []
        return [row, *_memory_rows(memory, mark, glow), *gap]


def state_of(memory: Memory | None, present: bool, mark: MemoryMark) -> str:
    """Describe a character's activity and memory at the end of its row."""
    if mark.busy:
        return "updating…"
    if memory is None or not (count := len(lines_of(memory))):
        if memory and memory.summary:
            return "summary only"
        return "new here" if present else "not here yet"
    names = ("fact", "facts") if isinstance(memory, FactsMemory) else ("memory", "memories")
    return f"{counted(count, *names)} {changes_in_short(mark.changes)}".rstrip()


def change_rows(mark: MemoryMark, glow: bool) -> list[Visual]:
    rows = [_change_row(change, glow) for change in mark.changes[:SHOWN_CHANGES]]
    if len(mark.changes) > SHOWN_CHANGES:
        rows.append(quiet(f"    and {len(mark.changes) - SHOWN_CHANGES} more"))
    return [*rows, *_trouble_rows(mark)]


def _memory_rows(memory: Memory | None, mark: MemoryMark, glow: bool) -> list[Visual]:
    if memory is None or not (memory.summary or lines_of(memory)):
        return [line(" ", "", "No memories yet. They start with the first turn here.", ".quiet")]
    kinds = {flat(change.text): change.kind for change in mark.changes if change.kind != "removed"}
    rows: list[Visual] = []
    if memory.summary:
        gap = [Content("")] if lines_of(memory) else []
        summary = f"{memory.summary} (to turn {memory.summary_turn})"
        rows += [line(" ", "", summary, ".quiet"), *gap]
    for entry in lines_of(memory):
        text = flat(entry.text)
        if text:
            sign = MARKS[kinds[text]] if text in kinds else _PINNED if entry.pinned else " "
            ink = ".glow" if glow and text in kinds else ".strong" if text in kinds else ""
            rows.append(line(f"{sign}{entry.turn:>3}", ".good" if text in kinds else ".faint", text, ink))
    removed = [_change_row(change, glow) for change in mark.changes if change.kind == "removed"]
    return [*rows, *removed, *_trouble_rows(mark)]


def _change_row(change: Change, glow: bool) -> Visual:
    ink = ".glow" if glow else ".faint" if change.kind == "removed" else ".quiet"
    return line(f"  {MARKS[change.kind]}", INKS[change.kind], one_line(change.text, CHANGE_LENGTH), ink)


def _trouble_rows(mark: MemoryMark) -> list[Visual]:
    return [line("  !", ".warn", f"not updated yet: {mark.failed}", ".quiet")] if mark.failed else []
