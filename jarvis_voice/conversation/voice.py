"""The synthesizer and its threads: one inference at a time, the urgent ones before the others.

Each urgency has a thread of its own, since a thread of the system cannot become urgent again. What
is only *anticipated* is called off at once when something has to be said.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable
from enum import Enum
from typing import TypeVar

from audio import threads
from audio.engine import CancelToken
from audio.tts.base import SpokenPhrase, Synthesizer
from audio.tts.cached import CachedSynthesizer

T = TypeVar("T")


class Urgency(Enum):
    """How soon the sound is needed; the values are the niceness of its thread."""

    NOW = threads.NEEDED  # the user waits for it
    SOON = threads.AHEAD  # enough of it waits to be heard already
    MAYBE = threads.LEAST  # nobody has asked for it yet


class Voice:
    """Runs a synthesizer in the background. All methods are called on the loop."""

    def __init__(self, synthesizer: Synthesizer) -> None:
        self.synthesizer = synthesizer
        self._cache = synthesizer if isinstance(synthesizer, CachedSynthesizer) else None
        self._workers = {
            urgency: threads.worker(f"synthesizer-{urgency.name.lower()}", urgency.value)
            for urgency in Urgency
        }
        self._engine = threading.Lock()  # engines take one call at a time
        self._anticipated = CancelToken()

    @property
    def anticipates(self) -> bool:
        """Whether what is prepared can be kept: without a cache it cannot."""
        return self._cache is not None

    async def run(self, work: Callable[[], T], urgency: Urgency) -> T:
        """Do a step of synthesis on the thread of its urgency. Raises what the step raises."""
        if urgency is not Urgency.MAYBE:
            self.call_off()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._workers[urgency], self._alone, work)

    def holds(self, phrase: SpokenPhrase) -> bool:
        """Whether the phrase can be said without any synthesis."""
        return self._cache is not None and self._cache.holds(phrase)

    async def prepare(self, phrase: SpokenPhrase) -> None:
        """Have a phrase ready that may be needed. Raises EngineError, and Cancelled when called off
        by ``call_off`` or by a step of another urgency.
        """
        cache = self._cache
        if cache is None:
            return
        self._anticipated = token = CancelToken()
        await self.run(functools.partial(cache.prepare, phrase, token), Urgency.MAYBE)

    def forget(self, phrase: SpokenPhrase) -> None:
        """Drop a phrase that was prepared and never said."""
        if self._cache is not None:
            self._cache.forget(phrase)

    def call_off(self) -> None:
        """Stop preparing what may be needed."""
        self._anticipated.cancel()

    def close(self) -> None:
        """End the threads; the synthesizer stays open."""
        self.call_off()
        for pool in self._workers.values():
            pool.shutdown(wait=True)

    def _alone(self, work: Callable[[], T]) -> T:
        with self._engine:
            return work()
