"""S6: what a character's prompt gives up in a small window, and what it never does."""

import pytest

from tests.support.fake_model import small_pack
from theact_tui.agents.character import CHARACTER
from theact_tui.errors import CallError
from theact_tui.prompting.fitting import fit
from theact_tui.prompting.sections import Prompt
from theact_tui.prompting.tokens import Tokens
from theact_tui.story.memory import Fact, FactsMemory
from theact_tui.story.turn import Entry
from theact_tui.story.views import StoryView, Viewpoint, Witnessed


def prompt(window: int, memory: FactsMemory, said: str) -> Prompt:
    """Ann's prompt in a turn after all that she remembers, fitted."""
    pack = small_pack()
    player = Entry(role="player", text=said)
    names = {name: card.name for name, card in pack.characters.items()}
    view = Viewpoint(
        story=StoryView(world=pack.world, player=pack.game.player, names=names, seed=1, turn=11),
        id="ann",
        card=pack.characters["ann"],
        present=("ann",),
        memory=memory,
        turns=(),
        now=Witnessed(
            number=11, chapter="one", entries=(player, Entry(role="narrator", text="Rain. " * 300))
        ),
    )
    count = Tokens().count
    return fit(CHARACTER.sections(view, {}), window=window, reply=400, count=count)[0]


def facts(*pinned: int) -> FactsMemory:
    """Ten long facts, oldest first."""
    made = tuple(Fact(text=f"FACT{n} " + "so it is " * 30, turn=n, pinned=n in pinned) for n in range(1, 11))
    return FactsMemory(summary="SUMMARY of it all.", key_facts=made)


def test_memory_is_cut_last_and_from_the_oldest_but_never_what_is_pinned() -> None:
    fitted = prompt(1300, facts(1, 2), "PLAYER " * 60)
    sent = fitted.messages()[-1]["content"]
    assert fitted.tokens + 120 <= 1300
    assert all(word in sent for word in ("FACT1 ", "FACT2 ", "FACT10 ", "SUMMARY", "ANNSECRET"))
    assert sent.count("PLAYER") >= 60 and "FACT3 " not in sent


def test_with_room_all_is_there_the_newest_fact_first() -> None:
    sent = prompt(8192, facts(), "hello").messages()[-1]["content"]
    places = [sent.index(f"FACT{n} ") for n in range(1, 11)]
    assert places == sorted(places, reverse=True)


def test_pins_that_alone_are_too_much_are_not_dropped_but_named() -> None:
    with pytest.raises(CallError, match=r"Pinned lines take \d+ of them: unpin one"):
        prompt(1000, facts(*range(1, 11)), "hello")
    with pytest.raises(CallError, match=r"shorten the pack's texts"):
        prompt(200, facts(), "hello")


def test_what_bears_on_the_scene_is_cut_later_than_what_is_newer() -> None:
    old = Fact(text="The copper kettle hangs in the tower. " + "It is so. " * 12, turn=1)
    memory = FactsMemory(key_facts=(old, *facts().key_facts[1:]))
    assert (
        "copper kettle hangs" in prompt(900, memory, "Where is the copper kettle?").messages()[-1]["content"]
    )
    assert "copper kettle hangs" not in prompt(900, memory, "Where is the sea?").messages()[-1]["content"]
