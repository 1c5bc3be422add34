"""Thoughts are kept apart from the story, however a model marks them, and no page is lost behind a mark."""

from dataclasses import replace

import pytest

from theact_tui.parsing import ProseStream, ReplyContext, parse
from theact_tui.parsing.thoughts import begins_in_thought, without_thoughts

PAGE = "The tide turns under the wreck.\n\n“Hold this,” Maya says, and hands you the rope (think of it: wet)."
PLAN = "The player looks around, so I describe the shore."
CONTEXT = ReplyContext({"maya": "Maya Chen"}, player="Sam")


@pytest.mark.parametrize(
    "raw",
    [
        f"<think>{PLAN}</think>{PAGE}",
        f"<seed:think>{PLAN}</seed:think>{PAGE}",
        f"<mm:think>{PLAN}</mm:think>{PAGE}",
        f"<inner_monologue>\n{PLAN}\n</inner_monologue>\n\n{PAGE}",
        f"<think>{PLAN}<//think>{PAGE}",
        f'<reasoning effort="low">{PLAN}</reasoning>{PAGE}',
        f'<details type="reasoning" done="true">{PLAN}</details>\n{PAGE}',
        f"[THINK]{PLAN}[/THINK]{PAGE}",
        f"(think){PLAN}(/think){PAGE}",
        f"◁think▷{PLAN}◁/think▷{PAGE}",
        f"<｜begin▁of▁thinking｜>{PLAN}<｜end▁of▁thinking｜>{PAGE}<｜end▁of▁sentence｜>",
        f"<|begin_of_thought|>{PLAN}<|end_of_thought|>{PAGE}",
        f"<|START_THINKING|>{PLAN}<|END_THINKING|>{PAGE}",
        f"<unused94>thought\n{PLAN}<unused95>{PAGE}",
        f"<|channel>thought\n{PLAN}<channel|>{PAGE}",
        f"<|channel|>analysis<|message|>{PLAN}<|end|><|start|>assistant<|channel|>final<|message|>{PAGE}",
        f"<|start|>assistant<|channel|>final <|constrain|>text<|message|>{PAGE}",
        f"<|channel|>analysis<|message|>{PLAN}<|end|><|start|>assistant<|channel|>final <|constrain|>page<|message|>{PAGE}",
        f"Thinking: {PLAN}\n\nResponse: {PAGE}",
        f"**Thought process:** {PLAN}\n\n**Final answer:**\n{PAGE}",
        f"{PLAN}\n</think>\n{PAGE}",
        f"{PAGE} /no_think",
    ],
)
@pytest.mark.parametrize("agent", ["narrator", "character:maya"])
def test_what_is_thought_is_not_told(agent: str, raw: str) -> None:
    assert parse(agent, raw, CONTEXT).reply.text == PAGE
    for size in (1, 7, len(raw)):
        stream = ProseStream(agent, CONTEXT)
        for at in range(0, len(raw), size):
            stream.feed(raw[at : at + size])
        stream.finish()
        assert stream.text == PAGE
        assert stream.reasoning.removeprefix("(think)") in ("", PLAN)


@pytest.mark.parametrize(
    "mark", ["</think>", "</thinking>", "<//think>", "</mm:think>", "[/THINK]", "</details>"]
)
def test_a_lone_closing_mark_at_the_end_is_dropped(mark: str) -> None:
    raw = f"{PAGE}\n{mark}\n"
    stream = ProseStream("narrator", CONTEXT)
    stream.feed(raw)
    stream.finish()
    assert parse("narrator", raw, CONTEXT).reply.text == stream.text == PAGE
    assert not begins_in_thought(raw)
    opened = replace(CONTEXT, thought="opened")
    assert mark == "</details>" or not parse("narrator", raw, opened).ok, (
        "this model's template opens the thought: there is no page yet"
    )


def test_what_folds_on_a_page_is_no_thought() -> None:
    raw = (
        "The door opens.\n\n<details>\n<summary>Inventory</summary>\n\nA lamp.\n</details>\n\nRain comes in."
    )
    stream = ProseStream("narrator", CONTEXT)
    stream.feed(raw)
    assert stream.text.startswith("The door opens.") and not stream.retracted
    assert parse("narrator", raw, CONTEXT).reply.text == raw


@pytest.mark.parametrize(
    "raw", ["The tide </think> turns.", "The tide turns.</think>", "</think>The tide turns."]
)
def test_where_thoughts_come_apart_a_closing_mark_cuts_nothing(raw: str) -> None:
    apart = replace(CONTEXT, thought="apart")
    text = " ".join(parse("narrator", raw, apart).reply.text.split())
    assert text == "The tide turns."
    stream = ProseStream("narrator", CONTEXT)
    stream.keep_thoughts_apart()
    stream.feed(raw)
    stream.finish()
    assert " ".join(stream.text.split()) == text and stream.reasoning == ""
    assert stream.retracted == 0


@pytest.mark.parametrize(
    "page",
    [
        "(thinking) Where is she? You wait.",
        "Maya (think of the cold) nods.",
        "Thinking: it was never his gift.",
        "Analysis: none. The gauge is dead.\n\nYou tap it.",
        "The sign says [THINKING ROOM].",
    ],
)
def test_prose_about_thinking_is_prose(page: str) -> None:
    assert without_thoughts(page) == (page, "")
    assert parse("narrator", page, CONTEXT).reply.text == page
