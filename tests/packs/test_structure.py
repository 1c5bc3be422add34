"""S2: warnings about length, and what the storyteller's material and prompt templates must be."""

import re
from pathlib import Path

import pytest

from tests.packs.cases import FIRST, SECOND, faults, texts_in
from tests.packs.conftest import Edit
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import check_pack, load_pack
from theact_tui.story.names import Names

LONG = "word " * 150


@pytest.mark.parametrize(
    ("file", "old", "new", "error"),
    [
        (
            "game.yaml",
            "characters: [odile",
            "characters: [odlie",
            "the file characters/odlie.yaml is missing; did you mean 'odile'?",
        ),
        (
            FIRST,
            "characters: [odile",
            "characters: [odlie",
            "there is no character 'odlie'; did you mean 'odile'?",
        ),
    ],
)
def test_a_misspelt_id_in_a_list_is_one_error(
    pack: Path, edit: Edit, file: str, old: str, new: str, error: str
) -> None:
    edit(file, old, new)
    assert [(one.file, one.message) for one in check_pack(pack) if one.level == "error"] == [(file, error)]


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("world.yaml", "setting: >", f"setting: >\n  {LONG}", "do best with at most 150 here"),
        ("characters/bram.yaml", "secret: He", f"secret: {LONG} He", "do best with at most 80 here"),
        (FIRST, "summary: >", f"summary: >\n  {LONG}", "do best with at most 120 here"),
        (
            FIRST,
            "nobody else got off",
            "nobody " * 12,
            "a beat of 16 words; small models do best with at most 15",
        ),
        (FIRST, "  - Odile shows a suitcase with the traveller's name on it\n", "", "3 beats"),
        (FIRST, "completion:", "  - beat 0\n  - beat 1\n  - beat 2\ncompletion:", "7 beats"),
        (FIRST, "the traveller finds that nobody else got off", "'???'", "the beat '???' has no words"),
        ("game.yaml", "id: halfway", "id: elsewhere", "the folder is called 'halfway'"),
    ],
    ids=(
        "a setting",
        "a secret",
        "a summary",
        "a beat",
        "few beats",
        "many beats",
        "no words",
        "another name",
    ),
)
def test_a_pack_that_is_too_long_is_warned_about_and_loads(
    pack: Path, edit: Edit, file: str, old: str, new: str, said: str
) -> None:
    (pack / "storyteller.yaml").unlink()
    edit(file, old, new)
    findings = check_pack(pack)
    assert [finding.level for finding in findings] == ["warning"]
    assert said in findings[0].message
    assert findings[0].file == file
    load_pack(pack)


@pytest.mark.parametrize(("old", "new", "level", "said"), faults("storyteller_faults.jsonl"))
def test_the_storyteller_is_checked(
    pack: Path, edit: Edit, old: str, new: str, level: str, said: str
) -> None:
    edit("storyteller.yaml", old, new)
    found = [finding for finding in check_pack(pack) if said in finding.message]
    assert [finding.level for finding in found][:1] == [level], check_pack(pack)
    assert found[0].file == "storyteller.yaml"
    assert found[0].line is not None


def test_every_chapter_needs_its_material(pack: Path) -> None:
    (pack / "storyteller.yaml").write_text("reactions: {}\n", "utf-8")
    said = [str(finding) for finding in check_pack(pack)]
    assert "storyteller.yaml, line 1: the chapter '01-the-platform' has no material here" in said
    assert "storyteller.yaml, line 1: no reactions for 'look'" in said


