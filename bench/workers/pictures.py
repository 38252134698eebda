"""Pictures among a task's materials as arrays: the one place of the benchmark that decodes them."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from bench.errors import WorkspaceFailed

PIXELS = 16_000_000


def pixels(data: bytes) -> NDArray[np.uint8]:
    """A PNG or JPEG as (height, width, 3) uint8, red, green and blue, 0 to 255.

    Transparency is laid on white. Raises WorkspaceFailed for what is no picture, or a huge one.
    """
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as picture:
            if picture.width * picture.height > PIXELS:
                raise WorkspaceFailed(f"A picture has more than {PIXELS} pixels.")
            flat = Image.new("RGBA", picture.size, "white")
            flat.alpha_composite(picture.convert("RGBA"))
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise WorkspaceFailed(f"A file is no picture: {error}.") from error
    return np.asarray(flat.convert("RGB"), dtype=np.uint8)


def near(
    picture: NDArray[np.uint8], colour: tuple[int, int, int], tolerance: int = 40
) -> NDArray[np.bool_]:
    """Where a picture has a colour, as (height, width) bool; each channel within the tolerance."""
    signed = picture.astype(np.int16)
    red, green, blue = (
        np.abs(signed[:, :, place] - value) <= tolerance for place, value in enumerate(colour)
    )
    return np.asarray(red & green & blue)
