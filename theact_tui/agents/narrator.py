"""The narrator (S3.3): tells what follows, and who answers."""

from __future__ import annotations

from theact_tui.agents.base import Agent, Templates, storyteller_system, told_entry, transcript
from theact_tui.agents.prompts import fill
from theact_tui.models.reading.context import Context
from theact_tui.prompting.sections import Section
from theact_tui.story.pack import MOODS
from theact_tui.story.turn import Entry
from theact_tui.story.views import NarratorView


def _sections(view: NarratorView, templates: Templates) -> list[Section]:
    player = view.stage.player.name
    names = view.names or {person.id: person.name for person in view.cast}
    made = [storyteller_system(view.stage, templates), *_recaps(view)]
    if view.summary:
        made.append(
            Section("rolling summary", f"BEFORE THESE PAGES\n{view.summary}", "state.yaml", "summary")
        )
    made += transcript(view.turns, names, player)
    if view.player_text:
        line = told_entry(Entry(role="player", text=view.player_text), names, player)
        made.append(Section("player", line, source="the player"))
    moments = _moments(view)
    if moments:
        made.append(Section("moments", moments, source="moments.yaml"))
    if view.recalled:
        lines = "\n".join(f"- {line}" for line in view.recalled)
        made.append(
            Section(
                "comes to mind",
                f"FROM LONG AGO, and it may have changed since\n{lines}",
                "state.yaml",
                "summary",
            )
        )
    made.append(Section("narrator", _role(view, templates), source=f"chapters/{view.chapter.id}.yaml"))
    return made


def _recaps(view: NarratorView) -> list[Section]:
    """A section for each, so that the oldest goes first where they do not all fit."""
    return [
        Section(f"chapter {title}", f"EARLIER CHAPTER, {title}: {text}", "summaries.yaml", "summary")
        for title, text in view.recaps
    ]


def _role(view: NarratorView, templates: Templates) -> str:
    ids = [person.id for person in view.cast]
    return fill(
        "narrator",
        templates,
        player=view.stage.player.name,
        title=view.chapter.title,
        summary=view.chapter.summary.strip(),
        beats=_beats(view),
        cast="; ".join(f"{p.name} (id {p.id}), {p.role}" for p in view.cast) or "nobody else",
        present=", ".join(p.name for p in view.cast if p.id in view.present) or "nobody else",
        hints="\n".join(_hints(view)),
        ids=", ".join(ids),
        moods=", ".join(MOODS),
    )


def _beats(view: NarratorView) -> str:
    marks = [f"[{'x' if beat in view.beats_hit else ' '}] {beat}" for beat in view.chapter.beats]
    made = "Beats (x: done):\n" + "\n".join(marks)
    if view.upcoming:
        made += f"\nLater chapters, not to be told yet: {'; '.join(view.upcoming)}"
    return made


def _moments(view: NarratorView) -> str:
    lines = [f"- turn {m.turn}, {m.type.replace('_', ' ')}: {m.summary}" for m in view.moments]
    return "THE STORY SO FAR, its great moments\n" + "\n".join(lines) if lines else ""


def _hints(view: NarratorView) -> list[str]:
    """What this turn needs said, each on one line."""
    player = view.stage.player.name
    hints: list[str] = []
    if view.kind == "opening":
        hints.append(f"This is the first page: set the scene in which {player} finds themself.")
    if view.kind == "transition":
        hints.append("A new chapter begins: carry the story over into it with a passage of time or place.")
    if view.ruling:
        hints.append(f"The dice have decided, and you must honour it: {view.ruling.resolution}")
    if view.nudge:
        hints.append(f"The story has been standing still. Let it move to: {view.nudge}")
    if view.sent_away:
        away = ", ".join(person.name for person in view.cast if person.id in view.sent_away)
        hints.append(f"{away} went away and stays away.")
    if view.game_complete:
        hints.append("The story proper is over; this is what comes after. There is no beat left to reach.")
    return hints


def narrator_context(view: NarratorView) -> Context:
    """The ids a narrator may name."""
    return Context(active_characters={person.id: person.name for person in view.cast})


NARRATOR: Agent[NarratorView] = Agent(
    name="narrator",
    shape="narrator",
    reply_tokens=600,
    temperature=1.0,
    sections=_sections,
    context=narrator_context,
    ask_again="Your answer held no narration. Answer with the yaml block only, narration first.",
)
