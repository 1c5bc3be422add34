"""The tree of a directed chapter (S10): branches and takes, what was prompted, and what is noted down only there."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.content import Content
from textual.visual import Visual

from theact_tui.engine.direct import DirectSession
from theact_tui.engine.direct_compare import noted_only
from theact_tui.engine.direct_store import load
from theact_tui.saves.store import Save
from theact_tui.story.direct.game import DirectGame
from theact_tui.story.direct.log import exchanges
from theact_tui.text import one_line
from theact_tui.tui.screens.branches import BranchesScreen
from theact_tui.tui.screens.branches_page import Spot, about, distance, marked
from theact_tui.tui.screens.branches_preview import Preview
from theact_tui.tui.screens.compare import Point
from theact_tui.tui.screens.direct_compare import DirectCompare, told
from theact_tui.tui.screens.direct_inks import DIRECT_INKS
from theact_tui.tui.screens.shelf import ago
from theact_tui.tui.storylines import Forest, Place
from theact_tui.tui.visuals import Spread, Stack

FIRST_LINE = """\
One line so far. To try another way, go to any prompt and press n, or give the last prompt again in the chapter with F5: \
both ways are kept and drawn here."""
BEGINNING = "The beginning. Nothing had been prompted yet."


class DirectTree(BranchesScreen):
    """The tree of one open chapter."""

    CSS_PATH = ["branches.tcss", "direct.tcss"]
    inks = DIRECT_INKS
    HELP_TITLE: ClassVar[str] = "Branches and takes of a chapter"

    def __init__(self, session: DirectSession) -> None:
        super().__init__(session)
        self.add_class("directed")
        self.chapter = session
        self.preview = ChapterPreview(self)

    @property
    def title_of(self) -> str:
        return self.chapter.name

    def spot_at(self, place: Place) -> Spot:
        return replace(super().spot_at(place), word="prompt")

    def comparison(self, a: Point, b: Point) -> DirectCompare:
        return DirectCompare(self.chapter, a, b)


class ChapterPreview(Preview):
    """The prompt under the cursor."""

    def __init__(self, screen: DirectTree) -> None:
        super().__init__(screen)
        self._tree = screen

    async def game(self, forest: Forest, place: Place) -> DirectGame:
        """The chapter as it is at a place."""
        session = self._tree.chapter
        return await session.run(chapter_at, session.save, f"{forest.node(place).tip}@{place.turn}")

    def pages(self, there: DirectGame) -> tuple[Visual, Visual]:
        """The prompt under the cursor, and how the chapter there differs from the one being directed."""
        tree, now = self._tree, self._tree.chapter.game
        own = tree.name_of(tree.chapter.branch)
        if tree.place == tree.forest.here:
            beside = here_page(now, own, alone=len(tree.forest.lines) == 1)
        else:
            beside = against_page(there, now, f"{own}, prompt {now.session.prompt_index}")
        return prompt_page(
            there, tree.spot, ago(tree.forest.node(tree.place).at, tree.chapter.bus.now())
        ), beside


def chapter_at(save: Save, place: str) -> DirectGame:
    """The chapter as of a place. Call in the save's thread."""
    return load(save, save.place(place))


def prompt_page(game: DirectGame, spot: Spot, when: str) -> Visual:
    """The prompt itself, and what was answered."""
    first = " · ".join(bit for bit in (f"PROMPT {spot.turn}", spot.kind) if bit)
    head = Spread(Content.styled(first, ".strong"), Content.styled(one_line(spot.branch, 40), ".quiet"))
    last = exchanges(game.events)[-1:]
    if not last:
        return Stack(head, Content(""), Content.styled(BEGINNING, ".quiet"))
    below = Spread(Content.styled(game.session.state, ".quiet"), Content.styled(when, ".quiet"))
    return Stack(head, below, Content(""), told(last[0].events, game.session.agent_names))


def here_page(game: DirectGame, branch: str, *, alone: bool) -> Visual:
    """What stands beside the prompt at which one is."""
    blocks, drafts = len(game.blocks), len(game.drafts)
    rows: list[Visual] = [Content.styled("YOU ARE HERE", ".accent"), Content("")]
    rows.append(about("branch", Content.styled(one_line(branch, 60), ".strong")))
    rows.append(about("state", Content(game.session.state)))
    rows.append(about("memory", Content(f"{blocks} block{'' if blocks == 1 else 's'}")))
    rows.append(about("drafts", Content(str(drafts) if drafts else "none yet")))
    if alone:
        rows += [Content(""), Content.styled(FIRST_LINE, ".quiet")]
    return Stack(*rows)


def against_page(there: DirectGame, now: DirectGame, name: str) -> Visual:
    """How the chapter there differs from the one being directed, which is called `name`."""
    more, less = noted_only(there, now), noted_only(now, there)
    rows: list[Visual] = [
        Spread(Content.styled("AGAINST", ".strong"), Content.styled(one_line(name, 40), ".quiet")),
        Content.styled(distance(there.session.prompt_index - now.session.prompt_index, "prompt"), ".quiet"),
        Content(""),
        about("state", Content(there.session.state)),
        about("drafts", Content(str(len(there.drafts)) if there.drafts else "none")),
    ]
    if not (more or less):
        return Stack(*rows, Content(""), Content.styled("What is noted down is the same as now.", ".quiet"))
    for kind in dict.fromkeys((*more, *less)):
        rows += [Content(""), Content.styled(kind, ".quiet")]
        rows += [*marked("+", ".good", more.get(kind, ())), *marked("−", ".bad", less.get(kind, ()))]
    return Stack(*rows)
