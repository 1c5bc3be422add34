"""Scene before a page, and the addressees of a line. No check knows a word of any language."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from theact_tui.story.game import Game
from theact_tui.story.names import Names
from theact_tui.story.pack import Mood
from theact_tui.story.speech import addressed_parts, addressed_to, line_cuts, paragraphs
from theact_tui.story.steering import Steering
from theact_tui.story.turn import Entry, Turn

MAX_ANSWERS = 3


@dataclass(frozen=True, slots=True)
class Whispered:
    hearers: tuple[str, ...] | None
    """Ids that alone hear it; None: all. Empty if all is an aside, or the name is unknown."""
    text: str


@dataclass(frozen=True, kw_only=True)
class Scene:
    """State before the page of a turn, and choices of player or author."""

    line: str = ""
    spelled_line: str = ""
    """The line with capital letters in names, if the player writes none; "" is the line itself."""
    names: Names
    here: tuple[str, ...] = ()
    stayed: tuple[str, ...] = ()
    """Ids on stage before; a new chapter may bring others."""
    asleep: tuple[str, ...] = ()
    place: str = ""
    mood: Mood | str = ""
    replies: tuple[Entry, ...] = ()
    reply_pieces: tuple[Mapping[str, str], ...] = ()
    """Pieces of each of these replies, by label."""
    listeners: tuple[str, ...] = ()
    """Ids of those for whom the last turn was there to perceive."""
    muted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By person, pieces of last turn's replies that this person was there for and did not hear."""
    held: Mapping[str, bool] = field(default_factory=dict)
    asked: tuple[str, ...] = ()
    hushed: tuple[str, ...] = ()
    actor: str = ""
    """Character who does the next beat in an answer, or ""."""
    people_speak: bool = False
    """On the page, where whoever is called has answered."""
    seated: tuple[str, ...] = ()
    """Ids whose seat is given to persons, also while nobody sits there: the page leaves their words to them."""

    @property
    def cast(self) -> tuple[str, ...]:
        return tuple(self.names.of)

    @property
    def awake(self) -> tuple[str, ...]:
        return tuple(id for id in self.here if id not in self.asleep)

    @property
    def answered(self) -> tuple[str, ...]:
        """Ids that answered in the last turn, in order."""
        speakers = (entry.character for entry in self.replies)
        return tuple(dict.fromkeys(id for id in speakers if id and id in self.names.of))

    @cached_property
    def overheard(self) -> dict[str, Entry]:
        """Pieces of the last replies, by label, if somebody besides a speaker was there."""
        pieces = {
            label: entry.model_copy(update={"text": text})
            for entry, own in zip(self.replies, self.reply_pieces, strict=False)
            for label, text in own.items()
        }
        return pieces if any({*self.listeners} - {entry.character} for entry in self.replies) else {}

    @cached_property
    def explicit(self) -> Whispered | None:
        """Addressees named by the line; None if it names none."""
        return whispered(self.line, self.names)

    @cached_property
    def arrows(self) -> dict[str, set[str]]:
        """Ids of who alone hears a piece of the line by its arrows, by label."""
        hearers: dict[str, set[str]] = {}
        for to, places in addressed_parts(self.line):
            if not to or (ids := _hearers(to, self.names)) is None:
                continue
            for number, span in enumerate(line_cuts(self.line), 1):
                if not {*places}.isdisjoint(range(*span)):
                    hearers[str(number)] = hearers.get(str(number), {*ids}) & {*ids}
        return hearers

    @property
    def unknown_hearers(self) -> tuple[str, ...]:
        """Names behind arrows that nobody has."""
        names = (to for to, _ in addressed_parts(self.line) if to)
        return tuple(to for to in names if _hearers(to, self.names) == ())

    @property
    def audible_line(self) -> str:
        """Audible line: without asides and addressees."""
        return addressed_to(self.spelled_line or self.line)[1]

    @cached_property
    def meant(self) -> tuple[str, ...] | None:
        """Ids that alone hear the line by its leading arrow; None: all."""
        return self.explicit.hearers if self.explicit else None

    @cached_property
    def spoken_to(self) -> tuple[str, ...]:
        """Ids that the line means by a leading arrow, else calls."""
        return self.names.called(self.audible_line) if self.meant is None else self.meant

    @cached_property
    def answering(self) -> tuple[str, ...]:
        """Ids that answer for the line alone, to whom the page leaves their words: asked by the player, meant by an arrow,
        called where nobody speaks on the page or who is played by a person, or to act.
        """
        speaks_there = self.meant is None and self.people_speak
        spoken_to = tuple(id for id in self.spoken_to if id in self.seated or not speaks_there)
        ids = self.asked or spoken_to or (self.actor,)
        able = self.here if self.asked else tuple(id for id in self.awake if id not in self.hushed)
        return tuple(dict.fromkeys(id for id in ids if id in able))[:MAX_ANSWERS]


def scene_of(
    game: Game,
    line: str,
    steering: Steering | None = None,
    actor: str = "",
    *,
    people_speak: bool = False,
    seated: Collection[str] = (),
) -> Scene:
    state, last, steering = game.state, game.last_turn, steering or Steering()
    cast = game.chapter.characters
    present_ids = tuple(id for id in cast if id in state.present)
    stayed, slept = present_ids, last.asleep if last else game.chapter.asleep
    if state.transition and last:
        stayed, slept = tuple(id for id in present_ids if id in last.presence.here), game.chapter.asleep
    names = Names({id: game.pack.name_of(id) for id in cast})
    return Scene(
        line=line,
        spelled_line=names.capitalized(line, " ".join(turn.narration for turn in game.turns.values())),
        names=names,
        here=present_ids,
        stayed=stayed,
        asleep=tuple(id for id in present_ids if id in slept and id not in state.woken),
        place=last.setting if last else "",
        mood=last.mood if last else "calm",
        replies=last.replies if last else (),
        reply_pieces=last.reply_pieces if last else (),
        listeners=() if last is None else last.presence.here if last.is_pending else last.witnesses,
        muted=_muted(last, present_ids) if last and not last.is_pending else {},
        held={id: on for id, on in state.held.items() if id in cast},
        asked=tuple(id for id in steering.asked if id in cast),
        hushed=tuple(steering.hushed),
        actor=actor,
        people_speak=people_speak,
        seated=tuple(id for id in cast if id in seated),
    )


def _muted(last: Turn, present_ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    stage = last.presence
    awake = [id for id in present_ids if id in stage.here and id not in stage.asleep]
    unheard = {id: tuple(filter(str.islower, last.missed_by(id))) for id in awake}
    return {id: labels for id, labels in unheard.items() if labels}


def named_outside_speech(page: str, names: Names) -> set[str]:
    return {id for paragraph in paragraphs(page) for id in names.within(paragraph.bare)}


def whispered(line: str, names: Names) -> Whispered | None:
    """Parse the addressees of a line: `→ Maya: ...`, `→ all: ...`, or none if the whole line is in parentheses."""
    to, text = addressed_to(line)
    if to:
        return Whispered(_hearers(to, names), text)
    return Whispered((), "") if line.strip() and not text else None


def _hearers(to: str, names: Names) -> tuple[str, ...] | None:
    if to.casefold() in {"all", "*"}:
        return None
    meant = {id for _, ids in names.listed(to) for id in ids}
    return tuple(id for id in names.of if id in meant)
