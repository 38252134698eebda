"""The microphone's path: alignment, the reference's lead, counting and the pre-roll."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audio.echo.base import FRAME_SAMPLES as ECHO_FRAME
from audio.echo.bypass import Bypass
from audio.echo.webrtc import WebRtcEchoCanceller
from audio.near_end import NearEnd, NearEndFrame, PreRoll, Reference
from audio.pcm import RATE, rms_dbfs
from audio.vad.base import FRAME_SAMPLES
from audio.vad.scripted import EnergyVad, ScriptedVad

NOTHING = np.zeros(0, np.float32)


class LateSubtractor:
    """A canceller whose workings show: out = near - far, both 8 ms late, like AEC3's output."""

    delay_samples = 128

    def __init__(self) -> None:
        self.reset()

    def process(self, near_end: np.ndarray, far_end: np.ndarray) -> np.ndarray:
        joined = np.concatenate([self._kept, near_end - far_end])
        self._kept = joined[ECHO_FRAME:]
        return joined[:ECHO_FRAME]

    def reset(self) -> None:
        self._kept = np.zeros(self.delay_samples, np.float32)


def speech_like(seconds: float, rate: int, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    count = round(seconds * rate)
    syllables = np.maximum(0.0, np.sin(2 * np.pi * 4 * np.arange(count) / rate)) ** 0.5
    smooth = np.convolve(rng.standard_normal(count), np.ones(4) / 4, "same")
    return (smooth * syllables * 0.2).astype(np.float32)


def joined(frames: list[NearEndFrame], field: str = "samples") -> np.ndarray:
    return np.concatenate([getattr(frame, field) for frame in frames])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 2500), min_size=1, max_size=25))
def test_frames_do_not_depend_on_the_blocks(blocks: list[int]) -> None:
    near = np.random.default_rng(2).standard_normal(sum(blocks)).astype(np.float32)
    whole = NearEnd(48_000, 48_000, LateSubtractor(), EnergyVad()).process(near, NOTHING)
    path = NearEnd(48_000, 48_000, LateSubtractor(), EnergyVad())
    frames = []
    at = 0
    for block in blocks:
        frames += path.process(near[at : at + block], NOTHING)
        at += block
    assert [frame.start_sample for frame in frames] == [frame.start_sample for frame in whole]
    assert [frame.start_sample for frame in frames] == [512 * k for k in range(len(frames))]
    for ours, theirs in zip(frames, whole, strict=True):
        np.testing.assert_allclose(ours.samples, theirs.samples, atol=1e-5)
        assert ours.samples.shape == ours.raw.shape == (FRAME_SAMPLES,)
        assert ours.samples.dtype == ours.raw.dtype == np.float32


def test_cancelled_and_raw_hold_the_same_instant() -> None:
    path = NearEnd(RATE, RATE, LateSubtractor(), EnergyVad())
    near = speech_like(2.0, RATE)
    frames = path.process(near, NOTHING)
    assert np.array_equal(joined(frames), joined(frames, "raw"))
    assert np.array_equal(joined(frames), near[: FRAME_SAMPLES * len(frames)])


def test_the_vad_hears_what_was_cancelled() -> None:
    path = NearEnd(RATE, RATE, LateSubtractor(), EnergyVad())
    sound = speech_like(1.0, RATE)
    frames = path.process(sound, sound)
    assert len(frames) > 20
    assert max(frame.probability for frame in frames) < 0.01
    assert all(frame.far_active for frame in frames)
    assert rms_dbfs(joined(frames)) < -100.0
    assert rms_dbfs(joined(frames, "raw")) > -40.0


def test_far_activity_is_held_for_half_a_second() -> None:
    path = NearEnd(RATE, RATE, Bypass(), ScriptedVad([]))
    silence = np.zeros(3 * RATE, np.float32)
    far = silence.copy()
    far[RATE : RATE + 160] = 0.1
    active = [frame.start_sample for frame in path.process(silence, far) if frame.far_active]
    assert RATE - 512 <= active[0] <= RATE
    assert RATE + 8000 - 512 <= active[-1] <= RATE + 8000 + 512


