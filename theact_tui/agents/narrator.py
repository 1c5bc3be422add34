"""Narrator: writes the page."""

import re

from theact_tui.agents.agent import (
    NO_LINE,
    Agent,
    Templates,
    about_player,
    first_sentence,
    language_line,
    length_line,
    lore_sections,
    storyteller_system,
    transcript_messages,
)
from theact_tui.agents.prompts import BRIEF_NARRATOR, TEMPLATES, fill_text
from theact_tui.agents.prose_grammar import page_grammar
from theact_tui.parsing.echoes import Echoes
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.sentences import clip
from theact_tui.story.dice import Outcome, outcome_of
from theact_tui.story.forgetting_and_recall import RETRIEVED
from theact_tui.story.moments import Moment
from theact_tui.story.names import Names
from theact_tui.story.speech import spoken
from theact_tui.story.steering import Length
from theact_tui.story.turn import Ruling
from theact_tui.story.views import NarratorView
from theact_tui.text import counted

_WORDS: dict[Length, str] = {
    "short": "40 to 60 words",
    "normal": "150 to 190 words",
    "long": "180 to 240 words",
}
_WORDS_WITHOUT_SPEECH: dict[Length, str] = {
    "short": "one or two sentences",
    "normal": "two to four sentences",
    "long": "60 to 90 words",
}
_MOST_OF_A_PERSON = 240
"""Characters of a description; imported cards may be one long sentence."""
_PAGE_TOKENS = 475
"""2.5 per requested word: some languages need many."""
_FORM_TOKENS = 620
"""Task and reply of `stage`, which follow prompt and page."""


def _sections(view: NarratorView, templates: Templates) -> list[Section]:
    """Put constant sections first, those that depend on the player's line last."""
    names, verbatim = view.story.names, {turn.number for turn in view.turns}
    bible = f"{_BIBLE}\n{view.bible}" if view.bible else ""
    sections = [
        storyteller_system(view.story, templates),
        Section("story bible", bible, source="the pack", part="system"),
        *transcript_messages(view.turns, view.story),
        *about_player(view.story),
        Section("player as seen", _appearance(view), source="game.yaml"),
    ]
    sections += [  # one each, so that the oldest goes first where they do not all fit
        Section(f"chapter {title}", f"EARLIER CHAPTER, {title}: {text}", "summaries.yaml", "summary")
        for title, text in view.recaps
    ]
    if view.summary:
        text = f"BEFORE THESE PAGES\n{view.summary}"
        sections.append(Section("rolling summary", text, "state.yaml", "summary"))
    if moments := [_moment(moment) for moment in view.moments if moment.turn not in verbatim]:
        text = "\n".join(["THE STORY SO FAR, its great moments", *moments])
        sections.append(Section("moments", text, source="moments.yaml"))
    sections += lore_sections(view.lore, names, marked=True)
    if view.steering.note:
        text = f"THE AUTHOR'S NOTE\n{view.steering.note}"
        sections.append(Section("author's note", text, "state.yaml"))
    early, hints, after = _role(view, templates)
    sections.append(Section("narrator", early, source=f"chapters/{view.chapter.id}.yaml"))
    sections += lore_sections(view.late_lore, names, marked=True, late=True)
    if view.recalled:
        lines = (f"- {line}" for line in view.recalled[:RETRIEVED])
        text = "\n".join(["FROM LONG AGO, and it may have changed since", *lines])
        sections.append(Section("comes to mind", text, "state.yaml", "summary", late=True))
        more = "\n".join(f"- {line}" for line in view.recalled[RETRIEVED:])
        sections.append(Section("also comes to mind", more, "state.yaml", "spare", late=True))
    if view.steering.direction:
        text = f"THE AUTHOR'S DIRECTION FOR THIS PAGE\n{view.steering.direction}"
        sections.append(Section("direction", text, "the player", late=True))
    player = Section("player", view.player_text or NO_LINE, source="the player", late=True)
    if "{line}" not in templates.get("narrator", "{line}"):
        return [*sections, player, Section("task", hints, source="prompts", late=True)]
    sections += [Section("this turn", hints, source="prompts", late=True), player]
    return [*sections, Section("task", after, source="prompts", late=True)]


def _appearance(view: NarratorView) -> str:
    """Return what strangers see of the hero. A narrator who reads the whole pack let them use the name at once."""
    seen = view.story.player.known_as.strip()
    return f"Until they are told more, people see in {view.story.hero} {seen}." if seen and view.bible else ""


