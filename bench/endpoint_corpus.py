"""Makes the corpus of pauses: turns with pauses of known place and length, from committed texts.

    python -m bench.endpoint_corpus --out FOLDER [--part held_out] [--voice NAME[@SPEED] ...]

No recording is committed: texts, voices and one seed give the same corpus anywhere. Each pause is
made in one of three ways, drawn by the seed:

    cut    the turn is spoken in one go, and silence is put in at the quietest place between the
           two words: the voice stops in mid-flow
    comma  the same, spoken with a comma there: the voice stays up and the word is drawn out
    apart  what is before and after is spoken as a sentence of its own: the voice falls as at an end

The last is the hardest: nothing but the words tells that more is to come. Pauses last 0.25 to 2 s,
log-normal about 0.6 s. Over all lies the noise of a quiet room, and 3 s of it follow the turn.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audio.engine import CancelToken
from audio.pcm import RATE
from audio.resample import resample
from audio.tts.base import SpokenPhrase, SpokenWord, Synthesizer
from audio.tts.registry import open_synthesizer
from audio.wav import read_audio, write_wav

TEXTS = Path(__file__).parent / "data" / "endpoint_texts.json"
STYLES = ("cut", "comma", "apart")
TAIL_S = 3.0
_LEAD_S = 0.3
_LEVEL_DBFS, _ROOM_DBFS = -23.0, -66.0  # RMS of the speech and of the room
_MEDIAN_PAUSE_S, _SPREAD = 0.6, 0.5
_SHORTEST_S, _LONGEST_S = 0.25, 2.0
_FADE = RATE // 200  # 5 ms on both sides of a cut, or it clicks
_SEARCH = RATE * 3 // 100  # 30 ms around the mark of a word are looked through for the quiet place
_SOUNDING = 0.003  # of full scale: the room is at a sixth of it


@dataclass(frozen=True, slots=True)
class Gap:
    """A pause within a turn, in seconds of the recording."""

    start_s: float
    end_s: float
    style: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One recording: what is said in it, and where it pauses and ends."""

    file: str
    text: str
    kind: str
    voice: str
    gaps: tuple[Gap, ...]
    end_s: float  # of the last sound of speech


Voiced = NDArray[np.float32]


class Speaker:
    """Speaks at 16 kHz and tells where words end; each text once."""

    def __init__(self, synthesizer: Synthesizer) -> None:
        self._synthesizer = synthesizer
        self._said: dict[str, tuple[Voiced, list[int]]] = {}

    def say(self, text: str) -> tuple[Voiced, list[int]]:
        """The sound of a text, and the sample at which each of its words ends."""
        if text not in self._said:
            words = tuple(SpokenWord(word, 0, 0) for word in text.split())
            chunks = list(self._synthesizer.synthesize(SpokenPhrase(text, words), CancelToken()))
            marks = [mark for chunk in chunks for mark in chunk.marks]
            rate = self._synthesizer.rate
            sound = resample(np.concatenate([chunk.samples for chunk in chunks]), rate, RATE)
            loud = np.sqrt(np.mean(np.square(sound, dtype=np.float64)))
            sound = (sound * (10 ** (_LEVEL_DBFS / 20) / loud)).astype(np.float32)
            ends = [0] * len(words)
            for mark in marks:
                ends[mark.word] = mark.end_sample * RATE // rate
            self._said[text] = (sound, ends)
        return self._said[text]


def pieces(speaker: Speaker, parts: Sequence[str], styles: Sequence[str]) -> list[Voiced]:
    """The sound of each part; ``styles`` says how each pause between two of them is made."""
    if not styles:
        return [speaker.say(" ".join(parts))[0]]
    if "apart" in styles:
        at = styles.index("apart") + 1
        before = pieces(speaker, [*parts[: at - 1], _ended(parts[at - 1])], styles[: at - 1])
        return before + pieces(speaker, parts[at:], styles[at:])
    joined = [
        _with_comma(part) if style == "comma" else part
        for part, style in zip(parts, [*styles, "cut"], strict=True)
    ]
    sound, ends = speaker.say(" ".join(joined))
    cuts, words = [0], 0
    for part in joined[:-1]:
        words += len(part.split())
        cuts.append(_quietest(sound, ends[words - 1]))
    cuts.append(len(sound))
    return [_faded(sound[a:b]) for a, b in itertools.pairwise(cuts)]


