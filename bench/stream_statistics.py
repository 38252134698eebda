"""Fits what the windowed decoder foretells: the norms of a phrase, from what is known of it before.

    python -m bench.stream_statistics --work DIR [--voice NAME ...] [--out DIR]

Each sentence of ``bench/data/stream_sentences.txt`` is said as a whole at a seeded speed between
0.85 and 1.2; what the generator's norms measured is kept in ``--work`` (so that a run can go on
where it was stopped), and a ridge regression from ``statistics.features`` to it is written to
``--out``. The sentences after the mark in that file are held out: the table tells how much of their
variance the regression explains. ``bench.stream_quality`` tells how it sounds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audio.engine import CancelToken
from audio.resources import asset
from audio.tts.g2p import english_g2p
from audio.tts.phonemes import vocabulary
from audio.tts.streaming.generator import Affine, out_of_norms
from audio.tts.streaming.network import Plan, TwoHalves
from audio.tts.streaming.statistics import FLOOR, Forecast, features
from audio.tts.voices import load_styles, voices

SENTENCES = Path(__file__).with_name("data") / "stream_sentences.txt"
SLOWEST, FASTEST = 0.85, 1.2
_SEED = 7
_RIDGE = 3.0
_MARK = "# test"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence to be said, at a speed."""

    name: str
    text: str
    speed: float
    held_out: bool


def sentences() -> list[Sentence]:
    """All of the file with their speeds; of those held out every other one has speed 1."""
    lines = [line.strip() for line in SENTENCES.read_text("utf-8").splitlines() if line.strip()]
    mark = lines.index(_MARK)
    train = [line for line in lines[:mark] if not line.startswith("#")]
    test = lines[mark + 1 :]
    rng = np.random.default_rng(_SEED)
    found = []
    for kind, texts in (("test", test), ("train", train)):
        for index, text in enumerate(texts):
            held_out = kind == "test"
            at_ease = held_out and index % 2 == 1
            speed = 1.0 if at_ease else round(float(rng.uniform(SLOWEST, FASTEST)), 3)
            found.append(Sentence(f"{kind}-{index:02}", text, speed, held_out))
    return found


def spoken(voice: str, text: str) -> tuple[list[int], NDArray[np.float32]]:
    """A text's tokens, and the style in which a voice says so many."""
    phonemes = " ".join(english_g2p().phonemize(text.split()))
    tokens = [vocabulary()[symbol] for symbol in phonemes]
    return tokens, load_styles(voice)[len(tokens) - 1 : len(tokens)]


@dataclass(frozen=True, slots=True)
class Sample:
    """One sentence: what was known of it, and what the norms measured."""

    known: NDArray[np.float64]  # (features,)
    measured: NDArray[np.float64]  # (2 * 8448,): means, then logarithms of variances
    frames: int
    held_out: bool


def collect(halves: TwoHalves, voice: str, folder: Path) -> Iterator[Sample]:
    """Say each sentence that ``folder`` does not hold yet; about 3 s of a core each."""
    for sentence in sentences():
        path = folder / f"{voice}-{sentence.name}.npz"
        if not path.exists():
            tokens, style = spoken(voice, sentence.text)
            plan = halves.plan(tokens, style, sentence.speed, CancelToken())
            _, used = halves.whole(plan, CancelToken())
            mean, variance = out_of_norms(plan.affine, used)
            np.savez(
                path,
                mean=mean,
                variance=variance,
                frames=plan.frames.astype(np.float16),
                pitch=plan.pitch,
                energy=plan.energy,
            )
        with np.load(path) as kept:
            plan = _plan_of(kept["frames"], kept["pitch"], kept["energy"])
            log_variance = np.log(np.maximum(kept["variance"], FLOOR))
            measured = np.concatenate([kept["mean"], log_variance]).astype(np.float64)
        yield Sample(features(plan), measured, plan.length, sentence.held_out)


def _plan_of(
    frames: NDArray[np.float16], pitch: NDArray[np.float32], energy: NDArray[np.float32]
) -> Plan:
    nothing = np.zeros(0, np.float32)
    affine = Affine(nothing, nothing)
    edges = np.zeros(0, np.int64)
    return Plan(frames.astype(np.float32), nothing, edges, pitch, energy, affine)


def fit(samples: Sequence[Sample], ridge: float = _RIDGE) -> Forecast:
    """A ridge regression in which a longer phrase counts more; the constant is not shrunk."""
    known = np.array([sample.known for sample in samples])
    centre, spread = known.mean(axis=0), known.std(axis=0) + 1e-6
    centre[0], spread[0] = 0.0, 1.0  # the constant
    lengths = np.array([sample.frames for sample in samples])
    weight = np.sqrt(lengths / lengths.mean())[:, None]
    z = (known - centre) / spread * weight
    shrink = ridge * np.eye(z.shape[1])
    shrink[0, 0] = 1e-6
    targets = np.array([sample.measured for sample in samples]) * weight
    weights = np.linalg.solve(z.T @ z + shrink, z.T @ targets)
    return Forecast(*(each.astype(np.float32) for each in (centre, spread, weights)))


def explained(forecast: Forecast, samples: Sequence[Sample]) -> tuple[float, float]:
    """Share of the variance between sentences that is foretold: of means, of log-variances."""
    measured = np.array([sample.measured for sample in samples])
    foretold = np.array([forecast.measures(sample.known) for sample in samples])
    left = np.square(measured - foretold).reshape(len(samples), 2, -1)
    there = np.square(measured - measured.mean(axis=0)).reshape(len(samples), 2, -1)
    shares = 1 - left.sum(axis=(0, 2)) / there.sum(axis=(0, 2))
    return float(shares[0]), float(shares[1])


def save(forecast: Forecast, path: Path) -> None:
    """In half precision, compressed: 0.4 MB."""
    weights = forecast.weights.astype(np.float16)
    np.savez_compressed(path, centre=forecast.centre, spread=forecast.spread, weights=weights)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="stream_statistics", description="Fit the forecasts.")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=asset("kokoro"))
    names = [voice.name for voice in voices()]
    parser.add_argument("--voice", action="append", choices=names)
    parser.add_argument("--threads", type=int, default=1)
    chosen = parser.parse_args(arguments)
    chosen.work.mkdir(parents=True, exist_ok=True)
    halves = TwoHalves(chosen.threads)
    for voice in chosen.voice or names:
        samples = list(collect(halves, voice, chosen.work))
        train = [sample for sample in samples if not sample.held_out]
        forecast = fit(train)
        save(forecast, chosen.out / f"forecast_{voice}.npz")
        means, variances = explained(forecast, [each for each in samples if each.held_out])
        sys.stdout.write(
            f"{voice}: {len(train)} sentences fitted, {len(samples) - len(train)} held out; "
            f"foretold of the differences between these: {means:.0%} of means, {variances:.0%} of "
            "variances\n"
        )
        sys.stdout.flush()
    halves.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
