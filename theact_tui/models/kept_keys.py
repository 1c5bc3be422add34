"""Keys typed in the app: in the environment of this run, and in the system's keyring where there is one. Never in a file.

A profile names its key by a variable; those that begin with `PREFIX` are looked up in the keyring when they are not set.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

SERVICE = "theact-tui"
PREFIX = "THEACT_KEY_"
_UNSAFE = ("keyring.backends.fail", "keyring.backends.null", "keyrings.alt")
"""Modules of backends that keep nothing, or keep it in a plain file."""


def variable_for(profile: str) -> str:
    """The variable of a profile's typed key."""
    return PREFIX + re.sub(r"[^A-Z0-9]+", "_", profile.upper()).strip("_")


def use_key(variable: str, key: str) -> None:
    """Use a key until the program ends."""
    os.environ[variable] = key


def keep_key(variable: str, key: str) -> bool:
    """Keep a key in the system's keyring; False where there is none. May wait for the user to unlock it."""
    backend = _backend()
    if backend is None:
        return False
    try:
        backend.set_password(SERVICE, variable, key)
    except Exception:  # backends raise errors of their own
        return False
    return True


def load_keys(variables: Iterable[str]) -> None:
    """Set those variables from the keyring that typed keys have and that are not set."""
    wanted = [name for name in variables if name.startswith(PREFIX) and name not in os.environ]
    backend = _backend() if wanted else None
    for name in wanted if backend else ():
        try:
            key = backend.get_password(SERVICE, name) if backend else None
        except Exception:  # backends raise errors of their own
            return
        if key:
            use_key(name, key)


def _backend() -> KeyringBackend | None:
    """The system's keyring; None when the library is missing, or has no safe place."""
    try:
        import keyring
    except ImportError:
        return None
    chosen = keyring.get_keyring()
    places = getattr(chosen, "backends", None) or [chosen]
    return next((place for place in places if not type(place).__module__.startswith(_UNSAFE)), None)
