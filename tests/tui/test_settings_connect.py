"""The first model: an address, a model and a key, tested before they are used; the key never stands in a file."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support.fake_server import ScriptedServer, say, status
from tests.support.pilot import problem, until
from tests.support.settings_pilot import MODELS, Setter
from theact_tui.models.environment import PREFIX, keep_key, load_keys
from theact_tui.models.settings import SettingsFile
from theact_tui.paths import Home
from theact_tui.tui.open_stories import AppServices
from theact_tui.tui.settings.service import free_profile_name
from theact_tui.tui.widgets.dialogs import FormDialog

KEY = "sk-typed-0123456789"


class Keychain:
    """A keyring that keeps what it is given."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def set_password(self, service: str, name: str, key: str) -> None:
        self.kept[service, name] = key

    def get_password(self, service: str, name: str) -> str | None:
        return self.kept.get((service, name))


@pytest.fixture
def keychain(monkeypatch: pytest.MonkeyPatch) -> Keychain:
    chain = Keychain()
    monkeypatch.setitem(sys.modules, "keyring", SimpleNamespace(get_keyring=lambda: chain))
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        monkeypatch.delenv(name)
    return chain


def test_a_keyring_beside_a_plain_file_is_used_and_the_file_never(monkeypatch: pytest.MonkeyPatch) -> None:
    safe, plain = Keychain(), type("File", (Keychain,), {"__module__": "keyrings.alt.file"})()
    for places, kept in (([plain, safe], True), ([plain], False)):
        chain = SimpleNamespace(backends=places)
        monkeypatch.setitem(sys.modules, "keyring", SimpleNamespace(get_keyring=lambda chain=chain: chain))
        assert keep_key(f"{PREFIX}TEST", KEY) is kept
    assert list(safe.kept.values()) == [KEY] and not plain.kept


async def test_what_connects_a_model_is_tested_before_they_are_used(
    setter: Setter,
    tmp_path: Path,
    server: ScriptedServer,
    keychain: Keychain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    variable = f"{PREFIX}QWEN2_5_7B_INSTRUCT_Q4_K_M"
    monkeypatch.setenv(variable, "")
    monkeypatch.delenv(variable)
    server.script("*", status(401, {"error": {"message": "no key"}}), say("ready"))
    await setter.press("enter", at="add", asks=FormDialog)
    await setter.fill(server.url)
    await setter.press("enter")
    await setter.fill(MODELS[0])
    await setter.press("enter")
    await setter.fill(KEY, "enter", "enter")
    await until(setter.pilot, lambda: "key" in problem(setter.pilot), "the refusal")
    assert setter.file == "" and not keychain.kept
    await setter.press("enter", "enter", "enter", "enter", says="It answers. Now using")
    (name,) = SettingsFile(tmp_path / "config.toml").read().profiles
    assert SettingsFile(tmp_path / "config.toml").read().profile == name
    assert list(keychain.kept.values()) == [KEY]
    assert not [file for file in tmp_path.rglob("*") if file.is_file() and KEY.encode() in file.read_bytes()]
    assert server.calls[-1].headers["authorization"] == f"Bearer {KEY}"
    ((_, variable),) = keychain.kept
    monkeypatch.delenv(variable)
    load_keys([variable, "HOME"])
    assert os.environ[variable] == KEY
    monkeypatch.delenv(variable)


async def test_a_model_without_a_name_is_called_the_same_everywhere(
    setter: Setter, tmp_path: Path, server: ScriptedServer
) -> None:
    id = "org/tiny-7b"
    server.on("/v1/models", status(200, {"data": [{"id": id}]}))
    server.script("*", say("ready"))
    await setter.press("a", asks=FormDialog)
    await setter.fill(server.url)
    await setter.press("enter", "enter", "enter", "enter", says="It answers. Now using tiny-7b.")
    assert f"● tiny-7b  127.0.0.1:{server.port}" in setter.rows
    assert id in setter.page, "the page names the whole id"
    kept = SettingsFile(tmp_path / "config.toml").read()
    assert kept.profile == "tiny-7b" and kept.profiles["tiny-7b"].model == id
    assert (await AppServices(Home.find(tmp_path)).listing()).teller == "tiny-7b"


def test_a_name_made_of_a_model_is_one_free_word() -> None:
    assert free_profile_name("/models/tiny 7b.gguf", ()) == "tiny-7b.gguf"
    assert free_profile_name("org/tiny", ("tiny",)) == "tiny-2"
