"""Words are found in all stories and directed chapters, and shown with whole words around them."""

from pathlib import Path

from tests.saves.conftest import Git
from tests.support.games import new_chapter, new_game, played, prompted
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
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


def test_a_chapter_with_an_empty_prompt_ends_no_search(tmp_path: Path, folder: Path, git: Git) -> None:
    with Library(tmp_path).create(new_game("Reef")) as save:
        save.commit(played(new_game("Reef"), "I light the lantern."))
    with Save.create(folder, new_chapter()) as save:
        save.commit(prompted(new_chapter(), "They light the lantern."))
    (folder / "turns/0000/01.yaml").write_text("events: []\n")
    git("read-tree", "HEAD")
    git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--amend", "--no-edit", "--all")
    assert [match.save.title for match in search_stories(Library(tmp_path), "light the")] == ["Reef"]
