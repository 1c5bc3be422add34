"""Plays four turns of a pack, a directed chapter of two prompts and one `create` with a real model; prints JSON.

    python -m tests.real_model.run --base-url http://127.0.0.1:8080/v1 [--out FILE] [--keep FOLDER]

How to get a model and a server: docs/developing.md. Everything goes through the command line in processes of its own, and
is measured on the wire; what every call came to is taken from `calls --json`. Exit code 1 when a rule did not hold: no
crash, nothing lost, every page ends in a sentence, no text told twice on a page, no call to its token limit in a loop,
the player can go on.
"""

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.real_model.figures import by_agent, told_in_rounds, total
from tests.real_model.recorder import Recorder

LINES = (
    "I sit up and look around.",
    "Maya, are you hurt? Can you walk?",
    "I tell the others that we need water before dark, and walk towards the trees.",
    "What did you see before the plane went down?",
)
PROMPTS = (
    (1, "The lamp goes out and the door stands open."),
    (2, "You hear steps on the stair. What do you do?"),
)
PREMISE = "a lighthouse keeper who hears the drowned"
SENTENCE_ENDS = tuple(".!?…\"'”’»)]*_。！？」")


@dataclass
class Run:
    """The program under test, in a data folder of its own."""

    home: Path
    recorder: Recorder
    url: str
    limit: float
    """Seconds that a command may take."""
    broken: list[str] = field(default_factory=list)
    """Rules that did not hold, with where."""
    errors: list[str] = field(default_factory=list)
    """What the program told the player."""

    async def command(self, *words: str, stdin: str = "", model: bool = True) -> tuple[int, str]:
        """Run one command; its exit code and what it printed."""
        given = [*words, "--home", str(self.home), *(("--base-url", self.url) if model else ())]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "theact_tui", *given,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            async with asyncio.timeout(self.limit):
                out, err = await process.communicate(stdin.encode())
        except TimeoutError:
            process.kill()
            await process.wait()
            self.broken.append(f"no end within {self.limit:.0f} s: {' '.join(words[:3])}")
            return -1, ""
        said = err.decode()
        if "Traceback" in said or process.returncode not in (0, 1, 2):
            self.broken.append(f"crash in {' '.join(words[:3])}: {said[-400:]}")
        elif process.returncode:
            self.errors.append(" ".join(said.split())[-300:])
        return process.returncode or 0, out.decode()

    async def json(self, *words: str) -> Any:
        code, out = await self.command(*words, "--json", model=False)
        return json.loads(out) if code == 0 and out.strip() else None

    def page(self, where: str, text: str) -> None:
        """Hold a told text to the rules of pages."""
        if not text.strip():
            self.broken.append(f"empty: {where}")
        elif not text.rstrip().endswith(SENTENCE_ENDS):
            self.broken.append(f"ends within a sentence: {where}: ...{text.rstrip()[-60:]!r}")
        if twice := told_in_rounds(text):
            self.broken.append(f"told twice: {where}: {twice[:80]!r}")


async def play(run: Run, pack: str, turns: int) -> dict[str, Any]:
    """Turns of a pack, each in a process of its own, as somebody who plays now and then."""
    run.recorder.part, outcomes, replies, told = "play", Counter[str](), 0, 0
    for line in LINES[:turns]:
        code, _ = await run.command("play", pack, "--save", "story", "--seed", "7", stdin=f"{line}\n")
        told += code == 0
    newest = int((await run.json("show", "story") or {}).get("turn", 0))
    for number in range(1, newest + 1):
        turn = await run.json("show", "story", "--turn", str(number)) or {}
        for entry in turn.get("entries", ()):
            if entry["role"] != "player":
                replies += entry["role"] == "character"
                run.page(f"turn {number}, {entry.get('character') or entry['role']}", entry["text"])
        for call in await run.json("calls", "story", "--turn", str(number)) or ():
            outcomes[f"{call['agent']} {call['outcome']}"] += 1
    if newest < told:
        run.broken.append(f"lost: {told} turns were told, {newest} are in the save")
    code, _ = await run.command("play", pack, "--save", "story", "--offline", stdin="I wait.\n", model=False)
    if code:
        run.broken.append("the player cannot go on")
    return {"told": told, "turns": newest, "replies": replies, "outcomes": dict(sorted(outcomes.items()))}


