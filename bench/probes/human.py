"""Recordings of people, from a folder that the user names; none of them is part of this project.

``assets/probes/human.json`` lists the files that are known, with their words and licences; what is
not in the folder is left out. Their truth is read from their sound: brought to the usual level of
speech, a pause is what lies below -50 dBFS for 100 ms, so a noisy recording has fewer pauses.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from audio.pcm import RATE
from audio.wav import read_audio
from bench.probes.recipe import texts
from bench.probes.sounds import LOUD_DBFS, SPEECH_DBFS, at_level
from bench.probes.speaker import Clip, measured
from jarvis_voice.errors import UsageError


def clips(folder: Path, use: str) -> list[tuple[str, Clip]]:
    """Name and clip of each known recording there for a use: "turn", "aside" or "sound".

    Raises UsageError when the folder holds none of the known recordings, and UnreadableAudio.
    """
    if not any((folder / entry["file"]).is_file() for entry in texts("human")["clips"]):
        raise UsageError(
            f"{folder} holds none of the recordings that are known.",
            "assets/probes/human.json lists them.",
        )
    return list(_clips(folder, use))


def _clips(folder: Path, use: str) -> Iterator[tuple[str, Clip]]:
    level_dbfs = LOUD_DBFS if use == "sound" else SPEECH_DBFS
    for entry in texts("human")["clips"]:
        path = folder / entry["file"]
        if entry["use"] != use or not path.is_file():
            continue
        samples, _ = read_audio(path, RATE)
        samples = samples[: _most(entry, samples.size)]
        clip = Clip(entry["text"], at_level(samples, level_dbfs))
        yield path.stem, measured(clip)


def _most(entry: dict[str, Any], size: int) -> int:
    seconds = entry.get("seconds")
    return size if seconds is None else min(size, round(seconds * RATE))
