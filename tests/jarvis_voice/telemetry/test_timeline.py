"""Events to lines and back."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice import events
from jarvis_voice.errors import OutputError, TimelineUnreadable
from jarvis_voice.telemetry.timeline import (
    EVENT_CLASSES,
    Timeline,
    decode,
    encode,
    read_timeline,
)

SAMPLE = [
    events.SessionStarted(0.0, "whisper", "kokoro", "narrator", "2026-01-01T00:00:00+00:00"),
    events.SpeechStarted(1.5, 1, 1.4),
    events.TranscriptChanged(2.0, 1, 'wie geht "es" \\ ?\nund so 🎙'),
    events.RunChanged(
        3.0,
        events.RunSnapshot(
            "r1",
            "claude-code",
            "tests",
            events.RunStatus.WAITING,
            4,
            plan=(events.PlanStep("look", "completed"),),
            evidence=(events.Evidence(1, 9.0, events.EvidenceKind.RESULT, "2 failed", ok=False),),
            cost_usd=0.25,
        ),
    ),
    events.SessionEnded(4.0, "asked to"),
]


def test_every_event_class_is_known():
    assert len(EVENT_CLASSES) >= 18
    assert "ConversationEvent" not in EVENT_CLASSES


@pytest.mark.parametrize("kind", EVENT_CLASSES.values(), ids=EVENT_CLASSES)
@given(st.data())
def test_every_event_class_survives_a_line(kind, data):
    event = data.draw(st.from_type(kind))
    line = json.dumps(encode(event))
    again = decode(json.loads(line))
    assert repr(again) == repr(event)  # equal, and of the same types; NaN is not equal to itself


def test_a_whole_number_of_seconds_is_still_seconds():
    line = {"event": "TurnReopened", "at_s": 3, "turn": 1}
    event = decode(line)
    assert isinstance(event.at_s, float)


def test_file_and_memory(tmp_path):
    path = tmp_path / "timeline.jsonl"
    with Timeline(path) as timeline:
        for event in SAMPLE:
            timeline.append(event)
            assert path.read_text().count("\n") == len(timeline.events) + 1  # flushed
        assert list(timeline.events) == SAMPLE
    header = json.loads(path.read_text().splitlines()[0])
    assert header == {"timeline": "jarvis-voice", "version": 1}
    reading = read_timeline(path)
    assert list(reading.events) == SAMPLE
    assert reading.torn is None


def test_memory_alone_is_bounded():
    timeline = Timeline(kept=10)
    for number in range(25):
        timeline.append(events.TurnReopened(float(number), number))
    assert [event.turn for event in timeline.events] == list(range(15, 25))
    timeline.close()
    timeline.close()


@given(cut=st.integers(1, 60))
def test_a_torn_last_line_is_left_out_and_reported(tmp_path_factory, cut):
    path = tmp_path_factory.mktemp("torn") / "timeline.jsonl"
    with Timeline(path) as timeline:
        for event in SAMPLE:
            timeline.append(event)
    whole = path.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    path.write_bytes(whole[: -min(cut, last - 1)])
    reading = read_timeline(path)
    assert list(reading.events) == SAMPLE[:-1]
    assert reading.torn
    assert json.dumps(encode(SAMPLE[-1]), ensure_ascii=False).startswith(reading.torn)


def write(path: Path, *lines: str) -> Path:
    path.write_text('{"timeline": "jarvis-voice", "version": 1}\n' + "".join(lines))
    return path


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "not JSON"),
        ("[1]", "not an event"),
        ('{"event": "Sang", "at_s": 1.0}', "no event 'Sang'"),
        ('{"event": ["x"]}', "no event"),
        ('{"event": "TurnReopened", "at_s": 1.0}', "lacks a field"),
        ('{"event": "TurnReopened", "at_s": 1.0, "turn": "one"}', "TurnReopened.turn cannot be"),
        ('{"event": "TurnReopened", "at_s": 1.0, "turn": true}', "TurnReopened.turn cannot be"),
        ('{"event": "RunChanged", "at_s": 1.0, "snapshot": 5}', "RunChanged.snapshot cannot be"),
        (
            '{"event": "RunChanged", "at_s": 1.0, "snapshot": {"run_id": "a", "runtime": "b",'
            ' "title": "c", "status": "asleep", "version": 1}}',
            "RunChanged.snapshot.status cannot be 'asleep'",
        ),
        (
            '{"event": "RunChanged", "at_s": 1.0, "snapshot": {"run_id": "a", "runtime": "b",'
            ' "title": "c", "status": "done", "version": 1, "uncertainties": "many"}}',
            "RunChanged.snapshot.uncertainties cannot be 'many'",
        ),
    ],
)
def test_damage_before_the_last_line_names_the_line(tmp_path, line, says):
    good = '{"event": "TurnReopened", "at_s": 1.0, "turn": 1}\n'
    path = write(tmp_path / "t.jsonl", good, line + "\n", good)
    with pytest.raises(TimelineUnreadable) as caught:
        read_timeline(path)
    assert f"Line 3 of {path}" in str(caught.value)
    assert says in str(caught.value)


def test_fields_of_a_newer_release_are_passed_over():
    line = {"event": "TurnReopened", "at_s": 1.0, "turn": 1, "mood": "curious"}
    assert decode(line) == events.TurnReopened(1.0, 1)


@pytest.mark.parametrize("content", ["", "{}\n", "RIFF\n", '{"timeline": "jarvis'])
def test_other_files_are_no_timeline(tmp_path, content):
    path = tmp_path / "other"
    path.write_text(content)
    with pytest.raises(TimelineUnreadable, match="is no timeline"):
        read_timeline(path)


def test_a_newer_version_says_so(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"timeline": "jarvis-voice", "version": 9}\n')
    with pytest.raises(TimelineUnreadable, match="version 9"):
        read_timeline(path)


def test_missing_file(tmp_path):
    with pytest.raises(TimelineUnreadable, match="cannot be read"):
        read_timeline(tmp_path / "none.jsonl")


def test_unwritable_path(tmp_path):
    for path in (tmp_path / "no" / "such" / "folder.jsonl", tmp_path):
        with pytest.raises(OutputError) as caught:
            Timeline(path)
        assert caught.value.remedy
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_what_was_said_is_for_the_user_alone(tmp_path):
    Timeline(tmp_path / "t.jsonl").close()
    assert os.stat(tmp_path / "t.jsonl").st_mode & 0o077 == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_the_file_and_not_the_conversation():
    timeline = Timeline(Path("/dev/full"))
    for event in SAMPLE:
        timeline.append(event)
    assert list(timeline.events) == SAMPLE
    assert timeline.fault is not None
    with pytest.raises(OutputError, match="ends early"):
        timeline.close()
    timeline.close()


def test_an_error_inside_is_not_hidden_by_the_file():
    timeline = Timeline(Path("/dev/full")) if Path("/dev/full").exists() else Timeline()
    with pytest.raises(KeyError), timeline:
        raise KeyError
