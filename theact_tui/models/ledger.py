"""Ledger of calls: JSON lines in the save's private folder.

calls/<turn / 100>/texts.jsonl   each text of a prompt once, by hash
calls/<turn / 100>/<turn>.jsonl  one line per call, in order of their ends
calls/<turn / 100>/totals.json   totals of a full hundred, void when a file's size differs
"""

import hashlib
import json
import logging
import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, Self

from theact_tui.errors import SaveError
from theact_tui.models.model import Piece, Usage
from theact_tui.prompting.sections import Message, Prompt, Section
from theact_tui.text import estimate_tokens

_MAX_BYTES = 64_000_000
_TURNS = 100
_NEWEST = 50
_SECTION = {field.name: field.default for field in fields(Section)}
_LOST = "(this text was lost)"
_log = logging.getLogger(__name__)


class PrivateFiles(Protocol):
    """Private files of a save. Methods raise SaveError or OSError."""

    root: Path

    def read(self, name: str, limit: int) -> bytes: ...

    def append(self, name: str, lines: bytes) -> None: ...

    def replace(self, name: str, data: bytes) -> None: ...

    def sizes(self, folder: str) -> dict[str, int]: ...


@dataclass(slots=True, kw_only=True)
class Call:
    id: str
    save: str = ""
    branch: str = ""
    turn: int
    agent: str
    character: str = ""
    """Character or slot; empty for other agents."""
    provider: str
    model: str
    input_hash: str = ""
    """SHA-256 of the messages as JSON; empty while it runs."""
    messages: tuple[Message, ...] = ()
    sections: tuple[Section, ...] = ()
    tokens: int = 0
    limit: int = 0
    """Window in tokens that the prompt was fitted to."""
    reply: str = ""
    reasoning: str = ""
    usage: Usage = field(default_factory=Usage)
    finish: str = ""
    """As reported by the server, or `loop`."""
    steps: tuple[str, ...] = ()
    first_token: float | None = None
    """Seconds since the call began."""
    seconds: float = 0.0
    attempts: int = 0
    outcome: str = "failed"
    """`ok`, `repaired`, `cut` (ended in a loop), `failed` or `cancelled`."""
    error: str = ""
    at: str = ""
    """End time: ISO 8601, UTC."""
    sent: Mapping[str, Any] = field(default_factory=dict)
    """Request fields beside the messages; empty for old and failed calls."""

    @property
    def key(self) -> str:
        """Name such as `memory:maya`."""
        return f"{self.agent}:{self.character}" if self.character else self.agent

    def asks(self, prompt: Prompt) -> None:
        self.sections, self.tokens, self.limit = prompt.sections, prompt.tokens, prompt.limit
        self.messages = tuple(prompt.messages())

    def note(self, piece: Piece) -> None:
        self.reply += piece.text
        self.reasoning += piece.reasoning
        self.finish = piece.finish or self.finish
        if piece.usage != Usage():
            self.usage = piece.usage
        self.sent = piece.sent or self.sent


@dataclass(frozen=True, slots=True)
class UsageTotal:
    """Total of calls under one key, with takes and failed calls."""

    key: str
    calls: int = 0
    attempts: int = 0
    prompt: int = 0
    reused: int = 0
    completion: int = 0
    seconds: float = 0.0

    @property
    def fresh(self) -> int:
        return max(0, self.prompt - self.reused)

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Self:
        """Count a stored line. Raises TypeError, ValueError or AttributeError for a bad one."""
        used = line.get("usage") or {}
        return cls(
            ":".join(filter(None, (str(line.get("agent", "")), str(line.get("character", ""))))),
            1,
            int(line.get("attempts") or 0),
            int(used.get("prompt") or line.get("tokens") or 0),
            int(used.get("cached") or 0),
            int(used.get("completion") or estimate_tokens(line.get("reply") or "")),
            float(line.get("seconds") or 0),
        )

    def __add__(self, other: Self) -> Self:
        return replace(
            self,
            calls=self.calls + other.calls,
            attempts=self.attempts + other.attempts,
            prompt=self.prompt + other.prompt,
            reused=self.reused + other.reused,
            completion=self.completion + other.completion,
            seconds=round(self.seconds + other.seconds, 3),
        )


