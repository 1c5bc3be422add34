"""Agents as values, and the sections they share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from theact_tui.agents.prompts import TEMPLATES, WRITE_ON, fill_prompt, fill_text
from theact_tui.models.model import View
from theact_tui.parsing.echoes import Echoes
from theact_tui.parsing.rest import SoFar
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import SO_FAR, Priority, Section
from theact_tui.sentences import paragraph_texts, sentences
from theact_tui.story.lore import LoreEntry, LoreMatch
from theact_tui.story.pack import Voice
from theact_tui.story.steering import Length, language_name
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.views import PlayView, StoryView, Witnessed

V = TypeVar("V", bound=View)
K = TypeVar("K", bound=PlayView)
Templates = Mapping[str, str]
"""A pack's own templates by agent."""

LONGER = 1.8


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
    """Names, ids and facts that a reply may use."""
    grammar: Callable[[V, str], str] = lambda view, so_far: ""
    """Grammar of a reply, or of what follows a text so far."""
    echoes: Callable[[V, Templates], Echoes] | None = None
    """What a reply must not repeat; None: the agent's template."""
    behind_tokens: int = 0
    """Tokens kept free for questions after its prompt and reply."""
    behind: Callable[[V, Templates], list[Section]] | None = None
    """Sections after another agent's prompt, which the server may still hold; `sections` are for a prompt of its own.
    """
    so_far: SoFar | None = None
    """Text that the reply goes on from."""

    def going_on(self, so_far: SoFar) -> "Agent[V]":
        """Let the prompt end with the assistant's text so far, or with a request in words to go on from it."""
        begun = [Section(SO_FAR, so_far.sent, source="the player", part="assistant")]
        asked = [] if so_far.is_continued else [Section("go on", WRITE_ON, source="prompts")]
        return replace(
            self,
            sections=lambda view, templates: [*self.sections(view, templates), *begun, *asked],
            so_far=so_far,
        )


def length_line(agent: str, length: Length, words: str, template: str | None) -> list[str]:
    asks = "{words}" in (TEMPLATES[agent] if template is None else template)
    return [] if asks or length == "normal" else [f"Length: {words}."]


def language_line(language: str) -> list[str]:
    return [f"Write in {language_name(language)}."] if language else []


def storyteller_system(story: StoryView, templates: Templates) -> Section:
    """System message of storytelling agents, constant during a game."""
    text = fill_prompt(
        "system",
        templates,
        player=story.hero,
        setting=story.world.setting.strip(),
        tone=story.world.tone.strip(),
        rules=story.world.rules.strip(),
    )
    return Section("world", text + _language_rule(story.language), source="world.yaml", part="system")


def about_player(story: StoryView) -> list[Section]:
    if not story.player.description:
        return []
    text = f"The player is {story.hero}, {story.player.description.strip()}"
    return [Section("player's character", text, source="game.yaml")]


def clerk_system(story: StoryView, templates: Templates) -> Section:
    """System message of record keepers."""
    text = fill_prompt("clerk", templates, player=story.hero)
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
    """Make a section per entry in use. `marked` names who knows hidden ones."""
    head = [Section("lore", "TRUE IN THIS WORLD, where it matters now", source="lore", late=late)]
    return (head if any(match.fired for match in lore) else []) + [
        Section(
            f"lore: {match.entry.name}",
            f"- {_knower_note(match.entry, names) if marked else ''}{match.entry.text.strip()}",
            source=f"lore/{match.book}.yaml",
            priority="lore",
            kept="whole" if match.fired else "dropped",
            why=match.reason,
            late=late,
        )
        for match in lore
    ]


def _knower_note(entry: LoreEntry, names: Mapping[str, str]) -> str:
    if not entry.is_hidden:
        return ""
    people = [names[id] for id in entry.known_by if id in names]
    return f"(known to {' and '.join(people)} alone) " if people else "(known to nobody but you) "


