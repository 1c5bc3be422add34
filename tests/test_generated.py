"""Files that are made from the program are current."""

import subprocess
import sys

import pytest

from tests.support.rewrite import KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_generated_files_are_current(kind: str) -> None:
    """Another process: what tests change in this one is in no file."""
    command = [sys.executable, "-m", "tests.support.rewrite", "--check", kind]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (
        f"If this is meant, run `python -m tests.support.rewrite`.\n{done.stdout}{done.stderr}"
    )
