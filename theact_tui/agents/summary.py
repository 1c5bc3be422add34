"""The agents that shorten what was told: rolling summary (continued, and made shorter), chapter recap, epilogue."""

from __future__ import annotations

from theact_tui.agents.base import Agent, Templates, clerk, parted, storyteller_system, told, told_turns
from theact_tui.prompting.sections import Section
from theact_tui.story.views import EpilogueView, RecapView, SummaryView


def _summary(view: SummaryView) -> dict[str, str]:
    return {
        "before": view.before or "nothing yet",
        "turns": told_turns(view.turns, view.stage),
    }


def _recap(view: RecapView) -> dict[str, str]:
    """What the chapter told of its beats too. One that it did not reach must not become history."""
    beats = [f"It told: {'; '.join(view.beats_hit)}."] if view.beats_hit else []
    if view.beats_missed:
        beats.append(f"Not reached, so it did not happen: {'; '.join(view.beats_missed)}.")
    return {
        "title": view.chapter.title,
        "beats": "\n".join(beats),
        "summary": view.summary or "see its pages",
        "turns": told_turns(view.turns, view.stage) or view.chapter.summary,
    }


def _epilogue(view: EpilogueView, templates: Templates) -> list[Section]:
    player = view.stage.hero
    remembered = "\n".join(f"- {moment.summary}" for moment in view.moments)
    recaps = "\n".join(f"{title}: {text}" for title, text in view.recaps)
    before, after = parted("epilogue", templates, "moments", player=player, title=view.title, recaps=recaps)
    pages = [remembered] if remembered else [told(turn.told, view.stage.names, player) for turn in view.turns]
    return [
        storyteller_system(view.stage, templates),
        Section("story", before, source="summaries.yaml"),
        *(Section("remembered", text, source="moments.yaml", priority="pages") for text in pages),
        Section("epilogue", after, source="prompts"),
    ]


_RECORDS = clerk("recap", _recap, pages="turns", source="chapters/{view.chapter.id}.yaml", begin=True)
SUMMARY: Agent[SummaryView] = Agent(
    "summary", "summary", 300, 0.3, clerk("summary", _summary, pages="turns", source="state.yaml", begin=True)
)
CONDENSE: Agent[SummaryView] = Agent(
    "summary",
    "summary",
    300,
    0.3,
    clerk("condense", lambda view: {"before": view.before}, pages="before", source="state.yaml"),
)
RECAP: Agent[RecapView] = Agent("recap", "recap", 300, 0.3, _RECORDS)
EPILOGUE: Agent[EpilogueView] = Agent("epilogue", "epilogue", 500, 0.8, _epilogue)
