"""The side panel: the story so far, the chapter's beats, the cast with what it remembers, the moments.

Quiet until something changes; then the changed line glows for some seconds and keeps a mark until the next turn.
"""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.reactive import reactive
from textual.visual import Visual
from textual.widget import Widget

from theact_tui.engine.reports import steering_lines
from theact_tui.story.game import Game
from theact_tui.story.memory import Change
from theact_tui.tui.actions import bindings
from theact_tui.tui.blocks import Cast
from theact_tui.tui.play.actions import SUMMARY_ACTIONS
from theact_tui.tui.play.cast_list import CastList
from theact_tui.tui.visuals import beats_part, moments_part, plain_text, steering_part, summary_part

GLOW_SECONDS = 4.0


class PanelSection(Widget):
    """A section of the panel."""

    DEFAULT_CSS = "PanelSection { height: auto; width: 1fr; margin: 0 1 1 0; }"
    shown: reactive[Visual] = reactive[Visual](Content(""), layout=True, always_update=True)

    def render(self) -> Visual:
        return self.shown


class SummarySection(PanelSection, can_focus=True):
    """A section whose text may be cut; then it can be focused, and unfolded."""

    DEFAULT_CSS = "SummarySection:focus { background: $surface; }"
    BINDINGS = bindings(SUMMARY_ACTIONS)
    whole: Visual = Content("")
    """The section with all of its text."""
    unfolded: reactive[bool] = reactive(False, layout=True)

    def render(self) -> Visual:
        return self.whole if self.unfolded else self.shown

    def allow_focus(self) -> bool:
        width = self.size.width
        cut = width > 0 and self.whole.get_height({}, width) > self.shown.get_height({}, width)
        return cut or self.unfolded

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
    }
    """

    show_beats: reactive[bool] = reactive(False, init=False)
    """Beats that are still to come are named, too."""

    def __init__(self, *, id: str | None = None, glow_seconds: float = GLOW_SECONDS) -> None:
        super().__init__(id=id)
        self._glow_seconds = glow_seconds
        self._game: Game | None = None
        self._fresh_beats: frozenset[str] = frozenset()
        self._fresh_summary = False
        self._glowing: set[str] = set()

    def compose(self) -> ComposeResult:
        yield PanelSection(id="steering")
        yield SummarySection(id="summary")
        yield PanelSection(id="beats")
        yield CastList(id="cast")
        yield PanelSection(id="moments")

    @property
    def cast(self) -> CastList:
        return self.query_one(CastList)

    @property
    def text(self) -> str:
        """All that the panel says, plain."""
        parts = [plain_text(part.shown) for part in self.query(PanelSection)]
        return "\n".join([*parts[:3], self.cast.text, *parts[3:]])

    def show(self, game: Game, cast: Cast) -> None:
        """Show the newest state of the game."""
        self._game = game
        self.cast.show(game, cast)
        self._draw()

    def new_turn(self) -> None:
        """A turn begins: the marks of the last one go."""
        self._fresh_beats = frozenset()
        self._fresh_summary = False
        self._glowing.clear()
        self.cast.new_turn()
        self._draw()

    def beats_marked(self, beats: tuple[str, ...]) -> None:
        """These beats were reached this turn."""
        self._fresh_beats |= set(beats)
        self._glow("beats")

    def summary_rolled(self) -> None:
        """The rolling summary is new."""
        self._fresh_summary = True
        self._glow("summary")

    def moment_recorded(self) -> None:
        """Something happened that is worth remembering."""
        self._glow("moments")

    def remembering(self, character: str) -> None:
        """A character's memory is being written."""
        self.cast.remembering(character)

    def settled(self) -> None:
        """The turn is saved."""
        self.cast.settled()

    def remembered(self, character: str, changes: tuple[Change, ...]) -> None:
        """A character's memory changed."""
        self.cast.remembered(character, changes)
        self._glow(character)

    def forgot(self, character: str, reason: str) -> None:
        """A character's memory could not be written; it is kept pending."""
        self.cast.failed(character, reason)

    def _glow(self, what: str) -> None:
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
        state = game.state
        glow = self._glowing
        steering = self.query_one("#steering", PanelSection)
        steering.display = bool(lines := steering_lines(game))
        steering.shown = steering_part(lines)
        recap = game.recaps[-1].text if game.recaps else ""
        part = partial(
            summary_part,
            state.rolling_summary,
            state.last_summarized_turn,
            state.turn,
            new=self._fresh_summary,
            glow="summary" in glow,
            recap=recap,
        )
        summary = self.query_one(SummarySection)
        summary.whole, summary.shown = part(whole=True), part()
        self.query_one("#beats", PanelSection).shown = beats_part(
            game.chapter.beats,
            state.beats_hit,
            self._fresh_beats,
            glow="beats" in glow,
            complete=state.game_complete,
            reveal=self.show_beats,
        )
        self.query_one("#moments", PanelSection).shown = moments_part(
            game.moments, state.turn, enabled=game.pack.game.moments == "on", glow="moments" in glow
        )
        self.cast.glowing = frozenset(glow)
