"""What a player changes in a story by hand: who is on stage, pins, memories and the text of past turns (S3, S4)."""

from __future__ import annotations

from collections.abc import Callable

from theact_tui.engine.events import Edited, PresenceChanged
from theact_tui.engine.work import Work
from theact_tui.errors import UsageError
from theact_tui.story.changes import with_memory, with_turn
from theact_tui.story.edits import hold, memory_of, pin_line, pin_moment, with_entry_text
from theact_tui.story.game import Game
from theact_tui.story.memory import CellsMemory, FactsMemory


class ByHand:
    """The part of a session that makes these changes. Presence and pins are committed with the next turn, or on leaving;
    an edit is a commit of its own."""

    _work: Work

    async def bring(self, *characters: str) -> None:
        """Bring characters on stage, against whatever the narrator says, until a new chapter."""
        await self._hold(characters, here=True)

    async def send_away(self, *characters: str) -> None:
        """Send characters away; they neither witness nor answer until they are brought back."""
        await self._hold(characters, here=False)

    async def _hold(self, characters: tuple[str, ...], *, here: bool) -> None:
        work = self._work
        names = ", ".join(work.game.pack.name_of(name) for name in characters)
        await self._change(
            lambda game: hold(game, characters, here=here), f"{names} {'brought in' if here else 'sent away'}"
        )
        work.bus.publish(PresenceChanged(present=work.game.state.present))

    async def pin(self, character: str, line: int, *, pinned: bool = True) -> None:
        """Pin or unpin a remembered line, by its place in the stored memory, from 0."""
        name = self._work.game.pack.name_of(character)
        what = f"{'pinned' if pinned else 'unpinned'} a memory of {name}"
        await self._change(lambda game: pin_line(game, character, line, pinned=pinned), what)

    async def pin_moment(self, moment: int, *, pinned: bool = True) -> None:
        """Pin or unpin a moment, by its place in the list, from 0."""
        what = f"{'pinned' if pinned else 'unpinned'} a moment"
        await self._change(lambda game: pin_moment(game, moment, pinned=pinned), what)

    async def edit_memory(self, character: str, memory: FactsMemory | CellsMemory) -> None:
        """Replace a character's memory by hand."""
        game = self._work.game
        memory_of(game, character)
        what = f"memory of {game.pack.name_of(character)}"
        await self._change(lambda game: with_memory(game, character, memory), what)
        await self._work.keep()

    async def edit_entry(self, number: int, entry: int, text: str) -> None:
        """Replace the text of an entry of a past turn, by its place in `Turn.entries`."""
        work = self._work
        what = f"turn {number}"
        async with work.still():
            found = await work.run(work.save.turns, number, number)
            if not found:
                raise UsageError(f"There is no turn {number}.")
            turn = with_entry_text(found[0], entry, text)
            work.become(with_turn(work.game, turn) if number in work.game.turns else work.game, what)
            await work.keep(turn)
        work.bus.publish(Edited(what=what))

    async def _change(self, edit: Callable[[Game], Game], what: str) -> None:
        work = self._work
        async with work.still():
            work.become(edit(work.game), what)
        work.bus.publish(Edited(what=what))
