"""The stream around a transcriber, with one that tells what it was given."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from audio.asr.base import Final
from audio.asr.segmented import (
    SegmentedRecognizer,
    SegmentedStream,
    SegmentSettings,
    Verdict,
    judged,
)
from audio.engine import CancelToken, EngineInfo, EngineKind
from audio.errors import EngineFailed

S = 16_000
FRAME = 512
INFO = EngineInfo("teller", EngineKind.RECOGNIZER, "Tells the length of what it hears", True)


class Teller:
    """Says how many samples of speech each stretch has: speech is 0.5, silence 0."""

    def __init__(self) -> None:
        self.lengths_s: list[float] = []
        self.settled: list[bool] = []
        self.closed = 0

    def transcribe(
        self, sound: NDArray[np.float32], *, settle: bool, cancel: CancelToken
    ) -> Verdict:
        self.lengths_s.append(len(sound) / S)
        self.settled.append(settle)
        spoken = int((sound > 0.25).sum())
        return Verdict(f"{spoken}", path="told", confidence=0.5, language="en", settled=settle)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def teller() -> Teller:
    return Teller()


def opened(teller: Teller, options: SegmentSettings | None = None) -> SegmentedStream:
    return SegmentedRecognizer(INFO, teller, options or SegmentSettings()).stream()


def say(stream: SegmentedStream, seconds: float) -> None:
    for _ in range(round(seconds * S / FRAME)):
        stream.push(np.full(FRAME, 0.5, dtype=np.float32), 0.95)


def wait(stream: SegmentedStream, seconds: float) -> None:
    for _ in range(round(seconds * S / FRAME)):
        stream.push(np.zeros(FRAME, dtype=np.float32), 0.02)


def final(stream: SegmentedStream) -> Final:
    return stream.final(CancelToken())


def told_samples(told: Final) -> int:
    return sum(int(word) for word in told.text.split())


def test_only_the_speech_and_a_margin_are_transcribed(teller: Teller) -> None:
    stream = opened(teller)
    wait(stream, 3.0)
    say(stream, 1.0)
    wait(stream, 3.0)
    assert final(stream).text == str(round(S / FRAME) * FRAME)
    assert teller.lengths_s == [pytest.approx(1.6, abs=0.1)]


def test_a_settled_text_is_not_made_again_until_speech_goes_on(teller: Teller) -> None:
    stream = opened(teller)
    say(stream, 1.0)
    wait(stream, 0.5)
    first = final(stream)
    wait(stream, 1.0)
    assert final(stream).text == first.text
    assert stream.hypothesis(CancelToken()).text == first.text
    assert len(teller.lengths_s) == 1
    say(stream, 1.0)
    assert final(stream).text == str(2 * round(S / FRAME) * FRAME)


def test_an_unsettled_hypothesis_is_made_again_for_the_final(teller: Teller) -> None:
    stream = opened(teller)
    say(stream, 1.0)
    wait(stream, 0.5)
    stream.hypothesis(CancelToken())
    final(stream)
    assert teller.settled == [False, True]


def test_speech_that_may_go_on_is_not_remembered(teller: Teller) -> None:
    stream = opened(teller)
    say(stream, 1.0)
    final(stream)
    wait(stream, 0.3)
    final(stream)
    assert len(teller.lengths_s) == 2


def test_a_long_turn_is_cut_at_its_pauses(teller: Teller) -> None:
    stream = opened(teller)
    for _ in range(12):
        say(stream, 5.0)
        wait(stream, 0.5)
        stream.hypothesis(CancelToken())
    assert told_samples(final(stream)) == 12 * round(5 * S / FRAME) * FRAME
    assert max(teller.lengths_s) <= 18


def test_a_turn_without_a_pause_is_cut_all_the_same(teller: Teller) -> None:
    stream = opened(teller)
    for _ in range(10):
        say(stream, 10.0)
        stream.hypothesis(CancelToken())
    assert told_samples(final(stream)) == 10 * round(10 * S / FRAME) * FRAME
    assert max(teller.lengths_s) <= 38.7  # what came since the last hypothesis, and the open rest


def test_an_hour_that_nobody_asked_about_is_bounded(teller: Teller) -> None:
    stream = opened(teller)
    piece = np.full(60 * S, 0.5, dtype=np.float32)
    for _ in range(15):
        stream.push(piece, 0.95)
    told = final(stream)
    assert "300 s were too much" in told.reason
    assert told.through_sample == 600 * S


def test_an_engine_that_costs_gives_no_rolling_hypotheses(teller: Teller) -> None:
    stream = opened(teller, SegmentSettings(rolling=False))
    say(stream, 2.0)
    assert stream.hypothesis(CancelToken()).text == ""
    assert teller.lengths_s == []


def test_a_failure_leaves_the_utterance_whole(teller: Teller) -> None:
    class Failing(Teller):
        def transcribe(
            self, sound: NDArray[np.float32], *, settle: bool, cancel: CancelToken
        ) -> Verdict:
            if not self.lengths_s:
                self.lengths_s.append(0.0)
                raise EngineFailed("It broke.")
            return super().transcribe(sound, settle=settle, cancel=cancel)

    stream = opened(Failing())
    for _ in range(4):
        say(stream, 5.0)
        wait(stream, 0.5)
    with pytest.raises(EngineFailed):
        final(stream)
    assert told_samples(final(stream)) == 4 * round(5 * S / FRAME) * FRAME


def test_the_model_is_closed_once(teller: Teller) -> None:
    recognizer = SegmentedRecognizer(INFO, teller, SegmentSettings())
    recognizer.close()
    recognizer.close()
    assert teller.closed == 1


def test_a_text_without_evidence_is_only_dropped_when_it_is_none() -> None:
    second = np.zeros(S, dtype=np.float32)
    assert judged("  Yes. ", second, "whole", "en").text == "Yes."
    assert judged(" ... ", second, "whole", "en").text == ""
    assert judged("you " * 50, second, "whole", "en").reason


pieces = st.lists(st.tuples(st.booleans(), st.floats(0.05, 7.0)), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(pieces, st.booleans())
def test_no_speech_is_lost_or_heard_twice(parts: list[tuple[bool, float]], rolling: bool) -> None:
    stream = opened(Teller())
    spoken = short = 0  # samples; a short burst by itself may count as nothing said
    for speaks, seconds in parts:
        (say if speaks else wait)(stream, seconds)
        samples = speaks * round(seconds * S / FRAME) * FRAME
        spoken += samples
        short += samples if seconds < 0.3 else 0
        if rolling:
            stream.hypothesis(CancelToken())
    told = final(stream)
    assert spoken - short <= told_samples(told) <= spoken
    assert told.text or told.reason
