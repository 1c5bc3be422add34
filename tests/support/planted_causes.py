"""Replies of a character whose cause in the prompt is known."""

from random import Random

from tests.support.fake_model import Scripted, sent
from theact_tui.lab.why import Why, ask_why
from theact_tui.models.ledger import Call
from theact_tui.models.model import Request
from theact_tui.prompting.sections import Section

LINE = "I ask what she knows about the harbour."
PLANTS = {
    "facts": "- Ada lent Sam the brass key of the mill.",
    "memory": "Ada watched the ferry burn at midnight.",
    "recalled lines": "- Old Peter buried three coins under the elm.",
    "lore": "- The silver spring makes drinkers forget one name.",
    "the page": "A red kite hangs torn above the chimney.",
    "your line": LINE,
}
REPLIES = {
    "facts": "You still have the brass key of the mill, Sam.",
    "memory": "I watched the ferry burn at midnight, you know.",
    "recalled lines": "Peter buried three coins under that elm.",
    "lore": "Drinkers of the silver spring forget one name.",
    "the page": "That red kite hangs torn above our chimney.",
    "your line": "The harbour? I know nothing about the harbour.",
}
OTHERS = (
    "The bread is getting cold.", "Nobody mends these nets any more.", "Wait until the rain stops.",
    "My sister painted that door.", "Winter came early on the hill.",
)  # fmt: skip


def planted(cause: str) -> Call:
    """A call whose reply follows from one part of its prompt; "" for none."""
    texts = PLANTS
    sections = (
        Section("world", "A village by the sea.", part="system"),
        Section("turn 3", f"The wind turns.\n\n{texts['the page']}", priority="turn"),
        Section("player", f"> Sam: {LINE}"),
        Section("Ada", "YOUR PART NOW: Ada, a miller."),
        Section(
            "memory", f"{texts['memory']}\n{texts['facts']}\n- Sam owes Ada two loaves.", priority="memory"
        ),
        Section("comes to mind", texts["recalled lines"], priority="memory"),
        Section("lore: spring", texts["lore"], priority="lore"),
        Section("task", f"Sam just did or said: {LINE}\nAnswer as Ada."),
    )
    reply = REPLIES.get(cause, OTHERS[0])
    return Call(
        id="1",
        turn=4,
        agent="character",
        character="ada",
        provider="test",
        model="scripted",
        reply=reply,
        sections=sections,
    )


class Speaker(Scripted):
    """A model that says the reply while its cause is in the prompt, and something else now and then."""

    def __init__(self, cause: str, seed: int, share: float) -> None:
        super().__init__()
        dice, reply = Random(seed), REPLIES.get(cause, OTHERS[0])

        def answer(ask: Request) -> str:
            is_caused = not cause or PLANTS[cause] in sent(ask)
            chance = share if is_caused else 0.05
            return f"{reply if dice.random() < chance else dice.choice(OTHERS[1:])} Then she is silent."

        self.answers["character"] = answer


async def answer_of(cause: str, seed: int, share: float = 0.95) -> Why:
    return [why async for why in ask_why(planted(cause), LINE, Speaker(cause, seed, share))][-1]
