from collections.abc import Sequence
from typing import Any

from theact_tui.story.direct.log import Events
from theact_tui.story.direct.state import DirectGame, open_tabs
from theact_tui.story.direct.transcript import transcript
from theact_tui.story.game import Game
from theact_tui.story.lore import EVERYONE, NARRATOR, LoreEntry, LoreMatch
from theact_tui.story.perception import perceived_by
from theact_tui.story.turn import Turn


def lore_json(lore: Sequence[LoreMatch]) -> list[dict[str, Any]]:
    return [
        {
            "id": match.entry.id,
            "title": match.entry.title,
            "known_by": _knowers(match.entry),
            "fired": match.fired,
            "key": match.key,
            "reason": match.reason,
            "tokens": match.tokens,
        }
        for match in lore
    ]


def _knowers(entry: LoreEntry) -> str | list[str]:
    one = next((name for name in (EVERYONE, NARRATOR) if name in entry.known_by), "")
    people = [name for name in entry.known_by if name != NARRATOR]
    return one if one == EVERYONE or not people else people


def game_json(game: Game, branch: str, turn: Turn | None, takes: int) -> dict[str, Any]:
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
                "memory": game.memory_of(name).model_dump(mode="json"),
            }
            for name, card in game.pack.characters.items()
        ],
        "lore_known": state.lore_known,
        "game_complete": state.game_complete,
        "pending": [item.model_dump(mode="json", exclude={"entry"}) for item in state.pending],
        "takes": takes,
        "entries": [entry.model_dump(mode="json") for entry in turn.entries] if turn else [],
        "heard": perceived_by(turn, game.pack.chapters.get(turn.chapter, game.chapter).characters)
        if turn
        else {},
    }


def direct_json(game: DirectGame, events: Events, branch: str, takes: int = 1) -> dict[str, Any]:
    shown = transcript(game.session, events)
    return {
        "save": game.info.title,
        "mode": "direct",
        "branch": branch,
        "takes": takes,
        "session": game.session.model_dump(mode="json"),
        "setup": game.setup.model_dump(mode="json"),
        "voice": game.voice,
        "tabs": list(open_tabs(game.session)),
        "events": [event.model_dump(mode="json") for event in events],
        "blocks": [block.model_dump(mode="json") for block in game.blocks],
        "drafts": [draft.model_dump(mode="json") for draft in game.drafts],
        "transcript": shown.text,
        "counter": shown.counter,
    }
