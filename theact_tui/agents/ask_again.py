"""What a second attempt adds to the same prompt, after a refusal, a cut reply or one that cannot be read."""

from __future__ import annotations

from theact_tui.agents.prompts import AUTHOR_BLOCKS

AGAIN: dict[str, str] = {
    "memory": "Answer again with the one JSON object only.",
    "reflection": "Answer again with the yaml block only: want, hide, beliefs.",
    "progress": "Answer again with the yaml block only: reason, new_beats, quotes, chapter_complete.",
    "stage": "Answer again with the one JSON object only.",
    "risk": "Answer again with the one JSON object only.",
    "moment": "Answer again with the one JSON object only.",
    "lock": "Answer again with the one JSON object only, with the keys named above.",
    "delta": "Answer again with the one JSON object only, with the keys named above.",
    **{
        f"author_{kind}": "Answer again with the yaml block only, every field filled."
        for kind in AUTHOR_BLOCKS
    },
}
"""By the shape of the reply."""


def ask_again(shape: str) -> str:
    """What is added where the reply was to have this `shape`."""
    return AGAIN.get(shape, "Answer again, with the plain prose only.")
