"""Foot of the Direct tab: the next character and the writing box."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from theact_tui.engine.direct.session import DirectSession
from theact_tui.story.direct.records import TEXT_LIMIT, following
from theact_tui.text import clean, one_line
from theact_tui.tui.actions import READ_ONLY, bindings
from theact_tui.tui.direct.fields import NAME_CELLS, NumberedChoices, character_choices
from theact_tui.tui.direct.keys import ASKING_ACTIONS
from theact_tui.tui.play.writing_box import PromptInput, PromptTextArea


class AskingArea(PromptTextArea):
    BINDINGS = bindings(ASKING_ACTIONS)


class AskingBox(PromptInput):
    """Writing box whose mark names the character that is asked."""

    AREA = AskingArea
    LIMIT = TEXT_LIMIT
    _asked: Content | None = None

    def show(self, name: str, slot: int, closed: str) -> None:
        """Name the next character; a reason closes the box."""
        self._asked = Content.styled(f"{one_line(name, NAME_CELLS)} ›", f".slot-{slot}")
        self._mark(self.text)
        self.writing.read_only = bool(closed)
        self.writing.placeholder = Content(closed or "What happens?")

    def mark_of(self, text: str) -> str | Content:
        return self._asked or super().mark_of(text)


class AskingPane(Vertical):
    """Next character, and its prompt from the first letter to the reply."""

    def __init__(self, session: DirectSession, *, id: str) -> None:
        super().__init__(id=id)
        self._session = session
        self._picked = 0
        """Slot picked for the next prompt; 0: the one whose turn it is."""
        self._sent = (0, "")
        """Slot and text of the unanswered prompt."""
        self._set_aside: str | None = None
        """Text of the box from before the last prompt is edited there."""
        self.box: AskingBox = AskingBox(id="prompt")
        self._characters = NumberedChoices(id="characters")
        self._length = Static(id="length", markup=False)

    def compose(self) -> ComposeResult:
        yield Horizontal(self._characters, self._length, id="asking")
        yield self.box

    def renew(self) -> None:
        session, record = self._session, self._session.session
        self._characters.choices = character_choices({n: record.name_of(n) for n in self.numbers})
        self._characters.active = self.number
        self._length.update(Content(f"{session.transcript.counter} characters"))
        ended = "The chapter has ended." if record.state in ("ENDED", "NARRATING") else ""
        self.box.show(record.name_of(self.number), self.number, READ_ONLY if session.read_only else ended)

    # --- who is asked -----------------------------------------------------------------------------------------------

    @property
    def numbers(self) -> tuple[int, ...]:
        return self._session.session.selected_agent_slots

    @property
    def number(self) -> int:
        """Slot of the next prompt; during a reply, the one after it."""
        asked = self._sent[0] or self._session.answering
        turn = following(self.numbers, asked) if asked else self._session.game.focus
        return self._picked if self._picked in self.numbers else turn

    def choose(self, number: int) -> None:
        self._picked = number
        self.focus_first()
        self.keep_typed()

    def focus_first(self) -> None:
        self.box.writing.focus()

    # --- a prompt on its way ----------------------------------------------------------------------------------------

    def send(self, text: str) -> int:
        slot, self._picked = self.number, 0
        self._sent = slot, text
        self.keep_typed()
        return slot

    def begin(self, text: str) -> None:
        self.box.remember([text])
        self.box.waiting = True
        if text == clean(self._sent[1]).strip():  # else it is the last prompt that is retried
            self.box.take_out(self._sent[1])

    def answered(self) -> None:
        self._sent, self._set_aside = (0, ""), None
        self.keep_typed()

    def refused(self) -> None:
        """Keep the character; the text is still in the box."""
        self._picked, self._sent = self._sent[0], (0, "")

    def failed(self) -> str:
        """Put the sent text back; return how to send it again."""
        self.box.waiting = False
        slot, text = self._sent
        if not text:
            return ""
        self._picked = slot
        self.box.offer(text)
        self.keep_typed()
        is_back = self.box.text.strip() == text.strip()
        return f"Enter sends “{one_line(text, 30)}” again." if is_back else "↑ brings your text back."

    def forget(self) -> None:
        self._picked, self._sent, self._set_aside = 0, (0, ""), None

    # --- the last prompt --------------------------------------------------------------------------------------------

    def undone(self, slot: int, text: str) -> None:
        self._picked, self._set_aside = slot, None
        self.box.offer(text, selected=True)

    def redone(self) -> None:
        last = self._session.game.last_prompt
        self._picked, self._set_aside = 0, None
        if last and self.box.text == last[1]:
            self.box.write("")

    @property
    def is_editing(self) -> bool:
        """The last prompt is edited in the box."""
        return self._set_aside is not None

    def edit_last(self, slot: int, text: str) -> None:
        self._picked, self._set_aside = slot, self.box.text
        self.box.replace(text)

    def stop_editing(self) -> None:
        self.box.write(self._set_aside or "")
        self._picked, self._set_aside = 0, None

    def keep_typed(self) -> None:
        asked, sent = self._sent
        self._session.keep_typed(self.box.text, self.number, sent=sent, asked=asked)

    def offer_typed(self) -> bool:
        """Put a kept text into the box; true if ↑ brings back another."""
        typed = self._session.typed
        texts = [
            (slot, text) for slot, text in zip(typed.slots, (typed.sent, typed.box), strict=True) if text
        ]
        if texts:
            self._picked, text = texts[0]
            self.box.remember(text for _, text in texts[1:])
            self.box.offer(text)
        return len(texts) > 1
