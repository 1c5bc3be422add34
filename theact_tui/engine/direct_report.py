"""A direct session as one JSON document, and a call as the artifact of D10."""

from __future__ import annotations

from typing import Any

from theact_tui.models.ledger import Call
from theact_tui.story.direct.game import DirectGame
from theact_tui.story.direct.log import Events
from theact_tui.story.direct.moves import open_tabs
from theact_tui.story.direct.transcript import transcript

Document = dict[str, Any]


def direct_json(game: DirectGame, events: Events, branch: str, takes: int = 1) -> Document:
    """Session, Setup, voice, the whole log, blocks, drafts, and the transcript as rendered."""
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


def artifact(call: Call, session_id: str) -> Document:
    """A call of the ledger as a record of its session. `agent_id` is 0 lock, 1 to 7 actors, 8 delta, 9 chapter."""
    return {
        "artifact_id": call.id,
        "session_id": session_id,
        "agent_id": agent_number(call.key),
        "provider": call.provider,
        "model": call.model,
        "input_hash": call.input_hash,
        "token_counts": {
            "prompt": call.usage.prompt if call.usage.prompt is not None else call.tokens,
            "completion": call.usage.completion,
        },
        "raw_input_ref": f"calls/{call.turn}#{call.id}/messages",
        "raw_output_ref": f"calls/{call.turn}#{call.id}/reply",
        "outcome": call.outcome,
        "created_at": call.at,
        "seconds": call.seconds,
    }


def agent_number(key: str) -> int:
    """The number of the agent a call was made for, by the call's name."""
    kind, _, slot = key.partition(":")
    numbers = {"lock": 0, "delta": 8, "chapter": 9}
    return int(slot) if kind == "actor" else numbers[kind]