@pytest.mark.parametrize(("capture", "playback"), [(48_000, 24_000), (44_100, 48_000)])
def test_device_rates_of_both_sides(capture: int, playback: int) -> None:
    """A tone through both sides at their own rates is still the same tone at the same time."""
    path = NearEnd(capture, playback, LateSubtractor(), EnergyVad())
    near = np.sin(2 * np.pi * 300 * np.arange(capture) / capture).astype(np.float32)
    far = np.sin(2 * np.pi * 300 * np.arange(playback) / playback).astype(np.float32)
    frames = path.process(near, far)
    # The filters hold back about a millisecond each, so the ends of the two do not meet exactly.
    assert rms_dbfs(joined(frames[2:-2])) < -20.0


def test_broken_samples_spoil_nothing() -> None:
    path = NearEnd(48_000, 48_000, WebRtcEchoCanceller(), EnergyVad())
    path.process(np.full(4800, np.nan, np.float32), np.full(4800, np.inf, np.float32))
    sound = speech_like(1.0, 48_000)
    frames = path.process(sound, np.zeros_like(sound))
    assert np.isfinite(joined(frames)).all()
    assert rms_dbfs(joined(frames[-10:])) > -40.0


def test_resync_starts_anew_but_goes_on_counting() -> None:
    vad = ScriptedVad([])
    path = NearEnd(RATE, RATE, LateSubtractor(), vad)
    sound = speech_like(1.0, RATE)
    before = path.process(sound, sound)
    path.resync()
    after = path.process(sound, NOTHING)
    assert vad.resets == 1
    assert after[0].start_sample == before[-1].end_sample
    assert np.array_equal(joined(after), sound[: FRAME_SAMPLES * len(after)])
    assert not after[0].far_active


def test_resync_takes_the_rates_of_the_new_devices() -> None:
    path = NearEnd(48_000, 48_000, Bypass(), ScriptedVad([]))
    path.process(np.zeros(48_000, np.float32), NOTHING)
    path.resync(capture_rate=16_000, playback_rate=24_000)
    assert len(path.process(np.zeros(16_000, np.float32), NOTHING)) == 31


# --- the reference leads -----------------------------------------------------------------------