def _moment(moment: Moment) -> str:
    kind = f", {moment.type.replace('_', ' ')}" if moment.type else ""
    return f"- (turn {moment.turn}{kind}) {moment.summary}"


def _role(view: NarratorView, templates: Templates) -> tuple[str, str, str]:
    """Return the situation, hints before the player's line, and the task after it."""
    length = view.steering.length
    words = (_WORDS if view.people_speak else _WORDS_WITHOUT_SPEECH)[length]
    template = _template(view, templates)
    early = re.split(r"\{(?:hints|line)\}", template, maxsplit=1)[0]
    values = {
        "player": view.story.hero,
        "title": view.chapter.title,
        "summary": view.chapter.summary.strip(),
        "behind": _behind(view),
        "hidden": _hidden(view),
        "answering": _answering(view),
        "lead": _lead(view),
        "cast": _cast_since(view) if view.bible else _cast(view),
        "present": _stage(view),
        "setting": f"Place and hour: {view.setting}" if view.setting else "",
        "hints": "\n".join(
            [*_hints(view), *length_line("narrator", length, words, templates.get("narrator"))]
        ),
        "begin": _BEGIN.get(view.kind, "Go on in"),
        "words": words,
    }
    before, _, after = template.removeprefix(early).partition("{line}")
    return fill_text(early, **values), fill_text(before, **values), fill_text(after, **values)


_BEGIN = {"opening": "Write the first page,", "transition": "Write the first page of a new chapter,"}


_BIBLE = """\
THE STORY, which you alone have read. What is hidden in it shows now and then in a thing or a deed, until it is told."""


def _template(view: NarratorView, templates: Templates) -> str:
    return templates.get("narrator", TEMPLATES["narrator"] if view.people_speak else BRIEF_NARRATOR)


def _behind(view: NarratorView) -> str:
    if view.bible:
        return ""
    if view.truth:
        return f"Behind it all, shown by things and deeds and never told: {view.truth.strip()}"
    clues = view.chapter.clues
    return f"To be found here: {clues[view.story.turn % len(clues)]}." if clues else ""


def _hidden(view: NarratorView) -> str:
    is_away = bool(view.cast.keys() - {*view.present})
    parts = [
        "Name who comes, goes, wakes or falls asleep." if is_away or view.asleep else "",
        "Never repeat whispers or letters." if len(view.present) > 1 else "",
    ]
    return "".join(f"{part} " for part in parts if part)


def _answering(view: NarratorView) -> str:
    names = " and ".join(view.story.names.get(id, id) for id in view.answering)
    if not names:
        return ""
    return f"{names} will answer after the page{', not on it' if view.people_speak else ''}."


def _lead(view: NarratorView) -> str:
    lead = view.lead
    if view.game_complete or not view.chapter.beats:
        return "Follow where I lead."
    match lead.way:
        case "":
            return ""
        case "end":
            return f"Then let something that is open be paid, and the chapter end: {view.chapter.completion.strip()}"
        case "direction" | "price":
            return f"Later: {lead.beat}." if lead.beat else ""
        case "complicate":
            return "Then something gets in the way: the hour, a price, or somebody."
        case "come back":
            return f"Then let this matter again: {lead.about.rstrip('.')}."
        case "meanwhile":
            return f"Tell in one sentence that meanwhile, out of sight, this has happened: {lead.beat}."
        case "offer" | "worse" | "course":
            return _offer(view)
        case "another way":
            return f"Then let it come another way, through somebody else or elsewhere: {lead.beat}."
        case "beat":
            return _beat(view)


def _offer(view: NarratorView) -> str:
    """Word how the beat of the player comes up: what the world does, and that the act is the player's."""
    beat = view.lead.beat
    happens = _occasion(view, beat)
    match view.lead.way:
        case "worse" if view.people_speak:
            return (
                "Then something that I did, took or promised earlier comes to light and bears on this, which only I can "
                f"do, and a yes does it: {beat}."
            )
        case "worse":
            return f"Then it gets worse and does not wait: {happens}. Only I can do this, and a yes does it: {beat}."
        case "course":
            left_alone = (
                "If my line neither does this nor agrees to it, somebody else does it, and it costs them"
            )
            return f"{left_alone}: {beat}.{_then(view)}"
        case _:
            return f"Then, in full: {happens}. Only I can do this: {beat}."


