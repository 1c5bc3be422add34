"""The witness rule: over random games no word reaches a character that it should not know.

Every text a model writes carries a word of its own, so that where it comes from can be read off any prompt.
"""

import asyncio
import json
import re
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.fake_model import Scripted, beat_form, learnt, narration, sent, small_pack, stage, view_of
from theact_tui.engine.session import StorySession
from theact_tui.errors import SaveError, UsageError
from theact_tui.models.model import Request
from theact_tui.story.character_view import lore_for_narrator, memory_view_of, viewpoint_of, witnessed
from theact_tui.story.edits import hold, pin_line
from theact_tui.story.game import Game
from theact_tui.story.lore import LoreEntry, LoreRoom
from theact_tui.story.pack import Pack, World
from theact_tui.story.perception import Perception, perceive
from theact_tui.story.scene import Scene
from theact_tui.story.speech import spoken
from theact_tui.story.turn import FULLY_HEARD, Stage, Turn
from theact_tui.story.views import (
    MemoryView,
    MergeView,
    NarratorView,
    ProgressView,
    ReflectionView,
    Viewpoint,
    Witnessed,
)

pytestmark = pytest.mark.usefixtures("memories_of_replies_wait")

CAST = ("ann", "bob")
WORD = re.compile(
    r"(TOLD|LATE|SAIDann|SAIDbob|PLAYER|ASIDE)x(\d+)x|((?:ANN|BOB)(?:SECRET|WANT|BEAT|LORE))|(?:MEMORY)x(ann|bob)x"
    r"|(SUMMARY|RECAP|MOMENT|EPILOGUE|TRUTH|LORE)x"
)
FOUND = {
    "quote": "on the stair", "moment_type": "discovery", "moment_summary": "MOMENTx", "moment_significance": 0.9,
}  # fmt: skip

AGENTS = "narrator character memory merge reflection progress keeper recap epilogue summary".split()
Step = tuple[object, ...]

