"""What each agent is given and told (D7): in this order, and nothing else."""

import json
import string

import pytest

from tests.direct.conftest import Table, delta
from tests.support.fake_server import Request, ScriptedServer, say
from theact_tui.agents.direct import pages
from theact_tui.agents.prompts import DIRECT_TEMPLATES
from theact_tui.prompting.tokens import Tokens
from theact_tui.story.direct.blocks import DELTA_FORM, FORMS, notes_text
from theact_tui.story.direct.log import Exchange
from theact_tui.story.direct.records import LogEvent, SessionRecord
from theact_tui.story.direct.state import set_identity, set_voice


def order(request: Request, *parts: str) -> None:
    """Every part is in the prompt, in this order."""
    prompt = request.prompt
    places = [prompt.find(part) for part in parts]
    assert -1 not in places, [part for part, place in zip(parts, places, strict=True) if place < 0]
    assert places == sorted(places)


async def test_d7_the_lock_is_given_world_chapter_number_and_names_but_no_identity(table: Table) -> None:
    await table.locked()
    (call,) = table.calls("lock")
    order(
        call,
        DIRECT_TEMPLATES["lock"][:60],
        "A drowned city.",
        "tower of Saint Aldous",
        "WHO PLAYS (3)",
        "1. Kara",
        "2. Bo",
        "3. Wenna",
    )
    assert "identity-" not in call.prompt


async def test_d7_an_actor_is_given_system_identity_memory_seven_prompts_and_the_new_one(
    table: Table,
) -> None:
    session = await table.played(9)
    await session.prompt(1, "NEW-PROMPT")
    call = table.calls("actor")[-1]
    order(
        call,
        DIRECT_TEMPLATES["actor"][:60],
        "identity-1",
        "gothic adventure",
        "No bell after dusk.",
        "The bell moved.",
        "> Narrator (to Wenna): Scene 3.",
        "Wenna: I try.",
        "> Narrator (to Wenna): Scene 9.",
        "NEW-PROMPT",
    )
    assert "Scene 2." not in call.prompt and call.prompt.count("NEW-PROMPT") == 1
    assert all(f": Scene {number}." in call.prompt for number in range(3, 10)), "across the boundary"


async def test_d7_no_actor_ever_sees_the_identity_of_another_and_the_program_never_plays_game_master(
    table: Table,
) -> None:
    session = await table.create(7)
    for slot in range(1, 8):
        session.edit(set_identity, slot, f"nonce-{slot}-nonce has a secret.")
    await session.lock()
    await table.play(session, 8)
    await session.end()
    await session.build()
    for call in table.server.calls:
        own = call.agent.partition(":")[2]
        for slot in range(1, 8):
            assert (f"nonce-{slot}-nonce" in call.prompt) is (str(slot) == own), (call.agent, slot)
    agents = {call.agent.partition(":")[0] for call in table.server.calls}
    assert agents == {"lock", "actor", "delta", "chapter"}
    assert all(event.role != "user" or event.text.startswith("Scene ") for event in session.game.events)


async def test_d7_the_delta_is_given_memory_and_what_follows_the_boundary(table: Table) -> None:
    """What is noted later is told to actors as what may correct the notes before."""
    session = await table.played(14)
    call = table.calls("delta")[-1]
    order(
        call,
        DIRECT_TEMPLATES["delta"][:60],
        "gothic adventure",
        "The bell moved.",
        "8) (to Bo) Scene 8.",
        "Bo: I try.",
        "14) (to Bo) Scene 14.",
    )
    assert "Scene 7." not in call.prompt
    await session.prompt(1, "NEW-PROMPT")
    order(
        table.calls("actor")[-1],
        "AS THE CHAPTER BEGAN",
        "WHAT HAPPENED SINCE\nmajor events:\n- The bell moved.",
        "LATER, AND TRUE WHERE IT DIFFERS FROM THE ABOVE\nmajor events:\n- The bell moved.",
        "WHAT WAS JUST PLAYED",
    )


