"""Makes the shared prompts: what the user of the demo says, spoken by another voice than Jarvis's.

    python -m bench.make_prompts [--out FOLDER] [--voice NAME] [--speed X] [--seed N]

The prompts are committed, so this runs only when their texts change. Kokoro draws no random number;
the seed is for the faint room noise under each recording, because digital silence around speech is
nothing that a microphone delivers. Voice and speed were chosen by what Whisper tiny.en makes of
them: over five texts, two pauses before and two levels of noise, bf_emma at 0.9 was understood 20
times of 20 (at 1.0 19 times; af_heart 16 to 18 times, losing the "d" of "changed since").
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audio.engine import CancelToken
from audio.pcm import RATE
from audio.resample import resample
from audio.tts.base import SpokenPhrase, SpokenWord, Synthesizer
from audio.tts.registry import open_synthesizer
from audio.tts.voices import PROMPT_VOICE
from audio.wav import write_wav
from audio.weights import sha256_of

_LEAD_S, _TAIL_S = 0.15, 0.25  # of room around the speech
_LEVEL_DBFS = -23.0  # RMS of the speech: a person half a metre from a laptop
_SPEED = 0.9  # a little slower than the voice's own
_ROOM_DBFS = -66.0  # RMS of the noise: a quiet room


@dataclass(frozen=True, slots=True)
class Prompt:
    """One thing that the user says."""

    id: str
    text: str
    role: str  # normal; interrupted: its answer is cut; interrupts: it is what cuts it


PROMPTS = (
    Prompt("1", "How is it going?", "normal"),
    Prompt("2", "What is it doing right now?", "normal"),
    Prompt("3", "What did it find so far?", "interrupted"),
    Prompt("4", "Wait, what failed?", "interrupts"),
    Prompt("5", "What changed since I last asked?", "normal"),
)


def speak(synthesizer: Synthesizer, text: str) -> NDArray[np.float32]:
    """``text`` at 16 kHz and a speaking level, without the silence around it."""
    words = tuple(SpokenWord(word, 0, 0) for word in text.split())
    chunks = list(synthesizer.synthesize(SpokenPhrase(text, words), CancelToken()))
    end = chunks[-1].marks[-1].end_sample
    speech = np.concatenate([chunk.samples for chunk in chunks])[:end]
    speech = resample(speech, synthesizer.rate, RATE)
    level = float(np.sqrt(np.mean(np.square(speech, dtype=np.float64))))
    louder: NDArray[np.float32] = (speech * (10 ** (_LEVEL_DBFS / 20) / level)).astype(np.float32)
    return louder


def in_room(speech: NDArray[np.float32], noise: np.random.Generator) -> NDArray[np.float32]:
    """Speech with some room before and after it, over faint noise."""
    padded = np.pad(speech, (round(_LEAD_S * RATE), round(_TAIL_S * RATE)))
    room = noise.standard_normal(len(padded)) * 10 ** (_ROOM_DBFS / 20)
    return np.clip(padded + room, -1, 1).astype(np.float32)


def make(folder: Path, voice: str, speed: float, seed: int) -> None:
    """Write the recordings and ``prompts.json`` into ``folder``."""
    noise = np.random.default_rng(seed)
    synthesizer = open_synthesizer("kokoro", voice=voice, speed=speed)
    entries = []
    for prompt in PROMPTS:
        path = folder / f"prompt_{prompt.id}.wav"
        samples = in_room(speak(synthesizer, prompt.text), noise)
        write_wav(path, samples, RATE)
        entries.append(
            {
                "id": prompt.id,
                "text": prompt.text,
                "file": path.name,
                "voice": voice,
                "role": prompt.role,
                "duration_s": round(len(samples) / RATE, 3),
                "sha256": sha256_of(path),
            }
        )
    synthesizer.close()
    listing = json.dumps({"rate": RATE, "speed": speed, "seed": seed, "prompts": entries}, indent=2)
    (folder / "prompts.json").write_text(listing + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make_prompts", description="Make the shared prompts.")
    parser.add_argument("--out", type=Path, default=Path("assets/prompts"))
    parser.add_argument("--voice", default=PROMPT_VOICE)
    parser.add_argument("--speed", type=float, default=_SPEED)
    parser.add_argument("--seed", type=int, default=20261129)
    chosen = parser.parse_args(arguments)
    chosen.out.mkdir(parents=True, exist_ok=True)
    make(chosen.out, chosen.voice, chosen.speed, chosen.seed)
    sys.stdout.write(f"{len(PROMPTS)} prompts in {chosen.out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
