"""What the footer offers works, and a key or letter that can do nothing now says why, in every state of a session."""

import ast
import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from textual.actions import parse
from textual.selection import SELECT_ALL
from textual.widgets import OptionList

import theact_tui.tui
from tests.support.branches_pilot import climbing
from tests.support.direct_pilot import Master
from tests.support.fake_model import Scripted
from tests.support.games import new_game
from tests.support.pilot import Hands, Player, at_home, make_app, new_session, opens, still, until
from theact_tui.engine.bus import Bus
from theact_tui.engine.open_sessions import open_session
from theact_tui.saves.library import Library
from theact_tui.tui.actions import Action
from theact_tui.tui.branches.keys import TREE_ACTIONS
from theact_tui.tui.branches.screen import BranchesScreen
from theact_tui.tui.home.keys import HOME_ACTIONS
from theact_tui.tui.home.screen import HomeScreen
from theact_tui.tui.inspector.keys import INSPECTOR_ACTIONS
from theact_tui.tui.inspector.screen import InspectorScreen
from theact_tui.tui.widgets.base_screen import BaseScreen
from theact_tui.tui.widgets.footer import Footer
from theact_tui.tui.widgets.status_line import StatusLine

AWAY = {"home", "next_chapter", "stop", "quit"}
"""Actions that leave, or end the state that is tried."""


def possible(screen: BaseScreen[Any], act: Action) -> bool:
    name, parameters = parse(act.action)[1:]
    return bool(screen.check_action(name, parameters))


PRESSED = 3
"""Actions of a state whose keys are pressed, too."""


async def silent(hands: Hands[Any], acts: tuple[Action, ...]) -> list[str]:
    """Actions that cannot be done now and of which nothing says why. A box has enter for itself."""
    screen = hands.screen
    assert isinstance(screen, BaseScreen)
    status = screen.query_one(StatusLine)
    working = {act.key for act in acts if possible(screen, act)}
    idle = [act for act in acts if not possible(screen, act) and act.key not in ("enter", "escape")]
    found = [act.id for act in idle if not (act.refusal or screen.why_not(*parse(act.action)[1:]))]
    for act in idle[:PRESSED]:
        ways = [["ctrl+g", act.letter]] * bool(act.letter) + [[act.key.split(",")[0]]] * (
            bool(act.key) and act.key not in working
        )
        for way in ways:
            status.hint = status.warning = ""
            await hands.press(*way)
            assert hands.app.screen is screen
            if not status.left.plain or status.left.plain not in (status.hint, status.warning):
                found.append(f"{act.id} {way} {screen.why_not(*parse(act.action)[1:])}")
    return found


def refusal(hands: Hands[Any]) -> str:
    """What the screen says against the last key."""
    status = hands.screen.query_one(StatusLine)
    return status.warning or str(getattr(getattr(hands.screen, "view", None), "trouble", ""))


async def refused(hands: Hands[Any], settle: Callable[[], Awaitable[None]]) -> list[str]:
    """Keys of the footer that are answered with a refusal; each is pressed where the state is as before."""
    found = []
    hints = [hint for hint in hands.screen.query_one(Footer).hints if hint.press != "escape"]
    for hint in hints:
        active = hands.screen.active_bindings.get(hint.press)
        if active is None or active.binding.action.split(".")[-1] in AWAY:
            continue
        hands.screen.query_one(StatusLine).warning = ""
        hands.app.simulate_key(hint.press)
        await hands.pilot.pause()
        while hands.app.screen is not hands.screen:
            await hands.press("escape")
        await settle()
        if refusal(hands):
            found.append(f"{hint.key} {hint.does}: {refusal(hands)}")
    return found


async def at_once() -> None:
    """Nothing is waited for: the state holds until a gate is opened."""


async def test_a_story_offers_what_works_in_each_state(player: Player, model: Scripted) -> None:
    async def turn_ends() -> None:
        # a retry goes back by a turn before it tells it anew
        await until(
            player.pilot, lambda: player.session.phase == "idle" and not player.status.doing, "the turn"
        )

    def calls(key: str) -> bool:
        return key in [call.key for call in player.session.agents.running.values()]

    assert await silent(player, player.screen.ACTIONS) == []
    gates = ("narrator", "character:ann", "memory:ann")
    model.gates = {gate: asyncio.Event() for gate in gates}
    await player.send("I climb.")
    for gate in gates:
        await until(player.pilot, partial(calls, gate), gate)
        if gate != "memory:ann":
            assert not {"retry", "takes"} & {hint.does for hint in player.screen.query_one(Footer).hints}
            assert await refused(player, at_once) == []
        assert await silent(player, player.screen.ACTIONS) == []
        model.gates[gate].set()
    await player.turn(2)
    assert await refused(player, turn_ends) == []


