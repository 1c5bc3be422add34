"""What the player could do now, and templates as text."""

from pathlib import Path

from tests.engine.conftest import settled
from tests.support.fake_model import Stage
from tests.support.packs import shipped_pack
from theact_tui.agents.prompts import fill_text
from theact_tui.engine.bus import Bus
from theact_tui.engine.open_sessions import create_session
from theact_tui.engine.suggestions import suggest_ideas
from theact_tui.models.model_for_agent import Offline
from theact_tui.saves.library import Library
from theact_tui.storyteller import Storyteller


async def test_offline_three_different_things_are_offered_and_can_be_played(tmp_path: Path) -> None:
    loaded = shipped_pack("lost-island")
    session = await create_session(
        Library(tmp_path), loaded, "Test", "", 3, lambda pack, seed: Offline(Storyteller(pack, seed)), Bus()
    )
    await settled(session, session.open_story())
    for _ in range(3):
        before = session.game
        ideas = await suggest_ideas(session)
        assert len(set(ideas)) == 3 and session.game == before
        pages = " ".join(
            entry.text for turn in before.turns.values() for entry in turn.ordered_entries
        ).lower()
        people = {word for id in before.state.present for word in before.pack.name_of(id).split()}
        for idea in ideas:
            assert people & set(idea.rstrip(".").split()) or idea.rstrip(".").split()[-1] in pages, idea
        assert not any(beat in idea for idea in ideas for beat in before.unmet_beats)
        assert before.last_turn is None or before.last_turn.player_text not in ideas
        assert await session.play(ideas[0]) is not None
        await session.settle()
    assert session.game.state.beats_hit, "the first line leads there"
    await session.close()


async def test_a_model_is_asked_once_from_what_was_read(play: Stage) -> None:
    await play.turn("I go down.")
    before = (play.game, play.session.save.head)
    play.model.answers["ideas"] = "1. I count\n- I ask Ann: who?\n\nI wait.\nI sing."
    assert await suggest_ideas(play.session) == ("I count", "I ask Ann: who?", "I wait.")
    (prompt,) = play.model.prompts("ideas")
    assert "I go down." in prompt and before[0].unmet_beats[0] in prompt and "SECRET" not in prompt
    assert (play.game, play.session.save.head) == before


def test_a_template_is_text_with_names_in_braces_and_nothing_else() -> None:
    hostile = "{name.__class__} {name!r} {name:>999999999} {{name}} {name}"
    assert fill_text(hostile, name="Bo") == "{name.__class__} {name!r} {name:>999999999} {name} Bo"
