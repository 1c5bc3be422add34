"""Character: answers a page, from a `Viewpoint` alone."""

from dataclasses import replace

from theact_tui.agents.agent import (
    Agent,
    Templates,
    language_line,
    length_line,
    lore_sections,
    parted,
    storyteller_system,
    transcript_messages,
)
from theact_tui.agents.memory_in_prompt import memory_text, recollections
from theact_tui.agents.prompts import BRIEF_CHARACTER, TEMPLATES
from theact_tui.agents.prose_grammar import reply_grammar
from theact_tui.parsing.echoes import Echoes
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.fitting import PINNED
from theact_tui.prompting.sections import Section
from theact_tui.sentences import quotation_spans
from theact_tui.story.matching import overlap, stems
from theact_tui.story.memory import lines_of
from theact_tui.story.names import is_named
from theact_tui.story.steering import Length
from theact_tui.story.views import Viewpoint, Witnessed
from theact_tui.text import one_line

_GATES = {
    "shut": "If it is touched, say the part that everybody knows, or let it be seen, and keep the rest.",
    "open": "It may come out now, a piece at a time and not in one sentence.",
    "passed": "It may be out by now; if it is not, you may say it.",
    "out": "You have told it: to those who heard it that is no news, and others may still be told.",
}
_PERSONS = {"third": "“he” or “she”", "first": "“I”"}
_WORDS: dict[Length, str] = {
    "short": "in one or two sentences",
    "normal": "in one to three sentences, 15 to 40 words",
    "long": "in three to six sentences",
}
_BRIEF_WORDS: dict[Length, str] = {
    "short": "in one sentence",
    "normal": "in one or two sentences",
    "long": "in two to four sentences",
}
_MAX_QUOTED = 80
"""Characters of a private piece."""
_TURNS_BETWEEN_EXAMPLES = 8  # until a reply may repeat an example of its card
_ENOUGH_OF_A_VOICE = 4
"""Replies in a prompt that replace the examples of its card, which small models copy."""


def _sections(view: Viewpoint, templates: Templates) -> list[Section]:
    player, source = view.story.hero, f"memory/{view.id}.yaml"
    line, happening = _scene(view.now)
    shown_turns = {turn.number for turn in (*view.turns, *([view.now] if view.now else []))}
    names = (player, view.card.name, *(view.story.names.get(name, name) for name in view.present))
    pinned, loose = memory_text(view.memory, line, happening, shown_turns, names)
    recalled, more = recollections(view.memory, line, happening, shown_turns, names, _last_scene(view))
    before, after = _role(view, templates)
    heading = "" if "character" in templates or not (pinned or loose) else "You remember from earlier:"
    return [
        storyteller_system(view.story, templates),
        *transcript_messages(view.turns, view.story),
        *_this_turn(view),
        Section(view.card.name, "\n".join(filter(None, (before, heading))), f"characters/{view.id}.yaml"),
        Section(PINNED, pinned, source=source),
        Section("memory", loose, source=source, priority="memory"),
        Section("comes to mind", recalled, source=source, priority="memory"),
        Section("also comes to mind", more, source=source, priority="spare"),
        *lore_sections(view.lore, view.story.names),
        Section("task", after, source="prompts"),
    ]


def _scene(turn: Witnessed | None) -> tuple[str, str]:
    """Return the player's line, and the other text of a turn."""
    entries = turn.entries if turn else ()
    line = " ".join(entry.text for entry in entries if entry.role == "player")
    return line, " ".join(entry.text for entry in entries if entry.role in ("narrator", "character"))


def _last_scene(view: Viewpoint) -> tuple[str, str]:
    """Return `_scene` of the turn before; empty if it was missed."""
    last = view.turns[-1] if view.turns else None
    return _scene(last if last and view.now and last.number == view.now.number - 1 else None)


def _this_turn(view: Viewpoint) -> list[Section]:
    """Format this turn; the player's words are never cut."""
    sections = transcript_messages([view.now], view.story, "pages") if view.now else []
    return [
        replace(section, name="this turn" if place else "player", priority="pages" if place else "fixed")
        for place, section in enumerate(sections)
    ]


def _template(view: Viewpoint, templates: Templates) -> str:
    return templates.get("character", BRIEF_CHARACTER if view.is_brief else TEMPLATES["character"])


def _role(view: Viewpoint, templates: Templates) -> tuple[str, str]:
    """Return the persona, and the task; memory stands between."""
    card, words = view.card, (_BRIEF_WORDS if view.is_brief else _WORDS)[view.length]
    length = length_line("character", view.length, words, templates.get("character"))
    return parted(
        "character",
        {"character": _template(view, templates)},
        "memory",
        player=view.story.hero,
        name=card.name,
        card=f"{card.name}{f', {card.role}' if card.role else ''}. {card.personality.strip()}",
        secret=_secret(view),
        relationships="\n".join(attitude(view)),
        scene="\n".join([*_now(view), *length]),
        words=words,
        person=_PERSONS[view.story.voice],
        begin=f"Begin with what you {'say' if speaks_first(view) else 'do'}.",
    )


