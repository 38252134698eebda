from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from audio.devices.quiet import native_stderr_to, quiet_stderr


def test_what_c_code_writes_is_not_seen_and_what_comes_later_is(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with quiet_stderr():
        os.write(2, b"ALSA lib pcm.c: Unknown PCM\n")
    sys.stderr.write("seen\n")
    sys.stderr.flush()
    assert capfd.readouterr().err == "seen\n"


def test_standard_error_comes_back_after_an_exception(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyError), quiet_stderr():
        raise KeyError("x")
    os.write(2, b"back\n")
    assert capfd.readouterr().err == "back\n"


def test_it_can_be_nested_and_used_from_many_threads(capfd: pytest.CaptureFixture[str]) -> None:
    before = os.fstat(2)

    def work() -> None:
        for _ in range(50):
            with quiet_stderr(), quiet_stderr():
                os.write(2, b"never seen\n")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert os.fstat(2).st_ino == before.st_ino
    assert capfd.readouterr().err == ""


def test_a_program_without_standard_error_simply_runs() -> None:
    kept = os.dup(2)
    os.close(2)
    try:
        with quiet_stderr():
            ran = True
    finally:
        os.dup2(kept, 2)
        os.close(kept)
    assert ran


def test_c_code_writes_to_a_file_while_python_still_reaches_the_terminal(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before = sys.stderr
    with native_stderr_to(tmp_path / "devices.log"):
        os.write(2, b"Expression 'x' failed\n")
        sys.stderr.write("a line for the user\n")
        with quiet_stderr():
            os.write(2, b"ALSA lib\n")
        os.write(2, b"more\n")
    os.write(2, b"after\n")
    assert sys.stderr is before
    assert capfd.readouterr().err == "a line for the user\nafter\n"
    assert (tmp_path / "devices.log").read_text() == "Expression 'x' failed\nmore\n"


def test_a_log_that_cannot_be_written_is_no_obstacle(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with native_stderr_to(tmp_path / "missing" / "devices.log"):
        os.write(2, b"dropped\n")
    with pytest.raises(KeyError), native_stderr_to(tmp_path / "devices.log"):
        raise KeyError("x")
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "after\n"
