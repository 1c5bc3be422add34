"""A stage that fails: nobody learns more, it is asked again, and a player can decide it."""

import json
from pathlib import Path

import pytest

from tests.engine.conftest import reopened
from tests.support.fake_model import Scripted, Stage, narration, prose, small_pack, stage
from theact_tui.engine import turn_steps
from theact_tui.errors import CallError, UsageError
from theact_tui.story.pack import Character, Pack
from theact_tui.story.turn import FULLY_HEARD

DOWN = CallError("connection", "No answer from the server.")
WHISPER = 'I take Ann by the sleeve, low: "The QUINCE is in the cellar."'
BROKEN = {
    "no server": DOWN, "nothing": "", "another form": '{"new": [], "changed": {}}',
    "unknown people": '{"answer": ["zed"], "only": {"1": ["zed"], "A": ["yma"]}}',
    "words for labels": '{"answer": ["bob"], "only": {"the whisper": ["ann"]}}',
    "null": '{"answer": ["bob"], "only": null}', "only an answer": '{"answer": ["bob"]}',
}  # fmt: skip


@pytest.fixture
async def three(tmp_path: Path) -> Stage:
    play = await stage(tmp_path, Scripted(), small_pack())
    play.model.answers["narrator"] = narration("Rain. Nobody moves.", "ann", present="ann, bob")
    return play


@pytest.fixture
async def pending(three: Stage) -> Stage:
    """The form of turn 2, a whisper, failed, and goes on failing."""
    await three.turn("Ann, hm?")
    await three.turn(WHISPER, stage=DOWN)
    return three


def asked_of(play: Stage, key: str) -> str:
    return "\n".join(play.model.prompts(key))


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN)
async def test_whatever_the_form_is_nobody_answers_unasked_and_nobody_perceives_the_turn(
    three: Stage, answer: str | CallError
) -> None:
    await three.turn("Ann, hm?")
    await three.turn(WHISPER, stage=answer)
    turn = three.game.last_turn
    assert turn is not None and turn.stage is not None and turn.stage.by == "pending"
    assert not turn.witnesses and not turn.replies
    assert not any("QUINCE" in asked_of(three, f"character:{id}") for id in ("ann", "bob"))
    assert [work.agent for work in three.game.state.pending].count("stage") == 1
    assert not any("QUINCE" in asked_of(three, key) for key in ("memory:ann", "memory:bob"))
    notices = [notice for notice in turn.notices if "who heard this turn" in notice]
    assert len(notices) == 1 and "/heard all" in notices[0]


async def test_it_is_asked_again_before_the_next_page_and_memories_follow(pending: Stage) -> None:
    pending.model.answers["stage"] = json.dumps({"answer": ["ann"], "only": {"1": ["ann"], "2": ["ann"]}})
    await pending.turn("I wait. I listen.")
    game = pending.game
    settled = game.turns[2]
    assert settled.stage is not None and settled.stage.by == "form" and not game.state.pending
    assert set(settled.witnesses) == {"ann", "bob"} and settled.unaware == ("bob",)
    assert "QUINCE" in asked_of(pending, "memory:ann") and "QUINCE" not in asked_of(pending, "memory:bob")
    again = await reopened(pending)
    assert again.game.turns[2] == settled, "the decided turn is kept"


async def test_a_form_that_fails_again_does_not_keep_a_later_one_from_being_asked_again(
    pending: Stage,
) -> None:
    await pending.turn("I count the STAIRS.")
    good = json.dumps({"answer": [], "only": {}, "mood": "calm"})
    pending.model.answers["stage"] = lambda ask: (
        DOWN if "QUINCE" in ask.prompt.messages()[-1]["content"] else good
    )
    await pending.turn("I wait.")
    turns = pending.game.turns
    assert [turns[number].is_pending for number in (2, 3, 4)] == [True, False, False]
    assert "STAIRS" in asked_of(pending, "memory:bob") and "QUINCE" not in asked_of(pending, "memory:bob")


async def test_while_it_is_pending_a_gap_line_says_so_and_a_third_failure_says_what_works_without_it(
    three: Stage,
) -> None:
    await three.turn("Ann, hm?")
    three.model.answers["stage"] = DOWN
    await three.turn("Ann, one.", "Ann, two.", "Ann, three.", "Ann, four.")
    hints = [
        turn.number
        for turn in (await three.session.turns(1, 5))
        if any("failed three times" in notice for notice in turn.notices)
    ]
    assert hints == [4] and "/heard always" in "".join((await three.session.turns(4, 4))[0].notices)
    three.model.answers["stage"] = json.dumps(
        {"answer": ["bob"], "only": {"1": ["ann"], "2": ["ann"], "A": ["ann"]}}
    )
    await three.turn("Bob?", narrator=narration("Bob coughs.", "bob", present="ann, bob"))
    assert "Ann, two." not in asked_of(three, "character:bob")


