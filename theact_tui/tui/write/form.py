"""Fields of one part: question, answer, example, length and findings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from theact_tui.authoring import questions
from theact_tui.authoring.draft import Draft, Part
from theact_tui.authoring.questions import QUESTIONS, Question
from theact_tui.packs.diagnostics import Finding
from theact_tui.text import one_line
from theact_tui.tui.visuals import SplitLine, faint, quiet
from theact_tui.tui.widgets.dialogs import FormField
from theact_tui.tui.widgets.inputs import TextField, answer_of

EXAMPLE_LETTERS = 36
"""Fit an empty field of any size."""
LATE = ("cast", "outline")
"""Kinds of answers that make or remove files; applied on leaving the field."""


@dataclass(frozen=True, slots=True)
class DraftState:
    """Everything the screen shows of a draft, read at once."""

    parts: tuple[Part, ...] = ()
    done: frozenset[str] = frozenset()
    findings: tuple[Finding, ...] = ()
    part: Part | None = None
    """Part on show; None for files outside all parts."""
    answers: Mapping[str, str] = field(default_factory=dict)
    choices: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problem: str = ""
    """Why the part's file cannot be read."""
    words: str = ""

    @classmethod
    def read(cls, draft: Draft, key: str) -> "DraftState":
        parts = tuple(draft.parts())
        done = frozenset(piece.key for piece in parts if questions.is_done(draft, piece))
        notes = questions.findings_of(draft)
        findings = tuple(note for note in notes if (draft.folder / note.file).exists())
        part = next((piece for piece in parts if piece.key == key), None)
        if part is None:
            return cls(parts, done, findings)
        fields = [question.field for question in QUESTIONS[part.kind] if "/" in part.file]
        return cls(
            parts,
            done,
            findings,
            part,
            answers=questions.answers_of(draft, part),
            choices={field: questions.choices_of(draft, part.file, field) for field in fields},
            notes=draft.info.notes.get(part.file, ()),
            problem=draft.unreadable(part.file),
            words=questions.part_words(draft, part),
        )

    def of_file(self, file: str) -> list[Finding]:
        return [finding for finding in self.findings if finding.file == file]

    @property
    def shown_findings(self) -> list[Finding]:
        return self.of_file(self.part.file) if self.part else self.elsewhere

    @property
    def elsewhere(self) -> list[Finding]:
        """Findings of files outside all parts."""
        own = {part.file for part in self.parts}
        return [finding for finding in self.findings if finding.file not in own]


class FieldBox(Vertical):
    BINDINGS = [Binding("enter", "app.focus_next", show=False)]  # where the answer does not take the key

    def __init__(self, question: Question, text: str, choices: str = "", *, checked: bool = False) -> None:
        """`choices`: names the answer may use. `checked`: an empty answer is marked as required from the start."""
        super().__init__(classes=f"-{question.form}")
        self.question = question
        self.checked = checked
        self._choices = choices
        example = one_line(f"example: {question.example}", 400)
        words = question.choices if question.form == "choice" else ()
        is_line = question.form in ("line", "people")
        self.box = FormField("", text, example, words=words, form="line" if is_line else "text").box()
        self.findings: Sequence[Finding] = ()
        self._label, self._about = Static(classes="label"), Static(classes="about")

    def compose(self) -> ComposeResult:
        yield self._label
        yield self.box
        yield self._about

    def on_mount(self) -> None:
        if isinstance(self.box, TextField):
            self.box.move_cursor(self.box.document.end)
        self.draw()

    @property
    def text(self) -> str:
        return answer_of(self.box)

    def draw(self, findings: Sequence[Finding] | None = None) -> None:
        """Show the length of the answer and its findings; the question while it has focus."""
        self.findings = self.findings if findings is None else findings
        if not self._about.is_mounted:
            return
        name = Content.assemble(
            (self.question.label, ".strong"), (" *" if self.question.needed else "", ".accent")
        )
        count = quiet(questions.count_of(self.question, self.text))
        self._label.update(SplitLine(name, count))
        marks = [f"{'!' if finding.level == 'error' else '~'} {finding.message}" for finding in self.findings]
        if self.question.needed and not self.text.strip():
            marks = ["! This is required."] if self.checked else []
        elif self.question.form in LATE:
            # what was typed is taken later
            marks = [mark for mark in marks if not mark.endswith(" is missing")]
        marks += [f"~ {hint}"] if (hint := questions.hint_of(self.question, self.text)) else []
        lines = [Content.styled(mark, ".warn") for mark in marks]
        if self.box.has_focus:
            lines.append(quiet(f"{self.question.ask} {self._choices}".rstrip()))
            if self.text or len(self.question.example) > EXAMPLE_LETTERS:
                lines.append(faint(f"Example: {self.question.example}"))
        self._about.display = bool(lines)
        self._about.update(Content("\n").join(lines))


class PartForm(VerticalScroll):
    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, classes="detail", can_focus=False)

    @property
    def boxes(self) -> list[FieldBox]:
        return list(self.query(FieldBox))

    async def show(self, state: DraftState, *, checked: bool) -> None:
        boxes = [
            FieldBox(
                question,
                state.answers[question.field],
                state.choices.get(question.field, ""),
                checked=checked,
            )
            for question in (QUESTIONS[state.part.kind] if state.part and not state.problem else ())
        ]
        with self.app.batch_update():  # a field that is being removed cannot be painted
            await self.remove_children()
            await self.mount(Static(id="notes"), *boxes)
        self.scroll_home(animate=False)
        self.mark(state)

    def mark(self, state: DraftState) -> None:
        beside, left = placed(state.shown_findings, [box.question for box in self.boxes])
        for box in self.boxes:
            box.draw(beside[box.question.field])
        lines = [Content.styled(state.problem, ".warn")] if state.problem else []
        lines += [quiet(f"The model: {note}") for note in state.notes]
        if not state.problem:
            lines += [
                Content.styled(f"{finding if not state.part else finding.message}", ".warn")
                for finding in left
            ]
        for notes in self.query("#notes").results(Static):
            notes.display = bool(lines)
            notes.update(Content("\n").join(lines))


def placed(
    findings: Sequence[Finding], questions: Sequence[Question]
) -> tuple[dict[str, list[Finding]], list[Finding]]:
    """Group findings by field; return the rest separately."""
    beside = {question.field: [one for one in findings if _belongs(one, question)] for question in questions}
    return beside, [one for one in findings if not any(one in own for own in beside.values())]


def _belongs(finding: Finding, question: Question) -> bool:
    """True if a finding is about a field. What belongs to a beat counts as the beat."""
    field = "beats" if finding.field.partition(".")[0] in ("by", "offers", "same_page") else finding.field
    return f"{field}.".startswith(f"{question.field}.") or f"{question.field}.".startswith(f"{field}.")
