"""Read untrusted files within limits: bytes, text, JSON and archives. Every refusal is a UsageError."""

import io
import json
import re
import struct
import weakref
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.long_works import check_stopped
from theact_tui.paths import incoming_folder, private_folder

MAX_FILE_BYTES = 64_000_000
"""Also of an archive's contents."""
MAX_TEXT_BYTES = 8_000_000
_MAX_DEPTH = 64
MAX_MEMBERS = 2_000
UNPACK = "Unpack it, then import the folder that comes out of it."
ZIP = b"PK\x03\x04"
_BROKEN = (
    zipfile.BadZipFile, RuntimeError, zlib.error, EOFError, ArithmeticError, ValueError, OSError, struct.error
)  # fmt: skip


def read_limited(path: Path) -> bytes:
    check_stopped()
    try:
        if not path.is_file():
            raise UsageError(f"There is no file {path}.")
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} could not be read: {error.strerror or error}.") from error
    if len(data) > MAX_FILE_BYTES and data.startswith(ZIP):
        raise UsageError(f"{path.name} is an archive of more than 64 MB. {UNPACK}")
    if len(data) > MAX_FILE_BYTES:
        raise UsageError(f"{path.name} is larger than 64 MB, the limit for cards and chats.")
    if not data.strip(b"\0 \r\n\t"):
        raise UsageError(f"{path.name} is empty.")
    return data


def decode(data: bytes) -> str:
    """Decode UTF-8, or UTF-16 with byte order mark."""
    try:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("It is neither text, nor a picture or archive with a card.") from None


def parse_json(text: str, limit: int = MAX_TEXT_BYTES) -> Any:
    """Parse JSON; NaN and infinities become None."""
    if len(text) > limit:
        raise UsageError(f"Its text is longer than {limit // 1_000_000} MB.")
    if _is_too_deep(text):
        raise UsageError(f"It is nested more than {_MAX_DEPTH} levels deep.")
    try:
        return json.loads(text, parse_constant=lambda _: None, parse_int=_whole, parse_float=_number)
    except (ValueError, RecursionError) as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise UsageError(f"It is not valid JSON: it is incomplete or damaged{where}.") from None


def json_in(data: bytes) -> Any:
    return parse_json(decode(data))


_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)


def _is_too_deep(text: str) -> bool:
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(match[0], 0)
        if depth > _MAX_DEPTH:
            return True
    return False


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= 20 else None


def _number(digits: str) -> float | None:
    value = float(digits[:100])
    return value if abs(value) < 1e300 else None


# --- archives -----------------------------------------------------------------------------------------------------


_HIDDEN = (".", "__MACOSX")


class Archive:
    """Zip in memory; headers are not trusted."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN:
            raise UsageError("The archive is damaged or incomplete.") from None
        if len(self._zip.infolist()) > MAX_MEMBERS:
            raise UsageError(f"The archive contains more than {MAX_MEMBERS:,} files. {UNPACK}")
        self.names: tuple[str, ...] = tuple(info.filename for info in self._zip.infolist())
        self._left = MAX_FILE_BYTES

    def unpack(self, name: str, place: Path) -> tuple[Path, list[str]]:
        """Write the files to a scratch folder in `place`, deleted with `self`; return it and sentences on those left out."""
        if sum(info.file_size for info in self._zip.infolist()) > MAX_FILE_BYTES:
            raise UsageError(f"The files in the archive are larger than 64 MB together. {UNPACK}")
        private_folder(place)
        scratch = ExitStack()
        top = scratch.enter_context(incoming_folder(place))
        weakref.finalize(self, scratch.close)
        left_out: list[str] = []
        for member in dict.fromkeys(self.names):
            parts = PurePosixPath(member.replace("\\", "/")).parts
            if (
                member.endswith(("/", "\\"))
                or not parts
                or any(part.startswith(_HIDDEN) and part != ".." for part in parts)
            ):
                continue
            if self.names.count(member) > 1:
                left_out.append(f"{member[:80]}: the archive has two files of this name; the last is read.")
            try:
                self._write(member, top.joinpath(name, *parts), parts)
            except UsageError as error:
                left_out.append(error.message)
        (top / name).mkdir(exist_ok=True)
        return top / name, left_out

    def _write(self, member: str, file: Path, parts: Sequence[str]) -> None:
        if any(re.search(r"^\.\.$|^/|[:\0]", part) for part in parts):
            raise UsageError(f"{member[:80]} in the archive has an unsafe name.")
        content = self.read(member, MAX_FILE_BYTES)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        except OSError as error:
            raise UsageError(f"{member[:80]} could not be unpacked: {error.strerror or error}.") from error

    def read(self, name: str, limit: int = MAX_TEXT_BYTES) -> bytes:
        check_stopped()
        limit, whole = min(limit, self._left), limit
        try:
            info = self._zip.getinfo(name)
            if info.flag_bits & 1:
                raise UsageError(f"The archive is encrypted; {name} cannot be read.")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise UsageError(f"The archive uses a compression that is not supported ({name}).")
            with self._zip.open(info) as member:
                content = member.read(limit + 1)
        except KeyError:
            raise UsageError(f"The archive has no {name}.") from None
        except _BROKEN:
            raise UsageError(f"The archive is damaged; {name} cannot be read.") from None
        if len(content) > limit:
            if limit < whole:
                raise UsageError(f"The files in the archive are larger than 64 MB together. {UNPACK}")
            raise UsageError(f"{name} in the archive is larger than {limit // 1_000_000} MB.")
        self._left -= len(content)
        return content


def table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
