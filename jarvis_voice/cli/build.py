"""The composition root: the only module that builds engines, devices, brain and runs.

Everything is built from the settings and handed to the conversation; no part builds another.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from typing import NamedTuple

import numpy as np

from audio import weights
from audio.asr.base import Recognizer
from audio.asr.registry import open_recognizer
from audio.controllers.registry import MakeController, controller_maker
from audio.devices import portaudio
from audio.devices.base import CapturePort, PlaybackPort
from audio.devices.portaudio import Direction
from audio.devices.reopen import DuplexDevices
from audio.devices.settings import DeviceSettings as PortSettings
from audio.devices.settings import device_choice
from audio.devices.sounddevice_io import SystemDevices
from audio.echo.base import EchoCanceller
from audio.echo.bypass import Bypass
from audio.echo.webrtc import WebRtcEchoCanceller
from audio.engine import CancelToken
from audio.overlap_claim import ClaimJudge, load_claim_network
from audio.tts.audio_store import AudioStore
from audio.tts.base import Synthesizer
from audio.tts.cached import CachedSynthesizer, voice_key
from audio.tts.registry import open_synthesizer
from audio.tts.spoken_text import speak
from audio.turn.semantic import endpointing_for
from audio.turn.settings import TurnSettings
from audio.vad.base import SAMPLE_RATE, Vad
from audio.vad.silero import SileroVad
from jarvis_voice import clock, config
from jarvis_voice.brain.anthropic_model import AnthropicModel
from jarvis_voice.brain.brain import NarratorBrain
from jarvis_voice.brain.chat_model import ChatModel
from jarvis_voice.brain.lookup import RunLookup
from jarvis_voice.brain.model_brain import Deadlines, ModelBrain
from jarvis_voice.brain.openai_model import OpenAIModel
from jarvis_voice.config import (
    BrainSettings,
    DeviceSettings,
    RecognizerSettings,
    Settings,
    SynthesizerSettings,
)
from jarvis_voice.conversation import (
    AnsweringSettings,
    Brain,
    ConversationSettings,
    DeviceKeeper,
    Parts,
)
from jarvis_voice.errors import BrainError, SettingsError
from jarvis_voice.events import ConversationEvent, Faulted

OPENERS = ("Let me see.", "One moment.", "Let me look.")


class Engines(NamedTuple):
    """The models of a conversation, loaded."""

    vad: Vad
    canceller: EchoCanceller
    recognizer: Recognizer
    synthesizer: Synthesizer
    make_controller: MakeController | None = None  # each conversation has one of its own

    def close(self) -> None:
        """Release all of them."""
        self.recognizer.close()
        self.synthesizer.close()


class Ports(NamedTuple):
    """A microphone and a loudspeaker."""

    capture: CapturePort
    playback: PlaybackPort


def load_engines(settings: Settings, *, keep: bool = False) -> Engines:
    """Load all models, two at a time, and let each work once, so that the first turn is not slow.

    With ``keep`` phrases are kept on disk, as the settings say, and otherwise in memory only.
    Raises EngineMissing, EngineCorrupt or EngineFailed.
    """
    with ThreadPoolExecutor(2) as pool:
        recognizer = pool.submit(_warm_recognizer, settings.recognizer)
        synthesizer = pool.submit(_warm_synthesizer, settings.synthesizer)
        return Engines(
            SileroVad(),
            canceller(settings.devices),
            recognizer.result(),
            cached(synthesizer.result(), settings.synthesizer, keep=keep),
            _controller_maker(settings.turn),
        )


def _controller_maker(settings: TurnSettings) -> MakeController | None:
    """None for the acoustic one, which has no opinion that anybody would wait for."""
    if settings.controller == "acoustic":
        return None
    return controller_maker(settings.controller, settings.controller_url, settings.smart_turn_model)


def _warm_recognizer(settings: RecognizerSettings) -> Recognizer:
    recognizer = open_recognizer(settings.engine)
    stream = recognizer.stream()
    hiss = np.random.default_rng(1).standard_normal(SAMPLE_RATE).astype(np.float32) * 0.01
    stream.push(hiss, 1.0)
    stream.final(CancelToken())
    stream.close()
    return recognizer


def _warm_synthesizer(settings: SynthesizerSettings) -> Synthesizer:
    synthesizer = open_synthesizer(settings.engine, **settings.options())
    for _ in synthesizer.synthesize(speak("Ready."), CancelToken()):
        pass
    return synthesizer


def cached(
    synthesizer: Synthesizer, settings: SynthesizerSettings, *, keep: bool = False
) -> CachedSynthesizer:
    """The synthesizer with its audio cache; on disk too with ``keep``, as the settings say."""
    store = None
    if keep and settings.keep_mb:
        store = AudioStore(weights.cache_dir() / "phrases", round(settings.keep_mb * 1e6))
    release = metadata.version("jarvis-voice")
    key = voice_key(synthesizer.info, settings.voice, settings.speed, release)
    return CachedSynthesizer(synthesizer, key, store)


def canceller(settings: DeviceSettings) -> EchoCanceller:
    """WebRTC's canceller when the microphone hears the loudspeaker, none with headphones."""
    return WebRtcEchoCanceller() if settings.echo == "speaker" else Bypass()


