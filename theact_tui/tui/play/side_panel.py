"""The side panel: the story so far, the chapter's beats, the cast with what it remembers, the moments.

Quiet until something changes; then the changed line glows for some seconds and keeps a mark until the next turn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import Static

from theact_tui.engine.reports import steering_lines
from theact_tui.story.game import Game
from theact_tui.story.memory import Change, FactsMemory, Memory, lines_of
from theact_tui.text import counted, is_pronoun, one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.blocks import INKS, MARKS, Cast, changes_in_short
from theact_tui.tui.play.actions import CAST_ACTIONS, SUMMARY_ACTIONS
from theact_tui.tui.visuals import (
    ROOMY,
    SplitLine,
    Stack,
    beats_part,
    flat,
    heading,
    hint,
    line,
    moments_part,
    plain_text,
    steering_part,
    summary_part,
)

SHOWN_CHANGES = 3
CHANGE_LENGTH = 110
"""Characters of a changed line before it is cut; a cell is a whole paragraph."""
PINNED = "◆"


class SummarySection(Static, can_focus=True):
    """The story so far. Where its text is cut it can be focused, and unfolded."""

    DEFAULT_CSS = "SummarySection:focus { background: $surface; }"
    BINDINGS = bindings(SUMMARY_ACTIONS)
    cut: Visual = Content("")
    whole: Visual = Content("")
    unfolded: reactive[bool] = reactive(False)

    def show(self, cut: Visual, whole: Visual) -> None:
        """Show the section anew: as it stands folded, and with all of its text."""
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


class SidePanel(VerticalScroll, can_focus=False):
    """What the program knows of the story, live."""

    DEFAULT_CSS = """
    SidePanel {
        width: 40; height: 1fr; padding: 0 0 0 1; background: $background; border-left: solid $line;
        scrollbar-size-vertical: 1;
        & > Static { height: auto; width: 1fr; margin: 0 1 1 0; }
    }
    """

    show_beats: reactive[bool] = reactive(False, init=False)
    """Beats that are still to come are named, too."""

    def __init__(self, glow_seconds: float, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._glow_seconds = glow_seconds
        self._game: Game | None = None
        self._fresh_beats: set[str] = set()
        self._marked: set[str] = set()
        """What changed this turn: `summary`, `beats`, `moments` and ids of characters."""
        self._glowing: set[str] = set()

    def compose(self) -> ComposeResult:
        yield Static(id="steering")
        yield SummarySection(id="summary")
        yield Static(id="beats")
        yield CastList(id="cast")
        yield Static(id="moments")

    def on_mount(self) -> None:
        self.watch(self.cast, "at", self._follow_cursor, init=False)
        self.watch(self.cast, "has_focus", self._follow_cursor, init=False)

    def _follow_cursor(self) -> None:
        """Keep the row of the cast's cursor in view."""
        if self.cast.has_focus:
            self.call_after_refresh(lambda: self.scroll_to_region(self.cast.cursor_row, animate=False))

    @property
    def cast(self) -> CastList:
        return self.query_one(CastList)

    @property
    def text(self) -> str:
        """All that the panel says, plain."""
        parts = [plain_text(part.content) for part in self.query(Static)]
        return "\n".join([*parts[:3], self.cast.text, *parts[3:]])

    def show(self, game: Game) -> None:
        """Show the newest state of the game."""
        self._game = game
        self.cast.show(game)
        self._draw()

    def new_turn(self) -> None:
        """A turn begins: the marks of the last one go."""
        self._fresh_beats.clear()
        self._marked.clear()
        self._glowing.clear()
        self.cast.new_turn()
        self._draw()

    def mark(self, what: str, beats: Iterable[str] = ()) -> None:
        """A section, or somebody's memory, changed: it is marked until the next turn, and glows for some seconds."""
        self._fresh_beats.update(beats)
        self._marked.add(what)
        self._glowing.add(what)
        self._draw()
        self.set_timer(self._glow_seconds, lambda: self._fade(what))

    def _fade(self, what: str) -> None:
        self._glowing.discard(what)
        self._draw()

    def watch_show_beats(self) -> None:
        self._draw()

    def _draw(self) -> None:
        game = self._game
        if game is None or not self.is_mounted:
            return
        state, glow = game.state, self._glowing
        lines = steering_lines(game)
        steering = self.query_one("#steering", Static)
        steering.display = bool(lines)
        steering.update(steering_part(lines))
        summary = partial(
            summary_part,
            state.rolling_summary,
            state.last_summarized_turn,
            state.turn,
            new="summary" in self._marked,
            glow="summary" in glow,
            recap=game.recaps[-1].text if game.recaps else "",
        )
        self.query_one(SummarySection).show(summary(), summary(whole=True))
        beats = beats_part(
            game.chapter.beats,
            state.beats_hit,
            self._fresh_beats,
            glow="beats" in glow,
            complete=state.game_complete,
            reveal=self.show_beats,
        )
        self.query_one("#beats", Static).update(beats)
        enabled = game.pack.game.moments == "on"
        moments = moments_part(game.moments, state.turn, enabled=enabled, glow="moments" in glow)
        self.query_one("#moments", Static).update(moments)
        self.cast.glowing = frozenset(glow)


