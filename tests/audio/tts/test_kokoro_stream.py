"""Speech in windows on the real weights, against the same network's whole sentences."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from audio.clocks import Clocks
from audio.engine import CancelToken
from audio.errors import Cancelled, EngineCorrupt, EngineFailed
from audio.tts import kokoro_stream
from audio.tts.g2p import english_g2p
from audio.tts.kokoro import describe
from audio.tts.kokoro_model import KokoroModel
from audio.tts.kokoro_stream import StreamedKokoro, open_network, sounding
from audio.tts.phoneme_speech import RATE, PhonemeSynthesizer
from audio.tts.phonemes import vocabulary
from audio.tts.streaming import trial
from audio.tts.streaming.generator import Affine, in_norms, out_of_norms
from audio.tts.streaming.likeness import mel_distance
from audio.tts.streaming.network import Plan, TwoHalves
from audio.tts.streaming.pacing import Pace
from audio.tts.streaming.statistics import Forecast, load_forecast
from audio.tts.streaming.trial import Verdict
from audio.tts.voices import load_styles, voices

pytestmark = pytest.mark.model

VOICE = "am_michael"
TEXT = "Two tests failed, I think."
FAST_S = 0.003  # for a frame of work


class _Clock:
    """Moves on by ``step_s`` at each reading: so long takes a window."""

    def __init__(self, step_s: float = 0.14) -> None:
        self.now, self.step_s = 0.0, step_s

    def __call__(self) -> float:
        self.now += self.step_s
        return self.now


def _tokens() -> tuple[list[int], np.ndarray]:
    phonemes = " ".join(english_g2p().phonemize(TEXT.split()))
    tokens = [vocabulary()[symbol] for symbol in phonemes]
    return tokens, load_styles(VOICE)[len(tokens) - 1 : len(tokens)]


CLOCKS = Clocks(_Clock(), _Clock())


@pytest.fixture(scope="module")
def halves() -> Iterator[TwoHalves]:
    loaded = TwoHalves(threads=2)
    yield loaded
    loaded.close()


@pytest.fixture(scope="module")
def plan(halves: TwoHalves) -> Plan:
    tokens, style = _tokens()
    return halves.plan(tokens, style, 1.0, CancelToken())


@pytest.fixture(scope="module")
def whole(halves: TwoHalves, plan: Plan) -> tuple[np.ndarray, Affine]:
    return halves.whole(plan, CancelToken())


def _streamed(halves: TwoHalves, clock: _Clock, pace: Pace | None = None) -> PhonemeSynthesizer:
    network = StreamedKokoro(halves, load_forecast(VOICE), pace or Pace(FAST_S), clock)
    return PhonemeSynthesizer(network, describe(), VOICE)


class _Kept(TwoHalves):
    """The shared halves, which outlive the synthesizers of single tests."""

    def __init__(self, halves: TwoHalves) -> None:
        self.__dict__ = halves.__dict__

    def close(self) -> None:
        pass


class _Recorded(TwoHalves):
    """Says one phrase over and over, at no cost."""

    def __init__(self, plan: Plan, whole: tuple[np.ndarray, Affine]) -> None:
        self._plan, self._whole = plan, whole

    def plan(self, *_) -> Plan:
        return self._plan

    def whole(self, *_) -> tuple[np.ndarray, Affine]:
        return self._whole

    def window(self, _plan, _norms, start: int, end: int, cancel: CancelToken) -> np.ndarray:
        cancel.raise_if_cancelled()
        return self._whole[0][300 * start : 300 * end]


@pytest.fixture
def recorded(plan: Plan, whole: tuple[np.ndarray, Affine]) -> _Recorded:
    return _Recorded(plan, whole)


def test_it_keeps_the_contract(check_synthesizer, halves) -> None:
    check_synthesizer(lambda: _streamed(_Kept(halves), _Clock()))


def _snr_db(reference: np.ndarray, other: np.ndarray) -> float:
    noise = np.square(reference - other, dtype=np.float64).sum()
    return float(10 * np.log10(np.square(reference, dtype=np.float64).sum() / noise))


def test_windows_with_the_phrase_s_own_norms_are_the_whole(halves, plan, whole) -> None:
    audio, norms = whole
    bounds = [*range(20, plan.length, 44), plan.length]
    pairs = itertools.pairwise(bounds)
    parts = [halves.window(plan, norms, *pair, CancelToken()) for pair in pairs]
    assert len(parts) > 3
    assert _snr_db(audio[300 * 20 :], np.concatenate(parts)) > 60


def test_statistics_and_norms_are_each_other_s_inverse(plan, whole) -> None:
    _, norms = whole
    again = in_norms(plan.affine, *out_of_norms(plan.affine, norms))
    np.testing.assert_allclose(again.factor, norms.factor, rtol=1e-4)
    np.testing.assert_allclose(again.offset, norms.offset, atol=1e-3)


def test_float_weights_sound_like_the_shipped_ones(plan, whole) -> None:
    audio, _ = whole
    model = KokoroModel(threads=2)
    tokens, style = _tokens()
    shipped = model.infer(tokens, style, 1.0, CancelToken())
    model.close()
    np.testing.assert_array_equal(plan.edges, shipped.edges)
    assert mel_distance(shipped.audio, audio, RATE) < 2


def test_all_sound_lies_where_it_is_decoded(plan, whole) -> None:
    audio, _ = whole
    tokens, _ = _tokens()
    start, end = sounding(plan, tokens)
    loud = np.flatnonzero(np.abs(audio) > 0.01)
    assert 300 * start < loud[0]
    assert loud[-1] < 300 * end
    assert end - start < 0.9 * plan.length


@pytest.mark.parametrize("voice", [voice.name for voice in voices()])
def test_every_voice_has_a_forecast_of_its_own_size(voice: str) -> None:
    forecast = load_forecast(voice)
    assert forecast.measures(forecast.centre).shape == (2 * 8448,)
    assert all(np.isfinite(part).all() for part in forecast)


def test_marks_and_samples_are_those_of_the_whole_phrase(recorded, say) -> None:
    slow = _streamed(recorded, _Clock(), Pace(1.0))  # too slow for windows
    (at_once,) = say(slow, TEXT)
    chunks = say(_streamed(recorded, _Clock()), TEXT)
    assert len(chunks) > 2
    assert tuple(mark for chunk in chunks for mark in chunk.marks) == at_once.marks
    samples = np.concatenate([chunk.samples for chunk in chunks])
    # decoding ends in the closing silence; what is kept of that is padded
    np.testing.assert_allclose(samples, at_once.samples, atol=2e-3)


def test_the_first_chunk_is_short_and_holds_sound(recorded, say) -> None:
    chunks = say(_streamed(recorded, _Clock()), TEXT)
    first = chunks[0].samples
    assert 0.3 < len(first) / RATE < 0.6
    assert np.abs(first).max() > 0.01
    assert 0.02 < np.argmax(np.abs(first) > 0.005) / RATE < 0.12


def test_a_machine_that_falls_behind_says_whole_phrases_and_recovers(recorded, say) -> None:
    clock = _Clock(step_s=2.0)  # each window takes two seconds
    pace = Pace(FAST_S)
    synthesizer = _streamed(recorded, clock, pace)
    assert len(say(synthesizer, TEXT)) > 1
    assert not pace.streams
    assert len(say(synthesizer, TEXT)) == 1
    clock.step_s = 0.1
    chunks = [len(say(synthesizer, TEXT)) for _ in range(6)]
    assert chunks[0] == 1
    assert chunks[-1] > 1


def test_cancelling_stops_inside_a_window(halves, phrase) -> None:
    cancel = CancelToken()
    chunks = _streamed(halves, _Clock()).synthesize(phrase(TEXT), cancel)
    assert len(next(chunks).samples)
    threading.Timer(0.02, cancel.cancel).start()
    with pytest.raises(Cancelled):
        list(chunks)


def test_a_forecast_far_out_is_held_to_what_was_fitted() -> None:
    one, four = np.ones((1, 1), "f4"), np.ones((1, 4), "f4")
    forecast = Forecast(np.zeros(1, "f4"), one[0], one, four, four[0])
    np.testing.assert_array_equal(forecast.measures(np.array([9e9], "f4")), np.full(4, 4.0))


def test_without_clocks_or_against_the_verdict_it_speaks_whole(monkeypatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(kokoro_stream, "KokoroModel", lambda _: opened.append("whole"))
    monkeypatch.setattr(trial, "recall", lambda *_: Verdict(True, "sooner", FAST_S))
    open_network(VOICE, 2, None)
    monkeypatch.setattr(trial, "recall", lambda *_: Verdict(False, "slow", tries=3))
    open_network(VOICE, 2, CLOCKS)
    assert opened == ["whole", "whole"]


@pytest.mark.parametrize("error", [EngineCorrupt("It is broken."), EngineFailed("It failed.")])
def test_what_cannot_be_prepared_is_said_and_whole_phrases_go_on(monkeypatch, error) -> None:
    def broken(_: int) -> TwoHalves:
        raise error

    kept: list[Verdict] = []
    monkeypatch.setattr(kokoro_stream, "TwoHalves", broken)
    monkeypatch.setattr(kokoro_stream, "KokoroModel", lambda _: "whole")
    monkeypatch.setattr(trial, "recall", lambda *_: None)
    monkeypatch.setattr(trial, "remember", lambda verdict, *_: kept.append(verdict))
    assert open_network(VOICE, 2, CLOCKS) == "whole"
    assert [verdict.reason for verdict in kept] == [error.problem]
    monkeypatch.setattr(trial, "recall", lambda *_: kept[0])
    assert error.problem in kokoro_stream.manner(VOICE, 2)


def test_the_self_test_is_run_once_and_told(monkeypatch, halves, tmp_path) -> None:
    closed: list[bool] = []

    class Shipped:
        def close(self) -> None:
            closed.append(True)

    verdict = Verdict(True, "sooner by 0.50 s", FAST_S, 0.3, 0.8, 1.9)
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(kokoro_stream, "TwoHalves", lambda _: _Kept(halves))
    monkeypatch.setattr(kokoro_stream, "KokoroModel", lambda _: Shipped())
    monkeypatch.setattr(trial, "try_out", lambda *_: verdict)
    assert "Not tried yet" in kokoro_stream.manner(VOICE, 2)
    assert isinstance(open_network(VOICE, 2, CLOCKS), StreamedKokoro)
    assert closed == [True]
    assert "0.30 s instead of 0.80 s" in kokoro_stream.manner(VOICE, 2)
    monkeypatch.setattr(trial, "try_out", lambda *_: pytest.fail("tried again"))
    assert isinstance(open_network(VOICE, 2, CLOCKS), StreamedKokoro)
