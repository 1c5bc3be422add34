"""Files of the package that one turn enters: from `enter` to the commit, and from a token to the page. Prints JSON.

    python -m tests.benchmarks.turn_files [CHECKOUT]

CHECKOUT is another checkout of the program, such as one of an earlier commit; its files are counted in the same way.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import FrameType

from tests.support.fake_model import Scripted
from tests.support.pilot import playing, until

AROUND = ("tui/home/", "tui/services.py", "tui/widgets/lists.py")
"""The home screen, which lists its stories anew behind the play screen."""


class Tracer:
    """Notes the files of the package whose functions are called, by every thread begun after `install`."""

    def __init__(self) -> None:
        self._files = set[str]()

    def install(self) -> None:
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        _, inside, file = frame.f_code.co_filename.rpartition(f"{os.sep}theact_tui{os.sep}")
        if inside and not file.startswith(AROUND):
            self._files.add(file)

    def taken(self) -> set[str]:
        """The files since the last call."""
        files, self._files = self._files, set()
        return files


async def count_files() -> dict[str, list[str]]:
    """The files entered by a turn and by its first token."""
    tracer, model = Tracer(), Scripted()
    tracer.install()
    with tempfile.TemporaryDirectory() as folder:
        async with playing(Path(folder), model=model) as player:
            await player.say("I look around.")
            tracer.taken()
            gate = await player.begin("I go on down the stair.", model)
            before, first = player.page, tracer.taken()
            gate.set()
            await until(player.pilot, lambda: player.page != before)
            token = tracer.taken()
            await player.turn(3)
            rest = tracer.taken()
    sys.setprofile(None)
    threading.setprofile(None)
    return {"turn": sorted(first | token | rest), "token": sorted(token)}


def main() -> None:
    """Count here, and in another checkout."""
    here = asyncio.run(count_files())
    counts: dict[str, object] = {"here": {name: len(files) for name, files in here.items()}}
    if sys.argv[1:]:
        checkout = Path(sys.argv[1]).resolve()
        environment = {**os.environ, "PYTHONPATH": str(checkout), "TURN_FILES": "list"}
        command = [sys.executable, str(Path(__file__))]
        printed = subprocess.run(
            command, cwd=checkout, env=environment, check=True, capture_output=True
        ).stdout
        there = json.loads(printed)
        counts["there"] = {name: len(files) for name, files in there.items()}
        for name in here:
            counts[f"only here, {name}"] = sorted({*here[name]} - {*there[name]})
            counts[f"only there, {name}"] = sorted({*there[name]} - {*here[name]})
    print(json.dumps(here if os.environ.get("TURN_FILES") else counts, indent=1))


if __name__ == "__main__":
    main()
