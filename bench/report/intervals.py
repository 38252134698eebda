"""Figures with their uncertainty: quantiles and means by bootstrap, shares by Wilson's formula.

The bootstrap resamples items, 2000 times, and takes the middle 95 %. Its seed makes it come out
the same each time. Everything is pure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
Z_95 = 1.959964  # of the standard normal distribution

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]  # over the last axis


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure of ``count`` items with its 95 % interval; all None when there are no items."""

    count: int
    value: float | None
    low: float | None = None
    high: float | None = None

    def as_record(self) -> dict[str, Any]:
        """For JSON, rounded to what a measurement can carry."""
        return {
            key: round(value, 4) if isinstance(value, float) else value
            for key, value in asdict(self).items()
        }


NOTHING = Estimate(0, None)


def bootstrap(values: Sequence[float], statistic: Statistic, seed: int = 0) -> Estimate:
    """A statistic of the values and its interval."""
    if not values:
        return NOTHING
    sample = np.asarray(values, np.float64)
    value = float(statistic(sample))
    drawn = np.random.default_rng(seed).integers(0, sample.size, (RESAMPLES, sample.size))
    low, high = np.quantile(statistic(sample[drawn]), (0.025, 0.975))
    return Estimate(sample.size, value, float(low), float(high))


def quantile(values: Sequence[float], share: float, seed: int = 0) -> Estimate:
    """A quantile, interpolated between the two nearest values, with its interval."""
    return bootstrap(values, lambda sample: np.quantile(sample, share, axis=-1), seed)


def mean(values: Sequence[float], seed: int = 0) -> Estimate:
    """The mean with its interval."""
    return bootstrap(values, lambda sample: sample.mean(axis=-1), seed)


def ratio(
    numerators: Sequence[float], denominators: Sequence[float], share: float = 0.5, seed: int = 0
) -> Estimate:
    """A quantile of one set over that of another, measured on the same items in pairs.

    Raises ValueError when the two are not of one length.
    """
    if len(numerators) != len(denominators):
        raise ValueError(f"{len(numerators)} and {len(denominators)} values are no pairs")
    if not numerators:
        return NOTHING
    pairs = np.asarray([numerators, denominators], np.float64)
    drawn = np.random.default_rng(seed).integers(0, pairs.shape[1], (RESAMPLES, pairs.shape[1]))
    tops, bottoms = np.quantile(pairs[:, drawn], share, axis=-1)
    top, bottom = np.quantile(pairs, share, axis=-1)
    if bottom <= 0 or (bottoms <= 0).any():
        return Estimate(pairs.shape[1], None)
    low, high = np.quantile(tops / bottoms, (0.025, 0.975))
    return Estimate(pairs.shape[1], float(top / bottom), float(low), float(high))


def share_of(hits: int, count: int) -> Estimate:
    """A share with Wilson's 95 % interval, which is right for few items and for 0 and 1 too."""
    if not count:
        return NOTHING
    share = hits / count
    centre = share + Z_95**2 / (2 * count)
    spread = Z_95 * math.sqrt(share * (1 - share) / count + Z_95**2 / (4 * count**2))
    scale = 1 + Z_95**2 / count
    return Estimate(
        count, share, max(0.0, centre - spread) / scale, min(1.0, (centre + spread) / scale)
    )
