"""The player's line in the second person, whatever was typed (S8.6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theact_tui.models.storyteller.names import by_name, callings, unaddressed
from theact_tui.models.storyteller.words import read_line

NAMES = ("Maya Chen", "Father Joaquin")

DEEDS = [
    ("I hold the lamp over the carvings", "take", "You hold the lamp over the carvings."),
    ("i hold my lamp", "take", "You hold your lamp."),
    ("look around", "look", "You look around."),
    ("looks around", "look", "You look around."),
    ("Looking around...", "look", "You look around."),
    ("*waves at maya*", "talk", "You wave at Maya."),
    ("I looked around and saw a ship", "look", "You look around and see a ship."),
    ("I was walking along the beach", "go", "You walk along the beach."),
    ("I'm looking at the tide", "look", "You look at the tide."),
    ("I want to go to the beach", "go", "You go to the beach."),
    ("I'll look for water", "look", "You look for water."),
    ("let me see the map", "look", "You see the map."),
    ("We climb the ridge", "go", "You climb the ridge."),
    ("Sam picks up the lamp", "take", "You pick up the lamp."),
    ("Maya and I walk to the beach", "go", "You and Maya walk to the beach."),
    ("Can I open the door?", "other", "You try to open the door."),
    ("I try and climb the mast", "go", "You try to climb the mast."),
    ("carefully open the door", "other", "You carefully open the door."),
    ("With the lamp in my hand I go in", "go", "With the lamp in your hand you go in."),
    ("take lamp", "take", "You take the lamp."),
    ("turn on radio", "other", "You turn on the radio."),
    ("take cover", "take", "You take cover."),
    ("ask maya about the plane", "talk", "You ask Maya about the plane."),
    ("I tell her I'm sorry", "talk", "You tell her you're sorry."),
    ("ok. I go to the cave.", "go", "You go to the cave."),
    ("I pick up the lamp. I walk to the door.", "take", "You pick up the lamp, and you walk to the door."),
    ("I jury-rig the antenna", "other", "You jury-rig the antenna."),
    ("n", "go", "You go north."),
    ("inventory", "look", "You go through what you carry."),
    ("continue", "wait", "You go on."),
    ("...", "wait", "You say nothing."),
    ("kill joaquin", "fight", "You go for Joaquin."),
    ("I hit Maya with the axe", "fight", "You go for Maya with the axe."),
    ("I kill the crab", "fight", "You try to kill the crab."),
    ("defenestrate the clerk", "other", "You defenestrate the clerk."),
    ("I should probably drink something", "other", "You drink something."),
    ("hold her hand", "other", "You hold her hand."),
    ("get out of the plane", "go", "You get out of the plane."),
    ("stop the wheel", "other", "You stop the wheel."),
    ("say nothing", "wait", "You say nothing."),
    ("I look at the sky. It is dark.", "look", "You look at the sky."),
    ("(I walk. I walk.)", "go", "You walk."),
    ("I ask them to let us pass", "talk", "You ask them to let you pass."),
    ("use axe on coconut", "other", "You use the axe on the coconut."),
    ("x body", "look", "You examine the body."),
    ("check pockets", "look", "You check your pockets."),
    ("grab maya", "other", "You grab Maya."),
    ("yes", "wait", "You nod."),
    ("OK.", "wait", "You nod."),
    ("no", "wait", "You shake your head."),
    ("lol", "wait", "You laugh to yourself."),
    ("I say thank you to Maya", "talk", "You say thank you to Maya."),
    ("say hello to maya", "talk", "You say hello to Maya."),
    ("I smash the radio", "fight", "You make as if to smash the radio."),
    ("I turn around and go back to the beach", "go", "You set out to go back to the beach."),
    ("I run away", "go", "You set out to run away."),
    ("I walk back to Maya", "go", "You walk back to Maya."),
]
SPEECH = [
    ("Where are we?", 'You ask: "Where are we?"'),
    ("what is this place", 'You ask: "What is this place?"'),
    ("Maya, are you hurt?", 'You ask: "Maya, are you hurt?"'),
    ("do you have a sister", 'You ask: "Do you have a sister?"'),
    ("Maya, look at this!", 'You call out: "Maya, look at this!"'),
    ("Run!", 'You call out: "Run!"'),
    ("I'm scared", 'You say: "I\'m scared."'),
    ("I think we should stay", 'You say: "I think we should stay."'),
    ("give me the knife", 'You say: "Give me the knife."'),
    ("let's go to the cave", 'You say: "Let\'s go to the cave."'),
    ("don't touch it", 'You say: "Don\'t touch it."'),
    ("because I said so", 'You say: "Because I said so."'),
    ("am I dreaming", 'You ask: "Am I dreaming?"'),
    ("I die", 'You say: "I die."'),
    ("Can I trust you?", 'You ask: "Can I trust you?"'),
    ("Can I come back some day?", 'You ask: "Can I come back some day?"'),
    ("I want to go home " * 20, 'You say: "I want to go home."'),
    ("I thank you, Maya", 'You say: "I thank you, Maya."'),
    ("Stop lying to us, Joaquin.", 'You say: "Stop lying to us, Joaquin."'),
    ("where am i", 'You ask: "Where am I?"'),
    ("hello, who are you", 'You ask: "Hello, who are you?"'),
    ("What?!", 'You ask: "What?!"'),
    ("you look tired", 'You say: "You look tired."'),
    ("Maya is lying", 'You say: "Maya is lying."'),
    ("help", 'You say: "Help."'),
    ("I see. You are right, we go.", 'You say: "I see. You are right, we go."'),
    ('I look at Maya. "Are you hurt?"', 'You look at Maya and ask: "Are you hurt?"'),
    ('"We need water," I tell them, "and soon."', 'You say: "We need water."'),
    ('I say "hello"', 'You say: "Hello."'),
    ("I ask: where is the water?", 'You ask: "Where is the water?"'),
    ("Ich halte die Lampe hoch", 'You say: "Ich halte die Lampe hoch."'),
    ("¿Dónde estamos?", 'You ask: "¿Dónde estamos?"'),
    ("我举起灯", 'You say: "我举起灯。"'),
    ("I {player} the {act}", 'You say: "I (player) the (act)."'),
]


@pytest.mark.parametrize(("typed", "kind", "told"), DEEDS)
def test_a_deed_is_told_in_the_second_person(typed: str, kind: str, told: str) -> None:
    action = read_line(typed, "Sam", NAMES)
    assert (action.kind, action.sentence) == (kind, told)
    assert not action.speech


@pytest.mark.parametrize(("typed", "told"), SPEECH)
def test_what_is_said_is_quoted(typed: str, told: str) -> None:
    assert read_line(typed, "Sam", NAMES).sentence == told


@given(st.text(max_size=2000))
def test_anything_typed_becomes_one_short_sentence(typed: str) -> None:
    action = read_line(typed, "Sam", NAMES)
    assert action.act.strip()
    assert "\n" not in action.act
    assert not set("{}`") & set(action.act)
    assert len(action.sentence) <= 300


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("I say thank you to Maya", ("Maya Chen",)),
        ("thank you maya", ("Maya Chen",)),
        ("Hello Maya, how are you?", ("Maya Chen",)),
        ("I wave at Joaquin", ("Father Joaquin",)),
        ("Mr. Joaquin, are you there?", ("Father Joaquin",)),
        ("Do you trust Maya?", ()),
    ],
)
def test_who_is_spoken_to_is_known(typed: str, names: tuple[str, ...]) -> None:
    assert read_line(typed, "Sam", NAMES).called == names


@pytest.mark.parametrize(
    ("words", "bare"),
    [
        ("Maya, are you hurt?", "Are you hurt?"),
        ("Are you hurt, Maya?", "Are you hurt?"),
        ("Hello Maya, how are you?", "Hello, how are you?"),
        ("Can you ask Maya to come?", "Can you ask Maya to come?"),
    ],
)
def test_the_name_of_the_one_spoken_to_can_be_taken_out(words: str, bare: str) -> None:
    assert unaddressed(words, "Maya Chen") == bare


def test_a_long_line_is_cut_where_a_clause_ends() -> None:
    typed = (
        "I pick up the lamp, walk to the door, open it and then carefully look inside to see if there is anybody "
        "there who could tell me where on earth I am and what I am supposed to do about it"
    )
    assert read_line(typed, "Sam").sentence == "You pick up the lamp, walk to the door and open it."


def test_a_long_speech_is_cut_at_a_sentence() -> None:
    typed = "Listen to me. " + "We were told that the boat would come in the morning. " * 20
    said = read_line(typed, "Sam").sentence
    assert said.endswith('the boat would come in the morning."')
    assert len(said.split()) < 40


def test_markup_and_reasoning_tags_do_not_get_into_the_story() -> None:
    assert read_line("<think>**look** `around`</think>", "Sam").sentence == "You look around."


@pytest.mark.parametrize(
    ("typed", "called", "matter"),
    [
        ("Maya, where is Joaquin?", ("Maya Chen",), "where is Joaquin?"),
        ("where are we, father joaquin?", ("Father Joaquin",), "where are we ?"),
        ("ask Maya about Joaquin", ("Maya Chen",), "ask about Joaquin"),
        ("I go to Maya", (), "I go to Maya"),
        ("Father, help me", ("Father Joaquin",), "help me"),
        ("Maya I think Joaquin lies", ("Maya Chen",), "I think Joaquin lies"),
        ("Maya is lying", (), "Maya is lying"),
    ],
)
def test_who_is_called_is_not_what_it_is_about(typed: str, called: tuple[str, ...], matter: str) -> None:
    action = read_line(typed, "Sam", NAMES)
    assert action.called == called
    assert " ".join(action.matter.split()) == matter


CAST = callings(
    {
        "Father Joaquin": "barefoot priest, fifty, last to board the plane",
        "Maya Chen": "aerospace engineer, forty, two fingers taped to a pencil",
        "Little Constance": "toll-keeper, a fallen bronze bell of nine tons",
    }
)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("I ask the priest who he is.", "I ask Father Joaquin who he is."),
        ("Engineer, what now?", "Maya Chen, what now?"),
        ("I hug the old priest", "I hug Father Joaquin"),
        ("the priest's hands", "the priest's hands"),
        ("I ring the bell", "I ring Little Constance"),
        ("I am a priest", "I am a priest"),
    ],
)
def test_people_are_also_called_by_what_they_are(typed: str, meant: str) -> None:
    assert by_name(typed, CAST) == meant


def test_a_word_that_fits_two_people_stands_for_nobody() -> None:
    assert callings({"Ann": "old nurse", "Bob": "young nurse, a sailor"}) == {"sailor": "Bob"}
