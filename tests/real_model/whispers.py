"""Seventeen whispers and seventeen public lines, put to the `stage` of any model. Prints JSON: counts, whatever they are.

    python -m tests.real_model.whispers --base-url http://127.0.0.1:8080/v1

`missed`: whispers of which somebody heard who was not meant to, or did not hear who was; `false_alarms`: public lines kept
from somebody. First as the model's form has it, then as the program takes it, which believes no form that names no words.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.benchmarks.telling_server import CONTENT
from theact_tui.agents.narrator import NARRATOR
from theact_tui.agents.stage import STAGE
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.engine.choose_models import ModelsChooser
from theact_tui.engine.events import CallFinished, Event
from theact_tui.engine.views import narrator_view, stage_view
from theact_tui.errors import CallError
from theact_tui.models.environment import ModelOptions
from theact_tui.models.settings import Settings
from theact_tui.packs.loader import load_pack
from theact_tui.story.game import new_game
from theact_tui.story.perception import perceive
from theact_tui.story.turn import StageForm, Turn
from theact_tui.story.who_hears_and_answers import decide, scene_of
from theact_tui.yaml import load

_READ: Any = load(Path(__file__).with_suffix(".yaml").read_bytes())
LINES: list[dict[str, Any]] = list(_READ)
PEOPLE = ("dorothy", "teddy", "ines")
BEFORE = "The kitchen is warm. Dorothy has the register, Teddy the sherry, and Ines the range. Forty keys hang on the board."


async def ask(base_url: str, model: str) -> dict[str, Any]:
    """All lines, one after the other; each is the second turn of a new game."""
    pack = load_pack(CONTENT / "guest-in-nine")
    profile = {"base_url": base_url, "model": model}
    settings = Settings.model_validate({"profile": "bench", "profiles": {"bench": profile}})
    models, bus = ModelsChooser(settings, ModelOptions(), {}, None)(pack, 1), Bus()
    attempts: list[int] = []

    def count(event: Event) -> None:
        if isinstance(event, CallFinished):
            attempts.append(event.attempts)

    bus.listen(count)
    agents, figures, rows = AgentRunner(models, bus), Counter[str](), []
    entry = {"role": "narrator", "text": BEFORE}
    turn = Turn.model_validate(
        {"number": 1, "chapter": "01-the-count", "entries": [entry], "witnesses": PEOPLE}
    )
    game = new_game(pack, title="Whispers", player="Sam", seed=1, created="")
    game = game.with_state(present=PEOPLE).with_turn(turn).with_state(turn=1)
    try:
        await models.probe()
        for one in LINES:
            line, page, meant = one["line"], one["page"], set(one.get("for", PEOPLE))
            told, scene = (
                agents.prepare(NARRATOR, narrator_view(game, "play", line, None, 1)),
                scene_of(game, line),
            )
            sections = [section for section in told.prompt.sections if section.kept != "dropped"]
            call = agents.prepare_behind(STAGE, stage_view(told.view, scene, page), sections, NARRATOR.name)
            try:
                form = StageForm.model_validate((await agents.call(call)).reply.model_dump())
                figures["read_at_first_try"] += attempts[-1] == 1
            except CallError as error:
                form, figures["not_read"] = None, figures["not_read"] + 1
                print(error.message)
            said = set((form.heard_by if form else None) or PEOPLE)
            heard = perceive(scene, page, decide(scene, page, form))
            took = {id for id in PEOPLE if id in heard and heard[id].said is None}
            fault = "missed" if "for" in one else "false_alarms"
            figures[f"{fault} by the form"] += said != meant
            figures[f"{fault} by the program"] += took != meant
            rows.append({"line": line, "form": sorted(said), "program": sorted(took), "right": took == meant})
    finally:
        await models.close()
    whispers = sum("for" in one for one in LINES)
    return {
        "whispers": whispers,
        "public": len(LINES) - whispers,
        **dict(sorted(figures.items())),
        "lines": rows,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base-url", required=True, help="address of any OpenAI-compatible server")
    parser.add_argument("--model", default="", help="its name, where the server has several")
    options = parser.parse_args()
    print(json.dumps(asyncio.run(ask(options.base_url, options.model)), indent=2, ensure_ascii=False))
