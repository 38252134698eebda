"""A phrase trimmed while it grows is the phrase trimmed as a whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.tts.pieces import Span, place, trim
from audio.tts.streaming.growing import GrowingPhrase

RATE = 24_000
BLOCK = 600  # samples; a multiple of the trimming window, as the decoder's frames are


@st.composite
def _phrases(draw: st.DrawFn) -> tuple[np.ndarray, list[int], list[Span], np.ndarray, str]:
    """Audio of loud and silent blocks, where it is cut, and words with their edges."""
    loud = draw(st.lists(st.booleans(), min_size=1, max_size=40))
    level = np.repeat(np.where(loud, 0.1, 0.0), BLOCK)
    audio = (level * np.where(np.arange(len(level)) % 2, 1, -1)).astype(np.float32)
    cuts = draw(st.sets(st.integers(1, max(1, len(loud) - 1)), max_size=6))
    words = draw(st.integers(1, 6))
    edges = draw(
        st.lists(st.integers(0, len(audio)), min_size=2 * words + 1, max_size=2 * words + 1)
    )
    spans = [Span(n, 2 * n, 2 * n + 1, is_last=True) for n in range(words)]
    final = draw(st.sampled_from([".", ",", "t"]))
    return audio, sorted(cuts), spans, np.array(sorted(edges)), final


@given(_phrases())
def test_windows_give_what_the_whole_gives(phrase) -> None:
    audio, cuts, spans, edges, final = phrase
    whole = trim(audio, RATE, final)
    growing = GrowingPhrase(spans, edges, RATE, final)
    stops = [cut * BLOCK for cut in cuts if cut * BLOCK < len(audio)] + [len(audio)]
    samples, placed, start = np.zeros(0, np.float32), [], 0
    for stop in stops:
        new, words = growing.add(audio[start:stop], last=stop == len(audio))
        samples, placed, start = np.concatenate([samples, new]), placed + words, stop
        assert all(end <= len(samples) for _, _, end in words)
    np.testing.assert_array_equal(samples, whole.samples)
    assert placed == place(spans, edges, whole)


def test_silence_that_may_be_the_last_is_held_back() -> None:
    loud = np.full(4 * BLOCK, 0.1, np.float32)
    span = Span(0, 0, 1, is_last=True)
    growing = GrowingPhrase([span], np.array([0, 4 * BLOCK]), RATE, ",")
    first, _ = growing.add(np.concatenate([loud, np.zeros(10 * BLOCK, np.float32)]), last=False)
    assert 4 * BLOCK < len(first) < 4 * BLOCK + 0.14 * RATE
    rest, placed = growing.add(np.zeros(BLOCK, np.float32), last=True)
    assert (len(first) + len(rest) - 4 * BLOCK) / RATE == pytest.approx(0.14, abs=0.001)
    assert placed == [(span, 0, 4 * BLOCK)]


def test_a_later_beginning_counts_as_silence_before_it() -> None:
    audio = np.concatenate([np.zeros(10 * BLOCK), np.full(5 * BLOCK, 0.1)]).astype(np.float32)
    spans, edges = [Span(0, 0, 1, is_last=True)], np.array([9 * BLOCK, 14 * BLOCK])
    whole = GrowingPhrase(spans, edges, RATE, ".").add(audio, last=True)
    late = GrowingPhrase(spans, edges, RATE, ".", 6 * BLOCK).add(audio[6 * BLOCK :], last=True)
    np.testing.assert_array_equal(whole[0], late[0])
    assert whole[1] == late[1]
