"""Guesses the sounds of words that no dictionary has, with a small recurrent network.

The network is the GRU encoder and decoder of g2p-en 2.1.0 (Apache-2.0): 256 units, letters in,
ARPAbet out. Its weights ship as float16, half the size; they are computed in float32. A word takes
about 2 ms.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from audio.errors import EngineCorrupt
from audio.resources import asset
from audio.tts.phonemes import from_arpabet

_LETTERS = {letter: index for index, letter in enumerate("abcdefghijklmnopqrstuvwxyz", start=3)}
_UNKNOWN_LETTER, _END_OF_WORD = 1, 2
_START, _END = 2, 3
_FIRST_PHONE = 4
_PHONES = (
    "AA0 AA1 AA2 AE0 AE1 AE2 AH0 AH1 AH2 AO0 AO1 AO2 AW0 AW1 AW2 AY0 AY1 AY2 B CH D DH EH0 "
    "EH1 EH2 ER0 ER1 ER2 EY0 EY1 EY2 F G HH IH0 IH1 IH2 IY0 IY1 IY2 JH K L M N NG OW0 OW1 OW2 "
    "OY0 OY1 OY2 P R S SH T TH UH0 UH1 UH2 UW UW0 UW1 UW2 V W Y Z ZH"
).split()  # in the order of the network's outputs
_MOST_PHONES = 30  # the network was trained on dictionary words; past this it only repeats

Array = NDArray[np.float32]


class UnknownWords:
    """Letters to phonemes; loads its weights on the first word."""

    @functools.cached_property
    def _weights(self) -> dict[str, Array]:
        path = asset("models", "g2p_en_gru_float16.npz")
        try:
            with np.load(path) as stored:
                return {name: stored[name].astype(np.float32) for name in stored.files}
        except (OSError, ValueError) as error:
            raise EngineCorrupt(
                f"The weight {path} cannot be read: {error}.",
                "Run: pip install --force-reinstall jarvis-voice",
            ) from error

    def pronounce(self, word: str) -> str:
        """The phonemes of ``word``, in the synthesizer's alphabet. Raises EngineCorrupt."""
        weights = self._weights
        hidden = np.zeros(weights["enc_w_hh"].shape[1], np.float32)
        codes = [_LETTERS.get(letter, _UNKNOWN_LETTER) for letter in word.lower()]
        for code in [*codes, _END_OF_WORD]:
            hidden = self._step("enc", weights["enc_emb"][code], hidden)
        phones: list[str] = []
        code = _START
        while len(phones) < _MOST_PHONES:
            hidden = self._step("dec", weights["dec_emb"][code], hidden)
            code = int(np.argmax(weights["fc_w"] @ hidden + weights["fc_b"]))
            if code == _END:
                break
            if code >= _FIRST_PHONE:
                phones.append(_PHONES[code - _FIRST_PHONE])
        return from_arpabet(phones)

    def _step(self, part: str, given: Array, hidden: Array) -> Array:
        weights = self._weights
        units = hidden.shape[0]
        new = weights[f"{part}_w_ih"] @ given + weights[f"{part}_b_ih"]
        old = weights[f"{part}_w_hh"] @ hidden + weights[f"{part}_b_hh"]
        gates = 1 / (1 + np.exp(-(new[: 2 * units] + old[: 2 * units])))
        reset, update = gates[:units], gates[units:]
        candidate = np.tanh(new[2 * units :] + reset * old[2 * units :])
        mixed: Array = (1 - update) * candidate + update * hidden
        return mixed
