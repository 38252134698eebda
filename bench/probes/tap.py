"""What the synthesizer gave, kept so that it is found again, to the sample, in the recording.

A ``Tap`` stands in front of a synthesizer and passes everything on. Afterwards each phrase can be
looked for in what the loudspeaker played: by its sound, not by what any log says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from audio.engine import CancelToken, EngineInfo
from audio.pcm import RATE
from audio.resample import resample
from audio.tts.base import SpeechChunk, SpokenPhrase, Synthesizer
from bench.probes.sounds import Sound

MOST = 200  # phrases kept of one take


@dataclass(slots=True)
class Spoken:
    """A phrase as it was synthesized, maybe not to its end."""

    source: str  # the text it stands for
    words: tuple[str, ...]
    rate: int
    chunks: list[Sound] = field(default_factory=list)
    starts: dict[int, int] = field(default_factory=dict)  # word -> first sample, at ``rate``

    def sound(self) -> Sound:
        """All of it, float32 mono at 16 kHz."""
        if not self.chunks:
            return np.zeros(0, np.float32)
        return resample(np.concatenate(self.chunks), self.rate, RATE)

    def start_s(self, word: int) -> float | None:
        """When a word begins, in seconds of the phrase; None when that was not told."""
        sample = self.starts.get(word)
        return None if sample is None else sample / self.rate


class Tap:
    """A Synthesizer that keeps what it passes on. ``take`` hands it over and begins anew."""

    def __init__(self, behind: Synthesizer) -> None:
        self._behind = behind
        self._spoken: list[Spoken] = []

    @property
    def info(self) -> EngineInfo:
        return self._behind.info

    @property
    def rate(self) -> int:
        return self._behind.rate

    def synthesize(self, phrase: SpokenPhrase, cancel: CancelToken) -> Iterator[SpeechChunk]:
        """See Synthesizer.synthesize."""
        words = tuple(word.spoken for word in phrase.words)
        spoken = Spoken(phrase.source, words, self._behind.rate)
        if len(self._spoken) < MOST:
            self._spoken.append(spoken)
        for chunk in self._behind.synthesize(phrase, cancel):
            spoken.chunks.append(chunk.samples)
            spoken.starts.update({mark.word: mark.start_sample for mark in chunk.marks})
            yield chunk

    def close(self) -> None:
        """Release the synthesizer behind it."""
        self._behind.close()

    def take(self) -> list[Spoken]:
        """All phrases since the last call, in the order in which they were begun."""
        spoken, self._spoken = self._spoken, []
        return spoken


def located(piece: Sound, recording: Sound, least: float = 0.6) -> int | None:
    """Where ``piece`` sounds in ``recording`` (float32 mono, one rate), None when nowhere.

    The place of the greatest normalized correlation, which must reach ``least``: 1 is the same
    sound at whatever level. A piece without sound is nowhere.
    """
    found = correlation(piece, recording)
    return None if found is None or found[1] < least else found[0]


def correlation(piece: Sound, recording: Sound) -> tuple[int, float] | None:
    """The best place of ``piece`` in ``recording``, and how alike they are there, -1 to 1."""
    energy = float(np.sum(np.square(piece, dtype=np.float64)))
    if piece.size == 0 or recording.size < piece.size or energy < 1e-9:
        return None
    size = 1 << (recording.size + piece.size - 1).bit_length()
    spectrum = np.fft.rfft(recording, size) * np.conj(np.fft.rfft(piece, size))
    products = np.fft.irfft(spectrum, size)[: recording.size - piece.size + 1]
    power = np.concatenate([[0.0], np.cumsum(np.square(recording, dtype=np.float64))])
    local = power[piece.size :] - power[: -piece.size]
    floor = 1e-6 * piece.size  # quieter than -60 dBFS is nothing to compare with
    alike = np.where(local > floor, products / np.sqrt(np.maximum(local, floor) * energy), -1.0)
    place = int(np.argmax(alike))
    return place, float(alike[place])


def audible_part(sound: Sound, seconds: float, least_dbfs: float = -45.0) -> tuple[int, Sound]:
    """The first audible ``seconds`` at 16 kHz, and the sample at which they begin."""
    loud = np.flatnonzero(np.abs(sound) > 10 ** (least_dbfs / 20))
    if not loud.size:
        return 0, sound[:0]
    begin = int(loud[0])
    return begin, sound[begin : begin + round(seconds * RATE)]


def whole(spoken: Sequence[Spoken]) -> Sound:
    """The sound of phrases joined, for ``correlation``."""
    pieces = [phrase.sound() for phrase in spoken]
    return np.concatenate(pieces) if pieces else np.zeros(0, np.float32)