@pytest.mark.parametrize(
    ("command", "witnesses", "unaware"),
    [
        ("/heard all", {"ann", "bob"}, ()), ("/heard 2 all", {"ann", "bob"}, ()), ("/heard bob", {"bob"}, ("ann",)),
        ("/heard nobody", set(), ("ann", "bob")),
    ],
)  # fmt: skip
async def test_a_player_can_decide_it(
    pending: Stage, command: str, witnesses: set[str], unaware: tuple[str, ...]
) -> None:
    with pytest.raises(UsageError, match="/heard 2 all"):
        await pending.said("/heard 2 bob all")
    await pending.said(command)
    turn = pending.game.turns[2]
    assert turn.stage is not None and turn.stage.by == "player"
    assert (set(turn.witnesses), turn.unaware) == (witnesses, unaware)
    assert all(turn.heard.get(id, FULLY_HEARD) == FULLY_HEARD for id in witnesses)
    assert not any(work.agent == "stage" for work in pending.game.state.pending)


async def test_of_a_turn_that_was_decided_the_others_keep_what_they_saw(three: Stage) -> None:
    await three.turn("Ann, hm?")
    await three.turn(WHISPER)
    await three.said("/heard ann")
    turn = three.game.turns[2]
    assert turn.heard["bob"].missed[:2] == ("1", "2") and "A" not in turn.heard["bob"].missed
    with pytest.raises(UsageError, match="Usage: /heard"):
        await three.said("/heard")


async def test_the_stage_alone_can_be_asked_again_and_the_page_stays(pending: Stage) -> None:
    page = pending.game.turns[2].narration
    assert "could not say" in await pending.said("/retry --stage")
    pending.model.answers["stage"] = json.dumps({"answer": ["ann"], "only": {"2": ["ann"]}})
    assert "Asked again" in await pending.said("/retry --stage")
    turn = pending.game.turns[2]
    assert turn.narration == page and turn.heard["bob"].missed[:1] == ("2",)
    assert [entry.character for entry in turn.replies] == ["ann"] and pending.session.takes == (1, 1)
    assert "QUINCE" not in asked_of(pending, "character:bob")


async def test_who_heard_it_then_answers_in_the_same_turn_and_its_beats_are_owed_again(
    pending: Stage,
) -> None:
    asked = len(pending.model.asked)
    await pending.said("/heard ann")
    turn, works = pending.game.turns[2], pending.game.state.pending
    assert [entry.character for entry in turn.replies] == ["ann"] and pending.session.takes == (1, 1)
    assert pending.model.called()[asked:] == ["character:ann"] and "QUINCE" in asked_of(
        pending, "character:ann"
    )
    assert turn.heard["bob"].missed == turn.labels if "bob" in turn.witnesses else "bob" not in turn.heard
    owed = [(work.agent, work.character) for work in works if work.turn == 2]
    assert owed == [("memory", "ann"), ("progress", None)]
    again = await pending.killed()
    assert again.game.turns[2] == turn and again.game.state.pending == works


async def test_a_standing_choice_lets_everybody_hear_all_but_for_an_arrow(three: Stage) -> None:
    await three.turn("Ann, hm?")
    await three.said("/heard always")
    await three.turn("Well? I listen.", stage=DOWN)
    turn = three.game.turns[2]
    assert set(turn.witnesses) == {"ann", "bob"} and not turn.is_pending and turn.replies and not turn.notices
    await three.turn("→ Bob: The QUINCE is in the cellar.")
    assert "QUINCE" not in asked_of(three, "character:ann") + asked_of(three, "memory:ann")
    again = await reopened(three)
    assert again.session.steering.all_hear
    await again.said("/heard ask")
    assert not again.session.steering.all_hear


# --- a stage that is decided later ----------------------------------------------------------------------------------------


def two_casts() -> Pack:
    """Chapter one has Ann and Bob, chapter two Bob and Cy, and opens with Cy alone."""
    pack = small_pack()
    cy = Character(name="Cy", role="cook", personality="Slow.")
    one = pack.chapters["one"].model_copy(update={"characters": ("ann", "bob")})
    two = pack.chapters["two"].model_copy(update={"characters": ("bob", "cy"), "present": ("cy",)})
    info = pack.game.model_copy(update={"characters": ("ann", "bob", "cy")})
    people = {**pack.characters, "cy": cy}
    return pack.model_copy(update={"characters": people, "chapters": {"one": one, "two": two}, "game": info})


@pytest.fixture
async def second(tmp_path: Path) -> Stage:
    """A story at the end of whose first chapter Ann answered, who is not of the second."""
    play = await stage(tmp_path, Scripted(), two_casts())
    play.model.answers["narrator"] = narration("Rain.", "ann", present="ann, bob")
    await play.said("/chapter end")
    await play.turn("Ann, hm?")
    return play


async def test_whoever_replied_last_may_be_missing_in_the_next_chapter(second: Stage) -> None:
    await second.turn("Good evening.", narrator=narration("Cy stirs the soup.", "cy", present="cy"))
    last = second.game.last_turn
    assert last is not None and last.stage is not None and last.stage.here == ("cy",)


