"""The fields of one part: what is asked, the answer, and beside it an example, its length and what the checks find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from theact_tui.authoring.draft import Draft, Part
from theact_tui.authoring.questions import (
    Question,
    answer,
    count_of,
    limit_of,
    part_words,
    put,
    questions_of,
)
from theact_tui.packs.diagnostics import Finding
from theact_tui.text import clean, one_line
from theact_tui.tui.visuals import SplitLine
from theact_tui.tui.widgets.inputs import ChoiceField, LineField, TextField

ROOM = 36
"""Characters of an example that can be read in an empty field at any size."""
LATE = ("cast", "outline")
"""Forms of answers that make or remove files: they are taken when one leaves the field."""


@dataclass(frozen=True, slots=True)
class DraftState:
    """All of a draft that the screen shows, read at once."""

    parts: tuple[Part, ...]
    done: frozenset[str]
    """Keys of parts that hold what they need."""
    part: Part | None
    """The one that is shown; None for what no part holds."""
    answers: Mapping[str, str]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    problem: str
    """Why the part's file cannot be read."""
    words: str

    @classmethod
    def read(cls, draft: Draft, key: str) -> DraftState:
        """The draft as it is on disk now, with the part `key`."""
        parts = tuple(draft.parts())
        part = next((each for each in parts if each.key == key), None)
        limit = limit_of(part) if part else 0
        return cls(
            parts=parts,
            done=frozenset(each.key for each in parts if draft.is_done(each)),
            part=part,
            answers={each.field: answer(draft, part, each) for each in questions_of(draft, part)}
            if part
            else {},
            findings=tuple(each for each in draft.findings() if (draft.folder / each.file).exists()),
            notes=draft.info.notes.get(part.file, ()) if part else (),
            problem=draft.unreadable(part.file) if part else "",
            words=f"{part_words(draft, part)} of {limit} words" if part and limit else "",
        )

    def of_file(self, file: str) -> list[Finding]:
        """What the checks find in a file."""
        return [each for each in self.findings if each.file == file]

    @property
    def elsewhere(self) -> list[Finding]:
        """What they find in files that no part holds."""
        own = {part.file for part in self.parts}
        return [each for each in self.findings if each.file not in own]


def keep_answers(draft: Draft, part: Part, texts: Mapping[str, str]) -> None:
    """Put changed answers into the draft."""
    for question in questions_of(draft, part):
        if question.field in texts and texts[question.field] != answer(draft, part, question):
            put(draft, part, question, texts[question.field])


class FieldBox(Vertical):
    """One question with its answer."""

    def __init__(self, question: Question, text: str) -> None:
        super().__init__(classes=f"-{question.form}")
        self.question = question
        such = one_line(f"example: {question.example}", 400)
        self.box: LineField | TextField | ChoiceField
        if question.form == "choice":
            self.box = ChoiceField(question.choices, text)
        elif question.form in ("line", "people"):
            self.box = LineField(text, placeholder=such)
        else:
            self.box = TextField(
                clean(text), compact=True, soft_wrap=True, highlight_cursor_line=False, placeholder=such
            )
        self.findings: Sequence[Finding] = ()
        self._label, self._about = Static(classes="label"), Static(classes="about")

    def compose(self) -> ComposeResult:
        yield self._label
        yield self.box
        yield self._about

    def on_mount(self) -> None:
        self.draw()

    @property
    def text(self) -> str:
        """The answer as it stands."""
        box = self.box
        return box.text if isinstance(box, TextField) else box.value

    def draw(self, findings: Sequence[Finding] | None = None) -> None:
        """Show how long the answer is and what is wrong with it; what is asked, where one is writing."""
        self.findings = self.findings if findings is None else findings
        if not self._about.is_mounted:
            return
        name = Content.assemble(
            (self.question.label, ".strong"), (" *" if self.question.needed else "", ".accent")
        )
        count = Content.styled(count_of(self.question, self.text), ".quiet")
        self._label.update(SplitLine(name, count))
        lines = [
            Content.styled(f"{'!' if each.level == 'error' else '~'} {each.message}", ".warn")
            for each in self.findings
        ]
        if self.has_focus_within:
            lines.append(Content.styled(self.question.ask, ".quiet"))
            if self.text or len(self.question.example) > ROOM:
                lines.append(Content.styled(f"Example: {self.question.example}", ".faint"))
        self._about.display = bool(lines)
        self._about.update(Content("\n").join(lines))

    @property
    def has_focus_within(self) -> bool:
        """One is writing here."""
        return self.box.has_focus


class PartForm(VerticalScroll):
    """The fields of a part below one another."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, can_focus=False)

    @property
    def boxes(self) -> list[FieldBox]:
        return list(self.query(FieldBox))

    async def show(self, draft: Draft, state: DraftState) -> None:
        """Show another part, or this one as it was written again."""
        await self.remove_children()
        part = state.part
        made: list[FieldBox] = []
        if part and not state.problem:
            made = [FieldBox(each, state.answers[each.field]) for each in questions_of(draft, part)]
        await self.mount(Static(id="notes"), *made)
        self.scroll_home(animate=False)
        self.mark(state)

    def mark(self, state: DraftState) -> None:
        """Show what the checks find, each beside its field; what belongs to no field stands above them."""
        found = state.of_file(state.part.file) if state.part else state.elsewhere
        left = list(found)
        for box in self.boxes:
            own = [each for each in found if _belongs(each, box.question)]
            left = [each for each in left if each not in own]
            box.draw(own)
        lines = [Content.styled(state.problem, ".warn")] if state.problem else []
        lines += [Content.styled(f"The model: {note}", ".quiet") for note in state.notes]
        if not state.problem:
            lines += [Content.styled(f"{each if not state.part else each.message}", ".warn") for each in left]
        for notes in self.query("#notes").results(Static):
            notes.display = bool(lines)
            notes.update(Content("\n").join(lines))


def _belongs(finding: Finding, question: Question) -> bool:
    """Whether a finding is about a field. Whose act a beat is stands with the beat."""
    field = "beats" if finding.field.partition(".")[0] == "by" else finding.field
    return field == question.field or field.startswith(f"{question.field}.")