def build(
    text: str, kind: str, voice: str, speaker: Speaker, seed: int
) -> tuple[Voiced, tuple[Gap, ...], float]:
    """The recording of a text, its pauses, and where the speech ends in it."""
    key = hashlib.sha256(f"{seed} {voice} {text}".encode()).digest()
    draw = np.random.default_rng(int.from_bytes(key[:8], "little"))
    parts = [part.strip() for part in text.split("|")]
    styles = [STYLES[draw.integers(len(STYLES))] for _ in parts[1:]]
    if kind in ("list", "digits"):  # nobody says the items of a list in mid-flow
        styles = ["comma" if style == "cut" else style for style in styles]
    lengths = np.exp(np.log(_MEDIAN_PAUSE_S) + _SPREAD * draw.standard_normal(len(styles)))
    sounds = [np.zeros(int(_LEAD_S * RATE), np.float32)]
    gaps: list[Gap] = []
    for index, sound in enumerate(pieces(speaker, parts, styles)):
        if index:
            length_s = float(np.clip(lengths[index - 1], _SHORTEST_S, _LONGEST_S))
            silence = np.zeros(int(length_s * RATE), np.float32)
            before, after = _sounding_end(sounds), _sounding_start(sound)
            at = sum(map(len, sounds))
            resumes = at + len(silence) + after
            gaps.append(Gap(before / RATE, resumes / RATE, styles[index - 1]))
            sounds.append(silence)
        sounds.append(sound)
    end = _sounding_end(sounds)
    sounds.append(np.zeros(int(TAIL_S * RATE), np.float32))
    whole = np.concatenate(sounds)
    room = draw.standard_normal(len(whole)) * 10 ** (_ROOM_DBFS / 20)
    heard: Voiced = np.clip(whole + room, -1, 1).astype(np.float32)
    return heard, tuple(gaps), end / RATE


def make(folder: Path, part: str, voices: Iterable[str], seed: int) -> list[Turn]:
    """Write the recordings of a part and ``turns.json``; what is there already is kept."""
    texts = json.loads(TEXTS.read_text("utf-8"))[part]
    turns = []
    for voice in voices:
        name, _, speed = voice.partition("@")
        synthesizer = open_synthesizer("kokoro", voice=name, speed=float(speed or 1.0))
        speaker = Speaker(synthesizer)
        for kind, lines in texts.items():
            for index, text in enumerate(lines):
                file = f"{part}_{voice}_{kind}_{index:02}.wav"
                sound, gaps, end_s = build(text, kind, voice, speaker, seed)
                write_wav(folder / file, sound, RATE)
                plain = re.sub(r"\s*\|\s*", " ", text)
                turns.append(Turn(file, plain, kind, voice, gaps, end_s))
        synthesizer.close()
    listing = json.dumps({"seed": seed, "turns": [asdict(turn) for turn in turns]}, indent=1)
    (folder / f"{part}.json").write_text(listing + "\n", "utf-8")
    return turns


def load(folder: Path, part: str) -> list[Turn]:
    """The turns that ``make`` wrote."""
    entries = json.loads((folder / f"{part}.json").read_text("utf-8"))["turns"]
    return [
        Turn(**{**entry, "gaps": tuple(Gap(**gap) for gap in entry["gaps"])}) for entry in entries
    ]


def sound_of(folder: Path, turn: Turn) -> Voiced:
    """The recording of a turn, float32 mono at 16 kHz."""
    return read_audio(folder / turn.file, RATE)[0]


def _ended(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else text.rstrip(",") + "."


def _with_comma(text: str) -> str:
    return text if text.endswith((",", ".", "?")) else text + ","


def _quietest(sound: Voiced, at: int) -> int:
    low, high = max(0, at - _SEARCH), min(len(sound) - 1, at + _SEARCH)
    window = RATE // 200
    energy = np.convolve(np.square(sound[low : high + window]), np.ones(window), "valid")
    return low + int(np.argmin(energy)) + window // 2


def _faded(sound: Voiced) -> Voiced:
    faded = sound.copy()
    ramp = np.linspace(0, 1, min(_FADE, len(faded) // 2), dtype=np.float32)
    if len(ramp):
        faded[: len(ramp)] *= ramp
        faded[-len(ramp) :] *= ramp[::-1]
    return faded


def _sounding_end(sounds: Sequence[Voiced]) -> int:
    """The sample after the last one that can be heard."""
    whole = np.concatenate(sounds)
    audible = np.flatnonzero(np.abs(whole) > _SOUNDING)
    return int(audible[-1]) + 1 if len(audible) else len(whole)


def _sounding_start(sound: Voiced) -> int:
    audible = np.flatnonzero(np.abs(sound) > _SOUNDING)
    return int(audible[0]) if len(audible) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.endpoint_corpus", description="Make the corpus of pauses."
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", default="held_out", choices=("tune", "seen", "held_out"))
    parser.add_argument("--voice", action="append", metavar="NAME[@SPEED]")
    parser.add_argument("--seed", type=int, default=20261130)
    chosen = parser.parse_args(arguments)
    chosen.out.mkdir(parents=True, exist_ok=True)
    turns = make(chosen.out, chosen.part, chosen.voice or ["bf_emma@0.9"], chosen.seed)
    pauses = sum(len(turn.gaps) for turn in turns)
    sys.stdout.write(f"{len(turns)} turns with {pauses} pauses in {chosen.out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
