"""Without a model, a suggested line leads to the next beat, and each next suggestion is another one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.storyteller_games import new_game
from theact_tui.engine.views import suggestion_view
from theact_tui.packs.library import pack_folder
from theact_tui.packs.loader import load_pack
from theact_tui.paths import Home
from theact_tui.story.turn import Entry, Turn
from theact_tui.storyteller import Storyteller


@pytest.mark.parametrize("name", ["lost-island", "salt-road", "horsell-pit"])
def test_suggestions_name_only_what_was_read(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    pack = load_pack(pack_folder(Home.find(tmp_path_factory.mktemp("home")).packs, name))
    game, teller = new_game(pack), Storyteller(pack, 1)
    scene = pack.script.chapters[pack.first_chapter.id].scenes[0]
    unread = {teller.answer("draft", suggestion_view(game, "draft", take)) for take in range(1, 9)}
    assert len(unread) > 2 and not any("closer look" in line for line in unread)
    game.turns[1] = Turn(
        number=1,
        chapter=game.chapter.id,
        entries=(Entry(role="narrator", text=" ".join(f"the {cue}" for cue in scene.cues)),),
    )
    read = {teller.answer("draft", suggestion_view(game, "draft", take)) for take in range(1, 40)}
    assert len(read) > len(unread) and any("closer look" in line for line in read)
    assert all(line.startswith("I ") and line.endswith(".") for line in read)


def test_what_stands_before_a_noun_is_no_thing_to_look_at(tmp_path_factory: pytest.TempPathFactory) -> None:
    pack = load_pack(pack_folder(Home.find(tmp_path_factory.mktemp("home")).packs, "salt-road"))
    teller, last = Storyteller(pack, 1), pack.game.chapters[-1]

    def offered(told: str) -> str:
        game = new_game(pack)
        game = replace(game, state=game.state.model_copy(update={"chapter": last}))
        game.turns[1] = Turn(number=1, chapter=last, entries=(Entry(role="narrator", text=told),))
        return " ".join(teller.answer("draft", suggestion_view(game, "draft", take)) for take in range(1, 40))

    assert "look at the receipt." in offered("She reads the receipt.")
    assert "punctual" not in offered("A paid sea is a punctual sea.")
