"""Record keepers: progress, moments, rolling summary, recaps, epilogue."""

from theact_tui.agents.base import (
    Agent,
    Templates,
    about_player,
    clerk,
    page,
    parted,
    storyteller_system,
    told_turns,
)
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.moments import MOMENT_TYPES
from theact_tui.story.views import EpilogueView, MomentsView, ProgressView, RecapView, SummaryView


def _progress(view: ProgressView) -> dict[str, str]:
    beats, hit = view.chapter.beats, view.beats_hit
    lines = [f"{i}. {beat}" for i, beat in view.offered.items()]
    now = sum(beat in beats for beat in view.offered.values())
    ahead = ["Of the next chapter, only if just that has happened:", *lines[now:]] if lines[now:] else []
    return {
        "title": view.chapter.title,
        "completion": view.chapter.completion,
        "done": f"{sum(beat in hit for beat in beats)} of {len(beats)}",
        "beats": "\n".join([*lines[:now], *ahead]) or "none",
        "turn": told_turns(view.turns, view.story),
        "example": str(next(iter(view.offered), 1)),
    }


_PROGRESS = clerk("progress", _progress, pages="turn", source="chapters/{view.chapter.id}.yaml")


def _progress_sections(view: ProgressView, templates: Templates) -> list[Section]:
    """Sections with earlier pages that may hold a missed beat. They follow the turn, so that a server reads it once for all
    record keepers."""
    *sections, task = _PROGRESS(view, templates)
    if before := told_turns(view.before, view.story):
        sections.append(
            Section("pages before", f"EARLIER, parts of the pages before this\n{before}", "the story", "turn")
        )
    return [*sections, task]


def _progress_context(view: ProgressView) -> ReplyContext:
    last = len(view.chapter.beats)
    ahead = tuple(beat for number, beat in view.offered.items() if number > last)
    return ReplyContext(beats=(*view.chapter.beats, *ahead), open_beats=tuple(view.offered))


PROGRESS: Agent[ProgressView] = Agent(
    "progress", "progress", 250, 0.2, _progress_sections, context=_progress_context
)


def _moments(view: MomentsView) -> dict[str, str]:
    return {
        "turn": told_turns(view.turns, view.story),
        "moments": "\n".join(f"- {moment.summary}" for moment in view.moments) or "none yet",
        "types": ", ".join(MOMENT_TYPES),
    }


MOMENT: Agent[MomentsView] = Agent(
    "keeper", "moment", 250, 0.3, clerk("moment", _moments, pages="turn", source="the story", begin=True)
)


def _summary(view: SummaryView) -> dict[str, str]:
    return {"before": view.before or "nothing yet", "turns": told_turns(view.turns, view.story)}


def _recap(view: RecapView) -> dict[str, str]:
    """Fill a recap's template with the beats that were told, and no others."""
    beats = f"It told: {'; '.join(beat.rstrip('.') for beat in view.beats_hit)}." if view.beats_hit else ""
    return {
        "title": view.chapter.title,
        "beats": beats,
        "summary": view.summary or "nothing else",
        "turns": told_turns(view.turns, view.story) or view.chapter.summary,
    }


def _epilogue(view: EpilogueView, templates: Templates) -> list[Section]:
    player = view.story.hero
    remembered = "\n".join(f"- {moment.summary}" for moment in view.moments)
    recaps = "\n".join(f"{title}: {text}" for title, text in view.recaps)
    before, after = parted("epilogue", templates, "moments", player=player, title=view.title, recaps=recaps)
    pages = [remembered] if remembered else [page(turn, view.story) for turn in view.turns]
    return [
        storyteller_system(view.story, templates),
        *about_player(view.story),
        Section("story", before, source="summaries.yaml"),
        *(Section("remembered", text, source="moments.yaml", priority="pages") for text in pages),
        Section("epilogue", after, source="prompts"),
    ]


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
RECAP: Agent[RecapView] = Agent(
    "recap",
    "recap",
    300,
    0.3,
    clerk("recap", _recap, pages="turns", source="chapters/{view.chapter.id}.yaml", begin=True),
)
EPILOGUE: Agent[EpilogueView] = Agent("epilogue", "epilogue", 500, 0.8, _epilogue)
