"""Whole recordings: nothing that was said is lost, and no piece is too long."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.asr.scripted import ScriptedRecognizer, ScriptedStream
from audio.engine import CancelToken, EngineInfo, EngineKind
from audio.errors import Cancelled
from audio.recording import CutSettings, Piece, cut, transcribe
from audio.vad.base import FRAME_SAMPLES

FRAME_S = 0.032
SETTINGS = CutSettings()


class LoudIsSpeech:
    """A VAD that takes loud frames for speech."""

    info = EngineInfo("loud", EngineKind.VAD, "Loud frames are speech", installed=True)

    def probability(self, frame: np.ndarray) -> float:
        assert frame.shape == (FRAME_SAMPLES,)
        return float(np.abs(frame).max() > 0.1)

    def reset(self) -> None:
        pass


def _frames(*stretches: tuple[float, float]) -> list[float]:
    return [p for seconds, p in stretches for _ in range(round(seconds / FRAME_S))]


def _sound(*stretches: tuple[float, float]) -> np.ndarray:
    return np.repeat(np.array(_frames(*stretches), np.float32), FRAME_SAMPLES)


def test_short_pauses_stay_inside_a_piece_and_long_ones_part() -> None:
    probabilities = _frames((1, 0), (2, 0.9), (0.6, 0), (1, 0.9), (3, 0), (1, 0.9), (1, 0))
    pieces = cut(probabilities, SETTINGS)
    assert [(round(p.first * FRAME_S, 1), round(p.last * FRAME_S, 1)) for p in pieces] == [
        (1.0, 4.6),
        (7.6, 8.6),
    ]


@given(st.lists(st.floats(0, 1), max_size=300), st.floats(0.1, 3), st.floats(0.5, 5))
def test_every_speech_frame_is_in_exactly_one_piece_of_bounded_length(
    probabilities: list[float], pause_s: float, longest_s: float
) -> None:
    settings = CutSettings(pause_s=pause_s, longest_s=longest_s)
    pieces = cut(probabilities, settings)
    for before, after in itertools.pairwise(pieces):
        assert before.last <= after.first
    covered = {index for piece in pieces for index in range(piece.first, piece.last)}
    assert {i for i, p in enumerate(probabilities) if p >= settings.speech_threshold} <= covered
    assert all(0 < piece.last - piece.first <= longest_s / FRAME_S + 1 for piece in pieces)


def test_a_long_stretch_is_cut_where_speech_is_least_likely() -> None:
    # one improbable frame is a plosive, not a pause
    probabilities = _frames((15, 0.9), (0.032, 0.4), (5, 0.9), (0.32, 0.5), (20, 0.9))
    first, second = cut(probabilities, SETTINGS)
    assert first == Piece(0, second.first)
    assert first.last * FRAME_S == pytest.approx(20.2, abs=0.1)


def test_a_cut_in_the_middle_of_speech_gives_no_sound_to_both_sides() -> None:
    pushed: list[np.ndarray] = []

    class Listener(ScriptedRecognizer):
        def stream(self) -> ScriptedStream:
            stream = super().stream()
            push = stream.push

            def listen(samples: np.ndarray, probability: float) -> None:
                pushed.append(samples)
                push(samples, probability)

            stream.push = listen  # type: ignore[method-assign]  # the seam, listened to
            return stream

    sound = np.linspace(0.2, 1.0, 40 * 16_000, dtype=np.float32)
    passages = list(transcribe(sound, LoudIsSpeech(), Listener(["one", "two"])))
    assert [passage.text for passage in passages] == ["one", "two"]
    assert passages[0].end_s == passages[1].start_s
    assert np.array_equal(np.concatenate(pushed), sound)


def test_passages_come_in_order_with_their_times() -> None:
    sound = _sound((0.5, 0), (1, 0.5), (3, 0), (1, 0.5))[:-100]
    passages = list(transcribe(sound, LoudIsSpeech(), ScriptedRecognizer(["one", "two"])))
    assert [passage.text for passage in passages] == ["one", "two"]
    assert passages[0].start_s == pytest.approx(0.5, abs=FRAME_S)
    assert passages[0].end_s == pytest.approx(1.5, abs=FRAME_S)
    assert passages[1].end_s == pytest.approx(len(sound) / 16_000)


@pytest.mark.parametrize("samples", [0, 1, 511, 16_000])
def test_silence_of_any_length_has_no_passage(samples: int) -> None:
    silence = np.zeros(samples, np.float32)
    assert list(transcribe(silence, LoudIsSpeech(), ScriptedRecognizer(["no"]))) == []


def test_it_can_be_called_off() -> None:
    token = CancelToken()
    passages = transcribe(
        _sound((1, 0.5), (3, 0), (1, 0.5)), LoudIsSpeech(), ScriptedRecognizer(["a", "b"]), token
    )
    assert next(passages).text == "a"
    token.cancel()
    with pytest.raises(Cancelled):
        next(passages)
