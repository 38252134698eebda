"""Reading and writing networks, held against what onnxruntime makes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.engine import CancelToken
from audio.errors import EngineCorrupt
from audio.tts.kokoro_model import OrtNetwork
from audio.tts.streaming import protobuf
from audio.tts.streaming.onnx_file import OnnxFile
from audio.tts.streaming.onnx_graph import OnnxGraph


@given(st.lists(st.tuples(st.integers(1, 5000), st.integers(0, 2**64 - 1) | st.binary())))
def test_fields_come_back_as_they_were_written(fields: list[tuple[int, int | bytes]]) -> None:
    message = b"".join(protobuf.encode(number, content) for number, content in fields)
    back = [
        (number, content if isinstance(content, int) else bytes(content))
        for number, content in protobuf.fields(memoryview(message))
    ]
    assert back == fields


@pytest.mark.parametrize("message", [b"\x0b", b"\x0a\x05abc", b"\x80"])
def test_what_is_no_message_is_refused(message: bytes) -> None:
    with pytest.raises((ValueError, IndexError)):
        list(protobuf.fields(memoryview(message)))


def _network() -> OnnxGraph:
    """doubled = 2 x; when ``high`` the output is doubled + 1, else doubled - 1."""
    graph = OnnxGraph()
    x = graph.input("x", (1, "n"))
    graph.input("high", (1,), np.bool_)
    doubled = graph.node("Mul", x, graph.floats(2.0))
    branches = []
    for op in ("Add", "Sub"):
        branch = graph.branch()
        made = branch.node(op, doubled, branch.floats(1.0))
        branch.output(made, f"{made}.out", (1, "n"))
        branches.append(branch)
    (chosen,) = graph.nodes("If", ("high",), 1, then_branch=branches[0], else_branch=branches[1])
    graph.output(doubled, "doubled", (1, "n"))
    graph.output(chosen, "chosen", (1, "n"))
    return graph


def test_a_written_network_runs() -> None:
    network = OrtNetwork(_network().to_bytes(), threads=1)
    x = np.array([[1.0, 2.0, 3.0]], np.float32)
    for high, expected in ((True, [3.0, 5.0, 7.0]), (False, [1.0, 3.0, 5.0])):
        inputs = {"x": x, "high": np.array([high])}
        doubled, chosen = network.run(("doubled", "chosen"), inputs, CancelToken())
        assert doubled.tolist() == [[2.0, 4.0, 6.0]]
        assert chosen.tolist() == [expected]


def test_weights_are_read_back(tmp_path: Path) -> None:
    graph = OnnxGraph()
    values = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
    name, count = graph.weight(values), graph.ints(-1, 7)
    path = tmp_path / "weights.onnx"
    path.write_bytes(graph.to_bytes())
    file = OnnxFile(path)
    assert file.tensor(name).tolist() == values.tolist()
    assert file.tensor(count).tolist() == [-1, 7]
    assert file.floats(count).dtype == np.float32
    with pytest.raises(EngineCorrupt, match="no weight named other"):
        file.tensor("other")


def test_a_part_of_a_network_gives_what_the_whole_gives(tmp_path: Path) -> None:
    path = tmp_path / "whole.onnx"
    path.write_bytes(_network().to_bytes())
    file = OnnxFile(path)
    product = next(node.outputs[0] for node in file.nodes if node.op == "Mul")
    part = OrtNetwork(file.ending_in([product]), threads=1)
    inputs = {"x": np.array([[4.0]], np.float32), "high": np.array([True])}
    (doubled,) = part.run((product,), inputs, CancelToken())
    assert doubled.tolist() == [[8.0]]
    assert len(file.ending_in([product])) < path.stat().st_size
    with pytest.raises(EngineCorrupt, match="no value named nothing"):
        file.ending_in(["nothing"])


@pytest.mark.parametrize("content", [b"not a network", b"\x3a\xff\xff\x03ab"])
def test_a_damaged_file_is_told(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "damaged.onnx"
    path.write_bytes(content)
    with pytest.raises(EngineCorrupt, match="cannot be read"):
        OnnxFile(path)


def test_a_missing_or_empty_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty.onnx").touch()
    for name in ("empty.onnx", "missing.onnx"):
        with pytest.raises(EngineCorrupt, match="cannot be read"):
            OnnxFile(tmp_path / name)
