"""What playing by hand showed: who answers by leaving, who comes unnamed, whose answer is low, what is told twice."""

import json
from pathlib import Path

import pytest

from tests.engine.conftest import beginning_with, reopened
from tests.support.fake_model import Scripted, Stage, narration, prose, small_pack, stage, view_of
from tests.support.packs import with_card
from theact_tui.agents.memory_in_prompt import memory_text, recollections
from theact_tui.story.edits import hold
from theact_tui.story.forgetting_and_recall import MOST_RETRIEVED, RETRIEVED
from theact_tui.story.memory import Cell, CellsMemory, Fact, FactsMemory, change_facts
from theact_tui.story.open_question import OpenQuestion
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Entry, Heard, Turn
from theact_tui.story.views import NarratorView, Viewpoint
from theact_tui.tui.inspector.direction import heard_text


async def test_who_walked_off_in_an_answer_hears_nothing_of_the_next_turn(play: Stage) -> None:
    model = play.model
    model.answers |= {
        "narrator": narration("The door creaks.", "bob", present="ann, bob"),
        "character:bob": '"I have had enough," he says. He walks off into the rain.',
    }
    await play.turn("I say nothing.")
    model.answers["narrator"] = narration("Rain, and the KETTLE.", "ann", present="ann", gone=["bob"])
    await play.turn("He stole the COMPASS.")
    assert "gone: who of Bob left in that last reply" in model.prompts("stage")[-1]
    model.answers["narrator"] = narration("Bob comes back.", "bob", present="ann, bob")
    model.answers["character:bob"] = '"Well," he says.'
    await play.turn("You again.")
    prompt = model.prompts("character:bob")[-1]
    assert "KETTLE" not in prompt and "COMPASS" not in prompt
    assert play.game.turns[2].witnesses == ("ann",)


async def test_who_comes_unnamed_knows_how_the_page_ends(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), beginning_with(present=("ann",)))
    made.model.answers["narrator"] = narration(
        "Nobody saw the KETTLE.\n\nA man in oilskins holds out a COMPASS.", "bob", present="ann, bob"
    )
    await made.turn("I wait.")
    prompt = made.prompt("character:bob")
    assert "COMPASS" in prompt and "KETTLE" not in prompt
    assert "did not hear that" not in made.prompt("character:bob")


def a_pack(**secrets: str) -> Pack:
    """Ann's secret comes out in the last beat of the first chapter, which is hers."""
    beats = small_pack().first_chapter.beats
    reveals = {"reveal": f"one/{len(beats)}", **secrets}
    return with_card(beginning_with(by={beats[-1]: "ann"}), "ann", **reveals)


CONFESSION = {"s1": "I sold the oil of the lamp"}
"""What the check quotes of Ann's answer."""


async def test_a_secret_that_the_check_heard_stays_told_in_the_next_chapter(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), a_pack(secret="ANNSECRET: she sold the oil."))
    await made.mark(1, 2, 3)
    made.model.answers |= {
        "character:ann": '"I sold the oil of the lamp," says Ann.',
        "progress": json.dumps({**CONFESSION, "end": False}),
    }
    await made.turn("I ask.")
    assert "It may come out now" in made.prompt("character:ann")
    assert "s1. Ann Lee says this out loud: ANNSECRET" in made.prompt("progress")
    await made.said("/chapter end")
    for line in ("I go on.", "I go on again."):
        await made.turn(line, progress='{"end": false}')
        assert "You have told it" in made.prompt("character:ann")
        assert "ANNSECRET" not in made.prompt("progress"), "it is not asked about again"
    assert "Has told, to those who heard it, what was hidden: ANNSECRET" in made.prompt("narrator")
    again = await reopened(made)
    assert again.game.state.told_secrets == ("ann",)


@pytest.mark.parametrize("quote", ["I sold the oil of the lamp", "begun"], ids=["not said", "begun"])
async def test_a_secret_is_out_only_by_words_that_are_told(quote: str, tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), a_pack(secret="She sold the lamp oil and wrote a false log."))
    made.model.answers |= {
        "narrator": narration("She sold the oil, they say in the village.", "ann"),
        "character:ann": '"Oil and lamps, always oil," says Ann.',
        "progress": json.dumps({"s1": quote, "end": False}),
    }
    await made.turn("I ask.", "I ask again.")
    assert "say the part that everybody knows" in made.prompt("character:ann")


