"""A game and a save put into words, and into the JSON of the command line (S12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from theact_tui.story.game import Game
from theact_tui.story.memory import empty_memory
from theact_tui.story.turn import Turn

if TYPE_CHECKING:
    from theact_tui.engine.session import Session
    from theact_tui.saves.store import Save

HISTORY = 20
"""Turns shown by `/history`."""


def status_text(session: Session) -> str:
    """Where the story stands, for people."""
    game = session.game
    state, chapter = game.state, game.chapter
    lines = [
        f"{game.info.title} · {chapter.title} · turn {state.turn} · branch {session.branch_title}",
        f"Told by {session.model_name}.",
        "The story is complete; you may go on." if state.game_complete else "Beats:",
    ]
    if not state.game_complete:
        lines += [f"  {'✓' if beat in state.beats_hit else '·'} {beat}" for beat in chapter.beats]
    here = [game.pack.name_of(name) for name in chapter.characters if name in state.present]
    away = [game.pack.name_of(name) for name in chapter.characters if name not in state.present]
    lines.append(f"Here: {', '.join(here) or 'nobody'}" + (f". Away: {', '.join(away)}." if away else "."))
    if state.pending:
        lines.append("Pending: " + ", ".join(_pending_text(game, item) for item in pending_json(game)))
    return "\n".join(lines)


def _pending_text(game: Game, item: dict[str, Any]) -> str:
    who = f" of {game.pack.name_of(item['character'])}" if item["character"] else ""
    return f"{item['agent']}{who} (turn {item['turn']})"


def history_lines(save: Save) -> list[str]:
    """The newest lines of the history, oldest first."""
    newest = save.log(HISTORY)
    return [f"{line.commit[:7]}  {line.line}" for line in reversed(newest)]


def pending_json(game: Game) -> list[dict[str, Any]]:
    """Work still to be done, as the command line shows it."""
    return [
        {"agent": item.agent, "turn": item.turn, "character": item.character, "chapter": item.chapter}
        for item in game.state.pending
    ]


def game_json(game: Game, branch: str, turn: Turn | None, takes: int) -> dict[str, Any]:
    """The document of `show --json`."""
    state = game.state
    return {
        "save": game.info.title,
        "pack": game.info.pack,
        "branch": branch,
        "turn": state.turn,
        "player": game.info.player.name,
        "chapter": {"id": game.chapter.id, "title": game.chapter.title},
        "beats": [{"text": beat, "hit": beat in state.beats_hit} for beat in game.chapter.beats],
        "present": list(state.present),
        "rolling_summary": state.rolling_summary,
        "last_summarized_turn": state.last_summarized_turn,
        "recaps": [recap.model_dump(mode="json") for recap in game.recaps],
        "moments": [moment.model_dump(mode="json") for moment in game.moments],
        "characters": [
            {
                "id": name,
                "name": card.name,
                "present": name in state.present,
                "memory": (game.memories.get(name) or empty_memory(game.pack.game.memory)).model_dump(
                    mode="json"
                ),
            }
            for name, card in game.pack.characters.items()
        ],
        "game_complete": state.game_complete,
        "pending": pending_json(game),
        "takes": takes,
        "entries": [entry.model_dump(mode="json") for entry in turn.entries] if turn else [],
    }
