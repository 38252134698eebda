"""How sound devices are asked for."""

from __future__ import annotations

from dataclasses import dataclass

CAPTURE_RATE = 16_000  # Hz: what the VAD, the echo canceller and the recognizers take
PLAYBACK_RATE = 24_000  # Hz: what the synthesizers give
STEP_S = 0.01  # the echo canceller's frame; blocks are whole multiples of it


@dataclass(frozen=True, slots=True)
class DeviceSettings:
    """Which devices, and how they are opened.

    A device is a number from ``list_devices``, a part of its name, or None for the system's own
    choice. Raises ValueError for a block that is no whole multiple of 10 ms.
    """

    input_device: str | int | None = None
    output_device: str | int | None = None
    capture_rate: int = CAPTURE_RATE
    playback_rate: int = PLAYBACK_RATE
    block_s: float = 0.02
    input_latency: float | str = "low"  # 0.1 doubles the input buffer on PulseAudio: 64 to 128 ms
    output_latency_s: float = 0.1  # 0.08 is the lowest that played without gaps on PulseAudio

    def __post_init__(self) -> None:
        steps = self.block_s / STEP_S
        if steps < 1 or abs(steps - round(steps)) > 1e-6:
            raise ValueError(f"block_s must be a multiple of {STEP_S}, not {self.block_s}")

    def block_samples(self, rate: int) -> int:
        """Samples of one block at ``rate`` Hz."""
        return round(self.block_s * rate)


def device_choice(text: str) -> str | int | None:
    """What a user wrote for a device: "" is the system's default, digits are a number."""
    words = text.strip()
    if not words:
        return None
    return int(words) if words.isdecimal() else words
