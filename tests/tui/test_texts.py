"""Texts that are always the same fit the narrowest usual terminal."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import theact_tui.tui
from theact_tui.engine.commands import COMMANDS
from theact_tui.tui import activity
from theact_tui.tui.keymap import every_act

WIDTH = 80
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
