"""What the inspector says of a turn in a few words: its tokens, its other takes, who was where."""

from __future__ import annotations

from theact_tui.story.game import Game
from theact_tui.story.turn import Turn
from theact_tui.tui.screens.inspector_book import Frame


def tokens_of(turn: Turn) -> int:
    """All tokens a turn took, prompts and replies."""
    return sum(count.prompt_tokens + count.completion_tokens for count in turn.calls.values())


def others(count: int) -> str:
    """How many calls went into takes that are not in the story."""
    return f"{count} more in other takes" if count else ""


def whereabouts(frame: Frame, person: str, *, busy: bool = False) -> str:
    """What somebody did in a turn, and whether its memory still lags behind."""
    if frame.turn is None:
        return ""
    spoke = any(entry.character == person for entry in frame.turn.entries)
    here = person in frame.turn.witnesses or person in frame.game.state.present
    is_ = "is" if frame.live else "was"
    was = "answered" if spoke else f"{is_} here" if here else f"{is_} away"
    if busy:
        return f"{was} · remembering…"
    return f"{was}{lag(frame.game, person)}"


def lag(game: Game, person: str) -> str:
    """Which turns are not in a memory yet."""
    waiting = [
        work.turn for work in game.state.pending if work.agent == "memory" and work.character == person
    ]
    return f" · turn {', '.join(map(str, sorted(waiting)))} still to be remembered" if waiting else ""
