from __future__ import annotations

from pathlib import Path

import pytest

from audio.errors import EngineMissing
from audio.resources import asset


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(text)


def test_a_checkout_has_its_assets_beside_the_packages(tmp_path: Path) -> None:
    _put(tmp_path / "assets" / "voices" / "a.npy", "checkout")
    assert asset("voices", "a.npy", root=tmp_path).read_text() == "checkout"


def test_a_wheel_has_its_assets_inside_the_app(tmp_path: Path) -> None:
    _put(tmp_path / "jarvis_voice" / "assets" / "voices" / "a.npy", "wheel")
    assert asset("voices", "a.npy", root=tmp_path).read_text() == "wheel"


def test_a_stray_folder_of_another_package_does_not_win(tmp_path: Path) -> None:
    _put(tmp_path / "jarvis_voice" / "assets" / "a.txt", "ours")
    _put(tmp_path / "assets" / "a.txt", "stray")
    assert asset("a.txt", root=tmp_path).read_text() == "ours"


def test_a_missing_file_says_how_to_get_it_back(tmp_path: Path) -> None:
    with pytest.raises(EngineMissing, match=r"voices/a\.npy .*is missing.*pip install"):
        asset("voices", "a.npy", root=tmp_path)


def test_this_very_installation_has_them() -> None:
    assert asset("voices").is_dir()
