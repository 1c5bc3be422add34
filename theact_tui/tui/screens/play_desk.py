"""What the play screen does when the engine tells of something: header, status, input and page follow the story."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from theact_tui.engine.commands import as_line
from theact_tui.engine.events import TurnFailed, TurnStarted
from theact_tui.engine.session import Session
from theact_tui.engine.work import BEING_TOLD
from theact_tui.errors import TheActError, TurnError, UsageError
from theact_tui.text import one_line
from theact_tui.tui.doing import Doing
from theact_tui.tui.hints import command_hint
from theact_tui.tui.pages import Pages
from theact_tui.tui.telling import Telling
from theact_tui.tui.typeset import Block, Cast, aside_blocks, card_blocks, number_of
from theact_tui.tui.widgets.leaf import Leaf
from theact_tui.tui.widgets.masthead import Masthead, Whereabouts, thousands
from theact_tui.tui.widgets.panel import Panel
from theact_tui.tui.widgets.prompt import Prompt
from theact_tui.tui.widgets.statusline import StatusLine
from theact_tui.tui.widgets.transcript import Transcript

SPEAKING = "One moment, the story is speaking. Your words stay here; esc stops it."
UNTOLD = "This was not told when the program ended. Enter sends it."


@dataclass(frozen=True, slots=True)
class Parts:
    """The widgets of the play screen."""

    transcript: Transcript
    panel: Panel
    masthead: Masthead
    status: StatusLine
    prompt: Prompt


class PlayDesk:
    """Keeps the parts of the play screen in step with one session."""

    def __init__(
        self,
        session: Session,
        parts: Parts,
        *,
        reload: Callable[[], None],
        toast: Callable[[str, str], None],
        keys: Callable[[], None],
        later: Callable[[float, Callable[[], None]], object],
        thoughts: bool = False,
    ) -> None:
        pack = session.game.pack
        self.session = session
        self.parts = parts
        self.cast = Cast.of(pack)
        self.calls = Doing(self.cast.name)
        self.telling = Telling(parts.transcript, pack, self.cast, later, thoughts=thoughts)
        self.pages = Pages(session, parts.transcript, self.cast, lambda: self.telling.leaf)
        self.sent = ""
        """What was sent and has not become a turn yet."""
        self.takes = (1, 1)
        """Which take of the last turn is shown, and of how many."""
        self.found = ""
        """A line that was sent before the program ended and not told; it stands in the box until it is changed."""
        self._reload = reload
        self._toast = toast
        self._keys = keys

    # --- turns ------------------------------------------------------------------------------------------------------

    def turn_began(self, event: TurnStarted) -> None:
        """The page takes the player's words; the input box is free of them."""
        transcript, prompt = self.parts.transcript, self.parts.prompt
        if transcript.window.last < event.turn - 1:
            game = self.session.game
            turns = sorted((n, turn) for n, turn in game.turns.items() if n < event.turn)
            transcript.show([self.pages.leaf(turn) for _, turn in turns], event.turn - 1)
        if (old := transcript.window.leaf(event.turn)) is not None:
            transcript.drop(old)
        self.telling.begin(event.turn, event.text, self.session.game.state.chapter)
        if self.sent and prompt.text.startswith(self.sent):
            prompt.write(prompt.text[len(self.sent) :].lstrip("\n"))
        self.sent = self.found = ""
        prompt.waiting = True
        self.parts.status.warning = self.parts.status.hint = ""
        self.takes = (event.take, event.take)
        self._where(turn=event.turn)

    def turn_spoken(self) -> None:
        self.parts.prompt.waiting = False
        if self.parts.status.warning in (SPEAKING, BEING_TOLD):
            self.parts.status.warning = ""

    def turn_saved(self, turn: int) -> None:
        game = self.session.game
        window = self.parts.transcript.window
        window.newest = max(window.newest, turn)
        if turn in game.turns:
            self.telling.become(game.turns[turn], game.moments)
        self.parts.panel.settled()
        self.state_changed()

    def turn_failed(self, event: TurnFailed) -> None:
        again = self._back(event.text)
        self.parts.transcript.app.clear_notifications()  # a notice of the same trouble may have come before
        self.card("The turn did not happen", event.reason, f"Nothing was changed. {again}.")

    def turn_cancelled(self, text: str) -> None:
        again = self._back(text)
        if not self.session.game.state.turn and not text:
            self.aside(aside_blocks("Stopped before the story began", f"{again}."))
        else:
            told = "The turn stays as it was" if self._retold else "Nothing was changed; your words are back"
            self.parts.status.warning = f"Stopped. {told}."

    @property
    def _retold(self) -> bool:
        """The turn being told was told before."""
        return self.takes[0] > 1

    def _back(self, text: str) -> str:
        """The turn did not happen: give back what there was, and say how to try again."""
        self.sent = ""
        prompt, last = self.parts.prompt, self.session.game.last_turn
        prompt.waiting = False
        self._where(turn=self.session.game.state.turn)
        if not (self._retold and last):
            prompt.offer(as_line(text))
            return (
                "enter tries again" if text else "F4 tells its first scene, or write the first line yourself"
            )
        self.parts.transcript.add(self.pages.leaf(last))
        if text == last.player_text:
            return "F4 tries again"
        prompt.offer(as_line(text, again=True))
        return "enter tries again"

    # --- the rest -----------------------------------------------------------------------------------------------------

    def mood(self, mood: str) -> None:
        self._where(mood=mood)

    def doing(self) -> None:
        """Tell what runs now, and the turn's tokens."""
        status, calls = self.parts.status, self.calls
        self._keys()
        status.doing = calls.sentence
        if calls.narrator_tokens:
            self._where(used=calls.narrator_tokens)
        self.facts()

    def facts(self) -> None:
        """Small facts on the right of the status line."""
        calls = self.calls
        tokens = calls.prompt_tokens + calls.completion_tokens
        current, count = self.takes
        found = [f"◂ take {current} of {count} ▸"] if count > 1 else []
        found += [f"{thousands(tokens)} tokens"] if tokens and not self.session.offline else []
        self.parts.status.facts = tuple(found)

    def edits_found(self) -> None:
        """Files of the save were changed by hand: ask what becomes of it."""
        from theact_tui.tui.screens.edits import EditsSheet

        def done(adopted: bool | None) -> None:
            if adopted:
                self.recall()

        self.parts.transcript.app.push_screen(EditsSheet(self.session), done)

    def unsent_found(self, text: str, again: bool) -> None:
        """Put a line back that was sent and not told before the program ended."""
        self.found = as_line(text, again=again)
        self.parts.prompt.remember([self.found])
        self.parts.prompt.offer(self.found)

    def written(self, text: str) -> bool:
        """Explain what stands in the box now; False once that is not the line any more that was not told."""
        self.parts.status.hint = UNTOLD if text and text == self.found else command_hint(text)
        line = self.session.unsent
        if line is None or self.sent or self.parts.prompt.waiting:
            return True
        return text.strip() == as_line(line.text, again=line.again)

    def recall(self) -> None:
        self.telling.leaf = None
        self._take_pack()
        self.state_changed()
        self._reload()

    def state_changed(self) -> None:
        """Show the newest state of the game in panel and header."""
        game, last = self.session.game, self.session.game.last_turn
        self.parts.panel.show(game, self.cast)
        self.parts.transcript.boundary(game.state.last_summarized_turn)
        self._where(turn=game.state.turn, mood=last.mood if last else "")

    def _take_pack(self) -> None:
        """Names and chapters as the story has them here; they may have been changed by hand."""
        pack = self.session.game.pack
        self.cast = self.telling.cast = self.pages.cast = Cast.of(pack)
        self.telling.pack, self.calls.name = pack, self.cast.name

    def news(self, text: str) -> None:
        """Something happened beside the story; where the panel is folded the status line says so."""
        if not self.parts.panel.display:
            self.parts.status.hint = one_line(text, 60)

    def toast(self, text: str, level: str) -> None:
        self._toast(text, level)

    def card(self, title: str, reason: str, advice: str) -> None:
        """Put a card where the answer would have been."""
        self.aside(card_blocks(title, reason, advice))

    def complain(self, error: Exception, report: Callable[[Exception], str]) -> None:
        """Say what went wrong, where the answer would have been; what nobody expected is written down by `report`."""
        match error:
            case TurnError():
                pass  # told by its event
            case UsageError():
                self.parts.status.warning = error.message
            case TheActError():
                self.card("That did not work", error.message, "Nothing was changed.")
            case _:
                where = report(error)
                self.card("Something broke", repr(error), f"The story is safe. Written down in {where}")

    def aside(self, blocks: list[Block]) -> None:
        """Put something of the program's own under the story until the next turn."""
        self.parts.transcript.add(Leaf(self.parts.transcript.window.last, blocks, aside=True))

    def _where(self, *, turn: int | None = None, mood: str | None = None, used: int | None = None) -> None:
        session, game, old = self.session, self.session.game, self.parts.masthead.where
        number = number_of(game.pack, game.state.chapter)
        self.parts.masthead.where = Whereabouts(
            title=game.pack.game.title,
            chapter=f"{number} {game.chapter.title}",
            turn=old.turn if turn is None else turn,
            branch=session.branch_title,
            mood=old.mood if mood is None else mood,
            model="offline storyteller" if session.offline else session.model_name,
            used=old.used if used is None else used,
            window=0 if session.offline else session.window,
            note="read only" if session.read_only else "",
        )
