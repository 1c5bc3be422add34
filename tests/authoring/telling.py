"""One story as an author's model would write it, and the many forms in which models write it."""

import json
import re
from collections.abc import Callable
from typing import Any

from tests.support.fake_server import Request
from theact_tui.parsing.forms import MODELS

Fields = dict[str, Any]
Style = Callable[[Fields], str]

CONCEPT: Fields = {
    "title": "The Dark Lamp",
    "description": "The lighthouse has been dark for thirty years. Tonight it burns.",
    "tone": "Quiet and salty.",
    "player_name": "Wren Hallam",
    "player_description": "the keeper's grandchild",
    "characters": {
        "Ada Brook": "ferrywoman, coat buttoned wrong",
        "Father Quill": "priest, ink on his hands",
    },
    "chapters": {"The Light": "the lamp burns and nobody rows", "The Crossing": "they row out to it"},
}
SETTING: Fields = {
    "setting": "Skerry Point in 1962, nine houses and a lighthouse on a rock.",
    "rules": "Nobody crosses at flood. Nothing supernatural is proved.",
    "truth": "Ada lights the lamp for her drowned brother, whom she left behind.",
}
CARDS: dict[str, Fields] = {
    "Ada Brook": {
        "personality": "Answers questions with the weather. Kind in deeds.",
        "want": "To keep the lamp lit one more night.",
        "secret": "She rowed away from a sinking boat.",
        "examples": ["Wind is going round, she says.", "Mind the step, she says, and holds the lamp."],
        "relationships": {"Father Quill": "owes him a boat"},
    },
    "Father Quill": {
        "personality": "Writes all of it down. Hates to be seen reading.",
        "want": "To have the log finished.",
        "secret": "He tore one page out of the log.",
        "examples": ["I shall note that, he says.", "Hm, he says, and turns a page."],
        "relationships": {"Ada": "prays for her", "Old Tom": "misses him"},
    },
}
CHAPTERS: dict[str, Fields] = {
    "The Light": {
        "summary": "The lamp burns. Nobody will row.",
        "beats": [
            "The light is seen from the slip",
            "Ada refuses to row out (Ada Brook)",
            "Quill shows the log (Father Quill)",
            "The boat is made ready",
        ],
        "completion": "The boat lies in the water with the player in it.",
        "characters": ["Ada Brook", "Father Quill"],
        "secret_of": "Quill",
        "at_first": "nobody",
        "opening": "The ferry drops you on the slip and does not wait. Across the water a light turns.",
    },
    "The Crossing": {
        "summary": "They row out. Ada tells of her brother.",
        "beats": [
            "The tide turns",
            "A figure is seen in the lamp room",
            "They land on the rock",
            "Ada owns up (Ada)",
        ],
        "completion": "The player stands in the lamp room and knows who lights it.",
        "characters": ["Ada"],
        "secret_of": "Ada",
        "opening": "The oars are older than you are. Behind you the village puts its lights out.",
    },
}


def told_for(request: Request) -> Fields:
    """What belongs to a prompt."""
    if "Plan this story" in request.prompt:
        return CONCEPT
    if found := re.search(r"Write the card of ([\w ]+),", request.prompt):
        return CARDS[found[1]]
    if found := re.search(r"Write chapter \d of \d: ([\w ]+)\.", request.prompt):
        return CHAPTERS[found[1]]
    return SETTING


def _as_lists(fields: Fields) -> Fields:
    return {
        name: [f"{key}: {text}" for key, text in value.items()] if isinstance(value, dict) else value
        for name, value in fields.items()
    }


def _as_objects(fields: Fields) -> Fields:
    return {
        name: [{"name": key, "description": text} for key, text in value.items()]
        if isinstance(value, dict)
        else value
        for name, value in fields.items()
    }


STYLES: dict[str, Style] = {
    "as asked": lambda fields: json.dumps(_as_lists(fields)),
    "with talk around it": lambda fields: (
        f"Sure! Here it is:\n\n```json\n{json.dumps(_as_lists(fields))}\n```\nLet me know!"
    ),
    "fence never closed": lambda fields: f"```json\n{json.dumps(_as_lists(fields), indent=1)}",
    "after a thought": lambda fields: (
        f"<think>The user wants an object. {fields}</think>\n{json.dumps(_as_lists(fields))}"
    ),
    "with objects": lambda fields: "```json\n" + json.dumps(_as_objects(fields), indent=2) + "\n```",
    "with mappings": json.dumps,
    "without its last brace": lambda fields: json.dumps(_as_lists(fields))[:-1],
    "with trailing commas": lambda fields: json.dumps(_as_lists(fields), indent=1)[:-2] + ",\n}",
}
assert set(CONCEPT) | set(SETTING) <= {
    field for name in ("author_concept", "author_setting") for field in MODELS[name].model_fields
}
