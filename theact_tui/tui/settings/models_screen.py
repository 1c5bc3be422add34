"""Models of the servers on this computer: what they are, loading, unloading, fetching, starting a server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterator
from functools import partial
from typing import Any, ClassVar

from textual import on, work
from textual.content import Content
from textual.widgets import OptionList

from theact_tui.long_works import run_long
from theact_tui.models import start_llama
from theact_tui.models.discovery import Server
from theact_tui.models.keep_models import FETCHING, LoadProgress
from theact_tui.models.served_models import ServedModel
from theact_tui.models.server_capabilities import tried_before
from theact_tui.models.suggested_models import SuggestedModel, memory_of_this_computer, suggested
from theact_tui.text import file_size, one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.settings.models_keys import HELP, MODELS_ACTIONS
from theact_tui.tui.settings.pages import field_lines, page_title, prose
from theact_tui.tui.settings.rows_screen import PagedRow, RowsScreen
from theact_tui.tui.settings.service import SettingsService
from theact_tui.tui.visuals import SplitLine, Stack, accent, page, quiet, strong
from theact_tui.tui.widgets.base_screen import COPY, Act, Acts
from theact_tui.tui.widgets.dialogs import ChoiceDialog, ConfirmDialog, DialogChoice, FormDialog, FormField

MAY_START = """\
No model server runs on this computer, but llama.cpp is installed: press s to start its server. Ollama and LM Studio do \
as well: start one, then press F5.

