"""Setup tab: world, scene and characters."""

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from theact_tui.engine.direct.session import DirectSession
from theact_tui.story.direct.records import default_name, roster
from theact_tui.story.direct.state import NOW, set_chapter_text, set_identity, set_name, set_world
from theact_tui.text import flat
from theact_tui.tui.direct.fields import (
    CharacterCount,
    LimitedField,
    NameField,
    NumberedChoices,
    character_choices,
)


class SetupPane(Vertical):
    """Edits a Setup; locked, it lies under a grey veil and can only be read and copied."""

    def __init__(self, session: DirectSession, *, id: str) -> None:
        super().__init__(id=id)
        self._session = session
        self.number = 1
        """Slot of the shown name and identity."""
        self._world = LimitedField(id="world", placeholder="What kind of world is it, and what is its tone?")
        self._scene = LimitedField(
            id="scene", placeholder="Where does this chapter start, and what is at stake?"
        )
        self._character_name = NameField(id="name")
        self._identity = LimitedField(
            id="identity", placeholder="Who is this? What do they want? What would they never do?"
        )
        self._count = CharacterCount(id="count")
        self._characters = NumberedChoices(id="setup-characters")
        self._character = Vertical(
            self._character_name, self._identity, self._characters, id="character", classes="field"
        )
        self._identity.frame = self._character

    def compose(self) -> ComposeResult:
        yield Static(id="setup-title")
        yield self._world
        yield self._scene
        yield self._count
        yield self._character

    def on_mount(self) -> None:
        over, title = ("a chapter to direct\n", ".quiet"), (flat(self._session.name), ".accent")
        self.query_one("#setup-title", Static).update(Content.assemble(over, title, ("\n────", ".faint")))
        self._world.border_title = Content("World, genre and tone")
        self._scene.border_title = Content("Chapter and immediate scene")
        self.fill()

    def fill(self) -> None:
        setup = self._session.setup
        self.number = min(self.number, setup.count)
        character = setup.agents[self.number - 1]
        self._world.fill(setup.world)
        self._scene.fill(setup.chapter)
        self._character_name.fill(character.name)
        self._identity.fill(character.identity)
        self.renew()

    def renew(self) -> None:
        """Draw names and outlines, and leave the texts."""
        setup = self._session.setup
        self._count.count = setup.count
        self._characters.choices = character_choices({n: setup.name_of(n) for n in self.numbers})
        self._characters.active = self.number
        self._character.set_classes(f"field -slot-{self.number}")
        self._character.border_title = Content(f"Character {self.number} of {setup.count}")
        self._character_name.placeholder = default_name(self.number)

    def set_closed(self, locked: bool) -> None:
        self.set_class(locked, "-locked")
        self._count.locked = locked
        self._count.note = "" if locked else "tab: next field"
        for field in self.query(LimitedField):
            field.read_only = locked

    @property
    def numbers(self) -> tuple[int, ...]:
        return roster(self._session.setup.count)

    def choose(self, number: int) -> None:
        """Show another character; call `store` first."""
        if number in self.numbers:
            self.number = number
            self.fill()
            self._character_name.focus()

    def store(self) -> None:
        """Edit the session's Setup from the fields. Raises `UsageError`."""
        edit = self._session.edit
        edit(set_world, self._world.text)
        edit(set_chapter_text, self._scene.text)
        edit(set_name, self.number, self._character_name.text)
        edit(set_identity, self.number, self._identity.text)

    def focus_first(self) -> None:
        """Focus the first field, or in a following chapter the end of the scene."""
        field = self._scene if self._session.setup.chapter.endswith(f"{NOW}\n") else self._world
        field.move_cursor(field.document.end if field is self._scene else (0, 0))
        field.focus()
