"""Process variables over a `.env` file, and typed keys in the system's keyring."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.text import one_line

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*")
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
_BEARER = re.compile(r"Bearer [^'\"]+")
LEAST_SECRET = 8
"""Characters; shorter values are words such as `none`."""
_LARGEST = 64 * 1024


class Environment(dict[str, str]):
    """Variables by name. `filed` are those of `.env`, which a stranger may have written."""

    def __init__(self, own: Mapping[str, str], filed: Mapping[str, str]) -> None:
        super().__init__({**filed, **own})
        self.filed = filed
        self._own = own.keys()

    def is_only_filed(self, name: str) -> bool:
        return name in self.filed and name not in self._own


def environment(folder: Path | None = None, env: Mapping[str, str] | None = None) -> Environment:
    """Return the process's variables, completed by `.env` in `folder` (the working folder)."""
    return Environment(os.environ if env is None else env, read_env((folder or Path.cwd()) / ".env"))


def without_keys(text: str, env: Mapping[str, str], names: Iterable[str] = ()) -> str:
    """Replace values of key variables (by name, and `names`) in `text`."""
    wanted = {name for name in env if _SECRET.search(name)} | set(names)
    values = {env[name] for name in wanted if len(env.get(name, "")) >= LEAST_SECRET}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, "[key]")
    return text


def unexpected(error: BaseException) -> str:
    text = without_keys(f"{type(error).__name__}: {error}", environment())
    return one_line(_BEARER.sub("Bearer [key]", text), 300).rstrip(": ")


def read_env(file: Path) -> dict[str, str]:
    """Read assignments from `file`, expanding nothing; none if unreadable."""
    try:
        if file.stat().st_size > _LARGEST:
            return {}
        lines = file.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    matches = (_LINE.fullmatch(line) for line in lines)
    return {match[1]: _value(match[2]) for match in matches if match}


def _value(text: str) -> str:
    quoted = re.match(r"""(['"])(.*?)\1\s*(?:#.*)?$""", text)
    return quoted[2] if quoted else re.sub(r"(^|\s)#.*$", "", text).rstrip()


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Model options of the command line; they override settings and environment."""

    base_url: str = ""
    model: str = ""
    profile: str = ""
    allow_remote: bool = False
    offline: bool = False


_SERVICE = "theact-tui"
PREFIX = "THEACT_KEY_"
_UNSAFE = ("keyring.backends.fail", "keyring.backends.null", "keyrings.alt")
"""Keyring backends that store nothing, or a plain file."""


def variable_for(profile: str) -> str:
    return PREFIX + re.sub(r"[^A-Z0-9]+", "_", profile.upper()).strip("_")


def use_key(variable: str, key: str) -> None:
    os.environ[variable] = key


def keep_key(variable: str, key: str) -> bool:
    """Save a key in the system's keyring; False if there is none. May wait for the user to unlock it."""
    backend = _backend()
    if backend is None:
        return False
    try:
        backend.set_password(_SERVICE, variable, key)
    except Exception:  # backends raise errors of their own
        return False
    return True


def load_keys(variables: Iterable[str]) -> None:
    wanted = [name for name in variables if name.startswith(PREFIX) and name not in os.environ]
    backend = _backend() if wanted else None
    for name in wanted if backend else ():
        try:
            key = backend.get_password(_SERVICE, name) if backend else None
        except Exception:  # backends raise errors of their own
            return
        if key:
            use_key(name, key)


def _backend() -> KeyringBackend | None:
    try:
        import keyring
    except ImportError:
        return None
    chosen = keyring.get_keyring()
    places = getattr(chosen, "backends", None) or [chosen]
    return next((place for place in places if not type(place).__module__.startswith(_UNSAFE)), None)