@dataclass(slots=True)
class MemoryMark:
    """What became of somebody's memory in this turn."""

    changes: tuple[Change, ...] = ()
    failed: str = ""
    """Why it could not be written; it waits."""
    busy: bool = False
    """It is being written."""


class CastList(Widget, can_focus=True):
    """The characters of the chapter, one row each, with their changes below. Space sends one away or brings it back."""

    DEFAULT_CSS = """
    CastList { height: auto; width: 1fr; margin: 0 1 1 0; }
    """
    BINDINGS = [
        Binding("up", "move(-1)", "up", show=False),
        Binding("down", "move(1)", "down", show=False),
        *bindings(CAST_ACTIONS),
    ]
    at: reactive[int] = reactive(0)
    glowing: reactive[frozenset[str]] = reactive(frozenset[str]())

    @dataclass
    class Toggled(Message):
        """The player wants a character present, or away."""

        character: str
        present: bool

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._game: Game | None = None
        self._ids: list[str] = []
        self._marks: defaultdict[str, MemoryMark] = defaultdict(MemoryMark)
        self._unfolded: set[str] = set()

    @property
    def text(self) -> str:
        """All rows, plain."""
        return plain_text(self.render())

    def show(self, game: Game) -> None:
        """Take over who is in the chapter, who is present and what they remember; marks of this turn stay."""
        self._game = game
        known = {*game.chapter.characters, *game.state.present}
        self._ids = [id for id in game.pack.characters if id in known]
        self._redraw()

    def new_turn(self) -> None:
        """The marks of the last turn go."""
        self._marks.clear()
        self._redraw()

    def settled(self) -> None:
        """The turn is saved: no memory is being written any more."""
        for mark in self._marks.values():
            mark.busy = False
        self._redraw()

    def mark(self, character: str, **marks: Any) -> None:
        """Set fields of a character's `MemoryMark`; its memory is being written only with `busy`."""
        self._marks[character] = replace(self._marks[character], **{"busy": False, **marks})
        self._redraw()

    def _redraw(self) -> None:
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
            self._unfolded ^= {self._ids[self.at]}
            self.refresh(layout=True)

    def watch_has_focus(self, _had_focus: bool) -> None:
        self.refresh()

    @property
    def cursor_row(self) -> Region:
        """Where the row under the cursor is in the panel."""
        area = self.virtual_region
        above = Stack(*self._head(), *(row for place in range(self.at) for row in self._rows(place)))
        return Region(area.x, area.y + above.get_height({}, area.width), area.width, 1)

    def render(self) -> Visual:
        return Stack(*self._head(), *(row for place in range(len(self._ids)) for row in self._rows(place)))

    def _head(self) -> list[Visual]:
        """What stands above the characters: the player."""
        rows: list[Visual] = [heading("CAST", "● here  ○ away")]
        player = self._game.info.player.name if self._game else ""
        if player:
            you = "You" if is_pronoun(player) else player
            name = Content.assemble(("› ", ".accent"), (one_line(you, 60), ".strong"))
            rows.append(SplitLine(name, Content.styled("" if you == "You" else "you", ".faint")))
        return rows if self._ids else [*rows, hint("Nobody yet.")]

    def _rows(self, place: int) -> list[Visual]:
        """A character's row, with the lines below it."""
        if (game := self._game) is None:
            return []
        id, cast = self._ids[place], Cast.of(game.pack)
        here, mark, present = self.has_focus and place == self.at, self._marks[id], id in game.state.present
        dot = ("●" if present else "○", ".accent" if here else ".quiet")
        name = Content.styled(cast.name(id), f".voice-{cast.voice(id)}" if present else ".quiet")
        name = name.stylize("underline on $glow") if here else name
        memory, glow = game.memories.get(id), id in self.glowing
        state = Content.styled(state_of(memory, present, mark), ".faint")
        row = SplitLine(Content.assemble(dot, " ", name), state)
        # where there is room everything is unfolded until the player folds it
        if (id in self._unfolded) == (self.size.width >= ROOMY):
            return [row, *change_rows(mark, glow)]
        gap = [Content("")] if id != self._ids[-1] else []
        return [row, *memory_rows(memory, mark, glow), *gap]


