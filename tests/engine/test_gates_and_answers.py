"""What playing by hand showed: who answers by leaving, who comes unnamed, who overhears a whispered answer."""

from __future__ import annotations

from pathlib import Path

from tests.support.fake_model import Scripted, narration, small_pack, stage


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


async def test_who_is_whispered_to_is_told_who_would_hear_the_answer(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), small_pack())
    await made.turn("I whisper to Ann: the log is gone.")
    assert "Bob did not hear that and would hear your answer" in made.model.prompts("character:ann")[-1]
    await made.turn("I tell everybody.")
    assert "did not hear that" not in made.model.prompts("character:ann")[-1]
    await made.session.close()
