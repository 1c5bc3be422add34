"""The agents that shorten what was told: rolling summary (continued, and made shorter), chapter recap, epilogue."""

from __future__ import annotations

from theact_tui.agents.base import (
    Agent,
    Templates,
    clerk_sections,
    parted,
    storyteller_system,
    told,
    told_turns,
)
from theact_tui.prompting.sections import Section
from theact_tui.story.views import EpilogueView, RecapView, SummaryView


def _summary_sections(view: SummaryView, templates: Templates) -> list[Section]:
    player = view.stage.hero
    return clerk_sections(
        "summary",
        templates,
        begin=storyteller_system(view.stage, templates),
        pages="turns",
        source="state.yaml",
        stage=view.stage,
        before=view.before or "nothing yet",
        turns=told_turns(view.turns, view.names, player),
    )


def _condense_sections(view: SummaryView, templates: Templates) -> list[Section]:
    return clerk_sections(
        "condense", templates, pages="before", source="state.yaml", stage=view.stage, before=view.before
    )


def _recap_sections(view: RecapView, templates: Templates) -> list[Section]:
    player = view.stage.hero
    pages = told_turns(view.turns, view.names, player)
    return clerk_sections(
        "recap",
        templates,
        begin=storyteller_system(view.stage, templates),
        pages="turns",
        source=f"chapters/{view.chapter.id}.yaml",
        stage=view.stage,
        title=view.chapter.title,
        beats=_beats(view),
        summary=view.summary or "see its pages",
        turns=pages or view.chapter.summary,
    )


def _beats(view: RecapView) -> str:
    """What the chapter told of its beats. One that it did not reach must not become history."""
    lines = [f"It told: {'; '.join(view.beats_hit)}."] if view.beats_hit else []
    if view.beats_missed:
        lines.append(f"Not reached, so it did not happen: {'; '.join(view.beats_missed)}.")
    return "\n".join(lines)


def _epilogue_sections(view: EpilogueView, templates: Templates) -> list[Section]:
    player = view.stage.hero
    remembered = "\n".join(f"- {moment.summary}" for moment in view.moments)
    before, after = parted(
        "epilogue",
        templates,
        "moments",
        player=player,
        title=view.title,
        recaps="\n".join(f"{title}: {text}" for title, text in view.recaps),
    )
    pages = [remembered] if remembered else [told(turn.told, view.names, player) for turn in view.turns]
    return [
        storyteller_system(view.stage, templates),
        Section("story", before, source="summaries.yaml"),
        *(Section("remembered", text, source="moments.yaml", priority="pages") for text in pages),
        Section("epilogue", after, source="prompts"),
    ]


SUMMARY: Agent[SummaryView] = Agent("summary", "summary", 300, 0.3, _summary_sections)
CONDENSE: Agent[SummaryView] = Agent("summary", "summary", 300, 0.3, _condense_sections)
RECAP: Agent[RecapView] = Agent("recap", "recap", 300, 0.3, _recap_sections)
EPILOGUE: Agent[EpilogueView] = Agent("epilogue", "epilogue", 500, 0.8, _epilogue_sections)
