"""Stories of KoboldAI and KoboldAI Lite: saved files of both kinds, and the texts that Lite shares."""

from __future__ import annotations

import base64
import binascii
import json
import lzma
import re
from collections.abc import Iterator
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.importing.chat import Chat, Message, name_of, plain_text
from theact_tui.importing.json_chats import pages_of, said
from theact_tui.importing.reading import MAX_TEXT, items, parse_json, table

_PICTURE = re.compile(r"\[<\|[ph]\|.*?\|[ph]\|>\]", re.DOTALL)
_COMMAND = re.compile(r"(?:^|\n)> ?([^\n]+)")
_INPUT, _OUTPUT = "{{[INPUT]}}", "{{[OUTPUT]}}"
_TAG = re.compile(r"(\{\{\[(?:INPUT|OUTPUT|SYSTEM)\]\}\})")
_ENDS = re.compile(r"\{\{\[(?:INPUT|OUTPUT|SYSTEM)_END\]\}\}")


def read_share(text: str, source: str) -> Iterator[Chat]:
    """The story in a share text, which is compressed and in base64. UsageError if it is damaged or too large."""
    flat = "".join(text.split())
    try:
        data = base64.urlsafe_b64decode(flat.rstrip("=") + "=" * (-len(flat.rstrip("=")) % 4))
        size = int.from_bytes(data[5:13], "little")
        if size > MAX_TEXT and size != 2**64 - 1:
            raise UsageError("The shared story unpacks to more than 8 MB.")
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=64 * 1024 * 1024)
        raw = unpacker.decompress(data, MAX_TEXT + 1)
    except (binascii.Error, ValueError, lzma.LZMAError, EOFError):
        raise UsageError("The shared story is damaged or incomplete.") from None
    if len(raw) > MAX_TEXT:
        raise UsageError("The shared story unpacks to more than 8 MB.")
    # Lite writes signs beyond the first plane as two halves
    whole = raw.decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    value = parse_json(whole)
    if not isinstance(value, dict):
        raise UsageError("The shared text contains no story.")
    yield from read_kobold(value, source)


def read_kobold(document: dict[str, Any], source: str) -> Iterator[Chat]:
    """The story in a document, and its other branches where it has some; nothing if it has no text."""
    settings = table(document.get("savedsettings"))
    branches = (branch for branch in items(document.get("altbranches")) if isinstance(branch, list))
    texts = [_text(document), *("".join(map(str, branch)) for branch in branches)]
    player = name_of(settings.get("chatname"))
    others = [*filter(None, map(name_of, str(settings.get("chatopponent") or "").split("||$||")))]
    memory = plain_text(document.get("memory") or document.get("cm"))
    note = plain_text(document.get("authorsnote") or document.get("authornote") or document.get("anotestr"))
    newer = table(table(document.get("worldinfo_v2")).get("entries"))
    lore = [*items(document.get("worldinfo") or document.get("cwi")), *newer.values()]
    entries = [entry for each in lore for entry in (each if isinstance(each, list) else [each])]
    # settings may hold addresses and keys: they stay where they are
    kept = json.dumps({key: value for key, value in document.items() if key != "savedsettings"})
    for place, text in enumerate(texts):
        messages = tuple(_messages(_PICTURE.sub("", text), settings, player, others))
        if not messages and not place:
            return
        yield Chat(
            f"{source} branch {place + 1}" if place else source,
            messages,
            player=player,
            setting=memory,
            note=note,
            book={"entries": entries} if entries and not place else None,
            original="" if place else kept,
        )


def _text(document: dict[str, Any]) -> str:
    actions = document.get("actions", document.get("ga"))
    if isinstance(actions, dict):  # the kind of file that tells its version
        kept = table(actions.get("actions"))
        numbers = sorted((key for key in kept if key.isdecimal()), key=lambda key: int(key[:9]))
        actions = [table(kept[key]).get("Selected Text") for key in numbers]
    parts = [document.get("prompt"), *items(actions)]
    return "".join(part for part in parts if isinstance(part, str))


def _messages(text: str, settings: dict[str, Any], player: str, others: list[str]) -> Iterator[Message]:
    """A text by the marks of the mode that it was told in: commands, names, tags, or none of them."""
    match settings.get("opmode"):
        case 2:
            for line, told in _marked(_COMMAND, text):
                yield from said(line, player=True)
                yield from said(told)
        case 3:
            names = sorted({player, "You", *others} - {""}, key=len, reverse=True)
            for name, words in _marked(rf"(?:^|\n)({'|'.join(map(re.escape, names))}): ?", text):
                yield from said(words, name, player=bool(name) and name in (player, "You"))
        case 4:
            for key, tag in (("instruct_starttag", _INPUT), ("instruct_endtag", _OUTPUT)):
                own = settings.get(key)
                if isinstance(own, str) and own.strip():
                    text = text.replace(own.replace("\\n", "\n"), tag)
            for tag, words in _marked(_TAG, _ENDS.sub("", text)):
                name, colon, rest = words.strip().partition(": ")
                known = tag and colon and name in (player, *others)
                who = name if known else others[0] if tag and len(others) == 1 else ""
                if tag in ("", _INPUT, _OUTPUT):
                    yield from said(rest if known else words, who, player=tag == _INPUT)
        case _:
            yield from pages_of(text)


def _marked(pattern: str | re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    """The parts of a text, each with the mark before it; the first one has none."""
    parts = ["", *re.split(pattern, text)]
    return zip(parts[::2], parts[1::2], strict=True)
