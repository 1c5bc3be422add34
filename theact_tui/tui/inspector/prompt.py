"""A prompt as it was sent: a bar per section, what was cut or left out and why, and the whole text. Values in, visuals
out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.visual import Visual

from theact_tui.models.ledger import Call
from theact_tui.prompting.sections import Section
from theact_tui.story.turn import Turn
from theact_tui.text import clean
from theact_tui.tui.inspector.data import runs_of
from theact_tui.tui.visuals import FittedVisual, Indented, SplitLine, Stack, flat

INKS = {
    "system": ".mood-melancholic",
    "summary": ".mood-mysterious",
    "turns": ".mood-calm",
    "player": ".mood-dramatic",
    "pages": ".mood-humorous",
    "memory": ".mood-mysterious",
    "role": ".mood-tense",
}
"""By what a section is, the same in every prompt."""
SHADES = {
    "system": "█",
    "summary": "░",
    "turns": "▒",
    "player": "█",
    "pages": "▓",
    "memory": "▒",
    "role": "░",
}
"""Where there are only the terminal's own colours, and perhaps none."""
SOLID, AGAIN = "█", "▓"
"""The second one beside a section of the same kind."""
BAR_CELLS = 14
"""Cells of the widest bar beside a section."""
KEPT = {"trimmed": "cut short", "dropped": "left out"}


@dataclass(frozen=True, slots=True)
class PromptPart:
    """Neighbouring sections of one kind, as one bar: `turn 3` to `turn 9` is `turns 3 to 9`."""

    name: str
    source: str
    tokens: int
    kept: str
    why: str
    role: str
    texts: tuple[str, ...]
    kind: str
    """One of those in `INKS`."""


def parts_of(sections: Sequence[Section]) -> tuple[PromptPart, ...]:
    """The sections of a prompt in their order, alike neighbours together."""
    groups: list[list[Section]] = []
    for section in sections:
        if groups and _alike(groups[-1][-1], section):
            groups[-1].append(section)
        else:
            groups.append([section])
    return tuple(_part(group) for group in groups)


def _alike(one: Section, other: Section) -> bool:
    both_turns = _turn_number(one) and _turn_number(other)
    return (one.kept, one.part, one.why) == (other.kept, other.part, other.why) and (
        bool(both_turns) or one.name == other.name
    )


def _turn_number(section: Section) -> int:
    found = re.fullmatch(r"turn (\d+)", section.name)
    return int(found[1]) if found else 0


def _part(group: Sequence[Section]) -> PromptPart:
    first = group[0]
    numbers = [number for section in group if (number := _turn_number(section))]
    return PromptPart(
        name=f"{'turn' if len(numbers) == 1 else 'turns'} {runs(numbers)}" if numbers else flat(first.name),
        source="full text" if numbers else flat(first.source),
        tokens=sum(section.tokens for section in group),
        kept=first.kept,
        why=flat(first.why),
        role=first.part,
        texts=tuple(section.text for section in group),
        kind=_kind(first),
    )


def _kind(section: Section) -> str:
    if section.part == "system":
        return "system"
    if section.priority == "fixed":
        return "player" if section.name == "player" else "role"
    kind = "turns" if section.priority == "turn" else section.priority
    return kind if kind in INKS else "role"


def runs(numbers: Iterable[int]) -> str:
    """Numbers for people: `1-4, 7`."""
    spans = runs_of(sorted(set(numbers)))
    return ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in spans)


# --- what is not in it -------------------------------------------------------------------------------------------


def unseen(call: Call, turns: Mapping[int, Turn], name: str) -> list[str]:
    """Which earlier turns are not in a storytelling prompt word for word, and why not. `turns` as far as known."""
    sent = {number for section in call.sections if (number := _turn_number(section))}
    missing = set(range(1, call.turn)) - sent
    if call.agent == "narrator":
        return [f"{_turns(missing)}: in the story summary"] if missing else []
    if call.agent != "character":
        return []
    away = {n for n in missing if n in turns and call.character not in turns[n].witnesses}
    lines = [f"{_turns(away)}: {name} was away"] if away else []
    older = missing - away
    what = "it" if len(older) == 1 else "them"
    return [*lines, *([f"{_turns(older)}: only what {name} remembers of {what}"] if older else [])]


def _turns(numbers: Iterable[int]) -> str:
    known = set(numbers)
    return f"turn{'s' if len(known) > 1 else ''} {runs(known)}"


# --- how it looks ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Paint:
    """How the sections of one prompt are told apart: an ink each and, with `shaded`, a glyph each."""

    parts: tuple[PromptPart, ...]
    shaded: bool = False

    def cells(self, part: PromptPart, count: int) -> Content:
        """So many cells of a section's bar."""
        return Content.styled(self._glyph(part) * count, INKS[part.kind])

    def _glyph(self, part: PromptPart) -> str:
        if self.shaded:
            return SHADES[part.kind]
        sent = [other for other in self.parts if other.kept != "dropped"]
        alike = [other.kind == part.kind for other in sent[: sent.index(part)]] if part in sent else []
        run = len(alike) - next((n for n in range(len(alike), 0, -1) if not alike[n - 1]), 0)
        return AGAIN if run % 2 else SOLID


