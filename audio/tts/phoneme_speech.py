"""What all Kokoro engines share: phrase to phonemes, to pieces, to trimmed audio and marks.

An engine adds only its network; see ``kokoro_model.py``, ``kokoro_torch.py``, ``kokoro_mlx.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from audio.engine import CancelToken, EngineInfo
from audio.tts.base import SpeechChunk, SpokenPhrase, SpokenWord
from audio.tts.g2p import english_g2p
from audio.tts.phonemes import vocabulary
from audio.tts.pieces import Marker, Piece, cut
from audio.tts.streaming.growing import GrowingPhrase
from audio.tts.voices import load_styles

RATE = 24_000  # Hz
FRAME_SAMPLES = 600  # the network's durations count frames of 25 ms
MOST_TOKENS = 510  # that the network takes, without the two paddings

# The sound leads the frames that the network gives to its token, because each frame's decoder sees
# its neighbours: 48 ms is the median of 58 onsets after pauses, three voices (tenths 18 and 91 ms).
_LEAD_SAMPLES = int(0.05 * RATE)

Phonemize = Callable[[Sequence[str]], list[str]]
"""Phonemes of each word with the pause after it, in Kokoro's alphabet; empty for a silent word."""


class Inference(NamedTuple):
    """What the network made of one run of tokens."""

    audio: NDArray[np.float32]  # mono at 24 kHz, shape (n,)
    edges: NDArray[np.int64]  # the sample where each token begins, and one more for the end


class Network(Protocol):
    """Kokoro's network on some runtime. One call at a time."""

    def infer(
        self, tokens: list[int], style: NDArray[np.float32], speed: float, cancel: CancelToken
    ) -> Inference:
        """Say ``tokens`` (at most 510, without padding) in ``style``, shape (1, 256).

        Raises Cancelled or EngineFailed.
        """
        ...

    def close(self) -> None:
        """Release the network; calling it twice is fine."""
        ...


class Window(NamedTuple):
    """The next stretch of a phrase's audio."""

    audio: NDArray[np.float32]  # mono at 24 kHz, shape (n,)
    last: bool


class Stream(NamedTuple):
    """A phrase whose audio comes in windows."""

    edges: NDArray[np.int64]  # as in Inference
    begin: int  # the sample with which the first window begins; before it there is silence
    windows: Iterator[Window]  # raises Cancelled or EngineFailed


@runtime_checkable
class StreamingNetwork(Network, Protocol):
    """A network that can begin to sound before its phrase is done."""

    def stream(
        self, tokens: list[int], style: NDArray[np.float32], speed: float, cancel: CancelToken
    ) -> Stream:
        """As ``infer``, in one or several windows. Raises Cancelled or EngineFailed."""
        ...


def edges_of(frames: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each token begins, from the frames of all tokens with both paddings."""
    return np.cumsum(frames.ravel())[:-1] * FRAME_SAMPLES


class PhonemeSynthesizer:
    """A Synthesizer around any of the networks.

    A phrase of up to 160 phonemes (some 25 words) is said in one go; a longer one is cut where it
    pauses. Each piece is one chunk, or several when the network streams.
    """

    def __init__(
        self,
        network: Network,
        info: EngineInfo,
        voice: str,
        speed: float = 1.0,
        phonemize: Phonemize | None = None,
    ) -> None:
        """Speed 1.0 is the voice's own; 0.5 to 2.0 make sense. ``phonemize`` replaces our G2P.

        Raises ValueError for a speed that is not above zero, EngineMissing or EngineCorrupt.
        """
        if not speed > 0:
            raise ValueError(f"speed must be above zero, not {speed}")
        self._styles = load_styles(voice)
        self._speed = speed
        self._phonemize = phonemize or english_g2p().phonemize
        self._network = network
        self._info = info

    @property
    def info(self) -> EngineInfo:
        return self._info

    @property
    def rate(self) -> int:
        return RATE

    def warm(self) -> None:
        """Say something short into the void, so that the first real phrase is not the slow one.

        The made-up word loads the network for unknown words too. Raises EngineFailed.
        """
        words = tuple(SpokenWord(word, 0, 0) for word in ("Warming", "zorbly."))
        for _ in self.synthesize(SpokenPhrase("", words), CancelToken()):
            pass

    def synthesize(self, phrase: SpokenPhrase, cancel: CancelToken) -> Iterator[SpeechChunk]:
        """See Synthesizer.synthesize."""
        spoken = self._phonemize([word.spoken for word in phrase.words])
        marker = Marker(spoken)
        base = 0
        for piece in cut(spoken):
            begin = base
            for chunk in self._say(piece, marker, begin, cancel):
                base += len(chunk.samples)
                yield chunk

    def _say(
        self, piece: Piece, marker: Marker, base: int, cancel: CancelToken
    ) -> Iterator[SpeechChunk]:
        known = vocabulary()
        stream = self._stream([known[symbol] for symbol in piece.text], cancel)
        edges = stream.edges - _LEAD_SAMPLES
        phrase = GrowingPhrase(piece.spans, edges, RATE, piece.text[-1], stream.begin)
        for window in stream.windows:
            samples, placed = phrase.add(window.audio, last=window.last)
            if len(samples) or window.last:
                yield SpeechChunk(samples, marker.marks(placed, base) if placed else ())

    def _stream(self, tokens: list[int], cancel: CancelToken) -> Stream:
        style = self._style(len(tokens))
        if isinstance(self._network, StreamingNetwork):
            return self._network.stream(tokens, style, self._speed, cancel)
        inference = self._network.infer(tokens, style, self._speed, cancel)
        return Stream(inference.edges, 0, iter([Window(inference.audio, last=True)]))

    def _style(self, phonemes: int) -> NDArray[np.float32]:
        row = min(phonemes, len(self._styles)) - 1
        return self._styles[row : row + 1]

    def close(self) -> None:
        """Release the network; calling it twice is fine."""
        self._network.close()
