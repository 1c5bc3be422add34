"""Progress, keeper, moments, summaries and the end."""

import json
from dataclasses import replace

import pytest

from tests.storyteller.conftest import light, with_stairs
from tests.support.storyteller_games import Table
from theact_tui.story.agent_views import (
    epilogue_view,
    keeper_view,
    narrator_view,
    progress_view,
    summary_view,
)
from theact_tui.story.moments import Moment
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Entry, Turn
from theact_tui.storyteller import Storyteller


def beats_told(table: Table, turn: Turn) -> dict[str, str]:
    """Beats that the check calls finished, with their quotes."""
    view = progress_view(table.game, [turn], 1)
    form = json.loads(table.teller.answer("progress", view))
    return {beat: form[label] for label, beat in view.beats.items() if form[label] != "no"}


def test_progress_quotes_the_page_of_the_beat_that_was_told(table: Table) -> None:
    table.play_all(["open the oil store", "I wait"])
    turn = table.play("force the door")
    assert beats_told(table, turn) == {}, "it is marked already"
    first, second, *_ = table.game.chapter.beats
    table.game = table.game.with_state(beats_hit=(first,))
    assert beats_told(table, turn) == {second: "The door on the landing gives way. Behind it hangs a coat,"}


def test_progress_reads_a_text_of_another_narrator(table: Table) -> None:
    text = "In the store they find every can empty. The oil is gone, they say. " + "Nobody moves. " * 15
    turn = Turn(number=2, chapter="stairs", entries=(Entry(role="narrator", text=text),))
    assert list(beats_told(table, turn)) == [table.game.chapter.beats[0]]


def test_what_is_only_said_tells_no_beat(table: Table) -> None:
    entries = (
        Entry(role="player", text="They find the oil gone"),
        Entry(role="narrator", text='"They find the oil gone," you say. The walls listen.'),
    )
    turn = Turn(number=2, chapter="stairs", entries=entries)
    assert beats_told(table, turn) == {}


def test_the_moment_belongs_to_the_scene_and_is_given_once(table: Table) -> None:
    table.play_all(["open the oil store", "I wait", "force the door", "I read", "I read"])
    assert [(m.type, m.summary, m.turn) for m in table.game.moments] == [
        ("discovery", "a wet coat behind the door", 4)
    ]


def test_with_always_every_line_is_a_throw_and_moments_are_found_all_the_same() -> None:
    table = Table.opened(light(keeper="always"))
    table.play_all(["open the oil store", "force the door", "I read", "I read"])
    assert "a wet coat behind the door" in [m.summary for m in table.game.moments]
    for turn in table.turns[1:]:
        assert turn.ruling is not None and turn.ruling.roll is not None
        assert turn.ruling.resolution.startswith(f"{turn.ruling.roll} against 12: ")


@pytest.mark.parametrize(
    ("line", "risk"),
    [
        ("I save him.", "I save him"), ("I save him and say so.", "I save him and say so"), ("Save me a seat.", ""),
        ("Edda, save me a seat.", ""), ("“Save me!” I say.", ""), ("Will you save me?", ""),
        ("I ask Edda to save him.", ""), ("Save him, Edda!", ""), ("I want Piet to save him.", ""),
        ("I wave to Edda to save him.", ""), ("I tell Edda that she should save him.", ""),
        ("I ask Edda whether she can save him.", ""), ("I let Piet save him.", ""),
        ("I wave to Edda and save him.", "I wave to Edda and save him"),
        ("I tell Edda to wait and I save him.", "I tell Edda to wait and I save him"),
        ("I want to save him.", "I want to save him"),
    ],
)  # fmt: skip
def test_offline_a_risky_word_of_the_pack_is_a_risk_in_a_deed_and_not_in_a_request(
    line: str, risk: str
) -> None:
    table = Table(light(keeper="risky", risky_words=("save",)))
    view = keeper_view(table.game, narrator_view(table.game, "play", line, None, 1))
    assert json.loads(table.teller.answer("keeper", view))["risk"] == risk


