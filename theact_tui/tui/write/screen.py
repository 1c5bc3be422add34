"""Write screen: parts of a draft and the model's work on it."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from itertools import chain
from typing import ClassVar

from textual import events, getters, on, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.css.query import QueryType
from textual.timer import Timer
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import Input, OptionList, TextArea
from textual.worker import Worker

from theact_tui.authoring.author import Author
from theact_tui.authoring.draft import Draft, Part
from theact_tui.authoring.preview import from_chapter, pack_around, prompts_of
from theact_tui.authoring.questions import next_part, put_changed
from theact_tui.engine.session import StorySession
from theact_tui.errors import TheActError
from theact_tui.models.consent import ConsentNeeded
from theact_tui.models.model import Models
from theact_tui.text import counted, one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.open_stories import AppServices
from theact_tui.tui.visuals import SplitLine, quiet
from theact_tui.tui.widgets.base_screen import Acts, PageScreen
from theact_tui.tui.widgets.consent import with_consent
from theact_tui.tui.widgets.dialogs import ConfirmDialog, FormDialog, FormField
from theact_tui.tui.widgets.lists import KeyList
from theact_tui.tui.widgets.lore_dialog import edit_lore
from theact_tui.tui.write.dialogs import PromptsDialog, TalkDialog
from theact_tui.tui.write.form import LATE, DraftState, FieldBox, PartForm
from theact_tui.tui.write.keys import HELP, WRITE_ACTIONS

PAUSE_SECONDS = 0.4
"""Without a key until typed text is saved and checked."""
_ELSEWHERE = "elsewhere"
"""Row of findings in files outside all parts."""
NEXT_FIELD = "tab goes to the next field, esc back to the list."


class WriteScreen(PageScreen[None]):
    """Edits one draft. `pack_id` is the id of its pack; "" while it is a draft."""

    CSS_PATH = "screen.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (60, "-narrow"), (100, "-wide")]
    BINDINGS = bindings(WRITE_ACTIONS)
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Writing a story"
    parts = getters.query_one("#parts", KeyList)
    form = getters.query_one(PartForm)

    def __init__(
        self, draft: Draft, services: AppServices, play: Callable[[StorySession], Awaitable[object]]
    ) -> None:
        super().__init__()
        self.draft = draft
        self.pack_id = ""
        self.state = DraftState()
        self._services = services
        self._play = play
        self._trial = ""
        self._key = "concept:"
        self._disk = asyncio.Lock()
        self._pause: Timer | None = None
        self._unkept: set[str] = set()
        self._models: Models | None = None
        self._offline = False
        self._is_checked = False
        """A pack was requested: missing answers are marked everywhere."""
        self._writing: Worker[None] | None = None

    def compose_page(self) -> ComposeResult:
        with Horizontal(id="body"):
            yield KeyList(id="parts", markup=False)
            yield PartForm(id="form")

    async def on_mount(self) -> None:
        first = await asyncio.to_thread(next_part, self.draft)
        await self._show(first.key if first else self._key)
        self._connect()

    @property
    def part(self) -> Part | None:
        return self.state.part

    @property
    def is_writing(self) -> bool:
        return self._writing is not None and self._writing.is_running

    # --- what is shown ----------------------------------------------------------------------------------------------

    async def _show(self, key: str) -> None:
        self._key = key
        async with self._disk:
            state = await asyncio.to_thread(DraftState.read, self.draft, key)
        if not state.part and not state.elsewhere:
            await self._show("concept:")
            return
        self._take(state)
        await self.form.show(state, checked=self._is_checked)

    def _take(self, state: DraftState) -> None:
        if (state.findings, state.done) != (self.state.findings, self.state.done):
            self.status.warning = ""  # it was about the draft as it was
        self.state = state
        rows: list[tuple[str, Visual]] = [(part.key, self._row(state, part)) for part in state.parts]
        if state.elsewhere:
            rows.append((_ELSEWHERE, Content.styled(f"! {len(state.elsewhere)} elsewhere", ".warn")))
        with self.prevent(OptionList.OptionHighlighted):
            self.parts.show(rows, self._key)
        errors = sum(finding.level == "error" for finding in state.findings)
        left = len(state.parts) - len(state.done)
        status = f"{left} to write" if left else "ready"
        if state.findings and not left:
            status = f"{counted(errors, 'error')}, {counted(len(state.findings) - errors, 'warning')}"
        title = Content.assemble((self.draft.title, ".strong"), (f" · draft {self.draft.id}", ".quiet"))
        self.show_head(title, quiet(status))
        self.status.facts = (state.words,) if state.words else ()
        self.refresh_bindings()

    def _row(self, state: DraftState, part: Part) -> SplitLine:
        done = part.key in state.done
        findings = state.of_file(part.file) if done else []
        errors = sum(item.level == "error" for item in findings)
        mark = ("! ", ".warn") if errors else ("✓ ", ".good") if done else ("· ", ".faint")
        indent = "  " if part.kind in ("character", "chapter") else ""
        chapters = [item.key for item in state.parts if item.kind == "chapter"]
        number = f"{chapters.index(part.key) + 1}. " if part.kind == "chapter" else ""
        name = Content.assemble(indent, mark, number, one_line(part.title, 40))
        note = f"{errors} !" if errors else f"{len(findings)} ~" if findings else ""
        return SplitLine(name, Content.styled(note, ".warn" if errors else ".quiet"))

    @on(OptionList.OptionHighlighted, "#parts")
    async def moved(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_id and event.option_id != self._key:
            await self._flush()
            await self._show(event.option_id)

    # --- typing -----------------------------------------------------------------------------------------------------

    @on(Input.Changed)
    @on(TextArea.Changed)
    def typed(self, event: Input.Changed | TextArea.Changed) -> None:
        box = next((field_box for field_box in self.form.boxes if field_box.box is event.control), None)
        if box is None or box.text == self.state.answers.get(box.question.field):
            return
        self._unkept.add(box.question.field)
        box.checked = True
        box.draw()
        if self._pause:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE_SECONDS, self._keep_early)

    @property
    def _typed(self) -> dict[str, str]:
        """Answers by field that may have changed since they were saved."""
        boxes = {box.question.field: box for box in self.form.boxes}
        return {
            name: box.text
            for name, box in boxes.items()
            if name in self._unkept or box.question.form == "choice"
        }

    @work(group="keeping")
    async def _keep_early(self) -> None:
        """Save typed answers; of a list of parts only finished new lines."""
        texts = self._typed
        lists = {box.question.field for box in self.form.boxes if box.question.form in LATE} & set(texts)
        for name in lists:
            whole = texts[name].rpartition("\n")[0].rstrip()
            saved = self.state.answers.get(name, whole)
            if whole != saved and whole.startswith(saved):
                texts[name] = whole
            else:
                del texts[name]
        await self._keep(texts)
        self._unkept |= lists

    async def _flush(self) -> None:
        if self.is_running and self.query(PartForm):
            await self._keep(self._typed)

    async def _keep(self, texts: Mapping[str, str]) -> None:
        if (part := self.part) is None or not texts:
            return
        self._unkept -= set(texts)
        async with self._disk:
            try:
                await asyncio.to_thread(put_changed, self.draft, part, texts)
            except (TheActError, OSError) as error:
                self.status.warning = str(error)
                return
            state = await asyncio.to_thread(DraftState.read, self.draft, self._key)
        if self.is_running and self in self.app.screen_stack:
            self._take(state)
            self.form.mark(state)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        for box in self.form.boxes:
            box.draw()
            if box.box is event.widget:
                self.call_after_refresh(box.scroll_visible, animate=False)
                self.status.hint = NEXT_FIELD
        if event.widget is self.parts:
            self.status.unsay(NEXT_FIELD)

    def focus_next(self, selector: str | type[QueryType] = "*") -> Widget | None:
        """Cycle through the fields; only esc leads back to the list."""
        return super().focus_next("PartForm *" if selector == "*" else selector)

    def focus_previous(self, selector: str | type[QueryType] = "*") -> Widget | None:
        return super().focus_previous("PartForm *" if selector == "*" else selector)

    @on(Input.Submitted)
    def submitted(self) -> None:
        self.focus_next()

    @work(group="keeping")
    async def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        for box in self.query(FieldBox):
            box.checked = box.checked or box.box is event.widget
        await self._flush()

    # --- actions ----------------------------------------------------------------------------------------------------

    def acts(self) -> Acts:
        """Possible actions for the part and the pack, while no model works."""
        if self.is_writing:
            return {}
        acts: Acts = {
            "prompts": lambda: self._with_pack(self._prompts, without=("character", "chapter")),
            "lore": self._lore,
            "play": lambda: self._with_pack(self._try),
            "finish": lambda: self._with_pack(self._finish),
            "discard": self._discard,
        }
        done = self._key in self.state.done
        if done:
            acts["accept"] = self._accept
        if not self._offline and self.part:
            acts |= {"redo": self._write, "feedback": self._feedback} if done else {"write": self._write}
        if not self._offline and self._key == "concept:" and not done:
            acts["talk"] = self._talk
        return acts

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "edit":
            return isinstance(self.focused, KeyList)
        return super().check_action(action, parameters)

    @on(OptionList.OptionSelected, "#parts")
    def action_edit(self) -> None:
        """Go to the first wrong or required field, else the first."""
        if boxes := self.form.boxes:
            empty = [box for box in boxes if box.question.needed and not box.text]
            wrong = (box for box in boxes if any(finding.level == "error" for finding in box.findings))
            next(chain((box for box in wrong if box not in empty), empty, boxes)).box.focus()

    async def action_back(self) -> None:
        if self._writing is not None and self.is_writing:
            self._writing.cancel()
            self.status.doing, self.status.hint = "", "Stopped. Nothing was changed."
        elif not self.parts.has_focus:
            self.parts.focus()
        else:
            await self._flush()
            self.dismiss()

    async def leave(self) -> None:
        """Save typed text and delete a trial before the app ends."""
        await self._flush()
        await self._end_trial()

    async def _talk(self) -> None:
        if (models := await self._agreed()) is None:
            return
        if await self.app.push_screen_wait(TalkDialog(Author(self.draft, models))):
            self.status.hint = "This is the premise now. g lets the model write the story from it."
            await self._show(self._key)

    async def _feedback(self) -> None:
        example = "for example: make her older, and less sure of herself"
        form = FormDialog(
            "What should be changed?", FormField("In a sentence", placeholder=example), yes="change"
        )
        if (texts := await self.app.push_screen_wait(form)) and texts[0]:
            await self._write(texts[0])

    async def _accept(self) -> None:
        await self._flush()
        following = await asyncio.to_thread(next_part, self.draft)
        if following is None:
            self.status.hint = "Every part is written. t tries the story, w makes the pack."
            return
        await self._show(following.key)
        if self._offline:
            self.call_after_refresh(self.action_edit)
        else:
            await self._write()

    async def _write(self, change: str = "") -> None:
        if self.part and not self.is_writing:
            self._writing = self._written(self.part, change)

    @work(group="writing", exclusive=True)
    async def _written(self, part: Part, change: str) -> None:
        self.status.warning = self.status.hint = ""
        await self._flush()

        def on_step(text: str) -> None:
            self.status.doing = text

        try:
            if (models := await self._agreed()) is None:
                return
            self.parts.focus()
            self.form.disabled = True
            self.refresh_bindings()
            written = await Author(self.draft, models, on_step=on_step).write(part, change)
        except TheActError as error:
            self.status.warning = error.message
        else:
            self.status.hint = f"{part.title}: a accepts it, f changes it, r rewrites it."
            if written.notes:
                self.status.hint = f"{part.title} is written, but {written.notes[0]}."
        finally:
            self.status.doing, self.form.disabled = "", False
        await self._show(part.key)
        self.call_after_refresh(self.refresh_bindings)

    @work(group="connecting", exit_on_error=False)
    async def _connect(self) -> None:
        """Check for a model without sending anything."""
        try:
            self._models = await asyncio.to_thread(self._services.author_models)
        except ConsentNeeded:
            return
        except TheActError as error:
            self.status.warning = error.message
        self._offline = self._models is None or bool(getattr(self._models, "offline", False))
        if not self.status.warning:
            keys = "enter fills in" if self._offline else "g lets the model write this part, enter edits"
            self.status.hint = f"{keys} the fields, a goes to the next part. Every change is saved."
        self.refresh_bindings()

    async def _agreed(self) -> Models | None:
        if self._models is None:
            self._models = await with_consent(
                self.app, self._services, lambda services: asyncio.to_thread(services.author_models)
            )
        return self._models

    async def on_unmount(self) -> None:
        if self._models is not None:
            await self._models.close()

    # --- the pack ---------------------------------------------------------------------------------------------------

    async def _prompts(self) -> None:
        def make_dialog() -> PromptsDialog:
            pack, left_out = pack_around(self.draft, self._key)
            return PromptsDialog(prompts_of(from_chapter(pack, self._chapter)), left_out)

        await self.app.push_screen_wait(await asyncio.to_thread(make_dialog))

    @property
    def _chapter(self) -> str:
        return self.part.id if self.part and self.part.kind == "chapter" else ""

    async def _lore(self) -> None:
        draft = self.draft
        await self._flush()
        try:
            await edit_lore(
                self.app,
                lambda: asyncio.to_thread(draft.lore),
                await asyncio.to_thread(lambda: draft.cast),
                lambda entry: asyncio.to_thread(draft.put_lore, entry),
                lambda id: asyncio.to_thread(draft.drop_lore, id),
            )
        finally:
            await self._show(self._key)

    async def _try(self) -> None:
        pack = from_chapter(await asyncio.to_thread(self.draft.pack), self._chapter)
        if not self._offline and await self._agreed() is None:
            return
        session = await self._services.begin_trial(pack)
        self._trial = session.folder.name
        await self._play(session)
        await self._end_trial()
        self.status.hint = "The trial is over. Its story is in the trash."

    async def _end_trial(self) -> None:
        trial, self._trial = self._trial, ""
        if trial:
            await asyncio.to_thread(self._services.library.delete, trial)

    async def _finish(self) -> None:
        await asyncio.to_thread(self.draft.finish, self._services.home)
        self.pack_id = self.draft.id
        self.dismiss()

    async def _with_pack(self, act: Callable[[], Awaitable[None]], without: Collection[str] = ()) -> None:
        """Run something that needs a pack without errors, else show the first error. Parts of the kinds `without`
        may be unwritten.
        """
        await self._flush()
        self.status.warning, self._is_checked = "", True
        state = self.state
        for part in state.parts:
            if part.key not in state.done and (part.kind not in without or part.key == self._key):
                self.status.warning = f"{part.title} is not written yet."
                await self._show(part.key)
                return
        try:
            await act()
        except TheActError as error:
            self.status.warning = error.message
            errors = [finding for finding in self.state.findings if finding.level == "error"]
            for part in self.state.parts:
                if wrong := next((finding for finding in errors if finding.file == part.file), None):
                    more = f" ({counted(len(errors) - 1, 'more error')})" if len(errors) > 1 else ""
                    self.status.warning = f"Fix this first, in {part.title}: {wrong.message}{more}."
                    await self._show(part.key)
                    break

    async def _discard(self) -> None:
        note = f"{self.draft.title} will be moved to the trash."
        if await self.app.push_screen_wait(ConfirmDialog("Discard this draft?", note, yes="discard")):
            self._unkept.clear()
            await asyncio.to_thread(self.draft.discard, self._services.home)
            self.dismiss()
