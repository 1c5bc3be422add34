"""Export a branch as a SillyTavern chat, takes as swipes. Unchanged messages of an imported chat keep all their
fields.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Self

from theact_tui.importing.sillytavern import OUR_EXTRA, json_lines, read_message
from theact_tui.importing.turn_facts import facts_of
from theact_tui.saves.save import Save
from theact_tui.story.game import Game
from theact_tui.story.turn import Entry, Turn

_NARRATOR = "Narrator"
Key = tuple[str, str, str]
"""Role, name and words."""
Version = tuple[Entry, ...]


def to_jsonl(save: Save[Game], branch: str | None = None) -> str:
    """Return the chat of a branch (default: the current one): a head line, then one per entry."""
    on = branch or save.branch
    game = save.state_at(branch=on)
    turns = save.turns(1, game.state.turn, on)
    versions_of_turns = [
        (turn, [version.ordered_entries for version in save.versions(turn.number, on)]) for turn in turns
    ]
    original = _Original.nearest(
        save, on, [_key(game, entry) for turn in turns for entry in turn.ordered_entries]
    )
    lines = [original.head or _head(game)]
    for turn, versions in versions_of_turns:
        for place, entry in enumerate(turn.ordered_entries):
            swipes = list(_swipes(turn.ordered_entries, versions, place))
            old, passed = original.take(_key(game, entry))
            lines += passed
            lines.append(
                _original_message(old, turn, place, swipes, game) if old else _line(turn, place, swipes, game)
            )
    lines += original.passed()
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)


def _name(game: Game, entry: Entry) -> str:
    if entry.role == "character":
        return game.pack.name_of(entry.character or "")
    return game.info.player.name if entry.role == "player" else _NARRATOR


def _key(game: Game, entry: Entry) -> Key:
    return entry.role, _name(game, entry) if entry.role == "character" else "", entry.text


class _Original:
    """Original chat, read in step with the story."""

    def __init__(self, head: dict[str, Any] | None = None, lines: Sequence[dict[str, Any]] = ()) -> None:
        self.head = head
        self._lines = lines
        read = (read_message(line, defaultdict(list)) for line in lines)
        self._keys = [(one.role, one.name, one.text) if one else None for one in read]
        self._at = 0

    @classmethod
    def nearest(cls, save: Save[Game], branch: str, keys: Sequence[Key]) -> Self:
        """Return the imported chat with most of these messages."""
        files = save.files(save.place(branch))
        texts: defaultdict[str, bytes] = defaultdict(bytes)
        for name in files.names("imported"):
            if name.endswith(".jsonl"):
                texts[name.partition("-")[0]] += files.need(f"imported/{name}")
        best, most = cls(), 0
        for data in texts.values():
            lines, _ = json_lines(data.decode(errors="replace"))
            head = lines.pop(0) if lines and "mes" not in lines[0] else None
            candidate = cls(head, lines)
            messages = set(candidate._keys)
            count = sum(key in messages for key in keys)
            if count > most:
                best, most = candidate, count
        return best

    def take(self, key: Key) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
        """Return the next message with this key, if any, and the skipped ones that are not in the story."""
        if key not in self._keys[self._at :]:
            return None, []
        place = self._keys.index(key, self._at)
        passed = self.passed(place)
        self._at = place + 1
        return self._lines[place], passed

    def passed(self, end: int | None = None) -> list[dict[str, Any]]:
        """Return the remaining messages that are not in the story, up to a place."""
        places = range(self._at, len(self._lines) if end is None else end)
        return [self._lines[place] for place in places if self._keys[place] is None]


def _swipes(current: Version, versions: Sequence[Version], place: int) -> Iterator[Version]:
    """Yield the versions of a place in a turn, in the order of takes; none if there is only one."""
    others = [version for version in versions if version != current and _parts(current, version) == place]
    if not others:
        return
    for version in versions if current in versions else (*versions, current):
        if version == current:
            yield current[place : place + 1]
        elif version in others:
            yield version[place:]


def _parts(current: Version, version: Version) -> int:
    same = next((n for n, (a, b) in enumerate(zip(current, version, strict=False)) if a != b), None)
    return min(len(current), len(version)) - 1 if same is None else same


def _swipe_fields(entry: Entry, swipes: Sequence[Version], game: Game) -> dict[str, Any]:
    if not swipes:
        return {}
    texts, infos = [], []
    for version in swipes:
        is_plain = len(version) == 1 and _key(game, version[0])[:2] == _key(game, entry)[:2]
        parts = [{"role": one.role, "name": _name(game, one), "text": one.text} for one in version]
        whole = "\n\n".join(f"{part['name']}: {part['text']}" for part in parts)
        texts.append(version[0].text if is_plain else whole)
        infos.append({"extra": {} if is_plain else {OUR_EXTRA: {"entries": parts}}})
    return {"swipe_id": list(swipes).index((entry,)), "swipes": texts, "swipe_info": infos}


def _original_message(
    old: dict[str, Any], turn: Turn, place: int, swipes: Sequence[Version], game: Game
) -> dict[str, Any]:
    """Return the original message with current swipes, and who heard it if not everyone did."""
    entry, message = turn.ordered_entries[place], read_message(old, defaultdict(list))
    if turn.stage or turn.heard or set(turn.witnesses) != set(game.chapter.characters):
        extra = old.get("extra")
        old = {
            **old,
            "extra": {**(extra if isinstance(extra, dict) else {}), OUR_EXTRA: _ours(turn, place, game)},
        }
    before = {"\n".join(one.text for one in take) for take in (message.takes if message else ())}
    if {"\n".join(one.text for one in version) for version in swipes} != before:
        return {**old, **_swipe_fields(entry, swipes, game)}
    return old


def _ours(turn: Turn, place: int, game: Game) -> dict[str, Any]:
    ours: dict[str, Any] = {"turn": turn.number, **({} if place else facts_of(turn, game.pack.names))}
    return ours | ({"role": "system"} if turn.ordered_entries[place].role == "system" else {})


def _line(turn: Turn, place: int, swipes: Sequence[Version], game: Game) -> dict[str, Any]:
    entry = turn.ordered_entries[place]
    extra = {"type": "narrator"} if entry.role in ("narrator", "system") else {}
    name = _name(game, entry)
    is_group = len(game.pack.characters) > 1 and entry.role == "character"
    return {
        "name": name,
        "is_user": entry.role == "player",
        "is_system": False,
        "send_date": turn.at,
        "mes": entry.text,
        "extra": {**extra, OUR_EXTRA: _ours(turn, place, game)},
        **({"original_avatar": f"{name}.png"} if is_group else {}),
        **_swipe_fields(entry, swipes, game),
    }


def _head(game: Game) -> dict[str, Any]:
    cast = [card.name for card in game.pack.characters.values()]
    note = game.state.steering.note
    return {
        "user_name": game.info.player.name,
        "character_name": cast[0] if len(cast) == 1 else "unused",
        "create_date": game.info.created,
        "chat_metadata": {"note_prompt": note} if note else {},
    }
