"""Joins the two clocks: a sample index of one stream and session time."""

from __future__ import annotations

from collections import deque

_BUCKET_S = 1.0  # the best observation of each second is kept ...
_BUCKETS = 10  # ... for ten seconds, so that 100 ppm of drift is followed within 1 ms
_MAX_CATCH_UP = 0.9  # share of the elapsed stream time by which the join may move back


class StreamAnchor:
    """Tells when a sample was delivered, from observations that are late by varying amounts.

    Delivery can be late but never early, so the earliest observation, relative to the sample
    count, is the truest: the join is the minimum of (time - sample / rate) over ten seconds.
    For one state of the anchor the join is a straight line, so it is monotone in both directions;
    the time of the newest sample also never goes back when an observation corrects the join.

    Times are session seconds given by the caller. What the device itself adds (its latency) is
    not seen here: take it off the result.
    """

    def __init__(self, rate: int) -> None:
        if rate < 1:
            raise ValueError("rate is a positive number of Hz")
        self._rate = rate
        self._best: deque[tuple[int, float]] = deque(maxlen=_BUCKETS)  # (bucket, offset_s)
        self._offset_s: float | None = None
        self._newest_s = 0.0  # stream time of the newest observation

    @property
    def anchored(self) -> bool:
        """True once there was an observation."""
        return self._offset_s is not None

    def observe(self, sample: int, at_s: float) -> None:
        """At ``at_s``, all samples before index ``sample`` had been delivered."""
        stream_s = sample / self._rate
        offset_s = at_s - stream_s
        bucket = int(stream_s // _BUCKET_S)
        if self._best and self._best[-1][0] == bucket:
            self._best[-1] = (bucket, min(self._best[-1][1], offset_s))
        else:
            self._best.append((bucket, offset_s))
        wanted_s = min(best_s for _, best_s in self._best)
        if self._offset_s is None:
            self._offset_s = wanted_s
        else:
            elapsed_s = max(0.0, stream_s - self._newest_s)
            self._offset_s = max(wanted_s, self._offset_s - _MAX_CATCH_UP * elapsed_s)
        self._newest_s = max(self._newest_s, stream_s)

    def time_of(self, sample: int) -> float:
        """Session time at which ``sample`` began. Raises LookupError before any observation."""
        return sample / self._rate + self._require()

    def sample_at(self, at_s: float) -> int:
        """The sample nearest to ``at_s``. Raises LookupError before any observation."""
        return round((at_s - self._require()) * self._rate)

    def reset(self) -> None:
        """Forget all observations, as when the stream was opened anew."""
        self._best.clear()
        self._offset_s = None
        self._newest_s = 0.0

    def _require(self) -> float:
        if self._offset_s is None:
            raise LookupError("the stream has not been observed yet")
        return self._offset_s
