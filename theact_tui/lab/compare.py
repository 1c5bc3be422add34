"""Compare storytellers by games paired by pack, player and seed. The test flips signs of the pairs' differences; its
p-value changes only at means of subsets of the differences, so these also bound its confidence interval (J. A.
Hartigan, Using subsample values as typical values, JASA 64, 1969). Pairs won before the judge: exact binomial test,
Clopper-Pearson interval.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, nan
from statistics import NormalDist, fmean, stdev
from typing import Any, Self

import numpy as np

from theact_tui.lab.judge_pairs import too_small
from theact_tui.lab.measures import METRICS, Metric
from theact_tui.lab.run_folder import Pair, Run, grouped, pairs_of
from theact_tui.text import counted

ALPHA, ALPHA_OF_TWO = 0.05, 0.029
"""False positive rates with one look, and for each of two looks (S. J. Pocock, Biometrika 64)."""
_EXACT = 14
"""Most pairs for which all flips are counted; with more pairs, 2 to this power flips are drawn."""
_POWER = 0.8
"""Of the recommended number of pairs, if the difference is as measured."""
_MIN_PACKS = 6
"""For a general answer."""
_JUDGE = Metric("The judge's choice", "more", "pairs that the judge prefers, without ties", True)


def typical_values(gaps: Sequence[float]) -> Any:
    """Return the means of all subsets of differences, ascending; a sample of them if there are too many."""
    chosen = (np.arange(1, 2 ** min(len(gaps), _EXACT))[:, None] >> np.arange(len(gaps))) & 1
    if len(gaps) > _EXACT:
        chosen = np.random.default_rng(1).integers(0, 2, (2**_EXACT, len(gaps)))
        chosen = chosen[chosen.any(axis=1)]
    return np.sort(np.round(chosen @ np.asarray(gaps, float) / chosen.sum(axis=1), 12))


def p_value(gaps: Sequence[float]) -> float:
    """Return the two-sided p-value of a mean difference of 0."""
    means = typical_values(gaps)
    return min(1.0, 2 * (1 + float(min((means <= 0).sum(), (means >= 0).sum()))) / (len(means) + 1))


def interval(gaps: Sequence[float], level: float) -> tuple[float, float]:
    """Return the confidence interval of the mean difference."""
    means = typical_values(gaps)
    outside = int(level / 2 * (len(means) + 1) + 1e-9)
    return (float(means[outside - 1]), float(means[-outside])) if outside else (-1.0, 1.0)


def holm(ps: Sequence[float], alpha: float) -> list[float]:
    """Return Holm's level for each p-value; significant at or below it."""
    levels, stopped, level = [0.0] * len(ps), False, alpha
    for done, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        level = level if stopped else alpha / (len(ps) - done)
        stopped = stopped or ps[place] > level
        levels[place] = level
    return levels


