"""The synchronous path from the microphone to VAD frames, for one worker thread.

    near (capture rate) -> 16 kHz -> 10 ms -> echo canceller -> 512 samples -> VAD -> NearEndFrame
    far (playback rate) -> 16 kHz -> reference ----^

The rule of the reference. AEC3 cancels only when the reference leads the echo by 5 to 500 ms; a
reference that lags by a few milliseconds costs 50 dB. What playback gave to the device sounds an
output latency later and comes back an input latency after that, so a reference that is *as fresh
as can be* leads by both latencies. The queue of the reference is therefore kept as short as the
delivery of blocks allows: see ``Reference``.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audio.echo.base import FRAME_SAMPLES as ECHO_FRAME
from audio.echo.base import EchoCanceller
from audio.echo.likelihood import LIKELY, EchoLikelihood
from audio.framing import Framer
from audio.pcm import RATE, peak_dbfs, rms_dbfs
from audio.resample import StreamResampler
from audio.vad.base import FRAME_SAMPLES, Vad

_ACTIVE_DBFS = -60.0  # far-end peak above which the loudspeaker counts as sounding
# The longest lead that AEC3 can bridge (half a second: the echo may come that late), from the
# start of a VAD frame that is judged when the last echo frame in it is complete.
_ACTIVE_HOLD = RATE // 2 + FRAME_SAMPLES + ECHO_FRAME
_REST_AFTER = 2 * RATE  # far-end silence after which there is no echo left to cancel
_TOO_QUIET_DBFS = -60.0  # a frame below this holds no speech that could be recognized
_WORTH_A_LOOK = 0.2  # probability of speech above which it matters whose voice it is
_PRE_ROLL_S = 3.0


@dataclass(frozen=True, slots=True)
class NearEndFrame:
    """32 ms of the user's side: float32 mono at 16 kHz, shape (512,).

    Both arrays hold the same instant: what the canceller delays is made up for.
    """

    samples: NDArray[np.float32]  # echo-cancelled
    raw: NDArray[np.float32]  # as captured
    start_sample: int  # at 16 kHz, counted from the start of capture; never goes back
    probability: float  # of speech in ``samples``
    far_active: bool  # the loudspeaker sounded in this frame or in the half second before
    echo_likely: bool = False  # the voice in it is the loudspeaker's, so ``probability`` is 0

    @property
    def end_sample(self) -> int:
        """One past the last sample."""
        return self.start_sample + len(self.samples)


class Reference:
    """The far end's queue at 16 kHz, kept as short as possible so that it leads the echo.

    Near and far blocks arrive in bursts of their own size, so what is left when the near end has
    been served swings from call to call. Its lowest level over a window is held needlessly: that
    much is dropped, best while the loudspeaker is silent. When the queue does not hold a whole
    frame, silence stands in and what is queued waits.
    """

    _WINDOW = 2 * RATE  # two seconds of near-end sound
    _MARGIN = RATE // 200  # 5 ms are left, so that slow drift does not run it dry each window
    _TOLERATED = RATE * 40 // 1000  # 40 ms of needless queue are dropped even from within speech

    def __init__(self) -> None:
        self._queue: NDArray[np.float32] = np.zeros(RATE, np.float32)
        self._filled = 0
        self._lowest = 0  # of the queue in this window
        self._seen = 0  # near-end samples in this window
        self._started = False
        self.padded_samples = 0  # silence given because the queue was too short
        self.dropped_samples = 0  # reference thrown away because it had come to lag

    @property
    def queued_samples(self) -> int:
        return self._filled

    def push(self, samples: NDArray[np.float32], near_samples: int) -> None:
        """Add what came; ``near_samples`` is what is about to be taken in the same call.

        The first block decides the alignment: of an old queue only its newest part is kept.
        """
        filled = self._filled + len(samples)
        if filled > len(self._queue):
            grown = np.zeros(2 * filled, np.float32)
            grown[: self._filled] = self._queue[: self._filled]
            self._queue = grown
        self._queue[self._filled : filled] = samples
        self._filled = filled
        if not self._started and len(samples):
            self._started = True
            self._drop(max(0, filled - near_samples))

    def take(self, count: int = 1) -> NDArray[np.float32]:
        """The references for the next echo frames, shape (count, 160)."""
        out = np.zeros((count, ECHO_FRAME), np.float32)
        there = min(count, self._filled // ECHO_FRAME)
        out[:there].reshape(-1)[:] = self._queue[: there * ECHO_FRAME]
        self._discard(there * ECHO_FRAME)
        if self._started:
            self.padded_samples += (count - there) * ECHO_FRAME
        self._seen += count * ECHO_FRAME
        return out

    def settle(self) -> None:
        """Say that the near end that came together with the last ``push`` has been served."""
        self._lowest = min(self._lowest, self._filled)
        if self._seen < self._WINDOW:
            return
        surplus = self._lowest - self._MARGIN
        if surplus > self._TOLERATED or (surplus > 0 and self._is_quiet()):
            self._drop(surplus)
        self._begin_window()

    def reset(self) -> None:
        """Forget everything; the next block aligns anew."""
        self._filled = 0
        self._started = False
        self._begin_window()

    def _begin_window(self) -> None:
        self._lowest = self._filled
        self._seen = 0

    def _is_quiet(self) -> bool:
        return peak_dbfs(self._queue[: self._filled]) < _ACTIVE_DBFS

    def _drop(self, count: int) -> None:
        self._discard(count)
        self.dropped_samples += count

    def _discard(self, count: int) -> None:
        rest = self._filled - count
        self._queue[:rest] = self._queue[count : self._filled]
        self._filled = rest


class NearEnd:
    """Turns what the microphone heard into echo-cancelled frames with a speech probability."""

    def __init__(
        self, capture_rate: int, playback_rate: int, canceller: EchoCanceller, vad: Vad
    ) -> None:
        self._rates = (capture_rate, playback_rate)
        self._near_rate = StreamResampler(capture_rate, RATE)
        self._far_rate = StreamResampler(playback_rate, RATE)
        self._canceller = canceller
        self._vad = vad
        self._reference = Reference()
        self._echo_framer = Framer(ECHO_FRAME)
        self._clean_framer = Framer(FRAME_SAMPLES)
        self._raw_framer = Framer(FRAME_SAMPLES)
        self._raw_frames: deque[NDArray[np.float32]] = deque()
        self._to_skip = canceller.delay_samples
        self._delay_line = np.zeros(canceller.delay_samples, np.float32)
        self._likelihood = EchoLikelihood()
        self._since_active = _ACTIVE_HOLD
        self._next_start = 0

    @property
    def reference(self) -> Reference:
        """The far end's queue, for diagnosis."""
        return self._reference

    def process(self, near: NDArray[np.float32], far: NDArray[np.float32]) -> list[NearEndFrame]:
        """Take what was captured and what was played since the last call; give full frames.

        ``near`` is mono float32 at the capture rate, ``far`` at the playback rate, each of any
        length. Where ``far`` is short, silence is assumed. Raises what the VAD raises.
        """
        near_16k = self._near_rate.process(_finite(near))
        self._reference.push(self._far_rate.process(_finite(far)), len(near_16k))
        echo_frames = [frame.samples for frame in self._echo_framer.push(near_16k)]
        references = self._reference.take(len(echo_frames))
        self._reference.settle()
        if self._may_rest(references):
            return self._pass_on(np.concatenate(echo_frames)) if echo_frames else []
        frames: list[NearEndFrame] = []
        for echo_frame, reference in zip(echo_frames, references, strict=True):
            frames.extend(self._cancel(echo_frame, reference))
        return frames

    def _may_rest(self, references: NDArray[np.float32]) -> bool:
        """Whether nothing has played for long, so that there is no echo left to cancel."""
        return self._since_active > _REST_AFTER and peak_dbfs(references) <= _ACTIVE_DBFS

    def resync(self, capture_rate: int | None = None, playback_rate: int | None = None) -> None:
        """Start anew after a device change or a gap: sound, echo path and speech state.

        A new device may have another rate. Samples go on being counted, so that ``start_sample``
        never goes back.
        """
        self._rates = (capture_rate or self._rates[0], playback_rate or self._rates[1])
        self._near_rate = StreamResampler(self._rates[0], RATE)
        self._far_rate = StreamResampler(self._rates[1], RATE)
        self._reference.reset()
        self._canceller.reset()
        self._vad.reset()
        self._echo_framer.reset()
        self._clean_framer.reset(self._next_start)
        self._raw_framer.reset(self._next_start)
        self._raw_frames.clear()
        self._to_skip = self._canceller.delay_samples
        self._delay_line = np.zeros(self._canceller.delay_samples, np.float32)
        self._likelihood.reset()
        self._since_active = _ACTIVE_HOLD

    def _cancel(self, near: NDArray[np.float32], far: NDArray[np.float32]) -> list[NearEndFrame]:
        self._since_active += ECHO_FRAME
        if peak_dbfs(far) > _ACTIVE_DBFS:
            self._since_active = 0
        self._delayed(near)
        clean = self._canceller.process(near, far)
        self._likelihood.push(clean, near, far)
        return self._frames(clean, near)

    def _pass_on(self, near: NDArray[np.float32]) -> list[NearEndFrame]:
        """Leave the canceller at rest: half of what idle listening costs.

        The sound is delayed as the canceller does, so that no sample is lost or said twice.
        """
        self._since_active += len(near)
        self._likelihood.reset()
        return self._frames(self._delayed(near), near)

    def _delayed(self, near: NDArray[np.float32]) -> NDArray[np.float32]:
        delayed = np.concatenate((self._delay_line, near))
        self._delay_line = delayed[len(near) :]
        return delayed[: len(near)]

    def _frames(self, clean: NDArray[np.float32], near: NDArray[np.float32]) -> list[NearEndFrame]:
        if self._to_skip:  # what the canceller gives before the first sample that it was given
            skipped = min(self._to_skip, len(clean))
            clean = clean[skipped:]
            self._to_skip -= skipped
        self._raw_frames.extend(frame.samples for frame in self._raw_framer.push(near))
        return [
            self._judge(frame.samples, frame.start_sample)
            for frame in self._clean_framer.push(clean)
        ]

    def _judge(self, samples: NDArray[np.float32], start_sample: int) -> NearEndFrame:
        self._next_start = start_sample + FRAME_SAMPLES
        quiet = rms_dbfs(samples) < _TOO_QUIET_DBFS
        probability = 0.0 if quiet else self._vad.probability(samples)
        far_active = self._since_active < _ACTIVE_HOLD
        echo = far_active and probability > _WORTH_A_LOOK and self._likelihood.value() > LIKELY
        return NearEndFrame(
            samples=samples,
            raw=self._raw_frames.popleft(),
            start_sample=start_sample,
            probability=0.0 if echo else probability,
            far_active=far_active,
            echo_likely=echo,
        )


class PreRoll:
    """The most recent frames, so that a turn can begin before it was noticed."""

    def __init__(self, keep_s: float = _PRE_ROLL_S) -> None:
        self._frames: deque[NearEndFrame] = deque(
            maxlen=max(1, round(keep_s * RATE / FRAME_SAMPLES))
        )

    def push(self, frame: NearEndFrame) -> None:
        """Keep a frame; the oldest is forgotten."""
        self._frames.append(frame)

    def since(self, start_sample: int) -> list[NearEndFrame]:
        """The kept frames that reach beyond ``start_sample``, oldest first.

        The first may begin earlier than asked, as frames are not cut; when the sample is older
        than what was kept, the list begins with the oldest frame.
        """
        return [frame for frame in self._frames if frame.end_sample > start_sample]

    def clear(self) -> None:
        """Forget all frames."""
        self._frames.clear()


def _finite(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """A broken driver's NaN would spoil every filter behind it for good."""
    if np.isfinite(samples).all():
        return samples
    return np.nan_to_num(samples, nan=0.0, posinf=0.0, neginf=0.0)
