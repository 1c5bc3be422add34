"""The tree of a directed chapter, and the comparison of two of its places: what was prompted, noted down and drafted."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content
from textual.visual import Visual

from theact_tui.engine.direct.compare import (
    DirectComparison,
    DirectPair,
    DirectSide,
    compare_directed,
    direct_pairs,
    noted_only,
)
from theact_tui.engine.direct.session import DirectSession
from theact_tui.saves.save import Save
from theact_tui.story.direct.log import BREAK, exchanges
from theact_tui.story.direct.models import LogEvent
from theact_tui.story.direct.state import DirectGame
from theact_tui.text import counted, one_line, paragraphs, words
from theact_tui.tui.branches.compare import PAGE, marked_lines, parting_line
from theact_tui.tui.branches.layout import BranchLayout, Cursor
from theact_tui.tui.branches.preview import Spot, about, distance, marked
from theact_tui.tui.branches.source import ComparedPoint, PreviewContext
from theact_tui.tui.visuals import INKS, Indented, SideBySide, SplitLine, Stack, ago

FIRST_LINE = """\
No branches yet. To create one, go to any prompt and press n, or retry the last prompt of the chapter with F4. \
Both versions are kept and shown here."""
BEGINNING = "The start of the chapter."


class ChapterSource:
    """The branches of an open chapter."""

    word = "prompt"

    def __init__(self, session: DirectSession) -> None:
        self.session = session

    @property
    def title(self) -> str:
        return self.session.name

    async def state_at(self, layout: BranchLayout, place: Cursor) -> DirectGame:
        session = self.session
        return await session.run(chapter_at, session.save, f"{layout.node(place).tip}@{place.turn}")

    def preview(self, there: DirectGame, context: PreviewContext) -> tuple[Visual, Visual]:
        now, spot = self.session.game, context.spot
        page = prompt_page(there, spot, ago(spot.node.at, self.session.bus.now()))
        if spot.is_here:
            return page, here_page(now, context.branch, alone=context.alone)
        return page, against_page(there, now, f"{context.branch}, prompt {now.session.prompt_index}")

    async def difference(self, a: ComparedPoint, b: ComparedPoint) -> DirectComparison:
        return await self.session.run(compare_directed, self.session.save, a.place, b.place, limit=PAGE)

    async def following(self, found: DirectComparison, first: int, last: int) -> tuple[DirectPair, ...]:
        return await self.session.run(direct_pairs, self.session.save, (found.a, found.b), first, last)

    def meaning(self, found: DirectComparison, names: tuple[str, str]) -> Visual:
        return meaning_page(found, names)

    def side_by_side(self, pair: DirectPair, names: tuple[str, str]) -> Visual:
        return pair_page(pair, names, self.session.session.agent_names)


def chapter_at(save: Save[DirectGame], place: str) -> DirectGame:
    """The chapter as of a place. Call in the save's thread."""
    return save.state_at(branch=save.place(place))


def prompt_page(game: DirectGame, spot: Spot, when: str) -> Visual:
    """The prompt itself, and what was answered."""
    first = " · ".join(bit for bit in (f"PROMPT {spot.turn}", spot.kind) if bit)
    head = SplitLine(Content.styled(first, ".strong"), Content.styled(one_line(spot.branch, 40), ".quiet"))
    last = exchanges(game.events)[-1:]
    if not last:
        return Stack(head, Content(""), Content.styled(BEGINNING, ".quiet"))
    below = SplitLine(Content.styled(game.session.state, ".quiet"), Content.styled(when, ".quiet"))
    return Stack(head, below, Content(""), told(last[0].events, game.session.agent_names))


def here_page(game: DirectGame, branch: str, *, alone: bool) -> Visual:
    """What stands beside the prompt at which one is."""
    blocks, drafts = len(game.blocks), len(game.drafts)
    rows: list[Visual] = [Content.styled("YOU ARE HERE", ".accent"), Content("")]
    rows.append(about("branch", Content.styled(one_line(branch, 60), ".strong")))
    rows.append(about("state", Content(game.session.state)))
    rows.append(about("memory", Content(counted(blocks, "block"))))
    rows.append(about("drafts", Content(str(drafts) if drafts else "none yet")))
    if alone:
        rows += [Content(""), Content.styled(FIRST_LINE, ".quiet")]
    return Stack(*rows)


def against_page(there: DirectGame, now: DirectGame, name: str) -> Visual:
    """How the chapter there differs from the one being directed, which is called `name`."""
    more, less = noted_only(there, now), noted_only(now, there)
    rows: list[Visual] = [
        SplitLine(Content.styled("AGAINST", ".strong"), Content.styled(one_line(name, 40), ".quiet")),
        Content.styled(distance(there.session.prompt_index - now.session.prompt_index, "prompt"), ".quiet"),
        Content(""),
        about("state", Content(there.session.state)),
        about("drafts", Content(str(len(there.drafts)) if there.drafts else "none")),
    ]
    if not (more or less):
        return Stack(*rows, Content(""), Content.styled("The notes are the same as now.", ".quiet"))
    for kind in dict.fromkeys((*more, *less)):
        rows += [Content(""), Content.styled(kind, ".quiet")]
        rows += [*marked("+", ".good", more.get(kind, ())), *marked("−", ".bad", less.get(kind, ()))]
    return Stack(*rows)


SAME = "The notes and the drafts are the same."
ENDS = "This version ends before this prompt."


def meaning_page(found: DirectComparison, names: tuple[str, str]) -> Visual:
    """Where they part, and what each has that the other has not."""
    sides = (found.a, found.b)
    heads = (_head(name, side, ink) for name, side, ink in zip(names, sides, INKS, strict=True))
    rows: list[Visual] = [
        Content.styled(parting_line(found, "prompt"), ".quiet"),
        Content(""),
        SideBySide(*heads),
    ]
    for kind in dict.fromkeys((*found.a.memory, *found.b.memory)):
        both = (marked_lines("·", ".quiet", side.memory.get(kind, ())) for side in sides)
        rows += [Content(""), Content.styled(kind.upper(), ".strong"), SideBySide(*both)]
    if any(side.drafts for side in sides):
        rows += [
            Content(""),
            Content.styled("DRAFTS", ".strong"),
            SideBySide(*(marked_lines("·", ".quiet", _drafts(side)) for side in sides)),
        ]
    elif not any(side.memory for side in sides):
        rows += [Content(""), Content.styled(SAME, ".quiet")]
    return Stack(*rows)


def _head(name: str, side: DirectSide, ink: str) -> Visual:
    return Stack(
        Content.styled(one_line(name, 60), ink).stylize("bold"),
        Content.styled(f"prompt {side.turn} · {side.state}", ".quiet"),
    )


def _drafts(side: DirectSide) -> Iterator[str]:
    for draft in side.drafts:
        yield f"{counted(words(draft.chapter_text), 'word')}: {one_line(draft.chapter_text, 200)}"


def pair_page(pair: DirectPair, names: tuple[str, str], cast: dict[int, str]) -> Visual:
    """One prompt with its replies on both sides."""
    return Stack(
        Content(""),
        Content.styled(f"PROMPT {pair.number}", ".strong"),
        SideBySide(told(pair.a, cast), told(pair.b, cast), names=names),
    )


def told(events: tuple[LogEvent, ...] | None, cast: dict[int, str]) -> Visual:
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
