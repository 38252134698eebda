"""The wire format of protobuf: a message is its fields one after the other.

A field is a key (its number and a wire type), then a varint, or a length and so many bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

Content = int | bytes | memoryview

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types
_WORD = (1 << 64) - 1


def fields(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Number and content of each field; content is a number, or bytes that are not copied.

    Raises ValueError or IndexError for what is no message.
    """
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = varint(message, at)
            yield key >> 3, value
            continue
        if kind == _BYTES:
            size, at = varint(message, at)
        elif kind in (_FIXED32, _FIXED64):
            size = 4 if kind == _FIXED32 else 8
        else:
            raise ValueError(f"wire type {kind} before byte {at}")
        if at + size > len(message):
            raise ValueError("a field runs over the end")
        yield key >> 3, message[at : at + size]
        at += size


def varint(message: memoryview, at: int) -> tuple[int, int]:
    """The number that begins at ``at``, and where it ends."""
    value, shift = 0, 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def numbers(content: int | memoryview) -> list[int]:
    """A repeated number, packed or single: both are allowed."""
    if isinstance(content, int):
        return [content]
    found, at = [], 0
    while at < len(content):
        value, at = varint(content, at)
        found.append(value)
    return found


def text(message: memoryview, number: int) -> str:
    """The field ``number`` as text, empty when it is not there."""
    found = [content for each, content in fields(message) if each == number]
    return bytes(found[-1]).decode() if found and not isinstance(found[-1], int) else ""


def encode(number: int, content: int | bytes | str) -> bytes:
    """One field."""
    if isinstance(content, int):
        return _encoded(number << 3) + _encoded(content)
    raw = content.encode() if isinstance(content, str) else content
    return head(number, len(raw)) + raw


def head(number: int, size: int) -> bytes:
    """What stands before the ``size`` bytes of a field."""
    return _encoded(number << 3 | _BYTES) + _encoded(size)


def _encoded(value: int) -> bytes:
    out = bytearray()
    value &= _WORD  # a negative number takes ten bytes
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
