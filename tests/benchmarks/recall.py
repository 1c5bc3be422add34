"""Does memory hold for five hundred turns? Plants words in a story and looks who still has them, and who should not.

    python -m tests.benchmarks.recall [--turns 520] [--windows 2048,4096,8192] [--seed 1] [--json]

Simulated: whole turns through `Session` on a real save in a temporary folder, told by `Clerk`, a fallible small model
that answers from its prompt alone. Three characters, six chapters; a plant every few turns, in the narration, a reply
or the player's line, and as many sentences again that are only noise. After 10, 50, 200 and 500 turns the prompt that
each witness (and the narrator) would get is built twice: `held`, for a line that has nothing to do with the plant, and
`asked`, for a question about it that does not hold the word. Pinned ones are pinned by the player as soon as they are
in a memory; one that the model never wrote down cannot be, and is left out. What a prompt holds, who heard it and what
leaked is told by `Trace`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from tests.benchmarks.clerk import Clerk
from tests.benchmarks.planting import Plan, Plant, Trace
from tests.support.fake_model import Stage, chapter, small_pack, stage
from theact_tui.agents.character import CHARACTER
from theact_tui.agents.narrator import NARRATOR
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import CallStarted, SummaryRolled
from theact_tui.engine.views import narrator_view
from theact_tui.errors import UsageError
from theact_tui.prompting.sections import Prompt
from theact_tui.story.edits import pin_line
from theact_tui.story.memory import lines_of
from theact_tui.story.pack import Character, Pack, World
from theact_tui.story.turn import Entry
from theact_tui.story.viewpoints import viewpoint_of

AFTER = (10, 50, 200, 500)
ELSEWHERE = "I wait and listen to the sea."
CHAPTERS = ("one", "two", "three", "four", "five", "six")
"""With a beat every 22 turns they last a good 500 turns."""
Policy = Literal["facts", "cells"]


def long_pack(policy: Policy) -> Pack:
    """Six chapters and three people, with texts as long as those of the shipped packs."""
    small = small_pack(memory=policy)
    personality = "Dry, careful, quick to laugh at the wrong time; " * 6
    people = {
        name: Character(
            name=title, role="keeper of the tower", personality=personality, secret="Cannot swim."
        )
        for name, title in (("ann", "Ann Lee"), ("bob", "Bob"), ("cid", "Cid"))
    }
    cast = tuple(people)
    chapters = {
        name: chapter(name, following, characters=cast, present=("ann", "bob"))
        for name, following in zip(CHAPTERS, (*CHAPTERS[1:], None), strict=True)
    }
    game = small.game.model_copy(update={"characters": cast, "chapters": CHAPTERS})
    world = World(setting="A tower in the sea, and what the sea brings. " * 8, tone="Quiet.", rules="None.")
    return Pack(game=game, world=world, characters=people, chapters=chapters)


class Measured:
    """One game, and what was found in its prompts."""

    def __init__(self, plan: Plan, play: Stage, clerk: Clerk) -> None:
        self.plan, self.play, self.clerk = plan, play, clerk
        self.desk = AgentRunner(clerk, Bus())
        self.trace = Trace()
        self.pinned: set[tuple[str, str]] = set()
        """Word and owner."""
        self.found: dict[tuple[str, str, str, int], list[bool]] = defaultdict(list)
        """By who (`character`, `narrator`), kind, way of looking and distance."""
        self.trimmed: Counter[str] = Counter()
        """Calls of record keepers that did not see all of their pages, by agent."""
        self.calls: Counter[str] = Counter()
        self.through = 0
        """The last turn that is folded."""
        self.torn: list[int] = []
        """Turns whose narrator did not have every past turn either verbatim or folded."""
        self.sizes: dict[int, int] = {}
        """Tokens of the narrator's prompt by turn."""

    async def run(self) -> None:
        session = self.play.session
        for turn in range(1, self.plan.turns + 1):
            self.clerk.turn = turn
            await session.play(self.clerk.line())
            await session.settle()
            told = session.game.last_turn
            assert told is not None and told.number == turn, "a turn was lost"
            if plant := self.plan.plants.get(turn):
                self.trace.told[plant.word.casefold()] = turn
            self.trace.hear(told)
            self._read_sent()
            await self._pin()
            for plant in self._due(turn):
                self._look(plant, turn - plant.turn)
        await session.close()

    def _due(self, turn: int) -> Iterator[Plant]:
        for distance in AFTER:
            if plant := self.plan.plants.get(turn - distance):
                yield plant

    def _read_sent(self) -> None:
        for ask in self.clerk.asked:
            kind, _, owner = ask.key.partition(":")
            self.calls[kind] += 1
            if any(s.kept != "whole" for s in ask.prompt.sections if s.priority == "pages"):
                self.trimmed[kind] += 1
            if owner:
                self.trace.look(owner, _text(ask.prompt), self.clerk.turn)
            elif kind == "narrator":
                self._check_pages(ask.prompt, self._folded_before_narrator())
        self.clerk.asked.clear()
        self.play.events.clear()

    def _folded_before_narrator(self) -> int:
        """The last turn that was folded when the narrator of this turn was asked."""
        before = self.through
        for event in self.play.events:
            match event:
                case SummaryRolled(through_turn=through):
                    self.through = through
                case CallStarted(agent="narrator"):
                    before = self.through
        return before

    def _check_pages(self, prompt: Prompt, folded: int) -> None:
        """Every past turn is verbatim or folded, never both or neither (S5.1). The last one may lack its beginning."""
        pages = [section for section in prompt.sections if section.name.startswith("turn ")]
        verbatim = [int(page.name.removeprefix("turn ")) for page in pages if page.kept != "dropped"]
        if verbatim != list(range(folded + 1, self.clerk.turn)):
            self.torn.append(self.clerk.turn)
        self.sizes[self.clerk.turn] = prompt.tokens

    def _longest(self, turn: int) -> int:
        """The narrator's longest prompt around a turn; prompts rise and fall with every fold."""
        return max(tokens for other, tokens in self.sizes.items() if abs(other - turn) <= 8)

    async def _pin(self) -> None:
        """Pin, as a player would, what is to be pinned and has just been noted."""
        session = self.play.session
        for plant in self.plan.plants.values():
            if plant.kind != "pinned" or plant.turn > self.clerk.turn:
                continue
            for owner, memory in session.game.memories.items():
                lines = lines_of(memory)
                place = next((i for i, line in enumerate(lines) if plant.word in line.text), None)
                if place is None or lines[place].pinned or (plant.word, owner) in self.pinned:
                    continue
                try:
                    await session.edit(pin_line, owner, place, pinned=True)
                except UsageError:
                    continue
                self.pinned.add((plant.word, owner))

    def _look(self, plant: Plant, distance: int) -> None:
        """Build the prompts of everybody entitled, and of everybody who is not."""
        game = self.play.session.game
        for way, line in (("held", ELSEWHERE), ("asked", plant.question)):
            for name in game.pack.characters:
                now = (Entry(role="player", text=line), Entry(role="narrator", text="The sea goes on."))
                prompt = self.desk.prepare(
                    CHARACTER, viewpoint_of(game, name, now, ("ann", "bob", "cid"))
                ).prompt
                self._note(plant, name, prompt, way, distance)
            prompt = self.desk.prepare(NARRATOR, narrator_view(game, "play", line, None, 1)).prompt
            self._note(plant, "narrator", prompt, way, distance)

    def _note(self, plant: Plant, reader: str, prompt: Prompt, way: str, distance: int) -> None:
        """Whether the prompt of somebody who heard a plant holds it. One that was not pinned does not count as pinned."""
        for word, _, held in self.trace.look(reader, _text(prompt), self.clerk.turn + 1):
            if word != plant.word.casefold():
                continue
            if reader == "narrator":
                kind = "ordinary" if plant.kind == "pinned" else plant.kind
                self.found["narrator", kind, way, distance].append(held)
            elif plant.kind != "pinned" or (plant.word, reader) in self.pinned:
                self.found["character", plant.kind, way, distance].append(held)

    def result(self) -> dict[str, Any]:
        """Curves: shares of prompts that hold the word, and how many there were."""
        curves: dict[str, Any] = {}
        for (who, kind, way, distance), seen in sorted(self.found.items()):
            curve = curves.setdefault(who, {}).setdefault(kind, {}).setdefault(way, {})
            curve[str(distance)] = {"share": round(sum(seen) / len(seen), 3), "of": len(seen)}
        return {
            "curves": curves,
            "leaks": list(self.trace.leaks),
            "pinned": len(self.pinned),
            "calls": dict(self.calls),
            "calls_with_cut_pages": dict(self.trimmed),
            "turns_neither_verbatim_nor_folded_or_both": self.torn,
            "turns_per_summary_call": round(self.plan.turns / max(1, self.calls["summary"]), 1),
            "narrator_prompt_against_turn_30": {
                str(late): round(self._longest(late) / self._longest(30), 2)
                for late in (300, 500)
                if late <= self.plan.turns
            },
            "pending_at_the_end": len(self.play.session.game.state.pending),
        }


