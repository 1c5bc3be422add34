"""One turn and what is in it."""

from typing import Literal

from theact_tui.sentences import Span
from theact_tui.story.base import Value
from theact_tui.story.pack import Mood
from theact_tui.story.steering import Steering

Role = Literal["narrator", "player", "character", "system"]


class Entry(Value):
    """One piece of text in a turn. `system`: the program's own (the epilogue), in no character's prompt."""

    role: Role
    text: str
    character: str | None = None
    stopped: bool = False
    """The player stopped it; it ends there, with a whole sentence if it has one."""


class Ruling(Value):
    """Result of the dice. `roll` is None when none were rolled."""

    resolution: str
    roll: int | None = None
    difficulty: int | None = None
    risk: str = ""
    """The words of the player's line that were risky; empty: not said."""


class CallCount(Value):
    """How much one agent did in a turn. Tokens are those the server reported, or estimated."""

    calls: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    sent: dict[str, str | float] = {}
    """What was asked for beside the messages of the last call, by the server's names: model, temperature, ..."""


class Cuts(Value):
    """Cuts of a turn's texts into pieces. A piece is perceived or missed as a whole."""

    line: tuple[Span, ...] = ()
    """The pieces of the player's line, labelled 1, 2, ... Asides and the arrow with its names are in none of them."""
    page: tuple[Span, ...] = ()
    """The paragraphs of the narration, labelled A, B, ..."""
    speech: tuple[tuple[Span, ...], ...] = ()
    """Spoken passages of each reply, labelled a, b, ...; the rest of a reply is deeds."""
    sizes: tuple[int, ...] = (0, 0)
    """Characters of line, narration and replies as they were cut."""

    @property
    def line_labels(self) -> tuple[str, ...]:
        return tuple(str(number) for number in range(1, len(self.line) + 1))

    @property
    def page_labels(self) -> tuple[str, ...]:
        return tuple(letters(number) for number in range(len(self.page)))


def letters(number: int) -> str:
    """A, B, ..., Z, AA, AB, ... for 0, 1, ..."""
    rest, last = divmod(number, 26)
    return (letters(rest - 1) if rest else "") + chr(ord("A") + last)


def reply_label(number: int) -> str:
    """The label of a turn's reply: a, b, ... for 0, 1, ..."""
    return letters(number).lower()


class Heard(Value):
    """Perception of one witness: every piece that is not missed."""

    missed: tuple[str, ...] = ()
    """Labels of the pieces that the witness did not perceive."""
    deeds: tuple[str, ...] = ()
    """Labels of missed replies of which the witness saw what was done, without hearing what was said."""


UNCUT = Cuts()
"""Each text is one piece: 1, A, a, b, ..."""
FULLY_HEARD = Heard()


class StageForm(Value):
    """The model's answer about a page: who missed what, who is there, who answers. None: not said."""

    missed: dict[str, str] | None = None
    """By person, the labels of the pieces that the person did not perceive; "all" for every piece."""
    here: tuple[str, ...] | None = None
    """Ids of those who are there at the end of the page."""
    asleep: tuple[str, ...] | None = None
    gone: tuple[str, ...] | None = None
    """Ids of those who left in their answer of last turn."""
    aloud: str | None = None
    """Labels of last turn's replies that everybody present heard after all."""
    elsewhere: bool | None = None
    """The player went to another place: whom the page does not name is not there."""
    answer: tuple[str, ...] | None = None
    mood: str | None = None
    place: str | None = None


class Stage(Value):
    """Presence at the end of a page and who answers, as code decided it from the form. Ids in the order of the chapter's
    cast, unless said otherwise."""

    here: tuple[str, ...] = ()
    """Ids of those present at the end, sleepers included."""
    asleep: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    """Ids of those who left in their answer of the turn before."""
    aloud: tuple[str, ...] = ()
    """Labels of replies of the turn before that everybody present heard after all."""
    answer: tuple[str, ...] = ()
    """In this order."""
    mood: Mood | Literal[""] = ""
    place: str = ""
    """Place and hour at the end; empty: not known."""
    by: Literal["form", "written", "pending", "player"] = "form"
    """Source of the decision. `pending`: the form failed and is asked for again; `written`: the author wrote the page;
    `player`: settled by hand."""


class Decisions(Value):
    """What the director made of code decided in a turn, and why; what each witness heard stands in the turn itself."""

    next_beat: str = ""
    """The beat that the narrator was led to."""
    lead: str = ""
    """Where the page was to go, as `theact_tui.story.pacing` names it; empty: nowhere."""
    returns: str = ""
    """The remembered line that was to come back."""
    gates: dict[str, str] = {}
    """By character with a secret, whether it might come out, as `theact_tui.story.secrets` names it."""
    named: tuple[str, ...] = ()
    """Beats that the check named; those it could not show by a quote were not marked."""
    quotes: tuple[str, ...] = ()
    reason: str = ""
    """The check's own words."""
    chapter: str = ""
    """Why the chapter ended, or did not."""


TURN_FORMAT = 2
"""Version of the stored form of a turn. Turns without it are converted when they are read."""


class Turn(Value):
    """One turn as stored. `entries` are in the order narrator, player, characters, system."""

    format: int = TURN_FORMAT
    number: int
    chapter: str
    mood: Mood | Literal[""] = "calm"
    setting: str = ""
    """Place and hour at its end, as the narrator says; empty: not said."""
    kind: Literal["created", "opening", "play", "transition", "directed"] = "play"
    entries: tuple[Entry, ...] = ()
    cuts: Cuts = Cuts()
    """Empty: each text is one piece."""
    witnesses: tuple[str, ...] = ()
    heard: dict[str, Heard] = {}
    """By witness, which pieces were missed; who is not here perceived all of it."""
    asleep: tuple[str, ...] = ()
    """Ids of those asleep at its end."""
    unaware: tuple[str, ...] = ()
    """Ids of those who were there, awake, and perceived nothing of the player's line."""
    stage: Stage | None = None
    """None in turns told by earlier versions, and in other programs."""
    ruling: Ruling | None = None
    new_beats: tuple[str, ...] = ()
    completed_chapter: str | None = None
    """The id of the chapter that ended with this turn."""
    decisions: Decisions | None = None
    """None in turns told by earlier versions."""
    repaired: tuple[str, ...] = ()
    """Agents whose reply had to be repaired."""
    notices: tuple[str, ...] = ()
    calls: dict[str, CallCount] = {}
    at: str = ""
    """When it was played, ISO 8601, UTC."""
    steering: Steering | None = None
    """What the player steered beside the story; None: nothing."""
    told_by: str = ""
    """The model that narrated it."""

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
    def ordered_entries(self) -> tuple[Entry, ...]:
        """The entries in the order in which things happen: player, narrator, characters, system."""
        order = {"player": 0, "narrator": 1, "character": 2, "system": 3}
        return tuple(sorted(self.entries, key=lambda entry: order[entry.role]))
