"""The branches of a save (S9). Each has a plain name, which is its ref, and may have a title as it was typed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from theact_tui.errors import SaveError, UsageError
from theact_tui.saves import files
from theact_tui.saves.names import checked_title, free_name, give_names, names_of
from theact_tui.saves.objects import UNDONE, head_ref, is_id
from theact_tui.saves.timeline import Timeline
from theact_tui.story.direct.records import Session
from theact_tui.story.pack import Chapter
from theact_tui.text import one_line, slug

TRASH = "refs/theact/trash/"


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchInfo:
    """A branch as a list shows it."""

    name: str
    title: str
    current: bool
    commit: str
    turn: int
    chapter: str = ""
    """Title of the chapter it is in."""
    line: str = ""
    """The last thing told."""
    at: str = ""
    """When that was, or was changed; ISO 8601, UTC."""
    broken: str = ""


class Branches:
    """The branches beside the current one of a timeline."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._repository = timeline.repository

    def names(self) -> list[str]:
        """The names of all branches, sorted."""
        return sorted(self._repository.refs("refs/heads/"))

    def find(self, name: str) -> str:
        """The branch of this name or title, in any case. UsageError if there is none."""
        names, titles = self.names(), self._titles()
        for candidate in (name, slug(name, fallback="")):
            if candidate in names:
                return candidate
        titled = [
            known for known, title in titles.items() if title.casefold() == name.casefold() and known in names
        ]
        if titled:
            return titled[0]
        raise UsageError(f"There is no branch '{one_line(name)}'. Branches: {', '.join(names)}.")

    def title(self, name: str) -> str:
        """What people call the branch of this name or title; anything else is called as it is."""
        titles = self._titles()
        return one_line(titles.get(name) or titles.get(slug(name, fallback=""), name), 80)

    def tip(self, name: str | None) -> str:
        """The newest commit of a branch (None: of the current one). A commit's own id means that commit."""
        if name is None or name == self._timeline.branch:
            return self._timeline.head
        if is_id(name) and name not in self.names() and self._repository.has(name):
            return name
        tip = self._repository.ref(head_ref(self.find(name)))
        if tip is None:
            raise SaveError(f"Branch '{name}' has no commit that can be read.")
        return tip

    def all(self) -> tuple[BranchInfo, ...]:
        """All branches, the current one first, then by time."""
        titles = self._titles()
        infos = [self._info(name, titles.get(name, name)) for name in self.names()]
        return tuple(
            sorted(sorted(infos, key=lambda info: info.at, reverse=True), key=lambda info: not info.current)
        )

    def create(self, title: str, commit: str) -> str:
        """A new branch at a commit; its name. UsageError if there is one of that name."""
        title = checked_title(title, "branch")
        name = free_name(title, self.names(), "branch")
        self._repository.drop(UNDONE + name)
        if not self._repository.move(head_ref(name), commit, None):
            raise SaveError("Another program has changed this save. Open it again to go on from there.")
        self._name(name, title)
        return name

    def switch(self, name: str) -> None:
        """Make a branch the current one."""
        name = self.find(name)
        tip = self.tip(name)
        self._repository.set_head(name)
        self._timeline.branch, self._timeline.head = name, tip

    def rename(self, old: str, title: str) -> str:
        """Give a branch another name; its new name."""
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
        """Take a branch away; `restore` brings it back. UsageError for the current one."""
        name = self.find(name)
        if name == self._timeline.branch:
            raise UsageError(f"'{name}' is the current branch. Switch to another one first.")
        self._repository.put(TRASH + name, self.tip(name))
        self._repository.drop(head_ref(name))
        self._repository.drop(UNDONE + name)

    def deleted(self) -> list[str]:
        """The names of deleted branches that can be restored."""
        return sorted(self._repository.refs(TRASH))

    def restore(self, name: str) -> str:
        """Bring a deleted branch back; its name. UsageError if it was not deleted or its name is taken again."""
        tip = self._repository.ref(TRASH + slug(name))
        if tip is None:
            raise UsageError(f"There is no deleted branch '{one_line(name)}'.")
        made = self.create(self._titles().get(slug(name), name), tip)
        self._repository.drop(TRASH + slug(name))
        return made

    def _info(self, name: str, title: str) -> BranchInfo:
        commit = self.tip(name)
        current = name == self._timeline.branch
        try:
            turn = self._timeline.history.turn(commit)
            told = describe(self._timeline, commit)
        except SaveError as error:
            return BranchInfo(
                name=name, title=title, current=current, commit=commit, turn=0, broken=error.message
            )
        return BranchInfo(
            name=name,
            title=title,
            current=current,
            commit=commit,
            turn=turn,
            chapter=told.chapter,
            line=told.line,
            at=told.at,
        )

    def _titles(self) -> dict[str, str]:
        return names_of(self._repository).branches

    def _name(self, name: str, title: str | None) -> None:
        names = names_of(self._repository)
        titles = {known: old for known, old in names.branches.items() if known != name}
        if title and title != name:
            titles[name] = title
        if titles != names.branches:
            give_names(self._repository, names.model_copy(update={"branches": titles}))


@dataclass(frozen=True, slots=True)
class Told:
    """How far a story or a chapter has come."""

    chapter: str
    """Title of the chapter it is in."""
    line: str
    """The last thing told."""
    at: str
    """When that was, or was changed; ISO 8601, UTC. That it was named does not count."""
    finished: bool


def describe(timeline: Timeline, commit: str) -> Told:
    """How far it has come at a commit."""
    version = timeline.version_of(commit)
    format = files.read_format(version)
    made = timeline.history.turn_commit(commit)
    chapter, line = "", made.message.split("\n")[0].partition(": ")[2]
    if files.read_info(version, format).mode == "play":
        state = files.read_state(version, format)
        path = f"pack/chapters/{state.chapter}.yaml"
        chapter = files.parse(path, version.need(path), Chapter, format).title
        told = files.read_turn(version, state.turn, format).told if state.turn else ()
        line = one_line(told[-1].text, 200) if told else line
        finished = state.game_complete
    else:
        session = version.read("session.yaml")
        finished = session is not None and files.parse("session.yaml", session, Session).state == "ENDED"
    at = datetime.fromtimestamp(timeline.history.told(commit).at, UTC).isoformat()
    return Told(chapter, line, at, finished)
