"""The page that a narrator tells: prose, without what is wrapped around it."""

import pytest

from theact_tui.parsing import ProseStream, ReplyContext, parse

CAST = ReplyContext({"maya": "Maya Chen", "tom": "Old Tom"}, player="Alex")
PAGE = "You crawl into the cave mouth.\n\n“Wait,” Maya says: the dark is cold.\n\nSomething drips. * * * Twelve times."


@pytest.mark.parametrize(
    "raw",
    [
        PAGE,
        f"```\n{PAGE}\n```",
        f"Here is the next scene:\n\n```text\n{PAGE}\n```",
        f"<think>mood: calm?</think>\n{PAGE}",
        f"Narrator: {PAGE}",
        f"{PAGE}\n\nMaya: I will not go in there.\n\nOld Tom: Nor I.",
        f"{PAGE}\n\nAlex: I go in.",
        f"{PAGE}<|im_end|>\n<|im_start|>user\nI go in.",
    ],
    ids="prose fence announced thought label answers player template".split(),
)
def test_the_page_is_all_that_is_kept(raw: str) -> None:
    assert parse("narrator", raw, CAST).fields == {"narration": PAGE}
    assert_only_the_page_is_shown("narrator", raw)


def assert_only_the_page_is_shown(agent: str, raw: str) -> None:
    stream = ProseStream(agent, CAST)
    for char in raw:
        stream.feed(char)
        assert PAGE.startswith(stream.text)
    assert len(stream.text) > 60
    stream.finish()
    assert stream.text == PAGE


def test_a_page_in_an_object_is_told_and_the_object_is_not() -> None:
    raw = '{"narration": "You wake. \\"Up,\\" says Maya.", "responding_characters": ["maya"], "mood": "calm"}'
    assert parse("narrator", raw, CAST).fields == {"narration": 'You wake. "Up," says Maya.'}


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "```\n```",
        "<think>You wake.",
        '{"mood": "calm"}',
        '{"narration": "", "mood": "calm"}',
        "<your page here>",
    ],
    ids="nothing fence thought object empty placeholder".split(),
)
def test_what_has_no_page_is_asked_for_again(raw: str) -> None:
    assert not parse("narrator", raw, CAST).ok


@pytest.mark.parametrize(
    "raw",
    [
        '{"answer": ["maya"], "here": ["maya", "tom"], "place": "the beach"}',
        '{"answer": "maya", "here": ["maya"], "place": "the beach"}',
        '{"new": [{"fact": "Tom snores.", "kind": "gift"}], "changed": {}}',
        '{"risk": "jump across the crevasse", "difficulty": 12}',
        '{"want": "To leave the valley before the snow.", "hide": "", "beliefs": []}',
    ],
)
@pytest.mark.parametrize("agent", ["narrator", "character", "actor", "chapter", "epilogue"])
def test_the_fields_of_another_form_are_no_prose(agent: str, raw: str) -> None:
    assert not parse(agent, raw, CAST).ok
    assert not parse(agent, f"```json\n{raw}\n```", CAST).ok


@pytest.mark.parametrize("tag", ["answer", "story", "narration", "output", 'page lang="en"', "final_answer"])
@pytest.mark.parametrize("agent", ["narrator", "character:maya"])
def test_a_tag_around_the_whole_text_is_taken_off(agent: str, tag: str) -> None:
    name = tag.partition(" ")[0]
    for raw in (
        f"<{tag}>{PAGE}</{name}>",
        f"<think>She waits.</think>\n<{tag}>\n{PAGE}\n</{name}>",
        f"<{tag}>{PAGE}",
        f"{PAGE}</{name}>",
    ):
        assert parse(agent, raw, CAST).reply.text == PAGE
        assert_only_the_page_is_shown(agent, raw)


def test_a_letter_in_a_fence_stays_where_it_is() -> None:
    page = "You unfold it.\n\n```\nCome at dawn.\nM.\n```\n\nYou burn the letter."
    assert parse("narrator", page, CAST).fields == {"narration": page}


@pytest.mark.parametrize(
    "line",
    ["Mood: the word is scratched into the rock.", "The note says:\n\nMaya: bring rope.", "Present: nobody."],
)
def test_lines_of_a_page_that_look_like_keys_stay(line: str) -> None:
    page = f"You lift the lamp.\n\n{line}\n\nYou go on, down the stair."
    assert parse("narrator", page, CAST).fields == {"narration": page}


def test_prose_is_shown_before_its_line_is_over() -> None:
    stream = ProseStream("narrator", CAST)
    seen = "".join(stream.feed(word) for word in ("You", " crawl", " into", " the", " cave", " mouth"))
    assert seen.startswith("You crawl into")
