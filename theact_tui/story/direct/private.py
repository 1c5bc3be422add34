"""What of a directed chapter is not for all: thoughts in (parentheses), and words to one alone, `→ Name: ...`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from theact_tui.story.direct.log import Exchange
from theact_tui.story.direct.models import LogEvent
from theact_tui.story.names import Names
from theact_tui.story.speech import paragraphs, spoken, unsaid
from theact_tui.story.stage import whispered


def known_to(
    slot: int | None, exchanges: Iterable[Exchange], cast: Mapping[int, str]
) -> tuple[Exchange, ...]:
    """The exchanges as the actor in `slot` knows them, or, with None, what all may know of them. `cast`: names by slot.

    A thought is known to whoever has it and to the game master; so is what is said to one alone, and to that one. Who is
    asked knows all of what they are asked. Of an answer to what was asked in private only what is done is seen.
    """
    people = Names({str(each): name for each, name in cast.items()})
    found = (_known(slot, exchange, people) for exchange in exchanges)
    return tuple(exchange for exchange in found if exchange.events)


def _known(slot: int | None, exchange: Exchange, people: Names) -> Exchange:
    if slot is not None and any(reply.agent_slot == slot for reply in exchange.replies):
        return exchange
    prompt = _heard(slot, exchange.prompt, people) if exchange.prompt else None
    is_private = exchange.prompt is not None and prompt is None
    replies = [_heard(slot, reply, people) for reply in exchange.replies]
    if is_private:
        replies = [_with_text(reply, unsaid(reply.text)) for reply in replies if reply]
    return replace(exchange, prompt=prompt, replies=tuple(filter(None, replies)))


def _heard(slot: int | None, event: LogEvent, people: Names) -> LogEvent | None:
    """What somebody hears of an event; None: nothing. An arrow holds up to the next one."""
    heard: list[str] = []
    hears = True
    for paragraph in paragraphs(spoken(event.text)):
        if to := whispered(paragraph.text, people):
            hears = to.hearers is None or str(slot) in to.hearers
        if hears:
            heard.append(paragraph.text)
    return _with_text(event, "\n\n".join(heard))


def _with_text(event: LogEvent, text: str) -> LogEvent | None:
    return event.model_copy(update={"text": text}) if text else None
