"""S4 and S5 over whole games: memory, folding, chapters, dice, moments."""

import json
from pathlib import Path

import pytest

from tests.engine.conftest import settled
from tests.support.fake_model import Cut, Scripted, Stage, beat_form, narration, prose, small_pack, stage
from tests.support.unsaved_games import Unsaved
from theact_tui import yaml
from theact_tui.agents.narrator import verdict_for
from theact_tui.engine.events import ChapterAdvanced, DiceRolled, EpilogueTold
from theact_tui.errors import CallError
from theact_tui.models.model import PromptLimits, Request
from theact_tui.saves.codec import data_of
from theact_tui.story.agent_views import narrator_view
from theact_tui.story.dice import resolution_of, roll
from theact_tui.story.edits import hold
from theact_tui.story.turn import Heard

DOWN = CallError("timeout", "Nothing came back in time.")
LONG = prose(590)


def cell_turns(play: Stage, character: str) -> list[int]:
    memory = play.game.memories[character]
    assert memory.policy == "cells"
    return [cell.turn for cell in memory.cells]


@pytest.fixture
async def cells(tmp_path: Path) -> Stage:
    answers = Scripted({"memory": "I saw the wet stair."})
    return await stage(tmp_path, answers, small_pack(memory="cells", memory_cells=2))


async def test_a_chapter_advances_with_a_recap_and_one_transition_scene(play: Stage) -> None:
    await play.mark(1, 2)
    await play.turn("I open the door.", progress=beat_form(4, complete=True))
    state = play.game.state
    assert state.chapter == "two" and state.beats_hit == () and state.transition
    assert play.game.recaps[0].text.startswith("They reached the stair")
    assert [e.title for e in play.of(ChapterAdvanced)] == ["Two"]
    await play.turn("I go on.", progress='{"end": false}')
    await play.turn("I go on again.")
    prompts = play.model.prompts("narrator")
    assert ["A new chapter begins" in prompt for prompt in prompts] == [False, True, False]
    assert all("I open the door." in prompt for prompt in prompts[1:])


async def test_the_epilogue_tells_of_page_moments_recaps_and_promises_and_play_goes_on(play: Stage) -> None:
    promise = {"fact": "Ann promised Alex the key.", "kind": "promise"}
    play.model.answers |= {
        "progress": beat_form(4, complete=True),
        "keeper": found(stair="Alex found the lost bell"),
        "memory:ann": json.dumps({"new": [promise], "changed": {}}),
    }
    await play.mark(1, 2)
    await play.turn("one")
    await play.mark(1, 2)
    play.model.answers["memory:ann"] = '{"new": [], "changed": {"1": "Ann gave Alex the key."}}'
    told = "Years later you still hear the water on the stair."
    await play.turn("two", narrator=narration("The KETTLE boils on the stair.", "ann"))
    (prompt,) = play.model.prompts("epilogue")
    assert (
        "The KETTLE boils" in prompt and "- Alex found the lost bell" in prompt and "They reached" in prompt
    )
    assert "- Ann promised Alex the key. Later: Ann gave Alex the key." in prompt
    game = play.game
    assert game.state.game_complete and game.turns[2].entries[-1].role == "system"
    assert [e.text for e in play.of(EpilogueTold)] == [told]
    asked = play.model.called().count("progress")
    await play.turn("three")
    assert play.model.called().count("progress") == asked, "progress is skipped once the game is complete"
    assert all(told not in prompt for prompt in play.model.prompts("character:ann"))


async def test_a_beat_that_does_not_come_about_comes_another_way_and_then_out_of_sight(play: Stage) -> None:
    await play.turn(*(f"Step {number}." for number in range(1, 14)))
    first, second, *_ = play.game.chapter.beats
    prompts = play.model.prompts("narrator")
    otherwise = [f"another way, through somebody else or elsewhere: {first}" in prompt for prompt in prompts]
    meanwhile = [f"out of sight, this has happened: {first}" in prompt for prompt in prompts]
    assert otherwise.index(True) == 7 and meanwhile.index(True) == 10 and sum(meanwhile) == 1
    state = play.game.state
    assert state.passed == (first,) and not state.beats_hit and play.game.unmet_beats[0] == second


