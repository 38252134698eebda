"""The log-mel spectrogram that Whisper was trained on, in numpy.

Input is float32 mono at 16 kHz, full scale 1.0. Windows are 25 ms (400 samples, periodic Hann), one
every 10 ms, centred with reflection at both ends. 80 triangular filters on Slaney's mel scale
(linear below 1 kHz, logarithmic above), each of unit area. The logarithm (base 10) is clamped to 8
below its greatest value and mapped by (x + 4) / 4. The numbers are those of the Whisper paper's
published implementation.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SAMPLE_RATE = 16_000  # Hz
HOP_SAMPLES = 160
WINDOW_SAMPLES = 400
MEL_BANDS = 80
FRAMES_PER_S = SAMPLE_RATE // HOP_SAMPLES

_SMALLEST_POWER = 1e-10
_DYNAMIC_RANGE = 8.0  # log10 units of power: 80 dB
_BREAK_HZ = 1000.0  # where Slaney's scale turns from linear to logarithmic
_HZ_PER_MEL = 200.0 / 3
_LOG_STEP = np.log(6.4) / 27  # 27 mels span a factor of 6.4 above the break


def log_mel(samples: NDArray[np.float32], frames: int) -> NDArray[np.float32]:
    """Spectrogram of ``samples`` followed by silence, shape (80, frames), float32.

    ``samples`` has shape (n,); what goes beyond ``frames`` * 160 samples is left out. Raises
    ValueError when ``frames`` is less than 3, since the ends could not be reflected.
    """
    if frames < 3:
        raise ValueError(f"a spectrogram needs at least 3 frames, not {frames}")
    total = frames * HOP_SAMPLES
    half = WINDOW_SAMPLES // 2
    sound = np.zeros(total, dtype=np.float32)
    kept = min(total, len(samples))
    sound[:kept] = samples[:kept]
    # Frames that see only the silence after the sound are all alike: they are not computed.
    sounding = min(frames, (kept + half) // HOP_SAMPLES + 1)
    padded = np.pad(sound, half, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW_SAMPLES)[::HOP_SAMPLES]
    spectrum = np.fft.rfft(windows[:sounding] * _hann(), axis=1)
    power = np.abs(spectrum).astype(np.float32) ** 2
    logarithm = np.full((MEL_BANDS, frames), np.log10(_SMALLEST_POWER), dtype=np.float32)
    mel = mel_filters() @ power.T
    logarithm[:, :sounding] = np.log10(np.maximum(mel, np.float32(_SMALLEST_POWER)))
    np.maximum(logarithm, logarithm.max() - _DYNAMIC_RANGE, out=logarithm)
    return (logarithm + np.float32(4.0)) / np.float32(4.0)


@lru_cache(maxsize=1)
def mel_filters() -> NDArray[np.float32]:
    """The filterbank, shape (80, 201): weights of each FFT bin (40 Hz apart) in each band."""
    bins_hz = np.arange(WINDOW_SAMPLES // 2 + 1) * (SAMPLE_RATE / WINDOW_SAMPLES)
    top = _hz_to_mel(SAMPLE_RATE / 2)
    edges_hz = np.array([_mel_to_hz(mel) for mel in np.linspace(0.0, top, MEL_BANDS + 2)])
    widths = np.diff(edges_hz)
    rising = (bins_hz[None, :] - edges_hz[:-2, None]) / widths[:-1, None]
    falling = (edges_hz[2:, None] - bins_hz[None, :]) / widths[1:, None]
    triangles = np.maximum(0.0, np.minimum(rising, falling))
    unit_area = 2.0 / (edges_hz[2:] - edges_hz[:-2])
    filters: NDArray[np.float32] = (triangles * unit_area[:, None]).astype(np.float32)
    filters.flags.writeable = False
    return filters


@lru_cache(maxsize=1)
def _hann() -> NDArray[np.float32]:
    phase = 2 * np.pi * np.arange(WINDOW_SAMPLES) / WINDOW_SAMPLES
    window: NDArray[np.float32] = (0.5 - 0.5 * np.cos(phase)).astype(np.float32)
    window.flags.writeable = False
    return window


def _hz_to_mel(hz: float) -> float:
    if hz < _BREAK_HZ:
        return hz / _HZ_PER_MEL
    return float(_BREAK_HZ / _HZ_PER_MEL + np.log(hz / _BREAK_HZ) / _LOG_STEP)


def _mel_to_hz(mel: float) -> float:
    break_mel = _BREAK_HZ / _HZ_PER_MEL
    if mel < break_mel:
        return mel * _HZ_PER_MEL
    return float(_BREAK_HZ * np.exp(_LOG_STEP * (mel - break_mel)))
