"""How well the hearers of an imported group chat are guessed, on conversations with marked perceivers. Prints JSON.

    python -m tests.benchmarks.percept FOLDER [--check]

FOLDER holds `Percept-FANToM-conv_with_perceivers.csv` somewhere, as the repository chanijung/PercepToM does. Odd
conversations are measured; with `--check` the even ones, which are kept from tuning. A pair is a message and somebody of
its conversation who does not speak it. Leaked: heard by the guess alone; missed: heard by the marks alone; shares of all.
"""

import argparse
import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from theact_tui.importing.chat import guessed

FILE = "Percept-FANToM-conv_with_perceivers.csv"

Messages = Sequence[tuple[str, str]]
Guess = Callable[[Messages], Sequence[Sequence[str]]]


@dataclass(frozen=True)
class Conversation:
    """Who says what, and who is marked as having perceived each message."""

    number: int
    messages: Messages
    perceivers: Sequence[frozenset[str]]

    @property
    def people(self) -> frozenset[str]:
        """Who is marked anywhere; a few messages are told as by several at once, who are nobody of their own."""
        return frozenset[str]().union(*self.perceivers)


def read(folder: Path) -> list[Conversation]:
    """The conversations of the file, in its order."""
    found = sorted(folder.rglob(FILE))
    if not found:
        raise SystemExit(f"No {FILE} in {folder}")
    made: list[Conversation] = []
    with found[0].open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            marked = [pair for one in json.loads(row["conversation_with_perceivers"]) for pair in one.items()]
            said = [tuple(text.split(": ", 1)) for text, _ in marked]
            messages = [(one[0], one[-1]) for one in said]
            made.append(
                Conversation(int(row[""]), messages, [frozenset(perceivers) for _, perceivers in marked])
            )
    return made


def everybody(messages: Messages) -> list[list[str]]:
    """The baseline: all who speak hear all."""
    people = list(dict.fromkeys(speaker for speaker, _ in messages))
    return [people for _ in messages]


def measured(conversations: Sequence[Conversation], guess: Guess) -> dict[str, float]:
    """Shares of pairs leaked and missed by a guess, in percent."""
    pairs = leaked = missed = 0
    for one in conversations:
        for (speaker, _), heard, marked in zip(
            one.messages, guess(one.messages), one.perceivers, strict=True
        ):
            others = one.people - {speaker}
            pairs += len(others)
            leaked += len(others & (set(heard) - marked))
            missed += len(others & (marked - set(heard)))
    return {"leaked": round(100 * leaked / pairs, 2), "missed": round(100 * missed / pairs, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true", help="the even conversations")
    options = parser.parse_args()
    kept = [one for one in read(options.folder) if one.number % 2 == (not options.check)]
    figures = {
        "conversations": len(kept),
        "messages": sum(len(one.messages) for one in kept),
        "pairs": sum(len(one.people - {speaker}) for one in kept for speaker, _ in one.messages),
        "the program's guess, %": measured(kept, guessed),
        "everybody hears all, %": measured(kept, everybody),
        "goal, %": {"leaked": 3.0, "missed": 2.0},
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
