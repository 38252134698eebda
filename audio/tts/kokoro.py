"""The default synthesizer: Kokoro-82M on plain onnxruntime, weights from pip, no torch."""

from __future__ import annotations

from audio.engine import EngineInfo, EngineKind
from audio.tts import kokoro_model
from audio.tts.kokoro_model import KokoroModel
from audio.tts.phoneme_speech import PhonemeSynthesizer
from audio.tts.voices import JARVIS_VOICE, load_styles

NAME = "kokoro"


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


class KokoroSynthesizer(PhonemeSynthesizer):
    """Says phrases with the int8 network; cancelling stops an inference that is under way."""

    def __init__(self, voice: str = JARVIS_VOICE, speed: float = 1.0, threads: int = 2) -> None:
        """Load the network, the voice and the dictionaries: about half a second.

        Raises ValueError for a speed that is not above zero, EngineMissing, EngineCorrupt or
        UnwritableOutput.
        """
        load_styles(voice)  # a wrong name is told before 90 MB are joined and loaded
        super().__init__(KokoroModel(threads), describe(), voice, speed)
