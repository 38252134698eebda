"""Hooks find the gate by a private file, and only by one that is."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from jarvis_voice.errors import GateError
from jarvis_voice.wire.rendezvous import Rendezvous, find, write_private

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")


def test_an_announced_gate_is_found_until_it_is_withdrawn(tmp_path: Path) -> None:
    rendezvous = Rendezvous(tmp_path / "state")
    gate = rendezvous.announce(8767)
    assert find(rendezvous.gate_file) == gate
    assert gate.url == "http://127.0.0.1:8767"
    rendezvous.withdraw()
    assert find(rendezvous.gate_file) is None


def test_the_token_stays_the_same_and_is_long(tmp_path: Path) -> None:
    token = Rendezvous(tmp_path / "state").token()
    assert Rendezvous(tmp_path / "state").token() == token
    assert len(token) >= 40
    assert Rendezvous(tmp_path / "other").token() != token


@posix
def test_both_files_are_for_their_user_only(tmp_path: Path) -> None:
    rendezvous = Rendezvous(tmp_path / "state")
    rendezvous.announce(1)
    for path in rendezvous.folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert stat.S_IMODE(rendezvous.folder.stat().st_mode) == 0o700


@posix
def test_a_file_that_others_could_write_or_read_is_not_trusted(tmp_path: Path) -> None:
    rendezvous = Rendezvous(tmp_path)
    rendezvous.announce(1)
    rendezvous.gate_file.chmod(0o644)
    assert find(rendezvous.gate_file) is None


def test_another_process_keeps_its_address(tmp_path: Path) -> None:
    rendezvous = Rendezvous(tmp_path)
    other = {"port": 1, "token": "x", "pid": os.getpid() + 1}
    write_private(rendezvous.gate_file, json.dumps(other).encode())
    rendezvous.withdraw()
    assert find(rendezvous.gate_file) is not None


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"port": "x"}', b"null", b'{"port": 1, "token": "t"}']
)
def test_a_damaged_address_is_no_gate(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "gate.json"
    write_private(path, content)
    assert find(path) is None


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(GateError, match="gate-token"):
        Rendezvous(tmp_path / "file" / "state").token()
