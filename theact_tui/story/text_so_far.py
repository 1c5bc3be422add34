"""The text that a model goes on from, and the whole with what it added."""

import re

from theact_tui.errors import UsageError
from theact_tui.sentences import broken_off
from theact_tui.story.matching import is_unspaced
from theact_tui.text import clean

LEAST_REST = 24
"""Tokens of a rest: about a sentence."""
_SAME = 12
"""Characters by which the place is found where the text before was cut."""
FULL = "This is as long as it may become. Cut more of it, so that there is room to go on."
NOTHING_ADDED = "The model added nothing: the text ends here for it."
NEEDS_MODEL = "The offline storyteller tells from its script and cannot go on from a text. Connect a model in the settings."


def text_so_far(text: str, before: str) -> str:
    """Return `text` without the half of a word that was left of the text `before`. Blanks at its end stay.

    Raises UsageError if nothing is left.
    """
    kept = clean(text).lstrip()
    last = re.search(r"\w+\Z", kept)
    end = re.escape(kept[-_SAME:])
    if last and not is_unspaced(last[0]) and re.search(rf"{end}\w", before):
        kept = kept if re.search(rf"{end}\b", before) else kept[: last.start()]
    if not kept.strip():
        raise UsageError("Nothing is left to go on from.")
    return kept


def with_rest(kept: str, rest: str, *, is_cut: bool) -> str:
    """Return the whole text; a rest that `is_cut` ends with its last whole sentence."""
    whole = (kept + clean(rest)).strip()
    return broken_off(whole, len(kept)) if is_cut and len(whole) > len(kept) else whole
