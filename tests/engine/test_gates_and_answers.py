"""What playing by hand showed: who answers by leaving, who comes unnamed, whose answer is low, what is told twice."""

from __future__ import annotations

from pathlib import Path

from tests.support.fake_model import Scripted, narration, small_pack, stage
from theact_tui.agents.character import memory_text, recollections
from theact_tui.story.memory import Fact, FactsMemory, change_facts
from theact_tui.story.pack import Pack


async def test_who_walked_off_in_an_answer_hears_nothing_of_the_next_turn(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), small_pack())
    model = made.model
    model.answers |= {
        "narrator": narration("The door creaks.", "bob", present="ann, bob"),
        "character:bob": '"I have had enough," he says. He walks off into the rain.',
    }
    await made.turn("I say nothing.")
    model.answers["narrator"] = narration("Rain, and the KETTLE.", "ann", present="ann")
    await made.turn("He stole the COMPASS.")
    assert "Bob (just walked off, by the last answer)" in model.prompts("narrator")[-1]
    model.answers["narrator"] = narration("Bob comes back.", "bob", present="ann, bob")
    model.answers["character:bob"] = '"Well," he says.'
    await made.turn("You again.")
    prompt = model.prompts("character:bob")[-1]
    assert "KETTLE" not in prompt and "COMPASS" not in prompt
    assert made.session.game.turns[2].witnesses == ("ann",)
    await made.session.close()


async def test_who_comes_unnamed_knows_how_the_page_ends(tmp_path: Path) -> None:
    pack = small_pack()
    one = pack.chapters["one"].model_copy(update={"present": ("ann",)})
    made = await stage(
        tmp_path, Scripted(), pack.model_copy(update={"chapters": {**pack.chapters, "one": one}})
    )
    made.model.answers["narrator"] = narration(
        "Nobody saw the KETTLE.\n\nA man in oilskins holds out a COMPASS.", "bob", present="ann, bob"
    )
    await made.turn("I wait.")
    prompt = made.model.prompts("character:bob")[-1]
    assert "COMPASS" in prompt and "KETTLE" not in prompt
    assert "did not hear that" not in made.model.prompts("character:bob")[-1]
    await made.session.close()


async def test_who_is_whispered_to_is_told_that_the_answer_is_low(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), small_pack())
    await made.turn("I whisper to Ann: the log is gone.")
    low = "That was whispered: Bob did not hear it, nor will hear the low answer to it."
    assert low in made.model.prompts("character:ann")[-1]
    await made.turn("I tell everybody.")
    assert "whispered" not in made.model.prompts("character:ann")[-1].split("YOUR PART NOW")[1]
    await made.session.close()


def a_pack(**secrets: str) -> Pack:
    """Ann's secret comes out in the last beat of the first chapter, which is hers."""
    pack = small_pack()
    last = pack.chapters["one"].beats[-1]
    ann = pack.characters["ann"].model_copy(
        update={"reveal": f"one/{len(pack.chapters['one'].beats)}", **secrets}
    )
    one = pack.chapters["one"].model_copy(update={"by": {last: "ann"}})
    return pack.model_copy(
        update={"characters": {**pack.characters, "ann": ann}, "chapters": {**pack.chapters, "one": one}}
    )


async def test_a_secret_that_its_beat_told_stays_told_in_the_next_chapter(tmp_path: Path) -> None:
    pack = a_pack()
    made = await stage(tmp_path, Scripted(), pack)
    beats = pack.chapters["one"].beats
    for beat in beats:
        made.model.answers["progress"] = f"new_beats: [{beat}]\nchapter_complete: {beat == beats[-1]}"
        await made.turn("I ask.")
    assert "Now it may come out" in made.model.prompts("character:ann")[-1]
    assert made.session.game.state.chapter == "two"
    made.model.answers["progress"] = "chapter_complete: no"
    for line in ("I go on.", "I go on again."):
        await made.turn(line)
        assert "Has told it" in made.model.prompts("character:ann")[-1]
    assert "Hid, and has told; only who heard it knows: ANNSECRET" in made.model.prompts("narrator")[-1]
    await made.session.close()


async def test_a_secret_told_too_early_is_not_told_again(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), a_pack(secret="She sold the lamp oil and wrote a false log."))
    await made.turn("I ask.")
    assert "Does not tell it yet" in made.model.prompts("character:ann")[-1]
    assert "one sees the sea" not in made.model.prompts("progress")[-1]
    made.model.answers["character:ann"] = '"I sold the oil of the lamp," says Ann, "and the log is false."'
    await made.turn("I ask again.")
    assert "4. one sees the sea" in made.model.prompts("progress")[-1], "its beat may have happened already"
    made.model.answers["character:ann"] = "Ann nods."
    for line in ("I wait.", "I wait again."):
        await made.turn(line)
        assert "Has told it" in made.model.prompts("character:ann")[-1]
    await made.session.close()


async def test_who_sleeps_is_said_to_sleep_to_those_who_answer(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), small_pack())
    told = narration("Bob snores.", "ann", present="ann, bob")
    made.model.answers["narrator"] = told.replace("\nmood:", "\nasleep: [bob]\nmood:")
    await made.turn("Hush.")
    assert "Bob (asleep)" in made.model.prompts("character:ann")[-1]
    await made.session.close()


async def test_the_form_of_an_answer_names_nobody(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), small_pack())
    told = narration("Rain.", "ann", present="ann, bob")
    made.model.answers["narrator"] = told.replace(
        "\nmood:", "\nasleep: [ids of those of them who sleep, if any]\nmood:"
    )
    await made.turn("I wait.")
    assert made.session.game.turns[1].notices == ()
    await made.session.close()


async def test_the_example_of_the_memory_prompt_is_no_fact(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), small_pack())
    made.model.answers["memory"] = (
        "summary: So.\nadd:\n  - Ada lent Alex her key, who is to bring it back. (important)\n"
        "  - (a new fact, or nothing)\n  - Ann lent Alex her lamp.\n"
    )
    await made.turn("I wait.")
    memory = made.session.game.memories["ann"]
    assert isinstance(memory, FactsMemory) and [fact.text for fact in memory.key_facts] == [
        "Ann lent Alex her lamp."
    ]
    await made.session.close()


def test_versions_of_a_remembered_line_are_told_once() -> None:
    memory = FactsMemory(
        summary="So.",
        key_facts=(Fact(text="Bob moved the crackers above the line the water reached.", turn=4),),
        older="1 Bob moved the crackers high above the dry line of weed.\n"
        "2 Bob moved the crackers and the juice above the line of weed.\n3 Bob promised Ann a boat with a red sail.",
    )
    pinned, loose = memory_text(memory, "The crackers, the boat", verbatim={4}, names=("Bob", "Ann Lee"))
    again = recollections(memory, "The crackers, the boat", "", names=("Bob", "Ann Lee"))
    assert "crackers" not in again and "red sail" in again and pinned == ""
    assert "high above" not in loose and "juice" not in loose


def test_a_fact_that_another_one_holds_goes() -> None:
    memory = FactsMemory(
        key_facts=(Fact(text="Sam took the notebook.", turn=1), Fact(text="Sam lied.", turn=2))
    )
    changed = change_facts(memory, turn_of=lambda text: 3, add=["Sam took the notebook and told Ann of it."])
    assert [fact.text for fact in changed.key_facts] == [
        "Sam lied.",
        "Sam took the notebook and told Ann of it.",
    ]
    same = change_facts(memory, turn_of=lambda text: 3, add=["Sam never took the notebook from Ann."])
    assert len(same.key_facts) == 3
