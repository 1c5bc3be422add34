"""Readers of chats in JSON, and of texts shared by KoboldAI Lite."""

import base64
import binascii
import json
import lzma
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.importing.card_to_character import CHARACTER_AI, TALEMATE, read_card
from theact_tui.importing.chat import MAX_TAKES, Chat, ChatMessage, iso_date, name_of
from theact_tui.importing.plain import plain_text
from theact_tui.importing.read_untrusted import MAX_TEXT_BYTES, items, parse_json, table
from theact_tui.importing.report import LeftOut, document_words
from theact_tui.story.turn import Role
from theact_tui.text import counted, words

PAGE_LETTERS = 1_200
"""After these a page ends with its paragraph."""
GREETING = "<|BEGIN-VISIBLE-CHAT|>"
"""Placeholder of text-generation-webui for the player's line before a greeting."""


def _message_of(
    text: object, name: str = "", *, player: bool = False, at: object = None
) -> list[ChatMessage]:
    """Build a message, or none without words."""
    words = plain_text(text)
    role: Role = "player" if player else "character" if name else "narrator"
    return [ChatMessage(role, words, "" if player else name, at=iso_date(at))] if words else []


def read_textgen(document: dict[str, Any], source: str) -> Iterator[Chat]:
    pairs = items(document["internal"] if "internal" in document else document["data"])
    metadata = table(document.get("metadata"))
    name = name_of(document.get("character") or document.get("name2"), "Assistant")
    messages: list[ChatMessage] = []
    for place, pair in enumerate(pairs):
        user, reply = (*pair, "", "")[:2] if isinstance(pair, list) else ("", "")
        messages += _message_of(user, player=True) if user != GREETING else []
        versions = table(metadata.get(f"assistant_{place}"))
        answer = _message_of(reply, name, at=versions.get("timestamp"))
        takes: dict[str, tuple[ChatMessage, ...]] = {}
        for entry in items(versions.get("versions"))[:MAX_TAKES]:
            takes |= {version.text: (version,) for version in _message_of(table(entry).get("content"), name)}
        if answer and len(takes) > 1 and answer[0].text in takes:
            answer = [replace(answer[0], takes=tuple(takes.values()))]
        messages += answer
    yield Chat(source, tuple(messages), player=name_of(document.get("name1")))


def read_agnai(document: dict[str, Any], source: str) -> Iterator[Chat]:
    names: dict[str, str] = {}
    messages = _message_of(document.get("greeting"), name_of(document.get("name"), "Character"))
    for line in map(table, items(document.get("messages"))):
        person = line.get("characterId")
        if person and str(person) not in names:
            number = f" {len(names) + 1}" if names else ""
            names[str(person)] = name_of(line.get("name") or document.get("name"), "Character" + number)
        name = names.get(str(person), "") if person else ""
        messages_read = _message_of(
            line.get("msg"), name, player=bool(line.get("userId")), at=line.get("createdAt")
        )
        messages += [
            one for one in messages_read if not messages or one.text != messages[0].text or len(messages) > 1
        ]
    yield Chat(source, tuple(messages), setting=plain_text(document.get("scenario")))


def read_cai(document: dict[str, Any], source: str) -> Iterator[Chat]:
    """Read the chats; rejected replies become versions of the chosen one."""
    character = table(table(document.get("info")).get("character"))
    people = {card.name: card for card in [read_card(character, "Character", CHARACTER_AI)] if character}
    for place, history in enumerate(map(table, items(document["histories"]["histories"])), 1):
        messages: list[ChatMessage] = []
        rejected: list[ChatMessage] = []
        player = ""
        for line in map(table, items(history.get("msgs"))):
            src = table(line.get("src"))
            person = table(src.get("user")) or src
            human = src.get("is_human") is True
            name = name_of(src.get("name") or person.get("name"), "Character")
            player = player or (name if human and name != "Character" else "")
            new = _message_of(line.get("text"), name, player=human, at=line.get("created"))
            if line.get("is_alternative") is True and not human:
                rejected += new
                continue
            messages += [*_chosen(rejected, []), *new] if human else _chosen(rejected, new)
            rejected = []
        messages += _chosen(rejected, [])
        yield Chat(f"{source} {place}", tuple(messages), player=player, people=people)


def _chosen(rejected: list[ChatMessage], chosen: list[ChatMessage]) -> list[ChatMessage]:
    """Attach rejected replies before a reply as versions; without a choice, the last counts."""
    versions = [*rejected, *chosen][:MAX_TAKES]
    if len(versions) < 2:
        return versions
    return [replace(versions[-1], takes=tuple((version,) for version in versions))]


