"""`theact-tui --help` lists the commands without importing any of them."""

import subprocess
import sys

import click
import pytest

from theact_tui.cli import HELP, theact

IMPORTED = """
import sys
from theact_tui.cli import main
assert main(["--help"]) == 0
print(*(name for name in sys.modules if name.startswith("theact_tui.cli.")), sep=",")
"""


LISTED = [(name, line) for lines in HELP.values() for name, line in lines.items()]


@pytest.mark.parametrize(("name", "line"), LISTED)
def test_the_line_of_a_command_is_the_first_sentence_of_its_own_help(name: str, line: str) -> None:
    command = theact.get_command(click.Context(theact), name)
    assert command and command.help
    assert command.help.partition(". ")[0].partition("\n")[0].rstrip(".") == line


def test_help_imports_no_command() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True)
    assert "Undo and branch:" in done.stdout
    assert done.stdout.splitlines()[-1] == "theact_tui.cli.context"
