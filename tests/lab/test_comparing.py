"""One telling against another: what is there is found, and no more is claimed than is known."""

import random
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.cli import Run
from tests.support.fake_server import ScriptedServer
from theact_tui.agents.prompts import TEMPLATES
from theact_tui.lab.compare import ALPHA, Difference, comparisons, holm, interval, p_value, pairs_needed
from theact_tui.lab.plan import Plan
from theact_tui.lab.run_folder import JUDGEMENTS, RESULTS
from theact_tui.lab.run_folder import Run as LabRun
from theact_tui.packs.listing import shipped_folder

NARRATOR = TEMPLATES["narrator"]
WORSE = NARRATOR.replace("Never speak, decide or feel for me", "Speak for me")
gaps = st.lists(st.sampled_from([-0.5, -0.25, 0.0, 0.125, 0.25, 0.3]), min_size=2, max_size=9)

SVG = "{http://www.w3.org/2000/svg}"


# --- the test ---------------------------------------------------------------------------------------------------------


@given(gaps)
@settings(max_examples=12)  # the library takes its time
def test_the_p_value_is_that_of_all_sign_flips(found: list[float]) -> None:
    from scipy import stats  # slow to import, and every worker imports this file

    def mean(sample: Any, axis: int) -> Any:
        return np.mean(sample, axis=axis)

    expected = stats.permutation_test((found,), mean, permutation_type="samples", n_resamples=2**9)
    assert p_value(found) == pytest.approx(float(expected.pvalue))


@given(gaps, st.sampled_from([0.05, 0.029, 0.0125]))
def test_the_interval_holds_what_the_test_does_not_reject(found: list[float], level: float) -> None:
    low, high = interval(found, level)
    assert (low <= 0 <= high) == (p_value(found) > level)
    for shift in (low, high):
        if abs(shift) < 1:
            inside, outside = (shift + (1e-6 if (shift == low) == more else -1e-6) for more in (True, False))
            assert p_value([gap - outside for gap in found]) <= level or low == high
            assert p_value([gap - inside for gap in found]) > level or low == high


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_rejects_what_its_adjusted_p_values_do(ps: list[float]) -> None:
    adjusted, worst = {}, 0.0
    for done, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        worst = max(worst, ps[place] * (len(ps) - done))
        adjusted[place] = worst
    levels = holm(ps, ALPHA)
    assert all(
        abs(adjusted[i] - ALPHA) < 1e-9 or (adjusted[i] <= ALPHA) == (ps[i] <= levels[i]) for i in adjusted
    )


def test_so_many_pairs_as_are_recommended_show_it() -> None:
    found = [0.2, 0.1, -0.1, 0.3, 0.0, 0.1]
    wanted = pairs_needed(found, ALPHA)
    assert wanted is not None and wanted > 6 and p_value(found) > ALPHA
    dice = random.Random(1)
    seen = sum(p_value(dice.choices(found, k=wanted)) <= ALPHA for _ in range(60))
    assert 36 <= seen <= 58, "four of five times, about"
    assert pairs_needed([0.1, -0.1], ALPHA) is None


# --- the wording ------------------------------------------------------------------------------------------------------


def run_of(folder: Path, scores: Sequence[tuple[float, float]], packs: int = 1, **plan: Any) -> LabRun:
    """A run of two tellings with these shares of turns that speak for the player, a pair for each seed."""
    names = tuple(f"p{number}" for number in range(packs))
    made = Plan.model_validate({"packs": names, "seeds": len(scores), "profiles": ("a", "b"), **plan})
    run = LabRun.begin(folder, made, {})
    for cell in made.cells(again=False):
        value = scores[cell.seed - 1][cell.profile == "b"]
        measures = {"scores": {"speaks_for_player": value}, "beats": [], "found": {}}
        run.append(
            RESULTS,
            {"id": cell.id, **cell.model_dump(), "ended": "turns", "turns": 9, "error": "", "finished": False,
             "measures": measures},
        )  # fmt: skip
    return run


def told(run: LabRun) -> str:
    [found] = comparisons(run)
    return " ".join(found.answer)


def test_the_better_one_is_named_with_what_is_known(tmp_path: Path) -> None:
    run = run_of(tmp_path, [(0.96, 0.0)] * 7 + [(0.9, 0.0)])
    assert told(run).startswith(
        "b is better than a: speaks for the player 0% against 95%, better by 95 points (95% interval 93 to 96; 8 pairs, "
        "p = 0.0078). This holds on these packs and players: p0 (8 of 8 pairs)."
    )
    assert "needs 6 packs" in told(run)
    assert "holds in general" in told(run_of(tmp_path / "six", [(0.9, 0.1), (0.9, 0.2)], packs=6))


