"""Whether two ways of telling differ: games are paired by pack, player and seed, and chance is counted with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

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


def comparisons(results: Sequence[Mapping[str, Any]]) -> list[list[Difference]]:
    """All measures of each two variants, in the order in which the variants come first."""
    variants = list(dict.fromkeys(variant_of(result) for result in results))
    return [compare(results, base, other) for base, other in combinations(variants, 2)]


def compare(results: Sequence[Mapping[str, Any]], base: str, other: str) -> list[Difference]:
    """Every measure that both variants have, with the p-values corrected by Holm's method."""
    scores: dict[str, dict[tuple[Any, ...], Mapping[str, float | None]]] = {base: {}, other: {}}
    for result in results:
        if (variant := variant_of(result)) in scores and result["measures"]:
            pair = (result["pack"], result["player"], result["seed"])
            scores[variant][pair] = result["measures"]["scores"]
    both = sorted(scores[base].keys() & scores[other].keys())
    found: list[Difference] = []
    for metric in METRICS:
        values = [
            (a, b)
            for pair in both
            if (a := scores[base][pair][metric]) is not None
            and (b := scores[other][pair][metric]) is not None
        ]
        if values:
            found.append(_difference(metric, base, other, values))
    return _holm(found)


def _difference(metric: str, base: str, other: str, values: Sequence[tuple[float, float]]) -> Difference:
    a, b = (np.array(side, dtype=float) for side in zip(*values, strict=True))
    (low, high), p = interval(b - a), 1.0
    spread = float(np.concatenate([a, b]).std())
    if len(values) >= LEAST_PAIRS and np.any(a != b):
        test = stats.permutation_test(
            (b, a), _mean_difference, permutation_type="samples", vectorized=True, n_resamples=SAMPLES, rng=1
        )
        p = float(test.pvalue)
    return Difference(
        metric=metric,
        base=base,
        other=other,
        pairs=len(values),
        base_mean=float(a.mean()),
        other_mean=float(b.mean()),
        low=low,
        high=high,
        p=p,
        effect=float((b - a).mean()) / spread if spread else 0.0,
    )


def _mean_difference(a: Any, b: Any, axis: int) -> Any:
    return np.mean(a - b, axis=axis)


def interval(values: Any) -> tuple[float, float]:
    """The 95% bootstrap interval of a mean."""
    drawn = np.random.default_rng(1).choice(values, (SAMPLES, len(values)))
    low, high = np.percentile(drawn.mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def _holm(found: Sequence[Difference]) -> list[Difference]:
    """The differences with p-values that hold for all of them together; measures that never differ are not tested."""
    corrected, worst = {each.metric: 1.0 for each in found}, 0.0
    differing = sorted((each for each in found if each.p < 1.0), key=lambda each: each.p)
    for rank, each in enumerate(differing):
        worst = max(worst, min(1.0, each.p * (len(differing) - rank)))
        corrected[each.metric] = worst
    return [replace(each, p=corrected[each.metric]) for each in found]


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
    names = sorted({name for each in judgements for name in (each["first"], each["second"])})
    if not names:
        return []
    place = {name: position for position, name in enumerate(names)}
    rows = np.array(
        [
            (
                place[each["first"]],
                place[each["second"]],
                {each["first"]: 1.0, "tie": 0.5}.get(each["winner"], 0.0),
            )
            for each in judgements
        ]
    )
    generator = np.random.default_rng(1)
    drawn = [
        _bradley_terry(rows[generator.integers(0, len(rows), len(rows))], len(names)) for _ in range(500)
    ]
    low, high = np.percentile(np.array(drawn), [2.5, 97.5], axis=0)
    shares = _bradley_terry(rows, len(names))
    found = [
        Strength(
            name,
            sum(name in (e["first"], e["second"]) for e in judgements),
            *map(float, (shares[i], low[i], high[i])),
        )
        for name, i in place.items()
    ]
    return sorted(found, key=lambda each: -each.share)


def _bradley_terry(rows: Any, many: int) -> Any:
    """Chances to win against an average opponent, by repeated scaling; half a tie with everybody keeps them finite."""
    wins = np.full((many, many), 0.25)
    for first, second, won in rows:
        wins[int(first), int(second)] += won
        wins[int(second), int(first)] += 1 - won
    np.fill_diagonal(wins, 0)
    games, strength = wins + wins.T, np.ones(many)
    for _ in range(100):
        strength = wins.sum(axis=1) / (games / (strength[:, None] + strength[None, :])).sum(axis=1)
        strength = strength / np.exp(np.log(strength).mean())
    return strength / (1 + strength)