async def test_d7_the_chapter_is_given_the_writer_the_full_log_and_the_memory(
    table: Table, server: ScriptedServer
) -> None:
    session = await table.ended(9)
    session.edit(set_voice, "VOICE: briny.")
    await session.build()
    (call,) = table.calls("chapter")
    order(
        call,
        DIRECT_TEMPLATES["chapter"][:60],
        "VOICE: briny.",
        "> Narrator (to Kara): Scene 1.",
        "Kara: I try.",
        "> Narrator (to Wenna): Scene 9.",
        "gothic adventure",
        "The bell moved.",
        "Write the whole chapter now",
    )


async def test_d7_later_blocks_correct_earlier_parts_of_the_chapter(
    table: Table, server: ScriptedServer
) -> None:
    def note(request: Request) -> str:
        later = "\n8) " in request.prompt
        return '{"canon_locks": ["' + ("No: the lamp is Wenna's." if later else "The lamp is Bo's.") + '"]}'

    server.script("delta", say(note))
    session = await table.locked(1)
    for _ in range(9):
        await session.prompt(1, "The water rises and rises. " * 180)
    await session.end()
    await session.build()
    first = table.calls("chapter")[0].prompt
    assert "TRUE LATER ON\n- No: the lamp is Wenna's." in first


@pytest.mark.parametrize("agent", sorted(DIRECT_TEMPLATES))
def test_s6_templates_are_short_and_hold_no_stray_braces(agent: str) -> None:
    assert Tokens().count(DIRECT_TEMPLATES[agent]) < 300
    fields = {name for _, name, _, _ in string.Formatter().parse(DIRECT_TEMPLATES[agent]) if name is not None}
    filled = DIRECT_TEMPLATES[agent].format_map(dict.fromkeys(fields, "x"))
    assert "{" not in filled and "}" not in filled


async def test_d4_the_system_prompts_of_lock_and_delta_are_the_same_for_every_session(table: Table) -> None:
    await table.played(7)
    for agent, form in FORMS.items():
        system = table.calls(agent)[0].body["messages"][0]
        assert system == {
            "role": "system",
            "content": DIRECT_TEMPLATES[agent].format(skeleton=json.dumps(form)),
        }


def test_d7_a_piece_of_a_prompt_without_its_reply_names_nobody() -> None:
    asked = LogEvent(
        event_id="e", session_id="s", prompt_index=1, role="user", text="It rains.", created_at="", sequence=1
    )
    cast, piece = SessionRecord(session_id="s", agent_names={1: "Kara"}), (Exchange(1, asked, ()),)
    assert (
        pages(piece, cast) == "> Narrator: It rains." and pages(piece, cast, numbered=True) == "1) It rains."
    )


def test_d7_notes_read_as_short_lines_without_what_is_empty() -> None:
    payload = {
        "memory_type": "turn_delta",
        "range": {"from_marker": 1, "to_marker": 7, "prompt_count_in_chunk": 7},
        "location_updates": {"where": "the quay", "notable_environment_changes": []},
        "major_events": [
            {"event": "The gate falls.", "cause": "rust", "effect": "", "participants": ["Bo", "Kara"]}
        ],
        "canon_locks": [],
    }
    assert notes_text(payload) == (
        "LOCATION UPDATES\nwhere: the quay\nmajor events:\n- The gate falls.; cause: rust; participants: Bo, Kara"
    )


async def test_d8_a_delta_that_echoes_the_empty_object_is_a_failed_call(
    table: Table, server: ScriptedServer
) -> None:
    session = await table.locked()
    server.script("delta", say(json.dumps(DELTA_FORM)))
    await table.play(session, 7)
    assert session.session.last_summarized_prompt_index == 0 and session.banner
    server.script("delta", say(f"Here you are:\n```json\n{delta()[:-1]}\n```"))
    await table.play(session, 1)
    assert session.session.last_summarized_prompt_index == 7 and session.banner == ""
    assert session.game.blocks[-1].json_payload["major_events"][0]["event"] == "The bell moved."
