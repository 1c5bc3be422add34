import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import OptionList, Static

from theact_tui.engine.session import StorySession
from theact_tui.guest_permissions import may_run_lab
from theact_tui.lab import without_extra
from theact_tui.lab.plan import Plan, make_plan
from theact_tui.lab.run_folder import Run
from theact_tui.lab.run_plan import begin, start_run
from theact_tui.saves.branches import numbered
from theact_tui.saves.listing import SaveEntry
from theact_tui.text import counted, slug
from theact_tui.trash import move_to_trash
from theact_tui.tui.actions import bindings
from theact_tui.tui.lab.keys import HELP, LAB_ACTIONS
from theact_tui.tui.lab.rows import RunState, column_heads, game_rows, read_runs, run_about, run_row
from theact_tui.tui.open_stories import AppServices
from theact_tui.tui.visuals import quiet, strong
from theact_tui.tui.widgets.base_screen import Acts, PageScreen
from theact_tui.tui.widgets.dialogs import ConfirmDialog, FormDialog, FormField, ask_until_valid
from theact_tui.tui.widgets.lists import KeyList, Row, RowList

_LOOK_SECONDS = 1.0
"""Between two reads of the folders."""
_EMPTY = """\
No runs yet. A run plays packs many times by itself, and measures the games: can the story be finished, and where do \
players get stuck?

n starts one."""
STARTED = "Started. It continues when you leave this screen or the app."
_PLAYERS = "curious, hasty, lost"


