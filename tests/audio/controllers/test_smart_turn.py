"""Smart Turn: what it hears, where its weights are found, and what it says when they are not."""

from pathlib import Path

import numpy as np
import pytest

from audio.controllers.base import HeardSound, Pause
from audio.controllers.recent import RecentSound
from audio.controllers.registry import controller_maker, controllers
from audio.controllers.semantic import SemanticController
from audio.controllers.smart_turn import (
    SmartTurnController,
    SmartTurnModel,
    describe,
    features,
)
from audio.engine import EngineKind
from audio.errors import EngineCorrupt, EngineFailed, EngineMissing
from audio.turn.events import TurnState


def reference(sound: np.ndarray) -> np.ndarray:
    """The log-mel spectrogram, computed anew from its definition with a plain loop."""
    length = 8 * 16_000
    padded = np.zeros(length)
    kept = sound[-length:]
    padded[length - len(kept) :] = kept
    even = np.pad((padded - padded.mean()) / np.sqrt(padded.var() + 1e-7), 200, mode="reflect")
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 400)
    power = [np.abs(np.fft.rfft(even[at : at + 400] * window)) ** 2 for at in range(0, length, 160)]
    hertz = np.arange(201) * 40.0

    def to_mel(value: float) -> float:
        return value * 3 / 200 if value < 1000 else 15 + np.log(value / 1000) * 27 / np.log(6.4)

    mels = np.array([to_mel(value) for value in hertz])
    edges = np.linspace(0, to_mel(8000.0), 82)
    edges_hz = np.interp(edges, [to_mel(h) for h in np.arange(8001.0)], np.arange(8001.0))
    bank = np.zeros((80, 201))
    for band in range(80):
        low, middle, high = edges_hz[band : band + 3]
        rise, fall = (hertz - low) / (middle - low), (high - hertz) / (high - middle)
        bank[band] = np.maximum(0, np.minimum(rise, fall)) * 2 / (high - low)
    assert len(mels) == 201
    logarithm = np.log10(np.maximum(bank @ np.array(power).T, 1e-10))
    return (np.maximum(logarithm, logarithm.max() - 8) + 4) / 4


@pytest.mark.parametrize("seconds", [0.5, 3.0, 9.0])
def test_features_are_those_of_the_definition(seconds: float):
    draw = np.random.default_rng(5)
    count = int(seconds * 16_000)
    tone = np.sin(2 * np.pi * np.cumsum(np.linspace(100, 3000, count)) / 16_000)
    sound = (0.1 * tone + 0.01 * draw.standard_normal(count)).astype(np.float32)
    found = features(sound)
    assert found.shape == (80, 800)
    assert found.dtype == np.float32
    assert np.abs(found - reference(sound)).max() < 2e-3


def test_a_file_of_the_users_own_is_taken(tiny: Path):
    info = describe(str(tiny))
    assert info.installed
    assert info.weights[0].path == str(tiny)
    controller = SmartTurnController(SmartTurnModel(str(tiny)))
    controller.push(HeardSound(np.full(16_000, 0.1, np.float32), 0))
    judgement = controller.judge(Pause(0, 14_000, 16_000))
    assert judgement.state in (TurnState.COMPLETE, TurnState.INCOMPLETE)
    assert judgement.probability is not None
    assert judgement.probability >= 0.5


def test_only_the_turn_itself_is_judged(tiny: Path):
    model = SmartTurnModel(str(tiny))
    before, turn = np.full(48_000, 0.3, np.float32), np.zeros(16_000, np.float32)
    turn[::7] = 0.5
    alone, behind = SmartTurnController(model), SmartTurnController(model)
    alone.push(HeardSound(turn, 48_000))
    behind.push(HeardSound(np.concatenate((before, turn)), 0))
    pause = Pause(48_000, 62_000, 64_000)
    assert alone.judge(pause) == behind.judge(pause)


def test_missing_and_damaged_weights_are_told(tmp_path: Path, other: Path):
    with pytest.raises(EngineMissing, match="smart_turn_model"):
        SmartTurnModel(str(tmp_path / "nowhere.onnx"))
    damaged = tmp_path / "damaged.onnx"
    damaged.write_bytes(b"this is no model")
    with pytest.raises(EngineCorrupt, match="cannot be loaded"):
        SmartTurnModel(str(damaged))
    with pytest.raises(EngineCorrupt, match="not Smart Turn"):
        SmartTurnModel(str(other))


class _Broken:
    """A listener whose network fails."""

    def __init__(self, tiny: Path) -> None:
        self._inner = SmartTurnController(SmartTurnModel(str(tiny)))
        self.caps, self.push = self._inner.caps, self._inner.push
        self.reset, self.close = self._inner.reset, self._inner.close

    def judge(self, pause: Pause) -> None:
        raise EngineFailed("It broke.", "Mend it.")


def test_the_semantic_controller_goes_on_when_its_listener_fails(tiny: Path):
    broken = SemanticController(_Broken(tiny))  # type: ignore[arg-type]  # it only raises
    tone = (0.1 * np.sin(np.arange(16_000) * 0.05)).astype(np.float32)
    broken.push(HeardSound(tone, 0))
    judgement = broken.judge(Pause(0, 16_000, 16_000))
    assert "It broke." in judgement.fault
    assert judgement.reason.startswith(("pitch", "level"))


def test_the_list_names_all_and_unknown_ones_are_refused(tiny: Path):
    infos = controllers()
    assert [info.name for info in infos] == ["semantic", "acoustic", "smart-turn", "soulx"]
    assert all(info.kind is EngineKind.TURN_CONTROLLER for info in infos)
    with pytest.raises(EngineMissing, match="semantic, acoustic"):
        controller_maker("psychic")
    with pytest.raises(EngineMissing):
        controller_maker("semantic", smart_turn_path="nowhere.onnx")
    for name in ("semantic", "smart-turn"):
        make = controller_maker(name, smart_turn_path=str(tiny))
        one, another = make(), make()
        assert one is not another
        assert one.caps.name == name
        assert one.caps.looks_back_s == 8.0


@pytest.mark.extra
def test_the_packaged_weights_tell_a_whole_question_from_half_of_one():
    if not describe().installed:
        pytest.skip(f"Smart Turn's weights are not installed ({describe().install_hint})")
    from audio.pcm import RATE
    from audio.resources import asset
    from audio.wav import read_audio

    model = SmartTurnModel()
    sound = read_audio(asset("prompts", "prompt_2.wav"), RATE)[0]
    whole = model.over(sound)
    assert whole > 0.5
    assert model.over(sound[: len(sound) * 6 // 10]) < whole


def test_recent_sound_keeps_the_newest_and_fills_gaps_with_silence():
    recent = RecentSound(1.0)
    recent.push(np.full(8000, 0.1, np.float32), 0)
    recent.push(np.full(4000, 0.2, np.float32), 10_000)
    assert np.array_equal(recent.between(7999, 8001), np.array([0.1, 0.0], np.float32))
    assert len(recent.between(0, 14_000)) == 14_000
    recent.push(np.full(8000, 0.3, np.float32), 14_000)
    assert len(recent.between(0, 99_000)) == 16_000
    assert recent.between(21_999, 22_000)[0] == np.float32(0.3)
    recent.push(np.full(100, 0.4, np.float32), 21_950)
    assert np.allclose(recent.between(21_995, 22_050)[[0, 4, 5]], [0.3, 0.3, 0.4])
    recent.push(np.full(10, 0.5, np.float32), 500_000)
    assert len(recent.between(0, 500_010)) == 10
    recent.clear()
    assert len(recent.between(0, 500_010)) == 0
