import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any, ClassVar

from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from theact_tui.authoring.author import Author
from theact_tui.authoring.draft import Draft, drafts_of
from theact_tui.errors import TheActError, UsageError
from theact_tui.packs.files import GAME
from theact_tui.packs.listing import PackEntry
from theact_tui.paths import Home
from theact_tui.prompting.sections import Prompt
from theact_tui.text import clean, one_line
from theact_tui.tui.open_stories import LibraryListing
from theact_tui.tui.visuals import SplitLine, accent, quiet
from theact_tui.tui.widgets.dialogs import BoxDialog, FormDialog, FormField, ListDialog, ask_until_valid
from theact_tui.tui.widgets.inputs import LineField
from theact_tui.tui.widgets.lists import KeyList

USUAL = "3"
TITLE = 40
NEW, DRAFT, PACK = "new", "draft:", "pack:"


async def choose_draft(
    app: App[Any], home: Home, listing: LibraryListing, marked: PackEntry | None
) -> Draft | None:
    """Ask for a draft, the cursor on `marked` if it is the user's own; None if cancelled."""
    drafts = {draft.id: draft for draft in await asyncio.to_thread(drafts_of, home)}
    by_id = {pack.id: pack for pack in listing.packs if pack.id not in drafts}
    rows = {NEW: _row("A new story", "from one sentence")}
    rows |= {f"{DRAFT}{id}": _row(draft.title, "draft") for id, draft in drafts.items()}
    for id, pack in by_id.items():
        kind = "edit a copy" if pack.shipped else "broken, edit" if pack.broken else "edit"
        rows[f"{PACK}{id}"] = _row(pack.title, kind)
    at = f"{PACK}{marked.id}" if marked and marked.id in by_id and not marked.shipped else NEW
    note = "Start a new one, or edit an existing one."
    dialog = ListDialog("Write a story pack", rows, note=note, at=at)
    chosen = await app.push_screen_wait(dialog)
    kind, _, id = chosen.partition(":")
    if kind == "draft":
        return drafts[id]
    if kind == "pack":
        return await asyncio.to_thread(Draft.of_pack, home, by_id[id].folder, id)
    return await _new(app, home, listing.offline) if chosen == NEW else None


def _row(name: str, note: str) -> SplitLine:
    return SplitLine(Content(one_line(name, 44)), quiet(note))


async def _new(app: App[Any], home: Home, offline: bool) -> Draft | None:
    labels = ("How many characters, 1 to 7", "How many chapters")
    numbers = [FormField(label, placeholder=USUAL) for label in labels]
    premise = FormField(
        "What is it about? One sentence", placeholder="A lighthouse, dark for thirty years, is lit."
    )
    form = FormDialog("A new story", premise, *(() if offline else numbers), yes="begin")

    async def begin(texts: tuple[str, ...]) -> Draft:
        premise, *numbers = texts
        if not premise:
            raise UsageError("Say in a sentence what the story is about.")
        if not all(number.isdecimal() for number in numbers if number):
            raise UsageError("Enter the number of characters and chapters as numbers, such as 3.")
        people, chapters = (int(number or USUAL) for number in numbers or ("", ""))
        draft = await asyncio.to_thread(Draft.begin, home, premise, characters=people, chapters=chapters)
        if offline:
            title = premise.rstrip(".") if len(premise) <= TITLE else ""
            await asyncio.to_thread(draft.write, GAME, {"title": title, "description": premise})
        return draft

    return await ask_until_valid(app, form, begin)


def turn_page(view: VerticalScroll, way: int) -> None:
    """Scroll a page down (1) or up (-1)."""
    view.scroll_page_down(animate=False) if way > 0 else view.scroll_page_up(animate=False)


