"""Typed replies made of a reading, and the schemas asked of servers that can constrain one."""

import json
import re
from typing import Any

import pytest

from tests.parsing.cases import CAST, FACTS, ISLAND
from theact_tui.parsing import PlainReply, parse
from theact_tui.parsing.forms import (
    MODELS,
    FactsReply,
    FactUpdate,
    FoundMoment,
    MomentsReply,
    NewFact,
    ProgressReply,
    StageReply,
    json_schema,
)
from theact_tui.parsing.reader import AGENTS
from theact_tui.parsing.speakers import name_words
from theact_tui.parsing.types import ReplyContext

FIELDS = {
    "risk": ["risk", "difficulty"],
    "stage": "answer mood here asleep gone elsewhere place".split(),
    "progress": ["end", "answered", *"123456789", "s1", "s2", "s3", "s4"],
    "finished": ["finished"],
    "memory": ["new", "changed"],
    "reflection": ["want", "hide", "beliefs"],
    "moment": ["moments"],
    "lock": ["world", "chapter", "canon_locks", "assumptions"],
    "delta": (
        "location_updates major_events character_actions state_changes relationship_shifts "
        "items_clues_discovered unresolved_threads canon_locks contradictions_or_questions"
    ).split(),
    "author_concept": "title description tone player_name player_description characters chapters".split(),
    "author_setting": ["setting", "rules", "truth"],
    "author_character": ["personality", "want", "secret", "known", "examples", "relationships"],
    "author_chapter": [
        "summary",
        "beats",
        "clues",
        "completion",
        "characters",
        "secret_of",
        "at_first",
        "opening",
    ],
    "author_lore": ["title", "keys"],
}


@pytest.mark.parametrize("agent", AGENTS)
def test_the_fields_of_an_agent_are_those_of_its_schema(agent: str) -> None:
    schema = json_schema(agent, ISLAND)
    if schema is None:
        assert agent not in FIELDS
        return
    assert list(schema["properties"]) == FIELDS[agent]
    assert {*MODELS[agent].model_fields} - {"only", "aloud", "moved"} == {*FIELDS[agent]}


@pytest.mark.parametrize("agent", sorted(FIELDS))
def test_a_schema_is_plain_enough_for_every_server(agent: str) -> None:
    schema = json_schema(agent, ISLAND)
    for node in _nodes(schema):
        assert not {"$ref", "$defs", "minLength", "anyOf", "oneOf", "default", "title"} & set(node)
        assert node.get("type") != ["string", "integer"]
        if node.get("type") == "object":
            names, required = list(node["properties"]), node["required"]
            assert required in (names, [], names[: len(required)]), "all, none, or the first ones"
            assert node["additionalProperties"] is False


STAGE = ReplyContext(
    {"maya": "Maya Chen", "tom": "Old Tom", "lena": "Lena"},
    player="Alex",
    offered={
        "answer": ("maya", "tom", "lena"),
        "only": ("maya", "tom"),
        "mood": (),
        "here": ("maya", "tom"),
        "asleep": ("maya", "tom"),
        "gone": (),
        "aloud": ("maya",),
        "moved": ("tom",),
        "place": (),
    },
    labels={"only": ("1", "2", "A"), "aloud": ("a", "b"), "moved": ("1", "2", "A")},
)


def test_a_form_asks_for_what_is_open_and_offers_who_may_be_named() -> None:
    schema = json_schema("stage", STAGE)
    assert schema is not None
    fields = schema["properties"]
    assert list(fields) == ["answer", "only", "mood", "here", "asleep", "aloud", "moved", "place"]
    assert schema["required"] == ["answer", "only", "mood"]
    assert fields["here"] == {
        "type": "array",
        "items": {"type": "string", "enum": ["maya", "tom"]},
        "maxItems": 2,
        "uniqueItems": True,
    }
    assert list(fields["only"]["properties"]) == ["1", "2", "A"] and fields["only"]["required"] == []
    assert fields["only"]["properties"]["2"] == fields["here"]
    pattern = fields["aloud"]["properties"]["maya"]["pattern"]
    assert [bool(re.match(pattern, text)) for text in ("", "b", "ab", "c", "aba")] == [True] * 3 + [False] * 2
    assert fields["moved"]["properties"] == {"tom": {"type": "string", "enum": ["", "1", "2", "A"]}}
    assert fields["answer"]["maxItems"] == 2 and fields["place"]["maxLength"] == 60


