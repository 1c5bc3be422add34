"""Parts of an agent, and shared sections."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from theact_tui.agents.prompts import TEMPLATES, fill, fill_text
from theact_tui.models.base import View
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.sentences import paragraph_texts, sentences
from theact_tui.story.lore import LoreEntry, LoreMatch
from theact_tui.story.pack import Voice
from theact_tui.story.steering import Length, language_name
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.views import PlayView, StoryView, Witnessed

MOST_OF_A_LINE = 300
"""Characters of the player's line that are repeated next to the task."""

V = TypeVar("V", bound=View)
K = TypeVar("K", bound=PlayView)
Templates = Mapping[str, str]
"""A pack's own templates by agent."""

LONGER = 1.8
"""Factor of the allowance for long replies."""


@dataclass(frozen=True, slots=True)
class Agent(Generic[V]):
    """Kind of model call for a view `V`."""

    name: str
    """Name in profiles and for the offline storyteller."""
    shape: str
    """Kind of reply for the reader."""
    reply_tokens: int
    temperature: float
    sections: Callable[[V, Templates], list[Section]]
    context: Callable[[V], ReplyContext] = lambda view: ReplyContext()
    """Ids, beats and facts a reply may name."""
    behind_tokens: int = 0
    """Tokens kept free for questions after its prompt and reply."""
    behind: Callable[[V, Templates], list[Section]] | None = None
    """Sections after another agent's prompt, which a server may still hold; `sections` are for a prompt of its own."""


def length_line(agent: str, length: Length, words: str, template: str | None) -> list[str]:
    """Repeat the length for a pack's template that lacks it."""
    asks = "{words}" in (TEMPLATES[agent] if template is None else template)
    return [] if asks or length == "normal" else [f"Length: {words}."]


def language_line(language: str) -> list[str]:
    """Repeat the language next to the task."""
    return [f"Write in {language_name(language)}."] if language else []


def storyteller_system(story: StoryView, templates: Templates) -> Section:
    """Shared system message of storytelling agents; constant during a game."""
    text = fill(
        "system",
        templates,
        player=story.hero,
        setting=story.world.setting.strip(),
        tone=story.world.tone.strip(),
        rules=story.world.rules.strip(),
    )
    return Section("world", text + _language_rule(story.language), source="world.yaml", part="system")


def about_player(story: StoryView) -> list[Section]:
    """Describe the player to those who may know."""
    if not story.player.description:
        return []
    text = f"THE PLAYER\n{story.hero}: {story.player.description.strip()}"
    return [Section("player's character", text, source="game.yaml")]


def clerk_system(story: StoryView, templates: Templates) -> Section:
    """System message of record keepers."""
    text = fill("clerk", templates, player=story.hero)
    if story.voice == "first":
        text += ' "I" is whoever is named at the beginning of the paragraph.'
    return Section("rules", text + _language_rule(story.language), source="prompts", part="system")


def _language_rule(language: str) -> str:
    if not language:
        return ""
    return (
        f"\n\nLANGUAGE\nWrite everything in {language_name(language)}: narration, speech, notes and summaries. Only keys, "
        "ids and words from a given list stay as they are."
    )


def lore_sections(
    lore: Sequence[LoreMatch], names: Mapping[str, str], *, marked: bool = False, late: bool = False
) -> list[Section]:
    """Section per entry of lore in use. `marked` names who knows hidden ones."""
    head = [Section("lore", "TRUE IN THIS WORLD, where it matters now", source="lore", late=late)]
    return (head if any(match.fired for match in lore) else []) + [
        Section(
            f"lore: {match.entry.name}",
            f"- {_known_to(match.entry, names) if marked else ''}{match.entry.text.strip()}",
            source=f"lore/{match.book}.yaml",
            priority="lore",
            kept="whole" if match.fired else "dropped",
            why=match.reason,
            late=late,
        )
        for match in lore
    ]


def _known_to(entry: LoreEntry, names: Mapping[str, str]) -> str:
    if not entry.is_hidden:
        return ""
    people = [names[id] for id in entry.known_by if id in names]
    return f"(known to {' and '.join(people)} alone) " if people else "(known to nobody but you) "


def clerk(
    template: str, values: Callable[[K], dict[str, str]], *, pages: str, source: str, begin: bool = False
) -> Callable[[K, Templates], list[Section]]:
    """Make the sections of a record keeper: rules, template up to its `pages` placeholder, pages, task.

    `values` fill the template; only `pages` may be cut. `source` may name parts of the view. Templates begin with the
    pages, so that all record keepers of a turn share the start of their prompts; `begin` repeats the start of the
    storytelling prompt and describes the player.
    """
    system = storyteller_system if begin else clerk_system

    def sections(view: K, templates: Templates) -> list[Section]:
        filled = values(view)
        story = Section("pages", filled.pop(pages), source="the story", priority="pages")
        before, after = parted(template, templates, pages, player=view.story.hero, **filled)
        return [
            system(view.story, templates),
            Section("records", before, source=source.format(view=view)),
            story,
            *(about_player(view.story) if begin else []),
            Section("task", after, source="prompts"),
        ]

    return sections


def parted(agent: str, templates: Templates, placeholder: str, **values: str) -> tuple[str, str]:
    """Fill a template; return the parts before and after a placeholder with its own section."""
    before, _, after = templates.get(agent, TEMPLATES[agent]).partition("{" + placeholder + "}")
    return fill_text(before, **values), fill_text(after, **values)


def told_turns(turns: Sequence[Turn | Witnessed], story: StoryView) -> str:
    """Join turns to one text."""
    return "\n\n".join(page(turn, story) for turn in turns)


def first_sentence(text: str) -> str:
    return next(iter(sentences(text)), "")


def entries_text(
    entries: Sequence[Entry], names: Mapping[str, str], player: str, voice: Voice = "third"
) -> str:
    """Format entries for a prompt: marked line of the player, plain narration, replies with name."""
    lines = [told_entry(entry, names, player, voice) for entry in entries if entry.role != "system"]
    return "\n\n".join(lines)


def told_entry(entry: Entry, names: Mapping[str, str], player: str, voice: Voice = "third") -> str:
    """Format an entry for a prompt. In the first person each paragraph of a reply names its speaker."""
    match entry.role:
        case "player":
            return f"> {player}: {entry.text}"
        case "character":
            parts = paragraph_texts(entry.text) if voice == "first" else [entry.text]
            return "\n\n".join(
                f"{names.get(entry.character or '', entry.character)}: {part}" for part in parts
            )
        case _:
            return entry.text


def transcript(turns: Sequence[Turn | Witnessed], story: StoryView) -> list[Section]:
    """Section per verbatim turn, oldest first."""
    return [
        Section(f"turn {turn.number}", text, source=f"turn {turn.number}", priority="turn")
        for turn in turns
        if (text := page(turn, story))
    ]


def page(turn: Turn | Witnessed, story: StoryView) -> str:
    """Format a turn for a prompt, with a mark for missed turns before it."""
    if isinstance(turn, Turn):
        return entries_text(turn.ordered_entries, story.names, story.hero, story.voice)
    return "\n\n".join(
        filter(None, (turn.gap, entries_text(turn.entries, story.names, story.hero, story.voice)))
    )
