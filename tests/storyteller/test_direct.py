"""The offline storyteller in direct mode (D7, S8.6): every part follows from what it was given."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from theact_tui.models.storyteller.direct_actor import act
from theact_tui.models.storyteller.direct_lock import lock
from theact_tui.models.storyteller.direct_notes import note
from theact_tui.models.storyteller.direct_prose import write
from theact_tui.models.storyteller.direct_scene import read
from theact_tui.models.storyteller.direct_voice import teller_of
from theact_tui.story.direct.log import Exchange, exchanges
from theact_tui.story.direct.records import Event
from theact_tui.story.direct.views import ActorView, Cast, ChapterView, DeltaView, FoldView, LockView, Memory

CAST = Cast(session_id="s", names={1: "Kara", 2: "Bo"})
WORLD = """Genre: gothic adventure
The city of Orrin sank a hundred years ago. No one may ring a bell after dusk.
The Lantern Guild sells light."""
SCENE = "The bell tower of Saint Aldous, just before midnight. They must bring the bell down. Who oiled the ropes?"
KARA = """Kara is a diver who lost her brother. She hates bells.
Secret: she cut the rope that held him, and
has told nobody."""


def told(*pairs: tuple[str, str]) -> tuple[Exchange, ...]:
    """Exchanges with agent 1, from prompts and replies."""
    events = []
    for k, (prompt, reply) in enumerate(pairs, 1):
        common: dict[str, Any] = {"session_id": "s", "prompt_index": k, "created_at": "t"}
        events.append(Event(event_id=f"p{k}", role="user", text=prompt, sequence=2 * k, **common))
        events.append(
            Event(event_id=f"r{k}", role="agent", agent_slot=1, text=reply, sequence=2 * k + 1, **common)
        )
    return exchanges(events)


def answer(
    prompt: str,
    identity: str = KARA,
    index: int = 1,
    recent: tuple[Exchange, ...] = (),
    lock: dict[str, Any] | None = None,
    take: int = 1,
) -> str:
    return act(
        ActorView(
            cast=CAST,
            slot=1,
            identity=identity,
            memory=Memory(lock=lock or {}),
            recent=recent,
            prompt=prompt,
            index=index,
            take=take,
        )
    )


def locked(world: str = WORLD, chapter: str = SCENE) -> Any:
    return json.loads(lock(LockView(cast=CAST, world=world, chapter=chapter)))


def noted(*pairs: tuple[str, str], memory: Memory | None = None) -> Any:
    view = DeltaView(
        cast=CAST, memory=memory or Memory(lock={}), first=1, last=len(pairs), exchanges=told(*pairs)
    )
    return json.loads(note(view))


def chapter(*pairs: tuple[str, str], lock: dict[str, Any] | None = None, so_far: str = "") -> str:
    memory = Memory(lock=lock or {})
    return write(
        ChapterView(cast=CAST, voice="", memory=memory, corrections=(), exchanges=told(*pairs), so_far=so_far)
    )


def test_an_actor_speaks_in_the_first_person_and_only_attempts() -> None:
    reply = answer("The bell rings twice.")
    assert "I " in reply and "Kara" not in reply and len(reply.split("\n\n")) <= 6


def test_an_actor_says_what_its_identity_holds_and_never_its_secret() -> None:
    replies = [answer(f"The bell rings {k} times.", index=k) for k in range(40)]
    assert any("I hate bells" in reply for reply in replies)
    assert not any(word in reply for reply in replies for word in ("cut the rope", "told nobody", "Secret"))


def test_an_actor_takes_up_what_was_told() -> None:
    assert "the lantern" in answer("Somebody has left the lantern.", index=2)


@pytest.mark.parametrize(
    ("prompt", "thing"),
    [
        ("A rope snaps above you.", "the rope"),
        (
            "You find chalk on the floor, Kara, and a wet footprint that leads behind the louvres.",
            "the footprint",
        ),
        ("A woman in a long coat steps out from behind the door.", "the woman"),
        ("The ladder gives way under you and the old iron bell begins to hum.", "the bell"),
        ("Wind comes up. The tide turns.", "the tide"),
        ("Go on.", ""),
    ],
)
def test_what_a_prompt_is_about_is_found(prompt: str, thing: str) -> None:
    assert read(prompt, "Kara", ("Kara", "Bo")).thing == thing


def test_an_actor_asked_about_its_secret_gives_nothing_away() -> None:
    replies = [answer("Kara, who cut the rope?", index=k) for k in range(20)]
    assert all(
        re.search(r"could not say|ask me something else|why should I|no idea", r, re.I) for r in replies
    )


def test_an_actor_asked_about_what_it_saw_tells_it() -> None:
    recent = told(("You find fresh chalk on the floor, Kara.", "I look."))
    assert "I found fresh chalk on the floor" in answer("Who brought the chalk?", recent=recent, index=2)


def test_an_actor_asked_in_the_first_turn_tells_what_everybody_knows() -> None:
    assert "The Lantern Guild sells light" in answer("Kara, who sells light up here?", lock=locked())


def test_an_actor_asked_about_itself_tells_what_it_wants_or_hates() -> None:
    assert "I am a diver who lost my brother" in answer("Kara, why have you come tonight?")
    ilse = "Kara, forty-one, a diver. She wants a boat of her own. Secret: her sister was sent to drown."
    assert "I want a boat of my own" in answer("Kara, who sent you here tonight?", identity=ilse)


def test_an_actor_remembers_what_has_to_do_with_what_is_told() -> None:
    recent = told(("The great bell hums in its frame.", "I listen."))
    replies = [answer("The bell hums again.", identity="", recent=recent, index=k) for k in range(2, 6)]
    assert all("great bell hummed in its frame" in reply for reply in replies)


def test_an_actor_does_not_repeat_what_was_said_lately_by_anybody() -> None:
    recent: tuple[Exchange, ...] = ()
    heard: list[str] = []
    for k in range(1, 8):
        heard.append(answer("The beam cracks.", identity="", recent=recent, index=k))
        recent = told(*(("The beam cracks.", reply) for reply in heard))
    assert len({reply[:40] for reply in heard}) == 7


@pytest.mark.parametrize(
    "prompt", ["?", "...", "鐘が鳴る。", "x" * 5_000, '{braces} and "quotes', "Agent 007!"]
)
def test_an_actor_has_an_answer_to_anything(prompt: str) -> None:
    assert answer(prompt, identity="").strip()


def test_the_same_view_gets_the_same_answer_and_the_next_prompt_another() -> None:
    first = answer("The bell rings.")
    assert answer("The bell rings.") == first
    recent = told(("The bell rings.", first))
    assert answer("The bell rings.", index=2, recent=recent) != first


def test_a_prompt_given_again_is_answered_otherwise() -> None:
    takes = {answer("The rope slips and the bell swings.", take=take) for take in range(1, 6)}
    assert len(takes) > 2


def test_a_lock_holds_what_was_written_once_and_nothing_else() -> None:
    made = locked()
    assert made["world"]["genre"] == "gothic adventure"
    assert made["world"]["rules_of_reality"] == ["No one may ring a bell after dusk."]
    assert made["world"]["factions_or_powers"] == ["The Lantern Guild sells light."]
    assert made["chapter"]["location"] == "The bell tower of Saint Aldous"
    assert made["chapter"]["open_mysteries"] == ["Who oiled the ropes?"]
    lists = [
        text
        for part in ("world", "chapter")
        for value in made[part].values()
        if isinstance(value, list)
        for text in value
    ]
    assert len(lists) == len(set(lists))
    assert all(text.rstrip(".…") in f"{WORLD} {SCENE}".replace("\n", " ") for text in lists)


def test_what_both_texts_say_is_stored_once_under_the_world() -> None:
    made = locked(world="The bell is cracked.", chapter="The bell is cracked. Rain falls.")
    assert made["world"]["key_lore"] == ["The bell is cracked."]
    assert "The bell is cracked." not in json.dumps(made["chapter"])


def test_an_unclear_tone_and_a_missing_text_are_assumptions() -> None:
    made = locked(world="", chapter="")
    assert any("tone" in line for line in made["assumptions"])
    assert any("world" in line for line in made["assumptions"])


def test_lines_broken_anywhere_are_read_as_sentences() -> None:
    made = locked(world="The water remembers\nwhat is said\nabove it.", chapter="")
    assert made["world"]["key_lore"] == ["The water remembers what is said above it."]


def test_a_delta_notes_facts_of_the_master_and_attempts_of_the_actors() -> None:
    made = noted(("The bell falls. It is broken.", "I try to catch the rope."))
    assert made["major_events"][0]["event"] == "The bell fell."
    assert made["character_actions"] == [
        {
            "agent_slot": 1,
            "name": "Kara",
            "did": "Kara tried to catch the rope.",
            "intent": "",
            "result": "attempted",
        }
    ]
    assert made["state_changes"][0]["after"] == "It was broken."


def test_a_delta_holds_only_what_is_new() -> None:
    memory = Memory(lock={}, deltas=({"major_events": [{"event": "The bell falls."}]},))
    made = json.dumps(noted(("The bell falls. Rain begins.", "I wait."), memory=memory))
    assert "bell" not in made and "Rain began." in made


def test_a_delta_leaves_out_dice_and_questions_to_the_player() -> None:
    made = noted(("Roll a d20. The beam cracks. What do you do?", "I hold on."))
    assert "d20" not in json.dumps(made) and "What do you do" not in json.dumps(made["major_events"])


def test_folded_notes_are_the_older_ones_as_one() -> None:
    blocks = tuple(
        {"major_events": [{"event": f"Event {k}."}], "canon_locks": ["The bell is cracked."]} for k in (1, 2)
    )
    made = json.loads(note(FoldView(cast=CAST, deltas=blocks)))
    assert [item["event"] for item in made["major_events"]] == ["Event 1.", "Event 2."]
    assert made["canon_locks"] == ["The bell is cracked."]


def test_a_chapter_tells_the_record_in_the_third_person_past() -> None:
    text = chapter(
        (
            "The bell rings twice. You find a key, Kara.",
            'I kneel beside the rope and try my luck. "Not yet," I say.',
        ),
        ("She hears Kara laugh. The floor cracks.", "I never look down."),
    )
    assert "The bell rang twice. Kara found a key." in text
    assert 'She knelt beside the rope and tried her luck. "Not yet," she said.' in text
    assert "The floor cracked." in text and "She never looked down." in text


def test_a_chapter_reads_like_one() -> None:
    cast = Cast(session_id="s", names={1: "Ilse Marrow", 2: "Old Wenna"})
    lock = {"chapter": {"environment": ["Ilse Marrow is here with her ropes."]}}
    exchanges = told(
        ("The rope slips under you, Ilse. It is yours.", "My hands are quick: I try to hold it."),
        ("A man steps out and says: I have waited for you.", "I kneel. It is true."),
        ("Did you know him, Ilse?", "“No,” I say."),
    )
    text = write(
        ChapterView(cast=cast, voice="", memory=Memory(lock=lock), corrections=(), exchanges=exchanges)
    )
    assert text.split("\n\n") == [
        "Ilse Marrow was here with her ropes.",
        "The rope slipped under Ilse. It was hers. Ilse's hands were quick: she tried to hold it.",
        "A man stepped out and said: “I have waited for you.” Ilse knelt. It was true.",
        "Did Ilse know him? “No,” Ilse said.",
    ]


@pytest.mark.parametrize(
    ("voice", "texts"),
    [
        (
            "First person, as Ilse, salty.",
            (
                "I was here with my ropes.",
                "The rope slipped under me. It was mine. My hands were quick: I tried to hold it.",
                "I slipped. I grabbed the beam, and Old Wenna's lamp went out behind me. Old Wenna looked at me.",
            ),
        ),
        (
            "In the first person, from Old Wenna's point of view.",
            (
                "Ilse Marrow was here with her ropes.",
                "The rope slipped under Ilse. It was hers. Ilse's hands were quick: she tried to hold it.",
                "Ilse slipped. She grabbed the beam, and my lamp went out behind Ilse. I looked at Ilse.",
            ),
        ),
        ("Never in the first person.", ("Ilse Marrow was here with her ropes.",)),
    ],
)
def test_d4_a_chapter_is_told_by_somebody_of_the_cast_if_the_voice_asks_for_the_first_person(
    voice: str, texts: tuple[str, ...]
) -> None:
    cast = Cast(session_id="s", names={1: "Ilse Marrow", 2: "Old Wenna"})
    record = told(
        ("The rope slips under you, Ilse. It is yours.", "My hands are quick: I try to hold it."),
        (
            "Ilse slips. She grabs the beam, and Old Wenna's lamp goes out behind Ilse.",
            "I look at Ilse. “Ilse, wait,” I say.",
        ),
    )
    reply = record[1].events[1].model_copy(update={"agent_slot": 2})
    record = exchanges([*record[0].events, record[1].events[0], reply])
    lock = {"chapter": {"environment": ["Ilse Marrow is here with her ropes."]}}
    made = write(
        ChapterView(cast=cast, voice=voice, memory=Memory(lock=lock), corrections=(), exchanges=record)
    )
    assert all(text in made for text in texts), made
    assert "“Ilse, wait,”" in made


def test_the_first_person_is_that_of_the_one_who_is_named_or_of_the_first() -> None:
    cast = ("Kara Voss", "Bo")
    assert teller_of("first-person, Bo tells Kara's story", cast) == "Bo"
    assert teller_of("Write it in the first person.", cast) == "Kara Voss"
    assert teller_of("Third person; no first person.", cast) == teller_of("", cast) == ""


def test_a_chapter_keeps_what_is_said_aloud_as_it_was_said() -> None:
    assert "“I am what I am,” Kara said." in chapter(("Rain.", "“I am what I am,” I say."))


def test_a_chapter_speaks_of_no_dice_prompts_or_agents() -> None:
    text = chapter(("Roll a d20 for balance. What do you do? The rope holds.", "I breathe."))
    assert text == "The rope held. Kara breathed."


def test_a_chapter_opens_with_place_and_premise_and_a_later_part_does_not() -> None:
    lock = {"chapter": {"premise": "The bell must come down.", "location": "the tower", "time": "midnight"}}
    first = chapter(("It rains.", "I wait."), lock=lock)
    assert first.startswith("The bell had to come down. It was midnight. The place was the tower.")
    assert "midnight" not in chapter(("It rains.", "I wait."), lock=lock, so_far="Before.")