@pytest.mark.parametrize("command", ["/heard all", "/retry --stage"])
async def test_deciding_the_last_turn_of_a_chapter_leaves_the_cast_of_the_next_one(
    second: Stage, command: str
) -> None:
    assert second.game.state.present == ("cy",)
    await second.said(command)
    assert second.game.state.present == ("cy",)


async def test_who_comes_after_a_pending_turn_does_not_perceive_it(play: Stage) -> None:
    await play.turn("Ann, hm?", narrator=narration("Bob goes out.", "ann", present="ann"))
    await play.turn("The QUINCE is in the cellar, Ann.", stage=DOWN, narrator=narration("Rain.", "ann"))
    await play.said("/present bob")
    play.model.answers["stage"] = json.dumps({"answer": ["bob"], "only": {}})
    await play.turn("Bob?", narrator=narration("Bob comes in.", "bob", present="ann, bob"))
    assert "QUINCE" not in asked_of(play, "character:bob") + asked_of(play, "memory:bob")
    assert play.game.state.present == ("ann", "bob")


async def test_asking_again_gives_a_newcomer_no_more_than_the_first_time(three: Stage) -> None:
    await three.turn("Ann, hm?", narrator=narration("Bob goes out.", "ann", present="ann"))
    page = "The QUINCE is in the cellar.\n\nBob comes in."
    await three.turn("Well?", narrator=narration(page, "ann", present="ann, bob"))
    before = three.game.turns[2].heard["bob"]
    await three.said("/retry --stage")
    assert "A" in before.missed and three.game.turns[2].heard["bob"] == before


async def test_asking_again_ends_with_esc(three: Stage) -> None:
    await three.turn("Ann, hm?")
    asking = await three.held("stage", three.session.ask_stage())
    await three.session.stop()
    assert await asking is False


# --- a stage that is decided long after --------------------------------------------------------------------------------


async def test_a_pending_turn_that_was_summarised_meanwhile_is_decided_on_disk_too(tmp_path: Path) -> None:
    play = await stage(tmp_path, Scripted(), small_pack(summary_threshold=200, fold_batch=1))
    await play.turn("Ann, hm?", narrator=narration(prose(300), "ann", present="ann, bob"))
    play.model.answers["stage"] = DOWN
    await play.turn(WHISPER, *("Well?" for _ in range(12)))
    assert play.game.state.last_summarized_turn > 2
    del play.model.answers["stage"]
    await play.turn("I wait.")
    assert not play.game.state.pending
    by = [turn.stage.by for turn in await play.session.turns(1, 15) if turn.stage]
    assert by == ["form"] * 15


async def test_who_left_in_a_reply_stays_away_when_the_turn_is_decided_late(three: Stage) -> None:
    three.model.answers |= {"character:ann": "I am off. Good night.", "character:bob": "The QUINCE is mine."}
    await three.turn("Ann, hm?")
    await three.turn("Ann and Bob, hm?", narrator=narration("Rain.", "ann, bob", present="ann, bob"))
    await three.turn("Bob?", narrator=narration("Rain.", "bob", present="bob", gone=["ann"]))
    for command in ("", "/heard 2 all", "/heard 2 ann bob"):
        assert not command or await three.said(command)
        assert "c" in (await three.session.turns(2, 2))[0].heard["ann"].missed, command


# --- a stage that is slow -------------------------------------------------------------------------------------------------


async def test_after_two_slow_answers_in_a_row_it_is_asked_alone_and_short_and_that_is_said_once(
    three: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    await three.turn("Ann, hm?")
    monkeypatch.setattr(turn_steps, "SLOW_STAGE_SECONDS", 0.0)
    three.model.answers["stage"] = DOWN
    await three.turn("One.", "Two.", "Three.", "Four.")
    asked = [request for request in three.model.asked if request.key == "stage"]
    full, brief = asked[1].prompt, asked[-1].prompt
    assert full.sections[-1].name == brief.sections[-1].name == "stage" and brief.tokens < full.tokens
    assert "place:" in full.sections[-1].text and "world" not in [section.name for section in brief.sections]
    text = "\n".join(section.text for section in brief.sections)
    assert "only:" in text and "here:" in text and "place:" not in text and "asleep:" not in text
    said = [
        notice
        for turn in await three.session.turns(1, 5)
        for notice in turn.notices
        if "takes long" in notice
    ]
    assert len(said) == 1


async def test_one_slow_answer_changes_nothing(three: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    for line, seconds in (("One.", 0.0), ("Two.", 60.0), ("Three.", 0.0), ("Four.", 60.0)):
        monkeypatch.setattr(turn_steps, "SLOW_STAGE_SECONDS", seconds)
        await three.turn(line)
    assert "place:" in asked_of(three, "stage").rpartition("this page.")[2]
    assert not any(
        "takes long" in notice for turn in await three.session.turns(1, 4) for notice in turn.notices
    )
