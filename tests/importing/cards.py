"""Cards and lorebooks by the rules of their formats, in every container that carries them."""

import base64
import io
import json
import struct
import zipfile
import zlib
from typing import Any

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def v2(**fields: Any) -> dict[str, Any]:
    data = {
        "name": "Sera",
        "description": "{{char}} guards the glade for {{user}}.",
        "first_mes": "Hello, {{user}}.",
    }
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": {**data, **fields}}


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(*texts: bytes) -> bytes:
    """A picture of one grey dot whose texts come behind the pixels."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return SIGNATURE + head + chunk(b"IDAT", zlib.compress(b"\0\0")) + b"".join(texts) + chunk(b"IEND", b"")


def encoded(card: Any) -> bytes:
    return base64.b64encode(json.dumps(card).encode())


def text_chunk(card: Any, keyword: bytes = b"chara") -> bytes:
    return chunk(b"tEXt", keyword + b"\0" + encoded(card))


def zipped_chunk(card: Any) -> bytes:
    return chunk(b"zTXt", b"chara\0\0" + zlib.compress(encoded(card)))


def international_chunk(card: Any, *, packed: bool) -> bytes:
    text = zlib.compress(encoded(card)) if packed else encoded(card)
    return chunk(b"iTXt", b"ccv3\0" + bytes([packed, 0]) + b"en\0\0" + text)


def zipped(*files: tuple[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return out.getvalue()


def charx(card: Any, **more: bytes) -> bytes:
    return zipped(("card.json", json.dumps(card)), *((f"assets/{name}", data) for name, data in more.items()))


def exif(comment: bytes) -> bytes:
    """A TIFF block that holds a user comment in its EXIF directory."""
    body = b"ASCII\0\0\0" + comment
    first = struct.pack("<HHHIII", 1, 0x8769, 4, 1, 26, 0)
    inner = struct.pack("<HHHIII", 1, 0x9286, 7, len(body), 44, 0)
    return b"II*\0" + struct.pack("<I", 8) + first + inner + body


def jpeg(comment: bytes) -> bytes:
    block = b"Exif\0\0" + exif(comment)
    return b"\xff\xd8\xff\xe1" + struct.pack(">H", len(block) + 2) + block + b"\xff\xd9"


def webp(comment: bytes) -> bytes:
    block = exif(comment)
    body = b"WEBPEXIF" + struct.pack("<I", len(block)) + block + b"\0" * (len(block) % 2)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def backyard(character: dict[str, Any], scenario: dict[str, Any]) -> bytes:
    manifest = {"schemaVersion": 1, "characters": ["characters/a.json"], "scenarios": ["scenarios/s.json"]}
    files = {"manifest.json": manifest, "characters/a.json": character, "scenarios/s.json": scenario}
    return zipped(*((name, json.dumps(value)) for name, value in files.items()))
