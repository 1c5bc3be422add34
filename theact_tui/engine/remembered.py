"""What is remembered, in words: memories and moments (S4, S12)."""

from __future__ import annotations

from theact_tui.story.game import Game
from theact_tui.story.memory import Cell, Fact, empty_memory, lines_of
from theact_tui.story.moments import top_moments
from theact_tui.story.older import older_lines


def memory_text(game: Game, character: str) -> str:
    """What a character remembers, its lines numbered as `/pin` takes them."""
    memory = game.memories.get(character) or empty_memory(game.pack.game.memory)
    lines = [game.pack.name_of(character)]
    if memory.summary:
        lines.append(f"  {memory.summary}")
    lines += [_line_text(place, line) for place, line in enumerate(lines_of(memory), 1)]
    if older := older_lines(memory.older):
        lines.append(f"  From before: {len(older)} more, which come back when the story speaks of them.")
    return "\n".join(lines) if len(lines) > 1 else f"{lines[0]}\n  remembers nothing yet"


def _line_text(place: int, line: Fact | Cell) -> str:
    marks = [mark for mark, on in (("pinned", line.pinned), ("important", line.important)) if on]
    return f"  {place:>2}. turn {line.turn:<3} {line.text}" + (f"  ({', '.join(marks)})" if marks else "")


def moments_text(game: Game) -> str:
    """The moments of the game, numbered as `/pin moment` takes them; those the narrator is told have a star."""
    told = top_moments(game.moments)
    lines = [
        f"{'*' if moment in told else ' '}{place:>3}. turn {moment.turn:<3} {moment.type.replace('_', ' ')}: "
        f"{moment.summary}{'  (pinned)' if moment.pinned else ''}"
        for place, moment in enumerate(game.moments, 1)
    ]
    if not lines:
        return "Nothing has happened yet that will be remembered for the whole story."
    return "\n".join([*lines, "* the narrator is reminded of these"])
