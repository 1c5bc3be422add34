"""Somebody joins a story that is under way, or leaves it for good."""

from __future__ import annotations

import pytest

from tests.support.fake_model import Stage, narration
from theact_tui.engine.commands import run_command
from theact_tui.errors import UsageError


async def said(play: Stage, line: str) -> str:
    text = (await run_command(play.session, line)).text
    await play.session.settle()
    return text


async def test_who_joins_is_there_answers_and_remembers_only_from_then_on(play: Stage) -> None:
    await play.turn("I hide the SAPPHIRE.")
    assert (
        await said(play, "/cast add Mara Quist: a smuggler. Dry, quick.") == "Here: Ann Lee, Bob, Mara Quist."
    )
    play.model.answers["narrator"] = narration("A knock.", "mara-quist", present="ann, mara-quist")
    await play.turn("I open the door.")
    prompt = play.model.prompts("character:mara-quist")[0]
    assert "Mara Quist, a smuggler. Dry, quick." in prompt and "SAPPHIRE" not in prompt
    assert "Mara Quist (id mara-quist)" in play.model.prompts("narrator")[-1]
    assert len(play.model.prompts("memory:mara-quist")) == 1
    assert "SAPPHIRE" not in play.model.prompts("memory:mara-quist")[0]
    again = await _reopened(play)
    assert again.session.game.pack.name_of("mara-quist") == "Mara Quist"
    assert (await again.session.game_at(0)).pack.characters.keys() == {"ann", "bob"}
    await again.session.close()


async def test_a_retry_keeps_who_joined_after_the_turn(play: Stage) -> None:
    await play.turn("I wait.")
    await said(play, "/cast add Mara")
    await said(play, "/retry")
    assert play.session.game.state.present == ("ann", "bob", "mara")
    assert (await _saved_pack(play)) == ("ann", "bob", "mara")


async def test_who_leaves_for_good_is_in_no_later_chapter_and_stays_in_history(play: Stage) -> None:
    await play.turn("I wait.")
    await said(play, "/hush bob")
    assert await said(play, "/cast remove bob") == "Here: Ann Lee."
    game = play.session.game
    assert all("bob" not in chapter.characters for chapter in game.pack.chapters.values())
    assert "bob" in game.memories and game.pack.name_of("bob") == "Bob" and game.state.steering.hushed == ()
    asked = len(play.model.prompts("memory:bob"))
    play.model.answers["narrator"] = narration("The rain goes on.", "bob", present="ann, bob")
    await play.turn("I wait again.")
    assert "Bob" not in play.model.prompts("narrator")[-1].split("People:")[1]
    assert len(play.model.prompts("memory:bob")) == asked
    await play.session.undo(2)
    assert "bob" in play.session.game.chapter.characters
    await said(play, "/redo 2")
    await said(play, "/cast add Bob")
    assert "bob" in play.session.game.state.present


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("/cast add Ann Lee", "already in the story"),
        ("/cast what", "Usage"),
        ("/cast remove zoe", "has no 'zoe'"),
    ],
)
async def test_what_cannot_be_cast_is_said(play: Stage, line: str, reason: str) -> None:
    before = play.session.game
    with pytest.raises(UsageError, match=reason):
        await said(play, line)
    await said(play, "/cast remove bob")
    with pytest.raises(UsageError, match="last character"):
        await said(play, "/cast remove ann")
    assert before.pack.characters.keys() == play.session.game.pack.characters.keys()


async def _reopened(play: Stage) -> Stage:
    await play.session.close()
    return await play.reopened()


async def _saved_pack(play: Stage) -> tuple[str, ...]:
    return (await play.session.game_at(play.session.game.state.turn)).chapter.characters
