"""PURE: what a simulated user says, on the microphone's own count of samples."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Utterance(NamedTuple):
    """Where a piece of the user's speech lies, in samples of the microphone since the start."""

    start: int
    end: int


class SpeechQueue:
    """What a user is given to say, sample by sample."""

    def __init__(self) -> None:
        self.position = 0  # of the next sample to be heard
        self.utterances: list[Utterance] = []
        self._end = 0
        self._queue: deque[tuple[int, NDArray[np.float32]]] = deque()

    def add(self, samples: NDArray[np.float32]) -> int:
        """Queue speech; returns the sample at which it begins."""
        start = self.add_silence(samples.size)
        self._queue.append((start, samples))
        self.utterances.append(Utterance(start, self._end))
        return start

    def add_silence(self, samples: int) -> int:
        """Queue silence; returns the sample at which it begins."""
        start = max(self.position, self._end)
        self._end = start + samples
        return start

    def drop(self) -> None:
        """Say nothing more; what was being said ends here."""
        self.utterances = [
            Utterance(spoken.start, min(spoken.end, self.position))
            for spoken in self.utterances
            if spoken.start < self.position
        ]
        self._queue.clear()
        self._end = self.position

    @property
    def speaking(self) -> bool:
        """Whether speech is left."""
        return bool(self._queue)

    def take(self, samples: int) -> NDArray[np.float32]:
        """The next samples, silence where nothing is said."""
        block = np.zeros(samples, np.float32)
        begin, end = self.position, self.position + samples
        while self._queue and self._queue[0][0] < end:
            start, speech = self._queue[0]
            first, last = max(start, begin), min(start + speech.size, end)
            block[first - begin : last - begin] = speech[first - start : last - start]
            if start + speech.size > end:
                break
            self._queue.popleft()
        self.position = end
        return block
