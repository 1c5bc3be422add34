"""Answers of slash commands: a game and a save in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from theact_tui.errors import UsageError
from theact_tui.saves.worktree import edited_name
from theact_tui.story.character_view import lore_for, lore_for_narrator, witnessed
from theact_tui.story.forgetting_and_recall import archived_lines
from theact_tui.story.game import Game
from theact_tui.story.lore import LoreMatch, LoreRoom
from theact_tui.story.memory import Cell, CellsMemory, Fact, FactsMemory, lines_of
from theact_tui.story.moments import top_moments
from theact_tui.story.steering import language_name
from theact_tui.story.turn import Turn
from theact_tui.text import counted, one_line, to_come

if TYPE_CHECKING:
    from theact_tui.engine.session import StorySession
    from theact_tui.saves.hand_edits import HandEdits
    from theact_tui.saves.save import Save

_STALE = "stale: turn edited"
HISTORY = 20


def status_text(session: StorySession) -> str:
    game = session.game
    state, chapter = game.state, game.chapter
    lines = [
        f"{game.info.title} · {chapter.title} · turn {state.turn} · branch {session.branch_title}",
        f"Model: {session.model_name}.",
        "The story is complete. You can keep playing." if state.game_complete else "Beats:",
    ]
    if not state.game_complete:
        lines += beat_lines(game)
    present = [game.pack.name_of(name) for name in chapter.characters if name in state.present]
    away = [game.pack.name_of(name) for name in chapter.characters if name not in state.present]
    lines.append(f"Here: {', '.join(present) or 'nobody'}" + (f". Away: {', '.join(away)}." if away else "."))
    lines += [*steering_lines(game), *decided_lines(game)]
    if state.pending:
        work = [(item, game.pack.name_of(item.character or "")) for item in state.pending]
        pending = (
            f"{item.agent}{f' of {person}' if person else ''} (turn {item.turn})" for item, person in work
        )
        lines.append("Pending: " + ", ".join(pending))
    if state.unremembered:
        lines.append(f"{missing_text(state.unremembered)} /remember makes them.")
    return "\n".join(lines)


def missing_text(turns: int) -> str:
    return f"Memories of {turns} older {'turn is' if turns == 1 else 'turns are'} not written yet."


def steering_lines(game: Game) -> list[str]:
    set_by_hand = game.state.steering
    silent = ", ".join(game.pack.name_of(name) for name in set_by_hand.hushed)
    values = {
        "Note": set_by_hand.note,
        "Silent": silent,
        "Length": set_by_hand.length if set_by_hand.length != "normal" else "",
        "Language": language_name(game.language),
    }
    return [f"{name}: {text}" for name, text in values.items() if text]


def decided_lines(game: Game) -> list[str]:
    """Say what the player decided about secrets and about the end of the chapter."""
    secrets = (
        f"You decided that the secret of {game.pack.name_of(name)} {'may come out' if may else 'is held back'}."
        for name, may in game.state.gates.items()
    )
    chapter = {
        "end": "You decided that the chapter ends with the next turn.",
        "keep": "You decided that the chapter stays open.",
    }
    return [*secrets, *(text for choice, text in chapter.items() if choice == game.state.chapter_set)]


def beat_lines(game: Game) -> list[str]:
    beats, hit = game.chapter.beats, game.state.beats_hit
    if not beats:
        return ["  none: the chapter is open"]
    lines = [f"  ✓ {beat}" for beat in beats if beat in hit]
    more = "" if game.state.game_complete else to_come(beats, hit)
    return [*lines, f"  · {more}"] if more else lines


def lore_text(lore: Sequence[LoreMatch]) -> str:
    lines = [
        f"{'*' if match.fired else ' '} {match.entry.name}: "
        f"{one_line(match.entry.text, 120)}\n    {match.reason}"
        for match in lore
    ]
    return "\n".join([*lines, "* included in the prompt"]) if lines else "There is no lore."


def lore_at(
    before: Game, turn: Turn | None, character: str, room: LoreRoom | None = None
) -> tuple[LoreMatch, ...]:
    """Return each entry that the narrator (or `character`) may know in `turn` after `before`; without a turn, now."""
    room = room or LoreRoom()
    if not character:
        return lore_for_narrator(before, turn.player_text if turn else "", room, unmatched=True)
    if character not in before.pack.characters:
        raise UsageError(f"There is no character '{one_line(character, 40)}'.")
    last = [witnessed(past_turn, character) for past_turn in (before.last_turn, turn) if past_turn]
    return lore_for(before, character, last, room, unmatched=True)


def lore_since(game: Game, told: Sequence[LoreMatch]) -> Iterator[LoreMatch]:
    """Yield the entries that were added after those that were told."""
    ids = {match.entry.id for match in told}
    for match in lore_at(game, None, ""):
        if match.entry.id not in ids:
            yield replace(match, fired=False, reason="added after this turn")


def history_lines(save: Save[Any], *, ids: bool = False) -> list[str]:
    """Return the newest lines of the history, oldest first; `ids` adds commits."""
    newest = reversed(save.log(HISTORY))
    return [
        f"{line.commit[:7] + '  ' if ids else ''}"
        f"{f'turn {line.turn}' if line.kind == 'turn' else 'edit':<8}  {line.line}"
        for line in newest
    ]


def numbered_memory(game: Game, character: str) -> str:
    """List a character's memories, numbered for `/pin`."""
    memory = game.memory_of(character)
    lines = [game.pack.name_of(character)]
    if memory.summary:
        lines.append(f"  {memory.summary}{summary_note(memory)}")
    stale = game.state.edited
    lines += [
        _line_text(place, line) + (f"  ({_STALE})" if line.turn in stale else "")
        for place, line in enumerate(lines_of(memory), 1)
    ]
    if seen := memory.reflection:
        lines += [f"  wants: {seen.want}"] if seen.want else []
        lines += [f"  hides: {seen.hide}"] if seen.hide else []
        lines += [f"  of {name}: {text}" for name, text in seen.beliefs.items()]
    if older := archived_lines(memory.older):
        them = "it" if len(older) == 1 else "them"
        lines.append(f"  {counted(len(older), 'older line')}, used again when the story mentions {them}.")
        lines += [
            f"      turn {line.turn:<3} {line.text}  ({_STALE})" for line in older if line.turn in stale
        ]
    return "\n".join(lines) if len(lines) > 1 else f"{lines[0]}\n  has no memories yet"


