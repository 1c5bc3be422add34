"""The cast: who is present, and what each one remembers. Space sends a character away or brings it back."""

from __future__ import annotations

from dataclasses import dataclass

from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.visual import Visual
from textual.widget import Widget

from theact_tui.story.game import Game
from theact_tui.story.memory import CellsMemory, Change, FactsMemory, lines_of
from theact_tui.text import counted, is_pronoun, one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.blocks import INKS, MARKS, Cast, changes_in_short
from theact_tui.tui.play.actions import CAST_ACTIONS
from theact_tui.tui.visuals import ROOMY, SplitLine, Stack, flat, heading, hint, line, plain_text

SHOWN_CHANGES = 3
CHANGE_LENGTH = 110
"""Characters of a changed line before it is cut; a cell is a whole paragraph."""
PINNED = "◆"


@dataclass(slots=True)
class Member:
    """One character as the panel shows it."""

    id: str
    name: str
    voice: int
    present: bool
    memory: FactsMemory | CellsMemory | None
    changes: tuple[Change, ...] = ()
    failed: str = ""
    busy: bool = False


class CastList(Widget, can_focus=True):
    """The characters of the chapter, one row each, with their changes below."""

    DEFAULT_CSS = """
    CastList { height: auto; width: 1fr; margin: 0 1 1 0; }
    """
    BINDINGS = [
        Binding("up", "move(-1)", "up", show=False),
        Binding("down", "move(1)", "down", show=False),
        *bindings(CAST_ACTIONS),
    ]
    at: reactive[int] = reactive(0)
    glowing: reactive[frozenset[str]] = reactive(frozenset[str]())

    @dataclass
    class Toggled(Message):
        """The player wants a character present, or away."""

        character: str
        present: bool

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.player = ""
        """The player's name in the story."""
        self.members: list[Member] = []
        self._unfolded: set[str] = set()

    @property
    def text(self) -> str:
        """All rows, plain."""
        return plain_text(self.render())

    def show(self, game: Game, cast: Cast) -> None:
        """Take over who is in the chapter, who is present and what they remember; marks of this turn stay."""
        self.player = game.info.player.name
        known = {member.id: member for member in self.members}
        ids = [id for id in game.pack.characters if id in game.chapter.characters or id in game.state.present]
        self.members = [
            Member(
                id,
                cast.name(id),
                cast.voice(id),
                id in game.state.present,
                game.memories.get(id),
                known[id].changes if id in known else (),
                known[id].failed if id in known else "",
                known[id].busy if id in known else False,
            )
            for id in ids
        ]
        self._redraw()

    def new_turn(self) -> None:
        """The marks of the last turn go."""
        for member in self.members:
            member.changes, member.failed, member.busy = (), "", False
        self._redraw()

    def remembering(self, character: str) -> None:
        """A character's memory is being written."""
        for member in self._find(character):
            member.busy = True
        self._redraw()

    def settled(self) -> None:
        """The turn is saved: no memory is being written any more."""
        for member in self.members:
            member.busy = False
        self._redraw()

    def remembered(self, character: str, changes: tuple[Change, ...]) -> None:
        """A character's memory was written, with these changes."""
        for member in self._find(character):
            member.busy, member.failed, member.changes = False, "", changes
        self._redraw()

    def failed(self, character: str, reason: str) -> None:
        """A character's memory could not be written; it waits."""
        for member in self._find(character):
            member.busy, member.failed = False, reason
        self._redraw()

    def _find(self, character: str) -> list[Member]:
        return [member for member in self.members if member.id == character]

    def _redraw(self) -> None:
        self.at = max(0, min(self.at, len(self.members) - 1))
        self.refresh(layout=True)

    def action_move(self, step: int) -> None:
        if self.members:
            self.at = (self.at + step) % len(self.members)

    def action_presence(self) -> None:
        if self.members:
            member = self.members[self.at]
            self.post_message(self.Toggled(member.id, not member.present))

    def action_unfold(self) -> None:
        if self.members:
            self._unfolded ^= {self.members[self.at].id}
            self.refresh(layout=True)

    def watch_has_focus(self, _had_focus: bool) -> None:
        self.refresh()

    def render(self) -> Visual:
        rows: list[Visual] = [heading("CAST", "● here  ○ away")]
        if self.player:
            you = "You" if is_pronoun(self.player) else self.player
            rows.append(
                SplitLine(
                    Content.assemble(("› ", ".accent"), (one_line(you, 60), ".strong")),
                    Content.styled("" if you == "You" else "you", ".faint"),
                )
            )
        if not self.members:
            rows.append(hint("Nobody yet."))
        for place, member in enumerate(self.members):
            rows.append(self._row(member, here=self.has_focus and place == self.at))
            glow = member.id in self.glowing
            if place and self._is_open(self.members[place - 1]):
                rows.insert(-1, Content(""))
            rows.extend(
                memory_rows(member, glow=glow) if self._is_open(member) else change_rows(member, glow=glow)
            )
        return Stack(*rows)

    def _row(self, member: Member, *, here: bool) -> Visual:
        dot = ("●" if member.present else "○", ".accent" if here else ".quiet")
        name = Content.styled(member.name, f".voice-{member.voice}" if member.present else ".quiet")
        if here:
            name = name.stylize("underline on $glow")
        return SplitLine(Content.assemble(dot, " ", name), Content.styled(state_of(member), ".faint"))

    def _is_open(self, member: Member) -> bool:
        """Where there is room everything is unfolded until the player folds it."""
        return (member.id in self._unfolded) != (self.size.width >= ROOMY)


