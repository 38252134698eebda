"""A scene over the real sound path, in the virtual room."""

from __future__ import annotations

import asyncio

import pytest

from audio.pcm import RATE
from bench.probes.play import Cue, Scene, Take, When
from bench.probes.room import opened_room
from bench.room import PulseRoom
from jarvis_voice.telemetry.recorded import audible_spans

from .scripted_sides import ScriptedSide, hiss
from .test_play import saying

pytestmark = [
    pytest.mark.room,
    pytest.mark.alone,
    pytest.mark.skipif(PulseRoom.available() is not None, reason=str(PulseRoom.available())),
]


def test_a_scene_in_the_room_is_recorded_on_both_sides() -> None:
    side = ScriptedSide(saying("It is done."), ["hello"] * 3, sequential=True)
    scene = Scene([Cue(hiss("user", 1.0, RATE), When.START, 0.5)], linger_s=1.0)
    with opened_room() as room:
        take: Take = asyncio.run(room.play(scene, side))
    assert take.missed == ""
    spans = audible_spans(take.user, RATE)
    said = next(span for span in spans if span.end_s - span.start_s > 0.8)
    # a busy machine stutters, so the found place and the first sound may lie apart
    assert said.start_s == pytest.approx(take.said_s[0], abs=0.15)
    answers = audible_spans(take.agent, RATE)
    assert answers
    assert answers[0].start_s > said.end_s
