"""Keys: told in the footer, explained by F1, found in the palette, changed in the settings."""

from pathlib import Path

from textual.command import CommandPalette
from textual.widgets import Static

from tests.support.fake_model import Scripted, narration
from tests.support.pilot import Player, at_once, make_app, new_session, opens, running, until
from tests.support.said import said
from theact_tui.engine.commands import COMMANDS
from theact_tui.tui.command_palette import ActionsProvider
from theact_tui.tui.home.screen import HomeScreen
from theact_tui.tui.play.keys import PLAY_ACTIONS
from theact_tui.tui.play.screen import PlayScreen
from theact_tui.tui.play.transcript_screen import HOW_TO_LEAVE
from theact_tui.tui.widgets.dialogs import FormDialog
from theact_tui.tui.widgets.footer import Footer, KeyHint, cells, hints_in_width
from theact_tui.tui.widgets.menus import HelpDialog


def hint(key: str, does: str, group: str) -> KeyHint:
    return KeyHint(key, does, group, key)


HINTS = [
    hint("enter", "say", "say"),
    hint("F4", "retry", "turn"),
    hint("F5", "takes", "turn"),
    hint("F1", "help", "app"),
]


def test_the_footer_leaves_out_whole_keys_and_keeps_help() -> None:
    assert hints_in_width(HINTS, 80) == HINTS
    for width in range(7, 60):
        shown = hints_in_width(HINTS, width)
        assert shown[-1].does == "help"
        assert cells(shown) <= width or len(shown) == 1


def test_what_enter_does_stands_in_the_smallest_footer() -> None:
    hints = [hint("enter", "play", "say"), hint("s", "settings", "app"), hint("q", "quit", "app"), HINTS[-1]]
    assert [each.does for each in hints_in_width(hints, 38)] == ["play", "quit", "help"]
    assert [each.does for each in hints_in_width(hints, 24)] == ["play", "help"]
    assert hints_in_width(hints, 60) == hints


async def test_footer_and_palette_follow_what_one_is_doing(player: Player) -> None:
    line, provider = player.screen.query_one(Footer), ActionsProvider(player.screen)
    does = [hint.does for hint in line.shown]
    assert does[0] == "say" and does[-1] == "help"
    assert "stop" not in does and "takes" not in does
    names = {str(hit.text) async for hit in provider.discover()}
    assert {act.label.capitalize() for act in PLAY_ACTIONS if player.screen._can(act.action)} <= names
    assert not names & {"Takes", "Everything", "Say", "New line", "Away / here"}
    for typed, found in (
        ("export", "Export   ^g e"),
        ("to a FILE", "Export   ^g e"),
        ("mory", "Memory   F2"),
    ):
        assert found in [str(hit.prompt) async for hit in provider.search(typed)], typed
    await player.press("tab")
    assert "away / here" in [hint.does for hint in line.shown]
    assert {"Away / here", "Show memories"} <= {str(hit.text) async for hit in provider.discover()}


async def test_help_explains_the_screen_its_keys_and_commands_and_leaving_closes_it(player: Player) -> None:
    screen = player.screen
    await player.press("escape")
    assert player.status.hint == HOW_TO_LEAVE, "there is nothing to stop"
    await player.pilot.click(Footer, offset=(1 + cells(screen.query_one(Footer).shown) - 3, 0))
    await until(player.pilot, lambda: isinstance(player.app.screen, HelpDialog), "what a click on F1 opens")
    shown = said(player.app.screen)
    assert "Type what you do or say" in shown
    assert "Retry the last turn as a new take" in shown
    assert "^g u" in shown
    assert all(command.usage in shown for command in COMMANDS.values())
    await opens(player.pilot, PlayScreen, "escape")
    await opens(player.pilot, HelpDialog, "f1")
    screen.dismiss()
    await until(player.pilot, lambda: isinstance(player.app.screen, HomeScreen))


async def test_over_a_question_the_palette_has_its_answers(player: Player) -> None:
    await at_once(player.pilot, "ctrl+g", "j")
    await until(player.pilot, lambda: isinstance(player.app.screen, FormDialog))
    assert player.prompt.text == "", "the letter was the leader's"
    names = [str(hit.text) async for hit in ActionsProvider(player.app.screen).discover()]
    assert names[:2] == ["Next", "Cancel"]
    await opens(player.pilot, CommandPalette, "ctrl+p")
    await player.type("cancel")
    await until(player.pilot, lambda: player.app.screen.query_one("OptionList").option_count == 1)  # type: ignore[attr-defined]
    await opens(player.pilot, PlayScreen, "enter")


async def test_undo_has_a_key_where_the_box_is_empty(player: Player) -> None:
    await player.say("I climb.")
    await player.type("hm", "ctrl+c")
    await player.press("ctrl+z")
    assert player.prompt.text == "hm" and player.session.game.state.turn == 2
    await player.press("backspace", "backspace", "ctrl+z")
    assert player.prompt.text and player.session.game.state.turn == 2
    player.prompt.write("")
    await player.press("ctrl+z")
    await until(player.pilot, lambda: player.session.game.state.turn == 1, "the undo")


async def test_keys_can_be_changed_by_name(tmp_path: Path) -> None:
    keys = {"play.undo": "ctrl+t", "play.say": "ctrl+s", "app.help": "f11"}
    app = make_app(tmp_path, keys=keys)
    async with running(app, (120, 40)) as pilot:
        player = Player(pilot)
        await player.open(await new_session(app, Scripted()))
        await player.type("I go", "enter")
        assert player.session.game.state.turn == 1
        player.prompt.write("I go")
        await player.press("ctrl+s")
        await player.turn(2)
        await player.press("ctrl+t")
        await until(pilot, lambda: player.session.game.state.turn == 1)
        await player.press("f11")
        assert isinstance(app.screen, HelpDialog)
        await player.session.close()


async def test_the_panel_folds_into_one_key(player: Player) -> None:
    assert player.panel.display
    await player.press("f8")
    assert not player.panel.display
    await player.press("f8")
    assert player.panel.display
    await player.pilot.resize_terminal(80, 24)
    await until(player.pilot, lambda: not player.panel.display)
    await player.press("f8")
    assert player.panel.display and not player.screen.query_one("#stage").display
    await player.press("escape")
    assert not player.panel.display and player.screen.query_one("#stage").display


async def test_the_leaders_menu_follows_what_can_be_done(player: Player, model: Scripted) -> None:
    gate = await player.begin("I wait.", model)
    await player.press("ctrl+g")

    def offered() -> str:
        return str(player.app.screen.query_one(Static).content)

    assert "t retry" not in offered() and "h leave" in offered()
    gate.set()
    await until(player.pilot, lambda: "t retry" in offered(), "what can be done after the turn")
    await player.press("f1")
    told = said(player.app.screen)
    assert "t   Retry the last turn as a new take" in told and "Press one of these letters" in told
    model.answers["narrator"] = narration("It rains.")
    await player.press("escape", "t")
    await until(player.pilot, lambda: "It rains." in player.page, "another take")
