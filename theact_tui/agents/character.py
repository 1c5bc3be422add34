"""A character. Its prompt is made from a `Viewpoint` and cannot reach the game."""

from __future__ import annotations

from collections.abc import Container, Sequence

from theact_tui.agents.base import (
    MOST_OF_A_LINE,
    Agent,
    Templates,
    lore_sections,
    parted,
    storyteller_system,
    told_entry,
    transcript,
)
from theact_tui.agents.steering import language_line, length_line, word_range
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.fitting import PINNED
from theact_tui.prompting.sections import Section
from theact_tui.story.archive import ArchivedLine, archived_lines, retrieve, sentences, unlike, words_of
from theact_tui.story.memory import CellsMemory, FactsMemory, lines_of
from theact_tui.story.names import is_named
from theact_tui.story.views import Viewpoint
from theact_tui.text import clip


def _sections(view: Viewpoint, templates: Templates) -> list[Section]:
    player = view.stage.hero
    made = [storyteller_system(view.stage, templates), *transcript(view.turns, view.names, player)]
    made += _this_turn(view, player)
    before, after = _role(view, templates)
    said, happening = _scene(view)
    told = {turn.number for turn in (*view.turns, *([view.now] if view.now else []))}
    names = (player, view.card.name, *(view.names.get(name, name) for name in view.present))
    pinned, loose = memory_text(view.memory, said, happening, told, names)
    made += [
        Section(view.card.name, before, source=f"characters/{view.id}.yaml"),
        Section(PINNED, pinned, source=f"memory/{view.id}.yaml"),
        Section("memory", loose, source=f"memory/{view.id}.yaml", priority="memory"),
        Section(
            "comes to mind",
            recollections(view.memory, said, happening, told, names),
            source=f"memory/{view.id}.yaml",
            priority="memory",
        ),
        *lore_sections(view.lore, view.names),
        Section("task", after, source="prompts"),
    ]
    return made


def _this_turn(view: Viewpoint, player: str) -> list[Section]:
    """What has been told of this turn, entry by entry; the player's words are never cut."""
    if view.now is None:
        return []
    source = f"turn {view.now.number}"
    missed = [Section("missed", view.now.gap, source=source)] if view.now.gap else []
    return missed + [
        Section(
            "player" if entry.role == "player" else "this turn",
            told_entry(entry, view.names, player),
            source=source,
            priority="fixed" if entry.role == "player" else "pages",
        )
        for entry in view.now.entries
        if entry.role != "system"
    ]


_GATES = {
    "shut": "Does not tell it yet; dodges, each time differently.",
    "open": "Now it may come out, in {name}'s own way.",
    "passed": "It may be out by now; if it is not, it may come out, in {name}'s own way.",
    "out": "Has told it, or begun to: tells nothing of it again as if it were new. Who was not there does not know it.",
}
_VOICES = {
    "third": "Third person, present tense, speech in double quotes, no thoughts.",
    "first": 'First person ("I"), present tense, speech in double quotes, no thoughts.',
}
OPENING_WORDS = 6
"""Words of a character's last reply that the next one should not begin with."""


ENOUGH_OF_A_VOICE = 4
"""Replies of its own in a character's prompt that show its voice better than the examples of its card, which small
models would go on copying."""


def _role(view: Viewpoint, templates: Templates) -> tuple[str, str]:
    """Persona, and what to do; between them stands the memory."""
    card = view.card
    gate = _GATES.get(view.gate, "Does not tell it lightly.").format(name=card.name)
    if view.gate == "open" and len(view.present) > 1:
        gate += f" What {card.name} whispers to {view.stage.hero}, nobody else hears."
    return parted(
        "character",
        templates,
        "memory",
        player=view.stage.hero,
        name=card.name,
        card=f"{card.name}{f', {card.role}' if card.role else ''}. {card.personality.strip()}",
        secret=f"{card.name}'s secret: {card.secret.strip()} {gate}" if card.secret else "",
        relationships="\n".join(attitude(view)),
        scene="\n".join([*_now(view), *length_line("character", view.length, templates.get("character"))]),
        words=word_range("character", view.length),
        voice=_VOICES[view.stage.voice],
    )


def attitude(view: Viewpoint) -> list[str]:
    """What a character thinks of others and hides, as its last reflection has it, else as its card does."""
    cast, seen = view.cast, view.memory.reflection
    lines = {
        view.names.get(other, other): line
        for other, line in view.card.relationships.items()
        if (cast is None or other in cast) and _has_met(view, other)
    }
    if seen:
        here = {view.stage.hero, *(view.names[name] for name in cast or view.names)}
        lines |= {name: line for name, line in seen.beliefs.items() if name in here}
    made = [
        line if is_named(line[: len(name)], name) else f"About {name}: {line}" for name, line in lines.items()
    ]
    hidden = words_of(seen.hide) - words_of(view.card.name) if seen else frozenset[str]()
    if seen and 2 * len(hidden & words_of(view.card.secret)) < len(hidden):
        made.append(f"Also hides: {seen.hide}")
    return made


def _has_met(view: Viewpoint, other: str) -> bool:
    """True if somebody is there, or named in what a character was told or remembers."""
    name, now = view.names.get(other, other), view.now.entries if view.now else ()
    told = [entry.text for entry in (*(entry for turn in view.turns for entry in turn.entries), *now)]
    remembered = [view.memory.summary, *(line.text for line in lines_of(view.memory))]
    return other in view.present or is_named("\n".join((*told, *remembered)), name)


