"""The form that the program itself asks for, put to a model behind the narrator's prompt as in a game. Prints JSON.

    python -m tests.benchmarks.hearing.own_form --base-url http://127.0.0.1:8080/v1 [--scenes 20] [--out FILE]

Counted is what the program makes of each answer; README.md says how.
"""

import argparse
import asyncio
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.hearing.asking import Row, keep, post, read_rows
from tests.benchmarks.server_options import add_server_options
from tests.support.hearing.game import decided_by_form, question
from tests.support.hearing.scenes import Scene, load_scenes, spread
from tests.support.hearing.score import Figures, Reading, score
from theact_tui.agents.stage import STAGE
from theact_tui.models.model import Request
from theact_tui.parsing.reader import parse
from theact_tui.story.turn import StageForm
from theact_tui.story.views import StageView

OWN = "program"


def ask(base_url: str, model: str, scene: Scene, request: Request) -> Row:
    """Put the program's own question to a server. Raises `OSError`."""
    body = {
        "model": model,
        "messages": request.prompt.messages(),
        "temperature": 0,
        "max_tokens": request.max_tokens,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "stage", "strict": True, "schema": request.schema},
        },
    }
    return post(base_url, body, OWN, scene.id)


def read(scene: Scene, request: Request, answer: str) -> Reading | None:
    """What the program makes of an answer; None if it is not readable."""
    view = request.view
    assert isinstance(view, StageView)
    parsed = parse("stage", answer, STAGE.context(view))
    if not parsed.ok:
        return None
    return decided_by_form(scene, StageForm.model_validate(parsed.reply.model_dump()))


async def _questions(scenes: list[Scene]) -> list[Request]:
    asked: list[Request] = []
    for scene in scenes:
        with TemporaryDirectory() as folder:
            asked.append(await question(scene, Path(folder)))
    return asked


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_server_options(parser)
    parser.add_argument("--scenes", type=int, default=0, help="so many scenes, from all files")
    parser.add_argument("--out", type=Path, help="where answers are kept, and read from")
    options = parser.parse_args()
    scenes = load_scenes()
    scenes = spread(scenes, options.scenes or len(scenes))
    kept = {row.scene: row for row in (read_rows(options.out) if options.out else ()) if row.variant == OWN}
    figures, unreadable, rows = Figures(), 0, list[Row]()
    for scene, request in zip(scenes, asyncio.run(_questions(scenes)), strict=True):
        if scene.id not in kept and options.base_url:
            kept[scene.id] = ask(options.base_url, options.model, scene, request)
            keep(options.out, kept[scene.id])
        if scene.id in kept:
            rows.append(kept[scene.id])
            reading = read(scene, request, kept[scene.id].answer)
            unreadable += reading is None
            figures += score(scene, reading or Reading({}))
    tokens = [row.tokens for row in rows]
    uneventful = {scene.id for scene in scenes if scene.is_uneventful}
    quiet = [row.tokens for row in rows if row.scene in uneventful]
    counted = {
        **figures.shares(),
        "unreadable": unreadable,
        "tokens_mean": round(sum(tokens) / len(tokens), 1) if tokens else None,
        "tokens_uneventful_mean": round(sum(quiet) / len(quiet), 1) if quiet else None,
    }
    print(json.dumps(counted, indent=2))


if __name__ == "__main__":
    main()