@pytest.mark.parametrize(
    ("line", "risk"),
    [
        ("I climb the rope", "climb"), ("I jumped over the gap.", "jumped"), ("I ask Edda if I should jump.", ""),
        ("Should I jump?", ""), ("I look at the wall.", ""), ("I pull up my collar and catch my breath.", ""),
        ("I hit Edda.", "hit"), ("I hit Piet, who is not there.", ""), ("Climb up there, Edda.", ""),
        ("I signal Edda to climb.", ""), ("I climb up to Edda.", "climb"),
    ],
)  # fmt: skip
def test_deeds_that_may_fail_are_risky(table: Table, line: str, risk: str) -> None:
    game = table.game.with_state(present=("edda",))
    view = keeper_view(game, narrator_view(game, "play", line, None, 1))
    assert json.loads(table.teller.answer("keeper", view)) == {"risk": risk, "difficulty": 12}


def test_the_summary_keeps_the_thread_in_five_sentences(table: Table) -> None:
    table.play_all(["open the oil store", "I give Edda my scarf", "force the door", "I read", "help"])
    turns = table.turns
    first = table.teller.answer("summary", summary_view(table.game, "", turns[:3]))
    assert "Sam and the others found the oil gone." in first
    more = table.teller.answer("summary", summary_view(table.game, first, turns[3:]))
    assert "oil gone" not in more, "what was written down is not said again"
    both = table.teller.answer("summary", summary_view(table.game, f"{first} {more}", ()))
    for event in ("oil gone", "Sam: “I give Edda my scarf.”", "wet coat", "went down for help"):
        assert event in both
    assert both.count(". ") + 1 <= 5


def test_a_chapter_gone_by_is_one_sentence_of_the_summary() -> None:
    table = Table.opened(light(with_stairs(thread="{player} had found the oil gone.")))
    table.play_all(["open the oil store", "force the door", "I read", "help", "I read", "I read", "I read"])
    last = next(turn for turn in table.turns if turn.chapter == "lamp")
    told = table.teller.answer("summary", summary_view(table.game, "", [*table.turns[:3], last]))
    assert told.startswith("Sam had found the oil gone.")
    assert "Sam and the others" not in told and "wet coat" not in told


def test_the_epilogue_names_the_weightiest_moments_in_their_order(table: Table) -> None:
    moments = tuple(
        Moment(turn=turn, type="discovery", summary=text, significance=weight)
        for turn, text, weight in ((1, "a small thing", 0.1), (2, "The coat", 0.9), (5, "the horn", 0.5))
    )
    view = epilogue_view(table.game, table.turns)
    told = table.teller.answer("epilogue", replace(view, moments=moments))
    assert told == "It is morning. You remember: a small thing; the coat; and the horn.\n\nThe boat comes."


def test_without_moments_the_epilogue_remembers_what_was_told(table: Table) -> None:
    turns = [table.play("open the oil store")]
    told = table.teller.answer("epilogue", replace(epilogue_view(table.game, turns), moments=()))
    assert "Sam and the others found the oil gone" in told


def test_a_pack_without_a_script_has_an_epilogue_of_the_right_length(bare: Pack) -> None:
    table = Table.opened(bare)
    while not table.game.state.game_complete:
        table.play("wait")
    assert 150 <= len(table.epilogue.split()) <= 210
    assert Storyteller(bare, 1).answer("epilogue", epilogue_view(table.game, table.turns[-1:]))


def test_a_moment_is_recorded_in_the_turn_in_which_it_happens() -> None:
    for keeper in ("off", "risky", "always"):
        table = Table.opened(light(keeper=keeper))
        while not table.game.state.game_complete:
            table.play("I climb on and force what is in the way")
        sparks = {"a wet coat behind the door": 1, "the lamp burned after all": 1}
        for moment in table.game.moments:
            if moment.summary in sparks:
                turn = table.turns[moment.turn - 1]
                words = {
                    "a wet coat behind the door": "hangs a coat",
                    "the lamp burned after all": "The lamp burns.",
                }
                assert words[moment.summary] in turn.narration
                del sparks[moment.summary]
        assert not sparks, keeper
