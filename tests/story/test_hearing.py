"""Who a line is meant for, and where somebody comes or goes in a narration."""

from __future__ import annotations

import pytest

from theact_tui.story.comings_and_goings import comes_in, goes_after, leaves, tells_of_leaving
from theact_tui.story.hearing import called_at, meant_for, parted_at, spoken
from theact_tui.story.pack import Character
from theact_tui.story.sentences import portion, sentences

PEOPLE = {
    "maya": Character(name="Maya Chen", role="engineer", personality="Dry."),
    "joaquin": Character(name="Father Joaquin", role="barefoot priest", personality="Mild."),
    "hen": Character(name="Old Henderson", role="reporter", personality="Loud."),
}
ONE = {"maya": PEOPLE["maya"]}


@pytest.mark.parametrize(
    ("line", "heard"),
    [
        ("I'm a nurse (that's a lie), I say.", "I'm a nurse, I say."),
        ("A (b (c) d) e", "A e"),
        ("A (b", "A"),
        ("（secret） A", "A"),
        ("Fine :)", "Fine :)"),
        ("Sad :( but on I go.", "Sad :( but on I go."),
        ("Sad :-( but on I go (slowly", "Sad :-( but on I go"),
        ("(all of it)", ""),
    ],
)
def test_asides_are_left_out(line: str, heard: str) -> None:
    assert spoken(line) == heard


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("I whisper to Maya: come.", "maya"),
        ("i whisper to maya: come.", "maya"),
        ("Sam whispers softly to Maya Chen that Joaquin lies.", "maya"),
        ('"Joaquin lies," I whisper to Maya.', "maya"),
        ("I lean over and whisper in Maya's ear: run!", "maya"),
        ("I whisper Maya the number.", "maya"),
        ("I murmur to the priest: amen.", "joaquin"),
        ("I whisper to the Father: amen.", "joaquin"),
        ("I whisper to Father, when he comes: amen.", "joaquin"),
        ("I whisper to Father Brown: amen.", ""),
        ("I quietly tell Henderson about Maya.", "hen"),
        ("I ask the priest quietly, so that Maya can't hear: is it true?", "joaquin"),
        ("I ask, so that Maya cannot overhear: is it true?", "joaquin hen"),
        ("I tell Maya so that Joaquin can't hear.", "maya hen"),
        ("I tell Maya so that Joaquin and the others can't hear.", "maya"),
        ("I whisper, so low that only Maya can hear: now.", "maya"),
        ("I tell Maya, so that nobody else hears: now.", "maya"),
        ("I take Maya by the sleeve and pull her aside, out of Henderson's hearing.", "maya joaquin"),
        ("I say in a low whisper to Maya: now.", "maya"),
        ("Maya and I wait, and I ask her so he can't hear: now?", "maya"),
        ("Maya, Henderson and I wait, and I ask her so he can't hear: now?", ""),
        ("I sit down by Maya and whisper in her ear: now.", "maya"),
        ("I whisper it to Maya.", "maya"),
        ("To Maya, under my breath: now.", "maya"),
        ('To the priest in a low voice: "Amen."', "joaquin"),
        ("Quietly, to Maya: now.", "maya"),
        ("I say to Maya under my breath that Joaquin lies.", "maya"),
        ("Under my breath I say to Maya: now.", "maya"),
        ("I lower my voice and tell Maya what I saw.", "maya"),
        ("I whisper to myself: now.", ""),
        ("I whisper to the captain: now.", ""),
    ],
)
def test_some_lines_are_for_some_only(line: str, ids: str) -> None:
    assert meant_for(line, PEOPLE) == set(ids.split())


