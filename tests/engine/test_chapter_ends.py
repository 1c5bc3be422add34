"""What a chapter leaves behind: what each character makes of it, and beats of the next one that were told already."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, Stage, narration, small_pack, stage
from theact_tui.errors import CallError

DONE = "chapter_complete: true\nreason: so\nnew_beats: [1, 4]"
REFLECTION = """```yaml
want: To reach the sea alone.
hide: nothing
beliefs:
  - Bob: He cannot swim and will not say so.
  - Nobody Known: Is not here.
```"""


@pytest.fixture
async def play(tmp_path: Path) -> AsyncIterator[Stage]:
    pack = small_pack()
    two = pack.chapters["two"].model_copy(update={"by": {"two lights the lamp": "bob"}})
    made = await stage(
        tmp_path, Scripted(), pack.model_copy(update={"chapters": {**pack.chapters, "two": two}})
    )
    yield made
    await made.session.close()


async def test_what_a_character_made_of_a_chapter_replaces_its_card(play: Stage) -> None:
    play.model.answers |= {"progress": DONE, "reflection": REFLECTION}
    await play.turn("I open the door.")
    seen = play.session.game.memories["ann"].reflection
    assert seen is not None and seen.turn == 1 and seen.hide == ""
    assert seen.beliefs == {"Bob": "He cannot swim and will not say so."}
    await play.turn("I go on.", progress="chapter_complete: no")
    prompt = play.model.prompts("character:ann")[-1]
    assert "Ann Lee wants: To reach the sea alone." in prompt
    assert "Bob: He cannot swim and will not say so." in prompt
    await play.session.close()
    again = await play.reopened()
    assert again.session.game.memories["ann"].reflection == seen
    unchanged = '{"want": "", "hide": "", "beliefs": ["Alex: Listens."]}'
    for beats in ("1, 2", "3, 4"):
        await again.turn("I light it.", progress=DONE.replace("1, 4", beats), reflection=unchanged)
    later = again.session.game.memories["ann"].reflection
    assert later is not None and later.turn > seen.turn and later.want == seen.want, "nothing new leaves it"


async def test_nobody_is_asked_what_it_thinks_of_one_it_has_not_met(tmp_path: Path) -> None:
    pack = small_pack()
    alone = pack.chapters["one"].model_copy(update={"present": ("ann",)})
    made = await stage(
        tmp_path, Scripted(), pack.model_copy(update={"chapters": {**pack.chapters, "one": alone}})
    )
    made.model.answers |= {"narrator": narration("Rain.", "ann", present="ann"), "progress": DONE}
    await made.turn("I open the door.")
    asked = made.model.prompts("memory:ann")[-1]
    assert "A chapter of Ann Lee's life is over." in asked
    assert "each of these people: Alex." in asked
    await made.session.close()


async def test_a_failing_reflection_is_made_with_the_next_turn(play: Stage) -> None:
    play.model.answers |= {"progress": DONE, "reflection": CallError("timeout", "Too slow.")}
    await play.turn("I open the door.")
    assert [w.agent for w in play.session.game.state.pending] == ["reflection", "reflection"]
    play.model.answers |= {"progress": "chapter_complete: no", "reflection": REFLECTION}
    await play.turn("I go on.")
    assert play.session.game.state.pending == ()
    assert play.session.game.memories["bob"].reflection is not None


async def test_an_act_of_the_next_chapter_that_came_early_counts_when_it_begins(play: Stage) -> None:
    play.model.answers["narrator"] = narration("Bob lights the old lamp.", "ann", present="ann, bob")
    play.model.answers["progress"] = (
        "reason: so\nnew_beats: [5]\nquotes: [lights the old lamp]\nchapter_complete: no"
    )
    await play.turn("I open the door.")
    assert "5. two lights the lamp" in play.model.prompts("progress")[-1]
    state = play.session.game.state
    assert (state.beats_hit, state.told_early) == ((), ("two lights the lamp",))
    await play.turn("I go on.", progress=DONE)
    assert "two lights the lamp" not in play.model.prompts("progress")[-1], "it is not asked about again"
    state = play.session.game.state
    assert (state.chapter, state.beats_hit, state.told_early) == ("two", ("two lights the lamp",), ())


@pytest.mark.parametrize(("first", "asked"), [("Then one lights the lamp.", 2), ("They went down.", 1)])
async def test_a_recap_that_tells_what_did_not_happen_is_asked_for_once_more(
    play: Stage, first: str, asked: int
) -> None:
    recaps = iter((first, "They opened the door."))
    play.model.answers |= {"progress": DONE, "recap": lambda ask: next(recaps)}
    await play.turn("I open the door.")
    assert "lights the lamp" not in play.model.prompts("recap")[-1]
    assert len(play.model.prompts("recap")) == asked
    assert play.session.game.recaps[0].text == ("They opened the door." if asked == 2 else first)


async def test_a_recap_that_tells_of_the_next_chapter_is_asked_for_once_more(tmp_path: Path) -> None:
    pack = small_pack()
    two = pack.chapters["two"].model_copy(update={"beats": ("ann burns the ledger",)})
    pack = pack.model_copy(update={"chapters": {**pack.chapters, "two": two}})
    made = await stage(tmp_path, Scripted(), pack)
    recaps = iter(("They burned a ledger.", "They opened the door."))
    made.model.answers |= {"progress": DONE, "recap": lambda ask: next(recaps)}
    await made.turn("I open the door.")
    assert made.session.game.recaps[0].text == "They opened the door."
    await made.session.close()


async def test_a_model_that_skips_ahead_ends_no_chapter_on_its_second_turn(tmp_path: Path) -> None:
    pack = small_pack().model_copy(update={"prompts": {}})
    made = await stage(tmp_path, Scripted(), pack)
    page = "One finds the stair, lights the lamp, opens the door and sees the sea."
    quotes = "sees the sea, opens the door, lights the lamp, finds the stair"
    made.model.answers |= {
        "narrator": narration(page, "ann"),
        "progress": f"new_beats: [4, 3, 2, 1]\nquotes: [{quotes}]\nchapter_complete: yes",
    }
    await made.turn("I go.")
    assert made.session.game.state.beats_hit == ("one finds the stair", "one lights the lamp")
    await made.turn("I go on.")
    state = made.session.game.state
    assert (state.chapter, len(state.beats_hit), state.completion_said) == ("one", 3, 2)
    await made.session.close()
