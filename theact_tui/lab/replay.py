"""Send a prompt of a past turn again, or rebuilt with other templates."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from theact_tui.agents.character import CHARACTER
from theact_tui.agents.narrator import NARRATOR
from theact_tui.agents.prompts import TEMPLATES
from theact_tui.engine.agent_runner import AgentRunner, PreparedCall
from theact_tui.engine.bus import Bus
from theact_tui.errors import UsageError
from theact_tui.lab.plan import read_prompts
from theact_tui.lab.play_game import models_of
from theact_tui.models.calls_of_turn import calls_of_take
from theact_tui.models.habits import lets_people_speak
from theact_tui.models.ledger import Call, Ledger
from theact_tui.models.model import Model, Models, Request, whole_reply
from theact_tui.models.retrying import allowance
from theact_tui.models.settings import Settings
from theact_tui.prompting.sections import Message, Prompt, Section
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save
from theact_tui.story.agent_views import narrator_view
from theact_tui.story.character_view import viewpoint_of
from theact_tui.story.game import Game
from theact_tui.story.perception import Perception
from theact_tui.story.turn import FULLY_HEARD, Turn

_REPLY_TOKENS = 600
"""If not recorded."""
_USABLE = ("ok", "repaired", "cut")


@dataclass(frozen=True, slots=True)
class Replay:
    call: Call
    messages: tuple[Message, ...]
    model: str
    answers: tuple[str, ...]


def replay(
    save: Save[Any], turn: int, key: str, settings: Settings, *, profile: str, prompts: str, times: int
) -> Replay:
    """Ask the call `key` (`narrator`, `memory:maya`) of a turn again. `prompts` is a folder of templates. The
    offline storyteller and `prompts` need a rebuilt prompt: narrator and characters only. Raises UsageError and
    CallError.
    """
    store = save.of(GAMES)
    call = recorded_call(store, turn, key)
    return asyncio.run(_replay(store, call, settings, profile, prompts, times))


def recorded_call(save: Save[Game], turn: int, key: str) -> Call:
    """Return a call of the current take. Raises UsageError."""
    turns = save.turns(turn, turn)
    take = calls_of_take(Ledger(save.private).turn(turn), turns[0]) if turns else []
    others = [it.name for it in save.branches() if not it.current]
    shared = [name for name in others if save.turns(turn, turn, name) == turns]
    calls = [
        call for call in take if call.key == key and (call.branch not in others or call.branch in shared)
    ]
    used = [call for call in calls if call.outcome in _USABLE] or calls
    if not used or not used[-1].messages:
        raise UsageError(
            f"No call {key} is recorded for turn {turn}. `theact-tui calls` lists what is; a story that was imported or "
            "cloned has no calls of its earlier turns."
        )
    return used[-1]


def request_again(call: Call, prompt: Prompt, model: Model, view: Any = None) -> Request:
    """Ask as `call` was asked; another model uses its own sampling."""
    form = call.sent.get("response_format") or {}
    return Request(
        agent=call.agent,
        key=call.key,
        prompt=prompt,
        max_tokens=allowance(call.sent) or _REPLY_TOKENS,
        temperature=float(call.sent.get("temperature", 1.0)),
        view=view,
        schema=form.get("schema") or form.get("json_schema", {}).get("schema"),
        again=call.sent if model.name == call.model else {},
    )


async def _replay(
    store: Save[Game], call: Call, settings: Settings, profile: str, prompts: str, times: int
) -> Replay:
    game, turns = store.state_at(call.turn - 1), store.turns(call.turn, call.turn)
    templates = {**game.pack.prompts, **(read_prompts(prompts, TEMPLATES) if prompts else {})}
    models = models_of(profile, settings)(game.pack, game.info.seed)
    try:
        await models.probe()
        model = models.for_agent(call.key)
        again = _prepared(game, turns, call, models, templates)
        if prompts and again is None:
            raise UsageError("Prompts can be rebuilt for the narrator and for characters only.")
        sent = (Section(m["role"], m["content"], part=m["role"]) for m in call.messages)
        prompt = again.prompt if prompts and again else Prompt(tuple(sent), call.tokens, call.limit)
        view = again.view if again else None
        request = request_again(call, prompt, model, view)
        answers = [await whole_reply(model, request) for _ in range(times)]
        return Replay(call, tuple(prompt.messages()), model.name, tuple(answers))
    finally:
        await models.close()


def _prepared(
    game: Game, turns: Sequence[Turn], call: Call, models: Models, templates: dict[str, str]
) -> PreparedCall[Any] | None:
    """Rebuild the call; None for agents other than narrator and characters."""
    runner = AgentRunner(models, Bus(), templates=templates)
    if not turns or call.agent not in ("narrator", "character"):
        return None
    turn = turns[0]
    if call.agent == "narrator":
        speak = lets_people_speak(runner.model(NARRATOR.name))
        page = narrator_view(game, turn.kind, turn.player_text, turn.ruling, 1, people_speak=speak)
        return runner.prepare(NARRATOR, page)
    before = [entry for entry in turn.ordered_entries if entry.role in ("player", "narrator")]
    for entry in turn.ordered_entries:
        if entry.character == call.character:
            break
        before += [entry] if entry.role == "character" else []
    heard = {**dict.fromkeys(turn.witnesses, FULLY_HEARD), **turn.heard}
    perception = Perception(turn.presence, turn.cuts, heard)
    view = viewpoint_of(game, call.character, before, turn.witnesses, perception=perception)
    view = replace(view, is_brief=not lets_people_speak(runner.model(call.key)))
    return runner.prepare(CHARACTER, view, call.key)
