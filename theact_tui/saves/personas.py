import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from theact_tui import yaml
from theact_tui.errors import SaveError, UsageError
from theact_tui.paths import write_private
from theact_tui.sentences import clip
from theact_tui.story.names import forms
from theact_tui.story.pack import PlayerInfo
from theact_tui.text import clean, described_as, is_pronoun, one_line

MAX_DESCRIPTION = 500
"""Characters; the description is in every prompt."""
_MAX_NAME = 40


def checked_hero(answer: str) -> tuple[str, str]:
    """Split `Name: description`; both are empty for an empty answer. Raises UsageError for a bad name or a long
    description.
    """
    name, _, about = described_as(answer)
    name, about = one_line(name, 500), clean(about).strip()
    if is_pronoun(name):
        raise UsageError(f"'{name}' would be misread in prompts. Give your character a name.")
    if len(name) > _MAX_NAME or re.search(r"[?!…\"“”„«»;]|\w{4}\.$", name):
        raise UsageError(f"'{one_line(name, 30)}' is not a name. Enter only what your character is called.")
    if len(about) > MAX_DESCRIPTION:
        raise UsageError(f"Too long: a description may have {MAX_DESCRIPTION} characters.")
    return name, about


def refuse_cast_name(name: str, cast: Iterable[str]) -> None:
    same = (other for other in cast if name.casefold() in map(str.casefold, forms(other)))
    if other := next(same, ""):
        raise UsageError(f"{one_line(other, 40)} is one of the characters. Choose another name.")


@dataclass(frozen=True, slots=True)
class Personas:
    file: Path

    def all(self) -> dict[str, str]:
        lines = (self._read() or {}).items()
        return {one_line(name, 60): clean(text) for name, text in lines if isinstance(text, str)}

    def _read(self) -> dict[str, yaml.Data] | None:
        try:
            content = yaml.load(self.file.read_bytes(), self.file.name) or {}
        except FileNotFoundError:
            return {}
        except (OSError, SaveError):
            return None
        return content if isinstance(content, dict) else None

    def chosen(self, answer: str, cast: Iterable[str] = ()) -> PlayerInfo:
        """Return the player for `Name` or `Name: description`; store new descriptions. The name is empty for an
        empty answer. Raises UsageError for a bad name or one of the cast.
        """
        personas = {name.casefold(): (name, text) for name, text in self.all().items()}
        listed = one_line(answer)
        name, about = (listed, "") if listed.casefold() in personas else checked_hero(answer)
        refuse_cast_name(name, cast)
        if not (about and name):
            name, about = personas.get(name.casefold(), (name, ""))
        else:
            self.keep(name, about)
        return PlayerInfo(name=name, description=about)

    def keep(self, name: str, about: str) -> None:
        """Add or change a persona, unless the file is unreadable. Raises UsageError."""
        if self._read() is not None:
            self._write({**self.all(), name: clip(about, MAX_DESCRIPTION)})

    def change(self, former: str, answer: str) -> None:
        """Raises UsageError."""
        name, about = checked_hero(answer)
        if not (name and about):
            raise UsageError("Write a name and a description, as in “Mara: a tired diver”.")
        if self._read() is None:
            raise UsageError(f"{self.file} cannot be read. Repair it first.")
        renamed = {name if persona == former else persona: text for persona, text in self.all().items()}
        self._write(renamed | {name: about})

    def drop(self, name: str) -> None:
        self._write({persona: text for persona, text in self.all().items() if persona != name})

    def _write(self, personas: Mapping[str, str]) -> None:
        others = {key: value for key, value in (self._read() or {}).items() if not isinstance(value, str)}
        try:
            write_private(self.file, yaml.dump({**others, **personas}).decode())
        except OSError as error:
            raise UsageError(f"Cannot write {self.file}: {error.strerror}.") from error