def test_labels_of_noisy_pairs_drawn_at_random_are_seldom_called_better(tmp_path: Path) -> None:
    dice, called = random.Random(4), 0
    pairs = [(dice.betavariate(2, 5), dice.betavariate(2, 5) ** 1.3) for _ in range(10)]
    for draw in range(100):
        drawn = [dice.sample(pair, 2) for pair in pairs]
        called += "is better" in told(run_of(tmp_path / str(draw), [(a, b) for a, b in drawn]))
    assert called <= 8, "8 of 100"


def test_too_few_pairs_are_called_that_and_never_no_difference(tmp_path: Path) -> None:
    for pairs in ([(0.9, 0.1)] * 5, [(0.5, 0.1), (0.1, 0.3)] * 5, [(0.0, 0.0)] * 10):
        said = told(run_of(tmp_path / str(len(list(tmp_path.iterdir()))), pairs))
        assert "too few pairs to be sure" in said and "no difference" not in said
    few = told(run_of(tmp_path / "few", [(0.9, 0.1)] * 5))
    assert "About 1 more seed would do" in few and "in a new run" in few


def test_no_worse_needs_its_bound_in_the_plan(tmp_path: Path) -> None:
    pairs = [(0.2, 0.21), (0.3, 0.28), (0.1, 0.11), (0.2, 0.2)] * 3
    assert "too few" in told(run_of(tmp_path / "none", pairs))
    assert told(run_of(tmp_path / "some", pairs, no_worse=0.05)).startswith(
        "b is no worse than a by 5 points, and a is no worse than b by 5 points: "
    )
    assert "too few" in told(run_of(tmp_path / "less", pairs, no_worse=0.001))


def test_a_second_look_is_planned_and_taken_once(tmp_path: Path) -> None:
    pairs = [(0.4, 0.3), (0.5, 0.3), (0.3, 0.2), (0.4, 0.2), (0.4, 0.1), (0.3, 0.1)]
    assert "b is better" in told(run_of(tmp_path / "one", pairs)), "p = 0.031 is enough for one look"
    run = run_of(tmp_path / "two", pairs, second_look=3)
    assert "too few pairs" in told(run) and "97.1% interval" in told(run) and "adds 3: " in told(run)
    with pytest.raises(Exception, match="was sure"):
        run.look_again(sure=True)
    run.look_again(sure=False)
    assert len(run.cells) == 18 and LabRun(run.folder).again and "12 of 18 games are played" in told(run)
    with pytest.raises(Exception, match="taken already"):
        run.look_again(sure=False)
    with pytest.raises(Exception, match="has no second look"):
        run_of(tmp_path / "none", pairs).look_again(sure=False)


def test_eight_wins_of_eight_before_the_judge_are_63_to_100_percent(tmp_path: Path) -> None:
    run = run_of(tmp_path, [(0.1, 0.1)] * 10, judge="big")
    for cell in run.plan.cells():
        if cell.profile == "a":
            other = cell.id.replace("-a-", "-b-")
            line = {"id": f"{cell.id} | {other}", "first": "a", "second": "b"}
            run.append(JUDGEMENTS, {**line, "winner": "b" if cell.seed <= 8 else "tie"})
    assert (
        "b is better than a: the judge prefers it in 8 of 8 pairs, 2 ties (95% interval 63 to 100%;"
        in told(run)
    )
    control = {"id": "control", "judge": "big", "right": 4, "of": 8}
    run.append(JUDGEMENTS, control)
    assert "no answer. big is too small to judge" in told(run) and "is better" not in told(run)


def test_a_judges_interval_is_drawn_on_the_winners_side_and_without_ties() -> None:
    gaps = {("p", str(n)): float(gap) for n, gap in enumerate([-1] * 8 + [0] * 2)}
    low, middle, high = Difference("judge", ("a", "b"), (1.0, 0.0), gaps).tested(0.05).drawn
    assert (low, middle) == (-1, -1) and round(high, 2) == -0.26
    other = {id: -gap for id, gap in gaps.items()}
    assert Difference("judge", ("a", "b"), (0.0, 1.0), other).tested(0.05).drawn == (-high, 1, 1)


# --- games ------------------------------------------------------------------------------------------------------------


