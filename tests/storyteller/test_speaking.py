"""What the characters say, and what they keep."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from tests.storyteller.conftest import SCRIPT, light
from tests.support.storyteller_games import Table
from theact_tui.story.memory import Cell, CellsMemory, Fact, FactsMemory, lines_of
from theact_tui.story.pack import Pack
from theact_tui.story.script import Answer, Script
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.viewpoints import memory_view_of, story_of, viewpoint_of
from theact_tui.story.views import MergeView
from theact_tui.storyteller import Storyteller
from theact_tui.storyteller.fallback_script import complete
from theact_tui.storyteller.stock import stock


def replies(turn: Turn) -> dict[str, str]:
    """The replies of a turn by character."""
    return {entry.character or "": entry.text for entry in turn.entries if entry.role == "character"}


def said(table: Table, text: str, character: str = "edda", mood: str = "calm") -> str:
    """What a character says to a line when the narration holds nothing for it."""
    entries = [Entry(role="player", text=text), Entry(role="narrator", text="Nothing much happens.")]
    view = viewpoint_of(table.game, character, entries, ("edda", "piet"), mood=mood)
    return table.teller.answer("character", view)


def test_in_a_scene_everyone_says_the_line_written_for_it(table: Table) -> None:
    turn = table.play("open the oil store")
    assert replies(turn) == {"edda": '"Gone," I say.', "piet": '"All of it," I say.'}


def test_of_sample_lines_only_those_with_speech_are_said(table: Table) -> None:
    pack = table.game.pack
    samples = ("Hm, he says.", '"Hm," he says.')
    edda = pack.characters["edda"].model_copy(update={"examples": samples})
    told = complete(light(Script()).model_copy(update={"characters": {**pack.characters, "edda": edda}}))
    assert told.voices["edda"].lines == {"any": ('"Hm," he says.',)}


def test_of_an_outline_who_is_called_answers_and_who_is_away_comes_in_with_a_beat(bare: Pack) -> None:
    beats = ("The stairs are wet", "Piet comes up", "Piet finds a coat", "The door falls shut")
    stairs = bare.chapters["stairs"].model_copy(update={"present": ("edda",), "beats": beats})
    table = Table(bare.model_copy(update={"chapters": {**bare.chapters, "stairs": stairs}}))
    table.open()
    came = False
    for line in ["Piet, where is the oil?", "Edda, what do you want?"] * 4:
        turn = table.play(line)
        came = came or beats[1] in turn.new_beats
        assert turn.stage and ("piet" in turn.stage.here) == came
        assert [*replies(turn)] == [line[:4].lower()] * (came or line.startswith("Edda"))
    assert came, "and he stays"


def test_an_answer_is_given_to_the_words_it_is_for(table: Table) -> None:
    assert said(table, "Edda, who are you?") == '"Nine years on this rock," I say.'
    assert "Nine years" not in said(table, "I kick the keeper's bucket")


def test_a_whisper_is_answered_only_by_who_hears_it(table: Table) -> None:
    turn = table.play("I whisper to Edda: there is a gull on the sill")
    assert "A gull sits on the sill" in turn.narration and list(replies(turn)) == ["edda"]


def test_a_question_without_an_answer_is_owned_up_to(table: Table) -> None:
    reply = said(table, "Do you like herring?")
    assert reply.strip('"') in stock().unknowing


def test_somebody_without_a_role_says_more_than_the_name(bare: Pack) -> None:
    edda = bare.characters["edda"].model_copy(update={"role": ""})
    table = Table(bare.model_copy(update={"characters": {**bare.characters, "edda": edda}}))
    table.open()
    reply = said(table, "Edda, who are you?")
    assert reply.startswith(f'"{edda.name}." ') and len(reply.split()) > 5


def test_a_voice_has_lines_for_occasions() -> None:
    voice = SCRIPT.voices["edda"]
    occasions = {
        "unanswered": ('"Ask the gulls," I say.',),
        "repeated": ('"I said so," I say.',),
        "take": ('"Put it down," I say.',),
        "confided": ('"It stays here," I say.',),
    }
    voices = {**SCRIPT.voices, "edda": voice.model_copy(update={"lines": {**voice.lines, **occasions}})}
    table = Table(light(SCRIPT.model_copy(update={"voices": voices})))
    table.open()
    assert said(table, "Do you like herring?") == '"Ask the gulls," I say.'
    assert said(table, "I take a can") == '"Put it down," I say.'
    assert said(table, "Edda, I have a secret: I stole the oil") == '"It stays here," I say.'
    table.play("Edda, tell me about yourself")
    assert said(table, "Edda, tell me about yourself") == '"I said so," I say.'
    assert "Put it down" not in said(table, "I give Piet a can")


def test_a_secret_is_answered_by_the_one_it_is_told_to(table: Table) -> None:
    turn = table.play("I confess to Piet that I lied about the boat. Then I sit down.")
    assert replies(turn)["piet"].strip('"') in stock().confided_to
    assert list(replies(turn)) == ["piet"]


def test_a_deed_has_its_own_answer_once(table: Table) -> None:
    assert replies(table.play("I whistle"))["piet"] == '"Not in a tower," I say.'
    assert said(table, "I whistle", "piet") != '"Not in a tower," I say.'


def test_nobody_answers_for_somebody_else(table: Table) -> None:
    entries = [Entry(role="player", text="Piet, who are you?"), Entry(role="narrator", text="Dust.")]
    view = viewpoint_of(table.game, "edda", entries, ("edda",))
    assert "Nine years" not in table.teller.answer("character", view)


def test_an_answer_that_a_scene_came_before_is_given_in_the_next_turn() -> None:
    voice = SCRIPT.voices["edda"]
    answers = (*voice.answers, Answer(cues=("herring",), line='"On Fridays," I say.'))
    voices = {**SCRIPT.voices, "edda": voice.model_copy(update={"answers": answers})}
    table = Table(light(SCRIPT.model_copy(update={"voices": voices})))
    table.open()
    table.play_all(["Edda, who are you?"] * 2)
    asked = table.play("Edda, do you like herring?")
    assert asked.new_beats and replies(asked)["edda"] == '"Gone," I say.'
    lead = asked.narration.split("\n\n")[0]
    assert any(lead.endswith(text.format(name="Edda")) for text in stock().interrupted)
    late = replies(table.play("I look about"))["edda"]
    assert late.endswith('"On Fridays," I say.') and len(late.split()) > 6


def test_an_answer_is_not_given_twice(table: Table) -> None:
    table.play_all(["Edda, tell me about yourself"])
    assert "Nine years" in replies(table.turns[-1])["edda"]
    assert "Nine years" not in said(table, "Edda, tell me about yourself")


def test_a_short_answer_is_not_taken_for_a_part_of_other_words() -> None:
    voice = SCRIPT.voices["edda"]
    short = Answer(cues=("tide",), line='"No."')
    voices = {**SCRIPT.voices, "edda": voice.model_copy(update={"answers": (short, *voice.answers)})}
    table = Table(light(SCRIPT.model_copy(update={"voices": voices})))
    table.open()
    assert "Nine years on" in replies(table.play("Edda, tell me about yourself"))["edda"]
    line = "Edda, will the tide turn? I know nothing of it."
    view = viewpoint_of(table.game, "edda", [Entry(role="player", text=line)], ("edda",))
    view = replace(view, said=('"I know nothing of boats," I say.',))
    assert table.teller.answer("character", view) == '"No."'
    assert table.teller.answer("character", replace(view, said=('"No."',))) != '"No."'


def test_a_line_never_comes_twice_running(table: Table) -> None:
    table.play_all(["Piet, yes", "Piet, no", "Piet, maybe", "Piet, perhaps", "Piet, well", "Piet, so"])
    own = [replies(turn)["piet"] for turn in table.turns if "piet" in replies(turn)]
    assert len(own) >= 5
    assert all(a != b for a, b in pairwise(own))


def test_the_mood_has_its_own_lines(table: Table) -> None:
    voices = [Table(table.game.pack, seed) for seed in range(12)]
    tense = {said(voice, "hm", mood="tense") for voice in voices}
    calm = {said(voice, "hm") for voice in voices}
    assert tense - calm == {'"Quiet," I say.'}


def test_a_character_without_lines_is_modest(bare: Pack) -> None:
    table = Table(bare)
    table.open()
    assert any(line.partition(".")[0] in said(table, "hello") for line in stock().modest)
    assert "Edda Voss. Keeper of the light." in said(table, "Edda, who are you?")
    assert "NONCESECRET" not in said(table, "hello")


def test_a_personality_told_in_sentences_is_no_manner(bare: Pack) -> None:
    edda = bare.characters["edda"].model_copy(update={"personality": "Edda keeps the light for you. Calm."})
    table = Table(bare.model_copy(update={"characters": {**bare.characters, "edda": edda}}))
    table.open()
    assert "keeps the light" not in said(table, "hello")


def test_asked_what_it_remembers_a_character_tells_from_its_own_memory(table: Table) -> None:
    table.play_all(["open the oil store", "I read", "I read"])
    piet = said(table, "Piet, what do you remember?", "piet")
    assert "The oil has been stolen." in piet
    empty = table.game.with_memory("piet", FactsMemory())
    table.game = empty
    assert "stolen" not in said(table, "Piet, what do you remember?", "piet")


def test_a_reply_depends_on_the_viewpoint_alone(pack: Pack) -> None:
    table = Table(pack)
    table.open()
    table.play("open the oil store")
    entries = [Entry(role="player", text="Edda, what now?"), Entry(role="narrator", text="Dust.")]
    view = viewpoint_of(table.game, "edda", entries, ("edda",))
    before = table.teller.answer("character", view)
    changed = table.game.with_memory(
        "piet", FactsMemory(summary="NONCE", key_facts=(Fact(text="NONCE", turn=1),))
    )
    table.game = changed.with_state(rolling_summary="NONCE")
    again = viewpoint_of(table.game, "edda", entries, ("edda",))
    assert again == view
    assert Storyteller(pack, 1).answer("character", again) == before


def test_facts_are_learned_from_what_was_told(table: Table) -> None:
    table.play("open the oil store")
    memory = table.game.memories["edda"]
    assert [line.text for line in lines_of(memory)] == ["The oil is gone."]
    view = memory_view_of(table.game, "edda", [1, 2])
    past = MergeView(story=view.story, id="edda", name=view.name, summary="", turns=view.turns)
    summary = table.teller.answer("memory", past)
    assert "Sam and the others found the oil gone." in summary
    assert 3 <= summary.count(". ") + 1 <= 5


def test_what_the_player_promises_is_remembered_and_small_talk_is_not(table: Table) -> None:
    table.play_all(["I look at my shoes", "I promise to bring you home, Edda"])
    texts = [line.text for line in lines_of(table.game.memories["edda"])]
    assert "Sam said: “I promise to bring you home, Edda.”" in texts
    assert not any("shoes" in text for text in texts)


def test_a_promise_is_recalled_in_the_player_s_own_words(table: Table) -> None:
    table.play_all(["I promise to bring you home, Edda", "I read", "I read"])
    assert "You said it yourself: ‘I promise to bring you home, Edda.’" in said(
        table, "Edda, do you remember home?"
    )


def test_a_new_fact_takes_the_place_of_an_older_like_it(table: Table) -> None:
    old = Fact(text="The oil is nearly gone.", turn=1)
    table.game = table.game.with_memory("edda", FactsMemory(key_facts=(old,)))
    table.play("open the oil store")
    assert [line.text for line in lines_of(table.game.memories["edda"])] == ["The oil is gone."]


def test_a_diary_holds_what_was_learned_and_nothing_of_a_turn_without_it() -> None:
    table = Table(light(memory="cells", memory_cells=3))
    table.open()
    table.play_all(["I shout", "open the oil store", "I shout", "I shout"])
    texts = [line.text for line in lines_of(table.game.memories["edda"])]
    assert texts == ["Piet's coat hung wet behind the door.", "The oil is gone."]
    table.play("I give Edda my scarf")
    table.play("I give Edda my scarf")
    texts = [line.text for line in lines_of(table.game.memories["edda"])]
    assert texts.count("Sam: “I give Edda my scarf.”") == 1


def test_merging_keeps_the_thread_in_five_sentences(pack: Pack) -> None:
    cells = tuple(Cell(turn=n, text=f"On day {n} I saw ship number {n}.") for n in range(1, 13))
    view = MergeView(
        story=story_of(Table(pack).game), id="edda", name="Edda Voss", summary="I was born here.", cells=cells
    )
    merged = Storyteller(pack, 1).answer("memory", view)
    assert merged.count(". ") + 1 <= 5
    assert "ship number 12" in merged and "ship number 11" in merged


def test_no_memory_holds_a_word_of_a_turn_its_owner_did_not_witness(pack: Pack) -> None:
    table = Table(pack)
    table.open()
    heard: dict[str, set[str]] = {"edda": set(), "piet": set()}
    for number in range(2, 14):
        away = "piet" if number % 3 == 0 else ""
        held = {away: False} if away else {}
        present = tuple(name for name in ("edda", "piet") if name != away)
        table.game = table.game.with_state(held=held, present=present)
        nonce = f"nonce{number}x"
        turn = table.play(f"I promise that my brother {nonce} will come")
        for name in turn.witnesses:
            heard[name].add(nonce)
        for name, memory in table.game.memories.items():
            known = " ".join([memory.summary, *(line.text for line in lines_of(memory))])
            spoken = replies(turn).get(name, "")
            for n in range(2, number + 1):
                if f"nonce{n}x" not in heard[name]:
                    assert f"nonce{n}x" not in known + spoken


def test_empty_cells_and_old_summaries_are_merged_without_loss(pack: Pack) -> None:
    view = MergeView(
        story=story_of(Table(pack).game),
        id="edda",
        name="Edda Voss",
        summary="Früher war es 静か.",
        cells=(Cell(turn=1, text=""), Cell(turn=2, text="Heute auch.")),
    )
    assert Storyteller(pack, 1).answer("memory", view) == "Früher war es 静か. Heute auch."
    assert CellsMemory().cells == ()
