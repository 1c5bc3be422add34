"""The narrator: tells what follows, and who answers."""

from __future__ import annotations

from theact_tui.agents.base import (
    Agent,
    Templates,
    first_sentence,
    language_line,
    length_line,
    lore_sections,
    parted,
    storyteller_system,
    told_entry,
    transcript,
)
from theact_tui.agents.prompts import TEMPLATES
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.pack import MOODS
from theact_tui.story.secrets import NEXT_BEATS
from theact_tui.story.steering import Length
from theact_tui.story.turn import Entry
from theact_tui.story.views import NarratorView
from theact_tui.text import clip, counted

WORDS: dict[Length, str] = {
    "short": "40 to 80 words",
    "normal": "90 to 180 words",
    "long": "200 to 320 words",
}
"""How much a page is."""
MOST_OF_A_PERSON = 240
"""Characters that say who somebody is; cards of other programs may be one long sentence."""


def _sections(view: NarratorView, templates: Templates) -> list[Section]:
    names, verbatim = view.story.names, {turn.number for turn in view.turns}
    made = [storyteller_system(view.story, templates), *transcript(view.turns, view.story)]
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
    if view.steering.note:
        text = f"THE AUTHOR'S NOTE\n{view.steering.note}"
        made.append(Section("author's note", text, "state.yaml"))
    if view.steering.direction:
        text = f"THE AUTHOR'S DIRECTION FOR THIS PAGE\n{view.steering.direction}"
        made.append(Section("direction", text, "the player"))
    line = Entry(role="player", text=view.player_text)
    said = told_entry(line, names, view.story.hero) if view.player_text else ""
    before, after = _role(view, templates)
    player = Section("player", said, source="the player")
    chapter = Section("narrator", before, source=f"chapters/{view.chapter.id}.yaml")
    if not after:  # a pack's own template without a place for the player's line
        return [*made, player, chapter]
    return [*made, chapter, player, Section("task", after, source="prompts")]


def _role(view: NarratorView, templates: Templates) -> tuple[str, str]:
    """Where the story stands, and what to do; between them stands the player's line, next to what is to be written."""
    length, words = view.steering.length, WORDS[view.steering.length]
    return parted(
        "narrator",
        templates,
        "line",
        player=view.story.hero,
        title=view.chapter.title,
        summary="" if view.beats_hit else view.chapter.summary.strip(),
        behind=f"Hidden truth: {view.truth.strip()}" if view.truth else "",
        beats=_beats(view),
        lead=_lead(view),
        cast=_cast(view),
        present=_stage(view),
        setting=f"Place and hour: {view.setting}" if view.setting else "",
        hints="\n".join([*_hints(view), *length_line("narrator", length, words, templates.get("narrator"))]),
        begin=_BEGIN.get(view.kind, "Continue the story:"),
        words=words,
        ids=", ".join(view.cast),
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
    name = view.cast[own].name if own in view.cast else ""
    if name and own not in view.present:
        return f" (let {name} come, if it fits, and name {name} to answer: it is done in that answer)"
    return f" (lead up to it; {name} does it in the answer)" if name else ""


_SECRETS = {"passed": "Hid, and may have told by now", "out": "Hid, and has told; only who heard it knows"}


def _cast(view: NarratorView) -> str:
    """The people of the chapter; of those on stage also what they hide."""
    lines: list[str] = []
    for id, card in view.cast.items():
        role = card.role.partition(",")[0]
        told = [first_sentence(clip(card.personality, MOST_OF_A_PERSON))]
        if card.secret and id in view.present:
            told.append(f"{_SECRETS.get(view.gates[id], 'Hides')}: {card.secret.strip()}")
        inside = "".join(f" {part}" for part in told if part)
        lines.append(f"- {card.name} (id {id}){f', {role}' if role else ''}.{inside}")
    return "\n".join(lines) or "nobody else"


def _stage(view: NarratorView) -> str:
    """Who is there; who is away, and since when."""
    here, away = list[str](), list[str]()
    for id, card in view.cast.items():
        if id in view.present:
            here.append(f"{card.name}{_how(id, view)}")
        else:
            away.append(f"{card.name} ({_since(id, view)})")
    told = ", ".join(here) or "nobody else"
    return f"{told}. Away: {', '.join(away)}" if away else told


def _how(id: str, view: NarratorView) -> str:
    if id in view.asleep:
        return " (asleep)"
    if id in view.back:
        led = view.kind == "transition" and view.player_text
        return " (comes, if it fits)" if led else " (has come meanwhile; say so)"
    if id in view.unaware:
        return " (knows nothing of the last page)"
    return " (just walked off, by the last answer)" if id in view.leaving else ""


def _since(id: str, view: NarratorView) -> str:
    if id not in view.last_seen:
        return "not met yet"
    return f"for {counted(max(1, view.story.turn - 1 - view.last_seen[id]), 'turn')}"


def _hints(view: NarratorView) -> list[str]:
    """What this turn needs said, each on one line."""
    player, steering = view.story.hero, view.steering
    hints: list[str] = []
    if view.kind == "opening":
        hints.append(f"The story begins: set the scene in which {player} finds themself.")
    if view.kind == "transition":
        first = f"take up what {player} now does, and " if view.player_text else ""
        hints.append(f"A new chapter begins: {first}carry the story over with a passage of time or place.")
    if view.kind == "play" and not view.player_text and not steering.direction:
        hints.append(
            f"{player} waits: let the story go on a little by itself, and leave {player} free to act."
        )
    if view.whispered_to is not None:
        ears = [card.name for id, card in view.cast.items() if id in view.whispered_to]
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
        away = ", ".join(card.name for id, card in view.cast.items() if id in view.sent_away)
        hints.append(f"{away} went away and stays away.")
    if view.game_complete:
        hints.append("The story proper is over; this is what comes after. There is no beat left to reach.")
    if steering.direction:
        hints.append("Follow the author's direction above, and do not mention it.")
    if steering.asked:
        asked = " and ".join(view.story.names.get(id, id) for id in steering.asked)
        hints.append(f"{asked} will answer now: lead up to that.")
    if silent := [id for id in steering.hushed if id in view.cast and id not in steering.asked]:
        hints.append(f"{' and '.join(view.cast[id].name for id in silent)} will not answer.")
    return [*hints, *language_line(view.story.language)]


def _context(view: NarratorView) -> ReplyContext:
    cast = {id: card.name for id, card in view.cast.items()}
    example = TEMPLATES["narrator"].partition("```yaml")[2]
    return ReplyContext(cast, prompt_example=example, player=view.story.hero)


NARRATOR: Agent[NarratorView] = Agent(
    "narrator",
    "narrator",
    600,
    1.0,
    _sections,
    _context,
)
