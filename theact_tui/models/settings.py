"""User settings: `config.toml`, validated when read, comments kept when written."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import tomlkit
from pydantic import BeforeValidator, Field, ValidationError
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table

from theact_tui.errors import UsageError
from theact_tui.field_errors import field_message
from theact_tui.models.profiles import Override, Profile
from theact_tui.models.sampling import SettingsPart
from theact_tui.paths import write_private
from theact_tui.story.folding import FOLD_BATCH
from theact_tui.story.lore import LORE_SHARE
from theact_tui.text import dotted


def _named(keys: object) -> object:
    return dotted(keys) if isinstance(keys, Mapping) else keys


class Ui(SettingsPart):
    """How the app looks and behaves."""

    theme: str = ""
    """Name of the colour theme; empty is the app's own."""
    pace: float = Field(20.0, ge=0, le=1000, title="reading pace")
    """Words per second at which the offline storyteller speaks; 0 lets it say everything at once."""
    animations: bool = True
    """Whether panels slide and highlights fade; turn off on slow lines."""
    cursor_blink: bool = Field(True, title="blinking cursor")
    """Whether the cursor of input boxes blinks."""
    reasoning: bool = Field(False, title="model reasoning")
    """Whether a model's thoughts are shown, dimmed."""
    show_beats: bool = Field(False, title="beats to come")
    """Whether the panel names the beats of a chapter that are still to come; for authors, since it tells the plot."""
    keys: Annotated[dict[str, str], BeforeValidator(_named)] = Field(default_factory=dict)
    """Your own keys, by the id of an action, such as `play.retry = "^r"`."""


class Settings(SettingsPart):
    """Everything in `config.toml`."""

    profile: str = ""
    """The profile in use; `offline` is the storyteller; empty takes the only profile there is."""
    profiles: dict[str, Profile] = Field(default_factory=dict)
    """Ways to reach a model, by name."""
    agents: dict[str, Override] = Field(default_factory=dict)
    """Overrides for individual agents (`narrator`, `memory`, `actor:2`)."""
    allowed_hosts: tuple[str, ...] = ()
    """Remote servers the user agreed to send stories to."""
    lore_share: float = Field(LORE_SHARE, ge=0, le=0.5)
    """The share of a model's context window that lore may take."""
    summary_threshold: int | None = Field(None, ge=200, le=1_000_000)
    """When the turns kept word for word exceed this many tokens, the oldest are summarised; empty: 60% of what the
    narrator's prompt may hold, at most 4,500, and 1,500 where the server keeps no prompt. A pack can set its own value.
    """
    fold_batch: int = Field(FOLD_BATCH, ge=1, le=50)
    """Turns that must have gathered before they are folded; a pack may say its own."""
    ui: Ui = Ui()
    """How the app looks and behaves."""


class SettingsFile:
    """`config.toml` at a path; a missing file holds the defaults."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Settings:
        """Raises UsageError with line or field."""
        return self._checked(self._document())

    def unknown(self) -> list[str]:
        """List unknown keys. Raises UsageError."""
        document = self._document()
        return list(_unknown(document.unwrap(), self._checked(document).model_dump()))

    def set(self, changes: Mapping[tuple[str, ...], Any]) -> Settings:
        """Set each path of keys, or remove it for None. For a bad value raises UsageError and writes nothing."""
        document = self._document()
        for path, value in changes.items():
            _set(document, path, value)
        settings = self._checked(document)
        try:
            write_private(Path(os.path.realpath(self.path)), tomlkit.dumps(document))
        except OSError as error:
            raise UsageError(f"Cannot write {self.path}: {error.strerror}.") from error
        return settings

    def allow(self, host: str) -> Settings:
        allowed = self.read().allowed_hosts
        return self.read() if host in allowed else self.set({("allowed_hosts",): [*allowed, host]})

    def _document(self) -> tomlkit.TOMLDocument:
        try:
            text = self.path.read_text("utf-8-sig")  # Notepad and PowerShell put a byte order mark
            try:
                return tomlkit.parse(text)
            except TOMLKitError:
                tomllib.loads(text)  # it says better than tomlkit what is wrong
                raise
        except FileNotFoundError:
            return tomlkit.document()
        except OSError as error:
            raise UsageError(f"Cannot read {self.path}: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise UsageError(f"{self.path} is not UTF-8 text. Save it as UTF-8 in your editor.") from error
        except (TOMLKitError, ValueError) as error:
            raise UsageError(f"{self.path} is not valid TOML: {error}.") from error

    def _checked(self, document: tomlkit.TOMLDocument) -> Settings:
        try:
            return Settings.model_validate(document.unwrap())
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise UsageError(f"{self.path}: {field_message(Settings, first, where)}.") from error


def _set(table: Any, path: tuple[str, ...], value: Any) -> None:
    *parents, last = path
    chain = []
    for depth, name in enumerate(parents):
        if not isinstance(table.get(name), Mapping):
            if value is None:
                return
            table[name] = tomlkit.table(is_super_table=depth + 1 < len(parents))
        chain.append((table, name))
        table = table[name]
    outer, _, inner = last.partition(".")
    if inner and isinstance(table.get(outer), Mapping):  # somebody wrote a name with a dot without quotes
        table[outer].pop(inner, None)
    if value is None:
        table.pop(last, None)
        for around, name in reversed(chain):
            if isinstance(around[name], Table) and not around[name].as_string().strip():
                del around[name]
    else:
        table[last] = value


def _unknown(values: Mapping[str, Any], fields: Mapping[str, Any], at: str = "") -> Iterator[str]:
    for name, inner in values.items():
        if name not in fields:
            yield f"{at}{name}"
        elif isinstance(inner, dict) and dotted(inner).keys() != dotted(fields[name]).keys():
            yield from _unknown(inner, fields[name], f"{at}{name}.")