def delivered_lead_ms(
    near_block: int, far_block: int, latency_ms: int, far_first_s: float = 0.0
) -> float:
    """Run both sides in virtual time and measure by how much the reference leads the echo.

    The loudspeaker plays clicks; each side delivers in blocks of its own size. The path is made
    of a canceller that notes what it is given.
    """
    seen: list[tuple[np.ndarray, np.ndarray]] = []

    class Recorder(Bypass):
        def process(self, near_end: np.ndarray, far_end: np.ndarray) -> np.ndarray:
            seen.append((near_end.copy(), far_end.copy()))
            return near_end

    path = NearEnd(RATE, RATE, Recorder(), ScriptedVad([]))
    total = 12 * RATE
    far = np.zeros(total, np.float32)
    far[RATE // 2 :: RATE] = 0.9
    latency = latency_ms * RATE // 1000
    near = np.zeros(total, np.float32)
    near[latency:] = far[: total - latency]
    near[: round(far_first_s * RATE)] = 0.0
    given_near = given_far = 0
    pending_far: list[np.ndarray] = []
    for now in range(total):
        if now % far_block == 0:  # the callback renders a block that sounds from now on
            pending_far.append(far[given_far : given_far + far_block])
            given_far += far_block
        if (now + 1) % near_block == 0 and now > far_first_s * RATE:
            start = given_near or now + 1 - near_block
            path.process(near[start : now + 1], np.concatenate([NOTHING, *pending_far]))
            given_near = now + 1
            pending_far = []
    heard = np.concatenate([pair[0] for pair in seen])
    reference = np.concatenate([pair[1] for pair in seen])
    last_echo = np.flatnonzero(heard > 0.5)[-1]
    clicks = np.flatnonzero(reference > 0.5)
    return float(last_echo - clicks[np.argmin(np.abs(clicks + latency - last_echo))]) / RATE * 1000


@pytest.mark.parametrize("near_block", [160, 320, 512])
@pytest.mark.parametrize("far_block", [160, 480, 1024])
@pytest.mark.parametrize("latency_ms", [30, 180])
def test_the_reference_leads_for_any_block_sizes(
    near_block: int, far_block: int, latency_ms: int
) -> None:
    lead_ms = delivered_lead_ms(near_block, far_block, latency_ms)
    assert 5.0 <= lead_ms <= latency_ms + 1000 * far_block / RATE


def test_playback_that_ran_long_before_capture_is_trimmed() -> None:
    """Without the trim the reference would lag by three seconds."""
    lead_ms = delivered_lead_ms(320, 480, 100, far_first_s=3.0)
    assert 5.0 <= lead_ms <= 150.0


def test_a_burst_after_a_stall_is_dropped_within_seconds() -> None:
    reference = Reference()
    block = np.full(160, 0.5, np.float32)
    for _ in range(100):
        reference.push(block, 160)
        reference.take()[0]
        reference.settle()
    for _ in range(30):  # 300 ms come at once: the device was late, the echo was not
        reference.push(block, 160)
    levels = []
    for _ in range(500):
        reference.push(block, 160)
        reference.take()[0]
        reference.settle()
        levels.append(reference.queued_samples)
    assert levels[0] >= 4800
    assert levels[-1] <= 80
    assert reference.dropped_samples > 0


def test_a_small_surplus_waits_for_silence() -> None:
    reference = Reference()
    loud, quiet = np.full(160, 0.5, np.float32), np.zeros(160, np.float32)
    reference.push(loud, 160)
    reference.push(loud, 160)
    for _ in range(1000):
        reference.push(loud, 160)
        reference.take()[0]
        reference.settle()
    assert reference.queued_samples == 320  # 20 ms more than needed
    for _ in range(401):
        reference.push(quiet, 160)
        reference.take()[0]
        reference.settle()
    assert reference.queued_samples == 80


@pytest.mark.parametrize("ppm", [-200, 200])
def test_clock_drift_neither_starves_nor_floods_the_reference(ppm: int) -> None:
    reference = Reference()
    owed = 0.0
    highest = 0
    rng = np.random.default_rng(0)
    for _ in range(60 * 100 * 10):  # ten minutes: 120 ms of drift
        owed += 160 * (1 + ppm / 1e6)
        block = rng.standard_normal(int(owed)).astype(np.float32)
        owed -= len(block)
        reference.push(block, 160)
        reference.take()[0]
        reference.settle()
        highest = max(highest, reference.queued_samples)
    assert highest <= RATE * 60 // 1000
    assert reference.padded_samples < 60 * 100 * 10 * 160 * 2e-3


def test_silence_that_stood_in_is_counted_once_there_was_playback() -> None:
    reference = Reference()
    reference.take()[0]
    assert reference.padded_samples == 0
    reference.push(np.ones(160, np.float32), 160)
    assert reference.take()[0].all()
    assert not reference.take()[0].any()
    assert reference.padded_samples == 160
    reference.reset()
    reference.take()[0]
    assert reference.padded_samples == 160


def test_a_backlog_of_both_sides_is_no_surplus() -> None:
    """A worker that was stalled gets seconds of both sides at once; they still belong together."""
    path = NearEnd(RATE, RATE, LateSubtractor(), EnergyVad())
    sound = speech_like(20.0, RATE)
    frames = path.process(sound, sound)
    assert rms_dbfs(joined(frames)) < -100.0
    assert path.reference.dropped_samples == 0


def echo_left_db(path: NearEnd, lag_first: bool) -> float:
    """ERLE in the last seconds of a loudspeaker talking into a microphone 60 ms later."""
    far = speech_like(10.0, RATE)
    near = np.zeros_like(far)
    near[960:] = far[:-960] * 0.5
    frames = []
    backlog = np.full(3 * RATE, 0.01, np.float32) if lag_first else NOTHING
    for at in range(0, len(far), 320):
        played = np.concatenate([backlog, far[at : at + 320]])
        frames += path.process(near[at : at + 320], played)
        backlog = NOTHING
    late = frames[len(frames) // 2 :]
    return rms_dbfs(joined(late, "raw")) - rms_dbfs(joined(late))


@pytest.mark.parametrize("lag_first", [False, True])
def test_echo_is_cancelled_through_the_whole_path(lag_first: bool) -> None:
    path = NearEnd(RATE, RATE, WebRtcEchoCanceller(), EnergyVad())
    assert echo_left_db(path, lag_first) >= 20.0


def test_echo_is_never_taken_for_the_user() -> None:
    """A minute here; after two seconds nothing of it may be heard."""
    path = NearEnd(RATE, RATE, WebRtcEchoCanceller(), EnergyVad())
    loud = 0
    for part in range(10):
        far = speech_like(6.0, RATE, seed=part)
        near = np.zeros_like(far)
        near[960:] = far[:-960] * 0.5
        frames = path.process(near, far)
        settled = frames[63:] if part == 0 else frames[2:]
        loud += sum(frame.probability > 0.5 for frame in settled)
    assert loud == 0


def test_the_canceller_rests_in_long_silence_and_cancels_at_once_when_it_is_over() -> None:
    path = NearEnd(RATE, RATE, WebRtcEchoCanceller(), EnergyVad())
    far = np.concatenate(
        (speech_like(8.0, RATE), np.zeros(6 * RATE, np.float32), speech_like(4.0, RATE, seed=9))
    )
    near = np.zeros_like(far)
    near[960:] = far[:-960] * 0.5
    hiss = np.random.default_rng(4).standard_normal(len(near)).astype(np.float32) * 3e-4
    frames: list[NearEndFrame] = []
    for start in range(0, len(far), FRAME_SAMPLES):
        part = slice(start, start + FRAME_SAMPLES)
        frames += path.process((near + hiss)[part], far[part])
    clean = joined(frames)
    resumed = slice(14 * RATE, 15 * RATE)
    assert rms_dbfs(near[resumed]) - rms_dbfs(clean[resumed]) >= 20.0
    quiet = slice(11 * RATE, 13 * RATE)  # resting: what comes in goes out, at the same instant
    np.testing.assert_array_equal(clean[quiet], (near + hiss)[quiet])


# --- pre-roll ----------------------------------------------------------------------------------


def frame_at(start: int) -> NearEndFrame:
    samples = np.zeros(FRAME_SAMPLES, np.float32)
    return NearEndFrame(samples, samples, start, 0.0, far_active=False)


def test_pre_roll_gives_what_reaches_beyond_a_sample() -> None:
    kept = PreRoll()
    for index in range(10):
        kept.push(frame_at(index * 512))
    assert [frame.start_sample for frame in kept.since(4000)] == [3584, 4096, 4608]
    assert [frame.start_sample for frame in kept.since(4096)] == [4096, 4608]
    assert len(kept.since(-5)) == 10
    assert kept.since(5120) == []
    kept.clear()
    assert kept.since(0) == []


def test_pre_roll_keeps_three_seconds() -> None:
    kept = PreRoll()
    for index in range(1000):
        kept.push(frame_at(index * 512))
    frames = kept.since(0)
    assert len(frames) * 512 / RATE == pytest.approx(3.0, abs=0.032)
    assert frames[-1].start_sample == 999 * 512
