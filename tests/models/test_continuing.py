"""Going on from the assistant's last message: the probe, how it is asked for, and what is taken off the reply."""

import pytest

from tests.models.conftest import Workshop, ask, collect
from tests.support.fake_server import Request as Sent
from tests.support.fake_server import Step, say, status
from theact_tui.errors import CallError
from theact_tui.models.endpoint import ask_refused_again
from theact_tui.models.model import Request
from theact_tui.models.server_capabilities import ServerState
from theact_tui.prompting.sections import SO_FAR, Prompt, Section

BEGUN = "The lamp gutters. Water"
BOTH = {"continue_final_message": True, "add_generation_prompt": False}


def rest_of(begun: str = BEGUN) -> Request:
    sections = (Section("task", "Write the page."), Section(SO_FAR, begun, part="assistant"))
    return ask(prompt=Prompt(sections, 0, 8192))


def last(request: Sent) -> str:
    return str(request.body["messages"][-1]["content"])


def flags(request: Sent) -> dict[str, bool]:
    names = (*BOTH, "continue_assistant_turn")
    return {name: request.body[name] for name in names if name in request.body}


def goes_on(repeats: bool = False) -> Step:
    """Answer as a server that goes on, and may repeat what it goes on from."""

    def reply(request: Sent) -> str:
        rest = "17." if request.agent == "probe" else " stands on the stair."
        return last(request) + rest if repeats else rest

    return say(reply)


@pytest.mark.parametrize("repeats", [False, True])
async def test_a_server_that_goes_on_is_known_for_good_and_its_repeat_is_taken_off(
    workshop: Workshop, repeats: bool
) -> None:
    workshop.server.script("*", goes_on(repeats))
    assert await workshop.endpoint().continues()
    assert await workshop.endpoint().continues()
    assert [request.agent for request in workshop.server.calls] == ["probe"]
    reply = await collect(workshop.endpoint(), rest_of())
    assert reply.text == " stands on the stair."
    sent = workshop.server.calls[-1]
    assert last(sent) == BEGUN and flags(sent) == BOTH


async def test_who_begins_anew_does_not_go_on_even_if_it_copies_the_sentence(workshop: Workshop) -> None:
    workshop.server.script("probe", say(lambda request: last(request)[:30]))
    assert not await workshop.endpoint().continues()
    workshop.server.script("probe", say("594817 is your number."))
    assert not await workshop.endpoint(model="other").continues()
    assert len(workshop.server.calls) == 4


async def test_a_server_that_refuses_the_fields_is_tried_without_and_nothing_else_is_learned(
    workshop: Workshop,
) -> None:
    refusal = status(400, {"error": {"message": "continue_final_message: unknown; temperature, stream too"}})
    workshop.server.script("probe", refusal, goes_on())
    endpoint = workshop.endpoint()
    before = endpoint.knowledge.abilities
    assert await endpoint.continues()
    assert [flags(request) for request in workshop.server.calls] == [BOTH, {}]
    learned = ServerState(workshop.server.url, "tiny", workshop.cache).abilities
    assert learned.continues == "unmarked"
    assert learned.refusals == before.refusals == ()
    workshop.server.script("narrator", goes_on())
    await collect(endpoint, rest_of())
    assert not flags(workshop.server.calls[-1])


async def test_a_server_that_refuses_both_is_asked_in_words(workshop: Workshop) -> None:
    workshop.server.script("probe", status(500, {"error": {"message": "roles must alternate"}}))
    assert not await workshop.endpoint().continues()


async def test_who_cannot_be_reached_is_not_judged(workshop: Workshop) -> None:
    workshop.server.script("probe", status(503, {"error": {"message": "Loading model"}}))
    endpoint = workshop.endpoint()
    with pytest.raises(CallError):
        await endpoint.continues()
    assert endpoint.knowledge.abilities.continues == ""


@pytest.mark.parametrize(
    ("kind", "fields"),
    [("koboldcpp", {"continue_assistant_turn": True}), ("vllm", BOTH), ("ollama", {}), ("openai", {})],
)
async def test_each_kind_of_server_is_asked_its_own_way_without_thoughts(
    workshop: Workshop, kind: str, fields: dict[str, bool]
) -> None:
    workshop.server.script("*", goes_on())
    endpoint = workshop.endpoint(server=kind, thinking="model", reasoning_tokens=400)
    assert await endpoint.continues()
    await collect(endpoint, rest_of())
    assert [flags(request) for request in workshop.server.calls] == [fields, fields]
    off: dict[str, dict[str, object]] = {
        "vllm": {"chat_template_kwargs": {"enable_thinking": False}},
        "ollama": {"reasoning_effort": "none"},
    }
    body = workshop.server.calls[-1].body
    assert off.get(kind, {}).items() <= body.items()


async def test_a_later_refusal_of_the_fields_ends_in_a_sentence(workshop: Workshop) -> None:
    workshop.server.script("*", goes_on())
    endpoint = workshop.endpoint()
    await endpoint.continues()
    workshop.server.script("narrator", status(400, {"error": {"message": "continue_final_message: no"}}))
    with pytest.raises(CallError):
        await collect(endpoint, rest_of())
    assert len(workshop.server.calls) < 8
    assert not endpoint.knowledge.abilities.refused


async def test_nothing_added_is_an_answer_and_a_prompt_without_a_begun_text_needs_one(
    workshop: Workshop,
) -> None:
    workshop.server.script("narrator", say(""))
    reply = await collect(workshop.endpoint(), rest_of())
    assert (reply.text, reply.last.finish) == ("", "stop")
    workshop.server.script("narrator", say(BEGUN))
    assert (await collect(workshop.endpoint(), rest_of())).text == ""
    with pytest.raises(CallError):
        workshop.server.script("narrator", say(""))
        await collect(workshop.endpoint())


async def test_what_only_begins_like_the_text_so_far_stays(workshop: Workshop) -> None:
    workshop.server.script("narrator", say("The lamp is out.", size=3))
    assert (await collect(workshop.endpoint(), rest_of())).text == "The lamp is out."
    workshop.server.script("narrator", say("The lamp", size=3))
    assert (await collect(workshop.endpoint(), rest_of())).text == "The lamp"


async def test_the_doctor_asks_again(workshop: Workshop) -> None:
    workshop.server.script("probe", say("594817"))
    endpoint = workshop.endpoint()
    assert not await endpoint.continues()
    workshop.server.script("*", goes_on())
    workshop.server.script("probe", goes_on())
    assert not await endpoint.continues()
    await ask_refused_again(endpoint)
    assert await endpoint.continues()
