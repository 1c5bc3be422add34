"""Which file of a directed chapter holds what, so that one changed by hand can be checked before it counts (S9, D10)."""

from __future__ import annotations

from fnmatch import fnmatch

from theact_tui.errors import SaveError
from theact_tui.saves import yaml
from theact_tui.saves.files import parse
from theact_tui.story.base import Value
from theact_tui.story.direct.records import Block, Draft, Folded, Prompted, Session, Setup, Voice

_KINDS: tuple[tuple[str, type[Value]], ...] = (
    ("session.yaml", Session),
    ("setup.yaml", Setup),
    ("voice.yaml", Voice),
    ("folded.yaml", Folded),
    ("turns/*.yaml", Prompted),
    ("blocks/*.yaml", Block),
    ("drafts/*.yaml", Draft),
)


def check_directed(path: str, content: bytes, prompts: int) -> None:
    """SaveError, with the line, where a file is not what it should be in a chapter of so many prompts."""
    kind = next((kind for pattern, kind in _KINDS if fnmatch(path, pattern)), None)
    if kind is None:
        yaml.load(content, path)
        return
    value = parse(path, content, kind)
    if isinstance(value, Session) and value.prompt_index != prompts:
        raise SaveError(f"{path} must stay at prompt {prompts}; use undo to go back.")
