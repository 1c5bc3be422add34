"""Events become what is seen on the play screen, in one place."""

from typing import Any

import pytest

from tests.support.pilot import Player, until
from tests.support.said import text_of
from theact_tui.engine import events as e
from theact_tui.story.memory import Fact, FactsMemory
from theact_tui.tui.widgets.header import Rule


async def show(player: Player, *events: e.Event) -> None:
    for event in events:
        player.screen.presenter.show(event)
    await player.pilot.pause()


def lines(player: Player) -> list[str]:
    """What the last turn on the page says."""
    return text_of(player.transcript.window.turns[-1]).splitlines()


def toasts(player: Player) -> list[tuple[str, str]]:
    return [(toast.message, toast.severity) for toast in player.app._notifications]


BEGUN = (e.TurnStarted(turn=2, text="I run."), e.NarrationToken(text="The "))
TOLD = (
    *BEGUN,
    e.NarrationFinished(text="The lamp.", mood="tense", responding=("bob",), present=("bob",)),
    e.CharacterStarted(character="bob", name="Bob"),
    e.CharacterToken(character="bob", text="Wait"),
    e.CharacterFinished(character="bob", name="Bob", text="Wait!"),
    e.TurnSpoken(turn=2),
)
STAGE: dict[str, Any] = {"call": "s", "agent": "stage", "model": "m", "prompt_tokens": 900}


async def test_a_turn_from_beginning_to_end(player: Player) -> None:
    await show(player, *BEGUN)
    assert player.prompt.waiting and player.transcript.window.last == 2
    await show(player, *TOLD[2:])
    assert lines(player) == ["I run.", "The lamp.", "BOB", "Wait!"]
    assert not player.prompt.waiting
    assert player.screen.query_one(Rule).mood == "tense"


async def test_a_page_is_complete_before_it_is_known_who_answers(player: Player) -> None:
    await show(player, *BEGUN, e.PageTold(text="The lamp."), e.CallStarted(**STAGE))
    assert lines(player) == ["I run.", "The lamp."]
    assert player.status.doing == "Setting the stage"


async def test_tokens_may_replace_what_came_before(player: Player) -> None:
    await show(player, *BEGUN, e.NarrationToken(text="A door.", replace=True), e.TurnSpoken(turn=2))
    assert lines(player) == ["I run.", "A door."]


async def test_memories(player: Player) -> None:
    before = FactsMemory().model_dump(mode="json")
    after = FactsMemory(key_facts=(Fact(text="The lamp is out.", turn=3),)).model_dump(mode="json")
    player.panel.display = False
    await show(player, e.MemoryStarted(character="bob"))
    assert "updating…" in text_of(player.panel)
    await show(player, e.MemoryFailed(character="bob", kind="timeout", reason="late"))
    assert "updating…" not in text_of(player.panel) and "not updated yet: late" in text_of(player.panel)
    await show(player, e.MemoryUpdated(character="bob", before=before, after=after))
    assert "+ The lamp is out." in text_of(player.panel) and "not updated" not in text_of(player.panel)
    assert player.status.hint == "Bob has a new memory"


@pytest.mark.parametrize("event", [e.Undone(turns=1), e.BranchSwitched(previous="main")])
async def test_another_place_in_the_story_is_read_anew(player: Player, event: e.Event) -> None:
    await show(player, *TOLD)
    player.screen.presenter.card("A card", "of the turn", "that was left")
    player.session.bus.publish(event)
    await until(player.pilot, lambda: "A card" not in player.page, "the story as it is saved")
    assert player.transcript.window.last == 1


async def test_an_undo_takes_the_marks_of_the_turn_with_it(player: Player) -> None:
    after = FactsMemory(key_facts=(Fact(text="The lamp is out.", turn=2),)).model_dump(mode="json")
    before = FactsMemory().model_dump(mode="json")
    player.panel.display = False
    await show(player, e.MemoryUpdated(character="bob", before=before, after=after))
    assert "The lamp is out." in text_of(player.panel)
    await show(player, e.Undone(turns=1))
    assert "The lamp is out." not in text_of(player.panel)


async def test_notices(player: Player) -> None:
    late = e.Notice(text="Bob is late.", level="warning")
    await show(player, e.Notice(text="fyi"), *TOLD, late)
    assert toasts(player) == [("fyi", "information")] and lines(player)[-1] == "Bob is late."
    await show(player, e.TurnCancelled(text=""), late)
    assert toasts(player)[1:] == [("Bob is late.", "warning")], "there is no turn to put it to"


async def test_repairs_on_opening_are_told(player: Player) -> None:
    await show(player, e.SaveOpened(title="x"))
    assert not toasts(player)
    await show(player, e.SaveOpened(title="x", recovered="A half-written turn was put aside."))
    assert toasts(player) == [("A half-written turn was put aside.", "warning")]
