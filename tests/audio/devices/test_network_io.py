"""A client on the network as a device: real time both ways, bounded, silent where it sends none."""

from __future__ import annotations

import numpy as np
import pytest

from audio.devices.network_io import BLOCK_S, NetworkFormat, NetworkSound

RATE = 16_000
BLOCK = round(BLOCK_S * RATE)


class Ends:
    """What the app's side of the device does and sees."""

    def __init__(self, lead_s: float = 0.0, ahead_s: float = 1.0) -> None:
        self.captured: list[np.ndarray] = []
        self.played: list[np.ndarray] = []
        self.level = 0.0  # of what is rendered now
        self.sound = NetworkSound(NetworkFormat(RATE, RATE, lead_s, ahead_s), self._take)
        self.sound.capture.start(lambda block: self.captured.append(block.copy()), print)
        self.sound.playback.start(lambda block: block.fill(self.level), print)

    def _take(self, block: np.ndarray) -> bool:
        self.played.append(block)
        return bool(block.any())

    def pass_time(self, blocks: int) -> None:
        for _ in range(blocks):
            assert self.sound.tick()

    @property
    def heard(self) -> np.ndarray:
        return np.concatenate([np.zeros(0, np.float32), *self.captured])


def ones(size: int) -> np.ndarray:
    return np.ones(size, np.float32)


def test_live_sound_is_delivered_as_it_comes():
    ends = Ends()
    for count in range(1, 101):
        assert ends.sound.feed(ones(BLOCK))
        assert ends.heard.size == count * BLOCK
        ends.pass_time(1)
    assert ends.heard.all()
    assert ends.sound.delivered_s == pytest.approx(2.0)


def test_a_burst_waits_for_its_time_and_nothing_of_it_is_lost():
    ends = Ends(ahead_s=3.0)
    burst = np.arange(2 * RATE, dtype=np.float32)
    assert ends.sound.feed(burst)
    assert ends.heard.size == RATE // 4
    ends.pass_time(50)
    assert ends.heard.size == pytest.approx(RATE * (0.25 + 1.05), rel=0.01)
    ends.pass_time(50)
    assert np.array_equal(ends.heard[: burst.size], burst)


def test_a_fast_clock_gathers_no_delay():
    ends = Ends()
    for _ in range(3000):  # a minute at 2 % too fast
        assert ends.sound.feed(ones(round(BLOCK * 1.02)))
        ends.pass_time(1)
    assert ends.sound.queued_s < 0.05


def test_more_than_may_wait_is_refused_whole():
    ends = Ends(ahead_s=1.0)
    assert ends.sound.feed(ones(RATE))
    assert not ends.sound.feed(ones(RATE))
    assert ends.sound.queued_s <= 1.0
    ends.sound.clear()
    assert ends.sound.queued_s == 0.0
    assert ends.sound.delivered_s == pytest.approx(0.25)


def test_a_client_that_sends_nothing_is_silent_for_as_long():
    ends = Ends()
    ends.sound.feed(ones(BLOCK))
    ends.pass_time(50)
    assert ends.heard.size == pytest.approx(51 * BLOCK, abs=BLOCK)
    assert not ends.heard[BLOCK:].any()
    assert ends.sound.delivered_s == pytest.approx(BLOCK_S)  # the silence is not the client's


def test_a_short_stutter_puts_no_silence_into_a_word():
    ends = Ends()
    ends.sound.feed(ones(BLOCK))
    ends.pass_time(8)
    ends.sound.feed(ones(8 * BLOCK))
    assert ends.heard.size == 9 * BLOCK
    assert ends.heard.all()


def test_playback_asks_for_a_block_a_beat():
    ends = Ends()
    ends.level = 0.5
    ends.pass_time(10)
    assert len(ends.played) == 10


def test_a_reply_runs_ahead_by_the_lead_and_silence_catches_up():
    ends = Ends(lead_s=0.2)
    ends.pass_time(5)
    assert len(ends.played) == 5
    ends.level = 0.5
    ends.pass_time(1)
    assert len(ends.played) == 6 + 10
    ends.pass_time(20)
    assert len(ends.played) == 26 + 10
    ends.level = 0.0
    ends.pass_time(10)
    assert len(ends.played) == 36 + 1  # it asked once more to see that the reply is over
    ends.pass_time(10)
    assert len(ends.played) == 46


def test_nothing_is_asked_for_or_delivered_once_it_is_stopped():
    ends = Ends()
    ends.sound.capture.stop()
    ends.sound.playback.stop()
    ends.sound.feed(ones(BLOCK))
    ends.pass_time(20)
    assert ends.captured == []
    assert ends.played == []
    ends.sound.close()
    assert not ends.sound.tick()


def test_rates_that_make_no_whole_blocks_are_refused():
    with pytest.raises(ValueError, match="whole number"):
        NetworkSound(NetworkFormat(11_025, RATE), lambda _block: False)


async def test_it_runs_in_the_loops_time():
    ends = Ends()
    ends.level = 0.5

    def stop_after(block: np.ndarray) -> None:
        block.fill(0.5)
        if len(ends.played) == 50:
            ends.sound.close()

    ends.sound.playback.start(stop_after, print)
    await ends.sound.run()
    assert len(ends.played) == 51
