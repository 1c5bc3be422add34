"""S3: the turn."""

import asyncio
import subprocess

import pytest

from tests.engine.conftest import settled
from tests.support.fake_model import Cut, Scripted, Stage, Ticking, narration
from tests.support.waiting import passes, until
from theact_tui.engine import session as engine_session
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import (
    CharacterFinished,
    EditsFound,
    NarrationFinished,
    Notice,
    TurnCancelled,
    TurnFailed,
    TurnSaved,
    TurnSpoken,
    UnsentFound,
)
from theact_tui.engine.open_sessions import open_session
from theact_tui.errors import CallError, SaveError, TurnError, UsageError
from theact_tui.models.model import Models
from theact_tui.saves.note import Note
from theact_tui.story.cast import add_character, newcomer
from theact_tui.story.edits import add_lore, hold, set_chapter, set_entry_text
from theact_tui.story.game import Spoken
from theact_tui.story.memory import lines_of
from theact_tui.story.pack import Pack

DOWN = CallError("refused", "Nothing answers there.")


def git(play: Stage, *words: str) -> str:
    done = subprocess.run(
        ["git", *words], cwd=play.session.folder, capture_output=True, text=True, check=True
    )
    return done.stdout


async def test_a_turn_is_one_commit_with_its_prose_and_memories(play: Stage) -> None:
    await play.turn("I go down.")
    game = play.game
    turn = game.turns[1]
    assert [(entry.role, entry.character) for entry in turn.entries] == [
        ("narrator", None), ("player", None), ("character", "ann"),
    ]  # fmt: skip
    assert turn.mood == "tense" and turn.witnesses == ("ann", "bob")
    assert [line.text for line in lines_of(game.memories["bob"])] == ["The stair was dry once."]
    assert (
        git(play, "log", "--format=%s").splitlines()[0]
        == "Turn 1: The lamp gutters. Water stands on the stair."
    )
    assert len(git(play, "log", "--format=%h").splitlines()) == 2
    assert git(play, "fsck", "--strict") == ""


async def test_each_character_sees_what_came_before_its_reply(play: Stage) -> None:
    play.model.answers["narrator"] = narration("Wind.", "bob, ann")
    play.model.answers["character:bob"] = "BOBSPEAKS now."
    await play.turn("I shout.")
    prompt = play.model.prompts("character:ann")[0]
    assert prompt.index("I shout.") < prompt.index("Wind.") < prompt.index("Bob: BOBSPEAKS now.")
    assert "BOBSPEAKS" not in play.model.prompts("character:bob")[0]


async def test_a_first_line_is_taken_up_on_a_first_page(play: Stage) -> None:
    """The narrator writes an opening, and sees the line."""
    assert await play.session.play("  \n ") is None
    with pytest.raises(UsageError, match="2,001"):
        await play.session.play("x" * 2001)
    assert play.model.asked == [], "neither blank nor too long a line is sent"
    await settled(play.session, play.session.play("I open my eyes."))
    prompt = play.model.prompts("narrator")[0]
    assert play.game.turns[1].kind == "opening"
    assert "show the place first" in prompt and prompt.endswith("I open my eyes.")
    assert "I wait:" not in prompt and "Write the first page," in prompt


async def test_names_in_any_case_and_partial_names_resolve(play: Stage) -> None:
    await play.turn("I wait.", narrator=narration("Wind.", "BOB, Ann Lee, bob", present="ann"))
    said = [e.character for e in play.of(CharacterFinished)]
    assert said == ["bob", "ann"] and play.game.state.present == ("ann", "bob"), "who answers is there"
    assert not play.game.turns[1].notices


async def test_without_a_list_who_is_meant_by_an_arrow_answers(play: Stage) -> None:
    await play.turn("→ Bob: look at this.", narrator="The wind turns.", stage='{"mood": "calm"}')
    assert [e.character for e in play.of(CharacterFinished)] == ["bob"]


async def test_who_is_called_answers_on_the_page_and_not_once_more(play: Stage) -> None:
    await play.turn("Bob, look at this.", narrator=narration("“I see it,” says Bob.", ""))
    assert "will answer after the page" not in play.prompt("narrator")
    assert not play.of(CharacterFinished)
    await play.turn("→ Bob: and at that.", narrator=narration("Bob turns.", ""))
    assert "Bob will answer after the page, not on it." in play.prompt("narrator")
    assert [e.character for e in play.of(CharacterFinished)] == ["bob"]