def state_of(member: Member) -> str:
    """What stands at the end of a character's row: what it does, how much it remembers, how that changed."""
    if member.busy:
        return "updating…"
    if member.memory is None or not (count := len(lines_of(member.memory))):
        if member.memory and member.memory.summary:
            return "summary only"
        return "new here" if member.present else "not here yet"
    names = ("fact", "facts") if isinstance(member.memory, FactsMemory) else ("memory", "memories")
    return f"{counted(count, *names)} {changes_in_short(member.changes)}".rstrip()


def change_rows(member: Member, *, glow: bool) -> list[Visual]:
    """The lines of this turn that came, changed or went."""
    rows = [_change_row(change, glow) for change in member.changes[:SHOWN_CHANGES]]
    if len(member.changes) > SHOWN_CHANGES:
        rows.append(hint(f"    and {len(member.changes) - SHOWN_CHANGES} more"))
    return [*rows, *_trouble_rows(member)]


def memory_rows(member: Member, *, glow: bool) -> list[Visual]:
    """All that a character remembers: summary, then its lines with the turn each came from; what changed is marked."""
    memory = member.memory
    if memory is None or not (memory.summary or lines_of(memory)):
        return [line(" ", "", "No memories yet. They start with the first turn here.", ".quiet")]
    kinds = {flat(change.text): change.kind for change in member.changes if change.kind != "removed"}
    rows: list[Visual] = []
    if memory.summary:
        rows += [line(" ", "", memory.summary, ".quiet"), Content("")]
    for entry in lines_of(memory):
        text = flat(entry.text)
        if text:
            mark = MARKS[kinds[text]] if text in kinds else PINNED if entry.pinned else " "
            ink = ".glow" if glow and text in kinds else ".strong" if text in kinds else ""
            rows.append(line(f"{mark}{entry.turn:>3}", ".good" if text in kinds else ".faint", text, ink))
    gone = [_change_row(change, glow) for change in member.changes if change.kind == "removed"]
    return [*rows, *gone, *_trouble_rows(member)]


def _change_row(change: Change, glow: bool) -> Visual:
    ink = ".glow" if glow else ".faint" if change.kind == "removed" else ".quiet"
    return line(f"  {MARKS[change.kind]}", INKS[change.kind], one_line(change.text, CHANGE_LENGTH), ink)


def _trouble_rows(member: Member) -> list[Visual]:
    return [line("  !", ".warn", f"not updated yet: {member.failed}", ".quiet")] if member.failed else []