async def test_dice_are_rolled_by_code_told_to_the_narrator_and_replay_the_same(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), small_pack(keeper="always"), seed=11)
    await made.turn(*(f"Step {number}." for number in range(1, 4)))
    first = made.of(DiceRolled)[0]
    assert first.resolution == resolution_of(first.roll, 12)
    assert "keeper" not in made.model.called(), "a line throws without asking"
    first_ruling = made.game.turns[1].ruling
    assert first_ruling and verdict_for(first_ruling, "Alex") in made.model.prompts("narrator")[0]
    session, rolls = made.session, [roll(11, n) for n in range(5)]
    await session.undo(2)
    await session.redo(2)
    await made.turn("Step 4.")
    await settled(session, session.retry())
    await session.undo(3)
    await made.turn("Another step.")
    thrown = [event.roll for event in made.of(DiceRolled)]
    assert thrown == [*rolls[:4], rolls[3], rolls[1]]
    ruling = session.game.turns[2].ruling
    assert ruling is not None and ruling.roll == rolls[1] and session.game.state.rolls == 2


@pytest.mark.parametrize("failure", [DOWN, "", "I'm sorry, I can't do that."])
async def test_a_failing_merge_leaves_that_memory_untouched_and_keeps_the_entry(
    cells: Stage, failure: str | CallError
) -> None:
    await cells.turn("Step 1.", "Step 2.")
    before = cells.game.memories["ann"]
    written = yaml.dump(data_of(before, whole=True))

    def merge(ask: Request) -> str | CallError:
        return failure if ask.key == "memory:ann" else "I remember it."

    await cells.turn("Step 3.", merge=merge)
    game = cells.game
    after = game.memories["ann"]
    assert after == before and yaml.dump(data_of(after, whole=True)) == written
    assert cell_turns(cells, "bob") == [3, 2]
    assert [(work.character, work.entry) for work in game.state.pending] == [("ann", "I saw the wet stair.")]
    del cells.model.answers["merge"]
    await cells.turn("Step 4.")
    assert cell_turns(cells, "ann") == [4, 3]
    assert cells.game.state.pending == ()


async def test_someone_sent_away_neither_answers_nor_remembers(play: Stage) -> None:
    await play.session.edit(hold, ["ann"], here=False)
    await play.turn("I ask for Ann.", narrator=narration("Wind.", "ann, bob", present="ann, bob"))
    turn = play.game.turns[1]
    assert turn.witnesses == ("bob",)
    assert "memory:ann" not in play.model.called() and "character:ann" not in play.model.called()
    await play.session.edit(hold, ["ann"], here=True)
    await play.turn("Come back.")
    assert "I ask for Ann." not in play.model.prompts("character:ann")[0]


async def test_the_narrator_may_change_who_is_present_and_a_chapter_resets_it(play: Stage) -> None:
    await play.turn("Go away, Bob.", narrator=narration("Bob walks off.", "ann", present="ann"))
    turn = play.game.turns[1]
    assert play.game.state.present == ("ann",) and turn.witnesses == ("ann", "bob")
    assert turn.heard == {"bob": Heard(missed=("a",))}
    await play.mark(1, 2)
    await play.turn("We go on.", progress=beat_form(4, complete=True))
    assert set(play.game.state.present) == {"ann", "bob"}


async def test_page_and_reply_cut_by_the_token_limit_end_at_a_sentence(play: Stage) -> None:
    play.model.answers["narrator"] = Cut("The lamp gutters. Water stands on the sta")
    play.model.answers["character"] = Cut("Ann looks at the sta")
    await play.turn("I look down.", stage='{"answer": ["ann"], "only": {}}')
    turn = play.game.turns[1]
    assert turn.narration == "The lamp gutters."
    assert [entry.text for entry in turn.entries if entry.character] == ["Ann looks at the sta…"]
    assert sum("token limit" in notice for notice in turn.notices) == 2


