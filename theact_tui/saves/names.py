"""Titles as people type them, and the plain names of folders and branches made from them (S13).

The titles of a save and of its branches belong to no turn: undoing a turn undoes no renaming. So they are kept in a
small file of their own, which the ref `refs/theact/names` holds and every copy of the save takes along.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from theact_tui.errors import SaveError, UsageError
from theact_tui.saves import yaml
from theact_tui.story.base import Value
from theact_tui.story.game import SaveInfo
from theact_tui.text import clean, slug

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

MAX_TITLE = 120
"""Characters."""
NAMES = "refs/theact/names"


class Names(Value):
    """What a save and its branches are called, where that is not in `save.yaml` or the name of a ref."""

    title: str = ""
    id: str = ""
    branches: dict[str, str] = {}
    """Titles by plain name."""

    def of(self, info: SaveInfo) -> SaveInfo:
        """`info` under the name the save has now."""
        given = {"title": self.title, "id": self.id}
        return info.model_copy(update={key: value for key, value in given.items() if value})


def names_of(repository: Repository) -> Names:
    """The names given in a repository; none where they cannot be read."""
    id = repository.ref(NAMES)
    if id is None:
        return Names()
    try:
        return Names.model_validate(yaml.load(repository.blob(id), "the list of names"))
    except (SaveError, ValueError):
        return Names()


def give_names(repository: Repository, names: Names) -> None:
    """Keep names; one step that happened or did not."""
    repository.put(NAMES, repository.add_blob(yaml.dump(names.model_dump())))


def checked_title(title: str, what: str) -> str:
    """`title` as it may be used, on one line. UsageError if it is blank or too long."""
    plain = " ".join(clean(title).split())
    if not plain:
        raise UsageError(f"A {what} needs a name.")
    if len(plain) > MAX_TITLE:
        raise UsageError(
            f"The name of a {what} has at most {MAX_TITLE} characters; this one has {len(plain)}."
        )
    return plain


def free_name(title: str, taken: Collection[str], what: str) -> str:
    """A name made from `title`. UsageError if it is taken; titles without any plain letter are numbered instead."""
    name = slug(title, fallback="")
    if name and name not in taken:
        return name
    if name:
        raise UsageError(f"There is already a {what} '{name}'. Choose another name.")
    return numbered(what, taken)


def numbered(name: str, taken: Collection[str]) -> str:
    """`name` with the first number that makes it free."""
    numbers = (f"{name}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in numbers if name not in taken)
