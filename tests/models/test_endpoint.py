"""A model behind a server (S8): what is sent, what comes back, and what is learned. Over real HTTP."""

import asyncio
import json
import tracemalloc
import zlib
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest

from tests.models.conftest import SCHEMA, Workshop, ask, collect
from tests.support.fake_server import (
    Exchange,
    ScriptedServer,
    Step,
    chunk,
    event,
    forever,
    say,
    status,
    stream,
)
from theact_tui.errors import CallError
from theact_tui.models.concurrency_and_rate import ConcurrencyLimit
from theact_tui.models.discovery import Seen, see
from theact_tui.models.endpoint import Endpoint
from theact_tui.models.failures import Overflow
from theact_tui.models.profiles import Profile, Target
from theact_tui.models.server_capabilities import without_system
from theact_tui.prompting.sections import Message


async def test_a_reply_streams_with_its_finish_and_usage(workshop: Workshop) -> None:
    workshop.server.script("narrator", say("The lamp goes out, one breath at a time."))
    reply = await collect(workshop.endpoint())
    assert reply.text == "The lamp goes out, one breath at a time."
    assert reply.pieces > 3
    assert reply.last.finish == "stop"
    assert reply.last.usage.prompt and reply.last.usage.completion


async def test_what_is_sent(workshop: Workshop) -> None:
    endpoint = workshop.endpoint(key="k1", reasoning_tokens=300)
    await collect(
        endpoint, ask("Look around.", "memory", key="memory:maya", temperature=0.2, correction="Only YAML.")
    )
    sent = workshop.server.calls[0]
    assert sent.agent == "memory:maya"
    assert sent.headers["authorization"] == "Bearer k1"
    assert sent.body["messages"] == [
        {"role": "system", "content": "You are the narrator."},
        {"role": "user", "content": "Look around.\n\nOnly YAML."},
    ]
    assert (sent.body["model"], sent.body["max_tokens"], sent.body["temperature"]) == ("tiny", 500, 0.2)
    assert sent.body["stream"] is True and sent.body["stream_options"] == {"include_usage": True}
    assert "response_format" not in sent.body


@pytest.mark.parametrize("sign", ["\u201c", "\u00a0", "é", "\n", "\x07"])
@pytest.mark.parametrize("model", ["tiny", ""])
async def test_a_key_that_no_header_can_hold_is_a_sentence_and_never_repeated(
    workshop: Workshop, sign: str, model: str
) -> None:
    with pytest.raises(CallError, match="contains a character that no key has") as found:
        await collect(workshop.endpoint(key=f"sk-secret{sign}0123456789", model=model))
    assert found.value.kind == "key" and "secret" not in repr(found.value)
    assert not workshop.server.requests


async def test_a_reply_that_repeats_the_key_does_not_keep_it(workshop: Workshop) -> None:
    workshop.server.script(
        "*",
        stream(
            chunk(reasoning="sk-hush-123 is"), chunk("It is sk-hu"), chunk("sh-123."), chunk(None, "stop")
        ),
    )
    reply = await collect(workshop.endpoint(key="sk-hush-123"))
    assert (reply.text, reply.reasoning) == ("It is [key].", "[key] is")


async def test_a_short_word_instead_of_a_key_stays_in_the_story(workshop: Workshop) -> None:
    workshop.server.script("*", say("None of the lamps is lit; none at all."))
    assert (await collect(workshop.endpoint(key="none"))).text == "None of the lamps is lit; none at all."


@cache
def packed_refusal() -> bytes:
    packer = zlib.compressobj(wbits=31)
    return packer.compress(b"no " * 20_000_000) + packer.flush(zlib.Z_FULL_FLUSH)


@pytest.mark.parametrize(("code", "packed"), [(302, False), (400, True), (429, False), (500, True)])
async def test_an_error_without_end_is_read_only_at_its_beginning(
    workshop: Workshop, code: int, packed: bool
) -> None:
    part = packed_refusal() if packed else b"no "
    headers = {"Content-Encoding": "gzip"} if packed else None
    workshop.server.script("*", status(400, "no"))
    with pytest.raises(CallError):  # what is imported for a first call is not counted
        await collect(workshop.endpoint())
    workshop.server.script("*", forever(part, code=code, headers=headers))
    tracemalloc.start()
    try:
        with pytest.raises(CallError):
            await collect(workshop.endpoint())
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


