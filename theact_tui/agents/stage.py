"""The stage: after a page, a form that says who is there, who heard the player's line, and who answers; and before one,
the keeper's, that says what of the line is risked. Both stand behind the narrator's prompt, which a server then knows."""

import json
from typing import Any

from theact_tui.agents.base import Agent, Templates, clerk_system
from theact_tui.agents.prompts import fill
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.dice import EASIEST, HARDEST
from theact_tui.story.pack import MOODS
from theact_tui.story.views import KeeperView, StageView
from theact_tui.story.who_hears_and_answers import MOST_ANSWERS, Scene

_ASKED = {
    "moved": "did {player} go elsewhere?",
    "here": "who is there?",
    "asleep": "who of them?",
    "passed": "who came and left again?",
    "gone": "who of {answered} left in the last answer?",
    "because": 'words copied from {player}\'s line that keep it from somebody (a whisper, a sign, a note); mostly ""',
    "heard_by": "then who alone noticed it, or nobody?",
    "answer": "who speaks next? At most {most}, or nobody",
    "mood": "{moods}",
    "place": "where and when",
}


def _task(view: StageView, templates: Templates) -> str:
    scene, hero = view.scene, view.story.hero
    answered, moods = ", ".join(scene.answered), ", ".join(MOODS)
    values = {"player": hero, "answered": answered, "most": str(MOST_ANSWERS), "moods": moods}
    return fill(
        "stage",
        templates,
        player=hero,
        people=", ".join(f"{id} ({name})" for id, name in scene.names.of.items()),
        before=", ".join(map(scene.names.of.__getitem__, scene.here)) or f"only {hero}",
        line=f"{hero}'s line: {scene.line}" if scene.line else f"{hero} waits.",
        fields="\n".join(f"{name}: {_ASKED[name].format(**values)}" for name in scene.offered),
        example=json.dumps(unchanged(scene), ensure_ascii=False),
    )


def unchanged(scene: Scene) -> dict[str, Any]:
    """The form of a page on which nobody came or went, and that whoever spoke last answers."""
    known: dict[str, Any] = {
        "moved": False,
        "here": list(scene.here),
        "asleep": list(scene.asleep),
        "because": "",
        "answer": [id for id in (*scene.answered, *scene.awake) if id in scene.awake][:1],
        "mood": scene.mood,
        "place": scene.place,
    }
    offered = scene.offered
    made = {name: known.get(name, []) for name in offered}
    return {
        name: [id for id in value if id in offered[name]] if isinstance(value, list) else value
        for name, value in made.items()
    }


def _behind(view: StageView, templates: Templates) -> list[Section]:
    task = Section("stage", _task(view, templates), source="prompts")
    return [Section("page", view.page, source="this turn"), task]


def _alone(view: StageView, templates: Templates) -> list[Section]:
    """For a model that does not know the narrator's prompt."""
    people = "\n".join(
        f"- {card.name}{f', {role}' if (role := card.role.partition(',')[0]) else ''}"
        for card in view.cast.values()
    )
    line = f"> {view.story.hero}: {view.scene.line}" if view.scene.line else ""
    return [
        clerk_system(view.story, templates),
        Section("cast", f"THE PEOPLE\n{people}", source="characters"),
        Section("player", line, source="the player"),
        Section("page", f"THE PAGE\n{view.page}", source="this turn", priority="pages"),
        Section("stage", _task(view, templates), source="prompts"),
    ]


STAGE: Agent[StageView] = Agent(
    "stage",
    "stage",
    260,
    0.2,
    _alone,
    context=lambda view: ReplyContext(
        view.scene.names.of, offered=view.scene.offered, player=view.story.hero
    ),
    behind=_behind,
)


def _risk(view: KeeperView, templates: Templates) -> list[Section]:
    hero, told = view.story.hero, view.narrator
    here = [told.cast[id].name for id in told.present if id in told.cast]
    text = fill(
        "risk",
        templates,
        player=hero,
        line=f"> {hero}: {view.action}",
        here=f"{' and '.join(here)} {'is' if len(here) == 1 else 'are'}" if here else "nobody else is",
        difficulty=str(min(HARDEST, max(EASIEST, view.difficulty))),
    )
    return [Section("risk", text, source="prompts")]


def _risk_alone(view: KeeperView, templates: Templates) -> list[Section]:
    last = view.narrator.turns[-1].narration if view.narrator.turns else ""
    page = Section("page", last, source="the story", priority="pages")
    return [clerk_system(view.story, templates), page, *_risk(view, templates)]


KEEPER: Agent[KeeperView] = Agent("keeper", "risk", 120, 0.2, _risk_alone, behind=_risk)