@dataclass(frozen=True, slots=True)
class Difference:
    metric: str
    names: tuple[str, str]
    values: tuple[float, float]
    """Means; for the judge, shares of decided pairs won."""
    gaps: Mapping[tuple[str, str], float]
    """By pack and pair: how much better the other is."""
    p: float = 1.0
    level: float = ALPHA
    low: float = -1.0
    high: float = 1.0
    """Confidence interval of the mean gap; for the judge, of the winner's share."""
    worse: tuple[float, float] = (1.0, 1.0)
    """One-sided bounds of how much worse the base and the other are."""

    @property
    def about(self) -> Metric:
        return METRICS.get(self.metric, _JUDGE)

    @property
    def sure(self) -> bool:
        return self.p <= self.level

    @property
    def gap(self) -> float:
        return fmean(self.gaps.values()) if self.gaps else 0.0

    @property
    def drawn(self) -> tuple[float, float, float]:
        """Low, middle and high, from -1 (base) to 1 (other)."""
        if self.metric != "judge":
            return self.low, self.gap, self.high
        wins = self.count()
        middle = (wins[1] - wins[-1]) / max(1, wins[1] + wins[-1])
        low, high = 2 * self.low - 1, 2 * self.high - 1
        return (low, middle, high) if self.ahead else (-high, middle, -low)

    @property
    def ahead(self) -> int:
        return int(self.gap > 0)

    @property
    def verdict(self) -> str:
        return f"{self.names[self.ahead]} is better" if self.sure else "too few pairs to be sure"

    @property
    def detail(self) -> str:
        level, pairs = f"{100 * (1 - self.level):.3g}% interval", counted(len(self.gaps), "pair")
        low, high = (100 * self.low, 100 * self.high)
        if self.metric == "judge":
            wins = self.count()
            won, decided = wins[1 if self.ahead else -1], wins[1] + wins[-1]
            score = f"{won} of {counted(decided, 'pair')}, {counted(wins[0], 'tie')}"
            return f"the judge prefers it in {score} ({level} {low:.0f} to {high:.0f}%; p = {self.p:.2g})"
        if not self.ahead:
            low, high = -high, -low
        better, other = (self.about.text(self.values[place]) for place in (self.ahead, 1 - self.ahead))
        gap, bounds = 100 * abs(self.gap), f"{level} {low:z.0f} to {high:z.0f}; {pairs}"
        label = self.about.label.lower()
        return f"{label} {better} against {other}, better by {gap:.0f} points ({bounds}, p = {self.p:.2g})"

    def count(self, pack: str = "") -> Counter[int]:
        """Count the pairs in which the other is better (1), equal (0) or worse (-1)."""
        gaps = [gap for (name, _), gap in self.gaps.items() if pack in ("", name)]
        return Counter((gap > 0) - (gap < 0) for gap in gaps)

    @property
    def won(self) -> dict[str, str]:
        """Wins of both and ties, by pack."""
        counts = {pack: self.count(pack) for pack, _ in self.gaps}
        equal = {pack: f", {wins[0]} equal" if wins[0] else "" for pack, wins in counts.items()}
        return {pack: f"{wins[-1]} to {wins[1]}{equal[pack]}" for pack, wins in counts.items()}

    def tested(self, level: float) -> Self:
        from scipy import stats  # slow to import

        gaps = list(self.gaps.values())
        if self.metric != "judge":
            (low, high), (least, most) = interval(gaps, level), interval(gaps, 2 * level)
            return replace(self, p=p_value(gaps), level=level, low=low, high=high, worse=(most, -least))
        wins = [self.count()[sign] for sign in (-1, 1)]
        if not any(wins):
            return replace(self, level=level, low=0.0, worse=(0.5, 0.5))
        test = stats.binomtest(max(wins), sum(wins))
        low, high = test.proportion_ci(1 - level, "exact")
        bounds = (
            stats.binomtest(won, sum(wins), alternative="greater").proportion_ci(1 - level).low
            for won in wins
        )
        base, other = (0.5 - bound for bound in bounds)
        return replace(self, p=float(test.pvalue), level=level, low=low, high=high, worse=(base, other))


def _tested(family: Sequence[Difference], alpha: float) -> list[Difference]:
    measured = [difference.tested(alpha) for difference in family if difference.gaps]
    levels = holm([difference.p for difference in measured], alpha)
    return [difference.tested(level) for difference, level in zip(measured, levels, strict=True)]


@dataclass(frozen=True, slots=True)
class TellerComparison:
    names: tuple[str, str]
    tested: tuple[Difference, ...]
    """Primary measure first."""
    described: tuple[Difference, ...]
    judged: Difference | None
    """Result of the judge, if not in `tested`."""
    left_out: int
    """Pairs with a failed or missing game."""
    answer: list[str]
    """Sentences, verdict first."""
    is_sure: bool


def comparisons(run: Run) -> list[TellerComparison]:
    """Compare each other storyteller of a run with the first."""
    plan, results = run.plan, run.results()
    base, *others = plan.names
    alpha = ALPHA_OF_TWO if plan.second_look else ALPHA
    pairs = {other: pairs_of(results, base, other) for other in others}
    metrics = dict.fromkeys((*plan.tested, *METRICS, "judge"))
    differences = {(o, name): _difference(run, name, (base, o), pairs[o]) for o in others for name in metrics}
    for family in ((plan.tested[0],), plan.tested[1:]):
        for difference in _tested([differences[other, name] for name in family for other in others], alpha):
            differences[difference.names[1], difference.metric] = difference
    comparisons = []
    for other in others:
        measured = {name: differences[other, name] for name in metrics if differences[other, name].gaps}
        tested = tuple(measured.pop(name) for name in plan.tested if name in measured)
        judged = measured.pop("judge").tested(alpha) if "judge" in measured else None
        missing = sum(cell.variant == other for cell in run.cells) - len(pairs[other])
        answer, sure = _answer(run, differences[other, plan.tested[0]], len(pairs[other]))
        comparisons.append(
            TellerComparison((base, other), tested, tuple(measured.values()), judged, missing, answer, sure)
        )
    return comparisons