@pytest.mark.parametrize(
    "raw",
    [
        '{"answer": ["tom", "maya"], "only": {"2": ["tom"], "A": []}, "here": ["maya"], "place": "the pier"}',
        "```json\n{answer: ['tom','maya','lena'], only: {'[2]': 'Tom', 'A': ['Alex']}, here: ['Maya', 'lena'], "
        "place: 'the pier'",
    ],
    ids=["json", "loose"],
)
def test_names_and_ids_mean_who_may_be_named_in_a_field(raw: str) -> None:
    assert parse("stage", raw, STAGE).reply == StageReply(
        answer=("tom", "maya"), only={"2": ("tom",), "A": ()}, here=("maya",), place="the pier"
    )


@pytest.mark.parametrize(
    "raw",
    [
        '{"answer": ["tom"]}',
        '{"answer": ["tom"], "only": null}',
        '{"answer": ["tom"], "only": "nobody"}',
        '{"answer": ["tom"], "only": {"the whisper": ["tom"]}}',
        '{"answer": ["tom"], "only": {"79Z": ["tom"]}}',
        '{"answer": ["tom"], "only": {"2": null}}',
        '{"answer": ["tom"], "only": {"2": ["tom", "the captain"]}}',
        '{"answer": ["tom"], "only": {"2": "asleep"}}',
        '{"reason": "so", "new_beats": [2], "chapter_complete": false}',
        "I'm sorry, I can't help with that.",
    ],
)
def test_a_form_without_known_labels_and_names_is_no_form(raw: str) -> None:
    assert not parse("stage", raw, STAGE).ok


def test_what_was_not_asked_or_not_said_stays_open() -> None:
    said = '{"passed": ["maya"], "here": ["maya", "Captain Vane"], "asleep": [], "only": {}, "aloud": {"maya": "bz"}}'
    assert parse("stage", said, STAGE).reply == StageReply(asleep=(), only={})


@pytest.mark.parametrize(
    ("said", "moved"),
    [
        ('{"Old Tom": "[A]"}', {"tom": "A"}),
        ('{"tom": ["2"]}', {"tom": "2"}),
        ('{"tom": "A", "maya": ""}', {"tom": "A"}),
        ('{"tom": "A", "Alex": "2", "you": "A"}', {"tom": "A"}),
        ('{"tom": "A", "the captain": "A"}', None),
        ('{"tom": "12"}', None),
        ('{"tom": "a"}', None),
        ('{"tom": "the door"}', None),
        ('["tom"]', None),
    ],
)
def test_where_somebody_came_or_left_is_one_label_or_nothing(said: str, moved: dict[str, str] | None) -> None:
    assert parse("stage", f'{{"only": {{}}, "moved": {said}}}', STAGE).reply == StageReply(
        only={}, moved=moved
    )


def test_ids_are_choices_of_the_schema() -> None:
    stage = json_schema("stage", ISLAND)
    assert stage is not None and stage["properties"]["answer"]["items"]["enum"] == list(CAST)


def test_a_schema_offers_only_what_may_be_said_now() -> None:
    asked = json_schema("progress", ReplyContext(offered=dict.fromkeys(("2", "s1", "end"), ())))
    assert asked is not None
    assert list(asked["properties"]) == asked["required"] == ["2", "s1", "end"]
    assert asked["properties"]["2"] == {"type": "string", "maxLength": 160}
    known, fresh = json_schema("memory", ISLAND), json_schema("memory", ReplyContext(facts=()))
    assert known is not None and fresh is not None
    changed = known["properties"]["changed"]
    assert list(changed["properties"]) == [str(number) for number in range(1, len(FACTS) + 1)]
    assert changed["required"] == [] and changed["additionalProperties"] is False
    assert "changed" not in fresh["properties"], "there is no fact that could be changed"


