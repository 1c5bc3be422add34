"""What a pack tells each agent: the prompts of a first turn, and the pack cut to begin at a chapter."""

from __future__ import annotations

from theact_tui.agents.character import CHARACTER
from theact_tui.agents.narrator import NARRATOR
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.engine.factory import new_game
from theact_tui.engine.model_routing import Offline
from theact_tui.engine.views import narrator_view
from theact_tui.prompting.sections import Prompt
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Entry
from theact_tui.story.witness import viewpoint_of
from theact_tui.storyteller import Storyteller

LINE, PAGE = "(What the player writes.)", "(What the narrator told.)"


def prompts_of(pack: Pack) -> list[tuple[str, Prompt]]:
    """The prompts of narrator and characters in the first turn of the pack's first chapter, by whom they are for."""
    game = new_game(pack, title=pack.game.title, player="", seed=1, created="")
    runner = AgentRunner(Offline(Storyteller(pack, 1)), Bus(), templates=pack.prompts)
    told = narrator_view(game, "play", LINE, None, 1)
    found = [("Narrator", runner.prepare(NARRATOR, told).prompt)]
    pages = (Entry(role="player", text=LINE), Entry(role="narrator", text=PAGE))
    for id in game.chapter.characters:
        view = viewpoint_of(game, id, pages, game.chapter.characters)
        found.append((pack.name_of(id), runner.prepare(CHARACTER, view, f"character:{id}").prompt))
    return found


def from_chapter(pack: Pack, chapter: str) -> Pack:
    """The pack without the chapters before one; secrets that were to come out in those may come out at any time."""
    if chapter not in pack.chapters:
        return pack
    ids = pack.game.chapters[pack.game.chapters.index(chapter) :]
    people = {
        id: card
        if not card.reveal or card.reveal.partition("/")[0] in ids
        else card.model_copy(update={"reveal": ""})
        for id, card in pack.characters.items()
    }
    told = {id: each for id, each in pack.script.chapters.items() if id in ids}
    return pack.model_copy(
        update={
            "game": pack.game.model_copy(update={"chapters": ids}),
            "chapters": {id: pack.chapters[id] for id in ids},
            "characters": people,
            "script": pack.script.model_copy(update={"chapters": told}),
        }
    )