async def test_lists_with_strangers_send_nobody_away_and_one_who_is_alone_answers(play: Stage) -> None:
    await play.session.edit(hold, ["bob"], here=False)
    await play.turn("I wait.", narrator=narration("Somebody calls.", "Pip", present="Pip, the crowd"))
    assert play.game.state.present == ("ann",)
    assert [e.character for e in play.of(CharacterFinished)] == ["ann"]
    await play.turn(
        "I walk away.", narrator=narration("Only the crowd is left.", "", present="Alex, the crowd")
    )
    assert play.game.state.present == ("ann",)
    await play.turn("I walk on.", narrator=narration("Nobody is left.", "", present="Alex"))
    assert not play.game.state.present
    assert [e.character for e in play.of(CharacterFinished)] == ["ann"]


@pytest.mark.parametrize("file", ["theact/spoken.json", "refs/theact/retaking/main"])
async def test_a_retry_that_cannot_be_kept_changes_nothing(file: str, play: Stage) -> None:
    await play.turn("I go down.", "I go on.")
    head, before = git(play, "rev-parse", "HEAD"), play.game
    in_the_way = play.session.folder / ".git" / file
    in_the_way.mkdir(parents=True)
    with pytest.raises(SaveError):
        await play.session.retry()
    assert play.game is before and git(play, "rev-parse", "HEAD") == head
    in_the_way.rmdir()
    await play.session.undo()
    assert await play.session.run(play.session.save.unfinished.journalled) is None
    await play.session.redo()
    await settled(play.session, play.session.retry())
    assert (play.game.state.turn, play.session.takes) == (2, (2, 2))


async def test_what_is_left_for_the_next_turn_is_said_with_one_reason(play: Stage) -> None:
    await play.turn("I wait.", progress="{]] lorem", memory="{]] lorem")
    (told,) = (e.text for e in play.of(Notice))
    assert told.startswith("Will be done next turn: beats, the memories of Ann Lee and Bob")
    assert told.count("answer has nothing that can be used") == 1 and "chapter complete" not in told


@pytest.mark.parametrize("key", ["progress", "memory:ann"])
async def test_a_failing_after_turn_agent_never_costs_the_turn_and_is_caught_up(
    play: Stage, key: str
) -> None:
    play.model.answers[key] = DOWN
    await play.turn("I go down.")
    state = play.game.state
    assert state.turn == 1 and len(state.pending) == 1 and state.pending[0].turn == 1
    others = {name for name in ("ann", "bob") if key != f"memory:{name}"}
    assert all(lines_of(play.game.memories[name]) for name in others)
    del play.model.answers[key]
    await play.turn("I go on.")
    assert play.game.state.pending == ()
    asked = [prompt for prompt in play.model.prompts(key) if "I go down." in prompt and "I go on." in prompt]
    assert asked


async def test_stopping_the_narration_cancels_the_turn(play: Stage) -> None:
    turn = await play.held("narrator", play.session.play("I go down."))
    await play.session.stop()
    assert await turn is None
    assert [e.text for e in play.of(TurnCancelled)] == ["I go down."]
    assert play.game.state.turn == 0 and play.session.phase == "idle"


async def test_stopping_the_replies_keeps_what_was_finished(play: Stage) -> None:
    play.model.answers["narrator"] = narration("Wind.", "ann, bob")
    turn = await play.held("character:bob", play.session.play("I wait."))
    await play.session.stop()
    await turn
    await play.session.settle()
    entries = play.game.turns[1].entries
    assert [entry.character for entry in entries if entry.role == "character"] == ["ann"]


async def test_an_input_sent_meanwhile_waits_only_for_what_has_started(play: Stage) -> None:
    play.model.max_parallel = 1
    play.model.gates["progress"] = asyncio.Event()
    await play.session.play("I go down.")
    second = asyncio.create_task(play.session.play("I go on."))
    await until(lambda: "progress" in play.model.called())
    await passes(5)
    play.model.gates.pop("progress").set()
    await second
    assert "memory:ann" not in play.model.called()
    assert {work.agent for work in play.game.state.pending} == {"memory"}
    await play.session.settle()
    assert play.game.state.pending == ()
    assert (
        "I go down." in play.model.prompts("memory:ann")[0]
        and "I go on." in play.model.prompts("memory:ann")[0]
    )


