"""Notes, directions, who answers, length and language: what steers the telling stands in prompts, never in the story."""

import asyncio
from pathlib import Path

import pytest

from tests.engine.conftest import reopened
from tests.support.fake_model import Scripted, Stage, beat_form, sent, small_pack, stage
from tests.support.waiting import until
from theact_tui.errors import UsageError
from theact_tui.exports.write_file import FORMATS, export_save
from theact_tui.story.edits import hold
from theact_tui.story.steering import Steering, language_tag
from theact_tui.story.typed import Typed


def everything_asked(play: Stage) -> dict[str, str]:
    return {f"{n} {ask.key}": sent(ask) for n, ask in enumerate(play.model.asked)}


def holding(play: Stage, word: str) -> list[str]:
    return [name for name, text in everything_asked(play).items() if word in text]


async def test_a_direction_stands_in_one_narrators_prompt_and_nowhere_else(tmp_path: Path) -> None:
    """Over a game long enough to fold, recall, recap and end, with a retry, and in every file that is exported."""
    play = await stage(tmp_path, Scripted(window=2600))
    await play.turn("I wait.")
    await play.said("/tell XYLOPHONE the lamp goes out.")
    (turn,) = await play.session.turns(2, 2)
    assert (turn.player_text, turn.steering) == ("", Steering(direction="XYLOPHONE the lamp goes out."))
    told = [name.split()[1] for name in holding(play, "XYLOPHONE")]
    assert told == ["narrator"]
    await play.turn(*(f"I go down, step {number}. " + "The stair is long. " * 20 for number in range(8)))
    play.model.answers["progress"] = beat_form(1, 2, 3, 4, complete=True)
    while not play.game.state.game_complete and play.game.state.turn < 20:
        await play.turn("I open the door.")
    assert play.game.state.game_complete
    assert [name.split()[1] for name in holding(play, "XYLOPHONE")] == ["narrator"]
    for format in set(FORMATS) - {"save", "epub"}:
        file = await play.session.run(export_save, play.session.save, format)
        assert "XYLOPHONE" not in file.read_text("utf-8")


async def test_a_retry_keeps_the_direction_until_another_is_given(play: Stage) -> None:
    await play.turn("I wait.")
    await play.said("/retry --note MORERAIN")
    await play.said("/retry")
    assert len(holding(play, "MORERAIN")) == 4, "the stage stands behind the narrator's prompt"
    await play.said("/retry I run.")
    assert len(holding(play, "MORERAIN")) == 4
    assert play.game.turns[1].player_text == "I run." and play.session.takes == (4, 4)


async def test_a_note_is_told_to_the_narrator_of_every_turn_until_it_is_cleared(play: Stage) -> None:
    await play.said("/note KEEPITDARK always")
    await play.turn("I wait.", "I wait again.")
    assert {name.split()[1] for name in holding(play, "KEEPITDARK")} == {"narrator", "stage"}
    assert len(holding(play, "KEEPITDARK")) == 4
    told = [ask for ask in play.model.asked if ask.agent == "narrator"][1]
    last = [section.name for section in told.prompt.sections][-4:]
    assert last == ["author's note", "narrator", "this turn", "player"]
    again = await reopened(play)
    assert again.session.steering.note == "KEEPITDARK always"
    assert "Note: KEEPITDARK always" in await again.said("/status")
    await again.said("/note")
    await again.turn("I go.")
    assert len(holding(again, "KEEPITDARK")) == 4
    turn = again.game.last_turn
    assert turn is not None and turn.steering is None


async def test_who_is_asked_answers_in_that_order(play: Stage) -> None:
    await play.said("/ask bob ann")
    turn = play.game.turns[1]
    assert [entry.character for entry in turn.entries if entry.character] == ["bob", "ann"]
    assert "Bob and Ann Lee will answer after the page" in play.model.prompts("narrator")[0]
    await play.session.edit(hold, ["bob"], here=False)
    with pytest.raises(UsageError, match="Bob is not here"):
        await play.said("/ask bob")


async def test_who_is_hushed_is_there_and_does_not_answer_unless_asked(play: Stage) -> None:
    await play.said("/hush ann")
    await play.turn("I wait.")
    turn = play.game.turns[1]
    assert [entry.character for entry in turn.entries if entry.character] == []
    assert "ann" in turn.witnesses and "Ann Lee will not answer" in play.model.prompts("narrator")[0]
    await play.said("/ask ann")
    assert [e.character for e in play.game.turns[2].entries if e.character] == ["ann"]
    await play.said("/hush")
    await play.turn("I wait.")
    assert [e.character for e in play.game.turns[3].entries if e.character] == ["ann"]


async def test_the_length_is_asked_of_narrator_and_characters(play: Stage) -> None:
    await play.turn("I wait.")
    await play.said("/length long")
    await play.turn("I wait.")
    usual, longer = (ask for ask in play.model.asked if ask.agent == "narrator")
    assert "150 to 190 words" in everything_asked(play)["0 narrator"]
    assert "180 to 240 words" in play.model.prompts("narrator")[1]
    assert "three to six sentences" in play.model.prompts("character:ann")[1]
    assert longer.max_tokens > usual.max_tokens
    with pytest.raises(UsageError, match=r"Now: long. Usage: /length short\|normal\|long"):
        await play.said("/length huge")


async def test_every_prompt_asks_for_the_language_of_the_pack_or_of_the_save(tmp_path: Path) -> None:
    pack = small_pack(language="de").model_copy(update={"prompts": {"narrator": "{lead} {present} {hints}"}})
    play = await stage(tmp_path, Scripted(), pack)
    await play.said("/length short")
    await play.turn("Ich warte.")
    assert "Length: 40 to 60 words." in play.model.prompts("narrator")[0], "the template names no length"
    assert len(holding(play, "Write everything in German")) == len(play.model.asked)
    await play.said("/language Japanese")
    asked = len(play.model.asked)
    await play.turn("Ich warte.")
    assert len(holding(play, "Write everything in Japanese")) == len(play.model.asked) - asked
    assert "Write in Japanese." in play.prompt("narrator")


@pytest.mark.parametrize(
    ("language", "tag"),
    [("German", "de"), ("ja", "ja"), ("pt-BR", "pt-br"), ("Klingon", ""), ("", ""), ("Old English", "")],
)
def test_a_language_has_a_tag_where_one_is_known(language: str, tag: str) -> None:
    assert language_tag(language) == tag


async def test_a_direction_outlives_the_program_until_it_is_told(play: Stage) -> None:
    gate = play.model.gates["narrator"] = asyncio.Event()
    telling = asyncio.create_task(play.session.direct("The lamp goes out."))
    await until(lambda: play.session.phase == "narrating")
    kept = await play.session.run(play.session.save.unfinished.typed)
    assert kept.sent == "/tell The lamp goes out."
    gate.set()
    await telling
    await play.session.settle()
    assert await play.session.run(play.session.save.unfinished.typed) == Typed()
