"""Start a program that outlives this one and its window."""

import subprocess
from collections.abc import Mapping, Sequence
from subprocess import DEVNULL, STDOUT, Popen
from typing import BinaryIO


def start_detached(
    command: Sequence[str], out: BinaryIO, env: Mapping[str, str] | None = None
) -> Popen[bytes]:
    """Start `command`, which neither ctrl-c nor the end of the terminal reaches. All that it prints goes to `out`."""
    return Popen(
        command,
        stdin=DEVNULL,
        stdout=out,
        stderr=STDOUT,
        env=env,
        start_new_session=True,  # does nothing on Windows, where a program ends with its console: it gets its own
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
