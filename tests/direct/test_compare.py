"""Two ways of a chapter side by side (S9, D10): branches, prompts and takes, in meaning and full text."""

from tests.direct.conftest import Table, delta
from tests.support.fake_server import ScriptedServer, say
from theact_tui.saves.compare import ComparedState
from theact_tui.story.direct.as_story import NOTES


def noted(side: ComparedState) -> list[tuple[int, str]]:
    """Notes that this side has otherwise, with the last prompt they are about."""
    return [(line.turn, line.here) for line in side.characters[NOTES].changed]


async def test_d10_two_branches_are_compared_in_meaning_and_what_both_remember_is_no_difference(
    table: Table, server: ScriptedServer
) -> None:
    """`main` ended at prompt 7, and `other` parts from it after prompt 5."""
    session = await table.ended(7)
    await session.build()
    await session.switch(await session.branch_at("other", 5))
    server.script("actor", say("I run."))
    server.script("delta", say(delta("The bell fell.")))
    await table.play(session, 3)
    found = await session.run(session.save.compare, "main", "other")
    assert (found.fork_turn, found.a.turn, found.b.turn) == (5, 7, 8)
    assert (found.a.chapter.title, found.b.chapter.title) == ("ended", "active")
    assert [pair.number for pair in found.turns] == [6, 7, 8]
    assert found.turns[0].b and [entry.text for entry in found.turns[0].b.entries] == ["Scene 6.", "I run."]
    assert found.turns[2].a is None
    assert noted(found.a) == [(7, "major events: The bell moved.")]
    assert noted(found.b) == [(7, "major events: The bell fell.")]
    assert [recap.text for recap in found.a.recaps] == ["The bell came down. It rained."]
    assert found.b.recaps == ()
    here = await session.run(session.save.compare, "other", "8")
    assert here.fork_turn == 8 and here.turns == () and here.a.characters == here.b.characters == {}
    await session.switch(await session.branch_at("third", 6))
    await table.play(session, 1)
    found = await session.run(session.save.compare, "other", "third")
    assert found.a.characters == found.b.characters == {}
