"""The default synthesizer: Kokoro-82M on plain onnxruntime, weights from pip, no torch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from audio.engine import CancelToken, EngineInfo, EngineKind
from audio.tts import kokoro_model
from audio.tts.base import SpeechChunk, SpokenPhrase, SpokenWord
from audio.tts.g2p import english_g2p
from audio.tts.kokoro_model import RATE, KokoroModel
from audio.tts.phonemes import vocabulary
from audio.tts.pieces import Marker, Piece, cut, place, trim
from audio.tts.voices import JARVIS_VOICE, load_styles

NAME = "kokoro"

# The sound leads the frames that the network gives to its token, because each frame's decoder sees
# its neighbours: 48 ms is the median of 58 onsets after pauses, three voices (tenths 18 and 91 ms).
_LEAD_SAMPLES = int(0.05 * RATE)


def describe() -> EngineInfo:
    """The engine as it is installed, without loading it."""
    installed = kokoro_model.is_installed()
    hint = "pip install --force-reinstall jarvis-voice"
    return EngineInfo(
        name=NAME,
        kind=EngineKind.SYNTHESIZER,
        description="Kokoro-82M, int8, on onnxruntime; American English",
        installed=installed,
        weights=(kokoro_model.model_weight(),),
        install_hint="" if installed else hint,
    )


class KokoroSynthesizer:
    """Says phrases with the Kokoro network.

    A phrase of up to 160 phonemes (some 25 words) is one chunk; a longer one comes in several, cut
    where it pauses.
    """

    def __init__(self, voice: str = JARVIS_VOICE, speed: float = 1.0, threads: int = 2) -> None:
        """Load the network, the voice and the dictionaries: about half a second.

        ``speed`` 1.0 is the voice's own, 0.5 to 2.0 make sense. Raises ValueError for a speed that
        is not above zero, EngineMissing, EngineCorrupt or UnwritableOutput.
        """
        if not speed > 0:
            raise ValueError(f"speed must be above zero, not {speed}")
        self._styles = load_styles(voice)
        self._speed = speed
        self._g2p = english_g2p()
        self._model = KokoroModel(threads)

    @property
    def info(self) -> EngineInfo:
        return describe()

    @property
    def rate(self) -> int:
        return RATE

    def warm(self) -> None:
        """Say something short into the void, so that the first real phrase is not the slow one.

        Raises EngineFailed.
        """
        words = tuple(SpokenWord(word, 0, 0) for word in ("Warming", "up", "zorbly."))
        for _ in self.synthesize(SpokenPhrase("", words), CancelToken()):
            pass

    def synthesize(self, phrase: SpokenPhrase, cancel: CancelToken) -> Iterator[SpeechChunk]:
        """See Synthesizer.synthesize; cancelling stops an inference that is under way."""
        spoken = self._g2p.phonemize([word.spoken for word in phrase.words])
        marker = Marker(spoken)
        base = 0
        for piece in cut(spoken):
            chunk = self._say(piece, marker, base, cancel)
            base += len(chunk.samples)
            yield chunk

    def _say(self, piece: Piece, marker: Marker, base: int, cancel: CancelToken) -> SpeechChunk:
        known = vocabulary()
        tokens = [known[symbol] for symbol in piece.text]
        inference = self._model.infer(tokens, self._style(len(tokens)), self._speed, cancel)
        trimmed = trim(inference.audio, RATE, piece.text[-1])
        placed = place(piece.spans, inference.edges - _LEAD_SAMPLES, trimmed)
        return SpeechChunk(trimmed.samples, marker.marks(placed, base))

    def _style(self, phonemes: int) -> NDArray[np.float32]:
        row = min(phonemes, len(self._styles)) - 1
        return self._styles[row : row + 1]

    def close(self) -> None:
        """Release the network; calling it twice is fine."""
        self._model.close()