def devices(settings: DeviceSettings) -> DuplexDevices:
    """The sound card's two sides, not yet opened, and the means to get them back when lost."""
    wanted = PortSettings(
        input_device=device_choice(settings.input),
        output_device=device_choice(settings.output),
        output_latency_s=settings.output_latency_s,
    )
    return DuplexDevices(SystemDevices(wanted), wanted)


def check_devices(settings: DeviceSettings) -> None:
    """Look for the two devices before minutes go into models. Raises DeviceUnavailable."""
    found = portaudio.list_devices()
    for wanted, direction in (
        (settings.input, Direction.CAPTURE),
        (settings.output, Direction.PLAYBACK),
    ):
        portaudio.choose(found, device_choice(wanted), direction)


def brain(
    settings: BrainSettings, lookup: RunLookup, publish: Callable[[ConversationEvent], None]
) -> Brain:
    """The narrator, alone or behind a chat model. Raises SettingsError."""
    if settings.kind == "narrator":
        return NarratorBrain(lookup)

    def faulted(error: BrainError) -> None:
        now_s = clock.session_now()
        publish(Faulted(now_s, "brain", error.problem, error.remedy, spoken=True))

    deadlines = Deadlines(first_token_s=settings.first_word_timeout_s, total_s=settings.timeout_s)
    return ModelBrain(chat_model(settings), lookup, faulted, deadlines)


def chat_model(settings: BrainSettings) -> ChatModel:
    """The chat model of the settings. Raises SettingsError without a name, a client or a key."""
    if not settings.model:
        raise SettingsError(
            f"brain.kind is {settings.kind!r}, but brain.model names no model.",
            "Name one in the settings file; 'jarvis config --path' tells where it is.",
        )
    key = config.api_key(settings) or ""
    if settings.kind == "anthropic":
        return AnthropicModel(settings.model, settings.base_url, key)
    return OpenAIModel(settings.model, settings.base_url, key)


def live_parts(engines: Engines, sound: DuplexDevices, answers: Brain) -> Parts:
    """What a conversation over the sound card is made of."""
    return parts(engines, Ports(sound.capture, sound.playback), answers, sound)


def parts(
    engines: Engines, ports: Ports, answers: Brain, keeper: DeviceKeeper | None = None
) -> Parts:
    """What a conversation is made of."""
    return Parts(
        ports.capture,
        ports.playback,
        engines.canceller,
        engines.vad,
        engines.recognizer,
        engines.synthesizer,
        answers,
        keeper,
        controller=engines.make_controller() if engines.make_controller else None,
        claims=ClaimJudge(load_claim_network()),
    )


def conversation_settings(settings: Settings) -> ConversationSettings:
    """How the conversation is led."""
    brain = settings.brain
    endpointing = endpointing_for(settings.turn)
    waits = brain.kind != "narrator" and brain.opener_after_s > 0
    answering = AnsweringSettings(
        openers=OPENERS if waits else (), opener_after_s=brain.opener_after_s
    )
    return ConversationSettings(turn=settings.turn, answering=answering, endpointing=endpointing)
