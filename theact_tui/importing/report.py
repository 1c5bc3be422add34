"""Report of an import, shown before anything is written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape
from typing import Any, Literal

from theact_tui.errors import UsageError
from theact_tui.importing.plain import unspoken_parts
from theact_tui.text import clean, counted, one_line, words


class ImportQuestion(UsageError):
    """Missing choice; `asks` is the argument of `propose` that takes it."""

    def __init__(
        self, message: str, asks: Literal["into", "id", "fill"], questions: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.asks = asks
        self.questions = questions
        """In the order of their answers."""


class ImportStopped(UsageError):
    """The user stopped an import; nothing was written."""

    def __init__(self) -> None:
        super().__init__("Stopped. Nothing was imported.")


OnStep = Callable[[str], None]
"""Called with the progress; may raise ImportStopped."""


def no_steps(step: str) -> None: ...


@dataclass(frozen=True, slots=True)
class LeftOut:
    sentence: str
    text: str = ""

    @classmethod
    def counted(cls, label: str, text: str) -> LeftOut:
        """Name a text by `label`, with the number of its words."""
        return cls(f"{label} {_in_words(words(text))}", text)


_CHATS = ("chat", "group")
"""Kinds whose pack is inside their save."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """One import, as a preview or as done. Texts are sentences for people, without markup."""

    kind: str
    pack: str | None = None
    save: str | None = None
    here: tuple[Literal["pack", "save"], ...] = ()
    """Already made of the same files, so not made again."""
    taken: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    long: tuple[str, ...] = ()
    """Ids of characters too long for small models."""
    title: str = ""
    """Name of a part's file or folder."""
    parts: tuple[ImportReport, ...] = ()
    """A report for each story of a folder."""
    files: tuple[tuple[str, int], ...] = ()

    def adding(
        self, *, taken: Iterable[str] = (), changed: Iterable[str] = (), left_out: Iterable[str] = ()
    ) -> ImportReport:
        return replace(
            self,
            taken=tuple(dict.fromkeys(filter(None, (*self.taken, *taken)))),
            changed=tuple(dict.fromkeys(filter(None, (*self.changed, *changed)))),
            left_out=tuple(dict.fromkeys(filter(None, (*self.left_out, *left_out)))),
        )

    def as_json(self) -> dict[str, Any]:
        """Fields as `import --json` prints them."""
        texts = {name: list(getattr(self, name)) for name in ("taken", "changed", "left_out")}
        parts = {"parts": [part.as_json() for part in self.parts]} if self.parts else {}
        here = {"here": list(self.here)} if self.here else {}
        return {"kind": self.kind, "pack": self.pack, "save": self.save, **here, **texts, **parts}

    @property
    def whole(self) -> ImportReport:
        titles = tuple(f"{part.title}: " for part in self.parts)
        changed = {line for part in self.parts for line in part.changed}
        return replace(
            self,
            parts=(),
            taken=tuple(line for line in self.taken if not line.startswith(titles)),
            changed=tuple(line for line in self.changed if line not in changed),
            left_out=tuple(line for line in self.left_out if not line.startswith(titles)),
        )

    @property
    def counts(self) -> str:
        """Count the files of each kind in a folder; "" without parts."""
        old = sum(bool(part.here) for part in self.parts)
        kinds = [counted(number, kind) for kind, number in self.files if number]
        return ", ".join([*kinds, *([f"{old:,} here already"] if old else [])])

    @property
    def new_counts(self) -> tuple[int, int]:
        part = self.parts or (self,)
        packs = sum(bool(one.pack and "pack" not in one.here and one.kind not in _CHATS) for one in part)
        return packs, sum(bool(one.save and "save" not in one.here) for one in part)


# --- words in and words out ---------------------------------------------------------------------------------------