stages = st.lists(st.sampled_from(CAST), unique=True)
whispers = st.sampled_from(["", "", "Ann", "Bob"])
steps = st.one_of(
    st.tuples(st.just("turn"), stages, stages, whispers, st.just(())),
    st.tuples(st.just("turn"), stages, stages, whispers, stages),
    st.tuples(st.just("retry"), stages, stages, whispers, stages),
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
    before: tuple[str, ...] = ()
    """Who was on stage when the narrator was asked."""
    heard_by: tuple[str, ...] = ()
    """Whom alone the form says that the line is heard by; empty: all."""

    def marked(self, ask: Request) -> str:
        match ask.agent:
            case "narrator":
                self.before = view_of(ask, NarratorView).present
                return narration(
                    self.page(),
                    ", ".join(self.answering),
                    present=", ".join(self.on_stage),
                    because="I say",
                    heard_by=list(self.heard_by),
                )
            case "character":
                owner = ask.key.partition(":")[2]
                return f"I call it SAID{owner}x{self.telling}x and nothing else."
            case "memory":
                owner = ask.key.partition(":")[2]
                if isinstance(ask.view, ReflectionView):
                    believes = [f"Alex: Kind, MEMORYx{owner}x."]
                    return json.dumps({"want": f"To go, MEMORYx{owner}x.", "hide": "no", "beliefs": believes})
                if isinstance(ask.view, MergeView):
                    return f"I remember, MEMORYx{owner}x."
                if view_of(ask, MemoryView).memory.policy == "cells":
                    return f"I saw lamp{self.telling}, MEMORYx{owner}x."
                return learnt(*(f"The lamp{self.telling}{n} was MEMORYx{owner}x." for n in "abcd"))
            case "progress":
                first = next(iter(view_of(ask, ProgressView).beats.values()), "")
                beats = view_of(ask, ProgressView).chapter.beats
                return beat_form(*[beats.index(first) + 1] if first else [])(ask)
            case "keeper":
                return json.dumps({"moments": [FOUND]})
            case "recap":
                return "RECAPx was written."
            case "epilogue":
                return "EPILOGUEx was told."
            case _:
                return "SUMMARYx was told."

    def page(self) -> str:
        """What is told before anybody comes, who comes and goes, and what is told then."""
        tides = " ".join(f"Tide {n} turns TOLDx{self.telling}x over the stair." for n in range(8))
        moves = [f"{name.title()} goes." for name in self.before if name not in self.on_stage]
        moves += [f"{name.title()} comes." for name in self.on_stage if name not in self.before]
        after = " ".join(f"Tide {n} leaves LATEx{self.telling}x on the stair." for n in range(4))
        return "\n\n".join([tides, "Nothing stirs.", " ".join(moves) or "Nobody moves.", after])

    def known(self, told: Stage, whispered: str) -> dict[str, frozenset[str]]:
        """By character, the words of the telling just told that it may know."""

        def hears(name: str) -> bool:
            was_there = name in self.before
            if whispered:
                return name == whispered.lower() and (was_there or name in told.here)
            if self.heard_by and name not in self.heard_by:
                return was_there and name in told.here and name in told.answer
            return was_there

        known: dict[str, frozenset[str]] = {}
        for name in CAST:
            was_there, stays = name in self.before, name in told.here
            words = {f"SAID{name}"} if stays else set()
            words |= {"TOLD"} if was_there else set()
            words |= {"LATE"} if stays else set()
            words |= {"PLAYER"} if hears(name) else set()
            is_kept_from = was_there and not hears(name)
            for speaker in told.answer if stays else ():
                words |= set() if is_kept_from and hears(speaker) else {f"SAID{speaker}"}
            known[name] = frozenset(words)
        return known


Known = dict[int, dict[str, frozenset[str]]]
"""By telling and character, the words it may know."""
Watching = Callable[[StorySession, Known], Awaitable[None]]


def asked_about(telling: int, whispered: str) -> str:
    """What the player types: words to be traced, and words that bring old memories back."""
    lamps = " ".join(f"lamp{n} lamp{n}a lamp{n}b" for n in range(max(1, telling - 6), telling))
    begun = f"→ {whispered}: I say" if whispered else "I say"
    more = "I nod. " * 10 * (telling % 2)  # more sentences than a line has pieces
    return f"{begun} PLAYERx{telling}x. {more}I wait (but I mean ASIDEx{telling}x). {lamps}"


def traced_pack(policy: str) -> Pack:
    """The small pack, with marked words in all that only the narrator or one character may read."""
    pack = small_pack(memory=policy, memory_cells=2, summary_threshold=200, fold_batch=2)
    cards = {
        name: card.model_copy(update={"want": f"{name.upper()}WANT to leave", "reveal": f"{chapter}/3"})
        for (name, card), chapter in zip(pack.characters.items(), ("one", "two"), strict=True)
    }
    beats = ("ANNBEAT finds the stair", "BOBBEAT lights the lamp", "ANNBEAT opens it", "BOBBEAT sees the sea")
    owners = {beat: beat[:3].lower() for beat in beats}
    chapters = {
        name: chapter.model_copy(update={"beats": beats, "by": owners})
        for name, chapter in pack.chapters.items()
    }
    world = pack.world.model_copy(update={"truth": "TRUTHx: the tower is a lighthouse."})
    owned = [
        LoreEntry(
            id=name, text=f"{name.upper()}LORE lies under seven anchors.", keys=("stair",), known_by=[name]
        )
        for name in CAST
    ]
    hidden = LoreEntry(id="deep", text="LOREx sleeps below the tower.", always=True, known_by="narrator")
    lore = {"book": (*owned, hidden)}
    return pack.model_copy(update={"characters": cards, "chapters": chapters, "world": world, "lore": lore})


async def play(
    home: Path,
    steps: Sequence[Step],
    policy: str,
    watching: Watching | None = None,
    model: Tracer | None = None,
) -> Tracer:
    """Play the steps, and check all prompts; `watching` is told what each may know after every step."""
    model = model or Tracer(window=2048)
    model.answers |= dict.fromkeys(AGENTS, model.marked)
    made = await stage(home, model, traced_pack(policy))
    session, tellings = made.session, count(1)
    known: Known = {}
    for step in steps:
        if watching:
            await watching(session, known)
        seen = len(model.asked)
        try:
            match step:
                case ("turn" | "retry" as what, present, answering, whispered, heard_by):
                    model.telling = next(tellings)
                    model.on_stage, model.answering = tuple(present), tuple(answering)  # type: ignore[arg-type]
                    model.heard_by = tuple(heard_by)  # type: ignore[arg-type]
                    text = asked_about(model.telling, str(whispered))
                    await (session.play(text) if what == "turn" else session.retry(text))
                    await session.settle()
                    told = session.game.turns[session.game.state.turn].stage
                    assert told is not None
                    known[model.telling] = model.known(told, str(whispered))
                case ("leave", name):
                    await session.edit(hold, [str(name)], here=False)
                case ("bring", name):
                    await session.edit(hold, [str(name)], here=True)
                case ("undo", number):
                    await session.undo(int(str(number)))
                case ("redo", number):
                    await session.redo(int(str(number)))
                case ("take", number):
                    await session.select_take(int(str(number)))
                case ("branch", name):
                    await session.branch_at(str(name))
                case ("switch", name):
                    await session.switch(str(name))
                case ("pin", name):
                    await session.edit(pin_line, str(name), 0, pinned=True)
        except (UsageError, SaveError):
            continue
        for ask in model.asked[seen:]:
            check(ask, known)
    if watching:
        await watching(session, known)
    await session.close()
    return model


def check(ask: Request, known: Known) -> None:
    """Every marked word of a character's or memory agent's prompt is one its owner may know."""
    kind, _, owner = ask.key.partition(":")
    if kind not in ("character", "memory"):
        return
    check_words(
        sent(ask),
        owner,
        f"the prompt of {ask.key}",
        known,
    )


def check_words(text: str, owner: str, where: str, known: Known) -> None:
    """Every marked word of a text is one that `owner` may know."""
    for word, telling, secret, remembered, derived in WORD.findall(text):
        assert not derived, f"{derived} in {where}"
        assert not remembered or remembered == owner, f"a memory of {remembered} in {where}"
        assert not secret or secret.lower().startswith(owner), f"{secret} in {where}"
        assert not telling or word in known[int(telling)][owner], f"{where} knows {word} of telling {telling}"


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=4, max_size=14), st.sampled_from(["facts", "cells"]))
def test_no_unwitnessed_word_reaches_a_character(steps: list[Step], policy: str) -> None:
    with tempfile.TemporaryDirectory() as home:
        asyncio.run(play(Path(home), steps, policy))