def read_risu(document: dict[str, Any], source: str) -> Iterator[Chat]:
    data = document.get("data")
    for place, chat in enumerate(map(table, data if isinstance(data, list) else [data]), 1):
        messages: list[ChatMessage] = []
        remarks: list[str] = []
        for line in map(table, items(chat.get("message"))):
            if line.get("isComment") is True:
                remarks.append(plain_text(line.get("data")))
                continue
            name, is_player = name_of(line.get("name"), "Character"), line.get("role") == "user"
            new = _message_of(line.get("data"), name, player=is_player, at=line.get("time"))
            messages += [replace(one, hidden=bool(line.get("disabled"))) for one in new]
        if messages and (summary := "\n".join(_summaries(chat))):
            messages[-1] = replace(messages[-1], summary=summary)
        left = [LeftOut("the greeting, which this format keeps in the card")]
        if any(remarks):
            many = counted(len(remarks), "remark")
            left.append(LeftOut.counted(f"{many} that were no part of the chat", "\n".join(remarks)))
        lore = items(chat.get("localLore"))
        yield Chat(
            f"{source} {place}" if place > 1 else source,
            tuple(messages),
            title=name_of(chat.get("name")),
            note=plain_text(chat.get("note")),
            book={"type": "risu", "data": lore} if lore else None,
            left_out=tuple(left),
        )


def _summaries(chat: dict[str, Any]) -> Iterator[str]:
    summaries = [*items(table(chat.get("hypaV3Data")).get("summaries"))]
    summaries += items(table(chat.get("hypaV2Data")).get("mainChunks"))
    texts = [*(table(entry).get("text") for entry in summaries), chat.get("supaMemoryData")]
    return filter(None, map(plain_text, texts))


