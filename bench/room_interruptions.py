"""Can the user interrupt, again and again, over a real loudspeaker that the microphone hears?

In the virtual room: the real sound path (PortAudio, full duplex), the real engines, the canceller,
and Jarvis's voice back at -6 dB. Jarvis gives a long answer, the user says "Wait, what failed?"
into it, and does so to the next answer. Counted are interruptions heard and missed, and every cut
that no user caused; times are read from the recorded sound of both sides. Run with:

    python -m bench.room_interruptions --times 4
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.pcm import RATE
from audio.wav import read_audio
from bench.room import SERVER_RATE, PulseRoom
from jarvis_voice import events
from jarvis_voice.cli import build
from jarvis_voice.config import Settings
from jarvis_voice.conversation import Conversation, ConversationSettings
from jarvis_voice.resources import asset
from jarvis_voice.telemetry.recorded import audible_spans, yield_latency_s

PROMPT = "prompt_4.wav"
FIRST_WORD, SECOND_WORD = "wait", "what"
INTO_S = 2.5  # how far into an answer the user interrupts it
LIMIT_S = 10.0  # for one answer to begin; then the user says it again, as people do
AGAIN = 2  # times that it is said again
ANSWER = (
    "Nothing has failed so far. The agent has finished the first two steps, and it is working on "
    "the third one, which is the longest. It has changed three files, and all of the checks that "
    "it ran have passed. After this it will build the image and write the release notes."
)


class LongAnswers:
    """A brain that always has much to say."""

    name = "long answers"

    def __init__(self, answer: str = ANSWER) -> None:
        self._answer = answer

    async def reply(self, question: events.Question) -> AsyncIterator[str]:
        """The same long answer to everything."""
        yield self._answer

    def versions(self) -> dict[str, int]:
        """No run is watched."""
        return {}

    def committed(self, question: events.Question) -> bool:
        """Nothing is done."""
        return False


@dataclass(slots=True)
class Take:
    """What one run in the room left."""

    events: list[events.ConversationEvent]
    user: NDArray[np.float32]  # the user's side, mono at SERVER_RATE
    speaker: NDArray[np.float32]  # what the loudspeaker played, at the same time
    said_again: int = 0  # prompts that nothing answered, so that they were said once more


async def _converse(room: PulseRoom, times: int) -> Take:
    seen: list[events.ConversationEvent] = []
    changed = asyncio.Event()

    def publish(event: events.ConversationEvent) -> None:
        seen.append(event)
        changed.set()

    async def answered(before: int) -> bool:
        try:
            async with asyncio.timeout(LIMIT_S):
                while _answers(seen) <= before:
                    changed.clear()
                    await changed.wait()
        except TimeoutError:
            return False
        return True

    settings = Settings()
    settings = replace(settings, devices=replace(settings.devices, echo="speaker"))
    engines = build.load_engines(settings)
    devices = build.devices(settings.devices)
    parts = build.live_parts(engines, devices, LongAnswers())
    conversation = Conversation(parts, ConversationSettings(), publish)
    prompt, _ = read_audio(asset("prompts", PROMPT))
    again = 0
    user, speaker = room.record("user"), room.record("speaker")
    async with asyncio.TaskGroup() as group:
        group.create_task(conversation.run())
        await asyncio.sleep(1.5)
        for _ in range(times + 1):  # the first one opens the conversation
            answers = _answers(seen)
            for _ in range(1 + AGAIN):
                await asyncio.to_thread(room.play_user, prompt, RATE)
                if await answered(answers):
                    break
                again += 1
            await asyncio.sleep(INTO_S)
        conversation.stop("all interruptions were made")
    engines.close()
    return Take(seen, user.stop(), speaker.stop(), again)


def _answers(seen: Sequence[events.ConversationEvent]) -> int:
    return sum(isinstance(event, events.AgentSpeechStarted) for event in seen)


def _keeps_its_first_word(text: str) -> bool:
    """It is there, or a word that it was misheard as ("wake") stands before the second one."""
    words = re.findall(r"[a-z']+", text.lower())
    return FIRST_WORD in words[:1] or (len(words) > 2 and words[0] != SECOND_WORD)


def measure(take: Take, times: int) -> dict[str, Any]:
    """Interruptions heard, cuts that nobody caused, first words, and how fast the sound stopped."""
    cuts = [event for event in take.events if isinstance(event, events.BargedIn)]
    texts = [event.text for event in take.events if isinstance(event, events.TurnCommitted)]
    agent = audible_spans(take.speaker, SERVER_RATE)
    onsets = [span.start_s for span in audible_spans(take.user, SERVER_RATE)]
    stops = [yield_latency_s(agent, onset_s) for onset_s in onsets]
    stopped = sorted(stop_s for stop_s in stops if stop_s is not None)
    return {
        "interruptions": times,
        "heard": min(times, len(cuts)),
        "said_again": take.said_again,
        "cuts_that_nobody_caused": max(0, len(cuts) - times),
        "first_word_kept": sum(_keeps_its_first_word(text) for text in texts[1:]),
        "first_word_right": sum(text.lower().startswith(FIRST_WORD) for text in texts[1:]),
        "transcripts": texts,
        "stop_s": [round(stop_s, 3) for stop_s in stopped],
        "faults": [event.problem for event in take.events if isinstance(event, events.Faulted)],
    }


def take(times: int, echo_db: float = -6.0) -> dict[str, Any]:
    """Hold the conversation in a new room and measure it. Raises RoomFailed."""
    with PulseRoom(echo_db) as room:
        return measure(asyncio.run(_converse(room, times)), times)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; exit status 1 when one was missed or Jarvis cut itself off."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.room_interruptions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--times", type=int, default=4)
    parser.add_argument("--echo-db", type=float, default=-6.0, help="(default: -6)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the record to FILE")
    args = parser.parse_args(argv)
    missing = PulseRoom.available()
    if missing:
        sys.stderr.write(f"The virtual room cannot be opened: {missing}\n")
        return 2
    record = take(args.times, args.echo_db)
    text = json.dumps(record, indent=2)
    if args.json:
        args.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")
    failed = record["heard"] < args.times or record["cuts_that_nobody_caused"]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
