"""Whether two ways of telling differ: games are paired by pack, player and seed, and chance is counted with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from theact_tui.lab.measures import METRICS
from theact_tui.lab.plan import variant_of

LEAST_PAIRS = 8
"""With fewer pairs no difference can be told from chance."""
ALPHA = 0.05
"""The chance of seeing any difference where there is none, over all measures of a comparison together."""
SAMPLES = 4_999


@dataclass(frozen=True, slots=True)
class Difference:
    """A measure of two variants over the same pairs. `low` and `high` are the 95% interval of the mean difference."""

    metric: str
    base: str
    other: str
    pairs: int
    base_mean: float
    other_mean: float
    low: float
    high: float
    p: float
    """How often chance alone does as much (permutation test), corrected for the number of measures."""
    effect: float
    """The mean difference in standard deviations of the measure."""

    @property
    def seen(self) -> bool:
        """True if it is more than chance."""
        return self.p < ALPHA

    @property
    def better(self) -> bool | None:
        """Whether `other` is better; None where neither is, or no difference was seen."""
        wanted = METRICS[self.metric].better
        return (
            None if not wanted or not self.seen else (self.other_mean > self.base_mean) == (wanted == "more")
        )


def frame(results: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """A row for each game that was played: the fields of its result, its variant and its scores."""
    rows = [
        {**r, "variant": variant_of(r), **dict.fromkeys(METRICS, np.nan), **r["measures"]["scores"]}
        for r in results
        if r["measures"]
    ]
    columns = ["pack", "player", "seed", "variant", "turns", *METRICS]
    return pd.DataFrame(rows, columns=None if rows else columns).astype(dict.fromkeys(METRICS, float))


def comparisons(results: Sequence[Mapping[str, Any]]) -> list[list[Difference]]:
    """All measures of each two variants, in the order in which the variants come first."""
    variants = dict.fromkeys(variant_of(result) for result in results)
    return [compare(results, base, other) for base, other in combinations(variants, 2)]


def compare(results: Sequence[Mapping[str, Any]], base: str, other: str) -> list[Difference]:
    """Every measure that both variants have, with the p-values corrected by Holm's method. Measures that never differ
    are not tested."""
    games = frame(results)
    first, second = games[games.variant == base], games[games.variant == other]
    paired = first.merge(second, on=["pack", "player", "seed"], suffixes=("", " other"))
    found = [
        _difference(metric, base, other, both[metric].to_numpy(), both[f"{metric} other"].to_numpy())
        for metric in METRICS
        if not (both := paired[[metric, f"{metric} other"]].dropna()).empty
    ]
    tested = sorted((each for each in found if each.p < 1.0), key=lambda each: each.p)
    scaled = np.array([each.p for each in tested]) * np.arange(len(tested), 0, -1)
    corrected = dict(zip((each.metric for each in tested), np.maximum.accumulate(scaled), strict=True))
    return [replace(each, p=min(1.0, float(corrected.get(each.metric, 1.0)))) for each in found]


def _difference(metric: str, base: str, other: str, a: Any, b: Any) -> Difference:
    from scipy import stats  # slow to import

    gaps, spread, p = b - a, float(np.concatenate([a, b]).std()), 1.0
    low = high = float(gaps.mean())
    if gaps.std() > 0:
        drawn = stats.bootstrap((gaps,), np.mean, n_resamples=SAMPLES, method="percentile", rng=1)
        low, high = map(float, drawn.confidence_interval)
    if len(gaps) >= LEAST_PAIRS and np.any(gaps):
        kind = "samples"
        test = stats.permutation_test((b, a), _mean_gap, permutation_type=kind, n_resamples=SAMPLES, rng=1)
        p = float(test.pvalue)
    effect = float(gaps.mean()) / spread if spread else 0.0
    means = float(a.mean()), float(b.mean())
    return Difference(metric, base, other, len(gaps), *means, low, high, p, effect)


def _mean_gap(a: Any, b: Any, axis: int) -> Any:
    return np.mean(a - b, axis=axis)


def sentence(found: Sequence[Difference]) -> str:
    """What a comparison says, for people."""
    if not found:
        return "No two games can be compared."
    base, other, pairs = found[0].base, found[0].other, max(each.pairs for each in found)
    about = f"{other} against {base}, {pairs} pairs"
    if pairs < LEAST_PAIRS:
        return f"{about}: too few to tell a difference from chance; {LEAST_PAIRS} are needed."
    told = []
    for each in found:
        if each.seen:
            metric = METRICS[each.metric]
            verdict = {True: ", better", False: ", worse", None: ""}[each.better]
            values = f"{metric.text(each.base_mean)} → {metric.text(each.other_mean)}"
            told.append(f"{metric.label.lower()} {values}{verdict}")
    return f"{about}: {'; '.join(told)}." if told else f"{about}: no difference seen."


@dataclass(frozen=True, slots=True)
class Strength:
    """How a variant does before the judge: its chance to win against the average one, with a 95% interval."""

    variant: str
    games: int
    share: float
    low: float
    high: float


def strengths(judgements: Sequence[Mapping[str, Any]]) -> list[Strength]:
    """The Bradley-Terry strengths of all judged variants, best first. A tie is half a win for each."""
    games = Counter(name for each in judgements for name in (each["first"], each["second"]))
    if not games:
        return []
    names = sorted(games)
    pairs = [(e["first"], e["second"], e["winner"]) for e in judgements]
    won = [{first: 1.0, second: 0.0}.get(winner, 0.5) for first, second, winner in pairs]
    rows = np.array([(*map(names.index, pair[:2]), share) for pair, share in zip(pairs, won, strict=True)])
    generator = np.random.default_rng(1)
    drawn = [_bradley_terry(generator.choice(rows, len(rows)), len(names)) for _ in range(500)]
    table = zip(_bradley_terry(rows, len(names)), *np.percentile(drawn, [2.5, 97.5], axis=0), strict=True)
    found = [
        Strength(name, games[name], *map(float, shares)) for name, shares in zip(names, table, strict=True)
    ]
    return sorted(found, key=lambda each: -each.share)


def _bradley_terry(rows: Any, many: int) -> Any:
    """Chances to win against an average opponent, by repeated scaling; half a tie with everybody keeps them finite."""
    wins, (first, second), won = np.full((many, many), 0.25), rows[:, :2].T.astype(int), rows[:, 2]
    np.add.at(wins, (first, second), won)
    np.add.at(wins, (second, first), 1 - won)
    np.fill_diagonal(wins, 0)
    games, strength = wins + wins.T, np.ones(many)
    for _ in range(100):
        strength = wins.sum(axis=1) / (games / np.add.outer(strength, strength)).sum(axis=1)
        strength = strength / np.exp(np.log(strength).mean())  # scipy's `gmean` is far slower
    return strength / (1 + strength)
