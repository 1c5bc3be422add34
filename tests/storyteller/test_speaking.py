"""What the characters say, and what they keep."""

from dataclasses import replace
from itertools import pairwise
from typing import Literal

import pytest

from tests.storyteller.conftest import SCRIPT, light, with_stairs
from tests.support.packs import with_chapter
from tests.support.storyteller_games import Table
from theact_tui.story.character_view import memory_view_of, viewpoint_of
from theact_tui.story.lore import LoreEntry
from theact_tui.story.memory import Fact, FactsMemory, empty_memory, lines_of
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.views import MergeView
from theact_tui.storyteller import Storyteller
from theact_tui.storyteller.stock import stock


def replies(turn: Turn) -> dict[str, str]:
    return {entry.character or "": entry.text for entry in turn.entries if entry.role == "character"}


def said(
    table: Table,
    text: str,
    character: str = "edda",
    mood: str = "calm",
    present: tuple[str, ...] = ("edda", "piet"),
) -> str:
    """What a character says to a line when the narration holds nothing for it."""
    entries = [Entry(role="player", text=text), Entry(role="narrator", text="Nothing much happens.")]
    view = viewpoint_of(table.game, character, entries, present, mood=mood)
    return table.teller.answer("character", view)


def test_in_a_scene_everyone_says_the_line_written_for_it(table: Table) -> None:
    turn = table.play("open the oil store")
    assert replies(turn) == {"edda": '"Gone," I say.', "piet": '"All of it," I say.'}


def test_of_an_outline_who_is_called_answers_and_who_is_away_comes_in_with_a_beat(bare: Pack) -> None:
    beats = ("The stairs are wet", "Piet comes up", "Piet finds a coat", "The door falls shut")
    table = Table.opened(with_chapter(bare, "stairs", present=("edda",), beats=beats))
    came = False
    for line in ["Piet, where is the oil?", "Edda, what do you want?", "I wait."] * 4:
        turn = table.play(line)
        came = came or beats[1] in turn.new_beats
        assert turn.stage and ("piet" in turn.stage.here) == came
        if line != "I wait.":
            assert [*replies(turn)] == [line[:4].lower()] * (came or line.startswith("Edda"))
    assert came, "and he stays"


def test_an_answer_is_given_to_the_words_it_is_for_by_the_one_who_has_it_or_none_is_owned_up_to(
    table: Table,
) -> None:
    assert said(table, "Edda, who are you?") == '"Nine years on this rock," I say.'
    assert "Nine years" not in said(table, "I kick the keeper's bucket")
    assert "Nine years" not in said(table, "Piet, who are you?", present=("edda",)), (
        "nobody answers for another"
    )
    assert said(table, "Do you like herring?").strip('"') in stock().unknowing


def test_a_whisper_is_answered_only_by_who_hears_it(table: Table) -> None:
    line = "I whisper to Edda: there is a gull on the sill"
    turns = table.play_all([line, line, line])
    assert [list(replies(turn)) for turn in turns] == [["edda"]] * 3
    assert "A gull sits on the sill" in turns[-1].narration and "piet" in table.game.state.present


def test_a_voice_has_lines_for_occasions() -> None:
    voice = SCRIPT.voices["edda"]
    occasions = {
        "unanswered": ('"Ask the gulls," I say.',),
        "repeated": ('"I said so," I say.',),
        "take": ('"Put it down," I say.',),
        "confided": ('"It stays here," I say.',),
    }
    voices = {**SCRIPT.voices, "edda": voice.model_copy(update={"lines": {**voice.lines, **occasions}})}
    table = Table.opened(light(SCRIPT.model_copy(update={"voices": voices})))
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


def test_a_line_never_comes_twice_running(table: Table) -> None:
    table.play_all(["Piet, yes", "Piet, no", "Piet, maybe", "Piet, perhaps", "Piet, well", "Piet, so"])
    own = [replies(turn)["piet"] for turn in table.turns if "piet" in replies(turn)]
    assert len(own) >= 5
    assert all(a != b for a, b in pairwise(own))


def test_asked_what_it_remembers_a_character_tells_from_its_own_memory(table: Table) -> None:
    table.play_all(["open the oil store", "I read", "I read"])
    piet = said(table, "Piet, what do you remember?", "piet")
    assert "The oil has been stolen." in piet
    empty = table.game.with_memory("piet", FactsMemory())
    table.game = empty
    assert "stolen" not in said(table, "Piet, what do you remember?", "piet")


def test_a_reply_depends_on_the_viewpoint_alone(pack: Pack) -> None:
    table = Table.opened(pack)
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


