"""An edited turn makes what was remembered of it stale; one act makes those memories anew."""

from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, Stage, learnt, small_pack, stage
from tests.support.said import plain
from theact_tui.engine.memory_backfill import renew_memories
from theact_tui.errors import CallError
from theact_tui.saves.codec import GAMES
from theact_tui.story.agent_views import narrator_view
from theact_tui.story.edits import set_entry_text
from theact_tui.story.forgetting_and_recall import archived_lines
from theact_tui.story.memory import lines_of
from theact_tui.tui.inspector.memory import older_rows


def lines(play: Stage, who: str) -> list[tuple[int, str]]:
    return [(fact["turn"], fact["text"]) for fact in play.game.memories[who].model_dump()["key_facts"]]


def _edited(play: Stage) -> tuple[int, ...]:
    return play.game.state.edited


async def test_memories_of_an_edited_turn_are_stale_until_they_are_made_anew(play: Stage) -> None:
    for turn, answer in enumerate(("Alex has a lamp.", "The door is red.", "The sea is near."), 1):
        await play.turn(f"I go on, {turn}.", memory=learnt(answer))
    await play.session.edit_turn(1, set_entry_text, 0, "Alex drops the ROPE.")
    assert _edited(play) == (1,)
    text = await play.said("/memory ann")
    assert text.count("stale") == 1 and "Alex has a lamp.  (stale: turn edited)" in text
    play.model.answers["memory"] = learnt("Alex dropped the rope.")
    asked = len(play.model.asked)
    assert await play.said("/renew") == "Updated the memories of turn 1."
    assert [ask.key for ask in play.model.asked[asked:]] == ["memory:ann", "memory:bob"]
    assert "ROPE" in play.prompt("memory:ann")
    assert "Alex has a lamp" not in play.prompt("memory:ann").split("already remembers:")[1]
    for who in ("ann", "bob"):
        assert sorted(lines(play, who)) == [
            (1, "Alex dropped the rope."), (2, "The door is red."), (3, "The sea is near."),
        ]  # fmt: skip
    assert play.game.state.turn == 3 and _edited(play) == ()
    assert await play.session.run(lambda: GAMES.read(play.session.save.files())) == play.game
    for nothing_to_do in ("/renew", "/renew 2"):
        assert await play.said(nothing_to_do) == "No memories are stale."


@pytest.mark.parametrize("policy", ["facts", "cells"])
async def test_lines_set_aside_long_ago_are_stale_too_and_made_anew(tmp_path: Path, policy: str) -> None:
    play = await stage(tmp_path, Scripted(), small_pack(memory=policy, memory_cells=3))
    for turn in range(1, 13):
        fact, entry = f"OLDWORD{turn} is a lamp by the door.", f"I saw OLDWORD{turn} by the door."
        for who in ("ann", "bob"):
            play.model.answers[f"memory:{who}"] = learnt(fact) if policy == "facts" else entry
        await play.turn(f"I go on, {turn}.")
    before = play.game.memories["ann"]
    assert "OLDWORD1 " in before.older and all(line.turn != 1 for line in lines_of(before))
    await play.session.edit_turn(1, set_entry_text, 0, "Alex drops the ROPE.")
    assert _edited(play) == (1,)
    text = await play.said("/memory ann")
    assert text.count("stale") == 1 and "OLDWORD1 " in text.split("older lines")[1]
    rows = older_rows(before.older, (), stale=(1,))
    assert rows[3].text.count("OLDWORD1 ") == 1 and "stale" in plain(rows[3].visual)
    new = "NEWWORD is a rope on the stair."
    for who in ("ann", "bob"):
        play.model.answers[f"memory:{who}"] = learnt(new) if policy == "facts" else new
    await play.said("/renew")
    after = play.game.memories["ann"]
    held = [*archived_lines(after.older), *lines_of(after)]
    assert [line.text for line in held if line.turn == 1] == [new]
    assert {line.turn for line in held} == set(range(1, 13)) and _edited(play) == ()
    view = narrator_view(play.game, "play", "I look at the lamp by the door and the rope.", None, 1)
    assert not any("OLDWORD1 " in line for line in view.recalled)


async def test_a_memory_that_cannot_be_made_anew_stays(play: Stage) -> None:
    await play.turn("I go on.", memory=learnt("Alex has a lamp."))
    await play.session.edit_turn(1, set_entry_text, 0, "Alex drops the rope.")
    before = play.game
    play.model.answers["memory"] = CallError("refused", "Not now.")
    with pytest.raises(CallError, match=r"The memory of Ann Lee was not changed\. Not now\."):
        await renew_memories(play.session)
    assert play.game == before and before.state.edited == (1,)


@pytest.mark.parametrize("number", [1, 12])
async def test_an_edit_of_a_turn_of_any_age_is_kept_though_nobody_remembers_it(
    tmp_path: Path, number: int
) -> None:
    play = await stage(tmp_path, Scripted(), small_pack(summary_threshold=200, fold_batch=1))
    play.model.answers["memory"] = '{"new": [], "changed": {}}'
    await play.turn(*(f"I go on, {turn}." for turn in range(1, 13)))
    assert 1 not in play.game.turns
    await play.session.edit_turn(number, set_entry_text, 0, "Alex drops the ROPE.")
    (told,) = await play.session.turns(number, number)
    assert told.entries[0].text == "Alex drops the ROPE." and _edited(play) == (), "nobody remembers it"
