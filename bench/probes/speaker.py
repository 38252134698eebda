"""Voices for simulated users: lines become sound with exact marks, kept in the cache folder.

A text is synthesized whole, so that its melody is that of one sentence; a pause is put in where the
voice is quietest around the word boundary. What is spoken without pauses is kept under a hash of
text, voice, speed and model, so a corpus is made once. Truth is taken from the sound itself:
audible is what is above -50 dBFS in frames of 5 ms, and a pause is an inaudible stretch of 100 ms
or more.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audio.engine import CancelToken
from audio.errors import UnwritableOutput
from audio.pcm import RATE, from_dbfs, to_float32, to_int16
from audio.resample import resample
from audio.tts.base import SpokenPhrase, SpokenWord, Synthesizer
from audio.tts.kokoro import describe
from audio.tts.kokoro_model import KokoroModel
from audio.tts.phoneme_speech import PhonemeSynthesizer
from audio.tts.spoken_text import speak
from audio.weights import cache_dir
from bench.probes.recipe import Line
from bench.probes.sounds import SPEECH_DBFS, Sound, at_level

VERSION = 1  # of what is kept; another one makes everything anew
AUDIBLE_DBFS = -50.0
FRAME = RATE // 200  # 5 ms
SHORTEST_PAUSE_S = 0.1
_SEARCH = RATE * 60 // 1000  # a boundary is looked for within 60 ms of its mark
_FADE = RATE // 200


class Word(NamedTuple):
    """A word and when it sounds."""

    text: str
    start_s: float
    end_s: float


class Pause(NamedTuple):
    """An inaudible stretch within a turn."""

    start_s: float
    end_s: float

    @property
    def seconds(self) -> float:
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class Clip:
    """Something said: float32 mono at 16 kHz, and the truth about it in seconds from its start."""

    text: str
    samples: Sound
    words: tuple[Word, ...] = ()
    pauses: tuple[Pause, ...] = ()
    start_s: float = 0.0  # first audible frame
    end_s: float = 0.0  # end of the last audible frame

    @property
    def digest(self) -> str:
        """Of the sound, so that two machines can tell whether they heard the same."""
        return hashlib.sha256(to_int16(self.samples).tobytes()).hexdigest()[:16]


class Studio:
    """Makes clips. The network is loaded when the first line is not in the cache."""

    def __init__(self, folder: Path | None = None, synthesizers: Voices | None = None) -> None:
        """``folder`` None takes the cache folder; ``synthesizers`` replaces Kokoro, for tests."""
        self._folder = folder or cache_dir() / "probes"
        self._voices = synthesizers or Voices()
        self.made = 0  # lines that were synthesized, not found

    def clip(self, line: Line) -> Clip:
        """A line as it is said. Raises what the engine raises, and UnwritableOutput."""
        spoken = self._spoken(line)
        return paused(spoken, line.pauses) if line.pauses else spoken

    def close(self) -> None:
        """Give the network's memory back."""
        self._voices.close()

    def _spoken(self, line: Line) -> Clip:
        key = json.dumps([VERSION, line.text, line.phonemes, line.voice, line.speed])
        key = hashlib.sha256(f"{key}{self._voices.model}".encode()).hexdigest()[:24]
        path = self._folder / f"{key}.npz"
        kept = _load(path, line.text)
        if kept is not None:
            return kept
        clip = self._synthesize(line)
        self.made += 1
        _save(path, clip)
        return clip

    def _synthesize(self, line: Line) -> Clip:
        synthesizer = self._voices.open(line)
        phrase = speak(line.text)
        if line.phonemes:
            phrase = SpokenPhrase(line.text, (SpokenWord(line.text, 0, len(line.text)),))
        chunks = list(synthesizer.synthesize(phrase, CancelToken()))
        scale = 1.0 / synthesizer.rate
        marks = [mark for chunk in chunks for mark in chunk.marks]
        words = tuple(
            Word(phrase.words[m.word].spoken, m.start_sample * scale, m.end_sample * scale)
            for m in marks
        )
        sound = resample(np.concatenate([c.samples for c in chunks]), synthesizer.rate, RATE)
        # as 16 bits at once: what is kept is then what was measured
        sound = to_float32(to_int16(at_level(sound, SPEECH_DBFS)))
        return measured(Clip(line.text, sound, words))


class Voices:
    """Kokoro's voices on one network."""

    model = describe().name

    def __init__(self) -> None:
        self._network: KokoroModel | None = None

    def open(self, line: Line) -> Synthesizer:
        """A synthesizer that says this line. Raises EngineMissing or EngineCorrupt."""
        if self._network is None:
            self._network = KokoroModel(threads=2)
        fixed = (lambda words: [line.phonemes]) if line.phonemes else None
        return PhonemeSynthesizer(self._network, describe(), line.voice, line.speed, fixed)

    def close(self) -> None:
        """Release the network."""
        if self._network is not None:
            self._network.close()
            self._network = None


