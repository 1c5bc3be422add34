"""S12: looking at what is remembered and pinning it, by slash command."""

import json
from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, Stage, learnt, small_pack, stage
from theact_tui.engine.commands import run_command
from theact_tui.errors import CallError, UsageError
from theact_tui.story.edits import hold
from theact_tui.story.names import Names
from theact_tui.story.scene import whispered

FOUND = {
    "quote": "Water stands on the stair", "moment_type": "discovery", "moment_summary": "names on the stair",
    "moment_significance": 0.9,
}  # fmt: skip


async def test_a_line_is_pinned_by_the_number_that_memory_shows(play: Stage) -> None:
    await play.turn("I go down.")
    assert " 1. turn 1   The stair was dry once." in await play.said("/memory ann")
    assert "The stair was dry once.  (pinned)" in await play.said("/pin Ann Lee 1")
    assert play.game.memories["bob"].model_dump()["key_facts"][0]["pinned"] is False
    assert "(pinned)" not in await play.said("/unpin ann 1")


async def test_moments_are_listed_and_pinned_and_those_that_a_failed_call_missed_are_found_later(
    play: Stage,
) -> None:
    play.model.answers["keeper"] = CallError("timeout", "The model did not answer.")
    await play.said("/chapter end")
    await play.turn("I go down.")
    assert [work.agent for work in play.game.state.pending] == ["moment"]
    assert await play.said("/moments") == "No moments yet."
    await play.turn("I wait.", keeper=json.dumps(FOUND))
    assert play.game.state.pending == ()
    assert await play.said("/moments") == (
        "*  1. turn 1   discovery: names on the stair\n* included in the narrator's prompt"
    )
    assert "names on the stair  (pinned)" in await play.said("/pin moment 1")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("/pin", "A number is missing. Usage: /pin name n (n is the number in /memory or /moments)"),
        ("/pin ann", "A number is missing. Usage: /pin name n"),
        ("/pin 1", "Whose line 1? Name ann, bob or moment. Usage: /pin name n"),
        ("/pin ann 1", "There is no line yet."),
        ("/pin moment 1", "There is no moment yet."),
        pytest.param(
            f"/pin ann {'9' * 5_000}",
            "'9999999999999999999…' is not a number from 1 to",
            id="a number without end",
        ),
        ("/undo 0", "'0' is not a number from 1 to 999,999,999. Usage: /undo [n]"),
        ("/branch", "A name is missing. Usage: /branch title"),
        ("/pin cid 1", "There is no “cid” in this chapter. Characters: ann, bob."),
        ("/export", "Name a format: md, "),
        ("/export md all", "Name a format: md, "),
        ("/memory bobb", "There is no “bobb” in this chapter. Did you mean bob?"),
    ],
)
async def test_what_cannot_be_pinned_is_said(play: Stage, line: str, reason: str) -> None:
    with pytest.raises(UsageError) as refused:
        await play.said(line)
    assert str(refused.value).startswith(reason)


async def test_what_is_called_back_is_counted(play: Stage) -> None:
    for number in range(1, 13):
        await play.turn("I wait.", memory=learnt(f"Day {number} was grey."))
    assert "2 older lines, used again when the story mentions them." in await play.said("/memory ann")


async def test_a_book_has_the_player_s_lines_or_none(play: Stage) -> None:
    await play.turn("I go down the stair.")
    books = [(await run_command(play.session, f"/export md{lines}")).file for lines in ("", " you", " none")]
    assert ["I go down the stair." in book.read_text("utf-8") for book in books if book] == [
        True,
        True,
        False,
    ]


async def test_of_two_with_one_name_only_the_one_who_was_meant_hears_a_whisper(tmp_path: Path) -> None:
    pack = small_pack()
    cast = {id: card.model_copy(update={"name": "Bob"}) for id, card in pack.characters.items()}
    play = await stage(tmp_path, Scripted(), pack.model_copy(update={"characters": cast}))
    await play.said("/whisper ann the lamp: it is MARKED")
    await play.session.settle()
    (turn,) = play.game.turns.values()
    assert turn.player_text == "→ ann: the lamp: it is MARKED" and turn.witnesses == ("ann",)
    heard = whispered(turn.player_text, Names({"ann": "Bob", "bob": "Bob"}))
    assert heard and heard.hearers == ("ann",)


@pytest.mark.parametrize("line", ["/whisper", "/whisper bob", "/whisper nobody hello", "/whisper ann hello"])
async def test_a_whisper_needs_words_and_somebody_there(play: Stage, line: str) -> None:
    await play.session.edit(hold, ["ann"], here=False)
    with pytest.raises(UsageError):
        await play.said(line)
    assert play.game.state.turn == 0


async def test_keys_of_lore_are_kept_whole_and_as_many_as_an_entry_may_have(play: Stage) -> None:
    long = "the keeper of the lighthouse at the end of the world who never sleeps"
    await play.said(f"/lore add {long}, {', '.join(map(str, range(300)))}: He waits.")
    (entry,) = play.game.pack.lore_entries
    assert (entry.keys[0], len(entry.keys)) == (long, 200)


async def test_lore_that_was_just_added_is_listed(play: Stage) -> None:
    await play.turn("I ask about the bell.")
    await play.said("/lore add bell: It is cracked.")
    assert "bell: It is cracked.\n    added after this turn" in await play.said("/lore")
    await play.turn("I ring the bell.")
    listed = await play.said("/lore")
    assert "* bell: It is cracked." in listed and "added after" not in listed
