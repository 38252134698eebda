"""The benchmark of the budget counts what it should; how fast the machine is, is not tested."""

from __future__ import annotations

import numpy as np

from audio import threads
from audio.vad.scripted import EnergyVad
from bench.core_budget import Card, Samples, TimedVad, priorities, summed_up


def test_a_block_or_a_beat_later_than_what_the_device_holds_is_counted() -> None:
    samples = Samples(beat=[0.0, 0.101], render=[0.001, 0.2], near_end=[0.01, 0.03])
    found = summed_up(samples, [{"cores": 1.0}, {"cores": 2.0}])
    assert found["late"] == 2
    assert found["cores"] == 1.5
    assert found["beat_ms"]["most"] == 101.0


def test_without_priorities_no_thread_steps_back_and_afterwards_they_do_again() -> None:
    usual = threads.step_back
    with priorities(on=False), threads.worker("late", threads.LEAST) as pool:
        assert pool.submit(threads.current).result() == threads.current()
    assert threads.step_back is usual


def test_a_frame_is_late_by_the_time_since_it_was_handed_over() -> None:
    samples = Samples()
    card = Card(np.zeros(16_000, np.float32), samples)
    vad = TimedVad(EnergyVad(), card, samples)
    frame = np.zeros(512, np.float32)
    vad.probability(frame)
    assert samples.near_end == []  # it was not handed over yet
    card.delivered_s += [0.0, 0.0]
    vad.probability(frame)
    assert samples.near_end[0] > 0
