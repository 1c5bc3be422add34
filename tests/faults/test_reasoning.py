"""S8.4: what a model thinks is kept apart from the story, whatever way it arrives, for every agent."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.conftest import Save
from tests.support.fake_server import Exchange, ScriptedServer, chunk, stream
from tests.support.faulty_server import ENDING, TALK, Stand
from tests.support.faulty_sessions import Played, is_sound, playing
from theact_tui.engine.events import CharacterToken, NarrationToken
from theact_tui.errors import TurnError
from theact_tui.models.ledger import Ledger
from theact_tui.models.profiles import Profile
from theact_tui.saves.atomic import Folder
from theact_tui.story.turn import Turn

THOUGHT = "SECRETLY I would rather\n\n- write: [a list]\nresponding_characters: [bob]\n"


def split(text: str, size: int = 3) -> list[bytes]:
    """A text in chunks so small that every tag is split."""
    return [chunk(text[i : i + size]) for i in range(0, len(text), size)]


WAYS: dict[str, Callable[[str], list[bytes]]] = {
    "reasoning_content": lambda reply: [chunk(reasoning_content=THOUGHT), *split(reply)],
    "reasoning": lambda reply: [chunk(reasoning=THOUGHT), *split(reply)],
    "think tags": lambda reply: split(f"<think>\n{THOUGHT}</think>\n\n{reply}"),
    "thinking tags": lambda reply: split(f"<thinking>{THOUGHT}</thinking>{reply}"),
    "only the closing tag": lambda reply: split(f"{THOUGHT}</think>\n{reply}"),
}


class Thinker(Stand):
    """Thinks aloud before every reply."""

    way: Callable[[str], list[bytes]]

    async def __call__(self, exchange: Exchange) -> None:
        await stream(*self.way(self.answer(exchange.request)), chunk(None, "stop"))(exchange)


@pytest.mark.parametrize("way", WAYS)
async def test_no_thought_is_shown_stored_or_sent_again(way: str, save: Save) -> None:
    thinker = Thinker({"progress": ENDING})
    thinker.way = WAYS[way]
    folder = await save("recap")
    with ScriptedServer(thinker) as server:
        async with playing(folder, server, thinker) as play:
            for line in ("I go down.", "I go on.", "I stay."):
                assert isinstance(await play.turn(line), Turn)
            assert play.session.game.state.game_complete and play.session.game.state.pending == ()
            check_nothing_of_it(play, server, since=2 if way == "only the closing tag" else 1)
    assert is_sound(folder)
    assert "SECRETLY" not in "".join(text_of(file) for file in visible(folder))
    ledger = Ledger(Folder(folder / ".git" / "theact"))
    kept = [call for number in (1, 2, 3) for call in ledger.turn(number)]
    assert len(kept) > 12 and all("SECRETLY" in call.reasoning + call.reply for call in kept)


def check_nothing_of_it(play: Played, server: ScriptedServer, since: int) -> None:
    """No thought reached a reader, from turn `since` on, or a later prompt; the replies did. That a model begins in the
    middle of a thought is known from its first page on, of which the thought is taken back."""
    shown: list[NarrationToken | CharacterToken] = [*play.of(NarrationToken), *play.of(CharacterToken)]
    text = ""
    for event in shown:
        text = event.text if event.replace else text + event.text
        assert event.turn < since or ("SECRETLY" not in text and "think>" not in text)
    game = play.session.game
    assert game.turns[3].narration == "The lamp gutters. Water stands on the stair."
    assert "SECRETLY" not in repr((game.turns, game.memories, game.recaps, game.state))
    assert all("SECRETLY" not in call.prompt for call in server.calls)


def visible(folder: Path) -> list[Path]:
    """The files of a save that git keeps."""
    return [file for file in folder.rglob("*") if file.is_file() and ".git" not in file.parts]


def text_of(file: Path) -> str:
    return file.read_text("utf-8")


async def test_a_model_that_never_stops_thinking_costs_the_turn_and_says_why(
    save: Save, server: ScriptedServer, stand: Stand
) -> None:
    async with playing(await save("narrator"), server, stand) as play:
        stand.fail("narrator", lambda reply: stream(*split("<think>" + THOUGHT * 4), chunk(None, "length")))
        outcome = await play.turn("I go down.")
        assert isinstance(outcome, TurnError) and "reasoning tokens" in outcome.message
        stand.fail("", None)
        assert isinstance(await play.turn("I go down."), Turn)


async def test_room_for_thought_is_added_to_the_allowance_and_kept_free(
    save: Save, server: ScriptedServer, stand: Stand
) -> None:
    profile = Profile(base_url=server.url, model="tiny", reasoning_tokens=1500)
    stand.answers |= TALK
    async with playing(await save("narrator"), server, stand, profile=profile) as play:
        assert isinstance(await play.turn("I go down."), Turn)
        allowed = {call.agent: call.body["max_tokens"] for call in server.calls}
        assert (allowed["narrator"], allowed["character:ann"], allowed["progress"]) == (1975, 1800, 1750)
        assert play.session.window == 8192 - 1500