def audible(sound: Sound) -> NDArray[np.bool_]:
    """Which frames of 5 ms are audible, shape (n // 80,)."""
    frames = sound[: sound.size // FRAME * FRAME].reshape(-1, FRAME).astype(np.float64)
    loud: NDArray[np.bool_] = np.sqrt((frames**2).mean(axis=1)) > from_dbfs(AUDIBLE_DBFS)
    return loud


def measured(clip: Clip) -> Clip:
    """The clip with its onset, its end and its pauses, read from its sound."""
    loud = np.flatnonzero(audible(clip.samples))
    if not loud.size:
        return replace(clip, pauses=(), start_s=0.0, end_s=0.0)
    frame_s = FRAME / RATE
    gaps = np.flatnonzero(np.diff(loud) > 1)
    pauses = [Pause((loud[g] + 1) * frame_s, loud[g + 1] * frame_s) for g in gaps.tolist()]
    return replace(
        clip,
        pauses=tuple(Pause(*map(float, p)) for p in pauses if p.seconds >= SHORTEST_PAUSE_S - 1e-9),
        start_s=float(loud[0] * frame_s),
        end_s=float((loud[-1] + 1) * frame_s),
    )


def paused(clip: Clip, pauses: Sequence[tuple[int, float]]) -> Clip:
    """The clip with pauses of exact length behind some of its words (count of words, seconds)."""
    samples, words = clip.samples, list(clip.words)
    for count, seconds in sorted(pauses, reverse=True):
        place = _spoken_place(clip, count)
        boundary = round(words[place - 1].end_s * RATE)
        start, end, resumed = _gap(samples, boundary)
        silence = np.zeros(round(seconds * RATE / FRAME) * FRAME, np.float32)
        after = _faded(samples[end:][::-1])[::-1]
        samples = np.concatenate([_faded(samples[:start]), silence, after])
        shift_s = (start + silence.size - end) / RATE
        later = [
            Word(w.text, max(w.start_s, resumed / RATE) + shift_s, w.end_s + shift_s)
            for w in words[place:]
        ]
        words = words[:place] + later
    return measured(replace(clip, samples=samples, words=tuple(words)))


def _spoken_place(clip: Clip, count: int) -> int:
    """How many spoken words stand for the first ``count`` words of the text."""
    written = len(clip.text.split())
    if len(clip.words) == written:
        return count
    ahead = len(speak(" ".join(clip.text.split()[:count])).words)
    return min(max(ahead, 1), len(clip.words) - 1)


def _gap(samples: Sound, boundary: int) -> tuple[int, int, int]:
    """The silence around a boundary as [start, end), and where sound goes on.

    Where the voice does not pause at all, it is cut at the quietest frame: start equals end.
    """
    loud = audible(samples)
    first = max(0, (boundary - _SEARCH) // FRAME)
    last = min(loud.size, (boundary + 2 * _SEARCH) // FRAME)
    quiet = np.flatnonzero(~loud[first:last]) + first
    if not quiet.size:
        level = np.square(samples[first * FRAME : last * FRAME].reshape(-1, FRAME)).mean(axis=1)
        cut = (first + int(np.argmin(level))) * FRAME
        return cut, cut, cut
    near = int(quiet[np.argmin(np.abs(quiet * FRAME - boundary))])
    start = near
    while start > 0 and not loud[start - 1]:
        start -= 1
    end = near + 1
    while end < loud.size and not loud[end]:
        end += 1
    return start * FRAME, end * FRAME, end * FRAME


def _faded(samples: Sound) -> Sound:
    """The last 5 ms are lowered, so that a cut does not click; what is audible stays so."""
    out = samples.copy()
    size = min(_FADE, out.size)
    if size:
        out[-size:] *= np.linspace(1.0, 0.3, size, dtype=np.float32)
    return out


def _load(path: Path, text: str) -> Clip | None:
    try:
        # read whole: a damaged archive would leave the file open
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as kept:
            sound = to_float32(kept["samples"])
            spans, names = kept["spans"], json.loads(str(kept["words"]))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        # not there, or damaged: it is made anew
        return None
    words = tuple(Word(n, float(a), float(b)) for n, (a, b) in zip(names, spans, strict=True))
    return measured(Clip(text, sound, words))


def _save(path: Path, clip: Clip) -> None:
    data = io.BytesIO()
    np.savez(
        data,
        samples=to_int16(clip.samples),
        spans=np.array([(w.start_s, w.end_s) for w in clip.words], np.float64).reshape(-1, 2),
        words=np.array(json.dumps([w.text for w in clip.words])),
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data.getvalue())
        Path(name).replace(path)
    except OSError as error:
        raise UnwritableOutput(
            f"The spoken corpus cannot be kept in {path.parent} ({error.strerror}).",
            "Make room there, or name another folder with JARVIS_CACHE_DIR.",
        ) from error