def _difference(run: Run, metric: str, names: tuple[str, str], pairs: Mapping[str, Pair]) -> Difference:
    """Collect a measure over all pairs that have it, untested."""
    scored = {id: [r["measures"]["scores"].get(metric) for r in pair] for id, pair in pairs.items()}
    if metric == "judge":
        lines = [] if too_small(run.judgements()) else run.judgements()
        winners = {line["id"]: line["winner"] for line in lines if line["id"] in pairs}
        scored = {id: [float(won == name) for name in names] for id, won in winners.items()}
    complete = [(id, a, b) for id, (a, b) in scored.items() if a is not None and b is not None]
    sums = [sum(a for _, a, _ in complete), sum(b for _, _, b in complete)]
    of = sum(sums) if metric == "judge" else len(complete)
    sign = -1 if METRICS.get(metric, _JUDGE).better == "less" else 1
    gaps = {(pairs[id][0]["pack"], id): round(sign * (b - a), 9) for id, a, b in complete}
    return Difference(metric, names, (sums[0] / of if of else nan, sums[1] / of if of else nan), gaps)


def _answer(run: Run, main: Difference, pairs: int) -> tuple[list[str], bool]:
    plan, gaps, played, games = run.plan, list(main.gaps.values()), len(run.results()), len(run.cells)
    about = " against ".join(main.names[::-1])
    ahead, behind = main.names[main.ahead], main.names[1 - main.ahead]
    if played < games:
        state = f"{played} of {counted(games, 'game')} are played. The answer comes with the last."
        return [f"{about}: {state}"], False
    if not gaps:
        why = f"no pair has a value of “{main.about.label}”" if pairs else "a game of each pair failed"
        return [f"{about}: no answer. {too_small(run.judgements()) or f'The reason: {why}.'}"], False
    if main.sure:
        won, counts = 1 if main.ahead else -1, {pack: main.count(pack) for pack in main.won}
        packs = ", ".join(f"{pack} ({wins[won]} of {wins.total()} pairs)" for pack, wins in counts.items())
        scope = f"This holds on these packs and players: {packs}. {_general(main)}"
        return [f"{ahead} is better than {behind}: {main.detail}.", scope], True
    if fine := [i for i in (1, 0) if plan.no_worse and main.worse[i] < plan.no_worse]:
        points = f"by {100 * (plan.no_worse or 0):g} points"
        claims = [f"{main.names[i]} is no worse than {main.names[1 - i]} {points}" for i in fine]
        return [f"{', and '.join(claims)}: {main.detail}."], True
    state = (
        f"too few pairs to be sure; {f'{ahead} is ahead' if main.gap else 'they are level'}: {main.detail}"
    )
    return [f"{about}: {state}.", _more(run, gaps, main.level)], False


def _general(main: Difference) -> str:
    by_pack = grouped(main.gaps, lambda pair: pair[0]).values()
    if len(by_pack) < _MIN_PACKS:
        return f"A general answer needs {_MIN_PACKS} packs or more."
    p = p_value([fmean(main.gaps[pair] for pair in pairs) for pairs in by_pack])
    return f"It {'holds in general, too' if p <= main.level else 'is not sure in general'} (by pack, p = {p:.2g})."


def pairs_needed(gaps: Sequence[float], level: float) -> int | None:
    """Return the number of pairs that would show the difference; None if there seems to be none."""
    if len(gaps) < 2 or not fmean(gaps):
        return None
    wanted = NormalDist().inv_cdf(1 - level / 2) + NormalDist().inv_cdf(_POWER)
    least = next(many for many in range(1, 64) if 2 / 2**many <= level)
    return max(ceil((wanted * stdev(gaps) / fmean(gaps)) ** 2), least, len(gaps) + 1)


def _more(run: Run, gaps: Sequence[float], level: float) -> str:
    plan, wanted = run.plan, pairs_needed(gaps, level)
    if wanted is None:
        return "More seeds would hardly show a difference. Plan a no_worse to ask whether one is no worse."
    seeds = ceil((wanted - len(gaps)) / (len(plan.packs) * len(plan.players)))
    advice = f"About {counted(seeds, 'more seed')} would do, if the difference is as it looks."
    if plan.second_look and not run.again:
        return f"{advice} The planned second look adds {plan.second_look}: `theact-tui lab run DIR --again`."
    return f"{advice} Play them in a new run: who looks until there is a difference will see one."
