"""The environment of a run: the process's variables over those of a `.env` file in the working folder (S8.1)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*")
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
_LEAST_SECRET = 8
"""Characters; what is shorter is a word such as `none`."""
_LARGEST = 64 * 1024


def environment(folder: Path | None = None, env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of the process, and of `.env` in `folder` (the working folder) where the process has none."""
    own = dict(os.environ if env is None else env)
    return {**read_env((folder or Path.cwd()) / ".env"), **own}


def without_secrets(text: str, env: Mapping[str, str], names: Iterable[str] = ()) -> str:
    """`text` without the values of variables that hold keys: those called so, and those of `names`."""
    wanted = {name for name in env if _SECRET.search(name)} | set(names)
    values = {env[name] for name in wanted if len(env.get(name, "")) >= _LEAST_SECRET}
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, "[key]")
    return text


def read_env(file: Path) -> dict[str, str]:
    """The assignments in `file`; nothing when it cannot be read. No variables are expanded, nothing is run."""
    try:
        if file.stat().st_size > _LARGEST:
            return {}
        lines = file.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    found = (_LINE.fullmatch(line) for line in lines)
    return {match[1]: _value(match[2]) for match in found if match}


def _value(text: str) -> str:
    quoted = re.match(r"""(['"])(.*?)\1\s*(?:#.*)?$""", text)
    return quoted[2] if quoted else re.sub(r"(^|\s)#.*$", "", text).rstrip()


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """The model options of the command line; they win over everything (S12)."""

    base_url: str = ""
    model: str = ""
    profile: str = ""
    allow_remote: bool = False
    offline: bool = False
