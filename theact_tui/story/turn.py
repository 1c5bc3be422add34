"""One turn and what is in it."""

from typing import Literal

from theact_tui.story.base import Value
from theact_tui.story.moments import Moment
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
    """What the dice decided about an action. `roll` is None when none were thrown."""

    resolution: str
    roll: int | None = None
    difficulty: int | None = None
    risk: str = ""
    """The words of the player's line that were risky; empty: not said."""
    moment: Moment | None = None
    """Of turns told by earlier versions: moments come out of told pages now."""


class CallCount(Value):
    """How much one agent did in a turn. Tokens are those the server reported, or estimated."""

    calls: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    sent: dict[str, str | float] = {}
    """What was asked for beside the messages of the last call, by the server's names: model, temperature, ..."""


class Part(Value):
    """What somebody perceived of a paragraph of the narration."""

    at: int
    """The paragraph's number, from 0."""
    speech: tuple[int, int] | None = None
    """The first of its quotations that were heard, and the first that was not any more; None: all were."""
    cut: tuple[int, ...] = ()
    """The numbers of sentences that are left out: they tell what was kept from this one."""


class Heard(Value):
    """What a witness took in of a turn; by default all of it. Its own reply it always knows."""

    said: tuple[int, ...] | None = None
    """The pieces of the player's line that it heard, as `theact_tui.story.speech` cuts it; None: all."""
    page: tuple[Part, ...] | None = None
    """What it perceived of the narration; None: all."""
    replies: bool = True
    """Whether it was there when the others answered."""
    acts_of: tuple[str, ...] = ()
    """Ids of those of whose answers it perceived what was done and not what was said."""
    deaf: tuple[int, ...] = ()
    """Numbers, from 0, of the turn's replies that it did not hear: it had left, or in a chat of another program they were
    not for it."""
    # what follows is read of turns that earlier versions told, which counted sentences
    line: bool = True
    """Whether it heard the player's line."""
    line_start: int = 0
    """Sentences of the line that were said before it was called."""
    line_end: int | None = None
    """Sentences of the line that were said before it was left out; None: it was not."""
    unheard: tuple[str, ...] = ()
    """Ids of those whose replies it did not hear: they answered a whisper."""
    whispered: bool = False
    """Whether what it did not hear of the line was whispered: then nor does it hear the narration repeat it."""
    start: int = 0
    """Sentences of the narration that were told before it came."""
    end: int | None = None
    """Sentences of the narration that were told before it was gone; None: it stayed."""
    left_out: bool = False
    """Whether the narrator left it out again, after so many turns in a row that it was not believed."""

    @property
    def is_of_sentences(self) -> bool:
        """True if an earlier version told the turn, and somebody missed something of it."""
        return self != Heard(
            said=self.said, page=self.page, replies=self.replies, acts_of=self.acts_of, deaf=self.deaf
        )

    @property
    def missed(self) -> bool:
        """True if it did not hear all of the player's line."""
        return self.said is not None or not self.line or self.line_start > 0 or self.line_end is not None


WHOLE = Heard()


class StageForm(Value):
    """What a model says of a page: who is there, who heard the player's line, who answers. None: not said."""

    moved: bool | None = None
    """The player went to another place on this page."""
    here: tuple[str, ...] | None = None
    """Ids of those who are there at its end."""
    asleep: tuple[str, ...] | None = None
    """Of these, who sleeps."""
    passed: tuple[str, ...] | None = None
    """Who came and went again on this page."""
    gone: tuple[str, ...] | None = None
    """Of those who answered last turn, who left in that answer."""
    because: str | None = None
    """Words of the line that say why only some hear it."""
    heard_by: tuple[str, ...] | None = None
    """Who alone heard the line; empty: everybody who was there."""
    answer: tuple[str, ...] | None = None
    """Who answers, in this order."""
    mood: str | None = None
    place: str | None = None


class Stage(Value):
    """Who was there in a turn, who heard the player's line, and who answers, as code decided it. Ids, in the order of the
    chapter's cast unless it is said otherwise."""

    here: tuple[str, ...] = ()
    """Who is there at the end, sleepers among them."""
    asleep: tuple[str, ...] = ()
    arrived: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    woken: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    """Who came and went again on the page."""
    gone: tuple[str, ...] = ()
    """Who had left in their answer of the turn before."""
    moved: bool = False
    """The player went to another place."""
    hearers: tuple[str, ...] | None = None
    """Who alone heard the line; None: everybody who was there."""
    public: tuple[int, ...] = ()
    """The sentences of a line for some alone that the others heard, too."""
    claimed: tuple[str, ...] = ()
    """Whom the form named as those who alone heard it, believed or not."""
    called: dict[str, tuple[int, ...]] = {}
    """By who is called by name in the line, the sentences that do."""
    answer: tuple[str, ...] = ()
    """Who answers, in this order."""
    mood: Mood = "calm"
    place: str = ""
    """Place and hour at the end; empty: not known."""
    by: Literal["form", "fallback", "written"] = "form"
    """What it was decided from; `fallback`: no form could be had. `written`: the author wrote the page."""


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


class Turn(Value):
    """One turn as stored. `entries` are in the order narrator, player, characters, system."""

    number: int
    chapter: str
    mood: Mood = "calm"
    setting: str = ""
    """Place and hour at its end, as the narrator says; empty: not said."""
    kind: Literal["created", "opening", "play", "transition"] = "play"
    entries: tuple[Entry, ...] = ()
    witnesses: tuple[str, ...] = ()
    """Who was there for any part of it."""
    heard: dict[str, Heard] = {}
    """By witness, which part; who is not here heard all of it."""
    asleep: tuple[str, ...] = ()
    """Who slept at its end."""
    unaware: tuple[str, ...] = ()
    """Who was on stage, awake, and heard nothing of it, because the narrator named others as those who did."""
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
    def told(self) -> tuple[Entry, ...]:
        """The entries in the order in which things happen: player, narrator, characters, system."""
        order = {"player": 0, "narrator": 1, "character": 2, "system": 3}
        return tuple(sorted(self.entries, key=lambda entry: order[entry.role]))
