"""A synthesizer that makes each phrase once: around another one, with an audio cache.

The cache is keyed by all that makes the audio: engine, weights, voice, speed and the spoken words.
In memory it keeps what was said or prepared; a phrase also goes to disk, if a store is given, once
it was asked for to be said. What was only *prepared* (said ahead of a question that may never come)
stays in memory and can be forgotten again.

Nothing that a user said gets here: only phrases that are to be spoken do.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from audio.engine import CancelToken, EngineInfo
from audio.threads import LEAST, worker
from audio.tts.audio_store import AudioStore, KeptChunk, KeptPhrase
from audio.tts.base import SpeechChunk, SpokenPhrase, Synthesizer

FORMAT = 1  # grows when the same text shall be said otherwise: G2P, trimming, marks
MEMORY_BYTES = 16 << 20  # nearly six minutes at 24 kHz
MOST_S = 12.0  # a longer phrase is not kept: it is a list or a quote that comes once
_MOST_WRITES = 8  # that wait for the disk; of more, phrases are not kept
_FULL_SCALE = 32767.0


def voice_key(info: EngineInfo, voice: str, speed: float, release: str) -> str:
    """What makes the audio of any text; ``release`` is that of the code that reads the text."""
    weights = [[w.name, w.sha256, w.size] for w in info.weights]
    return json.dumps([FORMAT, info.name, weights, voice, round(speed, 4), release])


@dataclass(slots=True)
class _Entry:
    phrase: KeptPhrase
    said: bool


class CachedSynthesizer:
    """A Synthesizer around ``inner``. ``holds``, ``forget`` and ``close`` may be called anywhere;
    ``synthesize`` and ``prepare`` as any synthesizer's, one thread at a time.
    """

    def __init__(
        self,
        inner: Synthesizer,
        voice: str,
        store: AudioStore | None = None,
        memory_bytes: int = MEMORY_BYTES,
    ) -> None:
        """``voice`` comes from ``voice_key``. Without a store nothing is kept across starts."""
        self._inner = inner
        self._voice = voice
        self._store = store
        self._memory_bytes = memory_bytes
        self._entries: OrderedDict[str, _Entry] = OrderedDict()  # least recently used first
        self._bytes = 0
        self._lock = threading.Lock()  # guards the entries and the count of writes
        self._disk = threading.Lock()  # guards the store; taken first where both are
        self._writer: ThreadPoolExecutor | None = None
        self._writes = 0

    @property
    def info(self) -> EngineInfo:
        return self._inner.info

    @property
    def rate(self) -> int:
        return self._inner.rate

    @property
    def inner(self) -> Synthesizer:
        """The synthesizer without its cache."""
        return self._inner

    @property
    def memory_bytes(self) -> int:
        """Bytes of sound in memory."""
        return self._bytes

    def holds(self, phrase: SpokenPhrase) -> bool:
        """Whether its audio is there, without any synthesis."""
        key = self._key(phrase)
        with self._lock:
            return key in self._entries or (self._store is not None and self._store.holds(key))

    def synthesize(self, phrase: SpokenPhrase, cancel: CancelToken) -> Iterator[SpeechChunk]:
        """See Synthesizer.synthesize; what is in the cache comes at once, in the same pieces."""
        return self._make(phrase, cancel, said=True)

    def prepare(self, phrase: SpokenPhrase, cancel: CancelToken) -> None:
        """Put a phrase into the cache without saying it. Raises Cancelled or EngineFailed."""
        if not self.holds(phrase):
            for _ in self._make(phrase, cancel, said=False):
                pass

    def forget(self, phrase: SpokenPhrase) -> None:
        """Drop a phrase that was only prepared: what it tells is no longer so."""
        key = self._key(phrase)
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None and not entry.said:
                self._remove(key)

    def close(self) -> None:
        """Write what still waits and release the model; calling it twice is fine."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.shutdown(wait=True)
        self._store = None
        self._inner.close()

    def _make(
        self, phrase: SpokenPhrase, cancel: CancelToken, *, said: bool
    ) -> Iterator[SpeechChunk]:
        key = self._key(phrase)
        kept = self._find(key, said=said)
        if kept is not None:
            for piece in kept.chunks:
                cancel.raise_if_cancelled()
                yield _chunk(piece)
            return
        made: list[KeptChunk] = []
        for chunk in self._inner.synthesize(phrase, cancel):
            made.append(_kept(chunk))
            yield chunk
        if made and not cancel.cancelled:
            self._keep(key, KeptPhrase(self.rate, tuple(made)), said=said)

    def _find(self, key: str, *, said: bool) -> KeptPhrase | None:
        stored = None if key in self._entries else self._stored(key)
        with self._lock:
            entry = self._entries.get(key)
            if entry is None and stored is not None:
                entry = self._add(key, stored, said=True)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            if said and not entry.said:
                entry.said = True
                self._write(key, entry.phrase)
            return entry.phrase

    def _stored(self, key: str) -> KeptPhrase | None:
        store = self._store
        if store is None or not store.holds(key):
            return None
        with self._disk:
            phrase = store.get(key)
        return phrase if phrase is not None and phrase.rate == self.rate else None

    def _keep(self, key: str, phrase: KeptPhrase, *, said: bool) -> None:
        if phrase.size > MOST_S * self.rate * 2:
            return
        with self._lock:
            self._add(key, phrase, said=said)
            if said:
                self._write(key, phrase)

    def _add(self, key: str, phrase: KeptPhrase, *, said: bool) -> _Entry:
        if key in self._entries:
            self._remove(key)
        entry = self._entries[key] = _Entry(phrase, said)
        self._bytes += phrase.size
        while self._bytes > self._memory_bytes and len(self._entries) > 1:
            self._remove(next(iter(self._entries)))
        return entry

    def _remove(self, key: str) -> None:
        self._bytes -= self._entries.pop(key).phrase.size

    def _write(self, key: str, phrase: KeptPhrase) -> None:
        """Hand a phrase to the disk's thread, so that no disk makes the voice wait."""
        if self._store is None or self._writes >= _MOST_WRITES:
            return
        if self._writer is None:
            self._writer = worker("audio-cache", LEAST)
        self._writes += 1
        self._writer.submit(self._put, self._store, key, phrase)

    def _put(self, store: AudioStore, key: str, phrase: KeptPhrase) -> None:
        with self._disk:
            store.put(key, phrase)
        with self._lock:
            self._writes -= 1

    def _key(self, phrase: SpokenPhrase) -> str:
        words = json.dumps([word.spoken for word in phrase.words])
        return hashlib.sha256(f"{self._voice}\n{words}".encode()).hexdigest()


def _kept(chunk: SpeechChunk) -> KeptChunk:
    scaled = np.rint(np.clip(chunk.samples, -1.0, 1.0) * _FULL_SCALE)
    return KeptChunk(scaled.astype(np.int16), chunk.marks)


def _chunk(kept: KeptChunk) -> SpeechChunk:
    samples = kept.samples.astype(np.float32) / np.float32(_FULL_SCALE)
    return SpeechChunk(samples, kept.marks)
