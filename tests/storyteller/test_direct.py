"""The offline storyteller in direct mode: every part follows from what it was given."""

import json
from typing import Any

import pytest

from theact_tui.engine.direct.example import example
from theact_tui.story.direct.log import Exchange, exchanges
from theact_tui.story.direct.records import LogEvent, SessionRecord
from theact_tui.story.direct.views import ActorView, ChapterView, DeltaView, LockView, StructuredMemory
from theact_tui.storyteller.direct import act, chapter_reply, lock_reply, note
from theact_tui.storyteller.stock import direct_stock

CAST = SessionRecord(session_id="s", agent_names={1: "Kara", 2: "Bo"}, selected_agent_slots=(1, 2))
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
        events.append(LogEvent(event_id=f"p{k}", role="user", text=prompt, sequence=2 * k, **common))
        events.append(
            LogEvent(event_id=f"r{k}", role="agent", agent_slot=1, text=reply, sequence=2 * k + 1, **common)
        )
    return exchanges(events)


def answer(
    prompt: str,
    identity: str = KARA,
    index: int = 1,
    recent: tuple[Exchange, ...] = (),
    said: tuple[str, ...] = (),
    lock: dict[str, Any] | None = None,
    take: int = 1,
) -> str:
    return act(
        ActorView(
            cast=CAST,
            slot=1,
            identity=identity,
            memory=StructuredMemory(lock=lock or {}),
            recent=recent,
            said=said,
            prompt=prompt,
            index=index,
            take=take,
        )
    )


def locked(world: str = WORLD, chapter: str = SCENE) -> Any:
    return json.loads(lock_reply(LockView(cast=CAST, world=world, chapter=chapter)))


def noted(*pairs: tuple[str, str], memory: StructuredMemory | None = None) -> Any:
    view = DeltaView(
        cast=CAST,
        memory=memory or StructuredMemory(lock={}),
        first=1,
        last=len(pairs),
        exchanges=told(*pairs),
    )
    return json.loads(note(view))


def chapter(*pairs: tuple[str, str], lock: dict[str, Any] | None = None, so_far: str = "") -> str:
    memory = StructuredMemory(lock=lock or {})
    return chapter_reply(
        ChapterView(cast=CAST, voice="", memory=memory, corrections=(), exchanges=told(*pairs), so_far=so_far)
    )


def test_pages_without_anything_to_note_are_noted_by_their_first_words() -> None:
    assert noted(("Well.", "No.")).get("major_events")[0]["event"] == "Well."


def test_whom_a_prompt_is_for_is_no_part_of_a_chapter() -> None:
    told = chapter(("→ all: The belt hangs loose.", "→ Bo: I saw it fall."))
    assert "The belt hangs loose." in told and "I saw it fall." in told and "→" not in told


def test_an_actor_speaks_in_the_first_person_and_only_attempts() -> None:
    reply = answer("The bell rings twice.")
    assert "I " in reply and "Kara" not in reply and len(reply.split("\n\n")) <= 3


def test_no_word_of_a_prompt_is_put_into_a_plain_answer() -> None:
    for k in range(1, 20):
        reply = answer("The zebra attacks the wombat, who finds a quokka. Who sent the quokka?", index=k)
        assert not any(word in reply for word in ("zebra", "wombat", "quokka"))


def test_an_actor_may_say_what_its_identity_says_as_i_and_never_a_secret() -> None:
    identity = "I hate bells. I dive for a living.\n\nSecret: I cut the rope that held him."
    replies = [answer(f"The bell rings {k} times.", identity, index=k) for k in range(40)]
    assert any("“I hate bells.”" in reply for reply in replies)
    assert not any("cut the rope" in reply for reply in replies)


@pytest.mark.parametrize(
    ("prompt", "mood"),
    [
        ("The floor collapses under you!", "danger"), ("You find a footprint behind the louvres.", "find"),
        ("A woman in a long coat steps out.", "person"), ("It is quiet. Snow falls.", "quiet"),
        ("Who brought the chalk?", "asked"), ("The tide turns.", "any"),
    ],
)  # fmt: skip
def test_plain_answers_fit_what_was_told(prompt: str, mood: str) -> None:
    assert answer(prompt, identity="") in direct_stock().plain[mood]


