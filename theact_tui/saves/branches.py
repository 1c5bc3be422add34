"""Branches of a save, and titles of branches and saves."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from theact_tui import yaml
from theact_tui.errors import SaveError, UsageError
from theact_tui.saves.codec import StoryProgress, read_info
from theact_tui.saves.direct_codec import codec_of
from theact_tui.saves.git_objects import UNDONE, head_ref, is_id
from theact_tui.saves.history import Timeline
from theact_tui.story.game import SaveInfo
from theact_tui.story.value import Value
from theact_tui.text import flat, one_line, slug

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

_MAX_TITLE = 120
NAMES = "refs/theact/names"


class BranchNames(Value):
    """Titles that differ from `save.yaml` or the name of a ref."""

    title: str = ""
    id: str = ""
    branches: dict[str, str] = {}

    def of(self, info: SaveInfo) -> SaveInfo:
        titled = {"title": self.title, "id": self.id}
        return info.model_copy(update={key: value for key, value in titled.items() if value})


def names_of(repository: Repository) -> BranchNames:
    id = repository.ref(NAMES)
    with suppress(SaveError, ValueError):
        if id:
            return BranchNames.model_validate(yaml.load(repository.blob(id), "the list of names"))
    return BranchNames()


def give_names(repository: Repository, names: BranchNames) -> None:
    repository.put(NAMES, repository.add_blob(yaml.dump(names.model_dump())))


def checked_title(title: str, kind: str) -> str:
    """Return `title` on one line. Raises UsageError."""
    plain = flat(title)
    if not plain:
        raise UsageError(f"A {kind} needs a name.")
    if len(plain) > _MAX_TITLE:
        raise UsageError(
            f"The name of a {kind} has at most {_MAX_TITLE} characters; this one has {len(plain)}."
        )
    return plain


def free_name(title: str, taken: Collection[str], kind: str) -> str:
    """Make a name from `title`, or a number without plain letters. Raises UsageError if taken."""
    name = slug(title, fallback="")
    if name and name not in taken:
        return name
    if name:
        raise UsageError(f"There is already a {kind} '{name}'. Choose another name.")
    return numbered(kind, taken)


def numbered(name: str, taken: Collection[str]) -> str:
    numbers = (f"{name}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in numbers if name not in taken)


_TRASH = "refs/theact/trash/"


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchInfo:
    name: str
    title: str
    current: bool
    commit: str
    turn: int = 0
    chapter: str = ""
    line: str = ""
    at: str = ""
    """ISO 8601, UTC."""
    broken: str = ""


class Branches:
    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._repository = timeline.repository

    def names(self) -> list[str]:
        return sorted(self._repository.refs("refs/heads/"))

    def find(self, name: str) -> str:
        """Return the branch with this name or title. Raises UsageError."""
        names, titles = self.names(), self._titles()
        for candidate in (name, slug(name, fallback="")):
            if candidate in names:
                return candidate
        titled = [
            branch
            for branch, title in titles.items()
            if title.casefold() == name.casefold() and branch in names
        ]
        if titled:
            return titled[0]
        raise UsageError(f"There is no branch '{one_line(name)}'. Branches: {', '.join(names)}.")

    def title(self, name: str) -> str:
        """Return a branch's title; other text unchanged."""
        titles = self._titles()
        return one_line(titles.get(name) or titles.get(slug(name, fallback=""), name), 80)

    def tip(self, name: str | None) -> str:
        """Return the newest commit of a branch (None: the current one); an id of a commit unchanged."""
        if name is None or name == self._timeline.branch:
            return self._timeline.head
        if is_id(name) and name not in self.names() and self._repository.has(name):
            return name
        tip = self._repository.ref(head_ref(self.find(name)))
        if tip is None:
            raise SaveError(f"Branch '{name}' has no readable commit.")
        return tip

    def all(self) -> tuple[BranchInfo, ...]:
        titles = self._titles()
        infos = [self._info(name, titles.get(name, name), self.tip(name)) for name in self.names()]
        return tuple(sorted(infos, key=lambda info: (info.current, info.at), reverse=True))

    def create(self, title: str, commit: str) -> str:
        """Raises UsageError if the name is taken."""
        title = checked_title(title, "branch")
        name = free_name(title, self.names(), "branch")
        self._timeline.history.turn(commit)  # it is a commit of a story, or SaveDamaged
        self._repository.drop(UNDONE + name)
        if not self._repository.move(head_ref(name), commit, None):
            raise SaveError("Another program changed this save. Reopen it to continue.")
        self._name(name, title)
        return name

    def switch(self, name: str) -> None:
        name = self.find(name)
        tip = self.tip(name)
        self._repository.set_head(name)
        self._timeline.branch, self._timeline.head = name, tip

    def rename(self, old: str, title: str) -> str:
        old = self.find(old)
        title = checked_title(title, "branch")
        others = [name for name in self.names() if name != old]
        name = free_name(title, others, "branch")
        if name != old:
            tip = self.tip(old)
            self._repository.move(head_ref(name), tip, None)
            undone = self._repository.ref(UNDONE + old)
            if undone:
                self._repository.put(UNDONE + name, undone)
            if old == self._timeline.branch:
                self._repository.set_head(name)
                self._timeline.branch = name
            self._repository.drop(head_ref(old))
            self._repository.drop(UNDONE + old)
        self._name(old, None)
        self._name(name, title)
        return name

    def delete(self, name: str) -> None:
        """Delete a branch until `restore`. Raises UsageError for the current branch."""
        name = self.find(name)
        if name == self._timeline.branch:
            raise UsageError(f"'{name}' is the current branch. Switch to another one first.")
        deleted = self._repository.refs(_TRASH)
        trash_name = numbered(name, {*deleted, *self.names()}) if name in deleted else name
        self._repository.put(_TRASH + trash_name, self.tip(name))
        if trash_name != name:
            self._name(
                trash_name, self._titles().get(name, name) + trash_name.removeprefix(name).replace("-", " ")
            )
        self._repository.drop(head_ref(name))
        self._repository.drop(UNDONE + name)

    def deleted(self) -> tuple[BranchInfo, ...]:
        titles, deleted = self._titles(), sorted(self._repository.refs(_TRASH).items())
        return tuple(self._info(name, titles.get(name, name), tip) for name, tip in deleted)

    def restore(self, name: str) -> str:
        """Raises UsageError if there is no such deleted branch."""
        deleted = self._repository.refs(_TRASH)
        trash_name = name if name in deleted else slug(name)
        if trash_name not in deleted:
            raise UsageError(f"There is no deleted branch '{one_line(name)}'.")
        restored = self.create(self._titles().get(trash_name, name), deleted[trash_name])
        self._repository.drop(_TRASH + trash_name)
        return restored

    def _info(self, name: str, title: str, commit: str) -> BranchInfo:
        info = BranchInfo(name=name, title=title, current=name == self._timeline.branch, commit=commit)
        try:
            turn = self._timeline.history.turn(commit)
            reached, at = progress_at(self._timeline, commit)
        except SaveError as error:
            return replace(info, broken=error.message)
        return replace(info, turn=turn, chapter=reached.chapter, line=reached.line, at=at)

    def _titles(self) -> dict[str, str]:
        return names_of(self._repository).branches

    def _name(self, name: str, title: str | None) -> None:
        names = names_of(self._repository)
        titles = {branch: old for branch, old in names.branches.items() if branch != name}
        if title and title != name:
            titles[name] = title
        if titles != names.branches:
            give_names(self._repository, names.model_copy(update={"branches": titles}))


def progress_at(timeline: Timeline, commit: str) -> tuple[StoryProgress, str]:
    """Return how far the story is at a commit, and the time of its last turn or edit."""
    version = timeline.version_of(commit)
    current = codec_of(read_info(version)).progress(version)
    if not current.line:
        message = timeline.history.turn_commit(commit).message
        current = replace(current, line=message.split("\n")[0].partition(": ")[2])
    return current, datetime.fromtimestamp(timeline.history.before_renames(commit).at, UTC).isoformat()