def found(**summaries: str) -> str:
    """A reply that finds moments, by a word of the page."""
    moments = [
        {"quote": quote, "moment_type": "discovery", "moment_summary": text, "moment_significance": 0.7}
        for quote, text in summaries.items()
    ]
    return json.dumps({"moments": moments})


async def test_moments_are_looked_for_once_at_a_chapter_end_over_all_its_turns(play: Stage) -> None:
    play.model.answers["keeper"] = found(
        kettle="Alex found the KETTLE", light="a lamp was lit", stair="one too many"
    )
    await play.turn("I lift the kettle.", "I wait.")
    assert "keeper" not in play.model.called()
    await play.mark(1, 2)
    await play.turn("I light the lamp.", progress=beat_form(4, complete=True))
    (prompt,) = play.model.prompts("keeper")
    assert "I lift the kettle." in prompt and "I light the lamp." in prompt
    assert [(m.summary, m.turn) for m in play.game.moments] == [
        ("Alex found the KETTLE", 1),
        ("a lamp was lit", 3),
    ]


async def test_what_was_discovered_in_a_turn_of_dice_is_found_too(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), small_pack(keeper="risky", risky_words=("climb",)))
    await made.turn(
        "I climb the wall.",
        narrator=narration("Behind the wall lies the lost bell of the tower.", "ann"),
        keeper='{"risk": "climb the wall", "difficulty": 12}',
    )
    assert len(made.of(DiceRolled)) == 1
    await made.mark(1, 2)
    view = found(cellar="not on a page", lost="Alex found the lost bell behind the wall")
    made.model.answers |= {
        "keeper": view,
        "narrator": narration("Nothing stirs."),
        "progress": beat_form(4, complete=True),
    }
    await made.turn("I wait.")
    assert "lost bell of the tower" in made.prompt("keeper")
    assert [(moment.type, moment.turn) for moment in made.game.moments] == [("discovery", 1)]


async def test_a_chapter_leaves_its_pages_and_no_summary_and_its_recap_once_they_are_folded(
    play: Stage,
) -> None:
    await play.turn(*(f"Step {n}." for n in range(4)))
    await play.mark(1, 2)
    await play.turn("I open the door.", progress=beat_form(4, complete=True))
    state = play.game.state
    assert (state.rolling_summary, state.last_summarized_turn) == ("", 0)
    await play.turn("I go on.")
    prompt = play.prompt("narrator")
    assert "Step 0." in prompt and "Step 3." in prompt and "They reached the stair" not in prompt
    folded = play.game.with_state(last_summarized_turn=3)
    view = narrator_view(folded, "play", "I go on.", None, 1)
    assert [text for _, text in view.recaps] == ["They reached the stair. What was below stayed unknown."]


BY_USER, OF_PACK = (
    PromptLimits(summary_threshold=200, fold_batch=2),
    {"summary_threshold": 200, "fold_batch": 2},
)


@pytest.mark.parametrize(
    ("of_user", "of_pack", "through", "summary"),
    [
        (BY_USER, {}, 4, "Part 1. Part 2."),
        (BY_USER, {"fold_batch": 50}, 0, ""),
        (PromptLimits(), OF_PACK, 4, "Part 1. Part 2."),
    ],
)
async def test_the_summary_grows_as_the_pack_says_or_else_the_users_settings(
    of_user: PromptLimits, of_pack: dict[str, int], through: int, summary: str
) -> None:
    play = Unsaved(Scripted(), small_pack(**of_pack))
    play.model.limits = of_user
    play.model.answers["summary"] = lambda ask: f"Part {play.model.called().count('summary')}."
    play.model.answers["narrator"] = narration("The lamp leans away from the water on the stair. " * 3, "ann")
    await play.turn(*(f"Step {n}." for n in range(8)))
    assert (play.game.state.last_summarized_turn, play.game.state.rolling_summary) == (through, summary)
