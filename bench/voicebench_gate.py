"""Another project's verdict on ``jarvis serve``: ``python -m bench.voicebench_gate``.

``voicebench`` (the extra of that name) plays a conversation over the plain PCM websocket, records
both sides and derives everything from the recorded audio. Here it is given our five shared prompts,
of which one interrupts, a "mm-hm" and its own cough; the limits are its own example's: 1.2 s to a
response at the 90th percentile, 0.4 s to stop, no false barge-in, 10 % word errors. Its report is
printed as it is, and its exit status is ours.

The agent's pauses between sentences reach 0.4 s, so its speech counts as one segment up to 0.5 s of
silence; voicebench dates the end of a segment back, so no latency changes by that.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from audio.pcm import RATE
from audio.wav import write_wav
from bench.errors import ForeignFailed
from bench.foreign.servers import started
from bench.probes.recipe import Line
from bench.probes.speaker import Studio
from jarvis_voice.resources import asset

LIMITS = {
    "p90_response_latency_ms": 1200,
    "max_barge_in_stop_ms": 400,
    "min_barge_in_success_rate": 1.0,
    "max_false_barge_ins": 0,
    "max_wer": 0.1,
}
VOICE = "bf_emma"  # that of the prompts
BACKCHANNEL = "Mm-hm."
PAUSE_MS = 900  # between the end of an answer and the next prompt, as in ``jarvis demo``
INTERRUPT_MS = 2500  # after the answer that is interrupted began: into its second sentence
OVERHEARD_MS = 1700  # likewise: a pause between two sentences would look like a stop
AGENT_PAUSE_MS = 500


def scenario(url: str, folder: Path) -> dict[str, Any]:
    """The conversation, in voicebench's own terms; its sounds are files in ``folder``."""
    listed = json.loads((asset("prompts") / "prompts.json").read_text(encoding="utf-8"))
    turns = [_prompt(entry, folder) for entry in listed["prompts"]]
    turns[0]["start"] = {"after": "session_start", "delay_ms": 1500}
    overlaps = [
        ("mm-hm", {"file": str(folder / "backchannel.wav")}),
        ("cough", {"synth": "noise", "duration_ms": 180, "level_db": -25}),
    ]
    ignored = [
        {
            "id": name,
            "audio": sound,
            "start": {"after": "agent_speech_start", "delay_ms": OVERHEARD_MS},
            "expect": "ignore",
        }
        for name, sound in overlaps
    ]
    # each after a prompt that is answered at some length
    turns.insert(1, ignored[0])
    turns.insert(3, ignored[1])
    return {
        "name": "jarvis-shared-prompts",
        "sample_rate": RATE,
        "frame_ms": 20,
        "max_duration_ms": 180_000,
        "vad": {"agent": {"min_silence_ms": AGENT_PAUSE_MS}},
        "adapter": {"type": "websocket", "options": {"url": url}},
        "defaults": {"response_timeout_ms": 8000},
        "turns": turns,
        "assert": dict(LIMITS),
    }


def _prompt(entry: dict[str, Any], folder: Path) -> dict[str, Any]:
    interrupts = entry["role"] == "interrupts"
    start = (
        {"after": "agent_speech_start", "delay_ms": INTERRUPT_MS}
        if interrupts
        else {"after": "agent_speech_end", "delay_ms": PAUSE_MS}
    )
    return {
        "id": f"prompt-{entry['id']}",
        "audio": {"file": str(folder / entry["file"])},
        "text": entry["text"],
        "start": {**start, "timeout_ms": 20_000},
        "expect": "stop" if interrupts else "respond",
    }


def make_sounds(folder: Path) -> None:
    """Put all that the user says into ``folder``."""
    for sound in asset("prompts").glob("*.wav"):
        shutil.copy(sound, folder / sound.name)
    studio = Studio()
    try:
        hum = studio.clip(Line(BACKCHANNEL, VOICE))
        write_wav(folder / "backchannel.wav", hum.samples, RATE)
    finally:
        studio.close()


@contextmanager
def served() -> Iterator[str]:
    """``jarvis serve`` about the recorded run, in a process of its own; gives its address.

    Raises ForeignFailed when it does not start.
    """
    run = asset("runs") / "demo.jsonl"
    options = ["--run", str(run), "--no-token", "--protocol", "pcm", "--port", "0"]
    with started([sys.executable, "-m", "jarvis_voice", "serve", *options]) as url:
        yield url


def measure(folder: Path, python: str, sessions: int) -> int:
    """Have voicebench judge; gives its exit status: 0 passed, 1 a limit was missed."""
    make_sounds(folder)
    with served() as url:
        plan = folder / "scenario.yaml"
        plan.write_text(
            json.dumps(scenario(url, folder), indent=1), encoding="utf-8"
        )  # JSON is YAML
        command = [python, "-m", "voicebench", "run", str(plan), "-n", str(sessions)]
        return subprocess.run([*command, "--out", str(folder)], check=False).returncode


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure; the exit status is voicebench's, or 1 when Jarvis cannot be started."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", "--sessions", type=int, default=1, help="conversations to hold")
    parser.add_argument(
        "--python", default=sys.executable, help="whose voicebench to use (default: this one's)"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="keep voicebench's own report")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        try:
            status = measure(Path(name), options.python, options.sessions)
        except ForeignFailed as error:
            sys.stderr.write(f"{error}\n")
            return error.exit_code
        report = Path(name) / "report.json"
        if options.json and report.exists():
            shutil.copy(report, options.json)
    return status


if __name__ == "__main__":
    sys.exit(main())
