"""Make told evenings equal for a reader, and count what the reader ranked.

    python -m tests.benchmarks.readings transcript SAVE > ours.md
    python -m tests.benchmarks.readings pair LINES ONE.md OTHER.md --seed N --out FOLDER
    python -m tests.benchmarks.readings versions LINES OURS.md PAGE.txt --turn N --seed N --out FOLDER
    python -m tests.benchmarks.readings count FOLDER/KEY RANKS --ours NAME
    python -m tests.benchmarks.readings turns PACK EVENING...
    python -m tests.benchmarks.readings within [--from STEP]

`versions` shows an evening up to a turn that was told again with another order, and both versions of it. `turns` counts
each turn of a pack over all readings of these evenings: a turn that is lost again and again has a wrong beat. `within`
compares turns of the same reading, for one teller differs from the next by more than any order does: how many more turns
of a hundred are won where a page of ours or of the chat asks at its end, with ten words, a word to the sentence or a
paragraph more than the chat, and where our page was asked for a beat more (`beats.txt`: how many each page of an evening was
asked for).

A transcript has `## n` before what was told after line n, 0 for the first page. `pair` writes both under letters, and the key
to them beside it. Ranks are rows of a turn's number and six letters, or `=` for a tie, in the order of `QUESTIONS`.
"""

import argparse
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from math import sqrt
from pathlib import Path
from statistics import fmean

from theact_tui.saves.save import Save

QUESTIONS = ("go on", "people", "facts", "moves", "line", "written")


def transcript_of(save: Path) -> str:
    parts: list[str] = []
    for number, turn in enumerate(Save.open(save).turns(1, 999)):
        texts = [
            f"{entry.character.upper()}\n{entry.text}" if entry.character else entry.text
            for entry in turn.ordered_entries
            if entry.role in ("narrator", "character")
        ]
        parts.append(f"## {number}\n\n" + "\n\n".join(texts))
    return "\n\n".join(parts)


def read_transcript(text: str) -> dict[int, str]:
    told: dict[int, str] = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        number, _, page = part.partition("\n")
        told[int(number)] = re.sub(r"^> .*\n", "", page.strip()).strip()
    return told


def pair(lines: list[str], transcripts: dict[str, str], seed: int) -> tuple[str, str]:
    """Return both tellings under letters, in random order, and the key."""
    dice = random.Random(seed)
    names = list(transcripts)
    dice.shuffle(names)
    letters = dice.sample("KLMPQRTVXZ", len(names))
    texts: list[str] = []
    for letter, name in zip(letters, names, strict=True):
        told = read_transcript(transcripts[name])
        turns = [f"## {n}\n> {line}\n\n{told.get(n, '')}" for n, line in enumerate(lines, 1)]
        texts.append("\n\n".join([f"# Text {letter}", f"## 0\n\n{told.get(0, '')}", *turns]))
    return "\n\n\n".join(texts), "\n".join(f"{a} {b}" for a, b in zip(letters, names, strict=True))


def versions(lines: list[str], transcript: str, page: str, turn: int, seed: int) -> tuple[str, str]:
    """Return an evening whose last turn stands there as told and as told again, in random order, and the key."""
    told = read_transcript(transcript)
    both = {"old": told[turn], "new": page.strip()}
    names = random.Random(seed).sample(list(both), 2)
    turns = [f"## {n}\n> {line}\n\n{told.get(n, '')}" for n, line in enumerate(lines[: turn - 1], 1)]
    pages = [f"### Version {letter}\n\n{both[name]}" for letter, name in zip("AB", names, strict=True)]
    text = "\n\n".join([f"## 0\n\n{told.get(0, '')}", *turns, f"## {turn}\n> {lines[turn - 1]}", *pages])
    return text, "\n".join(f"{letter} {name}" for letter, name in zip("AB", names, strict=True))


def ranked(ranks: str, letters: set[str]) -> Iterator[tuple[int, str, str]]:
    """Return turn, question and letter of all ranks; turn 0 is left out."""
    for row in ranks.splitlines():
        number, *ranks_of_turn = re.findall(r"[A-Za-z0-9=]+", row) or [""]
        if (
            number.isdecimal()
            and int(number)
            and len(ranks_of_turn) == 6
            and {*ranks_of_turn} <= letters | {"="}
        ):
            yield from ((int(number), *pair) for pair in zip(QUESTIONS, ranks_of_turn, strict=True))


def count(key: dict[str, str], ranks: str, ours: str) -> dict[str, tuple[int, int, int]]:
    """Return by question the turns won by `ours`, by the other one, and ties."""
    totals = {question: [0, 0, 0] for question in QUESTIONS}
    for _, question, letter in ranked(ranks, {*key}):
        totals[question][2 if letter == "=" else int(key[letter] != ours)] += 1
    return {question: (won, lost, ties) for question, (won, lost, ties) in totals.items()}


def read_key(file: Path) -> dict[str, str]:
    return dict(row.split() for row in file.read_text("utf-8").splitlines())