# --- the property itself: does it see what is wrong? -----------------------------------------------------------------

BOTH, ANN, BOB = list(CAST), ["ann"], ["bob"]
GAME: tuple[Step, ...] = (
    *[("turn", BOTH, BOTH, "", ())] * 3, ("turn", ANN, ANN, "", ()), ("branch", "aside"), ("retry", ANN, ANN, "", ()),
    ("turn", BOB, BOB, "", ()), ("undo", 1), ("redo", 1), ("switch", "aside"), ("leave", "ann"),
    *[("turn", BOTH, BOTH, "", ())] * 2, *[("turn", BOTH, BOTH, "Ann", ())] * 2, ("bring", "ann"),
    *[("turn", BOTH, ANN, "", ANN), ("turn", BOTH, BOB, "", BOB)], *[("turn", BOTH, BOTH, "", ())] * 12,
)  # fmt: skip


async def test_a_game_with_everything_in_it_brings_old_memories_back(tmp_path: Path) -> None:
    model = await play(tmp_path, GAME, "facts")
    recalled = [ask for ask in model.asked if any(s.name == "comes to mind" for s in ask.prompt.sections)]
    assert any(ask.agent == "character" for ask in recalled)
    assert {"summary", "recap", "keeper", "narrator"} <= {ask.agent for ask in model.asked}
    told = {ask.agent: "" for ask in model.asked}
    for ask in model.asked:
        told[ask.agent] += sent(ask)
    assert {"ANNLORE", "BOBLORE", "LOREx"} <= set(re.findall(r"\w*LOREx?", told["narrator"]))
    assert {"ANNLORE", "BOBLORE"} == set(re.findall(r"\w*LOREx?", told["character"]))
    assert any(isinstance(ask.view, ReflectionView) for ask in model.asked)
    assert "TRUTHx" in told["narrator"] and "ANNWANT" in told["character"]
    assert "say the part that everybody knows" in told["character"]


