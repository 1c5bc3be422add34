"""Whom the player likes to be: names and descriptions, kept for the next story in `personas.yaml` of the home folder.

People may edit the file; one that cannot be read counts as empty and is left alone.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from theact_tui import yaml
from theact_tui.errors import SaveError, UsageError
from theact_tui.paths import write_private
from theact_tui.sentences import clip
from theact_tui.story.pack import PlayerInfo
from theact_tui.text import clean, described_as, is_pronoun, one_line

MAX_DESCRIPTION = 500
"""Characters of a description; it stands in every prompt."""
MAX_NAME = 40
"""Characters of a name."""


def checked_hero(answer: str) -> tuple[str, str]:
    """The name and the description in `Name` or `Name: who that is`, both of them empty for an empty answer.

    Raises UsageError for a sentence or a pronoun in the place of a name, and for a description that is too long.
    """
    name, _, about = described_as(answer)
    name, about = one_line(name, 500), clean(about).strip()
    if is_pronoun(name):
        raise UsageError(f"'{name}' would be misread in prompts. Give your character a name.")
    if len(name) > MAX_NAME or re.search(r"[?!…\"“”„«»;]|\w{4}\.$", name):
        raise UsageError(f"'{one_line(name, 30)}' is not a name. Enter only what your character is called.")
    if len(about) > MAX_DESCRIPTION:
        raise UsageError(f"Too long: a description may have {MAX_DESCRIPTION} characters.")
    return name, about


@dataclass(frozen=True, slots=True)
class Personas:
    """The list in `file`; a missing one is empty."""

    file: Path

    def all(self) -> dict[str, str]:
        """Descriptions by name, in the order in which they were kept."""
        lines = (self._read() or {}).items()
        return {one_line(name, 60): clean(text) for name, text in lines if isinstance(text, str)}

    def _read(self) -> dict[str, yaml.Data] | None:
        """What the file holds; None where it cannot be read."""
        try:
            content = yaml.load(self.file.read_bytes(), self.file.name) or {}
        except FileNotFoundError:
            return {}
        except (OSError, SaveError):
            return None
        return content if isinstance(content, dict) else None

    def chosen(self, answer: str) -> PlayerInfo:
        """Who is meant by `Name`, one of the list or not, or by `Name: who that is`, which is kept in a file that can be
        read.

        The name is empty for an empty answer. Raises UsageError for what `checked_hero` refuses, if it is not listed.
        """
        personas = {name.casefold(): (name, text) for name, text in self.all().items()}
        listed = one_line(answer)
        name, about = (listed, "") if listed.casefold() in personas else checked_hero(answer)
        if not (about and name):
            name, about = personas.get(name.casefold(), (name, ""))
        else:
            self.keep(name, about)
        return PlayerInfo(name=name, description=about)

    def keep(self, name: str, about: str) -> None:
        """Add somebody, or change what is said of them; a long description ends with a sentence. A file that cannot be
        read stays as it is. Raises UsageError where it cannot be written."""
        if self._read() is not None:
            self._write({**self.all(), name: clip(about, MAX_DESCRIPTION)})

    def change(self, former: str, answer: str) -> None:
        """Keep `Name: who that is` in the place of the `former` one. Raises UsageError for what is no such text, and for a
        file that cannot be read or written."""
        name, about = checked_hero(answer)
        if not (name and about):
            raise UsageError("Write a name and who that is, as in “Mara: a tired diver”.")
        if self._read() is None:
            raise UsageError(f"{self.file} cannot be read. Repair it first.")
        renamed = {name if persona == former else persona: text for persona, text in self.all().items()}
        self._write(renamed | {name: about})

    def drop(self, name: str) -> None:
        """Remove the one of this name. Raises UsageError for a file that cannot be written."""
        self._write({persona: text for persona, text in self.all().items() if persona != name})

    def _write(self, personas: Mapping[str, str]) -> None:
        others = {key: value for key, value in (self._read() or {}).items() if not isinstance(value, str)}
        try:
            write_private(self.file, yaml.dump({**others, **personas}).decode())
        except OSError as error:
            raise UsageError(f"Cannot write {self.file}: {error.strerror}.") from error
