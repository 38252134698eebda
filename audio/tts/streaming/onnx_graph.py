"""Writes an ONNX network: operations and weights in, the bytes of a file out.

The numbers are those of onnx.proto. ``onnx_file`` reads.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import DTypeLike, NDArray

from audio.tts.streaming.protobuf import encode, head

_OPSET = 17  # of the standard operators: all that is used here is as it was then
_IR_VERSION = 8
_ELEMENTS = {np.dtype(np.float32): 1, np.dtype(np.int64): 7, np.dtype(np.bool_): 9}

Shape = Sequence[int | str]  # a name stands for a length that is known only when it runs


class OnnxGraph:
    """A network that is being put together."""

    def __init__(self, numbers: Iterator[int] | None = None) -> None:
        """An empty network; ``numbers`` go into the names of its values."""
        self._parts: list[bytes] = []
        self._numbers = itertools.count() if numbers is None else numbers

    def branch(self) -> OnnxGraph:
        """A network that an If of this one may hold, and which may use its values."""
        return OnnxGraph(self._numbers)

    def weight(self, values: NDArray[np.generic]) -> str:
        """Keep float32 or int64 ``values`` in the network; returns their name."""
        name = self._new()
        content = np.ascontiguousarray(values)
        about = b"".join(encode(1, size) for size in values.shape)
        about += encode(2, _ELEMENTS[values.dtype]) + encode(8, name) + head(9, content.nbytes)
        self._parts += head(5, len(about) + content.nbytes) + about, content.tobytes()
        return name

    def floats(self, *values: float) -> str:
        """Keep a number, or a few."""
        return self.weight(np.array(values if len(values) > 1 else values[0], np.float32))

    def ints(self, *values: int) -> str:
        """Keep a list of whole numbers."""
        return self.weight(np.array(values, np.int64))

    def node(self, op: str, *inputs: str, **attributes: Attribute) -> str:
        """Apply an operation; returns the name of what it gives."""
        return self.nodes(op, inputs, 1, **attributes)[0]

    def nodes(
        self, op: str, inputs: Iterable[str], outputs: int, **attributes: Attribute
    ) -> list[str]:
        """Apply an operation that gives several things; returns their names."""
        names = [self._new() for _ in range(outputs)]
        message = b"".join(encode(1, name) for name in inputs)
        message += b"".join(encode(2, name) for name in names) + encode(4, op)
        message += b"".join(encode(5, _attribute(*item)) for item in attributes.items())
        self._parts.append(encode(1, message))
        return names

    def input(self, name: str, shape: Shape, dtype: DTypeLike = np.float32) -> str:
        """Declare an input; returns its name."""
        self._parts.append(encode(11, _value(name, shape, np.dtype(dtype))))
        return name

    def output(self, source: str, name: str, shape: Shape) -> None:
        """Declare ``source`` to be the float32 output ``name``."""
        self._parts.append(encode(1, encode(1, source) + encode(2, name) + encode(4, "Identity")))
        self._parts.append(encode(12, _value(name, shape, np.dtype(np.float32))))

    def to_bytes(self) -> bytes:
        """The whole file."""
        name = encode(2, "graph")
        size = len(name) + sum(len(part) for part in self._parts)
        versions = encode(1, _IR_VERSION) + encode(8, encode(1, "") + encode(2, _OPSET))
        # joined once: the weights are large
        return b"".join([versions, head(7, size), name, *self._parts])

    def body(self) -> bytes:
        """As the branch of another network."""
        return encode(2, "branch") + b"".join(self._parts)

    def _new(self) -> str:
        return f"v{next(self._numbers)}"


Attribute = float | int | str | Sequence[int] | OnnxGraph


def _attribute(name: str, value: Attribute) -> bytes:
    """AttributeProto; its field 20 says which kind it is."""
    if isinstance(value, float):
        content, kind = b"\x15" + struct.pack("<f", value), 1
    elif isinstance(value, int):
        content, kind = encode(3, value), 2
    elif isinstance(value, str):
        content, kind = encode(4, value), 3
    elif isinstance(value, OnnxGraph):
        content, kind = encode(6, value.body()), 5
    else:
        content, kind = b"".join(encode(8, item) for item in value), 7
    return encode(1, name) + content + encode(20, kind)


def _value(name: str, shape: Shape, dtype: np.dtype[np.generic]) -> bytes:
    """ValueInfoProto; a length without a number has a name."""
    sizes = (encode(1 if isinstance(each, int) else 2, each) for each in shape)
    tensor = encode(1, _ELEMENTS[dtype]) + encode(2, b"".join(encode(1, size) for size in sizes))
    return encode(1, name) + encode(2, encode(1, tensor))
