"""Looking at a server: its models, its window, and what to say about it (S6, S8.1)."""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.models.conftest import Workshop, ask, collect
from tests.support.fake_server import (
    Exchange,
    ScriptedServer,
    Step,
    chunk,
    drip,
    forever,
    say,
    silence,
    status,
    stream,
)
from theact_tui.errors import CallError
from theact_tui.models.discovery import list_models, name_hint, see
from theact_tui.models.endpoint import try_connection
from theact_tui.models.served_models import ServedModel, listed, unasked
from theact_tui.models.start_llama import servers_here
from theact_tui.paths import Home

LLAMA_SLOT: dict[str, Any] = {"default_generation_settings": {"n_ctx": 4096}}


def models(server: ScriptedServer, **entry: Any) -> None:
    server.on("/v1/models", status(200, {"data": [{"id": "other"}, {"id": "tiny", **entry}]}))


@pytest.mark.parametrize(
    ("entry", "pages", "kind", "window"),
    [
        ({}, {}, "", 0),
        ({"owned_by": "llamacpp", "meta": {"n_ctx": 8192}}, {"/props": LLAMA_SLOT}, "llama.cpp", 4096),
        ({"max_model_len": 32768}, {}, "vllm", 32768),
        ({"context_length": 131072}, {}, "", 131072),
        ({}, {"/api/ps": {"models": [{"name": "tiny:latest", "context_length": 4096}]}}, "ollama", 4096),
        (
            {},
            {"/api/ps": {"models": []}, "/api/show": {"parameters": "stop x\nnum_ctx    8192"}},
            "ollama",
            8192,
        ),
        ({}, {"/api/ps": {"models": []}, "/api/show": {"parameters": ""}}, "ollama", 0),
        ({}, {"/api/v0/models": {"data": [{"id": "tiny", "loaded_context_length": 6000}]}}, "lmstudio", 6000),
        ({}, {"/api/extra/true_max_context_length": {"value": 2048}}, "koboldcpp", 2048),
    ],
)
async def test_the_window_is_found_in_each_servers_language(
    server: ScriptedServer, entry: dict[str, Any], pages: dict[str, Any], kind: str, window: int
) -> None:
    models(server, **entry)
    for path, page in pages.items():
        server.on(path, status(200, page))
    seen = await see(server.url, "tiny")
    assert (seen.reached, seen.kind, seen.window, seen.models) == (True, kind, window, ("other", "tiny"))


@pytest.mark.posix("file modes")
async def test_a_list_is_found_below_a_bare_host(server: ScriptedServer) -> None:
    models(server)
    assert (await list_models(server.root)).names == ("other", "tiny")


@pytest.mark.posix("file modes")
@pytest.mark.parametrize(
    "page",
    [
        status(200, "<html>hello"),
        status(500, "oops"),
        status(200, {"data": "none"}),
        status(200, [1, {"id": 5}]),
        status(301, {}, {"Location": "http://127.0.0.1:1/"}),
        status(200, "[" * 100_000),
    ],
)
async def test_a_strange_list_is_an_empty_one(server: ScriptedServer, page: Any) -> None:
    server.on("/v1/models", page)
    listing = await list_models(server.url)
    assert (listing.names, listing.error) == ((), None)


