"""Why a reply begins as it does: planted causes, and replies that have none."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.cli import Run, ran
from tests.support.fake_model import sent
from tests.support.fake_server import Request as ServerRequest
from tests.support.fake_server import ScriptedServer, say
from tests.support.planted_causes import LINE, OTHERS, PLANTS, Speaker, answer_of, planted
from theact_tui.errors import UsageError
from theact_tui.lab.why import (
    MOST_CALLS,
    TOGETHER,
    Why,
    ask_why,
    describe_why,
    fisher,
    groups_of,
    prompt_without,
)
from theact_tui.models.model import Request
from theact_tui.prompting.sections import Section


async def answers(call: object, speaker: Speaker, **more: object) -> list[Why]:
    return [why async for why in ask_why(call, LINE, speaker, **more)]  # type: ignore[arg-type]


@pytest.mark.parametrize("cause", list(PLANTS))
async def test_a_planted_cause_is_named(cause: str) -> None:
    why = await answer_of(cause, 1, share=1.0)
    assert why.cause == cause and why.calls <= MOST_CALLS
    assert f"because of {cause}" in describe_why(why)[1]


async def test_of_the_clearest_group_the_line_is_named() -> None:
    why = await answer_of("facts", 1, share=1.0)
    assert [part.part for part in why.parts if part.is_seen] == [PLANTS["facts"]]
    assert PLANTS["facts"] in describe_why(why)[1]


@pytest.mark.parametrize("share", [1.0, 0.5, 0.0])
async def test_a_reply_without_a_cause_has_none(share: float) -> None:
    why = await answer_of("", 3, share=share)
    assert not why.cause and describe_why(why)[1] == "No effect seen."
    assert share != 0.5 or why.calls < MOST_CALLS / 2, "what varies too much is not asked about for long"


async def test_a_part_whose_loss_makes_the_reply_likelier_is_no_cause() -> None:
    call, speaker = planted("facts"), Speaker("", 1, 1.0)

    def answer(ask: Request) -> str:
        text = sent(ask)
        return OTHERS[1] if PLANTS["facts"] in text and len(speaker.asked) > 1 else call.reply

    speaker.answers["character"] = answer
    *_, why = await answers(call, speaker)
    assert (why.alike, why.asked, why.cause, why.calls) == (1, 8, "", 8)


def test_the_groups_are_the_lines_that_could_carry_a_reply() -> None:
    call = planted("facts")
    groups = groups_of(call.sections, LINE)
    assert set(groups) == set(PLANTS)
    for name, units in groups.items():
        prompt = prompt_without(call, units).messages()
        text = "\n".join(message["content"] for message in prompt)
        assert [plant for plant in PLANTS if PLANTS[plant] not in text] == [name]
        assert "Answer as Ada." in text


def test_a_page_may_follow_from_summaries_and_moments() -> None:
    sections = (
        Section("chapter One", "EARLIER CHAPTER, One: The bell rang.", priority="summary"),
        Section("rolling summary", "The lamp went out.", priority="summary"),
        Section("moments", "- Ada wept."),
        Section("comes to mind", "- A red kite.", priority="summary", late=True),
    )
    assert {name: [text for _, text in units] for name, units in groups_of(sections, LINE).items()} == {
        "memory": ["EARLIER CHAPTER, One: The bell rang.", "The lamp went out."],
        "facts": ["- Ada wept."],
        "recalled lines": ["- A red kite."],
    }


def test_the_exact_test_is_two_sided() -> None:
    assert round(fisher(8, 8, 0, 8), 6) == round(2 / 12870, 6)
    assert round(fisher(4, 8, 4, 8), 6) == 1
    assert round(fisher(7, 8, 1, 8), 4) == round(fisher(1, 8, 7, 8), 4) == 0.0101


async def test_it_ends_after_five_minutes_with_what_there_is() -> None:
    times = iter(range(0, 100_000, 60))
    *_, why = await answers(planted("facts"), Speaker("facts", 1, 1.0), now=lambda: float(next(times)))
    assert (
        why.ended == "after 5 minutes"
        and 0 < why.calls < 8
        and "ended after 5 minutes" in "\n".join(describe_why(why))
    )


async def test_each_answer_has_a_seed_of_its_own() -> None:
    speaker = Speaker("facts", 1, 1.0)
    call = replace(planted("facts"), sent={"seed": 5, "temperature": 0.7})
    await answers(call, speaker)
    assert len({ask.again["seed"] for ask in speaker.asked}) == len(speaker.asked)
    assert {ask.again["temperature"] for ask in speaker.asked} == {0.7}


async def test_a_model_that_is_gone_and_a_call_without_sections_are_refused() -> None:
    for change, reason in (
        ({"model": "other"}, "is connected"),
        ({"sections": ()}, "no prompt"),
        ({"provider": "storyteller"}, "script"),
    ):
        with pytest.raises(UsageError, match=reason):
            await answers(replace(planted("facts"), **change), Speaker("facts", 1, 1.0))


def test_the_command_asks_the_model_that_told_it(
    lab: Run, profile: str, server: ScriptedServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = ("lost-island", "--seeds", "1", "--turns", "2", "--profiles", profile)
    assert lab("run", *game, "--out", str(tmp_path / "out")).code == 0
    home, (save,) = tmp_path / "out" / "home", list((tmp_path / "out" / "home" / "saves").iterdir())
    shutil.copy(tmp_path / "home" / "config.toml", home / "config.toml")
    reply = ran(
        capsys, "calls", save.name, "--turn", "2", "--agent", "narrator", "--home", str(home), "--json"
    ).json[0]["reply"]

    def answer(request: ServerRequest) -> str:
        return str(reply)

    server.script("narrator", say(answer))
    asked = ran(capsys, "why", save.name, "--turn", "2", "--profile", profile, "--home", str(home), "--json")
    assert asked.code == 0, asked.err
    assert (asked.json["asked"], asked.json["alike"], asked.json["cause"]) == (8, 8, "")
    assert "of at most 48 calls" in asked.err
    (save / ".git" / "theact" / "calls").rename(tmp_path / "gone")
    gone = ran(capsys, "why", save.name, "--home", str(home))
    assert gone.code == 2 and "is recorded for turn" in gone.err


async def test_a_cause_that_two_parts_hold_is_found_by_taking_both_away() -> None:
    call, speaker = planted("facts"), Speaker("facts", 1, 1.0)
    twice = tuple(
        replace(section, text=f"{section.text}\nAda says that she lent Sam the brass key of the mill.")
        if section.name == "turn 3"
        else section
        for section in call.sections
    )

    def answer(ask: Request) -> str:
        text = sent(ask)
        return call.reply if "brass key of the mill" in text else OTHERS[1]

    speaker.answers["character"] = answer
    *_, why = await answers(replace(call, sections=twice), speaker)
    assert why.cause == TOGETHER and why.groups[0].part == TOGETHER
