"""Finds model weights that packages carry, checks them, and joins those that come in parts.

A weight inside an installed package is used where it lies. One that is split over several packages
is joined once into the cache folder: ``JARVIS_CACHE_DIR`` when it is set, else the user's cache
folder for ``jarvis-voice``. Hashing 90 MB takes about a quarter of a second, so a file that was
found right is remembered by its size and modification time and is not hashed again while both stay
the same.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

import platformdirs

from audio.errors import EngineCorrupt, EngineMissing, UnwritableOutput

_CACHE_VARIABLE = "JARVIS_CACHE_DIR"
_BLOCK_BYTES = 1 << 20


def cache_dir() -> Path:
    """The folder for joined weights and marks; it may not exist yet."""
    chosen = os.environ.get(_CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    return Path(platformdirs.user_cache_dir("jarvis-voice", appauthor=False))


def locate(distribution: str, relative_path: str) -> Path:
    """Find a file of an installed distribution without importing any of its code.

    ``relative_path`` starts at the folder that holds the installed packages, such as
    ``some_package/data/model.bin``. Raises EngineMissing, naming the install line, when the
    distribution or the file is not there.
    """
    try:
        found = metadata.distribution(distribution).locate_file(relative_path)
    except metadata.PackageNotFoundError:
        raise EngineMissing(
            f"The package {distribution} is not installed.",
            f"Run: pip install {distribution}",
        ) from None
    path = Path(str(found))
    if not path.is_file():
        raise EngineMissing(
            f"{relative_path} of the package {distribution} is missing.",
            f"Run: pip install --force-reinstall {distribution}",
        )
    return path


def hub_snapshot(model: str, marker: str = "config.json") -> Path:
    """The folder of a model that the user downloaded: ``model`` is that folder, or a name on a hub.

    A name is looked for in the hub's cache only; nothing is downloaded. ``marker`` is a file that
    the folder must hold. Raises EngineMissing with the download line when it is not there.
    """
    folder = Path(model).expanduser()
    if (folder / marker).is_file():
        return folder
    missing = EngineMissing(
        f"The model {model} is not on this machine.",
        f"Run: hf download {model}, or name the folder that holds it.",
    )
    try:
        hub = importlib.import_module("huggingface_hub")
    except ImportError:
        raise missing from None
    try:
        found = hub.try_to_load_from_cache(model, marker)
    except ValueError:  # no name that a hub could have
        raise missing from None
    if not isinstance(found, str):
        raise missing
    return Path(found).parent


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's content, in lower-case hex. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(path: Path, sha256: str, remedy: str) -> Path:
    """Return ``path`` when its content has the hash ``sha256``, else raise EngineCorrupt.

    ``remedy`` is what the user should do then. A file that passed is remembered in the cache
    folder; when that cannot be written the file is hashed again each time.
    """
    if not _matches(path, sha256):
        raise EngineCorrupt(f"The weight {path} is damaged: its SHA-256 is not {sha256}.", remedy)
    return path


def join_parts(parts: Sequence[Path], target_name: str, sha256: str) -> Path:
    """Join ``parts``, in order, into the cache folder as ``target_name`` and return the path.

    A joined file that is there and right is used as it is; a damaged one is built anew. The result
    appears whole or not at all, and two processes may build it at the same time. Raises
    EngineCorrupt when the parts do not give ``sha256`` and UnwritableOutput when the cache folder
    cannot hold the file.
    """
    target = cache_dir() / target_name
    if target.is_file() and _matches(target, sha256):
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _temporary_beside(target) as temporary:
            digest = _concatenate(parts, temporary)
            if digest != sha256:
                raise EngineCorrupt(
                    f"The parts of {target_name} join to a damaged file: its SHA-256 is {digest}, "
                    f"not {sha256}; nothing was kept.",
                    f"Reinstall the packages that carry {parts[0]} and the parts after it: "
                    "pip install --force-reinstall PACKAGE",
                )
            os.replace(temporary, target)
    except OSError as error:
        raise UnwritableOutput(
            f"The weight {target_name} cannot be written to {target.parent}: "
            f"{error.strerror or error}; nothing was kept.",
            f"Free some disk space there or set {_CACHE_VARIABLE} to a folder that can be written.",
        ) from error
    _remember(target, sha256)
    return target


def _concatenate(parts: Sequence[Path], target: Path) -> str:
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for part in parts:
            with part.open("rb") as source:
                while block := source.read(_BLOCK_BYTES):
                    digest.update(block)
                    out.write(block)
    return digest.hexdigest()


@contextlib.contextmanager
def _temporary_beside(target: Path) -> Iterator[Path]:
    """A new file in the target's folder, gone afterwards unless it was moved away."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _matches(path: Path, sha256: str) -> bool:
    expected_mark = _mark_of(path, sha256)
    mark = _mark_path(path)
    with contextlib.suppress(OSError):
        if mark.read_text(encoding="ascii") == expected_mark:
            return True
    if sha256_of(path) != sha256:
        return False
    _remember(path, sha256)
    return True


def _remember(path: Path, sha256: str) -> None:
    mark = _mark_path(path)
    with contextlib.suppress(OSError):  # without the mark the file is hashed again, nothing worse
        mark.parent.mkdir(parents=True, exist_ok=True)
        with _temporary_beside(mark) as temporary:
            temporary.write_text(_mark_of(path, sha256), encoding="ascii")
            os.replace(temporary, mark)


def _mark_path(path: Path) -> Path:
    key = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:32]
    return cache_dir() / "verified" / f"{key}.txt"


def _mark_of(path: Path, sha256: str) -> str:
    state = path.stat()
    return f"{sha256} {state.st_size} {state.st_mtime_ns}"
