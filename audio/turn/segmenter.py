"""Frames of speech probability become stretches of speech and pauses between them.

Three states::

    QUIET ----- probability >= speech_threshold ------> STARTING
    STARTING -- start_s of speech, one dip allowed ----> SPEAKING   SpeechBegan
    STARTING -- a second dip --------------------------> QUIET      (a click; nothing is told)
    SPEAKING -- settle_s without speech ---------------> QUIET      SpeechPaused

Within SPEAKING a frame counts as speech until its probability falls below ``silence_threshold``;
everywhere else it needs ``speech_threshold``. A click in a pause therefore neither begins anything
nor makes the pause start anew.

Silence is what frames *show*. A frame that has not come yet (a busy machine hands them over late)
is no silence; only when none came for ``capture_stall_s`` does time alone count. Frames may thus
be stamped with the time of their sound, however long they were under way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, auto

from audio.turn.events import FrameHeard
from audio.turn.settings import TurnSettings

TOLERANCE_S = 1e-6  # sums of frame durations are not exact: 17 * 0.032 is a hair under 0.544


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """Enough speech was heard; its first frame began at ``onset_s``."""

    onset_s: float


@dataclass(frozen=True, slots=True)
class SpeechPaused:
    """No speech for ``settle_s``; the last frame of speech ended at ``ended_s``."""

    ended_s: float


class _State(Enum):
    QUIET = auto()
    STARTING = auto()
    SPEAKING = auto()


class Segmenter:
    """Turns frames into SpeechBegan and SpeechPaused, which alternate, in that order."""

    def __init__(self, settings: TurnSettings) -> None:
        self._settings = settings
        self._state = _State.QUIET
        self._heard_s = -math.inf  # end of the newest frame
        self._received_s = -math.inf  # when it was handed over
        self._candidate_s = -math.inf  # where the speech began that is not confirmed yet
        self._candidate_ended_s = -math.inf
        self._voiced_s = 0.0  # speech in the candidate
        self._dips = 0  # frames without speech in the candidate
        self._ended_s = -math.inf  # end of the last frame of confirmed speech

    @property
    def speaking(self) -> bool:
        """Confirmed speech goes on, short gaps included."""
        return self._state is _State.SPEAKING

    @property
    def starting_s(self) -> float:
        """How much speech there is in a beginning that is not confirmed yet; 0 without one."""
        return self._voiced_s if self._state is _State.STARTING else 0.0

    @property
    def voiced_until_s(self) -> float:
        """End of the last frame of confirmed speech; minus infinity before the first."""
        return self._ended_s

    def heard(self, frame: FrameHeard, now_s: float) -> SpeechBegan | SpeechPaused | None:
        """Take in the next frame. One that is stamped before the last counts as just after it."""
        end_s = max(frame.at_s, self._heard_s)
        self._heard_s = end_s
        self._received_s = now_s
        settings = self._settings
        speaking = self._state is _State.SPEAKING
        threshold = settings.silence_threshold if speaking else settings.speech_threshold
        voiced = frame.probability >= threshold
        if speaking:
            if voiced:
                self._ended_s = end_s
            return self.advance(now_s)
        if voiced:
            return self._maybe_begin(end_s, max(frame.duration_s, 0.0))
        if self._state is _State.STARTING:
            self._dips += 1
            if self._dips > 1:
                self._state = _State.QUIET
        return None

    def _maybe_begin(self, end_s: float, duration_s: float) -> SpeechBegan | None:
        if self._state is _State.QUIET:
            self._state = _State.STARTING
            self._candidate_s = end_s - duration_s
            self._voiced_s = 0.0
            self._dips = 0
        self._voiced_s += duration_s
        if self._voiced_s < self._settings.start_s - TOLERANCE_S:
            return None
        self._state = _State.SPEAKING
        self._ended_s = end_s
        return SpeechBegan(self._candidate_s)

    def advance(self, now_s: float) -> SpeechPaused | None:
        """Notice what time alone brings: a pause, or the end of a beginning without frames."""
        if self._state is _State.STARTING and now_s >= self._stalled_s:
            self._state = _State.QUIET
        if self._state is _State.SPEAKING and now_s >= self.silent_at_s(self._settings.settle_s):
            self._state = _State.QUIET
            return SpeechPaused(self._ended_s)
        return None

    @property
    def deadline_s(self) -> float | None:
        """When ``advance`` has something to do if no frame comes before."""
        if self._state is _State.QUIET:
            return None
        if self._state is _State.STARTING:
            return self._stalled_s
        return self.silent_at_s(self._settings.settle_s)

    def silent_at_s(self, silence_s: float) -> float:
        """When there will have been this much silence, if no speech comes before.

        It lies in the past when frames have shown that much silence already.
        """
        due_s = self._ended_s + silence_s
        if self._state is not _State.STARTING and self._heard_s >= due_s - TOLERANCE_S:
            return min(due_s, self._heard_s)  # never a hair in the future
        return max(due_s, self._stalled_s)

    @property
    def _stalled_s(self) -> float:
        return self._received_s + self._settings.capture_stall_s
