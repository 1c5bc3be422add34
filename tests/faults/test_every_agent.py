"""Every failure of S8.3 on every agent of play mode: no lost input, no damaged save, and the next turn works."""

import re
import socket
from typing import Any

import pytest

from tests.faults.cases import FAULTS, NOWHERE, QUICK, Fault
from tests.faults.conftest import Save
from tests.support.fake_server import ScriptedServer
from tests.support.faulty_server import Stand
from tests.support.faulty_sessions import SCENES, Played, Scene, is_sound, playing
from theact_tui.engine.events import MemoryFailed, Notice, TurnFailed
from theact_tui.errors import TurnError
from theact_tui.models.profiles import Profile
from theact_tui.story.game import Game
from theact_tui.story.turn import Turn

LINE = "I hold the lamp over the stair."
WAITING = {
    "facts": "memory", "cell": "memory", "merge": "memory", "progress": "progress", "keeper after": "moment",
    "recap": "recap", "epilogue": "epilogue",
}  # fmt: skip
"""What is pending after an agent failed."""


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """One name is found by nobody, without asking the network."""
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, *rest: Any, **more: Any) -> Any:
        if host in (NOWHERE, NOWHERE.encode()):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def goes_on(name: str, fault: str) -> bool:
    """True for a seventh of all pairs, in which every agent and every fault comes up: what the next turn finds depends
    on what is missing, and on what the client keeps of the fault."""
    return (list(SCENES).index(name) + list(FAULTS).index(fault)) % 7 == 0


PAIRS = [(name, fault) for name in SCENES for fault in FAULTS if name == "narrator" or goes_on(name, fault)]
"""The narrator's call costs the turn, so it fails in every way."""


@pytest.mark.parametrize(("name", "fault"), PAIRS)
async def test_a_server_that_fails_one_agent(
    name: str, fault: str, save: Save, server: ScriptedServer, stand: Stand
) -> None:
    scene, wrong = SCENES[name], FAULTS[fault]
    stand.answers |= scene.answers
    folder, own = await save(name), own_profile(scene, wrong, server)
    async with playing(folder, server, stand, agents=own, probes=False) as play:
        before = play.session.game
        stand.fail(scene.agent, wrong.step)
        outcome = await play.turn(LINE)
        check_failed(name, play, before, outcome, wrong)
        stand.fail("", None)
        if goes_on(name, fault) and not own:
            await check_next_turn(play)
    if not goes_on(name, fault):
        return
    if own:
        async with playing(folder, server, stand, probes=False) as play:
            await check_next_turn(play)
    assert is_sound(folder)


def own_profile(scene: Scene, wrong: Fault, server: ScriptedServer) -> dict[str, Profile]:
    """Another address, or less patience, for the agent that fails."""
    if not wrong.address and not wrong.quick:
        return {}
    url = wrong.address(server) if wrong.address else server.url
    profile = Profile(base_url=url, model="tiny", timeout=QUICK if wrong.quick else 30)
    return {scene.key: profile}


def check_failed(name: str, play: Played, before: Game, outcome: Turn | TurnError, wrong: Fault) -> None:
    """A failure has its due consequence and no other, and says what to do."""
    after, said = play.session.game, [event.text for event in play.of(Notice)]
    assert all(event.level != "error" for event in play.of(Notice)), said
    assert play.session.phase == "idle"
    if isinstance(outcome, TurnError):
        assert name == "narrator"
        assert after == before
        assert [event.text for event in play.of(TurnFailed)] == [LINE]
        said = [outcome.message]
    else:
        assert not (wrong.fails and name == "narrator")
        assert after.state.turn == before.state.turn + 1 and outcome.player_text == LINE
        waiting = [work.agent for work in after.state.pending]
        assert waiting == [WAITING[name]] if wrong.fails and name in WAITING else len(waiting) <= 1
        said += [event.reason for event in play.of(MemoryFailed)]
    if wrong.fails:
        check_consequence(name, before, after)
        assert any(re.search(wrong.says, text) for text in said), said
        assert name != "character" or any(
            text.startswith("No reply from Ann Lee this turn.") for text in said
        )
    for text in said:
        assert text.endswith((".", ".)")) and "\n" not in text and "Traceback" not in text


def check_consequence(name: str, before: Game, after: Game) -> None:
    """What is missing after an agent failed, and that nothing else is."""
    turn = after.last_turn
    match name:
        case "character":
            assert turn and [e.character for e in turn.entries if e.role == "character"] == ["bob"]
        case "facts" | "cell" | "merge":
            assert after.memories["ann"] == before.memories["ann"]
        case "keeper before":
            assert turn and turn.ruling is None
        case "stage":
            assert (
                turn and turn.stage and turn.stage.by == "pending" and turn.stage.here == before.state.present
            )
        case "keeper after":
            assert after.state.chapter == "two" and after.moments == () and after.recaps
        case "summary":
            assert after.state.last_summarized_turn == 0 and after.state.rolling_summary == ""
        case "recap":
            assert after.state.chapter == "two" and after.recaps == ()
        case "epilogue":
            assert after.state.game_complete and turn and turn.entries[-1].role != "system"


async def check_next_turn(play: Played) -> None:
    """With the server healthy again a turn is played and everything that waited is done."""
    before = play.session.game.state.turn
    outcome = await play.turn("I go on.")
    assert isinstance(outcome, Turn), outcome
    state = play.session.game.state
    assert state.turn == before + 1 and state.pending == ()
