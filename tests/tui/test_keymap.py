"""Keys of one's own: what stands in the file is checked, and nothing is lost that was not asked for."""

from itertools import combinations
from pathlib import Path

from tests.support.fake_model import Scripted
from tests.support.pilot import Player, at_home, make_app, new_session, running, until
from tests.support.settings_pilot import write_config
from theact_tui.cli.doctor import check_settings
from theact_tui.models.settings import SettingsFile
from theact_tui.tui.app import FirstLook
from theact_tui.tui.keymap import EDITING, WRITING, checked_keys, every_act, is_key, keys_of, named
from theact_tui.tui.widgets.footer import Footer, key_name

WRONG = {
    "play.retry": "strg+r",  # no such key
    "play.undo": "ctrl+r",  # two acts, one key
    "play.redo": "ctrl+r",
    "play.nonsense": "f9",  # no such act
    "play.memory": "x",  # a letter where one writes
    "play.branch": "left",  # a key that moves there
    "play.jump": "ctrl+z",  # one that changes the text there
    "home.settings": "n",  # taken
    "play.export": "f1",  # taken everywhere
    "app.help": "f12",  # taken somewhere
    "app.quit": "q",  # a letter everywhere
    "play.find": "",
}


def test_keys_that_cannot_be_used_are_refused_with_a_reason_and_the_others_count() -> None:
    keymap = checked_keys({**WRONG, "play.tree": "f10"})
    assert dict(keymap.own) == {"play.redo": "ctrl+r", "play.tree": "f10"}
    assert set(keymap.refused) == set(WRONG) - {"play.redo"}
    said = "\n".join(keymap.refused.values())
    for words in (
        "play.retry = strg+r: unknown key", "play.undo = ctrl+r: ^r is already the key for \"redo\" there",
        "play.nonsense = f9: there is no action with this name", "play.memory = x: That key types text there",
        "n is already the key for \"new\" there", "F1 is already the key for \"help\" everywhere",
        "F12 is already the key for \"reset\" there",
    ):  # fmt: skip
        assert words in said
    swapped = {"play.retry": "f5", "play.takes": "f4"}
    assert checked_keys(swapped).own == swapped, "two acts may change their keys"
    keymap = checked_keys({"play.retry": "f5", "play.takes": "nothing"})
    assert list(keymap.refused) == ["play.takes", "play.retry"]


def test_no_key_is_taken_from_a_box_to_write_in() -> None:
    for place, act in ((keyed.place, keyed.act) for keyed in every_act()):
        assert place not in WRITING or not EDITING & set(keys_of(act)), act.id


def test_acts_have_ids_words_and_keys_of_their_own_and_take_no_key_from_each_other() -> None:
    acts = every_act()
    assert len({keyed.act.id for keyed in acts}) == len(acts)
    assert all(is_key(key) for keyed in acts for key in keys_of(keyed.act))
    assert all(keyed.act.help and keyed.act.label and (keyed.act.key or keyed.act.letter) for keyed in acts)
    letters = [(keyed.place, keyed.act.letter) for keyed in acts if keyed.act.letter]
    assert len(set(letters)) == len(letters)
    for one, other in combinations(acts, 2):
        if one.place == other.place and set(keys_of(one.act)) & set(keys_of(other.act)):
            assert one.act.action != other.act.action, f"{one.act.id} and {other.act.id}"
        if "everywhere" in (one.place, other.place) and one.place != other.place:
            assert not set(keys_of(one.act)) & set(keys_of(other.act)), f"{one.act.id} and {other.act.id}"


def test_a_key_may_be_written_as_the_footer_shows_it() -> None:
    for act in (keyed.act for keyed in every_act() if keyed.act.key):
        assert [named(key) for key in keys_of(act)] == list(keys_of(act)), act.id
        assert act.shown_key or named(key_name(act.binding)) == keys_of(act)[0], act.id


def test_names_with_a_dot_need_no_quotes(tmp_path: Path) -> None:
    write_config(tmp_path, '[ui.keys]\nplay.retry = "F12"\nplay.undo = "^r"\n"play.tree" = "f10"\n')
    file = SettingsFile(tmp_path / "config.toml")
    wanted = {"play.retry": "F12", "play.undo": "^r", "play.tree": "f10"}
    assert file.read().ui.keys == dict(FirstLook.read(file.path).keys) == wanted
    assert checked_keys(wanted).own == {"play.retry": "f12", "play.undo": "ctrl+r", "play.tree": "f10"}
    file.set({("ui", "keys", "play.retry"): None, ("ui", "keys", "play.undo"): "ctrl+b"})
    assert file.read().ui.keys == {"play.undo": "ctrl+b", "play.tree": "f10"}
    assert file.unknown() == []


async def test_an_act_that_shared_a_key_keeps_it_when_the_other_gets_one_of_its_own(tmp_path: Path) -> None:
    app = make_app(tmp_path, keys={"play.stop": "ctrl+x", "home.rename": "m"})
    async with app.run_test(size=(160, 40)) as pilot:
        home = await at_home(pilot)
        shown = {(hint.key, hint.does) for hint in home.query_one(Footer).hints}
        assert {("n", "new"), ("q", "quit")} <= shown
        player = Player(pilot)
        await player.open(await new_session(app, Scripted()))
        await player.press("tab", "escape")
        assert player.screen.focused is player.prompt.writing
        await player.session.close()


async def test_wrong_keys_are_told_when_the_app_begins(tmp_path: Path) -> None:
    write_config(tmp_path, '[ui]\ntheme = "no-such"\n[ui.keys]\nplay.retry = "strg+r"\nplay.tree = "f10"\n')
    app = make_app(tmp_path)
    app._settings = None
    async with running(app, (120, 40)) as pilot:
        await until(pilot, lambda: len(app._notifications) == 2, "two notices")
        said = " ".join(notification.message for notification in app._notifications)
        assert "play.retry = strg+r: unknown key" in said and "no theme called no-such" in said


def test_doctor_names_the_keys_that_do_not_count(tmp_path: Path) -> None:
    write_config(tmp_path, '[ui.keys]\nplay.retry = "strg+r"\nplay.tree = "f10"\n')
    checks, _ = check_settings(SettingsFile(tmp_path / "config.toml"))
    (told,) = (check.text for check in checks if check.level == "warning")
    assert "play.retry = strg+r: unknown key" in told
