"""Frames do not depend on how the stream was cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.framing import Framer


@given(st.integers(1, 40), st.lists(st.integers(0, 100), max_size=20))
def test_any_chunking_gives_the_same_exact_frames(size: int, chunks: list[int]) -> None:
    stream = np.arange(sum(chunks), dtype=np.float32)
    framer = Framer(size)
    frames = []
    at = 0
    for chunk in chunks:
        frames += framer.push(stream[at : at + chunk])
        at += chunk
    assert [frame.start_sample for frame in frames] == [
        k * size for k in range(len(stream) // size)
    ]
    assert framer.pending_samples == len(stream) % size
    for frame in frames:
        assert np.array_equal(frame.samples, stream[frame.start_sample : frame.start_sample + size])


def test_frames_are_not_overwritten_by_later_sound() -> None:
    framer = Framer(4)
    block = np.ones(4, np.float32)
    (first,) = framer.push(block)
    block[:] = 2.0
    framer.push(block)
    assert first.samples.tolist() == [1.0] * 4


def test_reset_drops_what_is_pending_and_can_go_on_counting() -> None:
    framer = Framer(4)
    framer.push(np.ones(6, np.float32))
    framer.reset(100)
    (frame,) = framer.push(np.zeros(4, np.float32))
    assert frame.start_sample == 100
    assert frame.samples.tolist() == [0.0] * 4


def test_a_frame_holds_at_least_one_sample() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Framer(0)
