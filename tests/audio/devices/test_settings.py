from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.devices.settings import DeviceSettings, device_choice


@given(st.integers(1, 20), st.sampled_from([8_000, 16_000, 24_000, 44_100, 48_000]))
def test_blocks_are_whole_multiples_of_ten_milliseconds(steps: int, rate: int) -> None:
    settings = DeviceSettings(block_s=steps / 100)
    assert settings.block_samples(rate) == steps * rate // 100


@pytest.mark.parametrize("block_s", [0.0, 0.005, 0.015, 0.032, -0.01])
def test_other_blocks_are_refused(block_s: float) -> None:
    with pytest.raises(ValueError, match=r"multiple of 0\.01"):
        DeviceSettings(block_s=block_s)


@pytest.mark.parametrize(
    ("text", "choice"), [("", None), ("  ", None), ("3", 3), (" USB ", "USB"), ("3 USB", "3 USB")]
)
def test_what_a_user_writes_for_a_device(text: str, choice: str | int | None) -> None:
    assert device_choice(text) == choice