Then fetch a model below, or with f."""
NONE_RUNS = """\
No model server runs on this computer. Start Ollama or LM Studio, or install llama.cpp (brew install llama.cpp, winget \
install llama.cpp, or its project's releases), then press F5.

Then fetch a model below, or with f."""
SUGGESTION = """\
{title}: {size:g} GB, {licence}.
{page}

Size, licence and page are as its makers give them; they could not be checked from here. {how} Nothing else is fetched."""
BY_SERVER = "It is fetched from {source} by the server, after you press enter and agree."
NO_SERVER = "It can be fetched here while llama.cpp or Ollama runs."
Doing = Callable[[Callable[[LoadProgress], None]], Coroutine[Any, Any, None]]


ModelsRow = PagedRow[Act]


class ModelsScreen(RowsScreen[str, Act], inherit_bindings=False):
    """Returns `server url, model` of the chosen model as a profile's name, or nothing."""

    BINDINGS = [*bindings(MODELS_ACTIONS), COPY]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Models"
    ENTER: ClassVar[tuple[str, ...]] = ("use", "take")

    def __init__(self, service: SettingsService, use: Callable[[Server, str], Awaitable[str]]) -> None:
        """`use` takes a server and a model, makes it the one in use and returns a sentence."""
        super().__init__()
        self.service = service
        self._use = use

    def on_mount(self) -> None:
        self.show_head(strong("Models"), quiet("on this computer"))
        self.action_look()

    # --- what is shown ----------------------------------------------------------------------------------------------

    @work(group="looking", exclusive=True)
    async def action_look(self) -> None:
        await self._look()

    async def _look(self) -> None:
        self.servers = await self.service.servers()
        self._list()

    def _list(self) -> None:
        rows = [*self._all_rows()]
        new = [row.id for row in rows if "use" in row.acts and row.id not in self.rows]
        self.show_rows(rows, *new, self.list.marked)

    def _all_rows(self) -> Iterator[ModelsRow]:
        if self.servers is None:
            yield ModelsRow(quiet("Looking for model servers…"))
            return
        own = start_llama.load_key(self.service.home)
        for server in self.servers:
            mine = " · started here" if own and own.base_url == server.base_url else ""
            yield ModelsRow(accent(f"{server.name.upper()} · {server.base_url.split('/')[2]}{mine}"))
            yield from (self._model(server, model) for model in server.served)
            if not server.served:
                yield ModelsRow(quiet("  It has no model yet."))
            yield ModelsRow(Content(""))
        if not self.servers:
            yield ModelsRow(
                strong("No model server runs here"),
                "none",
                page(*prose(MAY_START if start_llama.program_path() else NONE_RUNS)),
            )
            yield ModelsRow(Content(""))
        yield ModelsRow(accent("FOR A START"))
        yield from map(self._suggestion, suggested(memory_of_this_computer()))

    def _model(self, server: Server, model: ServedModel) -> ModelsRow:
        fields = {
            "state": "could not be loaded" if model.failed else model.state or "the server does not say",
            "size": file_size(model.size) if model.size else "unknown until it is loaded",
            "window": f"{model.window:,} tokens" if model.window else "unknown until it is loaded",
            "tried": tried_before(server.base_url, model.name, self.service.home.cache)
            or "not yet: y in the settings does it",
        }
        about = page(
            Stack(page_title(model.name), quiet(server.base_url)),
            field_lines(fields),
            None
            if model.is_for_text
            else Content("The server says that it writes no text, so it cannot tell a story."),
        )
        acts: dict[str, Act] = {}
        if model.is_for_text:
            acts["use"] = partial(self._choose, server, model.name)
            if not model.is_taken and model.state:
                acts["load"] = partial(self._load, server, model.name)
        if model.is_taken:
            acts["unload"] = partial(self._unload, server, model)
        left = Content.assemble(("● " if model.is_taken else "  ", ".accent"), one_line(model.name, 44))
        return ModelsRow(SplitLine(left, quiet(model.facts)), f"{server.base_url} {model.name}", about, acts)

    def _suggestion(self, model: SuggestedModel) -> ModelsRow:
        kind = self._fetching_kind()
        source = "ollama.com" if kind == "ollama" else "huggingface.co"
        how = BY_SERVER.format(source=source) if kind else NO_SERVER
        text = SUGGESTION.format(
            title=model.title, size=model.gigabytes, licence=model.licence, page=model.page, how=how
        )
        acts: dict[str, Act] = {"take": partial(self._fetch, model)} if kind else {}
        visual = SplitLine(Content(f"  {model.title}"), quiet(f"{model.gigabytes:g} GB"))
        return ModelsRow(visual, f"get {model.title}", page(*prose(text)), acts)

    @on(OptionList.OptionHighlighted)
    def moved(self) -> None:
        self.show_page()

    # --- acts -------------------------------------------------------------------------------------------------------

    def acts(self) -> Acts:
        acts = dict(self.row.acts) if self.row else {}
        if self._fetching_kind():
            acts["fetch"] = self._fetch
        if self.servers is not None and not self.servers and start_llama.program_path():
            acts["start"] = self._start_server
        return {} if self.is_working else acts

    def _fetching(self) -> Server | None:
        return next((server for server in self.servers or () if server.kind in FETCHING), None)

    def _fetching_kind(self) -> str:
        server = self._fetching()
        return server.kind if server else ""

    async def _choose(self, server: Server, model: str) -> None:
        self.status.hint = await self._use(server, model)

    async def _load(self, server: Server, model: str) -> None:
        await self._start(partial((await self.service.model_server(server)).load, model))

    async def _unload(self, server: Server, model: ServedModel) -> None:
        await (await self.service.model_server(server)).unload(model)
        self.status.hint = f"Unloaded {one_line(model.name, 60)}."
        await self._look()

    async def _fetch(self, model: SuggestedModel | None = None) -> None:
        server = self._fetching()
        if server is None:
            return
        name = model.name_for(server.kind) if model else ""
        if model:
            note = f"{server.name} fetches {name}, about {model.gigabytes:g} GB. esc stops it."
            if not await self.app.push_screen_wait(ConfirmDialog(f"Fetch {model.title}?", note, yes="fetch")):
                return
        else:
            example = "ministral-3:8b" if server.kind == "ollama" else "owner/name-GGUF:Q4_K_M"
            ask = FormDialog("Fetch a model", FormField("Name", placeholder=example), yes="fetch")
            if (texts := await self.app.push_screen_wait(ask)) is None or not (name := texts[0].strip()):
                return
        await self._start(partial((await self.service.model_server(server)).fetch, name))

    async def _start(self, doing: Doing) -> None:
        self.working = self._work(doing)
        self.refresh_bindings()

    @work(group="working", exclusive=True)
    async def _work(self, doing: Doing) -> None:
        def say(progress: LoadProgress) -> None:
            self.status.hint = f"{str(progress).capitalize()}. esc stops it."

        try:
            if await self.guarded(run_long(doing(say))):
                self.status.hint = "Done."
            else:
                self.status.hint = ""
        finally:
            self.call_after_refresh(self.action_look)

    def action_stop(self) -> None:
        super().action_stop()
        self.status.hint = "Stopped."

    async def _start_server(self) -> None:
        dialog = ChoiceDialog(
            "Start llama-server?",
            "It listens on this computer only, with a random key, and holds one model in memory at a time.",
            DialogChoice("e", "end with this window", "it stops when you leave the program"),
            DialogChoice("k", "keep running", "it stays until you end it or the computer"),
        )
        if not (answer := await self.app.push_screen_wait(dialog)):
            return
        self.status.hint = "Starting llama-server…"
        await start_llama.start(self.service.home, stays=answer == "k")
        self.status.hint = "llama-server runs. Fetch a model with f, or choose one."
        await self._look()
