"""Read text hidden in pictures, such as cards in PNG chunks or EXIF comments."""

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator

from theact_tui.errors import UsageError
from theact_tui.importing.read_untrusted import MAX_TEXT_BYTES

PNG = b"\x89PNG\r\n\x1a\n"
MAX_CHUNKS = 10_000
_KEYWORDS = ("ccv3", "chara", "naidata")
"""PNG chunks of cards V3 and V2 and NovelAI stories, best first."""


def is_picture(data: bytes) -> bool:
    return data.startswith((PNG, b"\xff\xd8\xff")) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")


def hidden_text(data: bytes) -> tuple[str, bytes] | None:
    """Return keyword (`ccv3`, `chara`, `naidata`, `comment`) and decoded text. Raises UsageError if damaged or over
    a limit.
    """
    texts = _png_texts(data) if data.startswith(PNG) else {}
    for keyword in _KEYWORDS:
        if keyword in texts:
            return keyword, _from_base64(_unpacked(*texts[keyword]))
    comment = _exif_comment(data)
    return None if comment is None else ("comment", _from_base64(_comment_bytes(comment)))


def _png_texts(data: bytes) -> dict[str, tuple[bytes, bytes]]:
    texts: dict[str, tuple[bytes, bytes]] = {}
    for kind, body in _chunks(data, len(PNG), ">I4s"):
        keyword, _, content = body.partition(b"\0")
        name = keyword.decode("latin-1").lower()
        if kind in _TEXTS and name in _KEYWORDS:
            texts[name] = kind, content
    return texts


def _unpacked(kind: bytes, content: bytes) -> bytes:
    if kind == b"zTXt":
        return _inflate(content[1:])
    if kind == b"iTXt":
        text = content[2:].split(b"\0", 2)[-1]
        content = _inflate(text) if content[:1] == b"\1" else text
    if len(content) > MAX_TEXT_BYTES:
        raise UsageError("The card in the picture is longer than 8 MB.")
    return content


def _chunks(data: bytes, at: int, head: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield chunks of a PNG or WebP from `at`; `head` is their header."""
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


def _exif_comment(data: bytes) -> bytes | None:
    exif = _exif(data)
    order = {b"II": "<", b"MM": ">"}.get(exif[:2])
    if order is None or len(exif) < 8:
        return None
    try:
        (first,) = struct.unpack_from(order + "I", exif, 4)
        _, inner = _exif_tag(exif, order, first, 0x8769) or (0, 0)
        entry = _exif_tag(exif, order, first, 0x9286) or (inner and _exif_tag(exif, order, inner, 0x9286))
        return exif[entry[1] + 8 : entry[1] + entry[0]] if entry else None
    except struct.error:
        return None


def _exif_tag(exif: bytes, order: str, at: int, tag: int) -> tuple[int, int] | None:
    """Size and value of a tag in the directory at `at`."""
    (count,) = struct.unpack_from(order + "H", exif, at)
    entries = (
        struct.unpack_from(order + "HHII", exif, entry) for entry in range(at + 2, at + 2 + 12 * count, 12)
    )
    return next(((size, value) for entry_tag, _, size, value in entries if entry_tag == tag), None)


def _exif(data: bytes) -> bytes:
    """EXIF block from its TIFF header; empty if missing."""
    if data.startswith(PNG):
        return next((body for kind, body in _chunks(data, len(PNG), ">I4s") if kind == b"eXIf"), b"")
    if data.startswith(b"RIFF"):
        block = next((body for kind, body in _chunks(data, 12, "<4sI") if kind == b"EXIF"), b"")
        return block.removeprefix(b"Exif\0\0")
    at = 2
    while data[:2] == b"\xff\xd8" and at + 4 <= len(data) and data[at] == 0xFF:
        marker, size = struct.unpack_from(">BH", data, at + 1)
        if marker == 0xE1 and data[at + 4 : at + 10] == b"Exif\0\0":
            return data[at + 10 : at + 2 + size]
        if marker == 0xDA or size < 2:
            break
        at += 2 + size
    return b""


def _comment_bytes(comment: bytes) -> bytes:
    """Some programs write bytes as decimals with commas."""
    flat = comment.strip(b"\0 \r\n\t")
    if not flat[:1].isdigit() or b"," not in flat[:5]:
        return flat
    try:
        return bytes(int(part) for part in flat.split(b","))
    except ValueError:
        raise UsageError("The card in the picture is damaged.") from None


def _from_base64(text: bytes) -> bytes:
    """Decode base64 (also URL-safe, unpadded); raw JSON passes."""
    flat = b"".join(text.split())
    if flat[:1] in (b"{", b"["):
        return text
    flat = flat.translate(bytes.maketrans(b"-_", b"+/")).rstrip(b"=")
    try:
        return base64.b64decode(flat + b"=" * (-len(flat) % 4), validate=True)
    except binascii.Error:
        raise UsageError("The card inside is damaged: its base64 text cannot be read.") from None


def _inflate(data: bytes) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(data, MAX_TEXT_BYTES)
    except zlib.error:
        raise UsageError("The card inside is damaged: its compressed text cannot be read.") from None
    if unpacker.unconsumed_tail:
        raise UsageError("The card inside unpacks to more than 8 MB.")
    return unpacked