@pytest.mark.parametrize(
    ("agent", "text", "said"),
    [
        ("recap", "Tell it again.\n{turns}", None),
        ("recap", "Braces {{as such}}. {turns}", None),
        ("recap", "Tell it again.", "the placeholder '{turns}' is missing"),
        (
            "recap",
            "{turns}\n{tirle}",
            "prompts/recap.txt, line 2: unknown placeholder '{tirle}'; did you mean 'title'?",
        ),
        ("recap", "{turns}\n{", "line 2: unmatched brace; write {{"),
        ("recap", "{turns!r}", "unknown placeholder '{turns!r}'"),
        ("recap", "{turns:>9999999999}", "unknown placeholder"),
        ("recap", "{turns.__class__}", "unknown placeholder"),
        ("recaap", "{turns}", "there is no agent 'recaap'; did you mean 'recap'?"),
    ],
)
def test_a_prompt_template_is_checked(pack: Path, agent: str, text: str, said: str | None) -> None:
    (pack / "prompts").mkdir()
    (pack / f"prompts/{agent}.txt").write_text(text, "utf-8")
    found = [str(finding) for finding in check_pack(pack)]
    if said is None:
        assert found == []
        assert load_pack(pack).prompts == {agent: text}
    else:
        assert any(said in each for each in found), found


SHIPPED = sorted(folder for folder in shipped_folder().iterdir() if folder.is_dir())


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_a_secret_comes_out_at_a_beat_of_somebody_whom_it_concerns(folder: Path) -> None:
    """`reveal` counts beats: a beat that was taken out let Sir Edmund's arrival be told as Ogilvy's confession."""
    pack = load_pack(folder)
    names = Names(pack.names)
    for id, card in pack.characters.items():
        beat = pack.reveal_of(id)[1]
        assert not card.reveal or {*names.within(beat)} & {id, *names.within(card.secret)}, (id, beat)


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_shipped_packs_have_no_findings(folder: Path) -> None:
    assert [str(finding) for finding in check_pack(folder)] == []
    pack = load_pack(folder)
    assert pack.id == folder.name
    assert len(pack.chapters) == 3


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
def test_shipped_prose_is_plain(folder: Path) -> None:
    """No marks of markdown anywhere: prose is shown as it is."""
    prose = "\n".join(text for text in texts_in(load_pack(folder).script.model_dump()) if " " in text)
    assert re.findall(r"[*_`#]|^ *[-+>] ", prose, re.M) == []


def test_three_packs_are_shipped() -> None:
    assert {"lost-island", "horsell-pit"} < {folder.name for folder in SHIPPED}
    assert [load_pack(folder).game.keeper for folder in SHIPPED].count("risky") == 1


ROBIN = "Robin is a traveller who meant to sleep through to the terminus."


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("world.yaml", "Nothing here is a dream.", "Whoever wears the cap becomes the next stationmaster.",
            "which every character reads"),
        ("world.yaml", "Nothing here is a dream.", ROBIN, "player.description says"),
        ("characters/bram.yaml", "Pretends not to count the cups she gives away.", ROBIN, "player.description says"),
    ],
)  # fmt: skip
def test_what_tells_characters_a_secret_or_who_the_player_is_is_warned_about(
    file: str, old: str, new: str, said: str, pack: Path, edit: Edit
) -> None:
    edit(file, old, new)
    assert any(finding.level == "warning" and said in finding.message for finding in check_pack(pack))


@pytest.mark.parametrize("brace", ["{playr}", "{{player}}", "{Player}", "{{user}}"])
def test_what_was_meant_for_the_player_is_warned_about(pack: Path, edit: Edit, brace: str) -> None:
    edit("world.yaml", "setting: >", f"setting: >\n  {brace} has {{a}} {{strange}} {{player}} of old.")
    (finding,) = [each for each in check_pack(pack) if "stays in the text" in each.message]
    assert (finding.level, finding.field) == ("warning", "setting") and brace in finding.message


def test_a_chapter_that_tells_what_one_before_it_told_is_warned_about(pack: Path) -> None:
    (pack / "storyteller.yaml").unlink()
    first, second = ((pack / file).read_text("utf-8") for file in (FIRST, SECOND))
    summary, beats = (re.compile(rf"^{key}:.*\n(?: .*\n)+", re.MULTILINE) for key in ("summary", "beats"))
    for part in (summary, beats):
        found = part.search(first)
        assert found
        second = part.sub(found[0], second)
    (pack / SECOND).write_text(second, "utf-8")
    assert [finding.message for finding in check_pack(pack)] == [
        f"the same {name} as in the chapter '01-the-platform'" for name in ("summary", "beats")
    ]
