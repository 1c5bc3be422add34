"""S2: a pack loads, or one sentence says where it is broken and what was expected."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.packs.cases import FAULTS, FIRST
from tests.packs.conftest import Edit
from theact_tui.packs.diagnostics import PackError
from theact_tui.packs.loader import check_pack, load_pack


@pytest.mark.parametrize(("file", "old", "new", "said"), FAULTS)
def test_a_fault_is_named_with_its_place(
    pack: Path, edit: Edit, file: str, old: str, new: str, said: str | None
) -> None:
    edit(file, old, new)
    if said is None:
        assert load_pack(pack).id == "halfway"
        return
    with pytest.raises(PackError) as error:
        load_pack(pack)
    assert any(said in str(finding) for finding in check_pack(pack) if finding.level == "error")
    assert "Traceback" not in error.value.message


def test_the_first_error_is_raised_with_the_number_of_others(pack: Path, edit: Edit) -> None:
    edit("game.yaml", "title: Halfway", "")
    edit("world.yaml", "tone: >", "tune: >")
    with pytest.raises(PackError) as error:
        load_pack(pack)
    assert error.value.message == "game.yaml, line 12: the field 'title' is missing (and 1 more error)"
    assert [finding.file for finding in check_pack(pack)] == ["game.yaml", "world.yaml"]


def test_a_pack_without_the_optional_fields_loads_unchanged(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    for file, text in {
        "game.yaml": "id: plain\ntitle: Plain\ndescription: d\ncharacters: [ann]\nchapters: ['01']\n",
        "world.yaml": "setting: s\ntone: t\nrules: r\n",
        "characters/ann.yaml": "name: Ann\nrole: baker\npersonality: kind\nsecret:\nrelationships: {}\n",
        "chapters/01.yaml": "id: 01\ntitle: T\nsummary: s\nbeats: [a, b, c, 4]\ncompletion: c\n"
        "characters: [ann]\nnext:\n",
    }.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, "utf-8")
    loaded = load_pack(folder)
    assert loaded.first_chapter.id == "01"
    assert loaded.first_chapter.beats == ("a", "b", "c", "4")
    assert loaded.first_chapter.opening_cast == ("ann",)
    assert loaded.characters["ann"].secret == ""
    assert (loaded.game.memory, loaded.game.keeper, loaded.game.difficulty) == ("facts", "off", 12)
    assert [finding.field for finding in check_pack(folder)] == []


def test_words_that_look_like_numbers_and_switches_stay_words(pack: Path, edit: Edit) -> None:
    edit("game.yaml", "title: Halfway", "title: 1e3\nmoments: on")
    edit("characters/bram.yaml", "name: Bram", "name: No")
    loaded = load_pack(pack)
    assert (loaded.game.title, loaded.game.moments, loaded.characters["bram"].name) == ("1e3", "on", "No")


def test_hostile_text_is_cleaned(pack: Path, edit: Edit) -> None:
    edit("characters/bram.yaml", "name: Bram", r'name: "\e]8;;http://x\aBr\u202Eam\e[31m\0"')
    assert load_pack(pack).characters["bram"].name == "Bram"


@pytest.mark.posix("links")
def test_files_outside_the_pack_are_refused(pack: Path, tmp_path: Path) -> None:
    card = pack / "characters/bram.yaml"
    outside = tmp_path / "bram.yaml"
    card.rename(outside)
    card.symlink_to(outside)
    with pytest.raises(PackError, match="is outside the pack"):
        load_pack(pack)


@pytest.mark.posix("links")
def test_a_folder_outside_the_pack_is_refused(pack: Path, tmp_path: Path) -> None:
    (pack / "chapters").rename(tmp_path / "chapters")
    (pack / "chapters").symlink_to(tmp_path / "chapters")
    assert any("chapters: is outside the pack" in str(finding) for finding in check_pack(pack))


@pytest.mark.posix("links")
def test_a_link_to_itself_and_a_pipe_are_no_files(pack: Path) -> None:
    (pack / "world.yaml").unlink()
    (pack / "world.yaml").symlink_to("world.yaml")
    (pack / "characters/bram.yaml").unlink()
    os.mkfifo(pack / "characters/bram.yaml")
    said = " ".join(str(finding) for finding in check_pack(pack))
    assert "world.yaml: cannot be read" in said
    assert "bram.yaml: is not a file" in said


def test_a_file_that_is_not_utf8_is_named_with_the_line(pack: Path) -> None:
    (pack / "world.yaml").write_bytes(b"setting: s\ntone: caf\xe9\nrules: r\n")
    with pytest.raises(PackError, match=r"world.yaml, line 2: is not UTF-8 text"):
        load_pack(pack)


BOMBS = {
    "huge": ("a: " + "x" * 2_000_001, "larger than 2000 KB"),
    "deep": ("a: " + "[" * 100_000, "deeper than 20 levels"),
    "deep and closed": ("a: " + "[" * 30 + "]" * 30, "deeper than 20 levels"),
    "laughs": (
        "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"{b}: &{b} [{', '.join(['*' + a] * 10)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        "values",
    ),
    "many aliases": ("a: &a x\nb: [" + "*a, " * 101 + "]", "more than 100 aliases"),
    "itself": ("a: &a [*a]", "inside itself"),
    "unknown alias": ("a: *b", "alias 'b'"),
    "many values": ("a: [" + "x, " * 50_001 + "]", "more than 50,000 values"),
    "empty": ("", "is empty"),
    "only a comment": ("# nothing\n", "is empty"),
    "a word": ("hello", "the file must contain fields"),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_a_bomb_is_refused(pack: Path, kind: str) -> None:
    text, said = BOMBS[kind]
    (pack / "world.yaml").write_text(text, "utf-8")
    with pytest.raises(PackError, match=r"world\.yaml") as error:
        load_pack(pack)
    assert said in error.value.message


def test_an_alias_may_repeat_a_value(pack: Path) -> None:
    (pack / "world.yaml").write_text("setting: &s a shore\ntone: *s\nrules: none\n", "utf-8")
    assert load_pack(pack).world.tone == "a shore"


def test_no_folder_is_a_broken_pack(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="there is no folder"):
        load_pack(tmp_path / "nowhere")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.binary(max_size=200), file=st.sampled_from(["game.yaml", "world.yaml", FIRST, "storyteller.yaml"])
)
def test_whatever_a_file_holds_only_a_pack_error_is_raised(pack: Path, data: bytes, file: str) -> None:
    before = (pack / file).read_bytes()
    try:
        (pack / file).write_bytes(data)
        with pytest.raises(PackError):
            load_pack(pack)
    finally:
        (pack / file).write_bytes(before)


YAMLISH = st.text(alphabet="ab:-[]{}&*!?|>\"'#%@` \n\t\\0~,", max_size=80)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=YAMLISH)
def test_whatever_is_added_to_a_file_only_a_pack_error_is_raised(pack: Path, text: str) -> None:
    before = (pack / "world.yaml").read_bytes()
    try:
        (pack / "world.yaml").write_bytes(before + text.encode())
        try:
            load_pack(pack)
        except PackError as error:
            assert error.message
    finally:
        (pack / "world.yaml").write_bytes(before)