@pytest.mark.parametrize(
    ("agent", "raw"),
    [
        ("progress", '{"1": "a b", "2": "no", "end": false}'),
        ("memory", '{"new": [{"fact": "Tom snores.", "kind": "gift"}], "changed": {"3": "Two are left."}}'),
        ("moment", '{"moments": [{"quote": "a", "moment_type": "discovery", "moment_significance": 0.5}]}'),
    ],
)
def test_a_reply_in_the_form_that_was_asked_for_counts_as_read_at_once(agent: str, raw: str) -> None:
    reading = parse(agent, raw, ISLAND)
    assert reading.ok and not reading.repaired


@pytest.mark.parametrize("agent", sorted(FIELDS))
def test_no_list_of_a_schema_is_without_end(agent: str) -> None:
    lists = [node for node in _nodes(json_schema(agent, ISLAND)) if node.get("type") == "array"]
    texts = [node["items"] for node in lists if node["items"].get("type") == "string"]
    assert all("enum" in text or text["maxLength"] for text in texts)
    assert all(0 < node["maxItems"] <= 12 and node.get("minItems", 0) <= node["maxItems"] for node in lists)


def test_a_list_with_a_stranger_is_no_list() -> None:
    reading = parse(
        "stage", '{"here": ["maya"], "answer": ["maya", "Captain Vane"], "mood": "eerie"}', ISLAND
    )
    assert reading.ok and reading.fields == {"here": ["maya"]}
    assert reading.reply == StageReply(here=("maya",), answer=None)


def test_nobody_is_a_list() -> None:
    assert parse("stage", '{"answer": "none"}', ISLAND).reply == StageReply(answer=())


def test_an_update_of_an_unknown_fact_is_left_to_the_rules() -> None:
    moon, flares = {"old": "The moon is cheese", "new": "The moon is rock"}, {"old": "3", "new": "No flares"}
    reading = parse("memory", json.dumps({"new": [], "changed": [moon, flares]}), ISLAND)
    assert reading.reply == FactsReply(
        changed=(
            FactUpdate(old="The moon is cheese", new="The moon is rock"),
            FactUpdate(old=FACTS[2], new="No flares"),
        )
    )


def test_facts_in_the_form_asked_for_need_no_repair() -> None:
    raw = '{"new": [{"fact": "Tom snores.", "kind": "none"}], "changed": {"3": "There are 2 flares left."}}'
    reading = parse("memory", raw, ISLAND)
    assert not reading.repaired
    assert reading.reply == FactsReply(
        new=(NewFact(fact="Tom snores.", kind="none"),),
        changed=(FactUpdate(old=FACTS[2], new="There are 2 flares left."),),
    )
    assert not parse("memory", '{"new": [], "changed": {}}', ISLAND).repaired


def test_what_is_missing_has_its_default() -> None:
    progress = parse("progress", '{"1": "no"}', ISLAND).reply
    assert isinstance(progress, ProgressReply)
    assert progress.end is False and progress.answers == {"1": "no"}
    assert parse("moment", '{"moment_type": null}', ISLAND).reply == MomentsReply()
    assert parse("moment", '{"moments": []}', ISLAND).reply == MomentsReply()


def test_moments_are_read_in_the_form_asked_for_and_in_the_former_one() -> None:
    former = '{"resolution": "so", "moment_type": "discovery", "moment_summary": "a key", "moment_significance": 0.7}'
    asked = (
        '{"moments": [{"quote": "a key lay", "moment_type": "discovery", "moment_summary": "a key",'
        ' "moment_significance": 0.7}, {"moment_type": "turning_point", "moment_summary": "she left"}]}'
    )
    key = FoundMoment(moment_type="discovery", moment_summary="a key", moment_significance=0.7)
    assert parse("moment", former, ISLAND).reply == MomentsReply(moments=(key,))
    read = parse("moment", f"Here it is:\n{asked}", ISLAND).reply
    assert isinstance(read, MomentsReply)
    assert read.moments[0] == key.model_copy(update={"quote": "a key lay"})
    assert read.moments[1].moment_summary == "she left" and read.moments[1].moment_significance == 0.5
    assert parse("cell", "I saw the sea.", ISLAND).reply == PlainReply(text="I saw the sea.")