async def direct(run: Run) -> dict[str, Any]:
    """A directed chapter of two prompts."""
    run.recorder.part, outcomes = "direct", Counter[str]()
    await run.command("direct", "new", "chapter", "--example", model=False)
    codes = [(await run.command("direct", "lock", "chapter"))[0]]
    for slot, text in PROMPTS:
        codes.append((await run.command("direct", "prompt", "chapter", str(slot), text))[0])
    voice = run.home / "voice.txt"
    voice.write_text("Plain past tense, third person.\n", encoding="utf-8")
    await run.command("direct", "end", "chapter", model=False)
    await run.command("direct", "voice", "chapter", str(voice), model=False)
    code, text = await run.command("direct", "build", "chapter")
    codes.append(code)
    if code == 0:
        run.page("the built chapter", text)
    for number in range(len(PROMPTS) + 1):
        for call in await run.json("calls", "chapter", "--turn", str(number)) or ():
            outcomes[f"{call['agent']} {call['outcome']}"] += 1
    return {"exit_codes": codes, "outcomes": dict(sorted(outcomes.items()))}


async def create(run: Run) -> dict[str, Any]:
    """A pack from one sentence."""
    run.recorder.part = "create"
    code, out = await run.command(
        "create", PREMISE, "--out", "lighthouse", "--characters", "2", "--chapters", "1", "--yes", "--json"
    )
    with contextlib.suppress(ValueError):
        made = json.loads(out)
        return {"exit_code": code, "ok": made["ok"], "error": made["error"], "notes": len(made["notes"])}
    return {"exit_code": code, "ok": False}


async def main(asked: argparse.Namespace) -> int:
    """The whole run."""
    recorder, began = Recorder(asked.base_url), time.monotonic()
    with contextlib.ExitStack() as stack:
        home = asked.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        async with recorder.running() as url:
            run = Run(home, recorder, url, asked.limit)
            parts = {
                "play": await play(run, asked.pack, asked.turns),
                "direct": await direct(run),
                "create": await create(run),
            }
    for exchange in recorder.exchanges:
        if exchange.finish == "length" and (twice := told_in_rounds(exchange.text)):
            run.broken.append(f"to its limit in a loop: {exchange.agent}: {twice[:80]!r}")
    if asked.log:
        asked.log.write_text(
            "".join(json.dumps(asdict(e)) + "\n" for e in recorder.exchanges), encoding="utf-8"
        )
    agents = {
        part: by_agent(e for e in recorder.exchanges if e.part == part)
        for part in ("play", "direct", "create")
    }
    document = {
        "parts": parts,
        "agents": agents,
        "total": {part: total(made) for part, made in agents.items()},
        "told_to_the_player": run.errors,
        "rules_broken": run.broken,
        "seconds": round(time.monotonic() - began, 1),
    }
    text = json.dumps(document, indent=2, ensure_ascii=False)
    if asked.out:
        asked.out.write_text(text + "\n", encoding="utf-8")
    print(text)
    return int(bool(run.broken))


if __name__ == "__main__":
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--base-url", required=True, help="address of any OpenAI-compatible server")
    options.add_argument("--pack", default="lost-island")
    options.add_argument("--turns", type=int, default=len(LINES))
    options.add_argument("--limit", type=float, default=1_800.0, help="seconds that one command may take")
    options.add_argument("--keep", type=Path, help="an empty folder for the stories, which then stay")
    options.add_argument("--out", type=Path, help="write the figures to this file too")
    options.add_argument("--log", type=Path, help="write every request and reply to this file, as JSON lines")
    sys.exit(asyncio.run(main(options.parse_args())))
