"""A small story with a scripted model, good to look at in pictures."""

import json

from tests.support.fake_model import Scripted, beat_form, learnt, narration
from theact_tui.models.model import Request
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, PlayerInfo, World
from theact_tui.story.views import KeeperView

PACK = Pack(
    game=GameInfo(
        id="salt-stair",
        title="The Salt Stair",
        description="A lighthouse keeps its keeper.",
        characters=("ann", "bob"),
        chapters=("landing", "door"),
        keeper="risky",
        player=PlayerInfo(name="Alex"),
    ),
    world=World(setting="A lighthouse.", tone="Quiet.", rules="The sea keeps what it is given."),
    characters={
        "ann": Character(name="Ann Lee", role="keeper of the light", personality="Dry."),
        "bob": Character(name="Bob", role="diver", personality="Loud."),
    },
    chapters={
        "landing": Chapter(
            id="landing", title="The Landing", summary="Down.", completion="They stand at the door.", next="door",
            beats=("the stair is found", "the lamp is taken down", "Ann counts the steps", "the water stops rising"),
            characters=("ann", "bob"),
        ),
        "door": Chapter(
            id="door", title="The Tide Door", summary="In.", completion="It is open.", beats=("the door is opened",),
            characters=("ann", "bob"),
        ),
    },
)  # fmt: skip

OPENING = """\
The sea is lower tonight than the chart allows. It has gone out past the mooring stones, past the drowned boat, and \
where it always lay there is a stair, cut into the rock and white with salt.

Ann Lee stands at the rail with the big lamp unlit behind her."""
TOLD = (
    """\
You go down with one hand on the wall. The salt is dry; it squeaks. At the ninth step the wall is warm.

Above you the lamp is being carried from one window to the next, though nobody is up there.""",
    """\
You set your shoulder to the door and push. It moves as far as a breath, and what is behind it moves with it.""",
    """\
There is a second stair below the first, as there is a second voice below a voice. Somebody has swept it.""",
)
SAID = (
    '"Twelve," says Ann. "There were nine when my mother counted." She does not come down further than the third.',
    '"Wait." Bob has his ear to the wood. "It breathes. All right, it does not. But it stopped when I said so."',
    '"I sweep it," says Ann. "Somebody has to. You may ask me why, but not here."',
)
LEARNT = (
    ("The stair has twelve steps now.", "Ann will not go below the third step."),
    ("The door moves when it is pushed.", "Something behind the door listens."),
    ("Ann sweeps the lower stair.", "Ann knows more of the stair than she says."),
)
BEATS = ((1,), (), (3,))
LINES = (
    "I go down and count the steps aloud.",
    "I push the door open with my shoulder.",
    "I hold the lamp low and ask Ann who swept here.",
)


def salt_model() -> Scripted:
    model = Scripted(window=8192)
    model.name = "llama-3.1-8b-instruct"
    model.answers = {
        "narrator": narration(OPENING, "ann", "mysterious"),
        "character:ann": '"You will want your boots," she says.',
        "memory": _learnt("The sea went out past the drowned boat."),
        "keeper": _keeper,
    }
    return model


def next_line(model: Scripted, page: int) -> str:
    """What the player says on a page, from 0, with the model ready to answer it."""
    who = ("ann", "bob", "ann")[page]
    mood = ("mysterious", "tense", "calm")[page]
    model.answers["narrator"] = narration(TOLD[page], who, mood)
    model.answers[f"character:{who}"] = SAID[page]
    model.answers["memory:ann"] = _learnt(LEARNT[page][0])
    model.answers["memory:bob"] = _learnt(LEARNT[page][1])
    model.answers["progress"] = beat_form(*BEATS[page])
    return LINES[page]


def _learnt(fact: str) -> str:
    return learnt(fact) if fact else learnt()


def _keeper(ask: Request) -> str:
    pushes = isinstance(ask.view, KeeperView) and "push" in ask.view.action
    return json.dumps({"risk": "push the door open" if pushes else "", "difficulty": 12, "moments": []})
