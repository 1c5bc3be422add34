"""The model options of the command line, apart from the profiles they win over so that the app's start stays light."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """The model options of the command line; they win over everything (S12)."""

    base_url: str = ""
    model: str = ""
    profile: str = ""
    allow_remote: bool = False
    offline: bool = False
