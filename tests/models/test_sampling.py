"""Sampling goes out under each server's own names, only what was set, and without what a server refuses."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.models.conftest import Workshop, ask, collect
from tests.support.fake_server import Exchange, ScriptedServer, say, status
from theact_tui.models.discovery import Seen
from theact_tui.models.endpoint import Endpoint
from theact_tui.models.environment import ModelOptions
from theact_tui.models.profiles import Override, Profile, Target, resolve
from theact_tui.models.sampling import PRESETS, Sampling, Server, from_line, sent_as, server_of, settings_line
from theact_tui.models.settings import SettingsFile

SET = Sampling(top_p=0.9, top_k=40, min_p=0.05, repeat_penalty=1.1, seed=7, stop=("###",))
DRY = {name for name in Sampling.model_fields if name.startswith("dry_")}
QUIET = {"chat_template_kwargs": {"enable_thinking": False}}
PLAIN = {"model", "messages", "max_tokens", "temperature", "stream", "stream_options"}


async def sent(
    kind: Server,
    sampling: Sampling = SET,
    agent: str = "narrator",
    schema: dict[str, Any] | None = None,
    stop: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
    **fields: Any,
) -> dict[str, Any]:
    """What a request asked for beside the usual; without the form itself."""
    with ScriptedServer(say("Yes.")) as server:
        profile = Profile(
            base_url=server.url, model="m", server=kind, sampling=sampling, **{"thinking": "model", **fields}
        )
        made = Endpoint(Target(profile))
        await collect(made, ask(agent=agent, schema=schema, stop=stop, names=names))
        await made.close()
        return {
            name: value
            for name, value in server.calls[0].body.items()
            if name not in {*PLAIN, "response_format"}
        }


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("llama.cpp", {"top_p", "top_k", "min_p", "repeat_penalty", "seed", "stop", *DRY}),
        ("koboldcpp", {"top_p", "top_k", "min_p", "rep_pen", "seed", "stop", *DRY}),
        ("vllm", {"top_p", "top_k", "min_p", "repetition_penalty", "seed", "stop"}),
        ("ollama", {"top_p", "seed", "stop"}),
        ("openai", {"top_p", "seed", "stop"}),
    ],
)
async def test_every_server_gets_its_own_names(kind: Server, names: set[str]) -> None:
    assert set(await sent(kind)) == names


@pytest.mark.parametrize("kind", ["auto", "ollama", "openai", "vllm"])
async def test_nothing_is_sent_that_was_not_set(kind: Server) -> None:
    assert await sent(kind, Sampling()) == {}


@pytest.mark.parametrize("kind", ["llama.cpp", "koboldcpp"])
async def test_prose_is_kept_from_repeating_itself_where_the_server_can(kind: Server) -> None:
    body = await sent(kind, Sampling())
    assert body == {
        "min_p": 0.05,
        "dry_multiplier": 0.8,
        "dry_base": 1.75,
        "dry_allowed_length": 2,
        "dry_penalty_last_n": 4 * ask().max_tokens,
        "dry_sequence_breakers": ["\n", ":", '"', "*"],
    }
    named = await sent(kind, Sampling(), names=("Maya", "Chen"))
    assert named["dry_sequence_breakers"] == ["\n", ":", '"', "*", "Maya", "Chen"]
    assert (await sent(kind, Sampling(dry_multiplier=0)))["dry_multiplier"] == 0
    assert await sent(kind, Sampling(), schema={"type": "object"}) == {}, "a form repeats its keys"


async def test_a_server_that_showed_what_it_is_is_asked_in_its_own_way(workshop: Workshop) -> None:
    workshop.server.script("*", say("Yes."))
    made = workshop.endpoint()
    made.context.learn_window(Seen(reached=True, kind="llama.cpp", window=8192))
    await collect(made)
    await collect(workshop.endpoint())
    assert [call.body["dry_multiplier"] for call in workshop.server.calls] == [0.8, 0.8]


async def test_a_reply_ends_where_the_line_of_somebody_else_begins() -> None:
    others = tuple(f"\n{name}:" for name in ("Sam", "Maya", "Joaquin", "Ada", "Ned"))
    assert (await sent("llama.cpp", Sampling(stop=("###",)), stop=others))["stop"] == ["###", *others]
    assert (await sent("auto", Sampling(stop=("###",)), stop=others))["stop"] == ["###", *others[:3]]
    assert "stop" not in await sent("auto", Sampling(), stop=others, reasoning_tokens=500)
    assert "stop" not in await sent("auto", Sampling(), agent="memory", stop=others)


async def test_the_sampling_of_a_profile_is_for_those_who_tell_the_story() -> None:
    assert await sent("llama.cpp", agent="memory") == {}


async def test_what_a_server_does_not_have_is_said_once(workshop: Workshop) -> None:
    workshop.server.script("*", say("Yes."))
    made = workshop.endpoint(server="ollama", sampling=SET)
    first, second = await collect(made), await collect(made)
    assert "does not support top_k, min_p, repeat_penalty; no longer sent." in first.notices[0]
    assert second.notices == []


async def test_what_a_server_refuses_by_name_is_left_out_from_then_on(workshop: Workshop) -> None:
    refused = status(400, {"error": {"message": "Unrecognized request argument: min_p", "code": 400}})
    workshop.server.script("narrator", refused, say("Yes."))
    reply = await collect(workshop.endpoint(server="llama.cpp", sampling=SET))
    assert reply.text == "Yes." and reply.restarts == []
    assert [notice for notice in reply.notices if "does not support min_p" in notice]
    assert reply.last.sent["top_k"] == 40 and "min_p" not in reply.last.sent
    assert (await collect(workshop.endpoint(server="llama.cpp", sampling=SET))).notices == []
    assert ["min_p" in call.body for call in workshop.server.calls] == [True, False, False]


async def test_anything_else_can_be_sent_but_not_what_is_the_programs_own(workshop: Workshop) -> None:
    workshop.server.script("*", say("Yes."))
    reply = await collect(workshop.endpoint(extra_body={**QUIET, "api_key": "hush"}))
    assert "hush" not in str(reply.last.sent), "it would be kept with the turn"
    assert QUIET.items() <= workshop.server.calls[0].body.items()
    with pytest.raises(ValidationError, match="must not contain messages"):
        Profile(extra_body={"messages": []})


async def test_one_character_has_a_model_sampling_and_room_of_its_own(
    workshop: Workshop, tmp_path: Path
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        '[profiles.a]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\nsampling = {top_k = 40, min_p = 0.1}\n'
        '[agents."character:maya"]\nmodel = "n"\nreply_tokens = 90\n[agents."character:maya".sampling]\ntop_k = 5\n'
    )
    settings = SettingsFile(file).read()
    assert SettingsFile(file).unknown() == []
    target = resolve(settings.profiles, "a", settings.agents["character:maya"], ModelOptions(), {})
    assert target is not None and (target.profile.model, target.reply_tokens) == ("n", 90)
    assert target.sampling.over(target.profile.sampling) == Sampling(top_k=5, min_p=0.1)
    workshop.server.script("*", say("Yes."))
    there = target.profile.model_copy(update={"base_url": workshop.server.url})
    await collect(Endpoint(Target(there, sampling=target.sampling, reply_tokens=90)), ask(agent="character"))
    body = workshop.server.calls[0].body
    assert (body["model"], body["top_k"], body["min_p"], body["max_tokens"]) == ("n", 5, 0.1, 90)


def test_a_kind_of_server_is_known_by_its_address_or_as_said() -> None:
    assert server_of("auto", "https://api.openai.com/v1") == "openai"
    assert server_of("auto", "http://127.0.0.1:11434/v1") == "ollama"
    assert server_of("auto", "http://127.0.0.1:8080/v1") == "auto"
    assert server_of("auto", "http://127.0.0.1:8080/v1", "koboldcpp") == "koboldcpp"
    assert server_of("vllm", "http://127.0.0.1:11434/v1", "ollama") == "vllm"


@pytest.mark.parametrize("sampling", [SET, Sampling(), Sampling(stop=('a "b"', "c, d")), Sampling(top_k=0)])
def test_a_table_on_one_line_reads_as_it_was_written(sampling: Sampling) -> None:
    assert Sampling.model_validate(settings_line(sampling.set_values)) == sampling
    assert Override(sampling=sampling).sampling == sampling


def test_a_line_that_is_none_is_explained() -> None:
    with pytest.raises(ValueError, match="write it like"):
        from_line("top_p 0.9")


@pytest.mark.parametrize("kind", PRESETS)
def test_a_preset_holds_only_what_its_server_has(kind: Server) -> None:
    assert sent_as(PRESETS[kind], kind)[1] == ()


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("llama.cpp", QUIET),
        ("vllm", QUIET),
        ("ollama", {"reasoning_effort": "none"}),
        ("openai", {}),
        ("auto", {}),
    ],
)
async def test_a_model_is_asked_not_to_think_where_its_server_can(
    kind: Server, fields: dict[str, Any]
) -> None:
    form, none = {"type": "object"}, Sampling()
    assert await sent(kind, none, schema=form, thinking="off") == fields
    prose = await sent(kind, none, thinking="off")
    assert {name: prose.get(name) for name in fields} == fields and ("reasoning_effort" in prose) == (
        kind == "ollama"
    )


@pytest.mark.parametrize(
    ("kind", "model", "is_held"),
    [("llama.cpp", "tiny-1.5b-q4", True), ("llama.cpp", "large-8B", False), ("ollama", "tiny:1.5b", False)],
)
async def test_small_models_are_held_to_a_grammar_where_the_server_has_one(
    workshop: Workshop, kind: Server, model: str, is_held: bool
) -> None:
    workshop.server.script("*", say("You wait."))
    await collect(workshop.endpoint(model=model, server=kind), ask(grammar='root ::= "You"'))
    assert ("grammar" in workshop.server.calls[0].body) == is_held


async def test_a_model_may_think_for_prose_where_its_profile_says_so_but_not_for_a_form() -> None:
    form, none = {"type": "object"}, Sampling()
    assert "chat_template_kwargs" not in await sent("llama.cpp", none, thinking="model", reasoning_tokens=500)
    assert await sent("llama.cpp", none, thinking="model", schema=form, reasoning_tokens=500) == QUIET
    assert await sent("llama.cpp", none, thinking="model", schema=form) == {}
    own = {"chat_template_kwargs": {"enable_thinking": True}}
    assert await sent("llama.cpp", none, schema=form, extra_body=own) == own


@pytest.mark.parametrize(
    "words", ["invalid reasoning value: 'none' (must be high, medium or low)", "model m cannot think"]
)
async def test_a_server_that_cannot_turn_thinking_off_is_asked_without_and_nobody_is_told(
    workshop: Workshop, words: str
) -> None:
    async def refuse_effort(exchange: Exchange) -> None:
        refused = "reasoning_effort" in exchange.request.body
        await (status(400, {"error": {"message": words}}) if refused else say("Yes."))(exchange)

    workshop.server.script("*", refuse_effort)
    reply = await collect(workshop.endpoint(server="ollama"))
    assert reply.text == "Yes." and reply.notices == [] and reply.restarts == []
    await collect(workshop.endpoint(server="ollama"))
    assert ["reasoning_effort" in call.body for call in workshop.server.calls] == [True, False, False]
