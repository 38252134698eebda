"""All synthesizers by name: what is installed, and how to open one.

An engine's packages are imported only when it is opened, except onnxruntime, which the VAD needs in
any case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from audio.engine import EngineInfo
from audio.errors import EngineMissing
from audio.tts import espeak_g2p, kokoro, kokoro_mlx, kokoro_torch, openai_http, scripted
from audio.tts.base import Synthesizer
from audio.tts.voices import JARVIS_VOICE, VoiceInfo
from audio.tts.voices import voices as _shipped_voices

DEFAULT_SYNTHESIZER = "kokoro"


@dataclass(frozen=True, slots=True)
class _Entry:
    describe: Callable[[], EngineInfo]
    open: Callable[..., Synthesizer]  # takes a voice, a speed and the engine's own options


def _entries() -> dict[str, _Entry]:
    return {
        kokoro.NAME: _Entry(kokoro.describe, kokoro.KokoroSynthesizer),
        kokoro_torch.NAME: _Entry(kokoro_torch.describe, kokoro_torch.KokoroTorchSynthesizer),
        kokoro_mlx.NAME: _Entry(kokoro_mlx.describe, kokoro_mlx.KokoroMlxSynthesizer),
        espeak_g2p.NAME: _Entry(espeak_g2p.describe, espeak_g2p.EspeakKokoroSynthesizer),
        openai_http.NAME: _Entry(openai_http.describe, _open_openai),
        scripted.NAME: _Entry(scripted.describe, _open_scripted),
    }


def _open_openai(
    voice: str,
    speed: float,
    base_url: str = "",
    api_key: str = "none",
    model: str = "tts-1",
    timeout_s: float = 10.0,
) -> Synthesizer:
    return openai_http.OpenAISynthesizer(
        openai_http.OpenAISpeechSettings(base_url, api_key, model, voice, speed, timeout_s)
    )


def _open_scripted(voice: str, speed: float) -> Synthesizer:
    word_s = scripted.Script().word_s
    return scripted.ScriptedSynthesizer(scripted.Script(word_s=word_s / speed))


def synthesizers() -> list[EngineInfo]:
    """Every synthesizer that is known, the default one first, installed or not."""
    return [entry.describe() for entry in _entries().values()]


def open_synthesizer(
    name: str = DEFAULT_SYNTHESIZER,
    voice: str = JARVIS_VOICE,
    speed: float = 1.0,
    **options: Any,  # each engine types its own
) -> Synthesizer:
    """Load the synthesizer ``name`` with a voice.

    ``voices`` lists the voices of the Kokoro engines; a server has its own names. Kokoro takes
    ``threads``, kokoro-torch and kokoro-mlx take ``model`` (a folder or a name in the hub's cache),
    openai takes ``base_url``, ``api_key``, ``model`` and ``timeout_s``.
    Raises ValueError for a speed that is not above zero, and EngineMissing, EngineCorrupt or
    UnwritableOutput when the engine cannot be loaded.
    """
    if not speed > 0:
        raise ValueError(f"speed must be above zero, not {speed}")
    entries = _entries()
    if name not in entries:
        raise EngineMissing(
            f"There is no synthesizer called {name!r}.", f"Choose one of: {', '.join(entries)}."
        )
    return entries[name].open(voice, speed, **options)


def voices() -> list[VoiceInfo]:
    """The voices that ship, Jarvis's first."""
    return _shipped_voices()
