"""Two ways of telling: a difference that is there is found, and none is seen where there is none."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import Run
from theact_tui.agents.prompts import TEMPLATES
from theact_tui.lab.compare import compare, sentence, strengths
from theact_tui.lab.measures import METRICS

NARRATOR = TEMPLATES["narrator"]
WORSE = NARRATOR.replace("Never speak, choose or feel for {player}. ", "")
GAMES = ("lost-island", "--players", "hasty", "--seeds", "10", "--turns", "3", "--profiles", "local")


def result(prompts: str, seed: int, **scores: float) -> dict[str, Any]:
    cell = {"pack": "p", "player": "hasty", "seed": seed, "profile": "local", "prompts": prompts}
    return {**cell, "measures": {"scores": {**dict.fromkeys(METRICS), **scores}}}


def test_prompts_made_worse_are_found_and_shown_and_a_difference_of_names_alone_is_none(
    lab: Run, profile: str, templates: Callable[[str, str], Path], tmp_path: Path
) -> None:
    assert WORSE != NARRATOR
    templates("same", NARRATOR)
    templates("worse", WORSE)
    assert lab("run", *GAMES, "--prompts", "own,same,worse", "--judge", profile, "--out", "out").code == 0
    shown = lab("show", "out", "--json").json
    results = shown["results"]
    assert len({each["head"] for each in results}) == 30, "the server tells something else each time"
    assert sentence(compare(results, "local", "local + same")).endswith("10 pairs: no difference seen.")
    found = compare(results, "local", "local + worse")
    [spoken] = [each for each in found if each.metric == "speaks_for_player"]
    assert spoken.seen and spoken.better is False and spoken.base_mean == 0
    assert {each.metric for each in found if each.better is False} <= {"speaks_for_player", "longest_repeat"}
    ranked = {each.variant: each for each in strengths(shown["judgements"])}
    assert min(ranked["local"].low, ranked["local + same"].low) > ranked["local + worse"].high
    assert lab("report", "out").code == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert re.search(r"speaks for the player 0% → \d+%, worse", page)
    assert "I will go down there at once" in page and "YOUR PART NOW: THE NARRATOR" in page
    assert "<script" not in page and "http-equiv" not in page and page.count("<svg") >= 3


@pytest.mark.parametrize("seed", range(5))
def test_noise_alone_is_no_difference(seed: int) -> None:
    dice = random.Random(seed)
    results = [
        result(prompts, game, beats=dice.random(), reply_words=dice.gauss(50, 9), distinct_2=dice.random())
        for prompts in ("own", "other")
        for game in range(20)
    ]
    assert sentence(compare(results, "local", "local + other")).endswith("no difference seen.")


def test_a_few_pairs_say_nothing() -> None:
    results = [result(p, game, beats=float(p == "own")) for p in ("own", "other") for game in range(4)]
    assert "too few" in sentence(compare(results, "local", "local + other"))


def test_games_are_paired() -> None:
    results = [
        result(prompts, game, narration_words=100.0 * game + (prompts == "other"))
        for prompts in ("own", "other")
        for game in range(10)
    ]
    [found] = compare(results, "local", "local + other")
    assert found.seen and found.low == found.high == 1.0, (
        "one word more in every pair, however much games differ"
    )