def _secret(view: Viewpoint) -> str:
    """Word what the character hides, and what of it may be said: the card may have been emptied of the secret."""
    card, gate = view.card, _GATES.get(view.gate, "You do not tell it lightly.")
    if card.known and view.gate == "shut":
        gate = f"If it is touched, say no more than this, in words of your own: {card.known.strip()}"
    hidden = f"You hide: {card.secret.strip()} " if card.secret else ""
    return f"{hidden}{gate}" if hidden or (card.known and view.gate == "shut") else ""


_MIN_SAME_SECRET_SHARE = 0.5  # of the words that a character hides, in the secret of its card


def attitude(view: Viewpoint) -> list[str]:
    """Return what a character thinks of others and hides: its card, updated by its last reflection."""
    cast, seen = view.cast, view.memory.reflection
    lines = {
        view.story.names.get(other, other): line
        for other, line in view.card.relationships.items()
        if (cast is None or other in cast) and has_met(view, other)
    }
    named_ids = {view.story.hero, *(view.story.names[name] for name in cast or view.story.names)}
    beliefs = {name: line for name, line in seen.beliefs.items() if name in named_ids} if seen else {}
    both = {
        name: f"{line.rstrip(' .')}. By now: {beliefs[name]}"
        for name, line in lines.items()
        if name in beliefs
    }
    statements = {**lines, **beliefs, **both}.items()
    sentences_about = [
        line if is_named(line[: len(name)], name) else f"About {name}: {line}" for name, line in statements
    ]
    hidden = stems(seen.hide) - stems(view.card.name) if seen else frozenset[str]()
    if seen and hidden and overlap(hidden, stems(view.card.secret)) < _MIN_SAME_SECRET_SHARE:
        sentences_about.append(f"{view.card.name} also hides: {seen.hide}")
    return sentences_about


def has_met(view: Viewpoint, other: str) -> bool:
    """True if `other` is present, or named in what the character heard or remembers."""
    turns = (*view.turns, *([view.now] if view.now else []))
    texts = [entry.text for turn in turns for entry in turn.entries]
    remembered = [view.memory.summary, *(line.text for line in lines_of(view.memory))]
    return other in view.present or is_named(
        "\n".join((*texts, *remembered)), view.story.names.get(other, other)
    )


def _own_replies(view: Viewpoint) -> list[str]:
    return [entry.text for turn in view.turns for entry in turn.entries if entry.character == view.id]


def speaks_first(view: Viewpoint) -> bool:
    # after a reply that began with speech another begins with a deed
    last = "".join(_own_replies(view)[-1:]).lstrip()
    return not any(start == 0 for start, _ in quotation_spans(last)[:1])


def _now(view: Viewpoint) -> list[str]:
    """Return lines about this moment."""
    card, hero, names = view.card, view.story.hero, view.story.names
    others = [
        f"{names.get(name, name)}{' (asleep)' if name in view.asleep else ''}"
        for name in view.present
        if name != view.id
    ]
    appearance = view.story.player.known_as.strip()
    lines = [f"“You” above is {hero}{f', {appearance}' if appearance else ''}."]
    lines += [f"Also here: {', '.join(others)}."] if others else []
    lines += [f"Place and hour: {view.setting}."] if view.setting else []
    lines += [f"The mood is {view.mood}."] if view.mood else []
    if cue := view.cue.strip().rstrip("."):
        lines.append(f"In this answer, or as soon as it fits, it is yours to do this: {cue}.")
    elif want := card.want.strip():
        lines.append(f"You want: {want}")
    if view.open_question:
        lines.append(f"{hero} asked you, and you have not answered: “{view.open_question}” Answer it now.")
    own = _own_replies(view)
    if card.examples and len(own) < _ENOUGH_OF_A_VOICE:
        lines.append(f"You sound like this: {card.examples[len(own) % len(card.examples)]}")
    if view.private:
        noticing = " and ".join(names.get(name, name) for name in view.noticed_by)
        quoted = " ".join(one_line(text, _MAX_QUOTED) for text in view.private)
        lines.append(f"Only {noticing} noticed: {quoted} The others do not hear an answer to that.")
    return [*lines, *language_line(view.story.language)]


def _echoes(view: Viewpoint, templates: Templates) -> Echoes:
    examples = (Echoes((example,)) for example in view.card.examples)
    last = _own_replies(replace(view, turns=view.turns[-_TURNS_BETWEEN_EXAMPLES:]))
    again = [echo.texts[0] for echo in examples if any(echo.cut(reply) != reply for reply in last)]
    line = " ".join(entry.text for entry in (view.now.entries if view.now else ()) if entry.role == "player")
    instructions = (_template(view, templates), *_GATES.values())
    return Echoes(tuple(again), instructions, line)


CHARACTER: Agent[Viewpoint] = Agent(
    "character",
    "character",
    300,
    1.0,
    _sections,
    context=lambda view: ReplyContext(
        view.story.names, player=view.story.hero, speaker=view.id, place=view.setting
    ),
    echoes=_echoes,
    grammar=lambda view, so_far: reply_grammar(
        view.card.name,
        view.story.voice,
        view.story.language,
        view.length,
        speaks_first=speaks_first(view),
        so_far=so_far,
    ),
)