KEPT_IN_IMPORTED = " Kept in imported/."
MAX_NAMED_FIELDS = 12
_SETTINGS = frozenset(
    "id ids uid uuid guid hash integrity date time timestamp at on started finished version ver spec type typ kind mode role "
    "typing api model avatar image images img icon picture file files url uri link path src colour color position logic "
    "status source format template lang language script regex sort order parent children".split()
)
"""Last words of the names of fields that hold settings."""
_CODE = frozenset(
    "hash image images img file files url uri link path src format template script regex".split()
)
"""Settings of any length."""
MAX_SETTING_WORDS = 6
_THOUGHTS = frozenset(
    "reasoning thinking thoughts thought reasoningcontent reasoning_content thinking_trace".split()
)
_ROLES = frozenset("user human assistant system tool model gpt bot all".split())
"""Words that name nobody in the fields `sender`, `from` and `recipient`."""
_MARKS = re.compile(
    r"\{\{[^{}]*\}\}|\$\{[^{}]*\}|\{\w+\}|<%.*?%>|<\|[^<>|]*\|>"
    r"|</?[\w:.!-]++(?:\s++[\w:.@-]++=(?>\"[^\"<>]*\"|'[^'<>]*'|[^\s<>]*))*+\s*+/?>"
    r"|!\[[^\[\]]*\]\([^()\s]*\)|https?://\S+|@@@?\w+|```\w*"
    r"|\bcharacter[ \t]*\([^()\n]{0,80}\)(?=\s*\{)",
    re.DOTALL | re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[^\W\d_]+")
_MACHINE = re.compile(r"\S*(?:[\d_/\\#@=]|\w\.\w)\S*")
Path = tuple[str, ...]


def words_left_out(
    documents: Iterable[Any],
    included: Iterable[str],
    reported: Iterable[str] = (),
    speakers: Iterable[str] = (),
) -> tuple[str, ...]:
    """Report the words of `documents` that are neither in `included` nor in `reported`, by field."""
    whole, exact, others = {text.strip() for text in included}, set[str](), dict[str, Path]()
    used: set[Path] = set()
    for path, text in texts_in(documents):
        flat = text.strip()
        if flat in whole:
            exact.add(flat)
            used |= _prefixes(path)
        else:
            others.setdefault(flat, path)
    names = sorted({*speakers, "You", "User"} - {""}, key=len, reverse=True)
    label = re.compile(rf"^\W*(?:{'|'.join(map(re.escape, names))}):", re.IGNORECASE | re.MULTILINE)
    pool = Counter(word for text in (*(whole - exact), *reported) for word in _words(label.sub(" ", text)))
    missing = _missing({text: _words(label.sub(" ", text)) for text in others}, pool)
    used.update(*(_prefixes(path) for text, path in others.items() if text not in missing))
    fields, thoughts, pages = Counter[str](), 0, 0
    for text, lost in missing.items():
        thought, page = (Counter(_words(part)) & lost for part in unspoken_parts(text))
        path = others[text]
        if path[-1].lower() in _THOUGHTS:
            thought, page = lost, Counter()
        thoughts, pages = thoughts + thought.total(), pages + page.total()
        fields[_field(path, used)] += (lost - thought - page).total()
    return (
        *(["Thoughts of the model " + _in_words(thoughts)] if thoughts else []),
        *(["Pages of HTML, their scripts and remarks " + _in_words(pages)] if pages else []),
        *_named(+fields),
    )


def _missing(texts: Mapping[str, Sequence[str]], pool: Counter[str]) -> dict[str, Counter[str]]:
    """Return the words of each text that the pool lacks; complete texts take theirs first."""
    shares = {
        text: sum(word in pool for word in wanted) / len(wanted) for text, wanted in texts.items() if wanted
    }
    missing: dict[str, Counter[str]] = {}
    for text in sorted(shares, key=lambda text: -shares[text]):
        wanted = Counter(texts[text])
        if lost := wanted - pool:
            missing[text] = lost
        pool.subtract(wanted - lost)
    return missing


def texts_in(documents: Iterable[Any]) -> Iterator[tuple[Path, str]]:
    """Yield texts that may hold words, with the fields on the way to them."""
    for document in documents:
        left: list[tuple[Path, Any]] = [((), document)]
        while left:
            path, value = left.pop()
            if isinstance(value, Mapping):
                left += [
                    (path if path and str(key).isdecimal() else (*path, str(key)), content)
                    for key, content in value.items()
                ]
            elif isinstance(value, (list, tuple)):
                left += [(path, content) for content in value]
            elif isinstance(value, str) and not _is_setting((path := path or ("text",))[-1], value):
                yield path, value


def document_words(document: Any) -> str:
    return "\n".join(text for _, text in texts_in([document]))


def _is_setting(field: str, value: str) -> bool:
    last = _NAME_PART.findall(field)[-1:]
    name = last[0].lower() if last else ""
    is_short = name in _CODE or words(value) <= MAX_SETTING_WORDS
    word = "" if len(value.split(None, 1)) > 1 else clean(_MARKS.sub("", value)).strip(" \n{}[]()<>/")
    is_role = name in ("sender", "from", "recipient") and value.lower() in _ROLES
    return is_role or (name in _SETTINGS and is_short) or bool(_MACHINE.fullmatch(word))


def _words(text: str) -> list[str]:
    for _ in range(3):
        text, changed = _MARKS.subn(" ", text)
        if not changed:
            break
    return _WORD.findall(unescape(text) if "&" in text else text)


def _prefixes(path: Path) -> set[Path]:
    return {path[:length] for length in range(1, len(path) + 1)}


def _field(path: Path, used: Iterable[Path]) -> str:
    unused = next((part for n in range(1, len(path)) if (part := path[:n]) not in used), path)
    return ".".join(one_line(name, 40) for name in unused[-2:] if name != "data")


def _in_words(number: int) -> str:
    return f"({counted(number, 'word')}).{KEPT_IN_IMPORTED}"


def _named(fields: Counter[str]) -> Iterator[str]:
    first = [f"{name} ({counted(number, 'word')})" for name, number in fields.most_common(MAX_NAMED_FIELDS)]
    rest = fields.total() - sum(number for _, number in fields.most_common(MAX_NAMED_FIELDS))
    if rest:
        first.append(f"{len(fields) - MAX_NAMED_FIELDS} more fields ({counted(rest, 'word')})")
    if first:
        yield f"Fields that are not used here: {', '.join(first)}.{KEPT_IN_IMPORTED}"
