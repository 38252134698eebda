"""Trains the network that hears whether speech over Jarvis asks for the floor.

    python -m bench.make_overlap_claim --voices FOLDER [--cache FILE] [--seed N] [--out FILE]

FOLDER holds Kokoro voices as the npm package kokoro-js packs them (``voices/*.bin``). The voices
that ship are left out: what is reported is measured with those. Each of the texts to learn from is
said by several voices at several speeds; every clip is heard in several rooms: pitch and formants
shifted, other levels, noise, what an echo canceller leaves of Jarvis, a dull microphone. Coughs and
their kin are drawn anew each time. Silero gives the onset, as it does live.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audio.overlap_claim import (
    AFTER,
    BACKCHANNEL,
    BEFORE,
    CLAIMS,
    FRAME,
    INPUTS,
    NOISE,
    ONSET,
    SOONEST,
    ClaimNetwork,
    features,
)
from audio.pcm import RATE
from audio.resample import resample
from audio.tts.kokoro import KokoroSynthesizer
from audio.tts.voices import voices
from audio.vad.silero import SileroVad
from bench.make_prompts import speak
from bench.overlap_sounds import SOUNDS, Sound, at_level, make_sound
from bench.overlap_texts import LEARN_BACKCHANNELS, LEARN_INTERRUPTIONS

BACKCHANNEL_VOICES, INTERRUPTION_VOICES = 14, 5  # that say each text
KEPT_S = 1.6  # of a clip
ROOMS = 6  # in which each clip is heard
TIMES = 4  # at which the network looks at each
NOISES = 1500
HIDDEN = 48
ROUNDS = 40
HELD_OUT = 5  # voices that only test


@dataclass(frozen=True, slots=True)
class Clip:
    """A text as a voice says it."""

    kind: int
    text: str
    voice: str
    sound: Sound


def say_all(folder: Path, seed: int) -> Iterator[Clip]:
    """All clips, in an order that mixes them, so that any beginning is a fair sample."""
    draw = np.random.default_rng(seed)
    shipped = {voice.name for voice in voices()}
    known = [path for path in sorted(folder.glob("[ab]?_*.bin")) if path.stem not in shipped]
    jobs = [
        (kind, text, int(place), float(draw.uniform(0.8, 1.3)))
        for kind, texts, count in (
            (BACKCHANNEL, LEARN_BACKCHANNELS, BACKCHANNEL_VOICES),
            (CLAIMS, LEARN_INTERRUPTIONS, INTERRUPTION_VOICES),
        )
        for text in texts
        for place in draw.choice(len(known), count, replace=False)
    ]
    synthesizer = _AnyVoice(voices()[0].name, threads=1)
    for job in draw.permutation(len(jobs)):
        kind, text, place, speed = jobs[job]
        styles = np.fromfile(known[place], np.float32).reshape(-1, 256)
        synthesizer.restyle(styles, speed)
        yield Clip(kind, text, known[place].stem, speak(synthesizer, text)[: int(KEPT_S * RATE)])


class _AnyVoice(KokoroSynthesizer):
    """Says the same words in voices that do not ship."""

    def restyle(self, styles: NDArray[np.float32], speed: float) -> None:
        """``styles`` has the shape (510, 256)."""
        self._styles, self._speed = styles, speed


def examples(
    clips: Sequence[Clip], seed: int, residue: Sound
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
    """Features, classes, and the number of the clip that each is of (-1 for a noise)."""
    draw = np.random.default_rng(seed)
    vad = SileroVad()
    seen, kinds, owners = [], [], []
    for number, clip in enumerate(clips):
        for _ in range(ROOMS):
            for found in _looks(_shifted(clip.sound, draw), draw, vad, residue):
                seen.append(found)
                kinds.append(clip.kind)
                owners.append(number)
    names = list(SOUNDS)
    for number in range(NOISES):
        noise = make_sound(names[number % len(names)], draw)
        for found in _looks(noise, draw, vad, residue):
            seen.append(found)
            kinds.append(NOISE)
            owners.append(-1)
    return np.stack(seen), np.array(kinds), np.array(owners)


def _looks(
    sound: Sound, draw: np.random.Generator, vad: SileroVad, residue: Sound
) -> list[NDArray[np.float32]]:
    heard = in_room(sound, draw, residue)
    vad.reset()
    frames = heard[: len(heard) // FRAME * FRAME].reshape(-1, FRAME)
    track = np.array([vad.probability(frame) for frame in frames], np.float32)
    onset = next((place for place, value in enumerate(track) if value >= ONSET), None)
    if onset is None or onset < BEFORE:
        return []
    speech = np.flatnonzero(track[onset:] >= ONSET)
    last = min(int(speech[-1]) + 4, AFTER, len(track) - onset)
    if last <= SOONEST:
        return []
    start = onset - BEFORE
    return [
        features(heard[start * FRAME : (onset + count) * FRAME], track[start : onset + count])
        for count in draw.integers(SOONEST, last + 1, TIMES)
    ]


def in_room(sound: Sound, draw: np.random.Generator, residue: Sound) -> Sound:
    """A sound after half a second of the room, as the canceller hands it on."""
    heard: NDArray[np.float64] = np.pad(
        at_level(sound, draw.uniform(-34, -14)), (RATE // 2, RATE // 2)
    )
    heard = heard + draw.standard_normal(len(heard)) * 10 ** (draw.uniform(-75, -48) / 20)
    if draw.random() < 0.5:
        place = int(draw.integers(0, len(residue) - len(heard)))
        rest = at_level(residue[place : place + len(heard)], draw.uniform(-62, -42))
        heard = heard + rest
    if draw.random() < 0.4:  # a dull or a thin microphone
        spectrum = np.fft.rfft(heard)
        hz = np.fft.rfftfreq(len(heard), 1 / RATE)
        gain = (1 + (hz / draw.uniform(2000, 8000)) ** 2) ** -0.5
        gain *= hz / np.hypot(hz, draw.uniform(20, 250))
        heard = np.fft.irfft(spectrum * gain, len(heard))
    return heard.astype(np.float32)


def _shifted(sound: Sound, draw: np.random.Generator) -> Sound:
    """Faster and higher, or slower and deeper: another speaker, nearly."""
    return resample(sound, RATE, int(RATE * draw.uniform(0.86, 1.16)))


def train(
    seen: NDArray[np.float32], kinds: NDArray[np.int64], seed: int
) -> dict[str, NDArray[np.float32]]:
    """Adam on the cross entropy, classes of equal weight, with dropout of inputs."""
    draw = np.random.default_rng(seed)
    drawn = {
        "w1": draw.normal(0, (2 / INPUTS) ** 0.5, (INPUTS, HIDDEN)),
        "b1": np.zeros(HIDDEN),
        "w2": draw.normal(0, (2 / HIDDEN) ** 0.5, (HIDDEN, 3)),
        "b2": np.zeros(3),
    }
    held = {name: value.astype(np.float32) for name, value in drawn.items()}
    first = {name: np.zeros_like(value) for name, value in held.items()}
    second = {name: np.zeros_like(value) for name, value in held.items()}
    balance = (len(kinds) / (3 * np.bincount(kinds, minlength=3)))[kinds].astype(np.float32)
    steps = 0
    for turn in range(ROUNDS):
        rate = 1e-3 * 0.5 * (1 + np.cos(np.pi * turn / ROUNDS))
        for batch in np.array_split(draw.permutation(len(kinds)), max(1, len(kinds) // 128)):
            steps += 1
            slopes = _slopes(held, seen[batch], kinds[batch], balance[batch], draw)
            for name, slope in slopes.items():
                first[name] = 0.9 * first[name] + 0.1 * slope
                second[name] = 0.999 * second[name] + 0.001 * slope**2
                step = first[name] / (1 - 0.9**steps)
                step /= np.sqrt(second[name] / (1 - 0.999**steps)) + 1e-8
                decay = 0.02 * held[name] if name.startswith("w") else 0.0
                held[name] = (held[name] - rate * (step + decay)).astype(np.float32)
    return held


def _slopes(
    held: dict[str, NDArray[np.float32]],
    seen: NDArray[np.float32],
    kinds: NDArray[np.int64],
    balance: NDArray[np.float32],
    draw: np.random.Generator,
) -> dict[str, NDArray[np.float32]]:
    kept = seen * (draw.random(seen.shape, np.float32) > 0.1)
    mask = draw.random((len(seen), HIDDEN), np.float32) > 0.3
    hidden = np.maximum(kept @ held["w1"] + held["b1"], 0) * mask / 0.7
    scores = hidden @ held["w2"] + held["b2"]
    odds = np.exp(scores - scores.max(1, keepdims=True))
    wrong = odds / odds.sum(1, keepdims=True)
    target = np.full_like(wrong, 0.02 / 3)
    target[np.arange(len(kinds)), kinds] += 0.98
    wrong = (wrong - target) * balance[:, None] / len(kinds)
    back = (wrong @ held["w2"].T) * (hidden > 0) / 0.7
    return {
        "w1": kept.T @ back,
        "b1": back.sum(0),
        "w2": hidden.T @ wrong,
        "b2": wrong.sum(0),
    }


def report(
    held: dict[str, NDArray[np.float32]], seen: NDArray[np.float32], kinds: NDArray[np.int64]
) -> dict[str, object]:
    """How the classes of voices that were not learned from come out, by how much was heard."""
    found = ClaimNetwork(held).classes(seen)
    share = seen[:, -1]
    rows = {}
    for low, high in ((0.1, 0.3), (0.3, 0.5), (0.5, 0.8), (0.8, 1.01)):
        inside = (share >= low) & (share < high)
        claims = found[inside, CLAIMS]
        rows[f"{low * AFTER * 0.032:.2f} to {min(high, 1) * AFTER * 0.032:.2f} s"] = {
            name: [
                round(float((claims[kinds[inside] == kind] >= at).mean()), 3) for at in (0.5, 0.85)
            ]
            for name, kind in (("claims", CLAIMS), ("backchannels", BACKCHANNEL), ("noises", NOISE))
        }
    return {"share of looks with a claim of at least 0.5 and 0.85": rows}


def _stored(path: Path | None, folder: Path, seed: int) -> list[Clip]:
    if path is not None and path.is_file():
        with np.load(path) as stored:
            listing = json.loads(str(stored["listing"]))
            sounds = np.split(stored["sound"], np.cumsum([row[3] for row in listing])[:-1])
        return [Clip(row[0], row[1], row[2], s) for row, s in zip(listing, sounds, strict=True)]
    clips = list(say_all(folder, seed))
    if path is not None:
        listing = [[clip.kind, clip.text, clip.voice, len(clip.sound)] for clip in clips]
        sound = np.concatenate([clip.sound for clip in clips])
        np.savez(path, listing=json.dumps(listing), sound=sound)
    return clips


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, report on voices that were left out, write the network; exit status 0."""
    parser = argparse.ArgumentParser(prog="python -m bench.make_overlap_claim")
    parser.add_argument("--voices", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="of the clips, a .npz file")
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--out", type=Path, default=Path("assets/models/overlap_claim.npz"))
    chosen = parser.parse_args(arguments)
    clips = _stored(chosen.cache, chosen.voices, chosen.seed)
    residue = np.concatenate([clip.sound for clip in clips if clip.kind == CLAIMS])
    seen, kinds, owners = examples(clips, chosen.seed, residue)
    held_out = set(sorted({clip.voice for clip in clips})[::HELD_OUT])
    draw = np.random.default_rng(chosen.seed)
    other = np.array([clip.voice in held_out for clip in clips])
    tested = np.where(owners >= 0, other[owners], draw.random(len(owners)) < 0.2)
    held = train(seen[~tested], kinds[~tested], chosen.seed)
    record = report(held, seen[tested], kinds[tested])
    record |= {"clips": len(clips), "looks": len(kinds), "voices held out": sorted(held_out)}
    small = {name: value.astype(np.float16) for name, value in held.items()}
    np.savez_compressed(chosen.out, allow_pickle=False, **small)
    sys.stdout.write(json.dumps(record, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