class TalkDialog(BoxDialog[bool]):
    """Talk about the idea. The answer is true if it became the premise; the talk is stored."""

    DEFAULT_CSS = """
    TalkDialog > Vertical { width: 84; }
    TalkDialog VerticalScroll { height: auto; max-height: 50vh; margin: 0 0 1 0; scrollbar-size-vertical: 1; }
    """
    BINDINGS = [
        Binding("ctrl+s", "premise", "use as premise", priority=True),
        Binding("escape", "dismiss(False)", "back"),
        Binding("pageup", "scroll(-1)", "up", priority=True),
        Binding("pagedown", "scroll(1)", "down", priority=True),
    ]
    HELP: ClassVar[str] = (
        "Say something about the idea and press enter; the model answers. ^s turns the talk into the premise, from which "
        "the story is written. Escape goes back; the talk is saved with the draft."
    )

    def __init__(self, author: Author) -> None:
        super().__init__("Talk about the idea", keys="enter say   ^s use as premise   esc back")
        self._author = author

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield Static()
        yield LineField(placeholder="What if the keeper never left?")
        yield Static("", classes="problem", markup=False)

    def on_mount(self) -> None:
        talk = self._author.draft.info.talk
        if len(talk) % 2:
            self.query_one(LineField).value = talk[-1]
        self._draw()

    def _draw(self) -> None:
        info = self._author.draft.info
        lines = [quiet(info.premise)]
        lines += [
            Content.assemble(("" if n % 2 else "› ", ".accent"), text) for n, text in enumerate(info.talk)
        ]
        self.query_one("VerticalScroll > Static", Static).update(Content("\n\n").join(lines))
        self.call_after_refresh(self.query_one(VerticalScroll).scroll_end, animate=False)

    @on(Input.Submitted)
    def submitted(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self._do(self._author.talk(event.value))

    def action_premise(self) -> None:
        if len(self._author.draft.info.talk) > 1:
            self._do(self._author.sum_up(), end=True)

    @work(group="talking", exclusive=True)
    async def _do(self, act: Awaitable[str], *, end: bool = False) -> None:
        line, problem = self.query_one(LineField), self.query_one(".problem", Static)
        line.disabled = True
        problem.update("The model is thinking ...")
        try:
            await act
        except TheActError as error:
            problem.update(error.message)
        else:
            problem.update("")
            line.value = ""
            if end:
                self.dismiss(True)
                return
        line.disabled = False
        line.focus()
        self._draw()

    def action_scroll(self, way: int) -> None:
        turn_page(self.query_one(VerticalScroll), way)


class PromptsDialog(BoxDialog[None]):
    """Shows each agent's prompt in the first turn; arrows choose the agent, page keys scroll."""

    DEFAULT_CSS = """
    PromptsDialog {
        & > Vertical { width: 96%; max-width: 96%; height: 94%; max-height: 94%; background: $background; padding: 0 1; }
        KeyList { width: 26; height: 1fr; }
        KeyList > .option-list--option { padding: 0; }
        .detail { padding: 0 1 0 2; }
        .keys { padding: 0; }
    }
    """
    BINDINGS = [
        Binding("escape,p", "dismiss", "close"),
        Binding("pagedown,space", "scroll(1)", "down", priority=True),
        Binding("pageup", "scroll(-1)", "up", priority=True),
    ]
    HELP: ClassVar[str] = (
        "Up and down choose an agent, page down and page up scroll its prompt, escape closes."
    )

    def __init__(self, prompts: Sequence[tuple[str, Prompt]], left_out: Sequence[str] = ()) -> None:
        super().__init__("", keys="esc close   pgdn scroll   numbers are tokens")
        self._prompts, self._left_out = tuple(prompts), left_out

    def compose_body(self) -> ComposeResult:
        rows = [
            SplitLine(Content(one_line(name, 20)), quiet(f"{prompt.tokens:,}"))
            for name, prompt in self._prompts
        ]
        if self._left_out:
            note = f"Left out because of errors: {one_line(', '.join(self._left_out), 100)}."
            yield Static(Content.styled(note, ".warn"))
        with Horizontal():
            yield KeyList(*map(Option, rows), markup=False)
            with VerticalScroll(classes="detail", can_focus=False):
                yield Static()

    def on_mount(self) -> None:
        self.query_one(KeyList).highlighted = 0

    @on(OptionList.OptionHighlighted)
    def show(self, event: OptionList.OptionHighlighted) -> None:
        parts: list[Content] = []
        for section in self._prompts[event.option_index][1].sections:
            head = f"{section.name} · {section.source} · {section.tokens} tokens"
            parts += [accent(head), Content(clean(section.text)), Content("")]
        self.query_one("VerticalScroll > Static", Static).update(Content("\n").join(parts))
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_scroll(self, way: int) -> None:
        turn_page(self.query_one(VerticalScroll), way)