def turns(pack: str, evenings: list[str]) -> Iterator[str]:
    """Return a row for each turn: readings won by these evenings, and lost, for each question."""
    totals: Counter[tuple[int, str, bool]] = Counter()
    for file in sorted((Path(__file__).parent / "ranks").glob(f"{pack}-*.key")):
        key = read_key(file)
        if {*key.values()} & {*evenings}:
            for turn, question, letter in ranked(file.with_suffix(".txt").read_text("utf-8"), {*key}):
                if letter != "=":
                    totals[turn, question, key[letter] in evenings] += 1
    for turn in sorted({turn for turn, *_ in totals}):
        cells = (f"{totals[turn, one, True]} : {totals[turn, one, False]}" for one in QUESTIONS)
        yield f"{turn:4}  " + "  ".join(f"{cell:>10}" for cell in cells)


def words_a_sentence(page: str) -> float:
    return len(page.split()) / max(1, len(re.findall(r"[.!?][\"”]?(?:\s|$)", page)))


def within(first: int) -> Iterator[str]:
    """Return a row for each question: what goes with turns won, among turns of the same reading, with a standard error."""
    signs: tuple[tuple[str, Callable[[str, str, int | None], float | None]], ...] = (
        ("ours asks", lambda ours, chat, beats: "?" in ours[-60:]),
        ("the chat asks", lambda ours, chat, beats: "?" in chat[-60:]),
        ("ten words", lambda ours, chat, beats: (len(ours.split()) - len(chat.split())) / 10),
        ("words a sentence", lambda ours, chat, beats: words_a_sentence(ours) - words_a_sentence(chat)),
        ("paragraph", lambda ours, chat, beats: ours.count("\n\n") - chat.count("\n\n")),
        ("beat", lambda ours, chat, beats: beats),
    )
    here = Path(__file__).parent
    asked = {
        (pack, evening): beats
        for pack, evening, beats in map(str.split, (here / "beats.txt").read_text("utf-8").splitlines())
    }
    points: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for file in sorted((here / "ranks").glob("*.key")):
        key, pack = read_key(file), file.stem.rpartition("-")[0]
        evening = next((name for name in key.values() if re.fullmatch(r"e\d+[a-z]", name)), "")
        if not evening or int(evening[1:-1]) < first:
            continue
        told = {
            name: read_transcript((here / "transcripts" / f"{pack}.{name}.md").read_text("utf-8"))
            for name in key.values()
        }
        chat = next(name for name in told if name != evening)
        seen: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
        for turn, question, letter in ranked(file.with_suffix(".txt").read_text("utf-8"), {*key}):
            if letter == "=" or not all(turn in pages for pages in told.values()):
                continue
            beats = asked.get((pack, evening))
            for name, sign in signs:
                value = sign(told[evening][turn], told[chat][turn], int(beats[turn - 1]) if beats else None)
                if value is not None:
                    seen[question, name].append((float(value), float(key[letter] == evening)))
        for one, pairs in seen.items():
            x, y = (fmean(column) for column in zip(*pairs, strict=True))
            points[one] += [(a - x, b - y) for a, b in pairs]
    if not points:
        raise SystemExit(f"Nothing was read from step {first} on.")
    for question in QUESTIONS:
        cells = []
        for name, _ in signs:
            pairs = points[question, name]
            spread = sum(a * a for a, _ in pairs)
            slope = sum(a * b for a, b in pairs) / spread
            error = sqrt(sum((b - slope * a) ** 2 for a, b in pairs) / len(pairs) / spread)
            cells.append(f"{name} {100 * slope:+.0f} ± {100 * error:.0f}")
        yield f"{question:8}  " + "   ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    told = commands.add_parser("transcript")
    told.add_argument("save", type=Path)
    both = commands.add_parser("pair")
    both.add_argument("lines", type=Path)
    both.add_argument("transcripts", type=Path, nargs=2)
    again = commands.add_parser("versions")
    for file in ("lines", "transcript", "page"):
        again.add_argument(file, type=Path)
    again.add_argument("--turn", type=int, required=True)
    for command in (both, again):
        command.add_argument("--seed", type=int, required=True)
        command.add_argument("--out", type=Path, required=True)
    totals = commands.add_parser("count")
    totals.add_argument("key", type=Path)
    totals.add_argument("ranks", type=Path)
    totals.add_argument("--ours", required=True)
    each = commands.add_parser("turns")
    each.add_argument("pack")
    each.add_argument("evenings", nargs="+")
    same = commands.add_parser("within")
    same.add_argument("--from", type=int, default=0, dest="first", metavar="STEP")
    options = parser.parse_args()
    match options.command:
        case "transcript":
            print(transcript_of(options.save))
        case "pair" | "versions":
            lines = [line for line in options.lines.read_text("utf-8").splitlines() if line.strip()]
            if options.command == "pair":
                files: list[Path] = options.transcripts
                text, key = pair(lines, {file.stem: file.read_text("utf-8") for file in files}, options.seed)
            else:
                told, page = options.transcript.read_text("utf-8"), options.page.read_text("utf-8")
                text, key = versions(lines, told, page, options.turn, options.seed)
            options.out.mkdir(parents=True, exist_ok=True)
            (options.out / f"{options.command}.md").write_text(f"{text}\n", "utf-8")
            (options.out / "key.txt").write_text(f"{key}\n", "utf-8")
        case "turns":
            print("turn  " + "  ".join(f"{question:>10}" for question in QUESTIONS))
            print(*turns(options.pack, options.evenings), sep="\n")
        case "within":
            print(*within(options.first), sep="\n")
        case _:
            for question, figures in count(
                read_key(options.key), options.ranks.read_text("utf-8"), options.ours
            ).items():
                print(f"{question:8} {figures[0]} : {figures[1]}  ({figures[2]})")


main()