async def test_the_beat_of_a_secret_that_is_out_is_asked_about_early(tmp_path: Path) -> None:
    people = a_pack(secret="She sold the lamp oil.", reveal="one/5").characters
    beats = (*small_pack().first_chapter.beats, "one swims", "one rests")
    pack = beginning_with(beats=beats, by={"one opens the door": "ann"})
    made = await stage(tmp_path, Scripted(), pack.model_copy(update={"characters": people}))
    made.model.answers |= {
        "character:ann": '"I sold the oil of the lamp," says Ann.',
        "progress": json.dumps({**CONFESSION, "end": False}),
    }
    await made.turn("I ask.")
    assert "one swims" not in made.prompt("progress")
    await made.turn("I nod.")
    asked = made.prompt("progress").split("Has this happened")[1]
    assert "4. one swims" in asked and "5. one rests" in asked


@pytest.mark.parametrize(
    "more",
    [
        "Alex: Who is there?", "**Alex:** Who is there?\n\nAnn Lee: Nobody.", "Bob: Me!",
        "Alex takes the lamp and follows her down.", "Alex nods.\n\nAlex takes the lamp.",
    ],
)  # fmt: skip
async def test_an_answer_is_only_what_its_speaker_says_and_does(play: Stage, more: str) -> None:
    own = "Ann shakes her head. “Alex, no.”\n\nAlex's lamp is in her hand."
    await play.turn("I wait.", narrator=narration("Rain.", "ann"), character=f"{own}\n\n{more}")
    assert play.game.turns[1].entries[-1].text == own


async def test_place_and_hour_stay_until_others_are_said(play: Stage) -> None:
    page = "Ann waits by the lamp."
    await play.turn("I wait.", narrator=narration(page, "ann", place="the stair, dusk, rain"))
    assert "Place and hour: the stair, dusk, rain." in play.prompt("character:ann")
    await play.turn("I wait.", narrator=narration(page, "ann"))
    assert "\nPlace and hour: the stair, dusk, rain\n" in play.prompt("narrator")
    assert "Place and hour: the stair, dusk, rain." in play.prompt("character:ann")
    await play.turn("I go down with Ann.", narrator=narration(page, "ann", elsewhere=True))
    assert play.game.turns[3].setting == "", "not where they were, and nobody says where"


async def test_the_example_of_the_memory_prompt_is_no_fact(play: Stage) -> None:
    facts = ("Ada lent Ben her key until Friday.", "Ann lent Alex her lamp.")
    await play.turn("I wait.", memory=json.dumps({"new": [{"fact": fact, "kind": "gift"} for fact in facts]}))
    memory = play.game.memories["ann"]
    assert isinstance(memory, FactsMemory) and [fact.text for fact in memory.key_facts] == [
        "Ann lent Alex her lamp."
    ]


def test_versions_of_a_remembered_line_are_told_once() -> None:
    memory = FactsMemory(
        summary="So.",
        key_facts=(Fact(text="Bob moved the crackers above the line the water reached.", turn=4),),
        older="1 Bob moved the crackers high above the dry line of weed.\n"
        "2 Bob moved the crackers and the juice above the line of weed.\n3 Bob promised Ann a boat with a red sail.",
    )
    pinned, loose = memory_text(memory, "The crackers, the boat", verbatim={4}, names=("Bob", "Ann Lee"))
    again, _ = recollections(memory, "The crackers, the boat", "", names=("Bob", "Ann Lee"))
    juice, _ = recollections(memory, "And the juice?", "", names=("Bob", "Ann Lee"))
    assert "the crackers and the juice" in juice, "what the newer one does not say can be asked for"
    assert "crackers" not in again and "red sail" in again and pinned == ""
    assert "high above" not in loose and "juice" not in loose


def test_a_prompt_with_few_pages_has_room_for_six_older_lines() -> None:
    memory = FactsMemory(
        key_facts=tuple(Fact(text=f"FACT{n} is so.", turn=n) for n in range(20, 23)),
        older="\n".join(f"{n} OLDER{n} was so." for n in range(1, 20)),
    )
    told = memory_text(memory, verbatim={22})[1]
    assert [n for n in range(1, 20) if f"OLDER{n} " in told] == [14, 15, 16, 17, 18, 19]
    assert "FACT20" in told and "FACT22" not in told
    assert "OLDER" not in memory_text(memory)[1], "without pages, all that is remembered is told"


