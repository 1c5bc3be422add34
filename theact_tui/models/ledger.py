"""The ledger of calls (S8.5): what was asked of a model and what came back, as JSON lines in the save's own folder.

    <folder>/<turn / 100>/texts.jsonl   each text of a prompt once, by its hash
    <folder>/<turn / 100>/<turn>.jsonl  one line per call, in the order they ended

Prompts repeat themselves, so texts are kept apart: a turn costs what is new in it, however long the story is.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from theact_tui.models.port import Usage
from theact_tui.paths import private_folder
from theact_tui.prompting.sections import Message, Prompt, Section

_TURNS = 100
_LOST = "(this text was lost)"
_log = logging.getLogger(__name__)


class Record(Protocol):
    """A finished call, as the engine has it."""

    id: str
    agent: str
    key: str
    provider: str
    model: str
    turn: int
    prompt: Prompt
    messages: list[Any]
    raw: str
    reasoning: str
    steps: tuple[str, ...]
    usage: Usage
    finish: str
    first_token: float | None
    seconds: float
    attempts: int
    outcome: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call as it was kept."""

    id: str
    save: str
    branch: str
    turn: int
    agent: str
    character: str
    """The character or slot asked for; empty where there is none."""
    provider: str
    model: str
    input_hash: str
    """SHA-256 of the messages as JSON."""
    messages: tuple[Message, ...]
    """As sent on the last attempt."""
    sections: tuple[Section, ...]
    tokens: int
    """Of the prompt, as estimated."""
    limit: int
    """The window it was fitted to, in tokens."""
    reply: str
    reasoning: str
    usage: Usage
    """As reported by the server."""
    finish: str
    steps: tuple[str, ...]
    """What the reader had to do to the reply."""
    first_token: float | None
    """Seconds."""
    seconds: float
    attempts: int
    outcome: str
    """`ok`, `repaired`, `failed` or `cancelled`."""
    error: str
    at: str
    """When it ended: ISO 8601, UTC."""

    @property
    def key(self) -> str:
        """The call's name, such as `memory:maya`."""
        return f"{self.agent}:{self.character}" if self.character else self.agent


class Ledger:
    """The calls of one save. One writer at a time; a last line torn by a crash is skipped."""

    def __init__(self, folder: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """`folder` is made when the first call is kept, if the save in which it lies is still there."""
        self.folder = folder
        self._now = now
        self._known: tuple[int, set[str]] = (-1, set())

    def add(self, record: Record, branch: str) -> None:
        """Keep a finished call. A ledger that cannot be written is logged, and the story goes on."""
        try:
            self._write(record, branch)
        except OSError as error:
            _log.warning("a call could not be kept in %s: %s", self.folder, error)

    def turn(self, number: int, branch: str | None = None) -> tuple[Call, ...]:
        """The calls of a turn, on all branches or one, in the order they ended."""
        lines = list(_lines(self._file(number)))
        chosen = [line for line in lines if branch is None or line.get("branch") == branch]
        if not chosen:
            return ()
        texts = {line["hash"]: line["text"] for line in _lines(self._texts(number)) if "hash" in line}
        return tuple(call for line in chosen if (call := _call(line, texts)) is not None)

    def _write(self, record: Record, branch: str) -> None:
        if not self.folder.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "the save was moved or deleted", str(self.folder))
        messages: list[Message] = list(record.messages) or record.prompt.messages()
        sections = record.prompt.sections
        parts = [_parts(message, sections) for message in messages]
        self._keep_texts(record.turn, [*(s.text for s in sections), *(t for texts in parts for t in texts)])
        line = {
            "id": record.id,
            "save": self.folder.parents[2].name if len(self.folder.parents) > 2 else "",
            "branch": branch,
            "turn": record.turn,
            "agent": record.agent,
            "character": record.key.partition(":")[2],
            "provider": record.provider,
            "model": record.model,
            "input_hash": hashlib.sha256(json.dumps(messages).encode()).hexdigest(),
            "messages": [
                {"role": message["role"], "texts": [_hash(text) for text in texts]}
                for message, texts in zip(messages, parts, strict=True)
            ],
            "sections": [{**asdict(section), "text": _hash(section.text)} for section in sections],
            "tokens": record.prompt.tokens,
            "limit": record.prompt.limit,
            "reply": record.raw,
            "reasoning": record.reasoning,
            "usage": asdict(record.usage),
            "finish": record.finish,
            "steps": list(record.steps),
            "first_token": None if record.first_token is None else round(record.first_token, 3),
            "seconds": round(record.seconds, 3),
            "attempts": record.attempts,
            "outcome": record.outcome,
            "error": record.error,
            "at": self._now().astimezone(UTC).isoformat(timespec="seconds"),
        }
        _append(self._file(record.turn), [line])

    def _keep_texts(self, turn: int, texts: Iterable[str]) -> None:
        bucket, known = self._known
        if bucket != turn // _TURNS:
            known = {line["hash"] for line in _lines(self._texts(turn)) if "hash" in line}
        fresh = {_hash(text): text for text in texts}
        lines = [{"hash": key, "text": text} for key, text in fresh.items() if key not in known]
        if lines:
            _append(self._texts(turn), lines)
        self._known = (turn // _TURNS, known | fresh.keys())

    def _file(self, turn: int) -> Path:
        return self.folder / f"{turn // _TURNS:05}" / f"{turn:07}.jsonl"

    def _texts(self, turn: int) -> Path:
        return self.folder / f"{turn // _TURNS:05}" / "texts.jsonl"


def _parts(message: Message, sections: Iterable[Section]) -> list[str]:
    """The texts a message was joined from, if it was, so that each is kept once."""
    texts = [s.text for s in sections if s.part == message["role"] and s.kept != "dropped"]
    joined, content = "\n\n".join(texts), message["content"]
    if texts and content == joined:
        return texts
    if texts and content.startswith(f"{joined}\n\n"):
        return [*texts, content[len(joined) + 2 :]]
    return [content]


def _call(line: dict[str, Any], texts: dict[str, str]) -> Call | None:
    """A call from its line; None for a line that is not one."""
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


def _append(file: Path, lines: Iterable[dict[str, Any]]) -> None:
    """Add lines; one that a crash left unfinished is closed first."""
    private_folder(file.parent)
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    with file.open("ab+") as out:
        if out.tell():
            out.seek(-1, 2)
            data = data if out.read(1) == b"\n" else b"\n" + data
        out.write(data)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    try:
        content = file.read_bytes()
    except OSError:
        return
    for line in content.split(b"\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value
