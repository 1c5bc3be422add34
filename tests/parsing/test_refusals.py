"""What a model wrote for the player is shown, whatever its words; a record must not be a refusal."""

import json
from random import Random

import pytest

from tests.packs.cases import texts_in
from theact_tui.packs.listing import shipped_folder
from theact_tui.parsing import ProseStream, parse
from theact_tui.parsing.refusals import is_refusal
from theact_tui.parsing.thoughts import out_of_open_thought
from theact_tui.parsing.types import ReplyContext
from theact_tui.sentences import paragraph_texts
from theact_tui.yaml import load

CAST = ReplyContext({"maya": "Maya Chen", "joaquin": "Father Joaquin"}, player="Sam")
TOLD = ("narrator", "character:maya", "actor", "chapter", "epilogue")
RECORDS = ("summary", "recap", "merge", "cell")

REFUSALS = [
    "I'm sorry, but as an AI language model I can't roleplay violent content.",
    "I cannot continue this roleplay.",
    "I'm sorry, but I can't assist with that request.",
    "I can't help with that.",
    "I apologize, but I'm not able to generate that content.",
    "I won't be able to continue with this scene.",
    "As an AI, I cannot take part in that.",
    "Lo siento, no puedo ayudar con eso.",
    "Es tut mir leid, dabei kann ich nicht helfen.",
    "抱歉，我无法继续这个故事。",
]
STORY = [
    "I am an AI, Sam. Not the kind you were promised, but I will walk with you to the ridge.",
    "I can't go on, Sam. *She turns her back and walks into the trees.*",
    "No. I won't help you, and I can't answer for the others.",
    "My programming will not help you here.",
    "From the sand we cannot see the reef any more.",
    "—Lo siento, no puedo soltar la cuerda.",
    "他抱歉地笑了笑，把绳子递给你。",
    "I'm sorry. I can't do this any more, and you know why.",
]
"""Of the story, with words of refusals."""


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_for_the_player_is_shown_and_a_record_asked_for_again(text: str) -> None:
    assert is_refusal(text)
    for agent in TOLD:
        assert parse(agent, text, CAST).reply.text == text
    for agent in RECORDS:
        assert not parse(agent, text, CAST).ok
        assert parse(agent, text, ReplyContext(is_scripted=True)).ok
    assert not parse("author_setting", json.dumps({"setting": text})).ok


@pytest.mark.parametrize("text", STORY)
def test_words_of_the_story_are_no_refusal(text: str) -> None:
    assert not is_refusal(text)
    assert all(parse(agent, text, CAST).ok for agent in (*TOLD, *RECORDS))


@pytest.mark.parametrize(
    "text", ["OK", "OK.", "Nothing.", "Nobody", "The doctor is here.", "Put the lamp here."]
)
def test_a_page_may_be_short(text: str) -> None:
    assert all(parse(agent, text, CAST).reply.text == text for agent in TOLD)


@pytest.mark.parametrize(
    "text", ["OK", "none", "Nothing new.", '{"a": [1, 2], "b": 3}', "who: Maya\nwhere: the stair"]
)
def test_a_record_holds_a_sentence(text: str) -> None:
    assert not any(parse(agent, text, CAST).ok for agent in RECORDS)


WORDS = (
    "You turn back to the task and pull the rope tight.",
    "You unfold the instructions of the flare gun.",
    "The prompt blinks on the old screen.",
    "The user of this knife is long dead.",
    "There is no text on the stone.",
    "Please tell me you brought water.",
    "Let me know when the tide turns, she says.",
    "Feel free to laugh, says the old man.",
    "I hope that you sleep.",
    "I understand you.",
    "Remember, the reef is sharp.",
    "This format of knot holds in the wet.",
    "Is this the place?",
    "If you need me, I am by the fire.",
    "Notes: three, and all of them wet.",
    "I have included everything, he says.",
    "Sure, she has seen worse.",
    "Yes, I saw it.",
    "Here is the rope.",
    "Here is what the letter says:",
    "Certainly: nobody asked.",
    "Output: none, says the gauge.",
    "System: pressure falling.",
    "Instruction: pull the red lever.",
    "Mood: the word is scratched into the rock.",
    "Present: nobody.",
    "From the sand we cannot see the reef any more.",
    "I'm sorry, I cannot help with the boat.",
    "As an AI I was built for the pumps, says the voice.",
    "My training was in another war.",
    "That is against the safety guidelines, he says.",
    "It speaks in the third person, in the past tense, of two words.",
    "他抱歉地笑了笑。",
    "Lo siento, no puedo soltar la cuerda.",
    "What would you like to do?",
    "What do you do?",
    "How can I help you, he asks.",
)
"""Lines of stories with words by which replies were once judged."""


def shipped_pages() -> list[str]:
    """Pages and replies of the shipped packs, as they are told."""
    texts = (
        text
        for file in sorted(shipped_folder().rglob("storyteller.yaml"))
        for text in texts_in(load(file.read_bytes()))
    )
    return [
        "\n\n".join(paragraph_texts(text)) for text in texts if len(text.split()) > 25 and "{" not in text
    ]


def test_no_page_of_300_is_thrown_away_or_changed_for_a_word() -> None:
    random = Random(300)
    pages = random.sample(shipped_pages(), 300)
    changed = []
    for number, page in enumerate(pages):
        word, *paragraphs = WORDS[number % len(WORDS)], *page.split("\n\n")
        for at in (0, len(paragraphs), random.randrange(len(paragraphs) + 1)):
            planted = "\n\n".join([*paragraphs[:at], word, *paragraphs[at:]])
            for agent in TOLD:
                reading = parse(agent, planted, ReplyContext())
                changed += [] if reading.ok and reading.reply.text == planted else [(agent, planted)]
            stream = ProseStream("narrator", ReplyContext())
            stream.feed(planted)
            stream.finish()
            changed += [] if (stream.text, stream.retracted) == (planted, 0) else [("live", planted)]
    assert changed == []


@pytest.mark.parametrize(
    ("raw", "inside"),
    [
        ("<think>The fog lifts.", "The fog lifts."),
        ("<thinkThe fog lifts.", "The fog lifts."),
        ("<thinking\nThe fog lifts.", "\nThe fog lifts."),
        ("<think>Hm.</think>The fog lifts.", "<think>Hm.</think>The fog lifts."),
        ("The fog <think>lifts.", "The fog <think>lifts."),
        ("The fog lifts.", "The fog lifts."),
    ],
)
def test_only_a_thought_that_is_all_there_is_is_opened(raw: str, inside: str) -> None:
    assert out_of_open_thought(raw) == inside
