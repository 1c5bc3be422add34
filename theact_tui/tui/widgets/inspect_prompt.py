"""A prompt as it was sent: a bar per section, what was cut or left out and why, and the whole text. Values in, visuals
out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual

from theact_tui.models.ledger import Call
from theact_tui.prompting.sections import Section
from theact_tui.story.turn import Turn
from theact_tui.text import clean
from theact_tui.tui.visuals import Indented, Spread, Stack
from theact_tui.tui.widgets.panelparts import flat

SHADES = "█▓▒░▚▞▦▤"
"""One after another along the bar, so that it reads without colour."""
INKS = tuple(f".voice-{n}" for n in (1, 2, 3, 4, 5, 6, 7))
BAR_CELLS = 14
"""Cells of the widest bar beside a section."""
KEPT = {"trimmed": "cut short", "dropped": "left out"}


@dataclass(frozen=True, slots=True)
class Part:
    """Neighbouring sections of one kind, as one bar: `turn 3` to `turn 9` is `turns 3 to 9`."""

    name: str
    source: str
    tokens: int
    kept: str
    why: str
    role: str
    texts: tuple[str, ...]


def parts_of(sections: Sequence[Section]) -> tuple[Part, ...]:
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


def _part(group: Sequence[Section]) -> Part:
    first = group[0]
    numbers = [number for section in group if (number := _turn_number(section))]
    return Part(
        name=f"{'turn' if len(numbers) == 1 else 'turns'} {runs(numbers)}" if numbers else flat(first.name),
        source="word for word" if numbers else flat(first.source),
        tokens=sum(section.tokens for section in group),
        kept=first.kept,
        why=flat(first.why),
        role=first.part,
        texts=tuple(section.text for section in group),
    )


def runs(numbers: Iterable[int]) -> str:
    """Numbers for people: `1-4, 7`."""
    spans: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in spans)


# --- what is not in it -------------------------------------------------------------------------------------------


def unseen(call: Call, turns: Mapping[int, Turn], name: str) -> list[str]:
    """Which earlier turns are not in a storytelling prompt word for word, and why not. `turns` as far as known."""
    sent = {number for section in call.sections if (number := _turn_number(section))}
    missing = set(range(1, call.turn)) - sent
    if call.agent == "narrator":
        return [f"turns {runs(missing)}: folded into the story so far"] if missing else []
    if call.agent != "character":
        return []
    away = {n for n in missing if n in turns and call.character not in turns[n].witnesses}
    lines = [f"{_turns(away)}: {name} was away"] if away else []
    older = missing - away
    return [*lines, *([f"{_turns(older)}: only what {name} remembers of them"] if older else [])]


def _turns(numbers: Iterable[int]) -> str:
    known = set(numbers)
    return f"turn{'s' if len(known) > 1 else ''} {runs(known)}"


# --- how it looks ------------------------------------------------------------------------------------------------


class TokenBar(Visual):
    """One line: the sections in the order in which they were sent, each as wide as its share."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = [part for part in parts if part.kept != "dropped"]

    @property
    def plain(self) -> str:
        """The names of the sections, for tests."""
        return "|".join(part.name for part in self.parts)

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        total = sum(part.tokens for part in self.parts) or 1
        cells: list[Content] = []
        told = drawn = 0
        for place, part in enumerate(self.parts):
            told += part.tokens
            end = max(drawn + 1, round(width * told / total))
            cells.append(Content.styled(shade(place) * (min(end, width) - drawn), ink(place)))
            drawn = min(end, width)
        return Content("").join(cells).render_strips(width, 1, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return 1


def shade(place: int) -> str:
    """The glyph of the section at a place."""
    return SHADES[place % len(SHADES)]


def ink(place: int) -> str:
    """The ink of the section at a place."""
    return INKS[place % len(INKS)]


def prompt_head(call: Call, place: int, count: int) -> Spread:
    """Which prompt this is, and how much of the window it took."""
    which = f"{place + 1} of {count} · " if count > 1 else ""
    share = f" · {100 * call.tokens // call.limit}%" if call.limit else ""
    return Spread(
        Content.assemble(("PROMPT", ".strong"), f"  {flat(call.key)}"),
        Content.styled(f"{which}{call.tokens:,} of {call.limit:,}{share}", ".quiet"),
    )


def bar_rows(call: Call, notes: Sequence[str] = ()) -> list[Visual]:
    """The bar of the whole prompt, then each section with its own, then what is missing."""
    parts = parts_of(call.sections)
    most = max((part.tokens for part in parts), default=1) or 1
    rows: list[Visual] = [TokenBar(parts)]
    place = 0
    for part in parts:
        rows.append(_part_row(part, place, most))
        place += part.kept != "dropped"
    rows += [
        Indented(Content.styled("   not sent  ", ".faint"), Content.styled(note, ".quiet")) for note in notes
    ]
    return rows


def _part_row(part: Part, place: int, most: int) -> Visual:
    if part.kept == "dropped":
        text = Content.styled(f"{part.name}, {part.tokens:,} tokens: {part.why}", ".quiet")
        return Indented(Content.styled("   left out  ", ".bad"), text)
    length = max(1, round(BAR_CELLS * part.tokens / most))
    left = Content.assemble(
        (shade(place) * 2, ink(place)),
        f" {part.name}",
        (
            f"  cut short: {part.why}" if part.kept == "trimmed" else f"  {part.source}",
            ".warn" if part.kept == "trimmed" else ".faint",
        ),
    )
    bar = Content.styled((shade(place) * length).ljust(BAR_CELLS), ink(place))
    return Spread(left, Content.assemble((f"{part.tokens:>6,} ", ".quiet"), bar))


def text_rows(call: Call) -> list[Visual]:
    """Every word that was sent, under the name of its section; what was left out is named where it would have been."""
    rows: list[Visual] = []
    role = ""
    place = 0
    for part in parts_of(call.sections):
        if part.role != role:
            role = part.role
            rows += [Content(""), Content.styled(f"── {role} message ──", ".faint")]
        dropped = part.kept == "dropped"
        rows += [Content(""), _text_head(part, place)]
        if not dropped:
            rows += [
                Content(clean(text)) if n == 0 else Stack(Content(""), Content(clean(text)))
                for n, text in enumerate(part.texts)
            ]
        place += not dropped
    if added := correction_of(call):
        rows += [Content(""), Content.styled("ADDED WHEN IT WAS ASKED AGAIN", ".warn"), Content(clean(added))]
    return rows


def _text_head(part: Part, place: int) -> Visual:
    if part.kept == "dropped":
        return Content.styled(f"✗ {part.name} was left out: {part.why}", ".bad")
    kept = "  cut short" if part.kept == "trimmed" else ""
    return Spread(
        Content.assemble((f"{shade(place) * 2} ", ink(place)), (part.name, ".strong"), (kept, ".warn")),
        Content.styled(f"{part.tokens:,} · {part.source}", ".faint"),
    )


def correction_of(call: Call) -> str:
    """What was added to the prompt on a second attempt; empty when there was none."""
    sent = [section.text for section in call.sections if section.part == "user" and section.kept != "dropped"]
    joined = "\n\n".join(sent)
    content = call.messages[-1]["content"] if call.messages else ""
    return content[len(joined) :].strip() if content.startswith(joined) else ""
