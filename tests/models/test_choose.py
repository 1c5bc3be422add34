"""Who answers a game's agents (S8.1): sharing, per-agent models, consent, and the storyteller when nothing is set."""

from pathlib import Path

import pytest

from tests.models.conftest import Workshop, ask, collect
from tests.support.fake_server import say, status
from theact_tui.engine.choose_models import ModelsChooser, models_chooser
from theact_tui.models.consent import ConsentNeeded, find_targets
from theact_tui.models.endpoint import Endpoint
from theact_tui.models.environment import ModelOptions
from theact_tui.models.model_for_agent import Endpoints, Offline
from theact_tui.models.profiles import Override, Profile
from theact_tui.models.settings import Settings, SettingsFile
from theact_tui.packs.loader import load_pack
from theact_tui.paths import Home
from theact_tui.story.pack import Pack

NONE = ModelOptions()
REMOTE = Profile(base_url="https://models.example/v1", model="big")


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack(Path(__file__).parents[2] / "content" / "lost-island")


def endpoints(
    settings: Settings, pack: Pack, options: ModelOptions = NONE, cache: Path | None = None
) -> Endpoints:
    chosen = ModelsChooser(settings, options, {}, cache)(pack, 1)
    assert isinstance(chosen, Endpoints)
    return chosen


def test_nothing_configured_means_the_storyteller(pack: Pack) -> None:
    chosen = ModelsChooser(Settings(), NONE, {"OPENAI_API_KEY": "k"})(pack, 7)
    assert isinstance(chosen, Offline) and chosen.offline
    assert chosen.for_agent("narrator").provider == "storyteller"


def test_offline_wins_over_everything(pack: Pack) -> None:
    settings = Settings(profile="gone", agents={"memory": Override(profile="gone too")})
    env = {"LLM_BASE_URL": "http://127.0.0.1:1/v1"}
    assert ModelsChooser(settings, ModelOptions(offline=True), env)(pack, 7).offline


def test_agents_have_models_of_their_own(pack: Pack) -> None:
    settings = Settings(
        profile="a",
        profiles={
            "a": Profile(base_url="http://127.0.0.1:1/v1", model="m", max_parallel=3),
            "b": Profile(base_url="http://127.0.0.1:1/v1", model="n", max_parallel=2),
        },
        agents={
            "memory": Override(profile="b"),
            "actor:2": Override(temperature=0.1),
            "actor": Override(model="x"),
        },
    )
    chosen = endpoints(settings, pack)
    assert [chosen.for_agent(key).name for key in ("narrator", "memory", "memory:maya", "actor:1", "actor:2")] == [
        "m", "n", "n", "x", "m",
    ]  # fmt: skip
    assert {chosen.for_agent(key).max_parallel for key in ("narrator", "memory")} == {2}
    narrator, second = chosen.for_agent("narrator"), chosen.for_agent("actor:2")
    assert isinstance(narrator, Endpoint) and isinstance(second, Endpoint)
    assert narrator.knowledge is second.knowledge
    assert chosen.for_agent("keeper") is chosen.default


def test_a_remote_host_needs_consent_by_name(pack: Pack) -> None:
    settings = Settings(profiles={"r": REMOTE})
    with pytest.raises(ConsentNeeded, match=r"models\.example.*--allow-remote") as caught:
        ModelsChooser(settings, NONE, {})(pack, 1)
    assert caught.value.hosts == ("models.example",) and caught.value.exit_code == 2
    assert endpoints(settings, pack, ModelOptions(allow_remote=True)).default.name == "big"
    assert (
        endpoints(settings.model_copy(update={"allowed_hosts": ("models.example",)}), pack).default.name
        == "big"
    )


def test_a_remote_host_of_one_agent_needs_consent_too() -> None:
    settings = Settings(
        profile="l",
        profiles={"l": Profile(base_url="http://127.0.0.1:1/v1"), "r": REMOTE},
        agents={"chapter": Override(profile="r")},
    )
    assert find_targets(settings, NONE, {}).remote_hosts == ("models.example",)


def test_consent_on_the_command_line_is_remembered(
    tmp_path: Path, pack: Pack, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LLM_BASE_URL", "LLM_MODEL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    home = Home.find(tmp_path)
    SettingsFile(home.config_file).set({("profiles", "r"): REMOTE.model_dump(exclude_defaults=True)})
    with pytest.raises(ConsentNeeded):
        models_chooser(home, NONE, pace=False)(pack, 1)
    models_chooser(home, ModelOptions(allow_remote=True), pace=False)(pack, 1)
    assert models_chooser(home, NONE, pace=False)(pack, 1).for_agent("narrator").name == "big"


async def test_a_look_before_play_tells_what_is_amiss(workshop: Workshop, pack: Pack) -> None:
    entry = {"id": "tiny", "owned_by": "llamacpp", "meta": {"n_ctx": 2048}}
    workshop.server.on("/v1/models", status(200, {"data": [entry]}))
    settings = Settings(profiles={"a": Profile(base_url=workshop.server.url)})
    chosen = endpoints(settings, pack, cache=workshop.cache)
    (warning,) = await chosen.probe()
    assert "2,048" in warning
    assert (chosen.default.name, chosen.default.window) == ("tiny", 2048)
    await chosen.close()


async def test_a_key_is_written_nowhere(workshop: Workshop, pack: Pack, tmp_path: Path) -> None:
    workshop.server.script("*", say("Yes."), status(401, {"error": {"message": "bad key sk-secret-123"}}))
    env = {"LLM_BASE_URL": workshop.server.url, "LLM_MODEL": "tiny", "LLM_API_KEY": "sk-secret-123"}
    chosen = ModelsChooser(Settings(), NONE, env, workshop.cache)(pack, 1)
    model = chosen.for_agent("narrator")
    assert isinstance(model, Endpoint)
    await collect(model)
    with pytest.raises(Exception, match="does not accept") as caught:
        await collect(model, ask("again"))
    await chosen.close()
    assert workshop.server.calls[0].headers["authorization"] == "Bearer sk-secret-123"
    written = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert written and not any(b"sk-secret" in content for content in written)
    assert "sk-secret" not in f"{caught.value} {model.target!r} {vars(model)!r}"


async def test_an_unreachable_server_is_told_by_the_look(pack: Pack) -> None:
    settings = Settings(profiles={"a": Profile(base_url="http://127.0.0.1:9/v1")})
    (told,) = await endpoints(settings, pack).probe()
    assert "Nothing answers" in told
