"""A save as it can be read, with or without the right to write it (S9)."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.saves import files
from theact_tui.saves.branches import Branches, BranchInfo
from theact_tui.saves.graph import Node, tree_of
from theact_tui.saves.history import LogLine
from theact_tui.saves.journal import journal, unsent_line
from theact_tui.saves.names import names_of
from theact_tui.saves.takes import Takes
from theact_tui.saves.trees import Version
from theact_tui.story.game import Game, SaveInfo
from theact_tui.story.spoken import Spoken, Unsent
from theact_tui.story.turn import Turn
from theact_tui.text import clean

if TYPE_CHECKING:
    from theact_tui.saves.compare import Comparison
    from theact_tui.saves.repository import Repository
    from theact_tui.saves.timeline import Timeline


class Reader:
    """Everything that can be known of a save. A branch may be given by name, by title, or as the id of a commit."""

    def __init__(self, folder: Path, timeline: Timeline) -> None:
        self.folder = folder
        self._timeline = timeline
        self._takes = Takes(timeline)
        self._branches = Branches(timeline)
        self._journal = journal(folder / ".git")
        self._line = unsent_line(folder / ".git")
        self._known: tuple[str, Game] | None = None

    @property
    def repository(self) -> Repository:
        """The objects and refs of the save, for reading."""
        return self._timeline.repository

    @property
    def head(self) -> str:
        """The id of the newest commit."""
        return self._timeline.head

    @property
    def branch(self) -> str:
        """The name of the current branch."""
        return self._timeline.branch

    def title_of(self, branch: str | None = None) -> str:
        """What people call a branch (default: the current one), on one line."""
        return self._branches.title(branch or self.branch)

    @property
    def turn(self) -> int:
        """The number of the last turn."""
        return self._timeline.turn

    @property
    def info(self) -> SaveInfo:
        """`save.yaml`."""
        return self._named(files.read_info(self._timeline.version, files.read_format(self._timeline.version)))

    @property
    def ledger_folder(self) -> Path:
        """Where the calls of this save are recorded, outside the versioned files."""
        return self.folder / ".git" / "theact" / "calls"

    def read(self, path: str, commit: str | None = None) -> bytes | None:
        """A file as of a commit (default: the newest); None if there is none."""
        return self._timeline.version_of(commit or self.head).read(path)

    def names(self, folder: str, commit: str | None = None) -> tuple[str, ...]:
        """The names in a folder as of a commit (default: the newest), sorted."""
        return self._timeline.version_of(commit or self.head).names(folder)

    def load(self) -> Game:
        """The game as of now."""
        game = self._committed()
        return replace(game, info=self._named(game.info))

    def game_at(self, turn: int, branch: str | None = None) -> Game:
        """The game as the last commit of a turn left it. UsageError if there is no such turn."""
        commit = self._timeline.history.at(self._branches.tip(branch), turn)
        game = files.read_game(self._timeline.version_of(commit))
        return replace(game, info=self._named(game.info))

    def turns(self, first: int, last: int, branch: str | None = None) -> tuple[Turn, ...]:
        """The turns from `first` to `last`, those that there are, as they read now."""
        tip = self._branches.tip(branch)
        version = self._timeline.version_of(tip)
        newest = self._timeline.history.turn(tip)
        format = files.read_format(version)
        numbers = range(max(first, 0), min(last, newest) + 1)
        return tuple(
            files.read_turn(version, number, format) for number in numbers if number or _has_created(version)
        )

    def log(self, limit: int | None = None, branch: str | None = None) -> tuple[LogLine, ...]:
        """The commits, newest first."""
        return tuple(islice(self._timeline.history.log(self._branches.tip(branch)), limit))

    def _committed(self) -> Game:
        """The game as the newest commit has it."""
        if self._known is None or self._known[0] != self.head:
            self._known = self.head, files.read_game(self._timeline.version)
        return self._known[1]

    def _named(self, info: SaveInfo) -> SaveInfo:
        return names_of(self._timeline.repository).of(info)

    def journalled(self) -> Spoken | None:
        """The spoken turn that follows the head and was not committed, if there is one."""
        spoken = self._journal.read()
        follows = spoken and (spoken.parent, spoken.branch) == (self.head, self.branch)
        return spoken if follows else None

    def unsent(self) -> Unsent | None:
        """The line that was sent after the last turn, spoken or saved, and not told."""
        line = self._line.read()
        if line is None:
            return None
        spoken = self.journalled()
        last = spoken.turn if spoken else self._committed().last_turn
        is_told = line.again and last is not None and last.player_text == line.text
        follows = (line.branch, line.after) == (self.branch, last.number if last else 0)
        return line.model_copy(update={"text": clean(line.text)}) if follows and not is_told else None

    # --- takes and branches ---

    def redoable(self) -> int:
        """How many turns can be redone."""
        return self._timeline.redoable()

    def takes(self, turn: int | None = None) -> tuple[int, int]:
        """Which take of a turn (default: the last) is current, and how many there are, from 1."""
        return self._takes.count(turn)

    def branches(self) -> tuple[BranchInfo, ...]:
        """All branches, the current one first."""
        return self._branches.all()

    def deleted_branches(self) -> list[str]:
        """The names of deleted branches."""
        return self._branches.deleted()

    def place(self, name: str) -> str:
        """The commit that `name` means: a branch, a turn of this branch, `branch@turn`, `turn#take`, or a commit.
        UsageError if it does not exist."""
        from theact_tui.saves.compare import find

        return find(self._timeline, self._branches, self._takes, name)

    def fork(self, a: str, b: str) -> int:
        """The last turn that the ways to two commits share; -1 if they share none."""
        return self._timeline.history.fork(a, b)

    def compare(self, a: str, b: str, *, limit: int | None = None) -> Comparison:
        """What parts two states of the story, with at most `limit` turns side by side (default: all).

        Each is what `place` takes.
        """
        from theact_tui.saves.compare import compare

        commits = [self.place(name) for name in (a, b)]
        return compare(self._timeline, (a, commits[0]), (b, commits[1]), limit)

    def tree(self) -> Node:
        """The tree of branches and takes, from turn 0."""
        return tree_of(self._timeline, self._branches)


def _has_created(version: Version) -> bool:
    return version.id(files.turn_path(0)) is not None