def clerk(
    template: str,
    values: Callable[[K], dict[str, str]],
    *,
    pages: str,
    source: str,
    turns: Callable[[K], Sequence[Turn | Witnessed]] | None = None,
) -> Callable[[K, Templates], list[Section]]:
    """Make the sections of a record keeper: rules, template up to its `pages` placeholder, pages, task.

    `values` fill the template; only `pages` may be cut. `source` may name parts of the view. With `turns` the prompt
    starts like the narrator's.
    """

    def sections(view: K, templates: Templates) -> list[Section]:
        filled, story = values(view), view.story
        text = Section("pages", filled.pop(pages), source="the story", priority="pages")
        before, after = parted(template, templates, pages, player=story.hero, **filled)
        records = Section("records", before, source=source.format(view=view))
        task = Section("task", after, source="prompts")
        if turns is None:
            return [clerk_system(story, templates), records, text, task]
        shared = transcript_messages(turns(view), story, "pages") or [text]
        return [storyteller_system(story, templates), records, *shared, *about_player(story), task]

    return sections


def parted(agent: str, templates: Templates, placeholder: str, **values: str) -> tuple[str, str]:
    """Fill a template; return the parts before and after `placeholder`."""
    before, _, after = templates.get(agent, TEMPLATES[agent]).partition("{" + placeholder + "}")
    return fill_text(before, **values), fill_text(after, **values)


def render_turns(turns: Sequence[Turn | Witnessed], story: StoryView) -> str:
    return "\n\n".join(page_text(turn, story) for turn in turns)


def first_sentence(text: str) -> str:
    return next(iter(sentences(text)), "")


def entries_text(
    entries: Sequence[Entry], names: Mapping[str, str], player: str, voice: Voice = "third"
) -> str:
    """Format entries: marked line of the player, narration, replies with name."""
    lines = [render_entry(entry, names, player, voice) for entry in entries if entry.role != "system"]
    return "\n\n".join(lines)


def render_entry(entry: Entry, names: Mapping[str, str], player: str, voice: Voice = "third") -> str:
    """Format an entry. In the first person each paragraph of a reply names its speaker."""
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


NO_LINE = "…"  # of the player, who begins every conversation


def transcript_messages(
    turns: Sequence[Turn | Witnessed], story: StoryView, priority: Priority = "turn"
) -> list[Section]:
    """Format turns as messages; pages are the assistant's."""
    return [section for turn in turns for section in _exchange(turn, story, priority)]


def _exchange(turn: Turn | Witnessed, story: StoryView, priority: Priority) -> list[Section]:
    entries = [entry for entry in _entries(turn) if entry.role != "system"]
    gap = _gap(turn)
    lines = [entry.text for entry in entries if entry.role == "player"] or [NO_LINE]
    pages = [entry.text for entry in entries if entry.role == "narrator"]
    replies = [reply_line(entry, story.names) for entry in entries if entry.role == "character"]
    name = f"turn {turn.number}"
    section = partial(Section, name, source=name, priority=priority)
    parts = (section("\n\n".join(filter(None, (gap, *lines)))), section("\n\n".join(pages), part="assistant"))
    return [part for part in (*parts, section("\n\n".join(replies))) if part.text] if entries or gap else []


def _entries(turn: Turn | Witnessed) -> Sequence[Entry]:
    return turn.ordered_entries if isinstance(turn, Turn) else turn.entries


def reply_line(entry: Entry, names: Mapping[str, str]) -> str:
    # the name stands once: models label their own paragraphs where all are labelled
    name = names.get(entry.character or "", entry.character)
    return f"{name}: " + "\n".join(paragraph_texts(entry.text))


def page_text(turn: Turn | Witnessed, story: StoryView) -> str:
    """Format a turn for a prompt, after a mark for missed turns."""
    text = entries_text(_entries(turn), story.names, story.hero, story.voice)
    return "\n\n".join(filter(None, (_gap(turn), text)))


def _gap(turn: Turn | Witnessed) -> str:
    return "" if isinstance(turn, Turn) else turn.gap
