"""Have a model answer as record keepers and suggestions, and count slips of two wordings.

    git show REVISION:theact_tui/agents/prompts.py > /tmp/before.py
    python -m tests.benchmarks.keepers --against /tmp/before.py --base-url http://127.0.0.1:8080/v1 --rows FILE

Answers are added to `--rows` at once, and a run that was stopped goes on where it ended; without `--base-url` they are only
counted. Pages are the offline storyteller's in four packs and those of a labelled chapter of `beats`. Counted by code:

unread  the first answer could not be used, or ended in a loop or by its limit
length  not the sentences, words or lines asked for
ours    four words in a row of our own instructions or example
names   a name that the prompt does not hold
copied  twelve words in a row of the pages
source  copied words that do not stand in the text
wrong   something found where the label says nothing, or nothing where it says something
"""

import argparse
import asyncio
import hashlib
import json
import re
import runpy
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from string import Formatter
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.prose.moments import SCENES
from tests.benchmarks.server_options import add_server_options
from tests.support.beats.chapters import load_stories
from tests.support.storyteller_games import Table
from theact_tui.agents import memory, record_keepers, stage, suggestions
from theact_tui.agents.agent import Agent
from theact_tui.agents.prompts import TEMPLATES
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import CallFinished, Event
from theact_tui.errors import CallError
from theact_tui.models.consent import Targets
from theact_tui.models.model_for_agent import Endpoints
from theact_tui.models.profiles import Profile, Target
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.sentences import sentences
from theact_tui.story import agent_views as views
from theact_tui.story.character_view import memory_view_of, viewpoint_of
from theact_tui.story.dice import is_in_line
from theact_tui.story.game import new_game
from theact_tui.story.memory import CellsMemory, Fact, FactsMemory
from theact_tui.story.moments import Moment
from theact_tui.story.views import MergeView, ReflectionView

AGENTS: dict[str, tuple[Agent[Any], str, int, int]] = {
    "summary": (record_keepers.SUMMARY, "sentences", 4, 5),
    "condense": (record_keepers.CONDENSE, "sentences", 1, 5),
    "recap": (record_keepers.RECAP, "sentences", 2, 3),
    "epilogue": (record_keepers.EPILOGUE, "words", 140, 210),
    "cell": (memory.CELL, "sentences", 1, 3),
    "merge": (memory.MERGE, "sentences", 1, 6),
    "past": (memory.PAST, "sentences", 3, 6),
    "memory": (memory.FACTS, "items", 0, 2),
    "reflection": (memory.REFLECTION, "items", 0, 9),
    "moment": (record_keepers.MOMENT, "items", 0, 4),
    "risk": (stage.KEEPER, "words", 0, 99),
    "ideas": (suggestions.IDEAS, "items", 3, 3),
    "casting": (suggestions.CASTING, "words", 10, 55),
}
"""Agents by template, and the length asked for. Items have one sentence or 20 words at most."""
PACKS = {
    "lost-island": ("Piet", "I wade into the surf and pull at the receiver before the nose sinks.",
                    "I ask Maya how bad it is."),
    "guest-in-nine": ("Mrs Abel", "I slip my hand into Dorothy's pocket and take the key.", "I go to the kitchen and knock."),
    "salt-road": ("Joost", "I jump into the river after Bishop and cut his strap.", "I ask Imke to climb up there for me."),
    "horsell-pit": ("Finch", "I slide down into the pit and hit the lid with a stone.",
                    "“What did you signal with?” I ask Ogilvy."),
}  # fmt: skip
"""A newcomer, a line that risks something, and one that does not."""
MEMORABLE = {6: True, 10: True, 13: True, 1: False, 2: False, 5: False}
EVENTFUL = {3: True, 10: True, 1: False, 5: False}
"""Turns of the English chapter: whether they hold a fact to remember, and a moment of the story."""
KNOWN = FactsMemory(key_facts=(Fact(text="Nell promised Tobit to keep quiet about the tolls.", turn=0),))


@dataclass(frozen=True)
class Case:
    """A question to an agent. `label`: whether there is something to find."""

    id: str
    kind: str
    view: Any
    label: bool | None = None


@dataclass(frozen=True)
class Row:
    """A model's answer as the program read it. `is_first`: it was the first one, and whole."""

    wording: str
    case: str
    model: str
    draw: int
    reply: dict[str, Any]
    is_first: bool
    tokens: int


