from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from bench import wer


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1, 2, 3.", "one two three"),
        ("What's the weather like?", "what\u2019s THE weather like"),
        ("real-time", "real time"),
        ("1,234 files", "one thousand two hundred and thirty four files"),
        ("2.5 GB", "two point five gb"),
    ],
)
def test_the_same_words_are_the_same_however_written(one: str, other: str) -> None:
    assert wer.normalized(one) == wer.normalized(other)


@given(st.text())
def test_any_text_can_be_normalized(text: str) -> None:
    for language in ("en", "ja"):
        assert all(word.strip() for word in wer.normalized(text, language))


def test_japanese_is_counted_by_character() -> None:
    assert wer.normalized("電気を、つけて。", "ja") == list("電気をつけて")


def test_the_built_in_manifest_is_valid() -> None:
    manifest = wer.Manifest.model_validate_json(wer._manifest_text(None))
    assert len({clip.file for clip in manifest.clips}) == len(manifest.clips)
    assert all(clip.certain or clip.note for clip in manifest.clips)


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    out = io.StringIO()
    assert wer.main(["--audio", str(tmp_path)], out) == 1
    assert "--audio" in out.getvalue()


def test_a_broken_manifest_is_refused_in_one_line(tmp_path: Path) -> None:
    broken = tmp_path / "manifest.json"
    broken.write_text('{"clips": 3}')
    out = io.StringIO()
    assert wer.main(["--audio", str(tmp_path), "--manifest", str(broken)], out) == 2
    assert out.getvalue().count("\n") == 1


@pytest.mark.model
def test_a_folder_is_measured(tmp_path: Path) -> None:
    clip = Path(__file__).parents[1] / "audio" / "asr" / "data" / "whats_the_weather_like.flac"
    (tmp_path / "weather.flac").write_bytes(clip.read_bytes())
    soundfile.write(tmp_path / "quiet.wav", np.zeros(16_000), 16_000)
    manifest = tmp_path / "manifest.json"
    manifest.write_text(
        json.dumps(
            {
                "clips": [
                    {"file": "weather.flac", "language": "en", "certain": True,
                     "text": "What was the weather like?"},
                    {"file": "quiet.wav", "language": "en", "certain": True, "text": ""},
                    {"file": "gone.wav", "language": "en", "certain": True, "text": "gone"},
                ]
            }
        )
    )  # fmt: skip
    out = io.StringIO()
    result = tmp_path / "scores.json"
    argv = ["--audio", str(tmp_path), "--manifest", str(manifest), "--json", str(result)]
    assert wer.main([*argv, "--engine", "whisper-tiny.en", "--engine", "whisper-huge"], out) == 0
    assert "| weather.flac | 2 / 5 |" in out.getvalue()
    assert "| **WER of the certain clips** | 0.400 (2 / 5) |" in out.getvalue()
    assert "Left out: whisper-huge" in out.getvalue()
    scores = {entry["file"]: entry for entry in json.loads(result.read_text())}
    assert scores["quiet.wav"]["text"] == ""
    assert scores["quiet.wav"]["reason"]
