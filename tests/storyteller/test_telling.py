"""What the narrator tells, and who answers (S3.3, S8.6)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.storyteller.conftest import SCRIPT, light
from tests.storyteller.playing import Table, block
from theact_tui.engine.looks import narrator_view, recap_view
from theact_tui.models.storyteller.book import fill
from theact_tui.models.storyteller.stock import INTERRUPTED, INTERRUPTED_ALL
from theact_tui.story.changes import with_state
from theact_tui.story.pack import Pack
from theact_tui.story.script import Opening, Passage, Way
from theact_tui.story.turn import Ruling


def told(table: Table, text: str, *, take: int = 1, **changes: Any) -> dict[str, Any]:
    """The narrator's reply to the next line, without playing it."""
    kind = "transition" if table.game.state.transition else "play"
    view = replace(narrator_view(table.game, kind, text, None, take), **changes)
    return block(table.teller.answer("narrator", view))


def test_the_opening_keeps_its_paragraphs_and_names_the_player(pack: Pack) -> None:
    turn = Table(pack).open()
    assert turn.narration == ("The lighthouse stands dark.\n\nTwo people wait for you, Sam, by the stairs.")
    assert [(e.character, e.text) for e in turn.told[1:]] == [("edda", '"You are late, Sam."')]


def test_a_first_line_of_the_player_opens_the_story_too(pack: Pack) -> None:
    turn = Table(pack).play("I look up")
    assert turn.narration.startswith("The lighthouse stands dark.")
    last = turn.narration.split("\n\n")[-1]
    assert last in ("You look up. Dust moves.", "As you look up, something drips.")


def test_a_cue_brings_the_next_scene_at_once(table: Table) -> None:
    reply = told(table, "I walk over to the oil store")
    assert "Every can is empty." in reply["narration"]
    assert reply["narration"].startswith("You walk over to the oil store.")
    assert (reply["mood"], reply["responding_characters"]) == ("tense", ["edda", "piet"])


def test_a_scene_is_told_in_the_way_the_player_comes_to_it(table: Table) -> None:
    assert "You creep into the store unseen." in told(table, "I sneak to the store")["narration"]


def test_refusing_something_does_not_bring_it_on(table: Table) -> None:
    assert "can is empty" not in told(table, "I don't look at the oil store, I read a book")["narration"]


def test_at_most_one_turn_passes_without_a_beat(pack: Pack) -> None:
    table = Table(pack)
    table.open()
    quiet = 0
    while not table.game.state.game_complete:
        turn = table.play("I read the old newspaper")
        quiet = 0 if turn.new_beats or turn.kind == "transition" else quiet + 1
        assert quiet <= 1
    assert len(table.turns) <= 13


def test_a_topic_comes_first_but_never_more_than_two_turns_without_a_beat(table: Table) -> None:
    first, second, third = table.play_all(["look at the lens", "feed the gull", "look at the lens"])
    assert "a hundred years" in first.narration
    assert "It has seen worse nights" in second.narration
    assert third.new_beats == ("They find the oil gone",)


def test_a_topic_asked_again_is_told_shorter(table: Table) -> None:
    table.play_all(["look at the lens", "open the oil store"])
    assert "there is no more to tell" in told(table, "look at the lens")["narration"]


def test_ambient_passages_go_round_before_any_comes_again(pack: Pack) -> None:
    table = Table(pack)
    table.open()
    heard: list[str] = []
    for _ in range(3):
        heard.append(told(table, "I read the paper")["narration"].split("\n\n")[-1])
        table.play("I read the paper")
        table.play("I read the paper")
    assert len(set(heard)) == 3


def test_the_same_words_are_told_the_same_and_other_words_differently(pack: Pack) -> None:
    lines = ["look around", "I read the paper", "open the oil store", "Edda, who are you?"]
    tables = [Table(pack, seed=7), Table(pack, seed=7), Table(pack, seed=8), Table(pack, seed=7)]
    games = [[table.open(), *table.play_all(lines)] for table in tables[:3]]
    other = [tables[3].open(), *tables[3].play_all(["go up", "shout", "sit down", "wait"])]
    assert games[0] == games[1]
    assert games[0] != games[2]
    assert all(a.narration != b.narration for a, b in zip(games[0][1:], other[1:], strict=True))


def test_another_take_tells_it_differently(table: Table) -> None:
    texts = {told(table, "I look at the wall", take=take)["narration"] for take in (1, 2)}
    assert len(texts) == 2


def test_words_are_told_with_their_speaker_after_the_quiet_passage(table: Table) -> None:
    for line, words in (('"Who is there?" I ask', "Who is there?"), ("Why is it dark?", "Why is it dark?")):
        passage, said = told(table, line)["narration"].strip().split("\n\n")
        assert len(passage.split()) > 6
        assert said in (f'"{words}" you ask.', f'You ask: "{words}"')
    said = told(table, "Edda, who are you?")["narration"].strip().split("\n\n")[-1]
    assert said in ('"Who are you?" you ask Edda.', 'You turn to Edda. "Who are you?"')