def talemate_people(scene: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """List a scene's people; older scenes keep inactive ones apart."""
    listed = [table(card) for card in items(scene.get("characters"))]
    named = {str(card.get("name") or ""): card for card in listed} | table(scene.get("character_data"))
    return {name_of(name): table(card) for name, card in named.items() if name_of(name)}


def scene_setting(scene: dict[str, Any]) -> str:
    texts = (plain_text(scene.get(key)) for key in ("description", "context"))
    return "\n\n".join(dict.fromkeys(filter(None, texts)))


def read_talemate(document: dict[str, Any], source: str) -> Iterator[Chat]:
    people = talemate_people(document)
    player = next((name for name, card in people.items() if card.get("is_player") is True), "")
    messages = _message_of(document.get("intro"))
    others: list[str] = []
    left: list[LeftOut] = []
    if player:
        note = f"What the file says of {player}, who is the player: say it when you begin a story"
        left.append(LeftOut.counted(note, document_words(people[player])))
    for line in map(table, items(document.get("history"))):
        name, _, words = str(line.get("message") or "").partition(":")
        match line.get("typ"):
            case "character":
                by_player = line.get("source") == "player" or name_of(name) == player
                messages += _message_of(words, name_of(name, "Somebody"), player=by_player)
            case "narrator":
                messages += _message_of(line.get("message"))
            case _:
                others.append(document_words(line))
    if others:
        many = counted(len(others), "note")
        left.append(LeftOut.counted(f"{many} of the director and other programs", "\n".join(others)))
    archived = [plain_text(table(entry).get("text")) for entry in items(document.get("archived_history"))]
    if messages and any(archived):
        messages[-1] = replace(messages[-1], summary=" ".join(filter(None, archived)))
    yield Chat(
        source,
        tuple(messages),
        player=player,
        title=name_of(document.get("title") or document.get("name")),
        setting=scene_setting(document),
        people={name: read_card(card, name, TALEMATE) for name, card in people.items() if name != player},
        left_out=tuple(left),
    )


def read_backyard(document: dict[str, Any], source: str) -> Iterator[Chat]:
    """Read an archive, an older card, or an exported chat. None without the player's lines."""
    character = table(document.get("character"))
    card = next((table(item) for item in items(document.get("characters"))), character)
    name = name_of(card.get("name") or card.get("aiName") or card.get("displayName"), "Character")
    older = (*items(character.get("Chat")), document.get("chat"))
    old = [{"items": table(item).get("ChatItems")} for item in older]
    place = 0
    for scene in (*map(table, items(document.get("scenarios"))), *old):
        lines = items(scene.get("messages")) or [
            part for item in items(scene.get("items")) for part in _item(item)
        ]
        if not lines:
            continue
        place += 1
        greetings = (table(item).get("text") for item in items(scene.get("firstMessages")))
        messages = _message_of(_named(next(greetings, character.get("firstMessage")), name), name)
        for line in map(table, lines):
            if line.get("type") == "human":
                messages += _message_of(_named(line.get("text"), name), player=True, at=line.get("createdAt"))
                continue
            outputs = sorted(
                map(table, items(line.get("outputs"))), key=lambda one: str(one.get("activeTimestamp") or "")
            )
            takes = [
                take
                for one in outputs
                for take in _message_of(_named(one.get("text"), name), name, at=one.get("createdAt"))
            ]
            versions = tuple((take,) for take in takes[-MAX_TAKES:])
            messages += [replace(take, takes=versions if len(takes) > 1 else ()) for take in takes[-1:]]
        yield Chat(
            f"{source} {place}" if place > 1 else source,
            tuple(messages),
            title=name_of(scene.get("title")),
            setting=plain_text(_named(scene.get("narrative"), name)),
        )


def _item(item: object) -> list[dict[str, Any]]:
    pair = table(item)
    outputs = [*items(pair.get("RegenSwipes")), {"text": pair.get("output"), "activeTimestamp": "~"}]
    unique = {str(table(one).get("text")): table(one) for one in outputs}
    at = pair.get("createdAt")
    return [{"type": "human", "text": pair.get("input"), "createdAt": at}, {"outputs": [*unique.values()]}]


def _named(text: object, name: str) -> object:
    return text.replace("{character}", name).replace("{user}", "{{user}}") if isinstance(text, str) else text


def read_novelai(document: dict[str, Any], source: str) -> Iterator[Chat]:
    content = table(document.get("content"))
    story = table(content.get("story"))
    fragments = (table(fragment).get("data") for fragment in items(story.get("fragments")))
    text = story.get("text") or "".join(part for part in fragments if isinstance(part, str))
    card = read_card(document, source)
    yield Chat(
        source,
        tuple(pages_of(text if isinstance(text, str) else "")),
        title=card.title,
        setting=plain_text(card.scenario),
        note=plain_text(card.tone),
        book=card.book,
    )


def pages_of(text: str) -> Iterator[ChatMessage]:
    """Cut a text without markers into pages at paragraphs."""
    page = ""
    for paragraph in text.split("\n\n"):
        page += f"\n\n{paragraph}" if page else paragraph
        if len(page) >= PAGE_LETTERS:
            yield from _message_of(page)
            page = ""
    yield from _message_of(page)


# --- KoboldAI -------------------------------------------------------------------------------------------------------

_PICTURE = re.compile(r"\[<\|[ph]\|.*?\|[ph]\|>\]", re.DOTALL)
_COMMAND = re.compile(r"(?:^|\n)> ?([^\n]+)")
_INPUT, _OUTPUT = "{{[INPUT]}}", "{{[OUTPUT]}}"
_TAG = re.compile(r"(\{\{\[(?:INPUT|OUTPUT|SYSTEM)\]\}\})")
_ENDS = re.compile(r"\{\{\[(?:INPUT|OUTPUT|SYSTEM)_END\]\}\}")


def read_share(text: str, source: str) -> Iterator[Chat]:
    """Read a share text (compressed, base64). Raises UsageError if damaged or too large."""
    flat = "".join(text.split())
    try:
        data = base64.urlsafe_b64decode(flat.rstrip("=") + "=" * (-len(flat.rstrip("=")) % 4))
        size = int.from_bytes(data[5:13], "little")
        if size > MAX_TEXT_BYTES and size != 2**64 - 1:
            raise UsageError("The shared story unpacks to more than 8 MB.")
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=64 * 1024 * 1024)
        raw = unpacker.decompress(data, MAX_TEXT_BYTES + 1)
    except (binascii.Error, ValueError, lzma.LZMAError, EOFError):
        raise UsageError("The shared story is damaged or incomplete.") from None
    if len(raw) > MAX_TEXT_BYTES:
        raise UsageError("The shared story unpacks to more than 8 MB.")
    # Lite writes signs beyond the first plane as two halves
    whole = raw.decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    value = parse_json(whole)
    if not isinstance(value, dict):
        raise UsageError("The shared text contains no story.")
    yield from read_kobold(value, source)


