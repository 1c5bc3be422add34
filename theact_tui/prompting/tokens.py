"""Count tokens by estimate or tiktoken, corrected by what the model's server reports."""

from __future__ import annotations

import hashlib
import math
import os
import tempfile
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.paths import Remembered
from theact_tui.text import estimate_tokens

if TYPE_CHECKING:
    import tiktoken

    from theact_tui.prompting.sections import Message

_PER_MESSAGE = 4
_PER_PROMPT = 3
_FIRST_WEIGHT = 1.0
_WEIGHT = 0.3
_LOWEST, _HIGHEST = 0.5, 2.5
_SETTLED = 3
_LONG = 1500
"""Tokens; shorter prompts are never suspected to have been cut."""
_BELIEVABLE = 512
"""Tokens; a server that reports fewer for a long prompt leaves out its cache."""

_FILES = {
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}
"""File name in tiktoken's cache folder and its SHA-256, by encoding."""


class Tokens:
    """Token counter of one model. Counts change only by `learn` and `prepare`."""

    def __init__(self, model: str = "", memory: Remembered | None = None) -> None:
        """`model` is server and model, the key of the corrections in `memory`."""
        self._model = model
        self._memory = memory
        self._encoding: tiktoken.Encoding | None = None
        self._last: tuple[float, int] = (0.0, 0)
        self.factor, self._samples = self._recall()
        """Tokens reported for each token counted."""

    @property
    def settled(self) -> bool:
        return self._samples >= _SETTLED

    @property
    def basis(self) -> str:
        """`estimate`, or the name of a tiktoken encoding."""
        return self._encoding.name if self._encoding else "estimate"

    @property
    def reserve(self) -> float:
        """Share of the window kept free for counting errors."""
        return 0.05 if self.settled else 0.15

    def count(self, text: str) -> int:
        return math.ceil(self._raw(text) * self.factor)

    def count_messages(self, messages: Iterable[Message]) -> int:
        """Count a request, with the tokens that the chat format adds."""
        return math.ceil(self._raw_messages(messages) * self.factor)

    def learn(self, messages: Iterable[Message], reported: int, *, may_cut: bool = True) -> int:
        """Correct the counts by a server's reported prompt tokens. Return a guess at its window if it silently cut
        the prompt, else 0.

        `may_cut` is False for a server that refuses long prompts.
        """
        raw = self._raw_messages(messages)
        if reported <= 0 or (raw * self.factor > _LONG and reported < _BELIEVABLE):
            return 0
        if may_cut and self._was_cut(raw, reported):
            return 2 * reported
        self._last = (raw, reported)
        weight = _WEIGHT if self._samples else _FIRST_WEIGHT
        moved = self.factor + weight * (reported / raw - self.factor)
        self.factor = min(_HIGHEST, max(_LOWEST, moved))
        self._samples += 1
        if self._memory:
            record = {"factor": round(self.factor, 4), "samples": min(self._samples, _SETTLED)}
            self._memory.put(f"{self._model} {self.basis}", record)
        return 0

    def prepare(self) -> None:
        """Use tiktoken if its file is on this computer. Takes up to a second."""
        encoding = load_encoding(self._model.rpartition(" ")[2])
        if encoding is not None:
            self._encoding = encoding
            self.factor, self._samples = self._recall()

    def _recall(self) -> tuple[float, int]:
        record = self._memory.get(f"{self._model} {self.basis}") if self._memory else {}
        match record:
            case {"factor": float(factor), "samples": int(samples)} if _LOWEST <= factor <= _HIGHEST:
                return factor, samples
            case _:
                return 1.0, 0

    def _raw(self, text: str) -> float:
        return float(_encoded(self._encoding, text)) if self._encoding else estimate_tokens(text)

    def _raw_messages(self, messages: Iterable[Message]) -> float:
        return _PER_PROMPT + sum(_PER_MESSAGE + self._raw(m["content"]) for m in messages)

    def _was_cut(self, raw: float, reported: int) -> bool:
        expected = raw * self.factor
        if expected < _LONG:
            return False
        grown, same = raw > self._last[0] * 1.02, reported == self._last[1]
        return reported < expected * (0.7 if self.settled else 0.6) or (grown and same)


@lru_cache(maxsize=4096)
def _encoded(encoding: tiktoken.Encoding, text: str) -> int:
    return len(encoding.encode_ordinary(text))


def load_encoding(model: str, env: Mapping[str, str] | None = None) -> tiktoken.Encoding | None:
    """Return the encoding of `model`, or another one on this computer, or None."""
    _, present = _cached(env)
    if not present:
        return None
    import tiktoken

    try:
        wanted = tiktoken.encoding_name_for_model(model)
    except KeyError:
        wanted = ""
    return tiktoken.get_encoding(wanted if wanted in present else present[0])


def _cached(env: Mapping[str, str] | None) -> tuple[Path | None, list[str]]:
    """Return tiktoken's cache folder (None if switched off) and the encodings in it."""
    env = os.environ if env is None else env
    folder: Path | None = Path(tempfile.gettempdir()) / "data-gym-cache"
    for name in ("DATA_GYM_CACHE_DIR", "TIKTOKEN_CACHE_DIR"):
        if name in env:
            folder = Path(env[name]) if env[name] else None
    return folder, [name for name in _FILES if folder and _is_sound(folder, name)]


def _is_sound(folder: Path, name: str) -> bool:
    """True for the right hash: tiktoken would download a file with another."""
    file, digest = _FILES[name]
    try:
        return hashlib.sha256((folder / file).read_bytes()).hexdigest() == digest
    except OSError:
        return False


def tiktoken_state(env: Mapping[str, str] | None = None) -> str:
    """Tell a player how tokens are counted."""
    folder, present = _cached(env)
    if present:
        return f"Token counts are exact for OpenAI's models ({', '.join(present)} in {folder})."
    reason = "TIKTOKEN_CACHE_DIR is empty" if folder is None else "tiktoken's data is not installed"
    return f"Token counts are estimated ({reason}; this is fine)."
