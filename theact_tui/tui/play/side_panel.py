"""The side panel: the story so far, the chapter's beats, the cast with what it remembers, the moments.

Quiet until something changes; then the changed line glows for some seconds and keeps a mark until the next turn.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.reactive import reactive
from textual.visual import Visual
from textual.widgets import Static

from theact_tui.engine.reports import steering_lines
from theact_tui.story.game import Game
from theact_tui.tui.actions import bindings
from theact_tui.tui.play.actions import SUMMARY_ACTIONS
from theact_tui.tui.play.cast_list import CastList
from theact_tui.tui.visuals import beats_part, moments_part, plain_text, steering_part, summary_part


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
