"""S4, the witness rule: over random games no word reaches a character that it should not know.

Every text a model writes carries a word of its own, so that where it comes from can be read off any prompt.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from itertools import count
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.scripted import Scripted, narration, small_pack, stage
from theact_tui.errors import UsageError
from theact_tui.models.port import Ask
from theact_tui.story.views import MergeView

CAST = ("ann", "bob")
WORD = re.compile(
    r"(?:TOLD|SAID|PLAYER)x(\d+)x|(ANNSECRET|BOBSECRET)|(?:MEMORY)x(ann|bob)x|(SUMMARY|RECAP|MOMENT|EPILOGUE)x"
)
FOUND = {
    "resolution": "9 of 12",
    "moment_type": "discovery",
    "moment_summary": "MOMENTx",
    "moment_significance": 0.9,
}

stages = st.lists(st.sampled_from(CAST), unique=True)
steps = st.one_of(
    st.tuples(st.just("turn"), stages, stages),
    st.tuples(st.just("turn"), stages, stages),
    st.tuples(st.just("retry"), stages, stages),
    st.tuples(st.just("leave"), st.sampled_from(CAST)),
    st.tuples(st.just("bring"), st.sampled_from(CAST)),
    st.tuples(st.just("undo"), st.integers(1, 2)),
    st.tuples(st.just("redo"), st.just(1)),
    st.tuples(st.just("take"), st.integers(1, 2)),
)


class Tracer(Scripted):
    """A model that marks every text and knows which telling is going on."""

    telling = 0
    on_stage: tuple[str, ...] = ()
    answering: tuple[str, ...] = ()

    def marked(self, ask: Ask) -> str:
        match ask.agent:
            case "narrator":
                text = f"The tide turns TOLDx{self.telling}x once more over the stair. " * 12
                return narration(text, ", ".join(self.answering), present=", ".join(self.on_stage))
            case "character":
                return f"I call it SAIDx{self.telling}x and nothing else."
            case "memory":
                owner = ask.key.partition(":")[2]
                if ask.view and getattr(ask.view, "memory", None) and ask.view.memory.policy == "cells":
                    return f"I saw it, MEMORYx{owner}x."
                if isinstance(ask.view, MergeView):
                    return f"I remember, MEMORYx{owner}x."
                return (
                    f"summary: It was so, MEMORYx{owner}x.\nadd:\n  - New MEMORYx{owner}x {self.telling}.\n"
                )
            case "progress":
                return "chapter_complete: false\nreason: no\nnew_beats: [1, 2, 3, 4]"
            case "keeper":
                return json.dumps(FOUND)
            case "recap":
                return "RECAPx was written."
            case "epilogue":
                return "EPILOGUEx was told."
            case _:
                return "SUMMARYx was told."


async def play(home: Path, steps: list[tuple[object, ...]], policy: str) -> None:
    model = Tracer(window=2048)
    for agent in (
        "narrator",
        "character",
        "memory",
        "merge",
        "progress",
        "keeper",
        "recap",
        "epilogue",
        "summary",
    ):
        model.answers[agent] = model.marked
    made = await stage(home, model, small_pack(memory=policy, memory_cells=2))
    session, tellings = made.session, count(1)
    witnesses: dict[int, tuple[str, ...]] = {}
    for step in steps:
        seen = len(model.asked)
        try:
            match step:
                case ("turn" | "retry" as what, present, answering):
                    model.telling = next(tellings)
                    model.on_stage, model.answering = tuple(present), tuple(answering)  # type: ignore[arg-type]
                    text = f"I say PLAYERx{model.telling}x."
                    await (session.play(text) if what == "turn" else session.retry(text))
                    await session.settle()
                    turn = session.game.last_turn
                    assert turn is not None
                    witnesses[model.telling] = turn.witnesses
                case ("leave", name):
                    await session.send_away(str(name))
                case ("bring", name):
                    await session.bring(str(name))
                case ("undo", number):
                    await session.undo(int(str(number)))
                case ("redo", number):
                    await session.redo(int(str(number)))
                case ("take", number):
                    await session.take(int(str(number)))
        except UsageError:
            continue
        for ask in model.asked[seen:]:
            check(ask, witnesses)
    await session.close()


def check(ask: Ask, witnesses: dict[int, tuple[str, ...]]) -> None:
    """Every marked word of a character's or memory agent's prompt is one its owner may know."""
    kind, _, owner = ask.key.partition(":")
    if kind not in ("character", "memory"):
        return
    prompt = " ".join(message["content"] for message in ask.prompt.messages())
    for telling, secret, remembered, derived in WORD.findall(prompt):
        assert not derived, f"{derived} in the prompt of {ask.key}"
        assert not remembered or remembered == owner, f"a memory of {remembered} in the prompt of {ask.key}"
        assert not secret or secret.lower().startswith(owner), f"{secret} in the prompt of {ask.key}"
        assert not telling or owner in witnesses[int(telling)], f"{ask.key} knows telling {telling}"


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=4, max_size=14), st.sampled_from(["facts", "cells"]))
def test_no_unwitnessed_word_reaches_a_character(steps: list[tuple[object, ...]], policy: str) -> None:
    with tempfile.TemporaryDirectory() as home:
        asyncio.run(play(Path(home), steps, policy))
