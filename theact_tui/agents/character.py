"""A character. Its prompt is made from a `Viewpoint` and cannot reach the game."""

from theact_tui.agents.base import (
    MOST_OF_A_LINE,
    Agent,
    Templates,
    language_line,
    length_line,
    lore_sections,
    parted,
    storyteller_system,
    told_entry,
    transcript,
)
from theact_tui.agents.memory_in_prompt import memory_text, recollections
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.fitting import PINNED
from theact_tui.prompting.sections import Section
from theact_tui.sentences import quotation_spans
from theact_tui.story.matching import overlap, stems
from theact_tui.story.memory import lines_of
from theact_tui.story.names import is_named
from theact_tui.story.steering import Length
from theact_tui.story.views import Viewpoint, Witnessed

_GATES = {
    "shut": "{name} does not tell it yet, and dodges in a new way each time.",
    "open": "Now it may come out, in {name}'s own way.",
    "passed": "It may be out by now; if it is not, it may come out, in {name}'s own way.",
    "out": "{name} has told it, or begun to: to those who heard it that is no news, and others may still be told.",
}
_VOICES = {
    "third": "Third person, present tense, speech in double quotes, no thoughts.",
    "first": 'First person ("I"), present tense, speech in double quotes, no thoughts.',
}
WORDS: dict[Length, str] = {
    "short": "1 or 2 sentences, at most 40 words",
    "normal": "1 to 3 short paragraphs, at most 120 words",
    "long": "2 to 5 paragraphs, at most 240 words",
}
"""How much a reply is."""
ENOUGH_OF_A_VOICE = 4
"""Replies of its own in a character's prompt that show its voice better than the examples of its card, which small
models would go on copying."""


def _sections(view: Viewpoint, templates: Templates) -> list[Section]:
    player, source = view.story.hero, f"memory/{view.id}.yaml"
    said, happening = _scene(view.now)
    told = {turn.number for turn in (*view.turns, *([view.now] if view.now else []))}
    names = (player, view.card.name, *(view.story.names.get(name, name) for name in view.present))
    pinned, loose = memory_text(view.memory, said, happening, told, names)
    recalled, more = recollections(view.memory, said, happening, told, names, _last_scene(view))
    before, after = _role(view, templates)
    return [
        storyteller_system(view.story, templates),
        *transcript(view.turns, view.story),
        *_this_turn(view, player),
        Section(view.card.name, before, source=f"characters/{view.id}.yaml"),
        Section(PINNED, pinned, source=source),
        Section("memory", loose, source=source, priority="memory"),
        Section("comes to mind", recalled, source=source, priority="memory"),
        Section("also comes to mind", more, source=source, priority="spare"),
        *lore_sections(view.lore, view.story.names),
        Section("task", after, source="prompts"),
    ]


def _scene(turn: Witnessed | None) -> tuple[str, str]:
    """What the player said in a turn, and what else was told in it."""
    entries = turn.entries if turn else ()
    said = " ".join(entry.text for entry in entries if entry.role == "player")
    return said, " ".join(entry.text for entry in entries if entry.role in ("narrator", "character"))


def _last_scene(view: Viewpoint) -> tuple[str, str]:
    """The same of the turn before; nothing where it was not there."""
    last = view.turns[-1] if view.turns else None
    return _scene(last if last and view.now and last.number == view.now.number - 1 else None)


def _this_turn(view: Viewpoint, player: str) -> list[Section]:
    """What has been told of this turn, entry by entry; the player's words are never cut."""
    if view.now is None:
        return []
    source = f"turn {view.now.number}"
    missed = [Section("missed", view.now.gap, source=source)] if view.now.gap else []
    return missed + [
        Section(
            "player" if entry.role == "player" else "this turn",
            told_entry(entry, view.story.names, player, view.story.voice),
            source=source,
            priority="fixed" if entry.role == "player" else "pages",
        )
        for entry in view.now.entries
        if entry.role != "system"
    ]


def _role(view: Viewpoint, templates: Templates) -> tuple[str, str]:
    """Persona, and what to do; between them stands the memory."""
    card, words = view.card, WORDS[view.length]
    gate = _GATES.get(view.gate, "{name} does not tell it lightly.").format(name=card.name)
    thoughts = [f"What {card.name} thinks:", *told] if (told := attitude(view)) else []
    length = length_line("character", view.length, words, templates.get("character"))
    return parted(
        "character",
        templates,
        "memory",
        player=view.story.hero,
        name=card.name,
        card=f"{card.name}{f', {card.role}' if card.role else ''}. {card.personality.strip()}",
        secret=f"{card.name}'s secret: {card.secret.strip()} {gate}" if card.secret else "",
        relationships="\n".join(thoughts),
        scene="\n".join([*_now(view), *length]),
        words=words,
        voice=_VOICES[view.story.voice],
    )


