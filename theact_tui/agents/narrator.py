"""The narrator: tells what follows, and who answers."""

from __future__ import annotations

from theact_tui.agents.base import (
    Agent,
    Templates,
    first_sentence,
    lore_sections,
    parted,
    storyteller_system,
    told_entry,
    transcript,
)
from theact_tui.agents.prompts import TEMPLATES
from theact_tui.agents.steering import (
    language_line,
    length_line,
    notes_to_narrator,
    steering_hints,
    word_range,
)
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.pack import MOODS
from theact_tui.story.secrets import NEXT_BEATS
from theact_tui.story.turn import Entry
from theact_tui.story.views import NarratorView, Person
from theact_tui.text import counted


def _sections(view: NarratorView, templates: Templates) -> list[Section]:
    names, verbatim = view.stage.names, {turn.number for turn in view.turns}
    made = [storyteller_system(view.stage, templates), *transcript(view.turns, view.stage)]
    made += [  # one each, so that the oldest goes first where they do not all fit
        Section(f"chapter {title}", f"EARLIER CHAPTER, {title}: {text}", "summaries.yaml", "summary")
        for title, text in view.recaps
    ]
    if view.summary:
        text = f"BEFORE THESE PAGES\n{view.summary}"
        made.append(Section("rolling summary", text, "state.yaml", "summary"))
    if moments := [f"- {moment.summary}" for moment in view.moments if moment.turn not in verbatim]:
        text = "\n".join(["THE STORY SO FAR, its great moments", *moments])
        made.append(Section("moments", text, source="moments.yaml"))
    if view.recalled:
        text = "\n".join(
            ["FROM LONG AGO, and it may have changed since", *(f"- {line}" for line in view.recalled)]
        )
        made.append(Section("comes to mind", text, "state.yaml", "summary"))
    made += lore_sections(view.lore, names, marked=True)
    made += notes_to_narrator(view.steering)
    line = Entry(role="player", text=view.player_text)
    said = told_entry(line, names, view.stage.hero) if view.player_text else ""
    before, after = _role(view, templates)
    player = Section("player", said, source="the player")
    chapter = Section("narrator", before, source=f"chapters/{view.chapter.id}.yaml")
    if not after:  # a pack's own template without a place for the player's line
        return [*made, player, chapter]
    return [*made, chapter, player, Section("task", after, source="prompts")]


def _role(view: NarratorView, templates: Templates) -> tuple[str, str]:
    """Where the story stands, and what to do; between them stands the player's line, next to what is to be written."""
    length = view.steering.length
    return parted(
        "narrator",
        templates,
        "line",
        player=view.stage.hero,
        title=view.chapter.title,
        summary="" if view.beats_hit else view.chapter.summary.strip(),
        behind=f"Hidden truth: {view.truth.strip()}" if view.truth else "",
        beats=_beats(view),
        lead=_lead(view),
        cast=_cast(view),
        present=_stage(view),
        setting=f"Place and hour: {view.setting}" if view.setting else "",
        hints="\n".join([*_hints(view), *length_line("narrator", length, templates.get("narrator"))]),
        begin=_BEGIN.get(view.kind, "Continue the story:"),
        words=word_range("narrator", length),
        ids=", ".join(person.id for person in view.cast),
        moods=", ".join(MOODS),
    )


_BEGIN = {
    "opening": "Write the first page:",
    "transition": "Write the new chapter's first page:",
}


def _beats(view: NarratorView) -> str:
    """What the chapter leads to: its next beats and its end; nothing in an open chapter. A story's first page is led to
    the first beat alone."""
    if not view.chapter.beats:
        return ""
    unmet = [beat for beat in view.chapter.beats if beat not in view.beats_hit]
    done = f"{len(view.chapter.beats) - len(unmet)} of {len(view.chapter.beats)} beats done."
    made = [f"{done} Next: {unmet[0]}{_left_to(unmet[0], view)}" if unmet else done]
    if view.kind == "opening":
        return made[0]
    if unmet:
        made += [f"Then: {beat}" for beat in unmet[1:NEXT_BEATS]]
    elif not view.game_complete:
        made.append("All have happened: bring the chapter to a close.")
    made.append(f"The chapter ends when: {view.chapter.completion.strip()}")
    return "\n".join(made)


