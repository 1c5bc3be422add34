import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from theact_tui.agents.agent import Agent, V
from theact_tui.agents.character import CHARACTER
from theact_tui.agents.memory import CELL, FACTS
from theact_tui.agents.narrator import NARRATOR
from theact_tui.agents.record_keepers import MOMENT, PROGRESS
from theact_tui.agents.stage import KEEPER, STAGE
from theact_tui.authoring.draft import Draft
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.models.model_for_agent import Offline
from theact_tui.prompting.sections import Prompt
from theact_tui.story.agent_views import keeper_view, moments_view, narrator_view, progress_view, stage_view
from theact_tui.story.character_view import memory_view_of, viewpoint_of
from theact_tui.story.game import new_game
from theact_tui.story.pack import Pack
from theact_tui.story.scene import scene_of
from theact_tui.story.story_bible import story_bible
from theact_tui.story.turn import Entry, Turn
from theact_tui.storyteller import Storyteller

LINE, PAGE = "[What the player writes.]", "[What the narrator told.]"


def prompts_of(pack: Pack) -> list[tuple[str, Prompt]]:
    """Return the prompts of the first turn of the first chapter, each with a label."""
    game = new_game(pack, title=pack.game.title, player="", seed=1, created="")
    chapter, cast = game.chapter, game.chapter.characters
    entries = (Entry(role="player", text=LINE), Entry(role="narrator", text=PAGE))
    turn = Turn(number=1, chapter=chapter.id, entries=entries, witnesses=cast)
    after = replace(game.with_state(turn=1), turns={1: turn})
    runner = AgentRunner(Offline(Storyteller(pack, 1)), Bus(), pack=pack)
    prompts: list[tuple[str, Prompt]] = []

    def add(label: str, agent: Agent[V], view: V, key: str = "") -> None:
        prompts.append((label, runner.prepare(agent, view, key).prompt))

    narrator = replace(narrator_view(game, "opening", LINE, None, 1), bible=story_bible(pack))
    narrator_prompt = runner.prepare(NARRATOR, narrator).prompt
    if pack.game.keeper == "risky":
        view = keeper_view(game, narrator)
        prompts.append(
            ("Dice", runner.prepare_behind(KEEPER, view, narrator_prompt.early, "narrator").prompt)
        )
    prompts.append(("Narrator", narrator_prompt))
    stage = stage_view(narrator, scene_of(game, LINE), PAGE)
    prompts.append(
        ("Stage", runner.prepare_behind(STAGE, stage, narrator_prompt.without_task, "narrator").prompt)
    )
    for id in cast:
        add(pack.name_of(id), CHARACTER, viewpoint_of(game, id, entries, cast), f"character:{id}")
    for id in cast:
        agent = FACTS if pack.game.memory == "facts" else CELL
        add(f"Memory: {pack.name_of(id)}", agent, memory_view_of(after, id, [1]), f"memory:{id}")
    if chapter.beats or chapter.completion:
        add("Progress", PROGRESS, progress_view(after, [turn], 1))
    if pack.game.moments == "on":
        add("Moments", MOMENT, moments_view(after, [turn]))
    return prompts


def pack_around(draft: Draft, key: str) -> tuple[Pack, tuple[str, ...]]:
    """Return the pack without broken characters and chapters, and their titles. Raises PackError for errors in other
    parts or in `key`.
    """
    wrong = {finding.file for finding in draft.findings() if finding.level == "error"}
    out = [part for part in draft.parts() if part.file in wrong and "/" in part.file and part.key != key]
    if not out:
        return draft.pack(), ()
    with TemporaryDirectory() as folder:
        copy = Draft(Path(folder) / draft.id, draft.info)
        shutil.copytree(draft.folder, copy.folder)
        sound_parts = [part for part in draft.parts() if part not in out]
        copy.set_cast([{"name": part.title, "text": ""} for part in sound_parts if part.kind == "character"])
        copy.set_outline([{"name": part.title, "text": ""} for part in sound_parts if part.kind == "chapter"])
        return copy.pack(), tuple(part.title for part in out)


def from_chapter(pack: Pack, chapter: str) -> Pack:
    """Drop the chapters before one. Secrets that would come out in those may come out at any time."""
    if chapter not in pack.chapters:
        return pack
    ids = pack.game.chapters[pack.game.chapters.index(chapter) :]
    people = {
        id: card
        if not card.reveal or card.reveal.partition("/")[0] in ids
        else card.model_copy(update={"reveal": ""})
        for id, card in pack.characters.items()
    }
    chapter_scripts = {id: chapter_script for id, chapter_script in pack.script.chapters.items() if id in ids}
    return pack.model_copy(
        update={
            "game": pack.game.model_copy(update={"chapters": ids}),
            "chapters": {id: pack.chapters[id] for id in ids},
            "characters": people,
            "script": pack.script.model_copy(update={"chapters": chapter_scripts}),
        }
    )
