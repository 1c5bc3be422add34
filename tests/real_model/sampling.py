"""What the samplers that are sent by default do to pages: how many go round in circles with and without them, and how many
names of the cast are written right. Prints JSON.

    python -m tests.real_model.sampling --base-url http://127.0.0.1:8080/v1 [--pages 20]

For servers that have DRY, such as llama.cpp's. The same prompts with and without, in turn; nothing is cut while it streams.
A name that is written wrong is a capital word that is like a name of the cast and is none.
"""

import argparse
import asyncio
import difflib
import json
import re
from collections import Counter
from typing import Any

from tests.real_model.figures import told_in_rounds
from theact_tui.agents.narrator import NARRATOR
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.engine.choose_models import ModelsChooser
from theact_tui.models.environment import ModelOptions
from theact_tui.models.model import Request, whole_reply
from theact_tui.models.settings import Settings
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.parsing.loops import goes_round
from theact_tui.story.agent_views import narrator_view
from theact_tui.story.game import new_game

PACKS = ("lost-island", "guest-in-nine", "salt-road", "horsell-pit")
LINES = ("I look around.", "“Is everybody here?” I ask.", "I go to the others and sit down.")
SERVERS = {"with": "llama.cpp", "without": "openai"}
"""The kind of server that the program takes it for: one that has DRY, and one of which nothing is known."""


async def measure(base_url: str, model: str, pages: int) -> dict[str, Any]:
    """Counts of both."""
    figures = {way: Counter[str]() for way in SERVERS}
    for number in range(pages):
        pack = load_pack(shipped_folder() / PACKS[number % len(PACKS)])
        game = new_game(pack, title="Pages", player="Sam", seed=number, created="")
        line = LINES[number % len(LINES)]
        names = {word for card in pack.characters.values() for word in re.findall(r"\w{4,}", card.name)}
        for way, server in SERVERS.items():
            profile = {"base_url": base_url, "model": model, "server": server, "sampling": {"seed": number}}
            settings = Settings.model_validate({"profile": "bench", "profiles": {"bench": profile}})
            models = ModelsChooser(settings, ModelOptions(), {}, None)(pack, 1)
            call = AgentRunner(models, Bus()).prepare(NARRATOR, narrator_view(game, "play", line, None, 1))
            ask = Request("narrator", "narrator", call.prompt, call.reply_tokens, temperature=0.8)
            told = await whole_reply(models.default, ask)
            await models.close()
            found = Counter(_names(told, names))
            figures[way] += Counter(
                {
                    "pages": 1,
                    "words": len(told.split()),
                    "go round": bool(goes_round(told)),
                    "twelve words or more told twice in rounds": bool(told_in_rounds(told)),
                    "names right": found[True],
                    "names wrong": found[False],
                }
            )
    return {way: dict(counted) for way, counted in figures.items()}


def _names(text: str, names: set[str]) -> list[bool]:
    """For each word that is or is like a name, whether it is one."""
    words = [
        word for word in re.findall(r"\b[A-Z]\w{3,}", text) if difflib.get_close_matches(word, names, 1, 0.75)
    ]
    return [word in names for word in words]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", default="", help="its name, where the server has several")
    parser.add_argument("--pages", type=int, default=20)
    options = parser.parse_args()
    print(json.dumps(asyncio.run(measure(options.base_url, options.model, options.pages)), indent=2))
