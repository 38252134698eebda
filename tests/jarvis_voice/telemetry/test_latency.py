"""Figures from timelines."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvis_voice import events
from jarvis_voice.telemetry.latency import (
    STAGES,
    TurnLatency,
    latency_table,
    summary,
    turn_latencies,
    yield_latencies,
)


def turn(
    *, settled=10.16, transcript=10.4, committed=10.544, worded=10.6, phrase=11.0, heard=11.1
) -> list[events.ConversationEvent]:
    """A turn whose speech ended at 10.0; a moment that is None was not recorded."""
    begun = committed if transcript is None else min(committed, transcript)
    story = [
        events.SpeechStarted(9.1, 1, 9.0),
        events.TurnSettled(settled, 1, 10.0),
        transcript and events.TranscriptSettled(transcript, 1, "how is it", "e", "", 0.2),
        events.ReplyStarted(begun, 1, 1, preemptive=begun < committed),
        events.TurnCommitted(committed, 1, "how is it", 10.0, "silence", due_s=10.544),
        worded and events.ReplyWorded(worded, 1, 1),
        phrase and events.PhraseReady(phrase, 1, 1, 0, "Well.", 0.3),
        phrase and events.PhraseReady(phrase + 1.0, 1, 1, 1, "More.", 0.3),
        heard and events.AgentSpeechStarted(heard, 1, 1),
    ]
    return [event for event in story if event]


def stages(row: TurnLatency) -> list[float | None]:
    return [getattr(row, f"{stage}_s") for stage in STAGES]


def test_stages_one_after_the_other():
    (row,) = turn_latencies(turn(transcript=10.7, committed=10.7, worded=10.9))
    assert stages(row) == pytest.approx([0.544, 0.156, 0.2, 0.1, 0.1])
    assert row.response_s == pytest.approx(1.1)
    assert row.recognizer_work_s == pytest.approx(0.54)
    assert row.synthesizer_work_s == 0.3
    assert (row.turn, row.text, row.reply, row.preemptive) == (1, "how is it", 1, False)


def test_work_within_the_endpoint_wait_counts_as_zero():
    (row,) = turn_latencies(turn(transcript=10.3, worded=10.35, phrase=10.5, heard=10.58))
    assert stages(row) == pytest.approx([0.544, 0.0, 0.0, 0.0, 0.036])
    assert row.preemptive
    assert row.recognizer_work_s == pytest.approx(0.14)
    assert row.brain_work_s == pytest.approx(0.05)


def test_preemptive_work_that_ends_later_counts_its_rest():
    (row,) = turn_latencies(turn(transcript=10.3, worded=10.35, phrase=10.8, heard=10.9))
    assert stages(row) == pytest.approx([0.544, 0.0, 0.0, 0.256, 0.1])


def test_what_was_not_recorded_is_absent_and_its_time_is_in_the_next():
    (row,) = turn_latencies(turn(worded=None))
    assert row.brain_s is None
    assert row.synthesizer_s == pytest.approx(0.456)
    assert row.brain_work_s is None


def test_a_turn_without_an_answer():
    (row,) = turn_latencies(turn(worded=None, phrase=None, heard=None))
    assert row.response_s is None
    assert stages(row)[:2] == pytest.approx([0.544, 0.0])
    assert stages(row)[2:] == [None, None, None]


def test_an_open_or_discarded_turn_has_no_latency():
    story = [event for event in turn() if not isinstance(event, events.TurnCommitted)]
    assert turn_latencies([*story, events.TurnDiscarded(11.0, 1, "cough")]) == []


def test_a_reopened_turn_is_measured_from_its_last_pause():
    story = turn()
    early = [
        events.TurnSettled(8.0, 1, 7.8),
        events.TranscriptSettled(8.1, 1, "how", "e", "", 0.1),
        events.ReplyStarted(8.1, 1, 9, preemptive=True),
        events.ReplyWorded(8.2, 1, 9),
        events.TurnReopened(8.3, 1),
    ]
    (row,) = turn_latencies([*early, *story])
    assert row.reply == 1
    assert row.recognizer_work_s == pytest.approx(0.24)
    assert row.response_s == pytest.approx(1.1)


def test_without_a_due_time_the_transcript_tells():
    def undue(story):
        return [
            replace(event, due_s=None) if isinstance(event, events.TurnCommitted) else event
            for event in story
        ]

    (early,) = turn_latencies(undue(turn(transcript=10.3)))
    assert stages(early)[:2] == pytest.approx([0.544, 0.0])
    (late,) = turn_latencies(undue(turn(transcript=10.7, committed=10.7, worded=10.9)))
    assert late.endpoint_s is None
    assert late.recognizer_s == pytest.approx(0.7)


moments = st.one_of(st.none(), st.floats(10.0, 14.0))


@given(settled=st.floats(10.0, 11.0), committed=st.floats(10.3, 12.0), transcript=moments,
       worded=moments, phrase=moments, heard=st.floats(12.0, 15.0))  # fmt: skip
def test_stages_sum_to_the_response(**times):
    (row,) = turn_latencies(turn(**times))
    known = [stage for stage in stages(row) if stage is not None]
    assert sum(known) == pytest.approx(row.response_s)
    assert all(stage >= 0 for stage in known)


@given(st.permutations(turn()))
def test_any_order_of_events_is_taken(story):
    for row in turn_latencies(story):
        known = [stage for stage in stages(row) if stage is not None]
        assert row.response_s is None or sum(known) == pytest.approx(row.response_s)


def test_yielding():
    story = [
        events.AgentSpeechStarted(1.0, 1, 1),
        events.AgentSpeechStopped(3.85, 1, 1, "so", "so it goes", cut=True),
        events.BargedIn(3.8, 3.0, 1, "0.80 s of speech over the agent"),
        events.AgentSpeechStarted(5.0, 2, 2),
        events.BargedIn(6.8, 6.0, 2, "words"),
        events.AgentSpeechStopped(9.0, 3, 3, "x", "x", cut=False),
    ]
    first, second = yield_latencies(story)
    assert first.decided_s == pytest.approx(0.8)
    assert first.silent_s == pytest.approx(0.85)
    assert second.silent_s is None


def test_a_reply_cut_in_its_pause_was_silent_from_the_pause_on():
    reason = "the sound asks for the floor (0.90)"
    story = [
        events.PlaybackPaused(5.2, True, 1, reason, 5.22),
        events.PlaybackPaused(5.4, False, 1, 'backchannel "yeah"'),
        events.PlaybackPaused(9.2, True, 1, reason, 9.22),
        events.BargedIn(9.6, 9.0, 1, "words over the agent"),
        events.AgentSpeechStopped(9.62, 1, 1, "It is", "It is working.", cut=True),
        events.PlaybackPaused(19.2, True, 2, reason, 19.22),
        events.PlaybackPaused(19.5, False, 2, 'backchannel "yeah"'),
        events.BargedIn(19.8, 19.0, 2, "words over the agent"),
        events.AgentSpeechStopped(19.82, 2, 2, "It is", "It is working.", cut=True),
    ]
    first, second = yield_latencies(story)
    assert first.decided_s == pytest.approx(0.6)
    assert first.silent_s == pytest.approx(0.22)
    assert second.silent_s == pytest.approx(0.82)


def test_summary():
    total = summary([9.0, 1.0, None, 2.0, 3.0])
    assert (total.count, total.median, total.mean) == (3, 2.0, 2.0)
    assert total.p95 == pytest.approx(2.9)
    assert summary([9.0, 1.0], warmup=0).median == 5.0


@pytest.mark.parametrize("values", [[], [1.0], [1.0, None]])
def test_summary_of_nothing_is_absent(values):
    total = summary(values)
    assert (total.count, total.median, total.mean, total.p95) == (0, None, None, None)


def test_table():
    rows = turn_latencies(turn())
    other = replace(rows[0], turn=2, brain_s=None, response_s=0.9)
    assert latency_table([*rows, other]).splitlines() == [
        "  turn  endpoint  recognizer  brain  synthesizer  playback  response",
        "--------------------------------------------------------------------",
        "     1       544           0     56          400       100      1100",
        "     2       544           0      -          400       100       900",
        "--------------------------------------------------------------------",
        "median       544           0      -          400       100       900",
        "   p95       544           0      -          400       100       900",
        "milliseconds; median and p95 of 1 of 2 turns",
    ]


def test_table_of_one_and_of_none():
    assert "of 1 of 1 turns" in latency_table(turn_latencies(turn()))
    assert "of 0 of 0 turns" in latency_table([])


def test_an_opener_is_heard_and_is_no_content():
    said = events.OpenerSaid(10.6, 1, 1, "Let me see.", 0.7)
    heard_first = turn(worded=11.0, phrase=11.1, heard=10.62)
    (row,) = turn_latencies([*heard_first[:5], said, *heard_first[5:]])
    assert row.response_s == pytest.approx(0.62)
    assert row.content_s == pytest.approx(1.32)  # behind the opener
    late = turn(worded=12.0, phrase=12.5, heard=10.62)
    (row,) = turn_latencies([*late[:5], said, *late[5:]])
    assert row.content_s == pytest.approx(2.5)
    (row,) = turn_latencies(turn())
    assert row.content_s == row.response_s
