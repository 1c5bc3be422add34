from collections.abc import Iterator
from typing import Any

import click

from theact_tui.cli.context import Answer, answers
from theact_tui.errors import SaveError
from theact_tui.paths import Home
from theact_tui.saves.codec import GAMES
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.text import clean, counted, one_line, search_pattern

MARGIN = 60  # characters shown on each side of a match


@click.command()
@click.argument("words", nargs=-1, required=True)
@answers
def search(home: Home, words: tuple[str, ...]) -> Answer:
    """Search all stories for WORDS, on their current branches."""
    term = one_line(clean(" ".join(words)), 200)
    matches = list(_matches(Library(home.data), term)) if term else []
    lines = [f"{match['save']}, turn {match['turn']}: {match['text']}" for match in matches]
    total = f"{counted(len(matches), 'turn')} with “{term}”." if matches else f"No story has “{term}”."
    return Answer(matches, "\n".join([*lines, total]))


def _matches(library: Library, term: str) -> Iterator[dict[str, Any]]:
    for entry in library.saves():
        if entry.broken or entry.mode != "play":
            continue
        try:
            with Save.open(library.path(entry.name), write=False) as opened:
                turns = opened.of(GAMES).turns(1, entry.turn)
        except SaveError:
            continue  # the list of stories says so
        for turn in turns:
            text = " ".join(" ".join(part.text for part in turn.entries).split())
            if match := search_pattern(term).search(text):
                start, end = max(0, match.start() - MARGIN), match.end() + MARGIN
                yield {
                    "save": entry.name,
                    "title": entry.title,
                    "turn": turn.number,
                    "text": text[start:end].strip(),
                }
