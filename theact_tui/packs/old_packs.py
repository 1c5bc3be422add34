"""Conversion of templates and scripts of packs that earlier versions could read."""

import re
from collections.abc import Mapping
from typing import Any

from theact_tui.story.pack import MOODS

GONE = frozenset({"draft", "finished", "keeper", "progress", "stage"})
"""Templates that a pack may still have, and that are not used."""
_PLACEHOLDERS: dict[str, dict[str, str]] = {
    "narrator": {"beats": "{lead}", "ids": "{cast}", "moods": ", ".join(MOODS)},
    "character": {"voice": "Told as {person}, in the present tense."},
    "ideas": {"turns": ""},
    "memory": {"summary": ""},
}
"""By agent, former placeholders and the text that replaces them."""


def upgraded_template(agent: str, text: str) -> str:
    for name, now in _PLACEHOLDERS.get(agent, {}).items():
        text = re.sub(rf"(?<!\{{)\{{{name}\}}(?!\}})", now, text)
    return text


def upgraded_script(data: Any) -> Any:
    """Turn `echoes`, such as `{Act}. Dust moves.`, into `reactions`, without the player's words."""
    if not isinstance(data, Mapping) or "echoes" not in data or "reactions" in data:
        return data
    rest = {key: value for key, value in data.items() if key != "echoes"}
    echoes = data["echoes"]
    if isinstance(echoes, Mapping):
        echoes = {kind: _without_act(lines) for kind, lines in echoes.items()}
    return {**rest, "reactions": echoes}


def _without_act(lines: Any) -> Any:
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        return lines
    bare = (line.removeprefix("{Act}. ") for line in lines)
    return [line for line in bare if "{act}" not in line.lower()]
