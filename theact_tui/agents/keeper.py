"""The keeper: what the dice mean before a turn, and which moments told turns hold."""

from __future__ import annotations

from collections.abc import Sequence

from theact_tui.agents.base import Agent, clerk, told, told_turns
from theact_tui.story.dice import verdict_of
from theact_tui.story.script import MOMENT_TYPES
from theact_tui.story.turn import Moment
from theact_tui.story.views import KeeperView

_WON = ("combat_victory", "critical_success", "achievement")
_LOST = ("combat_defeat", "critical_failure")
AGAIN = "Answer again with the one JSON object only."


def _listed(moments: Sequence[Moment]) -> str:
    return "\n".join(f"- {moment.summary}" for moment in moments) or "none yet"


def _dice(view: KeeperView) -> dict[str, str]:
    roll = view.roll or 0
    unfit = _LOST if roll >= view.difficulty else _WON
    last = view.last_turn
    return {
        "last": told(last.told, view.stage.names, view.stage.hero) if last else "The story begins.",
        "moments": _listed(view.moments),
        "action": view.action,
        "roll": str(view.roll),
        "difficulty": str(view.difficulty),
        "verdict": verdict_of(roll, view.difficulty),
        "types": ", ".join(name for name in MOMENT_TYPES if name not in unfit),
    }


def _moments(view: KeeperView) -> dict[str, str]:
    return {
        "turn": told_turns(view.turns, view.stage),
        "moments": _listed(view.moments),
        "types": ", ".join(MOMENT_TYPES),
    }


KEEPER: Agent[KeeperView] = Agent(
    "keeper", "keeper", 200, 0.3, clerk("keeper", _dice, pages="last", source="dice"), ask_again=AGAIN
)
MOMENT: Agent[KeeperView] = Agent(
    "keeper",
    "moment",
    250,
    0.3,
    clerk("moment", _moments, pages="turn", source="the story", begin=True),
    ask_again=AGAIN,
)