class TokenBar(FittedVisual):
    """One line: the sections in the order in which they were sent, each as wide as its share."""

    def __init__(self, paint: Paint) -> None:
        self._paint = paint
        self._parts = [part for part in paint.parts if part.kept != "dropped"]

    @property
    def plain(self) -> str:
        return "|".join(part.name for part in self._parts)

    def fitted(self, width: int) -> Content:
        total = sum(part.tokens for part in self._parts) or 1
        cells: list[Content] = []
        told = drawn = 0
        for part in self._parts:
            told += part.tokens
            end = min(width, max(drawn + 1, round(width * told / total)))
            cells.append(self._paint.cells(part, end - drawn))
            drawn = end
        return Content("").join(cells)


def prompt_head(call: Call, place: int, count: int) -> SplitLine:
    """Which prompt this is, and how much of the window it took."""
    which = f"{place + 1} of {count} · " if count > 1 else ""
    which += "not answered yet · " if call.outcome == "running" else ""
    share = f" · {100 * call.tokens // call.limit}%" if call.limit else ""
    return SplitLine(
        Content.assemble(("PROMPT", ".strong"), f"  {flat(call.key)}"),
        Content.styled(f"{which}{call.tokens:,} of {call.limit:,}{share}", ".quiet"),
    )


def bar_block(call: Call, notes: Sequence[str] = (), *, shaded: bool = False) -> Stack:
    """The bar of the whole prompt, then each section with its own, then what is not in it."""
    paint = Paint(parts_of(call.sections), shaded)
    most = max((part.tokens for part in paint.parts if part.kept != "dropped"), default=1) or 1
    rows: list[Visual] = [TokenBar(paint), Content("")]
    rows += [_part_row(part, paint, most) for part in paint.parts if part.kept != "dropped"]
    for part in paint.parts:
        if part.kept == "trimmed":
            rows.append(_missing("cut short", ".warn", f"{part.name}: {part.why}"))
        elif part.kept == "dropped":
            rows.append(_missing("left out", ".bad", f"{part.name}, {part.tokens:,} tokens: {part.why}"))
    return Stack(*rows, *(_missing("not sent", ".faint", line) for line in notes))


def _missing(label: str, label_ink: str, line: str) -> Visual:
    return Indented(Content.styled(f"   {label:<9}  ", label_ink), Content.styled(line, ".quiet"))


def _part_row(part: PromptPart, paint: Paint, most: int) -> Visual:
    length = max(1, round(BAR_CELLS * part.tokens / most))
    note = ("cut short", ".warn") if part.kept == "trimmed" else (part.why or part.source, ".faint")
    left = Content.assemble(paint.cells(part, 2), f" {part.name}  ", note)
    bar = Content.assemble(paint.cells(part, length), " " * (BAR_CELLS - length))
    return SplitLine(left, Content.assemble((f"{part.tokens:>6,} ", ".quiet"), bar))


def text_blocks(call: Call, *, shaded: bool = False) -> list[Visual]:
    """Every word that was sent, under the name of its section; what was left out is named where it would have been."""
    paint = Paint(parts_of(call.sections), shaded)
    blocks: list[Visual] = []
    role = ""
    for part in paint.parts:
        if part.role != role:
            role = part.role
            blocks.append(Content.assemble("\n", (f"── {role} message ──", ".faint")))
        blocks += _text_part(part, paint)
    if added := correction_of(call):
        head = Content.styled("ADDED ON RETRY", ".warn")
        blocks.append(Stack(Content(""), head, Content(clean(added))))
    return blocks


def _text_part(part: PromptPart, paint: Paint) -> list[Visual]:
    if part.kept == "dropped":
        return [Content.assemble("\n", (f"✗ {part.name}, left out: {part.why}", ".bad"))]
    left = Content.assemble(
        paint.cells(part, 2),
        (f" {part.name}", ".strong"),
        ("  cut short" if part.kept == "trimmed" else "", ".warn"),
    )
    head = SplitLine(left, Content.styled(f"{part.tokens:,} · {part.source}", ".faint"))
    texts = [Content(f"{clean(text)}\n") for text in part.texts[:-1]]
    return [Stack(Content(""), head), *texts, *(Content(clean(text)) for text in part.texts[-1:])]


def correction_of(call: Call) -> str:
    """What was added to the prompt on a second attempt; empty when there was none."""
    sent = [section.text for section in call.sections if section.part == "user" and section.kept != "dropped"]
    joined = "\n\n".join(sent)
    content = call.messages[-1]["content"] if call.messages else ""
    return content[len(joined) :].strip() if content.startswith(joined) else ""
