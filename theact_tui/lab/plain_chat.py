"""Plain chat with the same model, for comparison: the pack in the system message, and the newest turns that fit."""

import time
from contextlib import aclosing
from uuid import uuid4

from theact_tui import yaml
from theact_tui.engine.session import StorySession
from theact_tui.errors import UsageError
from theact_tui.models.ledger import Call, Ledger
from theact_tui.models.model import Request
from theact_tui.parsing.thoughts import without_thoughts
from theact_tui.prompting.fitting import shorten_to
from theact_tui.prompting.sections import Message, Prompt, Section
from theact_tui.story.turn import CallCount, Entry, Turn
from theact_tui.story.typed import as_text, is_command
from theact_tui.text import clean

_REPLY_TOKENS = 600
"""As for the narrator."""
_TOKENS_PER_MESSAGE = 8
"""Added by a chat template."""
_SYSTEM = """\
You are the game master of an interactive story. The player is {player}. In each reply tell what happens next, in 90 to \
180 words, second person, present tense: what there is to see and hear, and what the other people do and say. Take up what \
the player does, and lead the story through its chapters, beat by beat. Never speak, choose or feel for {player}. Each of \
the people knows only what they saw or were told. This is the story:

{pack}"""
_BEGIN, _GO_ON = "Begin the story.", "Go on."


class Conversation(Prompt):
    def messages(self, correction: str = "") -> list[Message]:
        return [Message(role=section.part, content=section.text) for section in self.sections]


class PlainChat:
    """Plays a game with the save and the narrator's model of a session, through the methods of a `StorySession`."""

    def __init__(self, session: StorySession) -> None:
        self.save, self.game, self._session = session.save, session.game, session
        self.turns, self.settle = session.turns, session.settle
        self._exchanges: list[tuple[str, str]] = []

    async def open_story(self) -> None:
        """Write the first page. Raises CallError."""
        await self._session.probed()
        await self._play_turn("", _BEGIN)

    async def line(self, line: str) -> None:
        """Play a line. `/whisper` is written out; other commands raise UsageError. Raises CallError."""
        if line.startswith("/whisper "):
            _, listener, text = line.split(" ", 2)
            line = f"I whisper to {self.game.pack.name_of(listener)}: {text}"
        elif is_command(line):
            raise UsageError(f"A plain chat has no commands, such as {line.split()[0]}.")
        await self._play_turn(as_text(line), as_text(line) or _GO_ON)

    def _prompt(self, sent: str) -> Conversation:
        """Hold as many newest exchanges as the window does."""
        model, pack = self._session.agents.model(), self.game.pack
        count = model.tokens.count
        parts = {"world", "characters", "chapters", "lore"}
        pack_fields = pack.model_dump(include=parts, exclude_defaults=True, mode="json")
        text = _SYSTEM.format(player=self.game.info.player.name, pack=yaml.dump(pack_fields).decode())
        room = (
            int(model.window * (1 - model.tokens.reserve))
            - _REPLY_TOKENS
            - count(sent)
            - 3 * _TOKENS_PER_MESSAGE
        )
        text = text if count(text) <= room else shorten_to(text, room, count)
        room -= count(text)
        messages = [Section("player", sent)]
        for number, (asked, page) in reversed(list(enumerate(self._exchanges, 1))):
            room -= count(asked) + count(page) + 2 * _TOKENS_PER_MESSAGE
            if room < 0:
                break
            messages[:0] = [
                Section(f"turn {number}", asked),
                Section(f"turn {number}", page, part="assistant"),
            ]
        sections = (Section("pack", text, part="system"), *messages)
        return Conversation(
            sections, sum(count(section.text) + _TOKENS_PER_MESSAGE for section in sections), model.window
        )

    async def _play_turn(self, typed: str, sent: str) -> None:
        game, model, prompt = self.game, self._session.agents.model(), self._prompt(sent)
        number, began = game.state.turn + 1, time.monotonic()
        id = uuid4().hex[:12]
        call = Call(id=id, turn=number, agent="chat", provider=model.provider, model=model.name, outcome="ok")
        call.asks(prompt)
        request = Request(agent="chat", key="chat", prompt=prompt, max_tokens=_REPLY_TOKENS, temperature=1.0)
        async with aclosing(model.stream(request)) as pieces:
            async for piece in pieces:
                call.reply = "" if piece.restart else call.reply
                call.note(piece)
        call.seconds = time.monotonic() - began
        Ledger(self.save.private).add(call, self.save.branch)
        page = clean(without_thoughts(call.reply)[0]).strip()
        self._exchanges.append((sent, page))
        spent = call.usage.prompt or call.tokens, call.usage.completion or model.tokens.count(call.reply)
        used = CallCount(calls=1, prompt_tokens=spent[0], completion_tokens=spent[1])
        entries = [Entry(role="narrator", text=page), *[Entry(role="player", text=typed)] * bool(typed)]
        turn = Turn(
            number=number,
            chapter=game.state.chapter,
            kind="play" if typed or game.state.turn else "opening",
            entries=tuple(entries),
            witnesses=game.state.present,
            calls={"chat": used},
            at=self._session.bus.now().isoformat(timespec="seconds"),
            told_by=model.name,
        )
        self.game = game.with_turn(turn).with_state(turn=number)
        await self._session.run(self.save.commit, self.game)
