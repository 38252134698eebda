from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.room import PulseRoom


@pytest.fixture
def room() -> Iterator[PulseRoom]:
    """A virtual room with the app's own voice leaking back at -6 dB."""
    reason = PulseRoom.available()
    if reason is not None:
        pytest.skip(reason)
    with PulseRoom() as room:
        yield room