MIN_SAME_SECRET_SHARE = 0.5  # of the words that a character hides, in the secret of its card


def attitude(view: Viewpoint) -> list[str]:
    """What a character thinks of others and hides, as its card has it, and then as its last reflection does."""
    cast, seen = view.cast, view.memory.reflection
    lines = {
        view.story.names.get(other, other): line
        for other, line in view.card.relationships.items()
        if (cast is None or other in cast) and has_met(view, other)
    }
    here = {view.story.hero, *(view.story.names[name] for name in cast or view.story.names)}
    beliefs = {name: line for name, line in seen.beliefs.items() if name in here} if seen else {}
    both = {
        name: f"{line.rstrip(' .')}. By now: {beliefs[name]}"
        for name, line in lines.items()
        if name in beliefs
    }
    told = {**lines, **beliefs, **both}.items()
    made = [line if is_named(line[: len(name)], name) else f"About {name}: {line}" for name, line in told]
    hidden = stems(seen.hide) - stems(view.card.name) if seen else frozenset[str]()
    if seen and hidden and overlap(hidden, stems(view.card.secret)) < MIN_SAME_SECRET_SHARE:
        made.append(f"{view.card.name} also hides: {seen.hide}")
    return made


def want_of(view: Viewpoint) -> str:
    """What a character wants by now; nothing where that was to keep a secret which is out."""
    card, seen = view.card, view.memory.reflection
    is_stale = view.gate == "out" and stems(card.want) & stems(card.secret)
    return seen.want if seen and seen.want else "" if is_stale else card.want.strip()


def has_met(view: Viewpoint, other: str) -> bool:
    """True if somebody is there, or named in what a character was told or remembers."""
    turns = (*view.turns, *([view.now] if view.now else []))
    told = [entry.text for turn in turns for entry in turn.entries]
    remembered = [view.memory.summary, *(line.text for line in lines_of(view.memory))]
    return other in view.present or is_named(
        "\n".join((*told, *remembered)), view.story.names.get(other, other)
    )


def _now(view: Viewpoint) -> list[str]:
    """What matters at this moment, a line each: it stands last, next to what is to be written."""
    card, hero = view.card, view.story.hero
    others = [
        f"{view.story.names.get(name, name)}{' (asleep)' if name in view.asleep else ''}"
        for name in view.present
        if name != view.id
    ]
    known = view.story.player.known_as.strip()
    you = f'{hero} ("you" above{f"; {known}" if known else ""})'
    place = f" Place and hour: {view.setting}." if view.setting else ""
    mood = f" The mood is {view.mood}." if view.mood else ""
    made = [f"Here: {', '.join([you, *others])}.{mood}{place}"]
    if cue := view.cue.strip().rstrip("."):
        made.append(f"In this answer, or as soon as it fits, this is {card.name}'s to do: {cue}.")
    elif want := want_of(view):
        made.append(f"{card.name} wants: {want}")
    own = [entry.text for turn in view.turns for entry in turn.entries if entry.character == view.id]
    if card.examples and len(own) < ENOUGH_OF_A_VOICE:
        two = [card.examples[(len(own) + n) % len(card.examples)] for n in range(min(2, len(card.examples)))]
        made.append(f"{card.name} talks like this: {' / '.join(two)}")
    said = next((entry.text for entry in view.now.entries if entry.role == "player"), "") if view.now else ""
    if said:
        line = " ".join(said.split())
        end = line if len(line) <= MOST_OF_A_LINE else f"... {line[-MOST_OF_A_LINE:].partition(' ')[2]}"
        made.append(f"{hero} just did or said: {end}")
    if said and view.unaware:
        deaf = " and ".join(view.story.names.get(name, name) for name in view.unaware if name != view.id)
        made.append(f"That was for {card.name}: {deaf} did not hear it, nor will hear a low answer to it.")
    if own:
        spoke = any(start == 0 for start, _ in quotation_spans(own[-1].lstrip())[:1])
        made.append(f"Begin with what {card.name} {'does' if spoke else 'says'}.")
    return [*made, *language_line(view.story.language)]


CHARACTER: Agent[Viewpoint] = Agent(
    "character",
    "character",
    300,
    1.0,
    _sections,
    context=lambda view: ReplyContext(view.story.names, player=view.story.hero, speaker=view.id),
)
