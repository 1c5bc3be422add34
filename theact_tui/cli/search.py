import click

from theact_tui.cli.context import Answer, answers
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.saves.search import search_stories
from theact_tui.text import clean, counted, one_line


@click.command()
@click.argument("words", nargs=-1, required=True)
@answers
def search(home: Home, words: tuple[str, ...]) -> Answer:
    """Search all stories and directed chapters for WORDS, on their current branches."""
    term = one_line(clean(" ".join(words)), 200)
    matches = [*search_stories(Library(home.data), term)] if term else []
    rows = [
        {"save": match.save.name, "title": match.save.title, "turn": match.turn, "text": match.text}
        for match in matches
    ]
    lines = [f"{match.save.name}, {match.place}: {match.text}" for match in matches]
    total = f"{counted(len(matches), 'match', 'matches') if matches else 'No match'} for “{term}”."
    return Answer(rows, "\n".join([*lines, total]))
