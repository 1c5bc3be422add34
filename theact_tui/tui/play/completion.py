"""Completions of a typed command: names, ids, branches, formats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import work
from textual.content import Content
from textual.reactive import reactive
from textual.visual import Visual
from textual.widget import Widget

from theact_tui.engine.commands import COMMANDS, misses_slash
from theact_tui.engine.session import StorySession
from theact_tui.models.profiles import OFFLINE
from theact_tui.story.game import Game
from theact_tui.story.steering import LANGUAGES
from theact_tui.story.typed import is_command
from theact_tui.text import one_line
from theact_tui.tui.visuals import SplitLine, Stack
from theact_tui.tui.widgets.export_dialog import FORMAT_CHOICES

_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Completion:
    text: str
    label: str
    help: str


def completions(
    text: str, game: Game, profiles: Sequence[str] = (), branches: Mapping[str, str] | None = None
) -> tuple[Completion, ...]:
    """`branches`: titles by name."""
    if not is_command(text) or "\n" in text:
        return ()
    name, spaced, rest = text.partition(" ")
    if not spaced:
        commands = (
            command
            for command_name, command in COMMANDS.items()
            if f"/{command_name}".startswith(name.lower())
        )
        offers = tuple(Completion(f"/{c.name} ", c.usage, c.help) for c in commands)
        return () if [c.text for c in offers] == [f"{name} "] else offers
    before, _, word = rest.rpartition(" ")
    start = f"{name} {before} " if before else f"{name} "
    command_name = _arguments(name[1:].lower(), before.split(), game, profiles, branches or {})
    return tuple(
        Completion(f"{start}{id} ", id, help)
        for id, help in command_name.items()
        if word.casefold() != id
        and (word or not id.startswith("-"))
        and any(w.startswith(word.casefold()) for w in f"{id} {help}".casefold().split())
    )


def _arguments(
    command: str, typed: Sequence[str], game: Game, profiles: Sequence[str], branches: Mapping[str, str]
) -> Mapping[str, str]:
    match command, *typed:
        case ["export"]:
            return FORMAT_CHOICES
        case ["switch"]:
            return branches
        case ["retry"]:
            return {
                "--reply": "retry one reply; the rest of the turn stays",
                "--note": "retry with a direction",
                "--profile": "retry with another model",
            }
        case ["retry", "--reply"]:
            last = game.last_turn
            ids = [entry.character for entry in last.replies if entry.character] if last else []
            return {id: game.pack.name_of(id) for id in ids}
        case ["retry", "--profile"]:
            return dict.fromkeys((*profiles, OFFLINE), "")
        case ["note"]:
            return {note: "change it"} if (note := game.state.steering.note) else {}
        case ["language"]:
            return dict.fromkeys(LANGUAGES, "")
        case ["cast", "add"]:
            return {}
    places = COMMANDS[command].usage.split()[1:] if command in COMMANDS else []
    if not places or (len(typed) >= len(places) and "..." not in places[-1]):
        return {}
    place = places[min(len(typed), len(places) - 1)].strip("[]")
    if "|" in place:
        return dict.fromkeys(place.split("|"), "")
    if place not in ("name", "name..."):
        return {}
    return {id: game.pack.name_of(id) for id in game.chapter.characters if id not in typed}


class CompletionMenu(Widget):
    """Completions above the box; ↑ and ↓ move, tab accepts, esc closes."""

    DEFAULT_CSS = """
    CompletionMenu { height: auto; max-height: 6; display: none; padding: 0 2 0 3; background: $surface; }
    """
    entries: reactive[tuple[Completion, ...]] = reactive((), layout=True)
    at: reactive[int] = reactive(0)

    def __init__(self, session: StorySession, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._session = session
        self._text = ""
        self._branches: dict[str, str] | None = None
        """Titles of other branches by name, while needed."""

    def complete(self, text: str) -> None:
        """Offer completions; branches are read once per `/switch`."""
        self._text = text
        if not text.startswith("/switch"):
            self._branches = None
        elif self._branches is None:
            self._branches = {}
            self._read_branches()
        self.entries = completions(text, self._session.game, self._session.profiles, self._branches)

    @work(group="branches", exit_on_error=False)
    async def _read_branches(self) -> None:
        branches = await self._session.run(self._session.save.branches)
        self._branches = {
            branch.name: branch.title for branch in branches if branch.name != self._session.branch
        }
        self.complete(self._text)

    def watch_entries(self) -> None:
        self.at = 0
        self.display = bool(self.entries)

    @property
    def chosen(self) -> Completion | None:
        return self.entries[self.at] if self.entries else None

    def step(self, by: int) -> bool:
        """Mark the next entry, cyclically; False without entries."""
        if len(self.entries) < 2:
            return False
        self.at = (self.at + by) % len(self.entries)
        return True

    def render(self) -> Visual:
        first = max(0, min(self.at - _SHOWN // 2, len(self.entries) - _SHOWN))
        widest = max((cell_len(entry.label) for entry in self.entries), default=0)
        column = min(widest, self.size.width // 3)
        rows = []
        for number, entry in enumerate(self.entries[first : first + _SHOWN], first):
            is_marked = number == self.at
            label = f"{'›' if is_marked else ' '} {entry.label}{' ' * (column - cell_len(entry.label))}"
            about = (f"  {one_line(entry.help, 60)}", ".quiet")
            rows.append(SplitLine(Content.assemble((label, ".accent" if is_marked else ""), about)))
        return Stack(*rows)


HELP_HINT = "F1: keys. ^q: leave. Enter sends this to the story."


def command_hint(text: str) -> str:
    """Return usage and help of a typed command, or its possible names; else ""."""
    if misses_slash(text):
        return HELP_HINT
    name, spaced, _ = text.partition(" ")
    if not is_command(text) or "\n" in text:
        return ""
    likely = [command for command in COMMANDS.values() if f"/{command.name}".startswith(name.lower())]
    meant = [command for command in likely if f"/{command.name}" == name.lower()] or (
        [] if spaced else likely
    )
    if len(meant) == 1:
        return f"{meant[0].usage} · {meant[0].help}"
    return "↑ ↓ choose · tab complete" if meant else "Unknown command. /help lists the commands."
