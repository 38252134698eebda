"""The way of sound from a loudspeaker to a microphone, for rooms made of arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from audio.resample import StreamResampler

DIRECT_TO_REVERB_DB = 3.0  # a microphone at arm's length from a small loudspeaker
SILENT_DB = -60.0  # where reverberation ends by definition of the reverberation time


@dataclass(frozen=True, slots=True)
class EchoPath:
    """How loud, how late and how reverberant the loudspeaker arrives.

    ``reverb_s`` is the time in which the room decays by 60 dB; 0 is a single reflection-free path.
    """

    gain_db: float = -6.0
    delay_s: float = 0.08  # the loudspeaker's and microphone's buffers and the air between
    reverb_s: float = 0.0
    seed: int = 1  # of the room's reflections

    def impulse_response(self, rate: int) -> NDArray[np.float32]:
        """The path as an FIR filter at ``rate`` Hz, its delay included."""
        lead = round(self.delay_s * rate)
        tail = round(self.reverb_s * rate)
        response = np.zeros(lead + 1 + tail)
        response[lead] = 1.0
        if tail:
            rng = np.random.default_rng(self.seed)
            decay = 10.0 ** (SILENT_DB / 20.0 * np.arange(1, tail + 1) / tail)
            reflections = rng.standard_normal(tail) * decay
            energy = 10.0 ** (-DIRECT_TO_REVERB_DB / 10.0)
            response[lead + 1 :] = reflections * np.sqrt(energy / np.sum(reflections**2))
        gain = 10.0 ** (self.gain_db / 20.0)
        path: NDArray[np.float32] = (response * gain).astype(np.float32)
        return path


class EchoFilter:
    """An EchoPath applied block by block, by overlap-add."""

    def __init__(self, path: EchoPath, rate: int, block_samples: int) -> None:
        """Blocks are float32 mono at ``rate`` Hz, shape (block_samples,)."""
        response = path.impulse_response(rate)
        self._block = block_samples
        self._size = 1 << (block_samples + response.size - 2).bit_length()
        self._spectrum = np.fft.rfft(response, self._size)
        self._length = block_samples + response.size - 1
        self._pending = np.zeros(self._length)  # what earlier blocks still have to add
        self._sounding = 0  # samples for which something is pending

    def process(self, block: NDArray[np.float32]) -> NDArray[np.float32]:
        """What the microphone hears during this block of the loudspeaker; same shape."""
        if block.any():
            heard = np.fft.irfft(np.fft.rfft(block, self._size) * self._spectrum, self._size)
            self._pending += heard[: self._length]
            self._sounding = self._length
        elif self._sounding <= 0:  # most of a conversation: nothing to compute
            return np.zeros(self._block, np.float32)
        out = self._pending[: self._block].astype(np.float32)
        self._pending[: -self._block] = self._pending[self._block :]
        self._pending[-self._block :] = 0.0
        self._sounding -= self._block
        return out


class EchoLeak:
    """The loudspeaker's sound at the microphone, at the microphone's rate."""

    def __init__(
        self, path: EchoPath | None, from_rate: int, to_rate: int, block_samples: int
    ) -> None:
        self._block = block_samples
        self._resampler = StreamResampler(from_rate, to_rate)
        # The resampler holds back up to so many samples; the way is shortened by as much.
        slack = self._resampler.delay_samples
        self._waiting = np.zeros(slack, np.float32)
        self._filter: EchoFilter | None = None
        if path is not None:
            way = replace(path, delay_s=max(0.0, path.delay_s - slack / to_rate))
            self._filter = EchoFilter(way, to_rate, block_samples)

    def process(self, played: NDArray[np.float32]) -> NDArray[np.float32]:
        """One block at the loudspeaker's rate in, one at the microphone's out."""
        if self._filter is None:
            return np.zeros(self._block, np.float32)
        self._waiting = np.concatenate((self._waiting, self._resampler.process(played)))
        block = self._waiting[: self._block]
        self._waiting = self._waiting[self._block :]
        return self._filter.process(block)