def summary_note(memory: FactsMemory | CellsMemory) -> str:
    edited = memory.summary_edited if isinstance(memory, FactsMemory) else ()
    stale = f", {_STALE}: {', '.join(map(str, edited))}" if edited else ""
    return f"  (to turn {memory.summary_turn}{stale})" if memory.summary_turn else ""


def _line_text(place: int, line: Fact | Cell) -> str:
    marks = [mark for mark, on in (("pinned", line.pinned), ("important", line.important)) if on]
    return f"  {place:>2}. turn {line.turn:<3} {line.text}" + (f"  ({', '.join(marks)})" if marks else "")


def moments_text(game: Game) -> str:
    """List moments, numbered for `/pin moment`."""
    top = top_moments(game.moments)
    lines = [
        f"{'*' if moment in top else ' '}{place:>3}. turn {moment.turn:<3} {moment.type.replace('_', ' ')}: "
        f"{moment.summary}{'  (pinned)' if moment.pinned else ''}"
        for place, moment in enumerate(game.moments, 1)
    ]
    if not lines:
        return "No moments yet."
    return "\n".join([*lines, "* included in the narrator's prompt"])


NO_CHANGE = "The pack of this story was not changed."
NO_EDITS = "No files were edited outside the program."


def edits_text(edits: HandEdits, *, pack: bool = False) -> str:
    """Show edits of a save's files, or of the user's `pack`, with commands for them."""
    if pack:
        lines = [*edits.broken.values()] or ["Apply it with /adopt pack."]
    elif edits.broken:
        files = " ".join(edits.broken)
        advice = f"This cannot be applied. Fix it, or undo it with /restore {files}."
        lines = [*dict.fromkeys(edits.broken.values()), advice]
    else:
        lines = ["Apply these edits with /adopt, or undo them with /restore."]
    return "\n".join([edits.difference, "", *lines])


def applied_text(files: Sequence[str]) -> str:
    return f"Applied: {', '.join(files)}."


def put_back_text(files: Sequence[str]) -> str:
    copies = ", ".join(edited_name(file) for file in files)
    return f"Restored: {', '.join(files)}. Your versions are kept in {copies}."
