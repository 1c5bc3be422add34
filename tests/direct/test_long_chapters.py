"""Long chapters (D3, D7, D8, D9): chunks, folding, pieces, parts, and never a prompt over the context."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.direct.conftest import Table, delta
from tests.support import fake_model
from tests.support.fake_server import Request, ScriptedServer, Step, say, usage_of
from theact_tui.story.direct.state import set_chapter_text, set_identity, set_voice, set_world
from theact_tui.text import words

WINDOW = 8192


def long_delta(request: Request) -> str:
    """Notes as long as a reply may be: some 800 tokens."""
    mark = len(request.prompt)
    events = [
        {"event": f"Event {mark}-{n} came to pass.", "cause": fake_model.prose(60 + n),
         "effect": fake_model.prose(30 + n), "participants": ["Kara", "Bo"]}
        for n in range(15)
    ]  # fmt: skip
    return json.dumps({"major_events": events, "canon_locks": [f"Canon of {mark}."]})


def told(text: Callable[[Request], str]) -> Step:
    """A long reply in long pieces: how it is cut is not what these tests are about."""
    return say(text, size=200)


def fill_up(table: Table, session: Any, agents: int) -> None:
    session.edit(set_world, "The water remembers what is said above it. " * 110)
    session.edit(set_chapter_text, "The bell must come down before the tide turns. " * 100)
    for slot in range(1, agents + 1):
        session.edit(set_identity, slot, f"identity-{slot} is patient and afraid of bells. " * 100)


def prose(sentences: int, of: str = "") -> str:
    things = "rope stair lamp louvre hinge beam clapper barge ledger plank tide".split()
    verbs = ("creaks", "waits", "drips", "leans", "shines", "sinks", "turns")
    return " ".join(
        f"{of}The {things[n % 11]} number {n} {verbs[n % 7]} in the dark tower." for n in range(sentences)
    )


def sizes(table: Table) -> list[int]:
    """Tokens of every request as its server counts them, prompt and allowance together."""
    return [usage_of(call, "")["prompt_tokens"] + call.body["max_tokens"] for call in table.server.calls]


async def test_d8_folding_is_for_prompts_only_and_the_log_keeps_every_block(
    table: Table, server: ScriptedServer
) -> None:
    """45 prompts of three agents, none of which makes a prompt over the context."""
    table.window = 6144
    server.script("delta", told(long_delta))
    server.script("actor", told(lambda request: prose(8)))
    session = await table.create(3)
    fill_up(table, session, 3)
    await session.lock()
    for number in range(1, 46):
        await session.prompt(session.game.focus, f"Scene {number}. The water climbs another step. " * 6)
    folds = table.calls("delta:fold")
    assert folds and session.game.folded is not None and "memory_folded" in table.types()
    assert [b.to_prompt_index for b in session.game.blocks] == [0, 7, 14, 21, 28, 35, 42]
    assert session.game.folded.payload["range"]["from_marker"] == 1
    newest = table.calls("actor")[-1].prompt
    assert "identity-3 is patient" in newest and "gothic adventure" in newest
    assert newest.count("Scene 45.") == 6, "the new prompt is there once"
    await session.close()
    made = len(table.server.calls)
    again = await table.reopen()
    assert again.game.folded == session.game.folded
    await table.play(again, 1)
    assert len(table.calls("delta:fold")) == len(folds) and len(table.server.calls) == made + 1
    await again.end()
    assert max(sizes(table)) <= 6144


async def test_d8_an_actor_loses_its_oldest_exchanges_first(table: Table, server: ScriptedServer) -> None:
    server.script("actor", told(lambda request: prose(30)))
    session = await table.create(1)
    fill_up(table, session, 1)
    await session.lock()
    for number in range(1, 7):
        await session.prompt(1, f"Scene-{number} begins. " + "The stairs are wet and narrow. " * 120)
    await session.prompt(1, "Scene-7 begins.")
    newest = table.calls("actor")[-1].prompt
    kept = [number for number in range(1, 7) if f"Scene-{number} begins." in newest]
    assert 0 < len(kept) < 6 and kept == list(range(kept[0], 7))
    assert (
        "identity-1 is patient" in newest and "No bell after dusk." in newest and "Scene-7 begins." in newest
    )
    assert max(sizes(table)) <= WINDOW


async def test_d8_a_long_chunk_is_noted_down_in_pieces_and_stored_as_one_block(
    table: Table, server: ScriptedServer
) -> None:
    seen: list[str] = []

    def note(request: Request) -> str:
        seen.append(request.prompt)
        return delta(f"Piece {len(seen)}.")

    server.script("delta", say(note))
    session = await table.locked(1)
    for number in range(1, 8):
        await session.prompt(1, f"Scene-{number} begins. " + "The stairs are wet and narrow. " * 155)
    assert len(seen) > 1 and max(sizes(table)) <= WINDOW
    block = session.game.blocks[-1]
    assert (block.from_prompt_index, block.to_prompt_index) == (1, 7) and len(session.game.blocks) == 2
    events = [event["event"] for event in block.json_payload["major_events"]]
    assert events == [f"Piece {n}." for n in range(1, len(seen) + 1)]
    together = "\n".join(seen)
    assert all(f"Scene-{number} begins." in together for number in range(1, 8))
    assert together.count("The stairs are wet and narrow.") == 7 * 155, (
        "nothing is left out and nothing told twice"
    )


async def test_d8_a_single_exchange_too_long_for_the_context_is_divided_too(
    table: Table, server: ScriptedServer
) -> None:
    table.window = 4096
    session = await table.locked(1)
    await session.prompt(1, "水は石段を登ってくる。" * 180)
    await session.end()
    assert session.session.state == "ENDED"
    assert len(table.calls("delta")) > 1 and max(sizes(table)) <= 4096


async def test_d9_what_cannot_fit_at_all_is_refused_and_changes_nothing(table: Table) -> None:
    from theact_tui.errors import TurnError

    table.window = 2048
    session = await table.create(1)
    session.edit(set_identity, 1, "long " * 990)
    await session.lock()
    with pytest.raises(TurnError, match="the model has room for 1,728"):
        await session.prompt(1, "word " * 990)
    assert session.session.prompt_index == 0


async def test_d4_a_chapter_of_about_5000_words_is_built_in_parts(
    table: Table, server: ScriptedServer
) -> None:
    parts: list[str] = []

    def write(request: Request) -> str:
        parts.append(request.prompt)
        asked = re.findall(r"about (\d+) words", request.prompt)
        return prose(int(asked[-1]) // 11, of=f"Part {len(parts)}: ")

    server.script("chapter", told(write))
    server.script("actor", told(lambda request: prose(20)))
    session = await table.create(3)
    await session.lock()
    for number in range(1, 24):
        await session.prompt(
            session.game.focus, f"Scene-{number} begins. " + "The water climbs another step. " * 12
        )
    await session.end()
    session.edit(set_voice, "VOICE: plain and salty.")
    draft = await session.build()
    assert len(parts) >= 4 and 4_500 <= words(draft.chapter_text) <= 5_500
    assert max(sizes(table)) <= WINDOW
    assert all("VOICE: plain and salty." in prompt and "No bell after dusk." in prompt for prompt in parts)
    together = "\n".join(parts)
    assert all(f"Scene-{number} begins." in together for number in range(1, 24)), "the full log is told"
    assert "ends like this" not in parts[0]
    assert all("Part" in prompt.split("ends like this:")[1] for prompt in parts[1:]), (
        "each part sees the tail"
    )
    assert draft.chapter_text.startswith("Part 1: ") and draft.chapter_text.endswith("tower.")


async def test_d4_a_part_that_breaks_off_goes_on_from_its_last_whole_sentence(
    table: Table, server: ScriptedServer
) -> None:
    server.script(
        "chapter",
        say("The bell came down. It rained. Nobody said any", finish="length"),
        say("Nobody said anything. They rowed home."),
    )
    session = await table.locked(1)
    await table.play(session, 2)
    await session.end()
    draft = await session.build()
    assert draft.chapter_text == "The bell came down. It rained.\n\nNobody said anything. They rowed home."


async def test_d6_play_never_stops_at_60000_characters(table: Table, server: ScriptedServer) -> None:
    """Reopened, the session shows the same window and reaches the whole log."""
    server.script("actor", told(lambda request: prose(40)))
    session = await table.locked(1)
    for _ in range(22):
        await session.prompt(1, "The water rises and rises. " * 180)
    shown, log = session.transcript, await session.events()
    assert shown.length <= 60_000 and shown.is_cut and len(log) == 44
    await session.close()
    again = await table.reopen()
    assert len(again.game.events) < len(log), "what is outside the window stays in the save"
    assert again.transcript == shown and await again.events() == log