def _text(prompt: Prompt) -> str:
    return "\n".join(message["content"] for message in prompt.messages())


async def measure(policy: Policy, window: int, turns: int, seed: int) -> dict[str, Any]:
    """The curves of one game."""
    plan = Plan(turns, seed)
    clerk = Clerk(plan, window)
    with tempfile.TemporaryDirectory() as home:
        play = await stage(Path(home), clerk, long_pack(policy), seed=seed)
        measured = Measured(plan, play, clerk)
        await measured.run()
        return {"policy": policy, "window": window, "turns": turns, "seed": seed, **measured.result()}


def table(results: Sequence[dict[str, Any]]) -> str:
    """The curves for people: one line per reader, policy, window, kind and way of looking."""
    lines = [
        f"{'who':<10}{'policy':<8}{'window':>7}  {'kind':<10}{'way':<6}"
        + "".join(f"{f't+{a}':>8}" for a in AFTER)
    ]
    for result in results:
        for who, kinds in result["curves"].items():
            for kind, ways in kinds.items():
                for way, curve in sorted(ways.items(), reverse=True):
                    shares = "".join(
                        f"{curve[str(a)]['share']:>8.0%}" if str(a) in curve else f"{'-':>8}" for a in AFTER
                    )
                    lines.append(
                        f"{who:<10}{result['policy']:<8}{result['window']:>7}  {kind:<10}{way:<6}{shares}"
                    )
        lines.append(
            f"  leaks {len(result['leaks'])}, pins {result['pinned']}, calls that saw cut pages "
            f"{result['calls_with_cut_pages'] or 0}, pending {result['pending_at_the_end']}, turns neither verbatim nor "
            f"folded or both {len(result['turns_neither_verbatim_nor_folded_or_both'])}, turns per summary call "
            f"{result['turns_per_summary_call']}, narrator's prompt against turn 30 "
            f"{result['narrator_prompt_against_turn_30']}"
        )
    return "\n".join(lines)


async def measure_all(options: argparse.Namespace) -> list[dict[str, Any]]:
    results = []
    policies: tuple[Policy, ...] = ("facts", "cells")
    for policy in policies:
        for window in map(int, options.windows.split(",")):
            results.append(await measure(policy, window, options.turns, options.seed))
            print(table(results[-1:]), file=sys.stderr, flush=True)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=520)
    parser.add_argument("--windows", default="2048,4096,8192", help="tokens, with commas")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print the curves as JSON")
    options = parser.parse_args()
    results = asyncio.run(measure_all(options))
    print(
        json.dumps({"simulated": __doc__, "results": results}, indent=2) if options.json else table(results)
    )


if __name__ == "__main__":
    main()
