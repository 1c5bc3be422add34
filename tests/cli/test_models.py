"""`models` and `doctor` (S12): what could tell a story here, and whether all is well."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.fake_server import ScriptedServer, say, status
from theact_tui.cli import main
from theact_tui.models.server_capabilities import ServerState
from theact_tui.models.settings import SettingsFile


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(say("Ready.")) as server:
        server.on("/v1/models", status(200, {"data": [{"id": "tiny", "meta": {"n_ctx": 4096}}]}))
        yield server


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in "LLM_BASE_URL LLM_MODEL LLM_API_KEY LLM_TIMEOUT OPENAI_BASE_URL OPENAI_API_KEY".split():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("THEACT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    return code, capsys.readouterr().out


def test_without_a_model_the_storyteller_is_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(capsys, "models")
    assert code == 0 and "offline storyteller" in out
    assert json.loads(run(capsys, "models", "--json")[1])["in_use"] == {"offline": True}


@pytest.mark.posix("file modes")
def test_models_shows_what_the_server_has(capsys: pytest.CaptureFixture[str], server: ScriptedServer) -> None:
    code, out = run(capsys, "models", "--base-url", server.url, "--json")
    in_use = json.loads(out)["in_use"]
    assert code == 0
    assert (in_use["reached"], in_use["models"], in_use["window"]) == (True, ["tiny"], 4096)
    assert "4,096" in run(capsys, "models", "--base-url", server.url)[1]


@pytest.mark.posix("file modes")
def test_models_lists_profiles_without_keys(
    capsys: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLOUD_KEY", "sk-hush")
    cloud = {"base_url": "https://models.example/v1", "model": "big", "api_key_env": "CLOUD_KEY"}
    SettingsFile(home / "config.toml").set({("profiles", "cloud"): cloud})
    code, out = run(capsys, "models")
    assert code == 0 and "cloud: big at https://models.example/v1" in out and "--allow-remote" in out
    assert "sk-hush" not in out + run(capsys, "models", "--json")[1]


def test_a_healthy_home_passes(capsys: pytest.CaptureFixture[str], server: ScriptedServer) -> None:
    code, out = run(capsys, "doctor", "--base-url", server.url, "--json")
    document = json.loads(out)
    assert code == 0 and document["ok"] is True
    assert {check["area"] for check in document["checks"]} == {"terminal", "settings", "storage", "model"}
    assert server.calls[0].agent == "test"
    said = run(capsys, "doctor", "--base-url", server.url, "--model", "tiny")[1]
    assert "Ready." in said and "4,096" in said
    assert "tiktoken.get_encoding" not in said and "python -c" not in said and "counted by" not in said
    assert "Token counts are estimated" in said and "this is fine" in said
    levels = {line.split()[0] for line in said.splitlines() if line and not line.startswith(" ")}
    assert levels and levels <= {"ok", "warning", "error"}, said


def test_doctor_tells_a_parrot_from_a_model_that_plays(
    capsys: pytest.CaptureFixture[str], server: ScriptedServer
) -> None:
    code, out = run(capsys, "doctor", "--base-url", server.url, "--model", "tiny", "--try")
    assert (
        code == 1
        and "Too small to tell a story well; 7B or larger is recommended. It answered 0 of 15 questions"
        in out
    )
    document = json.loads(
        run(capsys, "doctor", "--base-url", server.url, "--model", "tiny", "--try", "--json")[1]
    )
    assert document["audition"]["verdict"] == "too small" and not document["ok"]
    main(["create", "A lighthouse.", "--base-url", server.url, "--model", "tiny", "--yes"])
    assert "tiny: Too small to tell a story well; 7B or larger is recommended." in capsys.readouterr().err
    assert "small" not in run(capsys, "doctor", "--base-url", server.url, "--model", "tiny")[1]
    assert "small" not in run(capsys, "doctor", "--offline", "--try")[1]


@pytest.mark.parametrize("where", ["offline", "broken"])
def test_doctor_says_so_when_there_is_nothing_to_try(capsys: pytest.CaptureFixture[str], where: str) -> None:
    at = ("--offline",) if where == "offline" else ("--base-url", "http://127.0.0.1:9/v1")
    why = "no model is connected" if where == "offline" else "something above is wrong"
    code, out = run(capsys, "doctor", *at, "--try")
    assert f"Nothing was tried, because {why}" in out and code == (where == "broken")
    checks = json.loads(run(capsys, "doctor", *at, "--try", "--json")[1])["checks"]
    assert checks[-1]["level"] == "warning" and why in checks[-1]["text"]


def test_doctor_says_that_prompts_are_not_sent_ahead(
    capsys: pytest.CaptureFixture[str], server: ScriptedServer, home: Path
) -> None:
    at = ("--base-url", server.url, "--model", "tiny")
    assert "not prepared" not in run(capsys, "doctor", *at)[1]
    state = ServerState(server.url, "tiny", home / "cache")
    state.keep(replace(state.abilities, warm_up="off"))
    assert "keeps no prompts, so pages are not prepared while you read" in run(capsys, "doctor", *at)[1]


def test_doctor_shows_what_a_server_refuses_and_asks_again(
    capsys: pytest.CaptureFixture[str], server: ScriptedServer, home: Path
) -> None:
    state = ServerState(server.url, "tiny", home / "cache")
    proved = {"response_format": datetime(2026, 11, 28, tzinfo=UTC)}
    state.keep(replace(state.abilities, form="off", refused="top_k", proved=proved))
    at = ("--base-url", server.url, "--model", "tiny")
    shown = "had refused response_format (since 2026-11-28), top_k. Asked again, it refuses nothing."
    assert shown in run(capsys, "doctor", *at)[1]
    assert "had refused" not in run(capsys, "doctor", *at)[1]


def test_doctor_names_what_is_wrong(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    code, out = run(capsys, "doctor", "--base-url", "http://127.0.0.1:9/v1")
    assert code == 1 and "Nothing answers at http://127.0.0.1:9/v1" in out
    (home / "config.toml").write_text("[ui]\ntheem = 1\n")
    assert "ui.theem" in run(capsys, "doctor")[1]
    (home / "config.toml").write_text("[ui\n")
    code, out = run(capsys, "doctor")
    assert code == 1 and "config.toml" in out


def test_doctor_says_once_what_is_wrong_with_the_model_of_several_agents(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    SettingsFile(home / "config.toml").set(
        {("profiles", "local", "base_url"): "http://127.0.0.1:9/v1", ("agents", "memory", "temperature"): 0.1}
    )
    assert run(capsys, "doctor")[1].count("Nothing answers") == 1


def test_doctor_calls_no_remote_host_without_consent(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(capsys, "doctor", "--base-url", "https://models.example/v1")
    assert code == 1 and "models.example" in out and "--allow-remote" in out


@pytest.mark.posix("file modes")
def test_doctor_notices_folders_open_to_others(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    run(capsys, "models")
    home.chmod(0o755)
    code, out = run(capsys, "doctor")
    assert code == 0 and "chmod 700" in out


def test_output_holds_no_escape_codes(capsys: pytest.CaptureFixture[str], server: ScriptedServer) -> None:
    server.on("/v1/models", status(200, {"data": [{"id": "ti\x1b[31mny"}]}))
    server.script("*", say("\x1b]0;owned\x07Ready."))
    for command in ("models", "doctor"):
        assert "\x1b" not in run(capsys, command, "--base-url", server.url)[1]