def cases() -> Iterator[Case]:
    for name in PACKS:
        yield from _cases_of_pack(name, *PACKS[name])
    story = next(story for story in load_stories() if story.name == "english")
    game = new_game(story.pack, title="-", player="", seed=1, created="")
    for number in sorted({*MEMORABLE, *EVENTFUL}):
        now = game.with_turn(turn := story.turn(number)).with_state(turn=number)
        view = memory_view_of(now, "tobit", [number])
        if number in MEMORABLE:
            yield Case(f"memory {number}", "memory", replace(view, memory=KNOWN), MEMORABLE[number])
        if number in EVENTFUL:
            yield Case(f"moment {number}", "moment", views.moments_view(now, [turn]), EVENTFUL[number])
            yield Case(f"cell {number}", "cell", replace(view, memory=CellsMemory()))


def _cases_of_pack(name: str, newcomer: str, *lines: str) -> Iterator[Case]:
    pack = load_pack(shipped_folder() / name)
    pack = pack.model_copy(update={"game": pack.game.model_copy(update={"memory": "cells"})})
    table = Table(pack, player=pack.game.player.name)
    table.play("")
    table.play(next(scene.line for scene in SCENES if scene.pack == name and scene.line))
    game, turns = table.game, views.verbatim_turns(table.game)
    id = max(game.state.views, key=lambda id: len(game.state.views[id]))
    point = viewpoint_of(game, id, (), game.state.present)
    known = memory_view_of(game, id, game.state.views[id])
    past = MergeView(story=known.story, id=id, name=known.name, summary="", turns=known.turns)
    recaps = tuple((chapter.title, chapter.summary) for chapter in pack.chapters.values())
    moments = tuple(Moment(turn=1, type="discovery", summary=beat) for beat in game.chapter.beats[:4])
    assert isinstance(known.memory, CellsMemory)
    asked = {
        "summary": views.summary_view(game, "", turns),
        "recap": views.recap_view(game, game.chapter),
        "ideas": views.suggestion_view(game, "ideas"),
        "casting": views.suggestion_view(game, "casting", newcomer=newcomer),
        "reflection": ReflectionView(story=point.story, point=point),
        "past": past,
        "merge": replace(past, turns=(), cells=known.memory.cells),
        "condense": views.summary_view(game, " ".join(text for _, text in recaps), ()),
        "epilogue": replace(views.epilogue_view(game, turns), recaps=recaps, moments=moments),
    }
    for kind, view in asked.items():
        yield Case(f"{kind} {name}", kind, view)
    for line, is_risk in zip(lines, (True, False), strict=True):
        told = views.narrator_view(game, "play", line, None, 1)
        yield Case(f"risk {name} {is_risk}", "risk", views.keeper_view(game, told), is_risk)


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)*", text.casefold())


def is_run_shared(text: str, other: str, length: int) -> bool:
    """True if so many words in a row stand in both."""
    own, others = words(text), f" {' '.join(words(other))} "
    return any(f" {' '.join(own[i : i + length])} " in others for i in range(len(own) - length + 1))


def texts_of(value: object) -> list[str]:
    """The texts in a reply, without types and kinds."""
    if isinstance(value, dict):
        value = [one for name, one in value.items() if name not in ("moment_type", "kind", "old")]
    if isinstance(value, list):
        return [text for one in value for text in texts_of(one)]
    return value.splitlines() if isinstance(value, str) else []