def _occasion(view: NarratorView, beat: str) -> str:
    """What happens so that the player can choose."""
    return view.chapter.offers.get(beat, "What it takes is at hand").rstrip(".")


def _beat(view: NarratorView) -> str:
    beat, comes = view.lead.beat, _coming(view, view.lead.beat)
    if view.lead.actor in view.cast:
        name = view.cast[view.lead.actor].name
        return f"Then lead up to this, which {name} does in the answer after the page: {beat}{comes}."
    if not view.people_speak:
        begun = "goes on to its end" if beat in view.begun else "happens before my eyes"
        return f"Then this {begun}: {beat}{comes}."
    piecemeal = f" {_PIECEMEAL}" if view.lead.is_confession else ""
    return f"{_which(view)}{piecemeal}{_then(view)}"


def _coming(view: NarratorView, beat: str) -> str:
    """Say that whoever does a beat comes for it, if away."""
    owner = view.chapter.by.get(beat, "")
    return (
        f" ({view.cast[owner].name} comes for it)" if owner in view.cast and owner not in view.present else ""
    )


def _which(view: NarratorView) -> str:
    """Name the next beat, or the next ones for the line to choose from."""
    begun = dict.fromkeys(view.begun, " (has begun)")
    pages = [
        ", and on the same page: ".join(f"{beat}{begun.get(beat, '')}{_coming(view, beat)}" for beat in page)
        for page in view.lead.choices
    ]
    if len(pages) == 1:
        told = f"Then tell this: {pages[0]}."
    else:
        told = f"Then tell one of these, the one my line leads to, else the first: {'; or '.join(pages)}."
    bears = _NOTICED if view.lead.ends_chapter else ""
    return f"{told}{bears} Tell no more of it than one good page holds; the rest comes next."


_NOTICED = " One of them has noticed something that I did, took or promised earlier; it bears on this, and stays between us."
"""Where a chapter ends. A stolen spoon that came to light there had no part in what came after."""


def _then(view: NarratorView) -> str:
    """Word how the page ends before a choice of the player."""
    if not (then := view.lead.then):
        return ""
    return f" The page ends with this, in full: {_occasion(view, then)}. Only I can do this: {then}."


_PIECEMEAL = (
    "It does not come out in one speech: somebody asks back, breaks in, knows a part, will not believe it; a thing "
    "shows it."
)


def verdict_for(ruling: Ruling, player: str) -> str:
    """Word a roll without its numbers. A miss refuses nothing: it costs, or something else comes of it."""
    if ruling.roll is None or ruling.difficulty is None:
        verdict = ruling.resolution
    else:
        verdict = _VERDICTS[outcome_of(ruling.roll, ruling.difficulty)]
    risk = f"“{ruling.risk}”" if ruling.risk else "what is risky in it"
    return f"{player} tries {risk}: {verdict}."


_VERDICTS: dict[Outcome, str] = {
    "triumph": "it works, better than hoped",
    "success": "it works",
    "price": "it works, and costs time, a thing or a favour, no wound",
    "instead": "not that, but something else worth having comes of it",
    "disaster": "not that, something else comes of it, and it costs time, a thing or a favour",
}


_SECRETS = {
    "passed": "Hid, and may have told by now",
    "out": "Has told, to those who heard it, what was hidden",
}


def _cast_since(view: NarratorView) -> str:
    """Tell what has changed in people since the story bible was written."""
    lines: list[str] = []
    for id, card in view.cast.items():
        want = " ".join(card.want.split())
        if want and want not in view.bible:
            lines.append(f"{card.name} wants by now: {want}")
        if card.secret and (since := _SECRETS.get(view.gates[id])):
            lines.append(f"{card.name}. {since}: {card.secret.strip()}")
    return "\n".join(lines)


def _cast(view: NarratorView) -> str:
    """Describe the chapter's people; where people speak, of those on stage also secrets."""
    lines: list[str] = []
    for id, card in view.cast.items():
        role = card.role.partition(",")[0]
        is_shown = id in view.present and view.people_speak
        about = clip(" ".join(card.personality.split()), _MOST_OF_A_PERSON)
        parts = [about if is_shown else first_sentence(about)]
        parts += [f"Wants: {card.want.strip()}"] if card.want and is_shown else []
        if is_shown:
            others = {other: line for other, line in card.relationships.items() if other in view.present}
            parts += [f"To {view.story.names[other]}: {line.strip()}" for other, line in others.items()]
        if card.secret and is_shown:
            parts.append(f"{_SECRETS.get(view.gates[id], 'Hides')}: {card.secret.strip()}")
        inside = "".join(f" {part.rstrip(' .')}." for part in parts if part)
        lines.append(f"- {card.name}{f', {role}' if role else ''}.{inside}")
    return "\n".join(lines) or "nobody else"


