"""A network of two nodes with Smart Turn's input and output, written as protobuf by hand.

It gives the sigmoid of the mean of what it is given: the louder the end, the surer.
"""

from __future__ import annotations

from pathlib import Path


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _tensor(name: str, shape: tuple[int, ...]) -> bytes:
    dimensions = b"".join(_bytes(1, _number(1, size)) for size in shape)
    kind = _number(1, 1) + _bytes(2, dimensions)  # float
    return _text(1, name) + _bytes(2, _bytes(1, kind))


def _node(operator: str, given: str, gives: str, keep: bool = False) -> bytes:
    node = _text(1, given) + _text(2, gives) + _text(4, operator)
    if keep:  # keepdims = 0
        node += _bytes(5, _text(1, "keepdims") + _number(3, 0) + _number(20, 2))
    return node


def write(path: Path, name: str = "input_features", shape: tuple[int, ...] = (1, 80, 800)) -> Path:
    """Write the model and give its path."""
    graph = (
        _bytes(1, _node("ReduceMean", name, "mean", keep=True))
        + _bytes(1, _node("Sigmoid", "mean", "probability"))
        + _text(2, "tiny")
        + _bytes(11, _tensor(name, shape))
        + _bytes(12, _tensor("probability", ()))
    )
    path.write_bytes(_number(1, 8) + _bytes(7, graph) + _bytes(8, _number(2, 13)))
    return path