def test_what_the_summary_tells_is_not_recalled_as_well() -> None:
    memory = FactsMemory(
        summary="Sam broke the blue lantern on the stairs.",
        older="3 Sam broke the blue lantern on the stairs.",
    )
    assert "- Sam broke" not in memory_text(memory, verbatim={9})[1]
    assert recollections(memory, "What of the lantern?", "") == ("", "")
    other = memory.model_copy(update={"summary": "It rained."})
    assert "- Sam broke" in memory_text(other, verbatim={9})[1]


def test_a_fact_that_another_one_holds_goes() -> None:
    memory = FactsMemory(
        key_facts=(Fact(text="Sam took the notebook.", turn=1), Fact(text="Sam lied.", turn=2))
    )
    changed = change_facts(
        memory, turn_of=lambda text: 3, new=[("Sam took the notebook and told Ann of it.", "")]
    )
    assert [fact.text for fact in changed.key_facts] == [
        "Sam lied.",
        "Sam took the notebook and told Ann of it.",
    ]
    same = change_facts(memory, turn_of=lambda text: 3, new=[("Sam never took the notebook from Ann.", "")])
    assert len(same.key_facts) == 3


def test_entries_that_a_summary_tells_do_not_fill_the_room_of_newer_ones() -> None:
    memory = CellsMemory(
        summary="The lid turned, and Wren knocked.",
        cells=(Cell(turn=9, text="I went down."),),
        older="1 I saw the lid turn at dawn.\n2 Wren knocked on the lid.",
    )
    assert memory_text(memory, verbatim={9})[1] == "The lid turned, and Wren knocked."
    assert memory_text(memory, verbatim={1, 2, 9})[1] == ""
    older = "2 Wren knocked hard on the iron lid."
    told = CellsMemory(summary="I met Wren. Wren knocked hard on the iron lid, and it turned.", older=older)
    assert recollections(told, "Who knocked on the lid?", "", names=("Wren",)) == ("", "")
    assert "Wren knocked" in recollections(CellsMemory(older=older), "Who knocked on the lid?", "")[0]


async def test_an_act_of_one_who_is_away_begins_with_its_coming(tmp_path: Path) -> None:
    first, second, *_ = small_pack().first_chapter.beats
    made = await stage(
        tmp_path, Scripted(), beginning_with(by=dict.fromkeys((first, second), "bob"), present=("ann",))
    )
    await made.turn("I wait.", narrator=narration("Rain.", "ann", present="ann"))
    await made.turn("I wait.", narrator=narration("Rain. Bob comes.", "ann", present="ann, bob"))
    assert f"the first: {first} (Bob comes for it); or {second} (Bob comes for it); or " in made.prompt(
        "narrator"
    )
    await made.turn("I wait.")
    assert f"the first: {first}; or " in made.prompt("narrator")
    assert "Bob comes for it" not in made.prompt("narrator")


async def test_the_narrator_is_told_who_has_come_between_two_turns_and_a_sleeper_who_is_brought_is_awake(
    play: Stage,
) -> None:
    await play.turn("Hush.", narrator=narration("Bob snores.", "ann", present="ann, bob", asleep=["bob"]))
    assert "Bob (asleep)" in play.prompt("character:ann")
    await play.turn("Hush.")
    assert "Here: Ann Lee, Bob (asleep)" in play.prompt("narrator")
    await play.session.edit(hold, ["bob"], here=False)
    await play.session.edit(hold, ["bob"], here=True)
    await play.turn("Hush.")
    assert "Here: Ann Lee, Bob (has come meanwhile; say so)" in play.prompt("narrator")
    await play.turn("Hush.")
    assert "Here: Ann Lee, Bob (asleep)" in play.prompt("narrator"), "for one turn only"


async def test_a_line_said_as_a_chapter_begins_is_taken_up(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), small_pack(voice="first"))
    await made.said("/chapter end")
    await made.turn("I open the door.", narrator=narration("Bob leaves.", "ann", present="ann"))
    await made.turn("What is it?")
    prompt = made.prompt("narrator")
    assert "A new chapter begins: go on from the last page" in prompt
    assert '"I" is whoever is named at the beginning of the paragraph' in made.prompt("progress")
    assert "Here: Ann Lee, Bob (comes, if it fits)\n" in prompt, "the player may go on without him"


