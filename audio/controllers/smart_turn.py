"""Smart Turn v3.2 (BSD-2-Clause): 8 s of sound in, the probability that the turn is over out.

A small network on Whisper's encoder that hears how something is said and knows no words. Its
weights lie in the wheel of ``pipecat-ai``; none of that package's code is run or needed, so it is
best installed without what it depends on. Input is the log-mel spectrogram of the last 8 s, the
turn at the end and silence before it, brought to zero mean and unit variance first.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from audio import weights
from audio.asr.mel import HOP_SAMPLES, log_mel
from audio.controllers.base import SAMPLE_RATE, ControllerCaps, HeardSound, Judgement, Pause
from audio.controllers.recent import RecentSound
from audio.engine import EngineInfo, EngineKind, Weight
from audio.errors import EngineCorrupt, EngineFailed, EngineMissing
from audio.turn.events import TurnState

if TYPE_CHECKING:
    import onnxruntime

NAME = "smart-turn"
WINDOW_S = 8.0
INSTALL = "pip install --no-deps pipecat-ai==1.14.0"

_DISTRIBUTION = "pipecat-ai"
_FILE = "pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx"
_SHA256 = "2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f"  # as in 1.14.0
_REINSTALL = f"{INSTALL} --force-reinstall"
_INPUT = "input_features"
_SMALLEST_VARIANCE = 1e-7


def describe(path: str = "") -> EngineInfo:
    """The engine without loading it; ``path`` names a weight of the user's own."""
    try:
        found: Path | None = _located(path)
    except EngineMissing:
        found = None
    weight = Weight(
        name=Path(_FILE).name if not path else Path(path).name,
        source=f"{_DISTRIBUTION} 1.14.0" if not path else "the settings",
        licence="BSD-2-Clause",
        path=None if found is None else str(found),
        sha256=None if found is None or path else _SHA256,
        size=None if found is None else found.stat().st_size,
    )
    return EngineInfo(
        name=NAME,
        kind=EngineKind.TURN_CONTROLLER,
        description="Smart Turn 3.2: hears whether a turn is over",
        installed=found is not None,
        weights=(weight,),
        languages=("en", "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "zh"),
        install_hint="" if found is not None else INSTALL,
    )


def features(sound: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the network hears of a sound (mono at 16 kHz): its last 8 s, shape (80, 800)."""
    length = int(WINDOW_S * SAMPLE_RATE)
    kept = sound[-length:].astype(np.float32)
    padded = np.pad(kept, (length - len(kept), 0))
    even = (padded - padded.mean()) / np.sqrt(padded.var() + np.float32(_SMALLEST_VARIANCE))
    return log_mel(even.astype(np.float32), length // HOP_SAMPLES)


class SmartTurnModel:
    """The loaded network; may be shared by conversations, each on a thread of its own."""

    def __init__(self, path: str = "") -> None:
        """Load the weights of the package, or those at ``path``.

        Raises EngineMissing with the line that installs them, or EngineCorrupt.
        """
        found = _located(path)
        if not path:
            weights.verify(found, _SHA256, f"Run: {_REINSTALL}")
        self._session, self._faults = _load(found)

    def over(self, turn: NDArray[np.float32]) -> float:
        """Probability, 0 to 1, that a turn is over with this sound. Raises EngineFailed."""
        try:
            given = self._session.run(None, {_INPUT: features(turn)[None]})
        except self._faults as error:
            raise EngineFailed(
                f"Smart Turn could not judge a pause ({error}); silence and words decided.",
                'If it stays so, set turn.controller = "acoustic".',
            ) from error
        value = float(np.asarray(given[0]).reshape(-1)[0])
        return min(max(value, 0.0), 1.0) if np.isfinite(value) else 0.5


class SmartTurnController:
    """Judges pauses by the sound of the turn; an eighth of a second of one core each."""

    def __init__(self, model: SmartTurnModel) -> None:
        self._model = model
        self._recent = RecentSound(WINDOW_S)

    @property
    def caps(self) -> ControllerCaps:
        states = frozenset({TurnState.COMPLETE, TurnState.INCOMPLETE, TurnState.UNKNOWN})
        return ControllerCaps(NAME, states, looks_back_s=WINDOW_S)

    def push(self, sound: HeardSound) -> Sequence[Judgement]:
        """Keep the last 8 s."""
        self._recent.push(sound.samples, sound.at_sample)
        return ()

    def judge(self, pause: Pause) -> Judgement:
        """COMPLETE or INCOMPLETE with its probability; UNKNOWN when nothing was heard."""
        turn = self._recent.between(pause.began_sample, pause.at_sample)
        if not len(turn):
            return Judgement(TurnState.UNKNOWN, pause.at_sample, reason="nothing was heard")
        over = self._model.over(turn)
        if over >= 0.5:
            return Judgement(TurnState.COMPLETE, pause.at_sample, over)
        return Judgement(TurnState.INCOMPLETE, pause.at_sample, 1 - over)

    def reset(self, why: str) -> None:
        """Forget what was heard."""
        self._recent.clear()

    def close(self) -> None:
        """Forget what was heard; the network is shared and stays."""
        self._recent.clear()


def _located(path: str) -> Path:
    if not path:
        try:
            return weights.locate(_DISTRIBUTION, _FILE)
        except EngineMissing as error:
            raise EngineMissing(
                f"Smart Turn's weights are not installed. {error.problem}", f"Run: {INSTALL}"
            ) from None
    own = Path(path).expanduser()
    if not own.is_file():
        raise EngineMissing(
            f"Smart Turn's weights are not at {own}.",
            "Name another file in turn.smart_turn_model, or leave it empty.",
        )
    return own


def _load(path: Path) -> tuple[onnxruntime.InferenceSession, tuple[type[Exception], ...]]:
    # imported late: listing the engines must not load the runtime
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    faults = (
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.InvalidProtobuf,
        state.NoSuchFile,
        state.NotImplemented,
        state.RuntimeException,
        RuntimeError,
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # the recognizer has the other core at that moment
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    except faults as error:
        raise EngineCorrupt(
            f"Smart Turn's weights cannot be loaded ({path}: {error}).", f"Run: {_REINSTALL}"
        ) from error
    if [node.name for node in session.get_inputs()] != [_INPUT]:
        raise EngineCorrupt(f"{path} is an ONNX model, but not Smart Turn.", f"Run: {_REINSTALL}")
    return session, faults