async def test_the_users_temperature_is_for_the_tellers_and_for_first_attempts(workshop: Workshop) -> None:
    endpoint = workshop.endpoint(temperature=0.7)
    for request in (ask(), ask(agent="memory", temperature=0.2), ask(attempt=2, temperature=0.1)):
        await collect(endpoint, request)
    assert [call.body["temperature"] for call in workshop.server.calls] == [0.7, 0.2, 0.1]


async def test_halves_of_characters_can_be_sent(workshop: Workshop) -> None:
    await collect(workshop.endpoint(), ask("broken \ud83d text"))
    assert workshop.server.calls[0].prompt.endswith("broken ? text")


async def test_usage_after_the_finish_and_without_choices_is_read(workshop: Workshop) -> None:
    usage = {
        "prompt_tokens": 40,
        "completion_tokens": 9,
        "prompt_tokens_details": {"cached_tokens": 32},
        "completion_tokens_details": {"reasoning_tokens": 4},
    }
    body = chunk("Yes."), chunk(None, "stop"), event({"choices": [], "usage": usage}), b"data: [DONE]\n\n"
    workshop.server.script("*", stream(*body))
    read = (await collect(workshop.endpoint())).last.usage
    assert (read.prompt, read.cached, read.completion, read.reasoning) == (40, 32, 9, 4)


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_is_kept_apart(workshop: Workshop, field: str) -> None:
    workshop.server.script(
        "*",
        stream(
            event({"choices": [{"delta": {field: "Hm, the lamp."}}]}),
            chunk("It goes "),
            chunk("out."),
            chunk(None, "stop"),
        ),
    )
    reply = await collect(workshop.endpoint())
    assert (reply.text, reply.reasoning) == ("It goes out.", "Hm, the lamp.")


async def test_closing_the_stream_stops_the_server(workshop: Workshop) -> None:
    workshop.server.script("narrator", stream(chunk("Once "), then="hang"))
    async with aclosing(workshop.endpoint().stream(ask())) as pieces:
        assert (await anext(pieces)).text == "Once "
        assert not workshop.server.calls[0].gone.is_set()
    assert await asyncio.to_thread(workshop.server.calls[0].gone.wait, 10)


