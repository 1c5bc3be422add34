"""The text hidden in a picture, such as a character card in a PNG: in its text chunks, or its EXIF comment."""

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator

from theact_tui.errors import UsageError
from theact_tui.importing.read_untrusted import MAX_TEXT

PNG = b"\x89PNG\r\n\x1a\n"
MAX_CHUNKS = 10_000
_KEYWORDS = ("ccv3", "chara", "naidata")
"""The PNG chunks that hold cards of V3, of V2 and stories of NovelAI, the best first."""


def is_picture(data: bytes) -> bool:
    """True for a PNG, JPEG or WebP."""
    return data.startswith((PNG, b"\xff\xd8\xff")) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")


def hidden_text(data: bytes) -> tuple[str, bytes] | None:
    """What is hidden in a picture: `ccv3`, `chara`, `naidata` or `comment`, and the text under it, out of its base64.

    `data` is a picture as `is_picture` tells. None if nothing is hidden; UsageError if it is damaged or not within limits.
    """
    texts = _png_texts(data) if data.startswith(PNG) else {}
    for keyword in _KEYWORDS:
        if keyword in texts:
            return keyword, _from_base64(_unpacked(*texts[keyword]))
    comment = _exif_comment(data)
    return None if comment is None else ("comment", _from_base64(_comment_bytes(comment)))


def _png_texts(data: bytes) -> dict[str, tuple[bytes, bytes]]:
    """The kind and content of the texts in a PNG by their keyword in lower case, not unpacked yet; of several the last
    one. Checksums and the end do not matter."""
    found: dict[str, tuple[bytes, bytes]] = {}
    for kind, body in _chunks(data, len(PNG), ">I4s"):
        keyword, _, content = body.partition(b"\0")
        name = keyword.decode("latin-1").lower()
        if kind in _TEXTS and name in _KEYWORDS:
            found[name] = kind, content
    return found


def _unpacked(kind: bytes, content: bytes) -> bytes:
    """The text of a part of a PNG. UsageError if it is damaged or longer than 8 MB."""
    if kind == b"zTXt":
        return _inflate(content[1:])
    if kind == b"iTXt":
        text = content[2:].split(b"\0", 2)[-1]
        content = _inflate(text) if content[:1] == b"\1" else text
    if len(content) > MAX_TEXT:
        raise UsageError("The card in the picture is longer than 8 MB.")
    return content


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


def _exif_comment(data: bytes) -> bytes | None:
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
    if data.startswith(b"RIFF"):
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


def _comment_bytes(comment: bytes) -> bytes:
    """A picture's user comment; some write its bytes as decimals joined by commas."""
    flat = comment.strip(b"\0 \r\n\t")
    if not flat[:1].isdigit() or b"," not in flat[:5]:
        return flat
    try:
        return bytes(int(part) for part in flat.split(b","))
    except ValueError:
        raise UsageError("The card in the picture is damaged.") from None


def _from_base64(text: bytes) -> bytes:
    """The bytes behind base64 (also the kind for addresses, and without padding); raw JSON stays as it is."""
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
        made = unpacker.decompress(data, MAX_TEXT)
    except zlib.error:
        raise UsageError("The card inside is damaged: its compressed text cannot be read.") from None
    if unpacker.unconsumed_tail:
        raise UsageError("The card inside unpacks to more than 8 MB.")
    return made
