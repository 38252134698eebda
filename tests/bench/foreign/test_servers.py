"""A server's first line is its address, and it ends with the block."""

from __future__ import annotations

import os
import sys

import pytest

from bench.errors import ForeignFailed
from bench.foreign.servers import started

WAITS = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
DIES = "import sys; sys.exit('the weights are gone')"


def test_a_server_runs_as_long_as_the_block() -> None:
    with started([sys.executable, "-c", WAITS]) as address:
        os.kill(int(address), 0)
    with pytest.raises(ProcessLookupError):
        os.kill(int(address), 0)


def test_a_server_that_does_not_start_has_its_last_words_told() -> None:
    with (
        pytest.raises(ForeignFailed, match="It said: the weights are gone"),
        started([sys.executable, "-c", DIES]),
    ):
        pytest.fail("there is no server")


def test_a_command_that_is_none_is_told_of() -> None:
    with pytest.raises(ForeignFailed, match="cannot be started"), started(["/nowhere/python"]):
        pytest.fail("there is no server")
