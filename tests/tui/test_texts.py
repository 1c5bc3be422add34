"""Texts that are always the same fit the narrowest usual terminal."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import theact_tui
import theact_tui.tui
from theact_tui.engine.commands import COMMANDS
from theact_tui.tui import activity
from theact_tui.tui.keymap import every_act

WIDTH = 80
QUAINT = """
    enter next line|leave it empty for the name|remembers 1 more|sees it differently|the story is speaking
    this was not told when|are not checked yet|nobody has looked yet|not yet remembered by
    space in or out|enter what they know|outgrow the model|should remember gathers|everything older|set aside
    looking inside|tells, live|end goes there|written by the person|none can be added|turns less
    something parts|nothing parts|the story parts|both ways are kept|they part after|stands what only
    meaning or prose|telephones|plain text with marks|the usual ones|usual key|esc the old one back|sent elsewhere
    means retry there already|takes far into use|into use|who tells the story|goes on with the story
    do not ask again for it|take it back|the disk again|bring in|brought in|no voice is heeded|notes down what happened
    is not as it should be|is not known here|mend it|as many as said|say what parts|it is called
    as they were:|changed by hand outside|so far as|from elsewhere|one's own|it is said|goes on|anew|is kept, word
"""
"""Phrases with which the program once stumbled; in no text of the tool, in any case."""
TOLD = ("storyteller", "agents", "parsing")
"""Packages whose texts are the story's, or a model's."""
SAID = ("warning", "hint", "notify", "toast", "news", "aside")
"""Attributes and methods through which the status line and toasts get their texts."""


def test_every_action_is_explained_in_half_a_line() -> None:
    long = [keyed.act.id for keyed in every_act() if len(keyed.act.help) > WIDTH - 20]
    assert not long


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_explained_in_one_line(name: str) -> None:
    width = max(len(command.usage) for command in COMMANDS.values())
    assert width + 2 + len(COMMANDS[name].help) <= WIDTH


def test_what_runs_is_said_in_one_line() -> None:
    assert all(len(sentence) <= WIDTH - 20 for sentence in activity.SENTENCES.values())


def test_what_the_status_line_and_toasts_always_say_fits_one_line() -> None:
    long = [
        f"{file.name}: {text}"
        for file in Path(theact_tui.tui.__file__).parent.rglob("*.py")
        for text in _said(ast.parse(file.read_text("utf-8")))
        if len(text) > WIDTH - 2
    ]
    assert not long


DIALOG = 64 - 2 * 3 - 2
"""Columns inside a dialog, less those of a box."""


def test_what_dialogs_ask_fits_into_them() -> None:
    """Labels, what stands in empty boxes, and keys; notes and titles wrap."""
    long = [
        f"{file.name}: {text.value}"
        for file in Path(theact_tui.tui.__file__).parent.rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("FormField", "DialogFooter", "DialogChoice")
        for given in [*call.args, *(keyword.value for keyword in call.keywords)]
        for text in ast.walk(given)
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and len(text.value) > DIALOG
    ]
    assert not long


def _said(tree: ast.Module) -> list[str]:
    """Constant texts that are assigned to the status line or passed to a toast."""
    found: list[str] = []
    for node in ast.walk(tree):
        given: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            if any(isinstance(t, ast.Attribute) and t.attr in SAID for t in node.targets):
                given = [node.value]
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SAID
        ) or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "UsageError"
        ):
            given = node.args
        found += [
            each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
    return found


def test_no_text_of_the_tool_is_quaint() -> None:
    quaint = re.compile(
        "|".join(rf"\b{re.escape(each)}(?!\w)" for each in re.split(r"\||\n\s*", QUAINT.strip())), re.I
    )
    root = Path(theact_tui.__file__).parent
    found = [
        f"{file.relative_to(root)}: {said[0]} in {text[:90]!r}"
        for file in root.rglob("*.py")
        if file.relative_to(root).parts[0] not in TOLD
        for text in _texts(ast.parse(file.read_text("utf-8")))
        if (said := quaint.search(" ".join(text.split())))
    ]
    assert not found


def _texts(tree: ast.Module) -> list[str]:
    """The texts of a module, and of a command its docstring, which is its help; no other docstrings."""
    silent = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if not any("command" in ast.dump(each) for each in getattr(node, "decorator_list", ()))
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent
    ]