@pytest.mark.parametrize("memory", ["facts", "cells"])
@pytest.mark.parametrize(
    "narration",
    [
        "Piet takes the lantern from its hook, and goes down the stairs.\n\nA boat puts out. You count its strokes.",
        "The stairs are dark. You hold the door, and Piet goes down.",
    ],
    ids=["missed the page's end", "missed the replies"],
)
def test_who_missed_a_part_of_a_scene_is_not_told_how_it_ended(
    narration: str, memory: Literal["facts", "cells"]
) -> None:
    chapter = SCRIPT.chapters["stairs"]
    told = chapter.scenes[2].model_copy(
        update={"narration": narration, "gist": "Piet left, Edda saw a boat."}
    )
    table = Table.opened(light(with_stairs(scenes=(*chapter.scenes[:2], told)), memory=memory))
    *_, turn = table.play_all(["open the oil store", "I wait", "force the door", "I wait", "call for help"])
    assert turn.witnesses == ("edda", "piet") and turn.missed_by("piet") and not turn.missed_by("edda")
    knows: dict[str, str] = {}
    for name in turn.witnesses:
        view = memory_view_of(table.game, name, [turn.number])
        past = MergeView(story=view.story, id=name, name=view.name, summary="", turns=view.turns)
        unwritten = replace(view, memory=empty_memory(memory))
        knows[name] = "".join(table.teller.answer("memory", asked) for asked in (past, unwritten))
    assert "Edda saw a boat." in knows["edda"] and "boat" not in knows["piet"]


def test_what_the_player_promises_is_remembered_and_small_talk_is_not(table: Table) -> None:
    table.play_all(["I look at my shoes", "I promise to bring you home, Edda"])
    texts = [line.text for line in lines_of(table.game.memories["edda"])]
    assert "Sam said: “I promise to bring you home, Edda.”" in texts
    assert not any("shoes" in text for text in texts)


def test_a_diary_holds_what_was_learned_and_nothing_of_a_turn_without_it() -> None:
    table = Table.opened(light(memory="cells", memory_cells=3))
    table.play_all(["I shout", "open the oil store", "I shout", "I shout"])
    texts = [line.text for line in lines_of(table.game.memories["edda"])]
    assert texts == ["Piet's coat hung wet behind the door.", "The oil is gone."]
    table.play("I give Edda my scarf")
    table.play("I give Edda my scarf")
    texts = [line.text for line in lines_of(table.game.memories["edda"])]
    assert texts.count("Sam: “I give Edda my scarf.”") == 1


def test_no_memory_holds_a_word_of_a_turn_its_owner_did_not_witness(table: Table) -> None:
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


LORE = (
    """Piet: *shrugs* "What about it?"
[They are on the stairs.]
Edda: *looks up* "The lens came by boat." It lay in straw for a week, because nobody dared to lift it.
The crate had no name on it. Sam: Who sent it?
Nobody ever asked again. """
    + "It has been turned by hand every night since then. " * 12
)


def test_lore_is_said_in_two_sentences_without_what_others_say_or_what_is_done(bare: Pack) -> None:
    lore = {"book": (LoreEntry(id="lens", title="The Lens", keys=("lens",), text=LORE),)}
    table = Table.opened(bare.model_copy(update={"lore": lore}))
    entries = [Entry(role="player", text="Edda, what about the lens?"), Entry(role="narrator", text="Dust.")]
    reply = table.teller.answer("character", viewpoint_of(table.game, "edda", entries, ("edda", "piet")))
    assert "'The lens came by boat.' It lay in straw for a week" in reply
    assert not any(
        wrong in reply for wrong in ("Piet:", "Edda:", "*", "[", "stairs", "no name", "turned by hand")
    )
    assert len(reply) < 160


def test_stock_words_are_said_by_one_and_another_take_has_others(bare: Pack) -> None:
    table = Table.opened(bare)
    stock_lines = {*stock().modest, *stock().unknowing, *stock().confided_to}
    for line in (
        "Edda, yes.",
        "Piet, yes.",
        "Edda, is it far?",
        "Piet, is it far?",
        "I lied to you, Edda.",
        "I lied to you, Piet.",
    ):
        table.play(line)
    said_lines = [
        text
        for turn in table.turns
        for text in stock_lines
        if any(text in reply for reply in replies(turn).values())
    ]
    assert len(said_lines) >= 6 and len(set(said_lines)) == len(said_lines)


def test_a_third_take_repeats_no_reply_of_a_voice_with_two_lines() -> None:
    table = Table.opened(light())
    entries = [Entry(role="player", text="Piet, well"), Entry(role="narrator", text="Nothing much happens.")]
    views = [viewpoint_of(table.game, "piet", entries, ("piet",), take=take) for take in range(1, 5)]
    assert len({table.teller.answer("character", view) for view in views}) == 4
