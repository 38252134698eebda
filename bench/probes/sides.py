"""Who answers: Jarvis as the app builds it, and the sequential reference beside it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from audio.asr.registry import open_recognizer
from audio.tts.base import Synthesizer
from audio.tts.cached import CachedSynthesizer
from audio.tts.kokoro import NAME as KOKORO
from audio.tts.kokoro import KokoroSynthesizer
from audio.tts.registry import open_synthesizer
from audio.tts.voices import JARVIS_VOICE
from bench.probes.play import Opened, Ports, Publish
from bench.probes.sequential import SequentialPipeline
from bench.probes.tap import Spoken, Tap
from jarvis_voice import clock
from jarvis_voice.brain.chat_model import ChatModel
from jarvis_voice.brain.model_brain import Deadlines, ModelBrain
from jarvis_voice.brain.scripted import Pause, ScriptedModel
from jarvis_voice.cli import build
from jarvis_voice.config import Settings
from jarvis_voice.conversation import Brain, Conversation
from jarvis_voice.errors import BrainError
from jarvis_voice.events import ConversationEvent, Faulted, RunChanged
from jarvis_voice.runs.sources import Recording
from jarvis_voice.runs.watcher import RunWatcher

OURS, SEQUENTIAL = "jarvis", "sequential"
REPLAY_S = 30.0  # a run that changes is replayed over about this long
MODEL_ANSWER = "It is on the third of five steps, and all tests have passed so far."


class Mind(NamedTuple):
    """A brain for one session, and what goes on beside it."""

    brain: Brain
    beside: Sequence[Coroutine[Any, Any, None]] = ()


MindFor = Callable[[Publish], Mind]


class JarvisSide:
    """The app's own conversation, built by the app's own composition root."""

    name = OURS

    def __init__(self, settings: Settings, mind: MindFor, *, keep: bool = False) -> None:
        """Load the engines. With ``keep`` one session's phrases are kept for the next, and nothing
        is anticipated: for probes in which it does not matter when an answer begins.

        Raises EngineMissing, EngineCorrupt or EngineFailed.
        """
        self._settings = settings
        self._mind = mind
        self._keep = keep
        engines = build.load_engines(settings)
        made = engines.synthesizer
        bare = made.inner if isinstance(made, CachedSynthesizer) else made
        self._tap = Tap(build.cached(bare, settings.synthesizer) if keep else bare)
        self._engines = engines._replace(synthesizer=self._tap)

    @property
    def engines(self) -> build.Engines:
        """The loaded engines, for the record."""
        return self._engines

    def open(self, ports: Ports, publish: Publish, *, echo: bool) -> Opened:
        """See Side.open."""
        engines = _fresh(self._engines, self._settings, echo=echo)
        synthesizer: Synthesizer = self._tap
        if not self._keep:  # a cache of its own for each session: no prompt gains from the last one
            synthesizer = build.cached(self._tap, self._settings.synthesizer)
        held: list[Conversation] = []

        def told(event: ConversationEvent) -> None:
            publish(event)
            if isinstance(event, RunChanged) and held:
                held[0].runs_changed()

        mind = self._mind(told)
        parts = build.parts(
            engines._replace(synthesizer=synthesizer), build.Ports(*ports), mind.brain
        )
        settings = build.conversation_settings(self._settings)
        held.append(Conversation(parts, settings, told))
        return Opened(held[0], mind.beside)

    def spoken(self) -> list[Spoken]:
        """See Side.spoken."""
        return self._tap.take()

    def close(self) -> None:
        """Release the engines."""
        self._engines.close()


class SequentialSide:
    """The reference, from the same models: another window, no streaming, nothing ahead."""

    name = SEQUENTIAL

    def __init__(
        self, settings: Settings, mind: MindFor, shared: build.Engines, *, keep: bool = False
    ) -> None:
        """``shared`` lends its voice detector; ``keep`` as for Jarvis.

        Raises EngineMissing or EngineCorrupt.
        """
        self._settings = settings
        self._mind = mind
        whole = _whole_sentences(settings)
        self._tap = Tap(build.cached(whole, settings.synthesizer) if keep else whole)
        self._engines = shared._replace(recognizer=_whole_window(settings), synthesizer=self._tap)

    def open(self, ports: Ports, publish: Publish, *, echo: bool) -> Opened:
        """See Side.open."""
        engines = _fresh(self._engines, self._settings, echo=echo)
        mind = self._mind(publish)
        parts = build.parts(engines, build.Ports(*ports), mind.brain)
        return Opened(SequentialPipeline(parts, publish), mind.beside)

    def spoken(self) -> list[Spoken]:
        """See Side.spoken."""
        return self._tap.take()

    def close(self) -> None:
        """Release the engines that are its own."""
        self._engines.recognizer.close()
        self._tap.close()


def _fresh(engines: build.Engines, settings: Settings, *, echo: bool) -> build.Engines:
    """The engines for another session: nothing of the one before is left in them."""
    engines.vad.reset()
    devices = replace(settings.devices, echo="speaker" if echo else "headphones")
    return engines._replace(canceller=build.canceller(devices))


def _whole_window(settings: Settings) -> Any:
    """The recognizer with Whisper's window of 30 s; other engines have no window to choose."""
    name = settings.recognizer.engine
    if not name.startswith("whisper-"):
        return open_recognizer(name)
    whisper = importlib.import_module("audio.asr.whisper")  # loads the engine's package
    window_s = importlib.import_module("audio.asr.whisper_model").FULL_WINDOW_S
    return open_recognizer(name, settings=whisper.WhisperSettings(short_window_s=window_s))


def _whole_sentences(settings: Settings) -> Any:
    """The synthesizer that gives a sentence when all of it is done."""
    chosen = settings.synthesizer
    if chosen.engine == KOKORO:
        return KokoroSynthesizer(chosen.voice or JARVIS_VOICE, chosen.speed)
    return open_synthesizer(chosen.engine, **chosen.options())


# --- brains ------------------------------------------------------------------------------------


def about_run(settings: Settings, recording: Recording, model_ttft_s: float | None) -> MindFor:
    """Answers about a recorded run that goes on meanwhile, by the app's brain.

    With ``model_ttft_s`` a scripted chat model words the answers, whose first piece takes so long.
    """
    times = [event.at_s for event in recording.events if event.at_s is not None]
    pace = max((max(times) - min(times)) / REPLAY_S, 1e-6) if times else 1.0

    def mind(publish: Publish) -> Mind:
        watcher = RunWatcher(publish)
        beside = [watcher.replay(recording, pace)]
        if model_ttft_s is not None:
            return Mind(_modelled(watcher, model_ttft_s, publish), beside)
        return Mind(build.brain(settings.brain, watcher, publish), beside)

    return mind


def _modelled(watcher: RunWatcher, ttft_s: float, publish: Publish) -> Brain:
    words = [f"{word} " for word in MODEL_ANSWER.split()]
    model: ChatModel = ScriptedModel([Pause(ttft_s), *words], name=f"scripted, {ttft_s:g} s")

    def faulted(error: BrainError) -> None:
        publish(Faulted(clock.session_now(), "brain", error.problem, error.remedy))

    return ModelBrain(model, watcher, faulted, Deadlines())
