"""No echo cancellation: for headphones, where the microphone does not hear the loudspeaker."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Bypass:
    """Gives the near end back unchanged."""

    delay_samples = 0

    def process(
        self,
        near_end: NDArray[np.float32],
        far_end: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """Return a copy of ``near_end``."""
        return near_end.copy()

    def reset(self) -> None:
        """There is nothing to forget."""
