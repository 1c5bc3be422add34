"""Tree of a directed chapter, and comparison of two of its places: prompts, notes and drafts."""

from collections.abc import Iterator

from textual.content import Content
from textual.visual import Visual

from theact_tui.engine.direct.session import DirectSession
from theact_tui.saves.compare import DirectComparison, DirectSide, noted_only
from theact_tui.story.direct.log import as_turn, exchanges
from theact_tui.story.direct.models import LogEvent
from theact_tui.story.direct.state import DirectGame
from theact_tui.text import counted, one_line, words
from theact_tui.tui.blocks import block_rows
from theact_tui.tui.branches.source import BranchSource, Spot, about, marked_lines, more_and_less
from theact_tui.tui.direct.script import exchange_blocks
from theact_tui.tui.visuals import SplitLine, Stack, ago


class ChapterSource(BranchSource):
    """The branches of an open chapter."""

    word, whole = "prompt", "chapter"
    same = "Notes and drafts are the same."

    def __init__(self, session: DirectSession) -> None:
        self.session: DirectSession = session

    def turn_page(self, there: DirectGame, spot: Spot) -> Visual:
        """Draw the prompt with its replies."""
        head, last = spot.head(spot.branch), exchanges(there.events)[-1:]
        if not last:
            return Stack(head, self.beginning)
        when = ago(spot.node.at, self.session.bus.now())
        below = SplitLine(Content.styled(there.session.state, ".quiet"), Content.styled(when, ".quiet"))
        return Stack(head, below, Content(""), _told(last[0].events, there.session.agent_names))

    def here(self) -> list[Visual]:
        game = self.session.game
        return [
            about("state", Content(game.session.state)),
            about("notes", Content(str(len(game.blocks)))),
            about("drafts", Content(str(len(game.drafts) or "none yet"))),
        ]

    def against(self, there: DirectGame) -> list[Visual]:
        now = self.session.game
        more, less = noted_only(there, now), noted_only(now, there)
        rows: list[Visual] = [
            about("state", Content(there.session.state)),
            about("drafts", Content(str(len(there.drafts) or "none"))),
        ]
        if not (more or less):
            rows += [Content(""), Content.styled("The notes are the same as now.", ".quiet")]
        for kind in dict.fromkeys((*more, *less)):
            rows += [Content(""), Content.styled(kind, ".quiet")]
            rows += more_and_less(more.get(kind, ()), less.get(kind, ()))
        return rows

    def whereabouts(self, side: DirectSide) -> str:
        return f"prompt {side.turn} · {side.state}"

    def aspects(self, found: DirectComparison) -> Iterator[tuple[Content, list[Visual], list[Visual]]]:
        for kind in dict.fromkeys((*found.a.memory, *found.b.memory)):
            a, b = (marked_lines("·", ".quiet", side.memory.get(kind, ())) for side in (found.a, found.b))
            yield Content.styled(kind.upper(), ".strong"), a, b
        if found.a.drafts or found.b.drafts:
            a, b = (marked_lines("·", ".quiet", _drafts(side)) for side in (found.a, found.b))
            yield Content.styled("DRAFTS", ".strong"), a, b

    def told(self, events: tuple[LogEvent, ...] | None) -> Visual:
        return self.ended if events is None else _told(events, self.session.session.agent_names)


def _drafts(side: DirectSide) -> Iterator[str]:
    for draft in side.drafts:
        yield f"{counted(words(draft.chapter_text), 'word')}: {one_line(draft.chapter_text, 200)}"


def _told(events: tuple[LogEvent, ...], cast: dict[int, str]) -> Visual:
    """Draw prompts with their replies."""
    turns = map(as_turn, exchanges(events))
    return Stack(*block_rows(block for turn in turns for block in exchange_blocks(turn, cast)))