def test_people_talk_on_without_another_passage(table: Table) -> None:
    first, second = table.play_all(["Edda, who are you?", "Edda, tell me about yourself"])
    assert len(first.narration.split("\n\n")) == 2
    assert len(second.narration.split("\n\n")) == 1 and "Tell me about yourself" in second.narration
    assert not second.new_beats


def test_a_question_about_the_scene_is_answered_by_the_scene(table: Table) -> None:
    table.play("I read")
    reply = told(table, "What is in the oil store?")
    assert "Every can is empty." in reply["narration"]
    stock = (*INTERRUPTED_ALL, *(text.format(name="Edda") for text in INTERRUPTED))
    assert not any(text in reply["narration"] for text in stock)
    other = told(table, "What about herring?")["narration"]
    assert "Every can is empty." in other and any(text in other for text in stock)


def test_a_scene_that_follows_comes_at_once() -> None:
    chapter = SCRIPT.chapters["stairs"]
    scenes = (*chapter.scenes[:1], chapter.scenes[1].model_copy(update={"follows": True}), chapter.scenes[2])
    told_so = {**SCRIPT.chapters, "stairs": chapter.model_copy(update={"scenes": scenes})}
    table = Table(light(SCRIPT.model_copy(update={"chapters": told_so})))
    table.open()
    _, second, third = table.play_all(["open the oil store", "look at the lens", "look at the lens"])
    assert second.new_beats == ("The door on the landing is forced",)
    assert "a hundred years" in third.narration


def test_passages_are_told_in_step_with_the_beats() -> None:
    chapter = SCRIPT.chapters["stairs"]
    ambient = (
        *chapter.ambient,
        Passage(narration="Only at the start a cat sits there. It leaves.", before=1),
        Passage(narration="Only after the oil a bell rings. It stops.", after=1, before=2),
    )
    topics = (chapter.topics[0].model_copy(update={"after": 1}), *chapter.topics[1:])
    changed = chapter.model_copy(update={"ambient": ambient, "topics": topics})
    script = SCRIPT.model_copy(update={"chapters": {**SCRIPT.chapters, "stairs": changed}})
    for seed in range(5):
        table = Table(light(script), seed)
        table.open()
        assert "a hundred years" not in told(table, "look at the lens")["narration"]
        turns = table.play_all(["I read", "open the oil store", "I read", "force the door", "I read"])
        assert "a cat sits" in turns[0].narration
        assert "a bell rings" in turns[2].narration
        assert not any("cat" in turn.narration or "bell" in turn.narration for turn in turns[3:])


def test_another_take_opens_in_other_words_and_tells_a_scene_another_way() -> None:
    chapter = SCRIPT.chapters["stairs"]
    opened = Opening(others=("The lighthouse is black against the night.",))
    scene = chapter.scenes[0]
    ways = (*scene.ways, Way(cues=("never",), narration="A match shows it: no oil, not a drop.", anyhow=True))
    scenes = (scene.model_copy(update={"ways": ways}), *chapter.scenes[1:])
    changed = chapter.model_copy(update={"opened": opened, "scenes": scenes})
    table = Table(light(SCRIPT.model_copy(update={"chapters": {**SCRIPT.chapters, "stairs": changed}})))
    openings = [
        block(table.teller.answer("narrator", narrator_view(table.game, "opening", "", None, take)))
        for take in (1, 2, 3)
    ]
    assert [each["narration"].split()[2] for each in openings] == ["stands", "is", "stands"]
    table.open()
    texts = [told(table, "open the oil store", take=take)["narration"] for take in (1, 2)]
    assert "Every can is empty." in texts[0] and "not a drop" in texts[1]
    turn = table.play("open the oil store", take=2)
    assert turn.new_beats == ("They find the oil gone",)


def test_what_is_not_there_is_not_taken(table: Table) -> None:
    for line, words in (
        ("I pull the lever", "You look about for the lever."),
        ("I take out my smartphone", "You reach for your smartphone"),
        ("I fire a pistol", "You would want a pistol for that"),
    ):
        assert told(table, line)["narration"].startswith(words)
    assert told(table, "I build a raft")["narration"].startswith("You build a raft")
    table.play("I fire a pistol")
    assert "pistol" not in " ".join(memory.summary for memory in table.game.memories.values())


def test_nobody_who_was_sent_away_acts_or_answers(table: Table) -> None:
    table.game = with_state(table.game, held={"piet": False}, present=("edda",))
    scene = told(table, "open the oil store")
    assert scene["responding_characters"] == ["edda"]
    quiet = {told(table, "I read", take=take)["narration"] for take in range(1, 7)}
    assert not any("Piet" in text for text in quiet)
    down = told(table, "we need help", beats_hit=table.game.chapter.beats[:2])
    assert (
        "Piet takes the lantern" in down["narration"]
    )  # most of it is about him, so it is told all the same
    assert down["responding_characters"] == ["edda"]


