"""A command run as a script would: arguments in; exit code, standard output and standard error out."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from theact_tui.cli import main


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> Ran:
    code = main(list(arguments))
    captured = capsys.readouterr()
    return Ran(code, captured.out, captured.err)
