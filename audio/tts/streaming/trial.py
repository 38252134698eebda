"""The self-test that decides whether this machine speaks in windows, and remembers what it found.

Two short sentences are said by the shipped network as a whole, and in windows. Windows are used
when they sound alike, when the first sound comes sooner, and when the machine is fast enough that
the later windows come in time. It takes some seconds, once for each machine, voice and version.
A machine that is busy later says whole phrases meanwhile, which ``Pace`` decides.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audio.clocks import Clock
from audio.engine import CancelToken
from audio.tts.g2p import english_g2p
from audio.tts.phoneme_speech import RATE, Network, StreamingNetwork
from audio.tts.phonemes import vocabulary
from audio.tts.streaming.likeness import mel_distance
from audio.tts.streaming.pacing import first_window
from audio.weights import cache_dir

RECIPE = 2  # to be raised when windows are made otherwise, so that old verdicts are not believed

_SENTENCES = ("It is done.", "Nothing has failed.")
_MOST_DB = 4.0  # int8 and float weights of one network are 1 dB apart, foretold norms 2
_LONG = 800  # frames: ten seconds, the longest that is said in one go
_TRIES = 3  # what failed may have had a passing reason: so often it may try again


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the self-test found."""

    streams: bool
    reason: str  # one clause for people
    frame_s: float = 0.0  # see Pace
    first_s: float = 0.0  # to the first sound of the sentence that takes longer
    whole_s: float = 0.0  # to all of it, said as a whole
    mel_db: float = 0.0
    tries: int = 1

    @property
    def settled(self) -> bool:
        """Whether it is believed without another try."""
        return self.streams or self.tries >= _TRIES


@dataclass(frozen=True, slots=True)
class Rivals:
    """The two ways to speak, loaded, in one voice."""

    whole: Network
    windows: StreamingNetwork
    frame_s: Callable[[], float]  # what a frame of work took last, see Pace
    styles: NDArray[np.float32]  # (510, 256)


def try_out(rivals: Rivals, clock: Clock) -> Verdict:
    """Say both sentences both ways and compare. Raises EngineFailed."""
    first_s = whole_s = mel_db = 0.0  # times of the last sentence: the first one warms up
    for sentence in _SENTENCES:
        phonemes = english_g2p().phonemize(sentence.split())
        tokens = [vocabulary()[symbol] for symbol in " ".join(phonemes)]
        style = rivals.styles[len(tokens) - 1 : len(tokens)]
        began_s = clock()
        whole = rivals.whole.infer(tokens, style, 1.0, CancelToken())
        whole_s = clock() - began_s
        began_s = clock()
        stream = rivals.windows.stream(tokens, style, 1.0, CancelToken())
        parts = [next(stream.windows).audio]
        first_s = clock() - began_s
        parts += [window.audio for window in stream.windows]
        said = np.concatenate(parts)
        meant = whole.audio[stream.begin : stream.begin + len(said)]
        mel_db = max(mel_db, mel_distance(meant, said, RATE))
    return _judged(first_s, whole_s, mel_db, rivals.frame_s())


def _judged(first_s: float, whole_s: float, mel_db: float, frame_s: float) -> Verdict:
    if mel_db > _MOST_DB:
        streams, reason = False, f"windows sound {mel_db:.1f} dB different"
    elif first_window(frame_s, _LONG) is None:
        streams, reason = False, "this machine would not keep up with its own speech"
    elif first_s >= whole_s:
        streams, reason = False, "windows are not sooner"
    else:
        streams, reason = True, f"sooner by {whole_s - first_s:.2f} s"
    return Verdict(streams, reason, frame_s, first_s, whole_s, mel_db)


def recall(voice: str, threads: int) -> Verdict | None:
    """What was found on this machine before; None when nothing was, or it cannot be read."""
    try:
        found = json.loads(_path(voice, threads).read_text("utf-8"))
        return Verdict(**found)
    except (OSError, ValueError, TypeError):
        return None


def remember(verdict: Verdict, voice: str, threads: int) -> None:
    """Keep a verdict in the cache folder; without a writable one it is found anew each time."""
    path = _path(voice, threads)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(f".{os.getpid()}")
        beside.write_text(json.dumps(asdict(verdict)), "utf-8")
        os.replace(beside, path)


def _path(voice: str, threads: int) -> Path:
    """One file for each voice on each machine, runtime and recipe."""
    runtime = metadata.version("onnxruntime")
    facts = (RECIPE, voice, threads, runtime, platform.machine(), platform.processor())
    key = hashlib.sha256(repr((*facts, os.cpu_count())).encode()).hexdigest()[:16]
    return cache_dir() / "streaming" / f"{voice}-{key}.json"