async def test_a_spoken_turn_survives_the_process_and_is_finished_on_open(play: Stage) -> None:
    play.model.gates["memory:ann"] = asyncio.Event()
    await play.session.play("I go down.")
    assert play.of(TurnSpoken)
    again = await play.killed()
    assert not again.of(UnsentFound), "it needs its line no more"
    await again.session.settle()
    assert again.game.state.turn == 1 and again.of(TurnSaved)
    assert lines_of(again.game.memories["ann"])[0].text == "The stair was dry once."


async def test_unusable_prose_is_asked_for_once_more(play: Stage) -> None:
    replies = iter(["", narration("Wind.", "")])
    await play.turn("I wait.", narrator=lambda ask: next(replies))
    assert play.model.asked[1].correction and play.game.turns[1].narration == "Wind."
    assert play.game.turns[1].calls["narrator"].retries == 1


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Cut('{"responding_characters": ["an'), "The model's answer was cut off or repeated itself (narrator)."),
        ('{"mood": "tense"}', "The model's answer has no text (narrator). It begins: "),
        (" ", "The model gave an empty answer (narrator)."),
        (Cut("<think>The fog lifts."), "The model used all its tokens for reasoning and gave no answer (narrator)."),
        ("<think>Hm.</think>", "The model only reasoned and gave no answer (narrator)."),
    ],
)  # fmt: skip
async def test_an_answer_that_cannot_be_used_says_why(play: Stage, answer: str, why: str) -> None:
    play.model.answers["narrator"] = answer
    with pytest.raises(TurnError):
        await play.session.play("I wait.")
    (failed,) = play.of(TurnFailed)
    assert failed.reason.startswith(why) and failed.kind == "unreadable"


async def test_a_refusal_is_shown_with_one_line_below_it(play: Stage) -> None:
    declined = "I'm sorry, but I can't help with that request."
    stage_form = '{"answer": ["ann"], "only": {}}'
    play.model.answers |= {"narrator": declined, "character:ann": declined, "stage": stage_form}
    await play.turn("I wait.")
    told = play.game.turns[1]
    assert told.narration == declined and [reply.text for reply in told.replies] == [declined]
    assert told.notices == (
        "This reads like a refusal. F4 tells it again.",
        "Ann Lee's reply reads like a refusal. shift-F9 tells it again.",
    )
    assert play.model.called().count("narrator") == 1


async def test_undo_and_redo(play: Stage) -> None:
    await play.turn("one", "two", "three")
    third = play.game
    await play.session.undo(2)
    assert play.game.state.turn == 1
    await play.session.redo(2)
    assert play.game == third
    with pytest.raises(UsageError):
        await play.session.undo(9)


async def test_events_of_a_turn_come_in_order(play: Stage) -> None:
    await play.turn("I go down.")
    order = [type(event) for event in play.events]
    assert order.index(NarrationFinished) < order.index(CharacterFinished) < order.index(TurnSpoken)
    assert order.index(TurnSpoken) < order.index(TurnSaved)
    assert [event.seq for event in play.events] == list(range(1, len(play.events) + 1))


async def test_edits_made_by_hand_outside_are_noticed_and_adopted(play: Stage) -> None:
    await play.turn("I go down.")
    await play.session.close()
    file = play.session.folder / "memory" / "ann.yaml"
    file.write_text(file.read_text().replace("was dry", "was wet").replace("pinned: false", "pinned: true"))
    again = await play.reopened()
    await again.session.edits_scanned()
    assert [e.files for e in again.of(EditsFound)] == [("memory/ann.yaml",)]
    assert lines_of(again.game.memories["ann"])[0].text == "The stair was dry once."
    assert await again.session.adopt_edits() == ("memory/ann.yaml",)
    assert lines_of(again.game.memories["ann"])[0].text == "The stair was wet once."
    await again.turn("I go on.")
    assert "The stair was wet once." in again.prompt("character:ann")


async def test_an_edit_that_cannot_be_kept_changes_nothing(play: Stage) -> None:
    await play.turn("I go down.")
    before = play.game
    (play.session.folder / ".git/refs/heads/main.lock").write_text("another program is writing there")
    with pytest.raises(SaveError):
        await play.session.edit_turn(1, set_entry_text, 0, "The lamp burns.")
    assert play.game is before
    await play.session.edit_turn(1, set_entry_text, 0, "The lamp burns.")
    assert (await play.session.turns(1, 1))[0].narration == "The lamp burns."


