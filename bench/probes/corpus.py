"""The corpus, ready to be played: cases of the recipe become sound, truth included."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from audio.pcm import RATE
from audio.resources import asset
from audio.wav import read_audio
from bench.probes import human, sounds
from bench.probes.recipe import (
    DuplexCase,
    Line,
    Place,
    PromptCase,
    TurnCase,
    texts,
)
from bench.probes.sounds import Sound
from bench.probes.speaker import Clip, Studio, measured

NOISE_S = 20.0  # of background, repeated
FAR_DB = -12.0  # someone else in the room, against the user
FAR_REVERB_S = 0.4
STEADY_S = 5.0  # of noise over an answer that must go on


@dataclass(frozen=True, slots=True)
class SharedPrompt:
    """One of the five shared prompts."""

    clip: Clip
    interrupts: bool


class Corpus:
    """Makes the sound of cases and remembers what it made."""

    def __init__(self, studio: Studio, seed: int) -> None:
        self._studio = studio
        self._seed = seed
        self._babble: list[Sound] = []
        self._digests: list[str] = []
        self._human: dict[str, Clip] = {}

    def add_human(self, folder: Path) -> list[DuplexCase]:
        """Cases for the recordings of people in a folder. Raises UsageError and UnreadableAudio."""
        cases = []
        for kind in ("aside", "sound"):
            for name, clip in human.clips(folder, kind):
                self._human[name] = replace(clip, text="")
                cases.append(DuplexCase(f"{kind}/{name}", kind, None, name))
        return cases

    @property
    def digest(self) -> str:
        """Of all clips made so far, in order."""
        return hashlib.sha256("".join(self._digests).encode()).hexdigest()[:16]

    def prompt(self, case: PromptCase) -> Clip:
        """A prompt as it is said in its place; its truth is that of the dry speech."""
        return self._kept(self._placed(self._studio.clip(case.line), case.place))

    def background(self, place: Place) -> Sound | None:
        """The noise of a place at the microphone; None for a quiet one."""
        if not place.noise:
            return None
        made = self._noise(place.noise)
        return sounds.at_level(made, sounds.SPEECH_DBFS - place.snr_db)

    def turn(self, case: TurnCase) -> Clip:
        """A turn with its pauses."""
        return self._kept(self._studio.clip(case.line))

    def overlap(self, case: DuplexCase) -> Clip:
        """What is heard over the agent; without words for a sound, a noise or an echo."""
        return self._kept(self._overlap(case))

    def _overlap(self, case: DuplexCase) -> Clip:
        if case.what in self._human:
            return self._human[case.what]
        if case.line is not None:
            clip = self._studio.clip(case.line)
            if case.kind != "aside":
                return clip
            far = sounds.in_room(clip.samples, FAR_REVERB_S, self._seed)
            return replace(clip, samples=sounds.at_level(far, sounds.SPEECH_DBFS + FAR_DB))
        if case.kind == "echo":
            return Clip("", np.zeros(0, np.float32))
        if case.kind == "noise":
            noise = self._noise(case.what)[: round(STEADY_S * RATE)]
            return measured(Clip("", sounds.at_level(noise, sounds.SPEECH_DBFS - 6.0)))
        if case.what == "laugh":
            laugh = Line(**texts("duplex")["laugh"])
            return replace(self._studio.clip(laugh), text="", words=())
        return measured(Clip("", sounds.event(case.what, case.seed)))

    def opening(self) -> Clip:
        """The question that gets the long answer."""
        return self._kept(self._studio.clip(Line(texts("duplex")["opening"], "bf_emma")))

    def _placed(self, clip: Clip, place: Place) -> Clip:
        wet = sounds.in_room(clip.samples, place.reverb_s, self._seed)
        return replace(clip, samples=wet)

    def _noise(self, kind: str) -> Sound:
        voices: Sequence[Sound] = ()
        if kind == "babble":
            voices = self._talkers()
        return sounds.noise(kind, NOISE_S, self._seed, voices)

    def _talkers(self) -> list[Sound]:
        if not self._babble:
            data = texts("duplex")
            speakers = data["speakers"]
            for number, text in enumerate(data["asides"]):
                line = Line(text, speakers[number % len(speakers)])
                self._babble.append(self._studio.clip(line).samples)
        return self._babble

    def _kept(self, clip: Clip) -> Clip:
        self._digests.append(clip.digest)
        return clip


def shared_prompts() -> list[SharedPrompt]:
    """The five shared prompts, with their truth. Raises UnreadableAudio when one is damaged."""
    listed = json.loads(asset("prompts", "prompts.json").read_text(encoding="utf-8"))["prompts"]
    return [
        SharedPrompt(
            measured(Clip(entry["text"], read_audio(asset("prompts", entry["file"]))[0])),
            entry["role"] == "interrupts",
        )
        for entry in listed
    ]
