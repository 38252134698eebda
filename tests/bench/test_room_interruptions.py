"""Over the real sound path: the user interrupts four times in a row, Jarvis never itself."""

import pytest

from bench.room import PulseRoom
from bench.room_interruptions import take

pytestmark = [pytest.mark.room, pytest.mark.alone, pytest.mark.model, pytest.mark.slow]


@pytest.mark.skipif(PulseRoom.available() is not None, reason=PulseRoom.available() or "")
def test_four_interruptions_are_heard_and_none_is_jarvis_own_voice() -> None:
    record = take(times=4)
    assert record["heard"] == 4
    assert record["cuts_that_nobody_caused"] == 0
    # How it is spelled is the recognizer's: over the echo the smallest Whisper mishears some.
    assert record["first_word_kept"] >= 2, record["transcripts"]
    assert record["said_again"] <= 1
    assert record["faults"] == []