def read_kobold(document: dict[str, Any], source: str) -> Iterator[Chat]:
    """Read the story and its branches; none without text."""
    settings = table(document.get("savedsettings"))
    branches = (branch for branch in items(document.get("altbranches")) if isinstance(branch, list))
    texts = [_kobold_text(document), *("".join(map(str, branch)) for branch in branches)]
    player = name_of(settings.get("chatname"))
    others = [*filter(None, map(name_of, str(settings.get("chatopponent") or "").split("||$||")))]
    memory = plain_text(document.get("memory") or document.get("cm"))
    note = plain_text(document.get("authorsnote") or document.get("authornote") or document.get("anotestr"))
    newer = table(table(document.get("worldinfo_v2")).get("entries"))
    lore = [*items(document.get("worldinfo") or document.get("cwi")), *newer.values()]
    entries = [entry for group in lore for entry in (group if isinstance(group, list) else [group])]
    left: tuple[LeftOut, ...] = ()
    unused = {name: value for name, value in settings.items() if name not in ("chatname", "chatopponent")}
    if words(unused_words := document_words(unused)):
        many = counted(words(unused_words), "word")
        note = f"The settings of the program ({many}): they may hold keys, so they are not kept."
        left = (LeftOut(note, unused_words),)
    original = json.dumps({key: value for key, value in document.items() if key != "savedsettings"})
    for place, text in enumerate(texts):
        messages = tuple(_kobold_messages(_PICTURE.sub("", text), settings, player, others))
        if not messages and not place:
            return
        yield Chat(
            f"{source} branch {place + 1}" if place else source,
            messages,
            player=player,
            setting=memory,
            note=note,
            book={"entries": entries} if entries and not place else None,
            left_out=() if place else left,
            original="" if place else original,
        )


def _kobold_text(document: dict[str, Any]) -> str:
    actions = document.get("actions", document.get("ga"))
    if isinstance(actions, dict):  # the kind of file that tells its version
        actions_by_id = table(actions.get("actions"))
        numbers = sorted((key for key in actions_by_id if key.isdecimal()), key=lambda key: int(key[:9]))
        actions = [table(actions_by_id[key]).get("Selected Text") for key in numbers]
    parts = [document.get("prompt"), *items(actions)]
    return "".join(part for part in parts if isinstance(part, str))


def _kobold_messages(
    text: str, settings: dict[str, Any], player: str, others: list[str]
) -> Iterator[ChatMessage]:
    """Split a text by its mode's markers: commands, names, tags, or none."""
    match settings.get("opmode"):
        case 2:
            for line, content in _marked(_COMMAND, text):
                yield from _message_of(line, player=True)
                yield from _message_of(content)
        case 3:
            names = sorted({player, "You", *others} - {""}, key=len, reverse=True)
            for name, words in _marked(rf"(?:^|\n)({'|'.join(map(re.escape, names))}): ?", text):
                yield from _message_of(words, name, player=bool(name) and name in (player, "You"))
        case 4:
            for key, tag in (("instruct_starttag", _INPUT), ("instruct_endtag", _OUTPUT)):
                own = settings.get(key)
                if isinstance(own, str) and own.strip():
                    text = text.replace(own.replace("\\n", "\n"), tag)
            for tag, words in _marked(_TAG, _ENDS.sub("", text)):
                name, colon, rest = words.strip().partition(": ")
                is_speaker = tag and colon and name in (player, *others)
                name_before = name if is_speaker else others[0] if tag and len(others) == 1 else ""
                if tag in ("", _INPUT, _OUTPUT):
                    yield from _message_of(rest if is_speaker else words, name_before, player=tag == _INPUT)
        case _:
            name = _partner(text)
            for speaker, words in _marked(rf"(?:^|\n)({re.escape(name)}|You): ?", text) if name else ():
                yield from _message_of(words, speaker, player=speaker == "You")
            yield from pages_of(text) if not name else ()


_LABEL = re.compile(r"([^\s:\"“][^\n:\"“]{0,39}): ?")


def _partner(text: str) -> str:
    """Return the only other speaker in a text of `You:` lines, or ""."""
    labels = [
        label and label[1] for line in text.split("\n") if line.strip() for label in [_LABEL.match(line)]
    ]
    names = {*labels} - {"You"}
    name = names.pop() if len(names) == 1 and "You" in labels else None
    return name or ""


def _marked(pattern: str | re.Pattern[str], text: str) -> Iterator[tuple[str, str]]:
    """Split a text at markers; the first part has none."""
    parts = ["", *re.split(pattern, text)]
    return zip(parts[::2], parts[1::2], strict=True)
