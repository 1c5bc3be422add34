"""The stage: after a page, a form that says who is there, who heard the player's line, and who answers; and before one,
the keeper's, that says what of the line is risked. Both stand behind the narrator's prompt, which a server then knows."""

from __future__ import annotations

import json
from typing import Any

from theact_tui.agents.base import MOST_OF_A_LINE, Agent, Templates, clerk_system
from theact_tui.agents.prompts import fill
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.dice import EASIEST, HARDEST
from theact_tui.story.pack import MOODS
from theact_tui.story.stage import LONGEST_PLACE, MOST_ANSWERS, Scene
from theact_tui.story.views import KeeperView, StageView

_ASKED = {
    "moved": "true if {player} is in another place at its end",
    "here": "ids of all who are there at its end",
    "asleep": "ids of those of them who sleep",
    "passed": "ids of those who came and left again",
    "gone": "ids of those of {answered} who went away in the answer right before {player}'s line",
    "because": "words of the line, copied, that keep it from somebody here (a whisper, a sign, a slipped note); empty if "
    "anybody may notice it, as usual",
    "heard_by": "then the ids of those who alone noticed it; else []",
    "answer": "ids of at most {most}, there and awake, who have something to say now, in order; may be []",
    "mood": "one of {moods}",
    "place": "place and hour at its end, at most {place} characters",
}


def _task(view: StageView, templates: Templates) -> str:
    scene, hero = view.scene, view.story.hero
    named = [_named(scene, id) for id in scene.here]
    values = {
        "player": hero,
        "answered": ", ".join(scene.answered),
        "most": str(MOST_ANSWERS),
        "moods": ", ".join(MOODS),
        "place": str(LONGEST_PLACE),
    }
    line = " ".join(scene.line.split())
    return fill(
        "stage",
        templates,
        player=hero,
        people=", ".join(f"{id} ({name})" for id, name in scene.names.of.items()),
        before=", ".join(named) or f"only {hero}",
        line=f"{hero}'s line: {_end_of(line)}" if line else f"{hero} waits.",
        fields="\n".join(f"{name}: {_ASKED[name].format(**values)}" for name in scene.offered),
        example=json.dumps(unchanged(scene), ensure_ascii=False),
    )


def _named(scene: Scene, id: str) -> str:
    return f"{scene.names.of[id]}{' (asleep)' if id in scene.asleep else ''}"


def _end_of(line: str) -> str:
    return line if len(line) <= MOST_OF_A_LINE else f"... {line[-MOST_OF_A_LINE:].partition(' ')[2]}"


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
    return [
        Section("page", view.page, source="this turn"),
        Section("stage", _task(view, templates), source="prompts"),
    ]


def _alone(view: StageView, templates: Templates) -> list[Section]:
    """For a model that does not know the narrator's prompt."""
    people = "\n".join(
        f"- {card.name}{f', {role}' if (role := card.role.partition(',')[0]) else ''}"
        for card in view.cast.values()
    )
    return [
        clerk_system(view.story, templates),
        Section("cast", f"THE PEOPLE\n{people}", source="characters"),
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
    return [
        clerk_system(view.story, templates),
        Section("page", last, source="the story", priority="pages"),
        *_risk(view, templates),
    ]


KEEPER: Agent[KeeperView] = Agent("keeper", "risk", 120, 0.2, _risk_alone, behind=_risk)
