"""What is said and done while Jarvis speaks, as sound: seeded, with the voices that ship.

Kokoro's bf_emma and af_heart say the sentences of ``overlap_texts.py``; ``overlap_sounds.py`` draws
the noises. Levels are drawn from what a user half a metre away gives (-26 to -16 dBFS), and those
who speak to somebody else are 20 dB weaker in every second case. One half chose the settings; the
other reports.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from audio.asr.base import Recognizer
from audio.engine import CancelToken
from audio.pcm import RATE
from audio.tts.registry import open_synthesizer
from audio.vad.base import FRAME_SAMPLES
from audio.vad.silero import SileroVad
from bench.make_prompts import speak
from bench.overlap_sounds import SOUNDS, Sound, at_level, make_sound
from bench.overlap_texts import BACKCHANNELS, INTERRUPTIONS, SIDE_TALK

SEED: Final = 20261130
VOICES: Final = ("bf_emma", "af_heart")
NOISES_EACH: Final = 4
LEVELS_DBFS: Final = (-26.0, -16.0)
FAR_DB: Final = -20.0


@dataclass(frozen=True, slots=True)
class Case:
    """Something that happens while Jarvis speaks."""

    kind: str  # interruption, backchannel, noise, side talk
    text: str  # or the kind of noise
    sound: Sound
    half: str  # tune or test
    far: bool = False
    transcript: str = ""  # what the recognizer makes of it on its own, once that was asked


def all_cases(cache: Path | None = None) -> list[Case]:
    """Every case, the same each time. ``cache`` keeps the voices' part of the work."""
    said = _said(cache)
    draw = np.random.default_rng(SEED)
    cases = []
    for kind, texts in (
        ("interruption", INTERRUPTIONS),
        ("backchannel", BACKCHANNELS),
        ("side talk", SIDE_TALK),
    ):
        for place, text in enumerate(texts):
            half = "tune" if place < len(texts) // 2 else "test"
            far = kind == "side talk" and place % 2 == 0
            level = float(draw.uniform(*LEVELS_DBFS)) + (FAR_DB if far else 0.0)
            cases.append(Case(kind, text, at_level(said[text], level), half, far))
    for place in range(NOISES_EACH * len(SOUNDS)):
        name = list(SOUNDS)[place % len(SOUNDS)]
        sound = at_level(make_sound(name, draw), float(draw.uniform(*LEVELS_DBFS)))
        cases.append(Case("noise", name, sound, "tune" if place % 20 < 10 else "test"))
    return cases


def transcript_of(case: Case, recognizer: Recognizer, vad: SileroVad) -> str:
    """What is understood of a case with nobody else speaking."""
    vad.reset()
    stream = recognizer.stream()
    padded = np.pad(case.sound, (RATE // 2, RATE // 2))
    noise = np.random.default_rng(SEED).standard_normal(len(padded)) * 10 ** (-62 / 20)
    padded = (padded + noise).astype(np.float32)
    for start in range(0, len(padded) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
        frame = padded[start : start + FRAME_SAMPLES]
        stream.push(frame, vad.probability(frame))
    text = stream.final(CancelToken()).text
    stream.close()
    return text


def _said(cache: Path | None) -> dict[str, Sound]:
    if cache is not None and cache.is_file():
        with np.load(cache) as stored:
            listing = json.loads(str(stored["listing"]))
            sounds = np.split(stored["sound"], np.cumsum([size for _, size in listing])[:-1])
        return {text: sound for (text, _), sound in zip(listing, sounds, strict=True)}
    said = dict(_say([*INTERRUPTIONS, *BACKCHANNELS, *SIDE_TALK]))
    if cache is not None:
        listing = [[text, len(sound)] for text, sound in said.items()]
        np.savez(cache, listing=json.dumps(listing), sound=np.concatenate(list(said.values())))
    return said


def _say(texts: Sequence[str]) -> Iterator[tuple[str, Sound]]:
    for place, voice in enumerate(VOICES):
        synthesizer = open_synthesizer("kokoro", voice=voice)
        for text in texts[place :: len(VOICES)]:
            yield text, speak(synthesizer, text)
        synthesizer.close()
