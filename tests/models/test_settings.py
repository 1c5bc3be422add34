"""`config.toml`: checked when read, its comments kept when written, private, without keys (S8.1, S13)."""

from pathlib import Path

import pytest

from theact_tui.errors import UsageError
from theact_tui.models.environment import environment, read_env
from theact_tui.models.profiles import Override, Profile
from theact_tui.models.settings import Settings, SettingsFile, Ui


@pytest.fixture
def file(tmp_path: Path) -> SettingsFile:
    return SettingsFile(tmp_path / "config" / "config.toml")


def write(file: SettingsFile, text: str) -> None:
    file.path.parent.mkdir(exist_ok=True)
    file.path.write_text(text, "utf-8")


def test_a_missing_file_holds_the_defaults(file: SettingsFile) -> None:
    assert file.read() == Settings()
    assert not file.path.exists()


def test_a_byte_order_mark_is_skipped(file: SettingsFile) -> None:
    write(file, '\ufeffprofile = "offline"\n')
    assert file.read().profile == "offline"
    file.set({("ui", "pace"): 4.5})
    assert file.read().profile == "offline"


def test_what_is_written_is_read(file: SettingsFile) -> None:
    own = {"base_url": "http://127.0.0.1:1/v1", "model": "m", "context_limit": 4096}
    file.set({("profiles", "my own"): own})
    file.set({("profile",): "my own", ("ui", "pace"): 4.5, ("agents", "actor:2", "model"): "other"})
    read = file.read()
    assert read.profiles["my own"].context_limit == 4096
    assert (read.profile, read.ui.pace, read.agents["actor:2"].model) == ("my own", 4.5, "other")
    assert "timeout" not in file.path.read_text()


def test_comments_and_unknown_keys_survive_a_change(file: SettingsFile) -> None:
    write(file, '# mine\n[ui] # look\ntheme = "dark" # at night\nlater = 1\n')
    file.set({("ui", "theme"): "light"})
    text = file.path.read_text()
    assert "# mine" in text and "[ui] # look" in text and "later = 1" in text and '"light"' in text


def test_a_value_of_none_removes_a_key(file: SettingsFile) -> None:
    file.set({("profiles", "a", "base_url"): "http://127.0.0.1:1/v1"})
    file.set({("profiles", "a"): None, ("agents", "narrator", "model"): None})
    assert file.read().profiles == {} and file.read().agents == {}


def test_a_value_where_a_table_belongs_gives_way(file: SettingsFile) -> None:
    write(file, "ui = 3\nprofiles = 4\n")
    assert file.set({("ui", "theme"): "light", ("profiles", "a", "model"): "tiny"}).ui.theme == "light"
    assert file.read().profiles["a"].model == "tiny"


def test_a_table_that_is_left_empty_goes_unless_something_else_stands_in_it(file: SettingsFile) -> None:
    file.set({("ui", "keys", "play.retry"): "f6"})
    file.set({("ui", "keys", "play.retry"): None})
    assert file.path.read_text() == ""
    for kept in ("# mine\n", '"play.redo" = "f11"\n'):
        file.path.write_text(f'[ui.keys]\n{kept}"play.undo" = "f12"\n')
        file.set({("ui", "keys", "play.undo"): None})
        assert file.path.read_text() == f"[ui.keys]\n{kept}"


def test_a_wrong_value_is_refused_and_the_file_left_alone(file: SettingsFile) -> None:
    write(file, "[ui]\npace = 3\n")
    with pytest.raises(UsageError, match=r"ui\.pace must be at least 0, not '-1'\.$"):
        file.set({("ui", "pace"): -1})
    assert file.path.read_text() == "[ui]\npace = 3\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[ui\n", r"config\.toml"),
        ("profile = 3\n", r"config\.toml"),
        ('[profiles.a]\nbase_url = "ftp://x"\n', r"config\.toml"),
        ("profile = [\n", r"config\.toml.*at end of document"),
        ('profile = "offline"\n', "Save it as UTF-8"),
    ],
)
def test_a_bad_file_is_told_by_name(file: SettingsFile, text: str, said: str) -> None:
    write(file, "")
    file.path.write_bytes(text.encode("utf-16" if "UTF-8" in said else "utf-8"))
    with pytest.raises(UsageError, match=said):
        file.read()


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("sampling = { dry_multiplier = inf }", "dry_multiplier"),
        ("sampling = { top_p = nan }", "top_p"),
        ("temperature = nan", "temperature"),
        ("timeout = inf", "timeout"),
        ("extra_body = { bias = inf }", "extra_body must hold|extra_body: must hold"),
        ("extra_body = { since = { day = 2026-01-01 } }", "extra_body: must hold"),
        ('extra_body = "bias = -inf"', "extra_body: must hold"),
        ("sampling = { tpo_p = 0.9 }", "unknown field .*tpo_p.*top_p"),
        ('sampling = "tpo_p = 0.9"', "unknown field .*tpo_p.*top_p"),
    ],
)
def test_what_cannot_be_sent_is_refused_when_it_is_read(file: SettingsFile, text: str, field: str) -> None:
    write(file, f"[profiles.mine]\n{text}\n")
    with pytest.raises(UsageError, match=field):
        file.read()


def test_misspelt_keys_are_found_and_empty_tables_with_such_names(file: SettingsFile) -> None:
    write(file, '[ui]\nthem = "x"\n[profiles.a]\nbase_ulr = "y"\n[ui.keys]\nretry = "r"\n')
    assert file.unknown() == ["ui.them", "profiles.a.base_ulr"]
    write(file, "[ui.keyz]\n[agents.narrator.samplign]\n[ui.keys.play]\nretry = 'ctrl+r'\n")
    assert file.unknown() == ["ui.keyz", "agents.narrator.samplign"]


def test_a_host_is_allowed_once(file: SettingsFile) -> None:
    file.allow("models.example")
    assert file.allow("models.example").allowed_hosts == ("models.example",)


@pytest.mark.posix("file modes")
def test_the_file_is_private(file: SettingsFile) -> None:
    file.allow("models.example")
    assert file.path.stat().st_mode & 0o077 == 0
    assert file.path.parent.stat().st_mode & 0o077 == 0


@pytest.mark.posix("links")
def test_a_linked_file_stays_a_link(file: SettingsFile, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("")
    file.path.parent.mkdir()
    file.path.symlink_to(real)
    file.allow("models.example")
    assert file.path.is_symlink() and "models.example" in real.read_text()


def test_every_setting_has_a_sentence() -> None:
    for model in (Settings, Ui, Profile, Override):
        assert all(field.description for field in model.model_fields.values())


def test_the_environment_beats_the_env_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        "# a comment\nexport LLM_MODEL='one two' # why\nLLM_BASE_URL=http://h/v1 # x\nLLM_API_KEY=\"a#b\"\nnonsense\n"
    )
    found = environment(tmp_path, {"LLM_MODEL": "theirs"})
    assert found == {"LLM_MODEL": "theirs", "LLM_BASE_URL": "http://h/v1", "LLM_API_KEY": "a#b"}


def test_a_broken_env_file_is_no_env_file(tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"LLM_MODEL=\xff\xfe")
    (tmp_path / "big").write_bytes(b"A=b\n" * 100_000)
    assert read_env(tmp_path / "bad") == read_env(tmp_path / "big") == read_env(tmp_path / "none") == {}
