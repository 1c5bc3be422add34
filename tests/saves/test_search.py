"""Words are found in all stories, and shown with whole words around them."""

from pathlib import Path

from tests.support.games import new_game, played
from theact_tui.saves.library import Library
from theact_tui.saves.search import search_stories

STORM = (
    "Somewhere behind the breakwater the whole long night of weather gathers itself and comes ashore as a lantern "
    "that nobody carries, going from window to window with considerable patience and without any noise at all."
)


def test_a_match_is_shown_in_its_own_text_with_whole_words(tmp_path: Path) -> None:
    library, game = Library(tmp_path), new_game()
    with library.create(game) as save:
        after = played(game, "I light the lantern.", STORM)
        save.commit(after, after.turns.values())
    (line,) = search_stories(library, "light the")
    assert line.text == "I light the lantern."
    (storm,) = search_stories(library, "that nobody")
    assert storm.text.startswith("…") and storm.text.endswith("…")
    assert {*storm.text.strip("…").split()} <= {*STORM.split()}