async def test_a_story_read_only_offers_what_reading_needs(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        writing = await new_session(app, Scripted())
        await writing.open_story()
        await writing.settle()
        reading = await open_session(writing.folder, lambda pack, seed: Scripted(), Bus(still), write=False)
        player = Player(pilot)
        await player.open(reading, opening=False)
        assert await refused(player, at_once) == []
        assert await silent(player, player.screen.ACTIONS) == []
        await player.press("ctrl+f", "t", "escape")
        assert app.focused is player.transcript
        await opens(pilot, InspectorScreen, "f2")
        assert not {"pin", "edit"} & {hint.does for hint in app.screen.query_one(Footer).hints}
        await player.press("escape")
        await opens(pilot, BranchesScreen, "f3")
        tree = player.app.screen
        await until(pilot, lambda: isinstance(tree, BranchesScreen) and tree.settled, "the tree")
        acts = ("go", "name", "rename", "delete", "restore")
        assert not any(tree.check_action("act", (act,)) for act in acts) and tree.check_action("mark", ())
        await player.press("escape")
        await reading.close()
        await writing.close()


async def test_setup_offers_what_works_and_says_why_the_rest_waits(master: Master) -> None:
    assert await silent(master, master.screen.ACTIONS) == []
    assert await refused(master, master.settle) == []


async def test_a_chapter_offers_what_works_in_each_state(gm: Master, actors: Scripted) -> None:
    async def told() -> None:
        assert await silent(gm, gm.screen.ACTIONS) == []

    await told()
    await gm.kept_waiting(actors)
    await told()
    assert await refused(gm, at_once) == []
    await gm.answered(actors)
    assert await refused(gm, gm.settle) == []
    await gm.press("f2")
    await told()
    await gm.press("f9", "f10", "y")
    await gm.done(lambda: gm.state == "ENDED", "the end")
    await told()
    assert await refused(gm, gm.settle) == []
    await gm.press("f9")
    await told()


def with_refusal(actions: tuple[Action, ...]) -> dict[str, str]:
    """Keys that say why nothing happens, and what they say."""
    return {act.key.split(",")[0]: act.refusal for act in actions if act.refusal}


async def test_the_inspector_says_why_a_key_does_nothing(player: Player) -> None:
    await player.press("f2")
    await until(player.pilot, lambda: player.app.screen is not player.screen)
    inspector = Hands[Any](player.pilot)
    inspector.kind = type(player.app.screen)
    assert await silent(inspector, INSPECTOR_ACTIONS) == []


async def test_the_tree_says_why_a_key_does_nothing(tmp_path: Path, forked: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        climber = await climbing(pilot, forked)
        tree = Hands[Any](pilot)
        tree.kind = type(climber.screen)
        assert await silent(tree, TREE_ACTIONS) == []
        compared = "This is the turn to compare with. Go to another turn first."
        said = {**with_refusal(TREE_ACTIONS), "c": compared}
        for key in ("c", "x"):
            await climber.press(key)
            assert climber.screen.status.hint == said[key]
        await climber.press("left")
        assert not climber.screen.status.hint
        for key in ("r", "o"):
            await climber.press(key)
            assert climber.screen.status.hint == said[key]
        assert app.screen is climber.screen
        await climber.session.close()


FROM_OUTSIDE = {"app.py", "play/presenter.py", "direct/presenter.py", "widgets/status_line.py"}
"""Where toasts are made: of settings that are wrong, and of notices of the engine; and where no page is to say it on."""


def test_only_what_comes_from_outside_the_page_is_a_toast() -> None:
    root = Path(theact_tui.tui.__file__).parent
    toasting = {
        str(file.relative_to(root))
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "notify"
    }
    assert toasting == FROM_OUTSIDE


async def test_the_list_says_why_a_key_does_nothing_and_what_was_done(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    Library(app.home.data).create(new_game("Alex at the reef")).close()
    async with app.run_test(size=(80, 24)) as pilot:
        home = await at_home(pilot)
        rows = home.query_one(OptionList)
        story, rows.highlighted = rows.highlighted, rows.get_option_index("direct:")
        for key, why in with_refusal(HOME_ACTIONS).items():
            await pilot.press(key)
            assert home.status.hint == why
        offered = {hint.does for hint in home.query_one(Footer).hints}
        assert not offered & {act.label for act in HOME_ACTIONS if act.refusal}
        assert app.screen is home
        rows.highlighted = story
        await pilot.press("x")
        await until(pilot, lambda: not isinstance(app.screen, HomeScreen), "the question")
        await pilot.press("y")
        await until(pilot, lambda: home.status.hint == "Moved to the trash. t restores it.")
        assert not app._notifications


async def test_copying_says_so(player: Player) -> None:
    for key in ("ctrl+c", "super+c"):
        player.screen.selections = {player.transcript: SELECT_ALL}
        player.app.copy_to_clipboard("")
        player.status.hint = ""
        await player.press(key)
        copied = player.app.clipboard
        assert copied and player.status.hint == f"Copied {len(copied):,} characters."
    player.prompt.write("I wait.")
    player.prompt.writing.select_all()
    await player.press("ctrl+c")
    assert (player.app.clipboard, player.status.hint) == ("I wait.", "Copied 7 characters.")
