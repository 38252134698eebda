"""How long this speaker pauses within a turn, learned from the pauses after which they went on.

Some people never pause for longer than a quarter of a second, others think for a whole one in the
middle of a sentence. What is learned is one number, the *stretch*: how long this speaker's longer
pauses are against those of most people. It starts at 1 and moves slowly within bounds, so that no
single pause, and no mistake, changes much.
"""

from __future__ import annotations

import math
from collections import deque

# What most people do, as twelve pauses: tenths of a log-normal about half a second, the spread of
# pauses within turns in studies of dialogue. They keep their weight for as long as one talks.
_USUAL_S = (0.2, 0.26, 0.31, 0.36, 0.41, 0.47, 0.53, 0.6, 0.69, 0.8, 0.97, 1.3)
_KEPT = 24  # pauses of the speaker that count, the newest
_QUANTILE = 0.8  # of all of them: the longer pauses decide how long to wait
SHORTEST_S = 0.2  # what is shorter is no pause but a stop consonant
LONGEST_S = 3.0  # what is longer says nothing about speaking
LEAST, MOST = 0.8, 1.6  # of the stretch


class SpeakerPauses:
    """The pauses of one speaker, newest last."""

    def __init__(self) -> None:
        self._seen: deque[float] = deque(maxlen=_KEPT)
        self._stretch = 1.0

    @property
    def stretch(self) -> float:
        """This speaker's longer pauses against the usual ones, between LEAST and MOST."""
        return self._stretch

    def went_on_after(self, pause_s: float) -> None:
        """The speaker paused for ``pause_s`` seconds within a turn, and went on."""
        if not SHORTEST_S <= pause_s <= LONGEST_S:
            return
        self._seen.append(pause_s)
        ratio = _quantile((*_USUAL_S, *self._seen)) / _quantile(_USUAL_S)
        self._stretch = min(max(ratio, LEAST), MOST)


def _quantile(values: tuple[float, ...]) -> float:
    """The quantile, interpolated between the two nearest values."""
    ordered = sorted(values)
    place = _QUANTILE * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])
