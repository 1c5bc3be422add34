"""A story that another window plays: what one reads, presses and types there, and that it can be played once it is free."""

from pathlib import Path

from textual.widgets import OptionList, Static

from tests.support.pilot import Player, at_home, make_app, new_session, opens, running, until
from tests.support.said import plain
from theact_tui.tui.home.screen import IN_USE
from theact_tui.tui.play.screen import FREE, UNWRITABLE, WATCHING
from theact_tui.tui.widgets.dialogs import ConfirmDialog
from theact_tui.tui.widgets.footer import Footer


async def test_who_watches_follows_and_is_told_how_to_leave_and_when_the_story_is_free(
    tmp_path: Path,
) -> None:
    app = make_app(tmp_path)
    async with running(app) as pilot:
        writing = await new_session(app)
        await writing.open_story()
        await writing.settle()
        home = await at_home(pilot)
        home.action_refresh()
        await until(pilot, lambda: bool(home.listing and home.listing.saves), "the story in the list")
        options = home.query_one(OptionList)
        options.highlighted = options.get_option_index(f"save:{writing.folder.name}")
        await opens(pilot, ConfirmDialog, "enter")
        assert plain(app.screen.query(".about").first(Static).visual) == IN_USE.format(title="Small")
        await pilot.press("y")
        player = Player(pilot)
        await until(pilot, lambda: player.playing and bool(player.page), "the story to be watched")
        await until(pilot, lambda: player.status.hint == WATCHING, "what one does here")
        hints = {hint.key: hint.does for hint in player.screen.query_one(Footer).shown}
        assert hints["esc"] == "leave" and player.session.read_only and not player.prompt.display
        await writing.play("I knock twice.")
        await until(pilot, lambda: "I knock twice." in player.page, "what is told there")
        await writing.settle()
        await until(pilot, lambda: player.session.game == writing.game, "the same story")
        await writing.undo()
        await until(pilot, lambda: "I knock twice." not in player.page, "the undo")
        await player.type("hello")
        assert player.status.warning == UNWRITABLE
        player.status.warning = ""
        await writing.close()
        await until(pilot, lambda: player.status.hint == FREE, "the story to be free")
        await player.press("enter")
        await until(pilot, lambda: player.playing and not player.session.read_only, "the story to be played")
        await player.say("I wait.")
        await player.session.close()
