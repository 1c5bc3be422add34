"""The stage in the engine: what is asked behind the page, and what becomes of the answer."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.engine.conftest import reopened, settled
from tests.support.fake_model import Scripted, Stage, narration, prose, small_pack, stage
from tests.support.packs import shipped_pack
from tests.support.waiting import until
from theact_tui.engine.events import CharacterToken, DiceRolled, NarrationFinished, PageTold
from theact_tui.errors import CallError, UsageError
from theact_tui.prompting.sections import Prompt
from theact_tui.story.edits import hold
from theact_tui.story.turn import Turn

DOWN = CallError("connection", "No answer from the server.")


def user_text(prompt: Prompt) -> str:
    return prompt.messages()[-1]["content"]


def last(play: Stage) -> Turn:
    turn = play.game.last_turn
    assert turn is not None
    return turn


async def test_it_is_asked_behind_the_prompt_of_the_narrator_and_its_page(play: Stage) -> None:
    play.model.answers["narrator"] = narration(
        "Ann nods. Bob sleeps.", "ann", asleep=["bob"], place="the stair, dusk"
    )
    await play.turn("I wait.")
    narrator, form = play.model.asked[:2]
    assert (narrator.key, form.key) == ("narrator", "stage")
    *before, page, asked = form.prompt.messages()
    assert before == narrator.prompt.messages(), "a server holds all of it, and the page that it wrote"
    assert page == {"role": "assistant", "content": "Ann nods. Bob sleeps."}
    assert asked["content"].startswith("Alex's line: [1] I wait.")
    assert form.schema is not None and form.schema["properties"]["answer"]["items"]["enum"] == ["ann", "bob"]
    turn = last(play)
    assert turn.stage is not None and (turn.stage.here, turn.asleep) == (("ann", "bob"), ("bob",))
    assert turn.setting == "the stair, dusk"


@pytest.mark.parametrize(
    "change", [{"local": False}, {"window": 4096}], ids=["a remote server", "a small window"]
)
async def test_elsewhere_it_is_asked_alone(tmp_path: Path, change: dict[str, object]) -> None:
    pack = small_pack().model_copy(update={"prompts": {"stage": "{people} Say who is here."}})
    play = await stage(tmp_path, Scripted(**change), pack)  # type: ignore[arg-type]
    await play.turn("I wait.")
    form = next(ask for ask in play.model.asked if ask.key == "stage")
    assert "Say who is here." not in user_text(form.prompt), "a template of a pack is not used"
    assert len(form.prompt.messages()) == 2 and form.prompt.tokens < 750
    assert "The lamp gutters." in user_text(form.prompt)


async def test_the_beginning_does_not_depend_on_the_line(play: Stage) -> None:
    await play.turn("I wait.")
    await play.session.play("I go down and look for the bell, slowly, with the lamp held high above my head.")
    await play.session.settle()
    await settled(play.session, play.session.retry("Ann?"))
    one, other = [ask.prompt for ask in play.model.asked if ask.key == "narrator"][-2:]
    assert one.early == other.early and len(one.early) > 2
    assert all(section.late for section in one.sections[len(one.early) :])


@pytest.mark.parametrize("answer", [DOWN, "I would rather not."], ids=["a failure", "no form"])
async def test_without_an_answer_only_who_answers_knows_of_the_turn(
    play: Stage, answer: CallError | str
) -> None:
    await play.turn("→ Bob: look at this.", stage=answer)
    turn = last(play)
    assert turn.stage is not None and turn.stage.by == "pending"
    assert turn.stage.here == ("ann", "bob") and turn.witnesses == ("bob",)
    assert [entry.character for entry in turn.entries if entry.character] == ["bob"]
    assert any("/heard all" in notice for notice in turn.notices)


async def test_esc_behind_the_page_keeps_it_without_answers(play: Stage) -> None:
    play.model.gates["stage"] = asyncio.Event()
    turn = asyncio.create_task(play.session.play("I wait."))
    await until(lambda: bool(play.of(PageTold)))
    assert not play.of(NarrationFinished)
    await play.session.stop()
    await turn
    await play.session.settle()
    assert last(play).narration == "The lamp gutters. Water stands on the stair."
    assert not any(entry.character for entry in last(play).entries) and play.of(NarrationFinished)


async def test_esc_in_an_answer_keeps_what_was_told_of_it(play: Stage) -> None:
    play.model.answers["character"] = prose(4_000)
    turn = asyncio.create_task(play.session.play("I wait."))
    await until(lambda: len(play.of(CharacterToken)) > 20)
    await play.session.stop()
    await turn
    await play.session.settle()
    entry = last(play).entries[-1]
    assert entry.character == "ann" and entry.stopped and 20 < len(entry.text) < 4_000
    assert entry.text.endswith("."), "a whole sentence"
    again = await reopened(play)
    assert last(again).entries[-1] == entry


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("→ Ann: the log is BURNED.", {}),
        ('I take Ann by the sleeve. "The log is BURNED."', {"heard_by": ["ann"]}),
    ],
    ids=["said by the line", "said by the form"],
)
async def test_what_is_for_one_no_other_hears(play: Stage, line: str, form: dict[str, object]) -> None:
    play.model.answers["narrator"] = narration("Rain. Bob coughs.", "ann, bob")
    play.model.answers["narrator"].form |= form  # type: ignore[union-attr]
    await play.turn(line)
    turn = last(play)
    assert turn.stage is not None and turn.stage.answer == ("ann",)
    assert turn.unaware == ("bob",)
    await play.turn("I wait.")
    for key in ("character:bob", "memory:bob"):
        assert "BURNED" not in " ".join(play.model.prompts(key))
    assert "BURNED" in play.model.prompts("character:ann")[0]
    assert "Bob (did not hear Alex's line before this one)" in play.prompt("narrator")


async def test_what_the_player_fixed_is_not_asked(play: Stage) -> None:
    await play.session.edit(hold, ["bob"], here=False)
    await play.turn("I wait.", narrator=narration("Bob comes.", "bob", present="ann, bob"))
    form = next(ask for ask in play.model.asked if ask.key == "stage")
    assert form.schema is not None and "bob" not in json.dumps(form.schema)
    assert last(play).stage is not None and play.game.state.present == ("ann",)


async def test_a_server_that_forgets_is_asked_alone(play: Stage) -> None:
    play.model.cached = 0
    for _ in range(3):
        await play.turn("I wait.")
    behind = [len(ask.prompt.messages()) > 2 for ask in play.model.asked if ask.key == "stage"]
    assert behind == [True, True, False]


# --- the keeper -------------------------------------------------------------------------------------------------------


async def risky(home: Path, answer: str | CallError) -> Stage:
    play = await stage(home, Scripted(), small_pack(keeper="risky"))
    await play.turn("I leap over the gap.", keeper=answer)
    return play


async def test_the_keeper_names_what_is_risked_behind_the_beginning_of_the_prompt(tmp_path: Path) -> None:
    play = await risky(tmp_path, '{"risk": "leap over the gap", "difficulty": 17}')
    keeper, narrator = play.model.asked[:2]
    assert (keeper.key, narrator.key) == ("keeper", "narrator")
    early = "\n\n".join(section.text for section in narrator.prompt.early if section.part == "user")
    assert (
        early and user_text(keeper.prompt).startswith(early) and user_text(narrator.prompt).startswith(early)
    )
    ruling = last(play).ruling
    assert ruling is not None and (ruling.risk, ruling.difficulty) == ("leap over the gap", 17)
    assert "Alex tries “leap over the gap”: it " in user_text(narrator.prompt)
    assert "17" not in user_text(narrator.prompt).split("Alex tries")[1]


@pytest.mark.parametrize(
    "answer",
    [
        '{"risk": "", "difficulty": 12}', '{"risk": "fight the bear", "difficulty": 12}', "I would not know.", DOWN,
    ],
    ids=["nothing", "not of the line", "no form", "a failure"],
)  # fmt: skip
async def test_without_a_risk_of_the_line_no_dice_are_thrown(tmp_path: Path, answer: str | CallError) -> None:
    play = await risky(tmp_path, answer)
    assert last(play).ruling is None and not play.of(DiceRolled) and last(play).narration


async def test_a_line_that_can_risk_nothing_does_not_ask_the_keeper(tmp_path: Path) -> None:
    play = await risky(tmp_path, '{"risk": "", "difficulty": 12}')
    play.model.asked.clear()
    for line in ("ok", "Who is there?", '"Who is there?" I ask.'):
        await play.turn(line)
        assert last(play).ruling is None
    assert "keeper" not in play.model.called()


async def test_a_risky_word_of_the_salt_road_throws_only_where_the_keeper_agrees(tmp_path: Path) -> None:
    salt = shipped_pack("salt-road")
    assert salt.game.keeper == "risky" and salt.game.risky_words
    play = await stage(tmp_path, Scripted({"keeper": '{"risk": "", "difficulty": 12}'}), salt)
    for word in salt.game.risky_words:
        play.model.asked.clear()
        await play.turn(f"“I {word} my hand over the seals.”")
        assert last(play).ruling is None and "keeper" in play.model.called()


async def test_a_whisper_to_nobody_is_refused_before_it_is_sent(play: Stage) -> None:
    asked = len(play.model.asked)
    with pytest.raises(UsageError, match="called Zed, so nobody would hear"):
        await play.session.play("I nod.\n→ Zed: The key is under my cot.")
    assert len(play.model.asked) == asked and not play.session.typed.sent
