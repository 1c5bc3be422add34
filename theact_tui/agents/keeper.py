"""The keeper: what the dice mean before a turn, and which moments told turns hold."""

from __future__ import annotations

from collections.abc import Sequence

from theact_tui.agents.base import Agent, Templates, clerk_sections, storyteller_system, told, told_turns
from theact_tui.prompting.sections import Section
from theact_tui.story.dice import verdict_of
from theact_tui.story.script import MOMENT_TYPES
from theact_tui.story.turn import Moment
from theact_tui.story.views import KeeperView

AGAIN = "Answer again with the one JSON object only."


def _moments(moments: Sequence[Moment]) -> str:
    return "\n".join(f"- {moment.summary}" for moment in moments) or "none yet"


_WON = ("combat_victory", "critical_success", "achievement")
_LOST = ("combat_defeat", "critical_failure")


def _dice_sections(view: KeeperView, templates: Templates) -> list[Section]:
    unfit = _LOST if (view.roll or 0) >= view.difficulty else _WON
    last = told(view.last_turn.told, view.names, view.stage.hero) if view.last_turn else "The story begins."
    return clerk_sections(
        "keeper",
        templates,
        pages="last",
        source="dice",
        stage=view.stage,
        last=last,
        moments=_moments(view.moments),
        action=view.action,
        roll=str(view.roll),
        difficulty=str(view.difficulty),
        verdict=verdict_of(view.roll or 0, view.difficulty),
        types=", ".join(name for name in MOMENT_TYPES if name not in unfit),
    )


def _moment_sections(view: KeeperView, templates: Templates) -> list[Section]:
    return clerk_sections(
        "moment",
        templates,
        begin=storyteller_system(view.stage, templates),
        pages="turn",
        source="the story",
        stage=view.stage,
        turn=told_turns(view.turns, view.names, view.stage.hero),
        moments=_moments(view.moments),
        types=", ".join(MOMENT_TYPES),
    )


KEEPER: Agent[KeeperView] = Agent(
    name="keeper", shape="keeper", reply_tokens=200, temperature=0.3, sections=_dice_sections, ask_again=AGAIN
)
MOMENT: Agent[KeeperView] = Agent(
    name="keeper",
    shape="moment",
    reply_tokens=250,
    temperature=0.3,
    sections=_moment_sections,
    ask_again=AGAIN,
)
