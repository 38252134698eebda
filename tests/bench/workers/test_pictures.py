"""Pictures as arrays."""

from __future__ import annotations

import io

import numpy as np
import pytest

from bench.errors import WorkspaceFailed
from bench.workers.pictures import near, pixels

PIL = pytest.importorskip("PIL.Image")


def _png(mode: str, colour: object) -> bytes:
    file = io.BytesIO()
    picture = PIL.new(mode, (4, 3), colour)
    picture.save(file, "PNG")
    return file.getvalue()


@pytest.mark.parametrize(
    ("mode", "colour", "seen"),
    [
        ("RGB", (200, 10, 10), (200, 10, 10)),
        ("L", 128, (128, 128, 128)),
        ("RGBA", (0, 0, 0, 0), (255, 255, 255)),
    ],
)
def test_any_picture_becomes_rgb(mode: str, colour: object, seen: tuple[int, int, int]) -> None:
    found = pixels(_png(mode, colour))
    assert found.shape == (3, 4, 3)
    assert found.dtype == np.uint8
    assert tuple(found[0, 0]) == seen
    assert near(found, seen, 0).all()
    assert not near(found, (seen[0] ^ 128, seen[1], seen[2])).any()


@pytest.mark.parametrize("data", [b"", b"no picture", _png("RGB", (1, 2, 3))[:40]])
def test_what_is_no_picture_is_a_failure(data: bytes) -> None:
    with pytest.raises(WorkspaceFailed):
        pixels(data)
