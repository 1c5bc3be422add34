"""Texts that are always the same fit the narrowest usual terminal."""

import ast
import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from textual.app import App
from textual.content import Content

import theact_tui
from tests.support.hostile_text import drawn
from tests.support.pilot import Player, until
from theact_tui.engine.commands import COMMANDS
from theact_tui.tui import running_turn
from theact_tui.tui.blocks import aside_blocks, card_blocks
from theact_tui.tui.keymap import every_act
from theact_tui.tui.widgets.dialogs import (
    ChoiceDialog,
    ConfirmDialog,
    DialogChoice,
    FormDialog,
    FormField,
    ListDialog,
    TextDialog,
)

WIDTH = 80
TOLD = ("storyteller", "agents", "parsing")
"""Packages whose texts are the story's, or a model's."""
ROWS = 2
"""Rows that the status line has at most."""
SAID = "warning hint notify toast _say_news aside say _say _toast UsageError refusal trouble".split()
"""Attributes, functions and parameters through which the status line and toasts get their texts."""
VALUE = "x" * 20
"""Stands for a value in a text: names are cut to 40 cells, numbers are shorter."""


def test_every_action_is_explained_in_half_a_line() -> None:
    long = [keyed.act.id for keyed in every_act() if len(keyed.act.help) > WIDTH - 20]
    assert not long


def test_every_command_is_explained_in_one_line() -> None:
    width = max(len(command.usage) for command in COMMANDS.values())
    assert all(width + 2 + len(command.help) <= WIDTH for command in COMMANDS.values())


def test_what_runs_is_said_in_one_line() -> None:
    assert all(len(sentence) <= WIDTH - 20 for sentence in running_turn.SENTENCES.values())


@lru_cache
def trees() -> dict[Path, ast.Module]:
    """What the files of the program say, by their paths inside it."""
    root = Path(theact_tui.__file__).parent
    return {file.relative_to(root): ast.parse(file.read_text("utf-8")) for file in root.rglob("*.py")}


FOLDERS = ("tui", "engine", "saves", "story", "exports", "importing", "packs", "models", "authoring")
"""What can say something in the app."""


def test_what_the_status_line_and_toasts_say_fits_its_rows() -> None:
    """What a page itself says without a value in it fits one row."""
    texts = [
        (file, text) for file, tree in trees().items() if file.parts[0] in FOLDERS for text in _said(tree)
    ]
    long = [f"{name}: {text}" for name, text in texts if len(text) > (WIDTH - 4) * ROWS]
    assert len(texts) > 300
    assert not long, "\n".join(long)


DIALOG = 64 - 2 * 3 - 2
"""Columns inside a dialog, less those of a box."""


def test_what_dialogs_ask_fits_into_them() -> None:
    """Labels, what stands in empty boxes, and keys; notes and titles wrap."""
    long = [
        f"{file.name}: {text.value}"
        for file, tree in trees().items()
        if file.parts[0] == "tui"
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("FormField", "DialogFooter", "DialogChoice")
        for given in [*call.args, *(keyword.value for keyword in call.keywords)]
        for text in ast.walk(given)
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and len(text.value) > DIALOG
    ]
    assert not long


def _said(tree: ast.Module) -> list[str]:
    """All texts in a file that are assigned or passed to one of `SAID`."""
    known = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    given: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(_name(target) in SAID for target in node.targets):
            given.append(node.value)
        elif isinstance(node, ast.Call) and _name(node.func) in SAID:
            given += node.args
        elif isinstance(node, ast.keyword) and node.arg in SAID:
            given.append(node.value)
    return [text for each in given for text in _texts(each, known)]


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _texts(node: ast.expr, known: Mapping[str, ast.expr]) -> list[str]:
    """What an expression can be, as far as it is written down; a value in it is `VALUE`."""
    match node:
        case ast.Constant(value=str() as text):
            return [text]
        case ast.Name(id=name) if name in known:
            return _texts(known[name], {})
        case ast.IfExp(body=one, orelse=other):
            return [*_texts(one, known), *_texts(other, known)]
        case ast.JoinedStr(values=parts):
            return ["".join(str(part.value) if isinstance(part, ast.Constant) else VALUE for part in parts)]
    return []


LONG = " ".join(f"word{n}" for n in range(24))
"""More than two rows of 80 columns would hold, of words that can be told apart."""


def words(app: App[Any]) -> list[str]:
    return re.findall(r"word\d+", drawn(app))


async def test_what_a_status_a_card_an_answer_or_a_dialog_says_is_wrapped(player: Player) -> None:
    await player.pilot.resize_terminal(WIDTH, 24)
    said = " ".join(LONG.split()[:20])
    assert WIDTH < len(said) < ROWS * (WIDTH - 6)
    for kind in ("warning", "hint"):
        setattr(player.status, kind, said)
        await until(player.pilot, lambda: words(player.app) == said.split(), kind)
        setattr(player.status, kind, "")
    for blocks in (card_blocks(LONG, LONG, LONG), aside_blocks(LONG, f"{LONG}\n{LONG}")):
        player.screen.presenter.aside(blocks)
        await until(player.pilot, lambda: words(player.app) == 3 * LONG.split(), "all words")
    for dialog in (
        FormDialog(LONG, FormField("Name"), note=LONG, yes="go").again(("",), LONG),
        ConfirmDialog(LONG, f"{LONG} {LONG}"),
        TextDialog(LONG, f"{LONG} {LONG}"),
        ChoiceDialog(LONG, LONG, DialogChoice("g", "go", LONG)),
        ListDialog(LONG, {"a": Content(LONG)}, note=LONG),
    ):
        player.app.push_screen(dialog)
        await until(player.pilot, lambda: words(player.app) == 3 * LONG.split(), "all words")
        await player.app.pop_screen()


NOUNS = re.compile(
    r"[ ](entries|beats|turns|chapters|words|games|prompts|scenes|stories|saves|packs|branches|takes|files|models|runs"
    r"|keys|memories|lines|moments|facts|calls|errors|warnings|characters)(?![/\w])"
)
LIMITED = ("of ", "at most ", "at least ", "1 to ", "limit is ", "long: ")
"""What stands before a number that is never one, or is one of many."""
OF_A_LIMIT = "counter"
"""Name of a text that is a number and its limit: `1/60,000`."""


def test_a_number_that_can_be_one_is_never_put_before_a_plural() -> None:
    """`counted` makes `1 turn` and `2 turns`."""
    found: list[str] = []
    for file, tree in trees().items():
        if file.parts[0] in TOLD:
            continue
        for text in (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)):
            before = ""
            for part, after in pairwise(text.values):
                before = str(part.value) if isinstance(part, ast.Constant) else before
                if not (isinstance(part, ast.FormattedValue) and isinstance(after, ast.Constant)):
                    continue
                is_column = part.format_spec is not None and ">" in ast.unparse(part.format_spec)
                value = ast.unparse(part.value)
                if is_column or value.isupper() or value == "program()" or OF_A_LIMIT in value:
                    continue
                if NOUNS.match(str(after.value)):
                    found += [] if before.endswith(LIMITED) else [f"{file.name}: {ast.unparse(text)}"]
    assert not found, "\n".join(found)
