"""Prompt as sent: a bar per section, omissions, full text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from textual.content import Content
from textual.visual import Visual

from theact_tui.models.ledger import Call
from theact_tui.prompting.sections import Prompt, Section
from theact_tui.story.turn import Turn
from theact_tui.text import clean, flat
from theact_tui.tui.inspector.turn_cache import runs_of
from theact_tui.tui.visuals import FittedVisual, Indented, SplitLine, Stack, faint, quiet

LOOKS = {
    "system": (".mood-melancholic", "█"),
    "summary": (".mood-mysterious", "░"),
    "turns": (".mood-calm", "▒"),
    "player": (".mood-dramatic", "█"),
    "pages": (".mood-humorous", "▓"),
    "memory": (".mood-mysterious", "▒"),
    "role": (".mood-tense", "░"),
}
"""Ink and shade by kind of section; the shade is for terminals with their own colours."""
SOLID, AGAIN = "█", "▓"
"""The second is for a neighbour of the same kind."""
BAR_CELLS = 14


@dataclass(frozen=True, slots=True)
class PromptPart:
    """Neighbouring sections of one kind: `turn 3` to `turn 9` become `turns 3 to 9`."""

    name: str
    source: str
    tokens: int
    kept: str
    why: str
    roles: tuple[str, ...]
    texts: tuple[str, ...]
    kind: str
    glyph: str

    def cells(self, count: int) -> Content:
        return Content.styled(self.glyph * count, LOOKS[self.kind][0])


def parts_of(sections: Sequence[Section], *, shaded: bool = False) -> tuple[PromptPart, ...]:
    """Join neighbouring sections of one kind; `shaded` uses a glyph per kind."""
    parts: list[PromptPart] = []
    before = ("", "")
    for _, alike in groupby(sections, _kinship):
        group = list(alike)
        first = group[0]
        kind = _kind(first)
        glyph = LOOKS[kind][1] if shaded else AGAIN if before == (kind, SOLID) else SOLID
        if first.kept != "dropped":
            before = (kind, glyph)
        numbers = [number for section in group if (number := _turn_number(section))]
        parts.append(
            PromptPart(
                name=_turns(numbers, first.name.split()[0]) if numbers else flat(first.name),
                source="full text" if numbers else flat(first.source),
                tokens=sum(section.tokens for section in group),
                kept=first.kept,
                why=flat(first.why),
                roles=tuple(section.part for section in group),
                texts=tuple(section.text for section in group),
                kind=kind,
                glyph=glyph,
            )
        )
    return tuple(parts)


def _kinship(section: Section) -> tuple[object, ...]:
    # turns are one part, although they are messages of both sides
    if _turn_number(section):
        return section.kept, section.why
    return section.kept, section.why, section.part, section.name


def _turn_number(section: Section) -> int:
    match = re.fullmatch(r"(?:turn|prompt) (\d+)", section.name)
    return int(match[1]) if match else 0


def _kind(section: Section) -> str:
    if section.part == "system":
        return "system"
    if section.priority == "fixed":
        return "player" if section.name == "player" else "role"
    kind = {"turn": "turns", "spare": "memory"}.get(section.priority, section.priority)
    return kind if kind in LOOKS else "role"


def runs(numbers: Iterable[int]) -> str:
    spans = runs_of(sorted(set(numbers)))
    return ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in spans)


# --- what is not in it -------------------------------------------------------------------------------------------


def unseen(call: Call, turns: Mapping[int, Turn], name: str) -> list[str]:
    """List earlier turns missing from a storytelling prompt, with reasons; `turns` as far as read."""
    sent = {number for section in call.sections if (number := _turn_number(section))}
    missing = set(range(1, call.turn)) - sent
    if call.agent == "narrator":
        return [f"{_turns(missing)}: in the story summary"] if missing else []
    if call.agent != "character":
        return []
    away = {n for n in missing if n in turns and call.character not in turns[n].witnesses}
    lines = [f"{_turns(away)}: {name} was away"] if away else []
    older = missing - away
    pronoun = "it" if len(older) == 1 else "them"
    return [*lines, *([f"{_turns(older)}: only what {name} remembers of {pronoun}"] if older else [])]


def _turns(numbers: Iterable[int], word: str = "turn") -> str:
    shown = set(numbers)
    return f"{word}{'s' if len(shown) > 1 else ''} {runs(shown)}"


# --- how it looks ------------------------------------------------------------------------------------------------


class TokenBar(FittedVisual):
    """Line of sections, each as wide as its share."""

    def __init__(self, parts: Sequence[PromptPart]) -> None:
        self._parts = parts

    def fitted(self, width: int) -> Content:
        total = sum(part.tokens for part in self._parts) or 1
        cells: list[Content] = []
        tokens = drawn = 0
        for part in self._parts:
            tokens += part.tokens
            end = min(width, max(drawn + 1, round(width * tokens / total)))
            cells.append(part.cells(end - drawn))
            drawn = end
        return Content("").join(cells)


def prompt_head(call: Call, place: int, count: int, title: Content) -> SplitLine:
    position = f"{place + 1} of {count} · " if count > 1 else ""
    position += "not answered yet · " if call.outcome == "running" else ""
    share = f" · {100 * call.tokens // call.limit}%" if call.limit else ""
    return SplitLine(title, quiet(f"{position}{call.tokens:,} of {call.limit:,}{share}"))


def bar_block(call: Call, notes: Sequence[str] = (), *, shaded: bool = False) -> Stack:
    """Bar of the prompt, of each section, then omissions."""
    parts = parts_of(call.sections, shaded=shaded)
    sent = [part for part in parts if part.kept != "dropped"]
    most = max((part.tokens for part in sent), default=1) or 1
    rows: list[Visual] = [TokenBar(sent), Content(""), *(_part_row(part, most) for part in sent)]
    for part in parts:
        if part.kept == "trimmed":
            rows.append(_missing("cut short", ".warn", f"{part.name}: {part.why}"))
        elif part.kept == "dropped":
            rows.append(_missing("left out", ".bad", f"{part.name}, {part.tokens:,} tokens: {part.why}"))
    return Stack(*rows, *(_missing("not sent", ".faint", line) for line in notes))


def _missing(label: str, label_ink: str, line: str) -> Visual:
    return Indented(Content.styled(f"   {label:<9}  ", label_ink), quiet(line))


def _part_row(part: PromptPart, most: int) -> Visual:
    length = max(1, round(BAR_CELLS * part.tokens / most))
    note = ("cut short", ".warn") if part.kept == "trimmed" else (part.why or part.source, ".faint")
    left = Content.assemble(part.cells(2), f" {part.name}  ", note)
    bar = Content.assemble(part.cells(length), " " * (BAR_CELLS - length))
    return SplitLine(left, Content.assemble((f"{part.tokens:>6,} ", ".quiet"), bar))


def text_blocks(call: Call, *, shaded: bool = False) -> list[Visual]:
    """Full text by section, with omitted ones named in place."""
    blocks: list[Visual] = []
    role = ""
    for part in parts_of(call.sections, shaded=shaded):
        if part.kept == "dropped":
            blocks.append(Content.assemble("\n", (f"✗ {part.name}, left out: {part.why}", ".bad")))
            continue
        head = [_text_head(part)]
        for text_role, run in groupby(zip(part.roles, part.texts, strict=True), key=itemgetter(0)):
            if text_role != role:
                role = text_role
                blocks.append(Content.assemble("\n", (f"── {role} message ──", ".faint")))
            texts = [clean(text) for _, text in run]
            lines = [Content(f"{text}\n") for text in texts[:-1]] + [Content(texts[-1])]
            blocks.append(Stack(*head, *lines))
            head = []
    if added := correction_of(call):
        title = Content.styled("ADDED ON RETRY", ".warn")
        blocks.append(Stack(Content(""), title, Content(clean(added))))
    return blocks


def _text_head(part: PromptPart) -> Stack:
    cut = "  cut short" if part.kept == "trimmed" else ""
    left = Content.assemble(part.cells(2), (f" {part.name}", ".strong"), (cut, ".warn"))
    return Stack(Content(""), SplitLine(left, faint(f"{part.tokens:,} · {part.source}")))


def correction_of(call: Call) -> str:
    """Return the text added on a second attempt, or ""."""
    *_, last = Prompt(call.sections, call.tokens, call.limit).messages()
    content = call.messages[-1]["content"] if call.messages else ""
    return content[len(last["content"]) :].strip() if content.startswith(last["content"]) else ""
