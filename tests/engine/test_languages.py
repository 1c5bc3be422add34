"""Packs of one chapter in German and Japanese, told by a scripted server: names resolve, exports say the language."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.engine.conftest import settled
from tests.support.fake_model import DEFAULTS, Ticking, narration
from tests.support.fake_server import ScriptedServer, say
from theact_tui.engine.bus import Bus
from theact_tui.engine.choose_models import models_chooser
from theact_tui.engine.commands import run_command
from theact_tui.engine.open_sessions import create_session
from theact_tui.exports.write_file import export_save
from theact_tui.models.environment import ModelOptions
from theact_tui.packs.loader import load_pack
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.story.dice import named_risk


@dataclass(frozen=True)
class Told:
    """A pack in a language, and what a model says of it."""

    language: str
    tag: str
    name: str
    """What the pack calls the language in prompts."""
    character: tuple[str, str]
    risky: tuple[str, str]
    """A word of the pack that makes an action uncertain, and a line with it."""
    setting: str
    told: str
    reply: str
    named: str
    """How the narrator names who answers."""


GERMAN = Told(
    "de", "de", "German", ("jorg", "Jörg Müßig"), ("klettere", "Ich klettere über die Mauer."),
    "Leuchtturm auf Föhr. Niemand zündet ihn an.", "Das Öl fehlt. Jörg Müßig schüttelt den Kopf.",
    "„Schön wär’s“, sagt er. „Über die Treppe kommt keiner.“", "JÖRG MÜSSIG",
)  # fmt: skip
JAPANESE = Told(
    "Japanese", "ja", "Japanese", ("haruka", "はるか"), ("登る", "塀を登る。"),
    "島の灯台。誰も火をともさない。", "油がない。はるかが首をふる。波の音がする。",
    "「階段は使えないよ」とはるかが言う。", "はるか",
)  # fmt: skip


def write_pack(folder: Path, told: Told) -> Path:
    id, name = told.character
    files = {
        "game.yaml": f"id: turm\ntitle: {told.setting[:6]}\ndescription: {told.setting}\nlanguage: {told.language}\n"
        f"characters: [{id}]\nchapters: [eins]\nkeeper: risky\nrisky_words: [{told.risky[0]}]\n",
        "world.yaml": f"setting: {told.setting}\ntone: {told.setting}\nrules: {told.setting}\n",
        f"characters/{id}.yaml": f"name: {name}\nrole: {told.setting}\npersonality: {told.setting}\n",
        "chapters/eins.yaml": f"id: eins\ntitle: {told.setting[:5]}\nsummary: {told.setting}\n"
        f"beats: ['{told.setting}', '{told.reply}']\ncompletion: {told.setting}\ncharacters: [{id}]\n",
    }
    for file, text in files.items():
        (folder / "turm" / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / "turm" / file).write_text(text, "utf-8")
    return folder / "turm"


@pytest.mark.parametrize("told", [GERMAN, JAPANESE], ids=["german", "japanese"])
async def test_a_story_in_another_language(tmp_path: Path, told: Told) -> None:
    pack = load_pack(write_pack(tmp_path / "packs", told))
    id, name = told.character
    assert named_risk(told.risky[1], pack.game.risky_words) and not named_risk(
        told.told, pack.game.risky_words
    )
    with ScriptedServer() as server:
        for agent, answer in DEFAULTS.items():
            server.script(agent, say(answer))
        server.script("narrator", say(narration(told.told, told.named, present=told.named)))
        form = {"answer": [told.named], "here": [told.named], "only": {}}
        server.script("stage", say(json.dumps(form)))
        server.script("character", say(f"{name}: {told.reply}"))
        options = ModelOptions(base_url=server.url, model="m")
        choose = models_chooser(Home.find(tmp_path).create(), options, pace=False)
        session = await create_session(Library(tmp_path), pack, "T", "Ö", 1, choose, Bus(Ticking()))
        await settled(session, session.play(told.risky[1]))
        turn = session.game.turns[1]
        assert turn.narration == told.told and not turn.notices
        assert [(e.character, e.text) for e in turn.entries if e.character] == [(id, told.reply)]
        assert all(f"Write everything in {told.name}" in call.prompt for call in server.calls)
        await settled(session, session.play(f"„{name.split()[0]}?“" if told is GERMAN else f"「{name}」"))
        assert "Language: " + told.name in (await run_command(session, "/status")).text
        for format, wanted in (("html", f'lang="{told.tag}"'), ("json", f'"language": "{told.tag}"')):
            file = await session.run(export_save, session.save, format)
            assert wanted in file.read_text("utf-8") and told.reply in file.read_text("utf-8")
        await session.close()
