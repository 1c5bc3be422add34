"""Record keepers: progress, moments, rolling summary, recaps, epilogue."""

import json
from dataclasses import replace

from theact_tui.agents.agent import (
    Agent,
    Templates,
    about_player,
    clerk,
    clerk_system,
    page_text,
    parted,
    render_entry,
    render_turns,
    storyteller_system,
)
from theact_tui.agents.prompts import fill_prompt
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.moments import MOMENT_TYPES
from theact_tui.story.turn import Entry, Role
from theact_tui.story.views import (
    EpilogueView,
    FinishedView,
    MomentsView,
    ProgressView,
    RecapView,
    SummaryView,
)

EXAMPLE_QUOTE = "the wick catches and holds"
"""Proves nothing if a model copies it."""


def _progress(view: ProgressView) -> dict[str, str]:
    names, asked = view.story.names, view.asked
    answers: dict[str, object] = dict(zip(asked, ("no", EXAMPLE_QUOTE, "begun"), strict=False))
    flags = {"end": False, "answered": True}
    example = {label: flags.get(label, answers.get(label, "no")) for label in asked}
    lines = {label: f"{label}. {beat}" for label, beat in view.beats.items()}
    lines |= {
        label: f"{label}. {names.get(id, id)} says this out loud: {secret}"
        for label, (id, secret) in view.secrets.items()
    }
    lines["end"] = f"end: is this true by now? {view.chapter.completion}"
    if view.question:
        lines["answered"] = (
            f"answered: has {view.story.hero} been told the answer, or a plain no? {view.question.text}"
        )
    return {
        "turn": render_turns(view.turns, view.story),
        "lines": "\n".join(lines[label] for label in asked),
        "example": json.dumps(example),
    }


_PROGRESS = clerk("progress", _progress, pages="turn", source="chapters/{view.chapter.id}.yaml")


def _progress_sections(view: ProgressView, templates: Templates) -> list[Section]:
    # the turn comes first: a server then reads it once for all record keepers
    *sections, task = _PROGRESS(view, {})
    if before := render_turns(view.before, view.story):
        sections.append(Section("page before", f"THE PAGE BEFORE\n{before}", "the story", "turn"))
    return [*sections, task]


PROGRESS: Agent[ProgressView] = Agent(
    "progress",
    "progress",
    250,
    0.2,
    _progress_sections,
    context=lambda view: ReplyContext(offered=dict.fromkeys(view.asked, ())),
)


def _finished(view: FinishedView, templates: Templates) -> list[Section]:
    role: Role = "player" if view.place.is_line else "character" if view.place.speaker else "narrator"
    entry = Entry(role=role, text=view.place.text, character=view.place.speaker or None)
    place = render_entry(entry, view.story.names, view.story.hero, view.story.voice)
    return [
        clerk_system(view.story, templates),
        Section("question", fill_prompt("finished", {}, place=place, beat=view.beat), source="prompts"),
    ]


FINISHED: Agent[FinishedView] = Agent("progress", "finished", 40, 0.2, _finished)


def _moments(view: MomentsView) -> dict[str, str]:
    return {
        "turn": render_turns(view.turns, view.story),
        "moments": "\n".join(f"- {moment.summary}" for moment in view.moments) or "none yet",
        "types": ", ".join(MOMENT_TYPES),
    }


MOMENT: Agent[MomentsView] = Agent(
    "keeper",
    "moment",
    250,
    0.3,
    clerk("moment", _moments, pages="turn", source="the story", turns=lambda view: view.turns),
)


def _summary(view: SummaryView) -> dict[str, str]:
    return {"before": view.before or "nothing yet", "turns": render_turns(view.turns, view.story)}


def _recap(view: RecapView) -> dict[str, str]:
    beats = f"It told: {'; '.join(beat.rstrip('.') for beat in view.beats_hit)}." if view.beats_hit else ""
    return {
        "title": view.chapter.title,
        "beats": beats,
        "summary": f"Before these pages: {view.summary}" if view.summary else "",
        "turns": render_turns(view.turns, view.story) or view.chapter.summary,
    }


def _epilogue(view: EpilogueView, templates: Templates) -> list[Section]:
    player = view.story.hero
    remembered = "\n".join(f"- {moment.summary}" for moment in view.moments)
    recaps = "\n".join(f"{title}: {text}" for title, text in view.recaps)
    before, after = parted("epilogue", templates, "moments", player=player, title=view.title, recaps=recaps)
    *earlier, last = [page_text(turn, view.story) for turn in view.turns]
    owed = "\n".join(f"- {line}" for line in view.owed)
    pages = [*([remembered] if remembered else earlier), *([owed] if owed else [])]
    return [
        storyteller_system(view.story, templates),
        *about_player(view.story),
        Section("last page", f"THE LAST PAGE\n{last}", source="the story", priority="pages"),
        Section("story", before, source="summaries.yaml"),
        *(Section("remembered", text, source="moments.yaml", priority="pages") for text in pages),
        Section("epilogue", after, source="prompts"),
    ]


SUMMARY: Agent[SummaryView] = Agent(
    "summary",
    "summary",
    300,
    0.3,
    clerk("summary", _summary, pages="turns", source="state.yaml", turns=lambda view: view.turns),
)
CONDENSE = replace(
    SUMMARY,
    sections=clerk("condense", lambda view: {"before": view.before}, pages="before", source="state.yaml"),
)
RECAP: Agent[RecapView] = Agent(
    "recap",
    "recap",
    300,
    0.3,
    clerk(
        "recap",
        _recap,
        pages="turns",
        source="chapters/{view.chapter.id}.yaml",
        turns=lambda view: view.turns,
    ),
)
EPILOGUE: Agent[EpilogueView] = Agent("epilogue", "epilogue", 500, 0.8, _epilogue)
