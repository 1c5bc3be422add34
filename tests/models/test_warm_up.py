"""A prompt sent ahead: one token, one attempt, and only where that was not seen to be of no use."""

from typing import Any

import pytest

from tests.models.conftest import Workshop, ask, collect
from tests.support.fake_server import chunk, event, say, status, stream
from theact_tui.errors import CallError
from theact_tui.models.endpoint import Endpoint
from theact_tui.models.model import Piece


async def warm(endpoint: Endpoint) -> list[Piece]:
    return [piece async for piece in endpoint.warm_up(ask("All that is known.").prompt)]


async def test_it_asks_for_one_token_with_the_settings_that_shape_a_prompt(workshop: Workshop) -> None:
    endpoint = workshop.endpoint(
        reasoning_tokens=300, extra_body={"chat_template_kwargs": {"enable_thinking": False}}
    )
    workshop.server.script("warm-up", say("The"))
    await warm(endpoint)
    (sent,) = workshop.server.calls
    assert sent.agent == "warm-up" and sent.body["max_tokens"] == 1
    assert sent.body["messages"][-1]["content"] == "All that is known."
    assert sent.body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "response_format" not in sent.body


async def test_the_user_is_told_of_it_once(workshop: Workshop) -> None:
    workshop.server.script("*", say("The"))
    assert [piece.notice for piece in await warm(workshop.endpoint()) if piece.notice]
    await collect(workshop.endpoint())
    again = workshop.endpoint()
    assert not [piece.notice for piece in await warm(again) if piece.notice] and again.warms


@pytest.mark.parametrize("code", [400, 429, 500, 503])
async def test_it_is_not_tried_again(workshop: Workshop, code: int) -> None:
    workshop.server.script("warm-up", status(code, {"error": {"message": "no"}}))
    with pytest.raises(CallError):
        await warm(workshop.endpoint())
    assert len(workshop.server.calls) == 1 and not workshop.pauses


async def test_an_answer_of_no_text_is_none_the_worse(workshop: Workshop) -> None:
    workshop.server.script("warm-up", stream(chunk(" "), chunk("", finish="length")))
    assert (await warm(workshop.endpoint()))[-1].finish == "length"


@pytest.mark.parametrize(
    ("fields", "warms"),
    [
        ({}, True),
        ({"base_url": "https://models.example.com/v1"}, False),
        ({"base_url": "https://models.example.com/v1", "warm_up": "on"}, True),
        ({"warm_up": "off"}, False),
        ({"per_minute": 3}, False),
        ({"per_minute": 3, "warm_up": "on"}, False),
    ],
)
def test_who_gets_prompts_ahead(workshop: Workshop, fields: dict[str, Any], warms: bool) -> None:
    assert workshop.endpoint(url=fields.pop("base_url", ""), **fields).warms is warms


async def test_that_it_does_not_help_is_remembered(workshop: Workshop) -> None:
    workshop.server.script("*", say("The lamp goes out."))
    workshop.endpoint().stop_warming()
    await collect(endpoint := workshop.endpoint())
    assert not endpoint.warms and not workshop.endpoint().warms
    assert workshop.endpoint(warm_up="on").warms


async def test_what_llama_cpp_measured_counts(workshop: Workshop) -> None:
    choice = {"index": 0, "delta": {}, "finish_reason": "stop"}
    last = event({"choices": [choice], "timings": {"prompt_n": 12, "cache_n": 700}})
    workshop.server.script("narrator", stream(chunk("The lamp goes out."), last))
    assert (await collect(workshop.endpoint())).last.usage.cached == 700
