"""The page that a narrator tells: prose, as it comes; of a block from habit the text under `narration` alone."""

from __future__ import annotations

import pytest

from theact_tui.parsing import ProseStream, ReplyContext, parse

CAST = ReplyContext({"maya": "Maya Chen", "tom": "Old Tom"}, player="Alex")
PAGE = "You crawl into the cave mouth.\n\n“Wait,” Maya says: the dark is cold.\n\nSomething drips. * * * Twelve times."


@pytest.mark.parametrize(
    "raw",
    [
        PAGE,
        f"```\n{PAGE}\n```",
        f"<think>mood: calm?</think>\n{PAGE}",
        f"narration: |\n  {PAGE.replace(chr(10), chr(10) + '  ')}\nresponding_characters: [maya]\nmood: calm",
        f"```yaml\nnarration: |\n  {PAGE.replace(chr(10), chr(10) + '  ')}\nmood: calm\n```\nI hope you like it!",
        f"{PAGE}\n\n```yaml\nresponding_characters: [maya]\nmood: tense\n```",
        f"{PAGE}\n\nresponding_characters:\n- maya\nmood: tense",
        f"Narrator: {PAGE}",
        f"{PAGE}\n\nMaya: I will not go in there.\n\nOld Tom: Nor I.",
        f"{PAGE}\n\nAlex: I go in.",
        f"{PAGE}<|im_end|>\n<|im_start|>user\nI go in.",
    ],
    ids="prose fence thought block fenced keys-in-fence keys label answers player template".split(),
)
def test_the_page_is_all_that_is_kept(raw: str) -> None:
    reading = parse("narrator", raw, CAST)
    assert reading.ok and reading.fields == {"narration": PAGE}
    stream = ProseStream("narrator", CAST)
    for char in raw:
        stream.feed(char)
        assert PAGE.startswith(stream.text)
    assert len(stream.text) > 60 or "narration:" in raw, "a block is told when it is whole"
    stream.finish()
    assert stream.text == PAGE


def test_a_page_in_an_object_is_told_and_the_object_is_not() -> None:
    raw = '{"narration": "You wake. \\"Up,\\" says Maya.", "responding_characters": ["maya"], "mood": "calm"}'
    assert parse("narrator", raw, CAST).fields == {"narration": 'You wake. "Up," says Maya.'}


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "```yaml\n```",
        "responding_characters: [maya]\nmood: calm",
        "<think>You wake.",
        '{"mood": "calm"}',
        "```yaml\nnarr",
        "I'm sorry, but I can't assist with that request.",
    ],
    ids="nothing fence keys thought object cut refusal".split(),
)
def test_what_has_no_page_is_asked_for_again(raw: str) -> None:
    assert not parse("narrator", raw, CAST).ok


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
