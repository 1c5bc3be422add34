"""Two places of a directed chapter side by side (S9): prompts, structured memory and drafts that only one of them has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual.content import Content
from textual.visual import Visual

from theact_tui.engine.direct import DirectSession
from theact_tui.engine.direct_compare import (
    DirectComparison,
    DirectPair,
    DirectSide,
    compare_directed,
    direct_pairs,
)
from theact_tui.prose import paragraphs
from theact_tui.story.direct.records import Event
from theact_tui.story.direct.transcript import BREAK
from theact_tui.text import one_line, words
from theact_tui.tui.screens.compare import PAGE, CompareScreen, Point
from theact_tui.tui.screens.direct_inks import DIRECT_INKS
from theact_tui.tui.twin import INKS, Twin
from theact_tui.tui.visuals import Indented, Stack

SAME = "In meaning the two are the same: what is noted down, and the drafts."
ENDS = "The chapter does not reach this prompt here."


class ChapterSides:
    """Branches of an open chapter."""

    def __init__(self, session: DirectSession) -> None:
        self._session = session

    @property
    def title(self) -> str:
        return self._session.name

    async def difference(self, a: Point, b: Point) -> DirectComparison:
        return await self._session.run(compare_directed, self._session.save, a.place, b.place, limit=PAGE)

    async def following(self, found: DirectComparison, first: int, last: int) -> tuple[DirectPair, ...]:
        return await self._session.run(direct_pairs, self._session.save, (found.a, found.b), first, last)

    def meaning(self, found: DirectComparison, names: tuple[str, str]) -> Visual:
        return meaning_page(found, names)

    def side_by_side(self, pair: DirectPair, names: tuple[str, str]) -> Visual:
        return pair_page(pair, names, self._session.session.agent_names)


class DirectCompare(CompareScreen):
    """Compares two points of an open chapter, in the colours of its characters."""

    CSS_PATH = ["branches.tcss", "direct.tcss"]
    inks = DIRECT_INKS

    def __init__(self, session: DirectSession, a: Point, b: Point) -> None:
        super().__init__(ChapterSides(session), a, b)
        self.add_class("directed")


def meaning_page(found: DirectComparison, names: tuple[str, str]) -> Visual:
    """Where they part, and what each has that the other has not."""
    sides = (found.a, found.b)
    heads = (_head(name, side, ink) for name, side, ink in zip(names, sides, INKS, strict=True))
    rows: list[Visual] = [Content.styled(_parting(found), ".quiet"), Content(""), Twin(*heads)]
    for kind in dict.fromkeys((*found.a.memory, *found.b.memory)):
        both = (_lines(side.memory.get(kind, ())) for side in sides)
        rows += [Content(""), Content.styled(kind.upper(), ".strong"), Twin(*both)]
    if any(side.drafts for side in sides):
        rows += [
            Content(""),
            Content.styled("DRAFTS", ".strong"),
            Twin(*(_lines(_drafts(side)) for side in sides)),
        ]
    elif not any(side.memory for side in sides):
        rows += [Content(""), Content.styled(SAME, ".quiet")]
    return Stack(*rows)


def _parting(found: DirectComparison) -> str:
    if found.fork_turn == found.a.turn == found.b.turn:
        return f"Both are prompt {found.fork_turn}."
    return f"They part after prompt {found.fork_turn}. Below stands what only one of them has."


def _head(name: str, side: DirectSide, ink: str) -> Visual:
    return Stack(
        Content.styled(one_line(name, 60), ink).stylize("bold"),
        Content.styled(f"prompt {side.turn} · {side.state}", ".quiet"),
    )


def _drafts(side: DirectSide) -> Iterator[str]:
    for draft in side.drafts:
        yield f"{words(draft.chapter_text):,} words: {one_line(draft.chapter_text, 200)}"


def _lines(texts: Iterable[str]) -> Visual | None:
    rows = [Indented(Content.styled("· ", ".quiet"), Content(one_line(text, 600))) for text in texts]
    return Stack(*rows) if rows else None


def pair_page(pair: DirectPair, names: tuple[str, str], cast: dict[int, str]) -> Visual:
    """One prompt with its replies on both sides."""
    return Stack(
        Content(""),
        Content.styled(f"PROMPT {pair.number}", ".strong"),
        Twin(told(pair.a, cast), told(pair.b, cast), names=names),
    )


def told(events: tuple[Event, ...] | None, cast: dict[int, str]) -> Visual:
    """A prompt and what was answered."""
    if events is None:
        return Content.styled(ENDS, ".quiet")
    rows: list[Visual] = []
    for event in events:
        if event.agent_slot:
            rows += [
                Content(""),
                Content.styled(one_line(cast[event.agent_slot], 60), f".slot-{event.agent_slot}"),
            ]
            rows.append(Content(BREAK.join(paragraphs(event.text))))
        else:
            rows += [
                Indented(
                    Content.styled("› ", ".quiet"),
                    Content.styled(BREAK.join(paragraphs(event.text)), ".quiet"),
                )
            ]
    return Stack(*rows)
