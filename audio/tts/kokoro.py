"""The default synthesizer: Kokoro-82M on plain onnxruntime, weights from pip, no torch."""

from __future__ import annotations

from audio.clocks import Clocks
from audio.engine import EngineInfo, EngineKind
from audio.tts import kokoro_model
from audio.tts.kokoro_stream import manner, open_network
from audio.tts.phoneme_speech import PhonemeSynthesizer
from audio.tts.voices import JARVIS_VOICE, load_styles

NAME = "kokoro"
THREADS = 2


def describe(voice: str = JARVIS_VOICE, threads: int = THREADS) -> EngineInfo:
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
        manner=manner(voice, threads) if installed else "",
    )


class KokoroSynthesizer(PhonemeSynthesizer):
    """Says phrases with the shipped network; cancelling stops an inference that is under way."""

    def __init__(
        self,
        voice: str = JARVIS_VOICE,
        speed: float = 1.0,
        threads: int = THREADS,
        clocks: Clocks | None = None,
    ) -> None:
        """Load the network, the voice and the dictionaries: half a second, two in windows.

        With ``clocks`` a phrase comes in several chunks, the first of them
        early, where this machine is found to be fast enough; the first time, finding out takes some
        seconds more. Without them each piece of a phrase is one chunk.
        Raises ValueError for a speed that is not above zero, EngineMissing, EngineCorrupt or
        UnwritableOutput.
        """
        load_styles(voice)  # a wrong name is told before 90 MB are joined and loaded
        network = open_network(voice, threads, clocks)
        super().__init__(network, describe(voice, threads), voice, speed)
