"""The commands on real devices, in a virtual room; each is a program of its own that joins it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from bench.room import SERVER_RATE, PulseRoom

pytestmark = [pytest.mark.room, pytest.mark.alone]


@pytest.fixture
def room() -> Iterator[PulseRoom]:
    reason = PulseRoom.available()
    if reason is not None:
        pytest.skip(reason)
    with PulseRoom() as room:
        yield room


def test_what_is_said_sounds_in_the_room(room: PulseRoom, program: Callable[..., object]) -> None:
    recording = room.record()
    words = "One two three four five."
    ran = program("say", "--engine", "scripted", "--json", words, JARVIS_CONFIG="")
    heard = recording.stop()
    assert ran.status == 0, ran
    audible = np.flatnonzero(np.abs(heard) > 0.003)
    length_s = (audible[-1] - audible[0]) / SERVER_RATE
    assert length_s == pytest.approx(json.loads(ran.out)["duration_s"], abs=0.4)


@pytest.mark.model
def test_the_doctor_calls_the_room_ready(room: PulseRoom, program: Callable[..., object]) -> None:
    # a real room is never digitally silent; the noise outlasts the loading of the models
    noise = np.random.default_rng(1).normal(0.0, 0.002, 120 * 16_000).astype(np.float32)
    room.play_user(noise)
    ran = program("doctor", "--json", JARVIS_CONFIG="", JARVIS_DEVICES_ECHO="speaker")
    told = json.loads(ran.out)
    assert ran.status == 0, told["ready"]
    assert told["ready"]["talk"] == {"ready": True, "because": []}
    checks = {check["name"]: check for check in told["checks"]}
    for name in ("PortAudio", "devices", "microphone", "loudspeaker", "echo"):
        assert checks[name]["state"] == "ok", checks[name]
    assert "ms from loudspeaker to microphone" in checks["echo"]["detail"]
