"""Three chapters of 15 turns, each with labels of the beats that finish on it, checked by the program. Prints JSON.

    python -m tests.benchmarks.beats [--reader careful|weak] [--wrong 0.2 --draws 50]
    python -m tests.benchmarks.beats --base-url http://127.0.0.1:8080/v1 [--story german] [--out FILE]

A scripted reader fills in the form as the file of the story says, and answers the question about one paragraph from the
labels, of which it gets a share `wrong`. With `--base-url` a server answers both; its answers are kept in the file of
`--out`.
"""

import argparse
import asyncio
import json
from dataclasses import asdict
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.server_options import add_server_options
from tests.support.beats.chapters import Figures, Reader, load_stories, play_chapter, scripted
from theact_tui.models.consent import Targets
from theact_tui.models.model_for_agent import Endpoints
from theact_tui.models.profiles import Profile, Target


async def by_script(kind: str, wrong: float, draws: int) -> Figures:
    """Play all stories by a reader, so many times where it errs."""
    figures = Figures()
    for draw in range(draws if wrong else 1):
        for story in load_stories():
            figures += await play_chapter(story, scripted(story, Reader(kind, wrong, Random(draw))))
    return figures


async def by_server(base_url: str, model: str, name: str, out: Path | None) -> Figures:
    """Play stories by a server. Raises `CallError`."""
    figures = Figures()
    with TemporaryDirectory() as cache:
        profile = Profile(base_url=base_url, model=model, context_limit=8192, max_parallel=1)
        endpoints = Endpoints(Targets(Target(profile), {}), Path(cache))
        try:
            await endpoints.probe()
            for story in load_stories():
                if name in ("", story.name):
                    figures += await play_chapter(story, endpoints, out)
        finally:
            await endpoints.close()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_server_options(parser)
    parser.add_argument("--story", default="", help="one story only")
    parser.add_argument("--out", type=Path, help="where a server's answers are kept")
    parser.add_argument("--reader", choices=("careful", "weak"), default="", help="one reader only")
    parser.add_argument("--wrong", type=float, default=0.0, help="share of wrong answers about a paragraph")
    parser.add_argument("--draws", type=int, default=50)
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    if options.base_url:
        served = asyncio.run(by_server(options.base_url, options.model, options.story, options.out))
        figures["server"] = served.shares() | asdict(served)
    for reader in [] if options.base_url else [options.reader] if options.reader else ["careful", "weak"]:
        read = asyncio.run(by_script(reader, options.wrong, options.draws))
        figures[reader] = read.shares() | asdict(read)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
