"""Beats that are the player's, and acts that name who does them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from theact_tui.agents.narrator import NARRATOR
from theact_tui.packs.loader import check_pack, load_pack
from theact_tui.story.agent_views import narrator_view
from theact_tui.story.game import new_game
from theact_tui.story.pack import PLAYER

CONTENT = Path(__file__).parents[2] / "content"
PACKS = sorted(folder.name for folder in CONTENT.iterdir() if folder.is_dir())


@pytest.mark.parametrize("name", PACKS)
def test_every_third_beat_of_a_shipped_chapter_is_the_player_s(name: str) -> None:
    for chapter in load_pack(CONTENT / name).chapters.values():
        assert sum(owner == PLAYER for owner in chapter.by.values()) >= len(chapter.beats) // 3


def test_the_narrator_leads_up_to_an_act_of_the_player_and_leaves_it_to_them() -> None:
    pack = load_pack(CONTENT / "lost-island")
    game = new_game(pack, title="T", player="Sam", seed=1, created="")
    told = "\n".join(s.text for s in NARRATOR.sections(narrator_view(game, "play", "I go.", None, 1), {}))
    assert (
        "nearer, without letting it happen, since it is my choice: You take stock on the beach with the others."
        in told
    )


def test_check_warns_of_a_chapter_without_the_player_and_of_an_act_without_a_name(tmp_path: Path) -> None:
    pack = tmp_path / "lost-island"
    shutil.copytree(CONTENT / "lost-island", pack)
    file = pack / "chapters" / "01-the-crash.yaml"
    text = file.read_text("utf-8").replace("by: player", "by: maya")
    file.write_text(text, "utf-8")
    found = [finding.message for finding in check_pack(pack)]
    assert any("at least every third beat should be the player's" in message for message in found)
    assert sum("start it with that name" in message for message in found) == 2
