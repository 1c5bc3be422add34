"""The README and the pages of `docs/`: what they name exists, what they show works, and what exists stands in one of them.

What the page about the architecture says of files and hops is in `test_architecture.py`.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any
from urllib.parse import unquote

import click
import pytest
from pydantic import BaseModel
from ruamel.yaml import YAML

from theact_tui import agents
from theact_tui.agents.agent import Agent
from theact_tui.cli import theact
from theact_tui.exports.write_file import FORMATS
from theact_tui.guest_permissions import UPLOADS
from theact_tui.lab.plan import PLAYERS, Plan
from theact_tui.lab.scenarios import Expectation, Scenario, Step
from theact_tui.models.profiles import Override, Profile
from theact_tui.models.sampling import Sampling
from theact_tui.models.settings import Settings, SettingsFile
from theact_tui.paths import Home
from theact_tui.story.direct.records import (
    AgentSetup,
    ChapterDraft,
    ChapterVoice,
    Config,
    Folded,
    LogEvent,
    MemoryBlock,
    Prompted,
    SessionRecord,
    Setup,
    Snapshot,
)
from theact_tui.story.game import PastChapter, Pending, SaveInfo, State
from theact_tui.story.lore import LoreEntry
from theact_tui.story.memory import Cell, CellsMemory, Fact, FactsMemory, Reflection
from theact_tui.story.moments import Moment
from theact_tui.story.pack import Chapter, Character, GameInfo, World
from theact_tui.story.turn import Decisions, Entry, Heard, Turn
from theact_tui.tui.keymap import checked_keys
from theact_tui.tui.settings.service import AGENT_WORK

ROOT = Path(__file__).parents[1]
PAGES = {path.name: path for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))}
WRITTEN = [name for name in PAGES if name != "CHANGELOG.md"]
"""Those that speak of the program as it is."""


def text_of(page: str) -> str:
    return PAGES[page].read_text(encoding="utf-8")


def section(page: str, heading: str) -> str:
    """A section of a page, up to the next heading of its level."""
    level = heading.partition(" ")[0]
    found = re.search(
        rf"^{re.escape(heading)}(?!\w).*?(?=^#{{1,{len(level)}}} |\Z)", text_of(page), re.M | re.S
    )
    assert found, f"{page} has no section {heading}"
    return found[0]


def in_code(text: str) -> set[str]:
    """All words that stand in code, blocks of it too."""
    return set(re.findall(r"\w+", " ".join(re.findall(r"```.*?```|`[^`\n]+`", text, re.S))))


def examples(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text_of(page), re.S)


# --- what the pages name exists ----------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
        file, _, anchor = link.partition("#")
        if "://" not in link:
            target = (PAGES[page].parent / unquote(file)).resolve() if file else PAGES[page]
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", WRITTEN)
def test_every_file_of_the_project_that_is_named_is_there(page: str) -> None:
    for path in re.findall(r"`((?:theact_tui|tests|content|docs|snapshots)/[\w./-]+)`", text_of(page)):
        assert (ROOT / path).exists(), path
    for path in (
        re.findall(r"`([a-z_]+/[\w./]*\.(?:py|yaml|tcss))`", text_of(page))
        if page in ("CONTRIBUTING.md", "docs/developing.md")
        else ()
    ):
        assert (ROOT / path).exists() or (ROOT / "theact_tui" / path).exists(), path
    for module in re.findall(r"python -m (tests\.[\w.]+)", text_of(page)):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module


@cache
def commands() -> dict[str, click.Command]:
    """All commands by name; one within a group by both."""

    def within(group: click.Group, before: str) -> Iterator[tuple[str, click.Command]]:
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command
            yield before + name, command
            if isinstance(command, click.Group):
                yield from within(command, f"{before}{name} ")

    return {"": theact, **dict(within(theact, ""))}


def options_of(command: click.Command) -> set[str]:
    return {"--help", *(option for each in command.params for option in each.opts)}


@pytest.mark.parametrize("page", WRITTEN)
def test_every_command_that_is_shown_can_be_typed(page: str) -> None:
    for line in re.findall(r"(?<!/)theact-tui ([^`\n\]]*)", re.sub(r"!\[[^\]]*\]", "", text_of(page))):
        words = re.split(r"  +|[#|>;]|&&", line)[0].split()
        named = [each for each in (" ".join(words[:2]), " ".join(words[:1])) if each in commands()]
        if words and not words[0].startswith("-"):
            assert named, line
        known = options_of(commands()[named[0] if named else ""])
        for option in (word.strip("[].,") for word in words if re.match(r"\[?--?[a-z]", word)):
            assert option in known, line


# --- what the pages show works -----------------------------------------------------------------------------------------


def test_the_example_of_lore_can_be_read() -> None:
    (shown,) = examples("lore.md", "yaml")
    assert [LoreEntry.model_validate(entry) for entry in YAML(typ="safe").load(shown)]


def test_the_plan_and_the_scenario_of_the_lab_can_be_read() -> None:
    plan, scenario = (YAML(typ="safe").load(shown) for shown in examples("lab.md", "yaml"))
    assert Plan.model_validate(plan)
    assert Scenario.model_validate(scenario)


@pytest.mark.parametrize("page", WRITTEN)
def test_every_example_of_settings_means_something(page: str, tmp_path: Path) -> None:
    for shown in examples(page, "toml"):
        file = SettingsFile(tmp_path / "config.toml")
        file.path.write_text(shown, encoding="utf-8")
        assert file.read() != Settings()
        assert file.unknown() == []
        assert checked_keys(file.read().ui.keys).refused == {}


# --- what exists is documented -----------------------------------------------------------------------------------------


def test_every_command_is_in_the_specification() -> None:
    shown = section("spec.md", "## S12") + section("direct-mode.md", "## D11")
    words = set(re.findall(r"[a-z-]+", shown))
    assert [name for name in commands() if name and name.split()[-1] not in words] == []


def test_every_agent_that_can_be_set_is_documented() -> None:
    assert in_code(section("settings.md", "## `[agents.NAME]`")) >= set(AGENT_WORK)


@pytest.mark.parametrize(
    ("page", "heading", "models"),
    [
        ("packs.md", "## game.yaml", [GameInfo]),
        ("packs.md", "## world.yaml", [World]),
        ("packs.md", "## characters", [Character]),
        ("packs.md", "## chapters", [Chapter]),
        ("lore.md", "# Lore", [LoreEntry]),
        ("saves.md", "## Files", [SaveInfo, State, PastChapter, Pending, Turn, Entry, Heard, Decisions]),
        ("saves.md", "## Files", [FactsMemory, Fact, CellsMemory, Cell, Reflection, Moment]),
        ("saves.md", "## Files", [Setup, AgentSetup, ChapterVoice, Folded, Prompted]),
        ("direct-mode.md", "## D6", [LogEvent]),
        ("direct-mode.md", "## D8", [MemoryBlock]),
        ("direct-mode.md", "## D10", [SessionRecord, Config, ChapterDraft, Snapshot]),
        ("lab.md", "## Plans", [Plan]),
        ("lab.md", "## Scenarios", [Scenario, Step, Expectation]),
        ("settings.md", "# Settings", [Settings, Profile, Override, Sampling]),
    ],
)
def test_every_field_is_documented(page: str, heading: str, models: list[type[BaseModel]]) -> None:
    shown = in_code(section(page, heading))
    assert [
        f"{model.__name__}.{name}" for model in models for name in model.model_fields if name not in shown
    ] == []


@pytest.mark.parametrize(
    ("page", "named"),
    [
        ("saves.md", r"refs/theact/[a-z]+"),
        ("settings.md", r"(?<=\")(?:(?:LLM|OPENAI|THEACT|TIKTOKEN)_[A-Z_]+|NO_COLOR|VISUAL|EDITOR)(?=\")"),
    ],
)
def test_what_the_source_names_is_documented(page: str, named: str) -> None:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "theact_tui").rglob("*.py"))
    found = {name for source in sources for name in re.findall(named, source)}
    assert found
    assert [name for name in found if name not in text_of(page)] == []


def test_every_promise_of_direct_mode_has_tests_that_exist() -> None:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    known = {name for source in sources for name in re.findall(r"^(?:async )?def (test_\w+)", source, re.M)}
    rows = re.findall(r"^\| (.*) \| (.*) \|$", text_of("direct-mode.md"), re.M)
    promises = [(promise, re.findall(r"`(test_\w+)`", tests)) for promise, tests in rows if "`test_" in tests]
    assert len(promises) > 60
    assert [promise for promise, _ in rows if promise.endswith(".") and promise not in dict(promises)] == []
    assert [name for _, tests in promises for name in tests if name not in known] == []


def test_every_player_of_the_lab_and_every_format_of_an_export_is_documented() -> None:
    assert in_code(section("lab.md", "## Players")) >= set(PLAYERS)
    assert in_code(section("import-and-export.md", "## Export")) >= set(FORMATS)


def test_every_file_of_a_home_is_documented() -> None:
    home = Home.find("/home")
    names = [getattr(home, name).name for name, kind in vars(Home).items() if isinstance(kind, property)]
    assert names
    assert in_code(section("settings.md", "## The home folder")) >= {
        part for name in (*names, "cache", "personas.yaml", UPLOADS) for part in name.split(".")
    }


def _agents() -> list[Agent[Any]]:
    modules = (import_module(f"theact_tui.agents.{module.name}") for module in iter_modules(agents.__path__))
    found: set[Agent[Any]] = {
        one for module in modules for one in vars(module).values() if isinstance(one, Agent)
    }
    return sorted(found, key=lambda one: (one.name, one.shape))


@pytest.mark.parametrize("agent", _agents(), ids=lambda one: f"{one.name} {one.shape}")
def test_the_budget_of_every_agent_stands_in_the_specification(agent: Agent[Any]) -> None:
    lines = section("spec.md", "## S6 Prompts and budget").split("\n")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    (row,) = [cells for cells in rows if agent.name in cells[0].split(", ")]
    tokens, temperature = re.sub(r"(?<=\d),(?=\d)", "", row[-2]), row[-1]
    assert re.search(rf"\b{agent.reply_tokens}\b", tokens) or "by part" in tokens
    assert re.search(rf"(?<![\d.]){agent.temperature}(?![\d.])", temperature)
