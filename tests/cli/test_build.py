"""What the composition root makes of the settings for voice and answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from audio.engine import CancelToken
from audio.tts.scripted import ScriptedSynthesizer
from audio.tts.spoken_text import speak
from jarvis_voice.cli import build
from jarvis_voice.config import BrainSettings, Settings, SynthesizerSettings


@pytest.mark.parametrize(
    ("brain", "openers"),
    [
        (BrainSettings(), ()),
        (BrainSettings(kind="openai", model="m"), build.OPENERS),
        (BrainSettings(kind="openai", model="m", opener_after_s=0.0), ()),
    ],
)
def test_only_a_chat_model_is_bridged_by_openers(brain: BrainSettings, openers: tuple[str, ...]):
    chosen = build.conversation_settings(Settings(brain=brain)).answering
    assert chosen.openers == openers
    assert not openers or chosen.opener_after_s == 0.6


@pytest.mark.parametrize(
    ("keep", "keep_mb", "files"), [(True, 1.0, 1), (True, 0.0, 0), (False, 1.0, 0)]
)
def test_phrases_are_kept_on_disk_only_in_a_talk_and_only_if_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: bool, keep_mb: float, files: int
):
    monkeypatch.setenv("JARVIS_CACHE_DIR", str(tmp_path))
    settings = SynthesizerSettings(keep_mb=keep_mb)
    synthesizer = build.cached(ScriptedSynthesizer(), settings, keep=keep)
    list(synthesizer.synthesize(speak("All is well."), CancelToken()))
    synthesizer.close()
    assert len(list(tmp_path.rglob("*.phrase"))) == files
