"""What voicebench is given: its own terms, our prompts, its own limits."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from audio.pcm import RATE
from audio.wav import write_wav
from bench.voicebench_gate import LIMITS, scenario
from jarvis_voice.resources import asset


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for sound in asset("prompts").glob("*.wav"):
        shutil.copy(sound, tmp_path / sound.name)
    write_wav(tmp_path / "backchannel.wav", np.zeros(RATE // 2, np.float32), RATE)
    return tmp_path


def test_the_one_prompt_that_interrupts_must_stop_it_and_two_sounds_must_not(folder: Path):
    turns = scenario("ws://127.0.0.1:1/pcm", folder)["turns"]
    expected = {turn["id"]: turn["expect"] for turn in turns}
    assert [name for name, expect in expected.items() if expect == "stop"] == ["prompt-4"]
    assert [name for name, expect in expected.items() if expect == "ignore"] == ["mm-hm", "cough"]
    assert all("text" in turn for turn in turns if turn["expect"] != "ignore")


@pytest.mark.extra
def test_voicebench_understands_the_scenario_and_judges_by_its_own_limits(folder: Path):
    voicebench = pytest.importorskip("voicebench.scenario", reason="the extra voicebench")
    parsed = voicebench.parse_scenario(scenario("ws://127.0.0.1:1/pcm", folder), folder)
    assert len(parsed.turns) == 7
    assert parsed.assertions == LIMITS
    assert parsed.sample_rate == RATE
    example = Path(voicebench.__file__).parent / "examples" / "mock-conversation.yaml"
    assert voicebench.load_scenario(example).assertions == LIMITS