@pytest.mark.parametrize(
    "step",
    [
        silence(),
        drip(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
        drip(b"HTTP/1.1 200 OK\r\n\r\n[", b" "),
    ],
    ids=["silence", "headers", "list"],
)
async def test_a_list_that_does_not_come_or_drips_is_given_up_in_time(
    server: ScriptedServer, step: Step
) -> None:
    server.on("/v1/models", step)
    seen = await see(server.url, "tiny", patience=0.1)
    assert not seen.reached and isinstance(seen.error, TimeoutError)


async def test_a_list_without_end_is_no_list(server: ScriptedServer) -> None:
    server.on("/v1/models", forever(b"[],"))
    seen = await see(server.url, "tiny", patience=30)
    assert (seen.lists, seen.models) == (False, ())


async def test_a_look_that_is_given_up_leaves_at_once(server: ScriptedServer) -> None:
    server.on("/v1/models", drip(b"HTTP/1.1 200 OK\r\n\r\n[", b" "))
    look = asyncio.create_task(see(server.url, "tiny", patience=600))
    await asyncio.to_thread(server.wait_for_requests, 1)
    look.cancel()
    await asyncio.wait({look})
    assert await asyncio.to_thread(server.requests[0].gone.wait, 10)


@pytest.mark.posix("file modes")
async def test_a_key_does_not_follow_a_redirect(server: ScriptedServer) -> None:
    server.on("/v1/models", status(302, {}, {"Location": f"{server.root}/elsewhere"}))
    await list_models(server.url, "sk-hush")
    assert [request.path for request in server.requests] == ["/v1/models"]


async def test_a_look_replaces_what_was_guessed(workshop: Workshop) -> None:
    models(workshop.server, meta={"n_ctx": 6144})
    endpoint = workshop.endpoint()
    seen = await endpoint.probe()
    assert seen and seen.window == endpoint.window == 6144
    assert workshop.endpoint().window == 6144


async def test_a_look_at_nothing_says_so(workshop: Workshop) -> None:
    with pytest.raises(CallError, match="Nothing answers"):
        await workshop.endpoint(url="http://127.0.0.1:9/v1").probe()


async def test_servers_of_this_computer_are_found(server: ScriptedServer, tmp_path: Path) -> None:
    models(server, owned_by="llamacpp", meta={"n_ctx": 8192})
    with ScriptedServer() as stranger:
        (found,) = await servers_here(Home.find(tmp_path), [server.port, stranger.port, 9])
    assert (found.name, found.base_url, found.models) == ("llama.cpp", server.url, ("other", "tiny"))


async def test_a_program_that_speaks_no_http_is_no_server(tmp_path: Path) -> None:
    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.6\r\n")
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1") as stranger:
        assert await servers_here(Home.find(tmp_path), [stranger.sockets[0].getsockname()[1]]) == []


async def test_a_connection_that_works(workshop: Workshop) -> None:
    models(workshop.server, meta={"n_ctx": 4096})
    workshop.server.script("test", say("Ready."))
    trial = await try_connection(workshop.endpoint())
    assert trial.ok and trial.sentence.endswith('"Ready."') and trial.window == 4096
    assert "4,096" in trial.warning


async def test_a_connection_that_does_not(workshop: Workshop) -> None:
    workshop.server.script("test", status(401, {}))
    trial = await try_connection(workshop.endpoint())
    assert not trial.ok and "LLM_API_KEY" in trial.sentence


async def test_a_model_that_only_thinks_is_connected_all_the_same(workshop: Workshop) -> None:
    models(workshop.server)
    workshop.server.script("test", stream(chunk(reasoning="Hm"), chunk(None, "length")))
    trial = await try_connection(workshop.endpoint())
    assert trial.ok and "reasoning tokens" in trial.warning


async def test_play_itself_asks_nothing_but_for_replies(workshop: Workshop) -> None:
    models(workshop.server)
    endpoint = workshop.endpoint()
    await collect(endpoint)
    await collect(endpoint, ask("more"))
    assert workshop.server.requests == workshop.server.calls


async def test_the_slots_of_llama_cpp_are_used(workshop: Workshop) -> None:
    models(workshop.server, owned_by="llamacpp")
    workshop.server.on("/props", status(200, {**LLAMA_SLOT, "total_slots": 4}))
    workshop.server.script("*", say("The lamp goes out."))
    endpoint = workshop.endpoint()
    await collect(endpoint)
    assert "id_slot" not in workshop.server.calls[-1].body and endpoint.max_parallel == 1
    await endpoint.probe()
    assert endpoint.max_parallel == 4 and workshop.endpoint(max_parallel=2).max_parallel == 2
    chosen: dict[str, int] = {}
    for key in ("narrator", "stage", "warm-up", "character:ann", "memory:ann", "memory:bob"):
        await collect(endpoint, ask(agent=key.partition(":")[0], key=key))
        chosen[key] = workshop.server.calls[-1].body["id_slot"]
    assert [chosen[key] for key in ("narrator", "stage", "warm-up", "character:ann")] == [0, 0, 0, 1]
    assert {chosen["memory:ann"], chosen["memory:bob"]} <= {2, 3}


async def test_a_slot_of_llama_cpp_is_asked_one_thing_at_a_time(workshop: Workshop) -> None:
    models(workshop.server, owned_by="llamacpp")
    workshop.server.on("/props", status(200, {**LLAMA_SLOT, "total_slots": 2}))
    busy, most, answer = Counter[int](), Counter[int](), say("The lamp goes out.")

    async def answer_and_count(exchange: Exchange) -> None:
        slot = exchange.request.body["id_slot"]
        busy[slot] += 1
        most[slot] = max(most[slot], busy[slot])
        await asyncio.sleep(0.02)  # others would come meanwhile
        busy[slot] -= 1
        await answer(exchange)

    workshop.server.script("*", answer_and_count)
    endpoint = workshop.endpoint()
    await endpoint.probe()
    keys = ("narrator", "memory:ann", "memory:bob", "progress")
    await asyncio.gather(*(collect(endpoint, ask(agent=key.partition(":")[0], key=key)) for key in keys))
    assert most == {0: 1, 1: 1}


async def test_a_server_that_refuses_a_slot_is_asked_once(workshop: Workshop) -> None:
    models(workshop.server, owned_by="llamacpp")
    workshop.server.on("/props", status(200, {**LLAMA_SLOT, "total_slots": 2}))
    refusal = status(400, {"error": {"message": "unknown field id_slot"}})
    workshop.server.script("narrator", refusal, say("The lamp goes out."))
    endpoint = workshop.endpoint()
    await endpoint.probe()
    for _ in range(2):
        assert (await collect(endpoint)).text == "The lamp goes out."
    assert ["id_slot" in call.body for call in workshop.server.calls] == [True, False, False]


@pytest.mark.parametrize(
    ("model", "hint"),
    [
        ("qwen2.5-1.5b-instruct", "1.5B is small"),
        ("SmolLM2-135M-Instruct", "135M is small"),
        ("mistralai/Ministral-3-8B-Instruct", ""),
        ("qwen3-30b-a3b", ""),
        ("llama-3.2:3b", "3B is small"),
        ("deepseek-coder-33b", "made for code"),
        ("gpt-5", ""),
        ("mixtral-8x7b", ""),
        ("", ""),
    ],
)
def test_a_name_may_say_that_a_model_is_small_or_made_for_something_else(model: str, hint: str) -> None:
    assert hint in name_hint(model) and bool(name_hint(model)) == bool(hint)


def row(name: str, state: str = "", **fields: Any) -> dict[str, Any]:
    """An entry of a llama.cpp router, as its documentation gives it."""
    return {
        "id": name,
        "status": {"value": state, "args": ["llama-server", "-c", "8192", "-np", "2"]},
        **fields,
    }


DECIDES = {"architecture": {"output_modalities": ["decisions"]}}


@pytest.mark.parametrize(
    ("rows", "used"),
    [
        ([row("a", "unloaded"), row("b", "loaded")], "b"),
        ([row("a", "unloaded"), row("b", "sleeping")], "b"),
        ([row("a", "loading"), row("b", "unloaded")], "a"),
        ([row("a", "unloaded"), row("b", "unloaded")], ""),
        ([row("a", "loaded", **DECIDES), row("b", "unloaded")], "b"),
        ([row("all-minilm", "loaded"), row("b", "unloaded")], "b"),
        ([{"id": "nomic-embed"}, {"id": "b"}, {"id": "c"}], "b"),
        ([{"id": "nomic-embed"}], "nomic-embed"),
        ([], ""),
    ],
)
def test_a_loaded_model_is_used_and_of_several_others_none_unasked(
    rows: list[dict[str, Any]], used: str
) -> None:
    assert unasked([*map(listed, rows)]) == used


async def test_the_window_of_a_router_is_asked_of_a_loaded_model_and_read_of_the_others(
    server: ScriptedServer,
) -> None:
    server.on("/v1/models", status(200, {"data": [row("a b", "loaded"), row("c", "unloaded")]}))
    server.on("/props?model=a%20b&autoload=false", status(200, LLAMA_SLOT | {"total_slots": 2}))
    seen = await see(server.url, "")
    assert (seen.kind, seen.window, seen.slots) == ("llama.cpp", 4096, 2)
    assert (await see(server.url, "c")).window == 4096, "two slots of what it will be loaded with"
    assert [request.path for request in server.requests].count("/props?model=a%20b&autoload=false") == 1


OLLAMA: dict[str, Any] = {
    "/v1/models": {"data": [{"id": "all-minilm:latest"}, {"id": "tiny:latest"}]},
    "/api/tags": {
        "models": [{"name": "all-minilm:latest", "size": 46_000_000}, {"name": "tiny:latest", "size": 9}]
    },
    "/api/ps": {"models": [{"name": "all-minilm:latest", "context_length": 512}]},
    "/api/show": {"capabilities": ["completion"], "parameters": "num_ctx 8192"},
}
STUDIO: dict[str, Any] = {
    "/v1/models": {"data": [{"id": "nomic"}, {"id": "tiny"}]},
    "/api/v1/models": {
        "models": [
            {"type": "embedding", "key": "nomic", "size_bytes": 5, "loaded_instances": [{"id": "nomic"}]},
            {
                "type": "llm",
                "key": "tiny",
                "size_bytes": 9,
                "loaded_instances": [{"id": "tiny:2", "config": {"context_length": 6000}}],
            },
        ]
    },
}


@pytest.mark.parametrize(
    ("pages", "kind", "tiny"),
    [
        (OLLAMA, "ollama", ServedModel("tiny:latest", "unloaded", 9, 8192, writes=True)),
        (STUDIO, "lmstudio", ServedModel("tiny", "loaded", 9, 6000, writes=True, instance="tiny:2")),
    ],
)
async def test_what_a_server_says_of_its_models_is_read(
    server: ScriptedServer, pages: dict[str, Any], kind: str, tiny: ServedModel
) -> None:
    for path, page in pages.items():
        server.on(path, status(200, page))
    seen = await see(server.url, "")
    assert (seen.kind, seen.served[1]) == (kind, tiny)


async def test_several_models_of_which_none_is_loaded_are_asked_about_before_any_call(
    workshop: Workshop,
) -> None:
    workshop.server.on("/v1/models", status(200, {"data": [row("a", "unloaded"), row("b", "unloaded")]}))
    with pytest.raises(CallError, match='none is loaded \\("a, b"\\)'):
        await collect(workshop.endpoint(model=""), ask("narrator"))
    assert not workshop.server.calls


async def test_a_model_that_says_it_writes_no_text_is_followed_by_the_next(workshop: Workshop) -> None:
    workshop.server.on("/v1/models", status(200, {"data": [{"id": "vectors"}, {"id": "tiny"}]}))
    refusal = status(400, {"error": {"message": '"vectors" does not support chat'}})
    workshop.server.script("narrator", refusal, say("Told."))
    assert (await collect(workshop.endpoint(model=""), ask("narrator"))).text == "Told."
    assert [call.body["model"] for call in workshop.server.calls] == ["vectors", "tiny"]
