"""A model server that answers every agent of play mode sensibly, but for one agent that it fails."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.support.fake_model import DEFAULTS, Page, narration
from tests.support.fake_server import Exchange, Request, Step, say

OTHERS = {
    "Diary entries to add": "merge",
    "remembers from before:": "merge",
    "'s life is over.": "reflection",
}
"""Agents whose calls have the key of the memory agent, by words that only their prompts hold."""


def part_of(request: Request) -> str:
    """The agent that a request is for; `merge:ann` where a memory agent is to merge cells."""
    if "One question about these words" in request.prompt:
        return "finished"
    kind = next((agent for words, agent in OTHERS.items() if words in request.prompt), "memory")
    return request.agent.replace("memory:", f"{kind}:")


@dataclass
class Stand:
    """The server's default step. `failing` names the key, or the part, that `fault` answers."""

    answers: dict[str, str] = field(default_factory=dict)
    failing: str = ""
    fault: Callable[[str], Step] | None = None
    """Given the sensible reply, what is done instead."""

    def answer(self, request: Request) -> str:
        part = part_of(request)
        for name in (part, part.partition(":")[0]):
            if name in self.answers:
                return self.answers[name]
        if part == "stage":
            return self.form(request)
        return DEFAULTS[part.partition(":")[0]]

    def form(self, request: Request) -> str:
        page = self.answers.get("narrator", DEFAULTS["narrator"])
        return json.dumps({"only": {}, **(page.form if isinstance(page, Page) else {})})

    def fail(self, who: str, fault: Callable[[str], Step] | None) -> None:
        """Let `who` (a key, or `merge:ann`) be answered by `fault`; None heals it."""
        self.failing, self.fault = who, fault

    async def __call__(self, exchange: Exchange) -> None:
        if self.fault is not None and part_of(exchange.request) == self.failing:
            await self.fault(self.answer(exchange.request))(exchange)
            return
        await say(self.answer(exchange.request), size=60)(exchange)


ENDING = '{"1": "Water stands on the stair.", "end": true}'
"""A check's reply that ends a chapter whose one beat is `one finds the stair`."""
NARRATION = "The lamp gutters. Water stands on the stair."
QUIET: Mapping[str, str] = {"narrator": narration(NARRATION, "", present="ann")}
"""Ann is there, and says nothing: as few calls as a turn can have."""
TALK: Mapping[str, str] = {"narrator": narration(NARRATION, "ann, bob", present="ann, bob")}
"""Ann and Bob answer every turn."""
