"""`models` and `doctor` (S12): what could tell a story here, and whether all is well."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.cli import Run
from tests.support.fake_server import ScriptedServer, say, status
from theact_tui.models.server_capabilities import ServerState
from theact_tui.models.settings import SettingsFile


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(say("Ready.")) as server:
        server.on("/v1/models", status(200, {"data": [{"id": "tiny", "meta": {"n_ctx": 4096}}]}))
        yield server


@pytest.fixture(autouse=True)
def no_model_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "LLM_BASE_URL LLM_MODEL LLM_API_KEY LLM_TIMEOUT OPENAI_BASE_URL OPENAI_API_KEY".split():
        monkeypatch.delenv(name, raising=False)


def test_without_a_model_the_storyteller_is_in_use(run: Run) -> None:
    done = run("models")
    assert done.code == 0 and "offline storyteller" in done.out
    assert run("models", "--json").json["in_use"] == {"offline": True}


@pytest.mark.posix("file modes")
def test_models_shows_what_the_server_has(run: Run, server: ScriptedServer) -> None:
    done = run("models", "--base-url", server.url, "--json")
    in_use = done.json["in_use"]
    assert done.code == 0
    assert (in_use["reached"], in_use["models"], in_use["window"]) == (True, ["tiny"], 4096)
    assert "4,096" in run("models", "--base-url", server.url).out


@pytest.mark.posix("file modes")
def test_models_lists_profiles_without_keys(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOUD_KEY", "sk-hush")
    cloud = {"base_url": "https://models.example/v1", "model": "big", "api_key_env": "CLOUD_KEY"}
    SettingsFile(home / "config.toml").set({("profiles", "cloud"): cloud})
    done = run("models")
    assert done.code == 0 and "--allow-remote" in done.out
    assert "cloud: big at https://models.example/v1" in done.out
    assert "sk-hush" not in done.out + run("models", "--json").out


def test_a_healthy_home_passes(run: Run, server: ScriptedServer) -> None:
    done = run("doctor", "--base-url", server.url, "--json")
    document = done.json
    assert done.code == 0 and document["ok"] is True
    assert {check["area"] for check in document["checks"]} == {"terminal", "settings", "storage", "model"}
    assert server.calls[0].agent == "test"
    said = run("doctor", "--base-url", server.url, "--model", "tiny").out
    assert "Ready." in said and "4,096" in said
    assert "tiktoken.get_encoding" not in said and "python -c" not in said and "counted by" not in said
    assert "Token counts are estimated" in said and "this is fine" in said
    levels = {line.split()[0] for line in said.splitlines() if line and not line.startswith(" ")}
    assert levels and levels <= {"ok", "warning", "error"}, said


def test_doctor_tells_a_parrot_from_a_model_that_plays(run: Run, server: ScriptedServer) -> None:
    done = run("doctor", "--base-url", server.url, "--model", "tiny", "--try")
    said = "Too small to tell a story well; 7B or larger is recommended. It answered 0 of 15 questions"
    assert done.code == 1 and said in done.out
    document = run("doctor", "--base-url", server.url, "--model", "tiny", "--try", "--json").json
    assert document["audition"]["verdict"] == "too small" and not document["ok"]
    err = run("create", "A lighthouse.", "--base-url", server.url, "--model", "tiny", "--yes").err
    assert "tiny: Too small to tell a story well; 7B or larger is recommended." in err
    assert "small" not in run("doctor", "--base-url", server.url, "--model", "tiny").out
    assert "small" not in run("doctor", "--offline", "--try").out


@pytest.mark.parametrize("where", ["offline", "broken"])
def test_doctor_says_so_when_there_is_nothing_to_try(run: Run, where: str) -> None:
    at = ("--offline",) if where == "offline" else ("--base-url", "http://127.0.0.1:9/v1")
    why = "no model is connected" if where == "offline" else "something above is wrong"
    done = run("doctor", *at, "--try")
    assert f"Nothing was tried, because {why}" in done.out and done.code == (where == "broken")
    checks = run("doctor", *at, "--try", "--json").json["checks"]
    assert checks[-1]["level"] == "warning" and why in checks[-1]["text"]


def test_doctor_says_that_prompts_are_not_sent_ahead(run: Run, server: ScriptedServer, home: Path) -> None:
    at = ("--base-url", server.url, "--model", "tiny")
    assert "not prepared" not in run("doctor", *at).out
    state = ServerState(server.url, "tiny", home / "cache")
    state.keep(replace(state.abilities, warm_up="off"))
    assert "keeps no prompts, so pages are not prepared while you read" in run("doctor", *at).out


def test_doctor_shows_what_a_server_refuses_and_asks_again(
    run: Run, server: ScriptedServer, home: Path
) -> None:
    state = ServerState(server.url, "tiny", home / "cache")
    proved = {"response_format": datetime(2026, 11, 28, tzinfo=UTC)}
    state.keep(replace(state.abilities, form="off", refused="top_k", proved=proved))
    at = ("--base-url", server.url, "--model", "tiny")
    shown = "had refused response_format (since 2026-11-28), top_k. Asked again, it refuses nothing."
    assert shown in run("doctor", *at).out
    assert "had refused" not in run("doctor", *at).out


def test_doctor_names_what_is_wrong(run: Run, home: Path) -> None:
    done = run("doctor", "--base-url", "http://127.0.0.1:9/v1")
    assert done.code == 1 and "Nothing answers at http://127.0.0.1:9/v1" in done.out
    (home / "config.toml").write_text("[ui]\ntheem = 1\n")
    assert "ui.theem" in run("doctor").out
    (home / "config.toml").write_text("[ui\n")
    done = run("doctor")
    assert done.code == 1 and "config.toml" in done.out


def test_doctor_says_once_what_is_wrong_with_the_model_of_several_agents(run: Run, home: Path) -> None:
    SettingsFile(home / "config.toml").set(
        {("profiles", "local", "base_url"): "http://127.0.0.1:9/v1", ("agents", "memory", "temperature"): 0.1}
    )
    assert run("doctor").out.count("Nothing answers") == 1


def test_doctor_calls_no_remote_host_without_consent(run: Run) -> None:
    done = run("doctor", "--base-url", "https://models.example/v1")
    assert done.code == 1 and "models.example" in done.out and "--allow-remote" in done.out


@pytest.mark.posix("file modes")
def test_doctor_notices_folders_open_to_others(run: Run, home: Path) -> None:
    run("models")
    home.chmod(0o755)
    done = run("doctor")
    assert done.code == 0 and "chmod 700" in done.out


def test_output_holds_no_escape_codes(run: Run, server: ScriptedServer) -> None:
    server.on("/v1/models", status(200, {"data": [{"id": "ti\x1b[31mny"}]}))
    server.script("*", say("\x1b]0;owned\x07Ready."))
    for command in ("models", "doctor"):
        assert "\x1b" not in run(command, "--base-url", server.url).out
