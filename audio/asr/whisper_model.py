"""Whisper on CTranslate2: sound in, text with its evidence out; no policy.

The decoder works in steps of a few tokens on one encoding, so that a call can be cancelled between
steps and a loop is cut short; CTranslate2 itself cannot be stopped. Only greedy search without
timestamps is used.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import ctranslate2
import numpy as np
from numpy.typing import NDArray

from audio.asr.base import SAMPLE_RATE
from audio.asr.mel import FRAMES_PER_S, log_mel
from audio.engine import CancelToken
from audio.errors import EngineCorrupt, EngineFailed

FULL_WINDOW_S = 30.0
_STEP_TOKENS = 24  # a spoken sentence of 10 words has about 14, so most take a single step
_TOKENS_FLOOR = 16
_TOKENS_PER_S = 8.0  # fast English has 5 to 6 tokens a second; 6 cut off quick counting
_MAX_TOKENS = 220  # the model was trained on half of its 448 positions


@dataclass(frozen=True, slots=True)
class Decoded:
    """What the decoder wrote and what speaks for it."""

    text: str
    tokens: tuple[int, ...]
    average_logprob: float  # natural logarithm per token, end of text included
    no_speech: float  # probability of the model's own no-speech token
    complete: bool  # it ended by itself, not at the token cap
    language: str

    @property
    def confidence(self) -> float:
        return math.exp(min(0.0, self.average_logprob))


class WhisperModel:
    """A loaded model. One call at a time."""

    def __init__(self, folder: Path, threads: int) -> None:
        """Load ``model.bin``, ``config.json`` and ``vocabulary.txt`` from a folder, as int8.

        Raises EngineCorrupt when they do not fit together.
        """
        try:
            self._model = ctranslate2.models.Whisper(
                str(folder), device="cpu", compute_type="int8", intra_threads=threads
            )
            self._vocabulary = _read_vocabulary(folder)
            ids = {token: index for index, token in enumerate(self._vocabulary)}
            self._end = ids["<|endoftext|>"]
            self._start = ids["<|startoftranscript|>"]
            self._no_timestamps = ids["<|notimestamps|>"]
            self._transcribe = ids["<|transcribe|>"]
        except (RuntimeError, ValueError, KeyError, OSError) as error:
            raise EngineCorrupt(
                f"The Whisper model in {folder} cannot be loaded: {error}.",
                "Reinstall the package that carries it.",
            ) from error
        self._languages = {
            token[2:-2]: index for token, index in ids.items() if _is_language(token)
        }
        self._bytes = _byte_table()

    @property
    def multilingual(self) -> bool:
        return bool(self._model.is_multilingual)

    def decode(
        self,
        samples: NDArray[np.float32],
        window_s: float,
        language: str | None,
        cancel: CancelToken,
    ) -> Decoded:
        """Transcribe ``samples`` (float32 mono, 16 kHz) followed by silence up to ``window_s``.

        ``language`` is ISO 639-1; None lets a multilingual model choose. Raises Cancelled between
        steps, and EngineFailed when CTranslate2 does.
        """
        window_s = min(window_s, FULL_WINDOW_S)
        features = log_mel(samples, math.ceil(window_s * FRAMES_PER_S / 2) * 2)
        cancel.raise_if_cancelled()
        try:
            encoded = self._model.encode(ctranslate2.StorageView.from_array(features[None]))
            cancel.raise_if_cancelled()
            spoken = self._language(encoded, language)
            return self._generate(encoded, spoken, len(samples) / SAMPLE_RATE, cancel)
        except (RuntimeError, ValueError) as error:
            raise EngineFailed(f"Whisper failed: {error}.", "Say it again.") from error

    def close(self) -> None:
        self._model.unload_model()

    def _language(self, encoded: ctranslate2.StorageView, language: str | None) -> str:
        if not self.multilingual:
            return "en"
        if language in self._languages:
            return language
        ranked = self._model.detect_language(encoded)[0]
        return str(ranked[0][0]).strip("<|>")

    def _prompt(self, language: str) -> list[int]:
        if not self.multilingual:
            return [self._start, self._no_timestamps]
        return [self._start, self._languages[language], self._transcribe, self._no_timestamps]

    def _generate(
        self,
        encoded: ctranslate2.StorageView,
        language: str,
        seconds: float,
        cancel: CancelToken,
    ) -> Decoded:
        prompt = self._prompt(language)
        cap = min(_MAX_TOKENS, int(_TOKENS_FLOOR + _TOKENS_PER_S * seconds))
        tokens: list[int] = []
        logprob, no_speech, complete = 0.0, 0.0, False
        while len(tokens) < cap and not complete:
            cancel.raise_if_cancelled()
            limit = min(cap, len(tokens) + _STEP_TOKENS)
            result = self._model.generate(
                encoded,
                [prompt + tokens],  # the text so far is repeated at the head of the result
                beam_size=1,
                max_length=2 * limit,  # CTranslate2 writes at most half of its limit
                return_scores=True,
                return_no_speech_prob=not tokens,
                suppress_blank=not tokens,
            )[0]
            no_speech = no_speech if tokens else float(result.no_speech_prob)
            tokens = list(result.sequences_ids[0])
            complete = len(tokens) < limit
            logprob += float(result.scores[0]) * len(tokens)  # the score of the new part alone
            if _circles(tokens):
                break
        average = logprob / max(1, len(tokens) + complete)
        text = self._text(tokens)
        return Decoded(text, tuple(tokens), average, no_speech, complete, language)

    def _text(self, tokens: Sequence[int]) -> str:
        characters = "".join(self._vocabulary[token] for token in tokens if token < self._end)
        raw = bytes(self._bytes[character] for character in characters if character in self._bytes)
        return " ".join(raw.decode("utf-8", errors="ignore").split())


def _circles(tokens: list[int]) -> bool:
    """The last tokens are one group three times over, so the rest would be more of it."""
    for size in range(2, 13):
        tail = tokens[-3 * size :]
        if len(tail) == 3 * size and tail[:size] == tail[size : 2 * size] == tail[2 * size :]:
            return True
    return False


def _is_language(token: str) -> bool:
    return token.startswith("<|") and token.endswith("|>") and 2 <= len(token) - 4 <= 3


def _read_vocabulary(folder: Path) -> list[str]:
    return (folder / "vocabulary.txt").read_text(encoding="utf-8").split("\n")[:-1]


def _byte_table() -> dict[str, int]:
    """The byte for each character of a byte-level BPE vocabulary.

    Bytes that print in Latin-1 stand for themselves; the others, in order, for the characters from
    U+0100 on.
    """
    printing = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in printing]
    table = {chr(byte): byte for byte in printing}
    table.update({chr(0x100 + place): byte for place, byte in enumerate(others)})
    return table
