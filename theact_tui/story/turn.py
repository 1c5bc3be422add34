"""One turn and its parts."""

from collections.abc import Sequence
from itertools import count
from typing import Literal

from theact_tui.sentences import Span
from theact_tui.story.pack import Mood
from theact_tui.story.speech import pieces_without_asides
from theact_tui.story.steering import Steering
from theact_tui.story.value import Value

Role = Literal["narrator", "player", "character", "system"]


class Entry(Value):
    """Text in a turn. `system`: the program's own (the epilogue), in no character's prompt."""

    role: Role
    text: str
    character: str | None = None
    stopped: bool = False
    unsettled: bool = False
    """True for a reply given while the stage was pending: its speaker was shown the whole turn."""
    by: str = ""
    """Person at a seat who wrote it; empty for a model's text and the player's own."""


class Ruling(Value):
    """Result of the dice; `roll` is None without a roll."""

    resolution: str
    roll: int | None = None
    difficulty: int | None = None
    risk: str = ""


class CallCount(Value):
    """Calls of one agent in a turn. Tokens as reported, or estimated."""

    calls: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    sent: dict[str, str | float] = {}
    """Request fields of the last call, by the server's names: model, temperature, ..."""


class Cuts(Value):
    """Cuts of a turn's texts into pieces. A piece is perceived or missed as a whole."""

    line: tuple[Span, ...] = ()
    """Pieces of the player's line, labelled 1, 2, ..., without asides and arrow."""
    page: tuple[Span, ...] = ()
    """Paragraphs of the narration, labelled A, B, ..."""
    replies: tuple[tuple[Span, ...], ...] = ()
    """Pieces of each reply, labelled a, b, ... over all replies."""
    sizes: tuple[int, ...] = (0, 0)
    """Characters of line, narration and replies when they were cut."""

    @property
    def line_labels(self) -> tuple[str, ...]:
        return tuple(str(number) for number in range(1, len(self.line) + 1))

    @property
    def page_labels(self) -> tuple[str, ...]:
        return tuple(letters(number) for number in range(len(self.page)))

    def line_pieces(self, line: str) -> dict[str, str]:
        return dict(zip(self.line_labels, pieces_without_asides(line, self.line), strict=True))

    def page_pieces(self, page: str) -> dict[str, str]:
        return {label: page[a:b] for label, (a, b) in zip(self.page_labels, self.page, strict=True)}


def reply_pieces(cuts: Cuts, replies: Sequence[str]) -> tuple[dict[str, Span], ...]:
    """Return the pieces of each reply by label; a reply that was not cut is one piece."""
    labels = map(reply_label, count())
    whole = (((0, len(text)),) for text in replies[len(cuts.replies) :])
    return tuple({next(labels): span for span in spans} for spans in (*cuts.replies, *whole))


def letters(number: int) -> str:
    """Return A, B, ..., Z, AA, AB, ... for 0, 1, ..."""
    rest, last = divmod(number, 26)
    return (letters(rest - 1) if rest else "") + chr(ord("A") + last)


def reply_label(number: int) -> str:
    """Return a, b, ... for 0, 1, ..."""
    return letters(number).lower()


class Heard(Value):
    """Perception of one witness: every piece that is not missed."""

    missed: tuple[str, ...] = ()
    """Labels."""


UNCUT = Cuts()
"""Each text is one piece: 1, A, a, b, ..."""
FULLY_HEARD = Heard()


class StageForm(Value):
    """Model's answer about a page: who perceived what, who is there, who answers. None: unanswered."""

    answer: tuple[str, ...] | None = None
    only: dict[str, tuple[str, ...]] | None = None
    """By label of a piece, also of last turn's replies, that not everybody perceived: ids of those who alone did."""
    mood: str | None = None
    here: tuple[str, ...] | None = None
    asleep: tuple[str, ...] | None = None
    gone: tuple[str, ...] | None = None
    aloud: dict[str, str] | None = None
    """By person, labels of pieces of last turn's replies that this person heard after all."""
    moved: dict[str, str] | None = None
    """Label of a piece by person: the first that who came or woke took in, the last of who left or fell asleep."""
    elsewhere: bool | None = None
    """True if the player went to another place: only those named by the page are there."""
    place: str | None = None