async def test_cancelling_the_task_stops_the_server_and_frees_its_slot(workshop: Workshop) -> None:
    workshop.server.script("narrator", stream(chunk("Once "), then="hang"), say("Again."))
    endpoint = workshop.endpoint()
    task = asyncio.create_task(collect(endpoint))
    await asyncio.to_thread(workshop.server.wait_for_requests, 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(workshop.server.calls[0].gone.wait, 10)
    assert (await collect(endpoint)).text == "Again."


async def test_endpoints_of_one_server_share_its_slots(workshop: Workshop) -> None:
    workshop.server.script("narrator", stream(chunk("Once "), then="hang"))
    workshop.server.script("memory", say("Noted."))
    target = Target(Profile(base_url=workshop.server.url, model="tiny"))
    gate = ConcurrencyLimit(1)
    first, second = Endpoint(target, gate=gate), Endpoint(target, gate=gate)
    async with aclosing(first.stream(ask())) as pieces:
        await anext(pieces)
        waiting = asyncio.create_task(collect(second, ask(agent="memory")))
        await second.prepare()
        assert gate.busy and await second.probe() is None
        assert len(workshop.server.requests) == 1
    assert (await waiting).text == "Noted."


# --- the window -------------------------------------------------------------------------------------------------


async def test_prompt_and_reply_stay_within_the_window(workshop: Workshop) -> None:
    endpoint = workshop.endpoint(context_limit=1024)
    request = ask("word " * 650, max_tokens=600)
    await collect(endpoint, request)
    used = endpoint.tokens.count_messages(request.prompt.messages())
    assert used + workshop.server.calls[0].body["max_tokens"] <= 1024


async def test_a_prompt_that_leaves_no_room_is_not_sent(workshop: Workshop) -> None:
    with pytest.raises(Overflow) as caught:
        await collect(workshop.endpoint(context_limit=1024), ask("word " * 2000))
    assert caught.value.kind == "overflow" and caught.value.window == 1024
    assert workshop.server.requests == []


@pytest.mark.parametrize(
    ("code", "error", "window"),
    [
        (400, {"message": "the request exceeds the available context size", "type": "exceed_context_size_error",
               "code": 400, "n_prompt_tokens": 5000, "n_ctx": 2048}, 2048),
        (400, {"message": "This model's maximum context length is 4096 tokens. However, you requested 5200 tokens "
               "(4600 in the messages, 600 in the completion).", "code": "context_length_exceeded"}, 4096),
        (400, "Trying to keep the first 5100 tokens when context the overflows. However, the model is loaded with "
              "context length of only 4096 tokens, which is not enough.", 4096),
        (500, {"message": "Requested tokens (5000) exceed context window of 2048"}, 2048),
        (413, {"message": "prompt is too long: 9000 tokens > 8000 maximum"}, 8000),
    ],
)  # fmt: skip
async def test_an_overflow_teaches_the_window(
    workshop: Workshop, code: int, error: object, window: int
) -> None:
    workshop.server.script("*", status(code, {"error": error}))
    endpoint = workshop.endpoint(context_limit=16384)
    with pytest.raises(Overflow) as caught:
        await collect(endpoint, ask("word " * 2000))
    assert caught.value.window == endpoint.window == window
    assert len(workshop.server.calls) == 1
    assert workshop.endpoint(context_limit=16384).window == window


@pytest.mark.parametrize(
    "parts",
    [
        [
            event(
                {"error": {"message": "exceeds context", "type": "exceed_context_size_error", "n_ctx": 2048}}
            )
        ],
        [chunk("Half a page"), b'error: {"code":500,"message":"Context size has been exceeded."}\n\n'],
    ],
    ids=["event", "field"],
)
async def test_an_overflow_in_a_stream_counts_too(workshop: Workshop, parts: list[bytes]) -> None:
    workshop.server.script("*", stream(*parts))
    with pytest.raises(Overflow):
        await collect(workshop.endpoint())


async def test_nothing_at_all_for_a_long_prompt_is_an_overflow(workshop: Workshop) -> None:
    workshop.server.script("*", stream())
    endpoint = workshop.endpoint()
    with pytest.raises(Overflow):
        await collect(endpoint, ask("word " * 4000))
    assert endpoint.window < 8192


def counted(tokens: int) -> Step:
    """A reply to a prompt of so many tokens."""
    usage = {"prompt_tokens": tokens, "completion_tokens": 5}
    return stream(chunk("Hm."), chunk(None, "stop"), event({"choices": [], "usage": usage}))


@pytest.mark.parametrize(("told", "window"), [(0, 4100), (8192, 8192)])
async def test_a_server_that_cuts_silently_is_found_out_unless_it_told_its_window(
    workshop: Workshop, told: int, window: int
) -> None:
    workshop.server.script("*", counted(2050))
    endpoint = workshop.endpoint()
    if told:
        endpoint.context.learn_window(Seen(reached=True, kind="llama.cpp", window=told))
    reply = await collect(endpoint, ask("word " * 4500))
    assert endpoint.window == window
    assert ("4,100" in str(reply.notices)) == ("4,100" in endpoint.warning) == (not told)
    assert bool(reply.notices) == bool(endpoint.warning) == (not told)


async def test_an_ollama_not_asked_yet_counts_as_4096(workshop: Workshop) -> None:
    endpoint = workshop.endpoint(url="http://127.0.0.1:11434/v1")
    assert endpoint.window == 4096
    assert "OLLAMA_CONTEXT_LENGTH=8192" in endpoint.warning


async def test_counting_follows_what_the_server_reports(workshop: Workshop) -> None:
    endpoint = workshop.endpoint()
    request = ask("A quiet night on the water. " * 40)
    before = endpoint.tokens.count_messages(request.prompt.messages())
    workshop.server.script("*", counted(before * 2))
    await collect(endpoint, request)
    again = workshop.endpoint()
    assert again.tokens.count_messages(request.prompt.messages()) == pytest.approx(before * 2, rel=0.02)


# --- what the server takes --------------------------------------------------------------------------------------


def refuse(*names: str) -> Step:
    """A server that refuses requests with a field, or with a kind of response_format."""

    async def step(exchange: Exchange) -> None:
        body = exchange.request.body
        shape = body.get("response_format", {})
        for name in names:
            if name in body or shape.get("type") == name or name in shape.keys() & {"schema"}:
                words = f"{'response_format' if shape else name}: {name} is not supported"
                await status(400, {"error": {"message": words}})(exchange)
                return
        await say('{"mood": "calm"}')(exchange)

    return step


def forms(server: ScriptedServer) -> list[str]:
    shapes = [call.body.get("response_format", {"type": "off"}) for call in server.calls]
    return ["object_schema" if "schema" in shape else shape["type"] for shape in shapes]


@pytest.mark.parametrize(
    ("refused", "tried"),
    [
        ([], ["json_schema"]),
        (["json_schema"], ["json_schema", "object_schema"]),
        (["json_schema", "schema"], ["json_schema", "object_schema", "json_object"]),
        (["json_schema", "json_object"], ["json_schema", "object_schema", "json_object", "off"]),
    ],
)
async def test_the_strictest_form_that_is_taken_is_found_and_remembered(
    workshop: Workshop, refused: list[str], tried: list[str]
) -> None:
    workshop.server.script("*", refuse(*refused))
    reply = await collect(workshop.endpoint(), ask(schema=SCHEMA))
    assert json.loads(reply.text) == {"mood": "calm"} and reply.restarts == []
    assert forms(workshop.server) == tried
    await collect(workshop.endpoint(), ask(schema=SCHEMA))
    assert forms(workshop.server) == [*tried, tried[-1]]


BOUNDED = {
    "type": "object",
    "properties": {"ids": {"type": "array", "items": {"type": "string"}, "maxItems": 2, "uniqueItems": True}},
}


@pytest.mark.parametrize(
    "words", ["'uniqueItems' is not permitted", "schema keyword uniqueItems is not supported"]
)
async def test_a_keyword_that_is_refused_is_left_out_once_and_for_all(workshop: Workshop, words: str) -> None:
    refusal = {
        "error": {"message": f"Invalid schema for response_format: In context=('properties',), {words}"}
    }
    workshop.server.script("*", status(400, refusal), say("{}"), say("{}"))
    await collect(workshop.endpoint(), ask(schema=BOUNDED))
    await collect(workshop.endpoint(), ask(schema=BOUNDED))
    sent = [call.body["response_format"]["json_schema"]["schema"] for call in workshop.server.calls]
    assert sent[0] == BOUNDED
    assert [one["properties"]["ids"] for one in sent[1:]] == 2 * [
        {"type": "array", "items": {"type": "string"}, "maxItems": 2}
    ]


async def test_a_profile_may_ask_for_less(workshop: Workshop) -> None:
    await collect(workshop.endpoint(structured="json_object"), ask(schema=SCHEMA))
    await collect(workshop.endpoint(structured="off"), ask(schema=SCHEMA))
    assert forms(workshop.server) == ["json_object", "off"]


async def test_a_schema_refused_by_a_500_is_dropped_without_a_retry(workshop: Workshop) -> None:
    refusal = {
        "error": {"message": "response_format.type: Input should be 'text' or 'json_object'", "code": None}
    }
    workshop.server.script("*", status(500, refusal), say("{}"))
    reply = await collect(workshop.endpoint(), ask(schema=SCHEMA))
    assert reply.text == "{}" and workshop.pauses == []


@pytest.mark.parametrize("field", ["stream_options", "temperature"])
async def test_a_field_that_is_refused_by_its_name_is_left_out_for_good(
    workshop: Workshop, field: str
) -> None:
    workshop.server.script("*", refuse(field))
    endpoint = workshop.endpoint()
    await collect(endpoint)
    await collect(endpoint)
    later = workshop.endpoint()
    later.knowledge.now = lambda: datetime.now(UTC) + timedelta(days=30)
    await collect(later)
    assert [field in call.body for call in workshop.server.calls] == [True, False, False, False]


async def test_the_newer_name_of_the_limit_is_used_where_asked_for(workshop: Workshop) -> None:
    words = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    workshop.server.script(
        "*", status(400, {"error": {"message": words, "param": "max_tokens"}}), say("Yes.")
    )
    await collect(workshop.endpoint())
    assert workshop.server.calls[1].body["max_completion_tokens"] == 200
    assert "max_tokens" not in workshop.server.calls[1].body


SYSTEM_REFUSALS = [
    "System role not supported",
    "Only user and assistant roles are supported!",
    "Conversation roles must alternate user/assistant/user/assistant/...",
    "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
]


@pytest.mark.parametrize("words", SYSTEM_REFUSALS)
@pytest.mark.parametrize("code", [400, 500])
async def test_a_server_that_takes_no_system_message_gets_its_text_from_the_user(
    workshop: Workshop, words: str, code: int
) -> None:
    async def refuse_system(exchange: Exchange) -> None:
        roles = [message["role"] for message in exchange.request.body["messages"]]
        await (status(code, {"error": {"message": words}}) if "system" in roles else say("Yes."))(exchange)

    workshop.server.script("*", refuse_system)
    reply = await collect(workshop.endpoint(), ask("Go on."))
    assert reply.text == "Yes." and reply.restarts == [] and workshop.pauses == []
    await collect(workshop.endpoint(), ask("Look."))
    messages = [call.body["messages"] for call in workshop.server.calls]
    assert [[message["role"] for message in one] for one in messages] == [
        ["system", "user"],
        ["user"],
        ["user"],
    ]
    assert messages[2] == [{"role": "user", "content": "You are the narrator.\n\nLook."}]


def test_the_system_text_stands_before_the_first_user_message() -> None:
    system, user = Message(role="system", content="Rules."), Message(role="user", content="Go.")
    said = Message(role="assistant", content="Done.")
    assert without_system([system, user, said, user]) == [
        {"role": "user", "content": "Rules.\n\nGo."}, said, user
    ]  # fmt: skip
    assert without_system([user, said]) == [user, said]
    assert without_system([system]) == [{"role": "user", "content": "Rules."}]


async def test_a_server_that_streams_to_verified_accounts_only_answers_whole(workshop: Workshop) -> None:
    words = "Your organization must be verified to stream this model."
    whole = {"choices": [{"message": {"content": "All at once."}, "finish_reason": "stop"}]}

    async def refuse_streams(exchange: Exchange) -> None:
        refusal = status(400, {"error": {"message": words, "param": "stream", "code": "unsupported_value"}})
        await (refusal if exchange.request.body["stream"] else status(200, whole))(exchange)

    workshop.server.script("*", refuse_streams)
    assert (await collect(workshop.endpoint())).text == "All at once."
    assert (await collect(workshop.endpoint())).text == "All at once."
    assert [call.body["stream"] for call in workshop.server.calls] == [True, False, False]
    assert "stream_options" not in workshop.server.calls[-1].body


async def test_headers_that_the_environment_has_for_openai_go_to_no_other_server(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: SECRETTEAM\nAUTHORIZATION: Bearer other")
    await collect(workshop.endpoint(key="k1"))
    sent = workshop.server.calls[0]
    assert "SECRETTEAM" not in str(sent.headers) and "x-team" not in sent.headers
    assert sent.headers["authorization"] == "Bearer k1" and sent.agent == "narrator"


async def test_a_400_without_a_reason_that_is_over_teaches_nothing(workshop: Workshop) -> None:
    workshop.server.script("*", status(400, {"error": "Model is unloaded."}), say('{"mood": "calm"}'))
    endpoint = workshop.endpoint()
    reply = await collect(endpoint, ask(schema=SCHEMA))
    assert json.loads(reply.text) == {"mood": "calm"} and len(workshop.server.calls) == 2
    assert endpoint.knowledge.abilities.refusals == workshop.endpoint().knowledge.abilities.refusals == ()


async def test_a_400_that_stays_without_any_optional_part_is_no_ones_fault(workshop: Workshop) -> None:
    workshop.server.script("*", status(400, {"error": {"message": "bad request"}}))
    endpoint = workshop.endpoint()
    with pytest.raises(CallError, match="bad request"):
        await collect(endpoint, ask(schema=SCHEMA))
    parts = [({"response_format", "stream_options"} & {*call.body}) for call in workshop.server.calls]
    both = {"response_format", "stream_options"}
    assert parts == [both, both, {"stream_options"}, {"response_format"}, set()]
    assert endpoint.knowledge.abilities.refusals == ()


def refuse_silently(*names: str) -> Step:
    async def step(exchange: Exchange) -> None:
        is_refused = {*names} & {*exchange.request.body}
        await (status(400, {"error": "Bad Request"}) if is_refused else say('{"mood": "calm"}'))(exchange)

    return step


@pytest.mark.parametrize("names", [["response_format"], ["stream_options"], ["chat_template_kwargs"]])
async def test_what_is_refused_without_a_word_is_found_by_trial_and_asked_anew_after_a_day(
    workshop: Workshop, names: list[str]
) -> None:
    workshop.server.script("*", refuse_silently(*names))
    endpoint = workshop.endpoint(server="llama.cpp")
    await collect(endpoint, ask(schema=SCHEMA))
    assert [name.partition(" ")[0] for name in endpoint.knowledge.abilities.refusals] == names
    tried = len(workshop.server.calls)
    await collect(workshop.endpoint(server="llama.cpp"), ask(schema=SCHEMA))
    assert len(workshop.server.calls) == tried + 1, "it is remembered"

    workshop.server.script("*", say('{"mood": "calm"}'))
    later = workshop.endpoint(server="llama.cpp")
    later.knowledge.now = lambda: datetime.now(UTC) + timedelta(hours=25)
    await collect(later, ask(schema=SCHEMA))
    assert names[0] in workshop.server.calls[-1].body
    assert workshop.endpoint().knowledge.abilities.refusals == ()


async def test_another_server_at_the_address_is_asked_for_everything(workshop: Workshop) -> None:
    state = workshop.endpoint().knowledge
    state.keep(replace(state.abilities, kind="llama.cpp", form="off", refused="top_k"))
    workshop.endpoint().context.learn_window(Seen(reached=True, kind="vllm"))
    assert workshop.endpoint().knowledge.abilities.refusals == ()


async def test_a_base_url_without_v1_is_completed(workshop: Workshop) -> None:
    workshop.server.on("/chat/completions", status(404, {"error": "not found"}))
    workshop.server.script("*", say("Yes."))
    assert (await collect(workshop.endpoint(url=workshop.server.root))).text == "Yes."
    assert (await collect(workshop.endpoint(url=workshop.server.root))).text == "Yes."
    assert [call.path for call in workshop.server.calls] == [
        "/chat/completions", "/v1/chat/completions", "/v1/chat/completions"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        (["big", "small"], "big"),
        (["text-embedding-nomic-embed-text-v1.5", "qwen3-8b"], "qwen3-8b"),
        (["bge-reranker-v2", "whisper-1", "tts-1", "omni-moderation-latest", "m"], "m"),
        (["nomic-embed-text"], "nomic-embed-text"),
        ([], "default"),
    ],
)
async def test_a_profile_without_a_model_takes_the_servers_first_that_answers_chats(
    workshop: Workshop, names: list[str], taken: str
) -> None:
    entries = [{"id": name, "context_length": 512 if "embed" in name else 4096} for name in names]
    workshop.server.on("/v1/models", status(200, {"data": entries}))
    endpoint = workshop.endpoint(model="")
    await collect(endpoint)
    assert endpoint.name == workshop.server.calls[0].body["model"] == taken
    if taken == "qwen3-8b":
        assert (await see(workshop.server.url, "")).window == 4096


async def test_more_room_is_given_to_a_model_that_only_thought(workshop: Workshop) -> None:
    workshop.server.script("*", stream(chunk(reasoning="Hm"), chunk(None, "length")), say("Yes."))
    endpoint = workshop.endpoint()
    reply = await collect(endpoint)
    assert reply.text == "Yes." and len(reply.restarts) == 1
    allowed = [call.body["max_tokens"] for call in workshop.server.calls]
    assert allowed == [200, 1200]
    assert endpoint.window == 8192 - 1000


async def test_a_model_that_only_thinks_is_given_up(workshop: Workshop) -> None:
    workshop.server.script("*", stream(chunk(reasoning="Hm"), chunk(None, "length")))
    with pytest.raises(CallError, match="reasoning tokens") as caught:
        await collect(workshop.endpoint())
    assert caught.value.kind == "thought" and len(workshop.server.calls) == 2


@pytest.mark.parametrize(
    ("asked", "answered", "is_told"),
    [
        ("qwen3-4b", "llama-3.1-8b-instruct", True),
        ("gpt-4o", "gpt-4o-2024-08-06", False),
        ("Qwen/Qwen3-4B", "/models/qwen3-4b-q4_k_m.gguf", False),
        ("gemma3", "gemma3:latest", False),
        ("default", "llama-3.1-8b-instruct", False),
    ],
)
async def test_a_server_that_answers_as_another_model_is_told_once(
    asked: str, answered: str, is_told: bool, workshop: Workshop
) -> None:
    workshop.server.script("*", stream(chunk("Yes.", model=answered), chunk(finish="stop", model=answered)))
    first = workshop.endpoint(model=asked)
    told = [reply.notices for reply in (await collect(first), await collect(first))]
    await first.close()
    said = f"{first.provider} answers as {answered}, but {asked} was asked for."
    assert told == [[said] if is_told else [], []]
