"""The prompts that a pack is said to make are those that its first turn makes."""

from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, narration, small_pack, stage
from theact_tui.authoring.preview import LINE, PAGE, prompts_of
from theact_tui.prompting.sections import Prompt


def sent(prompt: Prompt) -> str:
    return "\n".join(message["content"] for message in prompt.messages())


@pytest.mark.parametrize("memory", ["facts", "cells"])
@pytest.mark.parametrize("keeper", ["risky", "off"])
async def test_the_prompts_shown_are_those_of_the_first_turn(
    tmp_path: Path, memory: str, keeper: str
) -> None:
    pack = small_pack(memory=memory, keeper=keeper)
    model = Scripted({"narrator": narration(PAGE, "ann", present="ann, bob")})
    play = await stage(tmp_path, model, pack)
    await play.turn(LINE)
    await play.session.close()
    shown = dict(prompts_of(pack))
    assert [who for who in shown if who != "Moments"] == [
        *(["Dice"] if keeper == "risky" else []), "Narrator", "Stage", "Ann Lee", "Bob", "Memory: Ann Lee", "Memory: Bob",
        "Progress",
    ]  # fmt: skip
    names = {
        "keeper": "Dice",
        "narrator": "Narrator",
        "stage": "Stage",
        "character:ann": "Ann Lee",
        "progress": "Progress",
        "memory:bob": "Memory: Bob",
    }
    for ask in model.asked:
        if ask.key in names and not (ask.key == "progress" or ask.key.startswith("memory")):
            assert sent(ask.prompt) == sent(shown[names[ask.key]]), ask.key
        elif ask.key in names:  # these are also told what was answered
            assert ask.prompt.messages()[0] == shown[names[ask.key]].messages()[0]
            assert PAGE in sent(ask.prompt) and PAGE in sent(shown[names[ask.key]])
    assert {names[key] for key in model.called() if key in names} == set(names.values()) & set(shown)