View = Viewpoint | MemoryView
Break = Callable[[View, Game], View]


def _sees_all(view: View, game: Game) -> View:
    return replace(
        view,
        turns=tuple(
            replace(witnessed(turn, view.id), entries=turn.ordered_entries) for turn in game.turns.values()
        ),
    )


def _hears_all(view: View, game: Game) -> View:
    """All of every turn that it witnessed a part of, but for the asides."""
    return replace(view, turns=tuple(_whole(game.turns[turn.number], turn) for turn in view.turns))


def _whole(turn: Turn, known: Witnessed) -> Witnessed:
    entries = (entry.model_copy(update={"text": spoken(entry.text)}) for entry in turn.ordered_entries)
    return replace(known, entries=tuple(entries))


def _hears_asides(view: View, game: Game) -> View:
    lines = (entry for turn in game.turns.values() for entry in turn.entries if entry.role == "player")
    return replace(view, turns=tuple(replace(turn, entries=(*turn.entries, *lines)) for turn in view.turns))


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


def _knows_the_truth(view: View, game: Game) -> View:
    return replace(view, story=replace(view.story, world=_told_world(game)))


def _told_world(game: Game) -> World:
    world = game.pack.world
    return world.model_copy(update={"setting": f"{world.setting} {world.truth}"})


def _hears_a_cue_of_another(view: View, game: Game) -> View:
    other = next(name for name in CAST if name != view.id)
    cue = next((beat for beat in game.unmet_beats if game.chapter.by[beat] == other), "")
    assert isinstance(view, Viewpoint)
    return replace(view, cue=cue)


def _knows_the_lore(view: View, game: Game) -> View:
    assert isinstance(view, Viewpoint)
    return replace(view, lore=lore_for_narrator(game, "the stair", LoreRoom()))


def _with_summary(view: View, text: str) -> View:
    return replace(view, memory=view.memory.model_copy(update={"summary": text}))


SPEAKING, REMEMBERING = ("turn_steps.viewpoint_of", "facts"), ("after_turn.memories.memory_view_of", "cells")
BREAKS: list[tuple[tuple[str, str], Break]] = [
    *((where, rule) for where in (SPEAKING, REMEMBERING) for rule in (_sees_all, _reads_another)),
    *((where, rule) for where in (SPEAKING, REMEMBERING) for rule in (_hears_all, _hears_asides)),
    *((where, rule) for where in (SPEAKING, REMEMBERING) for rule in (_knows_the_summary, _tells_a_secret)),
    *(
        (SPEAKING, rule)
        for rule in (_recalls_for_another, _knows_the_truth, _hears_a_cue_of_another, _knows_the_lore)
    ),
]


@pytest.mark.parametrize(("where", "broken"), BREAKS)
async def test_the_property_fails_when_a_rule_is_broken(
    where: tuple[str, str], broken: Break, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule: Callable[..., View] = viewpoint_of if where is SPEAKING else memory_view_of

    def broken_rule(game: Game, character: str, *rest: object, **more: object) -> View:
        return broken(rule(game, character, *rest, **more), game)

    monkeypatch.setattr(f"theact_tui.engine.{where[0]}", broken_rule)
    with pytest.raises(AssertionError, match=r"prompt of|knows \w+ of telling"):
        await play(tmp_path, GAME, where[1])


async def test_the_property_fails_when_all_hear_what_is_for_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def heard(scene: Scene, *rest: Any, **more: Any) -> Perception:
        perception = perceive(scene, *rest, **more)
        everybody = dict.fromkeys(perception.heard, FULLY_HEARD)
        stage = perception.stage.model_copy(update={"private": ()})
        return replace(perception, heard=everybody, stage=stage)

    monkeypatch.setattr("theact_tui.engine.turn_steps.perceive", heard)
    with pytest.raises(AssertionError, match=r"knows \w+ of telling"):
        await play(tmp_path, GAME, "facts")
