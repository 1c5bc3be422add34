"""Approved pictures of steering: what was set, where the next line goes, who joins, who told a take, another script."""

import json
from pathlib import Path

from textual.pilot import Pilot

from tests.engine.test_languages import JAPANESE, write_pack
from tests.support.fake_model import Scripted, narration
from tests.support.pictures import SMALL, Before, Picture, sizes
from tests.support.pilot import Player, at_home, new_session, until
from tests.support.said import text_of
from tests.tui.test_screens import played
from theact_tui.packs.loader import load_pack
from theact_tui.tui.widgets.dialogs import FormDialog


def commanded(*lines: str, keys: tuple[str, ...] = (), model: Scripted | None = None) -> Before:
    """Play a turn of the salt stair, type commands, then press keys."""

    async def before(pilot: Pilot[None]) -> None:
        await played(1, model=model)(pilot)
        player = Player(pilot)
        for line in lines:
            await player.send(line)
            await until(pilot, lambda: not player.status.doing and player.session.phase == "idle")
        await player.press(*keys)
        await pilot.pause()

    return before


@sizes(SMALL)
def test_a_direction_is_written(picture: Picture) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await played(1, "f9")(pilot)
        await Player(pilot).type("The lamp goes out, and nobody says so.")

    picture(before)


@sizes(SMALL)
def test_a_command_is_completed(picture: Picture) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await played(1)(pilot)
        await Player(pilot).type("/length ")

    picture(before)


@sizes((40, 15))
def test_somebody_is_asked_for(picture: Picture) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await played(1, "ctrl+g", "q")(pilot)
        await until(pilot, lambda: isinstance(pilot.app.screen, FormDialog))
        await Player(pilot).type("Mara Quist")

    picture(before)


@sizes(SMALL)
def test_who_joined_and_who_left(picture: Picture) -> None:
    lines = ("/cast add Mara Quist: a smuggler. Dry, quick.", "/cast remove bob")
    picture(commanded(*lines, keys=("f8",)))


@sizes(SMALL)
def test_a_story_in_japanese(picture: Picture, tmp_path: Path) -> None:
    model = Scripted()
    model.answers["narrator"] = narration(JAPANESE.told, JAPANESE.named, present=JAPANESE.named)
    model.answers["character"] = JAPANESE.reply
    model.answers["memory"] = json.dumps({"new": [{"fact": JAPANESE.setting, "kind": "none"}]})

    async def before(pilot: Pilot[None]) -> None:
        await at_home(pilot)
        player = Player(pilot)
        pack = load_pack(write_pack(tmp_path / "packs", JAPANESE))
        await player.open(await new_session(player.app, model, pack))
        await player.say("「はるか」と呼ぶ。")
        await player.send("/cast add 真理：密輸業者。すばやい。")
        await until(pilot, lambda: "真理" in text_of(player.panel))
        await player.send("/note 夜まで灯りをつけない。")
        await until(pilot, lambda: "Note" in text_of(player.panel))
        await player.press("f8")

    picture(before)