@pytest.mark.parametrize(
    "line",
    [
        "",
        "I say that Maya can't see the stars.",
        "I say to Maya: Joaquin can't hear us, he whispers to Henderson.",
        "I tell Maya about the whisper to Joaquin.",
        '"Did you whisper to Maya?"',
        "I whisper to the others: hush.",
        "I breathe in and go on.",
        "I say goodbye to Maya and leave quietly.",
        "I walk quietly to the door.",
        "I walk quietly to Maya: hello.",
        "To Maya: now.",
        "To everyone, quietly: hush.",
        "To Maya's left, quietly, a door opens.",
        "I talk softly to the horse.",
        "(I whisper to Maya)",
        "I ask so the captain can't hear: now?",
        "I turn to Maya and ask what Henderson just whispered to me. Then I walk on.",
    ],
)
def test_other_lines_are_for_all(line: str) -> None:
    assert meant_for(line, PEOPLE) is None


def test_a_pronoun_means_the_only_one_there() -> None:
    assert meant_for("I whisper to her: now.", ONE) == {"maya"}
    assert meant_for("I whisper to her: now.", PEOPLE) == set()


def test_a_pronoun_in_a_whisper_means_who_is_named_last_or_of_several_who_answers() -> None:
    line = "With Henderson on the rope I grab Maya's wrist and whisper to her: now."
    assert meant_for(line, PEOPLE) == {"maya"}
    assert meant_for("I grab Maya's wrist as Henderson slips and whisper to her: now.", PEOPLE, ["maya"]) == {
        "maya"
    }
    assert meant_for("I nod to Maya and Henderson and whisper to them: now.", PEOPLE) is None
    line = "I pull Maya aside, so that Henderson can't hear, and whisper to her: now."
    assert meant_for(line, PEOPLE) == {"maya"}


@pytest.mark.parametrize(
    ("line", "called"),
    [
        ("I call Henderson over.", 0),
        ("I shout: Henderson, here!", 0),
        ("Henderson! Come here.", 0),
        ("Henderson, when he comes, must not know.", None),
        ("I don't call Henderson.", None),
        ('"Go to Henderson," I say.', None),
        ("I tell Maya the number. Then I call Henderson.", 1),
        ("I wait for Henderson.", None),
        ("I shake Henderson.", None),
        ("I run out and meet Henderson. Hello.", 0),
        ("I find Henderson's hat.", None),
        ("I cannot find Henderson.", None),
        ('I stop. I shout over the water: "HENDERSON! The rope!"', 1),
    ],
)
def test_who_is_called_may_hear_it_on_the_way(line: str, called: int | None) -> None:
    assert called_at(line, "Old Henderson") == called
    assert called_at("I shake Henderson.", "Old Henderson", asleep=True) == 0


@pytest.mark.parametrize(
    ("narration", "known"),
    [
        ("Rain. Henderson comes. He sits.\n\nMore rain.", "Henderson comes. He sits.\n\nMore rain."),
        ('"Henderson?" asks Maya.\n\nHenderson comes.', "Henderson comes."),
        ("Henderson's boots ring. Henderson comes.", "Henderson comes."),
        ("Rain.\nThe old man comes.", "The old man comes."),
        ("Rain. The old man comes.", ""),
        ("It clicks as if somebody far off wept. A needle lifts.\n\nHenderson comes.", "Henderson comes."),
        ("Rain. A boy wobbles up.\n\nHenderson jumps off.", "A boy wobbles up.\n\nHenderson jumps off."),
        (
            "Rain. The rider has a bun. He stops. This is Henderson.",
            "The rider has a bun. He stops. This is Henderson.",
        ),
        ("Rain. The tall reporter comes. He sits.", "The tall reporter comes. He sits."),
        ("Rain.\n\nHenderson's face hangs in the door.", "Henderson's face hangs in the door."),
    ],
)
def test_who_comes_hears_it_from_there(narration: str, known: str) -> None:
    assert portion(narration, comes_in(narration, "Old Henderson", "star reporter, London"), None) == known


@pytest.mark.parametrize(
    ("line", "parting"),
    [
        ("I walk over to the mill. The gold is here.", 1),
        ("I cross my arms. I will not sell the boat.", None),
        ("I will not go. I know who killed the keeper.", None),
        ("I let go of the rope. It falls.", None),
    ],
)
def test_who_says_that_they_stay_does_not_walk_off(line: str, parting: int | None) -> None:
    assert parted_at(line, PEOPLE, {"maya"})[0] == parting