class Stage(Value):
    """Presence at the end of a page and who answers, decided by code from the form. Ids in the order of the cast."""

    here: tuple[str, ...] = ()
    asleep: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    aloud: dict[str, tuple[str, ...]] = {}
    """By person, pieces of the replies of the turn before that this person heard after all."""
    unheard: dict[str, tuple[str, ...]] = {}
    """By person, pieces of the replies of the turn before that others alone heard."""
    private: tuple[str, ...] = ()
    """Pieces kept from somebody who stayed, or from one of those who came; whoever missed one hears no answer to it."""
    answer: tuple[str, ...] = ()
    mood: Mood | Literal[""] = ""
    place: str = ""
    """Place and hour at the end; empty: not known."""
    by: Literal["form", "written", "pending", "player"] = "form"
    """Source of the decision. `pending`: the form failed and is asked for again; `written`: the author wrote the
    page; `player`: settled by hand.
    """


class Decisions(Value):
    """Decisions of code in a turn, and reasons. Hearing is in the turn itself."""

    next_beat: str = ""
    lead: str = ""
    """`Lead.way` of the page."""
    then: str = ""
    """Choice of the player after `next_beat`, offered where the page ends."""
    returns: str = ""
    gates: dict[str, str] = {}
    named: tuple[str, ...] = ()
    """Beats named by the check; without a proven quote they were not marked."""
    quotes: tuple[str, ...] = ()
    reason: str = ""
    chapter: str = ""


class Turn(Value):
    """Turn as stored. `entries` are in the order narrator, player, characters, system."""

    number: int
    chapter: str
    mood: Mood | Literal[""] = "calm"
    setting: str = ""
    """Place and hour at its end; empty: unknown."""
    kind: Literal["created", "opening", "play", "transition", "directed"] = "play"
    entries: tuple[Entry, ...] = ()
    cuts: Cuts = Cuts()
    """Empty: each text is one piece."""
    witnesses: tuple[str, ...] = ()
    heard: dict[str, Heard] = {}
    """Missed pieces by witness; a witness without an entry perceived everything."""
    asleep: tuple[str, ...] = ()
    unaware: tuple[str, ...] = ()
    """Ids that were present, awake, and perceived nothing of the player's line."""
    stage: Stage | None = None
    """None in imported chats."""
    ruling: Ruling | None = None
    new_beats: tuple[str, ...] = ()
    completed_chapter: str | None = None
    decisions: Decisions | None = None
    repaired: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    calls: dict[str, CallCount] = {}
    at: str = ""
    """ISO 8601, UTC."""
    steering: Steering | None = None
    told_by: str = ""
    """Narrator's model."""

    @property
    def presence(self) -> Stage:
        """Stage, or one made of those who perceived the last paragraph."""
        here, last = (
            dict.fromkeys((*self.witnesses, *self.asleep, *self.unaware)),
            {*self.cuts.page_labels[-1:]},
        )
        stayed = tuple(id for id in here if last.isdisjoint(self.heard.get(id, FULLY_HEARD).missed))
        return self.stage or Stage(here=stayed, asleep=self.asleep, place=self.setting)

    @property
    def is_pending(self) -> bool:
        return self.stage is not None and self.stage.by == "pending"

    @property
    def narration(self) -> str:
        return next((e.text for e in self.entries if e.role == "narrator"), "")

    @property
    def player_text(self) -> str:
        return next((e.text for e in self.entries if e.role == "player"), "")

    @property
    def replies(self) -> tuple[Entry, ...]:
        return tuple(entry for entry in self.entries if entry.role == "character")

    @property
    def reply_pieces(self) -> tuple[dict[str, str], ...]:
        texts = [reply.text for reply in self.replies]
        pieces = zip(texts, reply_pieces(self.cuts, texts), strict=True)
        return tuple({label: text[a:b] for label, (a, b) in spans.items()} for text, spans in pieces)

    @property
    def labels(self) -> tuple[str, ...]:
        line = self.cuts.line_labels or (("1",) if self.player_text else ())
        replies = (label for pieces in self.reply_pieces for label in pieces)
        return (*line, *(self.cuts.page_labels or ("A",)), *replies)

    def missed_by(self, character: str) -> tuple[str, ...]:
        """Return the labels of the pieces that a character did not perceive."""
        if character not in self.witnesses:
            return self.labels
        return self.heard.get(character, FULLY_HEARD).missed

    @property
    def ordered_entries(self) -> tuple[Entry, ...]:
        """Entries in the order of events: player, narrator, characters, system."""
        order = {"player": 0, "narrator": 1, "character": 2, "system": 3}
        return tuple(sorted(self.entries, key=lambda entry: order[entry.role]))
