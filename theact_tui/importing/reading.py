"""Reading files from strangers within limits: bytes, text, JSON, and the texts that pictures and archives carry.

Every refusal is a UsageError with one sentence. Nothing is fetched, run or written to a path.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from theact_tui.errors import UsageError

MAX_FILE = 64_000_000
"""Bytes of a file, and of all that an archive holds."""
MAX_TEXT = 8_000_000
"""Bytes of a JSON text, and of a card in a picture before and after unpacking."""
MAX_DEPTH = 64
MAX_CHUNKS, MAX_MEMBERS = 10_000, 2_000
PNG, ZIP = b"\x89PNG\r\n\x1a\n", b"PK\x03\x04"
_BROKEN = (
    zipfile.BadZipFile,
    RuntimeError,
    zlib.error,
    EOFError,
    ArithmeticError,
    ValueError,
    OSError,
    struct.error,
)


def read_file(path: Path) -> bytes:
    """The content of a file. UsageError if it is missing, no file, empty or larger than 64 MB."""
    try:
        if not path.is_file():
            raise UsageError(f"There is no file {path}.")
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        raise UsageError(f"{path} could not be read: {error.strerror or error}.") from error
    if len(data) > MAX_FILE:
        raise UsageError(f"{path.name} is larger than 64 MB, the limit for cards and chats.")
    if not data.strip(b"\0 \r\n\t"):
        raise UsageError(f"{path.name} is empty.")
    return data


def decode(data: bytes) -> str:
    """Text in UTF-8, or in UTF-16 with a byte order mark. UsageError for anything else."""
    try:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("It is neither text, nor a picture or archive with a card.") from None


def parse_json(text: str, limit: int = MAX_TEXT) -> Any:
    """A JSON text as a value; NaN and numbers without end become None. UsageError if it is none, or not within limits."""
    if len(text) > limit:
        raise UsageError(f"Its text is longer than {limit // 1_000_000} MB.")
    if _is_too_deep(text):
        raise UsageError(f"It is nested more than {MAX_DEPTH} levels deep.")
    try:
        return json.loads(text, parse_constant=lambda _: None, parse_int=_whole, parse_float=_number)
    except (ValueError, RecursionError) as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise UsageError(f"It is not valid JSON: it is incomplete or damaged{where}.") from None


def json_in(data: bytes) -> Any:
    """The JSON value of a text as bytes. UsageError as `decode` and `parse_json` raise it."""
    return parse_json(decode(data))


_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)


def _is_too_deep(text: str) -> bool:
    """True if lists and tables are nested beyond `MAX_DEPTH`; looks no further than where they are."""
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > MAX_DEPTH:
            return True
    return False


def _whole(digits: str) -> int | None:
    return int(digits) if len(digits) <= 20 else None


def _number(digits: str) -> float | None:
    value = float(digits[:100])
    return value if abs(value) < 1e300 else None


def from_base64(text: bytes) -> bytes:
    """The bytes behind base64 (also the kind for addresses, and without padding); raw JSON stays as it is."""
    flat = b"".join(text.split())
    if flat[:1] in (b"{", b"["):
        return text
    try:
        return base64.b64decode(
            flat.translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=") + b"=" * (-len(flat.rstrip(b"=")) % 4),
            validate=True,
        )
    except binascii.Error:
        raise UsageError("The card inside is damaged: its base64 text cannot be read.") from None


def _inflate(data: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        made = unpacker.decompress(data, MAX_TEXT)
    except zlib.error:
        raise UsageError("The card inside is damaged: its compressed text cannot be read.") from None
    if unpacker.unconsumed_tail:
        raise UsageError("The card inside unpacks to more than 8 MB.")
    return made


# --- pictures -----------------------------------------------------------------------------------------------------


def png_texts(data: bytes) -> dict[str, bytes]:
    """The texts in a PNG by their keyword in lower case; of several the last one. Checksums and the end do not matter."""
    found: dict[str, bytes] = {}
    for kind, body in _chunks(data, len(PNG), ">I4s"):
        keyword, _, text = body.partition(b"\0")
        name = keyword.decode("latin-1").lower()
        if kind not in _TEXTS or name not in ("chara", "ccv3", "naidata"):
            continue
        if kind == b"zTXt":
            text = _inflate(text[1:])
        elif kind == b"iTXt":
            packed, text = text[:1] == b"\1", text[2:].split(b"\0", 2)[-1]
            text = _inflate(text) if packed else text
        if len(text) > MAX_TEXT:
            raise UsageError("The card in the picture is longer than 8 MB.")
        found[name] = text
    return found


def _chunks(data: bytes, at: int, head: str) -> Iterator[tuple[bytes, bytes]]:
    """The parts of a PNG or WebP by their kind, from `at` to the end; `head` is how each of them begins."""
    for _ in range(MAX_CHUNKS):
        if at + 8 > len(data):
            return
        one, other = struct.unpack_from(head, data, at)
        size, kind = (one, other) if isinstance(one, int) else (other, one)
        if kind == b"IEND":
            return
        if size > len(data) - at - 8 and kind in _TEXTS:
            raise UsageError("The picture is cut off inside its card.")
        yield kind, data[at + 8 : at + 8 + size] if kind in _WANTED else b""
        at += 12 + size if head[0] == ">" else 8 + size + size % 2
    raise UsageError(f"The picture has more than {MAX_CHUNKS:,} parts.")


_TEXTS = (b"tEXt", b"zTXt", b"iTXt")
_WANTED = (*_TEXTS, b"eXIf", b"EXIF")


def exif_comment(data: bytes) -> bytes | None:
    """The user comment of a JPEG, WebP or PNG, without its character code; None if there is none."""
    exif = _exif(data)
    order = {b"II": "<", b"MM": ">"}.get(exif[:2])
    if order is None or len(exif) < 8:
        return None
    try:
        (first,) = struct.unpack_from(order + "I", exif, 4)
        _, inner = _exif_tag(exif, order, first, 0x8769) or (0, 0)
        found = _exif_tag(exif, order, first, 0x9286) or (inner and _exif_tag(exif, order, inner, 0x9286))
        return exif[found[1] + 8 : found[1] + found[0]] if found else None
    except struct.error:
        return None


def _exif_tag(exif: bytes, order: str, at: int, tag: int) -> tuple[int, int] | None:
    """Size and value of a tag in the directory at `at`."""
    (count,) = struct.unpack_from(order + "H", exif, at)
    entries = (
        struct.unpack_from(order + "HHII", exif, entry) for entry in range(at + 2, at + 2 + 12 * count, 12)
    )
    return next(((size, value) for found, _, size, value in entries if found == tag), None)


def _exif(data: bytes) -> bytes:
    """The EXIF block of a picture, from its TIFF header on; empty if it has none."""
    if data.startswith(PNG):
        return next((body for kind, body in _chunks(data, len(PNG), ">I4s") if kind == b"eXIf"), b"")
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        found = next((body for kind, body in _chunks(data, 12, "<4sI") if kind == b"EXIF"), b"")
        return found.removeprefix(b"Exif\0\0")
    at = 2
    while data[:2] == b"\xff\xd8" and at + 4 <= len(data) and data[at] == 0xFF:
        marker, size = struct.unpack_from(">BH", data, at + 1)
        if marker == 0xE1 and data[at + 4 : at + 10] == b"Exif\0\0":
            return data[at + 10 : at + 2 + size]
        if marker == 0xDA or size < 2:
            break
        at += 2 + size
    return b""


# --- archives -----------------------------------------------------------------------------------------------------


class Archive:
    """A zip in memory. Its members are read within limits; headers are not believed."""

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _BROKEN:
            raise UsageError("The archive is damaged or incomplete.") from None
        if len(self._zip.infolist()) > MAX_MEMBERS:
            raise UsageError(f"The archive contains more than {MAX_MEMBERS:,} files.")
        self.names: tuple[str, ...] = tuple(info.filename for info in self._zip.infolist())
        self._left = MAX_FILE

    def read(self, name: str) -> bytes:
        """A member's content. UsageError if it is encrypted, packed in a way not known, damaged or too large."""
        limit = min(MAX_TEXT, self._left)
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
            raise UsageError(f"{name} in the archive is larger than {limit // 1_000_000} MB.")
        self._left -= len(content)
        return content


def table(value: object) -> dict[str, Any]:
    """A JSON object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """A JSON list; an empty one for anything else."""
    return value if isinstance(value, list) else []