def _lead(view: NarratorView) -> str:
    """Where the page is to go."""
    if view.game_complete or not view.chapter.beats:
        return "Follow where the player leads."
    left = set(view.chapter.beats) - set(view.beats_hit)
    return "Lead gently to the next beat." if left else "Lead gently to the end of the chapter."


def _left_to(beat: str, view: NarratorView) -> str:
    """Whose act a beat is: that one is told so, and does it in an answer."""
    own = view.chapter.by.get(beat, "")
    name = next((person.name for person in view.cast if person.id == own), "")
    if name and own not in view.present:
        return f" (let {name} come, if it fits, and name {name} to answer: it is done in that answer)"
    return f" (lead up to it; {name} does it in the answer)" if name else ""


_SECRETS = {"passed": "Hid, and may have told by now", "out": "Hid, and has told; only who heard it knows"}


def _cast(view: NarratorView) -> str:
    """The people of the chapter; of those on stage also what they hide."""
    lines: list[str] = []
    for person in view.cast:
        role = person.role.partition(",")[0]
        told = [first_sentence(person.personality)]
        if person.secret and person.id in view.present:
            told.append(f"{_SECRETS.get(person.gate, 'Hides')}: {person.secret.strip()}")
        inside = "".join(f" {part}" for part in told if part)
        lines.append(f"- {person.name} (id {person.id}){f', {role}' if role else ''}.{inside}")
    return "\n".join(lines) or "nobody else"


def _stage(view: NarratorView) -> str:
    """Who is there; who is away, and since when."""
    on_stage = [person for person in view.cast if person.id in view.present]
    here = ", ".join(f"{person.name}{_how(person, view)}" for person in on_stage) or "nobody else"
    gone = [person for person in view.cast if person.id not in view.present]
    away = ", ".join(f"{person.name} ({_since(person, view)})" for person in gone)
    return f"{here}. Away: {away}" if away else here


def _how(person: Person, view: NarratorView) -> str:
    if person.id in view.asleep:
        return " (asleep)"
    if person.id in view.back:
        return " (has come meanwhile; say so)"
    return " (just walked off, by the last answer)" if person.id in view.leaving else ""


def _since(person: Person, view: NarratorView) -> str:
    if person.last_seen is None:
        return "not met yet"
    return f"for {counted(max(1, view.stage.turn - 1 - person.last_seen), 'turn')}"


def _hints(view: NarratorView) -> list[str]:
    """What this turn needs said, each on one line."""
    player = view.stage.hero
    hints: list[str] = []
    if view.kind == "opening":
        hints.append(f"The story begins: set the scene in which {player} finds themself.")
    if view.kind == "transition":
        first = f"take up what {player} now does, and " if view.player_text else ""
        hints.append(f"A new chapter begins: {first}carry the story over with a passage of time or place.")
    if view.kind == "play" and not view.player_text and not view.steering.direction:
        hints.append(
            f"{player} waits: let the story go on a little by itself, and leave {player} free to act."
        )
    if view.whispered_to is not None:
        ears = [person.name for person in view.cast if person.id in view.whispered_to]
        whose = " and ".join(ears) or "who is meant, if anybody,"
        hints.append(
            f"Only {whose} noticed what is whispered or hidden in {player}'s line: do not repeat it."
        )
    if view.has_aside:
        hints.append(
            f"What stands in (parentheses) {player} only thinks: nobody hears it, and you do not tell it."
        )
    if view.ruling:
        hints.append(f"The dice have decided, and you must honour it: {view.ruling.resolution}")
    if view.nudge:
        hints.append(f"The story has been standing still. Let it move to: {view.nudge}")
    if view.sent_away:
        away = ", ".join(person.name for person in view.cast if person.id in view.sent_away)
        hints.append(f"{away} went away and stays away.")
    if view.game_complete:
        hints.append("The story proper is over; this is what comes after. There is no beat left to reach.")
    return [*hints, *steering_hints(view), *language_line(view.stage.language)]


def _context(view: NarratorView) -> ReplyContext:
    cast = {person.id: person.name for person in view.cast}
    return ReplyContext(cast, prompt_example=TEMPLATES["narrator"].partition("```yaml")[2])


NARRATOR: Agent[NarratorView] = Agent(
    "narrator",
    "narrator",
    600,
    1.0,
    _sections,
    _context,
    ask_again="Your answer held no narration. Answer with the yaml block only, narration first.",
)
