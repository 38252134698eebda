"""Fits what the windowed decoder foretells: the norms of a phrase, from what is known of it before.

    python -m bench.stream_statistics --work DIR [--voice NAME ...] [--out DIR]

Each sentence of ``bench/data/stream_sentences.txt`` is said as a whole at a seeded speed between
0.85 and 1.2; what the generator's norms measured is kept in ``--work`` (so that a run can go on
where it was stopped), and a regression from ``statistics.features`` to it is written to ``--out``.
The sentences after the mark in that file are held out: the table tells how well the regression
foretells them. ``bench.stream_quality`` tells how it sounds.
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
from audio.tts.streaming.generator import out_of_norms
from audio.tts.streaming.network import TwoHalves
from audio.tts.streaming.statistics import FLOOR, Forecast, features
from audio.tts.voices import load_styles, voices

SENTENCES = Path(__file__).with_name("data") / "stream_sentences.txt"
SLOWEST, FASTEST = 0.85, 1.2
_SEED = 7
# Chosen on two voices, am_michael and bf_emma; af_heart's held-out sentences had no say.
_RIDGE = 30.0  # on standardized features; 100 foretells as well, 1000 not quite
_RANK = 24  # of the regression; 16 foretells a little less, no limit no more
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

    known: NDArray[np.float32]  # (1024,)
    measured: NDArray[np.float64]  # (2 * 8448,): means, then logarithms of variances
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
            known = features(plan.frames)
            np.savez(path, mean=mean, variance=variance, known=known)
        with np.load(path) as kept:
            log_variance = np.log(np.maximum(kept["variance"], FLOOR))
            measured = np.concatenate([kept["mean"], log_variance]).astype(np.float64)
            yield Sample(kept["known"], measured, sentence.held_out)


def fit(samples: Sequence[Sample], ridge: float = _RIDGE, rank: int = _RANK) -> Forecast:
    """Ridge regression, then the ``rank`` directions that tell most.

    Solved from the side of the samples, which are fewer than the features.
    """
    known = np.array([sample.known for sample in samples], np.float64)
    measured = np.array([sample.measured for sample in samples])
    centre, spread = known.mean(axis=0), known.std(axis=0) + 1e-6
    usual = measured.mean(axis=0)
    z = (known - centre) / spread
    # an error counts by what it does behind the norm: it shifts by deviations, or scales
    variances = usual[usual.size // 2 :]
    unit = np.concatenate([np.exp(variances / 2), np.full(variances.size, 2.0)])
    dual = np.linalg.solve(z @ z.T + ridge * np.eye(len(z)), (measured - usual) / unit)
    _, _, directions = np.linalg.svd(z @ z.T @ dual, full_matrices=False)
    directions = directions[:rank]
    inwards = z.T @ (dual @ directions.T)
    parts = (centre, spread, inwards, directions * unit, usual)
    return Forecast(*(part.astype(np.float32) for part in parts))


def error(forecast: Forecast, samples: Sequence[Sample]) -> tuple[float, float]:
    """What is wrong behind the norms, rms: shift in deviations, scale as a share."""
    squares = []
    for sample in samples:
        wrong = (forecast.measures(sample.known) - sample.measured).reshape(2, -1)
        deviations = np.exp(sample.measured.reshape(2, -1)[1] / 2)
        squares.append(np.square([wrong[0] / deviations, wrong[1] / 2]).mean(axis=1))
    shift, scale = np.sqrt(np.mean(squares, axis=0))
    return float(shift), float(scale)


def save(forecast: Forecast, path: Path) -> None:
    """In half precision: 0.9 MB."""
    parts = {name: part.astype(np.float16) for name, part in forecast._asdict().items()}
    np.savez_compressed(path, allow_pickle=False, **parts)


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
        held_out = [sample for sample in samples if sample.held_out]
        usual = forecast._replace(inwards=np.zeros_like(forecast.inwards))
        pairs = [error(each, held_out) for each in (usual, forecast)]
        sys.stdout.write(
            f"{voice}: {len(train)} sentences fitted, {len(held_out)} held out; behind the norms "
            f"of these, shift and scale are wrong by {pairs[1][0]:.3f} and {pairs[1][1]:.3f} rms; "
            f"with the usual norms of the voice, by {pairs[0][0]:.3f} and {pairs[0][1]:.3f}\n"
        )
        sys.stdout.flush()
    halves.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
