"""Seat of a person who plays a character: what they are shown, and what they answer."""

from theact_tui.story.pack import Voice
from theact_tui.story.turn import Entry
from theact_tui.story.value import Value
from theact_tui.story.views import Witnessed


class SeatTurn(Value):
    """Turn as far as the character perceived it."""

    gap: str = ""
    """What was missed before it or in it."""
    entries: tuple[Entry, ...] = ()

    @classmethod
    def of(cls, turn: Witnessed) -> "SeatTurn":
        return cls(gap=turn.gap, entries=turn.entries)


class Asked(Value):
    """Question for the person's words; everybody else waits."""

    id: str
    seconds: int
    """After these the model answers."""
    draft: str = ""
    """The person's words in the take that is told again."""
    refused: str = ""
    """Why the last words were not taken."""


class SeatView(Value):
    """All that is shown at a seat: nothing that its character does not know."""

    story: str
    chapter: str = ""
    """Title of the last one that the character was in."""
    character: str
    names: dict[str, str]
    """By id, of the character and those it has met."""
    places: dict[str, int]
    """By id, the place in the pack's cast, for the colour of a name."""
    hero: str
    voice: Voice = "third"
    """How characters tell what they do."""
    is_there: bool = False
    """Whether the character is where the hero is."""
    here: tuple[str, ...] = ()
    """Ids of the others there, if it is."""
    card: str = ""
    secret: str = ""
    known: str = ""
    """Part of the secret that everybody may hear."""
    want: str = ""
    thinks: tuple[str, ...] = ()
    """Of others."""
    remembers: tuple[str, ...] = ()
    turns: tuple[SeatTurn, ...] = ()
    now: SeatTurn = SeatTurn()
    """Running turn, once the person was asked in it; else what was missed since the last one."""
    asked: Asked | None = None
    taken: str = ""
    """Id of the last question whose answer was taken."""
    ended: bool = False

    @property
    def name(self) -> str:
        return self.names[self.character]


class SeatAnswer(Value):
    name: str
    """The person's."""
    question: str = ""
    """`Asked.id`; empty when they have just sat down."""
    text: str = ""