def test_an_actor_does_not_repeat_what_was_said_lately_by_anybody() -> None:
    recent: tuple[Exchange, ...] = ()
    heard: list[str] = []
    for k in range(1, 8):
        heard.append(answer("The beam cracks.", identity="", recent=recent, index=k))
        recent = told(*(("The beam cracks.", reply) for reply in heard))
    assert len({reply[:40] for reply in heard}) == 7


def test_the_actors_of_the_example_have_lines_of_their_own_for_many_prompts() -> None:
    setup = example().setup
    for slot, agent in enumerate(setup.agents[:3], 1):
        cast = SessionRecord(session_id="s", agent_names={slot: agent.name})
        replies: list[str] = []
        for k, prompt in enumerate(
            ("The rope slips.", "Whose name is on the clapper?", "Go on.", "Water rises.") * 3
        ):
            recent = told(*(("x", reply) for reply in replies))
            view = ActorView(
                cast=cast,
                slot=slot,
                identity=agent.identity,
                memory=StructuredMemory(lock={}),
                recent=recent,
                prompt=prompt,
                index=k,
            )
            replies.append(act(view))
        written = direct_stock().actors[agent.name]
        own = {*written.any, *written.asked, *(line for part in written.parts for line in part.lines)}
        assert set(replies) <= own and len(set(replies)) == 12
        secret = agent.identity.split("Secret: ")[1].split(".")[0]
        assert not any(secret in reply for reply in replies)


@pytest.mark.parametrize(
    "prompt", ["?", "...", "鐘が鳴る。", "x" * 5_000, '{braces} and "quotes', "Agent 007!"]
)
def test_an_actor_has_an_answer_to_anything(prompt: str) -> None:
    assert answer(prompt, identity="").strip()


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


def test_a_delta_notes_facts_of_the_master_and_attempts_of_the_actors() -> None:
    made = noted(("The bell falls. It is broken.", "I try to catch the rope."))
    assert made["major_events"][0]["event"] == "The bell falls."
    assert made["character_actions"] == [
        {
            "agent_slot": 1,
            "name": "Kara",
            "did": "I try to catch the rope.",
            "intent": "",
            "result": "attempted",
        }
    ]
    assert made["state_changes"][0]["after"] == "It is broken."


def test_a_delta_holds_only_what_is_new() -> None:
    memory = StructuredMemory(lock={}, deltas=({"major_events": [{"event": "The bell falls."}]},))
    made = json.dumps(noted(("The bell falls. Rain begins.", "I wait."), memory=memory))
    assert "bell" not in made and "Rain begins." in made


def test_d4_offline_a_chapter_is_prose_with_the_speakers_names_above_their_words() -> None:
    text = chapter(
        ("The bell rings twice. You find a key, Kara.", 'I kneel. "Not yet," I say.\n\nI wait.'),
        ("She hears Kara laugh.", "I never look down."),
    )
    assert text.split("\n\n") == [
        "The bell rings twice. You find a key, Kara.",
        "Kara",
        'I kneel. "Not yet," I say.',
        "I wait.",
        "She hears Kara laugh.",
        "Kara",
        "I never look down.",
    ]


@pytest.mark.parametrize(
    "order",
    [
        "Do nothing at all.", "Kara, climb the ladder.", "Now look down, please.", "Don't move!", "What do you do?",
        "Bo, who is there?", "Roll a d20 for balance.", "Be careful.", "Tell me what you see.",
    ],
)  # fmt: skip
def test_d4_offline_a_chapter_leaves_out_orders_and_questions_of_the_master(order: str) -> None:
    text = chapter((f"{order} The rope holds.", "I breathe."))
    assert text.startswith("The rope holds.\n\n") and order not in text
    assert noted((f"{order} The rope holds.", "I breathe."))["major_events"][0]["event"] == "The rope holds."


@pytest.mark.parametrize(
    "told", ["Light falls on the bell.", "Snow falls.", "The others look down.", "Kara, the rope slips."]
)
def test_d4_offline_a_chapter_keeps_what_happens(told: str) -> None:
    assert chapter((told, "I breathe.")).startswith(f"{told}\n\n")


def test_d4_offline_a_chapter_of_orders_alone_is_what_was_answered() -> None:
    assert chapter(("Go on.", "I breathe.")) == "Kara\n\nI breathe."