@dataclass(frozen=True, slots=True)
class FirstWords:
    median: float
    p95: float


class Ledger:
    """Calls of one save. One writer at a time; a line torn by a crash is skipped."""

    def __init__(self, files: PrivateFiles, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._files = files
        self._save = files.root.parents[1].name if len(files.root.parents) > 1 else ""
        self._now = now
        self._written: tuple[int, set[str]] = (-1, set())

    def add(self, call: Call, branch: str) -> None:
        try:
            self._write(call, branch)
        except (OSError, SaveError) as error:
            _log.warning("a call could not be kept in %s: %s", self._files.root, error)

    def turn(self, number: int, branch: str | None = None) -> tuple[Call, ...]:
        """Read a turn's calls on all branches or one."""
        lines = list(self._lines(_file(number)))
        chosen = [line for line in lines if branch is None or line.get("branch") == branch]
        if not chosen:
            return ()
        texts = self._texts(number)
        return tuple(call for line in chosen if (call := _call(line, texts)) is not None)

    def usage(self, newest: int) -> tuple[UsageTotal, ...]:
        """Return totals by key up to turn `newest` on all branches, largest first."""
        last = newest + 1  # an attempt at the next turn counts
        whole = last // _TURNS
        totals = _added(
            *(
                self._read_totals(hundred) or self._count_totals(hundred * _TURNS, _TURNS)
                for hundred in range(whole)
            ),
            self._count_totals(whole * _TURNS, last % _TURNS + 1),
        )
        return tuple(sorted(totals.values(), key=lambda total: -(total.prompt + total.completion)))

    def first_words(self, newest: int) -> dict[str, FirstWords]:
        """Return waits by key over the newest turns of all branches."""
        seconds = dict[str, list[float]]()
        for number in range(max(0, newest + 2 - _NEWEST), newest + 2):  # an attempt at the next turn counts
            for line in self._lines(_file(number)):
                with suppress(TypeError, ValueError, AttributeError):
                    if line.get("first_token") is not None:
                        seconds.setdefault(UsageTotal.of(line).key, []).append(float(line["first_token"]))
        return {
            key: FirstWords(
                round(statistics.median(values), 2), round(values[math.ceil(0.95 * len(values)) - 1], 2)
            )
            for key, values in ((key, sorted(values)) for key, values in seconds.items())
        }

    def keep_totals(self, newest: int) -> None:
        for hundred in range(newest // _TURNS):
            if not self._read_totals(hundred):
                sizes = self._sizes(hundred)
                totals = [asdict(total) for total in self._count_totals(hundred * _TURNS, _TURNS).values()]
                content = json.dumps({"sizes": sizes, "totals": totals}).encode()
                try:
                    self._files.replace(_totals_file(hundred), content)
                except (OSError, SaveError) as error:
                    _log.warning("totals could not be kept in %s: %s", self._files.root, error)

    def _read_totals(self, hundred: int) -> dict[str, UsageTotal]:
        try:
            document = json.loads(self._files.read(_totals_file(hundred), _MAX_BYTES))
            if document["sizes"] == self._sizes(hundred):
                return {total["key"]: UsageTotal(**total) for total in document["totals"]}
        except (OSError, SaveError, ValueError, TypeError, KeyError, RecursionError):
            pass
        return {}

    def _sizes(self, hundred: int) -> dict[str, int]:
        folder, own = f"calls/{hundred:05}", (_totals_file(hundred), _texts_file(hundred * _TURNS))
        return {name: size for name, size in self._files.sizes(folder).items() if name not in own}

    def _count_totals(self, first: int, turns: int) -> dict[str, UsageTotal]:
        calls: list[dict[str, UsageTotal]] = []
        for number in range(first, first + turns):
            for line in self._lines(_file(number)):
                with suppress(TypeError, ValueError, AttributeError):
                    total = UsageTotal.of(line)
                    calls.append({total.key: total})
        return _added(*calls)

    def _write(self, call: Call, branch: str) -> None:
        sections = call.sections
        parts = [_parts(message, sections) for message in call.messages]
        texts = [*(section.text for section in sections), *(text for part in parts for text in part)]
        hashes = {text: _hash(text) for text in dict.fromkeys(texts)}
        self._keep_texts(call.turn, hashes)
        line = asdict(replace(call, messages=(), sections=())) | {
            "save": self._save,
            "branch": branch,
            "input_hash": hashlib.sha256(json.dumps(call.messages).encode()).hexdigest(),
            "first_token": None if call.first_token is None else round(call.first_token, 3),
            "seconds": round(call.seconds, 3),
            "at": self._now().astimezone(UTC).isoformat(timespec="seconds"),
            "messages": [
                {"role": message["role"], "texts": [hashes[text] for text in part]}
                for message, part in zip(call.messages, parts, strict=True)
            ],
            "sections": [
                {
                    name: value
                    for name, usual in _SECTION.items()
                    if (value := getattr(section, name)) != usual
                }
                | {"text": hashes[section.text]}
                for section in sections
            ],
        }
        self._append(_file(call.turn), [line])

    def _keep_texts(self, turn: int, hashes: Mapping[str, str]) -> None:
        bucket, written = self._written
        if bucket != turn // _TURNS:
            written = set(self._texts(turn))
        lines = [{"hash": key, "text": text} for text, key in hashes.items() if key not in written]
        if lines:
            self._append(_texts_file(turn), lines)
        self._written = (turn // _TURNS, written | set(hashes.values()))

    def _texts(self, turn: int) -> dict[str, str]:
        pairs = ((line.get("hash"), line.get("text")) for line in self._lines(_texts_file(turn)))
        return {key: text for key, text in pairs if isinstance(key, str) and isinstance(text, str)}

    def _append(self, name: str, lines: Iterable[dict[str, Any]]) -> None:
        self._files.append(name, "".join(json.dumps(line) + "\n" for line in lines).encode())

    def _lines(self, name: str) -> Iterator[dict[str, Any]]:
        try:
            content = self._files.read(name, _MAX_BYTES)
        except (OSError, SaveError):
            return
        for line in content.split(b"\n"):
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value


def _file(turn: int) -> str:
    return f"calls/{turn // _TURNS:05}/{turn:07}.jsonl"


def _totals_file(hundred: int) -> str:
    return f"calls/{hundred:05}/totals.json"


def _added(*parts: Mapping[str, UsageTotal]) -> dict[str, UsageTotal]:
    sums = dict[str, UsageTotal]()
    for part in parts:
        for key, total in part.items():
            sums[key] = sums[key] + total if key in sums else total
    return sums


def _texts_file(turn: int) -> str:
    return f"calls/{turn // _TURNS:05}/texts.jsonl"


def _parts(message: Message, sections: Iterable[Section]) -> list[str]:
    """Split a message into the section texts it was joined from."""
    texts = [s.text for s in sections if s.part == message["role"] and s.kept != "dropped"]
    content, best = message["content"], list[str]()
    for start in range(len(texts)):
        run = texts[start : start + 1]
        while f"{content}\n\n".startswith("\n\n".join([*run, ""])):
            best = max(best, list(run), key=len)
            if len(run) == len(texts) - start:
                break
            run = texts[start : start + len(run) + 1]
    rest = content[len("\n\n".join(best)) :].removeprefix("\n\n") if best else content
    return [*best, *([rest] if rest or not best else [])]


def _call(line: dict[str, Any], texts: dict[str, str]) -> Call | None:
    try:
        messages = tuple(
            Message(role=m["role"], content="\n\n".join(texts.get(key, _LOST) for key in m["texts"]))
            for m in line["messages"]
        )
        sections = tuple(Section(**{**s, "text": texts.get(s["text"], _LOST)}) for s in line["sections"])
        read = {
            "messages": messages,
            "sections": sections,
            "usage": Usage(**line["usage"]),
            "steps": tuple(line["steps"]),
        }
        return Call(**{**line, **read})
    except (KeyError, TypeError):
        return None


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]
