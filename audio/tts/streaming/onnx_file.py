"""Just enough of the ONNX file format to take weights and parts from a network.

The file is mapped, and only what is asked for is copied, so 92 MB on disk cost no memory of their
own. The package ``onnx`` would do the same with 18 MB more to install and the whole file in memory.
``onnx_graph`` writes.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audio.errors import EngineCorrupt
from audio.tts.streaming import protobuf

_GRAPH = 7  # of ModelProto
_NODE, _INITIALIZER, _INPUT, _OUTPUT = 1, 5, 11, 12  # of GraphProto
_TYPES: dict[int, np.dtype[Any]] = {
    1: np.dtype("<f4"),
    2: np.dtype("u1"),
    3: np.dtype("i1"),
    7: np.dtype("<i8"),
}


@dataclass(frozen=True, slots=True)
class Node:
    """One operation of a graph."""

    op: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    message: memoryview


class OnnxFile:
    """The nodes and the weights of an ONNX file, read as they are asked for."""

    def __init__(self, path: Path) -> None:
        """Map the file and find its parts: about 50 ms for 92 MB. Raises EngineCorrupt."""
        self._path = path
        self.nodes: list[Node] = []
        self._tensors: dict[str, memoryview] = {}
        self._inputs: list[memoryview] = []
        self._versions: list[bytes] = []  # what is not the graph
        try:
            with path.open("rb") as file:
                whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            for number, content in protobuf.fields(whole):
                if isinstance(content, int):
                    self._versions.append(protobuf.encode(number, content))
                elif number == _GRAPH:
                    self._read_graph(content)
                else:
                    self._versions.append(protobuf.encode(number, bytes(content)))
        except (OSError, ValueError, IndexError) as error:
            raise self._corrupt(f"cannot be read: {error}") from error

    def _read_graph(self, graph: memoryview) -> None:
        for number, content in protobuf.fields(graph):
            if isinstance(content, int):
                continue
            if number == _NODE:
                self.nodes.append(_node(content))
            elif number == _INITIALIZER:
                self._tensors[protobuf.text(content, 8)] = content
            elif number == _INPUT:
                self._inputs.append(content)

    def _corrupt(self, what: str) -> EngineCorrupt:
        remedy = "Delete that file; it is made anew at the next use."
        return EngineCorrupt(f"The network {self._path} {what}.", remedy)

    def tensor(self, name: str) -> NDArray[np.generic]:
        """A weight by its name, as a copy. Raises EngineCorrupt when it is not there."""
        if name not in self._tensors:
            raise self._corrupt(f"has no weight named {name}")
        try:
            return _array(self._tensors[name])
        except (ValueError, IndexError) as error:
            raise self._corrupt(f"has a weight {name} that cannot be read: {error}") from error

    def floats(self, name: str) -> NDArray[np.float32]:
        """A weight as float32, whatever it is stored as. Raises EngineCorrupt."""
        return self.tensor(name).astype(np.float32)

    def ending_in(self, outputs: Sequence[str]) -> bytes:
        """The part of the network that gives ``outputs`` (float32), as a file of its own.

        It has all inputs of the whole. Raises EngineCorrupt when an output is not there.
        """
        maker = {name: node for node in self.nodes for name in node.outputs}
        needed: set[str] = set()
        open_ = list(outputs)
        while open_:
            name = open_.pop()
            if name not in needed:
                needed.add(name)
                open_ += maker[name].inputs if name in maker else ()
        if missing := [name for name in outputs if name not in maker]:
            raise self._corrupt(f"has no value named {missing[0]}")
        kept = [(_NODE, node.message) for node in self.nodes if needed & set(node.outputs)]
        kept += [(_INITIALIZER, tensor) for name, tensor in self._tensors.items() if name in needed]
        kept += [(_INPUT, message) for message in self._inputs]
        kept += [(_OUTPUT, memoryview(_float_value(name))) for name in outputs]
        # joined once: the weights are large
        parts: list[bytes | memoryview] = [protobuf.encode(2, "part")]
        for number, content in kept:
            parts += protobuf.head(number, len(content)), content
        size = sum(len(part) for part in parts)
        return b"".join([*self._versions, protobuf.head(_GRAPH, size), *parts])


def _node(message: memoryview) -> Node:
    texts: dict[int, list[str]] = {1: [], 2: [], 3: [], 4: []}
    for number, content in protobuf.fields(message):
        if number in texts and not isinstance(content, int):
            texts[number].append(bytes(content).decode())
    inputs, outputs, name, op = texts.values()
    return Node("".join(op), "".join(name), tuple(inputs), tuple(outputs), message)


def _array(message: memoryview) -> NDArray[np.generic]:
    shape: list[int] = []
    dtype: np.dtype[Any] | None = None
    flat: NDArray[np.generic] | None = None
    for number, content in protobuf.fields(message):
        if number == 1:
            shape += protobuf.numbers(content)
        elif number == 2 and isinstance(content, int):
            dtype = _TYPES.get(content)
        elif number == 4 and not isinstance(content, int):
            flat = np.frombuffer(content, "<f4")
        elif number in (5, 7):  # scalars of the smaller types
            flat = np.array(protobuf.numbers(content), np.int64)
        elif number == 9 and not isinstance(content, int):
            flat = np.frombuffer(content, dtype or "u1")
    if dtype is None or flat is None:
        raise ValueError("its type is not used here")
    return flat.astype(dtype).reshape(shape)


def _float_value(name: str) -> bytes:
    """ValueInfoProto: a float32 tensor of any shape."""
    kind = protobuf.encode(1, protobuf.encode(1, 1))
    return protobuf.encode(1, name) + protobuf.encode(2, kind)