def _stage(view: NarratorView) -> str:
    present, away = list[str](), list[str]()
    for id, card in view.cast.items():
        if id in view.present:
            present.append(f"{card.name}{_status_note(id, view)}")
        else:
            away.append(f"{card.name} ({_since(id, view)})")
    people = ", ".join(present) or "nobody else"
    return f"{people}. Away: {', '.join(away)}" if away else people


def _status_note(id: str, view: NarratorView) -> str:
    if id in view.asleep:
        return " (asleep)"
    if id in view.back:
        led = view.kind == "transition" and view.player_text
        return " (comes, if it fits)" if led else " (has come meanwhile; say so)"
    if id in view.unaware:
        return f" (did not hear {view.story.hero}'s line before this one)"
    return ""


def _since(id: str, view: NarratorView) -> str:
    if id not in view.last_seen:
        return "not met yet"
    turns = max(1, view.story.turn - 1 - view.last_seen[id])
    named = Names(view.story.names).within(view.player_text)
    meant = named if view.whispered_to is None else view.whispered_to
    if turns == 1 and id in meant and id not in view.sent_away:
        return "not gone far: hears and answers if I speak to them"  # else a beat took away who is asked next
    return f"for {counted(turns, 'turn')}"


def _hints(view: NarratorView) -> list[str]:
    player, steering = view.story.hero, view.steering
    hints: list[str] = []
    if view.kind == "opening":
        hints.append("The story begins: show the place first.")
    if view.kind == "transition":
        hints.append("A new chapter begins: go on from the last page, without a jump.")
    if view.kind == "play" and not view.player_text and not steering.direction:
        hints.append("I wait: the next thing happens by itself.")
    if view.whispered_to is not None:
        ears = [card.name for id, card in view.cast.items() if id in view.whispered_to]
        hints.append(f"Only {' and '.join(ears) or 'nobody'} hears my line; the page leaves its words out.")
    if spoken(view.player_text) != view.player_text.strip():
        hints.append("What stands in (parentheses) I only think; the page leaves it out.")
    if view.ruling:
        hints.append(verdict_for(view.ruling, player))
    if view.sent_away:
        away = ", ".join(card.name for id, card in view.cast.items() if id in view.sent_away)
        hints.append(f"{away} went away and stays away.")
    if view.game_complete:
        hints.append("The story proper is over; this is what comes after. There is no beat left to reach.")
    if steering.direction:
        hints.append("Follow the author's direction above, and do not mention it.")
    if view.seated and view.people_speak:
        seated = " and ".join(view.story.names[id] for id in view.seated)
        hints.append(f"The page has no words and no deeds of {seated}, who will answer after it.")
    if view.open_question:
        hints.append(f"I asked, and nobody has answered: “{view.open_question}”")
    if silent := [id for id in steering.hushed if id in view.cast and id not in steering.asked]:
        hints.append(f"{' and '.join(view.cast[id].name for id in silent)} will not answer.")
    return [*hints, *language_line(view.story.language)]


def _echoes(view: NarratorView, templates: Templates) -> Echoes:
    template, told = _template(view, templates), _lead(view)
    for occasion in view.chapter.offers.values():  # the page is to tell it; without it nothing was offered
        told = told.replace(occasion.rstrip("."), "")
    way, *about = told.split(": ", 1)
    return Echoes((*about, *view.chapter.beats), (template, way), view.player_text)


def _context(view: NarratorView) -> ReplyContext:
    cast = {id: card.name for id, card in view.cast.items()}
    return ReplyContext(cast, player=view.story.hero, place=view.setting)


NARRATOR: Agent[NarratorView] = Agent(
    "narrator",
    "narrator",
    _PAGE_TOKENS,
    1.0,
    _sections,
    _context,
    echoes=_echoes,
    behind_tokens=_FORM_TOKENS,
    grammar=lambda view, so_far: page_grammar(view.story.language, view.steering.length, so_far),
)
