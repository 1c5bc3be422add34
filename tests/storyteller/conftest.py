"""Two small packs: one with a script of its own, one without any."""

import pytest

from tests.support.storyteller_games import Table
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, World
from theact_tui.story.script import (
    ChapterScript,
    CuedAnswer,
    Deed,
    Passage,
    Script,
    ScriptScene,
    Spark,
    Topic,
    Voice,
    Way,
)

WORLD = World(
    setting="A lighthouse on a rock. The stairs have ninety steps. The lamp is out.",
    tone="quiet",
    rules="Nobody leaves before morning.",
)
CHARACTERS = {
    "edda": Character(
        name="Edda Voss", role="keeper of the light", personality="Blunt and tired.", secret="NONCESECRET"
    ),
    "piet": Character(name="Old Piet", role="her uncle", personality="He talks to gulls."),
}
STAIRS = Chapter(
    id="stairs",
    title="The Stairs",
    summary="The lamp is out and somebody has to climb.",
    beats=("They find the oil gone", "The door on the landing is forced", "Piet goes down for help"),
    completion="Piet is on his way.",
    characters=("edda", "piet"),
    next="lamp",
)
LAMP = Chapter(
    id="lamp",
    title="The Lamp",
    summary="At the top.",
    beats=("The lens is found cracked", "The lamp burns"),
    completion="The lamp burns.",
    characters=("edda", "piet"),
    present=("edda",),
)
SCRIPT = Script(
    reactions={
        "look": ("Dust moves on the stairs.", "Something drips, once."),
        "talk": ("The walls listen for a while.", "The tower keeps the last word."),
    },
    deeds=(
        Deed(
            cues=("whistl",), told=("The stairs whistle back.",), lines={"piet": '"Not in a tower," I say.'}
        ),
    ),
    chapters={
        "stairs": ChapterScript(
            opening="The lighthouse stands dark.\n\nTwo people wait for you,\n{player}, by the stairs.",
            opening_lines={"edda": '"You are late, {player}."'},
            scenes=(
                ScriptScene(
                    narration="The oil store stands open. Every can is empty. Someone has drained them all.",
                    cues=("oil", "store"),
                    ways=(
                        Way(
                            cues=("sneak",),
                            narration="You creep into the store unseen. The cans are empty to the last.",
                        ),
                    ),
                    mood="tense",
                    lines={"edda": '"Gone," I say.', "piet": '"All of it," I say.'},
                    learns={"edda": "The oil is gone.", "piet": "The oil has been stolen."},
                    gist="{player} and the others found the oil gone.",
                ),
                ScriptScene(
                    narration="The door on the landing gives way. Behind it hangs a coat, still wet.",
                    cues=("door", "landing"),
                    lines={"piet": '"That is my coat," I say.'},
                    learns={"edda": "Piet's coat hung wet behind the door.", "piet": "Edda saw the coat."},
                    gist="The door was forced and Piet's wet coat found.",
                    moment=Spark(type="discovery", summary="a wet coat behind the door", significance=0.8),
                    roll=("Your shoulder is too weak for it at first.", "One push is enough."),
                ),
                ScriptScene(
                    narration="Piet takes the lantern and goes down. His steps count themselves away.",
                    cues=("help",),
                    present=("edda",),
                    lines={"edda": '"Let him," I say.'},
                    learns={"edda": "Piet went down for help."},
                    gist="Piet went down for help.",
                ),
            ),
            topics=(
                Topic(
                    cues=("lens", "glass"),
                    narration="The lens upstairs has been there for a hundred years. It came by boat in straw.",
                    again="Of the lens there is no more to tell.",
                    lines={"edda": '"Do not touch it," I say.'},
                    learns={"edda": "{player} asked about the lens."},
                    gist="{player} asked about the lens.",
                ),
                Topic(
                    cues=("gull",),
                    narration="A gull sits on the sill. It has seen worse nights than this one.",
                    lines={"piet": '"That one is Anna," I say.'},
                ),
            ),
            ambient=(
                Passage(narration="The sea breathes against the rock. Spray ticks on the pane.", mood="calm"),
                Passage(narration="A step creaks above, although nobody is there. It creaks again, lower."),
                Passage(
                    narration="Old Piet hums a tune about herring. He stops when you look.", mood="humorous"
                ),
            ),
            recap="{player} found the oil gone, and Piet went for help.",
        ),
        "lamp": ChapterScript(
            opening="The lamp room is round and cold.",
            scenes=(
                ScriptScene(
                    narration="A crack runs through the lens. It looks like a river on a map.",
                    lines={"edda": '"Cracked," I say.'},
                    learns={"edda": "The lens is cracked."},
                    gist="The lens was found cracked.",
                ),
                ScriptScene(
                    narration="The lamp burns. Out at sea a horn answers, once, twice.",
                    lines={"edda": '"There," I say.'},
                    gist="The lamp burned again.",
                    moment=Spark(type="achievement", summary="the lamp burned after all", significance=0.9),
                ),
            ),
            ambient=(Passage(narration="Wind goes round the tower. It tries every pane."),),
            recap="The lamp burned again.",
        ),
    },
    voices={
        "edda": Voice(
            lines={
                "any": ('"Mind the step," I say.', '"Later," I say.', '"If you like," I say.'),
                "tense": ('"Quiet," I say.',),
            },
            answers=(
                CuedAnswer(
                    cues=("yourself", "keeper"),
                    line='"Nine years on this rock," I say.',
                    learns="{player} knows how long Edda has kept the light.",
                ),
            ),
        ),
        "piet": Voice(lines={"any": ('"The gulls know," I say.', '"Aye," I say.')}),
    },
    epilogue="It is morning. You remember: {moments}.\n\nThe boat comes.",
    afterwards=(Passage(narration="The boat rocks. Nobody speaks of the night."),),
)


def game_info(**changes: object) -> GameInfo:
    """`game.yaml` of the lighthouse."""
    known: dict[str, object] = {
        "id": "light",
        "title": "The Light",
        "description": "",
        "characters": ("edda", "piet"),
        "chapters": ("stairs", "lamp"),
    }
    return GameInfo.model_validate({**known, **changes})


def light(script: Script = SCRIPT, **changes: object) -> Pack:
    """The lighthouse; `changes` are fields of its `game.yaml`."""
    return Pack(
        game=game_info(**changes),
        world=WORLD,
        characters=CHARACTERS,
        chapters={"stairs": STAIRS, "lamp": LAMP},
        script=script,
    )


def with_stairs(**changes: object) -> Script:
    """The script, with these fields of its first chapter."""
    stairs = SCRIPT.chapters["stairs"].model_copy(update=changes)
    return SCRIPT.model_copy(update={"chapters": {**SCRIPT.chapters, "stairs": stairs}})


@pytest.fixture
def pack() -> Pack:
    return light()


@pytest.fixture
def bare() -> Pack:
    """The same pack without `storyteller.yaml`."""
    return light(Script())


@pytest.fixture
def table(pack: Pack) -> Table:
    """A game whose opening has been told."""
    return Table.opened(pack)