def test_blocks_of_direct_mode_have_every_key() -> None:
    lock = parse("lock", '{"world": {"genre": "gothic"}}').reply
    delta = parse("delta", '{"canon_locks": ["The door is gone"]}').reply
    assert lock.world.genre == "gothic" and lock.chapter is None
    assert delta.canon_locks == ("The door is gone",)
    assert list(parse("delta", '{"canon_locks": ["x y"]}').fields) == FIELDS["delta"]


def test_an_unknown_agent_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="poet"):
        parse("poet", "x")


def _nodes(schema: Any) -> list[dict[str, Any]]:
    if not isinstance(schema, dict):
        return []
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return [schema, *(node for part in inner for node in _nodes(part))]


@pytest.mark.parametrize(
    "raw", ["entry: I saw the sea.", "Diary entry: I saw the sea.", '{"cell": "I saw the sea.", "turn": 4}']
)
def test_a_diary_in_another_shape_is_not_kept_with_its_keys(raw: str) -> None:
    assert parse("cell", raw, ISLAND).reply == PlainReply(text="I saw the sea.")
    assert parse("cell", "Today: I saw the sea.\nShe lied.", ISLAND).reply == PlainReply(
        text="Today: I saw the sea.\nShe lied."
    )


@pytest.mark.parametrize(
    "raw",
    [
        "who: Maya\nwhere: the stair\nwhat: wet",
        "seen:\n  sea: grey\n  sky: low",
        '{"a": [1, 2], "b": {"c": 3}}',
    ],
)
def test_a_diary_that_is_only_keys_and_values_is_no_entry(raw: str) -> None:
    assert not parse("cell", raw, ISLAND).ok


def test_short_notes_are_no_echo_of_an_empty_form() -> None:
    form = '{"location_updates": {"where": "", "notable_environment_changes": []}, "major_events": [{"event": ""}]}'
    context = ReplyContext(prompt_example=form)
    notes = form.replace('"event": ""', '"event": "I look."')
    assert parse("delta", notes, context).ok and not parse("delta", form, context).ok


def test_people_written_in_two_ways_are_all_read() -> None:
    people = ["Tom Hall: the keeper's son, tall", {"name": "Ilse", "role": "a diver"}]
    read = parse("author_concept", json.dumps({"title": "The Bar", "characters": people})).fields[
        "characters"
    ]
    assert read == [
        {"name": "Tom Hall", "text": "the keeper's son, tall"},
        {"name": "Ilse", "text": "a diver"},
    ]


CROWD = ReplyContext({"maya": "Maya Chen", "sam": "Sam"}, player="Alex", speaker="maya")


@pytest.mark.parametrize(
    "answer",
    [
        "I look up.\n\nAlex! The rope!",
        "I turn round.\n\nAlex? Are you there?",
        '"I do not like it," I say.\n\nAlex is right, though. We go.',
        'I unfold it.\n\n"Sam: bring rope." That is all it says.',
        "I hold the note to the lamp. It says:\n\nSam: the ropes\n\nI burn it.",
        "I count on my fingers.\n\n* Sam: the ropes\n* the rest: mine",
    ],
)
def test_who_speaks_may_address_others_and_read_to_them(answer: str) -> None:
    assert parse("character", answer, CROWD).fields["text"] == answer


@pytest.mark.parametrize("foreign", ["Sam: I come too.", "Alex: Then go.", "Alex takes the candle and nods."])
def test_an_answer_ends_where_it_goes_on_as_somebody_else(foreign: str) -> None:
    assert parse("character", f"I stay here.\n\n{foreign}", CROWD).fields["text"] == "I stay here."


def test_names_of_people_and_place_are_known_word_by_word() -> None:
    context = ReplyContext({"j": "Father Joaquin", "m": "Maya Chen"}, player="Al", place="the Wreck, dusk")
    assert name_words(context) == ("Father", "Joaquin", "Maya", "Chen", "Wreck")