def slips(case: Case, row: Row, template: str) -> list[str]:
    """Slips of an answer, by name."""
    agent, unit, least, most = AGENTS[case.kind]
    items = texts_of(row.reply)
    text, example = "\n".join(items), agent.context(case.view).prompt_example
    ours = [line for part, *_ in Formatter().parse(template) for line in part.splitlines() if line.strip()]
    pages = "\n".join(section.text for section in agent.sections(case.view, {case.kind: template}))
    for line in filter(None, (*ours, example)):
        pages = pages.replace(line.strip(), "\n")
    found = [*row.reply.get("new", ()), *row.reply.get("changed", ())]
    quotes = [one["quote"] for one in row.reply.get("moments", ())] or list(
        filter(None, [row.reply.get("risk")])
    )
    found += [one for one in quotes if case.kind != "risk" or is_in_line(one, case.view.action)]
    size = {"sentences": len(sentences(text)), "words": len(words(text))}.get(unit, len(items))
    is_long = unit == "items" and any(len(sentences(one)) > 1 or len(words(one)) > 20 for one in items)
    inside = (word for one in sentences(text) for word in re.findall(r"[^\W\d_]{2,}", one)[1:])
    by_name = {
        "unread": not row.is_first,
        "length": not least <= size <= most or is_long,
        "ours": any(is_run_shared(text, line, 4) for line in (*ours, *texts_of(json.loads(example or "0")))),
        "names": not {word.casefold() for word in inside if word[0].isupper()} <= {*words(pages)},
        "copied": case.kind not in ("condense", "risk", "moment") and is_run_shared(text, pages, 12),
        "source": any(" ".join(words(quote)) not in " ".join(words(pages)) for quote in quotes),
        "wrong": case.label is not None and bool(found) is not case.label,
    }
    return [name for name, is_slip in by_name.items() if is_slip]


async def ask(model: Endpoints, case: Case, templates: Mapping[str, str]) -> tuple[dict[str, Any], bool, int]:
    """The answer, whether it was the first, and its tokens."""
    bus, ends = Bus(), list[Event]()
    bus.listen(ends.append)
    try:
        answer = await AgentRunner(model, bus, templates=templates).ask(AGENTS[case.kind][0], case.view)
    except CallError:
        return {}, False, 0
    end = ends[-1]
    assert isinstance(end, CallFinished)
    return answer.reply.model_dump(mode="json"), end.attempts == 1 and not answer.cut, end.completion_tokens


async def ask_all(chosen: list[Case], wordings: list[Mapping[str, str]], options: argparse.Namespace) -> None:
    """Ask for the answers that the file lacks, both wordings of a case in turn."""
    done = {(row.wording, row.case, row.model, row.draw) for row in read_rows(options.rows)}
    extra = {"base_url": options.base_url, "model": options.model, "max_parallel": 1, "timeout": 900}
    for draw in range(1, options.draws + 1):
        profile = Profile.model_validate({**extra, "extra_body": {"seed": draw}})
        with TemporaryDirectory() as cache:
            model = Endpoints(Targets(Target(profile), {}), Path(cache))
            await model.probe()
            for case, templates in ((case, one) for case in chosen for one in wordings):
                key = (wording_of(templates[case.kind]), case.id, options.model, draw)
                if key not in done:
                    row = Row(*key, *await ask(model, case, templates))
                    with options.rows.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
            await model.close()


def read_rows(file: Path) -> list[Row]:
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return [Row(**json.loads(line)) for line in lines]


def wording_of(template: str) -> str:
    return hashlib.sha256(template.encode()).hexdigest()[:10]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_server_options(parser)
    parser.add_argument("--rows", type=Path, default=Path("keepers.jsonl"), help="where answers are kept")
    parser.add_argument("--against", type=Path, help="prompts.py of another version")
    parser.add_argument("--agents", default=",".join(AGENTS), help="templates, with commas between them")
    parser.add_argument("--draws", type=int, default=1, help="how often each is asked")
    parser.add_argument("--show", action="store_true", help="print the answers as well")
    options = parser.parse_args()
    wordings = [runpy.run_path(str(file))["TEMPLATES"] for file in (options.against,) if file] + [TEMPLATES]
    chosen = {case.id: case for case in cases() if case.kind in options.agents.split(",")}
    if options.base_url:
        asyncio.run(ask_all(list(chosen.values()), wordings, options))
    rows = [row for row in read_rows(options.rows) if row.case in chosen]
    for kind in options.agents.split(","):
        counted = [Counter[str]() for _ in wordings]
        for counts, template in zip(counted, (one[kind] for one in wordings), strict=True):
            for row in (row for row in rows if row.wording == wording_of(template)):
                found = slips(chosen[row.case], row, template)
                counts.update({"tokens": row.tokens, "answers": 1, **dict.fromkeys(found or ["no slip"], 1)})
                if options.show:
                    print(f"# {row.wording} {row.case}: {', '.join(found) or 'no slip'}\n{row.reply}\n")
        names = dict.fromkeys(name for counts in counted for name in sorted(counts))
        print(f"{kind}: " + "; ".join(f"{n} {' -> '.join(str(one[n]) for one in counted)}" for n in names))


if __name__ == "__main__":
    main()