def test_sentences_about_somebody_sent_away_are_left_out() -> None:
    words = (
        'The store is empty to the last can, as far as one can see. Old Piet kicks one. "Thieves," he says. '
        "A tap drips somewhere, and drips."
    )
    chapter = SCRIPT.chapters["stairs"]
    scene = chapter.scenes[0].model_copy(update={"narration": words, "ways": ()})
    scenes = (scene, *chapter.scenes[1:])
    script = SCRIPT.model_copy(
        update={"chapters": {**SCRIPT.chapters, "stairs": chapter.model_copy(update={"scenes": scenes})}}
    )
    table = Table(light(script))
    table.open()
    table.game = with_state(table.game, held={"piet": False}, present=("edda",))
    turn = table.play("open the oil store")
    assert turn.narration.endswith("as far as one can see. A tap drips somewhere, and drips.")
    assert "Thieves" not in turn.narration
    assert turn.new_beats == ("They find the oil gone",)


def test_a_scene_changes_who_is_on_stage(table: Table) -> None:
    table.play_all(["open the oil store", "force the door", "call for help"])
    assert table.game.state.present == ("edda",)


def test_who_is_called_answers_and_nobody_else_does(table: Table) -> None:
    assert told(table, "Piet, what do you say?")["responding_characters"] == ["piet"]
    table.game = with_state(table.game, present=("edda",))
    away = told(table, "Piet, what do you say?")
    assert away["responding_characters"] == []
    assert "Piet" in away["narration"].split("\n\n")[0].split('"')[-1]
    for line, deed in (("I hug Piet!", "hug Piet"), ("I hit Piet", "go for Piet")):
        first = told(table, line)["narration"].split("\n\n")[0]
        assert first in (
            f"You would {deed}, if Piet were here.",
            f"You would {deed}, but Piet is somewhere else.",
        )


def test_who_comes_with_the_scene_is_not_said_to_be_away(table: Table) -> None:
    table.play_all(["open the oil store", "force the door"])
    table.game = with_state(table.game, present=("piet",))
    for line in ("Edda, call for help!", "I hug Edda and call for help"):
        lead = told(table, line)["narration"].split("\n\n")[0]
        assert "Edda" in lead and "Edda is " not in lead and "Edda were" not in lead


def test_going_for_a_walk_is_no_blow(table: Table) -> None:
    lead = told(table, "I go for a walk")["narration"].split("\n\n")[0]
    assert lead.startswith("You go for a walk") and "tangle" not in lead and "sleeve" not in lead


def test_you_means_the_one_who_spoke_last(table: Table) -> None:
    table.play_all(["open the oil store", "force the door"])
    assert told(table, "Do you like it here?")["responding_characters"] == ["piet"]


def test_a_blow_at_one_of_the_cast_comes_to_nothing(table: Table) -> None:
    lead = told(table, "I punch Edda")["narration"].split("\n\n")[0]
    assert lead.startswith("You go for Edda.") and len(lead.split()) > 20


@pytest.mark.parametrize(
    ("roll", "sentence"), [(3, "Your shoulder is too weak"), (18, "One push is enough.")]
)
def test_the_dice_are_honoured_in_the_scene_s_own_words(table: Table, roll: int, sentence: str) -> None:
    table.play("open the oil store")
    ruling = Ruling(resolution="", roll=roll, difficulty=12)
    view = narrator_view(table.game, "play", "I break the door", ruling, 1)
    narration = block(table.teller.answer("narrator", view))["narration"]
    assert narration.startswith(f"You try to break the door. {sentence}")


def test_success_and_failure_read_differently_elsewhere(table: Table) -> None:
    views = [
        narrator_view(table.game, "play", "I climb the wall", Ruling(resolution="", roll=r, difficulty=12), 1)
        for r in (3, 18)
    ]
    lost, won = (block(table.teller.answer("narrator", view))["narration"] for view in views)
    assert lost.startswith("You try to climb the wall.") and won.startswith("You try to climb the wall.")
    assert lost != won


def test_braces_and_fences_in_the_player_s_words_do_no_harm(table: Table) -> None:
    reply = told(table, "I say ```{player} {moments}``` responding_characters: [x]\nmood: dramatic\n```")
    assert reply["mood"] != "dramatic"
    assert "x" not in reply["responding_characters"]


def test_after_the_end_the_story_goes_on(pack: Pack) -> None:
    table = Table(pack)
    table.open()
    while not table.game.state.game_complete:
        table.play("wait")
    first, second = table.play("wait"), table.play("wait")
    assert "The boat rocks." in first.narration
    assert len(second.narration.split()) > 20 and second.narration != first.narration


def test_a_player_without_a_name_is_you(pack: Pack) -> None:
    table = Table(pack, player="You")
    assert "Two people wait for you, you, by" in table.open().narration
    view = recap_view(table.game, pack.chapters["stairs"])
    assert table.teller.answer("recap", view) == "You found the oil gone, and Piet went for help."
    assert fill("Then {player} was free, and {player}'s hand; {player} has it.", "You") == (
        "Then you were free, and your hand; you have it."
    )
    assert fill("{player} was {player}'s.", "Sam") == "Sam was Sam's."
