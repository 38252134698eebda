"""Word error rate by clip, recognizers side by side.

    python -m bench.wer --audio FOLDER [--engine NAME ...] [--json FILE]

The manifest holds the reference text of each clip. Each clip goes through the VAD and one utterance
of the recognizer, as in a conversation. Errors are substitutions, insertions and deletions between
normalized words (lower case, no punctuation, numbers as words); Japanese is counted by character.
The total is over the clips whose text is certain; a clip in a language that an engine does not know
is absent for it, and so is an engine that is not installed. RTF is the time of the final over the
length of the sound, without the VAD.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import TextIO

from num2words import num2words
from pydantic import BaseModel, ValidationError

from audio.asr.base import SAMPLE_RATE, Recognizer
from audio.asr.registry import open_recognizer
from audio.engine import CancelToken
from audio.errors import AudioError, EngineMissing
from audio.vad.base import FRAME_SAMPLES
from audio.vad.silero import SileroVad
from audio.wav import read_audio
from bench.word_errors import errors_between
from jarvis_voice.clock import stopwatch

_DEFAULT_ENGINES = ("whisper-tiny.en", "whisper-base", "moonshine-tiny-en")
_BY_CHARACTER = {"ja", "zh", "th"}  # written without spaces


class Clip(BaseModel):
    """A sound file and what is said in it."""

    file: str
    language: str
    text: str
    certain: bool
    note: str = ""


class Manifest(BaseModel):
    about: str = ""
    clips: list[Clip]


@dataclass(frozen=True, slots=True)
class Score:
    """One clip through one engine."""

    engine: str
    file: str
    certain: bool
    errors: int
    words: int  # in the reference
    text: str
    reason: str
    path: str
    audio_s: float
    compute_s: float


def normalized(text: str, language: str = "en") -> list[str]:
    """The words of a text as they are compared."""
    text = text.lower().replace("\u2019", "'")
    if language in _BY_CHARACTER:
        return re.findall(r"\w", text)
    text = re.sub(r"\d+(?:[.,]\d+)*", lambda number: f" {_in_words(number.group())} ", text)
    return re.findall(r"[^\W_]+(?:'[^\W_]+)*", text)


def score(recognizer: Recognizer, vad: SileroVad, clip: Clip, path: Path) -> Score:
    """Put a clip through the VAD and a recognizer. Raises AudioError."""
    samples, _ = read_audio(path, SAMPLE_RATE)
    vad.reset()
    stream = recognizer.stream()
    try:
        for start in range(0, len(samples) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
            frame = samples[start : start + FRAME_SAMPLES]
            stream.push(frame, vad.probability(frame))
        began = stopwatch()
        final = stream.final(CancelToken())
        compute_s = stopwatch() - began
    finally:
        stream.close()
    reference = normalized(clip.text, clip.language)
    return Score(
        engine=recognizer.info.name,
        file=clip.file,
        certain=clip.certain,
        errors=errors_between(reference, normalized(final.text, clip.language)),
        words=len(reference),
        text=final.text,
        reason=final.reason,
        path=final.engine,
        audio_s=len(samples) / SAMPLE_RATE,
        compute_s=compute_s,
    )


def table(clips: Sequence[Clip], engines: Sequence[str], scores: Sequence[Score]) -> str:
    """The scores in markdown: a row for each clip, then the totals. Errors / words."""
    found = {(s.engine, s.file): s for s in scores}
    lines = [
        f"| clip | {' | '.join(engines)} |",
        f"|---|{'---|' * len(engines)}",
    ]
    for clip in clips:
        cells = [_cell(found.get((engine, clip.file))) for engine in engines]
        mark = "" if clip.certain else " (text not certain)"
        lines.append(f"| {clip.file}{mark} | {' | '.join(cells)} |")
    totals, speeds = [], []
    for engine in engines:
        own = [s for s in scores if s.engine == engine]
        totals.append(_total([s for s in own if s.certain]))
        audio_s, compute_s = sum(s.audio_s for s in own), sum(s.compute_s for s in own)
        speeds.append(f"{compute_s / audio_s:.3f}" if audio_s else "")
    lines.append(f"| **WER of the certain clips** | {' | '.join(totals)} |")
    lines.append(f"| real-time factor of the finals | {' | '.join(speeds)} |")
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Run the command. 0 when done, 1 when nothing could be measured, 2 for a wrong argument."""
    out = out or sys.stdout
    options = _arguments(argv)
    try:
        manifest = Manifest.model_validate_json(_manifest_text(options.manifest))
    except (OSError, ValidationError) as error:
        out.write(f"The manifest cannot be used: {str(error).splitlines()[0]}.\n")
        return 2
    folder = Path(options.audio)
    clips = [clip for clip in manifest.clips if (folder / clip.file).is_file()]
    if not clips:
        out.write(f"No clip of the manifest is in {folder}. Name the folder with --audio.\n")
        return 1
    engines, scores = _measure(options.engine or _DEFAULT_ENGINES, clips, folder, out)
    if not scores:
        return 1
    out.write(table(clips, engines, scores))
    if options.json:
        Path(options.json).write_text(
            json.dumps([asdict(s) for s in scores], ensure_ascii=False, indent=2) + "\n",
            encoding="utf-8",
        )
    return 0


def _measure(
    names: Sequence[str], clips: Sequence[Clip], folder: Path, out: TextIO
) -> tuple[list[str], list[Score]]:
    engines: list[str] = []
    scores: list[Score] = []
    vad = SileroVad()
    for name in names:
        try:
            recognizer = _opened(name)
        except EngineMissing as error:
            out.write(f"Left out: {name}. {error}\n\n")
            continue
        engines.append(name)
        for clip in clips:
            if clip.language not in recognizer.info.languages:
                continue
            try:
                scores.append(score(recognizer, vad, clip, folder / clip.file))
            except AudioError as error:
                out.write(f"{name} on {clip.file}: {error}\n\n")
        recognizer.close()
    return engines, scores


def _opened(name: str) -> Recognizer:
    """An engine as it is measured: a multilingual one finds out the language itself."""
    return open_recognizer(name, language=None) if name == "whisper-base" else open_recognizer(name)


def _cell(found: Score | None) -> str:
    if found is None:
        return ""
    return f"{found.errors} / {found.words}"


def _total(scores: Sequence[Score]) -> str:
    words = sum(s.words for s in scores)
    errors = sum(s.errors for s in scores)
    return f"{errors / words:.3f} ({errors} / {words})" if words else ""


def _in_words(number: str) -> str:
    plain = number.replace(",", "")
    try:
        return re.sub(r"[-,]", " ", str(num2words(plain)))
    except (ValueError, ArithmeticError):  # "1.2.3" is no number: digit groups by themselves
        return " ".join(str(num2words(part)) for part in re.findall(r"\d+", number))


def _manifest_text(path: str | None) -> str:
    if path:
        return Path(path).read_text(encoding="utf-8")
    packaged = resources.files("bench") / "data" / "wer_manifest.json"
    return packaged.read_text(encoding="utf-8")


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    beside = Path(__file__).resolve().parents[2] / "shared" / "audio"
    parser = argparse.ArgumentParser(
        prog="python -m bench.wer",
        description="Measure the word error rate of recognizers over a folder of recordings.",
    )
    parser.add_argument("--audio", default=str(beside), metavar="FOLDER", help="the recordings")
    parser.add_argument("--manifest", metavar="FILE", help="the reference texts")
    parser.add_argument(
        "--engine", action="append", metavar="NAME", help="a recognizer; may be given many times"
    )
    parser.add_argument("--json", metavar="FILE", help="also write every score to this file")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
