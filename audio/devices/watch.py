"""PURE: tells from sample counts and the time whether a device stream still keeps up.

A driver does not always say so: on ALSA over PulseAudio a stalled callback raised no overflow flag
and a dead server no exception, so the stream is judged by what it delivers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

FIRST_SAMPLE_S = 2.0  # a Bluetooth headset may take more than a second to begin
STALL_S = 0.5  # 25 blocks of 20 ms; the longest gap of a healthy stream under load was 0.2 s
BEHIND_S = 0.25  # late sound that a listener and the echo canceller (500 ms) notice
DRIFT = 500e-6  # how much slower than our clock a device's may run; crystals stay within 100 ppm


class Health(Enum):
    """How a stream does."""

    HEALTHY = "healthy"
    STALLED = "stalled"  # no samples for too long: reopen the device
    BEHIND = "behind"  # samples come, but too few: what comes is old or has gaps


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a stream does at one moment."""

    health: Health
    silent_s: float  # since the last sample came
    backlog_samples: int  # missing against the clock: to be dropped from a queue, or lost

    @property
    def reason(self) -> str:
        """What to tell the user, empty while healthy."""
        if self.health is Health.STALLED:
            return f"no sound came for {self.silent_s:.1f} s"
        if self.health is Health.BEHIND:
            return f"the sound is {self.backlog_samples} samples late"
        return ""


class StreamWatch:
    """Judges one stream, capture or playback, from its first feed on.

    The clock of the device may drift: the smallest lag seen is the norm, and the norm follows a
    device that is up to 500 ppm slow.
    """

    def __init__(self, rate: int, stall_s: float = STALL_S, behind_s: float = BEHIND_S) -> None:
        """``rate`` is in Hz, that of the counted samples."""
        self._rate = rate
        self._stall_s = stall_s
        self._behind_s = behind_s
        self._at_s: float | None = None  # of the newest feed
        self._samples = 0
        self._moved_s = 0.0  # when the count last grew
        self._begun: tuple[float, int] | None = None  # where counting against the clock began
        self._norm_s = 0.0  # the lag that is normal for this stream

    def feed(self, at_s: float, samples: int) -> Verdict:
        """Judge: at ``at_s`` so many samples had been delivered since the stream was opened.

        Times never go back. Raises ValueError when the count does.
        """
        if self._at_s is None:
            self._at_s = self._moved_s = at_s
            self._samples = samples
            return Verdict(Health.HEALTHY, 0.0, 0)
        if samples < self._samples:
            raise ValueError(f"the count went back from {self._samples} to {samples}")
        elapsed_s = at_s - self._at_s
        self._at_s = at_s
        if samples > self._samples:
            self._samples, self._moved_s = samples, at_s
            if self._begun is None:
                self._begun = (at_s, samples)
        silent_s = at_s - self._moved_s
        patience_s = FIRST_SAMPLE_S if self._begun is None else self._stall_s
        late_s = self._late_s(at_s, elapsed_s)
        backlog = max(0, round(late_s * self._rate))
        if silent_s >= max(patience_s, self._stall_s):
            return Verdict(Health.STALLED, silent_s, backlog)
        if late_s >= self._behind_s:
            return Verdict(Health.BEHIND, silent_s, backlog)
        return Verdict(Health.HEALTHY, silent_s, backlog)

    def accept(self) -> None:
        """Take the present lag for normal, as once the backlog was dropped."""
        if self._begun is not None and self._at_s is not None:
            self._norm_s = self._lag_s(self._at_s)

    def reset(self) -> None:
        """Begin anew, as when the stream was opened again."""
        self._at_s = self._begun = None
        self._samples = 0
        self._norm_s = 0.0

    def _lag_s(self, at_s: float) -> float:
        if self._begun is None:
            return 0.0
        begun_s, begun_samples = self._begun
        return (at_s - begun_s) - (self._samples - begun_samples) / self._rate

    def _late_s(self, at_s: float, elapsed_s: float) -> float:
        """Seconds by which the stream is later than normal for it."""
        if self._begun is None:
            return 0.0
        lag_s = self._lag_s(at_s)
        self._norm_s = min(self._norm_s + DRIFT * elapsed_s, lag_s)
        return lag_s - self._norm_s