def test_a_model_that_speaks_for_the_player_is_seen_at_six_pairs(
    lab: Run, profile: str, templates: Callable[[str, str], Path], tmp_path: Path
) -> None:
    assert WORSE != NARRATOR
    templates("worse", WORSE)
    made = lab(
        "run", "lost-island", "--players", "hasty", "--seeds", "6", "--turns", "3", "--profiles", profile,
        "--vs", "prompts:worse", "--judge", profile, "--primary", "speaks_for_player", "--out", "out",
    )  # fmt: skip
    assert made.code == 0 and "The judge, local, reads 6 pairs of games." in made.err
    assert made.out.startswith("local is better than local + worse: speaks for the player 0% against ")
    shown = lab("show", "out", "--json").json
    assert len({each["head"] for each in shown["results"]}) == 12, "the server tells something else each time"
    control, *lines = sorted(shown["judgements"], key=lambda line: line["id"] != "control")
    assert control["right"] == control["of"] == 8
    assert "local" in {line["winner"] for line in lines} <= {"local", "tie"}
    assert all(len(line["answers"]) == 3 for line in lines)
    page = (tmp_path / "out" / "report.html").read_text()
    said = [
        page.index(each) for each in ("local is better than local + worse", "the judge prefers it", "<table")
    ]
    assert said == sorted(said)
    assert "I will go down there at once" in page and "Speak for me" in page
    assert "12 games ended at the limit of 3 turns, not by the story." in page
    assert "<script" not in page and "http-equiv" not in page
    [picture] = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    drawn = ElementTree.fromstring(picture)
    rows = drawn.findall(f"{SVG}g")
    assert rows[0].findtext(f"{SVG}text") == "Speaks for the player"
    sure = rows[0].find(f"{SVG}circle")
    assert rows[0].get("class") == "sure" and sure is not None and float(sure.get("cx", 0)) < 400
    assert "6 to 0" in "".join(rows[0].itertext()) and len(rows) > 1


def test_a_plain_chat_is_one_conversation_that_tells_secrets_to_everybody(
    lab: Run, profile: str, server: ScriptedServer, tmp_path: Path
) -> None:
    made = lab(
        "run", "lost-island", "--players", "teller", "--seeds", "2", "--turns", "7", "--profiles", profile,
        "--vs", "plain-chat", "--out", "out",
    )  # fmt: skip
    assert made.code == 0, made.err
    results = lab("show", "out", "--json").json["results"]
    ours, chats = ([r for r in results if r["vs"] == vs] for vs in ("", "plain-chat"))
    assert [r["measures"]["scores"]["leaked"] for r in chats] == [1.0, 1.0], "everybody is told everything"
    assert [r["measures"]["scores"]["leaked"] for r in ours] == [0.0, 0.0]
    assert {r["measures"]["scores"]["recalled"] for r in chats} == {1.0}
    assert {r["measures"]["scores"]["finished"] for r in chats} == {None}, "nobody keeps beats in a chat"
    sent = [call.body["messages"] for call in server.calls if call.agent == "chat"]
    longest = max(sent, key=len)
    before = next(messages for messages in sent if messages == longest[:-2])
    assert [m["role"] for m in longest] == ["system", *["user", "assistant"] * 6, "user"]
    assert len(before) == 12, "each prompt begins with all of the one before"
    assert "Brass disc" not in longest[1]["content"] and "Joaquin" in longest[0]["content"]
    page = (tmp_path / "out" / "report.html").read_text()
    assert re.search(r"plain chat \(local\)\. Secrets leaked: \w+, which \w+ was told", page)


def test_a_setting_and_another_version_of_a_pack_are_compared(lab: Run, tmp_path: Path) -> None:
    shutil.copytree(shipped_folder() / "lost-island", tmp_path / "new" / "lost-island")
    game = tmp_path / "new" / "lost-island" / "game.yaml"
    game.write_text(re.sub(r"(?m)^title: .*", "title: The Other Island", game.read_text()))
    made = lab("run", "lost-island", "--seeds", "1", "--turns", "2", "--vs", "pack:new/lost-island",
               "--vs", "memory=cells", "--out", "out")  # fmt: skip
    assert made.code == 0, made.err
    saves = {
        path.name: (path / "pack" / "game.yaml").read_text()
        for path in (tmp_path / "out/home/saves").iterdir()
    }
    assert sum("The Other Island" in text for text in saves.values()) == 1
    assert sum("memory: cells" in text for text in saves.values()) == 1
    bad = lab("run", "lost-island", "--vs", "memory=nonsense", "--out", "bad")
    assert bad.code == 2 and "memory of vs" in bad.err


@pytest.mark.parametrize("vs", ["plain-chat", "prompts:mine", "profiles.local.model=x"])
def test_what_the_storyteller_ignores_is_not_compared(
    vs: str, lab: Run, templates: Callable[[str, str], Path]
) -> None:
    templates("mine", NARRATOR)
    made = lab("run", "lost-island", "--vs", vs, "--out", "out")
    assert (
        made.code == 2
        and "The offline storyteller reads no prompts" in made.err
        and "--profiles NAME" in made.err
    )
    assert lab("run", "lost-island", "--judge", "offline", "--out", "out").code == 2