@pytest.mark.parametrize(
    ("narration", "known"),
    [
        ("Henderson nods. He goes. Maya waits.", "Henderson nods. He goes."),
        ("Henderson goes.\n\nHe is gone.", "Henderson goes."),
        ("Henderson goes. Maya takes his chair.", "Henderson goes."),
        ('Henderson goes.\n"Henderson lied," says Maya.', "Henderson goes."),
        ("The old man goes.", ""),
        ("", ""),
        ('Henderson waves. "Free beer!" Maya laughs.', 'Henderson waves. "Free beer!"'),
        ("Henderson nods. Maya too. The two men go down the slope. Rain.",
         "Henderson nods. Maya too. The two men go down the slope."),
        ("You run. Henderson calls.\n\nThe road. A dog.\n\nFar off Henderson has not moved.",
         "You run. Henderson calls."),
        ("Henderson nods.\n\nYou walk on. The tide is up. Henderson is small behind you.", "Henderson nods."),
        ("You run. Henderson calls.\n\nThe road.\n\nHenderson turns and walks off.",
         "You run. Henderson calls.\n\nThe road.\n\nHenderson turns and walks off."),
        ("Henderson calls.\n\nThe road.\n\nHenderson is lost in the rain.",
         "Henderson calls.\n\nThe road.\n\nHenderson is lost in the rain."),
    ],
)  # fmt: skip
def test_who_goes_hears_it_up_to_there(narration: str, known: str) -> None:
    told = goes_after(narration, "Old Henderson", ["Maya Chen"])
    assert portion(narration, 0, told) == known


def test_italics_on_a_page_are_told_like_the_rest() -> None:
    assert leaves("*Later that night*\n\nMaya walks out of the door.", "Maya Chen")


def test_sentences_and_paragraphs_stay_as_they_were() -> None:
    page = 'Dr. Wren nods. "Two. Three," she says… Then rain!\n\nNight.'
    assert portion(page, 0, None) == page
    assert [one.last for one in sentences(page)][-2:] == [True, True]
    assert sentences("  ") == []


@pytest.mark.parametrize(
    "answer",
    [
        '"No," he says. He walks away into the mist.',
        "I step off the lamplit boards and am gone.",
        "I walk back the way we came, quickly, and when I am out of the lantern's light I am running.",
        "Maya Chen turns and walks away without a word.",
        'I put the lid down, turn, and run out into the rain. "Find me there!"',
        "Maya slips away while you look at the lid.",
        "She goes out through the door and does not look back.",
        "I leave.",
        "I leave the room, and the door falls shut.",
        "Before you can answer, I am gone.",
    ],
)
def test_an_answer_may_tell_that_who_gives_it_goes(answer: str) -> None:
    assert tells_of_leaving(answer, "Maya Chen", ["Father Joaquin", "Old Henderson"])


@pytest.mark.parametrize(
    "answer",
    [
        "The lid is three steps away.",
        '"I walk away from nothing," she says, and stays.',
        "She leaves the rope where it is.",
        "He runs off. He comes back. He sits down.",
        "I will go away tomorrow.",
        "I could walk away from this, and I do not.",
        "If you lie to me once more, I walk out.",
        "I do not walk away.",
        "I walk off, stop, and look at you.",
        "I walk away with you.",
        "I step away from the window.",
        "I say, go away.",
        "I watch Joaquin walk away.",
        "Joaquin walks off into the dark. I light the lamp.",
        "I look at Joaquin. He runs away.",
        "The boy nods. She runs away with his hat.",
        "I nod, and the dog runs off.",
        "Maya's hat slips away on the wind.",
        "I slip off my shoe.",
        "My courage runs out.",
        "*Maya looks at the window.* Oh no. I go out the back, you stay here.",
    ],
)
def test_when_unsure_who_answers_stays(answer: str) -> None:
    assert not tells_of_leaving(answer, "Maya Chen", ["Father Joaquin", "Old Henderson"])
