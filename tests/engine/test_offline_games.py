"""S2 and S8.6: the shipped packs, played offline from plain inputs to their end, on real saves."""

import subprocess
from pathlib import Path

import pytest

from tests.engine.conftest import settled
from tests.support.fake_model import Ticking
from tests.support.packs import shipped_pack
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import CharacterFinished, Event, NarrationFinished
from theact_tui.engine.open_sessions import create_session
from theact_tui.engine.session import StorySession
from theact_tui.models.model_for_agent import Offline
from theact_tui.saves.library import Library
from theact_tui.storyteller import Storyteller

PLAIN = (
    "I look around.", "Let us go on.", "What do you think?", "I wait and listen.",
    "I pick it up and look at it closely.", "Tell me about yourself.", "I try to climb over.",
)  # fmt: skip


async def begin(home: Path, pack: str, seed: int = 5) -> tuple[StorySession, list[Event]]:
    bus, events = Bus(Ticking()), list[Event]()
    bus.listen(events.append)
    session = await create_session(
        Library(home),
        shipped_pack(pack),
        "Game",
        "Alex",
        seed,
        lambda pack, seed: Offline(Storyteller(pack, seed)),
        bus,
        id="one",
    )
    return session, events


async def play(session: StorySession, lines: tuple[str, ...]) -> None:
    for line in lines:
        await settled(session, session.play(line))


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("pack", ["salt-road"])
async def test_a_pack_reaches_its_end_within_120_turns(pack: str, tmp_path: Path) -> None:
    session, events = await begin(tmp_path, pack)
    turns = 0
    while not session.game.state.game_complete:
        assert turns < 120
        await play(session, (PLAIN[turns % len(PLAIN)],))
        turns += 1
    game = session.game
    assert [past.chapter for past in game.state.chapter_history] == list(game.pack.game.chapters)
    decided = [turn.decisions for turn in await session.turns(1, game.state.turn) if turn.decisions]
    assert decided and not any(made.then for made in decided), "its script offers no choice where a page ends"
    assert len(game.recaps) == len(game.pack.game.chapters) and game.moments
    last = game.last_turn
    assert (
        last is not None
        and last.entries[-1].role == "system"
        and 120 <= len(last.entries[-1].text.split()) <= 230
    )
    assert game.state.pending == ()
    told = [event.text for event in events if isinstance(event, NarrationFinished)]
    told += [event.text for event in events if isinstance(event, CharacterFinished)]
    long = [part for text in told for part in text.split("\n\n") if len(part.split()) > 11]
    assert len(set(long)) == len(long), "nothing is told twice in the same words"
    assert "{" not in " ".join(told)
    for name in game.pack.characters:
        assert game.memories[name].summary
    await play(session, ("I go for a walk.",))
    await session.close()
    assert len(git(session.folder, "log", "--format=%h").splitlines()) == turns + 2
    assert git(session.folder, "fsck", "--strict") == ""
