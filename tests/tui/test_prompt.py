"""The writing box: new lines, history at its edges, completion, and a count when it grows long."""

import pytest
from textual import events
from textual.widgets import Input

from tests.support.fake_model import small_pack
from tests.support.pilot import Player, until
from theact_tui.story.game import new_game
from theact_tui.tui.play.completion import CompletionMenu, command_hint, completions
from theact_tui.tui.textual_patches import ALT_ENTER, patch_key_sequences, patch_kitty_keys


async def test_new_lines_are_not_sent_and_what_was_sent_is_walked_through_with_up_and_down(
    player: Player,
) -> None:
    await player.type("one", "ctrl+j")
    await player.type("two", "alt+enter")
    await player.type("three")
    assert player.prompt.text == "one\ntwo\nthree"
    assert player.prompt.size.height == 3
    await player.press("enter")
    await player.turn(2)
    assert "one\ntwo\nthree" in player.page
    for key in ("o", "n", "e", "ctrl+j", "t", "w", "o", "enter"):
        player.app.post_message(
            events.Key(key, "\r" if key == "enter" else key[-1] if len(key) == 1 else None)
        )
    await player.turn(3)
    assert player.session.game.turns[3].player_text == "one\ntwo", "no key that acts overtakes a letter"
    await player.type("draft")
    for keys, text in (
        (["up"], "one\ntwo"),
        (["up", "up"], "one\ntwo\nthree"),
        (["up"] * 3, "one\ntwo\nthree"),
        (["down"] * 5, "draft"),
    ):
        await player.press(*keys)
        assert player.prompt.text == text


async def test_the_box_is_edited_counts_when_it_matters_and_cleans_what_is_pasted(player: Player) -> None:
    await player.type("abc def", "home", "x", "end", "y", "ctrl+w")
    assert player.prompt.text == "xabc "
    await player.press("ctrl+z")
    assert "defy" in player.prompt.text
    await player.press("ctrl+a", "ctrl+k")
    assert player.prompt.text == ""
    count = player.prompt.query_one("#count")
    for length, told in ((1_700, ""), (1_900, "1,900 of 2,000"), (2_001, "2,001 of 2,000")):
        player.prompt.write("x" * length)
        await player.pilot.pause()
        assert count.display == bool(told) and told in str(count.render())
        assert player.prompt.has_class("-over") == (length > 2_000)
    player.prompt.write("")
    player.app.post_message(events.Paste("a\x1b[31mb\u202ec\nd"))
    await until(player.pilot, lambda: player.prompt.text != "")
    assert player.prompt.text == "abc\nd"
    await player.press("ctrl+f")
    player.app.post_message(events.Paste("e\x1b]8;;http://evil.example\x07f"))
    field = player.screen.query_one("#find-term", Input)
    await until(player.pilot, lambda: field.value != "")
    assert field.value == "ef"


async def test_commands_are_walked_through_and_ids_and_branches_are_completed(player: Player) -> None:
    await player.type("/re")
    menu = player.screen.query_one(CompletionMenu)
    assert [entry.label for entry in menu.entries] == [
        "/redo [n]",
        "/retry [text]",
        "/renew [n]",
        "/remember",
        "/restore [file...]",
    ]
    await player.press("down", "tab")
    assert player.prompt.text == "/retry " and not menu.display
    await player.press("ctrl+c")
    name = player.session.game.chapter.characters[0]
    await player.type(f"/memory {player.session.game.pack.name_of(name)[:2].lower()}")
    await player.press("tab")
    assert player.prompt.text == f"/memory {name} "
    await player.press("ctrl+c")
    await player.type("/hellp", "enter")
    await until(player.pilot, lambda: "Did you mean /help?" in player.status.warning)
    assert player.prompt.text == "/hellp"
    await player.session.branch_at("What if")
    player.prompt.write("/switch ")
    await until(player.pilot, lambda: [entry.label for entry in menu.entries] == ["what-if"], "the branch")
    assert menu.entries[0].help == "What if"
    await player.press("tab")
    assert player.prompt.text == "/switch what-if "
    await player.press("enter")
    await until(player.pilot, lambda: player.session.branch == "what-if", "the switch")
    player.prompt.write("/switch m")
    await until(player.pilot, lambda: [entry.label for entry in menu.entries] == ["main"], "the way back")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("/ask ", ["ann", "bob"]), ("/ask ann ", ["bob"]), ("/hush b", ["bob"]), ("/whisper ann ", []),
        ("/length ", ["short", "normal", "long"]), ("/language ger", ["German"]),
        ("/cast ", ["add", "remove"]), ("/cast add ", []), ("/cast remove ", ["ann", "bob"]),
        ("/secret ann ", ["open", "shut", "auto"]), ("/heard 1 ", ["ann", "bob"]),
        ("/heard 1 ann ", ["all", "page", "none"]), ("/retry ", []), ("/retry I run to ", []),
        ("/retry -", ["--reply", "--note", "--profile"]), ("/retry --profile ", ["big", "offline"]),
    ],
)  # fmt: skip
def test_what_can_stand_next_is_offered(typed: str, offered: list[str]) -> None:
    game = new_game(small_pack(), title="T", player="Alex", seed=1, created="")
    assert [entry.label for entry in completions(typed, game, ["big"])] == offered


def test_hints_say_what_a_command_takes() -> None:
    assert command_hint("/ret") == "/retry [text] · retry; --reply name, --note text, --profile name"
    assert command_hint("/retry I run") == command_hint("/ret")
    assert command_hint("/") == "↑ ↓ choose · tab complete"
    assert "Unknown command" in command_hint("/xyz")
    assert command_hint("//aside") == command_hint("I run") == ""


@pytest.mark.posix("a pty")
def test_alt_enter_of_plain_terminals_is_a_new_line() -> None:
    from textual._xterm_parser import XTermParser

    patch_key_sequences()
    keys = [getattr(event, "key", "") for event in XTermParser().feed(ALT_ENTER)]
    assert keys == ["ctrl+j"]


@pytest.mark.parametrize(
    ("sequence", "keys"),
    [
        ("\x1b[122:90;2;90u", ["Z"]),
        ("\x1b[97:65;5u", ["ctrl+a"]),
        ("\x1b[13;2:1u", ["shift+enter"]),
        ("\x1b[97;1:3u", []),
        ("\x1b[99999999999u", []),
    ],
)
def test_keys_in_kitty_s_form_with_colons_end_nothing(sequence: str, keys: list[str]) -> None:
    from textual._xterm_parser import XTermParser

    patch_kitty_keys()
    assert [getattr(event, "key", "") for event in XTermParser().feed(sequence)] == keys