class LabScreen(PageScreen[str]):
    """Runs of a home. Returns the name of a save to play, or ""."""

    CSS_PATH = "screen.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (60, "-narrow"), (100, "-wide")]
    BINDINGS = bindings(LAB_ACTIONS)
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "The lab"

    def __init__(
        self, services: AppServices, play: Callable[[StorySession], Awaitable[object]], pack: str = ""
    ) -> None:
        """`pack` is the default for a new run; `play` opens a story and returns when it is left."""
        super().__init__()
        self._services, self._play, self._pack = services, play, pack
        self.states: tuple[RunState, ...] = ()
        self.runs = KeyList(id="runs", markup=False)
        self.games = RowList(id="games")

    def compose_page(self) -> ComposeResult:
        with Horizontal(id="body"):
            yield self.runs
            with Vertical(id="run", classes="detail"):
                yield Static(id="about")
                yield Static(id="columns")
                yield self.games

    async def on_mount(self) -> None:
        await self.load_early(self._show(), "looking")
        self.set_interval(_LOOK_SECONDS, self._look)

    @property
    def state(self) -> RunState | None:
        return next((state for state in self.states if state.folder.name == self.runs.marked), None)

    # --- what is shown ----------------------------------------------------------------------------------------------

    async def _read_runs(self) -> tuple[RunState, ...]:
        by_folder = {state.folder: state for state in self.states}
        return await asyncio.to_thread(read_runs, self._services.home, by_folder)

    async def _show(self, at: str = "") -> None:
        self._list(await self._read_runs(), at)

    async def _look(self) -> None:
        states = await self._read_runs()
        if self.is_mounted and states != self.states:
            self._list(states)

    def _list(self, states: tuple[RunState, ...], at: str = "") -> None:
        self.states = states
        if not any(state.progress.playing for state in states):
            self.status.unsay(STARTED)
        rows = [(state.folder.name, run_row(state)) for state in states]
        with self.prevent(OptionList.OptionHighlighted):
            self.runs.show(rows, at or self.runs.marked)
        title = strong("The lab")
        count = counted(len(states), "run")
        self.show_head(title, quiet(count))
        self._draw()

    @on(OptionList.OptionHighlighted, "#runs")
    def _draw(self) -> None:
        state = self.state
        self.query_one("#about", Static).update(run_about(state) if state else Content(_EMPTY))
        self.query_one("#columns", Static).update(column_heads() if state else "")
        self.games.show(game_rows(state) if state else [])
        self.refresh_bindings()

    @on(OptionList.OptionHighlighted, "#games")
    def moved(self) -> None:
        self.refresh_bindings()

    # --- actions ----------------------------------------------------------------------------------------------------

    def acts(self) -> Acts:
        state, game = self.state, self.games.row
        is_among_games, may_run = self.games.has_focus, may_run_lab(self._services.home)
        acts: Acts = {"new": self._new} if may_run else {}
        if state is None:
            return acts
        if is_among_games and game:
            acts["open"] = lambda: self._read(state, game)
            acts["copy"] = lambda: self._copy(Run(state.folder), game)
        elif state.results and not is_among_games:
            acts["open"] = self._enter
        if may_run and state.plan and state.results:
            acts["report"] = lambda: self._report(Run(state.folder))
        if may_run and state.progress.playing:
            acts["stop"] = lambda: self._stop(Run(state.folder))
        elif may_run and state.plan:
            acts["delete"] = lambda: self._delete(Run(state.folder))
            if state.progress.done < state.progress.total:
                acts["go_on"] = lambda: self._go_on(Run(state.folder))
        return acts

    def action_back(self) -> None:
        if self.games.has_focus:
            self.runs.focus()
        else:
            self.dismiss("")

    @on(OptionList.OptionSelected)
    def chosen(self) -> None:
        self.action_act("open")

    async def _enter(self) -> None:
        self.games.focus()

    async def _read(self, state: RunState, game: Row) -> None:
        services = replace(self._services, home=Run(state.folder).home, choose=None).offline()
        save = SaveEntry(name=game.key, title=game.key)
        await self._play(await services.resume(save, write=False))

    async def _copy(self, run: Run, game: Row) -> None:
        copy = await asyncio.to_thread(self._services.library.bring, run.save_folder(game.key))
        self.dismiss(copy.name)

    async def _new(self) -> None:
        def field(label: str, usual: str, checked: str = "", placeholder: str = "") -> FormField:
            check = (lambda text: _plan_of("any", **{checked: text})) if checked else None
            return FormField(label, usual, placeholder=placeholder or usual, check=check)

        form = FormDialog(
            "A new run",
            FormField("Packs, separated by commas", self._pack, placeholder="lost-island"),
            field("Players: curious, hasty, silent, contrary, lost, ...", _PLAYERS, "players"),
            field("Storyteller: offline, or names of connected models", "offline"),
            field("Compared with: plain-chat, profile:NAME, pack:DIR, ...", "", "vs", "nothing"),
            field("Games per pack and player", "2", "seeds"),
            field("Turns per game, at most", "30", "turns"),
            yes="start",
        )
        await ask_until_valid(self.app, form, self._begin)

    async def _begin(self, texts: tuple[str, ...]) -> None:
        packs, players, profiles, vs, seeds, turns = texts
        home = self._services.home
        plan = _plan_of(packs, players, profiles, vs, seeds, turns)
        taken = [path.name for path in home.lab.glob("*")]
        name = slug(packs.replace(",", "-"), fallback="run", limit=30)
        folder = home.lab / (numbered(name, taken) if name in taken else name)
        run, _ = await asyncio.to_thread(begin, plan, home, folder)
        await self._play_run(run)

    async def _play_run(self, run: Run) -> None:
        await asyncio.to_thread(start_run, run, self._services.home)
        self.status.hint = STARTED
        await self._show(run.folder.name)

    async def _go_on(self, run: Run) -> None:
        """Continue a run; refused if its packs changed."""
        await asyncio.to_thread(begin, run.plan, self._services.home, run.folder)
        await self._play_run(run)

    async def _stop(self, run: Run) -> None:
        await asyncio.to_thread(run.stop)
        self.status.hint = "Stopped. Finished games are kept; g plays the others."

    async def _delete(self, run: Run) -> None:
        note = f"{run.folder.name} and its games will be moved to the trash."
        if await self.app.push_screen_wait(ConfirmDialog("Delete this run?", note, yes="delete")):
            await asyncio.to_thread(move_to_trash, self._services.home, run.folder)
            await self._show()
            self.status.hint = "Moved to the trash. t in your stories restores it."

    async def _report(self, run: Run) -> None:
        self.status.doing = "Writing the report"
        try:
            from theact_tui.lab.report import write_report

            file = await asyncio.to_thread(write_report, run)
        except ImportError as error:
            raise without_extra("A report") from error
        finally:
            self.status.doing = ""
        self.app.open_url(file.as_uri())
        self.status.hint = f"Wrote {file}"


def _plan_of(
    packs: str, players: str = "", profiles: str = "", vs: str = "", seeds: str = "", turns: str = ""
) -> Plan:
    """Parse the typed plan, with defaults for empty fields. Raises UsageError."""
    return make_plan(
        packs,
        players=players or _PLAYERS,
        profiles=profiles or "offline",
        vs=vs.strip() or (),
        seeds=seeds or "2",
        turns=turns or 30,
    )
