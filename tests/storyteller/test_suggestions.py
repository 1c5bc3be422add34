"""Without a model, three lines are offered; the first leads to the next beat."""

from __future__ import annotations

import pytest

from tests.support.storyteller_games import new_game
from theact_tui.engine.views import suggestion_view
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.story.game import Game
from theact_tui.story.turn import Entry, Turn
from theact_tui.storyteller import Storyteller


def offered(game: Game, told: str) -> list[str]:
    game.turns[1] = Turn(
        number=1, chapter=game.chapter.id, entries=(Entry(role="narrator", text=told),) if told else ()
    )
    return Storyteller(game.pack, 1).answer("ideas", suggestion_view(game, "ideas")).splitlines()


@pytest.mark.parametrize("name", ["lost-island", "salt-road", "horsell-pit"])
def test_the_first_line_leads_to_the_next_beat(name: str) -> None:
    pack = load_pack(shipped_folder() / name)
    game = new_game(pack)
    cues = pack.script.chapters[pack.first_chapter.id].scenes[0].cues
    lines = offered(game, "He opens a drawer. " + " ".join(f"the {cue.rstrip('.')}." for cue in cues))
    assert len(lines) == 3 and any(cue.rstrip(".") in lines[0] for cue in cues)
    assert all(line.startswith("I ") and line.endswith(".") for line in lines)
    assert not any("closer look" in line for line in offered(game, ""))


def test_who_walked_off_is_offered_the_way_back() -> None:
    game = new_game(load_pack(shipped_folder() / "guest-in-nine")).with_state(present=())
    assert "I go back to Dorothy." in offered(game, "You go.")