async def test_a_retry_that_fails_leaves_the_story_to_its_own_pack(play: Stage) -> None:
    await play.session.edit(set_chapter, "end")
    await play.turn("I go down.")
    session = play.session
    await session.edit(add_lore, ["lamp"], "It burns blue.")
    agents, play.model.answers["narrator"] = session.agents, DOWN
    with pytest.raises(TurnError):
        await session.retry()
    assert session.agents is agents and session.agents.for_pack(session.game.pack) is agents


async def test_a_pack_changed_by_hand_tells_the_story_from_the_turn_where_it_was_adopted(play: Stage) -> None:
    await play.turn("I go down.")
    await play.session.close()
    file = play.session.folder / "pack" / "world.yaml"
    file.write_text(file.read_text().replace("Quiet.", "Loud."))
    tones: list[str] = []

    class OfOnePack(Scripted):
        def for_pack(self, pack: Pack) -> Models:
            tones.append(pack.world.tone)
            return self

    model = OfOnePack()
    session = await open_session(play.session.folder, lambda pack, seed: model, Bus(Ticking()))
    await session.edits_scanned()
    await session.adopt_edits()
    assert (tones, session.game.pack.world.tone) == (["Loud."], "Loud.")
    await settled(session, session.play("I go on."))
    assert "Loud." in model.prompts("narrator")[-1]
    await session.undo(2)
    assert (tones[1:], session.game.pack.world.tone) == (["Quiet."], "Quiet.")
    await session.redo(2)
    assert tones[2:] == ["Loud."]
    await session.close()


@pytest.mark.parametrize("words", ["I go on.", None])
async def test_what_is_sent_while_the_story_moves_waits_for_it(words: str | None, play: Stage) -> None:
    await play.turn("I go down.", "I look.", "I wait.")
    session = play.session
    await session.undo(2)
    moving = asyncio.create_task(session.redo(2))
    await asyncio.sleep(0)
    await (session.retry() if words is None else session.play(words))
    await moving
    await session.settle()
    expected = 3 if words is None else 4
    assert (session.game.state.turn, session.save.turn) == (expected, expected)
    await play.turn("And on.")
    assert session.save.turn == expected + 1


async def test_a_take_that_was_told_before_a_kill_keeps_who_joined_since(play: Stage) -> None:
    await play.turn("I go down.")
    await play.session.edit(lambda game: add_character(game, newcomer(game, "Mara")))
    play.model.gates["memory:ann"] = asyncio.Event()
    await play.session.retry()
    again = await play.killed()
    await again.session.settle()
    assert "mara" in again.game.chapter.characters and again.session.takes == (2, 2)
    last = await again.killed()
    assert last.game.state.turn == 1 and not [e for e in last.events if getattr(e, "recovered", "")]


async def test_a_told_turn_of_somebody_unknown_is_put_aside(play: Stage) -> None:
    await play.turn("I go down.")
    play.model.gates["memory:ann"] = asyncio.Event()
    await play.session.play("I dive.")
    journal = Note(play.session.folder / ".git", "theact/spoken.json", Spoken)
    spoken = journal.read()
    assert spoken
    journal.write(spoken.model_copy(update={"present": ("ann", "ivo")}))
    again = await play.killed()
    assert again.session.phase == "idle" and again.game.state.turn == 1
    assert (again.session.folder / ".git/theact/spoken-1.json").is_file()


async def test_a_told_turn_that_fits_the_story_no_more_is_put_aside(
    play: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    await play.turn("I go down.")
    play.model.gates["memory:ann"] = asyncio.Event()
    await play.session.retry("I dive.")
    with monkeypatch.context() as patch:
        patch.setattr(engine_session, "apply_turn", lambda game, spoken: 1 / 0)
        again = await play.killed()
    (notice,) = [e.text for e in again.of(Notice)]
    assert notice.endswith("The told turn 1 is kept in .git/theact/spoken-1.json.")
    assert again.session.phase == "idle" and again.session.takes == (1, 1)
    assert "I dive." in (again.session.folder / ".git/theact/spoken-1.json").read_text()
    await again.turn("I go on.")
    assert again.game.turns[1].player_text == "I go down." and again.game.state.turn == 2
