"""What is wrong with the YAML of a file is said in people's words, with the line and what to do."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from theact_tui import yaml
from theact_tui.packs.diagnostics import Finding, PackError
from theact_tui.packs.library import create_pack
from theact_tui.packs.loader import check_pack
from theact_tui.packs.reader import read_document
from theact_tui.yaml_slips import MISALIGNED

COLON = "a colon inside the text: put the whole text in quotes"
TAB = "a tab at the beginning of the line: use spaces"
EARLY = "the quotes end before the text does: use the other kind of quotes around it"
OPEN = "a text in quotes begins here and does not end; add the quotation mark"
DASH = "a '-' is missing at the beginning of the line"
SPACE = "a space is missing after the colon"
COLUMN = "the indentation does not fit; begin the line in the same column as those it belongs to"
FIELD = "a colon is missing after the field's name, or the line must be indented"
BRACKET = "a bracket opened here is not closed, or a comma is missing"
START = "a text cannot begin with '{}': put the whole text in quotes"

NO_COLON = "a colon is missing after the field's name"
SLIPS = [
    ("title: Halfway: a tale\nx: y\n", 1, COLON),
    ("beats:\n  - Ann says: hello\n  - The door: it opens: slowly\n", 3, COLON),
    ("title: “Halfway: a tale”\n", 1, COLON),
    ("a: b\n\tc: d\n", 2, TAB),
    ("a:\n\t- b\n", 2, TAB),
    ("a:\n  b: c\n\td: e\n", 3, TAB),
    ('title: "Halfway\nx: y\nz: "w"\n', 1, OPEN),
    ('id: a\ntitle: "Halfway\nx: y\n', 2, OPEN),
    ("id: a\ntitle: 'Halfway\nx: y\n", 2, OPEN),
    ("title: 'Ann's house'\nx: y\n", 1, EARLY),
    ('title: "Ann said "no" twice"\nx: y\n', 1, EARLY),
    ("beats:\n  - one\n  two\n  - three\n", 3, DASH),
    ("beats:\n  - one\n  two: x\n  - three\n", 3, DASH),
    ("beats:\n- one\ntwo\n- three\nnext: a\n", 3, DASH),
    ("beats:\n  - one\n -two\n", 3, "a space is missing after the '-'"),
    ("beats:\n  - one\n  -two\nc: d\n", 3, "a space is missing after the '-'"),
    ("beats:\n  - one\n - two\n", 3, COLUMN),
    ("player:\n  name: x\n description: y\n", 3, COLUMN),
    (" a: b\nc: d\n", 2, COLUMN),
    ("tone: >\n  one\n two\nrules: t\n", 3, COLUMN),
    ("title:Halfway\nx: y\n", 1, SPACE),
    ("title: Halfway\nid:x\ny: z\n", 2, SPACE),
    ("title: Halfway\nid:x\n", 2, SPACE),
    ("title Halfway\nx: y\n", 1, FIELD),
    ("title: Halfway\nsetting\nx: y\n", 2, FIELD),
    ("characters: [a, b\nchapters: [c]\n", 1, BRACKET),
    ("title: @home\n", 1, START.format("@")),
    ("title: {player} comes\nx: y\n", 1, START.format("{")),
    ("title: ? what\n", 1, START.format("?")),
    ("setting: | text here\n  more\n", 1, "the text must begin on the line after the '|', indented"),
    ("setting: |\ntext here\nmore\ntone: t\n", 3, "the text below '|' or '>' must be indented"),
    ("personality: >-\n  Dry and exact.\nsecret He has a gun.\nwant: x\n", 3, FIELD),
    ("examples:\n  - 'one'\n   - 'two'\nx: y\n", 3, COLUMN),
    ("beats:\n  - text: one\n    by: player\n   - two\n", 4, COLUMN),
    ('title: "a \\q b"\n', 1, "a backslash in double quotes: write it twice, or use single quotes"),
    ("characters: [a, b,, c]\n", 1, "a comma too many"),
    ("rules: none\ntone >\n  quiet\n", 2, NO_COLON),
    ("beats:\n  - b\ntone >\n  quiet\nr: x\n", 3, NO_COLON),
    ("setting: >\n  An isle.\n\ntone >-\n  Quiet: dry.\nrules: x\n", 4, NO_COLON),
    ("beats:\n  - One goes\n   - Two goes\n  - Three\n", 3, MISALIGNED),
]


@pytest.mark.parametrize("parser", [yaml.events, yaml.pure_events], ids=["c", "python"])
@pytest.mark.parametrize(("text", "line", "says"), SLIPS)
def test_a_slip_is_named_with_its_line_and_what_to_do(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    parser: Callable[[str], Iterator[Any]],
    text: str,
    line: int,
    says: str,
) -> None:
    monkeypatch.setattr(yaml, "events", parser)
    (tmp_path / "w.yaml").write_text(text, "utf-8")
    found = _found(tmp_path)
    assert (found[0].line, found[0].message) == (line, says)


def _found(folder: Path) -> tuple[Finding, ...]:
    try:
        return read_document(folder, "w.yaml").slips
    except PackError as error:
        return error.findings


def test_texts_that_go_on_below_are_not_taken_for_slips(tmp_path: Path) -> None:
    good = 'a: "He said \\"no\\"\n  and left"\nb: it\'s: d\n'
    (tmp_path / "w.yaml").write_text(good, "utf-8")
    assert [(each.line, each.message) for each in _found(tmp_path)] == [(3, COLON)]


def test_everything_wrong_with_a_file_is_said_at_once(tmp_path: Path) -> None:
    pack = create_pack(tmp_path, "spoilt")
    game = pack / "game.yaml"
    text = game.read_text("utf-8")
    for right, wrong in {
        "title: Spoilt": "title: Spoilt: a tale",
        "memory: facts": "memory:facts",
        "keeper: off": "keeper: sometimes",
        "chapters: [01-the-platform": "chapters: [01-the-platforn",
    }.items():
        assert right in text
        text = text.replace(right, wrong)
    game.write_text(text, "utf-8")
    said = "\n".join(str(finding) for finding in check_pack(pack))
    assert COLON in said and SPACE in said
    assert "'keeper' must be" in said and "chapters/01-the-platforn.yaml is missing" in said


def test_a_file_that_cannot_be_read_hides_no_error_of_another(tmp_path: Path) -> None:
    pack = create_pack(tmp_path, "spoilt")
    (pack / "game.yaml").write_text("title: [Halfway\n", "utf-8")
    chapter = pack / "chapters/01-the-platform.yaml"
    chapter.write_text(chapter.read_text("utf-8").replace("present: [odile]", "present: [heron]"), "utf-8")
    said = [str(finding) for finding in check_pack(pack) if finding.level == "error"]
    assert len(said) == 2 and BRACKET in said[0] and "'heron' is not one of" in said[1]
