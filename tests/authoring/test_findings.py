"""Whatever `check` finds in a pack is shown in the form: beside its field, or above the fields of its file."""

from pathlib import Path

import pytest

from tests.packs.cases import FAULTS, FIRST, SECOND
from tests.packs.conftest import Edit, edit, pack
from theact_tui.authoring.draft import Draft
from theact_tui.authoring.questions import QUESTIONS, count_of, findings_of, hint_of
from theact_tui.packs.diagnostics import Finding
from theact_tui.packs.loader import check_pack
from theact_tui.paths import Home
from theact_tui.story.lore import LoreEntry
from theact_tui.tui.write.form import DraftState, placed

__all__ = ["edit", "pack"]

LONG = "word " * 150
MORE = [
    ("world.yaml", "setting: >", f"setting: >\n  {LONG}"),
    ("world.yaml", "tone: >", f"truth: {LONG}\ntone: >"),
    ("world.yaml", "tone: >", "tone: [a]\nrules:\ntune: >"),
    ("world.yaml", "tone: >", "tone: a: b"),
    ("characters/bram.yaml", "secret: He", f"secret: {LONG} He"),
    ("characters/bram.yaml", "secret: He", "reveal: 01-the-platform/40\nsecret: He"),
    (FIRST, "nobody else got off", "nobody " * 12),
    (FIRST, "completion:", "".join(f"  - beat {n}\n" for n in range(3)) + "completion:"),
    (FIRST, "completion:", "by: {no such beat: odile}\ncompletion:"),
    (FIRST, "completion:", "present: [heron]\ncompletion:"),
    (FIRST, "present: [odile]", "present:\n  - name: odile"),
    (FIRST, "characters: [odile, bram]", "characters:\n  - name: odile\n  - [bram]"),
    (SECOND, "completion:", "openings: 3\ncompletion:"),
    ("storyteller.yaml", "mood: mysterious", "mood: mysteryous"),
    ("game.yaml", "title: Halfway", "player: Wren\ntitle: Halfway"),
    ("game.yaml", "title: Halfway", "player: {name: You}\ntitle: Halfway"),
    ("game.yaml", "title: Halfway", "keeper: often\nmemory: no\ntitle: Halfway"),
]
ALL = [(*case.values[:3],) for case in FAULTS if case.values[3]] + MORE


@pytest.mark.parametrize(("file", "old", "new"), ALL)
def test_each_finding_has_its_place(
    pack: Path, edit: Edit, tmp_path: Path, file: str, old: str, new: str
) -> None:
    if "player" in new:
        text = (pack / file).read_text()
        (pack / file).write_text(text[: text.index("player:")] + text[text.index("memory:") :])
    edit(file, old, new)
    draft = Draft.of_pack(Home.find(tmp_path).create(), pack, "halfway")
    shown: list[Finding] = []
    for part in draft.parts():
        state = DraftState.read(draft, part.key)
        fields = QUESTIONS[part.kind]
        beside, above = placed(state.shown_findings, fields)
        names = {each.field for each in fields}
        for each in {*above} if not state.problem else ():
            assert each.field.split(".")[0] not in names, f"{each} is not beside its field"
        shown += [*above, *(each for own in beside.values() for each in own)]
        assert not state.problem or state.problem in map(str, state.shown_findings)
    elsewhere = DraftState.read(draft, "elsewhere").shown_findings
    found = [(each.file, each.line, each.field) for each in draft.findings()]
    assert found and {(each.file, each.line, each.field) for each in (*shown, *elsewhere)} == set(found)


def test_a_beat_of_nobody_is_told_by_the_checks_beside_the_beats(
    edit: Edit, pack: Path, tmp_path: Path
) -> None:
    edit(
        FIRST, "completion:", "  - A hand rises (Zed)\n  - It stops (again)\n  - It goes (Bram)\ncompletion:"
    )
    draft = Draft.of_pack(Home.find(tmp_path).create(), pack, "halfway")
    for found in (check_pack(pack), findings_of(draft)):
        told = [
            each.message for each in found if each.field.startswith("beats.") and "called" in each.message
        ]
        assert told == ["nobody in the story is called 'Zed'; the brackets stay in the beat"]


@pytest.mark.parametrize(
    "entries",
    [
        "- id: one\n  text: The first.\n- id: two\n  text: The second.\n",
        "entries:\n- id: one\n  text: The first.\n- id: two\n  text: The second.\n",
        '[{"id": "one", "text": "The first."}, {"id": "two", "text": "The second."}]\n',
    ],
)
def test_lore_is_changed_where_it_stands(pack: Path, tmp_path: Path, entries: str) -> None:
    (pack / "lore").mkdir()
    book = pack / "lore" / "book.yaml"
    book.write_text(f"# mine\n{entries}")
    draft = Draft.of_pack(Home.find(tmp_path).create(), pack, "halfway")
    draft.put_lore(LoreEntry(id="two", text="Changed.", keys=("bell",)))
    assert [(entry.id, entry.text) for entry in draft.lore()] == [("one", "The first."), ("two", "Changed.")]
    assert (draft.folder / "lore" / "book.yaml").read_text().startswith("# mine\n")


def test_an_answer_of_one_word_is_counted_as_one_and_a_semicolon_is_not_taken_for_a_name() -> None:
    description = next(each for each in QUESTIONS["concept"] if each.form == "text")
    cast = next(each for each in QUESTIONS["concept"] if each.form == "cast")
    assert (count_of(description, "rope"), count_of(description, "a rope")) == ("1 word", "2 words")
    assert "colon" in hint_of(cast, "Old Tobin; the ferryman")
    assert not hint_of(cast, "Old Tobin: the ferryman; blind")
