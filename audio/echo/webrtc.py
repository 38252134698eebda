"""WebRTC's echo canceller, AEC3, from the ``pywebrtc-audio`` wheel (Apache-2.0)."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from audio.echo.base import FRAME_SAMPLES
from audio.engine import EngineInfo, EngineKind
from audio.errors import EngineMissing
from audio.pcm import RATE

if TYPE_CHECKING:
    from pywebrtc_audio import AudioProcessor

_PACKAGE = "pywebrtc_audio"
_INSTALL = "pip install pywebrtc-audio"
DELAY_SAMPLES = 128  # 8 ms at 16 kHz by which AEC3's output is late, measured with an impulse


def describe() -> EngineInfo:
    """What is known of the engine without loading it."""
    installed = importlib.util.find_spec(_PACKAGE) is not None
    return EngineInfo(
        name="webrtc-aec3",
        kind=EngineKind.ECHO_CANCELLER,
        description="WebRTC AEC3 at 16 kHz: 37 dB of echo in a simulated room",
        installed=installed,
        languages=(),
        install_hint="" if installed else _INSTALL,
    )


class WebRtcEchoCanceller:
    """AEC3 with noise suppression and gain control off: both cost speech under double talk.

    Needs about a second of far-end sound to converge, so keep one for the whole conversation.
    Not safe for use from two threads at once.
    """

    delay_samples = DELAY_SAMPLES

    def __init__(self) -> None:
        """Raises EngineMissing when the package is not installed."""
        self.info = describe()
        self._processor = _load()

    def process(
        self, near_end: NDArray[np.float32], far_end: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Cancel one frame of shape (160,). Raises ValueError for another shape.

        A sample that is not finite is taken as silence: one NaN would deafen AEC3 for good.
        """
        if near_end.shape != (FRAME_SAMPLES,) or far_end.shape != (FRAME_SAMPLES,):
            # A partial frame would be padded inside and damage the filter.
            raise ValueError(f"both ends must have shape ({FRAME_SAMPLES},)")
        out = self._processor.process(_finite(near_end), _finite(far_end))
        return np.asarray(out, np.float32)

    def reset(self) -> None:
        """Forget the echo path, as after a device change."""
        self._processor.reset()


def _load() -> AudioProcessor:
    try:
        from pywebrtc_audio import AudioProcessor
    except ImportError as error:
        raise EngineMissing(
            "The echo canceller is not installed (package pywebrtc-audio).",
            f"Run `{_INSTALL}`, or use headphones and turn echo cancellation off.",
        ) from error
    return AudioProcessor(sample_rate=RATE, echo_cancellation=True)


def _finite(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    block = np.ascontiguousarray(samples, np.float32)
    if np.isfinite(block).all():
        return block
    return np.nan_to_num(block, nan=0.0, posinf=0.0, neginf=0.0)