def _now(view: Viewpoint) -> list[str]:
    """What matters at this moment, a line each: it stands last, next to what is to be written."""
    card, hero = view.card, view.stage.hero
    others = [
        f"{view.names.get(name, name)}{' (asleep)' if name in view.asleep else ''}"
        for name in view.present
        if name != view.id
    ]
    made = [
        f'Here: {", ".join([f"""{hero} ("you" in the pages above)""", *others])}. The mood is {view.mood}.'
        f"{f' Place and hour: {view.setting}.' if view.setting else ''}"
    ]
    seen, cue = view.memory.reflection, view.cue.strip().rstrip(".")
    stale = view.gate == "out" and words_of(card.want) & words_of(card.secret)
    want = seen.want if seen and seen.want else "" if stale else card.want
    if cue:
        made.append(f"To do, now or soon, as it fits: {cue}.")
    elif want.strip():
        made.append(f"{card.name} wants: {want.strip()}")
    if card.examples and _spoken_lately(view) < ENOUGH_OF_A_VOICE:
        made.append(f"Voice, never these words: {' / '.join(card.examples[:2])}")
    said = next((entry.text for entry in view.now.entries if entry.role == "player"), "") if view.now else ""
    if said:
        made.append(f"{hero} just did or said: {clip(' '.join(said.split()), MOST_OF_A_LINE)}")
    if said and view.unaware:
        deaf = " and ".join(view.names.get(name, name) for name in view.unaware if name != view.id)
        made.append(f"That was whispered: {deaf} did not hear it, nor will hear the low answer to it.")
    if last := _last_words(view):
        made.append(f"Do not begin like your last reply: {last}")
    return [*made, *language_line(view.stage.language)]


def _spoken_lately(view: Viewpoint) -> int:
    """How many replies of its own the character's prompt holds."""
    return sum(entry.character == view.id for turn in view.turns for entry in turn.entries)


def _last_words(view: Viewpoint) -> str:
    """How the character's last reply began, as far as its prompt tells it."""
    for turn in reversed(view.turns):
        for entry in reversed(turn.entries):
            if entry.character == view.id:
                return " ".join(entry.text.split()[:OPENING_WORDS]) + " ..."
    return ""


def _scene(view: Viewpoint) -> tuple[str, str]:
    """What the player said in this turn, and what else was told of it."""
    entries = view.now.entries if view.now else ()
    said = " ".join(entry.text for entry in entries if entry.role == "player")
    return said, " ".join(entry.text for entry in entries if entry.role in ("narrator", "character"))


LEAST_SPARE = 6
"""Archived lines that a prompt with few verbatim turns has room for."""


def memory_text(
    memory: FactsMemory | CellsMemory,
    said: str = "",
    told: str = "",
    verbatim: Container[int] = (),
    names: Sequence[str] = (),
) -> tuple[str, str]:
    """A memory as it reads in its owner's prompt: what is pinned, which is never cut, and the rest, which is cut at its
    end: first what bears on the scene, then what is important, newest first.

    Lines of the `verbatim` turns, which the same prompt tells word for word, are left out but for pinned ones, and as
    many archived lines, or `LEAST_SPARE`, take their place."""
    lines = sorted((line for line in lines_of(memory) if line.text), key=lambda line: -line.turn)
    stored = [line for line in lines if not line.pinned]
    shown = [line for line in stored if line.turn not in verbatim]
    near = {line.text for line in retrieve(shown, said, told, names=names)}
    loose = sorted(shown, key=lambda line: (line.text not in near, not line.important))
    older = _older(memory, verbatim, names)
    recalled = retrieve(older, said, told, names=names)
    spare = [line for line in reversed(older) if line not in recalled]
    facts = isinstance(memory, FactsMemory)  # former cells are told by their summary
    room = max(LEAST_SPARE, len(stored) - len(shown)) if facts and verbatim else 0
    spare = sorted(spare, key=lambda line: not line.important)[:room]
    pinned = "\n".join(f"- {line.text}" for line in lines if line.pinned)
    rest = "\n".join([_summary(memory, verbatim), *(f"- {line.text}" for line in (*loose, *spare))]).strip()
    return pinned, rest if rest or pinned else "Nothing yet."


def _summary(memory: FactsMemory | CellsMemory, verbatim: Container[int]) -> str:
    """The summary of a memory; none if all the entries that it was made of are of the `verbatim` turns."""
    merged = archived_lines(memory.older) if isinstance(memory, CellsMemory) else ()
    return "" if merged and all(line.turn in verbatim for line in merged) else memory.summary


def recollections(
    memory: FactsMemory | CellsMemory,
    said: str,
    told: str,
    verbatim: Container[int] = (),
    names: Sequence[str] = (),
) -> str:
    """Of what gave way to newer memories, what bears on the scene; empty if nothing does."""
    lines = retrieve(_older(memory, verbatim, names), said, told, names=names)
    return "\n".join(
        ["What this brings back, from long ago:", *(f"- {line.text}" for line in lines)] if lines else []
    )


def _older(
    memory: FactsMemory | CellsMemory, verbatim: Container[int], names: Sequence[str]
) -> list[ArchivedLine]:
    """What gave way to newer lines, but for former versions of what is remembered; nothing of the `verbatim` turns."""
    lines = [line for line in archived_lines(memory.older) if line.turn not in verbatim]
    if memory.policy == "facts":
        return unlike(lines, [fact.text for fact in memory.key_facts], names)
    summary = sentences(memory.summary)
    return [line for line in lines if unlike([line], summary, names)]


def _context(view: Viewpoint) -> ReplyContext:
    return ReplyContext(active_characters={view.id: view.card.name})


CHARACTER: Agent[Viewpoint] = Agent(
    name="character",
    shape="character",
    reply_tokens=400,
    temperature=1.0,
    sections=_sections,
    context=_context,
)
