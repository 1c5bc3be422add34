"""Take notes of a chunk, in pieces if it is long, and fold old notes."""

from collections.abc import Sequence

from theact_tui.agents.direct import DELTA, FOLD
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import MemoryFolded
from theact_tui.errors import CallError
from theact_tui.prompting.sections import Prompt
from theact_tui.story.direct.blocks import delta_payload, notes_text
from theact_tui.story.direct.log import Exchange, between, exchanges, halves, visible_to
from theact_tui.story.direct.records import Folded
from theact_tui.story.direct.state import DirectGame
from theact_tui.story.direct.views import DeltaView, FoldView, Payload

SHARE = 4
"""Notes are folded above one in `SHARE` tokens of the window."""
SMALL = 1_500
"""Characters; shorter texts are divided only if they would be cut."""
LEAST = 200


async def note_down(game: DirectGame, first: int, last: int, agents: AgentRunner) -> Payload:
    """Make the payload for prompts `first` to `last`. Raises `CallError`."""
    heard = visible_to(None, exchanges(between(game.events, first, last)), game.session.agent_names)
    # of whispers alone nothing is noted: the empty form was refused, and no chapter ended
    waiting = [heard] if heard else []
    payloads: list[Payload] = []
    while waiting:
        piece = waiting.pop(0)
        view = DeltaView(
            cast=game.session,
            memory=game.memory,
            first=first,
            last=last,
            exchanges=piece,
            found=tuple(payloads),
        )
        call = agents.prepare(DELTA, view)
        parts = _divided(piece, call.prompt)
        if len(parts) > 1:
            waiting[:0] = parts
            continue
        answer = await agents.call(call)
        payloads.append(answer.reading.fields)
    return delta_payload(game.session, payloads, first, last)


def _divided(piece: tuple[Exchange, ...], prompt: Prompt) -> tuple[tuple[Exchange, ...], ...]:
    cut = {section.name for section in prompt.sections if section.kept != "whole"}
    if "pages" in cut:
        return halves(piece, LEAST)
    return halves(piece, SMALL) if cut - {"found"} else (piece,)


async def fold_if_crowded(game: DirectGame, prompt: Prompt, agents: AgentRunner, bus: Bus) -> Folded | None:
    """Fold older notes if they crowd `prompt`; None if not, or if the call failed."""
    older = game.unfolded[:-1]
    notes = notes_size(game.memory.in_order, agents)
    if prompt.whole or not older or notes * SHARE < prompt.limit:
        return None
    before = [game.folded.payload] if game.folded else []
    folded = await fold_notes([*before, *(block.json_payload for block in older)], game, agents, bus)
    if folded is None:
        return None
    blocks = len(older) + (game.folded.blocks if game.folded else 0)
    bus.publish(MemoryFolded(blocks=blocks))
    return Folded(blocks=blocks, payload=folded)


async def fold_notes(
    notes: Sequence[Payload], game: DirectGame, agents: AgentRunner, bus: Bus
) -> Payload | None:
    """Fold notes, oldest first, into one, in several calls if necessary. None, with a warning, if a call fails."""
    rest = list(notes)
    while len(rest) > 1:
        count = _fitting(rest, game, agents)
        view = FoldView(cast=game.session, deltas=tuple(rest[:count]))
        try:
            answer = await agents.ask(FOLD, view, key="delta:fold")
        except CallError as error:
            bus.warn(f"Older notes could not be condensed. {error.message}")
            return None
        first, last = rest[0]["range"]["from_marker"], rest[count - 1]["range"]["to_marker"]
        rest[:count] = [delta_payload(game.session, [answer.reading.fields], first, last)]
    return rest[0]


def _fitting(payloads: Sequence[Payload], game: DirectGame, agents: AgentRunner) -> int:
    """Return how many first payloads one call can fold; at least two."""
    for count in range(len(payloads), 2, -1):
        try:
            call = agents.prepare(FOLD, FoldView(cast=game.session, deltas=tuple(payloads[:count])))
        except CallError:
            continue
        if call.reply_tokens >= FOLD.reply_tokens:
            return count
    return 2


def notes_size(payloads: Sequence[Payload], agents: AgentRunner) -> int:
    count = agents.model("delta").tokens.count
    return sum(count(notes_text(payload)) for payload in payloads)
