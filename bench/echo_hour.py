"""Does Jarvis hear itself? Hours of its own speech come back at the microphone, in fast simulation.

Real: synthesizer, echo path with a room, WebRTC's canceller, Silero, turn machine. The recognizer
is scripted to find words in anything that it is given, which is the worst it could do. Counted is
every time that Jarvis cut itself off, paused, lowered its voice or opened a turn, before and after
the canceller had its first seconds to converge. Run with: python -m bench.echo_hour --minutes 60
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from audio.asr.scripted import Reply
from audio.devices.file_io import EchoPath
from audio.echo.webrtc import WebRtcEchoCanceller
from audio.engine import CancelToken, EngineInfo
from audio.overlap_claim import ClaimJudge, load_claim_network
from audio.tts.base import SpeechChunk, SpokenPhrase, Synthesizer
from audio.tts.registry import open_synthesizer
from audio.vad.silero import SileroVad
from bench.simulator import Simulated, Simulation, Stage, simulate
from jarvis_voice import clock, events
from jarvis_voice.conversation import Heard, Notice

CONVERGED_S = 3.0  # of Jarvis's speech: measured ERLE is 7 to 10 dB before, above 35 dB after
REPORTS = (
    "The tests are running now, and forty two of them have passed so far.",
    "It is waiting for a review of the database migration before it goes on.",
    "Nothing has failed, but one of the checks took longer than the others did.",
    "The agent has changed three files, and the newest one is the deployment script.",
    "Two steps are left: to build the image, and to write the release notes.",
)


class RememberingSynthesizer:
    """Keeps what it has said, so that an hour of speech costs a minute of synthesis."""

    def __init__(self, synthesizer: Synthesizer) -> None:
        self._synthesizer = synthesizer
        self._said: dict[str, list[SpeechChunk]] = {}

    @property
    def info(self) -> EngineInfo:
        return self._synthesizer.info

    @property
    def rate(self) -> int:
        return self._synthesizer.rate

    def synthesize(self, phrase: SpokenPhrase, cancel: CancelToken) -> Iterator[SpeechChunk]:
        """As the synthesizer behind it; the same words sound the same."""
        if phrase.text not in self._said:
            self._said[phrase.text] = list(self._synthesizer.synthesize(phrase, cancel))
        yield from self._said[phrase.text]

    def close(self) -> None:
        self._synthesizer.close()


def listen_to_itself(minutes: float, gain_db: float, delay_s: float) -> Simulated:
    """Let Jarvis talk for ``minutes`` into a room that gives its voice back."""

    async def talk(simulation: Simulation) -> None:
        loop = asyncio.get_running_loop()
        until_s = loop.time() + minutes * 60.0
        for number in itertools.count():
            if loop.time() >= until_s:
                return
            ended = asyncio.Event()
            notice = Notice(
                notice_id=str(number),
                text=REPORTS[number % len(REPORTS)],
                ended=_setting(ended),
                cue=False,
            )
            simulation.conversation.speak_up(notice)
            await ended.wait()

    stage = Stage(
        synthesizer=RememberingSynthesizer(open_synthesizer("kokoro")),
        vad=SileroVad(),
        canceller=WebRtcEchoCanceller(),
        echo=EchoPath(gain_db=gain_db, delay_s=delay_s, reverb_s=0.3),
        noise_dbfs=-65.0,
        claims=ClaimJudge(load_claim_network()),
        replies=itertools.repeat(Reply("these are words")),
        limit_s=minutes * 60.0 + 120.0,
    )
    return simulate([], stage, during=talk)


def _setting(ended: asyncio.Event) -> Callable[[Heard, str], None]:
    def told(how: Heard, words: str) -> None:
        ended.set()

    return told


def measure(result: Simulated) -> dict[str, Any]:
    """Self-interruptions and false turns, before and after convergence."""
    spoken_s = 0.0
    started_s = 0.0
    converged_at_s = float("inf")
    for event in result.seen:
        if isinstance(event, events.AgentSpeechStarted):
            started_s = event.at_s
        elif isinstance(event, events.AgentSpeechStopped):
            if spoken_s < CONVERGED_S <= spoken_s + event.at_s - started_s:
                converged_at_s = started_s + CONVERGED_S - spoken_s
            spoken_s += event.at_s - started_s
    cuts = [event.at_s for event in result.of(events.BargedIn)]
    turns = [event.at_s for event in result.of(events.SpeechStarted)]
    ducks = [event.at_s for event in result.of(events.PlaybackDucked) if event.ducked]
    pauses = [event.at_s for event in result.of(events.PlaybackPaused) if event.paused]
    return {
        "spoken_s": round(spoken_s, 1),
        "ducks": sum(at_s >= converged_at_s for at_s in ducks),
        "ducks_before": sum(at_s < converged_at_s for at_s in ducks),
        "pauses": len(pauses),
        "self_interruptions": sum(at_s >= converged_at_s for at_s in cuts),
        "self_interruptions_before": sum(at_s < converged_at_s for at_s in cuts),
        "false_turns": sum(at_s >= converged_at_s for at_s in turns),
        "false_turns_before": sum(at_s < converged_at_s for at_s in turns),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; exit status 1 when Jarvis interrupted itself after convergence."""
    parser = argparse.ArgumentParser(prog="python -m bench.echo_hour", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--gain-db", type=float, default=-6.0, help="of the echo (default: -6)")
    parser.add_argument("--delay-s", type=float, default=0.08, help="of the echo (default: 0.08)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the record to FILE")
    args = parser.parse_args(argv)
    began_s = clock.stopwatch()
    record = measure(listen_to_itself(args.minutes, args.gain_db, args.delay_s))
    record |= {"minutes": args.minutes, "wall_s": round(clock.stopwatch() - began_s, 1)}
    text = json.dumps(record, indent=2)
    if args.json:
        args.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")
    return 1 if record["self_interruptions"] else 0


if __name__ == "__main__":
    sys.exit(main())
