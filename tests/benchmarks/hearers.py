"""How well it is guessed who heard what in group chats, against conversations whose hearers people marked.

    python -m tests.benchmarks.hearers Percept-FANToM-conv_with_perceivers.csv [odd|even]

The file is of the repository chanijung/PercepToM, folder dataset/Percept_FANToM; it is brought onto the machine, not kept
here. Rows whose first column is odd are for building, the even ones for checking. A pair is a message and a person of its
conversation. Leak: heard by our guess and not by the mark; miss: the reverse; both in percent of all pairs.
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from theact_tui.importing.chat_files import read_chats
from theact_tui.importing.hearers import with_hearers

Conversation = list[tuple[str, str, frozenset[str]]]
"""Who says what, and who is marked as hearing it."""


def conversations(file: Path, odd: bool) -> Iterator[Conversation]:
    """The marked conversations of the file."""
    with file.open(newline="", encoding="utf-8") as rows:
        for row in list(csv.reader(rows))[1:]:
            if int(row[0]) % 2 == odd:
                told = (pair for message in json.loads(row[3]) for pair in message.items())
                parted = ((*_parted(said), frozenset(hearers)) for said, hearers in told)
                yield [each for each in parted if each[1].strip()]  # a few messages have no words


def _parted(said: str) -> tuple[str, str]:
    speaker, _, text = said.partition(": ")
    return speaker, text


def imported(told: Conversation) -> list[set[str]]:
    """Who hears each message of the conversation, imported as the group chat of another program."""
    lines: list[dict[str, object]] = [{"user_name": "You", "character_name": "unused"}]
    lines += [{"name": name, "is_user": False, "mes": text} for name, text, _ in told]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "chat.jsonl"
        file.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
        chats, _ = read_chats([file])
    messages = with_hearers(chats[0]).messages
    return [set(message.hearers or chats[0].cast) for message in messages]


def everybody(told: Conversation) -> list[set[str]]:
    """What was believed before: all hear all."""
    return [{speaker for speaker, _, _ in told}] * len(told)


def measured(
    told: Sequence[Conversation], guess: Callable[[Conversation], list[set[str]]]
) -> dict[str, float]:
    """Leaks and misses in percent of all pairs."""
    leaks = misses = pairs = 0
    for conversation in told:
        people = {name for speaker, _, hearers in conversation for name in (speaker, *hearers)}
        for heard, (_, _, marked) in zip(guess(conversation), conversation, strict=True):
            pairs += len(people)
            leaks += len((heard & people) - marked)
            misses += len(marked - heard)
    return {"leak": round(100 * leaks / pairs, 2), "miss": round(100 * misses / pairs, 2), "pairs": pairs}


def main(file: str, half: str = "odd") -> None:
    told = list(conversations(Path(file), half == "odd"))
    figures = {
        "conversations": len(told),
        "ours": measured(told, imported),
        "all hear all": measured(told, everybody),
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