@pytest.mark.parametrize(
    ("voice", "second"), [("first", "\n\nAnn Lee: I whistle."), ("third", "\n\nI whistle.")]
)
async def test_record_keepers_of_first_person_packs_read_whose_each_paragraph_is(
    voice: str, second: str, tmp_path: Path
) -> None:
    made = await stage(tmp_path, Scripted(), small_pack(voice=voice))
    made.model.answers |= {"character:ann": '"Aye," I say.\n\nI whistle.', "character:bob": "I bow."}
    await made.turn("Well?", narrator=narration("Rain.", "ann, bob", present="ann, bob"))
    assert 'Ann Lee: "Aye," I say.\nI whistle.' in made.prompt("character:bob"), "the same turn"
    made.model.answers["character:ann"] = '"No," I say.\n\nAnn Lee: I hum.'
    await made.turn("And?", narrator=narration("Wind.", "ann, bob", present="ann, bob"))
    assert second in made.model.prompts("memory:bob")[0]
    for key in ("character:bob", "narrator"):
        assert 'Ann Lee: "Aye," I say.\nI whistle.' in made.prompt(key), key
    turn = made.game.last_turn
    assert turn is not None and turn.entries[2].text == '"No," I say.\n\nI hum.', (
        "its own name is no part of a reply"
    )


async def test_turns_of_a_finished_chapter_are_left_to_its_recap(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), small_pack(summary_threshold=200, fold_batch=2))
    await made.said("/chapter end")
    await made.turn(
        "I open the door.", narrator=narration(prose(700, "The KETTLE sings."), "ann", present="ann, bob")
    )
    made.model.answers |= {"narrator": narration(prose(710, "The COMPASS turns."), "ann", present="ann, bob")}
    for _ in range(8):
        await made.turn("I go on.")
    folded = made.model.prompts("summary")
    assert folded and not any("KETTLE" in prompt for prompt in folded) and "COMPASS" in folded[0]
    assert made.game.state.last_summarized_turn > 1


def test_the_inspector_says_that_a_low_answer_was_not_heard() -> None:
    told = Entry(role="character", character="ann", text="I whisper to you.")
    turn = Turn(
        number=1,
        chapter="one",
        entries=(told,),
        witnesses=("ann", "bob"),
        heard={"bob": Heard(missed=("a",))},
    )
    assert heard_text(turn, "bob") == "did not hear the answer “I whisper to you.”"
    assert heard_text(turn, "ann") == "all of it"


def test_up_to_ten_lines_come_to_mind_but_not_those_of_the_turn_before() -> None:
    older = "\n".join(f"{n} The coins of town{n} are of metal{n}." for n in range(1, 15))
    asked = " ".join(f"metal{n}" for n in range(1, 15))
    memory = FactsMemory(older=f"{older}\n20 The copper lamp went out.\n21 The rope broke.")
    first, more = recollections(memory, asked, "")
    assert first.count("coins") == RETRIEVED and more.count("coins") == MOST_RETRIEVED - RETRIEVED
    told = "Somebody spoke of the copper lamp."
    assert "lamp" in recollections(memory, "I wait.", told)[0]
    assert recollections(memory, "I wait.", told, before=("I sit.", "The copper lamp smoked.")) == ("", "")
    assert "lamp" in recollections(memory, "The lamp?", "", before=("I sit.", "The copper lamp smoked."))[0]


OPEN = {"progress": json.dumps({"end": False, "answered": False})}


async def test_an_unanswered_question_goes_to_the_one_who_was_asked_until_it_is_answered(
    play: Stage,
) -> None:
    play.model.answers |= {"narrator": narration("The door creaks.", "ann, bob", present="ann, bob")}
    await play.turn("→ Ann: Who burned the log?", **OPEN)
    asked = "answered: has Alex been told the answer, or a plain no? Who burned the log?"
    assert asked in play.prompt("progress")
    await play.turn("I go down to the boat.", **OPEN)
    by_key = {ask.key: ask for ask in play.model.asked[-9:]}
    assert view_of(by_key["narrator"], NarratorView).open_question == "Who burned the log?"
    assert view_of(by_key["character:ann"], Viewpoint).open_question == "Who burned the log?"
    assert view_of(by_key["character:bob"], Viewpoint).open_question == "", "it was not for him"
    assert asked in play.prompt("progress")
    await play.turn("Bob, where is the boat?", **OPEN)
    assert play.game.state.open_question == OpenQuestion(text="Bob, where is the boat?", turn=3, asked="bob")
    await play.turn("I wait.", progress='{"end": false, "answered": true}')
    assert play.game.state.open_question is None
    await play.turn("I wait again.")
    assert "answered:" not in play.prompt("progress")
    await play.turn("Ann, who burned the log?", **OPEN)
    await play.said("/chapter end")
    await play.turn("I go on.", **OPEN)
    assert play.game.state.open_question is None, "it ends with its chapter"
