"""What the tree of branches asks before it acts, and how it goes to a turn."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from theact_tui.saves.graph import Node
from theact_tui.text import one_line
from theact_tui.tui.screens.exporting import formats
from theact_tui.tui.screens.picking import Choice, Entry, Pick, PickRow
from theact_tui.tui.screens.sheets import Ask, Confirm, Field, insist
from theact_tui.tui.storylines import Forest

if TYPE_CHECKING:
    from theact_tui.tui.screens.branches import BranchesScreen


async def go(screen: BranchesScreen) -> bool:
    """Go on with the story from the place under the cursor. False when the player thought better of it."""
    forest, place, session = screen.forest, screen.place, screen.session
    line, node = forest.lines[place.row], forest.node(place)
    if place == forest.here:
        return True
    if place.turn == line.last and line.branch:
        await session.switch(line.branch)
        return True
    if place.turn == node.turn and is_take_of_last(forest, node):
        await session.take(node.take)
        return True
    if line.nodes[-1].is_undone and (line.parent, line.fork) == (forest.here.row, forest.here.turn):
        await session.redo(place.turn - forest.here.turn)
        return True
    return await _go_aside(screen)


def is_take_of_last(forest: Forest, node: Node) -> bool:
    """True if this is another version of the turn at which the story stands."""
    here = forest.node(forest.here)
    before = forest.parents.get(node.commit)
    return bool(node.take) and here.turn == node.turn and before is forest.parents.get(here.commit)


async def _go_aside(screen: BranchesScreen) -> bool:
    """A turn in the middle of things: begin a branch there, or go back to it."""
    forest, place, session = screen.forest, screen.place, screen.session
    behind = forest.here.turn - place.turn
    is_behind = forest.way.get(place.row, -1) >= place.turn
    choices = [Choice("b", "begin a branch here", "and go on with it; all that is there now stays")]
    if is_behind:
        turns = "the last turn" if behind == 1 else f"the last {behind} turns"
        choices.append(Choice("u", f"take back {turns}", "redo brings them again, until you play on"))
    end = forest.lines[place.row]
    if end.branch and not is_behind:
        choices.append(Choice("e", f"go to the end of {screen.name_of(end.branch)}", f"turn {end.last}"))
    answer = await screen.app.push_screen_wait(
        Pick(f"Go to {screen.spot.name}?", "The story has gone on from there.", *choices)
    )
    match answer:
        case "b":
            begun = await name(screen)
            if begun:
                await session.switch(begun)
            return bool(begun)
        case "u":
            await session.undo(behind)
        case "e":
            await session.switch(end.branch)
    return bool(answer)


async def name(screen: BranchesScreen) -> str:
    """Name a branch that begins under the cursor, without going there; its name, or nothing."""
    note = f"It begins at {screen.spot.name}, with all that everyone remembers there."
    ask = Ask("A branch from here", Field("Its name"), note=note, yes="name it")
    return await insist(screen.app, ask, lambda texts: begin(screen, texts[0])) or ""


async def begin(screen: BranchesScreen, title: str) -> str:
    """Make a branch under the cursor; its plain name."""
    session, place = screen.session, screen.place
    if place == screen.forest.here:
        await session.settle()
        return await session.branch_at(title)
    return await session.branch_at(title, place.turn, screen.forest.node(place).tip)


async def rename(screen: BranchesScreen) -> str:
    """Give the branch under the cursor another name; its new plain name, or nothing."""
    branch = screen.branch
    old = screen.name_of(branch)

    async def rename(texts: tuple[str, ...]) -> str:
        return "" if texts[0] == old else await screen.session.rename_branch(branch, texts[0])

    ask = Ask("Rename this branch", Field("New name", old), yes="rename")
    return await insist(screen.app, ask, rename) or ""


async def export(screen: BranchesScreen) -> str:
    """Write the branch under the cursor to a file, which is named; nothing when the player thought better of it."""
    from theact_tui.exports import export_save

    session, branch = screen.session, screen.branch
    format = await screen.app.push_screen_wait(formats(screen.name_of(branch)))
    if not format:
        return ""
    await session.settle()
    return str(await session.run(partial(export_save, session.save, format, branch=branch)))


async def delete(screen: BranchesScreen) -> str:
    """Move the branch under the cursor to the trash, after asking; its title, or nothing."""
    branch = screen.branch
    title = one_line(screen.name_of(branch), 40)
    line = screen.forest.lines[screen.place.row]
    own = max(0, line.last - line.fork)
    turns = (
        "It has no turn of its own." if not own else f"{own} turn{' is' if own == 1 else 's are'} only on it."
    )
    note = f"{turns} It can be brought back from the trash of this story, with everything in it."
    if not await screen.app.push_screen_wait(Confirm(f"Delete the branch {title}?", note, yes="delete")):
        return ""
    await screen.session.run(screen.session.save.delete_branch, branch)
    return title


async def restore(screen: BranchesScreen) -> str:
    """Bring a deleted branch back; its name, or nothing."""
    entries = [Entry(name, Content(one_line(screen.name_of(name), 60))) for name in screen.deleted]
    chosen = await screen.app.push_screen_wait(PickRow("Deleted branches", entries, yes="bring it back"))
    return await screen.session.run(screen.session.save.restore_branch, chosen) if chosen else ""
