from __future__ import annotations

import os
import sys
import threading

import pytest

from audio.devices.quiet import quiet_stderr


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