def state_of(memory: Memory | None, present: bool, mark: MemoryMark) -> str:
    """What stands at the end of a character's row: what it does, how much it remembers, how that changed."""
    if mark.busy:
        return "updating…"
    if memory is None or not (count := len(lines_of(memory))):
        if memory and memory.summary:
            return "summary only"
        return "new here" if present else "not here yet"
    names = ("fact", "facts") if isinstance(memory, FactsMemory) else ("memory", "memories")
    return f"{counted(count, *names)} {changes_in_short(mark.changes)}".rstrip()


def change_rows(mark: MemoryMark, glow: bool) -> list[Visual]:
    """The lines of this turn that came, changed or went."""
    rows = [_change_row(change, glow) for change in mark.changes[:SHOWN_CHANGES]]
    if len(mark.changes) > SHOWN_CHANGES:
        rows.append(hint(f"    and {len(mark.changes) - SHOWN_CHANGES} more"))
    return [*rows, *_trouble_rows(mark)]


def memory_rows(memory: Memory | None, mark: MemoryMark, glow: bool) -> list[Visual]:
    """All that a character remembers: summary, then its lines with the turn each came from; what changed is marked."""
    if memory is None or not (memory.summary or lines_of(memory)):
        return [line(" ", "", "No memories yet. They start with the first turn here.", ".quiet")]
    kinds = {flat(change.text): change.kind for change in mark.changes if change.kind != "removed"}
    rows: list[Visual] = []
    if memory.summary:
        rows += [line(" ", "", memory.summary, ".quiet"), Content("")]
    for entry in lines_of(memory):
        text = flat(entry.text)
        if text:
            sign = MARKS[kinds[text]] if text in kinds else PINNED if entry.pinned else " "
            ink = ".glow" if glow and text in kinds else ".strong" if text in kinds else ""
            rows.append(line(f"{sign}{entry.turn:>3}", ".good" if text in kinds else ".faint", text, ink))
    gone = [_change_row(change, glow) for change in mark.changes if change.kind == "removed"]
    return [*rows, *gone, *_trouble_rows(mark)]


def _change_row(change: Change, glow: bool) -> Visual:
    ink = ".glow" if glow else ".faint" if change.kind == "removed" else ".quiet"
    return line(f"  {MARKS[change.kind]}", INKS[change.kind], one_line(change.text, CHANGE_LENGTH), ink)


def _trouble_rows(mark: MemoryMark) -> list[Visual]:
    return [line("  !", ".warn", f"not updated yet: {mark.failed}", ".quiet")] if mark.failed else []
