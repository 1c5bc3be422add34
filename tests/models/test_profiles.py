"""Which model answers (S8.1): the file, then the environment, then options; keys go only where they were meant to."""

import pytest

from theact_tui.errors import UsageError
from theact_tui.models.addresses import check_url, is_local
from theact_tui.models.environment import Environment, ModelOptions
from theact_tui.models.profiles import Override, Profile, Target, resolve

FILE = {
    "home": Profile(base_url="http://127.0.0.1:8080/v1", model="qwen", context_limit=16384),
    "cloud": Profile(base_url="https://models.example/v1", model="big", api_key_env="CLOUD_KEY"),
}


def target(
    env: dict[str, str] | None = None,
    options: ModelOptions | None = None,
    chosen: str = "home",
    override: Override | None = None,
) -> Target:
    found = resolve(FILE, chosen, override, options or ModelOptions(), env or {})
    assert found is not None
    return found


def test_the_chosen_or_only_profile_of_the_file_is_used_and_none_means_no_endpoint() -> None:
    assert target().profile == FILE["home"]
    found = resolve({"home": FILE["home"]}, "", None, ModelOptions(), {})
    assert found and found.profile.model == "qwen"
    assert resolve({}, "", None, ModelOptions(), {}) is None
    assert resolve(FILE, "offline", None, ModelOptions(), {}) is None


@pytest.mark.parametrize("name", ["LLM_API_KEY", "OPENAI_API_KEY", "LLM_MODEL", "LLM_TIMEOUT"])
def test_a_key_or_a_model_alone_configures_nothing(name: str) -> None:
    assert resolve({}, "", None, ModelOptions(), {name: "5"}) is None


def test_the_environment_wins_over_the_file_and_our_variables_over_those_of_openai() -> None:
    openai = {"OPENAI_BASE_URL": "http://127.0.0.1:2/v1"}
    env = {"LLM_BASE_URL": "http://127.0.0.1:1234/v1", "LLM_MODEL": "phi", "LLM_TIMEOUT": "7.5"}
    found = target({**env, **openai}).profile
    assert (found.base_url, found.model, found.timeout) == ("http://127.0.0.1:1234/v1", "phi", 7.5)
    moved = target(openai).profile
    assert (moved.base_url, moved.model) == (openai["OPENAI_BASE_URL"], ""), "its model is of another server"


@pytest.mark.parametrize("named", ["LLM_BASE_URL", "OPENAI_BASE_URL"])
@pytest.mark.parametrize("key", ["LLM_API_KEY", "OPENAI_API_KEY"])
def test_a_key_of_the_process_goes_to_no_address_that_only_a_file_names(named: str, key: str) -> None:
    elsewhere = {named: "http://10.0.0.9/v1"}
    assert target(Environment({key: "mine"}, elsewhere)).key == ""
    assert target(Environment({key: "mine"}, {**elsewhere, "LLM_API_KEY": "its"})).key == "its"
    assert target(Environment({}, {**elsewhere, key: "its"})).key == "its"
    assert target(Environment({key: "mine", **elsewhere}, {})).key == "mine"
    typed = ModelOptions(base_url="http://10.0.0.9/v1")
    assert target(Environment({key: "mine"}, elsewhere), typed).key == "mine"


def test_options_win_over_the_environment_and_over_an_agents_own_profile() -> None:
    env = {"LLM_BASE_URL": "http://127.0.0.1:1/v1", "LLM_MODEL": "phi"}
    found = target(env, ModelOptions(base_url="http://127.0.0.1:3/v1", model="yi")).profile
    assert (found.base_url, found.model) == ("http://127.0.0.1:3/v1", "yi")
    named = target(env, ModelOptions(profile="cloud")).profile
    assert (named.base_url, named.model) == ("https://models.example/v1", "big")
    own = Override(profile="cloud", model="big")
    chosen = target(options=ModelOptions(profile="home"), override=own)
    assert chosen.profile.model == "qwen"


def test_an_agent_may_use_another_profile_model_and_temperature() -> None:
    found = target(override=Override(profile="cloud", temperature=0.4, reasoning_tokens=900))
    assert found.profile.model == "big"
    assert (found.temperature, found.profile.reasoning_tokens) == (0.4, 900)
    assert target(override=Override(model="qwen-mini")).profile.model == "qwen-mini"


def test_a_key_goes_only_where_it_was_meant_to() -> None:
    keys = {"LLM_API_KEY": "ours", "OPENAI_API_KEY": "openai", "CLOUD_KEY": "cloud"}
    assert target(keys, chosen="cloud").key == "ours"
    assert target(keys, ModelOptions(profile="cloud")).key == "cloud"
    assert target(keys, override=Override(profile="cloud")).key == "cloud"
    del keys["CLOUD_KEY"]
    assert target(keys, override=Override(profile="cloud")).key == ""
    del keys["LLM_API_KEY"]
    assert target(keys).key == ""
    assert target({**keys, "OPENAI_BASE_URL": "http://127.0.0.1:2/v1"}).key == "openai"
    moved = {"CLOUD_KEY": "cloud", "LLM_BASE_URL": "http://127.0.0.1:1/v1"}
    assert target(moved, chosen="cloud").key == ""


def test_a_target_never_shows_its_key() -> None:
    assert "hush" not in repr(target({"LLM_API_KEY": "hush"}))


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.1:1", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:8080/v1", True),
        ("http://10.1.2.3", True),
        ("http://192.168.1.20:1234/v1", True),
        ("http://172.31.0.1", True),
        ("http://[::ffff:10.0.0.1]", True),
        ("http://[fd00::1]", True),
        ("http://172.32.0.1", False),
        ("http://[::ffff:8.8.8.8]", False),
        ("https://api.openai.com/v1", False),
        ("http://localhost.example.com", False),
        ("http://127.0.0.1.example.com", False),
        ("http://2130706433", False),
        ("http://nas.local:1234", False),
        ("http://127.0.0.1%x.evil.example", False),
        ("http://[fe80::1%25eth0]:8080", True),
    ],
)
def test_loopback_and_private_addresses_are_local(url: str, local: bool) -> None:
    assert is_local(url) is local


def test_an_address_is_tidied() -> None:
    assert Profile(base_url=" localhost:11434/v1/ ").base_url == "http://localhost:11434/v1"


@pytest.mark.parametrize(
    "url", ["ftp://x/v1", "http://", "http://me:secret@host/v1", "http://host/v1?key=1", "http://h:port/v1"]
)
def test_an_address_that_cannot_be_used_is_refused_with_a_sentence(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        resolve({}, "", None, ModelOptions(base_url=url), {})
    assert "secret" not in caught.value.message


def test_wrong_use_is_told() -> None:
    with pytest.raises(UsageError, match="No connected model is called 'nope'"):
        resolve(FILE, "nope", None, ModelOptions(), {})
    with pytest.raises(UsageError, match="--base-url"):
        resolve({}, "", None, ModelOptions(model="m"), {})
    with pytest.raises(UsageError, match="LLM_TIMEOUT"):
        target({"LLM_TIMEOUT": "soon"})


@pytest.mark.parametrize(
    "address", ["not a url", "http://my server:8080", "", "http://", "ftp://x/y", "http://a:99999"]
)
def test_what_is_no_address_is_refused_before_anything_is_asked(address: str) -> None:
    with pytest.raises(ValueError, match=r"server address, such as http://127\.0\.0\.1:8080/v1$"):
        check_url(address)
