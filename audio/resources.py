"""Finds the data files that ship with the product, from a checkout and from an installed wheel."""

from __future__ import annotations

from pathlib import Path

from audio.errors import EngineMissing

_BESIDE_PACKAGES = Path(__file__).resolve().parent.parent


def asset(*parts: str, root: Path = _BESIDE_PACKAGES) -> Path:
    """The path of a shipped file or folder, such as ``asset("voices", "am_michael.npy")``.

    ``root`` is the folder that holds the package ``audio``. A wheel puts the assets inside
    ``jarvis_voice``, a checkout has them beside it. The wheel's place is looked at first, so that a
    stray ``assets`` folder among the installed packages is not taken for ours.
    Raises EngineMissing when it is in neither.
    """
    for folder in (root / "jarvis_voice" / "assets", root / "assets"):
        path = folder.joinpath(*parts)
        if path.exists():
            return path
    raise EngineMissing(
        f"The data file {'/'.join(parts)} of jarvis-voice is missing.",
        "Run: pip install --force-reinstall jarvis-voice",
    )
