"""S4, the witness rule: over random games no word reaches a character that it should not know.

Every text a model writes carries a word of its own, so that where it comes from can be read off any prompt.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.scripted import Scripted, narration, small_pack, stage
from theact_tui.errors import SaveError, UsageError
from theact_tui.models.port import Ask
from theact_tui.story.game import Game
from theact_tui.story.views import MemoryView, MergeView, Viewpoint
from theact_tui.story.witness import memory_view_of, viewpoint_of, witnessed

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

AGENTS = ("narrator", "character", "memory", "merge", "progress", "keeper", "recap", "epilogue", "summary")
Step = tuple[object, ...]

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
    st.tuples(st.just("branch"), st.just("aside")),
    st.tuples(st.just("switch"), st.sampled_from(["main", "aside"])),
    st.tuples(st.just("pin"), st.sampled_from(CAST)),
)


class Tracer(Scripted):
    """A model that marks every text and knows which telling is going on."""

    telling = 0
    on_stage: tuple[str, ...] = ()
    answering: tuple[str, ...] = ()

    def marked(self, ask: Ask) -> str:
        match ask.agent:
            case "narrator":
                text = " ".join(f"Tide {n} turns TOLDx{self.telling}x over the stair." for n in range(12))
                return narration(text, ", ".join(self.answering), present=", ".join(self.on_stage))
            case "character":
                return f"I call it SAIDx{self.telling}x and nothing else."
            case "memory":
                owner = ask.key.partition(":")[2]
                if isinstance(ask.view, MergeView):
                    return f"I remember, MEMORYx{owner}x."
                if ask.view.memory.policy == "cells":
                    return f"I saw lamp{self.telling}, MEMORYx{owner}x."
                facts = [f"  - The lamp{self.telling}{n} was MEMORYx{owner}x." for n in "abcd"]
                return "\n".join([f"summary: It was so, MEMORYx{owner}x.", "add:", *facts])
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


def asked_about(telling: int) -> str:
    """What the player types: a word to be traced, and words that bring old memories back."""
    lamps = " ".join(f"lamp{n} lamp{n}a lamp{n}d" for n in range(max(1, telling - 6), telling))
    return f"I say PLAYERx{telling}x. {lamps}"


async def play(home: Path, steps: Sequence[Step], policy: str) -> Tracer:
    model = Tracer(window=2048)
    model.answers |= dict.fromkeys(AGENTS, model.marked)
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
                    text = asked_about(model.telling)
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
                case ("branch", name):
                    await session.branch_at(str(name))
                case ("switch", name):
                    await session.switch(str(name))
                case ("pin", name):
                    await session.pin(str(name), 0)
        except (UsageError, SaveError):
            continue
        for ask in model.asked[seen:]:
            check(ask, witnesses)
    await session.close()
    return model


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


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=4, max_size=14), st.sampled_from(["facts", "cells"]))
def test_no_unwitnessed_word_reaches_a_character(steps: list[Step], policy: str) -> None:
    with tempfile.TemporaryDirectory() as home:
        asyncio.run(play(Path(home), steps, policy))


# --- the property itself: does it see what is wrong? -----------------------------------------------------------------

BOTH, ANN, BOB = list(CAST), ["ann"], ["bob"]
GAME: tuple[Step, ...] = (
    *[("turn", BOTH, BOTH)] * 3,
    ("turn", ANN, ANN),
    ("branch", "aside"),
    ("retry", ANN, ANN),
    ("turn", BOB, BOB),
    ("undo", 1),
    ("redo", 1),
    ("switch", "aside"),
    ("leave", "ann"),
    *[("turn", BOTH, BOTH)] * 4,
)


async def test_a_game_with_everything_in_it_brings_old_memories_back(tmp_path: Path) -> None:
    model = await play(tmp_path, GAME, "facts")
    recalled = [ask for ask in model.asked if any(s.name == "comes to mind" for s in ask.prompt.sections)]
    assert any(ask.agent == "character" for ask in recalled)
    assert {"summary", "recap", "keeper", "narrator"} <= {ask.agent for ask in model.asked}


View = Viewpoint | MemoryView
Break = Callable[[View, Game], View]


def _sees_all(view: View, game: Game) -> View:
    return replace(view, turns=tuple(witnessed(turn) for turn in game.turns.values()))


def _reads_another(view: View, game: Game) -> View:
    other = next(name for name in CAST if name != view.id)
    return replace(view, memory=game.memories[other])


def _knows_the_summary(view: View, game: Game) -> View:
    derived = " ".join([game.state.rolling_summary, game.state.chronicle, *(m.summary for m in game.moments)])
    return _with_summary(view, derived)


def _recalls_for_another(view: View, game: Game) -> View:
    other = next(name for name in CAST if name != view.id)
    return replace(view, memory=view.memory.model_copy(update={"older": game.memories[other].older}))


def _tells_a_secret(view: View, game: Game) -> View:
    secrets = " ".join(card.secret for card in game.pack.characters.values())
    return _with_summary(view, secrets)


def _with_summary(view: View, text: str) -> View:
    return replace(view, memory=view.memory.model_copy(update={"summary": text}))


SPEAKING, REMEMBERING = ("telling.viewpoint_of", "facts"), ("memories.memory_view_of", "cells")
BREAKS: list[tuple[tuple[str, str], Break]] = [
    *((where, rule) for where in (SPEAKING, REMEMBERING) for rule in (_sees_all, _reads_another)),
    *((where, rule) for where in (SPEAKING, REMEMBERING) for rule in (_knows_the_summary, _tells_a_secret)),
    (SPEAKING, _recalls_for_another),
]


@pytest.mark.parametrize(("where", "broken"), BREAKS)
async def test_the_property_fails_when_a_rule_is_broken(
    where: tuple[str, str], broken: Break, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule: Callable[..., View] = viewpoint_of if where is SPEAKING else memory_view_of

    def broken_rule(game: Game, character: str, *rest: object, **more: object) -> View:
        return broken(rule(game, character, *rest, **more), game)

    monkeypatch.setattr(f"theact_tui.engine.{where[0]}", broken_rule)
    with pytest.raises(AssertionError, match=r"prompt of|knows telling"):
        await play(tmp_path, GAME, where[1])
